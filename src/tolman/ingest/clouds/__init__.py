"""Sweeps: the points that a LiDAR gives at a time, in any format, and how they are brought together along the track.

Each point is placed from where the sensor was when it was measured. Errors of readers are turned into sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError, TolmanError
from tolman.geometry.box_uncertainty import Rays
from tolman.geometry.boxes import Floats
from tolman.geometry.clouds import Cloud, VoxelGrid, not_strays
from tolman.geometry.motion import deskew, poses_at

MOST_POINTS = 100_000_000
"""A file or message that promises more in one sweep is taken for broken."""
_INTENSITY = ("intensity", "intensities", "i", "reflectivity", "remission")
_TIME = ("time", "t", "timestamp", "time_stamp", "offset_time", "gps_time", "point_time_offset")
_SHORT = 3600.0
_EPOCH = 1e8


@dataclass(frozen=True)
class PointTime:
    """Meaning of the time of each point.

    Attributes:
        kind: 'relative' to the sweep's stamp, 'absolute' by the sensor's clock, 'none' to leave it, or 'auto': a field
            whose values stay below an hour while the stamp is a date, or of 32 bits, is relative; others are absolute.
        unit: 's', 'ms', 'us', 'ns', or 'auto': whole numbers are nanoseconds; dates show it by their size.
        field: its name; None looks for time, t, timestamp, time_stamp, offset_time.
    """

    kind: Literal["auto", "relative", "absolute", "none"] = "auto"
    unit: Literal["auto", "s", "ms", "us", "ns"] = "auto"
    field: str | None = None


_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
AUTO = PointTime()


@dataclass(frozen=True)
class Sweep:
    """One turn of a LiDAR, one message, or one part of a larger file.

    Attributes:
        stamp: when, by the sensor's own clock, seconds; None where the file doesn't say.
        points: metres, in the coordinates of the file, shape (n, 3); all finite.
        intensity: as the sensor gives it, shape (n,); None where it doesn't.
        times: of each point by the sensor's own clock, seconds, shape (n,); None where the file doesn't say.
    """

    stamp: float | None
    points: Floats
    intensity: Floats | None = None
    times: Floats | None = None

    @property
    def span(self) -> tuple[float, float]:
        """Return the times of its first and its last point.

        Raises:
            ValueError: it has no time.
        """
        if self.times is not None and len(self.times):
            return float(self.times.min()), float(self.times.max())
        if self.stamp is None:
            raise ValueError("a sweep without any time")
        return self.stamp, self.stamp


def sweep_of(path: Path, columns: dict[str, NDArray[Any]], stamp: float | None, rule: PointTime = AUTO) -> Sweep:
    """A sweep from the columns of a file or message; returns that have no place are left out.

    Args:
        path: where they come from.
        columns: by the names of fields, shape (n,) each.
        stamp: of the file or message, seconds.
        rule: for the time of points.

    Raises:
        InputError: there are no coordinates, or no such time field.
    """
    missing = [axis for axis in "xyz" if axis not in columns]
    if missing:
        known = ", ".join(columns) or "none"
        raise InputError(path, f"its points have no field '{missing[0]}' (fields: {known})")
    points = np.column_stack([np.asarray(columns[axis], dtype=np.float64) for axis in "xyz"])
    good = np.isfinite(points).all(1)
    # Sensors write a return that never came as the origin.
    good &= (points != 0).any(1)
    intensity = next((columns[name] for name in _INTENSITY if name in columns), None)
    times = _point_times(path, columns, stamp, rule)
    if times is not None:
        good &= np.isfinite(times)
    return Sweep(
        stamp,
        points[good],
        None if intensity is None else np.asarray(intensity, dtype=np.float64)[good],
        None if times is None else times[good],
    )


def _point_times(path: Path, columns: dict[str, NDArray[Any]], stamp: float | None, rule: PointTime) -> Floats | None:
    if rule.kind == "none":
        return None
    if rule.field is not None and rule.field not in columns:
        raise InputError(path, f"its points have no field '{rule.field}' (fields: {', '.join(columns)})")
    name = rule.field or next((name for name in _TIME if name in columns), None)
    if name is None:
        return None
    column = np.asarray(columns[name])
    whole = column.dtype.kind in "ui"
    values = column.astype(np.float64)
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    values = values * (_SECONDS[rule.unit] if rule.unit != "auto" else _unit(whole, largest))
    kind = rule.kind
    if kind == "auto":
        short = float(np.nanmax(np.abs(values), initial=0.0)) < _SHORT
        date = stamp is not None and abs(stamp) > _EPOCH
        kind = "relative" if column.dtype.itemsize <= 4 or (short and date) else "absolute"
    if kind == "absolute":
        return values
    if stamp is None:
        # Times that count from an unknown beginning tell nothing.
        return None
    return values + stamp


def _unit(whole: bool, largest: float) -> float:
    """Return a unit's seconds: a date of this century shows them by its size; else whole numbers are nanoseconds."""
    for least, seconds in ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3)):
        if largest > least:
            return seconds
    return 1e-9 if whole else 1.0


def checked_count(path: Path, count: int, width: int, held: int, offset: int) -> int:
    """The number of points of a file, if it can hold them.

    Args:
        path: the file.
        count: as in its header.
        width: bytes of each.
        held: bytes that are there for them.
        offset: of the first of these bytes.

    Raises:
        InputError: it can't.
    """
    if not 0 <= count <= MOST_POINTS or width <= 0:
        raise InputError(path, f"its header can't be right: {count:,} points of {width} bytes")
    if count * width > held:
        raise InputError(
            path,
            f"is cut off: from byte {offset:,} on, {count:,} points of {width} bytes should follow, "
            f"and {max(held, 0):,} bytes do",
            fix="copy it again",
        )
    return count


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Turn any error in a reader of files into one sentence that names the file.

    Args:
        path: the file.
        what: it should be, 'a LAS file'.

    Raises:
        InputError: in place of any other exception.
    """
    try:
        yield
    except TolmanError:
        raise
    except BaseException as error:
        # A panic of a reader that is written in Rust is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        if isinstance(error, OSError) and error.strerror:
            raise InputError(path, f"can't be read ({error.strerror})") from None
        lines = str(error).strip().splitlines()
        reason = lines[0][:200] if lines else type(error).__name__
        raise InputError(path, f"is no readable {what} ({reason})", fix="copy or record it again") from None


CELL = 0.02
MOST_RAYS = 400_000
TOLERANCE = 0.5
"""So many seconds may a point be measured before or after the nearest pose: sensors move on evenly for that long."""


@dataclass(frozen=True)
class Track:
    """Trajectory of a sensor.

    Attributes:
        times: by its own clock, seconds, rising, shape (n,).
        poses: sensor → scene, shape (n, 4, 4).
    """

    times: Floats
    poses: Floats

    def covers(self, seconds: Floats, tolerance: float = TOLERANCE) -> NDArray[np.bool_]:
        """At which times a pose is known within a tolerance, shape (m,)."""
        after = np.clip(np.searchsorted(self.times, seconds), 1, len(self.times) - 1)
        nearest = np.minimum(np.abs(seconds - self.times[after - 1]), np.abs(seconds - self.times[after]))
        return np.asarray(nearest <= tolerance)


@dataclass(frozen=True)
class Gathered:
    """A cloud brought together.

    Attributes:
        cloud: voxels' means, strays left out.
        cell: their side at the end, metres.
        returns: points that went into it.
        untimed: points left out as no pose is known for their time.
        strays: voxels left out as sparse or noisy.
        rays: those that were asked for; None where none were, or it isn't known where the sensor was.
    """

    cloud: Cloud
    cell: float
    returns: int
    untimed: int
    strays: int
    rays: Rays | None = None


def in_scene(sweep: Sweep, track: Track | None) -> tuple[Floats, int]:
    """A sweep's points in the scene, and how many were left out as no pose is known for their time.

    Args:
        sweep: in the sensor's coordinates; in the scene's where there is no track.
        track: where the sensor was.

    Raises:
        ValueError: the sweep doesn't say when it was taken.
    """
    if track is None or not len(sweep.points):
        return sweep.points, 0
    times = sweep.times if sweep.times is not None else np.full(len(sweep.points), sweep.span[0])
    known = track.covers(times)
    points = deskew(sweep.points[known], times[known], track.times, track.poses)
    return points, int((~known).sum())


def gather(
    sweeps: Iterable[Sweep],
    track: Track | None,
    *,
    cell: float = CELL,
    most: int = 4_000_000,
    keep: Callable[[Floats], NDArray[np.bool_]] | None = None,
    crossing: Callable[[Rays], NDArray[np.bool_]] | None = None,
    most_rays: int = MOST_RAYS,
    seen: Callable[[Sweep], None] | None = None,
) -> Gathered:
    """Bring sweeps together, in memory bounded by the number of voxels.

    Args:
        sweeps: one after the other.
        track: where the sensor was; None for clouds that are in the scene's coordinates already.
        cell: the side of a voxel, metres; it doubles where more than `most` fill up.
        most: voxels.
        keep: which points of the scene are wanted.
        crossing: which rays are wanted.
        most_rays: of more, a random half is kept, or quarter, and so on.
        seen: called with each sweep.
    """
    grid = VoxelGrid(cell, most)
    bundle = _Bundle(most_rays)
    returns = untimed = 0
    for sweep in sweeps:
        points, lost = in_scene(sweep, track)
        untimed += lost
        if crossing is not None and track is not None and len(points):
            times = sweep.times if sweep.times is not None else np.full(len(sweep.points), sweep.span[0])
            moments, index = np.unique(times[track.covers(times)], return_inverse=True)
            bundle.add(Rays(poses_at(track.times, track.poses, moments)[index][:, :3, 3], points), crossing)
        if keep is not None:
            points = points[keep(points)]
        returns += len(points)
        grid.add(points)
        if seen is not None:
            seen(sweep)
    cloud = grid.cloud()
    good = usable(cloud, grid.cell)
    strays = int((~good).sum()) + grid.strays
    return Gathered(cloud.take(good), grid.cell, returns, untimed, strays, bundle.rays())


class _Bundle:
    """Rays in bounded memory, evenly thinned."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._every = 1
        self._count = 0
        self._held: list[Rays] = []

    def add(self, rays: Rays, wanted: Callable[[Rays], NDArray[np.bool_]]) -> None:
        some = np.random.default_rng(len(self._held)).random(len(rays)) < 1 / self._every
        thin = Rays(rays.origins[some], rays.ends[some])
        chosen = wanted(thin)
        self._held.append(Rays(thin.origins[chosen], thin.ends[chosen]))
        self._count += int(chosen.sum())
        if self._count > self._most:
            self._every *= 2
            generator = np.random.default_rng(self._every)
            halves = [generator.random(len(one)) < 0.5 for one in self._held]
            self._held = [Rays(one.origins[h], one.ends[h]) for one, h in zip(self._held, halves, strict=True)]
            self._count = sum(len(one) for one in self._held)

    def rays(self) -> Rays | None:
        if not self._held:
            return None
        return Rays(*(np.concatenate([getattr(one, name) for one in self._held]) for name in ("origins", "ends")))


def usable(cloud: Cloud, cell: float) -> NDArray[np.bool_]:
    """Find voxels that are no strays: neighbours as near as is usual, and some within five cells."""
    if len(cloud) < 100:
        return np.ones(len(cloud), dtype=bool)
    return not_strays(cloud.points, max(5 * cell, 0.1))
