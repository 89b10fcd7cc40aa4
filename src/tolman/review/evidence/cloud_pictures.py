"""Pictures of a point cloud: in a frame of a camera, and from above."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tolman.errors import UsageError
from tolman.review.evidence.clouds import scene_seconds

if TYPE_CHECKING:
    from PIL.Image import Image

    from tolman.geometry.boxes import Floats
    from tolman.ingest.clouds.recording import Recording
    from tolman.scenes import Capture

_WIDE = 880
_RAMP = np.array(
    [
        *([48, 18, 59], [70, 107, 227], [40, 187, 236], [50, 242, 152], [164, 252, 60]),
        *([238, 207, 58], [251, 126, 33], [208, 47, 5], [122, 4, 3]),
    ],
    dtype=np.float64,
)
_GROUND = (20, 24, 27)


@dataclass(frozen=True)
class TopView:
    """A cloud seen from above.

    Attributes:
        png: the picture; x goes right, y goes up.
        size: its width and height.
        left, top: what its upper left corner is in the scene, metres.
        scale: pixels for a metre.
        low, high: heights that boxes drawn in it have at first, metres.
    """

    png: bytes
    size: tuple[int, int]
    left: float
    top: float
    scale: float
    low: float
    high: float


def frame_view(recording: Recording, points: Floats, seconds: float, picture: Image | None) -> bytes:
    """The cloud in a frame, coloured by depth over the frame's picture: a PNG.

    Args:
        recording: with a camera.
        points: its cloud.
        seconds: of the video.
        picture: the frame; a dark ground where None.

    Raises:
        UsageError: there is no such frame, or its pose isn't known.
    """
    from PIL import Image as Pictures

    from tolman.geometry.visibility import splat

    pose, intrinsics, _ = recording.frame(scene_seconds(recording, seconds))
    size = recording.cameras[0].size
    if size is None:
        raise UsageError("the size of the camera's pictures isn't known: pick from above.")
    factor = _WIDE / size[0]
    shape = (_WIDE, round(size[1] * factor))
    fx, fy, cx, cy = (value * factor for value in intrinsics)
    depths, seen = splat(points, pose, (fx, fy, cx, cy), shape)
    ground = Pictures.new("RGB", shape, _GROUND) if picture is None else picture.convert("RGB").resize(shape)
    pixels = (np.asarray(ground) * 0.8).astype(np.uint8)
    rows, columns = np.nonzero(seen >= 0)
    if len(rows):
        near = depths[rows, columns]
        _dots(pixels, rows, columns, _colours(np.log(near), np.log([0.5, max(8.0, float(near.max()))])), -near)
    return _png(pixels)


def top_view(recording: Recording, points: Floats) -> TopView:
    """The cloud from above without its ceiling, coloured by height, on a grid of metres."""
    roof = _roof(recording, points)
    below = points[points[:, 2] <= roof]
    low, high = np.quantile(below, 0.002, axis=0) - 0.3, np.quantile(below, 0.998, axis=0) + 0.3
    scale = _WIDE / float(max(high[0] - low[0], high[1] - low[1]))
    shape = math.ceil((high[0] - low[0]) * scale), math.ceil((high[1] - low[1]) * scale)
    pixels = np.empty((shape[1], shape[0], 3), dtype=np.uint8)
    pixels[:] = _GROUND
    step = 1 if max(shape) / scale <= 40 else 10
    for metre in range(math.ceil(low[0]), math.floor(high[0]) + 1, step):
        pixels[:, min(int((metre - low[0]) * scale), shape[0] - 1)] = 60
    for metre in range(math.ceil(low[1]), math.floor(high[1]) + 1, step):
        pixels[min(int((high[1] - metre) * scale), shape[1] - 1)] = 60
    columns = np.floor((below[:, 0] - low[0]) * scale).astype(np.int64)
    rows = np.floor((high[1] - below[:, 1]) * scale).astype(np.int64)
    inside = (columns >= 0) & (columns < shape[0]) & (rows >= 0) & (rows < shape[1])
    heights = below[inside, 2]
    colours = _colours(heights, np.array([low[2], high[2]]))
    _dots(pixels, rows[inside], columns[inside], colours, heights)
    return TopView(
        _png(pixels), shape, float(low[0]), float(high[1]), scale, round(float(low[2]) + 0.2, 2), round(float(roof), 2)
    )


def _roof(recording: Recording, points: Floats) -> float:
    """Above the cameras nothing is drawn: what hangs there would hide what is below."""
    heights = [pose[2, 3] for camera in recording.cameras for pose in _poses(camera)]
    known = [height for height in heights if np.isfinite(height)]
    return float(np.mean(known)) + 0.5 if known else float(np.quantile(points[:, 2], 0.9))


def _poses(camera: Capture) -> list[Floats]:
    return [camera.pose(number) for number in range(0, len(camera.times), 10)]


def _colours(values: Floats, ends: Floats) -> NDArray[np.uint8]:
    share = np.clip((values - ends[0]) / max(float(ends[1] - ends[0]), 1e-9), 0, 1) * (len(_RAMP) - 1)
    return np.stack([np.interp(share, np.arange(len(_RAMP)), _RAMP[:, c]) for c in range(3)], -1).astype(np.uint8)


def _dots(
    pixels: NDArray[np.uint8],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    colours: NDArray[np.uint8],
    order: Floats,
) -> None:
    """Dots of 2 × 2 pixels; those of higher order over the others."""
    last = np.argsort(order, kind="stable")
    height, width = pixels.shape[:2]
    for down in (0, 1):
        for right in (0, 1):
            y, x = np.minimum(rows[last] + down, height - 1), np.minimum(columns[last] + right, width - 1)
            pixels[y, x] = colours[last]


def _png(pixels: NDArray[np.uint8]) -> bytes:
    from PIL import Image as Pictures

    out = io.BytesIO()
    Pictures.fromarray(pixels).save(out, "PNG", compress_level=1)
    return out.getvalue()
