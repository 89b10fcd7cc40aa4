"""Mistakes in the declarations of a scan, found by trying each one and keeping the one that makes the data agree.

Each hypothesis changes the numbers of a scan, and each measure gives the changed scan a cost: about 0 where
the data look as usual, about 1 where they are off by a factor of two. A mistake is named only if its correction is
cheaper than the scan as it is by `CLEAR`, and cheaper than all other corrections by `APART`. Corrections closer than
that are a tie, and are all named. Measures that remain impossible under the best hypothesis are contradictions.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tolman.errors import counted
from tolman.extras import scipy
from tolman.geometry.boxes import Boxes, Floats
from tolman.ingest.camera_conventions import FOCAL_FACTORS, UP_TURNS
from tolman.ingest.scan_format import Axes, Direction
from tolman.ingest.scan_measures import (
    DEPTHS,
    OVERLAP,
    UNITS,
    CameraNumbers,
    Measure,
    ScanNumbers,
    measures,
    middle_ratio,
)

CLEAR, APART = 1.0, 0.5
"""Cost by which a correction must be below the scan as it is, and below every other correction."""
GOOD = 2.0
"""Cost below which a figure may be a right scan's."""
_OTHER_AXES: dict[Axes, Axes] = {"opencv": "opengl", "opengl": "opencv"}
_OTHER_DIRECTION: dict[Direction, Direction] = {
    "camera_to_scene": "scene_to_camera", "scene_to_camera": "camera_to_scene",
}  # fmt: skip
T = TypeVar("T")
DEPTH_SCALES = (1.0, 100.0, 256.0, 512.0, 1000.0, 2000.0, 4000.0, 5000.0, 6553.5, 10000.0)
"""Usual values of depths for each metre."""
SHIFTS = tuple(k for k in range(-16, 17) if k)
"""Frames by which poses may be late or early. The first and the last are no findings: more may fit better."""


@dataclass(frozen=True)
class Finding:
    """A mistake, and its correction.

    Attributes:
        kind: of the mistake: 'up', 'unit', 'axes', 'direction', 'turns', 'focal', 'mirrored', 'times', 'late',
            'quaternion', 'extents', 'offset', 'principal', 'intrinsics' or 'depth'.
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
        # All four intrinsics fit as well as the one that is wrong.
        value = _total(changed) + 2 * APART * (kind == "intrinsics")
        best[statement] = (value, kind, statement, other)
    least = min((value for value, *_ in best.values()), default=np.inf)
    if cost - least < CLEAR:
        return ()
    chosen: list[tuple[str, str, ScanNumbers]] = []
    for value, kind, said, other in sorted(best.values(), key=lambda one: one[0]):
        if value < least + APART and not any(_same(other, another) for *_, another in chosen):
            chosen.append((kind, said, other))
    return tuple(Finding(kind, said, _evidence(own, measures(other)), other) for kind, said, other in chosen)


def _same(a: ScanNumbers, b: ScanNumbers) -> bool:
    """Check whether two corrections come to the same cameras in the same scene."""
    if (a.up, a.scale) != (b.up, b.scale) or not np.allclose(a.boxes.vertices(), b.boxes.vertices(), atol=1e-6):
        return False
    return all(
        (one.turns, one.depth_scale) == (other.turns, other.depth_scale)
        and np.array_equal(one.intrinsics, other.intrinsics)
        and np.array_equal(one.times, other.times)
        and np.allclose(a.metric_poses(one), b.metric_poses(other), atol=1e-6, equal_nan=True)
        for one, other in zip(a.cameras, b.cameras, strict=True)
    )


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
    yield (
        "axes", f"camera axes are {_OTHER_AXES[first.axes]}, not {first.axes}",
        scan.with_cameras(lambda one: replace(one, axes=_OTHER_AXES[one.axes])),
    )  # fmt: skip
    yield (
        "direction", f"poses are {_OTHER_DIRECTION[first.direction]}, not {first.direction}",
        scan.with_cameras(lambda one: replace(one, direction=_OTHER_DIRECTION[one.direction])),
    )  # fmt: skip
    for turns in range(4):
        if turns != first.turns:
            yield "turns", f"turns is {turns}, not {first.turns}", scan.with_cameras(partial(replace, turns=turns))
    for order, said in (([1, 2, 3, 0], "w, x, y, z, not x, y, z, w"), ([3, 0, 1, 2], "x, y, z, w, not w, x, y, z")):
        # They may have been read in another convention than the file's: poses may have been converted later.
        for direction, axes in itertools.product(_OTHER_DIRECTION, _OTHER_AXES):
            is_own = direction == first.direction and axes == first.axes
            of = "" if is_own else f" of {axes} poses {direction.replace('_', ' ')}"
            other = scan.with_cameras(partial(_reordered_as, direction=direction, axes=axes, order=order))
            yield "quaternion", f"the poses' quaternions{of} are in the order {said}", other
    yield from _mirrored(scan)
    if any(one.timed for one in cameras):
        for factor, unit in ((1e-3, "milliseconds"), (1e-6, "microseconds"), (1e-9, "nanoseconds")):
            yield "times", f"times are in {unit}, not seconds", scan.with_cameras(partial(_in_seconds, factor=factor))
    yield from _focal(scan)
    if any(one.views for one in cameras):
        yield from _intrinsics(scan)
        yield from _depths(scan)
        yield from _mirrored_boxes(scan)
        shifted = {k: _with_poses(scan, _shifted, k) for k in SHIFTS}
        k = min(SHIFTS, key=lambda k: _misfit(shifted[k]))
        if k not in (SHIFTS[0], SHIFTS[-1]):
            yield "late", f"poses are {counted(abs(k), 'frame')} {'late' if k > 0 else 'early'}", shifted[k]


def _in_seconds(camera: CameraNumbers, factor: float) -> CameraNumbers:
    return replace(camera, times=camera.times * factor) if camera.timed else camera


def _with_poses(scan: ScanNumbers, change: Callable[[Floats, T], Floats], how: T) -> ScanNumbers:
    return scan.with_cameras(lambda one: replace(one, poses=change(one.poses, how)))


def _moved(scan: ScanNumbers, matrix: Floats) -> ScanNumbers:
    return scan.with_cameras(lambda one: one.moved(matrix))


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


def _intrinsics(scan: ScanNumbers) -> Iterator[tuple[str, str, ScanNumbers]]:
    """The intrinsics under which outlines of boxes meet their masks best: the principal point alone, and all four."""
    own = scan.cameras[0].intrinsics
    for kind, free in (("principal", False), ("intrinsics", True)):
        other = scan.with_cameras(partial(_refitted, scan, free=free))
        found = other.cameras[0].intrinsics
        if len(own) and np.abs(found - own).max() > 0.01 * max(scan.cameras[0].size):
            fx, fy, cx, cy = np.median(found, axis=0)
            point = f"the principal point is ({cx:.0f}, {cy:.0f})"
            yield kind, f"focal lengths are {fx:.0f} and {fy:.0f}, {point}" if free else point, other


def _refitted(scan: ScanNumbers, camera: CameraNumbers, *, free: bool) -> CameraNumbers:
    """A camera with the principal point that edges of masks show, and with their focal lengths if these are free; the
    middle of the pictures where too few edges are there."""
    if not len(camera.intrinsics) or camera.lensed:
        return camera
    boxes, poses, found = scan.metric_boxes().vertices(), scan.metric_poses(camera), camera.intrinsics.copy()
    seen, edges, focal = [], [], []
    for view in camera.views:
        local = (boxes[view.rows] - poses[view.frame, :3, 3]) @ poses[view.frame, :3, :3]
        ahead = local[..., 2].min(1, initial=np.inf) > 0.2
        slopes = local[ahead, :, :2] / local[ahead, :, 2:]
        seen += [slopes.min(1), slopes.max(1)]
        edges += [view.edges[ahead, :2], view.edges[ahead, 2:]]
        focal += [np.tile(camera.of([view.frame])[0, :2], (len(slopes), 1))] * 2
    if sum(map(len, seen)) < 12:
        if not free:
            found[:, 2:] = np.array(camera.size) / 2
        return replace(camera, intrinsics=found)
    for axis in range(2):
        x, u, f = (np.concatenate(one)[:, axis] for one in (seen, edges, focal))
        if free:
            slope, start = _line(x, u)
            found[:, axis], found[:, 2 + axis] = slope, start
        else:
            found[:, 2 + axis] = np.median(u - f * x)
    return replace(camera, intrinsics=found) if (found[:, :2] > 0).all() else camera


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope and intercept by reweighted least squares with Cauchy weights, as occluded edges are outliers."""
    weights = np.ones(len(x))
    for scale in (100.0, 50.0, 20.0, 10.0, *[5.0] * 10):
        slope, start = np.polyfit(x, y, 1, w=np.sqrt(weights))
        weights = 1 / (1 + ((y - slope * x - start) / scale) ** 2)
    return float(slope), float(start)


def _depths(scan: ScanNumbers) -> Iterator[tuple[str, str, ScanNumbers]]:
    """Another scale of depths: a usual one, if one is within 6 % of the fitted one."""
    ratio = next((one.value for one in measures(scan) if one.what == DEPTHS), 1.0)
    fitted = scan.cameras[0].depth_scale * ratio
    scale = min(DEPTH_SCALES, key=lambda one: abs(np.log(one / fitted)))
    scale = scale if abs(np.log(scale / fitted)) < 0.06 else float(f"{fitted:.3g}")
    if scale != scan.cameras[0].depth_scale:
        other = scan.with_cameras(partial(replace, depth_scale=scale))
        yield "depth", f"depths have {scale:g} values a metre", other


def _mirrored_boxes(scan: ScanNumbers) -> Iterator[tuple[str, str, ScanNumbers]]:
    """Boxes or poses alone with an axis reversed or two exchanged, where that leaves no trace in the poses."""
    for axis in range(3):
        others = [one for one in range(3) if one != axis]
        exchange = np.eye(3)[[others[1] if i == others[0] else others[0] if i == others[1] else i for i in range(3)]]
        names = " and ".join("xyz"[one] for one in others)
        reverse = np.diag([-1.0 if i == axis else 1.0 for i in range(3)])
        for matrix, said in (
            (reverse, f"{'xyz'[axis]} of % points the other way"),
            (exchange, f"{names} of % are exchanged"),
        ):
            boxes = Boxes(scan.boxes.centers @ matrix.T, scan.boxes.axes @ matrix.T, scan.boxes.extents)
            yield "mirrored", said.replace("%", "the boxes"), replace(scan, boxes=boxes)
            if matrix is exchange:
                whole = np.eye(4)
                whole[:3, :3] = matrix
                yield "mirrored", said.replace("%", "the poses"), _moved(scan, whole)


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
            yield "mirrored", f"{'xyz'[axis]} of the poses points the other way", _moved(scan, matrix)
    # Mirrored at one level axis or the other, a scene differs by half a turn about the vertical.
    for axis in (level[-1], "xyz".index(scan.up[-1])):
        sign = np.array([-1.0 if i == axis else 1.0 for i in range(3)])
        boxes = Boxes(scan.boxes.centers * sign, scan.boxes.axes * sign, scan.boxes.extents)
        moved = _moved(scan, np.diag([*sign, 1.0]))
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


def _reordered_as(camera: CameraNumbers, *, direction: Direction, axes: Axes, order: list[int]) -> CameraNumbers:
    """A camera whose quaternions were read in another order when its poses had some direction and axes."""

    def converted(poses: Floats) -> Floats:
        found = poses.copy()
        known = np.isfinite(poses).all((1, 2))
        if direction != camera.direction:
            found[known] = np.linalg.inv(found[known])
        return found

    def turned(poses: Floats) -> Floats:
        if axes == camera.axes:
            return poses
        found = poses.copy()
        if direction == "camera_to_scene":
            found[:, :3, 1:3] *= -1
        else:
            found[:, 1:3] *= -1
        return found

    return replace(camera, poses=converted(turned(_reordered(turned(converted(camera.poses)), order))))


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
        yield "offset", said, _moved(scan, matrix)


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
