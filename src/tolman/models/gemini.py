"""`gemini/NAME`: Gemini through Google's own package (extra `providers`), which takes videos whole.

A video is uploaded once for all questions about it, waited for until the endpoint has taken it in, and deleted when
the run is over. The endpoint looks at its pictures and, where it has one, its sound. Pictures travel inside the
request.

The key comes from GEMINI_API_KEY or GOOGLE_API_KEY, the address from --base-url or GOOGLE_GEMINI_BASE_URL. The
package's own retries are off: the engine tries again, and counts it.

To reason, the 2.5 family takes a number of tokens, later ones take a level.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import mimetypes
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp

from tolman.extras import needs
from tolman.messages import Message, Part, Picture, Thinking, Video
from tolman.models import endpoint, thinking
from tolman.models.model import CallError, ModelOptions, Request
from tolman.responses import FailureKind, Response, Usage

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.types import Content, File, Part as GeminiPart


DEFAULT_URL = "https://generativelanguage.googleapis.com"
KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
"""Environment variables of the key, the first that is set."""
FILE_PAUSE = 1.0
"""Seconds between two looks at a file that the endpoint is taking in."""


class Gemini(endpoint.EndpointModel):
    """One model of Google's.

    Args:
        name: the model's, as the endpoint knows it.
        options: address, key, further fields of the body, limits.
    """

    family = "gemini"
    default_url = DEFAULT_URL
    url_variable = "GOOGLE_GEMINI_BASE_URL"
    key_variables = KEYS
    takes_videos = True

    def __init__(self, name: str, options: ModelOptions) -> None:
        with needs("providers", f"gemini/{name}"):
            import google.genai  # noqa: F401
        super().__init__(name, options)
        self._client: Client | None = None
        self._files: dict[str, asyncio.Task[File]] = {}

    async def answer(self, request: Request) -> Response:
        """One generated content.

        Raises:
            CallError: no text came; its sentence names the endpoint and the reason.
        """
        started = time.monotonic()
        try:
            videos = [p for message in request.messages for p in message.parts if isinstance(p, Video)]
            files = {video.sha256: await self._uploaded(video) for video in videos}
            contents, config, notes = await asyncio.to_thread(self._encode, request, files)
            reply = await self._generate(contents, config, {video.sha256 for video in videos})
        except OSError as error:
            raise endpoint.unreadable(error) from None
        return self._response(request, reply, notes, time.monotonic() - started)

    async def close(self) -> None:
        """Delete uploaded files, and close the connections."""
        if self._client is None:
            return
        await asyncio.gather(*(self._forget(task) for task in self._files.values()))
        await self._client.aio.aclose()
        self._client.close()

    def _open(self) -> Client:
        if self._client is None:
            from google.genai import Client
            from google.genai.types import HttpOptions, HttpRetryOptions

            self._client = Client(
                api_key=self._key or "none",
                vertexai=False,
                http_options=HttpOptions(
                    base_url=self._url, timeout=int(self._timeout * 1000), retry_options=HttpRetryOptions(attempts=1)
                ),
            )
        return self._client

    async def _uploaded(self, video: Video) -> File:
        """The endpoint's copy of a video, made once however many requests wait for it."""
        if video.sha256 not in self._files:
            self._files[video.sha256] = asyncio.ensure_future(self._upload(video))
        task = self._files[video.sha256]
        try:
            return await asyncio.shield(task)
        except Exception:
            if self._files.get(video.sha256) is task:
                del self._files[video.sha256]  # the next request tries anew
            raise

    async def _forget(self, task: asyncio.Task[File]) -> None:
        """Delete a file; if that fails, the endpoint deletes it by itself after two days."""
        task.cancel()
        with contextlib.suppress(Exception, asyncio.CancelledError):
            async with asyncio.timeout(10):
                await self._open().aio.files.delete(name=str((await task).name))

    async def _upload(self, video: Video) -> File:
        files = self._open().aio.files
        kind = mimetypes.guess_type(video.path)[0] or "video/mp4"
        size = await asyncio.to_thread(lambda: Path(video.path).stat().st_size)
        if not size:
            raise CallError(FailureKind.MEDIA, f"{video.path}: the file is empty", retry=False)
        with self._translated():
            file = await files.upload(file=video.path, config={"mime_type": kind})
            async with asyncio.timeout(self._timeout):
                while _state(file) in ("PROCESSING", "STATE_UNSPECIFIED"):
                    await asyncio.sleep(FILE_PAUSE)
                    file = await files.get(name=str(file.name))
        if _state(file) != "ACTIVE":
            reason = file.error.message if file.error and file.error.message else "no reason given"
            raise CallError(FailureKind.MEDIA, f"{self._url} can't read {video.path}: {reason}", retry=False)
        return file

    def _encode(self, request: Request, files: Mapping[str, File]) -> tuple[list[Content], dict[str, Any], list[str]]:
        """Return the request's contents and configuration, and notes on their differences from the request."""
        sampling, messages = request.sampling, endpoint.spoken(request.messages)
        system = "\n".join(message.text for message in messages if message.role == "system")
        contents = [_content(message, files) for message in messages if message.role != "system"]
        thoughts, notes = config_of(self._model, sampling.thinking)
        config = {
            "system_instruction": system or None,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            "max_output_tokens": thinking.limit_of(sampling),
            "seed": sampling.seed,
            "thinking_config": thoughts,
        }
        return contents, {key: value for key, value in config.items() if value is not None}, notes

    async def _generate(self, contents: list[Content], config: dict[str, Any], shown: set[str]) -> Any:
        from google.genai.types import GenerateContentConfig, HttpOptions

        options = HttpOptions(extra_body=self._body) if self._body else None
        try:
            with self._translated():
                settings = GenerateContentConfig(**config, http_options=options)
                return await self._open().aio.models.generate_content(
                    model=self._model, contents=contents, config=settings
                )
        except CallError as error:
            if shown and error.kind == FailureKind.REFUSED and " File " in error.message:
                # The endpoint no longer has a file that it had: it is uploaded anew.
                for sha256 in shown:
                    self._files.pop(sha256, None)
                raise CallError(FailureKind.SERVER, error.message, retry=True) from None
            raise

    def _translated(self) -> contextlib.AbstractContextManager[None]:
        return _translated(self._url, self._timeout, self._model)

    def _response(self, request: Request, reply: Any, notes: Sequence[str], seconds: float) -> Response:
        try:
            blocked = reply.prompt_feedback and reply.prompt_feedback.block_reason
            if blocked:
                reason = getattr(blocked, "value", blocked)
                raise CallError(FailureKind.FILTERED, f"{self._url} blocked the question: {reason}", retry=False)
            candidate = sorted(reply.candidates, key=lambda one: one.index or 0)[0]
            parts = (candidate.content.parts if candidate.content else None) or []
            text = "".join(part.text for part in parts if part.text and not part.thought)
            thoughts = "".join(part.text for part in parts if part.text and part.thought)
            reason = getattr(candidate.finish_reason, "value", candidate.finish_reason)
            if not text.strip():
                self._refuse_other_parts(parts)
            if not text and reason is None:
                raise ValueError("no content and no reason")
            return Response(
                id=request.item.id,
                response=text,
                repeat=request.repeat,
                reasoning=thoughts or None,
                finish_reason=reason,
                usage=_usage(reply.usage_metadata),
                seconds=round(seconds, 4),
                notes=dict.fromkeys(notes, 1),
                served=served if (served := reply.model_version) != self._model else None,
            )
        except (ValueError, TypeError, AttributeError, IndexError) as error:
            raise endpoint.malformed(self._url, "content", error) from None

    def _refuse_other_parts(self, parts: Sequence[GeminiPart]) -> None:
        """A CallError where an answer without text holds something else than thoughts."""
        for part in parts:
            if part.function_call or getattr(part, "tool_call", None):
                raise endpoint.called_a_tool(self._url)
            held = sorted(part.model_fields_set - {"text", "thought", "thought_signature"})
            if held:
                raise endpoint.unknown_part(self._url, held[0])


def _usage(told: Any) -> Usage:
    """Return the tokens of a call; the endpoint counts thoughts apart from the answer, and tool input from the
    question."""

    def count(name: str) -> int:
        return endpoint.count(getattr(told, f"{name}_token_count", 0))

    kinds = getattr(told, "prompt_tokens_details", None) or []
    media = [endpoint.count(one.token_count) for one in kinds if str(getattr(one.modality, "value", "")) in _MEDIA]
    return Usage(
        input_tokens=count("prompt") + count("tool_use_prompt"),
        output_tokens=count("candidates") + count("thoughts"),
        reasoning_tokens=count("thoughts"),
        cached_tokens=count("cached_content"),
        media_tokens=sum(media),
    )


_MEDIA = ("IMAGE", "VIDEO", "AUDIO")


@contextlib.contextmanager
def _translated(url: str, timeout: float, model: str) -> Iterator[None]:
    """Convert any error of the package to a CallError."""
    from google.genai import errors

    hints = {
        400: "is the key in GEMINI_API_KEY right?",
        401: "is the key in GEMINI_API_KEY right?",
        403: "is the key in GEMINI_API_KEY allowed to use this model?",
        404: f"does the endpoint serve '{model}'?",
    }
    try:
        yield
    except errors.APIError as error:
        content = json.dumps(error.details, default=str).encode()
        told = hints if error.code != 400 or b"API_KEY" in content.replace(b" ", b"_").upper() else None
        raise endpoint.refusal(url, error.code, content, after=_pause(error), hints=told) from None
    except TimeoutError:
        raise endpoint.timed_out(url, timeout) from None
    except aiohttp.ClientError as error:
        raise endpoint.unreachable(url, error) from None
    except errors.UnknownApiResponseError as error:
        raise endpoint.malformed(url, "JSON", error) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise endpoint.malformed(url, "reply of Gemini's", error) from None


def _pause(error: Any) -> float | None:
    """The seconds that a refusal asks to wait: a header, or an entry among its details ('37s')."""
    headers = getattr(error.response, "headers", None) or {}
    after = endpoint.retry_after(headers.get("Retry-After"))
    if after is not None:
        return after
    try:
        for entry in error.details["error"]["details"]:
            if str(entry.get("@type", "")).endswith("RetryInfo"):
                return float(str(entry["retryDelay"]).removesuffix("s"))
    except (KeyError, TypeError, ValueError, AttributeError):
        pass
    return None


def _state(file: File) -> str:
    return str(getattr(file.state, "value", file.state))


def _content(message: Message, files: Mapping[str, File]) -> Content:
    from google.genai.types import Content

    role = "model" if message.role == "assistant" else "user"
    return Content(role=role, parts=[_part(part, files) for part in message.parts])


def _part(part: Part, files: Mapping[str, File]) -> GeminiPart:
    from google.genai.types import Blob, FileData, Part as GeminiPart, VideoMetadata

    if isinstance(part, Picture):
        return GeminiPart(inline_data=Blob(mime_type="image/jpeg", data=Path(part.path).read_bytes()))
    if isinstance(part, Video):
        start, end = (None if second is None else f"{second:g}s" for second in (part.start, part.end))
        return GeminiPart(
            file_data=FileData(file_uri=files[part.sha256].uri, mime_type=files[part.sha256].mime_type),
            video_metadata=VideoMetadata(start_offset=start, end_offset=end) if start or end else None,
        )
    return GeminiPart(text=str(part))


def create(name: str, options: ModelOptions) -> Gemini:
    """The model of that name."""
    return Gemini(name, options)


LEVELS_FROM = 3
"""The first family that takes levels."""
AUTOMATIC = -1
"""The budget that leaves the number of tokens to the model."""


def takes_levels(model: str) -> bool:
    """Check whether a model takes a level of thinking, not a budget; a name without a number is one of the newest."""
    family = re.search(r"gemini-(\d+)", model)
    return family is None or int(family[1]) >= LEVELS_FROM


def config_of(model: str, asked: Thinking | None) -> tuple[dict[str, Any] | None, list[str]]:
    """Return the `thinking_config` of a request; None where the model is left to itself.

    Args:
        model: its name.
        asked: the settings.

    Returns:
        The fields, and notes on their differences from the user's settings.
    """
    if asked is None or asked.wanted is None:
        return None, []
    levels = takes_levels(model)
    if asked.wanted is False:
        if levels:
            return {"thinking_level": "MINIMAL"}, ["thinking off sent as level MINIMAL"]
        return {"thinking_budget": 0}, []
    told: dict[str, Any] = {"include_thoughts": True}
    if levels:
        effort = asked.effort or (thinking.effort_of(asked.budget) if asked.budget else None)
        if effort is not None:
            told["thinking_level"] = effort.upper()
        if asked.budget is not None:
            sent = f"reasoning budget of {asked.budget:,} tokens sent as level {str(effort).upper()}"
            return told, [sent if asked.effort is None else thinking.within_limit(asked.budget)]
        return told, []
    if asked.budget is not None:
        told["thinking_budget"] = asked.budget
        return told, [] if asked.effort is None else [
            f"effort '{asked.effort}' not sent together with the reasoning budget"
        ]
    if asked.effort is not None:
        tokens = thinking.tokens_of(asked.effort)
        return {**told, "thinking_budget": tokens}, [thinking.as_budget(asked.effort, tokens)]
    return {**told, "thinking_budget": AUTOMATIC}, []
