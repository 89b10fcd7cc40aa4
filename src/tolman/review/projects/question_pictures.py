"""Pictures and frames of a project's questions, with their marks, for other annotation programs."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from fastapi import HTTPException
from PIL import Image
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.errors import UsageError
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item, Media
from tolman.media.frame_store import part_of
from tolman.media.images import image_to_jpeg, to_jpeg
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, VideoIndex, read_frames, read_index
from tolman.review import tasks
from tolman.review.evidence.scene_drawings import boxes_on
from tolman.review.exchange import AnnotatedPicture, ExchangeError, NamedPicture, Shape
from tolman.review.media import find_medium, in_a_table, scene_in, scenes_folder
from tolman.review.modes.labelling import KINDS, STEP
from tolman.review.site import Site
from tolman.review.store import ItemVersion, Project, Submission, Task, User
from tolman.review.tasks import submitted

DRAWN_IN = ("answer", "review", "verify")
"""Modes, besides all kinds of labelling, in which people mark evidence on pictures."""
FRAMES, MOST_FRAMES = 8, 64
"""Frames of each video, in addition to those with marks."""
MOST_PICTURES = 5_000
_WHOLE = Frames(quality=95)
_KEY = re.compile(r"t(\d{1,9})-m(\d{1,3})(?:-f(\d{1,9}))?", re.ASCII)
_BROKEN = (BrokenMediaError, HTTPException)


def has_pictures(project: Project) -> bool:
    """Check whether people mark evidence on the pictures of a project."""
    return project.mode in DRAWN_IN or project.mode in KINDS


@dataclass
class PicturedQuestion:
    """A question whose pictures are exchanged.

    Attributes:
        task: its number; of several about one item the first.
        item: the question.
        drawn: (person, their marks: `DrawnMark` as it is stored) of everybody.
        chosen: (person, group → values) of everybody, in a labelling project.
    """

    task: int
    item: Item
    drawn: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    chosen: list[tuple[str, Mapping[str, Sequence[str]]]] = field(default_factory=list)


def questions_of(db: Orm, project: Project) -> list[PicturedQuestion]:
    """The questions of a project that have pictures, in the order of their tasks.

    Labels are about a task, marks about an item: several tasks may be about one item, as where models' answers are
    labelled.
    """
    by_task = project.mode in KINDS
    rows = db.execute(
        select(Task.id, ItemVersion)
        .join(ItemVersion, ItemVersion.id == Task.item_id)
        .where(Task.project_id == project.id, ItemVersion.current)
        .order_by(Task.id)
    )
    found: dict[int, PicturedQuestion] = {}
    for task, version in rows:
        item = tasks.item_of(version)
        if item.media:
            found.setdefault(task if by_task else version.id, PicturedQuestion(task, item))
    columns = (Task.id, Task.item_id, User.name, Submission.step, Submission.content)
    for task, version, name, step, content in db.execute(submitted(project, *columns)):
        question = found.get(task if by_task else version)
        if question is not None:
            question.drawn += [(name, one) for one in content.get("drawn", [])]
            if by_task and step == STEP:
                question.chosen.append((name, content["labels"]))
    return list(found.values())


def key_of(task: int, medium: int, frame: int | None) -> str:
    """The name of a picture in other programs: by these, pictures are in the order of tasks, media and frames."""
    return f"t{task:06d}-m{medium:02d}" + ("" if frame is None else f"-f{frame:06d}")


class Album:
    """Pictures and frames of questions.

    Args:
        site: where the media are.
        questions: whose pictures they are.
    """

    def __init__(self, site: Site, questions: Sequence[PicturedQuestion]) -> None:
        self._site = site
        self.questions = {question.task: question for question in questions}
        self._indices: dict[str, VideoIndex] = {}
        self._sizes: dict[tuple[str, tuple[int, int] | None], tuple[int, int]] = {}

    def find(self, key: str) -> NamedPicture:
        """A picture by its key.

        Raises:
            ExchangeError: there is none.
        """
        try:
            question, medium, frame = self.moment(key)
            return NamedPicture(key, question.item.question, self._size(question.item.media[medium - 1], frame))
        except _BROKEN:
            raise ExchangeError(f"the picture '{key[:80]}' can't be read here any more: take it out") from None

    def moment(self, key: str) -> tuple[PicturedQuestion, int, int | None]:
        """The question, the medium (from 1) and the frame of a picture.

        Raises:
            ExchangeError: there is no such picture.
            BrokenMediaError, HTTPException: its video can't be read.
        """
        match = _KEY.fullmatch(key)
        task, medium, frame = (None if one is None else int(one) for one in match.groups()) if match else (None,) * 3
        question = self.questions.get(task) if task is not None else None
        if question is None or medium is None or key != key_of(question.task, medium, frame):
            raise ExchangeError(f"there is no picture '{key[:80]}' in this project")
        media = question.item.media
        if not 1 <= medium <= len(media) or (media[medium - 1].kind == "video") != (frame is not None):
            raise ExchangeError(f"there is no picture '{key[:80]}' in this project")
        if frame is not None and frame >= len(self.index(media[medium - 1]).times):
            raise ExchangeError(f"there is no picture '{key[:80]}': the video has fewer frames")
        return question, medium, frame

    def seconds(self, key: str) -> float | None:
        """When a frame is shown, in the time of a browser's player; None for an image."""
        question, medium, frame = self.moment(key)
        if frame is None:
            return None
        index = self.index(question.item.media[medium - 1])
        return round(float(index.times[frame] * index.time_base), 6)

    def index(self, video: Media) -> VideoIndex:
        """The frames of a video; read once.

        Raises:
            BrokenMediaError, HTTPException: it can't be read.
        """
        if video.path not in self._indices:
            self._indices[video.path] = read_index(find_medium(self._site, video.path))
        return self._indices[video.path]

    def frames(self, question: PicturedQuestion, medium: int, count: int) -> list[int]:
        """Frames of a video that are exchanged: some, evenly from the first to the last, and those with marks."""
        video = question.item.media[medium - 1]
        index = self.index(video)
        first, last = part_of(index, video, video.path)
        spread = [first + one for one in Frames(count=count).indices(last - first, Fraction(0))] if count else []
        marked = [one.get("frame") for _, one in question.drawn if one["medium"] == medium]
        return sorted({*spread, *(one for one in marked if one is not None and one < len(index.times))})

    def pictures(
        self, question: PicturedQuestion, medium: int, frames: Sequence[int]
    ) -> Iterator[tuple[int | None, bytes]]:
        """The frames of a video, or the one picture of an image, upright, as JPEG, in rising order.

        Raises:
            BrokenMediaError, HTTPException: it can't be read.
        """
        media = question.item.media[medium - 1]
        if media.kind == "video":
            if not frames:
                return
            for number, image in read_frames(find_medium(self._site, media.path), self.index(media), frames):
                yield number, to_jpeg(image, _WHOLE)
        else:
            yield None, self._jpeg(media)

    def _jpeg(self, image: Media) -> bytes:
        if image.part is not None:
            content = in_a_table(self._site, image.path, *image.part)
        else:
            content = find_medium(self._site, image.path).read_bytes()
        return image_to_jpeg(content, _WHOLE, image.path)

    def _size(self, media: Media, frame: int | None) -> tuple[int, int]:
        """Width and height of a picture; all frames of a video have one."""
        known = media.path, media.part
        if known not in self._sizes:
            if frame is None:
                self._sizes[known] = size_of(self._jpeg(media))
            else:
                ((_, image),) = read_frames(find_medium(self._site, media.path), self.index(media), [0])
                self._sizes[known] = image.size
        return self._sizes[known]


@dataclass(frozen=True)
class PictureContents:
    """Contents that go along with the pictures.

    Attributes:
        frames: of each video, in addition to those with marks.
        marks: people's marks and labels.
        boxes: boxes of the scene's objects, which reveal its truth.
    """

    frames: int = FRAMES
    marks: bool = False
    boxes: bool = False


def annotated(
    site: Site, questions: Sequence[PicturedQuestion], what: PictureContents, out: Path
) -> tuple[list[AnnotatedPicture], list[str]]:
    """Write the pictures of questions as KEY.jpg into a folder; return the annotations of each, and the unreadable
    ones.

    Raises:
        UsageError: there are none, or too many.
    """
    album = Album(site, questions)
    found: list[AnnotatedPicture] = []
    lacking: list[str] = []
    for question in questions:
        geometry = _geometry(site, question.item) if what.boxes else None
        for medium, media in enumerate(question.item.media, 1):
            try:
                frames = album.frames(question, medium, what.frames) if media.kind == "video" else None
                if len(found) + (1 if frames is None else len(frames)) > MOST_PICTURES:
                    raise UsageError(f"there are more than {MOST_PICTURES:,} pictures; take fewer frames of each video")
                for frame, content in album.pictures(question, medium, frames or ()):
                    picture = NamedPicture(
                        key_of(question.task, medium, frame), question.item.question, size_of(content)
                    )
                    (out / picture.file).write_bytes(content)
                    found.append(_annotated(picture, question, what, (medium, frame), geometry))
            except _BROKEN:
                lacking.append(f"question {question.item.id}, medium {medium}: {media.path} can't be read")
    if not found:
        raise UsageError("no question of the project has a picture that can be read, or a frame that was asked for")
    return found, lacking


def size_of(content: bytes) -> tuple[int, int]:
    """Width and height of a JPEG."""
    with Image.open(io.BytesIO(content)) as image:
        return image.size


def _annotated(
    picture: NamedPicture,
    question: PicturedQuestion,
    what: PictureContents,
    at: tuple[int, int | None],
    geometry: SceneGeometry | None,
) -> AnnotatedPicture:
    marks = [_shape(person, one, picture) for person, one in question.drawn if (one["medium"], one.get("frame")) == at]
    boxes = boxes_on(geometry, question.item, *at, picture.size) if geometry is not None else []
    return AnnotatedPicture(
        picture, (*(marks if what.marks else ()), *boxes), tuple(question.chosen) if what.marks else ()
    )


def _shape(person: str, drawn: Mapping[str, Any], picture: NamedPicture) -> Shape:
    """A drawing in pixels of the file's picture; a browser may have had it in another size."""
    across, down = (own / seen for own, seen in zip(picture.size, drawn["size"], strict=True))
    points = tuple((x * across, y * down) for x, y in drawn["points"])
    shape = Shape("line" if len(points) > 1 else "point", points, person)
    return replace(shape, note=drawn.get("note", ""))


def _geometry(site: Site, item: Item) -> SceneGeometry | None:
    folder = scenes_folder(site)
    return scene_in(folder, item.scene) if folder is not None and item.scene is not None else None
