"""How many frames and tokens a second a local network takes in, with random weights of a real size.

    python benchmarks/hf_video.py --family qwen2_5_vl --size 3b --frames 8,32 --batch-size 1,4
    python benchmarks/hf_video.py --size tiny --device cpu --frames 8

A whole call is one batch as a run makes it: frames of 640×480 are read and prepared, and up to `--tokens` tokens are
written. Prepared: JPEGs to tensors, alone. A video beside separate pictures of the same frames. Medians of `--rounds`
calls after one that isn't counted. Prints a Markdown table. Weights are drawn and the vocabulary is one of bytes, so
answers mean nothing; time and memory are those of a trained network of this shape without its embedding of tokens.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tolman.items import Item
from tolman.messages import Clip, Message, Picture, Sampling
from tolman.models.hf_inputs import MediaOptions
from tolman.models.hf_network import Network
from tolman.models.hf_weights import find, place
from tolman.models.model import Request
from tolman.responses import Response

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from video_networks import FAMILIES, write_network

LANGUAGE = {
    "3b": {"hidden_size": 2048, "intermediate_size": 11008, "num_hidden_layers": 36, "num_attention_heads": 16},
    "7b": {"hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28},
}
"""Language models of Qwen2.5-VL's checkpoints, by their parameters."""
KEY_VALUE_HEADS = {"3b": 2, "7b": 4}
VISION = {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16}
VISION_WHOLE_LAYERS = [7, 15, 23, 31]
MROPE = [16, 24, 24]
SECONDS = 60


def main() -> None:
    """Write the network, time it, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", choices=FAMILIES, default="qwen2_5_vl")
    parser.add_argument("--size", choices=("tiny", *LANGUAGE), default="tiny", help="3b and 7b are Qwen2.5-VL's")
    parser.add_argument("--frames", type=numbers, default=[8, 32])
    parser.add_argument("--batch-size", type=numbers, default=[1])
    parser.add_argument("--tokens", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device")
    parser.add_argument("--dtype")
    asked = parser.parse_args()
    if asked.size != "tiny" and asked.family != "qwen2_5_vl":
        parser.error("sizes other than tiny are those of qwen2_5_vl")
    device, dtype = place(asked.device, asked.dtype or (None if asked.size == "tiny" else "bfloat16"))
    with tempfile.TemporaryDirectory() as folder:
        path = write_network(Path(folder) / asked.family, asked.family)
        if asked.size != "tiny":
            enlarge(path, asked.size)
        network = Network(asked.family, find(str(path)), device, dtype, {}, MediaOptions(), 0)
        pictures = write_frames(Path(folder), max(asked.frames))
        print(f"{asked.family}, {asked.size}, {device_name(device)}, {dtype}, {asked.tokens} tokens written\n")
        print(
            "| shown as | frames | batch | tokens in | prepared, s | whole call, s | frames/s | tokens/s | memory, GB |"
        )
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
        for count in asked.frames:
            for batch in asked.batch_size:
                for form in ("video", "pictures"):
                    print(row(network, form, pictures[:count], batch, asked), flush=True)


def numbers(text: str) -> list[int]:
    """Numbers with commas between."""
    return [int(part) for part in text.split(",")]


def row(network: Network, form: str, pictures: Sequence[Picture], batch: int, asked: Any) -> str:
    """One line of the table."""
    import torch

    shown = (clip(pictures),) if form == "video" else tuple(pictures)
    item = Item(id="q", question="?", kind="number", answer="1", unit="count", task="object_counting")
    sampling = Sampling(max_tokens=asked.tokens)
    requests = [Request(item, (Message(parts=(*shown, f"How many chairs, {i}?")),), sampling) for i in range(batch)]
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.reset_peak_memory_stats()
    prepared, whole, tokens = [], [], 0
    for number in range(asked.rounds + 1):
        started = time.perf_counter()
        network._inputs(requests)
        between = time.perf_counter()
        found = network.answer(requests)
        ended = time.perf_counter()
        answers = [response for response in found if isinstance(response, Response)]
        if len(answers) < batch:
            why = next(response for response in found if not isinstance(response, Response))
            return f"| {form} | {len(pictures)} | {batch} | | | {why} | | | |"
        tokens = sum(response.usage.input_tokens + response.usage.output_tokens for response in answers)
        if number:
            prepared.append(between - started)
            whole.append(ended - between)
    seconds = statistics.median(whole)
    memory = f"{torch.cuda.max_memory_allocated() / 1e9:.1f}" if cuda else "–"
    read = answers[0].usage.input_tokens
    return (
        f"| {form} | {len(pictures)} | {batch} | {read:,} | {statistics.median(prepared):.2f} | {seconds:.2f} "
        f"| {batch * len(pictures) / seconds:.1f} | {tokens / seconds:,.0f} | {memory} |"
    )


def clip(pictures: Sequence[Picture]) -> Clip:
    """Frames from the first to the last of a minute at 30 frames a second."""
    ticks = tuple(int(tick) for tick in np.linspace(0, 30 * SECONDS - 1, len(pictures)))
    return Clip(frames=tuple(pictures), fps=30.0, ticks=ticks, total=30 * SECONDS)


def write_frames(folder: Path, count: int) -> list[Picture]:
    """Unlike frames of 640×480."""
    random = np.random.default_rng(0)
    found = []
    for number in range(count):
        pixels = np.kron(random.integers(0, 255, (24, 32, 3), dtype=np.uint8), np.ones((20, 20, 1), np.uint8))
        path = folder / f"{number}.jpg"
        Image.fromarray(pixels).save(path, quality=85)
        found.append(Picture(path=str(path), sha256=str(number)))
    return found


def enlarge(path: Path, size: str) -> None:
    """Give a network the shape of a released checkpoint, with weights of its own."""
    import torch
    from transformers import AutoConfig, Qwen2_5_VLForConditionalGeneration

    config = AutoConfig.from_pretrained(path)
    for part, shape in ((config.text_config, LANGUAGE[size]), (config.vision_config, VISION)):
        for name, value in shape.items():
            setattr(part, name, value)
    config.text_config.num_key_value_heads = KEY_VALUE_HEADS[size]
    config.text_config.max_position_embeddings = 128_000
    config.text_config.layer_types = ["full_attention"] * config.text_config.num_hidden_layers
    config.text_config.rope_parameters = {**config.text_config.rope_parameters, "mrope_section": MROPE}
    config.vision_config.out_hidden_size = config.text_config.hidden_size
    config.vision_config.fullatt_block_indexes = VISION_WHOLE_LAYERS
    with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
        torch.set_default_dtype(torch.bfloat16)
        network = Qwen2_5_VLForConditionalGeneration(config)
        torch.set_default_dtype(torch.float32)
    network.save_pretrained(path)


def device_name(device: str) -> str:
    """The device in words."""
    import torch

    return torch.cuda.get_device_name() if device.startswith("cuda") else f"{device}, {torch.get_num_threads()} threads"


if __name__ == "__main__":
    main()
