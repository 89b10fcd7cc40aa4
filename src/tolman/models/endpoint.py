"""Endpoints: address and key, and how a refusal, a lost connection or a wrong body becomes a CallError."""

from __future__ import annotations

import base64
import email.utils
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from tolman.errors import UsageError
from tolman.messages import Message, Picture
from tolman.models.base import CallError, ModelOptions, Request
from tolman.responses import FailureKind

OVERLOADED = (429, 503, 529)
EXCERPT = 300


class EndpointModel:
    """One model behind one endpoint: its address, its key and the limits of a call.

    Args:
        name: of the model, as the endpoint knows it.
        options: address, key, further fields of the body, limits.

    Attributes:
        family: the first part of the model's name.
        default_url: address of the family's own endpoint.
        url_variable: environment variable that names another address.
        key_variables: environment variables that hold the key, the first one that is set counts.

    Raises:
        UsageError: the address is none, or the family's own endpoint needs a key.
    """

    family: ClassVar[str]
    default_url: ClassVar[str]
    url_variable: ClassVar[str]
    key_variables: ClassVar[tuple[str, ...]]
    remote = True

    def __init__(self, name: str, options: ModelOptions) -> None:
        self.name = f"{self.family}/{name}"
        self.concurrency = options.concurrency
        self._model = name
        self._url = address(options, self.url_variable, self.default_url)
        self._key = key_of(options, self._url, self.default_url, self.key_variables)
        self._body = dict(options.body)
        self._timeout = options.timeout
        self.settings: Mapping[str, Any] = settings_of(self._url, options)


def address(options: ModelOptions, variable: str, default: str) -> str:
    """The endpoint's address: --base-url, else the environment's, else the family's own.

    Raises:
        UsageError: it is no address.
    """
    url = (options.base_url or os.environ.get(variable) or default).rstrip("/")
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"--base-url must begin with http:// or https://, not '{url}'.")
    return url


def key_of(options: ModelOptions, url: str, default: str, variables: Sequence[str]) -> str | None:
    """The key: the given one, else the environment's; none where another endpoint than the family's own is named.

    Raises:
        UsageError: the family's own endpoint needs one.
    """
    key = options.api_key or next((os.environ[name] for name in variables if os.environ.get(name)), None)
    if not key and url == default:
        raise UsageError(f"{variables[0]} is not set, and no other endpoint is named with --base-url.")
    return key


def settings_of(url: str, options: ModelOptions) -> Mapping[str, Any]:
    """Settings that are written into a run: the address, and further fields of requests."""
    return {"base_url": url} | ({"body": dict(options.body)} if options.body else {})


def refuse_videos(name: str, request: Request) -> None:
    """A CallError where a request holds anything but texts and pictures."""
    if not all(isinstance(part, str | Picture) for message in request.messages for part in message.parts):
        raise CallError(FailureKind.MEDIA, f"{name} takes pictures, not whole videos", retry=False)


def spoken(messages: Iterable[Message]) -> list[Message]:
    """A conversation without blank texts, and without turns that hold nothing else, such as an empty answer to an
    earlier question: some endpoints refuse a whole request because of one."""
    found = []
    for message in messages:
        parts = tuple(part for part in message.parts if not isinstance(part, str) or part.strip())
        if parts:
            found.append(message.model_copy(update={"parts": parts}))
    return found


def holds_pictures(request: Request) -> bool:
    """Tell whether files must be read before the request can be sent."""
    return any(isinstance(part, Picture) for message in request.messages for part in message.parts)


def jpeg_base64(picture: Picture) -> str:
    """A picture's bytes in base64."""
    return base64.b64encode(Path(picture.path).read_bytes()).decode("ascii")


def unreadable(error: OSError) -> CallError:
    """A frame or video that can't be read."""
    return CallError(FailureKind.MEDIA, f"a stored frame or video can't be read: {error}", retry=False)


def timed_out(url: str, seconds: float) -> CallError:
    """A call that took too long."""
    return CallError(FailureKind.TIMEOUT, f"{url} gave no answer within {seconds:g} s", retry=True)


def unreachable(url: str, error: BaseException) -> CallError:
    """A connection that wasn't made, or that broke."""
    return CallError(FailureKind.NETWORK, f"{url} can't be reached: {_one_line(error)}", retry=True)


def malformed(url: str, what: str, error: BaseException, content: str = "") -> CallError:
    """A body of status 200 that is not what the endpoint promises."""
    excerpt = " ".join(content.split())[:EXCERPT] or _one_line(error)
    return CallError(FailureKind.MALFORMED, f"{url} sent no {what} ({type(error).__name__}): {excerpt}", retry=True)


def unknown_part(url: str, kind: object) -> CallError:
    """A part of an answer whose type is unknown here, so that what it says can't be read: not the model's error."""
    return CallError(
        FailureKind.MALFORMED, f"{url} sent content of the type '{kind}', which can't be read", retry=False
    )


def called_a_tool(url: str) -> CallError:
    """A call of a tool where a text was wanted."""
    return CallError(FailureKind.NO_TEXT, f"{url}: the model called a tool instead of answering", retry=False)


def refusal(
    url: str, status: int, content: bytes, *, after: float | None, hints: Mapping[int, str] | None = None
) -> CallError:
    """An answer of another status than 200.

    Args:
        url: of the endpoint.
        status: of HTTP.
        content: the body, whose own words are quoted.
        after: seconds that the endpoint asked to wait.
        hints: for a status, what the user may look at.
    """
    sentence = f"{url} answered HTTP {status}: {error_text(content)}"
    if status in OVERLOADED:
        return CallError(FailureKind.RATE_LIMIT, sentence, retry=True, after=after, overloaded=True)
    if status >= 500 or status in (408, 409, 425):
        return CallError(FailureKind.SERVER, sentence, retry=True, after=after)
    hint = f" ({hints[status]})" if hints and status in hints else ""
    return CallError(FailureKind.REFUSED, sentence + hint, retry=False)


def count(value: object) -> int:
    """A number of tokens as an endpoint reports it; 0 for what can't be one."""
    return int(value) if isinstance(value, int | float) and 0 <= value < 1e12 else 0


def error_text(content: bytes) -> str:
    """The endpoint's own words about an error, on one line."""
    text = content[: 10 * EXCERPT].decode("utf-8", "replace")
    try:
        record = json.loads(text)
        error = record.get("error", record) if isinstance(record, dict) else record
        text = str(error.get("message", error)) if isinstance(error, dict) else str(error)
    except (ValueError, RecursionError):
        pass
    return " ".join(text.split())[:EXCERPT] or "no reason given"


def retry_after(value: str | None) -> float | None:
    """The seconds that a Retry-After header asks for: a number, or a date."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:EXCERPT] or type(error).__name__
