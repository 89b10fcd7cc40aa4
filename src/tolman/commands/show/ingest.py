"""What `tolman ingest` prints, of scans and of media pools."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Console

from tolman.commands.show.printing import list_first, say, table, typed, write_json

if TYPE_CHECKING:
    from tolman.ingest.summary import SummaryRow
    from tolman.workflows.ingest import IngestResult
    from tolman.workflows.pool import PoolResult

_SCENES = 40
"""Scenes that are listed."""
_FILES = 20
"""Files of a pool that are listed."""


def show_ingested(console: Console, result: IngestResult, *, as_json: bool) -> None:
    """What became of each scan."""
    if as_json:
        scenes = [entry.model_dump(mode="json") for entry in result.scenes]
        write_json(console, {"scenes": scenes, "lost": result.lost})
        return
    _table(console, result)
    for entry in result.scenes:
        said = [entry.reason] if entry.reason else []
        said += [f"repaired: {one}" for one in entry.repaired] + list(entry.notes)
        for one in said:
            # A refusal names its file, and so needs no id before it.
            line = one if entry.state == "refused" else f"{entry.id}: {one}"
            say(console, line, "red" if entry.state == "refused" else "dim")
    for one in result.lost:
        say(console, one, "red")
    _end(console, result)


def _table(console: Console, result: IngestResult) -> None:
    headings = ("scene", "state", "floor m²", "objects", "frames", "complete")
    grid = table(headings, left=("scene", "state"), whole=headings)
    # What needs looking at comes first, then as many of the rest as fit.
    listed = sorted(result.scenes, key=lambda entry: entry.there)[:_SCENES]
    shown = {entry.id for entry in listed}
    for entry in result.scenes:
        if entry.id in shown:
            grid.add_row(*_row(entry))
    console.print(grid)
    if len(result.scenes) > _SCENES:
        say(console, f"… and {len(result.scenes) - _SCENES:,} more")


def _row(entry: SummaryRow) -> tuple[str, ...]:
    state = entry.state + (", repaired" if entry.repaired and entry.there else "")
    complete = "–" if entry.completeness is None else f"{entry.completeness:.0%}"
    if not entry.there:
        return entry.id, state, "–", "–", "–", complete
    area = "–" if entry.area is None else f"{entry.area:.1f}"
    return entry.id, state, area, f"{entry.objects:,}", f"{entry.frames:,}", complete


def _end(console: Console, result: IngestResult) -> None:
    from tolman.ingest.summary import NAME

    states = Counter(entry.state for entry in result.scenes)
    repaired = sum(bool(entry.repaired) and entry.there for entry in result.scenes)
    parts = [f"{states[state]:,} {state}" for state in ("new", "kept", "left out", "refused") if states[state]]
    parts += [f"{repaired:,} of them repaired"] if repaired else []
    parts += [f"{result.others:,} from elsewhere"] if result.others else []
    line = f"{', '.join(parts)}; all of it in {result.out / NAME}."
    if states["new"] or states["kept"] or result.others:
        line += f" Make questions with 'tolman generate {typed(result.out)} --out BENCH'."
    say(console, line)


def show_pooled(console: Console, result: PoolResult, *, as_json: bool) -> None:
    """What came of bringing media in."""
    if as_json:
        content = {
            "media": len(result.media),
            "added": [medium.path for medium in result.added],
            "kept": result.kept,
            "duplicates": {medium.path: medium.duplicate_of for medium in result.duplicates},
            "left_out": {one.file: one.reason for one in result.left_out},
            "others": result.others,
        }
        write_json(console, content)
        return
    list_first(console, [f"{m.path}: the same bytes as {m.duplicate_of}" for m in result.duplicates], _FILES, "dim")
    list_first(console, [f"{one.file}: {one.reason}" for one in result.left_out], _FILES, "red")
    kinds = [_counted(sum(m.kind == kind for m in result.media), kind) for kind in ("image", "video")]
    groups = _counted(len({(medium.source, medium.group) for medium in result.media}), "group")
    parts = [f"{len(result.added):,} new", f"{result.kept:,} kept"]
    parts += [f"{len(result.duplicates):,} of them duplicates"] if result.duplicates else []
    parts += [f"{len(result.left_out):,} left out (left_out.json)"] if result.left_out else []
    parts += [_counted(result.others, "other file")] if result.others else []
    say(console, f"{result.out}: {' and '.join(kinds)} in {groups}; {', '.join(parts)}.")
    if not result.licence and result.added:
        said = "No licence was named: say it with --licence before questions about these media are published."
        say(console, said, "yellow")


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
