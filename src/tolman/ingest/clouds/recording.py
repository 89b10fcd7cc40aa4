"""LiDAR recordings that can be measured, and Tolman's own form of them on disk.

A recording is a rig's folder, a LiDAR capture of a collection, or a cloud by itself.

Tolman's own form is a folder of binary PLY files, one for each sweep, named by its number. Simulated and ingested
recordings are kept so. Points are raw, in the sensor's coordinates at their firing; `time` is by the sensor's own
clock, and the capture's poses, one for each sweep, bring them together. Clouds that are in the scene's coordinates
already have a capture without poses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError, UsageError, hint
from tolman.files import atomic_write, whole_folder
from tolman.geometry.box_uncertainty import Rays
from tolman.geometry.boxes import Floats
from tolman.geometry.motion import deskew, poses_at
from tolman.ingest.checks import clocks_apart
from tolman.ingest.clouds import CELL, MOST_RAYS, Gathered, Sweep, Track, gather
from tolman.ingest.clouds.bags import bag_sweeps, is_bag
from tolman.ingest.clouds.cloud_files import cloud_files, read_sweeps
from tolman.scene_table import has_captures, read_captures
from tolman.scenes import Capture

_PLY = {"float": "<f4", "double": "<f8", "uchar": "|u1", "ushort": "<u2"}
_KINDS = {kind: name for name, kind in _PLY.items()}
_LONGEST = 0.5
"""A turn takes less; what lasts longer is a part of a large file, and is cut into …"""
_PIECE = 0.1
"""… so many seconds."""
_FAR = 1000.0
"""Metres from which on coordinates are written as doubles: a float's steps are a tenth of a millimetre there."""


def write_sweep(path: Path, points: NDArray[np.void]) -> None:
    """Points as a binary PLY.

    Args:
        path: the file.
        points: a row for each return: x, y, z in metres and, as far as they are known, intensity, time (seconds by the
            sensor's own clock) and others; floats, doubles, uchars or ushorts.
    """
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {len(points)}"]
    lines += [f"property {_KINDS[points.dtype[name].str]} {name}" for name in points.dtype.names or ()]
    head = "\n".join([*lines, "end_header", ""])
    with atomic_write(path) as partial:
        partial.write_bytes(head.encode() + points.tobytes())


def read_sweep(path: Path) -> NDArray[np.void]:
    """Points of a PLY that `write_sweep` wrote.

    Raises:
        InputError: it is another file, or cut off.
    """
    data = path.read_bytes()
    head, mark, body = data.partition(b"end_header\n")
    lines = head.decode("latin-1").split("\n")
    fields = [words[1:] for line in lines if (words := line.split()) and words[0] == "property"]
    known = all(len(field) == 2 and field[0] in _PLY for field in fields)
    names = [field[-1] for field in fields]
    if not mark or lines[0] != "ply" or not known or names[:3] != ["x", "y", "z"] or len({*names}) < len(names):
        raise InputError(path, "is no sweep of a recording")
    dtype = np.dtype([(name, _PLY[kind]) for kind, name in fields])
    count = next((line.split()[-1] for line in lines if line.startswith("element vertex")), "")
    if not count.isdigit() or int(count) * dtype.itemsize != len(body):
        raise InputError(path, f"should hold {count or 'a number of'} points and has {len(body)} bytes of them")
    return np.frombuffer(body, dtype=dtype)


class Keeper:
    """Keeps the sweeps of any format in Tolman's own form, one after the other.

    Sweeps are gone through twice: `look` learns when each was taken, `write` writes them. The trajectory is finer than
    the poses of a capture, one for each sweep; so points are written where the capture's poses bring them to where the
    trajectory does, to the rounding of floats.

    Args:
        track: where the sensor was; None for clouds in the scene's coordinates.
    """

    def __init__(self, track: Track | None) -> None:
        self.track = track
        self._middles: list[float | None] = []

    def look(self, sweep: Sweep) -> None:
        """Learn when a sweep was taken."""
        self._middles += [_middle(piece) for piece in self._pieces(sweep)]

    @property
    def times(self) -> Floats:
        """Return the written sweeps' middle times by the sensor's clock, seconds, rising; none if one is unknown."""
        if any(middle is None for middle in self._middles):
            return np.zeros(0)
        times = np.sort(np.array(self._middles, dtype=np.float64))
        # Poses are told apart by their times.
        for i in range(1, len(times)):
            times[i] = max(times[i], np.nextafter(times[i - 1], np.inf))
        return times

    @property
    def poses(self) -> Floats:
        """Return the sensor's poses at these times, shape (n, 4, 4); none without a track."""
        if self.track is None or not len(self.times):
            return np.zeros((0, 4, 4))
        return poses_at(self.track.times, self.track.poses, self.times)

    def write(self, sweeps: Iterable[Sweep], folder: Path) -> None:
        """Write the sweeps that were looked at into a folder, whole or not at all."""
        times, poses = self.times, self.poses
        ranks = np.argsort(np.argsort([middle or 0.0 for middle in self._middles], kind="stable"), kind="stable")
        with whole_folder(folder) as partial:
            number = 0
            for sweep in sweeps:
                for piece in self._pieces(sweep):
                    place = ranks[number] if len(times) else number
                    write_sweep(partial / f"{place:06d}.ply", self._rows(piece, times, poses))
                    number += 1

    def _pieces(self, sweep: Sweep) -> Iterator[Sweep]:
        """Yield a sweep without the points whose pose is unknown, cut by time if it lasts too long."""
        if not len(sweep.points):
            return
        if self.track is None:
            yield sweep
            return
        times = sweep.times if sweep.times is not None else np.full(len(sweep.points), sweep.span[0])
        known = self.track.covers(times)
        if not known.any():
            return
        times = times[known]
        own = Sweep(
            sweep.stamp, sweep.points[known], None if sweep.intensity is None else sweep.intensity[known], times
        )
        if np.ptp(times) <= _LONGEST:
            yield own
            return
        bins = np.floor(times / _PIECE)
        order = np.argsort(bins, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(bins[order])) + 1):
            intensity = None if own.intensity is None else own.intensity[part]
            yield Sweep(own.stamp, own.points[part], intensity, times[part])

    def _rows(self, sweep: Sweep, times: Floats, poses: Floats) -> NDArray[np.void]:
        points = sweep.points
        if self.track is not None:
            assert sweep.times is not None
            scene = deskew(points, sweep.times, self.track.times, self.track.poses)
            moments, index = np.unique(sweep.times, return_inverse=True)
            back = np.linalg.inv(poses_at(times, poses, moments))[index]
            points = np.einsum("nij,nj->ni", back[:, :3, :3], scene) + back[:, :3, 3]
        kind = "<f8" if len(points) and np.abs(points).max() > _FAR else "<f4"
        columns: dict[str, tuple[str, Floats | float]] = {a: (kind, points[:, i]) for i, a in enumerate("xyz")}
        if sweep.intensity is not None:
            columns["intensity"] = ("<f4", sweep.intensity)
        if sweep.times is not None or sweep.stamp is not None:
            columns["time"] = ("<f8", sweep.times if sweep.times is not None else float(sweep.stamp or 0.0))
        rows = np.zeros(len(points), dtype=[(name, column[0]) for name, column in columns.items()])
        for name, column in columns.items():
            rows[name] = column[1]
        return rows


def _middle(sweep: Sweep) -> float | None:
    if sweep.times is None and sweep.stamp is None:
        return None
    low, high = sweep.span
    return (low + high) / 2


FRAME_TOLERANCE = 0.1
"""A frame farther from the wanted time than so many seconds is not the one that was meant."""


@dataclass(frozen=True)
class Recording:
    """A cloud, and the cameras that saw the same place.

    Attributes:
        path: where it is, for messages.
        sweeps: calling it begins a pass over all sweeps.
        track: where the sensor was, by its clock; None for clouds in the scene's coordinates.
        offset: seconds to add to the sensor's clock to be on the scene's time line.
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
        if not found.returns and found.untimed and track is not None:
            times = np.array([sweep.span[0] for sweep in self.sweeps() if len(sweep.points)])
            raise InputError(
                self.path,
                f"none of its {found.untimed:,} points was measured while a pose is known: "
                f"{clocks_apart('its clouds', times, track.times)}",
                fix="give both in seconds by one clock",
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
    """Check whether a folder holds captures."""
    return path.is_dir() and has_captures(path)
