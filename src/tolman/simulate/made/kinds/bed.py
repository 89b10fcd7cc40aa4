"""Beds: a mattress in a frame, single or double, some with drawers, some in two storeys."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import bent, box, cushion, leg, prism
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.materials import DARK, Material
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
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
        *(
            box((s * (side + rail / 2) - rail / 2, back, low), (s * (side + rail / 2) + rail / 2, d / 2, high), 0.006)
            for s in (-1, 1)
        )
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
            *(
                leg((sx * x, y, 0.0), (sx * x, y, low + 0.02), r * 0.8, r, square=square)
                for sx in (-1, 1)
                for y in (-d / 2 + r, d / 2 - r - 0.01)
            )
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
    bodies = frame.on(*(leg((*at, 0.0), (*at, h), post, square=True) for at in corners), turn=1)
    t = 0.012
    for top in (lower, upper):
        bed = top - thick
        bodies += frame.on(*(box((s * x - t, -y, bed - 0.05), (s * x + t, y, bed + 0.07)) for s in (-1, 1)))
        bodies += frame.on(*(box((-x, s * y - t, bed - 0.05), (x, s * y + t, bed + 0.07)) for s in (-1, 1)))
        bodies += frame.shade(0.7).on(box((-x + t, -y + t, bed - 0.02), (x - t, y - t, bed)))
        bodies += _bedding(draws, x - post - 0.01, -y + post, y - post, bed, top, 1, 0.2)
    for z in (h - 0.05, h - 0.16):
        bodies += frame.on(
            box((-x - t, -y, z), (-x + t, y, z + 0.045)), box((x - t, -y, z), (x + t, y - 0.5, z + 0.045))
        )
        bodies += frame.on(*(box((-x, s * y - t, z), (x, s * y + t, z + 0.045)) for s in (-1, 1)))
    steps = np.linspace(0.25, upper - thick - 0.08, 5)
    bodies += frame.on(*(box((x - t, y - 0.44, z), (x + post, y - 0.02, z + 0.03)) for z in steps))
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
                *(
                    cushion((a, y0 + 0.2 * (y1 - y0), low), (b, y1 + 0.01, high), 0.02, puff=0.012, axis=1)
                    for low, high in pads
                )
            )
        return made
    if style == "channels":
        made = frame.on(box((-w / 2, y0, 0.0), (w / 2, y0 + 0.4 * (y1 - y0), h - 0.01)))
        count = max(5, int(w / draws.between(0.11, 0.2)))
        return made + frame.on(
            *(box((a, y0 + 0.1 * (y1 - y0), 0.2), (b, y1, h), 0.03, steps=2) for a, b in split(-w / 2, w / 2, count))
        )
    post = min(0.03, (y1 - y0) / 2)
    made = frame.on(
        *(box((s * (w / 2 - post) - post, y0, 0.0), (s * (w / 2 - post) + post, y1, h), 0.006) for s in (-1, 1)), turn=1
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


FURNITURE = FurnitureKind(
    name="bed",
    category="bed",
    habit="wall",
    sizes=(
        SizeClass((1.62, 2.15, 0.66), (0.1, 0.05, 0.22), name="double", share=0.62),
        SizeClass((1.02, 2.08, 0.63), (0.09, 0.05, 0.2), name="single", share=0.3),
        SizeClass((1.02, 2.08, 1.62), (0.06, 0.04, 0.06), name="bunk", share=0.08),
    ),
    make=make,
    source="VSI-Bench boxes: 82 beds, sorted sides 0.66, 1.56 and 2.16 m in the median",
    real="bed",
)
