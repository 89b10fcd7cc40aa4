"""Camera geometry: projection, lenses, instances in masks, rays cast by embree, and quarter turns of pictures.

A camera looks along its +z with x to the right and y down; poses map camera to scene. Pixels are continuous: the middle
of the one in column i and row j is (i + 0.5, j + 0.5). A picture turned clockwise by a quarter is the view of a camera
turned counter-clockwise about its viewing axis; its intrinsics and poses turn with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.extras import needs, shapely
from tolman.geometry.boxes import Boxes, Floats
from tolman.scenes import Sighting

NEAR = 0.05
"""Metres in front of a camera; what is nearer is not drawn."""
_EDGES = np.array([(i, i | bit) for i in range(8) for bit in (1, 2, 4) if not i & bit])
"""Pairs of a box's corners, as `Boxes.vertices` has them, that an edge joins; shape (12, 2)."""


def project(points: Floats, pose: Floats, intrinsics: tuple[float, float, float, float]) -> tuple[Floats, Floats]:
    """Points of the scene in a camera's picture.

    Args:
        points: metres, shape (…, 3).
        pose: camera → scene, shape (4, 4).
        intrinsics: fx, fy, cx, cy in pixels.

    Returns:
        Pixels, shape (…, 2), nan for points that are not in front; and depths along the view, shape (…,).
    """
    rotation, position = pose[:3, :3], pose[:3, 3]
    local = (points - position) @ rotation
    depth = local[..., 2]
    fx, fy, cx, cy = intrinsics
    ahead = np.where(depth > 1e-6, depth, np.nan)
    return np.stack([fx * local[..., 0] / ahead + cx, fy * local[..., 1] / ahead + cy], axis=-1), depth


def splat(
    points: Floats, pose: Floats, intrinsics: tuple[float, float, float, float], size: tuple[int, int]
) -> tuple[Floats, NDArray[np.int64]]:
    """Project a cloud into a camera: the nearest point of each pixel.

    Args:
        points: of the scene, metres, shape (n, 3).
        pose, intrinsics: as in `project`; the middle of the first pixel is at (0.5, 0.5).
        size: width and height of the picture.

    Returns:
        Depths along the view, shape (height, width), infinite where no point is; and the numbers of the points that are
        seen, -1 for none, the same shape. Between points one looks through: this is no surface.
    """
    pixels, depth = project(points, pose, intrinsics)
    width, height = size
    with np.errstate(invalid="ignore"):
        inside = ((pixels >= 0) & (pixels < [width, height])).all(-1)
    index = np.flatnonzero(inside)
    cell = np.floor(pixels[index]).astype(np.int64) @ np.array([1, width])
    order = np.lexsort((depth[index], cell))
    first = order[np.flatnonzero(np.diff(cell[order], prepend=-1))]
    seen = np.full(width * height, -1, dtype=np.int64)
    depths = np.full(width * height, np.inf)
    seen[cell[first]], depths[cell[first]] = index[first], depth[index[first]]
    return depths.reshape(height, width), seen.reshape(height, width)


def sightings_in_mask(
    frame: int, mask: NDArray[np.integer], names: Mapping[int, str], depth: NDArray[np.floating] | None = None
) -> list[Sighting]:
    """Find objects in an instance mask, with their pixels and nearest depth.

    Args:
        frame: the frame's number.
        mask: the instance of each pixel, shape (height, width).
        names: instance → object's id; other values are background.
        depth: metres along the view, the same shape; 0 and non-finite values are no reading.
    """
    places = mask.ravel()
    if mask.dtype.kind == "u" and mask.dtype.itemsize <= 2:
        values = np.arange(int(places.max(initial=0)) + 1)
    else:  # too many numbers, or negative ones
        values, places = np.unique(places, return_inverse=True)
    counts = np.bincount(places, minlength=len(values))
    nearest = np.full(len(values), np.inf)
    if depth is not None:
        flat = depth.ravel()
        read = np.isfinite(flat) & (flat > 0)
        np.minimum.at(nearest, places[read], flat[read].astype(np.float64))
    return [
        Sighting(frame=frame, object=names[value], pixels=count, depth=near if near < np.inf else None)
        for value, count, near in zip(values.tolist(), counts.tolist(), nearest.tolist(), strict=True)
        if count and value in names
    ]


def boxes_in_view(
    boxes: Boxes, pose: Floats, intrinsics: tuple[float, float, float, float], size: tuple[int, int]
) -> Floats:
    """Return the number of pixels that each box's outline covers in the picture, ignoring occlusion.

    Args:
        boxes: of the scene.
        pose, intrinsics: as in `project`.
        size: width and height of the picture.

    Returns:
        Shape (n,); 0 for boxes outside the picture. A box that reaches behind the camera is cut at `NEAR` metres.
    """
    picture = shapely.box(0, 0, *size)
    areas = np.zeros(len(boxes))
    for i, pixels in enumerate(_clipped_pixels(boxes, pose, intrinsics)):
        corners = pixels[~np.isnan(pixels[:, 0])]
        if len(corners):
            outline = shapely.convex_hull(shapely.multipoints(corners))
            areas[i] = shapely.area(shapely.intersection(outline, picture))
    return areas


def rectangles_in_view(
    boxes: Boxes, pose: Floats, intrinsics: tuple[float, float, float, float], size: tuple[int, int]
) -> Floats:
    """Return the upright rectangle around each box in the picture, ignoring occlusion.

    Args:
        boxes: of the scene.
        pose, intrinsics: as in `project`.
        size: width and height of the picture.

    Returns:
        Left, top, right and bottom in pixels, shape (n, 4); nan for boxes outside of the picture. Parts beyond the
        picture's edges, behind the camera, or nearer to it than `NEAR` metres are cut off.
    """
    pixels = _clipped_pixels(boxes, pose, intrinsics)
    low = np.fmax(np.fmin.reduce(pixels, axis=1, initial=np.inf), 0.0)
    high = np.fmin(np.fmax.reduce(pixels, axis=1, initial=-np.inf), np.array(size, dtype=np.float64))
    found = np.concatenate([low, high], axis=1)
    found[~(high > low).all(1)] = np.nan
    return found


def _clipped_pixels(boxes: Boxes, pose: Floats, intrinsics: tuple[float, float, float, float]) -> Floats:
    """The corners of each box in the picture after its edges are clipped at `NEAR`.

    Returns:
        Pixels, shape (n, 20, 2): 8 corners and one point for each of the 12 edges; nan for corners behind the near
        plane and for edges that do not cross it.
    """
    local = (boxes.vertices() - pose[:3, 3]) @ pose[:3, :3]
    a, b = local[:, _EDGES[:, 0]], local[:, _EDGES[:, 1]]  # shape (n, 12, 3)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (NEAR - a[..., 2]) / (b[..., 2] - a[..., 2])
        cuts = a + share[..., None] * (b - a)
        crosses = (a[..., 2] < NEAR) != (b[..., 2] < NEAR)
        seen = np.concatenate([local, np.where(crosses[..., None], cuts, np.nan)], axis=1)
        seen[seen[..., 2] < NEAR - 1e-9] = np.nan
        fx, fy, cx, cy = intrinsics
        return np.stack([fx * seen[..., 0] / seen[..., 2] + cx, fy * seen[..., 1] / seen[..., 2] + cy], axis=-1)


class Tree:
    """Triangles in one embree scene.

    Args:
        points: metres, shape (n, 3).
        faces: three points each, shape (m, 3).
        extra: the extra that brings embreex, named where it is missing.

    Raises:
        MissingExtraError: embreex is not installed.
    """

    def __init__(self, points: NDArray[np.floating], faces: NDArray[np.integer], extra: str) -> None:
        with needs(extra, "Casting rays"):
            from embreex import rtcore_scene  # type: ignore[import-untyped]
            from embreex.mesh_construction import TriangleMesh  # type: ignore[import-untyped]
        self._scene: Any = rtcore_scene.EmbreeScene()
        self._mesh = TriangleMesh(self._scene, np.array(points, dtype=np.float32), np.array(faces, dtype=np.int32))

    def cast(self, origins: Floats, directions: Floats) -> tuple[NDArray[np.int64], Floats]:
        """The first triangle on each ray.

        Args:
            origins: metres, shape (n, 3).
            directions: of any length, shape (n, 3).

        Returns:
            Its number, -1 where nothing is, shape (n,); and how far it is in lengths of the ray's direction, to
            single precision, shape (n,).
        """
        found = self._scene.run(origins.astype(np.float32), directions.astype(np.float32), query="INTERSECT", output=1)
        return found["primID"].astype(np.int64), found["tfar"].astype(np.float64)

    def blocked(self, origins: Floats, directions: Floats, reach: Floats) -> NDArray[np.bool_]:
        """Check whether a triangle is on each ray: faster than `cast`, as any will do.

        Args:
            origins: metres, shape (n, 3).
            directions: of any length, shape (n, 3).
            reach: the ends of rays, in lengths of their directions, shape (n,).
        """
        single = (np.ascontiguousarray(each, dtype=np.float32) for each in (origins, directions))
        return np.asarray(self._scene.run(*single, dists=reach.astype(np.float32), query="OCCLUDED") >= 0)


def pixel_rays(pose: Floats, intrinsics: tuple[float, float, float, float], size: tuple[int, int]) -> Floats:
    """The ways of a camera's pixels through their middles, 1 m ahead each, so that distances are depths.

    Returns:
        Shape (height · width, 3), row by row, in the scene's coordinates.
    """
    fx, fy, cx, cy = intrinsics
    columns, rows = np.meshgrid(np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5)
    ways = np.stack([(columns - cx) / fx, (rows - cy) / fy, np.ones_like(rows)], axis=-1).reshape(-1, 3)
    return np.asarray(ways @ np.asarray(pose)[:3, :3].T)


_QUARTER = np.array([[0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
"""Turned camera → camera: its x points where y pointed up from, its y along the old x."""


def turned_size(size: tuple[int, int], turns: int) -> tuple[int, int]:
    """Width and height after quarter turns."""
    return (size[1], size[0]) if turns % 2 else size


def turned_picture(picture: NDArray[np.generic], turns: int) -> NDArray[np.generic]:
    """A picture or mask, shape (height, width, …), after quarter turns clockwise."""
    return np.rot90(picture, -turns)


def turned_pixels(pixels: Floats, size: tuple[int, int], turns: int) -> Floats:
    """Move pixels with their picture by quarter turns clockwise.

    Args:
        pixels: x, y, shape (…, 2).
        size: width and height before.
        turns: any whole number.
    """
    for _ in range(turns % 4):
        pixels = np.stack([size[1] - pixels[..., 1], pixels[..., 0]], axis=-1)
        size = (size[1], size[0])
    return pixels


def turned_intrinsics(intrinsics: Floats, size: tuple[int, int], turns: int) -> Floats:
    """Intrinsics that go with a turned picture.

    Args:
        intrinsics: fx, fy, cx, cy, shape (…, 4).
        size: width and height before.
        turns: quarter turns clockwise.
    """
    found = np.array(intrinsics, dtype=np.float64)
    middle = turned_pixels(found[..., 2:], size, turns)
    focal = found[..., 1::-1] if turns % 2 else found[..., :2]
    return np.concatenate([focal, middle], axis=-1)


def turned_poses(poses: Floats, turns: int) -> Floats:
    """Poses camera → scene, shape (…, 4, 4), that go with turned pictures; no pose (nan) stays none."""
    return np.asarray(poses @ np.linalg.matrix_power(_QUARTER, turns % 4))


def scaled_intrinsics(intrinsics: Floats, size: tuple[int, int], other: tuple[int, int]) -> Floats:
    """Intrinsics, shape (…, 4), of the same picture brought to another width and height."""
    across, down = other[0] / size[0], other[1] / size[1]
    return np.asarray(intrinsics * np.array([across, down, across, down]))


@dataclass(frozen=True)
class Lens:
    """A camera with a lens: COLMAP's models with radial and tangential distortion, of perspective and fisheye lenses.

    With u = x/z, v = y/z and r² = u² + v², a perspective lens maps (u, v) to d·(u, v), with
    d = (1 + k1 r² + k2 r⁴ + …) / (1 + q1 r² + q2 r⁴ + …), plus (2 p1 u v + p2 (r² + 2u²), p1 (r² + 2v²) + 2 p2 u v).
    A fisheye lens maps it to (a, b) = (u, v)·θd/r, with θ = atan r and θd = θ (1 + k1 θ² + k2 θ⁴ + …). A thin prism
    in front of it adds the tangential terms of a and b, and (s1 ρ² + s2 ρ⁴, s3 ρ² + s4 ρ⁴) with ρ² = a² + b².

    Source: COLMAP, src/colmap/sensor/models.h; OpenCV has the same formulas. Aria's FISHEYE624 is the last of these.

    Attributes:
        intrinsics: fx, fy, cx, cy in pixels; the middle of the first pixel is at (0.5, 0.5).
        fisheye: which of the two.
        radial: k1, k2 …
        divisor: q1, q2 …; of perspective lenses.
        tangential: p1, p2.
        prism: s1 to s4; of fisheye lenses.
    """

    intrinsics: tuple[float, float, float, float]
    fisheye: bool = False
    radial: tuple[float, ...] = ()
    divisor: tuple[float, ...] = ()
    tangential: tuple[float, float] = (0.0, 0.0)
    prism: tuple[float, ...] = ()

    @property
    def is_pinhole(self) -> bool:
        """Check whether it distorts nothing."""
        return not self.fisheye and not any((*self.radial, *self.divisor, *self.tangential))

    def distorted(self, points: Floats) -> Floats:
        """Project points (u, v) of the plane z = 1, shape (…, 2), to pixels of the picture, shape (…, 2)."""
        u, v = points[..., 0], points[..., 1]
        square = u * u + v * v
        p1, p2 = self.tangential
        if self.fisheye:
            radius = np.sqrt(square)
            angle = np.arctan(radius)
            factor = angle * _series(self.radial, angle * angle) / np.where(radius > 0, radius, 1.0)
            factor = np.where(radius > 0, factor, 1.0)
            u, v = u * factor, v * factor
            square = u * u + v * v
            factor = np.ones_like(square)
        else:
            factor = _series(self.radial, square) / _series(self.divisor, square)
        x = u * factor + 2 * p1 * u * v + p2 * (square + 2 * u * u)
        y = v * factor + 2 * p2 * u * v + p1 * (square + 2 * v * v)
        if self.prism:
            s1, s2, s3, s4 = self.prism
            x, y = x + square * (s1 + s2 * square), y + square * (s3 + s4 * square)
        fx, fy, cx, cy = self.intrinsics
        return np.stack([fx * x + cx, fy * y + cy], axis=-1)

    def pinhole(self, size: tuple[int, int]) -> tuple[float, float, float, float]:
        """Intrinsics of the pinhole camera whose picture of the same size this lens's picture fills.

        The focal lengths are the lens's own, or longer: by the least factor with which every pixel comes from within
        the lens's picture, and with which the field of view is at most `_WIDEST` degrees. A lens that fills no such
        picture keeps its own; the rest is black.

        Args:
            size: width and height.
        """
        fx, fy, cx, cy = self.intrinsics
        if self.is_pinhole:
            return self.intrinsics
        width, height = size
        across = np.linspace(0, width, 65)
        down = np.linspace(0, height, 65)
        border = np.concatenate(
            [np.stack([across, np.full(65, y)], -1) for y in (0.0, height)]
            + [np.stack([np.full(65, x), down], -1) for x in (0.0, width)]
        )
        rays = (border - (cx, cy)) / (fx, fy)
        widest = np.tan(np.radians(_WIDEST / 2))
        least = max(1.0, max(cx, width - cx) / fx / widest, max(cy, height - cy) / fy / widest)
        fold = self._fold(float(np.linalg.norm(rays, axis=-1).max()))
        for factor in least * np.geomspace(1.0, 4.0, 200):
            shown = self.distorted(rays / factor)
            inside = ((shown >= -0.5) & (shown <= (width + 0.5, height + 0.5))).all()
            if inside and float(np.linalg.norm(rays, axis=-1).max()) / factor <= fold:
                return fx * float(factor), fy * float(factor), cx, cy
        return fx * least, fy * least, cx, cy

    def sources(self, intrinsics: tuple[float, float, float, float], size: tuple[int, int]) -> Floats:
        """Map each pixel of a pinhole camera's picture to its place in this lens's picture.

        Args:
            intrinsics: of the pinhole camera.
            size: width and height of both pictures.

        Returns:
            Pixels, shape (height, width, 2); nan beyond where the lens folds back.
        """
        fx, fy, cx, cy = intrinsics
        columns, rows = np.meshgrid(np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5)
        rays = np.stack([(columns - cx) / fx, (rows - cy) / fy], axis=-1)
        radius = np.linalg.norm(rays, axis=-1)
        found = self.distorted(rays)
        found[radius > self._fold(float(radius.max()))] = np.nan
        return found

    def _fold(self, most: float) -> float:
        """The radius from which on a polynomial maps outer rays further in again; `most` where there is none before."""
        radius = np.linspace(0, most, 2001)
        straight = Lens((1.0, 1.0, 0.0, 0.0), self.fisheye, self.radial, self.divisor)
        seen = straight.distorted(np.stack([radius, np.zeros_like(radius)], axis=-1))[:, 0]
        back = np.flatnonzero(np.diff(seen) <= 0)
        return float(radius[back[0]]) if len(back) else most


LENS_MODELS: Mapping[str, tuple[int, int, int, bool]] = {
    "SIMPLE_PINHOLE": (0, 1, 0, False),
    "PINHOLE": (1, 2, 0, False),
    "SIMPLE_RADIAL": (2, 1, 1, False),
    "RADIAL": (3, 1, 2, False),
    "OPENCV": (4, 2, 4, False),
    "OPENCV_FISHEYE": (5, 2, 4, True),
    "FULL_OPENCV": (6, 2, 8, False),
    "SIMPLE_RADIAL_FISHEYE": (8, 1, 1, True),
    "RADIAL_FISHEYE": (9, 1, 2, True),
    "RAD_TAN_THIN_PRISM_FISHEYE": (11, 2, 12, True),
    "SIMPLE_FISHEYE": (14, 1, 0, True),
    "FISHEYE": (15, 2, 0, True),
}
"""COLMAP's models that a Lens can be: number, focal lengths, coefficients, whether it is a fisheye."""


def lens_of(model: str, parameters: Sequence[float]) -> Lens:
    """The lens of a camera as COLMAP writes it: focal lengths, middle, coefficients.

    Raises:
        ValueError: the model isn't known here, or the parameters don't fit it; the rest of a sentence.
    """
    if model not in LENS_MODELS:
        raise ValueError(f"has the camera model {model}, which can't be undistorted here")
    _, focals, count, fisheye = LENS_MODELS[model]
    if len(parameters) != focals + 2 + count:
        raise ValueError(f"its camera model {model} takes {focals + 2 + count} parameters, not {len(parameters)}")
    if not np.isfinite(parameters).all() or min(parameters[:focals]) <= 0:
        raise ValueError("has a parameter that isn't finite, or a focal length that isn't positive")
    values = [float(value) for value in parameters]
    intrinsics = (values[0], values[focals - 1], values[focals], values[focals + 1])
    rest = tuple(values[focals + 2 :])
    if count == 12:
        return Lens(intrinsics, True, rest[:6], tangential=(rest[7], rest[6]), prism=rest[8:])
    if fisheye or count < 4:
        return Lens(intrinsics, fisheye, radial=rest)
    k1, k2, p1, p2, *more = rest
    return Lens(intrinsics, radial=(k1, k2, *more[:1]), divisor=tuple(more[1:]), tangential=(p1, p2))


_WIDEST = 120.0
"""Degrees across a picture to which a fisheye's is cut: a plane stretches what is farther out."""


def _series(coefficients: tuple[float, ...], square: Floats) -> Floats:
    """1 + c1 s + c2 s² + …"""
    total = np.zeros_like(square)
    for one in reversed(coefficients):
        total = (total + one) * square
    return total + 1.0
