"""Witnesses of rightly read cameras in a scan: masks with boxes, depth with a mesh, with itself, with boxes.

Each gives a score between 0 and 1 for any cameras; see `geometry.agreement`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tolman.geometry.agreement import (
    CameraView,
    DepthSample,
    MaskSample,
    box_agreement,
    frame_agreement,
    in_frames,
    mask_agreement,
    surface_agreement,
)
from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.casting import Tree
from tolman.ingest.base import CameraRecording
from tolman.ingest.conventions import Convention
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
class Witness:
    """Something that cameras can be held to.

    Attributes:
        what: is compared, for sentences.
        enough: the score from which cameras are taken as right.
        proves: the score from which others are.
        factor: cameras are wrong if others have so many times their score.
        score: of cameras at the frames that are looked at; None where they show too little.
        hopeless: the score below which the scan is wrong even if nothing else fits: boxes that are 50 cm off still
            agree with masks by 0.3.
        metric: whether it depends on what depths are multiplied by.
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


def mask_witness(recording: CameraRecording, frames: list[int], boxes: Mapping[int, OrientedBox]) -> Witness | None:
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
    return Witness(
        "boxes and masks", 0.6, 0.6, 2.0, lambda one: mask_agreement(samples, _views(one.poses, one.intrinsics), held)
    )


def depth_witnesses(
    recording: CameraRecording, frames: list[int], poses: Floats, tree: Tree | None, boxes: Boxes
) -> Iterator[Witness]:
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
        yield Witness(
            "depth and mesh", 0.6, 0.6, 1.5, lambda one: surface_agreement(read_as(one), views(one), tree), metric=True
        )
    else:
        moved = np.linalg.norm(np.diff(poses[own, :3, 3], axis=0), axis=1)
        turned = np.abs(np.diff(poses[own, :3, 2], axis=0)).max(1)
        if (np.maximum(moved / median, turned) > MIN_PARALLAX_SHARE).sum() >= 3:
            yield Witness(
                "depths of neighbouring frames", 0.7, 0.7, 1.5,
                lambda one: frame_agreement(
                    read_as(one), views(one), [each * one.depths for each in maps], recording.size
                ),
                metric=True,
            )  # fmt: skip
    if len(boxes):
        yield Witness(
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
    """The depths' intrinsics, changed by what the pictures' are changed by, in pixels of the pictures' size."""
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
