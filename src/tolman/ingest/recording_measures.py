"""Measuring in a recording: opening it, gathering the points around the picked regions, fitting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError, UsageError
from tolman.geometry.box_uncertainty import Rays
from tolman.geometry.boxes import Floats
from tolman.geometry.fitting import FitError
from tolman.geometry.measuring import Measurement, measure
from tolman.geometry.regions import BoxRegion, FrameRegion, Region
from tolman.ingest.clouds.recording import Recording, is_collection, open_cloud, open_collection
from tolman.ingest.clouds.sweeps import Sweep
from tolman.ingest.formats.rig import open_rig
from tolman.ingest.readers.rig_file import NAME


@dataclass(frozen=True)
class Pick:
    """The user's pick.

    Attributes:
        box: two corners in the scene, metres: x0, y0, z0, x1, y1, z1; or
        pixels: x0, y0, x1, y1 of a frame
        at: at a time, seconds on the scene's time line
        camera: of a camera; None for the first.
    """

    box: tuple[float, ...] | None = None
    pixels: tuple[float, ...] | None = None
    at: float | None = None
    camera: str | None = None

    def region(self, recording: Recording) -> Region:
        """As a region of a recording.

        Raises:
            UsageError: it is none, or there is no such frame.
        """
        if (self.box is None) == (self.pixels is None):
            raise UsageError("pick a region by --box in the cloud or by --pixels in a frame, one of the two.")
        if self.box is not None:
            x0, y0, z0, x1, y1, z1 = self.box
            low, high = (min(x0, x1), min(y0, y1), min(z0, z1)), (max(x0, x1), max(y0, y1), max(z0, z1))
            return BoxRegion(low, high)
        assert self.pixels is not None
        if self.at is None:
            raise UsageError("--pixels belong to one frame: name it with --at SECONDS.")
        x0, y0, x1, y1 = self.pixels
        if x0 == x1 or y0 == y1:
            raise UsageError("the box in the frame has no area.")
        pose, intrinsics, _ = recording.frame(self.at, self.camera)
        return FrameRegion((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)), pose, intrinsics)


def open_recording(path: Path, capture: str | None = None) -> Recording:
    """A rig's folder, a collection of scenes, or a cloud.

    Raises:
        InputError: it is none of these, or can't be read.
        UsageError: the collection has no such capture.
    """
    if not path.exists():
        raise InputError(path, "isn't there")
    if is_collection(path):
        return open_collection(path, capture)
    if capture is not None:
        raise UsageError(f"--capture names one of a collection, and {path} is none.")
    return open_rig(path) if (path / NAME).is_file() else open_cloud(path)


def measure_recording(
    recording: Recording,
    quantity: str,
    picks: tuple[Pick, Pick | None],
    *,
    shape: str = "box",
    isolate: bool = True,
    cell: float = 0.01,
    between: tuple[float, float] | None = None,
    seed: int = 0,
    seen: Callable[[Sweep], None] | None = None,
) -> Measurement:
    """Measure the picked regions of a recording.

    Args:
        recording: to measure in.
        quantity, shape, isolate, seed: as `tolman.geometry.measuring.measure` takes them.
        picks: the region, and the second of distances and angles.
        cell: the side of a voxel, metres.
        between: only points of this time, seconds.
        seen: called with each sweep.

    Raises:
        InputError: a file can't be read, or the region's points can't be measured so.
        UsageError: the picks don't fit the quantity.
    """
    first = picks[0].region(recording)
    second = None if picks[1] is None else picks[1].region(recording)

    def keep(points: Floats) -> NDArray[np.bool_]:
        near = first.near(points)
        return near if second is None else near | second.near(points)

    def crossing(rays: Rays) -> NDArray[np.bool_]:
        own = first.crossed(rays)
        return own if second is None else own | second.crossed(rays)

    found = recording.gathered(cell=cell, keep=keep, crossing=crossing, between=between, seen=seen)
    if not len(found.cloud):
        when = "" if between is None else f" from {between[0]:g} to {between[1]:g} s; a cloud without times has none"
        raise InputError(recording.path, f"the picked region holds no points{when}")
    try:
        return measure(
            found.cloud, first, quantity, other=second, shape=shape, isolate=isolate, seed=seed, rays=found.rays
        )
    except FitError as error:
        raise InputError(recording.path, f"the points of the picked region {error}") from None
    except ValueError as error:
        raise UsageError(f"{error}.") from None
