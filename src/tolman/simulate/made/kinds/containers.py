"""Containers: backpacks, boxes of cardboard, crates, cups, suitcases and trash bins.

Backpacks are upright, suitcases on their wheels. Boxes are shut or open. Crates are open, of slats or of a plastic
grid; with closed sides they are taken for boxes. Cups are mugs and glasses too. Trash bins are open, or have a lid that
swings, lifts by a pedal or rests on top.
"""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import (
    DARK,
    STEEL,
    ball,
    bar,
    bent,
    box,
    cushion,
    cylinder,
    lathe,
    rotated,
    shifted,
    tube,
)
from tolman.simulate.made.joinery import split, walls
from tolman.simulate.made.kind import Draws, LevelSurface, MadeParts, OpeningPart, own_kinds
from tolman.simulate.mesh import Mesh


def make_backpack(draws: Draws) -> MadeParts:
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


TAPE = (0.78, 0.68, 0.46)


def make_carton(draws: Draws) -> MadeParts:
    """Make six sides with a seam and tape, or open flaps; a label, prints, a lid that goes over."""
    w, d, h = draws.size
    card = draws.material("cardboard")
    style = draws.pick("taped", "taped", "open", "open", "lid")
    bodies: list[Mesh] = []
    if style == "open":
        t = 0.004
        flap = min(0.5 * min(w, d), 0.28 * h) * draws.between(0.6, 1.0)
        lean = draws.between(0.1, 0.9)
        top = h - flap * float(np.cos(lean))
        bodies += card.on(box((-w / 2, -d / 2, 0.0), (w / 2, d / 2, t)))
        bodies += card.on(walls((w / 2, d / 2), t, t, top))
        for s in (-1, 1):
            one = box((-w / 2 + 0.004, s * d / 2 - t / 2, top), (w / 2 - 0.004, s * d / 2 + t / 2, top + flap))
            # Inwards, so that the box is as wide as it was drawn.
            bodies += card.shade(1.05).on(rotated(one, s * lean, about=(0, s * (d / 2 - t / 2), top), axis=0))
            two = box((s * w / 2 - t / 2, -d / 2 + 0.006, top), (s * w / 2 + t / 2, d / 2 - 0.006, top + flap))
            bodies += card.on(rotated(two, -s * draws.between(lean, 1.0), about=(s * (w / 2 - t / 2), 0, top), axis=1))
        surfaces: list[LevelSurface] = []
        openings: list[OpeningPart] = []
    else:
        cap = draws.between(0.05, 0.2) * h if style == "lid" else 0.0
        edge = 0.004 if style == "lid" else 0.0
        bodies += card.on(box((-w / 2 + edge, -d / 2 + edge, 0.0), (w / 2 - edge, d / 2 - edge, h - 0.002), 0.002))
        if style == "lid":
            bodies += card.shade(draws.between(0.85, 1.1)).on(box((-w / 2, -d / 2, h - cap), (w / 2, d / 2, h), 0.002))
            openings = [OpeningPart("lid", (-w / 2, -d / 2, h - cap), (w / 2, d / 2, h), (-w / 2, -d / 2, h))]
        else:
            band = draws.between(0.022, 0.034)
            bodies.append(box((-w / 2 - 0.0006, -band, h - 0.003), (w / 2 + 0.0006, band, h)).painted(TAPE))
            bodies += [
                box((s * w / 2 - 0.0008, -band, h - 0.3 * h), (s * w / 2 + 0.0008, band, h - 0.0025)).painted(TAPE)
                for s in (-1, 1)
            ]
            openings = [OpeningPart("lid", (-w / 2, -d / 2, h - 0.004), (w / 2, d / 2, h), (-w / 2, -d / 2, h))]
        surfaces = [
            LevelSurface(
                (-w / 2 + 0.02, -d / 2 + 0.02),
                (w / 2 - 0.02, -0.04 if style == "taped" and d > 0.2 else d / 2 - 0.02),
                h - (0.002 if style == "taped" else 0.0),
            )
        ]
    if draws.chance(0.6):
        a, b = min(0.12, 0.35 * w), min(0.08, 0.3 * h)
        x, z = draws.between(-w / 2 + 0.02, w / 2 - 0.02 - a), draws.between(0.02, max(0.03, 0.6 * h - b))
        y = d / 2 - (0.004 if style == "lid" else 0.0)
        bodies.append(box((x, y - 0.001, z), (x + a, y + 0.0008, z + b)).painted((0.95, 0.95, 0.93)))
        bodies += [
            box((x + 0.01, y, z + b * q), (x + a * draws.between(0.5, 0.9), y + 0.0012, z + b * (q + 0.08))).painted(
                (0.15, 0.15, 0.15)
            )
            for q in (0.25, 0.5, 0.75)
        ]
    if draws.chance(0.4):
        for s in (-1, 1):
            x = s * (w / 2 - (0.004 if style == "lid" else 0.0))
            bodies.append(
                box((x - 0.001, -0.045, 0.62 * h), (x + 0.001, 0.045, 0.62 * h + 0.025)).painted((0.12, 0.1, 0.08))
            )
    return MadeParts(bodies, surfaces, openings)


def make_crate(draws: Draws) -> MadeParts:
    """A floor and four sides of slats, with posts in the corners, or of a grid; handles."""
    w, d, h = draws.size
    style = draws.pick("slats", "slats", "grid")
    body = draws.material("wood") if style == "slats" else draws.material("plastic")
    t = draws.between(0.006, 0.014)
    bodies: list[Mesh] = [*body.on(box((-w / 2 + t, -d / 2 + t, 0.0), (w / 2 - t, d / 2 - t, t)))]

    if style == "slats":
        count = draws.count(3, 5)
        gap = draws.between(0.18, 0.34)
        for a, b in split(0.0, h, count):
            bodies += body.shade(draws.between(0.9, 1.1)).on(walls((w / 2, d / 2), t, a + gap * (b - a) * (a > 0), b))
        post = 0.02
        bodies += body.on(
            (
                box(
                    (sx * (w / 2 - t - post / 2) - post / 2, sy * (d / 2 - t - post / 2) - post / 2, 0.001),
                    (sx * (w / 2 - t - post / 2) + post / 2, sy * (d / 2 - t - post / 2) + post / 2, h - 0.004),
                )
                for sx in (-1, 1)
                for sy in (-1, 1)
            ),
            turn=1,
        )
    else:
        for a, b in [(0.0, 0.22 * h), (0.42 * h, 0.58 * h), (0.8 * h, h)]:
            bodies += body.on(walls((w / 2, d / 2), t, a, b))
        for a, b in split(-w / 2, w / 2, max(4, round(w / 0.06))):
            bodies += body.on(
                box((a, s * d / 2 - (s > 0) * t * 0.9, 0.0), (a + 0.25 * (b - a), s * d / 2 + (s < 0) * t * 0.9, h))
                for s in (-1, 1)
            )
        for a, b in split(-d / 2 + t, d / 2 - t, max(4, round(d / 0.06))):
            bodies += body.on(
                box((s * w / 2 - (s > 0) * t * 0.9, a, 0.0), (s * w / 2 + (s < 0) * t * 0.9, a + 0.25 * (b - a), h))
                for s in (-1, 1)
            )
    if draws.chance(0.6):
        for s in (-1, 1):
            bodies.append(
                box(
                    (s * (w / 2 - t / 2) - t * 0.6, -0.05, h * 0.72),
                    (s * (w / 2 - t / 2) + t * 0.6, 0.05, h * 0.72 + min(0.03, 0.12 * h)),
                    0.002,
                ).painted((0.12, 0.11, 0.1))
            )
    return MadeParts(bodies)


def make_cup(draws: Draws) -> MadeParts:
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


def make_suitcase(draws: Draws) -> MadeParts:
    """Two shells with ribs or pockets, a seam, wheels or feet, a grip, a handle that is pulled out in some."""
    w, d, h = draws.size
    shell = draws.material("plastic", "plastic", "fabric", "metal", "leather")
    wheel = draws.between(0.018, 0.028)
    out = draws.between(0.12, 0.3) * h if draws.design == "handle out" else 0.03
    low, top = wheel * 1.6, h - out
    radius = draws.between(0.02, 0.07) if shell.family != "leather" else 0.012
    rib = 0.006
    bodies: list[Mesh] = []
    for y0, y1 in ((-d / 2 + rib, -0.003), (0.003, d / 2 - rib)):
        bodies += shell.on(box((-w / 2, y0, low), (w / 2, y1, top), min(radius, 0.45 * (y1 - y0)), steps=2))
    bodies.append(box((-w / 2 + 0.006, -0.006, low + 0.006), (w / 2 - 0.006, 0.006, top - 0.006), 0.003).painted(DARK))
    if shell.family in ("fabric", "leather"):
        cut = low + (top - low) * draws.between(0.45, 0.65)
        bodies += shell.shade(0.9).on(box((-w * 0.4, d / 2 - 0.02, low + 0.05), (w * 0.4, d / 2, cut), 0.008))
        bodies += shell.shade(0.9).on(box((-w * 0.4, d / 2 - 0.02, cut + 0.02), (w * 0.4, d / 2, top - 0.04), 0.008))
        bodies += shell.shade(0.85).on(box((-w * 0.3, -d / 2, low + 0.1), (w * 0.3, -d / 2 + 0.02, top - 0.1)))
    else:
        upright = draws.chance(0.6)
        parts = (
            split(-w * 0.42, w * 0.42, draws.count(4, 9))
            if upright
            else split(low + 0.06, top - 0.06, draws.count(3, 8))
        )
        for a, b in parts:
            for y0, y1 in ((-d / 2, -d / 2 + 0.02), (d / 2 - 0.02, d / 2)):
                low_c, high_c = (
                    ((a + 0.2 * (b - a), y0, low + 0.05), (b - 0.2 * (b - a), y1, top - 0.05))
                    if upright
                    else ((-w * 0.42, y0, a + 0.2 * (b - a)), (w * 0.42, y1, b - 0.2 * (b - a)))
                )
                bodies += shell.on(box(low_c, high_c, 0.004))
    disc = rotated(cylinder((0, 0, -0.012), wheel, 0.024, sides=16), 1.5708, axis=1)
    for x in (-w / 2 + 0.04, w / 2 - 0.04):
        for y in (-d / 2 + 0.035, d / 2 - 0.035):
            bodies.append(shifted(disc, (x, y, wheel)).painted(DARK))
            bodies += shell.shade(0.6).on(cylinder((x, y, wheel), 0.014, low - wheel + 0.02, sides=10))
    grip = DARK if draws.chance(0.6) else STEEL
    y = -d * 0.25
    if draws.design == "handle out":
        for x in (-w * 0.2, w * 0.2):
            bodies.append(bar((x, y, top - 0.02), (x, y, h - 0.015), 0.007, square=True).painted(STEEL))
        bodies.append(box((-w * 0.2 - 0.02, y - 0.014, h - 0.028), (w * 0.2 + 0.02, y + 0.014, h), 0.01).painted(DARK))
    else:
        for x in (-0.06, 0.06):
            bodies.append(box((x - 0.01, -0.012, top - 0.005), (x + 0.01, 0.012, h - 0.006), 0.003).painted(grip))
        bodies.append(box((-0.07, -0.013, h - 0.016), (0.07, 0.013, h), 0.006).painted(grip))
    if draws.chance(0.6):
        bodies.append(
            box(
                (-w / 2 - 0.008, -0.05, (low + top) / 2 - 0.01), (-w / 2 + 0.01, 0.05, (low + top) / 2 + 0.01), 0.004
            ).painted(grip)
        )
    return MadeParts(bodies, [], [OpeningPart("hinged", (-w / 2, 0.003, low), (w / 2, d / 2, top), (-w / 2, 0.0, low))])


def make_trash_bin(draws: Draws) -> MadeParts:
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
            rows = [(0.5 * taper, 0.0), (0.5 * taper, low * 0.06), (0.5 * (taper + 1) / 2 * 0.97, low * 0.5)]
            rows += [(0.485, low - 0.02), (0.5, low - 0.018), (0.5, low)]
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


FURNITURE_KINDS = own_kinds(
    {
        "backpack": make_backpack,
        "carton": make_carton,
        "crate": make_crate,
        "cup": make_cup,
        "suitcase": make_suitcase,
        "trash bin": make_trash_bin,
    }
)
