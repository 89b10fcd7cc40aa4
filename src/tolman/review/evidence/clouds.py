"""Point clouds beside the video: the recording that a question is about, its pictures, and measuring in it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tolman.errors import InputError, UsageError
from tolman.items import Item
from tolman.kinds import kind_of
from tolman.names import unknown
from tolman.scene_table import read_captures

if TYPE_CHECKING:
    from tolman.geometry.boxes import Floats
    from tolman.geometry.measuring import Measurement
    from tolman.ingest.clouds.recording import Recording

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
        name: of the capture, as it is written down with what is measured in it.
    """

    path: Path
    capture: str | None
    name: str


def places(paths: Sequence[Path]) -> dict[str, CloudPlace]:
    """Scene → its recording.

    Raises:
        InputError: a path is neither a rig nor a collection of captures.
    """
    from tolman.ingest.clouds.recording import is_collection
    from tolman.ingest.readers.rig_file import NAME, read_rig

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
    from tolman.ingest.measuring import open_recording

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
    """Measure what was picked, as `tolman measure` does.

    Args:
        place: the recording.
        item: the question; the answer is given in its unit.
        quantity, shape: as `tolman.geometry.measuring.measure` takes them.
        seconds: of the video, for boxes in the frame.
        first, second: four numbers for a box in the frame, pixels of the camera's picture; six for one in the cloud.

    Returns:
        The value, its bound, how it was found, what was picked, and the answer as the benchmark would print it.

    Raises:
        InputError: the region's points can't be measured so.
        UsageError: the picks don't fit, or the quantity is none that the question asks for.
    """
    from tolman.geometry.measuring import QUANTITIES
    from tolman.ingest.measuring import measure_recording

    if quantity not in QUANTITIES:
        raise unknown("quantity", quantity, QUANTITIES)
    _factor(_UNITS.get(quantity, "m"), item)  # before the work is done
    recording, _ = recording_of(place)
    found = measure_recording(
        recording, quantity, (_pick(recording, seconds, first), _other(recording, seconds, second)), shape=shape
    )
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
    from tolman.ingest.measuring import Pick

    if len(numbers) == 6:
        return Pick(box=tuple(numbers))
    return Pick(pixels=tuple(numbers), at=scene_seconds(recording, seconds))


def _other(recording: Recording, seconds: float, numbers: Sequence[float] | None) -> Any:
    return None if numbers is None else _pick(recording, seconds, numbers)


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
