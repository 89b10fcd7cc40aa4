"""A collection of scenes as rows of a table, and as a page with a floor plan of each scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from tolman.ingest.vsi_meta_info import Skipped
from tolman.reports.floor_plans import named, plain, ways
from tolman.scenes import Capture, Scene

HEADINGS = ("scene", "floor m²", "objects", "categories", "cameras", "frames", "seconds")


def summary(scene: Scene, captures: Sequence[Capture]) -> dict[str, Any]:
    """A scene's row: counts, sizes, and its captures with their trajectories' lengths in metres."""
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


def page(
    title: str,
    rows: Sequence[dict[str, Any]],
    pictures: Sequence[str],
    skipped: Sequence[Skipped],
    missing: str | None = None,
) -> str:
    """The whole page: a table, and for as many scenes as there are pictures a section.

    Args:
        title: of the page.
        rows: as `summary` gives them.
        pictures: SVG elements of the first of them; empty where none was drawn.
        skipped: what couldn't be used.
        missing: why no picture was drawn.
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
        headings=HEADINGS,
        rows=[(row, cells(row)) for row in rows],
        pictures=pictures,
        skipped=skipped,
        not_drawn=missing,
        objects=sum(row["objects"] for row in rows),
    )


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    """A row under `HEADINGS`."""
    cameras = [capture for capture in row["captures"] if capture["sensor"] == "camera"]
    area = "–" if row["room_area"] is None else f"{row['room_area']:.1f}"
    if not cameras:
        return plain(row["id"]), area, f"{row['objects']:,}", f"{len(row['categories']):,}", "–", "–", "–"
    frames, seconds = sum(one["frames"] for one in cameras), max(one["seconds"] for one in cameras)
    counts = (f"{row['objects']:,}", f"{len(row['categories']):,}", f"{len(cameras):,}")
    return (plain(row["id"]), area, *counts, f"{frames:,}", f"{seconds:.1f}")
