"""Mistakes in the declarations of a scan, found by trying each one and keeping the one that makes the data agree.

Each hypothesis changes the numbers of a scan, and each measure gives the changed scan a cost: about 0 where
the data look as usual, about 1 where they are off by a factor of two. A mistake is named only if its correction is
cheaper than the scan as it is by `CLEAR`, and cheaper than all other corrections by `APART`. Corrections closer than
that are a tie, and are all named. Measures that remain impossible under the best hypothesis are contradictions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tolman.extras import LazyModule
from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.camera_geometry import turned_poses
from tolman.geometry.scan_consistency import cameras_up, floor_share, in_frames
from tolman.ingest.camera_conventions import FOCAL_FACTORS, MIN_BOXES, MIN_POSES, SAME_UP, UP_TURNS
from tolman.ingest.scan_format import Axes, CameraRecording, Direction, Up

if TYPE_CHECKING:
    import scipy
else:
    scipy = LazyModule("scipy")

CLEAR, APART = 1.0, 0.5
"""Cost by which a correction must be below the scan as it is, and below every other correction."""
GOOD = 2.0
"""Cost below which a figure may be a right scan's."""
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "ft": 0.3048, "in": 0.0254}
"""Metres of one."""
FRAMES = 16
"""Frames of a camera with masks that are looked at."""
GRID = 24
"""Pixels along the wider side of a picture that are looked at."""
SHIFTS = tuple(k for k in range(-16, 17) if k)
"""Frames by which poses may be late or early. The first and the last are no findings: more may fit better."""
OVERLAP = "overlap of boxes and masks"
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
_OTHER_AXES = np.array([1.0, -1.0, -1.0, 1.0])


@dataclass(frozen=True)
class MaskView:
    """A frame's masks.

    Attributes:
        frame: its number.
        pixels: on a grid over the picture, shape (n, 2).
        labels: the row of the box that each shows, -1 for none, -2 for an object without a box, shape (n,).
        rows: the rows of boxes whose masks are whole, shape (m,).
        edges: left, top, right and bottom of their masks, pixels, shape (m, 4).
    """

    frame: int
    pixels: Floats
    labels: NDArray[np.int64]
    rows: NDArray[np.int64]
    edges: Floats


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


def mask_views(recording: CameraRecording, poses: Floats, rows: Mapping[int, int]) -> tuple[MaskView, ...]:
    """The masks of some frames.

    Args:
        recording: with masks.
        poses: of its frames, shape (n, 4, 4).
        rows: the box of each object's number in the masks; -2 for one without.
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
        views.append(
            MaskView(int(frame), pixels, labels[ys, xs].ravel(), np.array(whole, int), np.reshape(edges, (-1, 4)))
        )
    return tuple(views)


@dataclass(frozen=True)
class Measure:
    """One figure of a scan.

    Attributes:
        what: is measured.
        shown: the figure with its unit.
        cost: about 0 where it is usual.
        impossible: whether no right scan has it.
    """

    what: str
    shown: str
    cost: float
    impossible: bool


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
    same, either = 0, 0
    for camera, poses in zip(cameras, tracks, strict=True):
        for view in camera.views:
            if not np.isfinite(poses[view.frame]).all():
                continue
            shown = _nearest(poses[view.frame], camera.of([view.frame])[0], view.pixels, boxes)
            counted = view.labels > -2
            same += int(((shown == view.labels) & (shown >= 0) & counted).sum())
            either += int((((shown >= 0) | (view.labels >= 0)) & counted).sum())
    if either >= 50:
        overlap = same / either
        cost = -2 * float(np.log(max(overlap, 0.02)))
        yield Measure(OVERLAP, f"{overlap:.0%}", cost, overlap < 0.1)


def _nearest(pose: Floats, intrinsics: Floats, pixels: Floats, boxes: Boxes) -> NDArray[np.int64]:
    """The first box on the ray of each pixel, -1 for none, by the slab method; shape (n,)."""
    fx, fy, cx, cy = intrinsics
    rays = np.column_stack([(pixels[:, 0] - cx) / fx, (pixels[:, 1] - cy) / fy, np.ones(len(pixels))]) @ pose[:3, :3].T
    # Shape (boxes, 3, pixels).
    along = (boxes.axes.reshape(-1, 3) @ rays.T).reshape(len(boxes), 3, -1)
    along = np.where(np.abs(along) < 1e-12, 1e-12, along)
    local = boxes.axes @ (pose[:3, 3] - boxes.centers)[:, :, None]
    half = boxes.extents[:, :, None] / 2
    a, b = (-half - local) / along, (half - local) / along
    entry, leaving = np.minimum(a, b).max(1), np.maximum(a, b).min(1)
    entry = np.where((entry <= leaving) & (entry > 0), entry, np.inf)
    nearest = entry.argmin(0)
    return np.where(np.isfinite(entry.min(0)), nearest, -1)


@dataclass(frozen=True)
class Finding:
    """A mistake, and its correction.

    Attributes:
        kind: of the mistake: 'up', 'unit', 'axes', 'direction', 'turns', 'focal', 'mirrored', 'times', 'late',
            'quaternion', 'extents' or 'offset'.
        statement: the mistake in words.
        evidence: figures before and after, a sentence each.
        scan: corrected.
    """

    kind: str
    statement: str
    evidence: tuple[str, ...]
    scan: ScanNumbers


@dataclass(frozen=True)
class Diagnosis:
    """All that was found in a scan.

    Attributes:
        findings: mistakes that are clear, in the order in which they are corrected.
        ties: mistakes that explain the rest equally well; empty, or at least two.
        contradictions: figures of the corrected scan that no right scan has, a sentence each.
        scan: with the findings corrected.
    """

    findings: tuple[Finding, ...]
    ties: tuple[Finding, ...]
    contradictions: tuple[str, ...]
    scan: ScanNumbers

    @property
    def fixable(self) -> bool:
        """Check whether the findings explain all that is wrong."""
        return bool(self.findings) and not self.ties and not self.contradictions


_MOST = 3
"""Mistakes of one scan that are looked for, one after the other."""


def diagnose(scan: ScanNumbers) -> Diagnosis:
    """Find the mistakes of a scan."""
    findings: list[Finding] = []
    ties: tuple[Finding, ...] = ()
    while len(findings) < _MOST:
        clear = _clear(scan)
        if len(clear) != 1:
            ties = clear
            break
        findings.append(clear[0])
        scan = clear[0].scan
    wrong = () if ties else tuple(f"{one.what}: {one.shown}" for one in measures(scan) if one.impossible)
    return Diagnosis(tuple(findings), ties, wrong, scan)


def _clear(scan: ScanNumbers) -> tuple[Finding, ...]:
    """The corrections that are clearly better than none, and as good as the best of them."""
    own = measures(scan)
    cost = _total(own)
    if cost < CLEAR:
        return ()
    best: dict[str, tuple[float, str, str, ScanNumbers]] = {}
    for kind, statement, other in hypotheses(scan):
        changed = measures(other)
        if not _explains(own, changed):
            continue
        value = _total(changed)
        best[statement] = (value, kind, statement, other)
    least = min((value for value, *_ in best.values()), default=np.inf)
    if cost - least < CLEAR:
        return ()
    chosen = sorted((one for one in best.values() if one[0] < least + APART), key=lambda one: one[0])
    return tuple(Finding(kind, said, _evidence(own, measures(other)), other) for _, kind, said, other in chosen)


def _total(found: Iterable[Measure]) -> float:
    return float(sum(one.cost for one in found))


def _misfit(scan: ScanNumbers) -> float:
    """The cost of the overlap of boxes and masks, which alone tells neighbouring numbers apart."""
    return next((one.cost for one in measures(scan) if one.what == OVERLAP), np.inf)


def _explains(before: Sequence[Measure], after: Sequence[Measure]) -> bool:
    """Check whether a correction makes figures good, not only better."""
    costs = {one.what: one.cost for one in before}
    gains = (costs[one.what] - one.cost for one in after if one.what in costs and one.cost < GOOD)
    return sum(max(0.0, gain) for gain in gains) >= CLEAR


def _evidence(before: Sequence[Measure], after: Sequence[Measure]) -> tuple[str, ...]:
    """The figures that improve."""
    others = {one.what: one for one in after}
    return tuple(
        f"{one.what}: {one.shown}, {others[one.what].shown} when corrected"
        for one in before if one.what in others and one.cost > others[one.what].cost + 0.3
    )  # fmt: skip


def hypotheses(scan: ScanNumbers) -> Iterator[tuple[str, str, ScanNumbers]]:
    """Possible mistakes: kind, statement, and the scan without it."""
    for up in UP_TURNS:
        if up != scan.up:
            yield "up", f"up is {up}, not {scan.up}", replace(scan, up=up)
    for unit, metres in UNITS.items():
        if scan.unit not in ("unknown", unit):
            yield "unit", f"lengths are in {unit}, not {scan.unit}", replace(scan, unit=unit, scale=metres)
    if scan.cameras:
        yield from _of_cameras(scan)
    if len(scan.boxes):
        doubled = Boxes(scan.boxes.centers, scan.boxes.axes, scan.boxes.extents * 2)
        yield "extents", "boxes have half extents in place of full ones", replace(scan, boxes=doubled)
        yield from _offsets(scan)


def _of_cameras(scan: ScanNumbers) -> Iterator[tuple[str, str, ScanNumbers]]:
    first, cameras = scan.cameras[0], scan.cameras
    axes: Axes = "opengl" if first.axes == "opencv" else "opencv"
    yield (
        "axes", f"camera axes are {axes}, not {first.axes}",
        scan.with_cameras(lambda one: replace(one, axes="opengl" if one.axes == "opencv" else "opencv")),
    )  # fmt: skip
    direction: Direction = "scene_to_camera" if first.direction == "camera_to_scene" else "camera_to_scene"
    yield (
        "direction", f"poses are {direction}, not {first.direction}",
        scan.with_cameras(lambda one: replace(
            one, direction="scene_to_camera" if one.direction == "camera_to_scene" else "camera_to_scene")),
    )  # fmt: skip
    for turns in range(4):
        if turns != first.turns:
            yield (
                "turns", f"turns is {turns}, not {first.turns}",
                scan.with_cameras(lambda one, turns=turns: replace(one, turns=turns)),  # type: ignore[misc]
            )  # fmt: skip
    for order, said in (([1, 2, 3, 0], "w, x, y, z, not x, y, z, w"), ([3, 0, 1, 2], "x, y, z, w, not w, x, y, z")):
        yield (
            "quaternion", f"the poses' quaternions are in the order {said}",
            scan.with_cameras(lambda one, order=order: replace(one, poses=_reordered(one.poses, order))),  # type: ignore[misc]
        )  # fmt: skip
    yield from _mirrored(scan)
    if any(one.timed for one in cameras):
        for factor, unit in ((1e-3, "milliseconds"), (1e-6, "microseconds"), (1e-9, "nanoseconds")):
            yield (
                "times",
                f"times are in {unit}, not seconds",
                scan.with_cameras(
                    lambda one, factor=factor: replace(one, times=one.times * factor) if one.timed else one  # type: ignore[misc]
                ),
            )
    yield from _focal(scan)
    if any(one.views for one in cameras):
        shifted = {k: scan.with_cameras(lambda one, k=k: replace(one, poses=_shifted(one.poses, k))) for k in SHIFTS}  # type: ignore[misc]
        k = min(SHIFTS, key=lambda k: _misfit(shifted[k]))
        if k not in (SHIFTS[0], SHIFTS[-1]):
            yield "late", f"poses are {abs(k)} frame{'s' * (abs(k) > 1)} {'late' if k > 0 else 'early'}", shifted[k]


def _focal(scan: ScanNumbers) -> Iterator[tuple[str, str, ScanNumbers]]:
    cameras = [one for one in scan.cameras if len(one.intrinsics) and not one.lensed]
    if not cameras:
        return
    ratio = middle_ratio(cameras[0])
    if abs(np.log(ratio)) > 0.15:
        size = " × ".join(f"{round(side * ratio):,}" for side in cameras[0].size)
        yield "focal", f"intrinsics are of pictures of {size} pixels", _scaled(scan, 1 / ratio, whole=True)
    elif any(one.views for one in cameras):
        factor = _focal_factor(scan)
        yield "focal", f"focal lengths are {factor:.3g} times as large", _scaled(scan, factor, whole=False)


def _focal_factor(scan: ScanNumbers) -> float:
    """The factor of focal lengths with which masks and boxes overlap most: a simple fraction if one is within 1.5 %."""

    def cost(log: float) -> float:
        return _misfit(_scaled(scan, float(np.exp(log)), whole=False))

    logs = np.log(FOCAL_FACTORS)
    best = int(np.clip(np.argmin([cost(log) for log in logs]), 1, len(logs) - 2))
    found = float(
        scipy.optimize.minimize_scalar(
            cost, bounds=(logs[best - 1], logs[best + 1]), method="bounded", options={"xatol": 0.003}
        ).x
    )
    simple = float(Fraction(float(np.exp(found))).limit_denominator(4))
    return simple if simple > 0 and abs(np.log(simple) - found) < 0.015 else float(np.exp(found))


def _scaled(scan: ScanNumbers, factor: float, *, whole: bool) -> ScanNumbers:
    factors = np.array([factor, factor, factor if whole else 1, factor if whole else 1])
    return scan.with_cameras(lambda one: one if one.lensed else replace(one, intrinsics=one.intrinsics * factors))


def _mirrored(scan: ScanNumbers) -> Iterator[tuple[str, str, ScanNumbers]]:
    poses = scan.cameras[0].poses
    known = np.isfinite(poses).all((1, 2))
    if not known.any() or np.median(np.linalg.det(poses[known][:, :3, :3])) > 0:
        return
    level = [axis for axis in range(3) if "xyz"[axis] != scan.up[-1]]
    # Without masks, a mirrored path through a room that is nearly symmetric looks right too.
    if any(one.views for one in scan.cameras):
        for axis in range(3):
            matrix = np.diag([-1.0 if i == axis else 1.0 for i in range(4)])
            yield (
                "mirrored", f"{'xyz'[axis]} of the poses points the other way",
                scan.with_cameras(lambda one, matrix=matrix: one.moved(matrix)),  # type: ignore[misc]
            )  # fmt: skip
    # Mirrored at one level axis or the other, a scene differs by half a turn about the vertical.
    for axis in (level[-1], "xyz".index(scan.up[-1])):
        sign = np.array([-1.0 if i == axis else 1.0 for i in range(3)])
        boxes = Boxes(scan.boxes.centers * sign, scan.boxes.axes * sign, scan.boxes.extents)
        moved = scan.with_cameras(lambda one, sign=sign: one.moved(np.diag([*sign, 1.0])))  # type: ignore[misc]
        said = f"the scene's axes are left-handed: {'xyz'[axis]} points the other way"
        surface, origin, flips = scan.surface * sign, scan.origin * sign, scan.flips * sign
        yield "mirrored", said, replace(moved, boxes=boxes, surface=surface, origin=origin, flips=flips)


def _reordered(poses: Floats, order: list[int]) -> Floats:
    """Poses whose quaternions, x, y, z, w, are read in another order."""
    found = poses.copy()
    known = np.isfinite(poses).all((1, 2)) & (np.linalg.det(np.nan_to_num(poses[:, :3, :3])) > 0.5)
    if known.any():
        quaternions = scipy.spatial.transform.Rotation.from_matrix(poses[known, :3, :3]).as_quat()
        found[known, :3, :3] = scipy.spatial.transform.Rotation.from_quat(quaternions[:, order]).as_matrix()
    return found


def _shifted(poses: Floats, k: int) -> Floats:
    """Each frame with the pose of the frame that is k later; nan where there is none."""
    found = np.full_like(poses, np.nan)
    if k > 0:
        found[:-k] = poses[k:]
    else:
        found[-k:] = poses[:k]
    return found


def _offsets(scan: ScanNumbers) -> Iterator[tuple[str, str, ScanNumbers]]:
    """Boxes that are shifted against the mesh's labels, and poses that are shifted against boxes with masks."""
    shifts = [
        (scan.surface[scan.owners == row].min(0) + scan.surface[scan.owners == row].max(0)) / 2
        - (corners.min(0) + corners.max(0)) / 2
        for row, corners in enumerate(scan.boxes.vertices()) if (scan.owners == row).sum() >= 4
    ]  # fmt: skip
    if len(shifts) >= 3:
        shift = np.median(shifts, axis=0)
        boxes = Boxes(scan.boxes.centers + shift, scan.boxes.axes, scan.boxes.extents)
        yield "offset", f"boxes are {_length(scan, shift)} from the mesh's frame", replace(scan, boxes=boxes)
    seen = _lines(scan)
    if seen is not None:
        origins, ways, rows = seen
        shift = _nearest_shift(scan.metric_boxes().centers[rows], origins, ways)
        shift = _refined(scan, shift) / scan.scale @ UP_TURNS[scan.up]
        matrix = np.eye(4)
        matrix[:3, 3] = -shift
        said = f"poses are {_length(scan, shift)} from the frame of the boxes"
        yield "offset", said, scan.with_cameras(lambda one: one.moved(matrix))


def _length(scan: ScanNumbers, shift: Floats) -> str:
    return f"{np.linalg.norm(shift) * scan.scale:.2f} m"


def _lines(scan: ScanNumbers) -> tuple[Floats, Floats, NDArray[np.int64]] | None:
    """Lines of sight through the middles of whole masks: origins, unit directions, and the rows of their boxes."""
    origins, ways, rows = [], [], []
    for camera in scan.cameras:
        poses = scan.metric_poses(camera)
        for view in (one for one in camera.views if np.isfinite(poses[one.frame]).all()):
            (fx, fy, cx, cy), pose = camera.of([view.frame])[0], poses[view.frame]
            middles = (view.edges[:, :2] + view.edges[:, 2:]) / 2
            local = np.column_stack([(middles - (cx, cy)) / (fx, fy), np.ones(len(middles))])
            ways.append(local / np.linalg.norm(local, axis=1, keepdims=True) @ pose[:3, :3].T)
            origins.append(np.tile(pose[:3, 3], (len(middles), 1)))
            rows.append(view.rows)
    if sum(map(len, rows)) < 6:
        return None
    return np.concatenate(origins), np.concatenate(ways), np.concatenate(rows)


def _nearest_shift(centers: Floats, origins: Floats, ways: Floats) -> Floats:
    """The shift of points that brings them nearest to their lines, by reweighted least squares, shape (3,)."""
    across = np.eye(3) - ways[:, :, None] * ways[:, None]
    shift, weights = np.zeros(3), np.ones(len(centers))
    for _ in range(20):
        normal = (across * weights[:, None, None]).sum(0) + 1e-9 * np.eye(3)
        right = np.einsum("n,nij,nj->i", weights, across, origins - centers)
        shift = np.linalg.solve(normal, right)
        off = np.linalg.norm(np.einsum("nij,nj->ni", across, origins - centers - shift), axis=1)
        weights = 1 / (off + 0.02)
    return shift


def _refined(scan: ScanNumbers, shift: Floats) -> Floats:
    """A shift of boxes, metres, under which their outlines meet the edges of their masks, by Gauss-Newton with Cauchy
    weights, as occluded edges are outliers."""
    boxes, parts = scan.metric_boxes().vertices(), []
    for camera in scan.cameras:
        poses = scan.metric_poses(camera)
        for view in camera.views:
            if len(view.rows) and np.isfinite(poses[view.frame]).all():
                parts.append((boxes[view.rows], poses[view.frame], camera.of([view.frame])[0], view.edges))

    def residuals(one: Floats) -> Floats:
        found = []
        for corners, pose, (fx, fy, cx, cy), edges in parts:
            local = (corners + one - pose[:3, 3]) @ pose[:3, :3]
            depth = np.maximum(local[..., 2], 0.05)
            x, y = fx * local[..., 0] / depth + cx, fy * local[..., 1] / depth + cy
            found.append(np.stack([x.min(1), y.min(1), x.max(1), y.max(1)], -1) - edges)
        return np.concatenate(found).ravel()

    for scale in (20.0, 10.0, 5.0, *[2.0] * 6, *[1.0] * 6):
        off = residuals(shift)
        slope = np.stack([(residuals(shift + step) - off) / 1e-4 for step in 1e-4 * np.eye(3)], axis=1)
        weights = 1 / (1 + (off / scale) ** 2)
        normal = slope.T @ (slope * weights[:, None]) + 1e-9 * np.eye(3)
        shift = shift - np.linalg.solve(normal, slope.T @ (weights * off))
    return shift
