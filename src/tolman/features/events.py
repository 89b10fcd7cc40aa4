"""Events that a use case reports while it runs: its caller shows them, logs them, or passes `silent`.

A use case begins one step after the other; a step that begins ends the one before it. `CallEvents` turns the reports of
`tolman.runs` on model calls into events, for a progress bar and a closing line.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tolman.errors import counted

if TYPE_CHECKING:
    from tolman.responses import Outcome
    from tolman.runs.run import Started


@dataclass(frozen=True)
class Began:
    """A step begins; the one before it is over.

    Attributes:
        what: is done, such as 'reading scenes'.
        total: how many parts it has; None where that isn't known.
    """

    what: str
    total: int | None = None


@dataclass(frozen=True)
class Advanced:
    """Parts of the step are done.

    Attributes:
        count: of parts.
        state: the text next to a bar from now on, such as tokens and cost; None keeps the old text.
    """

    count: int = 1
    state: str | None = None


@dataclass(frozen=True)
class Ended:
    """The step is over, and no other begins yet."""


@dataclass(frozen=True)
class Noted:
    """A sentence about an event on the way.

    Attributes:
        text: the sentence.
        level: 'warning' where the result is incomplete.
    """

    text: str
    level: Literal["info", "warning"] = "info"


Event = Began | Advanced | Ended | Noted
Events = Callable[[Event], None]
"""Called with each event, from the thread that does the work."""


def silent(event: Event) -> None:
    """Ignore an event."""


def told(events: Events) -> Callable[[str, int], None]:
    """Return a function that makes events of calls: with a step and the number of its parts, and with '' and a count
    after some parts."""

    def tell(what: str, count: int) -> None:
        events(Began(what, count) if what else Advanced(count))

    return tell


STATE_SECONDS = 0.2
"""Between two texts beside the bar."""


class CallEvents:
    """The callbacks `started`, `done` and `noted` of `tolman.runs.run.run` and `judge_folder`, as events.

    ```python
    calls = CallEvents(events)
    folder, figures = run(request, started=calls.start, done=calls.done, noted=calls.note)
    calls.end()
    ```
    """

    def __init__(self, events: Events) -> None:
        self._events = events
        self._runs: list[Started] = []
        self._began = self._told = 0.0
        self._done = self._failures = self._remarked = 0

    def start(self, run: Started) -> None:
        """Begin a round of calls: a run's, or its judge's."""
        self._runs.append(run)
        self._done = self._failures = self._remarked = 0
        self._began = self._told = time.monotonic()
        self._events(Began(run.what, run.calls))

    def done(self, outcome: Outcome) -> None:
        """Count one outcome."""
        from tolman.responses import Failure

        self._done += 1
        self._failures += isinstance(outcome, Failure)
        state, now = None, time.monotonic()
        if now > self._told + STATE_SECONDS and self._runs:
            self._told, state = now, self._state(self._runs[-1], now)
        self._events(Advanced(state=state))
        self._remark()

    def note(self, sentence: str) -> None:
        """Report a pause, or another event on the way."""
        self._events(Noted(sentence, "warning"))

    def end(self) -> None:
        """End the last round; a sentence for each round that cost time or money."""
        self._remark()
        self._events(Ended())
        for run in self._runs:
            if run.remote:
                self._events(Noted(summary(run)))

    def _remark(self) -> None:
        """Report the events since the last look."""
        if self._runs:
            remarks = self._runs[-1].tally.remarks
            for text in remarks[self._remarked :]:
                self._events(Noted(text))
            self._remarked = len(remarks)

    def _state(self, run: Started, now: float) -> str:
        parts = [f"{self._done / (now - self._began):.1f}/s"]
        if run.tally.input_tokens:
            parts.append(f"{(run.tally.input_tokens + run.tally.output_tokens) / 1000:,.0f}k tokens")
        if run.priced:
            parts.append(f"cost {'at least ' if run.tally.uncounted else ''}{run.tally.cost:.2f}")
        if self._failures:
            parts.append(f"{self._failures:,} failed")
        return "  ".join(parts)


def summary(run: Started) -> str:
    """A round's calls, tokens and cost so far, on one line."""
    tally = run.tally
    parts = [counted(tally.called, "call"), f"{counted(tally.reused, 'answer')} from the store"]
    parts += [f"{tally.retried:,} tried again"] if tally.retried else []
    parts += [f"{tally.again:,} asked again with more room for reasoning"] if tally.again else []
    least = "at least " if tally.uncounted else ""
    parts += [least + tally.usage.describe()] if tally.usage.is_known else []
    parts += [f"{counted(tally.uncounted, 'reply', 'replies')} without full token counts"] if tally.uncounted else []
    if run.priced:
        parts.append(f"cost {least}{tally.cost:.2f}")
    before = "" if run.what == "asking" else f"{run.what}: "
    return before + ", ".join(parts)
