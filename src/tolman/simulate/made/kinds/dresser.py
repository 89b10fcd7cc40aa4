"""Dressers: chests of drawers."""

from __future__ import annotations

from tolman.simulate.made.forms import box
from tolman.simulate.made.joinery import FrontStyle, Niche, base, drawn_handles, fronts, split
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, SizeClass


def make(draws: Draws) -> MadeParts:
    """Rows of drawers, the upper ones halved or lower in some, on a plinth, feet or legs."""
    w, d, h = draws.size
    body = draws.material("wood", "wood", "paint")
    handles = drawn_handles(draws)
    style = FrontStyle(
        draws.pick("plain", "plain", "frame", "inset"),
        body if draws.chance(0.65) else draws.material("paint", "wood"),
        handles,
    )
    face, foot, top = d / 2 - 0.019 - handles.depth, draws.between(0.04, 0.17), draws.between(0.018, 0.035)
    bodies = base(draws, (-w / 2 + 0.01, -d / 2 + 0.01, 0.0), (w / 2 - 0.01, face, foot), body)
    bodies += body.on(box((-w / 2 + 0.006, -d / 2, foot), (w / 2 - 0.006, face, h - top)), turn=1)
    bodies += body.on(box((-w / 2, -d / 2, h - top), (w / 2, d / 2, h), 0.003))
    rows = max(2, round((h - foot) / draws.between(0.18, 0.26)))
    columns = max(1, round(w / draws.between(0.55, 0.95)))
    halved = draws.chance(0.4)
    cells: list[Niche] = []
    for i, (z0, z1) in enumerate(split(foot + 0.004, h - top - 0.004, rows)):
        parts = columns + 1 if halved and i == rows - 1 else columns
        cells += [Niche((a, z0), (b, z1), "drawer") for a, b in split(-w / 2 + 0.02, w / 2 - 0.02, parts)]
    made, openings = fronts(cells, face, style)
    return MadeParts(
        [*bodies, *made], [LevelSurface((-w / 2 + 0.02, -d / 2 + 0.02), (w / 2 - 0.02, d / 2 - 0.02), h)], openings
    )


FURNITURE = FurnitureKind(
    name="dresser",
    category="chest of drawers",
    habit="wall",
    sizes=(SizeClass((1.05, 0.47, 0.88), (0.28, 0.1, 0.17)),),
    make=make,
    source="no boxes of dressers among the statistics; 0.8–1.6 × 0.4–0.55 × 0.75–1.2 m as on sale",
)
