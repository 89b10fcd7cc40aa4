"""Sensors of a rig next to the walking camera: a LiDAR, and exocentric cameras.

The LiDAR spins, is carried along a walk and has its own clock, as in SpatialBench's rig. All rings of a column fire at
once, and one column after another: each point is measured from where the sensor is at its own firing. Points are
written raw, in the sensor's coordinates at their firing (x ahead, y to the left, z up), in the form of
`tolman.ingest.clouds.recording`; `cloud` brings them together.

Exocentric cameras are fixed around a room or a street and frame-synchronous with a walk. The wearer carries the
egocentric camera. Without a body a walk leaves no trace in the other cameras' pictures, and nothing shows which of them
belong together. In Ego-Exo4D, too, the wearer is the common element of egocentric and exocentric pictures. A helmet
with the camera before its brow identifies the wearer and the direction of view.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.motion import deskew, poses_at
from tolman.ingest.clouds.recording import read_sweep, write_sweep
from tolman.scenes import Capture
from tolman.simulate.agents import WalkingFigure, moving_object, reach_of, shift
from tolman.simulate.human_figure import STRIDE, draw_figure
from tolman.simulate.mesh import Mesh, block, joined, placed, smoothed, turned
from tolman.simulate.walks import Walk, intrinsics_of, looking
from tolman.simulate.world import Body, Caster, World

HEIGHT = 2.2
"""Metres above the ground."""
_INSET, _APART, _STEP = 0.3, 3.0, 1.5
_CLEAR = 0.15
"""Metres that a camera keeps from every object's box."""
_COLUMNS = 64
"""Width in pixels of the coarse pictures that are compared."""
_LEAST = 3
"""Pixels of such a picture that show an object."""
_BEFORE, _BLOCKED = 1.5, 0.2
"""A view is worse than any other if more than this share of it is nearer than this, metres."""


def exo_walks(
    world: World, walk: Walk, count: int = 4, *, size: tuple[int, int] = (640, 480), height: float = HEIGHT
) -> list[tuple[str, Walk]]:
    """Place fixed cameras that together see most objects.

    They are in the corners of the floor and along its sides and look towards the middle of the things. Each is turned
    by up to 30° to where it shows most that the others don't. Their views are found by casting rays.

    Args:
        world: where.
        walk: the egocentric one, whose times they share.
        count: how many; fewer where there is no room for so many.
        size: of the picture, for its angle of view.
        height: metres above the ground.

    Returns:
        A role, 'exo-1' and so on, and a walk that stays in one place, for each.

    Raises:
        MissingExtraError: embreex is not installed.
    """
    eyes = _places(world, height)
    if not len(eyes) or count < 1:
        return []
    middle = np.mean([thing.box.center for thing in world.scene.objects], axis=0)
    away = middle - eyes
    pitches = np.clip(np.arctan2(0.7 - height, np.linalg.norm(away[:, :2], axis=1)), np.radians(-32), np.radians(-10))
    turns = np.radians([0, -15, 15, -30, 30])
    looks = np.repeat(np.arange(len(eyes)), len(turns))
    yaws = np.arctan2(away[:, 1], away[:, 0])[looks] + np.tile(turns, len(eyes))
    poses = looking(eyes[looks], yaws, pitches[looks], np.zeros(len(looks)))
    seen, clear = _seen(world, poses, size)
    chosen: list[int] = []
    missing = np.ones(seen.shape[1], dtype=bool)
    for _ in range(count):
        free = [i for i in range(len(looks)) if looks[i] not in looks[chosen]]
        if not free:
            break
        # Nothing hangs before it if that can be; then what nobody shows yet counts most; then to stand apart.
        news = (seen & missing).sum(1)
        apart = [all(np.linalg.norm(eyes[a] - eyes[looks[other]]) > _APART for other in chosen) for a in looks]
        best = max(free, key=lambda i: (bool(clear[i]), int(news[i]), apart[i], int(seen[i].sum()), -i))
        chosen.append(best)
        missing &= ~seen[best]
    return [
        (f"exo-{number}", Walk(walk.times, np.repeat(poses[i][None], len(walk.times), axis=0)))
        for number, i in enumerate(chosen, start=1)
    ]


def _seen(world: World, poses: Floats, size: tuple[int, int]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Objects seen from each pose, shape (poses, objects), and whether nothing hangs right before it."""
    from tolman.geometry.camera_geometry import pixel_rays
    from tolman.simulate.world import Caster

    coarse = (_COLUMNS, max(1, round(_COLUMNS * size[1] / size[0])))
    intrinsics = intrinsics_of(coarse)
    caster = Caster(world)
    found = np.zeros((len(poses), len(world.scene.objects)), dtype=bool)
    clear = np.zeros(len(poses), dtype=bool)
    for number, pose in enumerate(poses):
        ways = pixel_rays(pose, intrinsics, coarse)
        hits = caster.cast(np.tile(pose[:3, 3], (len(ways), 1)), ways)
        clear[number] = (hits.distances < _BEFORE).mean() < _BLOCKED
        found[number] = np.bincount(hits.numbers, minlength=found.shape[1] + 1)[1:] >= _LEAST
    return found, clear


def _places(world: World, height: float) -> Floats:
    """Corners of the floor and points along its sides that are inside nothing, shape (e, 3)."""
    floor = shapely.Polygon(world.scene.floor[0]).buffer(-_INSET, join_style="mitre")
    rings = [shapely.get_coordinates(part.exterior) for part in shapely.get_parts(floor) if not part.is_empty]
    places = []
    for ring in rings:
        for a, b in itertools.pairwise(ring):
            steps = max(1, int(np.linalg.norm(b - a) // _STEP))
            places += [a + (b - a) * i / steps for i in range(steps)]
    if not places:
        return np.zeros((0, 3))
    eyes = np.column_stack([np.array(places), np.full(len(places), height)])
    free = np.ones(len(eyes), dtype=bool)
    for thing in world.scene.objects:
        local = np.abs((eyes - np.array(thing.box.center)) @ np.array(thing.box.axes).T)
        free &= (local > np.array(thing.box.extents) / 2 + _CLEAR).any(1)
    return np.asarray(eyes[free])


ID, CATEGORY = "wearer", "person with the orange helmet"
_ORANGE, _BLACK = (0.95, 0.42, 0.05), (0.06, 0.06, 0.07)
_EYE = 0.1
"""Metres from the middle of the body to the eyes."""


def with_wearer(world: World, walk: Walk, seed: str) -> World:
    """Return a world with a person who walks as a camera does, for every recording but that camera's own.

    The body turns as the camera looks. The walk keeps a person's width from everything, so at most a swinging arm
    touches obstacles.

    Args:
        world: a world, people in it or not.
        walk: of the egocentric camera.
        seed: of the person's looks.

    Returns:
        The world with the object 'wearer', its box at time 0 and its track.
    """
    generator = np.random.default_rng(np.frombuffer(f"wearer:{seed}".encode(), dtype=np.uint8))
    figure, limbs = draw_figure(generator)
    figure = joined([figure, _helmet()])
    way = _Way(walk)
    reach = reach_of(figure, limbs)
    middle = partial(shift, way.person, reach.mean(0))
    thing = moving_object(ID, CATEGORY, reach[1] - reach[0], middle, float(walk.times[-1]))
    bodies = [Body(figure, ID, way.body), *(Body(limb.mesh, ID, partial(way.limb, limb)) for limb in limbs)]
    return world.adding(bodies, [thing])


def without_body(world: World) -> World:
    """World for the wearer's own camera: everything but the wearer, who stays an object of the scene."""
    return replace(world, bodies=tuple(body for body in world.bodies if body.object != ID))


def _helmet() -> Mesh:
    """A helmet on a figure's head, with a camera in front."""
    angles = np.linspace(0.0, np.pi / 2, 8)
    shell = turned([(max(float(np.cos(a)), 1e-4), float(np.sin(a))) for a in angles], _ORANGE, 18)
    size = np.diag([0.135, 0.15, 0.15, 1.0])
    size[:3, 3] = (0.0, -0.005, 1.645)
    brim = block((-0.12, 0.08, 1.64), (0.12, 0.2, 1.66), _ORANGE)
    camera = block((-0.05, 0.12, 1.66), (0.05, 0.24, 1.74), _BLACK)
    return joined([smoothed(shell, 80).moved(size), brim, camera])


class _Way(WalkingFigure):
    """Track of the wearer."""

    def __init__(self, walk: Walk) -> None:
        ahead = walk.poses[:, :2, 2]
        self._times = walk.times
        self._yaws = np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))
        heading = np.column_stack([np.cos(self._yaws), np.sin(self._yaws)])
        self._places = walk.poses[:, :2, 3] - _EYE * heading
        steps = np.linalg.norm(np.diff(walk.poses[:, :2, 3], axis=0), axis=1)
        self._moved = np.append(0.0, steps.cumsum())
        pace = np.gradient(self._moved, self._times) if len(self._times) > 1 else np.zeros(len(self._times))
        self._lively = np.clip(pace / 0.8, 0, 1)

    def person(self, seconds: float) -> Floats:
        """The transform of the ground below the person, facing as it does."""
        x, y = (float(np.interp(seconds, self._times, self._places[:, i])) for i in range(2))
        return placed((x, y, 0.0), float(np.interp(seconds, self._times, self._yaws)) - np.pi / 2)

    def stride(self, seconds: float) -> tuple[float, float]:
        """Swinging legs, and arms that hang."""
        moved, lively = (float(np.interp(seconds, self._times, one)) for one in (self._moved, self._lively))
        return float(np.sin(2 * np.pi * moved / STRIDE)) * lively, 0.0


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
