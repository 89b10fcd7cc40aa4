"""Consistency of cameras, masks, depth, boxes and surfaces of one scan, and the up direction of its cameras.

Each statistic is a share between 0 and 1. It is high for a scan whose conventions (axes, direction of poses, focal
lengths) are read as they were written. Otherwise it is low, so that readings can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.camera_geometry import Tree

GROWN = 0.02
"""Metres by which boxes are grown on each side: annotators draw them tightly."""
RELATIVE, ABSOLUTE = 0.05, 0.02
"""Depths agree that differ by less than this share and as many metres."""
MIN_RAYS = 4
"""Rays that must meet a box in a frame for it to be in view."""
LEAST_IN_VIEW = 0.2
"""Share of a frame in view of another one below which their agreement counts less."""
MIN_YAW_SCATTER = 0.03
"""Second eigenvalue of the cameras' x axes from which they turn enough (10°) to say where up is."""
MAX_ROLL_SCATTER = 0.12
"""Largest mean square of the cameras' x axes along the vertical: a roll of about 20°."""


@dataclass(frozen=True)
class CameraView:
    """One camera at one time.

    Attributes:
        pose: camera → scene, looking along +z with y down, shape (4, 4).
        intrinsics: fx, fy, cx, cy in pixels, shape (4,).
    """

    pose: Floats
    intrinsics: Floats

    def rays(self, pixels: Floats) -> Floats:
        """Rays through pixels of shape (n, 2), 1 m ahead each, in the scene's coordinates, shape (n, 3)."""
        fx, fy, cx, cy = self.intrinsics
        local = np.column_stack([(pixels[:, 0] - cx) / fx, (pixels[:, 1] - cy) / fy, np.ones(len(pixels))])
        return np.asarray(local @ self.pose[:3, :3].T)


@dataclass(frozen=True)
class MaskSample:
    """Some pixels of one object's mask in one frame.

    Attributes:
        view: the number of the frame's View.
        box: the number of the object's box.
        inside: pixels of the mask, shape (n, 2).
        outside: pixels of the same picture that aren't the object's, shape (m, 2).
    """

    view: int
    box: int
    inside: Floats
    outside: Floats


@dataclass(frozen=True)
class DepthSample:
    """Some pixels of one frame with their depths.

    Attributes:
        pixels: shape (n, 2).
        depths: metres along the view, shape (n,).
    """

    pixels: Floats
    depths: Floats


def box_spans(origin: Floats, rays: Floats, boxes: Boxes, box: int, grown: float = GROWN) -> tuple[Floats, Floats]:
    """Entry and exit of rays in a box, in lengths of the rays, by the slab method; entry > exit for those that miss.

    Args:
        origin: of all rays, metres, shape (3,).
        rays: shape (n, 3).
        boxes, box: the box is boxes' own of that number.
        grown: metres on each side.

    Returns:
        Entries and exits, shape (n,) each.
    """
    half = boxes.extents[box] / 2 + grown
    local = boxes.axes[box] @ (origin - boxes.centers[box])
    along = rays @ boxes.axes[box].T
    safe = np.where(np.abs(along) < 1e-12, 1e-12, along)
    a, b = (-half - local) / safe, (half - local) / safe
    return np.minimum(a, b).max(1), np.maximum(a, b).min(1)


def mask_agreement(samples: Sequence[MaskSample], views: Sequence[CameraView], boxes: Boxes) -> float:
    """Return the share of mask pixels whose rays meet the object's box, above that of the picture's other pixels.

    As Cohen's kappa: 1 where all of a mask's rays meet its box, 0 where they do so no more often than those of the
    rest of the picture; so a wall's box that covers the picture says nothing.
    """
    above = possible = 0.0
    for sample in samples:
        view = views[sample.view]
        met = []
        for pixels in (sample.inside, sample.outside):
            entry, leaving = box_spans(view.pose[:3, 3], view.rays(pixels), boxes, sample.box)
            met.append(float(((entry <= leaving) & (leaving > 0)).mean()))
        above, possible = above + met[0] - met[1], possible + 1 - met[1]
    return max(0.0, above / possible) if possible > 0 else 0.0


def surface_agreement(samples: Sequence[DepthSample], views: Sequence[CameraView], tree: Tree) -> float:
    """The share of depth readings at which the surface is where they say; one sample for each view."""
    close = count = 0
    for sample, view in zip(samples, views, strict=True):
        rays = view.rays(sample.pixels)
        faces, depths = tree.cast(np.tile(view.pose[:3, 3], (len(rays), 1)), rays)
        # The mesh is itself made of noisy depths, so it may be off by more than two readings are.
        near = np.abs(depths - sample.depths) < RELATIVE * sample.depths + 2 * ABSOLUTE
        close, count = close + int((near & (faces >= 0)).sum()), count + len(rays)
    return close / count if count else 0.0


def frame_agreement(
    samples: Sequence[DepthSample], views: Sequence[CameraView], maps: Sequence[Floats], size: tuple[int, int]
) -> float:
    """The share of depth readings of a frame that the next frames measure at the same place, a mean over pairs.

    Args:
        samples, views: of the frames.
        maps: their depths in metres, 0 for no reading, shape (height, width) at any resolution.
        size: of the pictures that the intrinsics belong to.
    """
    found = []
    for i in range(len(views)):
        sample, points = samples[i], views[i].rays(samples[i].pixels) * samples[i].depths[:, None]
        points = points + views[i].pose[:3, 3]
        for j in (i - 1, i + 1):
            if not 0 <= j < len(views) or not len(sample.depths):
                continue
            local = (points - views[j].pose[:3, 3]) @ views[j].pose[:3, :3]
            fx, fy, cx, cy = views[j].intrinsics
            ahead = np.where(local[:, 2] > 0.05, local[:, 2], np.nan)
            shares = np.column_stack(
                [(fx * local[:, 0] / ahead + cx) / size[0], (fy * local[:, 1] / ahead + cy) / size[1]]
            )
            with np.errstate(invalid="ignore"):
                seen = np.flatnonzero(((shares >= 0) & (shares < 1)).all(1))
            height, width = maps[j].shape
            cells = (shares[seen] * (width, height)).astype(np.int64)
            measured = maps[j][cells[:, 1], cells[:, 0]]
            depth = local[seen, 2]
            read = measured > 0
            if not read.any():
                found.append(0.0)
                continue
            close = np.abs(depth - measured)[read] < RELATIVE * depth[read] + ABSOLUTE
            found.append(float(close.mean()) * min(1.0, len(seen) / len(local) / LEAST_IN_VIEW))
    return float(np.mean(found)) if found else 0.0


def box_agreement(samples: Sequence[DepthSample], views: Sequence[CameraView], boxes: Boxes) -> float | None:
    """Return the share of boxes with a measured surface inside, among those and the ones that a camera sees through.

    Rays through the inner half of a box's extents are looked at, since a thing seldom fills its box's corners. Boxes
    that are occluded in every frame aren't counted.

    Returns:
        None where too few boxes (4, and a fifth of all) are counted.
    """
    inside, through = np.zeros(len(boxes)), np.zeros(len(boxes))
    inner = Boxes(boxes.centers, boxes.axes, boxes.extents * 0.5)
    for sample, view in zip(samples, views, strict=True):
        rays = view.rays(sample.pixels)
        for i in range(len(boxes)):
            entry, leaving = box_spans(view.pose[:3, 3], rays, inner, i, 0.0)
            hit = np.flatnonzero((entry <= leaving) & (entry > 0))
            if len(hit) < MIN_RAYS:
                continue
            near, far = box_spans(view.pose[:3, 3], rays[hit], boxes, i, 2 * GROWN)
            depths = sample.depths[hit]
            inside[i] = max(inside[i], ((depths >= near) & (depths <= far)).mean())
            through[i] = max(through[i], (depths > far).mean())
    counted = (inside >= 0.5) | (through >= 0.5)
    if counted.sum() < max(4, len(boxes) / 5):
        return None
    return float((inside[counted] >= 0.5).mean())


@dataclass(frozen=True)
class CamerasUp:
    """Up direction of cameras.

    Attributes:
        mean: of their up directions, shape (3,); short where they differ.
        vertical: the axis about which they turn, towards their mean up, shape (3,); None where they turn too little,
            or roll.
    """

    mean: Floats
    vertical: Floats | None


def cameras_up(poses: Floats) -> CamerasUp:
    """The mean of the cameras' up directions, and the axis that is at right angles to all their x axes.

    A camera that is held level has its x axis level, however it is pitched; so the smallest eigenvector of Σ x xᵀ is
    the vertical, for head-mounted cameras that look down too.

    Args:
        poses: camera → scene, x right, y down, shape (n, 4, 4), all finite.
    """
    mean = -poses[:, :3, 1].mean(0)
    across = poses[:, :3, 0]
    values, vectors = np.linalg.eigh(across.T @ across / len(across))
    turning = values[1] > MIN_YAW_SCATTER and values[0] < MAX_ROLL_SCATTER and values[0] < values[1] / 4
    vertical = vectors[:, 0] * (1 if vectors[:, 0] @ mean >= 0 else -1)
    return CamerasUp(mean, vertical if turning and len(poses) >= 4 and abs(vertical @ mean) > 0.2 else None)


def path_length(poses: Floats) -> float:
    """The way of the cameras' centres, metres; poses have shape (n, 4, 4)."""
    return float(np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1).sum())


def floor_share(heights: Floats, width: float = 0.04) -> float:
    """Return the largest share of heights within one band in the lowest quarter of their range.

    Args:
        heights: along some direction, shape (n,).
        width: of the band, metres.
    """
    if not len(heights):
        return 0.0
    rising = np.sort(heights)
    low = rising[: np.searchsorted(rising, rising[0] + (rising[-1] - rising[0]) / 4, side="right")]
    ends = np.searchsorted(rising, low + width, side="right")
    return float((ends - np.arange(len(low))).max() / len(rising))


def in_frames(numbers: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """At most `count` of some frames' numbers, evenly chosen."""
    if not len(numbers):
        return numbers
    return np.asarray(numbers[np.unique(np.linspace(0, len(numbers) - 1, count).round().astype(int))])
