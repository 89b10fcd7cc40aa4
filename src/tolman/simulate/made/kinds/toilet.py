"""Toilets: a bowl on a foot or hung before a wall, with a seat, a lid and mostly a tank."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import box, cylinder, loft, rotated
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.materials import STEEL, Material
from tolman.simulate.made.outlines import Point, ring
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
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
    cover = loft(
        [
            ring((0.0, middle, seat - 0.004), (wide * 0.99, half_y * 0.99), power),
            ring((0.0, middle, seat + 0.008), (wide, half_y), power),
            ring((0.0, middle, seat + 0.018), (wide * 0.93, half_y * 0.95), power),
        ]
    )
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


FURNITURE = FurnitureKind(
    name="toilet",
    category="toilet",
    habit="wall",
    sizes=(SizeClass((0.385, 0.635, 0.76), (0.09, 0.08, 0.06)),),
    make=make,
    source="VSI-Bench boxes: 41 toilets, sorted sides 0.39, 0.58 and 0.75 m in the median",
    real="toilet",
)
