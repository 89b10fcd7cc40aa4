"""What `tolman ingest media` prints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tolman.ingest.media_pool import Brought, bring_in, read_pool

_LISTED = 20


def pool_media(
    console: Console,
    paths: Sequence[Path],
    pool: Path,
    *,
    source: str,
    licence: str,
    copy: bool,
    workers: int,
    as_json: bool,
) -> Brought:
    """Bring media into a pool with a progress bar, then say what came of it.

    Raises:
        UsageError, InputError, MissingExtraError: as `bring_in` does.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=as_json or not console.is_terminal) as progress:
        task = progress.add_task("looking at media", total=None)
        brought = bring_in(
            paths,
            pool,
            source=source,
            licence=licence,
            copy=copy,
            workers=workers,
            shown=lambda done, all_: progress.update(task, completed=done, total=all_),
        )
    media = read_pool(pool)
    if as_json:
        content = {
            "media": len(media),
            "added": [medium.path for medium in brought.added],
            "kept": brought.kept,
            "duplicates": {medium.path: medium.duplicate_of for medium in brought.duplicates},
            "left_out": {one.file: one.reason for one in brought.left_out},
            "others": brought.others,
        }
        console.print_json(json.dumps(content))
        return brought
    _lines(console, [f"{m.path}: the same bytes as {m.duplicate_of}" for m in brought.duplicates], "dim")
    _lines(console, [f"{one.file}: {one.reason}" for one in brought.left_out], "red")
    kinds = [_counted(sum(m.kind == kind for m in media), kind) for kind in ("image", "video")]
    groups = _counted(len({(medium.source, medium.group) for medium in media}), "group")
    parts = [f"{len(brought.added):,} new", f"{brought.kept:,} kept"]
    parts += [f"{len(brought.duplicates):,} of them duplicates"] if brought.duplicates else []
    parts += [f"{len(brought.left_out):,} left out (left_out.json)"] if brought.left_out else []
    parts += [_counted(brought.others, "other file")] if brought.others else []
    line = f"{pool}: {' and '.join(kinds)} in {groups}; {', '.join(parts)}."
    console.print(line, markup=False, highlight=False, soft_wrap=True)
    if not licence and brought.added:
        what = "No licence was named: say it with --licence before questions about these media are published."
        console.print(what, style="yellow", markup=False, highlight=False, soft_wrap=True)
    return brought


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _lines(console: Console, lines: Sequence[str], style: str) -> None:
    for line in lines[:_LISTED]:
        console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)
    if len(lines) > _LISTED:
        console.print(f"… and {len(lines) - _LISTED:,} more", style=style, highlight=False)
