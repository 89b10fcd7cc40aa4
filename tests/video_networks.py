"""Networks that take videos, made for tests: five families and one more in miniature, with random weights, the files of
their processors as the checkpoints were released, and a tokenizer of single bytes."""

import json
from pathlib import Path
from typing import Any

from networks import SPECIAL, TEMPLATE, write_tokenizer
from tolman.models.hf_inputs import import_torchvision

CLIP = {"image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711]}
HALF = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
ENDS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
FAMILIES = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "llava_onevision", "internvl", "smolvlm")


def template(image: str, video: str) -> str:
    """The chat template with other places for what is shown."""
    return TEMPLATE.replace("<|vision_start|><|image_pad|><|vision_end|>", image).replace(
        "<|vision_start|><|video_pad|><|vision_end|>", video
    )


def write_network(folder: Path, family: str) -> Path:
    """A network of a family, by its `model_type`."""
    import torch

    import_torchvision()
    folder.mkdir(parents=True)
    torch.manual_seed(0)
    network = {
        "qwen2_vl": _qwen2_vl,
        "qwen2_5_vl": _qwen2_5_vl,
        "qwen3_vl": _qwen3_vl,
        "llava_onevision": _llava_onevision,
        "internvl": _internvl,
        "smolvlm": _smolvlm,
    }[family](folder)
    # As they are made, random weights answer the same whatever they are shown.
    with torch.no_grad():
        for name, weights in network.named_parameters():
            if "norm" not in name:
                weights.mul_(4.0)
    network.save_pretrained(folder)
    return folder


def _text(ids: dict[str, int], special: int, **more: Any) -> dict[str, Any]:
    return {
        "vocab_size": 256 + special, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 65536,
        "bos_token_id": ids["<|endoftext|>"], "eos_token_id": ids["<|im_end|>"], "pad_token_id": ids["<|endoftext|>"],
        **more,
    }  # fmt: skip


def _write(folder: Path, **files: dict[str, Any]) -> None:
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))


def _vision_ids(ids: dict[str, int]) -> dict[str, int]:
    names = {"image": "image_pad", "video": "video_pad", "vision_start": "vision_start", "vision_end": "vision_end"}
    return {f"{name}_token_id": ids[f"<|{mark}|>"] for name, mark in names.items()}


ROPE = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]}


def _qwen2_files(folder: Path, processor: str) -> None:
    """As Qwen2-VL's and Qwen2.5-VL's checkpoints have it: one file for pictures and videos, with bounds of old."""
    _write(
        folder,
        preprocessor_config={
            "image_processor_type": "Qwen2VLImageProcessor", "processor_class": processor, "min_pixels": 3136,
            "max_pixels": 12845056, "patch_size": 14, "temporal_patch_size": 2, "merge_size": 2, **CLIP,
        },
    )  # fmt: skip


def _qwen2_vl(folder: Path) -> Any:
    from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration

    ids = write_tokenizer(folder)
    _qwen2_files(folder, "Qwen2VLProcessor")
    return Qwen2VLForConditionalGeneration(
        Qwen2VLConfig(
            text_config=_text(ids, len(SPECIAL), rope_parameters=ROPE),
            vision_config={"depth": 2, "embed_dim": 32, "hidden_size": 32, "num_heads": 4, "mlp_ratio": 2},
            **_vision_ids(ids),
        )
    )


def _qwen2_5_vl(folder: Path) -> Any:
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

    ids = write_tokenizer(folder)
    _qwen2_files(folder, "Qwen2_5_VLProcessor")
    vision = {
        "depth": 2, "hidden_size": 32, "out_hidden_size": 32, "num_heads": 4, "intermediate_size": 64,
        "fullatt_block_indexes": [1], "tokens_per_second": 2,
    }  # fmt: skip
    return Qwen2_5_VLForConditionalGeneration(
        Qwen2_5_VLConfig(
            text_config=_text(ids, len(SPECIAL), rope_parameters=ROPE), vision_config=vision, **_vision_ids(ids)
        )
    )


def _qwen3_vl(folder: Path) -> Any:
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

    ids = write_tokenizer(folder)
    patches = {"patch_size": 16, "temporal_patch_size": 2, "merge_size": 2, "processor_class": "Qwen3VLProcessor"}
    _write(
        folder,
        preprocessor_config={
            "image_processor_type": "Qwen2VLImageProcessorFast",
            "size": {"shortest_edge": 65536, "longest_edge": 16777216},
            **patches,
            **HALF,
        },
        video_preprocessor_config={
            "video_processor_type": "Qwen3VLVideoProcessor",
            "size": {"shortest_edge": 4096, "longest_edge": 25165824},
            **patches,
            **HALF,
        },
    )
    vision = {
        "depth": 2, "hidden_size": 32, "out_hidden_size": 32, "num_heads": 4, "intermediate_size": 64,
        "deepstack_visual_indexes": [0],
    }  # fmt: skip
    return Qwen3VLForConditionalGeneration(
        Qwen3VLConfig(
            text_config=_text(ids, len(SPECIAL), head_dim=8, rope_parameters={**ROPE, "mrope_interleaved": True}),
            vision_config=vision,
            **_vision_ids(ids),
        )
    )


def _llava_onevision(folder: Path) -> Any:
    from transformers import LlavaOnevisionConfig, LlavaOnevisionForConditionalGeneration

    special = (*ENDS, "<image>", "<video>")
    ids = write_tokenizer(
        folder, special=special, named={"image_token": "<image>", "video_token": "<video>"},
        template=template("<image>\n", "<video>\n"),
    )  # fmt: skip
    grid = [[384 * i, 384 * j] for i in range(1, 7) for j in range(1, 7)]
    named = {"processor_class": "LlavaOnevisionProcessor"}
    _write(
        folder,
        preprocessor_config={
            "image_processor_type": "LlavaOnevisionImageProcessor", "size": {"height": 384, "width": 384},
            "image_grid_pinpoints": grid, **HALF, **named,
        },
        video_preprocessor_config={
            "video_processor_type": "LlavaOnevisionVideoProcessor", "size": {"height": 384, "width": 384}, **HALF,
            **named,
        },
        processor_config={
            "num_image_tokens": 729, "vision_feature_select_strategy": "full", "image_token": "<image>",
            "video_token": "<video>", "vision_aspect_ratio": "anyres_max_9", **named,
        },
    )  # fmt: skip
    vision = {
        "model_type": "siglip_vision_model", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "image_size": 384, "patch_size": 14, "vision_use_head": False,
    }  # fmt: skip
    return LlavaOnevisionForConditionalGeneration(
        LlavaOnevisionConfig(
            text_config={"model_type": "qwen2", **_text(ids, len(special))}, vision_config=vision,
            image_token_index=ids["<image>"], video_token_index=ids["<video>"], image_grid_pinpoints=grid,
        )
    )  # fmt: skip


def _internvl(folder: Path) -> Any:
    from transformers import InternVLConfig, InternVLForConditionalGeneration

    special = (*ENDS, "<img>", "</img>", "<IMG_CONTEXT>", "<video>")
    named = {
        "start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }  # fmt: skip
    ids = write_tokenizer(folder, special=special, named=named, template=template("<IMG_CONTEXT>\n", "<video>\n"))
    square, named = {"height": 448, "width": 448}, {"processor_class": "InternVLProcessor"}
    _write(
        folder,
        preprocessor_config={
            "image_processor_type": "GotOcr2ImageProcessor", "size": square, "crop_to_patches": False,
            "min_patches": 1, "max_patches": 12, **CLIP, **named,
        },
        video_preprocessor_config={
            "video_processor_type": "InternVLVideoProcessor", "size": square, **CLIP, **named,
        },
        processor_config={"image_seq_length": 256, **named},
    )  # fmt: skip
    vision = {
        "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
        "image_size": [448, 448], "patch_size": [14, 14],
    }  # fmt: skip
    return InternVLForConditionalGeneration(
        InternVLConfig(
            text_config={"model_type": "qwen2", **_text(ids, len(special))}, vision_config=vision,
            image_token_id=ids["<IMG_CONTEXT>"],
        )
    )  # fmt: skip


def _smolvlm(folder: Path) -> Any:
    from transformers import SmolVLMConfig, SmolVLMForConditionalGeneration

    special = (*ENDS, "<image>", "<video>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>")
    ids = write_tokenizer(
        folder, special=special, named={"image_token": "<image>"}, template=template("<image>", "<video>")
    )
    sizes = {"size": {"longest_edge": 2048}, "max_image_size": {"longest_edge": 512}}
    named = {"processor_class": "SmolVLMProcessor"}
    _write(
        folder,
        preprocessor_config={"image_processor_type": "SmolVLMImageProcessor", **sizes, **HALF, **named},
        video_preprocessor_config={
            "video_processor_type": "SmolVLMVideoProcessor", "size": {"longest_edge": 512},
            "max_image_size": {"longest_edge": 512}, **HALF, **named,
        },
        processor_config={"image_seq_len": 64, **named},
    )  # fmt: skip
    vision = {
        "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": 512,
        "patch_size": 16,
    }  # fmt: skip
    return SmolVLMForConditionalGeneration(
        SmolVLMConfig(
            text_config={"model_type": "llama", **_text(ids, len(special))}, vision_config=vision, scale_factor=4,
            image_token_id=ids["<image>"],
        )
    )  # fmt: skip
