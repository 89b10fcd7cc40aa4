"""Seats with arms and cushions: what sofas and armchairs share."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import bent, box, cushion, prism
from tolman.simulate.made.joinery import LEG_STYLES, legs, split
from tolman.simulate.made.kind import Draws, MadeParts
from tolman.simulate.made.materials import Material
from tolman.simulate.made.outlines import rounded_rectangle
from tolman.simulate.mesh import Mesh


def seat_with_cushions(draws: Draws, seats: int, *, corner: bool = False) -> MadeParts:
    """An upholstered seat.

    Args:
        draws: of the piece.
        seats: cushions side by side.
        corner: whether one end is drawn forward as a chaise longue; the rest is as deep as two thirds of it.
    """
    w, d, h = draws.size
    cover = draws.material("fabric", "fabric", "leather")
    deep = d * draws.between(0.58, 0.66) if corner else d
    front = -d / 2 + deep
    foot = draws.between(0.03, 0.06) if draws.chance(0.35) else draws.between(0.08, 0.16)
    seat = float(np.clip(draws.between(0.48, 0.56) * h, 0.34, 0.47))
    arm_style = draws.pick("square", "square", "round", "sloped", "low", "none" if seats > 1 else "round")
    arm = 0.0 if arm_style == "none" else draws.between(0.09, 0.2) * (0.8 if seats == 1 else 1.0)
    arm_z = seat + draws.between(0.14, 0.22) if arm_style != "low" else seat + 0.07
    arm_z = min(arm_z, h - 0.03)
    back = draws.between(0.14, 0.22)
    pad = draws.between(0.12, 0.17)
    bodies: list[Mesh] = []

    # Base, arms, back.
    inner = w / 2 - arm
    base_z = seat - pad
    bodies += cover.on(box((-w / 2 + 0.005, -d / 2 + 0.01, foot), (w / 2 - 0.005, front - 0.012, base_z), 0.012))
    side = draws.chance(0.5)
    x0 = x1 = 0.0
    if corner:
        x0, x1 = (
            (inner - 0.001 - (w - 2 * arm) / seats, w / 2 - 0.005)
            if side
            else (-w / 2 + 0.005, -inner + (w - 2 * arm) / seats)
        )
        bodies += cover.on(box((x0, front - 0.05, foot), (x1, d / 2 - 0.012, base_z), 0.012))
    if arm:
        for sign in (-1, 1):
            long = d / 2 if corner and (sign > 0) == side and draws.chance(0.4) else front
            bodies += cover.on(_arm(arm_style, sign, (inner, w / 2), (-d / 2, long), (foot, arm_z)))
    legs_material = draws.material("wood", "metal")
    style = draws.pick(*LEG_STYLES[:4]) if foot > 0.07 else "square"
    x, y = w / 2 - 0.03, d / 2 - 0.03
    bodies += legs_material.on(
        *legs((-x, -y), (x, front - 0.03), 0.0, foot + 0.005, style, draws.between(0.016, 0.03), lean=0.02)
    )
    if corner:
        ends = (x0 + 0.03, front), (x1 - 0.03, d / 2 - 0.03)
        bodies += legs_material.on(*legs(*ends, 0.0, foot + 0.005, style, 0.02, lean=0.02)[1::2])
    loose = draws.chance(0.65)
    shell_top = h - (draws.between(0.03, 0.09) if loose else 0.0)
    bodies += cover.on(
        _lean(
            box((-inner, -d / 2, foot), (inner, -d / 2 + back * 0.55, shell_top), 0.03, steps=2),
            back * 0.25,
            seat,
            shell_top,
        )
    )

    # Cushions.
    cloth = cover if draws.chance(0.85) else draws.material("fabric")
    puff = draws.between(0.012, 0.03)
    bodies += _cushions(
        draws,
        cloth,
        seats,
        inner,
        (-d / 2 + back * 0.8, front),
        (base_z - 0.005, seat),
        puff,
        corner=side if corner else None,
        end=d / 2,
    )
    columns = seats if draws.chance(0.8) else max(1, seats - 1)
    for a, b in split(-inner + 0.004, inner - 0.004, columns):
        thick = back * 0.85
        low = seat - 0.01
        one = cushion((a + 0.002, 0.0, low), (b - 0.002, thick, h), 0.05, puff=min(0.035, thick * 0.25), axis=1)
        points = one.points.copy()
        points[:, 1] += -d / 2 + back * 0.55 - back * 0.3 * (points[:, 2] - low) / (h - low)
        bodies += cloth.on(bent(one, points))
    if seats > 1 and draws.chance(0.4):
        bodies += _pillows(draws, inner, -d / 2 + back * 1.3, seat, h)
    return MadeParts(bodies)


def _cushions(
    draws: Draws,
    cloth: Material,
    seats: int,
    inner: float,
    y: tuple[float, float],
    z: tuple[float, float],
    puff: float,
    *,
    corner: bool | None,
    end: float,
) -> list[Mesh]:
    """The seat's cushions; the one of a chaise longue goes on to its end."""
    made: list[Mesh] = []
    parts = split(-inner + 0.003, inner - 0.003, seats)
    for number, (a, b) in enumerate(parts):
        out = end if corner is not None and number == (len(parts) - 1 if corner else 0) else y[1]
        made += cloth.on(cushion((a + 0.002, y[0], z[0]), (b - 0.002, out, z[1] + puff * 0.5), 0.04, puff=puff))
    return made


def _arm(style: str, sign: int, x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Mesh:
    low_x, high_x = (x[0], x[1]) if sign > 0 else (-x[1], -x[0])
    if style == "round":
        outline = rounded_rectangle((low_x, z[0]), (high_x, z[1]), 0.5 * (high_x - low_x), steps=7)
        flat = [(px, z[0] if pz < (z[0] + z[1]) / 2 else pz) for px, pz in outline]
        kept = [p for i, p in enumerate(flat) if p != flat[i - 1]]
        return prism([(low_x, z[0]), (high_x, z[0]), *[p for p in kept if p[1] > z[0]]], y[0], y[1], along=1)
    mesh = box((low_x, y[0], z[0]), (high_x, y[1], z[1]), 0.028, steps=2)
    if style == "sloped":
        points = mesh.points.copy()
        high = points[:, 2] > (z[0] + z[1]) / 2
        points[high, 2] -= 0.3 * (z[1] - z[0]) * (points[high, 1] - y[0]) / (y[1] - y[0])
        return bent(mesh, points)
    return mesh


def _lean(mesh: Mesh, by: float, seat: float, top: float) -> Mesh:
    """The face of a back, leaning: its upper end is thinner."""
    points = mesh.points.copy()
    low = points[:, 1].min()
    share = np.clip((points[:, 2] - seat) / (top - seat), 0, 1)
    points[:, 1] = low + (points[:, 1] - low) * (1 - share * by / (points[:, 1].max() - low))
    return bent(mesh, points)


def _pillows(draws: Draws, inner: float, y: float, seat: float, h: float) -> list[Mesh]:
    made: list[Mesh] = []
    for sign in (-1, 1) if draws.chance(0.6) else (draws.count(0, 1) * 2 - 1,):
        size = min(draws.between(0.36, 0.46), h - seat - 0.01)
        one = cushion((-size / 2, -0.07, 0.0), (size / 2, 0.07, size), 0.03, puff=0.05, axis=1)
        points = one.points.copy()
        points[:, 1] -= 0.28 * points[:, 2]
        points += (sign * (inner - size / 2 - 0.03), y + 0.13, seat)
        made += draws.material("fabric").on(bent(one, points))
    return made
