"""Parts that many kinds share: legs, bases, cases of boards, fronts of drawers and doors, handles, displays.

Appliances have bodies, doors of panes and panels, knobs and displays.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tolman.simulate.made.forms import (
    DARK,
    STEEL,
    Material,
    Point,
    bar,
    box,
    cylinder,
    lathe,
    leg,
    point,
    rotated,
    shifted,
    tube,
)
from tolman.simulate.made.kind import Draws, OpeningPart
from tolman.simulate.mesh import Mesh

BOARD = 0.018
"""Thickness of a board, metres."""
GAP = 0.0025
"""Metres between neighbouring fronts, on each side."""
FRONT = 0.019
"""Thickness of a drawer's or door's front, metres."""

LEG_STYLES = ("square", "tapered", "round", "splayed", "hairpin")


@dataclass(frozen=True)
class Handles:
    """The handles of a piece, all alike.

    Attributes:
        style: 'bar', 'knob', 'bow', 'plate' or 'edge' (a dark grip along the front's upper edge).
        material: of them.
        length: of bars, bows and plates, metres.
        depth: by which they project, metres.
    """

    style: str
    material: Material
    length: float
    depth: float

    def at(self, x: float, y: float, z: float, *, upright: bool = False, most: float = 1.0) -> list[Mesh]:
        """One handle, its middle at (x, z) of a face at y; no longer than `most` metres."""
        half = min(self.length, 0.8 * most) / 2
        if self.style == "knob":
            radius = min(0.014, 0.3 * most)
            profile = [
                (radius * 0.45, 0.0),
                (radius * 0.4, 0.35),
                (radius, 0.6),
                (radius * 0.9, 0.9),
                (radius * 0.4, 1.0),
            ]
            knob = lathe([(r, h * self.depth) for r, h in profile], sides=12)
            made = [shifted(rotated(knob, -np.pi / 2, axis=0), (x, y, z))]
        elif self.style == "plate":
            low, high = (-half, 0.0, -0.006), (half, self.depth * 0.6, 0.006)
            made = [shifted(_upright(box(low, high, 0.002), upright), (x, y, z)), _tip(x, y, z, self.depth)]
        elif self.style == "bow":
            t = np.linspace(0, np.pi, 9)
            path = np.column_stack([-half * np.cos(t), (self.depth - 0.005) * np.sin(t) ** 0.7, np.zeros(9)])
            made = [shifted(_upright(tube(path, 0.005, sides=8), upright), (x, y, z))]
        else:
            out = self.depth - 0.005
            rail = bar((-half, out, 0.0), (half, out, 0.0), 0.005, sides=8)
            posts = [bar((s * half * 0.8, 0.0, 0.0), (s * half * 0.8, out, 0.0), 0.004, sides=6) for s in (-1, 1)]
            made = [shifted(_upright(part, upright), (x, y, z)) for part in (rail, *posts)]
        return self.material.on(*made)


def drawn_handles(draws: Draws, *styles: str) -> Handles:
    """The handles of a piece; of any style unless some are named."""
    style = draws.pick(*(styles or ("bar", "knob", "bow", "plate")))
    return Handles(style, draws.material("metal"), draws.between(0.09, 0.22), draws.between(0.02, 0.032))


@dataclass(frozen=True)
class Niche:
    """A field of a piece's front.

    Attributes:
        low, high: corners, x and z.
        kind: 'drawer', 'left' and 'right' (doors, by the side of their hinges), 'sliding', 'fixed' or 'open'.
    """

    low: tuple[float, float]
    high: tuple[float, float]
    kind: str


@dataclass(frozen=True)
class FrontStyle:
    """How the fronts of a piece look.

    Attributes:
        look: 'plain', 'frame' (a raised frame), 'inset' (a raised field), 'slats' or 'glass'.
        material: of them.
        handles: of them.
    """

    look: str
    material: Material
    handles: Handles


def drawn_fronts(
    draws: Draws, body: Material, handles: Handles, looks: Sequence[str], own: float, *others: str
) -> FrontStyle:
    """One of some looks, of the body's material with a probability `own`, else of one of other families."""
    look = draws.pick(*looks)
    return FrontStyle(look, body if draws.chance(own) else draws.material(*others), handles)


def walls(half: tuple[float, float], thick: float, low: float, high: float) -> list[Mesh]:
    """Four upright boards around a rectangle about the middle, their outer faces on its sides; half its sides given."""
    (x, y), made = half, list[Mesh]()
    made += [box((-x, s * y - (s > 0) * thick, low), (x, s * y + (s < 0) * thick, high)) for s in (-1, 1)]
    y -= thick
    return made + [box((s * x - (s > 0) * thick, -y, low), (s * x + (s < 0) * thick, y, high)) for s in (-1, 1)]


def fronts(cells: Sequence[Niche], face: float, style: FrontStyle) -> tuple[list[Mesh], list[OpeningPart]]:
    """Make fronts of drawers and doors on a face; handles project over them by the handles' depth.

    Args:
        cells: fields, each a little larger than its front.
        face: y of their back.
        style: of all of them.
    """
    bodies: list[Mesh] = []
    openings: list[OpeningPart] = []
    handles = style.handles
    for cell in cells:
        if cell.kind == "open":
            continue
        x0, z0, x1, z1 = cell.low[0] + GAP, cell.low[1] + GAP, cell.high[0] - GAP, cell.high[1] - GAP
        width, height, out = x1 - x0, z1 - z0, face + FRONT
        # Seen in the gaps between fronts, which would vanish before a case of their own colour.
        shade = box((cell.low[0], face - 0.001, cell.low[1]), (cell.high[0], face + 0.006, cell.high[1]))
        bodies += style.material.shade(0.3).on(shade)
        bodies += _front((x0, z0), (x1, z1), face, style, drawer=cell.kind == "drawer")
        middle_x, middle_z = (x0 + x1) / 2, (z0 + z1) / 2
        if cell.kind == "drawer":
            high = middle_z if height < 0.3 else z1 - 0.08
            wide = width > 0.75 and handles.style == "knob"
            for x in (x0 + width * 0.25, x1 - width * 0.25) if wide else (middle_x,):
                bodies += handles.at(x, out, high, most=min(width, 1.0))
        elif cell.kind in ("left", "right"):
            x = x1 - min(0.045, width * 0.15) if cell.kind == "left" else x0 + min(0.045, width * 0.15)
            z = z1 - min(0.16, height * 0.3) if z1 < 1.0 else max(z0 + 0.1, min(1.05, z1 - 0.1))
            z = min(z, z1 - min(handles.length, 0.8 * height) / 2 - 0.01) if handles.style != "knob" else z
            bodies += handles.at(x, out, z, upright=True, most=height)
        elif cell.kind == "sliding":
            bodies += handles.at(x0 + 0.05, out, middle_z, upright=True, most=height)
        low, high_corner = (x0, face, z0), (x1, out, z1)
        if cell.kind == "drawer":
            openings.append(OpeningPart("drawer", low, high_corner))
        elif cell.kind == "sliding":
            openings.append(OpeningPart("sliding", low, high_corner))
        elif cell.kind in ("left", "right"):
            openings.append(OpeningPart("hinged", low, high_corner, (x0 if cell.kind == "left" else x1, face, z0)))
    return bodies, openings


def _front(
    low: tuple[float, float], high: tuple[float, float], face: float, style: FrontStyle, *, drawer: bool
) -> list[Mesh]:
    (x0, z0), (x1, z1) = low, high
    material, width, height = style.material, x1 - x0, z1 - z0
    look = "plain" if min(width, height) < 0.11 or (style.look == "glass" and drawer) else style.look
    thin = face + FRONT - 0.005
    turn = 0 if drawer else 1
    if look == "plain":
        return material.on(box((x0, face, z0), (x1, face + FRONT, z1), 0.002), turn=turn)
    if look == "slats":
        count = max(3, int(width / 0.05))
        slats = [
            box((x0 + i * width / count, thin, z0), (x0 + (i + 0.7) * width / count, face + FRONT, z1))
            for i in range(count)
        ]
        return [*material.on(box((x0, face, z0), (x1, thin, z1)), turn=1), *material.shade(1.08).on(*slats, turn=1)]
    rim = min(0.06, 0.25 * min(width, height))
    if look == "inset":
        field_ = box((x0 + rim, thin, z0 + rim), (x1 - rim, face + FRONT, z1 - rim), 0.002)
        return [*material.on(box((x0, face, z0), (x1, thin, z1)), turn=turn), *material.on(field_, turn=turn)]
    rails = [box((x0, face, z), (x1, face + FRONT, z + rim), 0.002) for z in (z0, z1 - rim)]
    stiles = [box((x, face, z0 + rim), (x + rim, face + FRONT, z1 - rim), 0.002) for x in (x0, x1 - rim)]
    field_ = box((x0 + rim, face, z0 + rim), (x1 - rim, face + 0.008, z1 - rim))
    pane = [field_.painted((0.52, 0.60, 0.62))] if look == "glass" else material.shade(0.95).on(field_, turn=turn)
    return [*material.on(*rails), *material.on(*stiles, turn=1), *pane]


def case(
    low: Point,
    high: Point,
    material: Material,
    *,
    uprights: Sequence[float] = (),
    shelves: Sequence[Sequence[float]] = ((),),
    board: float = BOARD,
    back: Material | None = None,
) -> list[Mesh]:
    """A case of boards, open at the front.

    Args:
        low, high: its corners.
        material: of the boards.
        uprights: x of the middles of boards between its sides.
        shelves: z of the middles of shelves, for each column between uprights.
        board: their thickness, metres.
        back: material of the back; None for that of the boards, a little darker.
    """  # fmt: skip
    (x0, y0, z0), (x1, y1, z1) = low, high
    level = [box((x0, y0, z0), (x1, y1, z0 + board), 0.0015), box((x0, y0, z1 - board), (x1, y1, z1), 0.0015)]
    upright = [
        box((x0, y0, z0 + board), (x0 + board, y1, z1 - board)),
        box((x1 - board, y0, z0 + board), (x1, y1, z1 - board)),
    ]
    upright += [box((x - board / 2, y0, z0 + board), (x + board / 2, y1 - 0.002, z1 - board)) for x in uprights]
    ends = [x0 + board / 2, *uprights, x1 - board / 2]
    for i, heights in enumerate(shelves):
        left, right = ends[i] + board / 2, ends[i + 1] - board / 2
        level += [box((left, y0, z - board / 2), (right, y1 - 0.004, z + board / 2)) for z in heights]
    panel = box((x0 + board, y0, z0 + board), (x1 - board, y0 + 0.006, z1 - board))
    return [*material.on(*level), *material.on(*upright, turn=1), *(back or material.shade(0.85)).on(panel)]


def base(draws: Draws, low: Point, high: Point, material: Material) -> list[Mesh]:
    """Make the base of a case between two heights: a plinth, feet or legs, drawn.

    Args:
        low, high: the corners of the room that it fills.
    """
    (x0, y0, z0), (x1, y1, z1) = low, high
    height = z1 - z0
    style = draws.pick("plinth", "plinth", "feet") if height < 0.09 else draws.pick("legs", "rails", "legs")
    if style == "plinth":
        inset = min(0.04, 0.1 * (y1 - y0))
        return material.shade(0.8).on(box((x0 + 0.004, y0, z0), (x1 - 0.004, y1 - inset, z1)))
    if style == "feet":
        r = min(0.025, 0.1 * (y1 - y0))
        spots = [(x, y) for x in (x0 + 2 * r, x1 - 2 * r) for y in (y0 + 2 * r, y1 - 2 * r)]
        return material.shade(0.6).on(cylinder((x, y, z0), r, height, sides=14) for x, y in spots)
    made = legs((x0, y0), (x1, y1), z0, z1, draws.pick(*LEG_STYLES[:4]), min(0.02, 0.08 * (y1 - y0)))
    if style == "rails":
        made += [box((x0 + 0.02, y - 0.009, z1 - 0.035), (x1 - 0.02, y + 0.009, z1)) for y in (y0 + 0.03, y1 - 0.03)]
    return material.on(*made, turn=1)


def legs(
    low: tuple[float, float],
    high: tuple[float, float],
    bottom: float,
    top: float,
    style: str,
    radius: float,
    *,
    lean: float = 0.06,
) -> list[Mesh]:
    """Make four legs at the corners of a rectangle, which their feet fill.

    Args:
        low, high: its corners, x and y.
        bottom, top: heights.
        style: of LEG_STYLES.
        radius: half the thickness at the top, metres.
        lean: metres by which a splayed leg's foot is outside its top.
    """  # fmt: skip
    made: list[Mesh] = []
    for sx in (-1, 1):
        for sy in (-1, 1):
            corner_x, corner_y = (high[0] if sx > 0 else low[0]), (high[1] if sy > 0 else low[1])

            def spot(
                inset: float, sx: int = sx, sy: int = sy, x: float = corner_x, y: float = corner_y
            ) -> tuple[float, float]:
                return x - sx * inset, y - sy * inset

            if style in ("square", "round"):
                x, y = spot(radius)
                made.append(leg((x, y, bottom), (x, y, top), radius, square=style == "square"))
            elif style == "tapered":
                x, y = spot(radius)
                made.append(leg((x, y, bottom), (x, y, top), radius * 0.6, radius, square=True))
            elif style == "splayed":
                foot, head = spot(radius * 0.6), spot(radius * 0.6 + lean)
                made.append(leg((*foot, bottom), (*head, top), radius * 0.6, radius))
            else:
                rod = min(0.006, radius)
                head_x, head_y = spot(rod + 0.02)
                foot_x, foot_y = spot(rod)
                for dx, dy in ((0.07, 0.0), (0.0, 0.07)):
                    start = (head_x - sx * dx, head_y - sy * dy, top)
                    made.append(leg((foot_x, foot_y, bottom), start, rod, sides=8))
    return made


def castors(spots: Sequence[tuple[float, float]], radius: float) -> list[Mesh]:
    """Wheels on the floor, dark."""
    wheel = rotated(cylinder((0.0, 0.0, -0.011), radius, 0.022, sides=14), np.pi / 2, axis=1)
    return [shifted(wheel, (x, y, radius)).painted(DARK) for x, y in spots]


def split(start: float, end: float, count: int) -> list[tuple[float, float]]:
    """An interval in equal parts."""
    ends = np.linspace(start, end, count + 1)
    return [(float(a), float(b)) for a, b in itertools.pairwise(ends)]


def _upright(mesh: Mesh, upright: bool) -> Mesh:
    return rotated(mesh, np.pi / 2, axis=1) if upright else mesh


def _tip(x: float, y: float, z: float, depth: float) -> Mesh:
    """The rim of a plate, as far out as handles go."""
    return box((x - 0.012, y, z - 0.004), (x + 0.012, y + depth, z + 0.004), 0.001)


PANE = (0.10, 0.11, 0.12)
"""The colour of dark glass before an oven or a microwave."""
DISPLAYS = ((0.10, 0.22, 0.14), (0.24, 0.12, 0.05), (0.08, 0.12, 0.22), (0.03, 0.03, 0.035))


def slab(low: tuple[float, float], high: tuple[float, float], y: tuple[float, float], radius: float = 0.006) -> Mesh:
    """A plate before a face: corners x and z, from y to y."""
    return box((low[0], y[0], low[1]), (high[0], y[1], high[1]), radius)


def pull(style: str, a: tuple[float, float], b: tuple[float, float], y: tuple[float, float]) -> list[Mesh]:
    """Make a handle from (x, z) to (x, z) that projects from y to y: 'bar', 'flat' or 'grip' (a dark groove)."""
    start, end = np.array([a[0], 0.0, a[1]]), np.array([b[0], 0.0, b[1]])
    along = (end - start) / np.linalg.norm(end - start)
    r = min(0.011, 0.4 * (y[1] - y[0]))
    if style in ("grip", "flat"):
        wide, colour = (0.008, DARK) if style == "grip" else (0.011, STEEL)
        low, high = np.minimum(start, end) - wide, np.maximum(start, end) + wide
        low[1], high[1] = y
        return [box(low, high, 0.0 if style == "grip" else 0.004).painted(colour)]
    out = np.array([0.0, y[1] - r, 0.0])
    rail = bar(point(start + out), point(end + out), r)
    root = np.array([0.0, y[0] - 0.002, 0.0])
    posts = [bar(point(p + root), point(p + out), r * 0.7) for p in (start + 0.03 * along, end - 0.03 * along)]
    return [mesh.painted(STEEL) for mesh in (rail, *posts)]


def knobs(
    spots: Sequence[tuple[float, float]], y: tuple[float, float], radius: float, material: Material
) -> list[Mesh]:
    """Make round knobs at (x, z), projecting from y to y."""
    depth = y[1] - y[0]
    knob = rotated(
        lathe([(radius, 0.0), (radius * 0.9, depth * 0.9), (radius * 0.75, depth)], sides=16), -np.pi / 2, axis=0
    )
    made = material.on(shifted(knob, (x, y[0], z)) for x, z in spots)
    marks = [box((x - 0.0015, y[0] + depth * 0.8, z), (x + 0.0015, y[1] + 0.0005, z + radius * 0.8)) for x, z in spots]
    return made + material.shade(0.3 if sum(material.colour) > 1.2 else 4.0).on(*marks)


def display(draws: Draws, low: tuple[float, float], high: tuple[float, float], y: float) -> Mesh:
    """Make a small display that projects from y by a millimetre."""
    return slab(low, high, (y - 0.002, y + 0.0015), 0.0005).painted(DISPLAYS[draws.count(0, len(DISPLAYS) - 1)])


def round_door(
    center: tuple[float, float], radius: float, y: tuple[float, float], rim: Material, pane: tuple[float, float, float]
) -> list[Mesh]:
    """A round window in a ring, as of a washing machine."""
    depth = y[1] - y[0]
    ring = lathe(
        [
            (radius, 0.0),
            (radius, depth * 0.5),
            (radius * 0.93, depth),
            (radius * 0.78, depth * 0.9),
            (radius * 0.72, depth * 0.3),
        ],
        sides=36,
    )
    bulge = lathe(
        [
            (radius * 0.73, 0.0),
            (radius * 0.73, depth * 0.32),
            (radius * 0.5, depth * 0.6),
            (radius * 0.2, depth * 0.75),
        ],
        sides=36,
    )
    placed = [shifted(rotated(mesh, -np.pi / 2, axis=0), (center[0], y[0], center[1])) for mesh in (ring, bulge)]
    return [*rim.on(placed[0]), placed[1].painted(pane)]
