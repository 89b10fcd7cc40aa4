"""Bathroom furniture: bathtubs, sinks and toilets.

Bathtubs are built in, or free on a foot or claws. Sinks are on a pedestal, on legs, or in a cabinet. A toilet is a bowl
on a foot or hung before a wall, with a seat, a lid and mostly a tank.
"""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import DARK, STEEL, Material, Point, ball, bar, box, cylinder, loft, ring, rotated, tube
from tolman.simulate.made.joinery import FrontStyle, Niche, drawn_handles, fronts, split
from tolman.simulate.made.kind import Draws, MadeParts, OpeningPart, own_kinds
from tolman.simulate.mesh import Mesh


def make_bathtub(draws: Draws) -> MadeParts:
    """A shell with a rim and a deep inside; panels around it, or a free foot; taps at an end or at the back."""
    w, d, h = draws.size
    shell = draws.material("ceramic")
    metal = draws.material("metal")
    style = draws.pick("built in", "built in", "free", "claws")
    tap = draws.between(0.02, 0.07)
    top = h - tap
    power = draws.between(3.0, 6.0) if style != "built in" else draws.between(2.6, 6.0)
    rim = draws.between(0.03, 0.07)
    bottom = 0.12 if style == "claws" else 0.0
    bodies: list[Mesh] = []
    inner = (w / 2 - rim, d / 2 - rim)
    floor = bottom + draws.between(0.08, 0.14)
    slope = draws.between(0.75, 0.88)
    if style == "built in":
        panel = shell if draws.chance(0.6) else draws.material("wood", "paint", "stone")
        outer = 24.0
        under = (inner[0] * slope * 0.9, inner[1] * slope * 0.9)
        rings = [
            ring((0, 0, floor - 0.02), under, power),
            ring((0, 0, top - 0.035), (inner[0] + 0.012, inner[1] + 0.012), power),
        ]
        rings += [
            ring((0, 0, top - 0.03), (w / 2 - 0.001, d / 2 - 0.001), outer),
            ring((0, 0, top), (w / 2, d / 2), outer),
        ]
        bodies += panel.on(
            box((-w / 2 + 0.008, d / 2 - 0.03, 0.0), (w / 2 - 0.008, d / 2 - 0.008, top - 0.028)),
            box((-w / 2 + 0.008, -d / 2, 0.0), (w / 2 - 0.008, -d / 2 + 0.02, top - 0.028)),
        )
        bodies += panel.on(
            box(
                (s * (w / 2 - 0.018) - 0.01, -d / 2 + 0.02, 0.0),
                (s * (w / 2 - 0.018) + 0.01, d / 2 - 0.03, top - 0.028),
            )
            for s in (-1, 1)
        )
        if draws.chance(0.5):
            for a in np.linspace(-w / 2 + 0.1, w / 2 - 0.1, draws.count(2, 5) + 1)[:-1]:
                wide = 0.8 * (w - 0.2) / 4
                bodies += panel.shade(0.95).on(
                    box((float(a), d / 2 - 0.012, 0.08), (float(a) + wide, d / 2 - 0.003, top - 0.1), 0.003)
                )
    else:
        swell = draws.between(0.72, 0.86)
        rings = [
            ring((0, 0, bottom), (w / 2 * swell * 0.8, d / 2 * swell * 0.75), power),
            ring((0, 0, bottom + 0.06), (w / 2 * swell, d / 2 * swell), power),
            ring((0, 0, top - 0.05), (w / 2 * 0.97, d / 2 * 0.95), power),
            ring((0, 0, top - 0.02), (w / 2, d / 2), power),
            ring((0, 0, top), (w / 2 * 0.99, d / 2 * 0.98), power),
        ]
    rings += [
        ring((0, 0, top), inner, power),
        ring((0, 0, (top + floor) / 2), (inner[0] * (1 + slope) / 2, inner[1] * (1.0 + slope) / 2), power),
        ring((0, 0, floor + 0.03), (inner[0] * slope, inner[1] * slope), power),
        ring((0, 0, floor), (inner[0] * slope * 0.85, inner[1] * slope * 0.8), power),
    ]
    bodies += shell.on(loft(rings))
    if style == "claws":
        for sx in (-1, 1):
            for sy in (-1, 1):
                x, y = sx * w * 0.28, sy * d * 0.26
                bodies += metal.on(
                    tube(
                        [(x * 0.9, y * 0.85, bottom + 0.03), (x * 1.08, y * 1.1, 0.08), (x, y, 0.025)],
                        (0.022, 0.02, 0.014),
                    ),
                    ball((x, y, 0.022), (0.026, 0.026, 0.022)),
                )
    end = -1 if draws.chance(0.5) else 1
    x, y = (end * (w / 2 - rim * 0.6), 0.0) if draws.chance(0.6) else (0.0, -d / 2 + rim * 0.6)
    inward = (-end * 0.1, 0.0) if x else (0.0, 0.1)
    bodies += metal.on(tube([(x, y, top - 0.01), (x, y, h - 0.012), (x + inward[0], y + inward[1], h - 0.02)], 0.012))
    for s in (-1, 1):
        at = (x, y + s * 0.08) if x else (x + s * 0.08, y)
        bodies += metal.on(cylinder((*at, top - 0.002), 0.018, min(0.035, tap * 0.9), sides=12))
    drain = (-inner[0] * slope * 0.5 * end, 0.0)
    bodies += metal.on(cylinder((*drain, floor - 0.004), 0.025, 0.006, sides=16))
    if draws.chance(0.2):
        bodies += metal.on(
            bar((-0.2, -d / 2 + rim * 0.4, top + 0.03), (0.2, -d / 2 + rim * 0.4, top + 0.03), 0.01),
            (
                bar((s * 0.19, -d / 2 + rim * 0.4, top - 0.005), (s * 0.19, -d / 2 + rim * 0.4, top + 0.03), 0.008)
                for s in (-1, 1)
            ),
        )
    return MadeParts(bodies)


def make_sink(draws: Draws) -> MadeParts:
    """Make a basin with a drain and a tap, on its support."""
    w, d, h = draws.size
    ceramic = draws.material("ceramic")
    metal = draws.material("metal")
    tap = draws.between(0.1, 0.18)
    top = h - tap
    style = draws.pick("pedestal", "cabinet", "cabinet", "legs")
    vessel = style != "pedestal" and draws.chance(0.35)
    power = draws.between(2.0, 6.0)
    bodies: list[Mesh] = []
    openings: list[OpeningPart] = []
    rise = draws.between(0.1, 0.14)
    if vessel:
        counter = top - rise
        r = (min(w * 0.42, 0.27), d * 0.36)
        y = d * 0.06
        rows = [(0.55, 0.0), (0.9, 0.5), (1.0, 1.0), (0.93, 1.0), (0.8, 0.5), (0.3, 0.15)]
        bodies += ceramic.on(loft([ring((0, y, counter + rise * z), (r[0] * q, r[1] * q), power) for q, z in rows]))
        slab = draws.material("wood", "stone")
        bodies += slab.on(box((-w / 2, -d / 2, counter - 0.04), (w / 2, d / 2, counter), 0.003))
        under, drain = counter - 0.04, counter + rise * 0.15
    else:
        outer = 2.0 * power if style == "pedestal" else 24.0
        thick = draws.between(0.08, 0.16) if style != "cabinet" else draws.between(0.03, 0.06)
        r, y = (w / 2 - 0.05, d / 2 - 0.08), 0.03
        bowl = min(0.13, thick + 0.1)
        low = top - thick
        shell = (
            [
                ring((0, 0, low), (w / 2 * 0.8, d / 2 * 0.8), outer),
                ring((0, 0, low + 0.3 * thick), (w / 2 * 0.96, d / 2 * 0.96), outer),
            ]
            if style != "cabinet"
            else [ring((0, 0, low), (w / 2, d / 2), outer)]
        )
        inner = max(top - bowl, low + 0.012)
        rings = [
            *shell,
            ring((0, 0, top), (w / 2, d / 2), outer),
            ring((0, y, top), r, power),
            ring((0, y, (top + inner) / 2), (r[0] * 0.85, r[1] * 0.85), power),
            ring((0, y, inner), (r[0] * 0.5, r[1] * 0.5), power),
        ]
        bodies += ceramic.on(loft(rings))
        under, drain = low, inner
    bodies += metal.on(cylinder((0, y, drain - 0.003), 0.022, 0.006, sides=16))
    if style == "pedestal":
        foot = min(0.13, 0.28 * w)
        rows = [(1.1, 0.0), (1.0, 0.03), (0.62, 0.3), (0.6, 0.7), (0.95, 1.0)]
        bodies += ceramic.on(
            loft([ring((0, -0.04, under * z + 0.02 * z), (foot * q, foot * 0.9 * q), 3.0) for q, z in rows])
        )
    elif style == "legs":
        frame = draws.material("metal", "wood")
        x, y0, y1 = w / 2 - 0.04, -d / 2 + 0.04, d / 2 - 0.05
        bodies += frame.on(
            bar((s * x, yy, 0.0), (s * x, yy, under + 0.03), 0.015, square=True) for s in (-1, 1) for yy in (y0, y1)
        )
        bodies += frame.on(
            box((-x, y0, 0.18), (x, y1, 0.2)),
            (bar((s * x, y0, under - 0.03), (s * x, y1, under - 0.03), 0.012) for s in (-1, 1)),
        )
        trap = [
            (0, 0.0, under + 0.02),
            (0, 0.0, under - 0.16),
            (0, -0.06, under - 0.2),
            (0, -d / 2 + 0.03, under - 0.17),
        ]
        bodies += metal.on(tube(trap, 0.02))
    else:
        body = draws.material("wood", "paint", "paint")
        handles = drawn_handles(draws)
        face = d / 2 - 0.019 - handles.depth
        hung = 0.02 if draws.chance(0.7) else 0.1
        bodies += body.on(box((-w / 2 + 0.006, -d / 2 + 0.004, hung), (w / 2 - 0.006, face, under + 0.002)), turn=1)
        bodies.append(box((-w / 2 + 0.02, -d / 2 + 0.02, 0.0), (w / 2 - 0.02, face - 0.05, hung + 0.002)).painted(DARK))
        columns = 1 if w < 0.5 else draws.count(1, 3)
        kinds = draws.pick("doors", "drawers")
        cells = [
            Niche((a, p), (b, q), ("left" if i % 2 == 0 else "right") if kinds == "doors" else "drawer")
            for i, (a, b) in enumerate(split(-w / 2 + 0.008, w / 2 - 0.008, columns))
            for p, q in split(hung + 0.005, under - 0.005, 1 if kinds == "doors" else 2)
        ]
        made, openings = fronts(cells, face, FrontStyle(draws.pick("plain", "frame", "slats"), body, handles))
        bodies += made
    back = -d / 2 + 0.045
    kind = draws.pick("bend", "block", "two")
    start = under if vessel else top - 0.02
    if kind == "block":
        bodies += metal.on(
            box((-0.02, back - 0.02, start), (0.02, back + 0.02, h - 0.02), 0.004),
            box((-0.015, back, h - 0.045), (0.015, back + 0.15, h - 0.02), 0.004),
            box((-0.006, back - 0.015, h - 0.02), (0.006, back + 0.035, h), 0.002),
        )
    else:
        bend = [(0.0, start), (0.0, h - 0.04), (0.03, h - 0.012), (0.1, h - 0.012), (0.13, h - 0.05)]
        bodies += metal.on(tube([(0, back + out, z) for out, z in bend], 0.012))
        bodies += metal.on(
            cylinder((s * 0.08, back, start), 0.016, min(0.06, h - start - 0.01), sides=12)
            for s in ((-1, 1) if kind == "two" else (1,))
        )
    return MadeParts(bodies, [], openings)


def make_toilet(draws: Draws) -> MadeParts:
    """A lofted bowl below a seat; a lid that is shut or up; a tank with a button or a lever, or a box in the wall."""
    w, d, h = draws.size
    ceramic = draws.material("ceramic")
    plastic = ceramic if draws.chance(0.7) else draws.material("plastic", "wood")
    seat = float(np.clip(0.53 * h, 0.36, 0.43))
    tank_deep = draws.between(0.16, 0.2)
    front = d / 2
    bowl_back = -d / 2 + tank_deep
    power = draws.between(2.0, 3.4)
    middle = (front + bowl_back) / 2
    half_y = (front - bowl_back) / 2
    wide = min(w / 2, half_y * 0.92) * draws.between(0.92, 1.0)
    bodies: list[Mesh] = []
    style = draws.pick("foot", "foot", "skirt", "block")
    foot = {"foot": (0.5, 0.62), "skirt": (0.8, 0.85), "block": (0.9, 0.95)}[style]
    rows: list[tuple[float, float, float]] = [(foot[0] * 1.1, foot[1] * 1.08, 0.0), (*foot, 0.04)]
    if style == "foot":
        rows += [(0.48, 0.55, 0.4), (0.75, 0.8, 0.68)]
    rows += [(0.98, 0.98, 0.9), (1.0, 1.0, 1.0)]
    # The foot lies further back than the bowl's edge.
    rings = [
        ring((0.0, middle - (1 - fy) * half_y * 0.7, z * (seat - 0.025)), (wide * fx, half_y * fy), power)
        for fx, fy, z in rows
    ]
    inside = seat - 0.025
    rings += [
        ring((0.0, middle, inside), (wide * 0.8, half_y * 0.8), power),
        ring((0.0, middle, inside - 0.12), (wide * 0.4, half_y * 0.45), power),
    ]
    bodies += ceramic.on(loft(rings))
    bodies += ceramic.on(box((-w * 0.3, bowl_back - 0.05, 0.12), (w * 0.3, bowl_back + 0.1, seat - 0.026), 0.02))
    if style != "foot":
        bodies += ceramic.on(box((-wide * 0.8, -d / 2 + 0.02, 0.0), (wide * 0.8, middle, seat - 0.1), 0.02))

    lid_up = draws.chance(0.35)
    bodies += plastic.on(_seat((0.0, middle, seat - 0.024), (wide, half_y), power))
    layers = [(0.99, 0.99, -0.004), (1.0, 1.0, 0.008), (0.93, 0.95, 0.018)]
    cover = loft([ring((0.0, middle, seat + up), (wide * x, half_y * y), power) for x, y, up in layers])
    hinge: Point = (-wide * 0.4, bowl_back + 0.01, seat)
    if lid_up:
        cover = rotated(cover, 1.62, about=hinge, axis=0)
        top = float(cover.points[:, 2].max())
        if top > h:
            cover.points[:, 2] = seat + (cover.points[:, 2] - seat) * (h - seat) / (top - seat)
        shift = bowl_back + 0.001 - float(cover.points[:, 1].min())
        cover.points[:, 1] += shift
    bodies += plastic.on(cover)
    bodies += [
        cylinder((s * wide * 0.35, bowl_back + 0.015, seat - 0.005), 0.012, 0.022, sides=12).painted(STEEL)
        for s in (-1, 1)
    ]
    bodies += _tank(draws, ceramic, w, d, h, seat, tank_deep, style)
    return MadeParts(
        bodies, [], [OpeningPart("lid", (-wide, bowl_back, seat - 0.005), (wide, front, seat + 0.018), hinge)]
    )


def _seat(center: Point, radii: tuple[float, float], power: float) -> Mesh:
    """A flat ring."""
    x, y, z = center
    rows = [(0.98, 0.0), (1.0, 0.008), (0.98, 0.018), (0.72, 0.018), (0.7, 0.002)]
    rings = [ring((x, y, z + up), (radii[0] * r, radii[1] * r), power) for r, up in rows]
    return loft([*rings, ring((x, y, z + 0.001), (radii[0] * 0.5, radii[1] * 0.5), power)])


def _tank(
    draws: Draws, ceramic: Material, w: float, d: float, h: float, seat: float, deep: float, style: str
) -> list[Mesh]:
    back = -d / 2
    narrow = draws.between(0.82, 1.0)
    cap = draws.between(0.02, 0.035)
    low = 0.0 if draws.chance(0.25) or style == "block" else seat - 0.03
    body = box(
        (-w / 2 * narrow, back, low), (w / 2 * narrow, back + deep * 0.95, h - cap), draws.between(0.01, 0.03), steps=2
    )
    lid = box((-w / 2, back, h - cap), (w / 2, back + deep, h - 0.004), 0.008)
    made = ceramic.on(body, lid)
    if draws.chance(0.65):
        made.append(cylinder((0.0, back + deep / 2, h - 0.006), 0.024, 0.006, sides=18).painted(STEEL))
    else:
        made.append(
            box(
                (-w * 0.4, back + deep * 0.9, h - cap - 0.06),
                (-w * 0.4 + 0.07, back + deep * 0.95 + 0.012, h - cap - 0.045),
                0.004,
            ).painted(STEEL)
        )
        made += ceramic.on(box((-0.02, back + deep * 0.4, h - 0.006), (0.02, back + deep * 0.6, h), 0.002))
    return made


FURNITURE_KINDS = own_kinds({"bathtub": make_bathtub, "sink": make_sink, "toilet": make_toilet})
