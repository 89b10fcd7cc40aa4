"""Trash bins: open, or with a lid that swings, lifts by a pedal or lies on."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import ball, bar, bent, box, cylinder, lathe
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.materials import DARK
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A tapered tub, round or angular; a bag over its rim, slots, a lid, a pedal."""
    w, d, h = draws.size
    body = draws.material("plastic", "metal", "plastic", "paint")
    # A small bin with a flat lid is a laundry basket to half of those who see it.
    lid = draws.pick("open", "open", "swing", "pedal") if h <= 0.75 else draws.pick("swing", "flat", "pedal", "open")
    low = h * {"open": 1.0, "swing": 0.76, "pedal": 0.9, "flat": 0.93}[lid]
    taper = draws.between(0.68, 1.0) if lid != "pedal" else 1.0
    angular = draws.chance(0.45)
    bodies: list[Mesh] = []
    t = 0.03
    if angular:
        round_off = draws.between(0.01, 0.12) * min(w, d)
        bodies += body.on(_tub(w, d, low, taper, round_off, hollow=lid == "open"))
    else:
        rows = [(0.5 * taper, 0.0), (0.5 * (0.2 * taper + 0.8), low * 0.8), (0.5, low)]
        if draws.chance(0.4):
            rows = [
                (0.5 * taper, 0.0),
                (0.5 * taper, low * 0.06),
                (0.5 * (taper + 1) / 2 * 0.97, low * 0.5),
                (0.485, low - 0.02),
                (0.5, low - 0.018),
                (0.5, low),
            ]
        inner = [(0.5 - t, low), (0.5 * taper - t, 0.02)] if lid == "open" else []
        mesh = lathe([*rows, *inner], sides=32)
        bodies += body.on(bent(mesh, mesh.points * (w, d, 1.0)))
    cover = body if draws.chance(0.5) else draws.material("plastic", "metal")
    openings: list[OpeningPart] = []
    if lid == "open" and draws.chance(0.3) and not angular:
        rim = lathe([(0.5, low * 0.82), (0.502, low * 0.81), (0.502, low), (0.46, low), (0.46, low - 0.01)], sides=32)
        bodies += draws.material("bedding").on(bent(rim, rim.points * (w, d, 1.0)))
    elif lid == "swing":
        high = h - low
        if angular:
            bodies += cover.on(
                box((-w / 2, -d / 2, low - 0.005), (w / 2, d / 2, low + 0.35 * high), 0.01),
                box((-w * 0.4, -d * 0.42, low), (w * 0.4, d * 0.42, h), 0.35 * high, steps=3),
            )
            bodies.append(
                box((-w * 0.3, d * 0.4, low + 0.4 * high), (w * 0.3, d * 0.43, low + 0.8 * high), 0.005).painted(DARK)
            )
        else:
            top = lathe(
                [(0.5, low - 0.005), (0.5, low + 0.02), (0.46, low + 0.5 * high), (0.3, low + 0.88 * high), (0.12, h)],
                sides=32,
            )
            bodies += cover.on(bent(top, top.points * (w, d, 1.0)))
            flap = ball((0.0, 0.36 * d, low + 0.5 * high), (0.22 * w, 0.13 * d, 0.25 * high))
            bodies += cover.shade(0.7).on(flap)
        openings.append(
            OpeningPart(
                "flap",
                (-w * 0.3, d * 0.3, low + 0.3 * high),
                (w * 0.3, d / 2, low + 0.8 * high),
                (-w * 0.3, d * 0.4, low + 0.8 * high),
            )
        )
    elif lid in ("pedal", "flat"):
        if angular:
            bodies += cover.on(box((-w / 2, -d / 2, low + 0.001), (w / 2, d / 2, h), min(0.4 * (h - low), 0.02)))
        else:
            top = lathe(
                [(0.5, low + 0.001), (0.5, low + 0.5 * (h - low)), (0.42, h - 0.15 * (h - low)), (0.2, h)], sides=32
            )
            bodies += cover.on(bent(top, top.points * (w, d, 1.0)))
        openings.append(OpeningPart("lid", (-w / 2, -d / 2, low), (w / 2, d / 2, h), (-w / 2, -d / 2, low)))
        if lid == "pedal":
            bodies.append(box((-0.035, d * 0.3, 0.01), (0.035, d / 2 + 0.02, 0.022), 0.004).painted(DARK))
            bodies += body.shade(0.5).on(
                box((-w * 0.49, -d * 0.49, 0.0), (w * 0.49, d * 0.49, 0.02))
                if angular
                else cylinder((0, 0, 0), 0.49 * min(w, d), 0.02)
            )
        else:
            bodies += cover.shade(0.8).on(box((-0.05, -0.01, h - 0.012), (0.05, 0.01, h + 0.012), 0.005))
    if h > 0.75 and draws.chance(0.5):
        axle = min(0.045, 0.1 * h)
        for s in (-1, 1):
            wheel = bar((s * w * 0.36, -d * 0.42, axle), (s * w * 0.46, -d * 0.42, axle), axle, sides=18)
            bodies.append(wheel.painted(DARK))
    return MadeParts(bodies, [], openings)


def _tub(w: float, d: float, h: float, taper: float, radius: float, *, hollow: bool) -> Mesh:
    """A tapered box; a hollow one is open above."""
    if not hollow:
        mesh = box((-w / 2, -d / 2, 0.0), (w / 2, d / 2, h), min(radius, 0.45 * h), steps=2)
        points = mesh.points.copy()
        points[:, :2] *= taper + (1 - taper) * points[:, 2:] / h
        return bent(mesh, points)
    # A square turned about the axis: four sides, whose radius is that of its corners.
    t = 0.025
    mesh = lathe([(0.5 * taper, 0.0), (0.5, h), (0.5 - t, h), (0.5 * taper - t, 0.02)], sides=4)
    turn = np.array([[np.cos(np.pi / 4), -np.sin(np.pi / 4), 0], [np.sin(np.pi / 4), np.cos(np.pi / 4), 0], [0, 0, 1]])
    return bent(mesh, mesh.points @ turn.T * (w * np.sqrt(2), d * np.sqrt(2), 1.0))


FURNITURE = FurnitureKind(
    name="trash bin",
    category="trash can",
    habit="floor",
    sizes=(
        SizeClass((0.33, 0.285, 0.41), (0.18, 0.17, 0.18), common=0.6, share=0.8),
        SizeClass((0.46, 0.42, 0.86), (0.14, 0.14, 0.14), common=0.6, name="large", share=0.2),
    ),
    make=make,
    source="VSI-Bench boxes: 118 trash bins, sorted sides 0.29, 0.37 and 0.44 m in the median",
    real="trash bin",
)
