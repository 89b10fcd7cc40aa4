"""What a network's own processor makes of requests, called without any server.

    python direct.py NETWORK < requests.json

Requests are those of OpenAI's chat completions. Prints a list of numbers: the tokens of each.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from decoding import by_pillow_and_pyav


def tokens(processor: Any, body: dict[str, Any]) -> int:
    """How many tokens a request's prompt has."""
    messages = [
        {"role": message["role"], "content": [part_of(part) for part in parts_of(message["content"])]}
        for message in body["messages"]
    ]
    made = processor.apply_chat_template(
        messages, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt",
        **body.get("chat_template_kwargs", {}),
    )  # fmt: skip
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
