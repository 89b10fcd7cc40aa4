"""Scenes seen from above, and a collection of scenes as rows of a table or as a page of floor plans.

A floor plan shows the floor, boxes with their names, and the trajectories of cameras and moving objects.
"""

from __future__ import annotations

import math
import unicodedata
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.geometry.ground_plane import outline
from tolman.reports.svg_figures import svg
from tolman.reports.text import environment
from tolman.scenes import Capture, Scene, SceneObject, Skipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_WIDTH, _HIGHEST = 7.5, 9.0
"""Inches."""
_LETTERS = 24
"""Of a name, at most."""
_TEXT = 7.5
"""Points."""
_COLOURS = (
    "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#9c755f", "#edc948", "#ff9da7", "#6b7a8f",
    "#2f7f6f", "#a0583c", "#7f6fbf", "#8a9a2b", "#c4557f",
)  # fmt: skip
_TRACKS = ("#1a1a1a", "#c02020", "#1f4fbf", "#2e7d32", "#8e24aa", "#b26a00")
_STILL = 0.05
"""Metres: a camera that moves less stands still."""
_MOST_POINTS = 400
_Point = tuple[float, float]
_PLACES = sorted(
    (np.array([x, y]) / 10 for x in range(-4, 5, 2) for y in range(-4, 5, 2)),
    key=lambda place: float(np.abs(place).sum()),
)
"""Where in a box its name may stand, in shares of its width and height from its middle."""


def floor_plan_svg(scene: Scene, captures: Sequence[Capture]) -> str:
    """A scene's floor plan as one SVG element, north being the scene's y.

    Names are drawn where there is room for them, the largest objects first. Text of the scene reaches the drawing as
    text, never as a formula or markup.
    """
    low, high = _bounds(scene, captures)
    span = np.maximum(high - low, 0.5)
    height = min(_HIGHEST, max(2.5, (_WIDTH - 0.6) * span[1] / span[0] + 0.8))

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        margin = 0.04 * span.max()
        axes.set_xlim(low[0] - margin, high[0] + margin)
        axes.set_ylim(low[1] - margin, high[1] + margin)
        axes.set_aspect("equal")
        _floor(axes, scene)
        # Metres that a point of text takes, by whichever side of the figure is short.
        scale = max((span[0] + 2 * margin) / ((_WIDTH - 0.6) * 72), (span[1] + 2 * margin) / ((height - 0.8) * 72))
        names = _boxes(axes, scene)
        _ways(axes, captures)
        _names(axes, names, scale)
        axes.set_xlabel("metres")
        axes.tick_params(labelsize=8, color="#999999", labelcolor="#666666")
        axes.grid(color="#eeeeee", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[:].set_color("#cccccc")
        if axes.get_legend_handles_labels()[1]:
            legend = figure.legend(loc="outside upper left", ncols=6, frameon=False, fontsize=8)
            for text in legend.get_texts():
                text.set_parse_math(False)

    with warnings.catch_warnings():
        # A browser draws the text by its own fonts; that Matplotlib's lack a letter changes nothing.
        warnings.filterwarnings("ignore", message=".*[Gg]lyph")
        return svg((_WIDTH, height), draw)


def plain(text: str, letters: int = 80) -> str:
    """Return a text without invisible or direction-changing characters, and not longer than a line."""
    shown = "".join(c if unicodedata.category(c)[0] != "C" else "\ufffd" for c in text)
    return shown if len(shown) <= letters else shown[: letters - 1] + "…"


def named(role: str, sensor: str) -> str:
    """Return the name of a capture."""
    return role if role and sensor == "camera" else f"{role} ({sensor})" if role else sensor


def ways(captures: Sequence[Capture]) -> list[tuple[Capture, Floats, Floats]]:
    """Return the place and direction of each camera and LiDAR, in frames with a pose: shapes (n, 3)."""
    found = []
    for capture in captures:
        poses = np.array(capture.poses, dtype=np.float64).reshape(-1, 4, 4)
        poses = poses[np.isfinite(poses).all((1, 2))]
        if len(poses):
            found.append((capture, poses[:, :3, 3], poses[:, :3, 2]))
    return found


def _bounds(scene: Scene, captures: Sequence[Capture]) -> tuple[Floats, Floats]:
    points = [outline(thing.box) for thing in scene.objects]
    points += [np.array(ring) for ring in scene.floor]
    points += [places[:, :2] for _, places, _ in ways(captures)]
    points += [np.array([p.center[:2] for p in thing.track]) for thing in scene.objects if thing.track]
    every = np.concatenate(points) if points else np.array([[-1.0, -1.0], [1.0, 1.0]])
    return every.min(0), every.max(0)


def _floor(axes: Axes, scene: Scene) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if not scene.floor:
        return
    rings = [np.array([*ring, ring[0]]) for ring in scene.floor]
    codes = [[Path.MOVETO, *[Path.LINETO] * (len(ring) - 2), Path.CLOSEPOLY] for ring in rings]
    path = Path(np.concatenate(rings), np.concatenate(codes))
    axes.add_patch(PathPatch(path, facecolor="#f6f4ef", edgecolor="#8c8577", linewidth=1.6, zorder=0.5))


def _boxes(axes: Axes, scene: Scene) -> list[tuple[str, Floats, str]]:
    """Draw boxes, the lowest first; their names, outlines and colours, the largest first."""
    from matplotlib.patches import Polygon

    colours = {category: _COLOURS[i % len(_COLOURS)] for i, category in enumerate(sorted(scene.categories))}

    def top(thing: SceneObject) -> float:
        box = thing.box
        return box.center[2] + float(np.abs(np.array(box.axes)[:, 2]) @ np.array(box.extents)) / 2

    found = []
    for thing in sorted(scene.objects, key=top):
        corners, colour = outline(thing.box), colours[thing.category]
        axes.add_patch(
            Polygon(corners, facecolor=(colour, 0.22), edgecolor=colour, linewidth=1.0, joinstyle="round", zorder=2)
        )
        found.append((thing.category, corners, colour))
        if thing.track:
            way = _thinned(np.array([point.center for point in thing.track]))
            axes.plot(way[:, 0], way[:, 1], ":", color=colour, linewidth=1.2, zorder=3)
    return sorted(found, key=lambda one: -float(np.prod(np.ptp(one[1], axis=0))))


def _ways(axes: Axes, captures: Sequence[Capture]) -> None:
    for i, (capture, places, views) in enumerate(ways(captures)):
        colour = _TRACKS[i % len(_TRACKS)]
        # A leading underscore would keep it out of the legend.
        label = f"\u200a{plain(named(capture.role, capture.sensor), _LETTERS)}"
        if np.ptp(places, axis=0).max() < _STILL:
            axes.plot(*places[0, :2], "^", color=colour, markersize=7, zorder=6, label=label)
            some = np.array([0])
        else:
            way = _thinned(places)
            axes.plot(way[:, 0], way[:, 1], color=colour, linewidth=1.1, alpha=0.85, zorder=5, label=label)
            axes.plot(*places[0, :2], "o", color=colour, markersize=5, zorder=6)
            some = np.unique(np.linspace(0, len(places) - 1, 14).round().astype(int))
        if capture.sensor == "camera":
            look = views[some, :2]
            axes.quiver(
                places[some, 0], places[some, 1], look[:, 0], look[:, 1], color=colour, zorder=6, alpha=0.85,
                scale=26, width=0.0028, headwidth=5, headlength=6, headaxislength=5.5, pivot="tail",
            )  # fmt: skip


def _thinned(way: Floats) -> Floats:
    return np.asarray(way[np.unique(np.linspace(0, len(way) - 1, min(len(way), _MOST_POINTS)).round().astype(int))])


def _names(axes: Axes, names: Sequence[tuple[str, Floats, str]], scale: float) -> None:
    """Write the names where they hide none that is written already, the smallest box's first: in a part of the box that
    belongs to no smaller one, else in its middle, else next to it, else not at all."""
    taken: list[tuple[_Point, _Point]] = []
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    smaller: list[Floats] = []
    for name, corners, colour in reversed(names):
        text = plain(name, _LETTERS)
        size = np.array([0.56 * _TEXT * len(text), 1.25 * _TEXT]) * scale
        low, high = corners.min(0), corners.max(0)
        middle, beside = (low + high) / 2, (high - low + size) / 2
        inner = [middle + (high - low) * share for share in _PLACES if _holds(corners, middle + (high - low) * share)]
        half = np.array([size[0] / 2, 0.0])
        own = [
            place
            for place in inner
            if not any(_holds(other, place + half * end) for other in smaller for end in (-1, 0, 1))
        ]
        outside = [middle + beside * step for step in np.array([(0, 1), (0, -1), (1, 0), (-1, 0)])]
        smaller.append(corners)
        for place in (*own, *inner[:1], *outside):
            (x0, y0), (x1, y1) = (place - size / 2).tolist(), (place + size / 2).tolist()
            inside = left <= x0 and x1 <= right and bottom <= y0 and y1 <= top
            if inside and not any(_overlap(((x0, y0), (x1, y1)), other) for other in taken):
                taken.append(((x0, y0), (x1, y1)))
                x, y = place.tolist()
                axes.text(
                    x, y, text, ha="center", va="center", fontsize=_TEXT, color=_dark(colour), zorder=8,
                    parse_math=False,
                )  # fmt: skip
                break


def _holds(corners: Floats, point: Floats) -> bool:
    """Check whether a convex outline, counter-clockwise, holds a point."""
    edges, ways_in = np.roll(corners, -1, axis=0) - corners, point - corners
    return bool((edges[:, 0] * ways_in[:, 1] - edges[:, 1] * ways_in[:, 0] >= -1e-12).all())


def _overlap(a: tuple[_Point, _Point], b: tuple[_Point, _Point]) -> bool:
    return all(a[0][i] < b[1][i] and b[0][i] < a[1][i] for i in (0, 1))


def _dark(colour: str) -> str:
    """The same hue, dark enough to be read on white."""
    parts = [math.floor(int(colour[i : i + 2], 16) * 0.55) for i in (1, 3, 5)]
    return "#" + "".join(f"{part:02x}" for part in parts)


HEADINGS = ("scene", "floor m²", "objects", "categories", "cameras", "frames", "seconds")


def summary(scene: Scene, captures: Sequence[Capture]) -> dict[str, Any]:
    """A scene's row: counts, sizes, and its captures with their trajectories' lengths in metres."""
    steps = {capture.id: np.diff(places, axis=0) for capture, places, _ in ways(captures)}
    walked = {identity: float(np.linalg.norm(step, axis=1).sum()) for identity, step in steps.items()}
    return {
        "id": scene.id,
        "dataset": scene.dataset,
        "objects": len(scene.objects),
        "unreviewed": sum(thing.lifted is not None for thing in scene.objects),
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
        skipped: sentences on unusable scenes.
        missing: why no picture was drawn.
    """
    templates = environment()
    templates.filters["plain"] = plain
    templates.globals["named"] = named
    return templates.get_template("scenes.html.j2").render(
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
