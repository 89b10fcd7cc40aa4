"""Office chairs: a seat that turns on a column, with a star of castors."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import bar, bent, box, cushion, cylinder, lathe, sheet, tube
from tolman.simulate.made.joinery import castors
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.mesh import Mesh

ARMS_OF_STAR = 5


def make(draws: Draws) -> MadeParts:
    """A padded or shell seat, a padded, meshed or slatted back, with or without arms and a headrest."""
    w, d, h = draws.size
    frame = draws.material("casing", "metal")
    cover = draws.material("fabric", "fabric", "leather")
    seat = float(np.clip(0.5 * h, 0.42, 0.52))
    wheel = 0.028
    hub = wheel * 2 + 0.03
    angles = np.arange(ARMS_OF_STAR) * 2 * np.pi / ARMS_OF_STAR + draws.between(0, 0.6)
    around = np.column_stack([np.sin(angles), np.cos(angles)])
    # The star fills the box: it is what of a chair stands out most.
    inside = np.array([w / 2 - 0.011, d / 2 - wheel])
    around = (around - around.min(0)) / np.ptp(around, axis=0) * 2 * inside - inside
    spots = [(float(x), float(y)) for x, y in around]
    bodies: list[Mesh] = [*castors(spots, wheel)]
    bodies += frame.on(*(bar((0, 0, hub), (x, y, wheel * 2), 0.022, 0.013) for x, y in spots))
    bodies += frame.on(cylinder((0, 0, hub - 0.035), 0.034, 0.07), cylinder((0, 0, hub), 0.022, seat - 0.09 - hub))
    bodies += frame.on(box((-0.09, -0.1, seat - 0.1), (0.09, 0.1, seat - 0.06), 0.01))
    arms = draws.chance(0.6)
    half = min(w / 2 - (0.055 if arms else 0.03), 0.27)
    back_y = -d / 2 + 0.03
    bodies += cover.on(cushion((-half, back_y + 0.06, seat - 0.07), (half, d / 2, seat), 0.03, puff=0.015))

    # The back.
    low, head = seat + draws.between(0.06, 0.12), draws.chance(0.3)
    top = h - 0.17 if head else h
    style = draws.pick("padded", "mesh", "shell", "slats")
    wide = half * draws.between(0.8, 1.0)
    t = np.linspace(-1, 1, 11)

    def curve(z: float) -> float:
        share = (z - low) / (h - low)
        return float(back_y + 0.03 * np.sin(np.pi * share) - 0.012 * share)

    def surface(z0: float, z1: float, across: float, thick: float) -> Mesh:
        rows = [
            np.column_stack(
                [
                    t * across * (0.85 + 0.15 * np.sin(np.pi * min(1.0, (z - z0) / (z1 - z0) * 0.8 + 0.1))),
                    curve(z) + 0.04 * t**2,
                    np.full(11, z),
                ]
            )
            for z in np.linspace(z0, z1, 7)
        ]
        return sheet(np.array(rows), thick)

    if style == "padded":
        pad = cushion((-wide, -0.03, low), (wide, 0.03, top), 0.025, puff=0.012, axis=1)
        points = pad.points.copy()
        points[:, 1] += np.array([curve(z) for z in points[:, 2]]) + 0.03 * (points[:, 0] / wide) ** 2
        bodies += cover.on(bent(pad, points))
    elif style == "slats":
        for z0 in np.linspace(low, top - 0.07, draws.count(3, 5)):
            bodies += frame.on(surface(float(z0), float(z0) + 0.05, wide, 0.012))
        bodies += frame.on(
            *(bar((s * 0.08, curve(low) - 0.012, low), (s * 0.08, curve(top) - 0.012, top), 0.01) for s in (-1, 1))
        )
    elif style == "mesh":
        bodies += cover.shade(0.8).on(surface(low, top, wide * 0.97, 0.006))
        rim = [(-1.0, low), (1.0, low), (1.0, top), (-1.0, top)]
        for (a, z0), (b, z1) in zip(rim, [*rim[1:], rim[0]], strict=True):
            steps = np.linspace(0, 1, 9)
            across, up = a + (b - a) * steps, z0 + (z1 - z0) * steps
            swell = np.array([0.85 + 0.15 * np.sin(np.pi * min(1.0, (q - low) / (top - low) * 0.8 + 0.1)) for q in up])
            path = np.column_stack([across * wide * swell, [curve(q) for q in up] + 0.04 * across**2, up])
            bodies += frame.on(tube(path, 0.011))
    else:
        bodies += draws.material("plastic", "wood").on(surface(low, top, wide, 0.018))
    if head:
        bodies += cover.on(
            cushion((-wide * 0.55, back_y - 0.03, h - 0.15), (wide * 0.55, back_y + 0.03, h), 0.025, puff=0.01, axis=1)
        )
        bodies += frame.on(bar((0, back_y, top - 0.03), (0, back_y, h - 0.12), 0.012))
    spine = [(0.0, 0.0, seat - 0.075), (0.0, back_y + 0.02, seat - 0.075), (0.0, curve(low + 0.12) - 0.02, low + 0.12)]
    bodies += frame.on(tube(spine, 0.018))
    if arms:
        z = seat + draws.between(0.17, 0.23)
        loop = draws.chance(0.5)
        for s in (-1, 1):
            x = s * (w / 2 - 0.03)
            bodies += draws.material("casing").on(box((x - 0.03, -0.16, z - 0.02), (x + 0.03, 0.12, z), 0.009))
            ends = [-0.12, 0.08] if loop else [-0.02]
            bodies += frame.on(*(bar((x, y, z - 0.015), (x, y * 0.6, seat - 0.05), 0.013) for y in ends))
            bodies += frame.on(bar((x, 0.0, seat - 0.055), (s * 0.05, 0.0, seat - 0.075), 0.013))
    if draws.chance(0.4):
        bodies += frame.on(lathe([(0.05, hub - 0.02), (0.032, hub + 0.05)]))
    return MadeParts(bodies)


FURNITURE = FurnitureKind(
    name="office chair",
    category="chair",
    habit="chair",
    sizes=(SizeClass((0.60, 0.60, 0.96), (0.08, 0.08, 0.09)),),
    make=make,
    source="VSI-Bench boxes: 897 chairs, about a third of them office chairs",
    real="chair",
    share=0.35,
)
