"""Dishwashers that stand free."""

from __future__ import annotations

from tolman.simulate.made.appliances import display, knobs, pull, slab
from tolman.simulate.made.forms import box
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.materials import DARK
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A body with a flap, a strip of buttons over it or hidden on its edge, a plinth and a top."""
    w, d, h = draws.size
    body = draws.material("appliance")
    grip = draws.pick("bar", "flat", "grip")
    out = 0.008 if grip == "grip" else draws.between(0.025, 0.045)
    face, door = d / 2 - out - 0.03, d / 2 - out
    plinth, top = draws.between(0.06, 0.14), draws.between(0.015, 0.035)
    bodies: list[Mesh] = [*body.shade(0.97).on(box((-w / 2, -d / 2, 0.03), (w / 2, face, h - top)))]
    bodies.append(box((-w / 2 + 0.01, -d / 2 + 0.02, 0.0), (w / 2 - 0.01, face - 0.04, plinth)).painted(DARK))
    lid = draws.material("appliance", "wood") if draws.chance(0.4) else body
    bodies += lid.on(box((-w / 2, -d / 2, h - top), (w / 2, door, h), 0.004))
    panel = draws.chance(0.7)
    high = h - top - 0.003
    cut = high - (draws.between(0.09, 0.14) if panel else 0.0)
    bodies += body.on(slab((-w / 2 + 0.003, plinth), (w / 2 - 0.003, cut - 0.002), (face, door)))
    if panel:
        strip = body if draws.chance(0.5) else draws.material("casing", "appliance")
        bodies += strip.on(slab((-w / 2 + 0.003, cut + 0.002), (w / 2 - 0.003, high), (face, door)))
        z = (cut + high) / 2
        side = -1 if draws.chance(0.5) else 1
        bodies.append(display(draws, (side * w * 0.32 - 0.05, z - 0.014), (side * w * 0.32 + 0.05, z + 0.014), door))
        for a, b in split(-w * 0.12, w * 0.12, draws.count(3, 6)):
            bodies += draws.material("casing").on(
                slab(
                    ((a + b) / 2 - 0.006, z - 0.006),
                    ((a + b) / 2 + 0.006, z + 0.006),
                    (door - 0.001, door + 0.004),
                    0.001,
                )
            )
        if draws.chance(0.4):
            bodies += knobs([(-side * w * 0.36, z)], (door, door + min(out, 0.016)), 0.022, strip.shade(0.9))
    else:
        bodies.append(box((-w / 2 + 0.004, face, cut - 0.006), (w / 2 - 0.004, door - 0.006, cut)).painted(DARK))
    at = cut - 0.05
    half = w * draws.between(0.2, 0.42)
    bodies += pull(grip, (-half, at), (half, at), (door, d / 2))
    if draws.chance(0.3):
        inset = draws.between(0.05, 0.08)
        under, over = plinth + inset, at - 0.05
        if over > under + 0.02:
            bodies += body.shade(0.94).on(
                slab((-w / 2 + inset, under), (w / 2 - inset, over), (door - 0.002, door + 0.003))
            )
    openings = [OpeningPart("flap", (-w / 2, face, plinth), (w / 2, door, cut), (-w / 2, face, plinth))]
    return MadeParts(bodies, [LevelSurface((-w / 2 + 0.02, -d / 2 + 0.02), (w / 2 - 0.02, door - 0.02), h)], openings)


FURNITURE = FurnitureKind(
    name="dishwasher",
    category="dishwasher",
    habit="wall",
    sizes=(
        SizeClass((0.62, 0.63, 0.89), (0.07, 0.06, 0.04), common=0.2, share=0.75),
        SizeClass((0.46, 0.60, 0.86), (0.04, 0.06, 0.04), name="narrow", share=0.15),
        SizeClass((0.56, 0.52, 0.47), (0.06, 0.06, 0.08), name="low", share=0.1),
    ),
    make=make,
    source="VSI-Bench boxes: 7 dishwashers, sorted sides 0.62, 0.64 and 0.91 m in the median",
    real="dishwasher",
)
