"""What `tolman scenes` prints and writes: a collection as a table, and a page with a floor plan of each scene."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from tolman.files import write_text
from tolman.generate.collection import open_collection
from tolman.ingest.vsi_meta_info import Skipped
from tolman.reports.floor_plans import floor_plan_svg, named, plain, ways
from tolman.scenes import Capture, Scene

_LISTED = 40
_HEADINGS = ("scene", "floor m²", "objects", "categories", "cameras", "frames", "seconds")


def show_scenes(console: Console, path: Path, out: Path | None, most: int, *, as_json: bool) -> None:
    """Print the scenes of a collection, and write their page.

    Args:
        console: where to.
        path: the collection.
        out: the page's file; None for none.
        most: how many scenes get a picture.
        as_json: print JSON instead of a table.

    Raises:
        InputError: it is no collection, or holds no usable scene.
    """
    rows: list[dict[str, Any]] = []
    pictures: list[str] = []
    skipped: list[Skipped] = []
    with console.status("reading scenes") if not as_json and console.is_terminal else _Quiet() as status:
        for found in open_collection(path):
            if isinstance(found, Skipped):
                skipped.append(found)
                continue
            rows.append(summary(found.scene, found.captures))
            if out is not None and len(pictures) < most:
                status.update(f"drawing scene {len(rows):,}")
                pictures.append(floor_plan_svg(found.scene, found.captures))
    if out is not None:
        write_text(out, page(path.resolve().name, rows, pictures, skipped))
    if as_json:
        content = {"scenes": rows, "skipped": [{"scene": one.scene, "reason": one.reason} for one in skipped]}
        console.file.write(json.dumps(content, indent=2, ensure_ascii=True) + "\n")
        return
    _print(console, rows, skipped)
    totals = f"{len(rows):,} scenes, {sum(row['objects'] for row in rows):,} objects"
    end = f"{totals}: {out}." if out is not None else f"{totals}."
    console.print(end, markup=False, highlight=False, soft_wrap=True)


def summary(scene: Scene, captures: Sequence[Capture]) -> dict[str, Any]:
    """What the table says of a scene, and JSON."""
    steps = {capture.id: np.diff(places, axis=0) for capture, places, _ in ways(captures)}
    walked = {identity: float(np.linalg.norm(step, axis=1).sum()) for identity, step in steps.items()}
    return {
        "id": scene.id,
        "dataset": scene.dataset,
        "objects": len(scene.objects),
        "categories": {category: scene.count(category) for category in scene.categories},
        "room_area": scene.room_area,
        "room_center": scene.room_center,
        "video": scene.video,
        "captures": [
            {
                "id": capture.id,
                "role": capture.role,
                "sensor": capture.sensor,
                "size": capture.size,
                "frames": len(capture.times),
                "seconds": capture.times[-1] - capture.times[0] if capture.times else 0.0,
                "metres": walked.get(capture.id),
                "sightings": len(capture.sightings),
                "media": capture.media,
            }
            for capture in captures
        ],
    }


def page(title: str, rows: Sequence[dict[str, Any]], pictures: Sequence[str], skipped: Sequence[Skipped]) -> str:
    """The whole page: a table, and for as many scenes as there are pictures a section.

    Args:
        title: of the page.
        rows: as `summary` gives them.
        pictures: SVG elements of the first of them.
        skipped: what couldn't be used.
    """
    environment = Environment(
        loader=PackageLoader("tolman.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = plain
    environment.globals["named"] = named
    return environment.get_template("scenes.html.j2").render(
        title=title,
        headings=_HEADINGS,
        rows=[(row, _cells(row)) for row in rows],
        pictures=pictures,
        skipped=skipped,
        objects=sum(row["objects"] for row in rows),
    )


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    cameras = [capture for capture in row["captures"] if capture["sensor"] == "camera"]
    area = "–" if row["room_area"] is None else f"{row['room_area']:.1f}"
    if not cameras:
        return plain(row["id"]), area, f"{row['objects']:,}", f"{len(row['categories']):,}", "–", "–", "–"
    frames, seconds = sum(one["frames"] for one in cameras), max(one["seconds"] for one in cameras)
    counts = (f"{row['objects']:,}", f"{len(row['categories']):,}", f"{len(cameras):,}")
    return (plain(row["id"]), area, *counts, f"{frames:,}", f"{seconds:.1f}")


def _print(console: Console, rows: Sequence[dict[str, Any]], skipped: Sequence[Skipped]) -> None:
    grid = RichTable(box=None, pad_edge=False)
    for heading in _HEADINGS:
        left = heading == "scene"
        grid.add_column(heading, justify="left" if left else "right", no_wrap=not left, overflow="fold")
    for row in rows[:_LISTED]:
        grid.add_row(*(Text(cell) for cell in _cells(row)))
    console.print(grid)
    if len(rows) > _LISTED:
        console.print(f"… and {len(rows) - _LISTED:,} more", highlight=False)
    for one in skipped:
        console.print(f"skipped: {plain(one.scene)}: {one.reason}", style="yellow", markup=False, soft_wrap=True)


class _Quiet:
    """Stands where a status line does, and shows nothing."""

    def __enter__(self) -> _Quiet:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, _text: str) -> None:
        pass
