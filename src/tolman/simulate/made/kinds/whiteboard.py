"""Whiteboards, hung, some with writing."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import bar, box, tube
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.mesh import Mesh

INKS = ((0.1, 0.12, 0.4), (0.55, 0.1, 0.1), (0.08, 0.3, 0.15), (0.1, 0.1, 0.1))


def make(draws: Draws) -> MadeParts:
    """A white field in a frame, over a tray with pens and a sponge; lines and strokes of writing."""
    w, d, h = draws.size
    frame = draws.material("metal", "metal", "casing", "wood")
    rim = draws.between(0.012, 0.035)
    panels = draws.count(2, 3) if w > 2.2 and draws.chance(0.5) else 1
    tray = draws.chance(0.75)
    low = 0.0 if not tray else 0.015
    # A tray stands out over the board; without one the frame fills the depth.
    face = -d / 2 + (min(0.022, 0.5 * d) if tray else d)
    bodies: list[Mesh] = []
    for a, b in split(-w / 2, w / 2, panels):
        bodies += frame.on(*(box((a, -d / 2, z), (b, face, z + rim), 0.002) for z in (low, h - rim)))
        bodies += frame.on(*(box((x, -d / 2, low + rim), (x + rim, face, h - rim), 0.002) for x in (a, b - rim)))
        bodies.append(box((a + rim, -d / 2, low + rim), (b - rim, face - 0.004, h - rim)).painted((0.95, 0.955, 0.96)))
    if tray:
        half = w * draws.between(0.15, 0.5)
        bodies += frame.on(box((-half, -d / 2, 0.0), (half, d / 2, 0.012), 0.003))
        if d > 0.04:
            for _ in range(draws.count(0, 4)):
                x, ink = draws.between(-half + 0.08, half - 0.08), INKS[draws.count(0, 3)]
                bodies.append(
                    bar((x - 0.06, d / 2 - 0.012, 0.019), (x + 0.06, d / 2 - 0.012, 0.019), 0.008).painted(ink)
                )
    if draws.chance(0.6):
        span = w / panels
        left = -w / 2 + span * draws.count(0, panels - 1)
        for line in range(draws.count(2, 8)):
            z = h - rim - 0.12 - 0.09 * line
            if z < low + rim + 0.08:
                break
            start = left + span * draws.between(0.08, 0.2)
            t = np.linspace(0, draws.between(0.25, 0.7) * span, 24)
            # Writing goes from +x to -x: so it is read from before.
            path = np.column_stack(
                [-start - t, np.full(24, face - 0.0035), z + 0.014 * np.sin(t * 130) * np.sin(t * 37 + line)]
            )
            bodies.append(tube(path, 0.0022, sides=4).painted(INKS[draws.count(0, 3)]))
    return MadeParts(bodies)


FURNITURE = FurnitureKind(
    name="whiteboard",
    category="whiteboard",
    habit="hung",
    elevation=0.85,
    sizes=(SizeClass((2.0, 0.057, 1.22), (0.25, 0.3, 0.12), common=0.2),),
    make=make,
    source="VSI-Bench boxes: 34 whiteboards, sorted sides 0.06, 1.23 and 2.01 m in the median",
    real="whiteboard",
)
