"""Ingested scenes, media pools and measurements in the terminal."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tolman.errors import counted
from tolman.features.printing import list_first, plain_table, say, typed, write_json
from tolman.ingest.build import NAME, SummaryRow
from tolman.reports.scene_pages import HEADINGS, cells, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolman.features.report.compute import ScenesResult
    from tolman.features.scenes.compute import CheckedScan, IngestResult, PoolResult
    from tolman.geometry.measuring import Measurement


_SCENES = 40
"""Scenes that are listed."""
_FILES = 20
"""Files of a pool that are listed."""


def show_ingested(console: Console, result: IngestResult, *, as_json: bool) -> None:
    """Print the state of each scan."""
    if as_json:
        scenes = [entry.model_dump(mode="json") for entry in result.scenes]
        write_json(console, {"scenes": scenes, "lost": result.lost})
        return
    for line in result.recognised.lines() if result.recognised else ():
        say(console, line)
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
    grid = plain_table(headings, left=("scene", "state"), whole=headings)
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
    states = Counter(entry.state for entry in result.scenes)
    repaired = sum(bool(entry.repaired) and entry.there for entry in result.scenes)
    parts = [f"{states[state]:,} {state}" for state in ("new", "kept", "left out", "refused") if states[state]]
    parts += [f"{repaired:,} of them repaired"] if repaired else []
    parts += [f"{result.others:,} from elsewhere"] if result.others else []
    line = f"{', '.join(parts)}; all of it in {result.out / NAME}."
    if states["new"] or states["kept"] or result.others:
        only_poses = not any(entry.objects for entry in result.scenes) and not result.others
        preset = " --preset posed-video" if only_poses else ""
        line += f" Make questions with 'tolman generate {typed(result.out)}{preset} --out BENCH'."
    say(console, line)


def show_pooled(console: Console, result: PoolResult, *, as_json: bool) -> None:
    """Print the result of adding media to a pool."""
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
    kinds = [counted(sum(m.kind == kind for m in result.media), kind) for kind in ("image", "video")]
    alone = sum(not medium.group for medium in result.media)
    groups = counted(len({medium.scene for medium in result.media if medium.group}), "group")
    parts = [f"{len(result.added):,} new", f"{result.kept:,} kept"]
    parts += (
        [f"{counted(len(result.duplicates), 'of them a duplicate', 'of them duplicates')}"] if result.duplicates else []
    )
    parts += [f"{len(result.left_out):,} left out (left_out.json)"] if result.left_out else []
    parts += [counted(result.others, "other file")] if result.others else []
    say(console, f"{result.out}: {' and '.join(kinds)} in {groups}; {', '.join(parts)}.")
    if alone:
        said = (
            f"{counted(alone, 'file')} in no group: each counts as a scene of its own. Frames of one sequence need a "
            "folder of their own below the one that is given, or --groups."
        )
        say(console, said)
    if not result.licence and result.added:
        said = "No licence was named: say it with --licence before questions about these media are published."
        say(console, said, "yellow")


_LISTED = 40
"""Scenes that are listed; the page has all."""


def show_collection(console: Console, result: ScenesResult, *, as_json: bool) -> None:
    """Print a row for each scene, the skipped parts, and the path of the page."""

    if as_json:
        skipped = [{"scene": one.scene, "reason": one.reason} for one in result.skipped]
        write_json(console, {"scenes": result.rows, "skipped": skipped})
        return
    grid = Table(box=None, pad_edge=False)
    for heading in HEADINGS:
        left = heading == "scene"
        grid.add_column(heading, justify="left" if left else "right", no_wrap=not left, overflow="fold")
    for row in result.rows[:_LISTED]:
        grid.add_row(*(Text(cell) for cell in cells(row)))
    console.print(grid)
    if len(result.rows) > _LISTED:
        say(console, f"… and {len(result.rows) - _LISTED:,} more")
    for one in result.skipped:
        say(console, f"skipped: {plain(one.scene)}: {one.reason}", "yellow")
    totals = f"{counted(len(result.rows), 'scene')}, {counted(sum(row['objects'] for row in result.rows), 'object')}"
    unreviewed = sum(row["unreviewed"] for row in result.rows)
    totals += f", {unreviewed:,} of them lifted from marks and in need of review" if unreviewed else ""
    say(console, f"{totals}: {result.page}." if result.page is not None else f"{totals}.")


def show_checked(console: Console, scans: Sequence[CheckedScan], *, as_json: bool) -> None:
    """Print the mistakes of each scan with their evidence."""
    if as_json:
        write_json(console, {"scans": [_as_row(scan) for scan in scans]})
        return
    for scan in scans:
        for line in _lines(scan):
            say(console, line, "dim" if scan.state == "right" else "green" if scan.state == "fixed" else "red")
    states = Counter(scan.state for scan in scans)
    say(console, f"{counted(len(scans), 'scan')}: {', '.join(f'{n:,} {state}' for state, n in states.items())}.")
    if states["mistake"]:
        say(console, "Write a corrected copy with --fix DIR.")


def _lines(scan: CheckedScan) -> list[str]:
    if scan.refused or scan.diagnosis is None:
        return [scan.refused]
    found = scan.diagnosis
    lines = [f"{scan.path}: {one.statement} ({'; '.join(one.evidence)})" for one in found.findings]
    if found.ties:
        several = " or ".join(one.statement for one in found.ties)
        lines.append(f"{scan.path}: {several} fit equally well, so nothing is corrected; correct scene.json yourself")
    if found.contradictions:
        lines.append(f"{scan.path}: no correction explains {'; '.join(found.contradictions)}")
    if scan.fixed is not None and found.findings:
        lines.append(f"corrected copy: {scan.fixed}")
    return lines or [f"{scan.path}: no mistake found"]


def _as_row(scan: CheckedScan) -> dict[str, object]:
    found = scan.diagnosis
    rows = [
        [{"mistake": one.kind, "statement": one.statement, "evidence": one.evidence} for one in some]
        for some in ((found.findings, found.ties) if found is not None else ((), ()))
    ]
    return {
        "id": scan.id, "path": str(scan.path), "state": scan.state, "findings": rows[0], "ties": rows[1],
        "contradictions": found.contradictions if found is not None else (), "refused": scan.refused,
        "fixed": None if scan.fixed is None else str(scan.fixed),
    }  # fmt: skip


UNITS = {"m2": "m²", "deg": "°"}


def show_measurement(console: Console, result: Measurement, *, as_json: bool) -> None:
    """Print the value with its bound, its basis, and cautions."""
    if as_json:
        console.file.write(json.dumps(result.to_dict()) + "\n")
        return
    unit = UNITS.get(result.unit, result.unit)
    console.print(f"{result.quantity}: [bold]{result.value:.3f} {unit}[/] ± {result.error:.3f} {unit} (95 %)")
    console.print(f"from {result.n_points:,} returns: {result.method}", style="dim", markup=False)
    for note in result.notes:
        console.print(f"mind: {note}", style="yellow", markup=False)
