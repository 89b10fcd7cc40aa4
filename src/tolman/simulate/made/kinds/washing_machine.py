"""Washing machines: a round door at the front, or a lid above."""

from __future__ import annotations

from tolman.simulate.made.appliances import PANE, display, knobs, round_door, slab
from tolman.simulate.made.forms import box, cylinder
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.materials import DARK
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A body on feet with a strip that holds a drawer for the powder, a knob and a display."""
    w, d, h = draws.size
    body = draws.material("appliance")
    out = draws.between(0.02, 0.045)
    face = d / 2 - out
    bodies: list[Mesh] = []
    for x in (-w / 2 + 0.06, w / 2 - 0.06):
        bodies += [cylinder((x, y, 0.0), 0.022, 0.02, sides=12).painted(DARK) for y in (-d / 2 + 0.06, face - 0.06)]
    trim = draws.material("casing", "appliance", "metal")
    if draws.design == "top":
        rise = draws.between(0.08, 0.14)
        top = h - rise
        bodies += body.on(box((-w / 2, -d / 2, 0.018), (w / 2, d / 2, top), 0.01))
        bodies += trim.on(box((-w / 2, -d / 2, top - 0.01), (w / 2, -d / 2 + draws.between(0.09, 0.15), h), 0.012))
        bodies.append(display(draws, (-0.06, h - rise * 0.6), (0.06, h - rise * 0.3), -d / 2 + 0.15))
        lid = ((-w / 2 + 0.03, -d / 2 + 0.17, top), (w / 2 - 0.03, d / 2 - 0.04, top + 0.014))
        bodies += body.shade(0.93).on(box(*lid, 0.005))
        bodies.append(box((-0.07, d / 2 - 0.045, top + 0.002), (0.07, d / 2 - 0.02, top + 0.012)).painted(DARK))
        return MadeParts(bodies, [], [OpeningPart("lid", *lid, lid[0])])
    lid_high = draws.between(0.015, 0.03)
    bodies += body.on(box((-w / 2, -d / 2, 0.018), (w / 2, face, h - lid_high), 0.006))
    bodies += body.shade(0.97).on(box((-w / 2, -d / 2, h - lid_high), (w / 2, face + 0.006, h), 0.005))
    strip = h - lid_high - draws.between(0.1, 0.14)
    panel = body.shade(0.96) if draws.chance(0.6) else trim
    bodies += panel.on(
        slab((-w / 2 + 0.002, strip), (w / 2 - 0.002, h - lid_high - 0.002), (face - 0.01, face + 0.008))
    )
    side = 1 if draws.chance(0.75) else -1
    z = (strip + h - lid_high) / 2
    drawer = sorted((side * (w / 2 - 0.01), side * w * 0.2))
    bodies += body.on(slab((drawer[0], strip + 0.01), (drawer[1], h - lid_high - 0.012), (face, face + 0.015)))
    bodies.append(
        slab(
            (drawer[0] + 0.03, strip + 0.02), (drawer[1] - 0.03, strip + 0.032), (face + 0.01, face + 0.017), 0.002
        ).painted(DARK)
    )
    bodies += knobs(
        [(-side * w * draws.between(-0.02, 0.1), z)], (face + 0.008, face + 0.02), draws.between(0.022, 0.032), trim
    )
    bodies.append(
        display(draws, (-side * w * 0.32 - 0.05, z - 0.018), (-side * w * 0.32 + 0.05, z + 0.018), face + 0.008)
    )
    radius = min(draws.between(0.15, 0.2), 0.42 * w)
    middle = (0.0, 0.5 * (0.08 + strip) + draws.between(-0.01, 0.04))
    pane = PANE if draws.chance(0.7) else (0.34, 0.40, 0.44)
    bodies += round_door(middle, radius, (face - 0.001, d / 2), trim if draws.chance(0.7) else body.shade(0.9), pane)
    grip = -1 if draws.chance(0.5) else 1
    bodies.append(
        slab(
            (grip * radius * 0.86 - 0.012, middle[1] - 0.04),
            (grip * radius * 0.86 + 0.012, middle[1] + 0.04),
            (face + 0.005, d / 2),
            0.003,
        ).painted(DARK)
    )
    if draws.chance(0.6):
        x = w * 0.3 * (1 if draws.chance(0.5) else -1)
        bodies += body.shade(0.9).on(slab((x - 0.06, 0.04), (x + 0.06, 0.13), (face - 0.002, face + 0.003)))
    low, high = (-radius, face, middle[1] - radius), (radius, d / 2, middle[1] + radius)
    openings = [
        OpeningPart("hinged", low, high, (-grip * radius, face, middle[1])),
        OpeningPart("drawer", (drawer[0], face, strip + 0.01), (drawer[1], face + 0.015, h - lid_high - 0.012)),
    ]
    return MadeParts(bodies, [LevelSurface((-w / 2 + 0.02, -d / 2 + 0.02), (w / 2 - 0.02, face - 0.02), h)], openings)


FURNITURE = FurnitureKind(
    name="washing machine",
    category="washing machine",
    habit="wall",
    sizes=(
        SizeClass((0.62, 0.61, 0.86), (0.05, 0.09, 0.03), common=0.2, share=0.8),
        SizeClass((0.60, 0.62, 0.95), (0.08, 0.05, 0.06), name="top", share=0.2),
    ),
    make=make,
    source="VSI-Bench boxes: 28 washers, sorted sides 0.60, 0.65 and 0.86 m in the median",
    real="washer",
)
