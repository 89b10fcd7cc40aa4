"""`anthropic/NAME`: Anthropic's messages, through its own package (extra `providers`).

The key comes from ANTHROPIC_API_KEY, the address from --base-url or ANTHROPIC_BASE_URL. The package's own retries are
off: the engine tries again, and counts it. The endpoint has no seed; one that is asked for is not sent.

Newer models reason adaptively, by an effort; older ones take a budget. `GET /v1/models/NAME` names the ways that a
model takes.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tolman.extras import needs
from tolman.messages import Part, Picture, Sampling
from tolman.models import endpoint, thinking
from tolman.models.batching.providers import AnthropicBatches
from tolman.models.dialects import merged
from tolman.models.model import CallError, ModelOptions, Request
from tolman.responses import Response, Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


DEFAULT_URL = "https://api.anthropic.com"
KEYS = ("ANTHROPIC_API_KEY",)
"""Environment variables of the key, the first that is set."""
MAX_TOKENS = 4096
"""Length of an answer that is sent where neither preset nor user says one: the endpoint wants a number."""
HINTS = {
    401: "is the key in ANTHROPIC_API_KEY right?",
    403: "is the key in ANTHROPIC_API_KEY allowed to use this model?",
    404: "does the endpoint serve a model of this name?",
}
"""Status → what the user may look at."""
LOOK_SECONDS = 3.0
"""The longest that the endpoint's word about the model is waited for."""


class Anthropic(endpoint.EndpointModel):
    """One model of Anthropic's.

    Args:
        name: the model's, as the endpoint knows it.
        options: address, key, further fields of the body, limits.
    """

    family = "anthropic"
    default_url = DEFAULT_URL
    url_variable = "ANTHROPIC_BASE_URL"
    key_variables = KEYS

    def __init__(self, name: str, options: ModelOptions) -> None:
        with needs("providers", f"anthropic/{name}"):
            import anthropic  # noqa: F401
        super().__init__(name, options)
        self._client: AsyncAnthropic | None = None
        self._can: Capabilities | None = None

    async def answer(self, request: Request) -> Response:
        """One message.

        Raises:
            CallError: no text came; its sentence names the endpoint and the reason.
        """
        import anthropic

        endpoint.refuse_videos(self.name, request)
        if self._can is None and request.sampling.thinking is not None:
            self._can = await self._look()
        started = time.monotonic()
        try:
            body, notes = await asyncio.to_thread(self._encode, request)
        except OSError as error:
            raise endpoint.unreadable(error) from None
        named = {name: body.pop(name) for name in ("model", "messages", "max_tokens")}
        try:
            # The package's own limit is for each read; a body that trickles would never end.
            async with asyncio.timeout(self._timeout):
                reply = await self._open().messages.with_raw_response.create(**named, extra_body=body)
                content = reply.http_response.text
                self.pacer.heard(reply.headers)
        except (anthropic.APITimeoutError, TimeoutError):
            raise endpoint.timed_out(self._url, self._timeout) from None
        except anthropic.APIConnectionError as error:
            raise endpoint.unreachable(self._url, error.__cause__ or error) from None
        except anthropic.APIStatusError as error:
            raise self._refusal(error) from None
        return self._response(request, content, notes, time.monotonic() - started)

    def batches(self) -> AnthropicBatches:
        """Anthropic's message batches."""
        return AnthropicBatches(self._url, self._open(), self._refusal)

    def body_of(self, request: Request) -> tuple[dict[str, Any], list[str]]:
        """Return a request's body, and notes on its differences from the request. Reads the pictures.

        Raises:
            OSError: a picture can't be read.
            CallError: it shows a video.
        """
        endpoint.refuse_videos(self.name, request)
        return self._encode(request)

    def read(self, request: Request, status: int, content: str, notes: Sequence[str]) -> Response:
        """The response that a batch's result holds.

        Raises:
            CallError: it holds none.
        """
        if status != 200:
            raise endpoint.refusal(self._url, status, content.encode(), hints=HINTS)
        return self._response(request, content, notes, None)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()

    def _open(self) -> AsyncAnthropic:
        if self._client is None:
            from anthropic import AsyncAnthropic

            self._client = AsyncAnthropic(
                api_key=self._key or "none", base_url=self._url, timeout=self._timeout, max_retries=0
            )
        return self._client

    async def _look(self) -> Capabilities:
        """Ask the endpoint for the model's capabilities."""
        import anthropic

        try:
            reply = await self._open().models.with_raw_response.retrieve(self._model, timeout=LOOK_SECONDS)
            return read_capabilities(json.loads(reply.http_response.text))
        except (anthropic.AnthropicError, ValueError, RecursionError):
            return Capabilities()

    def _encode(self, request: Request) -> tuple[dict[str, Any], list[str]]:
        """Return the request's body, and notes on its differences from the request."""
        sampling, messages = request.sampling, endpoint.spoken(request.messages)
        system = "\n".join(message.text for message in messages if message.role == "system")
        told, notes = fields_of(sampling, sampling.max_tokens or MAX_TOKENS, self._can or Capabilities())
        usual = {
            "model": self._model,
            "system": system or None,
            "messages": [
                {"role": message.role, "content": [_part(part) for part in message.parts]}
                for message in messages
                if message.role != "system"
            ],
            **told,
        }
        fields = merged(usual, self._body)
        return fields | {"max_tokens": fields.get("max_tokens", MAX_TOKENS)}, notes

    def _refusal(self, error: Any) -> CallError:
        reply = error.response
        self.pacer.heard(reply.headers)
        return endpoint.refusal(self._url, error.status_code, reply.content, headers=reply.headers, hints=HINTS)

    def _response(self, request: Request, content: str, notes: Sequence[str], seconds: float | None) -> Response:
        try:
            reply = json.loads(content)
            blocks = reply["content"]
            text = "".join(block["text"] for block in blocks if block["type"] == "text")
            thinking = "".join(block["thinking"] for block in blocks if block["type"] == "thinking")
            reason = reply.get("stop_reason")
            unknown = [block["type"] for block in blocks if not _is_known(block["type"])]
            if unknown:
                raise endpoint.unknown_part(self._url, unknown[0])
            usage = reply.get("usage") or {}
            inputs = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
            return Response(
                id=request.item.id,
                response=text,
                repeat=request.repeat,
                reasoning=thinking or None,
                finish_reason=reason,
                usage=Usage(
                    input_tokens=sum(endpoint.count(usage.get(name)) for name in inputs),
                    output_tokens=endpoint.count(usage.get("output_tokens")),
                    reasoning_tokens=endpoint.count((usage.get("output_tokens_details") or {}).get("thinking_tokens")),
                    cached_tokens=endpoint.count(usage.get("cache_read_input_tokens")),
                ),
                seconds=None if seconds is None else round(seconds, 4),
                notes=dict.fromkeys(notes, 1),
                served=endpoint.served_by(reply, self._model),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise endpoint.malformed(self._url, "message", error, content) from None


def _is_known(kind: str) -> bool:
    """Check whether a content block is text, or of a type that holds no part of an answer."""
    return kind in ("text", "thinking", "redacted_thinking") or kind.endswith(("tool_use", "tool_result"))


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Picture):
        source = {"type": "base64", "media_type": "image/jpeg", "data": endpoint.jpeg_base64(part)}
        return {"type": "image", "source": source}
    return {"type": "text", "text": part}


def create(name: str, options: ModelOptions) -> Anthropic:
    """The model of that name."""
    return Anthropic(name, options)


MIN_BUDGET = 1024
"""Least tokens of reasoning that the endpoint takes."""
MIN_TOP_P = 0.95
"""Least `top_p` that the endpoint takes beside reasoning."""


@dataclass(frozen=True)
class Capabilities:
    """Ways of reasoning that a model takes.

    Attributes:
        adaptive: reasoning by effort.
        enabled: reasoning with a budget.
    """

    adaptive: bool = True
    enabled: bool = True


def read_capabilities(record: object) -> Capabilities:
    """Read a model's capabilities from the endpoint's reply; both ways where it doesn't say."""
    try:
        types = record["capabilities"]["thinking"]["types"]  # type: ignore[index]
        found = Capabilities(*(bool(types[name]["supported"]) for name in ("adaptive", "enabled")))
    except (KeyError, TypeError):
        return Capabilities()
    return found


def fields_of(sampling: Sampling, most: int, can: Capabilities) -> tuple[dict[str, Any], list[str]]:
    """Return the fields of a request for the length of a reply, the amount of reasoning, and sampling.

    Args:
        sampling: as it was asked for.
        most: tokens of the answer.
        can: the model's capabilities.

    Returns:
        The fields, and notes on their differences from the user's settings.
    """
    asked = sampling.thinking
    # All of the distribution is what comes without it, and newer models refuse it beside a temperature.
    top_p = None if sampling.top_p == 1.0 else sampling.top_p
    drawing = {"temperature": sampling.temperature, "top_p": top_p, "top_k": sampling.top_k}
    if asked is None or asked.wanted is None:
        return {"max_tokens": most, **drawing}, []
    if asked.wanted is False:
        return {"max_tokens": most, **drawing, "thinking": {"type": "disabled"}}, []
    notes = []
    for name, value in drawing.items():
        taken = {"temperature": value == 1.0, "top_p": (value or 0.0) >= MIN_TOP_P}.get(name, False)
        if value is not None and not taken:
            drawing[name] = None
            notes.append(thinking.not_sent(name))
    tokens = thinking.room(asked)
    told: dict[str, Any] = {"thinking": {"type": "adaptive"}}
    if can.enabled and (asked.budget or not can.adaptive):
        tokens = max(MIN_BUDGET, tokens)
        told = {"thinking": {"type": "enabled", "budget_tokens": tokens}}
        if asked.budget != tokens:
            notes.append(thinking.as_budget(None if asked.budget else asked.effort, tokens))
        if asked.budget and asked.effort:
            notes.append(f"effort '{asked.effort}' not sent together with the reasoning budget")
    elif asked.effort:
        told["output_config"] = {"effort": asked.effort}
    if asked.budget and not can.enabled:
        notes.append(thinking.within_limit(asked.budget))
    return {"max_tokens": most + tokens, **drawing, **told}, notes
