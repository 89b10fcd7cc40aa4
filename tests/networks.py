"""Networks made for tests: Qwen2-VL and Llama in miniature, with random weights and a tokenizer of single bytes."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tolman.models.hf import create
from tolman.models.hf_inputs import import_torchvision
from tolman.models.model import CallError, ModelOptions, Request
from tolman.responses import Response

SPECIAL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
    "{% if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% elif part.type == 'video' %}<|vision_start|><|video_pad|><|vision_end|>{% else %}{{ part.text }}{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def answers_of(path: Path, requests: Sequence[Request], **options: Any) -> list[Response | CallError]:
    """The answers of a network on the processor, to requests that wait together."""

    async def go() -> list[Response | CallError]:
        model = create(str(path), ModelOptions(**{"device": "cpu", **options}))
        try:
            found = await asyncio.gather(*(model.answer(request) for request in requests), return_exceptions=True)
            assert all(isinstance(f, Response | CallError) for f in found), found
            return found  # type: ignore[return-value]
        finally:
            await model.close()

    return asyncio.run(go())


def write_tokenizer(
    folder: Path,
    *,
    template: str | None = TEMPLATE,
    special: Sequence[str] = SPECIAL,
    named: Mapping[str, str] = {"image_token": "<|image_pad|>"},
) -> dict[str, int]:
    """A byte-level tokenizer without merges: a token for each byte, then the special ones."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text, special=True) for text in special])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        extra_special_tokens=dict(named),
    )
    if template:
        fast.chat_template = template
    fast.save_pretrained(folder)
    return {text: fast.convert_tokens_to_ids(text) for text in special}


def write_qwen2_vl(folder: Path, *, seed: int = 0) -> Path:
    """A Qwen2-VL with 2 + 2 layers."""
    import torch

    import_torchvision()
    from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration

    folder.mkdir(parents=True)
    ids = write_tokenizer(folder)
    torch.manual_seed(seed)
    config = Qwen2VLConfig(
        text_config={
            "vocab_size": 256 + len(SPECIAL), "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 4096,
            "bos_token_id": ids["<|endoftext|>"], "eos_token_id": ids["<|im_end|>"], "pad_token_id": ids["<|endoftext|>"],
            "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]},
        },
        vision_config={"depth": 2, "embed_dim": 32, "hidden_size": 32, "num_heads": 4, "mlp_ratio": 2, "patch_size": 14},
        image_token_id=ids["<|image_pad|>"], video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"], vision_end_token_id=ids["<|vision_end|>"],
    )  # fmt: skip
    network = Qwen2VLForConditionalGeneration(config)
    # As they are made, random weights answer the same whatever they are shown.
    with torch.no_grad():
        for weights in network.parameters():
            weights.mul_(4.0)
    network.save_pretrained(folder)
    processor = {
        "image_processor_type": "Qwen2VLImageProcessor", "processor_class": "Qwen2VLProcessor", "patch_size": 14,
        "temporal_patch_size": 2, "merge_size": 2, "size": {"shortest_edge": 56 * 56, "longest_edge": 28 * 28 * 16},
    }  # fmt: skip
    (folder / "preprocessor_config.json").write_text(json.dumps(processor))
    return folder


def write_llama(folder: Path, *, seed: int = 0, template: bool = True) -> Path:
    """A Llama with 2 layers, which sees nothing."""
    import torch

    import_torchvision()
    from transformers import LlamaConfig, LlamaForCausalLM

    folder.mkdir(parents=True)
    ids = write_tokenizer(folder, template=TEMPLATE if template else None)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=256 + len(SPECIAL), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=2048, bos_token_id=ids["<|endoftext|>"],
        eos_token_id=ids["<|im_end|>"], pad_token_id=ids["<|endoftext|>"],
    )  # fmt: skip
    network = LlamaForCausalLM(config)
    with torch.no_grad():
        for weights in network.parameters():
            weights.mul_(4.0)
    network.save_pretrained(folder)
    return folder


def write_gguf(path: Path, *, seed: int = 0) -> Path:
    """A Llama with 2 layers as a GGUF file of 32-bit numbers."""
    import numpy as np
    from gguf import GGUFWriter
    from tokenizers import pre_tokenizers

    path.parent.mkdir(parents=True, exist_ok=True)
    # A file without any merge of two tokens is taken for one of another kind.
    tokens = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "er", *SPECIAL]
    width, inner, heads, shared, layers = 32, 64, 4, 2, 2
    writer = GGUFWriter(path, "llama")
    writer.add_context_length(4096)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(shared)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_merges(["e r"])
    for add, token in (
        (writer.add_bos_token_id, "<|endoftext|>"), (writer.add_pad_token_id, "<|endoftext|>"),
        (writer.add_eos_token_id, "<|im_end|>"),
    ):  # fmt: skip
        add(tokens.index(token))
    writer.add_chat_template(TEMPLATE)
    generator = np.random.default_rng(seed)
    narrow = width * shared // heads
    shapes = {"token_embd": (len(tokens), width), "output_norm": (width,), "output": (len(tokens), width)}
    for layer in range(layers):
        own = {
            "attn_norm": (width,), "attn_q": (width, width), "attn_k": (narrow, width), "attn_v": (narrow, width),
            "attn_output": (width, width), "ffn_norm": (width,), "ffn_gate": (inner, width), "ffn_up": (inner, width),
            "ffn_down": (width, inner),
        }  # fmt: skip
        shapes |= {f"blk.{layer}.{name}": shape for name, shape in own.items()}
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", generator.normal(0, 0.3, shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
