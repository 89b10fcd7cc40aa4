"""A recording that can be measured: a rig's folder, a LiDAR capture of a collection, or a cloud by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError, UsageError
from tolman.geometry.boxes import Floats
from tolman.geometry.coverage import Rays
from tolman.ingest.clouds.along import CELL, MOST_RAYS, Gathered, Track, gather
from tolman.ingest.clouds.bags import bag_sweeps, is_bag
from tolman.ingest.clouds.files import cloud_files, read_sweeps
from tolman.ingest.clouds.sweep import Sweep
from tolman.names import hint
from tolman.scene_table import has_captures, read_captures
from tolman.scenes import Capture

FRAME_TOLERANCE = 0.1
"""A frame farther from the wanted time than so many seconds is not the one that was meant."""


@dataclass(frozen=True)
class Recording:
    """A cloud, and the cameras that saw the same place.

    Attributes:
        path: where it is, for messages.
        sweeps: calling it begins a pass over all sweeps.
        track: where the sensor was, by its clock; None for clouds in the scene's coordinates.
        offset: what is added to the sensor's clock to be on the scene's time line, seconds.
        cameras: captures with poses and intrinsics.
    """

    path: Path
    sweeps: Callable[[], Iterator[Sweep]]
    track: Track | None
    offset: float = 0.0
    cameras: tuple[Capture, ...] = ()

    def gathered(
        self,
        *,
        cell: float = CELL,
        keep: Callable[[Floats], NDArray[np.bool_]] | None = None,
        crossing: Callable[[Rays], NDArray[np.bool_]] | None = None,
        most_rays: int = MOST_RAYS,
        between: tuple[float, float] | None = None,
        seen: Callable[[Sweep], None] | None = None,
    ) -> Gathered:
        """The cloud of the place.

        Args:
            cell: the side of a voxel, metres.
            keep: which points of the scene are wanted.
            crossing: which rays are wanted.
            most_rays: about so many of them are kept.
            between: only points of this stretch of the scene's time line, seconds, where something moves.
            seen: called with each sweep.

        Raises:
            InputError: a file can't be read, or no point is left.
        """
        track = self.track
        sweeps = self.sweeps() if between is None else self._within(between)
        try:
            found = gather(sweeps, track, cell=cell, keep=keep, crossing=crossing, most_rays=most_rays, seen=seen)
        except ValueError:
            raise InputError(
                self.path,
                "its clouds don't say when they were taken",
                fix="give their times: 'stamps' in rig.json, names that are times, or a time of each point",
            ) from None
        if not found.returns and found.untimed:
            raise InputError(
                self.path,
                f"none of its {found.untimed:,} points was measured while a pose is known: the clocks of clouds and "
                "trajectory differ",
            )
        return found

    def frame(self, seconds: float, role: str | None = None) -> tuple[Floats, tuple[float, float, float, float], int]:
        """The camera at a time of the scene's time line.

        Args:
            seconds: when.
            role: of the camera; None for the first.

        Returns:
            Its pose (camera → scene, shape (4, 4)), its intrinsics, and the frame's number.

        Raises:
            UsageError: there is no such camera, or no frame near that time whose pose is known.
        """
        roles = [camera.role for camera in self.cameras]
        camera = next((one for one in self.cameras if role in (None, one.role)), None)
        if camera is None:
            raise UsageError(f"there is no camera '{role or ''}' with poses in {self.path}; {hint(role or '', roles)}.")
        times = np.array(camera.times) + camera.offset
        number = int(np.abs(times - seconds).argmin())
        if abs(times[number] - seconds) > FRAME_TOLERANCE:
            raise UsageError(
                f"camera '{camera.role}' has no frame within {FRAME_TOLERANCE:g} s of {seconds:g} s; "
                f"its frames are from {times[0]:.3f} to {times[-1]:.3f} s."
            )
        pose = camera.pose(number)
        if not np.isfinite(pose).all():
            raise UsageError(f"the pose of frame {number} of camera '{camera.role}' isn't known.")
        return pose, camera.intrinsics[number if len(camera.intrinsics) > 1 else 0], number

    def _within(self, between: tuple[float, float]) -> Iterator[Sweep]:
        low, high = (seconds - self.offset for seconds in between)
        for sweep in self.sweeps():
            if sweep.times is not None:
                own = (sweep.times >= low) & (sweep.times <= high)
                yield replace(sweep, points=sweep.points[own], times=sweep.times[own], intensity=None)
            elif sweep.stamp is not None and low <= sweep.stamp <= high:
                yield sweep


def open_collection(folder: Path, capture: str | None = None) -> Recording:
    """A LiDAR capture of a collection of scenes, with the cameras of the same scene.

    Args:
        folder: of the collection.
        capture: its id; None where there is one only.

    Raises:
        InputError: the collection can't be read, or its clouds are gone.
        UsageError: there is no such capture.
    """
    captures = list(read_captures(folder))
    lidars = [one for one in captures if one.sensor == "lidar"]
    names = ", ".join(one.id for one in lidars[:20]) or "none"
    chosen = [one for one in lidars if capture in (one.id, one.scene)] if capture else lidars
    if len(chosen) != 1:
        raise UsageError(f"name a LiDAR capture of {folder} with --capture; there are: {names}.")
    lidar = chosen[0]
    if lidar.media is None:
        raise InputError(folder, f"the clouds of {lidar.id} aren't named")
    place = folder / lidar.media
    if not place.exists():
        raise InputError(place, "isn't there", fix=f"record or ingest {lidar.scene} again")
    if place.is_dir() and not is_bag(place) and lidar.times and (held := len(cloud_files(place))) != len(lidar.times):
        raise InputError(
            place, f"holds {held} of the {len(lidar.times)} sweeps", fix=f"record or ingest {lidar.scene} again"
        )
    cameras = tuple(
        one for one in captures if one.sensor == "camera" and one.scene == lidar.scene and one.poses and one.intrinsics
    )
    track = Track(np.array(lidar.times), np.array(lidar.poses).reshape(-1, 4, 4)) if lidar.poses else None
    return Recording(place, lambda: sweeps_of(place), track, lidar.offset, cameras)


def open_cloud(path: Path) -> Recording:
    """A cloud by itself: a file, or a folder of files in one frame."""
    return Recording(path, lambda: sweeps_of(path), None)


def sweeps_of(place: Path) -> Iterator[Sweep]:
    """The sweeps of files or of a bag."""
    return bag_sweeps(place) if is_bag(place) else read_sweeps(place)


def is_collection(path: Path) -> bool:
    """Tell whether a folder holds captures."""
    return path.is_dir() and has_captures(path)
