"""Blinding: the visible part of a person's own task, and access to the truth of an item.

People who must not know the answer see only the blind question. It has no field for the answer, nor for anything that
would reveal it: labels, evidence, reasoning, scene, the item's id. Pages for subjects and for reviewers who haven't
answered yet are rendered from it and from nothing else of the item. The truth is for the owner, and for people who have
given their own answer. Drawings are read against the media of a task, and shown to those who may see them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import HTTPException, Response
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.items import MEDIA_MARK, Item, Media
from tolman.kinds import kind_of
from tolman.kinds.written_kinds import UNITS
from tolman.media.video import BrokenMediaError
from tolman.review import tasks
from tolman.review.accounts import Person, belongs
from tolman.review.forms import read_drawn
from tolman.review.media import find_medium, frame_times, media_address
from tolman.review.site import Site
from tolman.review.store import Assignment, ItemVersion, Project, Submission, Task, User
from tolman.review.tasks import VOIDED, assignments
from tolman.review.tasks.assignments import undoable
from tolman.review.tasks.decisions import ADJUDICATE, ANSWER, RESOLVE, REVIEW, VALIDATE


@dataclass(frozen=True)
class BlindMedium:
    """A video or image: its address, its name on the page, and its place among the question's, from 1."""

    kind: str
    url: str
    label: str
    number: int


Part = str | BlindMedium


@dataclass(frozen=True)
class BlindOption:
    """One option, its letter apart."""

    letter: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class BlindChoice:
    """One answer that can be chosen.

    Attributes:
        value: the answer.
        key: that chooses it: the letter of an option, else a digit; empty where there are none left.
        parts: texts and media of the answer.
    """

    value: str
    key: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Blind:
    """A question without its answer.

    Attributes:
        question: texts and the media inside them.
        media: those before the question.
        widget: the control with which it is answered.
        unit: of a number, in words; empty for a bare number.
        options: those that belong to the question.
        choices: answers to choose among; none where the answer is written.
        by_letter: whether the answer is the letter of an option.
    """

    question: tuple[Part, ...]
    media: tuple[BlindMedium, ...]
    widget: str
    unit: str
    options: tuple[BlindOption, ...]
    choices: tuple[BlindChoice, ...]
    by_letter: bool

    @property
    def has_media(self) -> bool:
        """Check whether it has any picture or video, before its text or inside it."""
        inside = [*self.question, *(part for option in self.options for part in option.parts)]
        return bool(self.media) or any(isinstance(part, BlindMedium) for part in inside)

    @property
    def has_video(self) -> bool:
        """Check whether there is a video among the media."""
        return any(m.kind == "video" for m in self.media)


def blind(site: Site, project: int, item: Item) -> Blind:
    """Return an item as it is shown to a person who must not know its answer."""
    shown = tuple(
        BlindMedium(one.kind, media_address(site, project, one), f"{one.kind.capitalize()} {number}", number)
        for number, one in enumerate(item.media, start=1)
    )
    inside = list(shown) if item.interleaved else []
    question = _parts(item.question, inside)
    options = tuple(
        BlindOption(letter, _parts(text, inside)) for letter, text in zip(item.letters, item.options, strict=True)
    )
    kind = kind_of(item)
    return Blind(
        question=question,
        media=() if item.interleaved else shown,
        widget=kind.widget,
        unit=UNITS.get(item.unit or "", ""),
        options=options,
        choices=_choices(kind.choices(item), options) if kind.widget == "choice" else (),
        by_letter=kind.has_letters,
    )


def _choices(values: Sequence[str], options: Sequence[BlindOption]) -> tuple[BlindChoice, ...]:
    """Answers to choose among: options by their letters, others by digits."""
    known = {option.letter: option for option in options}
    return tuple(
        BlindChoice(value, value, known[value].parts)
        if value in known
        else BlindChoice(value, str(place) if place < 10 else "", (value,))
        for place, value in enumerate(values, start=1)
    )


def _parts(text: str, inside: list[BlindMedium]) -> tuple[Part, ...]:
    """Return a text with the media of its marks, taken from the front of those left."""
    if not inside:
        return (text.replace(MEDIA_MARK, ""),)
    parts: list[Part] = []
    pieces = text.split(MEDIA_MARK)
    for number, piece in enumerate(pieces):
        if piece.strip():
            parts.append(piece)
        if number < len(pieces) - 1:
            parts.append(inside.pop(0))
    return tuple(parts)


def own_work(
    db: Orm,
    me: Person,
    assignment: int,
    mode: str,
    what: str = "question",
    stages: Mapping[str, Sequence[str]] | None = None,
) -> Assignment:
    """Return a person's own assignment in a mode.

    Args:
        db: read.
        me: who asks for it.
        assignment: its number.
        mode: its name.
        what: the subject of the task, for the sentence.
        stages: who may work in each stage, where not all that the routes allow may in all.

    Raises:
        HTTPException: 404, where it isn't theirs or doesn't exist; 409, where they have reported that it can't be done,
            or the owner has voided their submission and asks others.
    """
    own = tasks.mine(db, me, assignment, mode)
    wrong = own is not None and stages is not None and not set(me.roles) & set(stages[own.task.stage])
    if own is None or wrong or not belongs(db, me, own.task.project):
        raise HTTPException(404, f"There is no such {what}.")
    if own.state == "reported":
        raise HTTPException(409, f"You have reported a problem with this {what}. Go on with the next.")
    if own.state == VOIDED:
        raise HTTPException(409, f"The owner asks somebody else about this {what}. Go on with the next.")
    return own


def task_on_page(db: Orm, site: Site, me: Person, own: Assignment, stages: Sequence[str]) -> dict[str, Any]:
    """Return the contents that pages of all tasks share: its project and place among the person's own."""
    project, done = own.task.project, assignments.done_by(db, own.task.project, me, stages)
    return {
        "own": own.id,
        "project": project.name,
        "seconds": own.draft.seconds if own.draft else 0.0,
        "number": done + 1,
        "total": assignments.total(db, site, project, me, stages, done),
        "problem": "",
        "undo": project.id if undoable(db, project, me) is not None else None,
    }


def keep_draft(
    site: Site, me: Person, find: Callable[[Orm], Assignment | None], content: dict[str, Any], seconds: float
) -> Response:
    """Keep a person's entries, unless the task that is found is done."""
    with site.database.write_for(me.id) as db:
        own = find(db)
        if own is not None and own.state != "done":
            tasks.save_draft(db, site, own, content, seconds)
    return Response(status_code=204)


def asked(db: Orm, site: Site, me: Person, own: Assignment, stages: Sequence[str]) -> dict[str, Any]:
    """Return a task's question without its answer, the draft so far, and a person's progress in some stages."""
    kept = own.draft.content if own.draft else {}
    return task_on_page(db, site, me, own, stages) | {
        "stage": own.task.stage,
        "question": blind(site, own.task.project_id, tasks.asked_item(own)),
        "given": kept.get("answer", ""),
        "drawn": kept.get("drawn", ""),
    }


MARKED = "marked"
"""The step of marks that were drawn in another program; they are kept next to their author's answer."""


def drawn_of(site: Site, own: Assignment, text: str) -> dict[str, Any]:
    """Return the drawings of a form as a submission keeps them: {} where there are none, else {"drawn": […]}.

    Raises:
        AnswerError: they are none of the task's media.
    """

    def times(medium: Media) -> Sequence[float]:
        try:
            return frame_times(find_medium(site, medium.path))
        except (BrokenMediaError, HTTPException):
            return ()

    media = tasks.asked_item(own).media if own.task.item is not None else ()
    found = read_drawn(text, media, times)
    return {"drawn": found} if found else {}


def brought(db: Orm, own: Assignment) -> list[dict[str, Any]]:
    """Return the drawings of a person's task that came from another program."""
    found = tasks.submission(db, own, MARKED)
    return list(found.content["drawn"]) if found is not None else []


def drawings_about(db: Orm, version: ItemVersion) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return each person's drawings on the media of an item's version, in the order of submission; for the owner."""
    found = db.execute(
        select(User.name, Submission.content)
        .join(User, User.id == Submission.user_id)
        .join(Task, Task.id == Submission.task_id)
        .where(Task.item_id == version.id)
        .order_by(Submission.id)
    )
    return [(name, content["drawn"]) for name, content in found if content.get("drawn")]


BLIND = (REVIEW, VALIDATE)
"""Stages in which a person answers before they are shown anything."""
OPEN = (ADJUDICATE, RESOLVE)
"""Stages in which others' answers are seen from the beginning."""


def sees_truth(db: Orm, person: Person, version: ItemVersion) -> bool:
    """Check whether a person may see the truth of an item's version; a subject never may."""
    if person.is_owner:
        return True
    if person.role == "subject" or not belongs(db, person, db.get_one(Project, version.project_id)):
        return False
    own = select(Assignment.id).join(Task).where(Task.item_id == version.id, Assignment.user_id == person.id)
    settles = own.where(Task.stage.in_(OPEN), Assignment.state.in_(("held", "done")))
    answered = own.where(Task.stage.in_(BLIND)).join(Submission).where(Submission.step == ANSWER)
    return any(db.execute(one.limit(1)).first() is not None for one in (settles, answered))


def sees_scene(db: Orm, person: Person, version: ItemVersion) -> bool:
    """Check whether a person may see all of an item's scene: nothing about it is left that they may be asked blind."""
    if person.is_owner:
        return True
    return belongs(db, person, db.get_one(Project, version.project_id)) and sees_whole(db, person, version.scene)


def sees_whole(db: Orm, person: Person, scene: str | None) -> bool:
    """Check whether there is no open question about a scene that a person may be asked blind and has not answered."""
    done = select(Submission.task_id).where(Submission.user_id == person.id, Submission.step == ANSWER)
    left = (
        select(Task.id)
        .join(ItemVersion, ItemVersion.id == Task.item_id)
        .where(ItemVersion.scene == scene, ItemVersion.current, Task.open)
        .where(Task.stage.not_in(OPEN), Task.id.not_in(done))
    )
    return db.execute(left.limit(1)).first() is None
