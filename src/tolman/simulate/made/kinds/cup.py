"""Cups, mugs and glasses."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import bent, lathe, shifted, tube
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A hollow body of revolution; a handle on the side, something to drink in it."""
    w, d, h = draws.size
    clay = draws.material("pottery", "ceramic", "pottery", "plastic", "metal")
    handle = w > 1.12 * d and draws.chance(0.92)
    style = draws.pick("mug", "cone", "bowl", "belly", "waist")
    rows = {
        "mug": [(0.92, 0.0), (1.0, 0.06), (1.0, 1.0)], "cone": [(draws.between(0.6, 0.8), 0.0), (1.0, 1.0)],
        "bowl": [(0.5, 0.0), (0.55, 0.08), (0.85, 0.3), (1.0, 0.7), (1.0, 1.0)],
        "belly": [(0.7, 0.0), (0.95, 0.2), (1.0, 0.45), (0.86, 0.85), (0.9, 1.0)],
        "waist": [(0.9, 0.0), (0.8, 0.4), (0.84, 0.7), (1.0, 1.0)],
    }[style]  # fmt: skip
    wide = d if handle else min(w, d)
    radius = wide / 2
    wall = min(0.005, 0.12 * radius)
    x = -w / 2 + radius if handle else 0.0
    outer = [(radius * r, h * z) for r, z in rows]
    inner = [(max(0.2 * radius, r - wall), max(z, 0.07 * h)) for r, z in outer[::-1]]
    mesh = lathe([*outer, *inner], sides=28)
    bodies: list[Mesh] = []
    if handle:
        side = draws.pick("ring", "square", "ear")
        at = [(q, float(np.interp(q, [z for _, z in rows], [r for r, _ in rows])) * radius) for q in (0.78, 0.25)]
        out = w / 2 - x - 0.005
        top, low = (x + at[0][1] - wall * 0.5, at[0][0] * h), (x + at[1][1] - wall * 0.5, at[1][0] * h)
        bulge = {
            "ring": [(0.6, 0.3), (1.0, 0.55), (0.85, 0.8)],
            "square": [(1.0, 0.02), (1.0, 0.98)],
            "ear": [(0.9, 0.05), (1.0, 0.4), (0.5, 0.8)],
        }[side]
        path = [(top[0], 0.0, top[1])]
        path += [(x + radius * 0.9 + (out - radius * 0.9) * q, 0.0, top[1] + (low[1] - top[1]) * s) for q, s in bulge]
        bodies += clay.on(tube([*path, (low[0], 0.0, low[1])], min(0.005, 0.12 * radius), sides=8))
        bodies += clay.on(shifted(mesh, (x, 0.0, 0.0)))
    else:
        bodies += clay.on(bent(mesh, mesh.points * (w / wide, d / wide, 1.0)))
    if draws.chance(0.4):
        fill = lathe([(0.3 * radius, 0.3 * h), (0.5 * radius, 0.75 * h), (0.5 * radius, 0.8 * h)], sides=20)
        liquid = shifted(fill, (x, 0.0, 0.0))
        bodies.append(liquid.painted((0.22, 0.12, 0.06) if draws.chance(0.6) else (0.62, 0.42, 0.18)))
    if draws.chance(0.35):
        z0, z1 = draws.between(0.3, 0.5) * h, draws.between(0.55, 0.7) * h

        def at_height(z: float) -> float:
            return float(np.interp(z / h, [q for _, q in rows], [r for r, _ in rows])) * radius + 0.0006

        band = lathe(
            [(at_height(z0), z0), (at_height(z1), z1), (0.6 * radius, z1 - 0.002), (0.6 * radius, z0 + 0.001)], sides=28
        )
        placed = shifted(band, (x, 0.0, 0.0)) if handle else bent(band, band.points * (w / wide, d / wide, 1.0))
        bodies += draws.material("pottery").on(placed)
    return MadeParts(bodies)


FURNITURE = FurnitureKind(
    name="cup",
    category="cup",
    habit="surface",
    sizes=(
        SizeClass((0.122, 0.086, 0.100), (0.12, 0.1, 0.15), common=0.6, name="with handle", share=0.85),
        SizeClass((0.086, 0.080, 0.120), (0.12, 0.1, 0.15), common=0.8, name="without", share=0.15),
    ),
    make=make,
    source="VSI-Bench boxes: 15 cups, sorted sides 0.08, 0.10 and 0.13 m in the median",
    real="cup",
)
