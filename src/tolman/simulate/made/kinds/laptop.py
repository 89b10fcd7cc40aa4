"""Laptops, open by some angle."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import box, rotated, shifted
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.materials import DARK, SCREEN
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A base with keys and a pad at the front, a lid with the screen; shut ones have a smooth lid.

    The user sits at the front: the screen's face is what is seen from there.
    """
    w, d, h = draws.size
    body = draws.material("metal", "casing")
    thick = draws.between(0.012, 0.018)
    if draws.design == "shut":
        low = h * 0.58
        bodies: list[Mesh] = body.on(
            box((-w / 2, -d / 2, 0.001), (w / 2, d / 2, low - 0.001), 0.003),
            box((-w / 2, -d / 2, low), (w / 2, d / 2, h), 0.003),
        )
        bodies.append(box((-w / 2 + 0.01, -d / 2 + 0.01, 0.0), (w / 2 - 0.01, d / 2 - 0.01, h - 0.003)).painted(DARK))
        hinge = (-w / 2, -d / 2, low)
        return MadeParts(bodies, [], [OpeningPart("lid", hinge, (w / 2, d / 2, h), hinge)])
    lid = 0.006
    # The lid is about as long as the base is deep, and leans back over the base's rear edge.
    rise = h - thick
    over = float(np.clip((d * d - rise * rise) / (2 * d), 0.02 * d, 0.32 * d))
    long = float(np.hypot(rise, over))
    lean = float(np.arcsin(over / long))
    back = -d / 2 + over
    bodies = body.on(box((-w / 2, back, 0.0), (w / 2, d / 2, thick), 0.003))
    key = DARK if draws.chance(0.7) else (0.85, 0.85, 0.85)
    deep = d / 2 - back
    bodies.append(
        box((-w * 0.46, back + 0.02, thick - 0.002), (w * 0.46, back + 0.55 * deep, thick + 0.0006)).painted(
            (0.1, 0.1, 0.11)
        )
    )
    for p, q in split(back + 0.025, back + 0.54 * deep, 5):
        for a, b in split(-w * 0.45, w * 0.45, 14):
            bodies.append(box((a + 0.0015, p + 0.0015, thick), (b - 0.0015, q - 0.0015, thick + 0.0018)).painted(key))
    pad = draws.between(0.14, 0.2) * w
    bodies += body.shade(0.88).on(box((-pad, back + 0.6 * deep, thick - 0.001), (pad, d / 2 - 0.012, thick + 0.0006)))
    panel = box((-w / 2, 0.0, 0.0), (w / 2, lid, long), 0.002)
    bezel = draws.between(0.005, 0.015)
    face = box((-w / 2 + bezel, lid - 0.001, 0.012), (w / 2 - bezel, lid + 0.0006, long - bezel)).painted(SCREEN)
    logo = box((-0.015, -0.0005, long * 0.5 - 0.015), (0.015, 0.001, long * 0.5 + 0.015), 0.0003)
    for mesh in (*body.on(panel), face, *body.shade(1.25).on(logo)):
        bodies.append(shifted(rotated(mesh, lean, axis=0), (0.0, back, thick)))
    bodies += body.shade(0.6).on(box((-w * 0.35, back, thick - 0.004), (w * 0.35, back + 0.01, thick + 0.004), 0.001))
    return MadeParts(
        bodies, [], [OpeningPart("lid", (-w / 2, -d / 2, thick), (w / 2, back + lid, h), (-w / 2, back, thick))]
    )


FURNITURE = FurnitureKind(
    name="laptop",
    category="laptop",
    habit="surface",
    sizes=(
        SizeClass((0.345, 0.28, 0.205), (0.1, 0.12, 0.16), common=0.3, share=0.8),
        SizeClass((0.35, 0.245, 0.022), (0.09, 0.09, 0.15), name="shut", share=0.2),
    ),
    make=make,
    source="8 boxes of laptops, open and shut, are too few; screens of 13 to 17 inches",
)
