"""Visibility: projection of points and boxes, and counting instances in masks.

A camera looks along its +z with x to the right and y down; poses map camera to scene.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

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
    """A cloud as a camera sees it: the nearest point of each pixel.

    Args:
        points: of the scene, metres, shape (n, 3).
        pose, intrinsics: as in `project`; the middle of the first pixel lies at (0.5, 0.5).
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
    found = []
    values, counts = np.unique(mask, return_counts=True)
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        if value not in names:
            continue
        nearest = None
        if depth is not None:
            read = depth[(mask == value) & np.isfinite(depth) & (depth > 0)]
            nearest = float(read.min()) if len(read) else None
        found.append(Sighting(frame=frame, object=names[value], pixels=count, depth=nearest))
    return found


def boxes_in_view(
    boxes: Boxes, pose: Floats, intrinsics: tuple[float, float, float, float], size: tuple[int, int]
) -> Floats:
    """The pixels that each box's outline covers in the picture, without regard to what stands before it.

    Args:
        boxes: of the scene.
        pose, intrinsics: as in `project`.
        size: width and height of the picture.

    Returns:
        Shape (n,); 0 for boxes outside the picture or not wholly in front of the camera.
    """
    import shapely

    pixels, depth = project(boxes.vertices(), pose, intrinsics)
    picture = shapely.box(0, 0, *size)
    areas = np.zeros(len(boxes))
    for i in range(len(boxes)):
        if (depth[i] > 1e-6).all():
            outline = shapely.convex_hull(shapely.multipoints(pixels[i]))
            areas[i] = shapely.area(shapely.intersection(outline, picture))
    return areas


def rectangles_in_view(
    boxes: Boxes, pose: Floats, intrinsics: tuple[float, float, float, float], size: tuple[int, int]
) -> Floats:
    """The upright rectangle around each box in the picture, without regard to what stands before it.

    Args:
        boxes: of the scene.
        pose, intrinsics: as in `project`.
        size: width and height of the picture.

    Returns:
        Left, top, right and bottom in pixels, shape (n, 4); nan for boxes outside of the picture. Cut off is what lies
        beyond the picture's edges, behind the camera, or nearer to it than `NEAR` metres.
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
        pixels = np.stack([fx * seen[..., 0] / seen[..., 2] + cx, fy * seen[..., 1] / seen[..., 2] + cy], axis=-1)
    low = np.fmax(np.fmin.reduce(pixels, axis=1, initial=np.inf), 0.0)
    high = np.fmin(np.fmax.reduce(pixels, axis=1, initial=-np.inf), np.array(size, dtype=np.float64))
    found = np.concatenate([low, high], axis=1)
    found[~(high > low).all(1)] = np.nan
    return found
