"""The batch client sends questions to a provider's batch interface and fetches answers across restarts of a run.

Questions are gathered in files rather than in memory. A batch is sent when it is as large as the provider allows, or
when no question has come for a while: then all of them wait for answers. A folder remembers which questions were left
in which batch:

0003.json       the batch: its name at the provider, its state, the keys of its questions
0003.jsonl      the questions, until the provider has read them
0003.results    their results, a `BatchLine` in each line, once it has ended

`BatchInterface` is the interface of a provider's batches, `Batching` that of a model that is asked through them.
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from tolman.errors import InputError, counted
from tolman.files import atomic_write, write_text
from tolman.models.identity import AtAddresses
from tolman.models.model import CallError, Model, Request
from tolman.responses import FailureKind, Response

IN_BATCH = "answered in a batch"
"""Note of a response that came out of a batch."""
PRICE_SHARE = 0.5
"""What its tokens cost at OpenAI and Anthropic, of their price in a call by itself."""


@dataclass(frozen=True)
class Pace:
    """Waiting times of batches.

    Attributes:
        quiet: seconds without a new question after which the gathered ones are sent.
        look, longest_look: seconds between two looks at the state of batches, at first and at most.
        retry: seconds before a batch is sent again that wasn't taken, doubled each time.
        most_batches: left at a time.
    """

    quiet: float = 10.0
    look: float = 10.0
    longest_look: float = 60.0
    retry: float = 2.0
    most_batches: int = 50


@dataclass(frozen=True)
class BatchLine:
    """The result of one question of a batch.

    Attributes:
        key: its own, as it was sent.
        status: of HTTP; 0 where it was never asked.
        content: the body, as the same call by itself would have brought it; in words where it was never asked.
    """

    key: str
    status: int
    content: str


@dataclass(frozen=True)
class BatchState:
    """The state of a batch.

    Attributes:
        state: 'working'; 'ended', where there are results, be it of a part; 'refused', where nothing was asked; 'gone',
            where the provider knows no such batch.
        reason: why it was refused or is gone.
        is_full: whether it was refused since too much is waiting already, so that it may be sent again later.
        is_read: whether its file isn't needed any more.
    """

    state: Literal["working", "ended", "refused", "gone"]
    reason: str = ""
    is_full: bool = False
    is_read: bool = True


class BatchInterface(Protocol):
    """A provider's batches. All methods raise CallError where the provider can't be reached or refuses.

    Attributes:
        most_requests, most_bytes: of one batch.
    """

    most_requests: int
    most_bytes: int

    def line(self, key: str, body: dict[str, Any]) -> dict[str, Any]:
        """Return a question as written in a batch's file."""
        ...

    async def submit(self, path: Path, token: str) -> str:
        """Leave a file of questions, a JSON object in each line.

        Args:
            path: of the file.
            token: by which `find` knows it again, where the provider keeps such a thing.

        Returns:
            The provider's name for the batch.
        """
        ...

    async def find(self, token: str, count: int, since: float, others: Collection[str]) -> str | None:
        """The name of a batch that was perhaps left: the answer to `submit` was never read.

        Args:
            token: as it was given to `submit`.
            count: of its questions.
            since: seconds since 1970 before which it wasn't.
            others: names of batches that it isn't.
        """
        ...

    async def state(self, name: str) -> BatchState:
        """Return the state of a batch."""
        ...

    def results(self, name: str) -> AsyncIterator[BatchLine]:
        """Return the results of its questions, in any order."""
        ...


@runtime_checkable
class Batching(AtAddresses, Model, Protocol):
    """A model at addresses that can be asked through a batch interface too."""

    def batches(self) -> BatchInterface:
        """The interface, which uses the model's connections."""
        ...

    def body_of(self, request: Request) -> tuple[dict[str, Any], list[str]]:
        """Return a request's body, and notes on its differences from the request. Reads the pictures.

        Raises:
            OSError: a picture can't be read.
            CallError: the model takes no such thing.
        """
        ...

    def read(self, request: Request, status: int, content: str, notes: Sequence[str]) -> Response:
        """The response that a body holds.

        Raises:
            CallError: it holds none.
        """
        ...


Stage = Literal["gathering", "sending", "left", "ended"]


@dataclass(eq=False)
class KeptBatch:
    """A batch with files in the folder.

    Attributes:
        place: its files' path without a suffix.
        stage: 'gathering' questions; 'sending' them, so that the provider may have them; 'left' there; 'ended'.
        token: a text of its own.
        since: seconds since 1970 before which it wasn't sent.
        name: the provider's for it; None before it is known.
        keys: of the questions that may still be asked for.
        notes: key → differences between the request and the question sent.
    """

    place: Path
    stage: Stage = "gathering"
    token: str = field(default_factory=lambda: uuid.uuid4().hex)
    since: float = 0.0
    name: str | None = None
    keys: dict[str, None] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)

    @property
    def questions(self) -> Path:
        """The file of its questions."""
        return self.place.with_suffix(".jsonl")

    @property
    def results(self) -> Path:
        """The file of results."""
        return self.place.with_suffix(".results")

    def write(self, stage: Stage | None = None) -> None:
        """Write its state."""
        if stage is not None:
            self.stage = stage
        if stage == "sending":
            self.since = time.time()
        record = asdict(self) | {"keys": list(self.keys)}
        del record["place"]
        write_text(self.place.with_suffix(".json"), json.dumps(record, indent=1) + "\n")

    def remove(self) -> None:
        """Forget it."""
        for suffix in (".json", ".jsonl", ".results"):
            self.place.with_suffix(suffix).unlink(missing_ok=True)

    def write_results(self, lines: Iterable[BatchLine]) -> None:
        """Write the results of its questions."""
        with atomic_write(self.results) as partial, partial.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(line)) + "\n" for line in lines)
        self.write("ended")
        self.questions.unlink(missing_ok=True)

    def read_results(self) -> Iterator[BatchLine]:
        """Return the results of the questions that may still be asked for.

        Raises:
            InputError: the file was damaged.
        """
        try:
            with self.results.open(encoding="utf-8") as file:
                for text in file:
                    line = BatchLine(**json.loads(text))
                    if line.key in self.keys:
                        yield line
        except (OSError, ValueError, TypeError) as error:
            fix = "remove it, and the questions are asked again"
            raise InputError(self.results, f"can't be read ({error})", fix=fix) from None


def kept_batches(folder: Path) -> list[KeptBatch]:
    """Return the batches that an earlier start of the run left in its folder, and remove unsent ones.

    Raises:
        InputError: a file was damaged.
    """
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            record["keys"] = dict.fromkeys(record["keys"])
            batch = KeptBatch(path.with_suffix(""), **record)
        except (OSError, ValueError, TypeError, KeyError) as error:
            fix = "remove it, and its questions are asked again"
            raise InputError(path, f"is no record of a batch ({error})", fix=fix) from None
        if batch.stage == "gathering":
            batch.remove()
        else:
            found.append(batch)
    known = {batch.questions for batch in found}
    for path in folder.glob("*.jsonl"):
        if path not in known:
            path.unlink()
    return found


def next_place(folder: Path) -> Path:
    """Return the path for the files of another batch."""
    used = [int(path.stem) for path in folder.iterdir() if path.stem.isdigit()]
    return folder / f"{max(used, default=0) + 1:04d}"


SEND_TRIES = 6
Answered = tuple[KeptBatch, BatchLine]


class BatchClient:
    """Batches of one run at one provider.

    Args:
        interface: opens the provider's.
        url: of the provider, for sentences.
        pace: how long is waited.

    Attributes:
        noted: called with a sentence.
        sent, questions: batches that were left since the run was started, and questions in them.
    """

    def __init__(self, interface: Callable[[], BatchInterface], url: str, pace: Pace) -> None:
        self.noted: Callable[[str], None] = lambda sentence: None
        self.sent = self.questions = 0
        self._open_interface, self._url, self._pace = interface, url, pace
        self._opened: BatchInterface | None = None
        self._folder = Path()
        self._open: list[KeptBatch] = []  # left there, or about to be
        self._ended: dict[str, Answered] = {}  # by key
        self._waiting: dict[str, asyncio.Future[Answered]] = {}
        self._gathering: KeptBatch | None = None
        self._size = 0  # bytes gathered
        self._busy: set[KeptBatch] = set()  # that are gathered, or sent by a task
        self._failed: set[KeptBatch] = set()  # of which a failure was told
        self._over: Exception | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._watching: asyncio.Task[None] | None = None

    def keep_in(self, folder: Path) -> None:
        """Remember batches in a folder, and those that are remembered there.

        Raises:
            InputError: a file there was damaged.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        for batch in kept_batches(folder):
            if batch.stage == "ended":
                self._ended |= {line.key: (batch, line) for line in batch.read_results()}
            else:
                self._open.append(batch)

    def has(self, key: str) -> bool:
        """Check whether a question was added before."""
        return key in self._ended or any(key in batch.keys for batch in self._open)

    @property
    def interface(self) -> BatchInterface:
        """The provider's."""
        if self._opened is None:
            self._opened = self._open_interface()
        return self._opened

    def add(self, key: str, line: bytes, notes: list[str]) -> None:
        """Put a question into the batch that is being gathered.

        Args:
            key: its own.
            line: as written in the batch's file.
            notes: on its differences from the request.
        """
        interface, batch = self.interface, self._gathering
        if batch is None or len(batch.keys) >= interface.most_requests or self._size + len(line) > interface.most_bytes:
            self._send()
            batch = self._gathering = KeptBatch(next_place(self._folder))
            batch.write()
            self._busy.add(batch)
            self._open.append(batch)
            self._size = 0
        with batch.questions.open("ab") as file:
            file.write(line)
        self._size += len(line)
        batch.keys[key] = None
        if notes:
            batch.notes[key] = notes
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._pace.quiet, self._send)

    async def answer(self, key: str) -> Answered:
        """Return the result of a question that was added.

        Raises:
            CallError: the provider can't be asked, or wouldn't take it; its scope is 'lasting'.
        """
        if self._over is not None:
            raise self._over
        if key in self._ended:
            return self._ended.pop(key)
        self._waiting[key] = asyncio.get_running_loop().create_future()
        self._watch()
        try:
            found = await self._waiting[key]
            self._ended.pop(key, None)
            return found
        finally:
            del self._waiting[key]

    def forget(self, batch: KeptBatch, key: str) -> None:
        """Forget a question whose failure was reported: the next start of the run asks it again."""
        batch.keys.pop(key, None)
        self._failed.add(batch)

    async def close(self) -> None:
        """Stop waiting; batches left at the provider stay there."""
        if self._timer is not None:
            self._timer.cancel()
        tasks = [*self._tasks, *([self._watching] if self._watching else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for batch in self._open:
            if batch.stage == "gathering":
                batch.remove()
        for batch in self._failed:
            if batch.stage == "ended":
                batch.write()
        left = [len(batch.keys) for batch in self._open if batch.stage in ("sending", "left")]
        if left:
            batches = counted(len(left), "batch", "batches")
            self.noted(
                f"{counted(sum(left), 'question is', 'questions are')} at {self._url} in {batches}; the same command "
                "comes back for their answers."
            )

    def _send(self) -> None:
        """Begin to send the gathered questions."""
        batch, self._gathering = self._gathering, None
        if batch is not None:
            self._begin(batch)

    def _begin(self, batch: KeptBatch, pause: float = 0.0) -> None:
        """Send a batch in a task of its own, after a pause."""
        self._busy.add(batch)
        task = asyncio.get_running_loop().create_task(self._leave(batch, pause))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _leave(self, batch: KeptBatch, pause: float) -> None:
        """Leave a batch at the provider."""
        try:
            await asyncio.sleep(pause)
            while sum(one.stage == "left" for one in self._open) >= self._pace.most_batches:
                await asyncio.sleep(self._pace.look)
            batch.write("sending")
            batch.name = await self._submitted(batch)
            batch.write("left")
        except CallError as error:
            batch.remove()
            self._open.remove(batch)
            self._end(error)
            return
        except Exception as error:  # nobody waits for this task, and whoever waits for its answers must hear
            self._end(error)
            return
        finally:
            self._busy.discard(batch)
        if not self.sent:
            self.noted(
                f"Questions are left at {self._url} in batches, which may take a day. Ctrl-C leaves them there, and "
                "the same command comes back for their answers."
            )
        self.sent += 1
        self.questions += len(batch.keys)

    async def _submitted(self, batch: KeptBatch) -> str:
        """The provider's name of a batch, which is sent until it is taken.

        Raises:
            CallError: it isn't taken.
        """
        tries = 0
        while True:
            try:
                return await self.interface.submit(batch.questions, batch.token)
            except CallError as error:
                tries += 1
                if not error.retry or tries == SEND_TRIES:
                    raise
                await asyncio.sleep(error.after or self._pace.retry * 2.0 ** (tries - 1))
                if found := await self._found(batch):  # only the answer was lost
                    return found

    async def _found(self, batch: KeptBatch) -> str | None:
        """The name of a batch that the provider perhaps has.

        Raises:
            CallError: it can't be asked.
        """
        everyone = [*self._open, *(one for one, _ in self._ended.values())]
        others = {one.name for one in everyone if one.name}
        return await self.interface.find(batch.token, len(batch.keys), batch.since, others)

    def _watch(self) -> None:
        """Poll the state of batches, while there are any."""
        if self._watching is None or self._watching.done():
            self._watching = asyncio.get_running_loop().create_task(self._look())

    async def _look(self) -> None:
        """Fetch batches that have ended, until none is waited for."""
        pause, is_told = self._pace.look, False
        while self._open:
            await asyncio.sleep(pause)
            pause = min(self._pace.longest_look, pause * 1.5)
            for batch in [one for one in self._open if one not in self._busy]:
                try:
                    if await self._look_at(batch):
                        pause = self._pace.look
                    is_told = False
                except CallError as error:
                    if not error.retry:
                        self._end(error)
                        return
                    if not is_told:
                        self.noted(f"{error.message}. It is looked at again.")
                        is_told = True
                except Exception as error:  # as in `_leave`
                    self._end(error)
                    return

    async def _look_at(self, batch: KeptBatch) -> bool:
        """Look at one batch; whether anything has changed."""
        if batch.name is None:  # an earlier start was stopped while it sent it
            batch.name = await self._found(batch)
            if batch.name is None:
                self._again(batch, "it was lost on its way", 0.0)
                return True
            batch.write("left")
        state = await self.interface.state(batch.name)
        if state.state == "refused":
            if not state.is_full:
                self._open.remove(batch)
                batch.remove()
                raise CallError(FailureKind.REFUSED, state.reason, retry=False)
            self._again(batch, state.reason, self._pace.longest_look)
            return True
        if state.state == "gone":
            self._lose(batch, state.reason)
            return True
        if state.is_read:
            batch.questions.unlink(missing_ok=True)
        if state.state != "ended":
            return False
        lines = [line async for line in self.interface.results(batch.name) if line.key in batch.keys]
        there = {line.key for line in lines}
        lost = f"{self._url} has no result of it"
        lines += [BatchLine(key, 0, lost) for key in batch.keys if key not in there]
        await asyncio.to_thread(batch.write_results, lines)
        self._take(batch, lines)
        return True

    def _again(self, batch: KeptBatch, reason: str, pause: float) -> None:
        """Send a batch once more, if the file of its questions still exists."""
        if batch.questions.exists():
            batch.name = None
            batch.write("sending")
            self._begin(batch, pause)
        else:
            self._lose(batch, reason)

    def _lose(self, batch: KeptBatch, reason: str) -> None:
        """Notify the waiters of a batch that it brings no result."""
        batch.remove()
        self._take(batch, [BatchLine(key, 0, reason.rstrip(".")) for key in batch.keys])

    def _take(self, batch: KeptBatch, lines: Sequence[BatchLine]) -> None:
        """Pass the results of an ended batch to its waiters."""
        self._open.remove(batch)
        for line in lines:
            self._ended[line.key] = (batch, line)
            waiting = self._waiting.get(line.key)
            if waiting is not None and not waiting.done():
                waiting.set_result((batch, line))

    def _end(self, error: Exception) -> None:
        """Notify all waiters that the provider can't be asked; batches left there stay there."""
        if isinstance(error, CallError):
            error = CallError(error.kind, error.message, retry=False, scope="lasting")
        self._over = error
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(error)
