"""Protection of accounts and requests: password hashing, limits on guessing, the request guard, and logs.

Passwords are hashed by Argon2id, one after another: a hash takes 64 MiB and four threads. Requests wait for it in the
event loop, not in a thread. So a flood of sign-ins takes neither the memory nor the threads that all other pages need.
Attempts at guessing are counted before a password is checked, so that none slips through. They are counted in the
database, so that all processes of a server count together, and a restart forgets none.

The guard sets the headers that keep a browser from doing harm, and limits the size of requests. The log has one JSON
object a line for each request. It contains no answer, no form and no address of a page that holds a secret. It records
the pattern of an address (`/invitation/{token}`), never its variable parts, and the number of a visitor, once known.
For an unforeseen error, it records type and place in the code, but not the text, which may quote forms.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from ipaddress import IPv6Address, IPv6Network, ip_address
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session as Orm
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tolman.review.store import SignInAttempt
from tolman.review.store.database import Database

AT_ONCE = 1
"""Hashes that are computed at the same time."""
_AROUND = "0123456789 !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_LEAST_DIFFERENT = 4
"""Characters of which a password must have as many that differ."""
_WORDS = frozenset({"tolman", "tolmanreview", "review", "benchmark", "owner", "annotator", "reviewer", "subject"})
_HASHER = PasswordHasher()
_NOBODY = _HASHER.hash("nobody has this password")


def hash_now(password: str) -> str:
    """The hash of a password, computed here and now."""
    return _HASHER.hash(password)


def is_right(stored: str | None, password: str) -> bool:
    """Check whether a password matches a hash. None matches no password and takes as long."""
    try:
        _HASHER.verify(stored or _NOBODY, password)
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None


def is_common(password: str, words: Sequence[str] = ()) -> bool:
    """Check whether a password is easy to guess: one of 49,233 common ones or a word that belongs here (a name, the
    program's), also in capitals, repeated, and with digits or signs around it."""
    plain = password.casefold().strip()
    bare = plain.strip(_AROUND)
    halves = [text[: len(text) // 2] for text in (plain, bare) if text and text[: len(text) // 2] * 2 == text]
    known = {*_common(), *(word.casefold() for word in words if len(word) > 2), *_WORDS}
    if len(set(plain)) < _LEAST_DIFFERENT or not bare:
        return True
    return any(text in known for text in (plain, bare, plain.replace(" ", ""), bare.replace(" ", ""), *halves))


@cache
def _common() -> frozenset[str]:
    """The list of @zxcvbn-ts/language-common; see common_passwords.LICENSE."""
    packed = (Path(__file__).parent / "common_passwords.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode().split("\n"))


class Passwords:
    """Hashing from the event loop, at most `AT_ONCE` at a time."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="argon2")

    async def hash(self, password: str) -> str:
        """The hash of a password."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, hash_now, password)

    async def is_right(self, stored: str | None, password: str) -> bool:
        """Check whether a password matches a hash."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, is_right, stored, password)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` failed attempts in so many seconds."""

    most: int
    seconds: float


class Attempts:
    """Counters of attempts, safe to use from any thread and any process.

    Args:
        database: that counts.
        clock: seconds since 1970.
        name: makes a name of 32 characters or less for some parts, which others can neither make nor read.
    """

    def __init__(self, database: Database, clock: Callable[[], float], name: Callable[..., str]) -> None:
        self._database, self._clock, self._name = database, clock, name

    def begin(self, limits: Sequence[tuple[tuple[str, ...], Limit]]) -> str | None:
        """Count an attempt under some keys, all or none, and name it; None where one of them has had its number."""
        now = self._clock()
        counted = [(self._name("attempt", *key), limit) for key, limit in limits]
        with self._database.read() as db:  # a flood that is refused writes nothing
            if not _room(db, counted, now):
                return None
        with self._database.write() as db:
            db.execute(delete(SignInAttempt).where(SignInAttempt.ends <= now))
            if not _room(db, counted, now):
                return None
            rows = [SignInAttempt(attempt="", key=key, at=now, ends=now + limit.seconds) for key, limit in counted]
            db.add_all(rows)
            db.flush()
            for row in rows:
                row.attempt = str(rows[0].id)
        return rows[0].attempt

    def succeeded(self, attempt: str) -> None:
        """Take an attempt out of its counters: only failed ones are limited."""
        with self._database.write() as db:
            db.execute(delete(SignInAttempt).where(SignInAttempt.attempt == attempt))


def _room(db: Orm, counted: Sequence[tuple[str, Limit]], now: float) -> bool:
    for key, limit in counted:
        number = select(func.count()).where(SignInAttempt.key == key, SignInAttempt.at > now - limit.seconds)
        if (db.scalar(number) or 0) >= limit.most:
            return False
    return True


def network_of(address: str) -> str:
    """Return the network that an address is counted as: for IPv6 the /64, as a household can use any address in it."""
    try:
        found = ip_address(address.split("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(IPv6Network((found, 64), strict=False))
    return str(found)


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000; includeSubDomains")


class Guard:
    """ASGI middleware.

    Args:
        app: the guarded application.
        body_limit: bytes that a request may bring.
        upload_limit: the same for addresses at which files are taken.
        hosts: names by which the server may be called; any if None. The address at which a request arrived is always
            accepted, for the server's administrators.
        prefix: the path under which a proxy shows the server, such as /tolman; requests may come with it or without.
        strict_transport: whether browsers must use TLS only, for a year.
    """

    def __init__(
        self,
        app: ASGIApp,
        body_limit: int,
        upload_limit: int = 0,
        *,
        hosts: frozenset[str] | None = None,
        prefix: str = "",
        strict_transport: bool = False,
    ) -> None:
        self.app, self.body_limit, self.upload_limit = app, body_limit, upload_limit
        self.hosts, self.prefix = hosts, prefix
        self.headers = (*HEADERS, STRICT_TRANSPORT) if strict_transport else HEADERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self.prefix:
            scope = _without_prefix(scope, self.prefix)
        started = False

        async def guarded_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                own = [(name, value) for name, value in message.get("headers", []) if name.lower() != b"server"]
                present = {name.lower() for name, _ in own}
                if self.prefix:
                    own = [(n, _prefixed(v, self.prefix) if n.lower() == b"location" else v) for n, v in own]
                own += [header for header in self.headers if header[0] not in present]
                if b"cache-control" not in present:
                    own.append((b"cache-control", b"no-store"))
                message = {**message, "headers": own}
            await send(message)

        if self.hosts is not None and not _is_called(scope, self.hosts):
            await _refuse(guarded_send, 421, "This server is not called by this name.")
            return
        limit = self.body_limit
        if scope["path"].endswith("/upload"):
            limit = max(limit, self.upload_limit)
        too_large = f"This is too large: at most {limit / 1024:.0f} KiB can be sent at once."
        length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not length.isdigit() or int(length) > limit:
            await _refuse(guarded_send, 413, too_large)
            return
        received = 0

        async def counted_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise _TooLargeError
            return message

        try:
            await self.app(scope, counted_receive, guarded_send)
        except _TooLargeError:
            if not started:
                await _refuse(guarded_send, 413, too_large)
        except ClientDisconnect:
            pass  # the browser has taken the request back


class _TooLargeError(Exception):
    pass


def _without_prefix(scope: Scope, prefix: str) -> Scope:
    """A request as it would have come without the prefix, which some proxies take away and others don't."""
    path: str = scope["path"]
    if path != prefix and not path.startswith(prefix + "/"):
        return scope
    return {**scope, "path": path[len(prefix) :] or "/"}


def _prefixed(location: bytes, prefix: str) -> bytes:
    return prefix.encode() + location if location.startswith(b"/") and not location.startswith(b"//") else location


def _is_called(scope: Scope, hosts: frozenset[str]) -> bool:
    """Check whether a request calls the server by one of its names."""
    host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    server = scope.get("server")
    return host_name(host) in hosts | {server[0].casefold() if server else ""} - {""}


def host_name(host: str) -> str:
    """The name in a Host header, without its port; empty where it is no such header."""
    found = re.fullmatch(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::\d{1,5})?", host, re.IGNORECASE | re.ASCII)
    return (found.group(1) or found.group(2)).casefold() if found else ""


async def _refuse(send: Send, status: int, sentence: str) -> None:
    text = sentence.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(text)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": text})


class JsonLines:
    """A file of log entries, or the standard error output where its name is '-'; a line is written whole or not at all.

    Args:
        file: appended to.
    """

    def __init__(self, file: Path) -> None:
        self._out = 2 if str(file) == "-" else os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)

    def __call__(self, entry: dict[str, Any]) -> None:
        """Write an entry."""
        os.write(self._out, (json.dumps(entry, ensure_ascii=True, separators=(",", ":")) + "\n").encode())


class Logged:
    """ASGI middleware around everything else.

    Args:
        app: whose requests are logged.
        write: takes an entry.
    """

    def __init__(self, app: ASGIApp, write: Callable[[dict[str, Any]], None]) -> None:
        self.app, self.write = app, write

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status, size = time.perf_counter(), 500, 0
        scope.setdefault("state", {})

        async def counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            size += len(message.get("body", b""))
            await send(message)

        entry: dict[str, Any] = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": "request"}
        try:
            await self.app(scope, receive, counted)
        except Exception as error:
            entry["error"] = type(error).__name__
            entry["at"] = [
                f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)[-4:]
            ]
            raise
        finally:
            route = scope["state"].get("route")
            client = scope.get("client")
            entry |= {
                "method": scope["method"], "route": route or "-", "status": status, "bytes": size,
                "ms": round(1000 * (time.perf_counter() - began), 2), "person": scope["state"].get("person"),
                "from": client[0] if client else None,
            }  # fmt: skip
            self.write(entry)
