"""Consistency of a scan's cameras with its masks, depth, mesh and boxes; the convention that makes them agree.

| found | done |
|---|---|
| the cameras as read score enough | taken |
| others score enough to prove them, and clearly more | refused, with the convention that fits |
| less than a fifth agrees (of boxes with depth, a tenth), and no convention fits | refused: it isn't of one recording |
| anything between | a note with the figures |

Measures compare masks with boxes, and depth with a mesh, with itself and with boxes. Each gives a score between 0 and 1
for any cameras (`geometry.motion`). Each scan is held by `camera_conventions` to where its cameras say up
is, and its cameras to where its things are; one without masks and depth to its mesh by completeness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.camera_geometry import Tree
from tolman.geometry.motion import (
    CameraView,
    DepthSample,
    MaskSample,
    box_agreement,
    frame_agreement,
    in_frames,
    mask_agreement,
    surface_agreement,
)
from tolman.ingest.camera_conventions import (
    MIN_BOXES,
    MIN_POINTS,
    UPRIGHT,
    Convention,
    Declared,
    StandingThings,
    check_up,
    depth_candidates,
    detached_candidates,
    focal_candidates,
    late_candidates,
    oriented_candidates,
)
from tolman.ingest.scan_format import CameraRecording, Up
from tolman.scenes import OrientedBox

FRAMES = 12
"""Frames that are looked at."""
PIXELS = 60
"""Pixels of an object's mask in a frame that are looked at, and as many others."""
MIN_MASK_SHARE = 0.0005
"""Share of a picture below which an object's mask is passed over: 150 pixels of 640×480."""
MIN_SAMPLES, MIN_OBJECTS = 6, 2
"""Masks, and objects among them, below which masks and boxes say nothing."""
READINGS = 600
"""Depth readings of a frame that are looked at."""
MIN_PARALLAX_SHARE = 0.02
"""Way between frames, as a share of the median depth, from which depths of neighbouring frames say something."""


@dataclass(frozen=True)
class AgreementMeasure:
    """Something that cameras can be held to.

    Attributes:
        what: is compared, for sentences.
        enough: the score from which cameras are taken as right.
        proves: the score from which others are.
        factor: cameras are wrong if others have so many times their score.
        score: of cameras at the frames that are looked at; None where they show too little.
        hopeless: the score below which the scan is wrong even if nothing else fits: boxes that are 50 cm off still
            agree with masks by 0.3.
        metric: whether it depends on the factor of depths.
        boxes_only: whether it is asked where the cameras are known to be right, so that only boxes can be wrong.
    """

    what: str
    enough: float
    proves: float
    factor: float
    score: Callable[[Convention], float | None]
    hopeless: float = 0.2
    metric: bool = False
    boxes_only: bool = False


def mask_measure(
    recording: CameraRecording, frames: list[int], boxes: Mapping[int, OrientedBox]
) -> AgreementMeasure | None:
    """Masks with boxes.

    Args:
        recording: with masks.
        frames: that are looked at.
        boxes: by their numbers in the masks; of things that stay where they are.
    """
    if recording.masks is None or not boxes:
        return None
    places = {number: i for i, number in enumerate(boxes)}
    samples: list[MaskSample] = []
    draw = np.random.default_rng(0)
    for view, frame in enumerate(frames):
        mask = recording.masks(frame)
        if mask is None:
            continue
        shape = np.array(mask.shape[::-1], dtype=np.float64)
        numbers, counts = np.unique(mask, return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            if number not in places or count < max(20, MIN_MASK_SHARE * mask.size) or count > 0.9 * mask.size:
                continue
            parts = []
            for where in (mask == number, mask != number):
                cells = np.flatnonzero(where)
                cells = draw.choice(cells, min(PIXELS, len(cells)), replace=False)
                pixels = np.column_stack([cells % mask.shape[1], cells // mask.shape[1]]) + 0.5
                parts.append(pixels / shape * recording.size)
            samples.append(MaskSample(view, places[number], parts[0], parts[1]))
    if len(samples) < MIN_SAMPLES or len({sample.box for sample in samples}) < MIN_OBJECTS:
        return None
    held = boxes_of(list(boxes.values()))
    return AgreementMeasure(
        "boxes and masks", 0.6, 0.6, 2.0, lambda one: mask_agreement(samples, _views(one.poses, one.intrinsics), held)
    )


def depth_measures(
    recording: CameraRecording, frames: list[int], poses: Floats, tree: Tree | None, boxes: Boxes
) -> Iterator[AgreementMeasure]:
    """Depth with the mesh, or with itself where there is none, and with boxes.

    Args:
        recording: with depths.
        frames: that are looked at.
        poses: of these frames as they were read, shape (n, 4, 4).
        tree: of the mesh.
        boxes: of things that stay where they are.
    """
    if recording.depths is None:
        return
    read = [recording.depths(frame) for frame in frames]
    own = [i for i, depths in enumerate(read) if depths is not None and (depths > 0).mean() > 0.05]
    if len(own) < 2:
        return
    maps = [np.asarray(depths) for i in own if (depths := read[i]) is not None]
    samples = [_readings(depths, recording) for depths in maps]
    median = float(np.median(np.concatenate([sample.depths for sample in samples])))

    def views(one: Convention) -> list[CameraView]:
        return _views(one.poses[own], _of_depths(recording, one.intrinsics)[own])

    def read_as(one: Convention) -> list[DepthSample]:
        return [DepthSample(sample.pixels, sample.depths * one.depths) for sample in samples]

    if tree is not None:
        yield AgreementMeasure(
            "depth and mesh", 0.6, 0.6, 1.5, lambda one: surface_agreement(read_as(one), views(one), tree), metric=True
        )
    else:
        moved = np.linalg.norm(np.diff(poses[own, :3, 3], axis=0), axis=1)
        turned = np.abs(np.diff(poses[own, :3, 2], axis=0)).max(1)
        if (np.maximum(moved / median, turned) > MIN_PARALLAX_SHARE).sum() >= 3:
            yield AgreementMeasure(
                "depths of neighbouring frames", 0.7, 0.7, 1.5,
                lambda one: frame_agreement(
                    read_as(one), views(one), [each * one.depths for each in maps], recording.size
                ),
                metric=True,
            )  # fmt: skip
    if len(boxes):
        yield AgreementMeasure(
            "boxes and depth", 0.3, 0.8, 2.0, lambda one: box_agreement(read_as(one), views(one), boxes),
            hopeless=0.1, boxes_only=True,
        )  # fmt: skip


def tracked_frames(recording: CameraRecording) -> list[int]:
    """The frames that are looked at: evenly chosen among those with a pose."""
    if not len(recording.poses) or not len(recording.intrinsics):
        return []
    return [int(frame) for frame in in_frames(np.flatnonzero(np.isfinite(recording.poses).all((1, 2))), FRAMES)]


def boxes_of(boxes: list[OrientedBox]) -> Boxes:
    """Boxes as arrays."""
    return Boxes(
        np.array([box.center for box in boxes]).reshape(-1, 3),
        np.array([box.axes for box in boxes]).reshape(-1, 3, 3),
        np.array([box.extents for box in boxes]).reshape(-1, 3),
    )


def _views(poses: Floats, cameras: Floats) -> list[CameraView]:
    return [CameraView(pose, camera) for pose, camera in zip(poses, cameras, strict=True)]


def _of_depths(recording: CameraRecording, cameras: Floats) -> Floats:
    """Scale the depths' intrinsics as the pictures' are scaled, in pixels of the pictures' size."""
    if recording.depth_intrinsics is None:
        return cameras
    return np.asarray(recording.depth_intrinsics * cameras / recording.intrinsics[0])


def _readings(depths: Floats, recording: CameraRecording) -> DepthSample:
    """Depth readings on a grid over the picture."""
    height, width = depths.shape
    step = max(1, int(np.sqrt(height * width / READINGS)))
    rows, columns = np.meshgrid(np.arange(step // 2, height, step), np.arange(step // 2, width, step), indexing="ij")
    values = depths[rows, columns].ravel()
    there = (values > 0) & np.isfinite(values)
    pixels = np.column_stack([columns.ravel() + 0.5, rows.ravel() + 0.5])[there] / (width, height) * recording.size
    return DepthSample(pixels, values[there].astype(np.float64))


REACH, REACH_OUTDOORS = 20.0, 300.0
"""Metres from everything that is there within which a camera must be."""
MIDST = 2.0
"""Metres from things within which a convention must bring the cameras to be proposed."""
MIN_SPREAD = 0.3
"""Metres that cameras must move under another unit for it to be proposed: any is right for those that stand still."""
BELOW = 0.3
"""Metres that the cameras' median may be below the lowest thing."""


def check_cameras(
    path: Path,
    recordings: Sequence[CameraRecording],
    up: Up,
    tree: Tree | None,
    numbered: Mapping[int, OrientedBox],
    boxes: Sequence[OrientedBox],
    surface: Floats,
    *,
    outdoors: bool = False,
) -> list[str]:
    """Check the cameras of a scan against its other data.

    Args:
        path: of the scan, for messages.
        recordings: with checked poses.
        up: the axis of the files that points up.
        tree: of the mesh; None where it has none.
        numbered: boxes by the number that masks have them under; of things that stay where they are.
        boxes: all of those.
        surface: points of the mesh, shape (n, 3).
        outdoors: whether things may be far from the cameras.

    Returns:
        The notes.

    Raises:
        InputError: they contradict each other; the sentence names the convention that fits.
    """
    notes: list[str] = []
    standing = StandingThings(surface, boxes_of(list(boxes)))
    for recording in recordings:
        frames = tracked_frames(recording)
        poses = recording.poses[frames] if len(recording.poses) else np.empty((0, 4, 4))
        cameras = _rows(recording, frames)
        declared = Declared(recording.axes, recording.direction, up)
        shown = f" of '{recording.role}'" if len(recordings) > 1 else ""
        held = []
        if len(frames) >= 2:
            mask = mask_measure(recording, frames, numbered)
            held = [mask] if mask is not None else []
            held += depth_measures(recording, frames, poses, tree, boxes_of(list(boxes)))
        looked = _Looked(path, recording, frames, Convention("", poses, cameras), declared, shown)
        good = False
        for measure in held:
            said, good = _hold(measure, looked)
            notes += said
            if said:
                break
        notes += check_up(path, recording, declared, standing, shown, held=good)
        if frames:
            _check_places(path, looked, standing, outdoors)
    return notes


def fitting(
    one: Convention, declared: Declared, score: Callable[[Convention], float | None]
) -> tuple[str, float] | None:
    """The axes and direction under which cameras score best, of those other than they were read under; None of none."""
    scored = [(other.name, score(other)) for other in oriented_candidates(one.poses, one.intrinsics, declared)]
    known = [(name, value) for name, value in scored if value is not None]
    return max(known, key=lambda pair: pair[1], default=None)


@dataclass(frozen=True)
class _Looked:
    """A recording at the frames that are looked at, as it was read."""

    path: Path
    recording: CameraRecording
    frames: Sequence[int]
    cameras: Convention
    declared: Declared
    shown: str

    def others(self, measure: AgreementMeasure) -> Iterator[Iterable[Convention]]:
        """Other conventions, in groups, those that are mistaken most often first."""
        poses, intrinsics = self.cameras.poses, self.cameras.intrinsics
        if measure.boxes_only:
            yield detached_candidates(poses, intrinsics, self.declared)
            return
        yield oriented_candidates(poses, intrinsics, self.declared)
        yield focal_candidates(poses, intrinsics)
        if measure.metric:
            yield depth_candidates(poses, intrinsics)
        yield detached_candidates(poses, intrinsics, self.declared)
        yield late_candidates(self.recording.poses, self.frames, intrinsics)


def _hold(measure: AgreementMeasure, looked: _Looked) -> tuple[list[str], bool]:
    """Notes, and whether the cameras as read agree with a measure."""
    own = measure.score(looked.cameras)
    if own is None or own >= measure.enough:
        return [], own is not None
    name, value = _best(measure, looked)
    if value >= measure.proves and own * measure.factor < value:
        raise InputError(
            looked.path,
            f"{measure.what}{looked.shown} contradict the cameras as they are declared",
            fix=f"they fit with {name}: {value:.0%} against {own:.0%}",
        )
    if own < measure.hopeless:
        raise InputError(
            looked.path,
            f"{measure.what}{looked.shown} agree by {own:.0%} under the cameras as they are declared, and under no "
            f"other axes, direction, unit, focal length or order by more than {max(own, value):.0%}",
            fix="check that poses, pictures, masks, depth and boxes are of one recording and in one order",
        )
    better = f" (with {name}: {value:.0%})" if value > own + 0.05 else ", and under no other convention by more"
    return [
        f"{measure.what}{looked.shown} agree by {own:.0%} only{better}: poses, boxes or intrinsics are inaccurate"
    ], False


def _best(measure: AgreementMeasure, looked: _Looked) -> tuple[str, float]:
    """The convention under which cameras score best; a later group of them must be clearly better."""
    name, value = "", 0.0
    for candidates in looked.others(measure):
        scored = [(measure.score(candidate), candidate.name) for candidate in candidates]
        known = [(score, other) for score, other in scored if score is not None]
        most = max(known, key=lambda pair: pair[0], default=(0.0, ""))
        if most[0] > value + 0.1:
            value, name = most
    return name, value


def _check_places(path: Path, looked: _Looked, standing: StandingThings, outdoors: bool) -> None:
    """Check cameras against the places of things: not below the lowest one, and not far from all of them.

    Raises:
        InputError: they aren't there; the sentence names the convention under which they are, if there is one.
    """
    corners = standing.boxes.vertices().reshape(-1, 3)
    points = np.concatenate([corners, standing.surface])
    if len(standing.boxes) < MIN_BOXES and len(standing.surface) < MIN_POINTS:
        return
    low, high = points.min(0), points.max(0)
    reach = REACH_OUTDOORS if outdoors else REACH

    def below(one: Convention) -> float:
        return float(low[2] - np.median(one.poses[:, 2, 3]))

    def apart(one: Convention) -> float:
        places = one.poses[:, :3, 3]
        return float(np.linalg.norm(np.maximum(0, np.maximum(low - places, places - high)), axis=1).min())

    depth, far = below(looked.cameras), apart(looked.cameras)
    # On a slope everything may stand higher than a camera.
    if (outdoors or depth <= BELOW) and far <= reach:
        return
    if far > reach:
        what = f"the cameras{looked.shown} are at least {far:,.0f} m from everything that is there"
    else:
        what = f"the cameras{looked.shown} are {depth:.1f} m below everything that is there"
    poses, intrinsics = looked.cameras.poses, looked.cameras.intrinsics
    for candidates in (
        oriented_candidates(poses, intrinsics, looked.declared), detached_candidates(poses, intrinsics, looked.declared)
    ):  # fmt: skip
        for one in candidates:
            stand = one.poses[:, :3, :3] @ (0, -1, 0)
            spread = float(np.ptp(one.poses[:, :3, 3], axis=0).max())
            if spread < MIN_SPREAD and one.name.startswith("positions"):
                continue
            if below(one) < 0 and apart(one) <= MIDST and stand.mean(0)[2] > UPRIGHT:
                raise InputError(path, what, fix=f"they are among it with {one.name}")
    if far > reach:
        raise InputError(path, what, fix="check that poses, boxes and mesh are of one recording, in one unit")


def _rows(recording: CameraRecording, frames: Sequence[int]) -> Floats:
    """Intrinsics, a row for each of some frames."""
    if len(recording.intrinsics) > 1:
        return np.asarray(recording.intrinsics[list(frames)])
    return np.repeat(recording.intrinsics, len(frames), axis=0)
