"""Masonry: many boxes and walls with openings, gathered and then made into one mesh."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from tolman.geometry.boxes import Floats
from tolman.simulate.mesh import CUBE, Mesh, Texture, flat_shaded, joined, quads

REVEAL = 0.13
"""Metres by which windows and doors stand back in their wall."""


@dataclass(frozen=True)
class WallOpening:
    """A hole in a wall: metres along it and above the ground."""

    left: float
    right: float
    low: float
    high: float


@dataclass
class Masonry:
    """Parts of a building whose front is the plane y = 0, facing +y."""

    _lows: list[Floats] = field(default_factory=list)
    _highs: list[Floats] = field(default_factory=list)
    _colours: list[Floats] = field(default_factory=list)
    _quads: list[Floats] = field(default_factory=list)
    _tones: list[Floats] = field(default_factory=list)
    _papered: list[Mesh] = field(default_factory=list)

    def box(self, low: ArrayLike, high: ArrayLike, colour: ArrayLike, shine: float = 0.0) -> None:
        """A box in one colour."""
        self._lows.append(np.asarray(low, dtype=np.float64))
        self._highs.append(np.asarray(high, dtype=np.float64))
        self._colours.append(np.append(np.asarray(colour, dtype=np.float64), shine))

    def face(self, corners: ArrayLike, colour: ArrayLike, shine: float = 0.0) -> None:
        """A face of four corners, counter-clockwise seen from outside, in one colour."""
        self._quads.append(np.asarray(corners, dtype=np.float64))
        self._tones.append(np.append(np.asarray(colour, dtype=np.float64), shine))

    def faces(self, corners: Floats, texture: Texture, size: float, colour: ArrayLike) -> None:
        """Faces covered with a picture that repeats every `size` metres, in a tint; corners of shape (n, 4, 3)."""
        self._papered.append(tinted(quads(corners).papered(texture, size), colour))

    def triangles(self, corners: Floats, texture: Texture, size: float, colour: ArrayLike) -> None:
        """The same of triangles, shape (n, 3, 3)."""
        self._papered.append(tinted(flat_shaded(corners).papered(texture, size), colour))

    def add(self, mesh: Mesh) -> None:
        """A part that is made already."""
        self._papered.append(mesh)

    def wall(
        self,
        span: tuple[float, float],
        heights: tuple[float, float],
        openings: Sequence[WallOpening],
        texture: Texture,
        size: float,
        colour: ArrayLike,
    ) -> None:
        """A wall in the plane y = 0 with openings, and the sides of these, `REVEAL` deep."""
        x = np.unique([*span, *(o.left for o in openings), *(o.right for o in openings)])
        z = np.unique([*heights, *(o.low for o in openings), *(o.high for o in openings)])
        found = []
        for low, high in itertools.pairwise(z):
            start = None
            for left, right in itertools.pairwise(x):
                middle = ((left + right) / 2, (low + high) / 2)
                hole = any(o.left < middle[0] < o.right and o.low < middle[1] < o.high for o in openings)
                if not hole and start is None:
                    start = left
                if hole and start is not None:
                    found.append(_upright(start, left, low, high, 0.0))
                    start = None
            if start is not None:
                found.append(_upright(start, x[-1], low, high, 0.0))
        for o in openings:
            left, right, low, high = o.left, o.right, o.low, o.high
            found += [
                [[left, -REVEAL, low], [left, 0, low], [left, 0, high], [left, -REVEAL, high]][::-1],
                [[right, -REVEAL, low], [right, 0, low], [right, 0, high], [right, -REVEAL, high]],
                [[left, 0, low], [right, 0, low], [right, -REVEAL, low], [left, -REVEAL, low]],
                [[left, 0, high], [left, -REVEAL, high], [right, -REVEAL, high], [right, 0, high]],
            ]
        self.faces(np.array(found, dtype=np.float64), texture, size, colour)

    def mesh(self) -> Mesh:
        """All of it."""
        parts = list(self._papered)
        if self._lows:
            lows, highs = np.array(self._lows), np.array(self._highs)
            corners = lows[:, None, None] + CUBE[None] * (highs - lows)[:, None, None]
            parts.append(_coloured(corners.reshape(-1, 4, 3), np.repeat(self._colours, len(CUBE), axis=0)))
        if self._quads:
            parts.append(_coloured(np.array(self._quads), np.array(self._tones)))
        return joined(parts)


def _upright(left: float, right: float, low: float, high: float, y: float) -> list[list[float]]:
    return [[right, y, low], [left, y, low], [left, y, high], [right, y, high]]


def pane(left: float, right: float, low: float, high: float, y: float) -> Floats:
    """The corners of an upright face that looks towards +y, shape (4, 3)."""
    return np.array(_upright(left, right, low, high, y))


def tinted(mesh: Mesh, colour: ArrayLike) -> Mesh:
    """A papered mesh whose picture is coloured."""
    tint = np.append(np.clip(np.asarray(colour, dtype=np.float64), 0, 1), 0.0)
    return replace(mesh, tints=np.tile(tint, (len(mesh.points), 1)))


def _coloured(corners: Floats, colours: Floats) -> Mesh:
    """Faces of four corners each in a colour of its own: RGB and shine."""
    mesh = quads(corners)
    # The two triangles of a face lie in two halves of the list.
    return replace(mesh, tints=np.repeat(np.tile(np.clip(colours, 0, 1), (2, 1)), 3, axis=0))
