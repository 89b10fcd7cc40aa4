"""Microwave ovens."""

from __future__ import annotations

from tolman.simulate.made.appliances import PANE, display, knobs, pull, slab
from tolman.simulate.made.forms import box, cylinder
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.materials import DARK
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A door with a window beside a panel of keys or knobs."""
    w, d, h = draws.size
    body = draws.material("appliance", "appliance", "casing")
    grip = draws.pick("bar", "flat", "none", "none")
    out = 0.022 if grip != "none" else 0.012
    face, door = d / 2 - out - 0.02, d / 2 - out
    foot = 0.012
    bodies: list[Mesh] = [*body.shade(0.95).on(box((-w / 2, -d / 2, foot), (w / 2, face, h), 0.008))]
    bodies += [
        cylinder((x, y, 0.0), 0.015, foot + 0.002, sides=10).painted(DARK)
        for x in (-w / 2 + 0.05, w / 2 - 0.05)
        for y in (-d / 2 + 0.05, face - 0.05)
    ]
    cut = -w / 2 + draws.between(0.19, 0.28) * w  # seen from before, -x is on the right
    front = body if draws.chance(0.6) else draws.material("casing")
    bodies += front.on(slab((cut + 0.002, foot), (w / 2, h), (face - 0.001, door)))
    bodies += front.shade(draws.between(0.8, 1.1)).on(slab((-w / 2, foot), (cut - 0.002, h), (face - 0.001, door)))
    rim = draws.between(0.025, 0.06)
    bodies.append(
        slab((cut + rim * 1.4, foot + rim), (w / 2 - rim, h - rim), (door - 0.003, door + 0.0015), 0.001).painted(PANE)
    )
    middle = (cut - w / 2) / 2
    half = (cut + w / 2) / 2 - 0.015
    if draws.chance(0.65):
        bodies.append(display(draws, (middle - half, h - 0.07), (middle + half, h - 0.035), door))
        keys = draws.material("casing", "metal")
        for a, b in split(foot + 0.05, h - 0.08, draws.count(3, 5)):
            for p, q in split(middle - half, middle + half, 3):
                bodies += keys.on(
                    slab((p + 0.003, a + 0.004), (q - 0.003, b - 0.004), (door - 0.001, door + 0.003), 0.001)
                )
    else:
        bodies += knobs(
            [(middle, foot + (h - foot) * share) for share in (0.35, 0.7)],
            (door, door + 0.012),
            min(0.03, half),
            draws.material("casing", "metal"),
        )
    bodies += front.shade(0.85).on(
        slab(
            (middle - half, foot + 0.012),
            (middle + half, foot + 0.035),
            (door - 0.001, d / 2 if grip == "none" else door + 0.006),
            0.002,
        )
    )
    if grip != "none":
        bodies += pull(grip, (cut + rim * 0.6, foot + 0.04), (cut + rim * 0.6, h - 0.04), (door, d / 2))
    openings = [OpeningPart("hinged", (cut, face, foot), (w / 2, door, h), (w / 2, face, foot))]
    return MadeParts(bodies, [LevelSurface((-w / 2 + 0.03, -d / 2 + 0.03), (w / 2 - 0.03, face - 0.02), h)], openings)


FURNITURE = FurnitureKind(
    name="microwave",
    category="microwave",
    habit="surface",
    sizes=(SizeClass((0.54, 0.39, 0.275), (0.14, 0.13, 0.14)),),
    make=make,
    source="VSI-Bench boxes: 15 microwaves, sorted sides 0.25, 0.40 and 0.53 m in the median",
    real="microwave",
)
