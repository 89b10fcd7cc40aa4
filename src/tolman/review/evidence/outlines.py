"""The boxes of a scene's objects as they lie on a question's pictures and frames: of the scene's truth."""

from __future__ import annotations

import numpy as np

from tolman.generate.geometry import SceneGeometry
from tolman.geometry.boxes import Floats
from tolman.geometry.visibility import rectangles_in_view
from tolman.items import Item
from tolman.review.evidence.drawn import camera_of, cameras_of, shots_of
from tolman.review.exchange.annotated import Place, Shape
from tolman.scenes import Capture

SIGHTED_SECONDS = 0.5
"""By so much a frame whose sightings are known may be from the one that is shown."""


def boxes_on(geometry: SceneGeometry, item: Item, medium: int, frame: int | None, size: tuple[int, int]) -> list[Shape]:
    """The upright boxes around the objects that are seen on a picture.

    Args:
        geometry: the item's scene.
        item: the question.
        medium: which of its media, from 1.
        frame: the frame of a video, from 0; None on an image.
        size: width and height of the picture, in pixels.

    Returns:
        By the order of the scene's objects. Empty where the picture's camera isn't known. Where the recording's
        sightings are known, an object that isn't seen in them is left out; else those behind others are in. Things that
        move are left out: their boxes are where they are at one time only.
    """
    view = _view(geometry, item, medium, frame)
    if view is None:
        return []
    capture, number = view
    pose = capture.pose(number)
    if not capture.intrinsics or not np.isfinite(pose[:3]).all():
        return []
    fx, fy, cx, cy = capture.intrinsics[0 if len(capture.intrinsics) == 1 else number]
    own = capture.size or size
    scale = np.array([size[0] / own[0], size[1] / own[1]] * 2)
    found = rectangles_in_view(geometry.boxes, pose, (fx, fy, cx, cy), own) * scale
    seen = _seen(capture, number)
    return [
        Shape("box", (_place(rectangle[:2]), _place(rectangle[2:])), name=thing.category)
        for thing, rectangle in zip(geometry.scene.objects, found, strict=True)
        if not thing.track and not np.isnan(rectangle).any() and (seen is None or thing.id in seen)
    ]


def _view(geometry: SceneGeometry, item: Item, medium: int, frame: int | None) -> tuple[Capture, int] | None:
    """The camera that a picture is from, and the frame of its recording."""
    cameras = cameras_of(geometry)
    if frame is None:
        shots = shots_of(item, cameras)
        if len(shots) != len(item.media):
            return None
        camera, frame = shots[medium - 1]
        return cameras[camera], frame
    followed = camera_of(item.media[medium - 1].path, cameras)
    return (cameras[followed], frame) if followed is not None and frame < len(cameras[followed].poses) else None


def _seen(capture: Capture, frame: int) -> set[str] | None:
    """Ids of the objects that a frame shows, or one shortly before or after it; None where no frame's are known."""
    if not capture.sightings:
        return None
    now = capture.times[frame]
    nearest = min({one.frame for one in capture.sightings}, key=lambda one: abs(capture.times[one] - now))
    if abs(capture.times[nearest] - now) > SIGHTED_SECONDS:
        return set()
    return {one.object for one in capture.sightings if one.frame == nearest and one.pixels > 0}


def _place(corner: Floats) -> Place:
    return round(float(corner[0]), 1), round(float(corner[1]), 1)
