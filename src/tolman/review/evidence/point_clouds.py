"""Point clouds next to the video: the recording that a question is about, its pictures, and measuring in it.

A cloud is shown in a frame of a camera, and from above.
"""

from __future__ import annotations

import io
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures

from tolman.errors import InputError, UsageError, unknown
from tolman.geometry.camera_geometry import splat
from tolman.geometry.measuring import QUANTITIES
from tolman.ingest.clouds.recording import is_collection
from tolman.ingest.readers.rig_file import NAME, read_rig
from tolman.items import Item
from tolman.kinds import kind_of
from tolman.scene_table import read_captures

if TYPE_CHECKING:
    from PIL.Image import Image

    from tolman.geometry.boxes import Floats
    from tolman.geometry.measuring import Measurement
    from tolman.ingest.clouds.recording import Recording
    from tolman.scenes import Capture


METRIC = ("m", "cm", "m2")
_LOCK = threading.Lock()
_FACTORS = {("m", "m"): 1.0, ("m", "cm"): 100.0, ("m2", "m2"): 1.0, ("m", None): 1.0, ("m2", None): 1.0}
_PLACES = {"cm": 0, "m2": 1}
_UNITS = {"area": "m2", "room-area": "m2", "angle": "deg"}


@dataclass(frozen=True)
class CloudPlace:
    """Location of a question's recording.

    Attributes:
        path: a rig's folder, or a collection.
        capture: the LiDAR capture of a collection; None for a rig.
        name: of the capture, as recorded with its measurements.
    """

    path: Path
    capture: str | None
    name: str


def places(paths: Sequence[Path]) -> dict[str, CloudPlace]:
    """Scene → its recording.

    Raises:
        InputError: a path is neither a rig nor a collection of captures.
    """
    found: dict[str, CloudPlace] = {}
    for path in paths:
        if (path / NAME).is_file():
            rig = read_rig(path)
            scene = f"{rig.dataset}/{rig.scene}"
            found[scene] = CloudPlace(path, None, f"{scene}/lidar")
        elif is_collection(path):
            lidars = [one for one in read_captures(path) if one.sensor == "lidar"]
            found |= {one.scene: CloudPlace(path, one.id, one.id) for one in lidars}
        else:
            raise InputError(path, f"is no recording: it holds neither {NAME} nor captures")
    return found


def place_of(paths: Sequence[Path], item: Item) -> CloudPlace | None:
    """The recording that an item's size or distance can be measured in; None where there is none.

    Raises:
        InputError: as `places`.
    """
    if kind_of(item).widget != "number" or item.unit not in (None, *METRIC) or item.scene is None:
        return None
    return _known(tuple(paths)).get(item.scene)


@lru_cache(maxsize=8)
def _known(paths: tuple[Path, ...]) -> dict[str, CloudPlace]:
    return places(paths)


@lru_cache(maxsize=4)
def _opened(place: CloudPlace) -> tuple[Recording, Floats]:
    from tolman.ingest.scan_measures import open_recording

    recording = open_recording(place.path, place.capture)
    return recording, np.asarray(recording.gathered().cloud.points)


def recording_of(place: CloudPlace) -> tuple[Recording, Floats]:
    """A recording and its cloud, shape (n, 3); the last few stay in memory.

    Raises:
        InputError: a file can't be read.
    """
    with _LOCK:  # two who ask at once wait for one gathering
        return _opened(place)


def cloud_of(paths: Sequence[Path], scene: str, most: int) -> Floats | None:
    """The gathered cloud of a scene, shape (n, 3), evenly thinned to so many points; None where there is none.

    Raises:
        InputError: as `places`, or a file can't be read.
    """
    place = _known(tuple(paths)).get(scene)
    if place is None:
        return None
    points = recording_of(place)[1]
    return points[:: max(1, -(-len(points) // most))]


def scene_seconds(recording: Recording, seconds: float) -> float:
    """The time of the scene at a time of the first camera's video, at the frame that is nearest.

    Raises:
        UsageError: the recording has no camera.
    """
    if not recording.cameras:
        raise UsageError("this recording has no camera: pick from above.")
    times = np.array(recording.cameras[0].times)
    nearest = int(np.abs(times - times[0] - seconds).argmin())
    return float(times[nearest] + recording.cameras[0].offset)


def first_known(recording: Recording) -> float:
    """The first time of the video at which the camera's pose is known."""
    for camera in recording.cameras[:1]:
        for number, seconds in enumerate(camera.times):
            if np.isfinite(camera.pose(number)).all():
                return round(seconds - camera.times[0], 3)
    return 0.0


def measured_in(
    place: CloudPlace,
    item: Item,
    quantity: str,
    shape: str,
    seconds: float,
    first: Sequence[float],
    second: Sequence[float] | None,
) -> dict[str, Any]:
    """Measure the picked places, as `tolman measure` does.

    Args:
        place: the recording.
        item: the question; the answer is given in its unit.
        quantity, shape: as `tolman.geometry.measuring.measure` takes them.
        seconds: of the video, for boxes in the frame.
        first, second: four numbers for a box in the frame, pixels of the camera's picture; six for one in the cloud.

    Returns:
        The value, its bound, how it was found, the picks, and the answer as the benchmark would print it.

    Raises:
        InputError: the region's points can't be measured so.
        UsageError: the picks don't fit, or the quantity is none that the question asks for.
    """
    from tolman.ingest.scan_measures import measure_recording

    if quantity not in QUANTITIES:
        raise unknown("quantity", quantity, QUANTITIES)
    _factor(_UNITS.get(quantity, "m"), item)  # before the work is done
    recording, _ = recording_of(place)
    other = None if second is None else _pick(recording, seconds, second)
    found = measure_recording(recording, quantity, (_pick(recording, seconds, first), other), shape=shape)
    answer, bound = in_unit(found, item)
    return {
        "answer": answer,
        "bound": bound,
        "quantity": quantity,
        "shape": shape,
        "value": found.value,
        "error": found.error,
        "unit": found.unit,
        "method": found.method,
        "points": found.n_points,
        "notes": list(found.notes),
        "capture": place.name,
        "seconds": seconds,
        "regions": [list(region) for region in (first, second) if region is not None],
    }


def _pick(recording: Recording, seconds: float, numbers: Sequence[float]) -> Any:
    from tolman.ingest.scan_measures import Pick

    if len(numbers) == 6:
        return Pick(box=tuple(numbers))
    return Pick(pixels=tuple(numbers), at=scene_seconds(recording, seconds))


def in_unit(found: Measurement, item: Item) -> tuple[str, float]:
    """A measured value as an item's answer, and the bound within which another answer is the same.

    Raises:
        UsageError: the question asks for something else.
    """
    factor = _factor(found.unit, item)
    places = _PLACES.get(item.unit or "", 2)
    return f"{found.value * factor:.{places}f}", found.error * factor + 0.5 * 10.0**-places


def _factor(unit: str, item: Item) -> float:
    factor = _FACTORS.get((unit, item.unit))
    if factor is None:
        raise UsageError(f"the question asks for {item.unit or 'a length or an area'}, and this is measured in {unit}.")
    return factor


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
        left, top: of its upper left corner in the scene, metres.
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
    roof = roof_of(recording.cameras, points)
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


def roof_of(cameras: Sequence[Capture], points: Floats) -> float:
    """Return the height above which points aren't drawn, as they would hide those below: just above the cameras."""
    heights = [camera.pose(n)[2, 3] for camera in cameras for n in range(0, len(camera.poses), 10)]
    known = [height for height in heights if np.isfinite(height)]
    return float(np.mean(known)) + 0.5 if known else float(np.quantile(points[:, 2], 0.9))


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
    out = io.BytesIO()
    Pictures.fromarray(pixels).save(out, "PNG", compress_level=1)
    return out.getvalue()
