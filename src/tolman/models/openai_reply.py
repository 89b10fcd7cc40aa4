"""A chat completion as endpoints of all dialects send it: text, reasoning, tokens, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tolman.models import endpoint, thinking
from tolman.models.base import CallError, Request
from tolman.responses import FailureKind, Response, Usage
from tolman.scoring.endings import ending_named

REASONING_FIELDS = ("reasoning", "reasoning_content", "thinking")
"""Fields of a message with the model's reasoning, by endpoint: vLLM and OpenRouter; SGLang, llama.cpp and DashScope;
others. vLLM's replies always have its field, which is null without a reasoning parser."""
TEXT_PARTS = (None, "text", "output_text")
THOUGHT_PARTS = ("thinking", "reasoning", "reasoning_text", "summary_text", "redacted_thinking")
OTHER_CONTENT = ("audio", "images", "image", "video")
"""Fields of a message that may hold what was said where there is no text."""
BROKEN_OFF = ("error", "abort")
"""Finish reasons of an answer that the endpoint gave up, which says nothing of the model."""

NATIVE_REASON = "native_finish_reason"
"""Field in which gateways keep the finish reason of the server behind them."""


@dataclass(frozen=True)
class ReplyForm:
    """What is known of a reply before it is read.

    Attributes:
        url: of the endpoint, for errors.
        model: its name in the request.
        reasons: whether the model was told to reason.
        marked: whether its reasoning never stands unmarked in the text.
        notes: on what was sent.
    """

    url: str
    model: str
    reasons: bool = False
    marked: bool = True
    notes: tuple[str, ...] = ()


def read_reply(request: Request, content: bytes, form: ReplyForm, seconds: float | None) -> Response:
    """The response that a body of status 200 holds.

    Args:
        request: what was asked.
        content: the body.
        form: what is known of it.
        seconds: how long the call took; None where that says nothing.

    Raises:
        CallError: it holds an error, a call of a tool, content of an unknown type, or is no chat completion.
    """
    try:
        reply = json.loads(content)
        choice = reply["choices"][0]
        reason = _reason(choice)
        # Some endpoints report a dead provider inside an answer of status 200.
        error = reply.get("error") or choice.get("error")
        if error or str(reason).lower() in BROKEN_OFF:
            told = endpoint.error_text(json.dumps(error).encode()) if error else f"finish reason '{reason}'"
            raise CallError(FailureKind.SERVER, f"{form.url} answered with an error: {told}", retry=True)
        message = choice["message"]
        text, thought, refused = _text(message, form.url)
        if not text.strip() and (message.get("tool_calls") or message.get("function_call")):
            raise endpoint.called_a_tool(form.url)
        other = next((name for name in OTHER_CONTENT if message.get(name)), None)
        if not text.strip() and other:
            raise endpoint.unknown_part(form.url, other)
        usage = reply.get("usage") or {}
        notes = dict.fromkeys(form.notes, 1)
        reasoning = _reasoning(message) or thought
        if not reasoning:
            text, reasoning, note = _apart(text, usage, str(reason or ""), form)
            notes |= {note: 1} if note else {}
        return Response(
            id=request.item.id,
            response=text,
            repeat=request.repeat,
            reasoning=reasoning or None,
            finish_reason="refusal" if refused else reason,
            usage=usage_of(usage),
            seconds=None if seconds is None else round(seconds, 4),
            notes=notes,
            served=endpoint.served_by(reply, form.model),
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        excerpt = content[: endpoint.EXCERPT].decode("utf-8", "replace")
        raise endpoint.malformed(form.url, "chat completion", error, excerpt) from None


def _reason(choice: Mapping[str, Any]) -> str | None:
    """Why an answer ended. Gateways say 'stop' also of endings that they have no word for, such as an answer that its
    server gave up, and keep the server's own word beside it: LiteLLM's wherever it is another, and OpenRouter's always,
    of which only those count here that mean more than that the model was done."""
    told: str | None = choice.get("finish_reason")
    if told != "stop":
        return told
    own = (choice.get("provider_specific_fields") or {}).get(NATIVE_REASON)
    if own is None:
        native = str(choice.get(NATIVE_REASON) or "")
        own = native if native.lower() in BROKEN_OFF or ending_named(native.lower()) else None
    return told if own is None else str(own)


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """The tokens of a call, in whichever dialect they are counted."""
    read, written = (usage.get(f"{kind}_tokens_details") or {} for kind in ("prompt", "completion"))
    media = read.get("multimodal_tokens") or {}
    output = endpoint.count(usage.get("completion_tokens"))
    reasoning = endpoint.count(written.get("reasoning_tokens", usage.get("reasoning_tokens")))
    return Usage(
        input_tokens=endpoint.count(usage.get("prompt_tokens")),
        # Some endpoints count the answer alone.
        output_tokens=output if reasoning <= output else output + reasoning,
        reasoning_tokens=reasoning,
        cached_tokens=endpoint.count(read.get("cached_tokens", usage.get("prompt_cache_hit_tokens"))),
        media_tokens=sum(endpoint.count(count) for count in media.values())
        or sum(endpoint.count(read.get(name, usage.get(name))) for name in _MEDIA),
    )


_MEDIA = ("image_tokens", "video_tokens", "audio_tokens")


def _text(message: Mapping[str, Any], url: str) -> tuple[str, str, bool]:
    """The text and the reasoning in the content of an assistant's message, and whether the model refused: the content
    is a string, a list of parts, or none where the model said nothing."""
    content, refusal = message.get("content"), str(message.get("refusal") or "")
    if content is None:
        return refusal, "", bool(refusal)
    if isinstance(content, str):
        return content or refusal, "", bool(refusal and not content)
    if not isinstance(content, list):
        raise TypeError("content is no text")
    texts, thoughts, refusals = [], [], []
    for part in content:
        kind = part.get("type")
        if kind in TEXT_PARTS:
            texts.append(_words(part["text"]))
        elif kind == "refusal":
            refusals.append(part["refusal"])
        elif kind in THOUGHT_PARTS:
            thoughts.append(_thought(part))
        else:
            raise endpoint.unknown_part(url, kind)
    return "".join([*texts, *refusals]), "".join(thoughts), bool(refusals)


def _words(text: Any) -> str:
    """A part's text: a string, or an object that holds one."""
    return str(text["value"]) if isinstance(text, dict) else text


def _reasoning(message: Mapping[str, Any]) -> str:
    """Reasoning in a field of its own; one field at most, as some endpoints send the same in two."""
    for name in REASONING_FIELDS:
        found = message.get(name)
        if isinstance(found, str) and found:
            return found
    details = message.get("reasoning_details") or []
    return "".join(str(one.get("text") or one.get("summary") or "") for one in details if isinstance(one, dict))


def _apart(text: str, usage: Mapping[str, Any], reason: str, form: ReplyForm) -> tuple[str, str, str]:
    """Text and reasoning where both came as text, with a note where they were taken apart."""
    told = {**usage, **(usage.get("completion_tokens_details") or {})}
    reasons = form.reasons and not form.marked and "reasoning_tokens" not in told
    return thinking.apart(text, reasons=reasons, is_cut=ending_named(reason) == "cut off")


def _thought(part: Mapping[str, Any]) -> str:
    """Text of a part of a reasoning type: a text, or a list of such parts (Mistral)."""
    held = part.get("thinking") or part.get("reasoning") or part.get("text") or ""
    return held if isinstance(held, str) else "".join(str(one.get("text") or "") for one in held)


def refused_field(content: bytes) -> str | None:
    """The field that a body of status 400 says the model doesn't take; None where it says something else."""
    try:
        error = json.loads(content)["error"]
        unsupported = error.get("code") in ("unsupported_parameter", "unsupported_value")
        return str(error["param"]) if unsupported else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
