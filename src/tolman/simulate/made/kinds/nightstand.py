"""Nightstands: small, with drawers or a drawer and an open field; with a door they are taken for cupboards."""

from __future__ import annotations

from tolman.simulate.made.forms import box, prism
from tolman.simulate.made.joinery import LEG_STYLES, FrontStyle, Niche, base, case, drawn_handles, fronts, legs, split
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, SizeClass
from tolman.simulate.made.outlines import rounded_rectangle


def make(draws: Draws) -> MadeParts:
    """Two or three drawers, one beside an open field, or one on tall legs."""
    w, d, h = draws.size
    body = draws.material("wood", "wood", "paint")
    handles = drawn_handles(draws)
    style = FrontStyle(
        draws.pick("plain", "plain", "frame", "inset"),
        body if draws.chance(0.7) else draws.material("paint", "wood"),
        handles,
    )
    face, top = d / 2 - 0.019 - handles.depth, draws.between(0.016, 0.03)
    layout = draws.pick("drawers", "drawers", "mixed", "tall")
    slab = prism(rounded_rectangle((-w / 2, -d / 2), (w / 2, d / 2), draws.between(0.003, 0.05)), h - top, h)
    bodies = [*body.on(slab)]
    if layout == "tall":
        foot = h * draws.between(0.5, 0.68)
        bodies += body.on(
            *legs(
                (-w / 2 + 0.01, -d / 2 + 0.01),
                (w / 2 - 0.01, face),
                0.0,
                foot,
                draws.pick(*LEG_STYLES[:4]),
                0.018,
                lean=0.03,
            ),
            turn=1,
        )
        if draws.chance(0.5):
            bodies += body.on(
                box((-w / 2 + 0.03, -d / 2 + 0.03, foot * 0.3), (w / 2 - 0.03, face - 0.02, foot * 0.3 + 0.015))
            )
    else:
        foot = draws.between(0.04, 0.16)
        bodies += base(draws, (-w / 2 + 0.01, -d / 2 + 0.01, 0.0), (w / 2 - 0.01, face, foot), body)
    x0, x1, z1 = -w / 2 + 0.006, w / 2 - 0.006, h - top
    if layout == "tall":
        cells = [Niche((x0, foot), (x1, z1), "drawer")]
    elif layout == "drawers":
        cells = [Niche((x0, a), (x1, b), "drawer") for a, b in split(foot, z1, draws.count(2, 3))]
    else:
        middle = foot + (z1 - foot) * draws.between(0.4, 0.62)
        kinds = ("open", "drawer") if draws.chance(0.5) else ("drawer", "open")
        cells = [Niche((x0, foot), (x1, middle), kinds[0]), Niche((x0, middle), (x1, z1), kinds[1])]
    shelves = [cell.high[1] for cell in cells[:-1]]
    bodies += case((x0, -d / 2 + 0.004, foot), (x1, face, z1), body, shelves=[shelves], board=0.016)
    made, openings = fronts(cells, face, style)
    return MadeParts(
        [*bodies, *made], [LevelSurface((-w / 2 + 0.03, -d / 2 + 0.03), (w / 2 - 0.03, d / 2 - 0.03), h)], openings
    )


FURNITURE = FurnitureKind(
    name="nightstand",
    category="nightstand",
    habit="bedside",
    sizes=(SizeClass((0.56, 0.46, 0.66), (0.16, 0.14, 0.15)),),
    make=make,
    source="VSI-Bench boxes: 12 nightstands, sorted sides 0.45, 0.63 and 0.70 m in the median",
    real="nightstand",
)
