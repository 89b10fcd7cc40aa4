"""Upholstered furniture: armchairs, beds, pillows and sofas.

Sofas have two to four seats, some a chaise longue; an armchair has one, upholstered all over or in a frame of wood.
Both share seats with arms and cushions. A bed is a mattress in a frame, single or double, some with drawers, some in
two storeys. Pillows and cushions rest flat.
"""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import (
    DARK,
    Material,
    bent,
    box,
    cushion,
    lathe,
    leg,
    prism,
    rotated,
    rounded_rectangle,
    shifted,
    tube,
)
from tolman.simulate.made.joinery import LEG_STYLES, legs, split
from tolman.simulate.made.kind import Draws, MadeParts, OpeningPart, own_kinds
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
        wide = (w - 2 * arm) / seats
        x0, x1 = (inner - 0.001 - wide, w / 2 - 0.005) if side else (-w / 2 + 0.005, -inner + wide)
        bodies += cover.on(box((x0, front - 0.05, foot), (x1, d / 2 - 0.012, base_z), 0.012))
    if arm:
        for sign in (-1, 1):
            long = d / 2 if corner and (sign > 0) == side and draws.chance(0.4) else front
            bodies += cover.on(_arm(arm_style, sign, (inner, w / 2), (-d / 2, long), (foot, arm_z)))
    legs_material = draws.material("wood", "metal")
    style = draws.pick(*LEG_STYLES[:4]) if foot > 0.07 else "square"
    x, y = w / 2 - 0.03, d / 2 - 0.03
    bodies += legs_material.on(
        legs((-x, -y), (x, front - 0.03), 0.0, foot + 0.005, style, draws.between(0.016, 0.03), lean=0.02)
    )
    if corner:
        ends = (x0 + 0.03, front), (x1 - 0.03, d / 2 - 0.03)
        bodies += legs_material.on(*legs(*ends, 0.0, foot + 0.005, style, 0.02, lean=0.02)[1::2])
    loose = draws.chance(0.65)
    shell_top = h - (draws.between(0.03, 0.09) if loose else 0.0)
    shell = box((-inner, -d / 2, foot), (inner, -d / 2 + back * 0.55, shell_top), 0.03, steps=2)
    bodies += cover.on(_lean(shell, back * 0.25, seat, shell_top))

    # Cushions.
    cloth = cover if draws.chance(0.85) else draws.material("fabric")
    puff = draws.between(0.012, 0.03)
    for number, (a, b) in enumerate(parts := split(-inner + 0.003, inner - 0.003, seats)):
        # The one of a chaise longue goes on to its end.
        out = d / 2 if corner and number == (len(parts) - 1 if side else 0) else front
        low, high = (a + 0.002, -d / 2 + back * 0.8, base_z - 0.005), (b - 0.002, out, seat + puff * 0.5)
        bodies += cloth.on(cushion(low, high, 0.04, puff=puff))
    columns = seats if draws.chance(0.8) else max(1, seats - 1)
    for a, b in split(-inner + 0.004, inner - 0.004, columns):
        thick = back * 0.85
        foot = seat - 0.01
        one = cushion((a + 0.002, 0.0, foot), (b - 0.002, thick, h), 0.05, puff=min(0.035, thick * 0.25), axis=1)
        points = one.points.copy()
        points[:, 1] += -d / 2 + back * 0.55 - back * 0.3 * (points[:, 2] - foot) / (h - foot)
        bodies += cloth.on(bent(one, points))
    if seats > 1 and draws.chance(0.4):
        bodies += _pillows(draws, inner, -d / 2 + back * 1.3, seat, h)
    return MadeParts(bodies)


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


def make_armchair(draws: Draws) -> MadeParts:
    """An upholstered seat, or two cushions in an open frame with arms."""
    return seat_with_cushions(draws, 1) if draws.design == "" else _framed(draws)


def _framed(draws: Draws) -> MadeParts:
    w, d, h = draws.size
    frame = draws.material("wood", "wood", "metal")
    cover = draws.material("fabric", "leather")
    r = draws.between(0.016, 0.026) if frame.family == "wood" else draws.between(0.011, 0.015)
    square = frame.family == "wood" and draws.chance(0.6)
    x, front, back = w / 2 - r, d / 2 - r, -d / 2 + r
    seat, arm = draws.between(0.38, 0.43), draws.between(0.54, 0.62)
    style = draws.pick("posts", "loop", "rocker")
    made = []
    for s in (-1, 1):
        if style == "posts":
            made += [leg((s * x, front, 0.0), (s * x, front - 0.03, arm), r, square=square)]
            made += [leg((s * x, back, 0.0), (s * x, back + 0.08, arm), r, square=square)]
            made.append(
                box(
                    (s * x - 0.03 * (s > 0) - r * (s < 0), back, arm - 0.01),
                    (s * x + 0.03 * (s < 0) + r * (s > 0), front + r, arm + 0.015),
                    0.006,
                )
            )
        else:
            path = [(front - 0.05, r), (back + 0.02, r), (back + 0.1, arm), (front, arm), (front - 0.05, r * 2.2)]
            if style == "rocker":
                path = [(back + 0.05, arm), (back + 0.02, r), (front - 0.02, r), (front - 0.04, arm)]
                path.append((back + 0.07, arm + 0.001))
            made.append(tube([(s * x, y, z) for y, z in path], r, square=square))
    made += [
        tube([(-x, y, z), (x, y, z)], r * 0.9, square=square)
        for y, z in ((front - 0.07, seat - 0.13), (back + 0.12, seat - 0.16))
    ]
    inner = x - r - 0.006
    made += [
        tube([(s * inner * 0.9, back + 0.14, seat - 0.15), (s * inner * 0.9, back + 0.02, h - 0.05)], r * 0.8)
        for s in (-1, 1)
    ]
    bottom = cushion((-inner, back + 0.12, seat - 0.1), (inner, d / 2, seat + 0.02), 0.035, puff=0.025)
    points = bottom.points.copy()
    points[:, 2] -= 0.06 * (front - points[:, 1]) / (front - back)
    upper = cushion((-inner, -0.05, seat - 0.08), (inner, 0.07, h), 0.04, puff=0.03, axis=1)
    leant = upper.points.copy()
    leant[:, 1] += back + 0.19 - 0.16 * (leant[:, 2] - seat) / (h - seat)
    return MadeParts([*frame.on(*made, turn=1), *cover.on(bent(bottom, points), bent(upper, leant))])


def make_bed(draws: Draws) -> MadeParts:
    """A frame with a headboard at the back, a mattress, bedding and pillows."""
    return _bunk(draws) if draws.design == "bunk" else _bed(draws)


def _bed(draws: Draws) -> MadeParts:
    w, d, h = draws.size
    frame = draws.material("wood", "wood", "paint", "fabric", "metal")
    soft = frame.family == "fabric"
    rail = 0.05 if soft else 0.028
    board = draws.between(0.07, 0.11) if soft else draws.between(0.035, 0.06)
    top = min(draws.between(0.42, 0.56), h - 0.2)
    thick = min(draws.between(0.17, 0.22), 0.5 * top)
    bed = top - thick
    style = draws.pick("padded", "channels") if soft else draws.pick("board", "panel", "bars", "arch")
    bodies = _headboard(draws, style, frame, w, (-d / 2, -d / 2 + board), h)
    back, front, side = -d / 2 + board, d / 2 - rail, w / 2 - rail
    drawers = draws.chance(0.3)
    low = 0.03 if drawers else min(draws.between(0.06, 0.2), bed - 0.04)
    high = bed + 0.07
    bodies += frame.on(
        box((s * (side + rail / 2) - rail / 2, back, low), (s * (side + rail / 2) + rail / 2, d / 2, high), 0.006)
        for s in (-1, 1)
    )
    bodies += frame.on(box((-side, front, low), (side, d / 2, high), 0.006))
    bodies += frame.shade(0.6).on(box((-side, back, bed - 0.03), (side, front, bed)))
    openings: list[OpeningPart] = []
    if drawers:
        bodies += frame.shade(0.6).on(box((-side + 0.02, back, 0.0), (side - 0.02, front - 0.02, bed - 0.03)))
        for a, b in split(back + 0.06, front - 0.02, draws.count(2, 3)):
            for s in (-1, 1):
                edge = (-w / 2 - 0.004, -w / 2 + 0.02) if s < 0 else (w / 2 - 0.02, w / 2 + 0.004)
                lowest, highest = (edge[0], a + 0.01, low + 0.02), (edge[1], b - 0.01, bed + 0.04)
                bodies += frame.shade(1.1).on(box(lowest, highest, 0.003))
                bodies.append(
                    box(
                        (edge[0] - 0.002 * (s < 0), (a + b) / 2 - 0.06, bed - 0.01),
                        (edge[1] + 0.002 * (s > 0), (a + b) / 2 + 0.06, bed + 0.01),
                    ).painted(DARK)
                )
                openings.append(OpeningPart("drawer", lowest, highest, out=(float(s), 0.0, 0.0)))
    else:
        r = draws.between(0.022, 0.04)
        square = draws.chance(0.5)
        x = w / 2 - r - 0.01
        bodies += frame.on(
            leg((sx * x, y, 0.0), (sx * x, y, low + 0.02), r * 0.8, r, square=square)
            for sx in (-1, 1)
            for y in (-d / 2 + r, d / 2 - r - 0.01)
        )
    if draws.chance(0.25) and style in ("board", "bars", "panel"):
        bodies += frame.on(
            box((-w / 2, front + 0.004, low), (w / 2, d / 2 + 0.004, min(h, top + draws.between(0.06, 0.2))), 0.01)
        )
    bodies += _bedding(draws, side - 0.006, back + 0.006, front - 0.006, bed, top, 1 if w < 1.25 else 2, h - top)
    return MadeParts(bodies, [], openings)


def _bunk(draws: Draws) -> MadeParts:
    w, d, h = draws.size
    frame = draws.material("wood", "wood", "paint", "metal")
    post = draws.between(0.025, 0.04)
    x, y, thick = w / 2 - post, d / 2 - post, 0.15
    lower, upper = draws.between(0.42, 0.5), h - draws.between(0.28, 0.36)
    corners = [(sx * x, sy * y) for sx in (-1, 1) for sy in (-1, 1)]
    bodies = frame.on((leg((*at, 0.0), (*at, h), post, square=True) for at in corners), turn=1)
    t = 0.012
    for top in (lower, upper):
        bed = top - thick
        bodies += frame.on(box((s * x - t, -y, bed - 0.05), (s * x + t, y, bed + 0.07)) for s in (-1, 1))
        bodies += frame.on(box((-x, s * y - t, bed - 0.05), (x, s * y + t, bed + 0.07)) for s in (-1, 1))
        bodies += frame.shade(0.7).on(box((-x + t, -y + t, bed - 0.02), (x - t, y - t, bed)))
        bodies += _bedding(draws, x - post - 0.01, -y + post, y - post, bed, top, 1, 0.2)
    for z in (h - 0.05, h - 0.16):
        bodies += frame.on(
            box((-x - t, -y, z), (-x + t, y, z + 0.045)), box((x - t, -y, z), (x + t, y - 0.5, z + 0.045))
        )
        bodies += frame.on(box((-x, s * y - t, z), (x, s * y + t, z + 0.045)) for s in (-1, 1))
    steps = np.linspace(0.25, upper - thick - 0.08, 5)
    bodies += frame.on(box((x - t, y - 0.44, z), (x + post, y - 0.02, z + 0.03)) for z in steps)
    bodies += frame.on(box((x - t, y - 0.47, 0.0), (x + post, y - 0.43, h - 0.005)), turn=1)
    return MadeParts(bodies)


def _headboard(draws: Draws, style: str, frame: Material, w: float, y: tuple[float, float], h: float) -> list[Mesh]:
    y0, y1 = y
    if style == "board":
        return frame.on(box((-w / 2, y0, 0.0), (w / 2, y1, h), 0.008))
    if style == "arch":
        rise = 0.25 * min(h - 0.3, 0.5 * w)
        t = np.linspace(0, np.pi, 15)
        curve = [(float(w / 2 * np.cos(a)), float(h - rise + rise * np.sin(a))) for a in t]
        return frame.on(prism([(-w / 2, 0.0), (w / 2, 0.0), *curve], y0, y1, along=1))
    if style == "padded":
        made = frame.on(box((-w / 2, y0, 0.0), (w / 2, y0 + 0.4 * (y1 - y0), h - 0.01)))
        for a, b in split(-w / 2, w / 2, draws.count(1, 4)):
            pads = split(0.28, h, draws.count(1, 2))
            made += frame.on(
                cushion((a, y0 + 0.2 * (y1 - y0), low), (b, y1 + 0.01, high), 0.02, puff=0.012, axis=1)
                for low, high in pads
            )
        return made
    if style == "channels":
        made = frame.on(box((-w / 2, y0, 0.0), (w / 2, y0 + 0.4 * (y1 - y0), h - 0.01)))
        count = max(5, int(w / draws.between(0.11, 0.2)))
        return made + frame.on(
            box((a, y0 + 0.1 * (y1 - y0), 0.2), (b, y1, h), 0.03, steps=2) for a, b in split(-w / 2, w / 2, count)
        )
    post = min(0.03, (y1 - y0) / 2)
    made = frame.on(
        (box((s * (w / 2 - post) - post, y0, 0.0), (s * (w / 2 - post) + post, y1, h), 0.006) for s in (-1, 1)), turn=1
    )
    middle = (y0 + y1) / 2
    rails = [
        box((-w / 2 + post, middle - 0.015, z - 0.05), (w / 2 - post, middle + 0.015, z))
        for z in (h - 0.01, max(0.42, h - 0.38))
    ]
    if style == "panel":
        rails.append(box((-w / 2 + post, middle - 0.008, max(0.4, h - 0.4)), (w / 2 - post, middle + 0.008, h - 0.03)))
        return made + frame.on(*rails)
    count = max(4, int(w / draws.between(0.09, 0.2)))
    for a, b in split(-w / 2 + 2 * post, w / 2 - 2 * post, count):
        x = (a + b) / 2
        rails.append(box((x - 0.01, middle - 0.008, max(0.4, h - 0.4)), (x + 0.01, middle + 0.008, h - 0.03)))
    return made + frame.on(*rails)


def _bedding(
    draws: Draws, half: float, back: float, front: float, bed: float, top: float, people: int, room: float
) -> list[Mesh]:
    """A mattress with a blanket over most of it, and pillows at the back, no higher than `room` metres."""
    linen = draws.material("bedding")
    made = linen.shade(1.02).on(cushion((-half, back, bed), (half, front, top), 0.05, puff=0.006))
    cover = draws.material("fabric", "bedding", "fabric")
    start = back + (front - back) * draws.between(0.28, 0.5)
    rim = 0.012
    if draws.chance(0.85):
        sides = [(-half - rim * 0.4, start), (half + rim * 0.4, front + rim * 0.4)]
        made += cover.on(
            cushion((sides[0][0], start, top - 0.09), (sides[1][0], sides[1][1], top + 0.03), 0.03, puff=0.012)
        )
        if draws.chance(0.5):
            made += linen.on(
                box(
                    (sides[0][0] - 0.001, start - 0.02, top - 0.088),
                    (sides[1][0] + 0.001, start + 0.18, top + 0.032),
                    0.025,
                    steps=2,
                )
            )
        if draws.chance(0.3):
            end = front - draws.between(0.1, 0.25)
            runner = box(
                (sides[0][0] - 0.003, end - 0.35, top - 0.08), (sides[1][0] + 0.003, end, top + 0.034), 0.02, steps=2
            )
            made += draws.material("fabric").on(runner)
    count = people if draws.chance(0.8) else people * 2
    wide = min(0.75, 2 * half / max(1, people) - 0.06)
    case = linen if draws.chance(0.6) else cover
    for number in range(count):
        x = 0.0 if people == 1 else (number % 2 - 0.5) * 2 * (half / 2)
        layer = number // people
        one = cushion((-wide / 2, -0.2, 0.0), (wide / 2, 0.2, 0.15), 0.03, puff=0.045)
        points = one.points.copy()
        points[:, 2] += 0.35 * (0.2 - points[:, 1]) * draws.between(0.2, 1.0) - 0.01
        points[:, 2] *= min(1.0, (room - 0.03 * layer) / points[:, 2].max())
        points += (x, back + 0.23 + 0.12 * layer, top + 0.03 * layer)
        made += (case if layer == 0 else draws.material("fabric")).on(bent(one, points))
    return made


def make_pillow(draws: Draws) -> MadeParts:
    """A puffed sheet whose corners are drawn out or round, a bolster; with piping, buttons or a stripe."""
    w, d, h = draws.size
    cloth = draws.material("fabric", "bedding", "fabric", "leather")
    style = draws.pick("pillow", "pillow", "cushion", "round", "bolster")
    bodies: list[Mesh] = []
    if style == "bolster":
        rows = [(0.3, 0.0), (0.46, 0.01), (0.5, 0.05), (0.5, 0.95), (0.46, 0.99), (0.3, 1.0)]
        roll = rotated(lathe(rows, sides=24), np.pi / 2, axis=1)
        mesh = shifted(roll, (-0.5, 0.0, 0.5))
        bodies += cloth.on(bent(mesh, mesh.points * (w, d, h)))
        for s in (-1, 1):
            band = box((s * w * 0.36 - 0.008, -d / 2 * 0.2, h * 0.96), (s * w * 0.36 + 0.008, d / 2 * 0.2, h), 0.001)
            bodies += cloth.shade(0.7).on(band)
        return MadeParts(bodies)
    if style == "round":
        rows = [(0.2, 0.0), (0.4, 0.12), (0.5, 0.4), (0.5, 0.6), (0.4, 0.88), (0.2, 0.985), (0.03, 0.93)]
        mesh = lathe(rows, sides=32)
        bodies += cloth.on(bent(mesh, mesh.points * (w, d, h)))
        bodies += cloth.shade(0.6).on(lathe([(0.02, 0.88 * h), (0.02, 0.95 * h), (0.008, 0.965 * h)], sides=12))
        return MadeParts(bodies)
    rim = draws.between(0.1, 0.25) * h if style == "pillow" else draws.between(0.25, 0.5) * h
    one = cushion((-w / 2, -d / 2, 0.0), (w / 2, d / 2, h), min(0.45 * rim, 0.04), puff=(h - rim) / 2)
    points = one.points.copy()
    if style == "pillow":
        # The sides are drawn in between the corners.
        waist = draws.between(0.02, 0.1)
        x, y = points[:, 0] / (w / 2), points[:, 1] / (d / 2)
        points[:, 0] *= 1 - waist * (1 - y**2)
        points[:, 1] *= 1 - waist * (1 - x**2)
    bodies += cloth.on(bent(one, points))
    trim = draws.pick("none", "piping", "stripe", "button")
    if trim == "piping" and style == "cushion":
        for z in (h / 2 - rim * 0.4, h / 2 + rim * 0.4):
            right, back = w / 2 - 0.003, d / 2 - 0.003
            ends = [(-right, -back, z), (right, -back, z), (right, back, z), (-right, back, z)]
            bodies += cloth.shade(0.7).on(
                tube([a, b], 0.004, sides=6) for a, b in zip(ends, [*ends[1:], ends[0]], strict=True)
            )
    elif trim == "stripe":
        at = draws.between(-0.25, 0.25) * w
        band = cushion(
            (at - 0.05 * w, -d * 0.46, 0.02 * h), (at + 0.05 * w, d * 0.46, 0.985 * h), 0.004, puff=(h - rim) / 2 * 0.97
        )
        bodies += draws.material("fabric").on(band)
    elif trim == "button":
        bodies += cloth.shade(0.6).on(lathe([(0.018, h * 0.9), (0.018, h * 0.995), (0.008, h)], sides=12))
    return MadeParts(bodies)


def make_sofa(draws: Draws) -> MadeParts:
    """As many seats as the width takes."""
    corner = draws.design == "corner"
    return seat_with_cushions(draws, max(2, round(draws.size[0] / draws.between(0.68, 0.85))), corner=corner)


FURNITURE_KINDS = own_kinds({"armchair": make_armchair, "bed": make_bed, "pillow": make_pillow, "sofa": make_sofa})
