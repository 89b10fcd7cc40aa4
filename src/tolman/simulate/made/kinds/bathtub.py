"""Bathtubs: built in, or standing free on a foot or claws."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import ball, bar, box, cylinder, loft, tube
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.made.outlines import ring
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A shell with a rim and a deep inside; panels around it, or a free foot; taps at an end or at the back."""
    w, d, h = draws.size
    shell = draws.material("ceramic")
    metal = draws.material("metal")
    style = draws.pick("built in", "built in", "free", "claws")
    tap = draws.between(0.02, 0.07)
    top = h - tap
    power = draws.between(3.0, 6.0) if style != "built in" else draws.between(2.6, 6.0)
    rim = draws.between(0.03, 0.07)
    bottom = 0.12 if style == "claws" else 0.0
    bodies: list[Mesh] = []
    inner = (w / 2 - rim, d / 2 - rim)
    floor = bottom + draws.between(0.08, 0.14)
    slope = draws.between(0.75, 0.88)
    if style == "built in":
        panel = shell if draws.chance(0.6) else draws.material("wood", "paint", "stone")
        outer = 24.0
        under = (inner[0] * slope * 0.9, inner[1] * slope * 0.9)
        rings = [
            ring((0, 0, floor - 0.02), under, power),
            ring((0, 0, top - 0.035), (inner[0] + 0.012, inner[1] + 0.012), power),
        ]
        rings += [
            ring((0, 0, top - 0.03), (w / 2 - 0.001, d / 2 - 0.001), outer),
            ring((0, 0, top), (w / 2, d / 2), outer),
        ]
        bodies += panel.on(
            box((-w / 2 + 0.008, d / 2 - 0.03, 0.0), (w / 2 - 0.008, d / 2 - 0.008, top - 0.028)),
            box((-w / 2 + 0.008, -d / 2, 0.0), (w / 2 - 0.008, -d / 2 + 0.02, top - 0.028)),
        )
        bodies += panel.on(
            *(
                box(
                    (s * (w / 2 - 0.018) - 0.01, -d / 2 + 0.02, 0.0),
                    (s * (w / 2 - 0.018) + 0.01, d / 2 - 0.03, top - 0.028),
                )
                for s in (-1, 1)
            )
        )
        if draws.chance(0.5):
            for a in np.linspace(-w / 2 + 0.1, w / 2 - 0.1, draws.count(2, 5) + 1)[:-1]:
                wide = 0.8 * (w - 0.2) / 4
                bodies += panel.shade(0.95).on(
                    box((float(a), d / 2 - 0.012, 0.08), (float(a) + wide, d / 2 - 0.003, top - 0.1), 0.003)
                )
    else:
        swell = draws.between(0.72, 0.86)
        rings = [
            ring((0, 0, bottom), (w / 2 * swell * 0.8, d / 2 * swell * 0.75), power),
            ring((0, 0, bottom + 0.06), (w / 2 * swell, d / 2 * swell), power),
            ring((0, 0, top - 0.05), (w / 2 * 0.97, d / 2 * 0.95), power),
            ring((0, 0, top - 0.02), (w / 2, d / 2), power),
            ring((0, 0, top), (w / 2 * 0.99, d / 2 * 0.98), power),
        ]
    rings += [
        ring((0, 0, top), inner, power),
        ring((0, 0, (top + floor) / 2), (inner[0] * (1 + slope) / 2, inner[1] * (1.0 + slope) / 2), power),
        ring((0, 0, floor + 0.03), (inner[0] * slope, inner[1] * slope), power),
        ring((0, 0, floor), (inner[0] * slope * 0.85, inner[1] * slope * 0.8), power),
    ]
    bodies += shell.on(loft(rings))
    if style == "claws":
        for sx in (-1, 1):
            for sy in (-1, 1):
                x, y = sx * w * 0.28, sy * d * 0.26
                bodies += metal.on(
                    tube(
                        [(x * 0.9, y * 0.85, bottom + 0.03), (x * 1.08, y * 1.1, 0.08), (x, y, 0.025)],
                        (0.022, 0.02, 0.014),
                    ),
                    ball((x, y, 0.022), (0.026, 0.026, 0.022)),
                )
    end = -1 if draws.chance(0.5) else 1
    x, y = (end * (w / 2 - rim * 0.6), 0.0) if draws.chance(0.6) else (0.0, -d / 2 + rim * 0.6)
    inward = (-end * 0.1, 0.0) if x else (0.0, 0.1)
    bodies += metal.on(tube([(x, y, top - 0.01), (x, y, h - 0.012), (x + inward[0], y + inward[1], h - 0.02)], 0.012))
    for s in (-1, 1):
        at = (x, y + s * 0.08) if x else (x + s * 0.08, y)
        bodies += metal.on(cylinder((*at, top - 0.002), 0.018, min(0.035, tap * 0.9), sides=12))
    drain = (-inner[0] * slope * 0.5 * end, 0.0)
    bodies += metal.on(cylinder((*drain, floor - 0.004), 0.025, 0.006, sides=16))
    if draws.chance(0.2):
        bodies += metal.on(
            bar((-0.2, -d / 2 + rim * 0.4, top + 0.03), (0.2, -d / 2 + rim * 0.4, top + 0.03), 0.01),
            *(
                bar((s * 0.19, -d / 2 + rim * 0.4, top - 0.005), (s * 0.19, -d / 2 + rim * 0.4, top + 0.03), 0.008)
                for s in (-1, 1)
            ),
        )
    return MadeParts(bodies)


FURNITURE = FurnitureKind(
    name="bathtub",
    category="bathtub",
    habit="wall",
    sizes=(SizeClass((1.66, 0.74, 0.575), (0.08, 0.1, 0.06), common=0.3),),
    make=make,
    source="VSI-Bench boxes: 28 bathtubs, sorted sides 0.57, 0.71 and 1.65 m in the median",
    real="bathtub",
)
