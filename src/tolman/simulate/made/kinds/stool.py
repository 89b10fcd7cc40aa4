"""Stools: a seat without a back, low or at the height of a bar."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import bar, bent, cushion, cylinder, lathe, leg, prism
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, SizeClass
from tolman.simulate.made.outlines import ellipse, rounded_rectangle
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A round or angular seat on three or four legs, or a round one on a column.

    A hard seat that is wide, without rungs or on a column, and any on panels, on a drum or on a low column, is a table
    to who sees it.
    """
    w, d, h = draws.size
    frame = draws.material("wood", "wood", "metal", "paint", "plastic")
    low = h <= 0.55
    padded = draws.chance(0.35) or max(w, d) > 0.42
    cover = (
        draws.material("fabric", "leather")
        if padded
        else (frame if draws.chance(0.6) else draws.material("wood", "plastic"))
    )
    thick = draws.between(0.06, 0.1) if padded else draws.between(0.02, 0.04)
    under = h - thick
    style = draws.pick("legs", "legs", "three", *(["column"] if padded and not low else []))
    round_seat = draws.chance(0.5) or style in ("three", "column")
    bodies: list[Mesh] = []
    surfaces: list[LevelSurface] = []
    if padded and not round_seat:
        bodies += cover.on(cushion((-w / 2, -d / 2, under), (w / 2, d / 2, h), 0.025, puff=0.015))
    else:
        corner = draws.between(0.005, 0.1)
        outline = (
            ellipse((0, 0), (w / 2, d / 2), 28)
            if round_seat
            else rounded_rectangle((-w / 2, -d / 2), (w / 2, d / 2), corner)
        )
        if padded:
            rows = [(0.94, under), (1.0, under + 0.015), (1.0, h - 0.02), (0.9, h - 0.006), (0.5, h)]
            mesh = lathe([(0.5 * r, z) for r, z in rows], sides=28)
            bodies += cover.on(bent(mesh, mesh.points * (w, d, 1.0)))
        else:
            bodies += cover.on(prism(outline, under, h))
            x, y = (0.34 * w, 0.34 * d) if round_seat else (w / 2 - 0.3 * corner - 0.005, d / 2 - 0.3 * corner - 0.005)
            surfaces = [LevelSurface((-x, -y), (x, y), h)]
    a, b = (0.42 * w, 0.42 * d) if not round_seat else (0.34 * w, 0.34 * d)
    r = draws.between(0.012, 0.022) if frame.family != "metal" else draws.between(0.008, 0.013)
    if style == "column":
        foot = 0.42 * min(w, d)
        bodies += frame.on(
            lathe([(foot, 0.0), (foot, 0.012), (0.03, 0.03), (0.022, 0.06), (0.022, under - 0.03), (foot * 0.5, under)])
        )
        turn = np.linspace(0, 2 * np.pi, 25)
        ring = np.column_stack([0.3 * w * np.cos(turn[:-1]), 0.3 * d * np.sin(turn[:-1]), np.full(24, 0.3 * h)])
        parts = [bar(tuple(p), tuple(q), 0.008, sides=6) for p, q in zip(ring, np.roll(ring, -1, 0), strict=True)]
        bodies += frame.on(*parts, bar((-0.3 * w, 0, 0.3 * h), (0.3 * w, 0, 0.3 * h), 0.007))
    else:
        count = 3 if style == "three" else 4
        start = np.pi / 2 if style == "three" else np.pi / 4
        angles = start + np.arange(count) * 2 * np.pi / count
        out = draws.between(1.0, 1.3)
        scale = np.sqrt(2) if count == 4 and not round_seat else 1.0
        feet = [
            (
                float(min(w / 2 - r, max(-w / 2 + r, a * scale * out * np.cos(t)))),
                float(min(d / 2 - r, max(-d / 2 + r, b * scale * out * np.sin(t)))),
            )
            for t in angles
        ]
        heads = [(float(a * scale * 0.88 * np.cos(t)), float(b * scale * 0.88 * np.sin(t))) for t in angles]
        square = draws.chance(0.4) and frame.family == "wood"
        bodies += frame.on(
            *(
                leg((*f, 0.0), (*g, under + 0.002), r * 0.85, r, square=square)
                for f, g in zip(feet, heads, strict=True)
            ),
            turn=1,
        )
        if not (padded and low) or draws.chance(0.7):
            share = draws.between(0.3, 0.5)
            at = [
                (f[0] + (g[0] - f[0]) * share, f[1] + (g[1] - f[1]) * share, under * share)
                for f, g in zip(feet, heads, strict=True)
            ]
            bodies += frame.on(*(bar(p, q, r * 0.6) for p, q in zip(at, [*at[1:], at[0]], strict=True)))
    if draws.chance(0.15) and style == "column":
        bodies += frame.on(cylinder((0, 0, under - 0.06), 0.035, 0.05))
    return MadeParts(bodies, surfaces)


FURNITURE = FurnitureKind(
    name="stool",
    category="stool",
    habit="floor",
    sizes=(
        SizeClass((0.42, 0.38, 0.45), (0.1, 0.1, 0.12), common=0.6, share=0.72),
        SizeClass((0.42, 0.37, 0.70), (0.07, 0.07, 0.07), common=0.6, name="bar", share=0.28),
    ),
    make=make,
    source="VSI-Bench boxes: 54 stools, sorted sides 0.35, 0.41 and 0.49 m in the median",
    real="stool",
)
