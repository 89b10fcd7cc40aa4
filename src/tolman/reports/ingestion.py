"""What `tolman ingest` prints."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table as RichTable

from tolman.ingest.build import Ingested, ScansConfig, ingest
from tolman.ingest.summary import NAME, SummaryRow

_LISTED = 40


def ingest_scans(console: Console, order: ScansConfig, out: Path, workers: int, *, as_json: bool) -> Ingested:
    """Ingest scans with a progress bar, then say what became of each.

    Raises:
        UsageError: there is no such format.
        InputError: no scene is there, the folder holds something else, or the corrections can't be read.
        MissingExtraError: a package is missing.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=as_json or not console.is_terminal) as progress:
        task = progress.add_task("reading scans", total=None)
        result = ingest(
            order,
            out,
            workers,
            found=lambda count: progress.update(task, total=count),
            done=lambda _: progress.advance(task),
        )
    if as_json:
        content = {"scenes": [entry.model_dump(mode="json") for entry in result.scenes], "lost": result.lost}
        console.print_json(json.dumps(content))
        return result
    _table(console, result)
    for entry in result.scenes:
        said = [entry.reason] if entry.reason else []
        said += [f"repaired: {one}" for one in entry.repaired] + list(entry.notes)
        for one in said:
            # A refusal names its file, and so needs no id before it.
            line = one if entry.state == "refused" else f"{entry.id}: {one}"
            style = "red" if entry.state == "refused" else "dim"
            console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)
    for one in result.lost:
        console.print(one, style="red", markup=False, highlight=False, soft_wrap=True)
    _end(console, result, out)
    return result


def _table(console: Console, result: Ingested) -> None:
    grid = RichTable(box=None, pad_edge=False)
    for heading in ("scene", "state", "floor m²", "objects", "frames", "complete"):
        left = heading in ("scene", "state")
        grid.add_column(heading, justify="left" if left else "right", no_wrap=True)
    # What needs looking at comes first, then as many of the rest as fit.
    listed = sorted(result.scenes, key=lambda entry: entry.there)[:_LISTED]
    shown = {entry.id for entry in listed}
    for entry in result.scenes:
        if entry.id in shown:
            grid.add_row(*_row(entry))
    console.print(grid)
    if len(result.scenes) > _LISTED:
        console.print(f"… and {len(result.scenes) - _LISTED:,} more", highlight=False)


def _row(entry: SummaryRow) -> tuple[str, ...]:
    state = entry.state + (", repaired" if entry.repaired and entry.there else "")
    complete = "–" if entry.completeness is None else f"{entry.completeness:.0%}"
    if not entry.there:
        return entry.id, state, "–", "–", "–", complete
    area = "–" if entry.area is None else f"{entry.area:.1f}"
    return entry.id, state, area, f"{entry.objects:,}", f"{entry.frames:,}", complete


def _end(console: Console, result: Ingested, out: Path) -> None:
    states = Counter(entry.state for entry in result.scenes)
    repaired = sum(bool(entry.repaired) and entry.there for entry in result.scenes)
    parts = [f"{states[state]:,} {state}" for state in ("new", "kept", "left out", "refused") if states[state]]
    parts += [f"{repaired:,} of them repaired"] if repaired else []
    parts += [f"{result.others:,} from elsewhere"] if result.others else []
    where = out if out.is_absolute() else f"./{out}"
    line = f"{', '.join(parts)}; all of it in {out / NAME}."
    if states["new"] or states["kept"] or result.others:
        line += f" Make questions with 'tolman generate {where} --out BENCH'."
    console.print(line, markup=False, highlight=False, soft_wrap=True)
