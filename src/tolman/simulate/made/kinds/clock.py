"""Clocks, hung."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import bent, box, cylinder, prism, rotated, shifted
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.made.materials import DARK
from tolman.simulate.made.outlines import rounded_rectangle
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A round, square or eight-cornered face in a rim or with rays; marks; hands that show a time."""
    w, d, h = draws.size
    rim = draws.material("wood", "metal", "plastic", "casing")
    dark = draws.chance(0.2)
    face = (0.12, 0.12, 0.13) if dark else (0.94, 0.93, 0.90)
    ink = (0.92, 0.92, 0.9) if dark else DARK
    style = draws.pick("round", "round", "square", "octagon", "rays")
    middle = h / 2
    radius = 0.5 if style != "rays" else 0.27
    sides = {"round": 40, "square": 4, "octagon": 8, "rays": 32}[style]
    inner = draws.between(0.84, 0.95)
    if style == "square":
        corner = draws.between(0.003, 0.09)
        bodies: list[Mesh] = [
            *rim.on(prism(rounded_rectangle((-w / 2, 0.0), (w / 2, h), corner), -d / 2, d * 0.3, along=1))
        ]
        plate = prism(
            rounded_rectangle((-w / 2 * inner, h / 2 * (1 - inner)), (w / 2 * inner, h / 2 * (1 + inner)), corner),
            0.0,
            d * 0.32,
            along=1,
        )
    else:
        turn = 0.0 if sides != 8 else np.pi / 8
        spots = np.linspace(0, 2 * np.pi, sides, endpoint=False) + turn
        size = radius / (np.cos(np.pi / 8) if sides == 8 else 1.0)
        outline = [(float(w * size * np.cos(a)), float(middle + h * size * np.sin(a))) for a in spots]
        bodies = [*rim.on(prism(outline, -d / 2, d * 0.3, along=1))]
        plate = prism([(x * inner, middle + (z - middle) * inner) for x, z in outline], 0.0, d * 0.32, along=1)
    bodies.append(plate.painted(face))
    a, b = w * radius * inner, h * radius * inner
    if style == "rays":
        count = draws.count(8, 20)
        count -= count % 4
        for i in range(count):
            angle = i * 2 * np.pi / count
            x, z = float(np.sin(angle)), float(np.cos(angle))
            spoke = prism([(-0.008, 0.0), (0.008, 0.0), (0.004, 1.0), (-0.004, 1.0)], -d * 0.3, 0.0, along=1)
            long = 0.5 * w * h / np.hypot(h * x, w * z)
            points = spoke.points * (1.0, 1.0, long)
            tilt = np.array([[z, 0, x], [0, 1, 0], [-x, 0, z]])
            bodies += rim.on(shifted(bent(spoke, points @ tilt.T), (0, 0, middle)))
    y = d * 0.32
    for i in range(12):
        angle = i * np.pi / 6
        big = i % 3 == 0
        x, z = 0.88 * a * np.sin(angle), middle + 0.88 * b * np.cos(angle)
        size = 0.006 if big else 0.0035
        bodies.append(
            box((float(x) - size, y - 0.001, float(z) - size), (float(x) + size, y + 0.001, float(z) + size)).painted(
                ink
            )
        )
    hours, minutes = draws.count(0, 11), draws.count(0, 59)
    for long, wide, angle, up in (
        (0.5, 0.007, (hours + minutes / 60) * np.pi / 6, 0.3),
        (0.78, 0.005, minutes * np.pi / 30, 0.6),
    ):
        length = long * min(a, b)
        hand = box((-wide, 0.0, -0.15 * length), (wide, 0.0015, length))
        # Clockwise as seen from before, where -x is on the right.
        turned = rotated(hand, -float(angle), axis=1)
        bodies.append(shifted(turned, (0.0, y + up * (d / 2 - y) * 0.6, middle)).painted(ink))
    pin = rotated(cylinder((0, 0, 0), 0.008, d / 2 - y, sides=12), -np.pi / 2, axis=0)
    bodies.append(shifted(pin, (0.0, y, middle)).painted(ink))
    return MadeParts(bodies)


FURNITURE = FurnitureKind(
    name="clock",
    category="clock",
    habit="hung",
    elevation=1.75,
    sizes=(SizeClass((0.315, 0.054, 0.318), (0.2, 0.4, 0.2), common=0.95),),
    make=make,
    source="VSI-Bench boxes: 9 clocks, sorted sides 0.06, 0.31 and 0.32 m in the median",
    real="clock",
)
