"""Refrigerators: one to four doors, high or below a worktop."""

from __future__ import annotations

from tolman.simulate.made.appliances import display, pull, slab
from tolman.simulate.made.forms import box
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.materials import DARK
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A body; doors above each other, side by side, or two above a drawer; handles, maybe a dispenser."""
    w, d, h = draws.size
    body = draws.material("appliance", "appliance", "appliance", "paint")
    grip = draws.pick("bar", "bar", "flat", "grip")
    out = 0.012 if grip == "grip" else draws.between(0.03, 0.045)
    face, door = d / 2 - out - 0.055, d / 2 - out
    foot = draws.between(0.015, 0.05)
    retro = draws.chance(0.2)
    radius = 0.03 if retro else draws.between(0.004, 0.01)
    bodies: list[Mesh] = [*body.shade(0.97).on(box((-w / 2, -d / 2, foot), (w / 2, face, h), min(radius, 0.01)))]
    bodies.append(box((-w / 2 + 0.02, -d / 2 + 0.02, 0.0), (w / 2 - 0.02, face - 0.02, foot)).painted(DARK))
    bodies.append(
        box((-w / 2 + 0.008, face - 0.002, foot + 0.008), (w / 2 - 0.008, face + 0.006, h - 0.008)).painted(DARK)
    )
    if w > 0.82:
        layout = draws.pick("side by side", "french", "french")
    elif h < 1.1:
        layout = "one"
    else:
        layout = draws.pick("freezer above", "freezer below", "freezer below", "one")
    low, high = foot + 0.004, h
    cut = {
        "one": high, "freezer above": low + (high - low) * draws.between(0.68, 0.75),
        "freezer below": low + (high - low) * draws.between(0.33, 0.45), "side by side": high,
        "french": low + (high - low) * draws.between(0.32, 0.4),
    }[layout]  # fmt: skip
    left_hinge = draws.chance(0.5)
    doors: list[tuple[float, float, float, float, str]] = []
    if layout in ("one", "freezer above", "freezer below"):
        hinge = "left" if left_hinge else "right"
        doors = [(-w / 2, low, w / 2, cut, hinge)] + ([(-w / 2, cut, w / 2, high, hinge)] if cut < high else [])
    elif layout == "side by side":
        split = w * draws.between(-0.1, 0.0)
        doors = [(-w / 2, low, split, high, "left"), (split, low, w / 2, high, "right")]
    else:
        doors = [(-w / 2, cut, 0.0, high, "left"), (0.0, cut, w / 2, high, "right")]
        pairs = [(low, cut)] if draws.chance(0.6) else [(low, (low + cut) / 2), ((low + cut) / 2, cut)]
        doors += [(-w / 2, a, w / 2, b, "drawer") for a, b in pairs]
    openings = []
    for x0, z0, x1, z1, hinge in doors:
        bodies += body.on(slab((x0 + 0.002, z0 + 0.003), (x1 - 0.002, z1 - 0.003), (face + 0.004, door), radius))
        tall = z1 - z0
        if hinge == "drawer":
            bodies += pull(grip, (-w * 0.36, z1 - 0.06), (w * 0.36, z1 - 0.06), (door, d / 2))
            openings.append(OpeningPart("drawer", (x0, face, z0), (x1, door, z1)))
            continue
        x = x1 - 0.045 if hinge == "left" else x0 + 0.045
        long = min(draws.between(0.25, 0.6), 0.75 * tall)
        # Where doors meet, their handles do.
        start = z0 + 0.06 if z0 == cut else max(z0 + 0.05, z1 - 0.06 - long)
        if layout in ("one", "side by side"):
            start = max(z0 + 0.08, min(0.95, z1 - long - 0.05))
        bodies += pull(grip, (x, start), (x, start + long), (door, d / 2))
        openings.append(
            OpeningPart("hinged", (x0, face, z0), (x1, door, z1), (x0 if hinge == "left" else x1, face, z0))
        )
    if w > 0.82 and draws.chance(0.5):
        x0, _, x1, top, _ = doors[0]
        middle = (x0 + x1) / 2 - 0.01
        bodies.append(
            slab((middle - 0.09, 1.0), (middle + 0.09, 1.0 + 0.3), (door - 0.004, door + 0.003), 0.002).painted(DARK)
        )
        if top > 1.34:
            bodies.append(display(draws, (middle - 0.06, 1.24), (middle + 0.06, 1.28), door + 0.003))
    elif draws.chance(0.3):
        bodies.append(display(draws, (-0.05, h - 0.09), (0.05, h - 0.07), door))
    return MadeParts(bodies, [LevelSurface((-w / 2 + 0.04, -d / 2 + 0.04), (w / 2 - 0.04, face - 0.03), h)], openings)


FURNITURE = FurnitureKind(
    name="refrigerator",
    category="refrigerator",
    habit="wall",
    sizes=(
        SizeClass((0.64, 0.63, 1.72), (0.11, 0.09, 0.12), common=0.3, share=0.65),
        SizeClass((0.89, 0.71, 1.78), (0.05, 0.09, 0.05), name="wide", share=0.2),
        SizeClass((0.53, 0.54, 0.86), (0.09, 0.09, 0.14), name="small", share=0.15),
    ),
    make=make,
    source="VSI-Bench boxes: 46 refrigerators, sorted sides 0.59, 0.70 and 1.66 m in the median",
    real="refrigerator",
)
