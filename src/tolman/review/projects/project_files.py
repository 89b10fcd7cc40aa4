"""Files of a project for the owner's browser, and labels and marks of other annotation programs back in.

Outputs of the command line are sent as zip files, and tables as CSV. Labels go to Label Studio, points and lines on
pictures to any program of `FORMATS`; they come back as a person's labels and evidence.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.errors import counted
from tolman.review import projects
from tolman.review.accounts import Person
from tolman.review.exchange import (
    Choices,
    ExchangeError,
    PictureFormat,
    PictureSet,
    Receiver,
    Returned,
    annotation_programs,
)
from tolman.review.exchange.annotation_programs import CVAT, LABEL_STUDIO, LabelledTask
from tolman.review.forms import AnswerError
from tolman.review.modes import MODES
from tolman.review.modes.labelling import KINDS, STEP, read_labels, submissions
from tolman.review.projects.question_pictures import Album, PictureContents, PicturedQuestion, annotated
from tolman.review.site import Site
from tolman.review.store import Assignment, ItemVersion, Project, Submission, Task, User
from tolman.review.store.database import record
from tolman.review.studies.study_records import moment
from tolman.review.tasks import assignments, finish, item_of, submission, submit, submitted
from tolman.review.tasks.blinding import MARKED, drawn_of
from tolman.review.tasks.decisions import agreement, votes_of
from tolman.text_tables import csv_text

FORMATS: dict[str, PictureFormat] = {form.name: form for form in (LABEL_STUDIO, CVAT)}


@dataclass(frozen=True)
class LabelsTakenIn:
    """The result of importing a file's labels.

    Attributes:
        fresh: labels that count from now on.
        left: questions that the person has labelled already, or that enough people have.
        earlier: annotations that are left out, as a later one in the file is on the same question.
    """

    fresh: int
    left: int
    earlier: int


def label_controls(project: Project) -> list[Choices]:
    """Return the groups of labels in a labelling project."""
    return [
        Choices(group.name, group.title, tuple(choice.key for choice in group.choices), group.several)
        for group in KINDS[project.mode].groups(project)
    ]


def write_labels(db: Orm, project: Project) -> str:
    """All questions with everybody's labels, as Label Studio's JSON."""
    tasks = {task.key: LabelledTask(task.key, _text(task)) for task in _labelling_tasks(db, project)}
    for task, name, content, _ in submissions(db, project):
        tasks[task.key].labels.append((name, content["labels"], None))
    return annotation_programs.write_tasks(list(tasks.values()))


def take_in_labels(db: Orm, site: Site, project: Project, person: Person, content: bytes, by: int) -> LabelsTakenIn:
    """Add the labels of a file as a person's; all of them, or none where one can't be used.

    Labels have neither seconds nor marks: the answering wasn't observed.

    Raises:
        ExchangeError: the file is none, or has a question or a label that isn't here.
    """
    groups = KINDS[project.mode].groups(project)
    tasks = {task.key: task for task in _labelling_tasks(db, project)}
    fresh = left = 0
    read, earlier = annotation_programs.read_tasks(content)
    for key, given in read.items():
        task = tasks.get(key)
        if task is None:
            raise ExchangeError(f"The question '{key[:80]}' is not in this project.")
        try:
            labels = read_labels(groups, given)
        except AnswerError as error:
            raise ExchangeError(f"The labels of '{key[:80]}' can't be used. {error}") from None
        own = assignments.assign_if_free(db, site, task, person)
        if own is None:
            left += 1
            continue
        submit(db, site, own, STEP, {"labels": labels, "note": ""})
        finish(db, site, own)
        fresh += 1
    record(db, site.settings, "labels taken in", project=project.id, user=by, account=person.name, labels=fresh)
    if not fresh and not left:
        raise ExchangeError(f"The file has no labels of the project ({counted(len(tasks), 'question')}).")
    return LabelsTakenIn(fresh, left, earlier)


def _labelling_tasks(db: Orm, project: Project) -> list[Task]:
    return list(db.scalars(select(Task).where(Task.project_id == project.id).order_by(Task.key)))


def _text(task: Task) -> str:
    return item_of(task.item).question if task.item is not None else task.key


LEFT_OUT = "left-out.txt"


@dataclass
class MarksTakenIn:
    """The result of importing a file's marks.

    Attributes:
        marks: points and lines that are evidence from now on, and
        questions: of how many questions.
        labelled: questions that are labelled from now on.
        left: questions that stay as they are: theirs have come in before, or enough people have these questions.
        shapes: kind of shape → how many aren't kept here.
    """

    marks: int = 0
    questions: int = 0
    labelled: int = 0
    left: int = 0
    shapes: Counter[str] = field(default_factory=Counter)


def write_marks(
    site: Site,
    project: Project,
    questions: Sequence[PicturedQuestion],
    form: PictureFormat,
    what: PictureContents,
    folder: Path,
) -> None:
    """A project in the form of another program, pictures and all, into a folder; its name is that of the file.

    Raises:
        UsageError: there are no pictures, or too many.
        ExchangeError: the form can't hold the project's categories.
    """
    place = folder / form.pictures
    place.mkdir()
    pictures, lacking = annotated(site, questions, what, place)
    told = PictureSet(project.name, pictures_file_name(project, form), tuple(pictures), _project_controls(project))
    for name, text in form.write(told).items():
        (folder / name).write_text(text, encoding="utf-8")
    if lacking:
        (folder / LEFT_OUT).write_text("".join(f"{line}\n" for line in lacking), encoding="utf-8")


def pictures_file_name(project: Project, form: PictureFormat) -> str:
    """The name of a project's file, without its ending."""
    return f"{project.id}-{form.name}-pictures"


@dataclass
class IncomingMarks:
    """The marks and labels of a question in a file.

    Attributes:
        drawn: marks, as a browser sends them.
        chosen: group → values.
        shapes: kind of shape → how many aren't kept here.
    """

    drawn: list[dict[str, Any]] = field(default_factory=list)
    chosen: dict[str, list[str]] = field(default_factory=dict)
    shapes: Counter[str] = field(default_factory=Counter)


def read_marks(
    project: Project, album: Album, person: Person, people: Collection[str], form: PictureFormat, content: bytes
) -> list[tuple[PicturedQuestion, IncomingMarks]]:
    """Read a file's marks and labels of each question that a person marked; media are read, the database is not.

    Args:
        project, album: the project, and the pictures of its questions.
        person: whose marks count.
        people: names of everybody here.
        form: of the file.
        content: of the file.

    Raises:
        ExchangeError: the file is none, or has a picture, a name, a label or a mark that can't be.
    """
    receiver = Receiver(person.name, people, album.find, _project_controls(project))
    found: dict[int, IncomingMarks] = {}
    for key, one in form.read(content, receiver).items():
        question, medium, _ = album.moment(key)
        incoming = found.setdefault(question.task, IncomingMarks())
        incoming.drawn += _drawings(album, key, medium, one)
        incoming.shapes += one.left
        for group, values in one.chosen.items():
            incoming.chosen.setdefault(group, []).extend(values)
    return [(album.questions[task], one) for task, one in found.items()]


def take_in_marks(
    db: Orm,
    site: Site,
    project: Project,
    person: Person,
    incoming: Sequence[tuple[PicturedQuestion, IncomingMarks]],
    by: int,
) -> MarksTakenIn:
    """Add the marks and labels of a file as a person's; all of them, or none where one can't be used.

    They have neither seconds nor marks of haste: the marking wasn't observed. Marks are kept next to the person's
    answer, whether they have given it or not; a second file doesn't change imported marks.

    Raises:
        ExchangeError: a label or a mark can't be, or there is nothing of the person's.
    """
    done = MarksTakenIn()
    for question, one in incoming:
        done.shapes += one.shapes
        if one.drawn or one.chosen:
            _take_marks(db, site, question, person, one, done)
    record(
        db, site.settings, "marks taken in", project=project.id, user=by, account=person.name, marks=done.marks,
        labels=done.labelled,
    )  # fmt: skip
    if not (done.questions or done.labelled or done.left):
        raise ExchangeError(f"The file has no points, lines or labels of {person.name}'s.")
    return done


def _take_marks(
    db: Orm, site: Site, question: PicturedQuestion, person: Person, incoming: IncomingMarks, done: MarksTakenIn
) -> None:
    task = db.get_one(Task, question.task)
    project, name = task.project, question.item.id[:80]
    if not set(person.roles) & set(MODES[project.mode].stages.get(task.stage, ())):
        raise ExchangeError(f"{person.name} is not asked the question '{name}': choose somebody who is.")
    own = _assignment(db, site, task, person)
    if own is None:
        done.left += 1
        return
    try:
        fresh = drawn_of(site, own, json.dumps(incoming.drawn)).get("drawn", [])
        named = read_labels(KINDS[project.mode].groups(project), incoming.chosen) if incoming.chosen else {}
    except AnswerError as error:
        raise ExchangeError(f"The marks of '{name}' can't be used. {error}") from None
    fresh = _new(fresh, _own_drawings(db, own))
    if named and submission(db, own, STEP) is None:
        told = {"labels": named, "note": ""} | ({"drawn": fresh} if fresh else {})
        submit(db, site, own, STEP, told)
        finish(db, site, own)
        done.labelled += 1
    elif fresh and submission(db, own, MARKED) is None:
        submit(db, site, own, MARKED, {"drawn": fresh})
    else:
        done.left += 1
        return
    done.marks += len(fresh)
    done.questions += bool(fresh)


def _assignment(db: Orm, site: Site, task: Task, person: Person) -> Assignment | None:
    """Return a person's assignment to a task (None if reported), or a free one."""
    theirs = select(Assignment).where(Assignment.task_id == task.id, Assignment.user_id == person.id)
    own = db.scalar(theirs)
    if own is not None:
        return own if own.state != "reported" else None
    return assignments.assign_if_free(db, site, task, person)


def _drawings(album: Album, key: str, medium: int, one: Returned) -> list[dict[str, Any]]:
    """Marks as a browser sends them."""
    seconds = album.seconds(key) if one.shapes else None
    size = album.find(key).size if one.shapes else (0, 0)
    when = {} if seconds is None else {"time": seconds}
    return [{"medium": medium, "points": shape.points, "size": size, "note": shape.note} | when for shape in one.shapes]


def _own_drawings(db: Orm, own: Assignment) -> list[dict[str, Any]]:
    found = db.scalars(select(Submission.content).where(Submission.assignment_id == own.id))
    return [one for content in found for one in content.get("drawn", [])]


def _new(drawn: Sequence[dict[str, Any]], there: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of some drawings that aren't there, each once."""

    def same(one: Mapping[str, Any]) -> str:
        return json.dumps([one["medium"], one.get("frame"), one["points"], one.get("note", "")])

    known = {same(one) for one in there}
    return [one for key, one in {same(one): one for one in drawn}.items() if key not in known]


def _project_controls(project: Project) -> tuple[Choices, ...]:
    return tuple(label_controls(project)) if project.mode in KINDS else ()


Parts = Iterator[bytes]
"""A file, part after part."""
_CHUNK = 1 << 20
_PACKED = (".mp4", ".webm", ".jpg", ".jpeg", ".png", ".webp", ".parquet")
"""Endings of files that packing makes no smaller."""
_TIMES = ("person", "item", "version", "stage", "step", "attempt", "seconds", "submitted", "marks")


def write_tables(db: Orm, site: Site, project: Project, folder: Path) -> None:
    """Each table of the progress page as CSV; of reviews also `agreement.json`, as `review.json` has it."""
    for number, block in enumerate(projects.progress_tables(db, site, project, MODES[project.mode]), 1):
        rows = [[str(cell) for cell in row] for row in (block.head, *block.rows)]
        name = re.sub(r"[^a-z0-9]+", "-", block.title.casefold()).strip("-")
        (folder / f"{number}-{name}.csv").write_text(csv_text(rows), encoding="utf-8")
    votes = votes_of(db, project)
    if votes:
        told = json.dumps(asdict(agreement(votes)), indent=1, ensure_ascii=False)
        (folder / "agreement.json").write_text(told + "\n", encoding="utf-8")


def write_label_studio(db: Orm, project: Project, folder: Path) -> None:
    """A labelling project as Label Studio has it: `config.xml` and `tasks.json`."""
    (folder / "config.xml").write_text(annotation_programs.label_config(label_controls(project)), encoding="utf-8")
    (folder / "tasks.json").write_text(write_labels(db, project), encoding="utf-8")


def times_table(db: Orm, project: Project) -> str:
    """Return a row for each valid submission, as CSV: its person and question, how long its page was visible, when it
    came.
    """
    columns = (Submission, Task.stage, Task.key, ItemVersion.item, ItemVersion.version, User.name)
    found = db.execute(submitted(project, *columns))
    rows = [
        [
            name, item or key, "" if version is None else str(version), stage, one.step, str(one.attempt + 1),
            "" if one.seconds is None else f"{one.seconds:.1f}",
            moment(one.created), " ".join(one.marks or ()),
        ]
        for one, stage, key, item, version, name in found
    ]  # fmt: skip
    return csv_text([_TIMES, *rows])


class _Sink(io.RawIOBase):
    """A buffer for the contents of a zip file, until they are fetched."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, part: object) -> int:
        self._parts.append(bytes(part))  # type: ignore[call-overload]
        return len(self._parts[-1])

    def fetch(self) -> bytes:
        """All since the last time."""
        found, self._parts = b"".join(self._parts), []
        return found


def zipped(fill: Callable[[Path], object]) -> Parts:
    """What is written into a folder, as a zip file; the folder stays until it is sent, unless it can't be filled."""
    folder = TemporaryDirectory(prefix="tolman-")
    try:
        fill(Path(folder.name))
    except BaseException:
        folder.cleanup()
        raise
    return _parts(folder)


def _parts(folder: TemporaryDirectory[str]) -> Parts:
    """The files of a folder as a zip file, part after part; then the folder goes."""
    sink, place = _Sink(), Path(folder.name)
    with folder, zipfile.ZipFile(sink, "w") as archive:
        for path in sorted(one for one in place.rglob("*") if one.is_file()):
            about = zipfile.ZipInfo.from_file(path, path.relative_to(place).as_posix(), strict_timestamps=False)
            about.compress_type = zipfile.ZIP_STORED if path.suffix.lower() in _PACKED else zipfile.ZIP_DEFLATED
            with archive.open(about, "w", force_zip64=about.file_size >= 2**31) as member, path.open("rb") as source:
                while part := source.read(_CHUNK):
                    member.write(part)
                    yield sink.fetch()
        archive.close()
        yield sink.fetch()
