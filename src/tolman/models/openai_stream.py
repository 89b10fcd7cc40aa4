"""A streamed chat completion put together: server-sent events become the reply that would have come at once.

Source: OpenAI's form of `data:` lines, with the fields of vLLM (`delta.reasoning`) and of SGLang, llama.cpp and
DashScope (`delta.reasoning_content`); lines that begin with a colon keep the connection alive and say nothing.
"""

from __future__ import annotations

import json
from typing import Any

TEXTS = ("content", "reasoning", "reasoning_content", "refusal")
"""Fields of a delta that hold a piece of text."""
BESIDE = ("native_finish_reason", "provider_specific_fields")
"""Fields beside a finish reason in which gateways say more of it."""


class BrokenStreamError(ValueError):
    """A stream that ended before the answer did."""


def is_stream(content_type: str) -> bool:
    """Whether a reply of that Content-Type is one."""
    return content_type.partition(";")[0].strip().lower() == "text/event-stream"


def put_together(content: bytes) -> bytes:
    """The reply as JSON, as it comes without streaming.

    Args:
        content: the whole stream.

    Raises:
        BrokenStreamError: it has no end.
        ValueError: it is no stream of chat completions.
    """
    message: dict[str, Any] = {"role": "assistant", "content": None}
    reply: dict[str, Any] = {}
    ending: dict[str, Any] = {"finish_reason": None}
    done = False
    for event in _events(content.decode("utf-8", "replace")):
        if event == "[DONE]":
            done = True
            break
        chunk = json.loads(event)
        reply |= {
            name: value for name, value in chunk.items() if name not in ("choices", "object") and value is not None
        }
        for choice in (chunk.get("choices") or [])[:1]:
            _add(message, choice.get("delta") or {})
            ending |= {name: choice[name] for name in ("finish_reason", *BESIDE) if choice.get(name)}
            reply |= {"error": choice["error"]} if choice.get("error") else {}
    if not done and ending["finish_reason"] is None and "error" not in reply:
        raise BrokenStreamError("the stream ended before the answer")
    whole = reply | {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, **ending}],
    }
    return json.dumps(whole).encode()


def _events(text: str) -> list[str]:
    """The data of each event; an event may have several lines of it."""
    found, held = [], list[str]()
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if line.startswith("data:"):
            held.append(line.removeprefix("data:").removeprefix(" "))
        elif not line and held:
            found.append("\n".join(held))
            held = []
    return found


def _add(message: dict[str, Any], delta: dict[str, Any]) -> None:
    """Put a piece behind what came before it."""
    for name, piece in delta.items():
        if name in TEXTS and isinstance(piece, str):
            message[name] = (message.get(name) or "") + piece
        elif isinstance(piece, list):
            message[name] = [*(message.get(name) or []), *piece]
        elif piece is not None and name != "role":
            message[name] = piece
