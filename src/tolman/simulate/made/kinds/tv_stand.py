"""Stands for televisions: low and wide, with open fields, doors and drawers."""

from __future__ import annotations

from tolman.simulate.made.forms import box
from tolman.simulate.made.joinery import FrontStyle, Niche, base, case, drawn_handles, fronts, split
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, SizeClass


def make(draws: Draws) -> MadeParts:
    """Two to four columns, each open, with a shelf, a door or drawers."""
    w, d, h = draws.size
    body = draws.material("wood", "wood", "paint")
    handles = drawn_handles(draws)
    style = FrontStyle(
        draws.pick("plain", "plain", "frame", "slats"),
        body if draws.chance(0.6) else draws.material("paint", "wood"),
        handles,
    )
    face, foot, top = (
        d / 2 - 0.019 - handles.depth,
        draws.between(0.04, min(0.16, 0.36 * h)),
        draws.between(0.018, 0.035),
    )
    bodies = base(draws, (-w / 2 + 0.01, -d / 2 + 0.01, 0.0), (w / 2 - 0.01, face, foot), body)
    bodies += body.on(box((-w / 2, -d / 2, h - top), (w / 2, d / 2, h), 0.002))
    columns = draws.count(2, 4) if w > 1.1 else draws.count(1, 3)
    x0, x1, z1 = -w / 2 + 0.006, w / 2 - 0.006, h - top
    ends, cells, shelves = split(x0, x1, columns), [], []
    for i, (a, b) in enumerate(ends):
        middle = (foot + z1) / 2
        kind = draws.pick("open", "shelf", "door", "drawers", "drawer below")
        shelves.append([middle] if kind in ("shelf", "drawer below") else [])
        if kind == "door":
            cells.append(Niche((a, foot), (b, z1), "left" if i < columns / 2 else "right"))
        elif kind == "drawers":
            cells += [Niche((a, foot), (b, middle), "drawer"), Niche((a, middle), (b, z1), "drawer")]
        elif kind == "drawer below":
            cells.append(Niche((a, foot), (b, middle), "drawer"))
    bodies += case(
        (x0, -d / 2 + 0.004, foot), (x1, face, z1), body, uprights=[b for _, b in ends[:-1]], shelves=shelves
    )
    made, openings = fronts(cells, face, style)
    return MadeParts(
        [*bodies, *made], [LevelSurface((-w / 2 + 0.02, -d / 2 + 0.02), (w / 2 - 0.02, d / 2 - 0.02), h)], openings
    )


FURNITURE = FurnitureKind(
    name="tv stand",
    category="tv stand",
    habit="wall",
    sizes=(SizeClass((1.42, 0.41, 0.50), (0.24, 0.1, 0.14)),),
    make=make,
    source="no boxes of stands among the statistics; 1–2 × 0.35–0.45 × 0.4–0.6 m as on sale",
)
