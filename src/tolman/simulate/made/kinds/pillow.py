"""Pillows and cushions, lying."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import bent, box, cushion, lathe, rotated, shifted, tube
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A puffed sheet whose corners are drawn out or round, a bolster; with piping, buttons or a stripe."""
    w, d, h = draws.size
    cloth = draws.material("fabric", "bedding", "fabric", "leather")
    style = draws.pick("pillow", "pillow", "cushion", "round", "bolster")
    bodies: list[Mesh] = []
    if style == "bolster":
        rows = [(0.3, 0.0), (0.46, 0.01), (0.5, 0.05), (0.5, 0.95), (0.46, 0.99), (0.3, 1.0)]
        roll = rotated(lathe(rows, sides=24), np.pi / 2, axis=1)
        mesh = shifted(roll, (-0.5, 0.0, 0.5))
        bodies += cloth.on(bent(mesh, mesh.points * (w, d, h)))
        for s in (-1, 1):
            band = box((s * w * 0.36 - 0.008, -d / 2 * 0.2, h * 0.96), (s * w * 0.36 + 0.008, d / 2 * 0.2, h), 0.001)
            bodies += cloth.shade(0.7).on(band)
        return MadeParts(bodies)
    if style == "round":
        rows = [(0.2, 0.0), (0.4, 0.12), (0.5, 0.4), (0.5, 0.6), (0.4, 0.88), (0.2, 0.985), (0.03, 0.93)]
        mesh = lathe(rows, sides=32)
        bodies += cloth.on(bent(mesh, mesh.points * (w, d, h)))
        bodies += cloth.shade(0.6).on(lathe([(0.02, 0.88 * h), (0.02, 0.95 * h), (0.008, 0.965 * h)], sides=12))
        return MadeParts(bodies)
    rim = draws.between(0.1, 0.25) * h if style == "pillow" else draws.between(0.25, 0.5) * h
    one = cushion((-w / 2, -d / 2, 0.0), (w / 2, d / 2, h), min(0.45 * rim, 0.04), puff=(h - rim) / 2)
    points = one.points.copy()
    if style == "pillow":
        # The sides are drawn in between the corners.
        waist = draws.between(0.02, 0.1)
        x, y = points[:, 0] / (w / 2), points[:, 1] / (d / 2)
        points[:, 0] *= 1 - waist * (1 - y**2)
        points[:, 1] *= 1 - waist * (1 - x**2)
    bodies += cloth.on(bent(one, points))
    trim = draws.pick("none", "piping", "stripe", "button")
    if trim == "piping" and style == "cushion":
        for z in (h / 2 - rim * 0.4, h / 2 + rim * 0.4):
            e = 0.003
            ends = [
                (-w / 2 + e, -d / 2 + e, z),
                (w / 2 - e, -d / 2 + e, z),
                (w / 2 - e, d / 2 - e, z),
                (-w / 2 + e, d / 2 - e, z),
            ]
            bodies += cloth.shade(0.7).on(
                *(tube([a, b], 0.004, sides=6) for a, b in zip(ends, [*ends[1:], ends[0]], strict=True))
            )
    elif trim == "stripe":
        at = draws.between(-0.25, 0.25) * w
        band = cushion(
            (at - 0.05 * w, -d * 0.46, 0.02 * h), (at + 0.05 * w, d * 0.46, 0.985 * h), 0.004, puff=(h - rim) / 2 * 0.97
        )
        bodies += draws.material("fabric").on(band)
    elif trim == "button":
        bodies += cloth.shade(0.6).on(lathe([(0.018, h * 0.9), (0.018, h * 0.995), (0.008, h)], sides=12))
    return MadeParts(bodies)


FURNITURE = FurnitureKind(
    name="pillow",
    category="pillow",
    habit="never",
    sizes=(SizeClass((0.60, 0.42, 0.15), (0.2, 0.16, 0.22), common=0.4),),
    make=make,
    source="VSI-Bench boxes: 100 pillows, sorted sides 0.15, 0.41 and 0.61 m in the median",
    real="pillow",
)
