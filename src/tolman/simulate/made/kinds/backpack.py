"""Backpacks that stand upright."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import bent, box, cushion, tube
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.materials import DARK
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A puffed sack, narrower above; pockets at the front and the sides, zips, a handle, straps at the back."""
    w, d, h = draws.size
    cloth = draws.material("fabric", "fabric", "plastic", "leather")
    other = cloth.shade(draws.between(0.7, 1.3)) if draws.chance(0.6) else draws.material("fabric", "plastic")
    loop = 0.04
    top = h - loop * 0.7
    side = draws.chance(0.5)
    half = w / 2 - (0.03 if side else 0.0)
    pocket = draws.between(0.25, 0.34) * d
    back, front = -d / 2 + 0.035, d / 2 - pocket * 0.75
    taper = draws.between(0.08, 0.35)
    roll = draws.design == "roll"

    def shaped(mesh: Mesh) -> Mesh:
        points = mesh.points.copy()
        share = np.clip(points[:, 2] / top, 0, 1)
        points[:, 0] *= 1 - taper * share**2.2
        points[:, 1] = back + (points[:, 1] - back) * (1 - 0.7 * taper * share**2)
        return bent(mesh, points)

    bodies: list[Mesh] = [*cloth.on(shaped(cushion((-half, back, 0.0), (half, front, top), 0.05, puff=0.02, axis=1)))]
    high = top * draws.between(0.4, 0.62)
    a = half * draws.between(0.7, 0.92)
    bodies += other.on(shaped(cushion((-a, front - pocket * 0.4, 0.03), (a, d / 2, high), 0.03, puff=0.016, axis=1)))
    if draws.chance(0.5):
        bodies += other.on(
            shaped(
                cushion(
                    (-a * 0.85, front - 0.03, high + 0.02),
                    (a * 0.85, front + pocket * 0.35, top * 0.86),
                    0.02,
                    puff=0.01,
                    axis=1,
                )
            )
        )
    zip_z = high - 0.03
    bodies += [
        shaped(box((-a * 0.85, d / 2 - pocket * 0.25, zip_z), (a * 0.85, d / 2 - 0.004, zip_z + 0.008), 0.002)).painted(
            DARK
        )
    ]
    if side:
        for s in (-1, 1):
            low, far = (
                (s * half - 0.025, back + 0.25 * (front - back), 0.02),
                (s * half + 0.025, front - 0.2 * (front - back), top * 0.36),
            )
            bodies += other.on(shaped(cushion(low, far, 0.015, puff=0.01, axis=0)))
    if roll:
        bodies += cloth.shade(0.85).on(
            shaped(box((-half * 0.9, back + 0.01, top * 0.9), (half * 0.9, front * 0.8, top + 0.01), 0.025, steps=2))
        )
        bodies += [shaped(box((-0.012, back, top * 0.6), (0.012, front + 0.012, top + 0.012), 0.004)).painted(DARK)]
    narrow = 1 - taper
    t = np.linspace(0, np.pi, 9)
    path = np.column_stack(
        [0.05 * np.cos(t) * narrow, np.full(9, back + 0.012), top - 0.03 + (loop + 0.018) * np.sin(t)]
    )
    bodies += cloth.shade(0.6).on(tube(path, 0.008, sides=8))
    for s in (-1, 1):
        x = s * half * 0.5
        strap = [
            (x * 0.6, back + 0.01, top * 0.9),
            (x, -d / 2 + 0.012, top * 0.78),
            (x * 1.1, -d / 2 + 0.01, top * 0.4),
            (x * 1.3, back + 0.005, 0.06),
        ]
        bodies += cloth.shade(0.7).on(tube(strap, (0.012, 0.012, 0.011, 0.006), sides=8))
    return MadeParts(bodies, [], [OpeningPart("lid", (-half, back, top * 0.7), (half, front, top), (-half, back, top))])


FURNITURE = FurnitureKind(
    name="backpack",
    category="backpack",
    habit="floor",
    sizes=(
        SizeClass((0.39, 0.235, 0.485), (0.15, 0.18, 0.13), share=0.8),
        SizeClass((0.36, 0.23, 0.52), (0.12, 0.15, 0.1), name="roll", share=0.2),
    ),
    make=make,
    source="VSI-Bench boxes: 43 backpacks, sorted sides 0.23, 0.40 and 0.49 m in the median",
    real="backpack",
)
