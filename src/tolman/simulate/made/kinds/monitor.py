"""Computer monitors."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import bar, bent, box, cylinder, lathe, prism, sheet
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.made.materials import SCREEN
from tolman.simulate.made.outlines import rounded_rectangle
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A flat or curved panel on a neck and a foot."""
    w, d, h = draws.size
    frame = draws.material("casing")
    low = h - min(draws.between(0.5, 0.62) * w, h - 0.07)
    thick, bezel = draws.between(0.016, 0.03), draws.between(0.005, 0.018)
    y = d * draws.between(-0.02, 0.12)
    bodies: list[Mesh] = []
    if w > 0.58 and draws.chance(0.35):
        t = np.linspace(-1, 1, 13)
        curve = 0.05 * t**2
        for inset, front, material in ((0.0, 0.0, None), (bezel, thick / 2, SCREEN)):
            rows = [
                np.column_stack([t * (w / 2 - inset), y + curve + front, np.full(13, z)])
                for z in (low + inset, h - inset)
            ]
            mesh = sheet(np.array(rows), 0.003 if material else thick)
            bodies += [mesh.painted(material)] if material else frame.on(mesh)
    else:
        bodies += frame.on(box((-w / 2, y - thick / 2, low), (w / 2, y + thick / 2, h), 0.003))
        bodies.append(
            box(
                (-w / 2 + bezel, y + thick / 2 - 0.002, low + bezel * draws.between(1, 2.5)),
                (w / 2 - bezel, y + thick / 2 + 0.001, h - bezel),
            ).painted(SCREEN)
        )
    back = y - thick / 2
    middle = (low + h) / 2
    bodies += frame.on(box((-w * 0.17, back - 0.025, middle - 0.09), (w * 0.17, back + 0.004, middle + 0.09), 0.008))
    rear = max(-d / 2 + 0.025, back - 0.05)
    neck = draws.pick("flat", "round", "bent", "two")
    if neck == "flat":
        bodies += frame.on(box((-0.035, rear - 0.012, 0.004), (0.035, rear + 0.012, middle), 0.004))
    elif neck == "round":
        bodies += frame.on(cylinder((0.0, rear, 0.004), 0.02, middle - 0.004, sides=16))
    elif neck == "bent":
        bodies += frame.on(bar((0.0, 0.0, 0.01), (0.0, rear, middle), 0.02, square=True))
    else:
        bodies += frame.on(*(bar((s * 0.07, 0.0, 0.01), (s * 0.03, rear, middle), 0.01) for s in (-1, 1)))
    bodies += frame.on(box((-0.04, rear - 0.005, middle - 0.03), (0.04, back, middle + 0.03), 0.004))
    foot = draws.pick("plate", "round", "vee", "ring")
    half = min(0.42 * w, draws.between(0.11, 0.15))
    if foot == "plate":
        bodies += frame.on(
            prism(rounded_rectangle((-half, -d / 2), (half, d / 2), draws.between(0.004, 0.08)), 0.0, 0.012)
        )
    elif foot == "round":
        mesh = lathe([(0.5, 0.0), (0.5, 0.007), (0.45, 0.012), (0.1, 0.018)], sides=28)
        bodies += frame.on(bent(mesh, mesh.points * (d, d, 1.0)))
    else:
        for s in (-1, 1):
            bodies += frame.on(bar((0.0, -d / 2 + 0.02, 0.009), (s * half, d / 2 - 0.012, 0.009), 0.009, square=True))
        bodies += frame.on(box((-0.05, -d / 2, 0.0), (0.05, -d / 2 + 0.08, 0.018), 0.004))
        if foot == "ring":
            bodies += frame.on(box((-half, d / 2 - 0.02, 0.0), (half, d / 2, 0.018), 0.003))
        bodies += frame.on(box((-0.03, -d / 2 + 0.03, 0.0), (0.03, max(0.02, rear + 0.02), 0.016), 0.003))
    return MadeParts(bodies)


FURNITURE = FurnitureKind(
    name="monitor",
    category="monitor",
    habit="surface",
    sizes=(
        SizeClass((0.57, 0.185, 0.47), (0.13, 0.14, 0.11), share=0.85),
        SizeClass((0.78, 0.21, 0.47), (0.06, 0.12, 0.08), name="wide", share=0.15),
    ),
    make=make,
    source="VSI-Bench boxes: 115 monitors, sorted sides 0.19, 0.48 and 0.58 m in the median",
    real="monitor",
)
