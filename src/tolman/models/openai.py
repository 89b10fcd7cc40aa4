"""`openai/NAME`: every endpoint that speaks OpenAI's chat completions (OpenAI, vLLM, SGLang, llama.cpp, Ollama …).

The key comes from OPENAI_API_KEY, the address from --base-url or OPENAI_BASE_URL. Pictures are sent as JPEG data URLs
and are read from the store only when their request is about to be sent. How much the model is to reason is told in the
endpoint's own dialect (`dialects.py`), which is looked for where that is asked for.
"""

from __future__ import annotations

import asyncio
import io
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import aiohttp

from tolman.messages import Clip, Message, Part, Picture, Video
from tolman.models import endpoint, thinking
from tolman.models.base import CallError, ModelOptions, Request
from tolman.models.batching.openai import OpenAIBatches
from tolman.models.dialects import PLAIN, Dialect, by_host, fields_of, merged
from tolman.models.endpoint_videos import EndpointVideos
from tolman.models.look import find_dialect
from tolman.models.openai_reply import ReplyForm, read_reply, refused_field
from tolman.models.openai_stream import BrokenStreamError, is_stream, put_together
from tolman.models.video_parts import RequestVideos, holds_videos
from tolman.responses import Response

DEFAULT_URL = "https://api.openai.com/v1"
KEYS = ("OPENAI_API_KEY",)
"""Environment variables of the key, the first that is set."""
MAY_BE_LEFT_OUT = ("temperature", "top_p", "top_k", "seed", "max_tokens")
"""Settings that some models refuse: they are then left out, and the response says so. The limit goes under its newer
name."""


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
        self._dialect: Dialect | None = by_host(self._url)
        self._streaming = {"stream": True, "stream_options": {"include_usage": True}} if options.stream else {}
        self._refused: dict[str, None] = {}  # settings that the endpoint refused, in that order
        self._videos = EndpointVideos(self._url, name, options)
        self.takes_clips, self.takes_videos = self._videos.takes_clips, self._videos.takes_files
        self.settings = self._videos.within(self.settings)

    async def answer(self, request: Request) -> Response:
        """One chat completion.

        Raises:
            CallError: no text came; its sentence names the endpoint and the reason.
        """
        await self._videos.find_server(request, self._open())
        if self._dialect is None and request.sampling.thinking is not None:
            self._dialect = await find_dialect(self._open(), self._url)
        started = time.monotonic()
        while True:
            left_out = set(self._refused)
            status, content, headers, notes = await self._post(request)
            if status == 200:
                break
            refused = refused_field(content) if status == 400 else None
            known = refused in left_out or refused in self._body
            if refused is None or refused not in MAY_BE_LEFT_OUT or known:
                raise self._videos.told(self._refusal(request, status, content, headers), request, status)
            self._refused[refused] = None
        return read_reply(request, content, self._form(request, notes), time.monotonic() - started)

    def batches(self) -> OpenAIBatches:
        """The endpoint's batch interface."""
        return OpenAIBatches(self._url, self._headers)

    def read(self, request: Request, status: int, content: str, notes: Sequence[str]) -> Response:
        """The response that a batch's result holds.

        Raises:
            CallError: it holds none.
        """
        if status != 200:
            raise self._refusal(request, status, content.encode(), {})
        return read_reply(request, content.encode(), self._form(request, notes), None)

    def _form(self, request: Request, notes: Sequence[str]) -> ReplyForm:
        asked = request.sampling.thinking
        return ReplyForm(
            url=self._url,
            model=self._model,
            reasons=asked is not None and asked.wanted is True,
            marked=(self._dialect or PLAIN).marked,
            notes=tuple(notes),
        )

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

    async def _post(self, request: Request) -> tuple[int, bytes, Mapping[str, str], list[str]]:
        """Status, body and headers of a reply, with notes on what was sent.

        Raises:
            CallError: a picture can't be read, or no reply came.
        """
        heavy = endpoint.holds_pictures(request) or holds_videos(request.messages)
        try:
            body, notes = await asyncio.to_thread(self._encode, request) if heavy else self._encode(request)
        except OSError as error:
            raise endpoint.unreadable(error) from None
        try:
            async with self._open().post(f"{self._url}/chat/completions", data=io.BytesIO(body)) as reply:
                content = await reply.read()
                if reply.status == 200 and is_stream(reply.headers.get("Content-Type", "")):
                    content = self._whole(content)
                self.pacer.heard(reply.headers)
                return reply.status, content, reply.headers, notes
        except TimeoutError:
            raise endpoint.timed_out(self._url, self._timeout) from None
        except aiohttp.ClientError as error:
            raise endpoint.unreachable(self._url, error) from None

    def _whole(self, content: bytes) -> bytes:
        """A streamed reply as one; what is no stream of completions is left for its reader to tell.

        Raises:
            CallError: the stream broke off.
        """
        try:
            return put_together(content)
        except BrokenStreamError as error:
            raise endpoint.unreachable(self._url, error) from None
        except (ValueError, TypeError, AttributeError, RecursionError):
            return content

    def _encode(self, request: Request) -> tuple[bytes, list[str]]:
        fields, notes = self.body_of(request)
        return json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace"), notes

    def body_of(self, request: Request) -> tuple[dict[str, Any], list[str]]:
        """A request's body, and notes on what in it isn't as it was asked for. Reads the pictures.

        Raises:
            OSError: a picture can't be read.
            CallError: the server takes no such video.
        """
        sampling, videos = request.sampling, self._videos.of_request()
        told, notes = fields_of(self._dialect or PLAIN, sampling)
        drawing = sampling.model_dump(exclude_none=True, exclude={"thinking", "max_tokens"})
        if "max_tokens" in self._refused and "max_tokens" in told:
            told["max_completion_tokens"] = told.pop("max_tokens")
        notes += [thinking.not_sent(name) for name in self._refused if drawing.pop(name, None) is not None]
        usual = {
            "model": self._model,
            "messages": [{"role": message.role, "content": _content(message, videos)} for message in request.messages],
            **drawing,
            **told,
            **self._streaming,
        }
        return merged(videos.within(usual), self._body), notes

    def _refusal(self, request: Request, status: int, content: bytes, headers: Mapping[str, str]) -> CallError:
        hints = {
            401: "is the key in OPENAI_API_KEY right?",
            403: "is the key in OPENAI_API_KEY allowed to use this model?",
            404: f"does the endpoint serve '{self._model}', and does its address end with /v1?",
        }
        dialect = self._dialect or PLAIN
        told = [name for name in fields_of(dialect, request.sampling)[0] if name != dialect.limit]
        if told:
            hints[400] = f"reasoning is set by {', '.join(told)}; --body '{{\"{told[0]}\": null}}' takes that out"
        return endpoint.refusal(self._url, status, content, headers=headers, hints=hints)


def _content(message: Message, videos: RequestVideos) -> str | list[dict[str, Any]]:
    """A turn's content: plain text alone stays a string, which every endpoint takes."""
    if len(message.parts) == 1 and isinstance(message.parts[0], str):
        return message.parts[0]
    return [_part(part, videos) for part in message.parts]


def _part(part: Part, videos: RequestVideos) -> dict[str, Any]:
    if isinstance(part, Picture):
        return {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{endpoint.jpeg_base64(part)}"}}
    if isinstance(part, Clip | Video):
        return videos.write(part)
    return {"type": "text", "text": part}


def create(name: str, options: ModelOptions) -> OpenAICompatible:
    """The model of that name at the endpoint."""
    return OpenAICompatible(name, options)
