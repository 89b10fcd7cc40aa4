"""The numbers of a scan that `scan_doctor` may correct, and measures of their agreement with each other.

Each measure has a cost: about 0 where the data look as usual, about 1 where they are off by a factor of two.

In a recording, the points around picked regions are gathered and boxes fitted to them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError, UsageError
from tolman.geometry.box_uncertainty import Rays
from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.camera_geometry import turned_poses
from tolman.geometry.fitting import FitError
from tolman.geometry.measuring import Measurement, measure
from tolman.geometry.motion import cameras_up, floor_share, in_frames
from tolman.geometry.regions import BoxRegion, FrameRegion, Region
from tolman.ingest.camera_conventions import MIN_BOXES, MIN_POSES, SAME_UP, UP_TURNS
from tolman.ingest.clouds import Sweep
from tolman.ingest.clouds.recording import Recording, is_collection, open_cloud, open_collection
from tolman.ingest.formats.rig import open_rig
from tolman.ingest.marked_objects import mask_votes
from tolman.ingest.readers.rig_file import NAME
from tolman.ingest.scan_format import Axes, CameraRecording, Direction, Up


@dataclass(frozen=True)
class Pick:
    """The user's pick.

    Attributes:
        box: two corners in the scene, metres: x0, y0, z0, x1, y1, z1, or a point: x, y, z; or
        pixels: x0, y0, x1, y1 of a frame, or a point: x, y
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
            if len(self.box) == 3:
                return BoxRegion.around(self.box)
            x0, y0, z0, x1, y1, z1 = self.box
            low, high = (min(x0, x1), min(y0, y1), min(z0, z1)), (max(x0, x1), max(y0, y1), max(z0, z1))
            return BoxRegion(low, high)
        assert self.pixels is not None
        if self.at is None:
            raise UsageError("--pixels belong to one frame: name it with --at SECONDS.")
        pose, intrinsics, _ = recording.frame(self.at, self.camera)
        if len(self.pixels) == 2:
            return FrameRegion.around(self.pixels, pose, intrinsics)
        x0, y0, x1, y1 = self.pixels
        if x0 == x1 or y0 == y1:
            raise UsageError("the box in the frame has no area.")
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
    objects: Path | None = None,
    wide: bool = False,
) -> Measurement:
    """Measure the picked regions of a recording.

    Args:
        recording: to measure in.
        quantity, shape, isolate, seed, wide: as `tolman.geometry.measuring.measure` takes them.
        picks: the region, and the second of distances and angles.
        cell: the side of a voxel, metres.
        between: only points of this time, seconds.
        seen: called with each sweep.
        objects: masks on frames of the recording's cameras, as `mask_votes` takes them; they separate touching things.

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
    votes = None
    if objects is not None:
        votes = mask_votes(objects, recording.cameras, recording.gathered(cell=0.03, between=between).cloud.points)
    options: dict[str, Any] = {"isolate": isolate, "seed": seed, "rays": found.rays, "votes": votes, "wide": wide}
    try:
        return measure(found.cloud, first, quantity, other=second, shape=shape, **options)
    except FitError as error:
        raise InputError(recording.path, f"the points of the picked region {error}") from None
    except ValueError as error:
        raise UsageError(f"{error}.") from None


UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "ft": 0.3048, "in": 0.0254}
"""Metres of one."""
DEPTHS = "depths relative to the boxes' distance"
_USUAL_DEPTHS = 0.93, 1.1
"""Lower quartile of depths over those at which rays enter the boxes that masks show: hollow things are seen deeper."""
_STRICT = 20.0
"""Cost for each natural logarithm of a factor, where right scans are off by few per cent."""
FRAMES = 16
"""Frames of a camera with masks that are looked at."""
GRID = 24
"""Pixels along the wider side of a picture that are looked at."""
OVERLAP, INSIDE = "overlap of boxes and masks", "pixels of masks inside their boxes"
_SLACK = 0.03
"""Metres, and share of its extents, by which a box is larger where pixels are looked for inside it."""
LEAST_AREA = 0.0005
"""Share of a picture below which an object's mask is passed over."""
LONGEST = {
    "armchair": 0.95, "backpack": 0.45, "bathtub": 1.6, "bed": 2.1, "bench": 1.2, "bookcase": 1.7, "bookshelf": 1.7,
    "chair": 0.9, "closet": 2.0, "coffee table": 1.1, "couch": 2.0, "desk": 1.4, "dishwasher": 0.85, "door": 2.05,
    "dresser": 1.1, "fridge": 1.7, "keyboard": 0.45, "microwave": 0.5, "monitor": 0.55, "nightstand": 0.6,
    "office chair": 1.0, "oven": 0.85, "pillow": 0.5, "refrigerator": 1.7, "shelf": 1.4, "sofa": 2.0, "stool": 0.5,
    "stove": 0.9, "table": 1.4, "toilet": 0.7, "trash bin": 0.45, "tv": 1.1, "wardrobe": 2.0, "washer": 0.9,
}  # fmt: skip
"""Usual longest extents in metres, by category."""


@dataclass(frozen=True)
class MaskView:
    """A frame's masks.

    Attributes:
        frame: its number.
        pixels: on a grid over the picture, shape (n, 2).
        labels: the row of the box that each shows, -1 for none, -2 for an object without a box, shape (n,).
        rows: the rows of boxes whose masks are whole, shape (m,).
        edges: left, top, right and bottom of their masks, pixels, shape (m, 4).
        depths: along the view as the file has them, nan without a reading, shape (n,).
    """

    frame: int
    pixels: Floats
    labels: NDArray[np.int64]
    rows: NDArray[np.int64]
    edges: Floats
    depths: Floats


@dataclass(frozen=True)
class CameraNumbers:
    """A camera as the files have it.

    Attributes:
        poses: shape (n, 4, 4), nan where tracking was lost.
        axes, direction, turns: as declared.
        intrinsics: fx, fy, cx, cy, shape (0, 1 or n, 4).
        size: of the pictures.
        times: seconds, shape (n,).
        views: frames with masks.
        timed, lensed: whether the files give times and a lens instead of intrinsics.
        depth_scale: values of depths for each metre.
    """

    poses: Floats
    axes: Axes
    direction: Direction
    turns: int
    intrinsics: Floats
    size: tuple[int, int]
    times: Floats
    views: tuple[MaskView, ...] = ()
    timed: bool = False
    lensed: bool = False
    depth_scale: float = 1.0

    def of(self, frames: Sequence[int] | NDArray[np.int64]) -> Floats:
        """Intrinsics, a row for each of some frames."""
        rows = np.asarray(frames, dtype=np.int64)
        return np.asarray(self.intrinsics[rows if len(self.intrinsics) > 1 else np.zeros_like(rows)])

    def moved(self, matrix: Floats) -> CameraNumbers:
        """The same camera, moved by a transform of the files' frame, shape (4, 4)."""
        if self.direction == "camera_to_scene":
            return replace(self, poses=matrix @ self.poses)
        return replace(self, poses=self.poses @ np.linalg.inv(matrix))


@dataclass(frozen=True)
class ScanNumbers:
    """A scan as its files have it, with its declarations.

    Attributes:
        up: the axis that points up.
        unit: of lengths; 'unknown' where the scale isn't known.
        scale: metres of one.
        origin: of positions, shape (3,).
        boxes: of things that stay where they are.
        categories: of the boxes.
        surface: points of the mesh, shape (n, 3).
        owners: the row of the box that each point belongs to, -1 for none, shape (n,).
        cameras: with poses.
        outdoors: whether things may be far away.
        moving: whether there are moving objects, which `boxes` lacks.
        flips: -1 for each axis that was reversed in all positions, else 1, shape (3,).
    """

    up: Up
    unit: str
    scale: float
    origin: Floats
    boxes: Boxes
    categories: tuple[str, ...]
    surface: Floats
    owners: NDArray[np.int64]
    cameras: tuple[CameraNumbers, ...]
    outdoors: bool = False
    moving: bool = False
    flips: Floats = field(default_factory=lambda: np.ones(3))

    def points(self, values: Floats) -> Floats:
        """Points of the files in metres, z up, shape (…, 3)."""
        return np.asarray((values - self.origin) * self.scale @ UP_TURNS[self.up].T)

    def metric_boxes(self) -> Boxes:
        """Boxes in metres, z up."""
        axes = self.boxes.axes @ UP_TURNS[self.up].T
        return Boxes(self.points(self.boxes.centers), axes, self.boxes.extents * self.scale)

    def metric_poses(self, camera: CameraNumbers) -> Floats:
        """A camera's poses camera → scene, looking along +z with y down, metres, z up, shape (n, 4, 4)."""
        return read_poses(camera.poses, camera.axes, camera.direction, UP_TURNS[self.up], self.points)

    def with_cameras(self, change: Callable[[CameraNumbers], CameraNumbers]) -> ScanNumbers:
        """The same scan with changed cameras."""
        return replace(self, cameras=tuple(change(camera) for camera in self.cameras))


def read_poses(
    poses: Floats, axes: Axes, direction: Direction, turn: Floats, points: Callable[[Floats], Floats]
) -> Floats:
    """Poses camera → scene, looking along +z with y down, in the frame that `turn` and `points` lead to.

    Args:
        poses: as files have them, shape (n, 4, 4), nan where tracking was lost.
        axes, direction: as declared.
        turn: brings the declared up to z, shape (3, 3).
        points: brings positions of the files into the frame.
    """
    found = np.array(poses)
    if direction == "scene_to_camera":
        known = np.isfinite(found).all((1, 2))
        found[known] = np.linalg.inv(found[known])
    if axes == "opengl":
        found[:, :3, 1:3] *= -1
    found[:, :3, :3] = turn @ found[:, :3, :3]
    found[:, :3, 3] = points(found[:, :3, 3])
    return found


def mask_views(
    recording: CameraRecording, poses: Floats, rows: Mapping[int, int], depth_scale: float
) -> tuple[MaskView, ...]:
    """The masks of some frames, and their depths.

    Args:
        recording: with masks.
        poses: of its frames, shape (n, 4, 4).
        rows: the box of each object's number in the masks; -2 for one without.
        depth_scale: values of depths for each metre.
    """
    if recording.masks is None or not len(recording.intrinsics):
        return ()
    views = []
    for frame in in_frames(np.flatnonzero(np.isfinite(poses).all((1, 2))), FRAMES):
        mask = recording.masks(int(frame))
        if mask is None:
            continue
        values, inverse = np.unique(mask, return_inverse=True)
        labels = np.array([rows.get(int(value), -1) for value in values])[inverse.reshape(mask.shape)]
        height, width = mask.shape
        step = max(1, max(height, width) // GRID)
        ys, xs = np.meshgrid(np.arange(step // 2, height, step), np.arange(step // 2, width, step), indexing="ij")
        scale = np.array(recording.size) / (width, height)
        pixels = np.column_stack([xs.ravel() + 0.5, ys.ravel() + 0.5]) * scale
        whole, edges = [], []
        for row in np.unique(labels[labels >= 0]):
            of_rows, of_columns = (np.flatnonzero((labels == row).any(axis)) for axis in (1, 0))
            left, right, top, bottom = of_columns[0], of_columns[-1], of_rows[0], of_rows[-1]
            large = (labels == row).sum() >= max(12, LEAST_AREA * mask.size)
            if large and left > 0 and top > 0 and right < width - 1 and bottom < height - 1:
                whole.append(int(row))
                edges.append(np.array([left, top, right + 1, bottom + 1]) * np.tile(scale, 2))
        depth = recording.depths(int(frame)) if recording.depths and recording.depth_intrinsics is None else None
        depths = np.full(len(pixels), np.nan)
        if depth is not None:
            rows_of, columns_of = ((pixels[:, i] / recording.size[i] * depth.shape[1 - i]).astype(int) for i in (1, 0))
            values_of = depth[rows_of, columns_of] * depth_scale
            depths = np.where(values_of > 0, values_of, np.nan)
        edged = np.reshape(edges, (-1, 4))
        views.append(MaskView(int(frame), pixels, labels[ys, xs].ravel(), np.array(whole, int), edged, depths))
    return tuple(views)


@dataclass(frozen=True)
class Measure:
    """One figure of a scan.

    Attributes:
        what: is measured.
        shown: the figure with its unit.
        cost: about 0 where it is usual.
        impossible: whether no right scan has it.
        value: the figure, if it is a number.
    """

    what: str
    shown: str
    cost: float
    impossible: bool
    value: float = math.nan


def measures(scan: ScanNumbers) -> list[Measure]:
    """Measure the agreement of a scan's data with each other and with usual scans."""
    found: list[Measure] = []
    cameras = [camera for camera in scan.cameras if np.isfinite(camera.poses).all((1, 2)).sum() >= MIN_POSES]
    tracks = [scan.metric_poses(camera) for camera in cameras]
    known = [poses[np.isfinite(poses).all((1, 2))] for poses in tracks]
    boxes = scan.metric_boxes()
    found += _hands(known)
    found += _ups(cameras, known)
    found += _middles(cameras)
    found += _motions(scan, cameras, tracks)
    found += _floors(scan, boxes, known)
    found += _lengths(scan, boxes)
    found += _mesh_labels(scan, boxes)
    masked = [*_masks(cameras, tracks, boxes)]
    # How many boxes are in view says less than masks do, and prefers wide lenses.
    return found + (masked or [*_in_view(cameras, known, boxes)])


def _outside(value: float, low: float, high: float) -> float:
    """Natural logarithm of the factor by which a value is out of a range."""
    value = max(value, 1e-6)
    return float(max(0.0, np.log(low / value), np.log(value / high)))


def _hands(tracks: Sequence[Floats]) -> Iterator[Measure]:
    if tracks:
        share = float(np.mean([(np.linalg.det(poses[:, :3, :3]) < 0).mean() for poses in tracks]))
        yield Measure("left-handed poses", f"{share:.0%}", 6 * share, share > 0)


def _ups(cameras: Sequence[CameraNumbers], tracks: Sequence[Floats]) -> Iterator[Measure]:
    angles, costs = [], []
    for camera, poses in zip(cameras, tracks, strict=True):
        upright = turned_poses(poses, camera.turns)
        found = cameras_up(upright)
        # Cameras that never turn may be mounted in any way.
        if found.vertical is None and np.linalg.norm(found.mean) > SAME_UP:
            continue
        roll = float(np.sqrt((upright[:, 2, 0] ** 2).mean()))
        costs.append(2 * (1 - found.mean[2]) + 4 * max(0.0, roll - 0.15))
        angles.append(float(np.degrees(np.arccos(np.clip(-upright[:, 2, 1], -1, 1))).mean()))
    if costs:
        cost = float(np.mean(costs))
        what = "mean angle between the cameras' up and the scene's"
        yield Measure(what, f"{np.mean(angles):.0f}°", cost, cost > 1.5)


def _middles(cameras: Sequence[CameraNumbers]) -> Iterator[Measure]:
    known = [camera for camera in cameras if len(camera.intrinsics) and not camera.lensed]
    if known:
        ratio = float(np.mean([middle_ratio(camera) for camera in known]))
        cost = 3.0 * (abs(np.log(ratio)) > 0.15)
        yield Measure("principal point relative to the pictures' middle", f"{ratio:.0%}", cost, cost > 0)


def middle_ratio(camera: CameraNumbers) -> float:
    """Size of the pictures that intrinsics are of, over the pictures' own; 1 where width and height don't agree."""
    across, down = np.median(2 * camera.intrinsics[:, 2:] / camera.size, axis=0)
    alike = min(across, down) > 0 and abs(across - down) < 0.1 * max(across, down)
    return float((across + down) / 2) if alike else 1.0


def _motions(scan: ScanNumbers, cameras: Sequence[CameraNumbers], tracks: Sequence[Floats]) -> Iterator[Measure]:
    speeds, widths, gaps = [], [], []
    for camera, poses in zip(cameras, tracks, strict=True):
        places, there = poses[:, :3, 3], np.isfinite(poses).all((1, 2))
        steps, pauses = np.linalg.norm(np.diff(places[there], axis=0), axis=1), np.diff(camera.times[there])
        moving = (steps > 0) & (pauses > 0)
        if camera.timed and moving.any():
            gaps.append(float(np.median(pauses[moving])))
        if moving.sum() >= MIN_POSES:
            speeds.append(float(np.median(steps[moving] / pauses[moving])))
            widths.append(float(np.linalg.norm(np.ptp(places[there], axis=0))))
    if gaps:
        gap = float(np.median(gaps))
        cost = 2 * _outside(gap, 1e-3, 1.0)
        yield Measure("time between frames", f"{gap:.3g} s", cost, cost > 6)
    if speeds and scan.unit != "unknown":
        speed, width = float(np.median(speeds)), max(widths)
        cost = 2 * _outside(speed, 1e-6, 40.0 if scan.outdoors else 4.0)
        yield Measure("speed of the cameras", f"{speed:,.3g} m/s", cost, cost > 3)
        cost = _outside(width, 0.5, 1e4 if scan.outdoors else 60.0)
        yield Measure("width of the cameras' path", f"{width:,.3g} m", cost, cost > 3)


def _floors(scan: ScanNumbers, boxes: Boxes, tracks: Sequence[Floats]) -> Iterator[Measure]:
    places = np.concatenate([poses[:, :3, 3] for poses in tracks]) if tracks else np.empty((0, 3))
    surface = scan.points(scan.surface)
    if len(boxes) >= MIN_BOXES:
        corners = boxes.vertices()
        bottoms = corners[:, :, 2].min(1)
        width = 0.02 * max(float(np.ptp(boxes.centers[:, 2])), 1e-9)
        share = floor_share(bottoms, width)
        yield Measure("objects on one floor", f"{share:.0%}", -float(np.log(max(share, 1.5 / len(boxes)))), False)
        floor, things = float(np.percentile(bottoms, 10)), corners.reshape(-1, 3)
    elif len(surface) >= 1000:
        floor, things = float(np.percentile(surface[:, 2], 2)), surface
    else:
        return
    if not len(places) or scan.unit == "unknown":
        return
    if len(surface):
        things = np.concatenate([things, surface])
    height = float(np.median(places[:, 2])) - floor
    cost = min(2 * _outside(height, 0.5, 2.2), 6.0 if height < 0.5 else np.inf)
    yield Measure("height of the cameras above the floor", f"{height:,.3g} m", 0 if scan.outdoors else cost, False)
    low, high = np.percentile(things[:, :2], 1, axis=0), np.percentile(things[:, :2], 99, axis=0)
    away = np.maximum(0, np.maximum(low - places[:, :2], places[:, :2] - high))
    far = float(np.median(np.linalg.norm(away, axis=1)))
    cost = 2 * float(np.log1p(max(0.0, far - 0.5) / 0.5)) * (0.1 if scan.outdoors else 1.0)
    yield Measure("distance of the cameras from the objects' area", f"{far:,.3g} m", cost, cost > 3.5)


def _in_view(cameras: Sequence[CameraNumbers], tracks: Sequence[Floats], boxes: Boxes) -> Iterator[Measure]:
    shares = []
    for camera, poses in zip(cameras, tracks, strict=True):
        if len(camera.intrinsics) and len(boxes) >= MIN_BOXES:
            some = in_frames(np.arange(len(poses)), 60)
            local = np.einsum("fki,fij->fkj", boxes.centers - poses[some, None, :3, 3], poses[some, :3, :3])
            fx, fy, cx, cy = np.median(camera.intrinsics, axis=0)
            depth = np.where(local[..., 2] > 0.1, local[..., 2], np.nan)
            x, y = fx * local[..., 0] / depth + cx, fy * local[..., 1] / depth + cy
            shares.append(((x >= 0) & (x < camera.size[0]) & (y >= 0) & (y < camera.size[1])).mean())
    if shares:
        share = float(np.mean(shares))
        cost = -2 * float(np.log(max(share, 0.02) / 0.35))
        yield Measure("boxes in the cameras' view", f"{share:.0%}", max(0.0, cost), False)


def _lengths(scan: ScanNumbers, boxes: Boxes) -> Iterator[Measure]:
    if scan.unit == "unknown":
        return
    pairs = [
        (float(extents.max()), LONGEST[category])
        for extents, category in zip(boxes.extents, scan.categories, strict=True)
        if category in LONGEST
    ]
    if len(pairs) >= 3:
        ratio = float(np.exp(np.median([np.log(max(own, 1e-9) / usual) for own, usual in pairs])))
        cost = 3 * _outside(ratio, 0.74, 1.35)
        yield Measure("length of objects relative to their categories", f"{ratio:,.2g} times", cost, cost > 3.5)
    elif len(boxes) >= MIN_BOXES:
        length = float(np.median(boxes.extents.max(1)))
        cost = 2 * _outside(length, 0.2, 2.5)
        yield Measure("median length of objects", f"{length:,.3g} m", cost, cost > 3.5)


def _mesh_labels(scan: ScanNumbers, boxes: Boxes) -> Iterator[Measure]:
    overlaps, points = [], scan.points(scan.surface)
    for row in np.unique(scan.owners[scan.owners >= 0]):
        local = (points[scan.owners == row] - boxes.centers[row]) @ boxes.axes[row].T
        if len(local) < 4:
            continue
        half = boxes.extents[row] / 2 + 1e-3 * boxes.extents[row].max()
        low, high = local.min(0) - 1e-3 * np.ptp(local), local.max(0) + 1e-3 * np.ptp(local)
        shared = np.maximum(0, np.minimum(high, half) - np.maximum(low, -half)).prod()
        overlaps.append(shared / ((high - low).prod() + (2 * half).prod() - shared))
    if len(overlaps) >= 3:
        overlap = float(np.median(overlaps))
        cost = -2 * float(np.log(max(overlap, 0.02)))
        yield Measure("overlap of boxes and their labels in the mesh", f"{overlap:.0%}", cost, overlap < 0.1)


def _masks(cameras: Sequence[CameraNumbers], tracks: Sequence[Floats], boxes: Boxes) -> Iterator[Measure]:
    same, either, ratios = 0, 0, []
    inside: list[NDArray[np.bool_]] = []
    for camera, poses in zip(cameras, tracks, strict=True):
        for view in camera.views:
            if not np.isfinite(poses[view.frame]).all():
                continue
            pose, intrinsics = poses[view.frame], camera.of([view.frame])[0]
            shown, entry = _nearest(pose, intrinsics, view.pixels, boxes)
            counted = view.labels > -2
            own = view.labels >= 0
            inside.append(_hits(pose, intrinsics, view.pixels[own], boxes, view.labels[own]))
            read = own & (shown == view.labels) & np.isfinite(view.depths)
            ratios.append(view.depths[read] / camera.depth_scale / entry[read])
            same += int(((shown == view.labels) & (shown >= 0) & counted).sum())
            either += int((((shown >= 0) | (view.labels >= 0)) & counted).sum())
    if either >= 50:
        overlap = same / either
        cost = -2 * float(np.log(max(overlap, 0.02)))
        yield Measure(OVERLAP, f"{overlap:.0%}", cost, overlap < 0.1)
        # Masks of a right scan are inside, however boxes hide each other: this finds what is off by a few per cent.
        share = float(np.concatenate(inside).mean()) if inside else 1.0
        yield Measure(INSIDE, f"{share:.0%}", min(5.0, _STRICT * _outside(share, 0.97, 1.0)), False)
    read = np.concatenate(ratios) if ratios else np.empty(0)
    if len(read) >= 50:
        ratio = float(np.quantile(read, 0.25))
        yield Measure(
            DEPTHS, f"{ratio:.2f} times", _STRICT * _outside(ratio, *_USUAL_DEPTHS), ratio > 2 or ratio < 0.5, ratio
        )


def _rays(pose: Floats, intrinsics: Floats, pixels: Floats) -> Floats:
    """Directions through pixels, as long as their depth along the view is 1, shape (n, 3)."""
    fx, fy, cx, cy = intrinsics
    local = np.column_stack([(pixels[:, 0] - cx) / fx, (pixels[:, 1] - cy) / fy, np.ones(len(pixels))])
    return np.asarray(local @ pose[:3, :3].T)


def _hits(pose: Floats, intrinsics: Floats, pixels: Floats, boxes: Boxes, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the ray of each pixel meets the pixel's own box, a little enlarged; shape (n,)."""
    rays, axes = _rays(pose, intrinsics, pixels), boxes.axes[rows]
    along = np.einsum("nij,nj->ni", axes, rays)
    along = np.where(np.abs(along) < 1e-12, 1e-12, along)
    local = np.einsum("nij,nj->ni", axes, pose[:3, 3] - boxes.centers[rows])
    half = boxes.extents[rows] * (1 + _SLACK) / 2 + _SLACK
    a, b = (-half - local) / along, (half - local) / along
    entry, leaving = np.minimum(a, b).max(1), np.maximum(a, b).min(1)
    return np.asarray((entry <= leaving) & (leaving > 0))


def _nearest(pose: Floats, intrinsics: Floats, pixels: Floats, boxes: Boxes) -> tuple[NDArray[np.int64], Floats]:
    """The first box on the ray of each pixel, -1 for none, by the slab method, and its depth along the view; shapes
    (n,)."""
    rays = _rays(pose, intrinsics, pixels)
    # Shape (boxes, 3, pixels).
    along = (boxes.axes.reshape(-1, 3) @ rays.T).reshape(len(boxes), 3, -1)
    along = np.where(np.abs(along) < 1e-12, 1e-12, along)
    local = boxes.axes @ (pose[:3, 3] - boxes.centers)[:, :, None]
    half = boxes.extents[:, :, None] / 2
    a, b = (-half - local) / along, (half - local) / along
    entry, leaving = np.minimum(a, b).max(1), np.maximum(a, b).min(1)
    entry = np.where((entry <= leaving) & (entry > 0), entry, np.inf)
    least = entry.min(0)
    return np.where(np.isfinite(least), entry.argmin(0), -1), least
