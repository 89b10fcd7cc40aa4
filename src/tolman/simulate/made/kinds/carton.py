"""Boxes of cardboard, shut or open."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import box, rotated
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, OpeningPart, SizeClass
from tolman.simulate.mesh import Mesh

TAPE = (0.78, 0.68, 0.46)


def make(draws: Draws) -> MadeParts:
    """Six sides with a seam and tape, or flaps that stand open; a label, prints, a lid that goes over."""
    w, d, h = draws.size
    card = draws.material("cardboard")
    style = draws.pick("taped", "taped", "open", "open", "lid")
    bodies: list[Mesh] = []
    if style == "open":
        t = 0.004
        flap = min(0.5 * min(w, d), 0.28 * h) * draws.between(0.6, 1.0)
        lean = draws.between(0.1, 0.9)
        top = h - flap * float(np.cos(lean))
        bodies += card.on(box((-w / 2, -d / 2, 0.0), (w / 2, d / 2, t)))
        bodies += card.on(
            *(box((-w / 2, s * d / 2 - (s > 0) * t, t), (w / 2, s * d / 2 + (s < 0) * t, top)) for s in (-1, 1))
        )
        bodies += card.on(
            *(box((s * w / 2 - (s > 0) * t, -d / 2 + t, t), (s * w / 2 + (s < 0) * t, d / 2 - t, top)) for s in (-1, 1))
        )
        for s in (-1, 1):
            one = box((-w / 2 + 0.004, s * d / 2 - t / 2, top), (w / 2 - 0.004, s * d / 2 + t / 2, top + flap))
            # Inwards, so that the box is as wide as it was drawn.
            bodies += card.shade(1.05).on(rotated(one, s * lean, about=(0, s * (d / 2 - t / 2), top), axis=0))
            two = box((s * w / 2 - t / 2, -d / 2 + 0.006, top), (s * w / 2 + t / 2, d / 2 - 0.006, top + flap))
            bodies += card.on(rotated(two, -s * draws.between(lean, 1.0), about=(s * (w / 2 - t / 2), 0, top), axis=1))
        surfaces: list[LevelSurface] = []
        openings: list[OpeningPart] = []
    else:
        cap = draws.between(0.05, 0.2) * h if style == "lid" else 0.0
        edge = 0.004 if style == "lid" else 0.0
        bodies += card.on(box((-w / 2 + edge, -d / 2 + edge, 0.0), (w / 2 - edge, d / 2 - edge, h - 0.002), 0.002))
        if style == "lid":
            bodies += card.shade(draws.between(0.85, 1.1)).on(box((-w / 2, -d / 2, h - cap), (w / 2, d / 2, h), 0.002))
            openings = [OpeningPart("lid", (-w / 2, -d / 2, h - cap), (w / 2, d / 2, h), (-w / 2, -d / 2, h))]
        else:
            band = draws.between(0.022, 0.034)
            bodies.append(box((-w / 2 - 0.0006, -band, h - 0.003), (w / 2 + 0.0006, band, h)).painted(TAPE))
            bodies += [
                box((s * w / 2 - 0.0008, -band, h - 0.3 * h), (s * w / 2 + 0.0008, band, h - 0.0025)).painted(TAPE)
                for s in (-1, 1)
            ]
            openings = [OpeningPart("lid", (-w / 2, -d / 2, h - 0.004), (w / 2, d / 2, h), (-w / 2, -d / 2, h))]
        surfaces = [
            LevelSurface(
                (-w / 2 + 0.02, -d / 2 + 0.02),
                (w / 2 - 0.02, -0.04 if style == "taped" and d > 0.2 else d / 2 - 0.02),
                h - (0.002 if style == "taped" else 0.0),
            )
        ]
    if draws.chance(0.6):
        a, b = min(0.12, 0.35 * w), min(0.08, 0.3 * h)
        x, z = draws.between(-w / 2 + 0.02, w / 2 - 0.02 - a), draws.between(0.02, max(0.03, 0.6 * h - b))
        y = d / 2 - (0.004 if style == "lid" else 0.0)
        bodies.append(box((x, y - 0.001, z), (x + a, y + 0.0008, z + b)).painted((0.95, 0.95, 0.93)))
        bodies += [
            box((x + 0.01, y, z + b * q), (x + a * draws.between(0.5, 0.9), y + 0.0012, z + b * (q + 0.08))).painted(
                (0.15, 0.15, 0.15)
            )
            for q in (0.25, 0.5, 0.75)
        ]
    if draws.chance(0.4):
        for s in (-1, 1):
            x = s * (w / 2 - (0.004 if style == "lid" else 0.0))
            bodies.append(
                box((x - 0.001, -0.045, 0.62 * h), (x + 0.001, 0.045, 0.62 * h + 0.025)).painted((0.12, 0.1, 0.08))
            )
    return MadeParts(bodies, surfaces, openings)


FURNITURE = FurnitureKind(
    name="carton",
    category="box",
    habit="floor",
    sizes=(SizeClass((0.42, 0.32, 0.30), (0.25, 0.22, 0.28)),),
    make=make,
    source="no boxes of cartons among the statistics; 0.25–0.65 m as those for moving and for parcels",
)
