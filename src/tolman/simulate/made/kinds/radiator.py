"""Radiators: columns, ribs, panels or rungs, hung low on a wall."""

from __future__ import annotations

from tolman.simulate.made.forms import bar, box, cylinder, rotated, shifted
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A row of columns, a panel with grooves before fins, flat tubes, or rungs between two posts; a valve."""
    w, d, h = draws.size
    paint = draws.material("appliance", "ceramic", "paint") if draws.chance(0.5) else draws.material("ceramic")
    style = draws.pick("columns", "panel", "ribs", "flat", "rungs" if h > w * 0.6 else "panel")
    bodies: list[Mesh] = []
    valve = 0.05
    x0, x1 = -w / 2 + valve, w / 2 - 0.005
    front, back = d / 2, -d / 2 + 0.02
    if style == "columns":
        count = max(4, round((x1 - x0) / draws.between(0.045, 0.065)))
        for a, b in split(x0, x1, count):
            x, r = (a + b) / 2, 0.4 * (b - a)
            for y in (front - r, back + r) if d > 0.09 else ((front + back) / 2,):
                bodies += paint.on(bar((x, y, 0.02), (x, y, h - 0.02), r, sides=8))
            bodies += paint.on(
                box((a + 0.002, back, 0.0), (b - 0.002, front, 0.05), 0.012),
                box((a + 0.002, back, h - 0.05), (b - 0.002, front, h), 0.012),
            )
    elif style == "panel":
        plates = 2 if d > 0.1 else 1
        thick = min(0.02, 0.4 * (front - back))
        for y in (front - thick, back)[:plates]:
            bodies += paint.on(box((x0, y, 0.0), (x1, y + thick, h - 0.01), 0.004))
        if plates == 1:
            bodies += paint.shade(0.8).on(box((x0 + 0.02, back, 0.03), (x1 - 0.02, front - thick, h - 0.04)))
        if draws.chance(0.7):
            count = max(6, round((x1 - x0) / draws.between(0.04, 0.1)))
            for a, b in split(x0 + 0.01, x1 - 0.01, count):
                bodies += paint.shade(0.93).on(
                    box((a + 0.3 * (b - a), front - 0.004, 0.03), (b - 0.3 * (b - a), front + 0.003, h - 0.04), 0.002)
                )
        count = max(8, round((x1 - x0) / 0.03))
        grid = [
            box((a + 0.2 * (b - a), back, h - 0.012), (b - 0.2 * (b - a), front, h)) for a, b in split(x0, x1, count)
        ]
        bodies += paint.on(
            *grid, box((x0, back, h - 0.03), (x0 + 0.006, front, h)), box((x1 - 0.006, back, h - 0.03), (x1, front, h))
        )
    elif style == "ribs":
        count = max(5, round((x1 - x0) / draws.between(0.06, 0.09)))
        for a, b in split(x0, x1, count):
            bodies += paint.on(box((a + 0.003, back, 0.0), (b - 0.003, front, h), min(0.016, 0.3 * (b - a)), steps=2))
        bodies += paint.shade(0.9).on(box((x0 + 0.01, back + 0.02, 0.06), (x1 - 0.01, front - 0.02, h - 0.06)))
    elif style == "flat":
        upright = draws.chance(0.5)
        for a, b in (
            split(x0, x1, max(4, round((x1 - x0) / 0.075))) if upright else split(0.0, h, max(3, round(h / 0.075)))
        ):
            low, high = (
                ((a + 0.002, front - 0.014, 0.0), (b - 0.002, front, h))
                if upright
                else ((x0, front - 0.014, a + 0.002), (x1, front, b - 0.002))
            )
            bodies += paint.on(box(low, high, 0.003))
        inner = (
            [box((x0 + 0.01, back, z), (x1 - 0.01, front - 0.012, z + 0.05)) for z in (0.04, h - 0.09)]
            if upright
            else [box((x, back, 0.02), (x + 0.05, front - 0.012, h - 0.02)) for x in (x0 + 0.03, x1 - 0.08)]
        )
        bodies += paint.on(*inner)
    else:
        r, y = min(0.018, 0.4 * (front - back)), (front + back) / 2
        bodies += paint.on(*(box((x - r, back, 0.0), (x + r, front, h), 0.006) for x in (x0 + r, x1 - r)))
        for a, b in split(0.03, h - 0.03, max(5, round(h / draws.between(0.05, 0.08)))):
            z = (a + b) / 2
            bodies += paint.on(bar((x0 + r, y, z), (x1 - r, y, z), min(0.011, 0.35 * (b - a)), sides=8))
    z = 0.06 if draws.chance(0.6) else h - 0.08
    metal = draws.material("metal")
    bodies += metal.on(bar((-w / 2 + 0.025, (front + back) / 2, z), (x0 + 0.02, (front + back) / 2, z), 0.009))
    knob = rotated(cylinder((0, 0, 0), min(0.02, 0.35 * d), 0.035, sides=14, bevel=0.004), -1.5708, axis=1)
    bodies += draws.material("ceramic").on(shifted(knob, (-w / 2 + 0.035, (front + back) / 2, z)))
    wide = max(0.05, 0.035 * w)
    hooks = [
        box((x - wide / 2, -d / 2, h * 0.2), (x + wide / 2, back + 0.015, h * 0.8))
        for x in (x0 + 0.15 * w, x1 - 0.15 * w)
    ]
    return MadeParts([*bodies, *paint.on(*hooks)])


FURNITURE = FurnitureKind(
    name="radiator",
    category="radiator",
    habit="hung",
    elevation=0.12,
    sizes=(
        SizeClass((1.28, 0.14, 0.50), (0.3, 0.3, 0.18), common=0.1, share=0.85),
        SizeClass((0.55, 0.10, 1.20), (0.12, 0.2, 0.15), common=0.2, name="upright", share=0.15),
    ),
    make=make,
    source="VSI-Bench boxes: 47 radiators, sorted sides 0.15, 0.48 and 1.30 m in the median",
    real="radiator",
)
