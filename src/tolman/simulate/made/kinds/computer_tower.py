"""Cases of computers that stand on the floor."""

from __future__ import annotations

from tolman.simulate.made.appliances import slab
from tolman.simulate.made.forms import box, cylinder, rotated, shifted
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, SizeClass
from tolman.simulate.made.materials import DARK
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A body on feet; a front with drives, a grille, fans or a plain door; a window in the side of some."""
    w, d, h = draws.size
    body = draws.material("casing")
    front = body if draws.chance(0.5) else draws.material("casing", "metal")
    foot = draws.between(0.008, 0.025)
    face = d / 2 - draws.between(0.015, 0.04)
    bodies: list[Mesh] = [*body.on(box((-w / 2, -d / 2, foot), (w / 2, face, h), 0.004))]
    bodies.append(box((-w / 2 + 0.01, -d / 2 + 0.03, 0.0), (w / 2 - 0.01, -d / 2 + 0.07, foot + 0.002)).painted(DARK))
    bodies.append(box((-w / 2 + 0.01, face - 0.07, 0.0), (w / 2 - 0.01, face - 0.03, foot + 0.002)).painted(DARK))
    style = draws.pick("drives", "grille", "fans", "plain", "split")
    edge = d / 2 - 0.003
    bodies += front.on(
        box((-w / 2, face - 0.002, foot + draws.between(0.0, 0.03)), (w / 2, edge, h), draws.between(0.003, 0.012))
    )
    x0, x1 = -w / 2 + 0.018, w / 2 - 0.018
    if style == "drives":
        z = h - 0.05
        for _ in range(draws.count(1, 4)):
            bodies += front.shade(draws.between(0.6, 1.4)).on(
                slab((x0, z - 0.038), (x1, z), (edge - 0.002, d / 2 - 0.001), 0.001)
            )
            bodies.append(slab((x1 - 0.02, z - 0.03), (x1 - 0.008, z - 0.024), (edge, d / 2), 0.0005).painted(DARK))
            z -= 0.044
    elif style == "grille":
        top = h * draws.between(0.55, 0.92)
        for a, b in split(foot + 0.04, top, max(5, round(top / 0.025))):
            bodies.append(
                slab((x0, a + 0.3 * (b - a)), (x1, b - 0.2 * (b - a)), (edge - 0.004, d / 2), 0.001).painted(DARK)
            )
    elif style == "fans":
        radius = min(0.07, (x1 - x0) / 2)
        count = max(1, min(3, int((h - 0.1) / (2.15 * radius))))
        for a, b in split(foot + 0.03, h - 0.05, count):
            for share, colour in ((1.0, DARK), (0.86, (0.2, 0.22, 0.25)), (0.3, (0.08, 0.08, 0.09))):
                ring_ = rotated(
                    cylinder((0, 0, 0), radius * share, d / 2 - edge + 0.002 - 0.001 * share, sides=24), -1.5708, axis=0
                )
                bodies.append(shifted(ring_, (0.0, edge - 0.002, (a + b) / 2)).painted(colour))
    elif style == "split":
        bodies.append(slab((-w * 0.03, foot + 0.04), (w * 0.03, h - 0.02), (edge - 0.002, d / 2), 0.001).painted(DARK))
    else:
        bodies += front.shade(0.8).on(slab((x0, foot + 0.06), (x1, h - 0.1), (edge - 0.002, d / 2), 0.002))
    low = foot + draws.between(0.5, 0.85) * (h - foot)
    button = rotated(cylinder((0, 0, 0), 0.008, 0.003, sides=14), -1.5708, axis=0)
    bodies.append(shifted(button, (x0 + 0.01, edge - 0.0005, h - 0.025)).painted((0.75, 0.76, 0.78)))
    bodies += [
        slab(
            (x0 + 0.03 + 0.016 * i, h - 0.03), (x0 + 0.04 + 0.016 * i, h - 0.024), (edge - 0.001, edge + 0.001), 0.0003
        ).painted(DARK)
        for i in range(2)
    ]
    if draws.chance(0.35):
        pane = box((w / 2 - 0.001, -d / 2 + 0.03, foot + 0.03), (w / 2 + 0.0015, face - 0.03, low))
        bodies.append(pane.painted((0.07, 0.09, 0.11)))
    elif draws.chance(0.5):
        for a, b in split(-d * 0.2, d * 0.2, 6):
            bodies += [
                box(
                    (s * w / 2 - 0.0012, a + 0.2 * (b - a), h * 0.55), (s * w / 2 + 0.0012, b - 0.2 * (b - a), h * 0.7)
                ).painted(DARK)
                for s in (-1, 1)
            ]
    return MadeParts(bodies, [LevelSurface((-w / 2 + 0.01, -d / 2 + 0.02), (w / 2 - 0.01, face - 0.02), h)])


FURNITURE = FurnitureKind(
    name="computer tower",
    category="computer tower",
    habit="floor",
    sizes=(SizeClass((0.205, 0.46, 0.435), (0.18, 0.13, 0.1), common=0.4),),
    make=make,
    source="VSI-Bench boxes: 42 computer towers, sorted sides 0.21, 0.43 and 0.48 m in the median",
    real="computer tower",
)
