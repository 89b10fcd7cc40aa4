"""The media of questions: which files their shots are in, and single frames as JPEG files next to a benchmark."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tolman.errors import InputError, counted
from tolman.files import atomic_write
from tolman.generate.family import Draft
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Media
from tolman.media.images import to_jpeg
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, read_frames, read_index
from tolman.parallel import Workers, parallel_map
from tolman.storage import fetched

FOLDER = "images"
QUALITY = 90
"""JPEG quality of the pictures, 1–95."""
Names = Mapping[tuple[str, int], str]
"""(video, frame) → the picture's file in the benchmark."""


@dataclass(frozen=True, slots=True)
class PictureSource:
    """The origin of a medium.

    Attributes:
        path: of the video, relative to the collection.
        frame: the picture's number in it; None for the video.
        start, end: the part of a video that is meant, in seconds from its first frame.
    """

    path: str
    frame: int | None = None
    start: float | None = None
    end: float | None = None

    def media(self, names: Names | None) -> Media:
        """The medium of an item; a picture that was not taken out of its video is named after the frame."""
        if self.frame is None:
            return Media(kind="video", path=self.path, start=self.start, end=self.end)
        unnamed = f"{FOLDER}/{Path(self.path).stem}-{self.frame:06d}.jpg"
        return Media(kind="image", path=unnamed if names is None else names[self.path, self.frame])


def sources_of(draft: Draft, geometry: SceneGeometry) -> tuple[PictureSource, ...]:
    """The media that a question shows; the scene's standard video where it names no shots.

    Raises:
        KeyError: a shot is of a recording that the scene doesn't have, or that has no video.
    """
    if not draft.shots:
        return (PictureSource(geometry.scene.video),) if geometry.scene.video else ()
    captures = {c.id: c for c in geometry.captures if c.media and c.sensor == "camera"}
    found = []
    for shot in draft.shots:
        capture = captures[shot.capture]
        path = capture.media or ""
        if shot.until is None:
            found.append(PictureSource(path, frame=shot.frame))
        else:
            first = capture.times[0]
            start, end = (capture.times[number] - first for number in (shot.frame, shot.until))
            found.append(PictureSource(path, start=start, end=end))
    return tuple(found)


@dataclass(frozen=True)
class _Job:
    """Frames of one video."""

    collection: Path
    out: Path
    video: str
    frames: tuple[int, ...]


def take_out(
    sources: Iterable[PictureSource], collection: Path, out: Path, workers: Workers = 1
) -> dict[tuple[str, int], str]:
    """Write the pictures among some media as JPEG files, named by their content, so that each is there once.

    Args:
        sources: of all questions.
        collection: the folder that their videos are in.
        out: the benchmark's folder.
        workers: processes; each video is decoded once, by one of them.

    Returns:
        The file of each picture, relative to the benchmark.

    Raises:
        InputError: a video is missing, broken, or has fewer frames than its recording says.
    """
    wanted: dict[str, set[int]] = {}
    for source in sources:
        if source.frame is not None:
            wanted.setdefault(source.path, set()).add(source.frame)
    jobs = [_Job(collection, out, video, tuple(sorted(wanted[video]))) for video in sorted(wanted)]
    if jobs:
        (out / FOLDER).mkdir(parents=True, exist_ok=True)
    names = {}
    for job, found in zip(jobs, parallel_map(_carry_out, jobs, workers, shared=(collection, out)), strict=True):
        names.update({(job.video, frame): name for frame, name in zip(job.frames, found, strict=True)})
    return names


def _carry_out(job: _Job) -> list[str]:
    path = fetched(job.collection / job.video)
    if not path.resolve().is_relative_to(job.collection.resolve()) or not path.is_file():
        raise InputError(path, "is missing", fix="questions about pictures need the collection's videos")
    names = []
    try:
        index = read_index(path)
        if job.frames[-1] >= len(index.times):
            raise InputError(
                path, f"has {counted(len(index.times), 'frame')}, and its recording speaks of frame {job.frames[-1]}"
            )
        for _, image in read_frames(path, index, job.frames):
            content = to_jpeg(image, Frames(quality=QUALITY))
            name = f"{FOLDER}/{hashlib.sha256(content).hexdigest()[:20]}.jpg"
            with atomic_write(job.out / name) as partial:
                partial.write_bytes(content)
            names.append(name)
    except BrokenMediaError as error:
        raise InputError(path, f"can't be read ({error})") from None
    return names
