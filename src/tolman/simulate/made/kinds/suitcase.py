"""Suitcases that stand on their wheels."""

from __future__ import annotations

from tolman.simulate.made.forms import bar, box, cylinder, rotated, shifted
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.materials import DARK, STEEL
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """Two shells with ribs or pockets, a seam, wheels or feet, a grip, a handle that is pulled out in some."""
    w, d, h = draws.size
    shell = draws.material("plastic", "plastic", "fabric", "metal", "leather")
    wheel = draws.between(0.018, 0.028)
    out = draws.between(0.12, 0.3) * h if draws.design == "handle out" else 0.03
    low, top = wheel * 1.6, h - out
    radius = draws.between(0.02, 0.07) if shell.family != "leather" else 0.012
    rib = 0.006
    bodies: list[Mesh] = []
    for y0, y1 in ((-d / 2 + rib, -0.003), (0.003, d / 2 - rib)):
        bodies += shell.on(box((-w / 2, y0, low), (w / 2, y1, top), min(radius, 0.45 * (y1 - y0)), steps=2))
    bodies.append(box((-w / 2 + 0.006, -0.006, low + 0.006), (w / 2 - 0.006, 0.006, top - 0.006), 0.003).painted(DARK))
    if shell.family in ("fabric", "leather"):
        cut = low + (top - low) * draws.between(0.45, 0.65)
        bodies += shell.shade(0.9).on(box((-w * 0.4, d / 2 - 0.02, low + 0.05), (w * 0.4, d / 2, cut), 0.008))
        bodies += shell.shade(0.9).on(box((-w * 0.4, d / 2 - 0.02, cut + 0.02), (w * 0.4, d / 2, top - 0.04), 0.008))
        bodies += shell.shade(0.85).on(box((-w * 0.3, -d / 2, low + 0.1), (w * 0.3, -d / 2 + 0.02, top - 0.1)))
    else:
        upright = draws.chance(0.6)
        parts = (
            split(-w * 0.42, w * 0.42, draws.count(4, 9))
            if upright
            else split(low + 0.06, top - 0.06, draws.count(3, 8))
        )
        for a, b in parts:
            for y0, y1 in ((-d / 2, -d / 2 + 0.02), (d / 2 - 0.02, d / 2)):
                low_c, high_c = (
                    ((a + 0.2 * (b - a), y0, low + 0.05), (b - 0.2 * (b - a), y1, top - 0.05))
                    if upright
                    else ((-w * 0.42, y0, a + 0.2 * (b - a)), (w * 0.42, y1, b - 0.2 * (b - a)))
                )
                bodies += shell.on(box(low_c, high_c, 0.004))
    disc = rotated(cylinder((0, 0, -0.012), wheel, 0.024, sides=16), 1.5708, axis=1)
    for x in (-w / 2 + 0.04, w / 2 - 0.04):
        for y in (-d / 2 + 0.035, d / 2 - 0.035):
            bodies.append(shifted(disc, (x, y, wheel)).painted(DARK))
            bodies += shell.shade(0.6).on(cylinder((x, y, wheel), 0.014, low - wheel + 0.02, sides=10))
    grip = DARK if draws.chance(0.6) else STEEL
    y = -d * 0.25
    if draws.design == "handle out":
        for x in (-w * 0.2, w * 0.2):
            bodies.append(bar((x, y, top - 0.02), (x, y, h - 0.015), 0.007, square=True).painted(STEEL))
        bodies.append(box((-w * 0.2 - 0.02, y - 0.014, h - 0.028), (w * 0.2 + 0.02, y + 0.014, h), 0.01).painted(DARK))
    else:
        for x in (-0.06, 0.06):
            bodies.append(box((x - 0.01, -0.012, top - 0.005), (x + 0.01, 0.012, h - 0.006), 0.003).painted(grip))
        bodies.append(box((-0.07, -0.013, h - 0.016), (0.07, 0.013, h), 0.006).painted(grip))
    if draws.chance(0.6):
        bodies.append(
            box(
                (-w / 2 - 0.008, -0.05, (low + top) / 2 - 0.01), (-w / 2 + 0.01, 0.05, (low + top) / 2 + 0.01), 0.004
            ).painted(grip)
        )
    return MadeParts(bodies, [], [OpeningPart("hinged", (-w / 2, 0.003, low), (w / 2, d / 2, top), (-w / 2, 0.0, low))])


FURNITURE = FurnitureKind(
    name="suitcase",
    category="suitcase",
    habit="floor",
    sizes=(
        SizeClass((0.45, 0.255, 0.66), (0.12, 0.13, 0.13), common=0.7, share=0.75),
        SizeClass((0.43, 0.24, 0.90), (0.1, 0.12, 0.1), common=0.7, name="handle out", share=0.25),
    ),
    make=make,
    source="VSI-Bench boxes: 6 suitcases, sorted sides 0.25, 0.48 and 0.67 m in the median",
    real="suitcase",
)
