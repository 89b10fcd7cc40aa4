"""Cabinets: a tall case with doors, above some of them panes. Low ones are sideboards."""

from __future__ import annotations

from tolman.simulate.made.forms import box
from tolman.simulate.made.joinery import FrontStyle, Niche, base, case, drawn_handles, fronts, split
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, SizeClass


def make(draws: Draws) -> MadeParts:
    """Columns of doors, some below a drawer, some left open; on a plinth or legs, under a top board."""
    w, d, h = draws.size
    body = draws.material("wood", "wood", "paint", "paint")
    handles = drawn_handles(draws)
    look = draws.pick("plain", "frame", "inset", "slats", "glass" if draws.design == "tall" else "plain")
    style = FrontStyle(look, body if draws.chance(0.7) else draws.material("wood", "paint"), handles)
    face = d / 2 - 0.019 - handles.depth
    foot = draws.between(0.05, 0.16) if h < 1.2 else draws.between(0.04, 0.09)
    top = draws.between(0.018, 0.03)
    bodies = base(draws, (-w / 2 + 0.005, -d / 2 + 0.005, 0.0), (w / 2 - 0.005, face, foot), body)
    overhang = draws.chance(0.5)
    bodies += body.on(box((-w / 2, -d / 2, h - top), (w / 2, d / 2 if overhang else face + 0.019, h), 0.002))
    columns = max(1, round(w / draws.between(0.38, 0.55)))
    low_x, high_x, high_z = -w / 2 + 0.004, w / 2 - 0.004, h - top
    cells: list[Niche] = []
    shelves: list[list[float]] = []
    ends = split(low_x, high_x, columns)
    drawer = draws.between(0.14, 0.2) if draws.chance(0.5) and h < 1.3 else 0.0
    tiers = (
        [(foot, high_z)]
        if h < 1.25
        else [(foot, foot + (high_z - foot) * 0.45), (foot + (high_z - foot) * 0.45, high_z)]
    )
    glazed = FrontStyle("glass", style.material, handles)
    for i, (a, b) in enumerate(ends):
        hinge = ("left" if i % 2 == 0 else "right") if columns > 1 else draws.pick("left", "right")
        if columns % 2 and i == columns - 1 and columns > 1:
            hinge = "right"
        open_here = columns > 1 and draws.chance(0.15)
        column: list[Niche] = []
        for z0, z1 in tiers:
            if drawer and z1 == high_z and len(tiers) == 1:
                column += [Niche((a, z0), (b, z1 - drawer), hinge), Niche((a, z1 - drawer), (b, z1), "drawer")]
            else:
                column.append(Niche((a, z0), (b, z1), "open" if open_here and z1 == high_z else hinge))
        cells += column
        middle = (foot + high_z) / 2
        shelves.append([middle] if h < 1.25 else [foot + (high_z - foot) * share for share in (0.25, 0.45, 0.7)])
    bodies += case(
        (low_x, -d / 2 + 0.004, foot), (high_x, face, high_z), body, uprights=[b for _, b in ends[:-1]], shelves=shelves
    )
    upper = [cell for cell in cells if len(tiers) > 1 and cell.high[1] == high_z and look in ("frame", "glass")]
    made, openings = fronts([cell for cell in cells if cell not in upper], face, style)
    more, opened = fronts(upper, face, glazed)
    deep = d / 2 if overhang else face
    return MadeParts(
        [*bodies, *made, *more],
        [LevelSurface((-w / 2 + 0.02, -d / 2 + 0.02), (w / 2 - 0.02, deep - 0.02), h)],
        [*openings, *opened],
    )


FURNITURE = FurnitureKind(
    name="cabinet",
    category="cabinet",
    habit="wall",
    sizes=(SizeClass((0.85, 0.42, 1.75), (0.25, 0.12, 0.13), name="tall"),),
    make=make,
    source="no boxes of cabinets among the statistics; sizes of cupboards on sale",
)
