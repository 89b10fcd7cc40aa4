"""Recording: a walk through a world as a video with its truth frame by frame, or its truth alone.

The truth alone needs no pictures: rays give each object's visible surface. A survey measures the visible part of each
object and of the room from depth and instances. Surfaces that no camera saw can't be known from the recording. Their
measure is the bound on the error of any answer that is computed from the recording alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.optimize import nnls

from tolman.files import atomic_write
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import sightings_in_mask
from tolman.geometry.ground_plane import room_area
from tolman.media.video import VideoWriter
from tolman.scenes import Capture, Recorded, Scene, SceneObject, Sighting
from tolman.simulate.lighting import DEFAULT, Quality
from tolman.simulate.render import Frame, Renderer
from tolman.simulate.walks import Walk, intrinsics_of
from tolman.simulate.world import Caster, World

_CELL = 0.04
_POINTS = 800
"""Points of an object that are taken from one frame, at most. Fewer make the bounds wider, never wrong."""
_MANY_CELLS = 1_000_000
_MIDDLE = 1 << 20
"""Added to the numbers of cells, so that they are positive."""
_ANGLES = np.radians(np.arange(0.0, 90.0, 0.25))


class Survey:
    """Visibility gathered from frames.

    Args:
        scene: whose objects are seen; its numbers are those of the frames.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._ways = _directions().astype(np.float32)
        count = len(scene.objects) + 1
        self._reach = np.full((count, len(self._ways)), -np.inf)
        self._extremes = np.zeros((count, len(self._ways), 3))
        self._cells: set[int] = set()

    def add(self, frame: Frame, pose: Floats, intrinsics: tuple[float, float, float, float], stride: int) -> None:
        """Take in every `stride`-th pixel of a frame."""
        points, numbers = points_of(frame, pose, intrinsics, stride)
        self._cells.update(_cells_of(points).tolist())
        for number in np.flatnonzero(np.bincount(numbers)).tolist():
            if number:
                own = points[numbers == number]
                own = own[:: -(-len(own) // _POINTS)]
                along = self._ways @ own.T.astype(np.float32)
                best = along.argmax(1)
                value = along[np.arange(len(self._ways)), best]
                further = value > self._reach[number]
                self._reach[number, further] = value[further]
                self._extremes[number, further] = own[best[further]]

    def recorded(self) -> tuple[Recorded, ...]:
        """Every object that stays where it is and was seen at all."""
        found = []
        for number, thing in enumerate(self.scene.objects, start=1):
            if np.isfinite(self._reach[number]).all() and not thing.track:
                points = self._extremes[number]
                found.append(
                    Recorded(object=thing.id, missing=_missing(thing, points), longest=_longest(thing, points))
                )
        return tuple(found)

    def area(self) -> float | None:
        """The area of everything seen, by the alpha shape; None where too little was."""
        if len(self._cells) < 4:
            return None
        cells = np.array(sorted(self._cells))
        return room_area((np.column_stack(np.divmod(cells, 2 * _MIDDLE)) - _MIDDLE + 0.5) * _CELL)


def _cells_of(points: Floats) -> NDArray[np.int64]:
    """The numbers of the cells that points are over, each once."""
    if not len(points):
        return np.zeros(0, dtype=np.int64)
    cells = np.floor(points[:, :2] / _CELL).astype(np.int64)
    low = cells.min(0)
    wide, deep = (cells.max(0) - low + 1).tolist()
    if wide * deep > _MANY_CELLS:  # Outdoors, where a grid would be larger than what is in it.
        numbers: NDArray[np.int64] = np.unique((cells[:, 0] + _MIDDLE) * 2 * _MIDDLE + cells[:, 1] + _MIDDLE)
        return numbers
    there = np.zeros(wide * deep, dtype=bool)
    there[(cells[:, 0] - low[0]) * deep + cells[:, 1] - low[1]] = True
    along, across = np.divmod(np.flatnonzero(there), deep)
    return np.asarray((along + low[0] + _MIDDLE) * 2 * _MIDDLE + across + low[1] + _MIDDLE)


def points_of(
    frame: Frame, pose: Floats, intrinsics: tuple[float, float, float, float], stride: int = 1
) -> tuple[Floats, NDArray[np.uint16]]:
    """A frame's pixels in the scene.

    Returns:
        Points with depth, shape (n, 3), and the number of the object that each belongs to, shape (n,).
    """
    height, width = frame.depth.shape
    rows, columns = np.mgrid[0:height:stride, 0:width:stride]
    depth = frame.depth[::stride, ::stride].astype(np.float64)
    fx, fy, cx, cy = intrinsics
    local = np.stack([(columns + 0.5 - cx) / fx * depth, (rows + 0.5 - cy) / fy * depth, depth], axis=-1)
    hit = depth > 0
    return np.asarray(local[hit] @ pose[:3, :3].T + pose[:3, 3]), frame.instances[::stride, ::stride][hit]


def _directions(count: int = 128) -> Floats:
    """Unit vectors spread evenly over the sphere (a Fibonacci lattice), shape (count, 3)."""
    z = 1 - (2 * np.arange(count) + 1) / count
    around = np.pi * (1 + 5**0.5) * np.arange(count)
    flat = np.sqrt(1 - z**2)
    return np.stack([flat * np.cos(around), flat * np.sin(around), z], axis=1)


def _missing(thing: SceneObject, points: Floats) -> float:
    """The farthest that a corner of the box is from the points' convex hull, metres."""
    axes = np.array(thing.box.axes)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = np.array(thing.box.center) + (signs * np.array(thing.box.extents) / 2) @ axes
    weight = 100.0  # of the condition that the shares of the points add up to 1
    farthest = 0.0
    for corner in corners:
        system = np.vstack([(points - corner).T, np.full(len(points), weight)])
        shares, _ = nnls(system, np.array([0.0, 0.0, 0.0, weight]))
        nearest = shares @ points / shares.sum()
        farthest = max(farthest, float(np.linalg.norm(nearest - corner)))
    return farthest


def _longest(thing: SceneObject, points: Floats) -> tuple[float, float]:
    """Return the range of the longest extent of a least upright box around the recorded surface.

    A fit of such a box picks a direction in which the points' rectangle is no larger than the true one. In that
    direction each side is at least as long as that of these points, and at most as long as that of the box.
    """
    axes, extents = np.array(thing.box.axes), np.array(thing.box.extents)
    across = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
    sides = np.stack([across, np.stack([-across[:, 1], across[:, 0]], axis=1)])
    seen = np.ptp(points[:, :2] @ sides.transpose(0, 2, 1), axis=1)
    true = np.abs(np.einsum("sad,kd->sak", sides, axes[:, :2])) @ extents
    best = true.prod(0).min()
    # Readings may lie a hair outside the box.
    possible = seen.prod(0) <= max(best, float(seen.prod(0).min())) * 1.01
    tall = float(np.abs(axes[:, 2]) @ extents)
    low = max(float(seen.max(0)[possible].min()), float(np.ptp(points[:, 2])))
    high = max(float(true.max(0)[possible].max()), tall)
    return low, high


STRIDE = 4
"""Pixels of a picture from one ray to the next, in rows and in columns."""


class RayView:
    """A camera in a world that casts a ray for every `STRIDE`-th pixel in rows and columns.

    Args:
        world: the world in view.
        size: width and height of the pictures that are not drawn, pixels.

    Raises:
        MissingExtraError: embreex is not installed.
    """

    def __init__(self, world: World, size: tuple[int, int]) -> None:
        self._caster = Caster(world)
        self._shape = (max(1, size[1] // STRIDE), max(1, size[0] // STRIDE))

    @staticmethod
    def intrinsics(whole: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        """The intrinsics of `frame`, from those of the whole picture."""
        fx, fy, cx, cy = whole
        return fx / STRIDE, fy / STRIDE, cx / STRIDE, cy / STRIDE

    def frame(self, pose: Floats, intrinsics: tuple[float, float, float, float], seconds: float = 0.0) -> Frame:
        """Depth and instances of a picture that is `STRIDE` times smaller; its colours are black.

        Args:
            pose: camera → scene, shape (4, 4); the camera looks along +z with y down.
            intrinsics: fx, fy, cx, cy of the small picture, pixels.
            seconds: when; it matters where something moves.
        """
        directions = _ways(intrinsics, self._shape) @ pose[:3, :3].T
        hits = self._caster.cast(np.broadcast_to(pose[:3, 3], directions.shape), directions, seconds)
        depth = np.where(np.isfinite(hits.distances), hits.distances, 0.0).astype(np.float32)
        return Frame(
            np.zeros((*self._shape, 3), dtype=np.uint8),
            depth.reshape(self._shape),
            hits.numbers.astype(np.uint16).reshape(self._shape),
        )


@lru_cache(maxsize=1)
def _ways(intrinsics: tuple[float, float, float, float], shape: tuple[int, int]) -> Floats:
    """The rays' directions in the camera's coordinates: of length 1 along the view, so that distances are depths."""
    fx, fy, cx, cy = intrinsics
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]]
    return np.stack([(columns + 0.5 - cx) / fx, (rows + 0.5 - cy) / fy, np.ones(shape)], axis=-1).reshape(-1, 3)


_SURVEYED = 0.2
"""Seconds after which a frame is looked at for what it shows of each object."""
_SAMPLES = 210
"""Columns of pixels that are looked at then, about."""


@dataclass(frozen=True)
class CameraTrack:
    """A camera's recording that is to be made.

    Attributes:
        id: of the capture.
        role: 'ego' for the one that is walked with, 'exo' with a number for a fixed one.
        walk: its poses.
        size: of its pictures.
        rate: frames a second.
        media: where the video goes, relative to the collection's folder.
    """

    id: str
    role: str
    walk: Walk
    size: tuple[int, int]
    rate: int
    media: str


def record(
    world: World,
    camera: CameraTrack,
    folder: Path,
    *,
    depth: bool = False,
    quality: Quality = DEFAULT,
    shown: Callable[[], None] | None = None,
) -> Capture:
    """Draw every frame, write the video, and return the visibility of objects over time.

    Args:
        world: the world to record.
        camera: the recording camera.
        folder: of the collection.
        depth: whether depth and instances are written too: 16-bit PNGs, depth in millimetres, in
            `depth/NAME/000000.png` and `instances/NAME/000000.png`.
        quality: of the colours.
        shown: called after each frame.

    Raises:
        NoDisplayError: the machine can't draw.
        MissingExtraError: PyAV, moderngl or pillow is not installed.
    """
    intrinsics = intrinsics_of(camera.size)
    names = {number: identity for identity, number in world.numbers.items()}
    survey = Survey(world.scene)
    sightings: list[Sighting] = []
    path = folder / camera.media
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        Renderer(world, camera.size, quality) as renderer,
        atomic_write(path) as partial,
        VideoWriter(partial, camera.size, camera.rate, "worlds") as video,
    ):
        for number, (seconds, pose) in enumerate(zip(camera.walk.times, camera.walk.poses, strict=True)):
            frame = renderer.frame(pose, intrinsics, float(seconds))
            video.add(frame.colour)
            sightings += sightings_in_mask(number, frame.instances, names, frame.depth)
            if number % _between(camera) == 0:
                survey.add(frame, pose, intrinsics, max(1, camera.size[0] // _SAMPLES))
            if depth:
                _write_layers(folder, path.stem, number, frame)
            if shown:
                shown()
    return _capture(world, camera, sightings, survey)


def look(world: World, camera: CameraTrack) -> Capture:
    """Compute the content of a recording by rays: no picture is drawn and no video written.

    Five frames a second are sampled, by one ray for each `looking.STRIDE` × `STRIDE` pixels; things with fewer pixels
    may be missed. The capture names the video all the same, which isn't there.

    Args:
        world: the world in view.
        camera: the recording camera.

    Raises:
        MissingExtraError: embreex is not installed.
    """
    view = RayView(world, camera.size)
    intrinsics = view.intrinsics(intrinsics_of(camera.size))
    names = {number: identity for identity, number in world.numbers.items()}
    survey = Survey(world.scene)
    sightings: list[Sighting] = []
    for number in range(0, len(camera.walk.times), _between(camera)):
        pose = camera.walk.poses[number]
        frame = view.frame(pose, intrinsics, float(camera.walk.times[number]))
        for seen in sightings_in_mask(number, frame.instances, names, frame.depth):
            sightings.append(seen.model_copy(update={"pixels": seen.pixels * STRIDE**2}))
        survey.add(frame, pose, intrinsics, 1)
    return _capture(world, camera, sightings, survey)


def _between(camera: CameraTrack) -> int:
    """Frames from one that is looked at to the next."""
    return max(1, round(_SURVEYED * camera.rate))


def _capture(world: World, camera: CameraTrack, sightings: list[Sighting], survey: Survey) -> Capture:
    return Capture(
        id=camera.id,
        scene=world.scene.id,
        sensor="camera",
        role=camera.role,
        media=camera.media,
        size=camera.size,
        times=tuple(camera.walk.times.tolist()),
        poses=tuple(tuple(pose.ravel().tolist()) for pose in camera.walk.poses),
        intrinsics=(intrinsics_of(camera.size),),
        sightings=tuple(sightings),
        recorded=survey.recorded(),
        recorded_area=survey.area() if world.scene.room_area is not None else None,
    )


def _write_layers(folder: Path, name: str, number: int, frame: Frame) -> None:
    millimetres = np.clip(np.round(frame.depth * 1000), 0, 65535).astype(np.uint16)
    for layer, picture in (("depth", millimetres), ("instances", frame.instances)):
        place = folder / layer / name
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(place / f"{number:06d}.png")
