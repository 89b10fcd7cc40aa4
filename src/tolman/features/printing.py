"""Tables, sentences and progress in the terminal."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
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
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from tolman.features.events import Advanced, Began, Ended, Event, Events, Noted
from tolman.runtime import HEAD_START
from tolman.storage.object_store import with_urls
from tolman.visible import visible, visible_json

WIDTH = 100
"""Characters that a wide table gets at least: figures would be cut off on fewer."""
SECONDS_APART = 30.0
"""Seconds between two lines about a step where no bar is shown."""


def say(console: Console, text: str, style: str = "") -> None:
    """Print a sentence: no markup, no colours of its own, and no line breaks that could cut a command or a path."""
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def plain_table(headings: Sequence[str], *, left: Collection[str] = (), whole: Collection[str] | None = None) -> Table:
    """An empty table without borders.

    Args:
        headings: of its columns.
        left: columns of text; the others are figures and aligned to the right.
        whole: columns that are never broken into lines; the first where None.
    """
    grid = Table(box=None, pad_edge=False)
    for heading in headings:
        unbroken = heading in (headings[:1] if whole is None else whole)
        grid.add_column(heading, justify="left" if heading in left else "right", no_wrap=unbroken)
    return grid


def list_first(console: Console, lines: Sequence[str], most: int, style: str = "") -> None:
    """Print the first lines, and how many more there are."""
    for line in lines[:most]:
        say(console, line, style)
    if len(lines) > most:
        say(console, f"… and {len(lines) - most:,} more", style)


def write_json(console: Console, content: Any, *, ascii_only: bool = True) -> None:
    """Print JSON, never wrapped or coloured; in ASCII where the terminal has no other signs."""
    ascii_only = ascii_only or not console.encoding.startswith("utf")
    console.file.write(visible_json(json.dumps(content, indent=2, ensure_ascii=ascii_only)) + "\n")


def typed(folder: Path) -> str:
    """A folder as it is to be typed where a name could be meant too."""
    return str(folder) if folder.is_absolute() else f"./{folder}"


_STYLES = {"info": "dim", "warning": "yellow"}


@contextmanager
def progress(console: Console | None = None) -> Iterator[Events]:
    """Show events: a bar for the step that goes on, gone when it is over, and a line for each note.

    ```python
    with progress() as events:
        result = simulate(config, events)
    ```

    Args:
        console: where to; the standard error stream where None. Notes are shown everywhere, bars in terminals only;
            elsewhere a step that takes long has a line each half a minute.
    """
    shown = console or TextConsole(stderr=True)
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
        bar = _Bar(bars, shown)
        if shown.is_terminal:
            yield bar
            return
        over = threading.Event()
        threading.Thread(target=bar.log, args=(over,), daemon=True).start()
        try:
            yield bar
        finally:
            over.set()


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

    def log(self, over: threading.Event) -> None:
        """Print a line about a step that takes long, now and then, even where nothing of it is done yet."""
        while not over.wait(SECONDS_APART):
            for step in self._bars.tasks:
                if (step.elapsed or 0.0) < SECONDS_APART:
                    continue
                of = f" of {step.total:,.0f}" if step.total is not None else ""
                state = f" ({step.fields['state']})" if step.fields["state"] else ""
                say(self._console, f"{step.description}: {step.completed:,.0f}{of} after {step.elapsed:,.0f} s{state}")

    def _end(self) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None


class _Count(MofNCompleteColumn):
    """How many of how many; nothing for a step that isn't counted."""

    def render(self, task: Task) -> Text:
        return super().render(task) if task.total is not None or task.completed else Text()


class _TimeLeft(TimeRemainingColumn):
    """The time left, where known."""

    def render(self, task: Task) -> Text:
        return super().render(task) if task.total is not None else Text()


LATER = (
    "tolman.runs.run_scoring",
    "tolman.features.run.render",
    "tolman.reports.report_pages",
)
"""What scores, prints and writes a run, in the order in which it is needed."""


def importing_meanwhile(events: Events) -> Events:
    """The same events, with the first step's begin as the sign to import `LATER` in a thread a moment later."""
    begun = threading.Event()

    def told(event: Event) -> None:
        if isinstance(event, Began) and not begun.is_set():
            begun.set()
            threading.Thread(target=_import, name="import", daemon=True).start()
        events(event)

    return told


def _import() -> None:
    time.sleep(HEAD_START)
    for name in LATER:
        with suppress(ImportError):  # told where it is needed
            import_module(name)


class TextConsole(Console):
    """A console for texts that others wrote, such as responses and options.

    Texts name a place on an object store by its URL, not by its mirror. A name such as 'model:a:' keeps its colons.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(emoji=False, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """Make a text of a string."""
        return super().render_str(visible(with_urls(text)), **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Make segments of anything that can be printed; those that steer the terminal are Rich's own."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))
