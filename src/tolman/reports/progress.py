"""The progress of a run, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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


class RunProgress:
    """A bar with rate, time left and failures."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None
        self._failures = 0

    def start(self, calls: int, folder: Path) -> None:
        """Show an empty bar."""
        self._task = self._progress.add_task("asking", total=calls, failures="")

    def done(self, outcome: Outcome) -> None:
        """Count one outcome."""
        if self._task is None:
            return
        if isinstance(outcome, Failure):
            self._failures += 1
        failed = f"[red]{self._failures} failed" if self._failures else ""
        self._progress.update(self._task, advance=1, failures=failed)


@contextmanager
def counting(console: Console) -> Iterator[RunProgress]:
    """A progress bar that disappears when the run is over."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failures]}"),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield RunProgress(progress)
