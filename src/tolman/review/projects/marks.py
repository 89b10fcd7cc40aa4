"""Marks on pictures out to other annotation programs, and back in as somebody's evidence."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.accounts.identity import Person
from tolman.review.exchange.annotated import Choices, ExchangeError, PictureFormat, PictureSet, Receiver, Returned
from tolman.review.forms.answers import AnswerError
from tolman.review.modes import MODES
from tolman.review.modes.labelling import KINDS, STEP, read_labels
from tolman.review.projects import labels
from tolman.review.projects.pictures import Album, PictureContents, PicturedQuestion, annotated
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import Assignment, Project, Submission, Task
from tolman.review.tasks import taking, work
from tolman.review.tasks.drawing import MARKED, drawn_of

LEFT_OUT = "left-out.txt"


@dataclass
class MarksTakenIn:
    """What became of a file's marks.

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


def write(
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
    told = PictureSet(project.name, file_name(project, form), tuple(pictures), _controls(project))
    for name, text in form.write(told).items():
        (folder / name).write_text(text, encoding="utf-8")
    if lacking:
        (folder / LEFT_OUT).write_text("".join(f"{line}\n" for line in lacking), encoding="utf-8")


def file_name(project: Project, form: PictureFormat) -> str:
    """The name of a project's file, without its ending."""
    return f"{project.id}-{form.name}-pictures"


@dataclass
class Incoming:
    """What a file has of a question.

    Attributes:
        drawn: marks, as a browser sends them.
        chosen: group → values.
        shapes: kind of shape → how many aren't kept here.
    """

    drawn: list[dict[str, Any]] = field(default_factory=list)
    chosen: dict[str, list[str]] = field(default_factory=dict)
    shapes: Counter[str] = field(default_factory=Counter)


def read(
    project: Project, album: Album, person: Person, people: Collection[str], form: PictureFormat, content: bytes
) -> list[tuple[PicturedQuestion, Incoming]]:
    """What a file has of each question that a person marked; media are read, the database is not.

    Args:
        project, album: what it is about.
        person: whose marks count.
        people: names of everybody here.
        form: of the file.
        content: of the file.

    Raises:
        ExchangeError: the file is none, or has a picture, a name, a label or a mark that can't be.
    """
    receiver = Receiver(person.name, people, album.find, _controls(project))
    found: dict[int, Incoming] = {}
    for key, one in form.read(content, receiver).items():
        question, medium, _ = album.moment(key)
        incoming = found.setdefault(question.task, Incoming())
        incoming.drawn += _drawings(album, key, medium, one)
        incoming.shapes += one.left
        for group, values in one.chosen.items():
            incoming.chosen.setdefault(group, []).extend(values)
    return [(album.questions[task], one) for task, one in found.items()]


def take_in(
    db: Orm,
    site: Site,
    project: Project,
    person: Person,
    incoming: Sequence[tuple[PicturedQuestion, Incoming]],
    by: int,
) -> MarksTakenIn:
    """Add the marks and labels of a file as a person's; all of them, or none where one can't be used.

    They have neither seconds nor marks of haste: nobody looked how they were made. Marks stand beside the person's
    answer, whether they have given it or not; a second file changes nothing that has come in.

    Raises:
        ExchangeError: a label or a mark can't be, or there is nothing of the person's.
    """
    done = MarksTakenIn()
    for question, one in incoming:
        done.shapes += one.shapes
        if one.drawn or one.chosen:
            _take(db, site, question, person, one, done)
    record(
        db, site.settings, "marks taken in", project=project.id, user=by, account=person.name, marks=done.marks,
        labels=done.labelled,
    )  # fmt: skip
    if not (done.questions or done.labelled or done.left):
        raise ExchangeError(f"The file has no points, lines or labels of {person.name}'s.")
    return done


def _take(
    db: Orm, site: Site, question: PicturedQuestion, person: Person, incoming: Incoming, done: MarksTakenIn
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
    if named and work.submission(db, own, STEP) is None:
        told = {"labels": named, "note": ""} | ({"drawn": fresh} if fresh else {})
        work.submit(db, site, own, STEP, told)
        work.finish(db, site, own)
        done.labelled += 1
    elif fresh and work.submission(db, own, MARKED) is None:
        work.submit(db, site, own, MARKED, {"drawn": fresh})
    else:
        done.left += 1
        return
    done.marks += len(fresh)
    done.questions += bool(fresh)


def _assignment(db: Orm, site: Site, task: Task, person: Person) -> Assignment | None:
    """A person's part in a task, whatever became of it, or a free one."""
    theirs = select(Assignment).where(Assignment.task_id == task.id, Assignment.user_id == person.id)
    own = db.scalar(theirs)
    if own is not None:
        return own if own.state != "reported" else None
    return taking.assign_if_free(db, site, task, person)


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


def _controls(project: Project) -> tuple[Choices, ...]:
    return tuple(labels.controls(project)) if project.mode in KINDS else ()
