"""Printers for tables."""

from __future__ import annotations

from tolman.simulate.made.appliances import display, slab
from tolman.simulate.made.forms import box, rotated
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.materials import DARK
from tolman.simulate.mesh import Mesh

PAPER = (0.95, 0.95, 0.94)


def make(draws: Draws) -> MadeParts:
    """A body with a slot and a tray at the front; drawers of paper, a scanner's lid, keys, paper at the back."""
    w, d, h = draws.size
    body = draws.material("casing", "appliance")
    second = body.shade(0.75) if draws.chance(0.5) else draws.material("casing")
    feed = draws.chance(0.35)
    top = h * draws.between(0.72, 0.82) if feed else h
    scanner = draws.chance(0.65)
    tray = min(0.3 * d, draws.between(0.06, 0.14))
    face = d / 2 - tray
    bodies: list[Mesh] = []
    lid = draws.between(0.03, 0.05) if scanner else 0.0
    low = 0.35 * top if top > 0.26 and draws.chance(0.8) else 0.012
    bodies += body.on(box((-w / 2, -d / 2, 0.0), (w / 2, face, top - lid - 0.002), draws.between(0.004, 0.02)))
    openings: list[OpeningPart] = []
    if low > 0.02:
        for a, b in split(0.012, low, 1 if low < 0.13 else 2):
            part = ((-w / 2 + 0.02, face - 0.005, a + 0.003), (w / 2 - 0.02, face + 0.006, b - 0.003))
            bodies += second.on(box(*part, 0.003))
            bodies.append(
                slab((-0.05, (a + b) / 2 - 0.006), (0.05, (a + b) / 2 + 0.006), (face, face + 0.0075), 0.002).painted(
                    DARK
                )
            )
            openings.append(OpeningPart("drawer", *part))
    slot = low + (top - lid - low) * draws.between(0.2, 0.35)
    half = min(w * 0.36, 0.16)
    bodies.append(
        slab((-half, slot), (half, slot + 0.25 * (top - lid - low)), (face - 0.004, face + 0.001), 0.0005).painted(DARK)
    )
    bodies += second.on(box((-half, face - 0.01, slot - 0.008), (half, d / 2, slot), 0.002))
    if draws.chance(0.5):
        bodies.append(box((-half * 0.9, face, slot), (half * 0.9, d / 2 - 0.015, slot + 0.004)).painted(PAPER))
    panel = draws.pick("front", "slope", "top")
    if scanner:
        part = ((-w / 2, -d / 2, top - lid), (w / 2, face - 0.01, top))
        bodies += second.on(box(*part, 0.008))
        openings.append(OpeningPart("lid", *part, hinge=part[0]))
    if panel == "front" or (panel == "top" and scanner):
        z = top - lid - 0.35 * (top - lid - slot)
        bodies.append(display(draws, (-0.04, z - 0.012), (0.04, z + 0.012), face))
        bodies += [
            slab((x - 0.006, z - 0.006), (x + 0.006, z + 0.006), (face - 0.001, face + 0.003), 0.001).painted(
                (0.3, 0.6, 0.4) if x > 0 else (0.5, 0.5, 0.52)
            )
            for x in (-0.09, -0.065, 0.065, 0.09)
        ]
    elif panel == "slope":
        wedge = box((-w * 0.45, face - 0.03, top - lid - 0.055), (w * 0.45, face + 0.03, top - lid - 0.035), 0.004)
        bodies += second.on(rotated(wedge, -0.6, about=(0, face, top - lid - 0.045), axis=0))
    else:
        for a, b in split(w * 0.1, w * 0.4, 4):
            bodies += second.on(
                box((a + 0.004, face - 0.05, top - 0.003), (b - 0.004, face - 0.03, top + 0.0005), 0.001)
            )
    if feed:
        lean = draws.between(0.15, 0.35)
        rest = rotated(box((-half, -0.004, 0.0), (half, 0.004, h - top + 0.03), 0.002), lean, axis=0)
        back = -d / 2 + 0.01 - float(rest.points[:, 1].min())
        rest.points[:, 1] += back
        rest.points[:, 2] += top - 0.03
        bodies += second.on(rest)
        sheet = rotated(box((-half * 0.92, 0.0045, 0.01), (half * 0.92, 0.007, h - top + 0.015)), lean, axis=0)
        sheet.points[:, 1] += back
        sheet.points[:, 2] += top - 0.03
        bodies.append(sheet.painted(PAPER))
    surface = (
        []
        if feed or panel == "top"
        else [LevelSurface((-w / 2 + 0.03, -d / 2 + 0.03), (w / 2 - 0.03, face - 0.05), h if scanner else h - 0.002)]
    )
    return MadeParts(bodies, surface, openings)


FURNITURE = FurnitureKind(
    name="printer",
    category="printer",
    habit="surface",
    sizes=(SizeClass((0.53, 0.475, 0.335), (0.16, 0.13, 0.27), common=0.4),),
    make=make,
    source="VSI-Bench boxes: 31 printers, sorted sides 0.33, 0.47 and 0.55 m in the median",
    real="printer",
)
