"""Chairs that stand at tables: four legs, a seat and a back."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import bar, bent, box, cushion, leg, prism, sheet, tube
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, SizeClass
from tolman.simulate.made.materials import Material
from tolman.simulate.made.outlines import rounded_rectangle
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A seat on four legs or a sled, a back of boards, bars, slats or a shell, some with arms or a pad."""
    w, d, h = draws.size
    seat = float(np.clip(draws.between(0.52, 0.58) * h, 0.38, 0.5))
    frame = draws.material("wood", "wood", "metal", "paint")
    wooden = frame.family != "metal"
    thick = draws.between(0.016, 0.03) if wooden else draws.between(0.009, 0.014)
    back_lean = draws.between(0.02, 0.07)
    rear = -d / 2 + back_lean
    legs_style = (
        draws.pick("straight", "straight", "splayed", "sled") if wooden else draws.pick("straight", "splayed", "sled")
    )
    bodies: list[Mesh] = []
    style = draws.pick("bars", "spindles", "panel", "ladder", "shell", "padded", "half")
    posts = style != "shell"
    deep = seat - draws.between(0.02, 0.04)

    # The seat.
    cover = draws.material("fabric", "leather") if draws.chance(0.4) or style == "padded" else None
    low, high = (-w / 2, rear), (w / 2, d / 2)
    if style == "shell":
        shell = draws.material("plastic", "plastic", "wood", "leather")
        bodies += shell.on(_shell(w, rear - back_lean, d / 2, seat, h))
        seat_low = deep - 0.012
    else:
        corner = draws.between(0.01, 0.14 * w) if draws.chance(0.5) else 0.01
        bodies += frame.on(prism(rounded_rectangle(low, high, corner), deep, seat if cover is None else seat - 0.01))
        if cover is not None:
            pad = cushion(
                (low[0] + 0.015, rear + 2 * thick, seat - 0.015),
                (high[0] - 0.015, d / 2 - 0.01, seat + 0.025),
                0.015,
                puff=0.012,
            )
            bodies += cover.on(pad)
        seat_low = deep

    # Legs; those behind go on into the back where there are posts.
    radius = thick
    x, front, back = w / 2 - radius, d / 2 - radius, rear + radius
    square = wooden and draws.chance(0.6)
    splay = draws.between(0.02, 0.05) if legs_style == "splayed" else 0.0
    lower: list[Mesh] = []
    for sx in (-1, 1):
        if legs_style == "sled":
            rod = min(radius, 0.014)
            path = [
                (sx * (x - 0.02), back + 0.03, seat_low),
                (sx * x, back, rod),
                (sx * x, front, rod),
                (sx * (x - 0.02), front - 0.03, seat_low),
            ]
            lower.append(tube(path, rod, square=wooden))
        else:
            for y, sign in ((front, 1), (back, -1)):
                inward = sx * (x - splay)
                lower.append(
                    leg(
                        (sx * x, y, 0.0),
                        (inward, y - sign * splay, seat_low + 0.002),
                        radius * (0.7 if splay else 1.0),
                        radius,
                        square=square,
                    )
                )
        if posts:
            foot = (
                sx * (x - (splay if legs_style == "splayed" else 0)),
                back - (-splay if legs_style == "splayed" else 0),
                seat_low,
            )
            lower.append(
                bar(foot, (sx * x * 0.97, -d / 2 + radius, h - radius * 0.3), radius, radius * 0.8, square=square)
            )
    if legs_style == "straight" and draws.chance(0.6):
        z = draws.between(0.12, 0.22)
        lower += [bar((sx * x, back, z), (sx * x, front, z), radius * 0.6, square=square) for sx in (-1, 1)]
        if draws.chance(0.5):
            lower.append(bar((-x, (front + back) / 2, z), (x, (front + back) / 2, z), radius * 0.5))
    if legs_style != "sled" and wooden:
        lower += [
            box((-x, y - 0.008, seat_low - 0.05), (x, y + 0.008, seat_low)) for y in (front - splay, back + splay)
        ]
    bodies += frame.on(*lower, turn=1)

    # The back between its posts.
    if posts:
        bodies += _back(draws, style, w, d, h, seat, rear, radius, frame, cover)
    if draws.chance(0.25) and posts and w > 0.46:
        z = seat + draws.between(0.18, 0.24)
        if z < h - 0.08:
            share = (z - seat) / (h - seat)
            y_back = back + (-d / 2 + radius - back) * share
            for sx in (-1, 1):
                arm = tube(
                    [(sx * x, y_back, z), (sx * x, front - 0.06, z), (sx * x, front - 0.04, seat - 0.01)],
                    radius * 0.8,
                    square=square,
                )
                bodies += frame.on(arm)
    inner = 0.06
    return MadeParts(
        bodies,
        [LevelSurface((-w / 2 + inner, rear + 0.1), (w / 2 - inner, d / 2 - inner), seat)]
        if cover is None and style != "shell"
        else [],
    )


def _back(
    draws: Draws,
    style: str,
    w: float,
    d: float,
    h: float,
    seat: float,
    rear: float,
    radius: float,
    frame: Material,
    cover: Material | None,
) -> list[Mesh]:
    """What is between the posts, leaning as they do."""

    def y_at(z: float) -> float:
        return rear + radius + (-d / 2 - rear) * (z - seat) / (h - seat)

    def board(z0: float, z1: float, half: float, thick: float, bow: float) -> Mesh:
        t = np.linspace(-1, 1, 9)
        rows = [np.column_stack([t * half, y_at(z) - bow * (1 - t**2), np.full(9, z)]) for z in np.linspace(z0, z1, 3)]
        return sheet(np.array(rows), thick)

    half, bow = w / 2 - radius * 1.2, draws.between(0.0, min(0.02, d / 2 + y_at(h)))
    bow = min(bow, radius * 0.5)
    thick = radius * 0.9
    if style == "padded" and cover is not None:
        low, high = seat + 0.06, h
        pad = cushion((-half, -0.025, low), (half, 0.025, high), 0.02, puff=0.01, axis=1)
        points = pad.points.copy()
        points[:, 1] += np.array([y_at(z) for z in points[:, 2]])
        return [*cover.on(bent(pad, points))]
    if style == "panel":
        return frame.on(board(seat + draws.between(0.03, 0.12), h, half, thick, bow))
    if style == "half":
        return frame.on(board(h - draws.between(0.12, 0.2), h, half, thick, bow))
    top = [board(h - draws.between(0.05, 0.1), h, half, thick, bow)]
    if style == "ladder":
        count = draws.count(2, 4)
        rungs = np.linspace(seat + 0.08, h - 0.14, count)
        return frame.on(*top, *(board(float(z), float(z) + 0.035, half, thick * 0.8, bow) for z in rungs))
    count = draws.count(4, 9) if style == "spindles" else draws.count(2, 4)
    across = np.linspace(-half * 0.8, half * 0.8, count)
    size = 0.007 if style == "spindles" else 0.014
    sticks = [
        bar((float(x), y_at(seat), seat - 0.01), (float(x), y_at(h - 0.04), h - 0.04), size, square=style == "bars")
        for x in across
    ]
    return frame.on(*top, *sticks, turn=1)


def _shell(w: float, rear: float, front: float, seat: float, h: float) -> Mesh:
    """A seat and back in one bent piece."""
    profile = np.array(
        [(front, seat - 0.015), (front - 0.05, seat), (rear + 0.16, seat - 0.012), (rear + 0.07, seat + 0.03),
         (rear + 0.03, seat + 0.12), (rear + 0.012, seat + 0.55 * (h - seat)), (rear + 0.006, h)]
    )  # fmt: skip
    t = np.linspace(-1, 1, 13)
    rows = []
    for i, (y, z) in enumerate(profile):
        half = w / 2 * (1.0 if i < 5 else (0.93 if i == 5 else 0.72))
        hollow = 0.02 if i in (1, 2, 3, 4) else 0.01
        lift = hollow * t**2 if i < 4 else 0 * t
        forward = 0.05 * t**2 if i >= 3 else 0 * t
        rows.append(np.column_stack([t * half, y + forward, z + lift]))
    return sheet(np.array(rows), 0.012)


FURNITURE = FurnitureKind(
    name="chair",
    category="chair",
    habit="chair",
    sizes=(SizeClass((0.46, 0.52, 0.82), (0.1, 0.1, 0.08)),),
    make=make,
    source="VSI-Bench boxes: 897 chairs, sorted sides 0.45, 0.55 and 0.83 m in the median",
    real="chair",
    share=0.65,
)
