"""What a network's own processor makes of requests, called without any server.

    python direct.py NETWORK < requests.json

Requests are those of OpenAI's chat completions. Prints a list of numbers: the tokens of each.
"""

from __future__ import annotations

import base64
import io
import json
import sys
from typing import Any

import numpy as np
from decoding import by_pillow_and_pyav
from PIL import Image


def tokens(processor: Any, body: dict[str, Any]) -> int:
    """How many tokens a request's prompt has."""
    messages = [
        {"role": message["role"], "content": [part_of(part) for part in parts_of(message["content"])]}
        for message in body["messages"]
    ]
    shown = [part["url"] for message in messages for part in message["content"] if part["type"] == "video"]
    if "video_metadata" in (settings := body.get("chat_template_kwargs", {})):
        return of_frames(processor, messages, shown, settings["video_metadata"])
    if "media_io_kwargs" in body:  # vLLM: one text of all frames
        times = {key: body["media_io_kwargs"]["video"][key] for key in TIMES}
        return of_frames(processor, messages, [url.split(",")[1:] for url in shown], [times] * len(shown))
    made = processor.apply_chat_template(
        messages, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt",
        **body.get("chat_template_kwargs", {}),
    )  # fmt: skip
    return int(made["input_ids"].shape[-1])


TIMES = ("fps", "frames_indices", "total_num_frames", "duration")


def of_frames(processor: Any, messages: Any, shown: list[list[str]], metadata: list[dict[str, Any]]) -> int:
    """How many tokens a prompt about sampled frames has: videos as arrays, with their times."""
    pictures = [[Image.open(io.BytesIO(base64.b64decode(url.rpartition(",")[2]))) for url in urls] for urls in shown]
    videos = [np.stack([np.asarray(picture.convert("RGB")) for picture in one]) for one in pictures]
    text = processor.apply_chat_template(messages, add_generation_prompt=True)
    made = processor(text=[text], videos=videos, video_metadata=metadata, do_sample_frames=False, return_tensors="pt")
    return int(made["input_ids"].shape[-1])


def parts_of(content: Any) -> list[dict[str, Any]]:
    """A turn's parts."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def part_of(part: dict[str, Any]) -> dict[str, Any]:
    """A part as processors take it."""
    if part["type"] == "text":
        return part
    return {"type": part["type"].removesuffix("_url"), "url": part[part["type"]]["url"]}


def run() -> None:
    """Read requests, and print what they become."""
    by_pillow_and_pyav()
    from transformers import AutoProcessor

    processor = AutoProcessor.from_pretrained(sys.argv[1])
    print(json.dumps([tokens(processor, body) for body in json.load(sys.stdin)]))


if __name__ == "__main__":
    run()
