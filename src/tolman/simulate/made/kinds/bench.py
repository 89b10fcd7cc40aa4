"""Benches: a long seat, with or without a back, some over a chest or a rack."""

from __future__ import annotations

from tolman.simulate.made.forms import box, cushion
from tolman.simulate.made.joinery import LEG_STYLES, legs, split
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, OpeningPart, SizeClass
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A seat of boards or a cushion on legs, panels or a chest."""
    w, d, h = draws.size
    frame = draws.material("wood", "wood", "metal", "paint")
    back = draws.design == "back"
    seat = draws.between(0.42, 0.47) if back else h
    padded = draws.chance(0.4)
    thick = draws.between(0.06, 0.1) if padded else draws.between(0.025, 0.045)
    under = seat - thick
    style = draws.pick("legs", "legs", "panels", "chest")
    start = -d / 2 + (0.03 if back else 0.0)
    bodies: list[Mesh] = []
    surfaces: list[LevelSurface] = []
    openings: list[OpeningPart] = []
    if padded:
        bodies += draws.material("fabric", "leather").on(
            cushion((-w / 2, start, under), (w / 2, d / 2, seat), 0.02, puff=0.012)
        )
    elif draws.chance(0.4):
        count = draws.count(3, 5)
        for a, b in split(start, d / 2 + 0.008, count):
            bodies += frame.on(box((-w / 2, a, under), (w / 2, b - 0.008, seat), 0.002))
        bodies += frame.on(
            *(
                box((s * w * 0.38 - 0.02, start, under - 0.02), (s * w * 0.38 + 0.02, d / 2 - 0.01, under))
                for s in (-1, 1)
            )
        )
    else:
        bodies += frame.on(box((-w / 2, start, under), (w / 2, d / 2, seat), 0.004))
        surfaces = [LevelSurface((-w / 2 + 0.05, start + 0.05), (w / 2 - 0.05, d / 2 - 0.03), seat)]
    y0, y1 = start + 0.005, d / 2 - 0.005
    if style == "chest":
        body = draws.material("wood", "paint")
        bodies += body.on(box((-w / 2 + 0.01, y0, 0.0), (w / 2 - 0.01, y1, under)))
        bodies += body.shade(0.85).on(
            *(
                box((a + 0.03, y1, 0.06), (b - 0.03, y1 + 0.004, under - 0.04))
                for a, b in split(-w / 2, w / 2, draws.count(2, 4))
            )
        )
        openings.append(OpeningPart("lid", (-w / 2, start, under), (w / 2, d / 2, seat), (-w / 2, start, under)))
    elif style == "panels":
        t = draws.between(0.012, 0.025)
        bodies += frame.on(
            *(box((s * (w / 2 - 0.05) - t, y0, 0.0), (s * (w / 2 - 0.05) + t, y1, under)) for s in (-1, 1)), turn=1
        )
        if draws.chance(0.5):
            bodies += frame.on(box((-w / 2 + 0.05, y0 + 0.02, 0.12), (w / 2 - 0.05, y1 - 0.02, 0.138)))
        else:
            bodies += frame.on(box((-w / 2 + 0.05, -0.012, under - 0.1), (w / 2 - 0.05, 0.012, under)))
    else:
        kind, radius = draws.pick(*LEG_STYLES), draws.between(0.018, 0.03)
        bodies += frame.on(*legs((-w / 2 + 0.02, y0), (w / 2 - 0.02, y1), 0.0, under, kind, radius, lean=0.05), turn=1)
        if kind in ("square", "round", "tapered"):
            bodies += frame.on(
                *(
                    box((-w / 2 + 0.03, y - 0.009, under - 0.06), (w / 2 - 0.03, y + 0.009, under))
                    for y in (y0 + radius, y1 - radius)
                )
            )
            if draws.chance(0.4):
                bodies += frame.on(box((-w / 2 + 0.04, y0 + radius, 0.12), (w / 2 - 0.04, y1 - radius, 0.135)))
    if back:
        for s in (-1, 1):
            bodies += frame.on(
                box(
                    (s * (w / 2 - 0.03) - 0.022, -d / 2, 0.0 if style == "panels" else under - 0.03),
                    (s * (w / 2 - 0.03) + 0.022, -d / 2 + 0.034, h),
                ),
                turn=1,
            )
        low = seat + 0.08
        if draws.chance(0.5):
            for a, b in split(low, h + 0.03, draws.count(2, 3)):
                bodies += frame.on(box((-w / 2 + 0.02, -d / 2 + 0.006, a), (w / 2 - 0.02, -d / 2 + 0.026, b - 0.03)))
        else:
            bodies += frame.on(box((-w / 2 + 0.02, -d / 2 + 0.004, h - 0.07), (w / 2 - 0.02, -d / 2 + 0.03, h - 0.005)))
            count = max(4, int(w / 0.12))
            for a, b in split(-w / 2 + 0.06, w / 2 - 0.06, count):
                bodies += frame.on(
                    box(
                        ((a + b) / 2 - 0.014, -d / 2 + 0.01, seat - 0.01),
                        ((a + b) / 2 + 0.014, -d / 2 + 0.024, h - 0.06),
                    ),
                    turn=1,
                )
    return MadeParts(bodies, surfaces, openings)


FURNITURE = FurnitureKind(
    name="bench",
    category="bench",
    habit="floor",
    sizes=(
        SizeClass((1.15, 0.38, 0.46), (0.22, 0.12, 0.05), share=0.65),
        SizeClass((1.25, 0.52, 0.86), (0.18, 0.1, 0.06), name="back", share=0.35),
    ),
    make=make,
    source="no boxes of benches among the statistics; 0.8–1.7 m long, seats at 0.42–0.5 m as on sale",
)
