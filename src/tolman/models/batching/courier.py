"""A courier carries questions to a provider's batch interface and their answers back, over the restarts of a run.

Questions are gathered, in files rather than in memory. A batch is sent when it is as large as the provider allows, or
when no question has come for a while: then all of them wait for answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from tolman.models.base import CallError
from tolman.models.batching.interface import BatchInterface, BatchLine, Pace
from tolman.models.batching.kept import KeptBatch, kept_batches, next_place
from tolman.responses import FailureKind

SEND_TRIES = 6
Answered = tuple[KeptBatch, BatchLine]


class Courier:
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
        """Whether a question was carried away before."""
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
            line: as it stands in the batch's file.
            notes: on what in it isn't as it was asked for.
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
        """What became of a question that was carried away.

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
        """A question failed and that was told: the next start of the run asks it anew."""
        batch.keys.pop(key, None)
        self._failed.add(batch)

    async def close(self) -> None:
        """Stop waiting; what was left at the provider stays there."""
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
            batches = "1 batch" if len(left) == 1 else f"{len(left)} batches"
            self.noted(
                f"{sum(left):,} questions are at {self._url} in {batches}; the same command comes back for their "
                "answers."
            )

    def _send(self) -> None:
        """Begin to send what was gathered."""
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
        """Look at how batches stand, while there are any."""
        if self._watching is None or self._watching.done():
            self._watching = asyncio.get_running_loop().create_task(self._look())

    async def _look(self) -> None:
        """Fetch what has ended, until nothing is waited for."""
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
        """Send a batch once more, where its questions are still at hand."""
        if batch.questions.exists():
            batch.name = None
            batch.write("sending")
            self._begin(batch, pause)
        else:
            self._lose(batch, reason)

    def _lose(self, batch: KeptBatch, reason: str) -> None:
        """Tell those who wait for a batch that nothing comes of it."""
        batch.remove()
        self._take(batch, [BatchLine(key, 0, reason.rstrip(".")) for key in batch.keys])

    def _take(self, batch: KeptBatch, lines: Sequence[BatchLine]) -> None:
        """Give those who wait what came of a batch that has ended."""
        self._open.remove(batch)
        for line in lines:
            self._ended[line.key] = (batch, line)
            waiting = self._waiting.get(line.key)
            if waiting is not None and not waiting.done():
                waiting.set_result((batch, line))

    def _end(self, error: Exception) -> None:
        """Tell everyone who waits that the provider can't be asked; what was left there stays there."""
        if isinstance(error, CallError):
            error = CallError(error.kind, error.message, retry=False, scope="lasting")
        self._over = error
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(error)
