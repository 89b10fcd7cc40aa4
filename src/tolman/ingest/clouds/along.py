"""Sweeps brought together along the track: each point from where the sensor was when it was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.geometry.clouds import Cloud, VoxelGrid, not_strays
from tolman.geometry.coverage import Rays
from tolman.geometry.motion import deskew, poses_at
from tolman.ingest.clouds.sweep import Sweep

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
            bundle.add(_rays(points, sweep, track), crossing)
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


def _rays(points: Floats, sweep: Sweep, track: Track) -> Rays:
    times = sweep.times if sweep.times is not None else np.full(len(sweep.points), sweep.span[0])
    moments, index = np.unique(times[track.covers(times)], return_inverse=True)
    return Rays(poses_at(track.times, track.poses, moments)[index][:, :3, 3], points)


def usable(cloud: Cloud, cell: float) -> NDArray[np.bool_]:
    """Find voxels that are no strays: neighbours as near as is usual, and some within five cells."""
    if len(cloud) < 100:
        return np.ones(len(cloud), dtype=bool)
    return not_strays(cloud.points, radius=max(5 * cell, 0.1))
