"""Furniture on walls: clocks, mirrors, pictures in frames, radiators and whiteboards.

Mirrors are rectangular, round or arched; they show a reflection, where the renderer draws one. Radiators have columns,
ribs, panels or rungs, and hang low. Some whiteboards have writing.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import shapely
from shapely import Polygon

from tolman.simulate.made.forms import (
    DARK,
    MIRROR,
    bar,
    bent,
    box,
    cylinder,
    ellipse,
    prism,
    rotated,
    rounded_rectangle,
    shifted,
    tube,
)
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, MadeParts, own_kinds
from tolman.simulate.mesh import Mesh, Texture


def make_clock(draws: Draws) -> MadeParts:
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


def make_mirror(draws: Draws) -> MadeParts:
    """A pane in a frame of its own outline, or without one; a ledge below some."""
    w, d, h = draws.size
    frame = draws.material("wood", "metal", "metal", "paint")
    ledge = draws.chance(0.2)
    base = 0.02 if ledge else 0.0
    style = draws.pick("rectangle", "rectangle", "round", "arch", "oval")
    middle = (0.0, (h + base) / 2)
    if style in ("round", "oval"):
        outline = shapely.Polygon(ellipse(middle, (w / 2, (h - base) / 2), 48))
    elif style == "arch":
        rise = min(w / 2, 0.5 * h)
        t = np.linspace(0, np.pi, 21)
        curve = [(w / 2 * float(np.cos(a)), h - rise + rise * float(np.sin(a))) for a in t]
        outline = shapely.Polygon([(-w / 2, base), (w / 2, base), *curve])
    else:
        outline = shapely.Polygon(rounded_rectangle((-w / 2, base), (w / 2, h), draws.between(0.002, 0.15 * min(w, h))))
    rim = draws.between(0.012, 0.07) if draws.chance(0.85) else 0.004
    inner = shapely.simplify(outline.buffer(-rim, join_style="mitre"), 1e-4)
    thick = d * (0.35 if ledge else 1.0)
    face = -d / 2 + thick
    bodies: list[Mesh] = [*frame.on(prism(cast("Polygon", outline.difference(inner)), -d / 2, face, along=1))]
    pane = shapely.simplify(inner.buffer(0.001, join_style="mitre"), 1e-4)
    bodies.append(prism(pane, -d / 2 + 0.001, -d / 2 + 0.6 * thick, along=1).painted(MIRROR).mirrored())
    if ledge:
        bodies += frame.on(prism([(-w / 2, 0.0), (w / 2, 0.0), (w / 2, base), (-w / 2, base)], -d / 2, d / 2, along=1))
    return MadeParts(bodies)


SIDE = 128


def make_picture(draws: Draws) -> MadeParts:
    """One to three panels: a frame of four bars or a bare canvas, a mount, an image."""
    w, d, h = draws.size
    frame = draws.material("wood", "paint", "metal", "casing")
    panels = draws.count(2, 3) if w > 1.1 * h and draws.chance(0.35) else 1
    bare = draws.chance(0.25)
    rim = draws.between(0.012, 0.05) if not bare else 0.0
    mount = draws.between(0.02, 0.18) * min(w / panels, h) if not bare and draws.chance(0.6) else 0.0
    bodies: list[Mesh] = []
    for a, b in split(-w / 2, w / 2 + (0.03 if panels > 1 else 0.0), panels):
        x0, x1 = a, b - (0.03 if panels > 1 else 0.0)
        deep = d / 2 if bare else d / 2 - 0.3 * d
        if rim:
            bodies += frame.on(box((x0, -d / 2, z), (x1, d / 2, z + rim), 0.002) for z in (0.0, h - rim))
            bodies += frame.on(
                (box((x, -d / 2, rim), (x + rim, d / 2, h - rim), 0.002) for x in (x0, x1 - rim)), turn=1
            )
        if mount:
            bodies.append(box((x0 + rim, -d / 2, rim), (x1 - rim, deep, h - rim)).painted((0.93, 0.92, 0.9)))
        e = rim + mount
        canvas = box((x0 + e, -d / 2 + 0.001, e), (x1 - e, deep + (0.0008 if mount else 0.0), h - e))
        bodies.append(_covered(canvas, _image(draws), x1 - x0, h))
    return MadeParts(bodies)


def _covered(mesh: Mesh, image: Texture, w: float, h: float) -> Mesh:
    low, high = mesh.bounds
    covered = mesh.papered(image, 1.0)
    # Seen from before, -x is on the right.
    covered.uvs[:, 0] = (high[0] - covered.points[:, 0]) / (high[0] - low[0])
    covered.uvs[:, 1] = (covered.points[:, 2] - low[2]) / (high[2] - low[2])
    return covered


def _image(draws: Draws) -> Texture:
    """Hills, fields of colour, stripes, discs or blots."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / (SIDE - 1)
    style = draws.pick("hills", "fields", "stripes", "discs", "cells")
    rng = draws.generator
    colours = rng.uniform(0.12, 0.95, (7, 3))
    picture = np.broadcast_to(colours[0], (SIDE, SIDE, 3)).copy()
    if style == "hills":
        sky = np.array([0.55, 0.7, 0.88]) * rng.uniform(0.7, 1.1)
        picture = sky * (0.75 + 0.25 * y[..., None]) + 0.1 * colours[1] * (1 - y[..., None])
        for i in range(draws.count(2, 4)):
            ridge = (
                0.35
                + 0.15 * i
                + 0.08 * np.sin(x * rng.uniform(3, 9) + rng.uniform(0, 6))
                + 0.04 * np.sin(x * rng.uniform(10, 20))
            )
            picture[y > ridge] = colours[2 + i % 4] * (0.5 + 0.1 * i)
    elif style == "fields":
        for i in range(draws.count(3, 6)):
            a, b = np.sort(rng.uniform(0, 1, (2, 2)), axis=0)
            picture[(x > a[0]) & (x < b[0]) & (y > a[1]) & (y < b[1])] = colours[1 + i % 6]
    elif style == "stripes":
        angle, count = rng.uniform(0, np.pi), draws.count(4, 14)
        band = ((x * np.cos(angle) + y * np.sin(angle)) * count).astype(int) % 5
        picture = colours[band]
    elif style == "discs":
        for i in range(draws.count(3, 9)):
            cx, cy, r = rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9), rng.uniform(0.06, 0.28)
            picture[(x - cx) ** 2 + (y - cy) ** 2 < r * r] = colours[1 + i % 6]
    else:
        spots = rng.uniform(0, 1, (draws.count(8, 20), 2))
        near = ((x[..., None] - spots[:, 0]) ** 2 + (y[..., None] - spots[:, 1]) ** 2).argmin(-1)
        picture = colours[near % 7]
    return np.asarray(np.clip(255 * picture, 0, 255), dtype=np.uint8)


def make_radiator(draws: Draws) -> MadeParts:
    """A row of columns, a panel with grooves before fins, flat tubes, or rungs between two posts; a valve."""
    w, d, h = draws.size
    paint = draws.material("appliance", "ceramic", "paint") if draws.chance(0.5) else draws.material("ceramic")
    style = draws.pick("columns", "panel", "ribs", "flat", "rungs" if h > w * 0.6 else "panel")
    bodies: list[Mesh] = []
    valve = 0.05
    x0, x1 = -w / 2 + valve, w / 2 - 0.005
    front, back = d / 2, -d / 2 + 0.02
    if style == "columns":
        count = max(4, round((x1 - x0) / draws.between(0.045, 0.065)))
        for a, b in split(x0, x1, count):
            x, r = (a + b) / 2, 0.4 * (b - a)
            for y in (front - r, back + r) if d > 0.09 else ((front + back) / 2,):
                bodies += paint.on(bar((x, y, 0.02), (x, y, h - 0.02), r, sides=8))
            bodies += paint.on(
                box((a + 0.002, back, 0.0), (b - 0.002, front, 0.05), 0.012),
                box((a + 0.002, back, h - 0.05), (b - 0.002, front, h), 0.012),
            )
    elif style == "panel":
        plates = 2 if d > 0.1 else 1
        thick = min(0.02, 0.4 * (front - back))
        for y in (front - thick, back)[:plates]:
            bodies += paint.on(box((x0, y, 0.0), (x1, y + thick, h - 0.01), 0.004))
        if plates == 1:
            bodies += paint.shade(0.8).on(box((x0 + 0.02, back, 0.03), (x1 - 0.02, front - thick, h - 0.04)))
        if draws.chance(0.7):
            count = max(6, round((x1 - x0) / draws.between(0.04, 0.1)))
            for a, b in split(x0 + 0.01, x1 - 0.01, count):
                bodies += paint.shade(0.93).on(
                    box((a + 0.3 * (b - a), front - 0.004, 0.03), (b - 0.3 * (b - a), front + 0.003, h - 0.04), 0.002)
                )
        count = max(8, round((x1 - x0) / 0.03))
        grid = [
            box((a + 0.2 * (b - a), back, h - 0.012), (b - 0.2 * (b - a), front, h)) for a, b in split(x0, x1, count)
        ]
        bodies += paint.on(
            *grid, box((x0, back, h - 0.03), (x0 + 0.006, front, h)), box((x1 - 0.006, back, h - 0.03), (x1, front, h))
        )
    elif style == "ribs":
        count = max(5, round((x1 - x0) / draws.between(0.06, 0.09)))
        for a, b in split(x0, x1, count):
            bodies += paint.on(box((a + 0.003, back, 0.0), (b - 0.003, front, h), min(0.016, 0.3 * (b - a)), steps=2))
        bodies += paint.shade(0.9).on(box((x0 + 0.01, back + 0.02, 0.06), (x1 - 0.01, front - 0.02, h - 0.06)))
    elif style == "flat":
        upright = draws.chance(0.5)
        for a, b in (
            split(x0, x1, max(4, round((x1 - x0) / 0.075))) if upright else split(0.0, h, max(3, round(h / 0.075)))
        ):
            low, high = (
                ((a + 0.002, front - 0.014, 0.0), (b - 0.002, front, h))
                if upright
                else ((x0, front - 0.014, a + 0.002), (x1, front, b - 0.002))
            )
            bodies += paint.on(box(low, high, 0.003))
        inner = (
            [box((x0 + 0.01, back, z), (x1 - 0.01, front - 0.012, z + 0.05)) for z in (0.04, h - 0.09)]
            if upright
            else [box((x, back, 0.02), (x + 0.05, front - 0.012, h - 0.02)) for x in (x0 + 0.03, x1 - 0.08)]
        )
        bodies += paint.on(*inner)
    else:
        r, y = min(0.018, 0.4 * (front - back)), (front + back) / 2
        bodies += paint.on(box((x - r, back, 0.0), (x + r, front, h), 0.006) for x in (x0 + r, x1 - r))
        for a, b in split(0.03, h - 0.03, max(5, round(h / draws.between(0.05, 0.08)))):
            z = (a + b) / 2
            bodies += paint.on(bar((x0 + r, y, z), (x1 - r, y, z), min(0.011, 0.35 * (b - a)), sides=8))
    z = 0.06 if draws.chance(0.6) else h - 0.08
    metal = draws.material("metal")
    bodies += metal.on(bar((-w / 2 + 0.025, (front + back) / 2, z), (x0 + 0.02, (front + back) / 2, z), 0.009))
    knob = rotated(cylinder((0, 0, 0), min(0.02, 0.35 * d), 0.035, sides=14, bevel=0.004), -1.5708, axis=1)
    bodies += draws.material("ceramic").on(shifted(knob, (-w / 2 + 0.035, (front + back) / 2, z)))
    wide = max(0.05, 0.035 * w)
    hooks = [
        box((x - wide / 2, -d / 2, h * 0.2), (x + wide / 2, back + 0.015, h * 0.8))
        for x in (x0 + 0.15 * w, x1 - 0.15 * w)
    ]
    return MadeParts([*bodies, *paint.on(*hooks)])


INKS = ((0.1, 0.12, 0.4), (0.55, 0.1, 0.1), (0.08, 0.3, 0.15), (0.1, 0.1, 0.1))


def make_whiteboard(draws: Draws) -> MadeParts:
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
        bodies += frame.on(box((a, -d / 2, z), (b, face, z + rim), 0.002) for z in (low, h - rim))
        bodies += frame.on(box((x, -d / 2, low + rim), (x + rim, face, h - rim), 0.002) for x in (a, b - rim))
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


FURNITURE_KINDS = own_kinds(
    {
        "clock": make_clock,
        "mirror": make_mirror,
        "picture": make_picture,
        "radiator": make_radiator,
        "whiteboard": make_whiteboard,
    }
)
