"""LiDAR: a spinning sensor carried along a walk, with its own clock, as SpatialBench's rig has one.

All rings of a column fire at once, and one column after another: each point is measured from where the sensor is at its
own firing. Points are written raw, in the sensor's coordinates at their firing (x ahead, y to the left, z up), in the
form of `tolman.ingest.clouds.recording`; `cloud` brings them together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.motion import deskew, poses_at
from tolman.ingest.clouds.recording import read_sweep, write_sweep
from tolman.scenes import Capture
from tolman.simulate.walks import Walk
from tolman.simulate.world import Caster, World

_FIELDS = np.dtype(
    [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("intensity", "<f4"), ("ring", "u1"), ("time", "<f8"), ("object", "<u2")]
)
"""Metres; reflected share, 0 … 1; number of the ring from below; the sensor's own clock in seconds; `World.numbers`."""
_TILT = np.radians(13)
"""The walker's camera looks down by so much; the sensor above it stands level."""
_ABOVE = 0.25
_PANE = 0.9


@dataclass(frozen=True)
class Spinner:
    """A kind of sensor.

    Attributes:
        rings: beams above each other.
        low, high: elevation of the lowest and the highest, degrees.
        rate: turns a second.
        columns: firings in a turn.
        noise: standard deviation of a range, metres.
        dropout: share of returns that get lost anyhow; dark surfaces and grazing rays lose more.
        nearest, reach: least and greatest range, metres.
    """

    rings: int = 32
    low: float = -25.0
    high: float = 15.0
    rate: float = 10.0
    columns: int = 720
    noise: float = 0.01
    dropout: float = 0.01
    nearest: float = 0.3
    reach: float = 60.0


STREET = Spinner()
"""As those on cars, which look at the road: 32 rings from -25° to 15°."""
ROOM = Spinner(rings=64, low=-45.0, high=45.0, reach=30.0)
"""As those for rooms: a right angle high, so that floor and ceiling are seen from the middle."""


@dataclass(frozen=True)
class SimulatedSweep:
    """One turn.

    Attributes:
        time: of its middle, by the sensor's own clock, seconds.
        pose: sensor → scene at that time, 4×4.
        points: a row for each return: x, y, z, intensity, ring, time, object.
    """

    time: float
    pose: Floats
    points: NDArray[np.void]


def mount() -> Floats:
    """Sensor → camera: above it and level where the camera looks down as a walker's does, 4×4."""
    axes = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
    c, s = np.cos(_TILT), np.sin(_TILT)
    level = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    matrix = np.eye(4)
    matrix[:3, :3] = level @ axes
    matrix[:3, 3] = level @ np.array([0.0, -_ABOVE, 0.0])
    return matrix


def draw_offset(seed: str) -> float:
    """The scene's time less the sensor's own, in seconds: the sensor has been running for a while."""
    return -round(float(_generator(seed, "clock").uniform(2, 20)), 6)


def sweeps(world: World, walk: Walk, seed: str, spinner: Spinner | None = None) -> Iterator[SimulatedSweep]:
    """Yield the turns that begin and end within a walk.

    Args:
        world: the measured world.
        walk: of the camera that the sensor is mounted on.
        seed: of noise, drop-outs and the clock.
        spinner: the kind of sensor.

    Raises:
        MissingExtraError: embreex is not installed.
    """
    kind = spinner or STREET
    caster = Caster(world)
    offset = draw_offset(seed)
    generator = _generator(seed, "noise")
    mounted = walk.poses @ mount()
    angles = np.radians(np.linspace(kind.low, kind.high, kind.rings))
    start = float(walk.times[0] + generator.uniform(0, 1 / kind.rate))
    span = 1.0 / kind.rate
    for number in range(max(0, int((walk.times[-1] - start) / span + 1e-9))):
        begin = start + number * span
        fired = begin + np.arange(kind.columns) * span / kind.columns
        poses = poses_at(walk.times, mounted, fired)
        # Seen from above, the head turns clockwise, as most do.
        around = -2 * np.pi * np.arange(kind.columns) / kind.columns
        x, y = np.cos(around)[:, None] * np.cos(angles), np.sin(around)[:, None] * np.cos(angles)
        ways = np.stack([x, y, np.tile(np.sin(angles), (kind.columns, 1))], axis=-1)
        directions = np.einsum("cij,crj->cri", poses[:, :3, :3], ways).reshape(-1, 3)
        origins = np.repeat(poses[:, :3, 3], kind.rings, axis=0)
        times = np.repeat(fired, kind.rings)
        hits, echoes = caster.cast_with_echoes(origins, directions, times)
        ranges = hits.distances + generator.normal(0, kind.noise, len(times))
        lost = kind.dropout + 0.6 * np.exp(-echoes.cosines / 0.03) + 0.25 * np.exp(-echoes.tones / 0.03)
        kept = np.isfinite(hits.distances) & (generator.random(len(times)) >= lost)
        # Panes let the beam out; what is behind them isn't part of the world.
        kept &= echoes.shines < _PANE
        kept &= (ranges >= kind.nearest) & (ranges <= kind.reach)
        points = np.zeros(int(kept.sum()), dtype=_FIELDS)
        local = ways.reshape(-1, 3)[kept] * ranges[kept, None]
        points["x"], points["y"], points["z"] = local.T
        points["intensity"] = (echoes.tones * echoes.cosines)[kept]
        points["ring"] = np.tile(np.arange(kind.rings), kind.columns)[kept]
        points["time"] = times[kept] - offset
        points["object"] = hits.numbers[kept]
        middle = begin + span / 2
        yield SimulatedSweep(middle - offset, poses_at(walk.times, mounted, np.array([middle]))[0], points)


def record_lidar(
    world: World, walk: Walk, folder: Path, *,
    identity: str, media: str, seed: str, role: str = "ego", spinner: Spinner | None = None,
) -> Capture:  # fmt: skip
    """Record a walk: one binary PLY for each sweep, named by its number.

    Args:
        world, walk, seed, spinner: as in `sweeps`.
        folder: where the sweeps are written; made if it isn't there.
        identity: the capture's id.
        media: the folder as the capture names it.
        role: the capture's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    times, poses = [], []
    for number, sweep in enumerate(sweeps(world, walk, seed, spinner)):
        write_sweep(folder / f"{number:06d}.ply", sweep.points)
        times.append(sweep.time)
        poses.append(tuple(float(x) for x in sweep.pose.ravel()))
    return Capture(
        id=identity,
        scene=world.scene.id,
        sensor="lidar",
        role=role,
        media=media,
        offset=draw_offset(seed),
        times=tuple(times),
        poses=tuple(poses),
    )


def cloud(capture: Capture, folder: Path) -> tuple[Floats, NDArray[np.int64]]:
    """Return a recording in the scene's coordinates, the sensor's motion taken out.

    Each point is moved by the sensor's pose at its own time, between the poses of the sweeps' middles.

    Args:
        capture: the result of `record_lidar`.
        folder: where its sweeps are.

    Returns:
        Points, shape (n, 3), metres; and the number of the object of each, shape (n,).

    Raises:
        InputError: a sweep is missing or broken.
    """
    times = np.array(capture.times)
    poses = np.array(capture.poses).reshape(-1, 4, 4)
    found, numbers = [np.zeros((0, 3))], [np.zeros(0, dtype=np.int64)]
    for number in range(len(times)):
        path = folder / f"{number:06d}.ply"
        if not path.is_file():
            raise InputError(path, "is missing", fix=f"record {capture.id} again")
        points = read_sweep(path)
        if points.dtype != _FIELDS:
            raise InputError(path, "is no sweep of a simulated LiDAR")
        found.append(in_scene(points, times, poses))
        numbers.append(points["object"].astype(np.int64))
    return np.concatenate(found), np.concatenate(numbers)


def in_scene(points: NDArray[np.void], times: Floats, poses: Floats) -> Floats:
    """Raw points in the scene's coordinates, shape (n, 3).

    Args:
        points: of a sweep.
        times: of the recording's poses, by the sensor's own clock, shape (k,).
        poses: sensor → scene, shape (k, 4, 4).
    """
    local = np.column_stack([points["x"], points["y"], points["z"]]).astype(np.float64)
    return deskew(local, points["time"], times, poses)


def _generator(seed: str, what: str) -> np.random.Generator:
    return np.random.default_rng(np.frombuffer(f"lidar:{what}:{seed}".encode(), dtype=np.uint8))
