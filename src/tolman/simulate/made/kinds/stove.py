"""Stoves: a hob over an oven."""

from __future__ import annotations

from tolman.simulate.made.appliances import PANE, display, knobs, pull, slab
from tolman.simulate.made.forms import bar, box, cylinder, lathe
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.materials import DARK, STEEL
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """Gas burners under grates, iron plates or a pane of glass; an oven door with a window; knobs; maybe a back."""
    w, d, h = draws.size
    body = draws.material("appliance")
    grip = draws.pick("bar", "bar", "flat")
    out = draws.between(0.035, 0.05)
    face, door = d / 2 - out - 0.035, d / 2 - out
    kind = draws.pick("gas", "glass", "iron")
    back = draws.chance(0.4)
    top = h - (draws.between(0.1, 0.2) if back else 0.0)
    rise = {"gas": 0.045, "glass": 0.004, "iron": 0.014}[kind]
    hob = top - rise if not back or kind != "glass" else top
    foot = draws.between(0.02, 0.08)
    bodies: list[Mesh] = [*body.on(box((-w / 2, -d / 2, foot), (w / 2, face, hob), 0.004))]
    bodies.append(box((-w / 2 + 0.02, -d / 2 + 0.03, 0.0), (w / 2 - 0.02, face - 0.03, foot)).painted(DARK))
    if back:
        bodies += body.on(box((-w / 2, -d / 2, hob - 0.01), (w / 2, -d / 2 + 0.05, h), 0.006))
        bodies.append(display(draws, (-0.08, h - 0.07), (0.08, h - 0.03), -d / 2 + 0.05))
    rear = -d / 2 + (0.06 if back else 0.02)
    lower, upper = foot + 0.01, hob
    panel = upper - draws.between(0.09, 0.14)
    cut = lower + (draws.between(0.12, 0.18) if draws.chance(0.6) else 0.0)
    bodies += body.shade(0.97).on(slab((-w / 2, panel + 0.003), (w / 2, upper - 0.002), (face - 0.002, door - 0.01)))
    bodies += body.on(slab((-w / 2 + 0.003, cut + 0.003), (w / 2 - 0.003, panel - 0.003), (face, door)))
    glass = 0.05 if draws.chance(0.6) else 0.12
    bodies.append(
        slab((-w / 2 + glass, cut + 0.06), (w / 2 - glass, panel - 0.1), (door - 0.004, door + 0.002)).painted(PANE)
    )
    bodies += pull(grip, (-w / 2 + 0.06, panel - 0.05), (w / 2 - 0.06, panel - 0.05), (door, d / 2))
    openings = [OpeningPart("flap", (-w / 2, face, cut), (w / 2, door, panel), (-w / 2, face, cut))]
    if cut > lower:
        bodies += body.on(slab((-w / 2 + 0.003, lower), (w / 2 - 0.003, cut - 0.003), (face, door)))
        openings.append(OpeningPart("drawer", (-w / 2, face, lower), (w / 2, door, cut)))
    columns = 2 if w < 0.72 else 3
    z = (panel + upper) / 2
    count = columns * 2 + 1
    dials = [
        ((a + b) / 2, z)
        for a, b in split(-w / 2 + 0.05, w / 2 - 0.05, count)
        if abs((a + b) / 2) > 0.04 or draws.design
    ]
    bodies += knobs(dials, (door - 0.01, door + 0.016), 0.019, draws.material("casing", "metal"))
    surfaces: list[LevelSurface] = []
    spots = [
        ((a + b) / 2, (p + q) / 2)
        for a, b in split(-w / 2 + 0.03, w / 2 - 0.03, columns)
        for p, q in split(rear, face - 0.03, 2)
    ]
    if kind == "glass":
        bodies.append(
            box((-w / 2 + 0.008, rear, hob - 0.001), (w / 2 - 0.008, face - 0.01, hob + 0.004), 0.001).painted(
                (0.05, 0.05, 0.055)
            )
        )
        for x, y in spots:
            bodies.append(
                lathe(
                    [(0.09, hob + 0.003), (0.09, hob + 0.0046), (0.086, hob + 0.0046)], center=(x, y), sides=28
                ).painted((0.16, 0.15, 0.15))
            )
        if not back:
            surfaces = []
    elif kind == "iron":
        bodies += [
            cylinder((x, y, hob - 0.001), draws.between(0.07, 0.1), 0.015, sides=28, bevel=0.004).painted(DARK)
            for x, y in spots
        ]
    else:
        bodies.append(
            box((-w / 2 + 0.015, rear, hob - 0.001), (w / 2 - 0.015, face - 0.015, hob + 0.004)).painted(
                STEEL if draws.chance(0.6) else (0.12, 0.12, 0.12)
            )
        )
        for x, y in spots:
            bodies.append(
                lathe([(0.045, hob), (0.045, hob + 0.016), (0.03, hob + 0.024)], center=(x, y), sides=20).painted(DARK)
            )
            for dx, dy in ((0.1, 0.0), (0.0, 0.1)):
                a, b = (x - dx, y - dy, hob + 0.036), (x + dx, y + dy, hob + 0.036)
                bodies.append(bar(a, b, 0.006, square=True).painted(DARK))
                bodies += [bar((p[0], p[1], hob), p, 0.005, square=True).painted(DARK) for p in (a, b)]
    return MadeParts(bodies, surfaces, openings)


FURNITURE = FurnitureKind(
    name="stove",
    category="stove",
    habit="wall",
    sizes=(
        SizeClass((0.60, 0.62, 0.90), (0.07, 0.04, 0.04), share=0.75),
        SizeClass((0.86, 0.64, 0.92), (0.06, 0.04, 0.04), name="wide", share=0.25),
    ),
    make=make,
    source="of the statistics' 28 stoves most boxes hold the hob only; 0.5–0.9 m wide as on sale",
)
