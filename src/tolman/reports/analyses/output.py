"""What the analyses share: tables, JSON, lists of ids, steps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as RichTable

from tolman.files import write_text
from tolman.items import Item
from tolman.reports.figures import why_not_drawn
from tolman.reports.terminal import print_wide
from tolman.runs.folder import RunFolder
from tolman.runs.load import load
from tolman.scoring.intervals import Interval
from tolman.scoring.shares import Share


def print_table(
    console: Console, headings: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, title: str | None = None
) -> None:
    """Print a table as wide as it is.

    Args:
        console: where to.
        headings: of the columns.
        rows: of texts, taken as they are.
        left: how many columns hold names; the others hold figures.
        title: above it.
    """
    grid = RichTable(title=title and escape(title), title_justify="left", title_style="bold", box=None, pad_edge=False)
    for i, heading in enumerate(headings):
        grid.add_column(escape(heading), justify="left" if i < left else "right", no_wrap=True)
    for row in rows:
        grid.add_row(*(escape(cell) for cell in row))
    print_wide(console, grid)


def say(console: Console, sentence: str) -> None:
    """Print one line of plain text."""
    console.print(sentence, markup=False, highlight=False, soft_wrap=True)


def write_json(console: Console, content: Any) -> None:
    """Print JSON with unrounded figures."""
    console.file.write(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def reach(interval: Interval | None, digits: int = 1, *, signed: bool = False) -> str:
    """An interval as it is printed; '–' where there is none."""
    if interval is None:
        return "–"
    form = f"{'+' if signed else ''}.{digits}f"
    return f"{interval.low:{form}} … {interval.high:{form}}"


def share_shown(share: Share | None) -> str:
    """A share with its interval, where it has one; '–' where there is none."""
    if share is None:
        return "–"
    interval = f"{reach(share.interval)}, " if share.interval else ""
    return f"{share.value:.1f} % ({interval}n = {share.n:,})"


def say_missing(console: Console, reasons: Iterable[str | None]) -> None:
    """Print why intervals are missing, where some are: one line, with the first reason."""
    said = [reason for reason in reasons if reason]
    if said:
        say(console, f"Where there is no interval: {said[0]}.")


def say_written(console: Console, files: Sequence[Path], *, drawn: bool) -> None:
    """Print what was written, and why figures are not among it.

    Args:
        console: where to.
        files: what was written.
        drawn: whether figures are among it where they can be drawn.
    """
    say(console, f"Written: {', '.join(map(str, files))}.")
    if drawn and (missing := why_not_drawn()):
        say(console, f"Figures are left out. {missing}")


def write_ids(path: Path, ids: Iterable[str]) -> None:
    """Write a list of ids that --ids and --exclude take."""
    write_text(path, "".join(f"{identity}\n" for identity in ids))


def questions(source: str, data: Path | None, subset: str | None) -> tuple[str, list[Item], str]:
    """The items of a run folder, or of a benchmark.

    Returns:
        The benchmark's name, the items, and a label for headings.

    Raises:
        UsageError, InputError: there is no such thing.
    """
    folder = RunFolder(Path(source))
    if (folder.path / "run.json").exists():
        settings = folder.record().settings
        return settings.benchmark, folder.items(), f"{settings.benchmark} {settings.subset} ({source})"
    loaded = load(source, data, subset)
    return source, loaded.items, f"{loaded.benchmark.title} {loaded.subset}"


@contextmanager
def steps(console: Console, what: str, total: int) -> Iterator[Callable[[], None]]:
    """A progress bar on a terminal, nothing elsewhere; calling what is yielded counts one step."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)
