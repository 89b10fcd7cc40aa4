"""Roofs of houses: gables, mansards, dormers, flat ones; chimneys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.masonry import Masonry, pane
from tolman.simulate.mesh import Texture

_TILES = ((0.62, 0.32, 0.24), (0.5, 0.27, 0.22), (0.46, 0.36, 0.3), (0.7, 0.42, 0.3))
_SLATES = ((0.32, 0.33, 0.37), (0.4, 0.41, 0.43), (0.27, 0.28, 0.3))
_OVER = 0.32
"""Metres by which eaves reach over the front."""


@dataclass(frozen=True)
class RoofCovers:
    """Pictures of tiles and of slates, pale."""

    tiles: Texture
    slates: Texture


def draw_roof(
    made: Masonry,
    generator: np.random.Generator,
    kinds: tuple[str, ...],
    covers: RoofCovers,
    span: tuple[float, float],
    depth: float,
    height: float,
    trim: Floats,
    wall: tuple[Texture, float, Floats],
) -> None:
    """A roof of one of some kinds: 'gable', 'dormers', 'mansard', 'front gable', 'flat'.

    Args:
        made: the house.
        generator: what is drawn comes from it.
        kinds: of roofs.
        covers: what they are covered with.
        span: from where to where along x, metres.
        depth: of the house.
        height: of its walls.
        trim: colour of what is painted.
        wall: what gables are covered with: picture, its metres, colour.
    """
    kind = kinds[int(generator.integers(len(kinds)))]
    tiled = bool(generator.random() < 0.6) and kind != "mansard"
    colours = _TILES if tiled else _SLATES
    colour = np.array(colours[int(generator.integers(len(colours)))]) * generator.uniform(0.9, 1.1)
    cover = covers.tiles if tiled else covers.slates
    left, right = span
    if kind == "flat":
        made.box((left, -depth, height), (right, -depth + 0.2, height + 0.45), trim)
        made.box((left, -0.22, height), (right, 0.04, height + 0.45), trim)
        for x in (left, right - 0.2):
            made.box((x, -depth + 0.2, height), (x + 0.2, -0.22, height + 0.45), trim)
        made.face(
            [
                [left, -depth, height + 0.02],
                [right, -depth, height + 0.02],
                [right, 0, height + 0.02],
                [left, 0, height + 0.02],
            ],
            (0.4, 0.4, 0.4),
        )
        if generator.random() < 0.5:
            x = float(generator.uniform(left + 0.6, right - 2.4))
            made.box((x, -depth * 0.7, height), (x + 1.8, -depth * 0.4, height + 1.5), trim * 0.85)
        return
    rise = float(generator.uniform(0.45, 0.8)) * depth / 2
    if kind == "mansard":
        steep, back = 2.1, 1.0
        made.faces(
            _mirrored(
                [
                    [left, 0.12, height],
                    [right, 0.12, height],
                    [right, -back, height + steep],
                    [left, -back, height + steep],
                ],
                depth,
            ),
            cover,
            1.6,
            colour,
        )
        for x, turn in ((left, 1), (right, -1)):
            side = [
                [x, 0.0, height],
                [x, -back, height + steep],
                [x, -depth + back, height + steep],
                [x, -depth, height],
            ]
            made.faces(np.array([side[::turn]], dtype=np.float64), *wall)
        _dormers(made, generator, span, height + 0.25, 0.02, trim)
        top, start = height + steep + 0.9, -back
        made.faces(
            _mirrored(
                [
                    [left, start, height + steep],
                    [right, start, height + steep],
                    [right, -depth / 2, top],
                    [left, -depth / 2, top],
                ],
                depth,
            ),
            cover,
            1.6,
            colour,
        )
        _chimney(made, generator, span, depth, top)
        return
    if kind == "front gable":
        middle, top = (left + right) / 2, height + rise * 0.9
        out = _OVER
        for x, turn in ((left - 0.12, -1), (right + 0.12, 1)):
            drop = height - 0.12
            slope = [[x, out, drop], [x, -depth, drop], [middle, -depth, top], [middle, out, top]]
            made.faces(np.array([slope[::turn]], dtype=np.float64), cover, 1.6, colour)
            board = [[x, out, drop - 0.16], [middle, out, top - 0.16], [middle, out, top], [x, out, drop]]
            made.face(board[::-turn], trim)
        for y, turn in ((0.0, -1), (-depth, 1)):
            gable = np.array([[[left, y, height], [right, y, height], [middle, y, top - 0.02]][::turn]])
            made.triangles(gable, *wall)
        made.box((middle - 0.35, -0.05, height + 0.2), (middle + 0.35, 0.03, height + 0.9), trim)
        made.face(pane(middle - 0.27, middle + 0.27, height + 0.28, height + 0.82, 0.036), (0.2, 0.24, 0.27), 0.15)
        return
    top = height + rise
    eave = height - rise * _OVER / (depth / 2)
    slope = [[left, _OVER, eave], [right, _OVER, eave], [right, -depth / 2, top], [left, -depth / 2, top]]
    made.faces(_mirrored(slope, depth), cover, 1.6, colour)
    for x, turn in ((left, 1), (right, -1)):
        gable = np.array([[[x, 0.0, height], [x, -depth / 2, top], [x, -depth, height]][::turn]])
        made.triangles(gable, *wall)
    made.box((left, _OVER - 0.04, eave - 0.11), (right, _OVER + 0.08, eave + 0.02), (0.45, 0.45, 0.44))
    made.face(
        [[left, 0.0, eave - 0.05], [right, 0.0, eave - 0.05], [right, _OVER, eave - 0.05], [left, _OVER, eave - 0.05]],
        trim * 0.9,
    )
    if kind == "dormers":
        _dormers(made, generator, span, height + 0.3, -0.45, trim)
    elif generator.random() < 0.4:
        x = float(generator.uniform(left + 1, right - 1.6))
        low, high = 0.35, 0.6
        ends = [(-depth / 2 * share, height + rise * share + 0.05) for share in (low, high)]
        made.face(
            [
                [x, ends[0][0], ends[0][1]],
                [x + 0.8, ends[0][0], ends[0][1]],
                [x + 0.8, ends[1][0], ends[1][1]],
                [x, ends[1][0], ends[1][1]],
            ],
            (0.2, 0.24, 0.27),
            0.15,
        )
    _chimney(made, generator, span, depth, top)


def _mirrored(slope: list[list[float]], depth: float) -> Floats:
    """A slope, and the same at the back of a house, shape (2, 4, 3)."""
    one = np.array(slope, dtype=np.float64)
    other = one.copy()
    other[:, 1] = -depth - one[:, 1]
    return np.array([one, other[::-1]])


def _dormers(
    made: Masonry, generator: np.random.Generator, span: tuple[float, float], low: float, front: float, trim: Floats
) -> None:
    """Windows that stand out of a roof."""
    left, right = span
    count = max(1, int((right - left) // 2.9))
    for x in np.linspace(left, right, count + 1)[:-1] + (right - left) / count / 2:
        made.box((x - 0.6, front - 2.4, low - 0.3), (x + 0.6, front, low + 1.35), trim * 0.92)
        made.box((x - 0.72, front - 2.4, low + 1.35), (x + 0.72, front + 0.14, low + 1.47), (0.33, 0.34, 0.36))
        made.face(pane(x - 0.44, x + 0.44, low + 0.12, low + 1.22, front + 0.006), (0.2, 0.24, 0.27), 0.15)
        made.box((x - 0.03, front, low + 0.12), (x + 0.03, front + 0.03, low + 1.22), (0.9, 0.9, 0.87))
        made.box((x - 0.46, front, low + 0.66), (x + 0.46, front + 0.03, low + 0.71), (0.9, 0.9, 0.87))


def _chimney(
    made: Masonry, generator: np.random.Generator, span: tuple[float, float], depth: float, top: float
) -> None:
    if generator.random() < 0.65:
        x = float(generator.uniform(span[0] + 0.5, span[1] - 1.3))
        y = -depth / 2 - 0.4
        brick = np.array([0.45, 0.28, 0.23]) * generator.uniform(0.8, 1.2)
        made.box((x, y, top - 1.2), (x + 0.75, y + 0.6, top + 0.85), brick)
        made.box((x - 0.06, y - 0.06, top + 0.85), (x + 0.81, y + 0.66, top + 0.97), (0.55, 0.52, 0.48))
        for shift in (0.14, 0.44):
            made.box((x + shift, y + 0.2, top + 0.97), (x + shift + 0.17, y + 0.37, top + 1.28), (0.6, 0.34, 0.25))
