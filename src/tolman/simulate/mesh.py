"""Meshes: triangles with colours and textures, simple bodies made in code, and masonry gathered from many.

Metres, z up. Everything is plain arrays, so that a renderer, a ray caster and a LiDAR read the same triangles.
`Masonry` gathers many boxes and walls with openings, and makes one mesh of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tolman.geometry.boxes import Floats

Texture = NDArray[np.uint8]
PLAIN = -1
"""The texture number of a vertex that has none."""
MIRRORED = -2
"""That of a vertex on a mirror: plain, or a reflection where the renderer draws one."""


@dataclass(frozen=True)
class Mesh:
    """Triangles.

    Attributes:
        points: of the vertices, shape (n, 3), float64.
        normals: unit normals, shape (n, 3).
        uvs: texture coordinates, (0, 0) at a picture's lower left, shape (n, 2).
        tints: RGB and light of its own, 0 … 1, shape (n, 4); the fourth is 0 for lit surfaces, 1 for shining ones.
        textures_of: the number of each vertex's picture in `textures`, PLAIN or MIRRORED, shape (n,).
        faces: three vertices each, shape (m, 3).
        textures: pictures, shape (height, width, 3).
    """

    points: Floats
    normals: Floats
    uvs: Floats
    tints: Floats
    textures_of: NDArray[np.int64]
    faces: NDArray[np.int64]
    textures: tuple[Texture, ...] = ()

    @property
    def bounds(self) -> Floats:
        """Least and greatest coordinates, shape (2, 3)."""
        return np.array([self.points.min(0), self.points.max(0)])

    def moved(self, matrix: Floats) -> Mesh:
        """The same under a 4×4 transform that keeps angles or scales along the axes."""
        linear = matrix[:3, :3]
        normals = self.normals @ np.linalg.inv(linear)
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        return replace(
            self,
            points=self.points @ linear.T + matrix[:3, 3],
            normals=normals / np.where(lengths > 0, lengths, 1.0),
        )

    def fitted(self, size: ArrayLike) -> Mesh:
        """Return the mesh stretched to a width, depth and height, its base centred on (0, 0, 0).

        Raises:
            ValueError: it is flat.
        """
        low, high = self.bounds
        extent = high - low
        if extent.min() <= 0:
            raise ValueError("the model is flat")
        scale = np.asarray(size, dtype=np.float64) / extent
        fit = np.diag([*scale, 1.0])
        fit[:3, 3] = -scale * np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
        return self.moved(fit)

    def painted(self, colour: ArrayLike, shine: float = 0.0) -> Mesh:
        """The same in one colour, without pictures."""
        tints = np.tile(np.append(np.asarray(colour, dtype=np.float64), shine), (len(self.points), 1))
        return replace(self, tints=tints, textures_of=np.full(len(self.points), PLAIN), textures=())

    def mirrored(self) -> Mesh:
        """Return the mesh as a mirror; its colour is shown where no reflection is drawn."""
        return replace(self, textures_of=np.full(len(self.points), MIRRORED), textures=())

    def by_texture(self, values: Floats, plain: ArrayLike) -> Floats:
        """A value of each vertex's picture.

        Args:
            values: one for each of `textures`, shape (k, ...).
            plain: the value of vertices without a picture.

        Returns:
            Shape (n, ...).
        """
        table = np.concatenate([np.asarray(values).reshape(-1, *np.shape(plain)), [plain]])
        return np.asarray(table[np.where(self.textures_of < 0, len(self.textures), self.textures_of)])

    def papered(self, texture: Texture, size: float, shift: tuple[float, float] = (0.0, 0.0)) -> Mesh:
        """The same covered with a picture that repeats every `size` metres, laid on along the main axes."""
        axis = np.abs(self.normals).argmax(1)
        flat = np.where((axis == 0)[:, None], self.points[:, [1, 2]], self.points[:, [0, 2]])
        flat = np.where((axis == 2)[:, None], self.points[:, [0, 1]], flat)
        tints = np.tile([1.0, 1.0, 1.0, 0.0], (len(self.points), 1))
        zeros = np.zeros(len(self.points), dtype=np.int64)
        return replace(self, uvs=flat / size + np.asarray(shift), tints=tints, textures_of=zeros, textures=(texture,))


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """One mesh of several; pictures that are the same object are kept once."""
    textures: list[Texture] = []
    places: dict[int, int] = {}
    faces, numbers, first = [], [], 0
    for mesh in meshes:
        # Negative numbers count from the end.
        own = np.empty(len(mesh.textures) + 2, dtype=np.int64)
        own[PLAIN], own[MIRRORED] = PLAIN, MIRRORED
        for i, texture in enumerate(mesh.textures):
            if id(texture) not in places:
                places[id(texture)] = len(textures)
                textures.append(texture)
            own[i] = places[id(texture)]
        numbers.append(own[mesh.textures_of])
        faces.append(mesh.faces + first)
        first += len(mesh.points)
    return Mesh(
        points=np.concatenate([m.points for m in meshes]),
        normals=np.concatenate([m.normals for m in meshes]),
        uvs=np.concatenate([m.uvs for m in meshes]),
        tints=np.concatenate([m.tints for m in meshes]),
        textures_of=np.concatenate(numbers),
        faces=np.concatenate(faces),
        textures=tuple(textures),
    )


def placed(center: ArrayLike, yaw: float = 0.0, scale: ArrayLike = (1.0, 1.0, 1.0)) -> Floats:
    """The 4×4 transform that scales, turns counter-clockwise about z by `yaw` (radians), then moves to `center`."""
    cosine, sine = np.cos(yaw), np.sin(yaw)
    matrix = np.eye(4)
    matrix[:3, :3] = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]]) * np.asarray(scale, dtype=np.float64)
    matrix[:3, 3] = center
    return matrix


def pitched(center: ArrayLike, angle: float) -> Floats:
    """The 4×4 transform that turns about x by an angle (radians), then moves to `center`."""
    cosine, sine = np.cos(angle), np.sin(angle)
    matrix = np.eye(4)
    matrix[1:3, 1:3] = [[cosine, -sine], [sine, cosine]]
    matrix[:3, 3] = center
    return matrix


def flat_shaded(corners: Floats, colour: ArrayLike = (0.8, 0.8, 0.8)) -> Mesh:
    """A mesh of triangles that share no vertex, each with its own normal; corners of shape (m, 3, 3)."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = normal / np.where(length > 0, length, 1.0)
    count = 3 * len(corners)
    mesh = Mesh(
        points=corners.reshape(-1, 3),
        normals=np.repeat(normal, 3, axis=0),
        uvs=np.zeros((count, 2)),
        tints=np.zeros((count, 4)),
        textures_of=np.full(count, PLAIN),
        faces=np.arange(count).reshape(-1, 3),
    )
    return mesh.painted(colour)


def quads(corners: Floats, colour: ArrayLike = (0.8, 0.8, 0.8)) -> Mesh:
    """Flat four-cornered faces, corners counter-clockwise seen from outside, shape (m, 4, 3)."""
    return flat_shaded(np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]]), colour)


CUBE = np.array(
    [
        [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]],
        [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
        [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]],
        [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1]],
        [[1, 1, 0], [0, 1, 0], [0, 1, 1], [1, 1, 1]],
        [[0, 1, 0], [0, 0, 0], [0, 0, 1], [0, 1, 1]],
    ],
    dtype=np.float64,
)
"""The six faces of a cube of side 1, corners counter-clockwise seen from outside."""


def block(low: ArrayLike, high: ArrayLike, colour: ArrayLike = (0.8, 0.8, 0.8)) -> Mesh:
    """An upright box between two corners."""
    lowest, highest = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    return quads(lowest + CUBE * (highest - lowest), colour)


def turned(profile: Sequence[tuple[float, float]], colour: ArrayLike = (0.8, 0.8, 0.8), sides: int = 20) -> Mesh:
    """A body of revolution about z: (radius, height) from bottom to top, smooth around."""
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rows = np.array([np.column_stack([ring * radius, np.full(sides, height)]) for radius, height in profile])
    following = np.roll(rows, -1, axis=1)
    corners = np.stack([rows[:-1], following[:-1], following[1:], rows[1:]], axis=2).reshape(-1, 4, 3)
    return quads(corners, colour)


def extruded(outline: Floats, low: float, high: float, colour: ArrayLike = (0.8, 0.8, 0.8)) -> Mesh:
    """A convex outline (counter-clockwise, shape (k, 2)) drawn up from `low` to `high`."""
    bottom = np.column_stack([outline, np.full(len(outline), low)])
    top = np.column_stack([outline, np.full(len(outline), high)])
    around = np.stack([bottom, np.roll(bottom, -1, 0), np.roll(top, -1, 0), top], axis=1)
    fan = [[0, i, i + 1] for i in range(1, len(outline) - 1)]
    caps = np.concatenate([top[fan], bottom[fan][:, ::-1]])
    return joined([quads(around, colour), flat_shaded(caps, colour)])


def rod(a: ArrayLike, b: ArrayLike, radius: float, colour: ArrayLike = (0.8, 0.8, 0.8), sides: int = 10) -> Mesh:
    """A round bar between two points, closed at its ends."""
    start, end = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    length = float(np.linalg.norm(end - start))
    along = (end - start) / length
    side = np.cross(along, [0.0, 0.0, 1.0] if abs(along[2]) < 0.9 else [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    matrix = np.eye(4)
    matrix[:3, :3] = np.stack([side, np.cross(along, side), along], axis=1)
    matrix[:3, 3] = start
    profile = [(1e-4, 0.0), (radius, 0.0), (radius, length), (1e-4, length)]
    return smoothed(turned(profile, colour, sides).moved(matrix))


def smoothed(mesh: Mesh, crease: float = 40.0) -> Mesh:
    """The same with normals that run smoothly over edges flatter than `crease` degrees.

    For meshes whose faces share no vertex, as the makers of this module give them.
    """
    corners = mesh.points[mesh.faces]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(areas, axis=1, keepdims=True)
    flat = np.repeat(areas / np.where(sizes > 0, sizes, 1.0), 3, axis=0)
    weighted = np.repeat(areas, 3, axis=0)
    owners = mesh.faces.ravel()
    _, place = np.unique(np.round(mesh.points[owners], 5), axis=0, return_inverse=True)
    place = place.ravel()
    order = np.argsort(place, kind="stable")
    counts = np.bincount(place)
    starts = np.append(0, counts.cumsum()[:-1])
    per_corner = counts[place]
    first = np.repeat(np.arange(len(owners)), per_corner)
    steps = np.arange(len(first)) - np.repeat(per_corner.cumsum() - per_corner, per_corner)
    second = order[np.repeat(starts[place], per_corner) + steps]
    together = (flat[first] * flat[second]).sum(1) > np.cos(np.radians(crease))
    first, second = first[together], second[together]
    sums = np.stack([np.bincount(first, weighted[second, i], len(owners)) for i in range(3)], axis=1)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    normals = mesh.normals.copy()
    normals[owners] = np.where(lengths > 0, sums / np.where(lengths > 0, lengths, 1.0), mesh.normals[owners])
    return replace(mesh, normals=normals)


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
