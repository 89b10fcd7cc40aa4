"""`openai/NAME`: every endpoint that speaks OpenAI's chat completions, such as vLLM, SGLang and llama.cpp.

The key comes from OPENAI_API_KEY, the address from --base-url or OPENAI_BASE_URL. Pictures are sent as JPEG data URLs
and are read from the store only when their request is about to be sent. The amount of reasoning is set in the
endpoint's own dialect (`dialects.py`), which is looked for where such a setting is given.

A reply of any dialect is read for its text, reasoning, tokens, and how it ended. A streamed reply is put together
first: server-sent events become the reply that would have come at once. Source: OpenAI's form of `data:` lines, with
the fields of vLLM (`delta.reasoning`) and of SGLang, llama.cpp and DashScope (`delta.reasoning_content`). Lines that
begin with a colon keep the connection alive and say nothing.
"""

from __future__ import annotations

import asyncio
import io
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import aiohttp

from tolman.errors import UsageError
from tolman.extras import LazyModule
from tolman.messages import Clip, Message, Part, Picture, Video
from tolman.models import endpoint, thinking
from tolman.models.dialects import PLAIN, Dialect, by_host, fields_of, find_dialect, merged
from tolman.models.identity import split_password, without_password
from tolman.models.model import CallError, ModelOptions, Request
from tolman.models.openai_videos import EndpointVideos, RequestVideos, holds_videos
from tolman.responses import FailureKind, Response, Usage
from tolman.scoring.response_states import ending_named

if TYPE_CHECKING:
    from tolman.models.batching import providers
else:
    providers = LazyModule("tolman.models.batching.providers")

_ENCODER = json.JSONEncoder(ensure_ascii=False)
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
        if key and split_password(self._url)[1]:  # a request has one Authorization
            raise UsageError(
                f"{without_password(self._url)} has a login, and {KEYS[0]} is set: a request carries one of them. "
                "Unset the key, or leave the login out of the address."
            )
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

    def batches(self) -> providers.OpenAIBatches:
        """The endpoint's batch interface."""
        return providers.OpenAIBatches(self._url, self._headers)

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
        """Return status, body and headers of a reply, with notes on the request that was sent.

        Raises:
            CallError: a picture can't be read, or no reply came.
        """
        heavy = endpoint.holds_pictures(request) or holds_videos(request.messages)
        try:
            body, notes = await asyncio.to_thread(self._encode, request) if heavy else self._encode(request)
        except OSError as error:
            raise endpoint.unreadable(error) from None
        try:
            data = io.BytesIO(body) if heavy else body
            async with self._open().post(f"{self._url}/chat/completions", data=data) as reply:
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
        """Join a streamed reply; a body that is no stream of completions is left for its reader to report.

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
        return _ENCODER.encode(fields).encode("utf-8", "replace"), notes

    def body_of(self, request: Request) -> tuple[dict[str, Any], list[str]]:
        """Return a request's body, and notes on its differences from the request. Reads the pictures.

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
    """Facts about a reply before it is read.

    Attributes:
        url: of the endpoint, for errors.
        model: its name in the request.
        reasons: whether the model was asked to reason.
        marked: whether its reasoning is never unmarked in the text.
        notes: on the request that was sent.
    """

    url: str
    model: str
    reasons: bool = False
    marked: bool = True
    notes: tuple[str, ...] = ()


def read_reply(request: Request, content: bytes, form: ReplyForm, seconds: float | None) -> Response:
    """Read the response in a body of status 200.

    Args:
        request: that was sent.
        content: the body.
        form: facts about it.
        seconds: how long the call took; None where that says nothing.

    Raises:
        CallError: it holds an error, a call of a tool, content of an unknown type, or is no chat completion.
    """
    try:
        reply = json.loads(content)
        choice = sorted(reply["choices"], key=index_of)[0]
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
    """Return why an answer ended. Gateways say 'stop' also of endings that they have no word for, such as an answer
    that its server gave up. They keep the server's own word in another field: LiteLLM where it differs, OpenRouter
    always. OpenRouter's words count here only where they mean more than that the model was done."""
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


TEXTS = ("content", "reasoning", "reasoning_content", "refusal")
"""Fields of a delta that hold a piece of text."""
BESIDE = ("native_finish_reason", "provider_specific_fields")
"""Fields beside a finish reason in which gateways say more of it."""


class BrokenStreamError(ValueError):
    """A stream that ended before the answer did."""


def is_stream(content_type: str) -> bool:
    """Check whether a reply of that Content-Type is one."""
    return content_type.partition(";")[0].strip().lower() == "text/event-stream"


def put_together(content: bytes) -> bytes:
    """Return the reply as JSON, as it comes without streaming. The first of several choices counts, by `index`.

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
    chunks: list[dict[str, Any]] = []
    for event in _events(content.decode("utf-8", "replace")):
        if event == "[DONE]":
            done = True
            break
        chunks.append(json.loads(event))
    first = min((index_of(choice) for chunk in chunks for choice in chunk.get("choices") or []), default=0)
    for chunk in chunks:
        reply |= {
            name: value for name, value in chunk.items() if name not in ("choices", "object") and value is not None
        }
        for choice in chunk.get("choices") or []:
            if index_of(choice) != first:
                continue
            _add(message, choice.get("delta") or {})
            ending |= {name: choice[name] for name in ("finish_reason", *BESIDE) if choice.get(name)}
            reply |= {"error": choice["error"]} if choice.get("error") else {}
    if not done and ending["finish_reason"] is None and "error" not in reply:
        raise BrokenStreamError("the stream ended before the answer")
    whole = reply | {"object": "chat.completion", "choices": [{"index": 0, "message": message, **ending}]}
    return json.dumps(whole).encode()


def index_of(choice: Mapping[str, Any]) -> int:
    """The place of a choice among several; 0 where it isn't given."""
    index = choice.get("index")
    return index if isinstance(index, int) else 0


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
    """Append a piece to the earlier ones."""
    for name, piece in delta.items():
        if name in TEXTS and isinstance(piece, str):
            message[name] = (message.get(name) or "") + piece
        elif isinstance(piece, list):
            message[name] = [*(message.get(name) or []), *piece]
        elif piece is not None and name != "role":
            message[name] = piece
