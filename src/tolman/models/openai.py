"""`openai/NAME`: every endpoint that speaks OpenAI's chat completions (OpenAI, vLLM, SGLang, llama.cpp, Ollama …).

The key comes from OPENAI_API_KEY, the address from --base-url or OPENAI_BASE_URL. Pictures are sent as JPEG data URLs
and are read from the store only when their request is about to be sent.
"""

from __future__ import annotations

import asyncio
import io
import json
import time
from collections.abc import Mapping
from typing import Any

import aiohttp

from tolman.messages import Message, Part, Picture
from tolman.models import endpoint
from tolman.models.base import CallError, ModelOptions, Request
from tolman.responses import FailureKind, Response, Usage

DEFAULT_URL = "https://api.openai.com/v1"
KEYS = ("OPENAI_API_KEY",)
"""Environment variables of the key, the first that is set."""


class OpenAICompatible(endpoint.EndpointModel):
    """One model behind one endpoint.

    Args:
        name: the model's, as the endpoint knows it.
        options: address, key, further fields of the body, limits.
    """

    family = "openai"
    default_url = DEFAULT_URL
    url_variable = "OPENAI_BASE_URL"
    key_variables = KEYS
    tells_weights = True

    def __init__(self, name: str, options: ModelOptions) -> None:
        super().__init__(name, options)
        key = self._key
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        self._session: aiohttp.ClientSession | None = None

    async def answer(self, request: Request) -> Response:
        """One chat completion.

        Raises:
            CallError: no text came; its sentence names the endpoint and the reason.
        """
        endpoint.refuse_videos(self.name, request)
        started = time.monotonic()
        heavy = endpoint.holds_pictures(request)
        try:
            body = await asyncio.to_thread(self._encode, request) if heavy else self._encode(request)
        except OSError as error:
            raise endpoint.unreadable(error) from None
        try:
            async with self._open().post(f"{self._url}/chat/completions", data=io.BytesIO(body)) as reply:
                content = await reply.read()
                status, headers = reply.status, reply.headers
                self.pacer.heard(headers)
        except TimeoutError:
            raise endpoint.timed_out(self._url, self._timeout) from None
        except aiohttp.ClientError as error:
            raise endpoint.unreachable(self._url, error) from None
        if status != 200:
            hints = {
                401: "is the key in OPENAI_API_KEY right?",
                403: "is the key in OPENAI_API_KEY allowed to use this model?",
                404: f"does the endpoint serve '{self._model}', and does its address end with /v1?",
            }
            raise endpoint.refusal(self._url, status, content, headers=headers, hints=hints)
        return self._response(request, content, time.monotonic() - started)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self.concurrency),
                headers=self._headers,
                timeout=aiohttp.ClientTimeout(total=self._timeout),
            )
        return self._session

    def _encode(self, request: Request) -> bytes:
        """The request's body."""
        sampling = request.sampling
        usual = {
            "model": self._model,
            "messages": [{"role": message.role, "content": _content(message)} for message in request.messages],
            **sampling.model_dump(exclude_none=True, exclude={"thinking"}),
        }
        fields = {key: value for key, value in (usual | self._body).items() if value is not None}
        return json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace")

    def _response(self, request: Request, content: bytes, seconds: float) -> Response:
        try:
            reply = json.loads(content)
            choice = reply["choices"][0]
            # Some endpoints report a dead provider inside an answer of status 200.
            error = reply.get("error") or choice.get("error")
            if error or choice.get("finish_reason") == "error":
                sentence = f"{self._url} answered with an error: {endpoint.error_text(json.dumps(error).encode())}"
                raise CallError(FailureKind.SERVER, sentence, retry=True)
            message = choice["message"]
            text, thought = self._text(message)
            if not text.strip() and (message.get("tool_calls") or message.get("function_call")):
                raise endpoint.called_a_tool(self._url)
            other = next((name for name in _OTHER_CONTENT if message.get(name)), None)
            if not text.strip() and other:
                raise endpoint.unknown_part(self._url, other)
            usage = reply.get("usage") or {}
            return Response(
                id=request.item.id,
                response=text,
                repeat=request.repeat,
                reasoning=next((found for name in _REASONING if (found := message.get(name))), thought) or None,
                finish_reason=choice.get("finish_reason"),
                usage=Usage(
                    input_tokens=endpoint.count(usage.get("prompt_tokens")),
                    output_tokens=endpoint.count(usage.get("completion_tokens")),
                ),
                seconds=round(seconds, 4),
                served=endpoint.served_by(reply, self._model),
            )
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
            text = content[: endpoint.EXCERPT].decode("utf-8", "replace")
            raise endpoint.malformed(self._url, "chat completion", error, text) from None

    def _text(self, message: Mapping[str, Any]) -> tuple[str, str]:
        """The text and the reasoning in the content of an assistant's message: a string, a list of parts, or none where
        the model said nothing."""
        content = message.get("content")
        if content is None:
            return str(message.get("refusal") or ""), ""
        if isinstance(content, str):
            return content, ""
        if not isinstance(content, list):
            raise TypeError("content is no text")
        texts, thoughts = [], []
        for part in content:
            kind = part.get("type")
            if kind in _TEXTS:
                texts.append(part["text"])
            elif kind == "refusal":
                texts.append(part["refusal"])
            elif kind in _THOUGHTS:
                thoughts.append(_thought(part))
            else:
                raise endpoint.unknown_part(self._url, kind)
        return "".join(texts), "".join(thoughts)


def _content(message: Message) -> str | list[dict[str, Any]]:
    """A turn's content: plain text alone stays a string, which every endpoint takes."""
    if len(message.parts) == 1 and isinstance(message.parts[0], str):
        return message.parts[0]
    return [_part(part) for part in message.parts]


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Picture):
        return {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{endpoint.jpeg_base64(part)}"}}
    return {"type": "text", "text": part}


_OTHER_CONTENT = ("audio", "images", "image", "video")
"""Fields of a message that may hold what was said where there is no text."""
_TEXTS = (None, "text", "output_text")
_REASONING = ("reasoning_content", "reasoning", "thinking")
"""Fields of a message with the model's reasoning, by endpoint."""
_THOUGHTS = ("thinking", "reasoning", "reasoning_text", "redacted_thinking")


def _thought(part: Mapping[str, Any]) -> str:
    """Text of a part of a reasoning type: a text, or a list of such parts (Mistral)."""
    held = part.get("thinking") or part.get("reasoning") or part.get("text") or ""
    return held if isinstance(held, str) else "".join(str(one.get("text") or "") for one in held)


def create(name: str, options: ModelOptions) -> OpenAICompatible:
    """The model of that name at the endpoint."""
    return OpenAICompatible(name, options)
