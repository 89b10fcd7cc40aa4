"""Consistency of a scan's cameras with its masks, depth, mesh and boxes; the convention that makes them agree.

| found | done |
|---|---|
| the cameras as read score enough | taken |
| others score enough to prove them, and clearly more | refused, with the convention that fits |
| less than a fifth agrees (of boxes with depth, a tenth), and no convention fits | refused: it isn't of one recording |
| anything between | a note with the figures |

Each scan is held by `upright` to where its cameras say up is, and its cameras to where its things are; one without
masks and depth to its mesh by completeness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.casting import Tree
from tolman.ingest.base import CameraRecording, Up
from tolman.ingest.conventions import (
    Convention,
    Declared,
    depth_candidates,
    detached_candidates,
    focal_candidates,
    late_candidates,
    oriented_candidates,
)
from tolman.ingest.upright import MIN_BOXES, MIN_POINTS, UPRIGHT, StandingThings, check_up
from tolman.ingest.witnesses import Witness, boxes_of, depth_witnesses, mask_witness, tracked_frames
from tolman.scenes import OrientedBox

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
    """Hold the cameras of a scan to what else it holds.

    Args:
        path: of the scan, for what is said.
        recordings: with checked poses.
        up: the axis of the files that points up.
        tree: of the mesh; None where it has none.
        numbered: boxes by the number that masks have them under; of things that stay where they are.
        boxes: all of those.
        surface: points of the mesh, shape (n, 3).
        outdoors: whether things may be far from the cameras.

    Returns:
        What is to be said.

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
            mask = mask_witness(recording, frames, numbered)
            held = [mask] if mask is not None else []
            held += depth_witnesses(recording, frames, poses, tree, boxes_of(list(boxes)))
        looked = _Looked(path, recording, frames, Convention("", poses, cameras), declared, shown)
        good = False
        for witness in held:
            said, good = _hold(witness, looked)
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

    def others(self, witness: Witness) -> Iterator[Iterable[Convention]]:
        """Other conventions, in groups, those that are mistaken most often first."""
        poses, intrinsics = self.cameras.poses, self.cameras.intrinsics
        if witness.boxes_only:
            yield detached_candidates(poses, intrinsics, self.declared)
            return
        yield oriented_candidates(poses, intrinsics, self.declared)
        yield focal_candidates(poses, intrinsics)
        if witness.metric:
            yield depth_candidates(poses, intrinsics)
        yield detached_candidates(poses, intrinsics, self.declared)
        yield late_candidates(self.recording.poses, self.frames, intrinsics)


def _hold(witness: Witness, looked: _Looked) -> tuple[list[str], bool]:
    """Notes, and whether the cameras as read agree with a witness."""
    own = witness.score(looked.cameras)
    if own is None or own >= witness.enough:
        return [], own is not None
    name, value = _best(witness, looked)
    if value >= witness.proves and own * witness.factor < value:
        raise InputError(
            looked.path,
            f"{witness.what}{looked.shown} contradict the cameras as they are declared",
            fix=f"they fit with {name}: {value:.0%} against {own:.0%}",
        )
    if own < witness.hopeless:
        raise InputError(
            looked.path,
            f"{witness.what}{looked.shown} agree by {own:.0%} under the cameras as they are declared, and under no "
            f"other axes, direction, unit, focal length or order by more than {max(own, value):.0%}",
            fix="check that poses, pictures, masks, depth and boxes are of one recording and in one order",
        )
    better = f" (with {name}: {value:.0%})" if value > own + 0.05 else ", and under no other convention by more"
    return [
        f"{witness.what}{looked.shown} agree by {own:.0%} only{better}: poses, boxes or intrinsics are inaccurate"
    ], False


def _best(witness: Witness, looked: _Looked) -> tuple[str, float]:
    """The convention under which cameras score best; a later group of them must be clearly better."""
    name, value = "", 0.0
    for candidates in looked.others(witness):
        scored = [(witness.score(candidate), candidate.name) for candidate in candidates]
        known = [(score, other) for score, other in scored if score is not None]
        most = max(known, key=lambda pair: pair[0], default=(0.0, ""))
        if most[0] > value + 0.1:
            value, name = most
    return name, value


def _check_places(path: Path, looked: _Looked, standing: StandingThings, outdoors: bool) -> None:
    """Hold cameras to where things are: not below what stands lowest, and not far from all of it.

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
