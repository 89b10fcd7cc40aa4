"""Recording: a walk through a world as a video with its truth frame by frame, or its truth alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tolman.files import atomic_write
from tolman.geometry.visibility import sightings_in_mask
from tolman.media.writing import VideoWriter
from tolman.scenes import Capture, Sighting
from tolman.simulate.looking import STRIDE, RayView
from tolman.simulate.quality import DEFAULT, Quality
from tolman.simulate.render import Frame, Renderer
from tolman.simulate.survey import Survey
from tolman.simulate.walks import Walk, intrinsics_of
from tolman.simulate.world import World

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
    """Draw every frame, write the video, and tell what is seen when.

    Args:
        world: what is recorded.
        camera: by what.
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
        VideoWriter(partial, camera.size, camera.rate, "simulate") as video,
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
    """Tell what a recording would show, by rays: no picture is drawn and no video written.

    Five frames a second are looked at, by one ray for each `looking.STRIDE` × `STRIDE` pixels; what has fewer pixels
    may be missed. The capture names the video all the same, which isn't there.

    Args:
        world: what would be recorded.
        camera: by what.

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
    from PIL import Image

    millimetres = np.clip(np.round(frame.depth * 1000), 0, 65535).astype(np.uint16)
    for layer, picture in (("depth", millimetres), ("instances", frame.instances)):
        place = folder / layer / name
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(place / f"{number:06d}.png")
