"""The progress of a run, in the terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from tolman.responses import Failure, Outcome
from tolman.runs.run import Started


class RunProgress:
    """A bar with rate, time left, failures, tokens and cost."""

    def __init__(self, progress: Progress, console: Console) -> None:
        self._progress, self._console = progress, console
        self._task: TaskID | None = None
        self._run: Started | None = None
        self._runs: list[Started] = []
        self._failures = 0
        self._drawn = 0.0

    def start(self, run: Started) -> None:
        """Show an empty bar; a judge's comes below its run's."""
        self._run, self._failures = run, 0
        self._runs.append(run)
        self._task = self._progress.add_task(run.what, total=run.calls, state="")

    def done(self, outcome: Outcome) -> None:
        """Count one outcome."""
        if self._task is None or self._run is None:
            return
        if isinstance(outcome, Failure):
            self._failures += 1
        self._progress.advance(self._task)
        if self._console.is_terminal and time.monotonic() > self._drawn + 0.2:
            self._drawn = time.monotonic()
            self._progress.update(self._task, state=self._state(self._run))

    def summary(self) -> None:
        """One line about the calls, where there were any, for each round of them."""
        for run in self._runs:
            if not run.remote:
                continue
            tally = run.tally
            parts = [f"{tally.called:,} calls", f"{tally.reused:,} answers from the store"]
            parts += [f"{tally.retried:,} tried again"] if tally.retried else []
            parts += [f"{tally.input_tokens:,} + {tally.output_tokens:,} tokens"] if tally.input_tokens else []
            if run.priced:
                parts.append(f"cost {tally.cost:.2f}")
            before = "" if run.what == "asking" else f"{run.what}: "
            self._console.print(before + ", ".join(parts), style="dim", highlight=False)

    def _state(self, run: Started) -> str:
        task = next(task for task in self._progress.tasks if task.id == self._task)
        parts = [f"{task.speed:.1f}/s"] if task.speed else []
        if run.tally.input_tokens:
            parts.append(f"{(run.tally.input_tokens + run.tally.output_tokens) / 1000:,.0f}k tokens")
        if run.priced:
            parts.append(f"cost {run.tally.cost:.2f}")
        if self._failures:
            parts.append(f"[red]{self._failures} failed[/]")
        return "  ".join(parts)


@contextmanager
def counting(console: Console) -> Iterator[RunProgress]:
    """A progress bar that disappears when the run is over; nothing where the console is no terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[state]}"),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        shown = RunProgress(progress, console)
        yield shown
    shown.summary()
