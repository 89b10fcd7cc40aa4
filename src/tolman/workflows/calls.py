"""Calls of models as events: what `tolman.runs` reports of them, for a bar and a line about what they came to."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tolman.workflows.events import Advanced, Began, Ended, Events, Noted

if TYPE_CHECKING:
    from tolman.responses import Outcome
    from tolman.runs.run import Started

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
        """Tell of a pause, or of whatever else is met on the way."""
        self._events(Noted(sentence, "warning"))

    def end(self) -> None:
        """End the last round; a sentence for each round that cost time or money."""
        self._remark()
        self._events(Ended())
        for run in self._runs:
            if run.remote:
                self._events(Noted(_summary(run)))

    def _remark(self) -> None:
        """Tell what was met since the last look."""
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
            parts.append(f"cost {run.tally.cost:.2f}")
        if self._failures:
            parts.append(f"{self._failures:,} failed")
        return "  ".join(parts)


def _summary(run: Started) -> str:
    tally = run.tally
    parts = [f"{tally.called:,} calls", f"{tally.reused:,} answers from the store"]
    parts += [f"{tally.retried:,} tried again"] if tally.retried else []
    parts += [f"{tally.again:,} asked again with more room for reasoning"] if tally.again else []
    parts += [tally.usage.describe()] if tally.input_tokens else []
    if run.priced:
        parts.append(f"cost {tally.cost:.2f}")
    before = "" if run.what == "asking" else f"{run.what}: "
    return before + ", ".join(parts)
