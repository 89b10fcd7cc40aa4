"""Chairs, office chairs, stools and benches.

Chairs are for tables: four legs, a seat and a back. Office chairs have a seat that turns on a column, with a star of
castors. Stools have no back and are low or at the height of a bar. A bench is a long seat, with or without a back, some
over a chest or a rack.
"""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import (
    Material,
    bar,
    bent,
    box,
    cushion,
    cylinder,
    ellipse,
    lathe,
    leg,
    prism,
    rounded_rectangle,
    sheet,
    tube,
)
from tolman.simulate.made.joinery import LEG_STYLES, castors, legs, split
from tolman.simulate.made.kind import Draws, LevelSurface, MadeParts, OpeningPart, own_kinds
from tolman.simulate.mesh import Mesh


def make_chair(draws: Draws) -> MadeParts:
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
            corners = (-w / 2 + 0.015, rear + 2 * thick, seat - 0.015), (w / 2 - 0.015, d / 2 - 0.01, seat + 0.025)
            bodies += cover.on(cushion(*corners, 0.015, puff=0.012))
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
                (x - 0.02, back + 0.03, seat_low),
                (x, back, rod),
                (x, front, rod),
                (x - 0.02, front - 0.03, seat_low),
            ]
            lower.append(tube([(sx * aside, y, z) for aside, y, z in path], rod, square=wooden))
        else:
            for y, sign in ((front, 1), (back, -1)):
                foot, head = (sx * x, y, 0.0), (sx * (x - splay), y - sign * splay, seat_low + 0.002)
                lower.append(leg(foot, head, radius * (0.7 if splay else 1.0), radius, square=square))
        if posts:
            foot, head = (sx * (x - splay), back + splay, seat_low), (sx * x * 0.97, -d / 2 + radius, h - radius * 0.3)
            lower.append(bar(foot, head, radius, radius * 0.8, square=square))
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
        bodies += _back(draws, style, seat, rear, radius, frame, cover)
    if draws.chance(0.25) and posts and w > 0.46:
        z = seat + draws.between(0.18, 0.24)
        if z < h - 0.08:
            share = (z - seat) / (h - seat)
            y_back = back + (-d / 2 + radius - back) * share
            for sx in (-1, 1):
                path = [(sx * x, y_back, z), (sx * x, front - 0.06, z), (sx * x, front - 0.04, seat - 0.01)]
                bodies += frame.on(tube(path, radius * 0.8, square=square))
    surface = LevelSurface((-w / 2 + 0.06, rear + 0.1), (w / 2 - 0.06, d / 2 - 0.06), seat)
    return MadeParts(bodies, [surface] if cover is None and style != "shell" else [])


def _back(
    draws: Draws, style: str, seat: float, rear: float, radius: float, frame: Material, cover: Material | None
) -> list[Mesh]:
    """Make the parts between the posts, leaning as they do."""
    w, d, h = draws.size

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
        return frame.on(*top, (board(float(z), float(z) + 0.035, half, thick * 0.8, bow) for z in rungs))
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


ARMS_OF_STAR = 5


def make_office_chair(draws: Draws) -> MadeParts:
    """A padded or shell seat, a padded, meshed or slatted back, with or without arms and a headrest."""
    w, d, h = draws.size
    frame = draws.material("casing", "metal")
    cover = draws.material("fabric", "fabric", "leather")
    seat = float(np.clip(0.5 * h, 0.42, 0.52))
    wheel = 0.028
    hub = wheel * 2 + 0.03
    angles = np.arange(ARMS_OF_STAR) * 2 * np.pi / ARMS_OF_STAR + draws.between(0, 0.6)
    around = np.column_stack([np.sin(angles), np.cos(angles)])
    # The star fills the box: it is what of a chair stands out most.
    inside = np.array([w / 2 - 0.011, d / 2 - wheel])
    around = (around - around.min(0)) / np.ptp(around, axis=0) * 2 * inside - inside
    spots = [(float(x), float(y)) for x, y in around]
    bodies: list[Mesh] = [*castors(spots, wheel)]
    bodies += frame.on(bar((0, 0, hub), (x, y, wheel * 2), 0.022, 0.013) for x, y in spots)
    bodies += frame.on(cylinder((0, 0, hub - 0.035), 0.034, 0.07), cylinder((0, 0, hub), 0.022, seat - 0.09 - hub))
    bodies += frame.on(box((-0.09, -0.1, seat - 0.1), (0.09, 0.1, seat - 0.06), 0.01))
    arms = draws.chance(0.6)
    half = min(w / 2 - (0.055 if arms else 0.03), 0.27)
    back_y = -d / 2 + 0.03
    bodies += cover.on(cushion((-half, back_y + 0.06, seat - 0.07), (half, d / 2, seat), 0.03, puff=0.015))

    # The back.
    low, head = seat + draws.between(0.06, 0.12), draws.chance(0.3)
    top = h - 0.17 if head else h
    style = draws.pick("padded", "mesh", "shell", "slats")
    wide = half * draws.between(0.8, 1.0)
    t = np.linspace(-1, 1, 11)

    def curve(z: float) -> float:
        share = (z - low) / (h - low)
        return float(back_y + 0.03 * np.sin(np.pi * share) - 0.012 * share)

    def surface(z0: float, z1: float, across: float, thick: float) -> Mesh:
        rows = [
            np.column_stack(
                [
                    t * across * (0.85 + 0.15 * np.sin(np.pi * min(1.0, (z - z0) / (z1 - z0) * 0.8 + 0.1))),
                    curve(z) + 0.04 * t**2,
                    np.full(11, z),
                ]
            )
            for z in np.linspace(z0, z1, 7)
        ]
        return sheet(np.array(rows), thick)

    if style == "padded":
        pad = cushion((-wide, -0.03, low), (wide, 0.03, top), 0.025, puff=0.012, axis=1)
        points = pad.points.copy()
        points[:, 1] += np.array([curve(z) for z in points[:, 2]]) + 0.03 * (points[:, 0] / wide) ** 2
        bodies += cover.on(bent(pad, points))
    elif style == "slats":
        for z0 in np.linspace(low, top - 0.07, draws.count(3, 5)):
            bodies += frame.on(surface(float(z0), float(z0) + 0.05, wide, 0.012))
        bodies += frame.on(
            bar((s * 0.08, curve(low) - 0.012, low), (s * 0.08, curve(top) - 0.012, top), 0.01) for s in (-1, 1)
        )
    elif style == "mesh":
        bodies += cover.shade(0.8).on(surface(low, top, wide * 0.97, 0.006))
        rim = [(-1.0, low), (1.0, low), (1.0, top), (-1.0, top)]
        for (a, z0), (b, z1) in zip(rim, [*rim[1:], rim[0]], strict=True):
            steps = np.linspace(0, 1, 9)
            across, up = a + (b - a) * steps, z0 + (z1 - z0) * steps
            swell = np.array([0.85 + 0.15 * np.sin(np.pi * min(1.0, (q - low) / (top - low) * 0.8 + 0.1)) for q in up])
            path = np.column_stack([across * wide * swell, [curve(q) for q in up] + 0.04 * across**2, up])
            bodies += frame.on(tube(path, 0.011))
    else:
        bodies += draws.material("plastic", "wood").on(surface(low, top, wide, 0.018))
    if head:
        bodies += cover.on(
            cushion((-wide * 0.55, back_y - 0.03, h - 0.15), (wide * 0.55, back_y + 0.03, h), 0.025, puff=0.01, axis=1)
        )
        bodies += frame.on(bar((0, back_y, top - 0.03), (0, back_y, h - 0.12), 0.012))
    spine = [(0.0, 0.0, seat - 0.075), (0.0, back_y + 0.02, seat - 0.075), (0.0, curve(low + 0.12) - 0.02, low + 0.12)]
    bodies += frame.on(tube(spine, 0.018))
    if arms:
        z = seat + draws.between(0.17, 0.23)
        loop = draws.chance(0.5)
        for s in (-1, 1):
            x = s * (w / 2 - 0.03)
            bodies += draws.material("casing").on(box((x - 0.03, -0.16, z - 0.02), (x + 0.03, 0.12, z), 0.009))
            ends = [-0.12, 0.08] if loop else [-0.02]
            bodies += frame.on(bar((x, y, z - 0.015), (x, y * 0.6, seat - 0.05), 0.013) for y in ends)
            bodies += frame.on(bar((x, 0.0, seat - 0.055), (s * 0.05, 0.0, seat - 0.075), 0.013))
    if draws.chance(0.4):
        bodies += frame.on(lathe([(0.05, hub - 0.02), (0.032, hub + 0.05)]))
    return MadeParts(bodies)


def make_stool(draws: Draws) -> MadeParts:
    """Make a round or angular seat on three or four legs, or a round one on a column.

    A hard seat looks like a table if it is wide, without rungs or on a column. So does any on panels, on a drum or on a
    low column.
    """
    w, d, h = draws.size
    frame = draws.material("wood", "wood", "metal", "paint", "plastic")
    low = h <= 0.55
    padded = draws.chance(0.35) or max(w, d) > 0.42
    cover = (
        draws.material("fabric", "leather")
        if padded
        else (frame if draws.chance(0.6) else draws.material("wood", "plastic"))
    )
    thick = draws.between(0.06, 0.1) if padded else draws.between(0.02, 0.04)
    under = h - thick
    style = draws.pick("legs", "legs", "three", *(["column"] if padded and not low else []))
    round_seat = draws.chance(0.5) or style in ("three", "column")
    bodies: list[Mesh] = []
    surfaces: list[LevelSurface] = []
    if padded and not round_seat:
        bodies += cover.on(cushion((-w / 2, -d / 2, under), (w / 2, d / 2, h), 0.025, puff=0.015))
    else:
        corner = draws.between(0.005, 0.1)
        outline = (
            ellipse((0, 0), (w / 2, d / 2), 28)
            if round_seat
            else rounded_rectangle((-w / 2, -d / 2), (w / 2, d / 2), corner)
        )
        if padded:
            rows = [(0.94, under), (1.0, under + 0.015), (1.0, h - 0.02), (0.9, h - 0.006), (0.5, h)]
            mesh = lathe([(0.5 * r, z) for r, z in rows], sides=28)
            bodies += cover.on(bent(mesh, mesh.points * (w, d, 1.0)))
        else:
            bodies += cover.on(prism(outline, under, h))
            x, y = (0.34 * w, 0.34 * d) if round_seat else (w / 2 - 0.3 * corner - 0.005, d / 2 - 0.3 * corner - 0.005)
            surfaces = [LevelSurface((-x, -y), (x, y), h)]
    a, b = (0.42 * w, 0.42 * d) if not round_seat else (0.34 * w, 0.34 * d)
    r = draws.between(0.012, 0.022) if frame.family != "metal" else draws.between(0.008, 0.013)
    if style == "column":
        foot = 0.42 * min(w, d)
        bodies += frame.on(
            lathe([(foot, 0.0), (foot, 0.012), (0.03, 0.03), (0.022, 0.06), (0.022, under - 0.03), (foot * 0.5, under)])
        )
        turn = np.linspace(0, 2 * np.pi, 25)
        ring = np.column_stack([0.3 * w * np.cos(turn[:-1]), 0.3 * d * np.sin(turn[:-1]), np.full(24, 0.3 * h)])
        parts = [bar(tuple(p), tuple(q), 0.008, sides=6) for p, q in zip(ring, np.roll(ring, -1, 0), strict=True)]
        bodies += frame.on(*parts, bar((-0.3 * w, 0, 0.3 * h), (0.3 * w, 0, 0.3 * h), 0.007))
    else:
        count = 3 if style == "three" else 4
        start = np.pi / 2 if style == "three" else np.pi / 4
        angles = start + np.arange(count) * 2 * np.pi / count
        out = draws.between(1.0, 1.3)
        scale = np.sqrt(2) if count == 4 and not round_seat else 1.0
        feet = [
            (
                float(min(w / 2 - r, max(-w / 2 + r, a * scale * out * np.cos(t)))),
                float(min(d / 2 - r, max(-d / 2 + r, b * scale * out * np.sin(t)))),
            )
            for t in angles
        ]
        heads = [(float(a * scale * 0.88 * np.cos(t)), float(b * scale * 0.88 * np.sin(t))) for t in angles]
        square = draws.chance(0.4) and frame.family == "wood"
        bodies += frame.on(
            (leg((*f, 0.0), (*g, under + 0.002), r * 0.85, r, square=square) for f, g in zip(feet, heads, strict=True)),
            turn=1,
        )
        if not (padded and low) or draws.chance(0.7):
            share = draws.between(0.3, 0.5)
            at = [
                (f[0] + (g[0] - f[0]) * share, f[1] + (g[1] - f[1]) * share, under * share)
                for f, g in zip(feet, heads, strict=True)
            ]
            bodies += frame.on(bar(p, q, r * 0.6) for p, q in zip(at, [*at[1:], at[0]], strict=True))
    if draws.chance(0.15) and style == "column":
        bodies += frame.on(cylinder((0, 0, under - 0.06), 0.035, 0.05))
    return MadeParts(bodies, surfaces)


def make_bench(draws: Draws) -> MadeParts:
    """A seat of boards or a cushion on legs, panels or a chest."""
    w, d, h = draws.size
    frame = draws.material("wood", "wood", "metal", "paint")
    back = draws.design == "back"
    seat = draws.between(0.42, 0.47) if back else h
    padded = draws.chance(0.4)
    thick = draws.between(0.06, 0.1) if padded else draws.between(0.025, 0.045)
    under = seat - thick
    style = draws.pick("legs", "legs", "panels", "chest")
    start = -d / 2 + (0.03 if back else 0.0)
    bodies: list[Mesh] = []
    surfaces: list[LevelSurface] = []
    openings: list[OpeningPart] = []
    if padded:
        bodies += draws.material("fabric", "leather").on(
            cushion((-w / 2, start, under), (w / 2, d / 2, seat), 0.02, puff=0.012)
        )
    elif draws.chance(0.4):
        count = draws.count(3, 5)
        for a, b in split(start, d / 2 + 0.008, count):
            bodies += frame.on(box((-w / 2, a, under), (w / 2, b - 0.008, seat), 0.002))
        bodies += frame.on(
            box((s * w * 0.38 - 0.02, start, under - 0.02), (s * w * 0.38 + 0.02, d / 2 - 0.01, under)) for s in (-1, 1)
        )
    else:
        bodies += frame.on(box((-w / 2, start, under), (w / 2, d / 2, seat), 0.004))
        surfaces = [LevelSurface((-w / 2 + 0.05, start + 0.05), (w / 2 - 0.05, d / 2 - 0.03), seat)]
    y0, y1 = start + 0.005, d / 2 - 0.005
    if style == "chest":
        body = draws.material("wood", "paint")
        bodies += body.on(box((-w / 2 + 0.01, y0, 0.0), (w / 2 - 0.01, y1, under)))
        bodies += body.shade(0.85).on(
            box((a + 0.03, y1, 0.06), (b - 0.03, y1 + 0.004, under - 0.04))
            for a, b in split(-w / 2, w / 2, draws.count(2, 4))
        )
        openings.append(OpeningPart("lid", (-w / 2, start, under), (w / 2, d / 2, seat), (-w / 2, start, under)))
    elif style == "panels":
        t = draws.between(0.012, 0.025)
        bodies += frame.on(
            (box((s * (w / 2 - 0.05) - t, y0, 0.0), (s * (w / 2 - 0.05) + t, y1, under)) for s in (-1, 1)), turn=1
        )
        if draws.chance(0.5):
            bodies += frame.on(box((-w / 2 + 0.05, y0 + 0.02, 0.12), (w / 2 - 0.05, y1 - 0.02, 0.138)))
        else:
            bodies += frame.on(box((-w / 2 + 0.05, -0.012, under - 0.1), (w / 2 - 0.05, 0.012, under)))
    else:
        kind, radius = draws.pick(*LEG_STYLES), draws.between(0.018, 0.03)
        bodies += frame.on(legs((-w / 2 + 0.02, y0), (w / 2 - 0.02, y1), 0.0, under, kind, radius, lean=0.05), turn=1)
        if kind in ("square", "round", "tapered"):
            bodies += frame.on(
                box((-w / 2 + 0.03, y - 0.009, under - 0.06), (w / 2 - 0.03, y + 0.009, under))
                for y in (y0 + radius, y1 - radius)
            )
            if draws.chance(0.4):
                bodies += frame.on(box((-w / 2 + 0.04, y0 + radius, 0.12), (w / 2 - 0.04, y1 - radius, 0.135)))
    if back:
        for s in (-1, 1):
            bodies += frame.on(
                box(
                    (s * (w / 2 - 0.03) - 0.022, -d / 2, 0.0 if style == "panels" else under - 0.03),
                    (s * (w / 2 - 0.03) + 0.022, -d / 2 + 0.034, h),
                ),
                turn=1,
            )
        low = seat + 0.08
        if draws.chance(0.5):
            for a, b in split(low, h + 0.03, draws.count(2, 3)):
                bodies += frame.on(box((-w / 2 + 0.02, -d / 2 + 0.006, a), (w / 2 - 0.02, -d / 2 + 0.026, b - 0.03)))
        else:
            bodies += frame.on(box((-w / 2 + 0.02, -d / 2 + 0.004, h - 0.07), (w / 2 - 0.02, -d / 2 + 0.03, h - 0.005)))
            count = max(4, int(w / 0.12))
            for a, b in split(-w / 2 + 0.06, w / 2 - 0.06, count):
                bodies += frame.on(
                    box(
                        ((a + b) / 2 - 0.014, -d / 2 + 0.01, seat - 0.01),
                        ((a + b) / 2 + 0.014, -d / 2 + 0.024, h - 0.06),
                    ),
                    turn=1,
                )
    return MadeParts(bodies, surfaces, openings)


FURNITURE_KINDS = own_kinds(
    {"chair": make_chair, "office chair": make_office_chair, "stool": make_stool, "bench": make_bench}
)
"""Chairs stand before office chairs: both have one category and one habit, and the library draws by number
among such kinds."""
