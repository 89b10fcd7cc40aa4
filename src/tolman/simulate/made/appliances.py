"""MadeParts that appliances share: bodies, doors of panes and panels, knobs, displays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tolman.simulate.made.forms import bar, box, lathe, point, rotated, shifted
from tolman.simulate.made.kind import Draws
from tolman.simulate.made.materials import DARK, STEEL, Material
from tolman.simulate.mesh import Mesh

PANE = (0.10, 0.11, 0.12)
"""The colour of dark glass before an oven or a microwave."""
DISPLAYS = ((0.10, 0.22, 0.14), (0.24, 0.12, 0.05), (0.08, 0.12, 0.22), (0.03, 0.03, 0.035))


def slab(low: tuple[float, float], high: tuple[float, float], y: tuple[float, float], radius: float = 0.006) -> Mesh:
    """A plate before a face: corners x and z, from y to y."""
    return box((low[0], y[0], low[1]), (high[0], y[1], high[1]), radius)


def pull(style: str, a: tuple[float, float], b: tuple[float, float], y: tuple[float, float]) -> list[Mesh]:
    """A handle from (x, z) to (x, z) that stands out from y to y: 'bar', 'flat' or 'grip' (a dark groove)."""
    start, end = np.array([a[0], 0.0, a[1]]), np.array([b[0], 0.0, b[1]])
    along = (end - start) / np.linalg.norm(end - start)
    r = min(0.011, 0.4 * (y[1] - y[0]))
    if style in ("grip", "flat"):
        wide, colour = (0.008, DARK) if style == "grip" else (0.011, STEEL)
        low, high = np.minimum(start, end) - wide, np.maximum(start, end) + wide
        low[1], high[1] = y
        return [box(low, high, 0.0 if style == "grip" else 0.004).painted(colour)]
    out = np.array([0.0, y[1] - r, 0.0])
    rail = bar(point(start + out), point(end + out), r)
    root = np.array([0.0, y[0] - 0.002, 0.0])
    posts = [bar(point(p + root), point(p + out), r * 0.7) for p in (start + 0.03 * along, end - 0.03 * along)]
    return [mesh.painted(STEEL) for mesh in (rail, *posts)]


def knobs(
    spots: Sequence[tuple[float, float]], y: tuple[float, float], radius: float, material: Material
) -> list[Mesh]:
    """Round knobs at (x, z), standing out from y to y."""
    depth = y[1] - y[0]
    knob = rotated(
        lathe([(radius, 0.0), (radius * 0.9, depth * 0.9), (radius * 0.75, depth)], sides=16), -np.pi / 2, axis=0
    )
    made = material.on(*(shifted(knob, (x, y[0], z)) for x, z in spots))
    marks = [box((x - 0.0015, y[0] + depth * 0.8, z), (x + 0.0015, y[1] + 0.0005, z + radius * 0.8)) for x, z in spots]
    return made + material.shade(0.3 if sum(material.colour) > 1.2 else 4.0).on(*marks)


def display(draws: Draws, low: tuple[float, float], high: tuple[float, float], y: float) -> Mesh:
    """A small display, standing out from y by a millimetre."""
    return slab(low, high, (y - 0.002, y + 0.0015), 0.0005).painted(DISPLAYS[draws.count(0, len(DISPLAYS) - 1)])


def round_door(
    center: tuple[float, float], radius: float, y: tuple[float, float], rim: Material, pane: tuple[float, float, float]
) -> list[Mesh]:
    """A round window in a ring, as of a washing machine."""
    depth = y[1] - y[0]
    ring = lathe(
        [
            (radius, 0.0),
            (radius, depth * 0.5),
            (radius * 0.93, depth),
            (radius * 0.78, depth * 0.9),
            (radius * 0.72, depth * 0.3),
        ],
        sides=36,
    )
    bulge = lathe(
        [
            (radius * 0.73, 0.0),
            (radius * 0.73, depth * 0.32),
            (radius * 0.5, depth * 0.6),
            (radius * 0.2, depth * 0.75),
        ],
        sides=36,
    )
    placed = [shifted(rotated(mesh, -np.pi / 2, axis=0), (center[0], y[0], center[1])) for mesh in (ring, bulge)]
    return [*rim.on(placed[0]), placed[1].painted(pane)]
