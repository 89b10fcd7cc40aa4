"""Desks: a worktop on legs, panels or pedestals with drawers, some with a raised shelf."""

from __future__ import annotations

from tolman.simulate.made.forms import box, prism
from tolman.simulate.made.joinery import LEG_STYLES, FrontStyle, Niche, drawn_handles, fronts, legs, split
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.outlines import rounded_rectangle


def make(draws: Draws) -> MadeParts:
    """A worktop; on each side a pedestal, a panel or legs; a board behind the knees; maybe a raised shelf."""
    w, d, h = draws.size
    body = draws.material("wood", "wood", "paint")
    hutch = draws.design == "hutch"
    top_z = draws.between(0.72, 0.76) if hutch else h
    thick = draws.between(0.018, 0.035)
    under = top_z - thick
    bodies = [
        *body.on(prism(rounded_rectangle((-w / 2, -d / 2), (w / 2, d / 2), draws.between(0.003, 0.03)), under, top_z))
    ]
    openings: list[OpeningPart] = []
    handles = drawn_handles(draws)
    style = FrontStyle(
        draws.pick("plain", "plain", "frame"), body if draws.chance(0.6) else draws.material("paint"), handles
    )
    layout = draws.pick("legs", "left", "right", "both", "legs") if w > 1.15 else draws.pick("legs", "left", "right")
    frame = draws.material("metal", "wood") if layout == "legs" else body
    wide = draws.between(0.32, 0.42)
    edge = 0.01
    if layout == "legs":
        kind = draws.pick(*LEG_STYLES)
        radius = draws.between(0.016, 0.035)
        x, y = w / 2 - 0.01, d / 2 - 0.01
        bodies += frame.on(*legs((-x, -y), (x, y), 0.0, under, kind, radius))
        lean = radius + 0.06 if kind == "splayed" else radius
        bodies += frame.on(box((-x + lean, -y + lean, under - 0.06), (x - lean, -y + lean + 0.018, under)))
        if draws.chance(0.5):
            count = draws.count(1, 3)
            low = (-x + lean + 0.02, under - draws.between(0.08, 0.12))
            cells = [Niche((a, low[1]), (b, under), "drawer") for a, b in split(low[0], -low[0], count)]
            face = d / 2 - 0.02 - 0.019 - handles.depth
            bodies += body.on(box((low[0], -y + lean + 0.02, low[1]), (-low[0], face, under)))
            made, openings = fronts(cells, face, style)
            bodies += made
    else:
        face = d / 2 - edge - 0.019 - handles.depth
        for side, name in ((-1, "left"), (1, "right")):
            inner, outer = side * (w / 2 - edge - wide), side * (w / 2 - edge)
            low_x, high_x = min(inner, outer), max(inner, outer)
            if layout in (name, "both"):
                bodies += body.on(box((low_x, -d / 2 + edge, 0.04), (high_x, face, under)), turn=1)
                bodies += body.shade(0.7).on(
                    box((low_x + 0.02, -d / 2 + edge + 0.02, 0.0), (high_x - 0.02, face - 0.03, 0.04))
                )
                count = draws.count(2, 4)
                kinds = ["drawer"] * count if draws.chance(0.75) else ["left" if side < 0 else "right"]
                cells = [
                    Niche((low_x, a), (high_x, b), k)
                    for (a, b), k in zip(split(0.05, under, len(kinds)), kinds, strict=True)
                ]
                made, opened = fronts(cells, face, style)
                bodies += made
                openings += opened
            else:
                bodies += body.on(
                    box(
                        (outer - 0.014 - side * 0.014, -d / 2 + edge, 0.0), (outer + 0.014 - side * 0.014, face, under)
                    ),
                    turn=1,
                )
        span = (
            w / 2 - edge - wide if layout in ("left", "both") else w / 2 - 0.03,
            w / 2 - edge - wide if layout in ("right", "both") else w / 2 - 0.03,
        )
        low_z = under - draws.between(0.2, 0.45)
        bodies += body.shade(0.95).on(box((-span[0], -d / 2 + 0.05, low_z), (span[1], -d / 2 + 0.066, under)))
    surfaces = [LevelSurface((-w / 2 + 0.02, -d / 2 + 0.02), (w / 2 - 0.02, d / 2 - 0.02), top_z)]
    if hutch:
        deep, t = draws.between(0.2, 0.28), 0.018
        back = -d / 2
        z = h - t
        bodies += body.on(box((-w / 2, back, z), (w / 2, back + deep, h)))
        uprights = [-w / 2 + t / 2, w / 2 - t / 2, *([0.0] if draws.chance(0.5) else [])]
        bodies += body.on(
            *(box((x - t / 2, back, top_z), (x + t / 2, back + deep - 0.004, z)) for x in uprights), turn=1
        )
        bodies += body.shade(0.9).on(box((-w / 2 + t, back, top_z + 0.001), (w / 2 - t, back + 0.006, z)))
        surfaces = [
            LevelSurface((-w / 2 + 0.02, back + deep + 0.02), (w / 2 - 0.02, d / 2 - 0.02), top_z),
            LevelSurface((-w / 2 + 0.01, back + 0.01), (w / 2 - 0.01, back + deep - 0.01), h),
        ]
    return MadeParts(bodies, surfaces, openings)


FURNITURE = FurnitureKind(
    name="desk",
    category="desk",
    habit="desk",
    sizes=(
        SizeClass((1.30, 0.66, 0.745), (0.18, 0.12, 0.03), share=0.8),
        SizeClass((1.25, 0.62, 1.08), (0.15, 0.1, 0.06), name="hutch", share=0.2),
    ),
    make=make,
    source="VSI-Bench boxes: 409 tables of all kinds, desks among them",
    real="table",
    share=0.33,
)
