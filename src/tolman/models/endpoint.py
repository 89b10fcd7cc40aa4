"""Endpoints: address and key, and how a refusal, a lost connection or a wrong body becomes a CallError."""

from __future__ import annotations

import base64
import email.utils
import errno
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from tolman.errors import UsageError, one_line
from tolman.messages import Message, Picture
from tolman.models.identity import Looking
from tolman.models.model import CallError, ModelOptions, Request, Scope, check_address
from tolman.models.pacing import Pacer
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
        tells_weights: whether endpoints of this kind, other than the family's own, report their weights.
        urls: of the endpoint.
        label: the user's name of the weights; None without one.
        origin: starter of the endpoint's server; None where it was there.
        names_itself: whether the name alone identifies the weights.
        looks: at the weights of the addresses; none where nothing is to be learned.
        pacer: keeps the limits that the endpoint reports.

    Raises:
        UsageError: the address is none, or the family's own endpoint needs a key.
    """

    family: ClassVar[str]
    default_url: ClassVar[str]
    url_variable: ClassVar[str]
    key_variables: ClassVar[tuple[str, ...]]
    remote = True
    tells_weights: ClassVar[bool] = False

    def __init__(self, name: str, options: ModelOptions) -> None:
        self.name = f"{self.family}/{name}"
        self.concurrency = options.concurrency
        self._model = name
        self._url = address(options, self.url_variable, self.default_url)
        self._key = key_of(options, self._url, self.default_url, self.key_variables)
        self._body = dict(options.body)
        self._timeout = options.timeout
        self.pacer = Pacer()
        self.settings: Mapping[str, Any] = settings_of(self._url, options)
        own = self._url == self.default_url
        self.urls = (self._url,)
        self.label, self.origin = options.label, options.serve
        self.names_itself = own or "/" in name
        self.looks = (Looking(self._url, name, self._key),) if self.tells_weights and not own else ()


def address(options: ModelOptions, variable: str, default: str) -> str:
    """The endpoint's address: --base-url, else the environment's, else the family's own.

    Raises:
        UsageError: it is no address.
    """
    url = (options.base_url or os.environ.get(variable) or default).rstrip("/")
    check_address(url)
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
    """Return settings that a run records: the address, until its weights are known, and further request fields."""
    label = {"label": options.label} if options.label is not None else {}
    return {"base_url": url} | label | ({"body": dict(options.body)} if options.body else {})


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
    """Check whether files must be read before the request can be sent."""
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
    reasons = list(_reasons(error))
    if any(isinstance(one, ConnectionRefusedError) or _REFUSED in str(one) for one in reasons):
        sentence = f"{url} can't be reached: nothing listens at this address; is the server running?"
        return CallError(FailureKind.NETWORK, sentence, retry=True, scope="absent")
    made = not any(type(one).__name__ in _NOT_MADE for one in reasons)
    # aiohttp adds its settings of TLS to an address without any.
    said = one_line(error).replace(" ssl:default", "")
    return CallError(
        FailureKind.NETWORK, f"{url} can't be reached: {said}", retry=True, scope=None if made else "absent"
    )


_REFUSED = f"[Errno {errno.ECONNREFUSED}]"
"""What asyncio says where all addresses of a host refuse."""
_NOT_MADE = ("ClientConnectorError", "ClientConnectorDNSError", "ConnectError", "gaierror")
"""Names of errors, of aiohttp and of httpx, of connections that were never made."""


def _reasons(error: BaseException) -> Iterator[BaseException]:
    """An error and those behind it."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        held = getattr(found, "os_error", None)
        found = held if isinstance(held, BaseException) else found.__cause__ or found.__context__


def malformed(url: str, what: str, error: BaseException, content: str = "") -> CallError:
    """Return the error of a body of status 200 that breaks the endpoint's format."""
    excerpt = " ".join(content.split())[:EXCERPT] or one_line(error)
    return CallError(FailureKind.MALFORMED, f"{url} sent no {what} ({type(error).__name__}): {excerpt}", retry=True)


def unknown_part(url: str, kind: object) -> CallError:
    """Return the error of an answer's part of unknown type, which can't be read: not the model's error."""
    return CallError(
        FailureKind.MALFORMED, f"{url} sent content of the type '{kind}', which can't be read", retry=False
    )


def called_a_tool(url: str) -> CallError:
    """A call of a tool where a text was wanted."""
    return CallError(FailureKind.NO_TEXT, f"{url}: the model called a tool instead of answering", retry=False)


def refusal(
    url: str,
    status: int,
    content: bytes,
    *,
    after: float | None = None,
    headers: Mapping[str, str] | None = None,
    hints: Mapping[int, str] | None = None,
) -> CallError:
    """Return the error of an answer of another status than 200.

    Args:
        url: of the endpoint.
        status: of HTTP.
        content: the body, whose own words are quoted.
        after: seconds that the endpoint asked to wait; None takes them from the headers.
        headers: of the answer, which may say how long to wait, and whether to try again at all.
        hints: for a status, advice to the user.
    """
    sentence = f"{url} answered HTTP {status}: {error_text(content)}"
    after = pause_asked(headers or {}) if after is None else after
    hint = f" ({hints[status]})" if hints and status in hints else ""
    if status == 402 or _is_used_up(content):
        return CallError(FailureKind.REFUSED, sentence + hint, retry=False, scope="lasting")
    told = (headers or {}).get("x-should-retry")
    if status in OVERLOADED:
        # 503 is also what a server says that is loading its model, or a proxy whose servers are down.
        scope: Scope | None = "absent" if status == 503 and after is None else "endpoint"
        retry = told != "false"
        return CallError(
            FailureKind.RATE_LIMIT, sentence, retry=retry, after=after, overloaded=retry, scope=scope if retry else None
        )
    if status >= 500 or status in (408, 409, 425) or told == "true":
        retry = told != "false"
        scope = "absent" if status == 502 and retry else None
        return CallError(FailureKind.SERVER, sentence, retry=retry, after=after, scope=scope)
    refused_all = status in (401, 403, 404)
    return CallError(FailureKind.REFUSED, sentence + hint, retry=False, scope="endpoint" if refused_all else None)


def _is_used_up(content: bytes) -> bool:
    """Check whether an error says that no credit is left, which no waiting mends."""
    if b"insufficient_quota" not in content:
        return False
    try:
        error = json.loads(content)["error"]
        return "insufficient_quota" in (error.get("code"), error.get("type"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def count(value: object) -> int:
    """Return a number of tokens as an endpoint reports it; 0 for other values."""
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


def served_by(reply: Mapping[str, Any], asked: str) -> str | None:
    """Return the model and fingerprint that a reply names, where that is more than the name that was asked for."""
    said = [str(told) for told in (reply.get("model"), reply.get("system_fingerprint")) if told]
    return None if not said or said == [asked] else " ".join(said)


def pause_asked(headers: Mapping[str, str]) -> float | None:
    """The seconds that an answer's headers ask to wait: `retry-after-ms`, else `retry-after`."""
    try:
        return max(0.0, float(headers["retry-after-ms"]) / 1000)
    except (KeyError, ValueError):
        return retry_after(headers.get("retry-after"))


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
