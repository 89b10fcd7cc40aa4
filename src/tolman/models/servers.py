"""Model servers: one that is started for a run and ended with it, and one model at several addresses.

vLLM, SGLang, or any server that a command starts can serve a run. The least loaded of several addresses is asked, and
one that fails is left out for a while. Questions about one video stay on one address as long as it is healthy. Servers
keep computations for a beginning that several requests share (prefix caching), so all but the first question about a
video cost little.
"""

from __future__ import annotations

import asyncio
import importlib.util
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from tolman.errors import UsageError
from tolman.models.identity import AtAddresses, ServedWatch, changed, without_password
from tolman.models.model import CallError, Model, Request
from tolman.models.pacing import paced
from tolman.responses import FailureKind, Response

FAILURES = 3
"""Failures in a row after which an address is left out; one is enough where nobody answers."""
FIRST_REST, LONGEST_REST = 1.0, 30.0
"""Seconds for which an address is left out at first, and at most."""


class Replica(AtAddresses, Model, Protocol):
    """A model at one address."""


class Fleet:
    """The same model at several addresses.

    Args:
        replicas: a model for each address.

    Raises:
        UsageError: an address is named twice.
    """

    remote = True

    def __init__(self, replicas: Sequence[Replica]) -> None:
        first = replicas[0]
        self.name, self.concurrency, self.label, self.origin = first.name, first.concurrency, first.label, first.origin
        self.urls = tuple(url for one in replicas for url in one.urls)
        if len(set(self.urls)) < len(self.urls):
            raise UsageError(f"--base-url names an address twice: {','.join(map(without_password, self.urls))}.")
        self.settings: Mapping[str, Any] = first.settings
        self.names_itself = all(one.names_itself for one in replicas)
        self.looks = tuple(look for one in replicas for look in one.looks)
        self.takes_videos = getattr(first, "takes_videos", False)
        self.takes_clips = getattr(first, "takes_clips", False)
        self.takes_pictures = getattr(first, "takes_pictures", True)
        self.noted: Callable[[str], None] = lambda sentence: None
        self._places = [_Place(one, lambda sentence: self.noted(sentence), self._weights) for one in replicas]
        self._home: dict[str, _Place] = {}
        self._stand_in: dict[str, _Place] = {}  # while the home of a video is left out

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """Address → requests that were sent to it, and those of them that failed."""
        return {place.address: {"called": place.called, "failed": place.failed} for place in self._places}

    async def answer(self, request: Request) -> Response:
        """Ask one address; if it is unreachable, another.

        Raises:
            CallError: no text came.
        """
        absent: set[_Place] = set()
        while True:
            place = self._choose(request, absent)
            try:
                return await place.answer(request)
            except CallError as error:
                others = [one for one in self._places if one is not place and one not in absent and one.is_in]
                if error.scope == "absent" and others:
                    absent.add(place)
                    continue
                if error.overloaded and others:  # the pause is this address's, not everybody's
                    place.rest(error.after or FIRST_REST)
                    error.after, error.overloaded = None, False
                raise

    async def close(self) -> None:
        """Close all connections."""
        await asyncio.gather(*(place.model.close() for place in self._places))

    def _weights(self) -> str | None:
        """The weights that the addresses serve, as far as one of them reported them."""
        known = (look.known.weights for look in self.looks if look.known is not None)
        return next((weights for weights in known if weights), None)

    def _choose(self, request: Request, absent: set[_Place]) -> _Place:
        """The address for a request: that of its video, else the least loaded; the one that is looked at again first
        where all are left out."""
        subject = request.item.media[0].path if request.item.media else None
        usable = [place for place in self._places if place.is_in and place not in absent]
        for homes in (self._home, self._stand_in):
            place = homes.get(subject) if subject is not None else None
            if place is not None and place in usable:
                return place
        chosen = min(usable or self._places, key=lambda place: place.load if usable else (place.resting_until, 0))
        if subject is not None and usable:
            homes = self._stand_in if subject in self._home else self._home
            homes[subject] = chosen
        return chosen


class _Place:
    """One address, and how it does."""

    def __init__(self, model: Replica, noted: Callable[[str], None], expected: Callable[[], str | None]) -> None:
        self.model, self._noted, self._expected = model, noted, expected
        self.address = without_password(model.urls[0])
        self.called = self.failed = 0
        self._in_flight = self._row = self._rests = 0
        self.resting_until = self._rested = 0.0  # until when, and since when, it is left out
        self._was_absent = self._tried = self._is_out = False
        self._watch = ServedWatch(self.address, noted)

    @property
    def is_in(self) -> bool:
        """Check whether requests go there: it does well, or it is time to look at it again, by one request."""
        return not self._is_out and (not self._rests or (not self._tried and time.monotonic() >= self.resting_until))

    @property
    def load(self) -> tuple[float, int]:
        """Requests in flight, then those so far."""
        return self._in_flight, self.called

    def rest(self, seconds: float) -> None:
        """Leave the address out for a while."""
        self._rests, self._rested = max(1, self._rests), time.monotonic()
        self.resting_until = max(self.resting_until, self._rested + seconds)

    async def answer(self, request: Request) -> Response:
        """One request to this address.

        Raises:
            CallError: no text came.
        """
        looked_at = bool(self._rests)
        self._tried = looked_at
        self._in_flight += 1
        sent = time.monotonic()
        try:
            if looked_at and self._was_absent:
                await self._look_again()
            self.called += 1
            response = await paced(self.model, request)
        except CallError as error:
            self._failed(error, sent)
            raise
        finally:
            self._in_flight -= 1
            self._tried = False
        self._answered(sent)
        self._watch.saw(response.served)
        return response

    async def _look_again(self) -> None:
        """Check that an address that came back serves the same weights as before.

        Raises:
            CallError: something else is served there now, or nothing answers yet.
        """
        for look in self.model.looks:
            served, sentence = await changed(look, self._expected())
            if sentence is not None:
                self._is_out = True
                self._noted(f"{self.address} is left out for good: {sentence}.")
                raise CallError(FailureKind.NETWORK, f"{self.address}: {sentence}", retry=True, scope="absent")
            if not served.reached:
                sentence = f"{self.address} can't be reached; is the server running?"
                raise CallError(FailureKind.NETWORK, sentence, retry=True, scope="absent")

    def _answered(self, sent: float) -> None:
        if self._rests and sent < self._rested:
            return  # it was on its way before the rest
        if self._rests and self._row:
            self._noted(f"{self.address} answers again.")
        self._row = self._rests = 0
        self._was_absent = False

    def _failed(self, error: CallError, sent: float) -> None:
        if error.scope == "call":
            if error.kind != FailureKind.MEDIA:
                self._answered(sent)
            return
        self.failed += 1
        if error.kind == FailureKind.RATE_LIMIT and error.scope != "absent":
            return
        self._row += 1
        self._was_absent = self._was_absent or error.scope == "absent"
        if self._row < FAILURES and error.scope != "absent" and not self._rests:
            return
        if not self._rests and not self._is_out:
            self._noted(f"{error.message}. Other addresses are asked meanwhile.")
        self._rests += 1
        self._rested = time.monotonic()
        self.resting_until = self._rested + min(LONGEST_REST, FIRST_REST * 2.0 ** (self._rests - 1))


LOG = "server.log"
"""Name of its log, in the run's folder."""
END_SECONDS = 15.0
"""The longest time in which it is waited for at the end."""
LAST_LINE_BYTES = 4096


class Server:
    """A server on a free port of this machine.

    Args:
        spec: 'vllm:NAME' or 'sglang:NAME', with further arguments behind it, or a command that has '{port}' in it.

    Attributes:
        url: base URL of its endpoint.
        log: where its words are, once it is started.

    Raises:
        UsageError: the command names no port, or its program isn't there.
    """

    def __init__(self, spec: str) -> None:
        self.port = _free_port()
        self.command = command_of(spec, self.port)
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self.log: Path | None = None
        self._guard: subprocess.Popen[bytes] | None = None

    def start(self, folder: Path) -> bool:
        """Start it, unless that was done; its log goes into the folder.

        Returns:
            True if it was started now.
        """
        if self._guard is not None:
            return False
        self.log = folder / LOG
        self.log.write_bytes(b"")
        guard = Path(__file__).with_name("guard.py")
        self._guard = subprocess.Popen(
            [sys.executable, "-I", str(guard), str(self.log), *self.command], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        return True

    def gone(self) -> str | None:
        """A sentence where it has ended by itself."""
        code = self._guard.poll() if self._guard is not None else None
        if code is None:
            return None
        return f"the server of --serve ended with exit code {code}: {self._last_line()} (all of it: {self.log})."

    def close(self) -> None:
        """End it with its children."""
        if self._guard is None or self._guard.stdin is None:
            return
        self._guard.stdin.close()
        try:
            self._guard.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()

    def _last_line(self) -> str:
        assert self.log is not None
        with self.log.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - LAST_LINE_BYTES))
            lines = file.read().decode("utf-8", "replace").strip().splitlines()
        return " ".join(lines[-1].split())[:300] if lines else "it said nothing"

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def command_of(spec: str, port: int) -> list[str]:
    """The words of the command that a setting asks for.

    Raises:
        UsageError: the command names no port, or its program isn't there.
    """
    kind, colon, rest = spec.partition(":")
    try:
        words = shlex.split(rest if colon and kind in ("vllm", "sglang") else spec)
    except ValueError as error:
        raise UsageError(f"--serve '{spec}' is no command ({error}).") from None
    if colon and kind in ("vllm", "sglang"):
        if not words:
            raise UsageError(f"--serve {spec} names no model; write {kind}:NAME.")
        name, *more = words
        if kind == "vllm":
            program = ["vllm", "serve", name]
            missing = shutil.which("vllm") is None
        else:
            program = [sys.executable, "-m", "sglang.launch_server", "--model-path", name]
            missing = importlib.util.find_spec("sglang") is None
        if missing:
            raise UsageError(f"--serve {spec} needs {kind}, which is not installed here: pip install {kind}.")
        return [*program, "--host", "127.0.0.1", "--port", str(port), *more]
    if not any("{port}" in word for word in words):
        raise UsageError(f"--serve takes vllm:NAME, sglang:NAME or a command that has {{port}} in it, not '{spec}'.")
    if shutil.which(words[0]) is None:
        raise UsageError(f"--serve: there is no program '{words[0]}' on the PATH.")
    return [word.replace("{port}", str(port)) for word in words]


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
