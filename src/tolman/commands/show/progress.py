"""Events as a progress bar on the standard error stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from tolman.workflows.events import Advanced, Began, Ended, Event, Events, Noted

_STYLES = {"info": "dim", "warning": "yellow"}


@contextmanager
def progress(console: Console | None = None) -> Iterator[Events]:
    """Show events: a bar for the step that goes on, gone when it is over, and a line for each note.

    ```python
    with progress() as events:
        result = simulate(config, events)
    ```

    Args:
        console: where to; the standard error stream where None. Bars stand in terminals only, notes everywhere.
    """
    shown = console or Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        _Count(),
        TimeElapsedColumn(),
        _TimeLeft(),
        TextColumn("{task.fields[state]}", markup=False),
    )
    with Progress(*columns, console=shown, transient=True, disable=not shown.is_terminal) as bars:
        yield _Bar(bars, shown)


class _Bar:
    """Has at most one bar."""

    def __init__(self, bars: Progress, console: Console) -> None:
        self._bars, self._console = bars, console
        self._task: TaskID | None = None

    def __call__(self, event: Event) -> None:
        match event:
            case Began(what, total):
                self._end()
                self._task = self._bars.add_task(what, total=total, state="")
            case Advanced(count, state):
                if self._task is not None:
                    self._bars.advance(self._task, count)
                    if state is not None:
                        self._bars.update(self._task, state=state)
            case Ended():
                self._end()
            case Noted(text, level):
                self._console.print(text, style=_STYLES[level], markup=False, highlight=False, soft_wrap=True)

    def _end(self) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None


class _Count(MofNCompleteColumn):
    """How many of how many; nothing for a step that isn't counted."""

    def render(self, task: Task) -> Text:
        return super().render(task) if task.total is not None or task.completed else Text()


class _TimeLeft(TimeRemainingColumn):
    """The time left, where it can be told."""

    def render(self, task: Task) -> Text:
        return super().render(task) if task.total is not None else Text()
