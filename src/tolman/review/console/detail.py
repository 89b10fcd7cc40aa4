"""One item for the owner: what was submitted about it and by whom, who has it now, what was decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session as Orm
from sqlalchemy.orm import aliased

from tolman.review.console.single import may_again
from tolman.review.forms.answers import shown_answer
from tolman.review.store.database import WITH_UNDONE
from tolman.review.store.schema import (
    Act,
    Assignment,
    Decision,
    Flag,
    ItemVersion,
    Project,
    Submission,
    Task,
    Undone,
    User,
)
from tolman.review.studies.people import PRACTICE
from tolman.review.tasks import work

_MOST_LEASES = 500


@dataclass(frozen=True)
class SubmissionRow:
    """A submission as the page of an item shows it.

    Attributes:
        id, person, stage, step, version, seconds, created, marks: as stored; the version is the item's.
        attempt: from 1.
        lines: what was submitted, in words.
        drawn: points and lines that were drawn.
        undone: (by whom, when, why) it was taken back; None where it stands.
        can_void, can_again: whether it can be voided, and the same person asked again then.
        for_all: whether everybody has this task, so that voiding asks nobody else.
    """

    id: int
    person: str
    stage: str
    step: str
    version: int
    attempt: int
    seconds: float | None
    created: float
    marks: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]
    drawn: tuple[dict[str, Any], ...]
    undone: tuple[str, float, str] | None
    can_void: bool
    can_again: bool
    for_all: bool


@dataclass(frozen=True)
class LeaseRow:
    """Somebody who has a task about an item now; `late` where it may be given to others by now."""

    id: int
    person: str
    stage: str
    taken: float
    expires: float
    late: bool
    can_release: bool


@dataclass(frozen=True)
class DecisionRow:
    """A decision about an item; `by` is None where people agreed, `taken_back` None where it stands."""

    version: int
    verdict: str
    reason: str
    by: str | None
    created: float
    taken_back: str | None


def submissions_about(db: Orm, project: Project, version: ItemVersion) -> list[SubmissionRow]:
    """All submissions about an item's versions, those that were taken back among them, the oldest first."""
    undoer = aliased(User)
    found = db.execute(
        select(Submission, Task, ItemVersion, User.name, Undone, undoer.name)
        .join(Task, Task.id == Submission.task_id)
        .join(ItemVersion, ItemVersion.id == Task.item_id)
        .join(User, User.id == Submission.user_id)
        .outerjoin(Undone, Undone.submission_id == Submission.id)
        .outerjoin(undoer, undoer.id == Undone.user_id)
        .where(ItemVersion.project_id == project.id, ItemVersion.item == version.item)
        .order_by(Submission.id)
        .execution_options(**{WITH_UNDONE: True})
    ).all()
    newest = all(one.id <= version.id for one in versions_of(db, project, version))
    return [
        SubmissionRow(
            id=one.id, person=name, stage=task.stage, step=one.step, version=about.version, attempt=one.attempt + 1,
            seconds=one.seconds, created=one.created, marks=tuple(one.marks or ()), lines=_lines(about, one.content),
            drawn=tuple(one.content.get("drawn", ())),
            undone=None if undone is None else (by or "", undone.created, undone.reason),
            can_void=newest and undone is None and about.id == version.id and task.stage != PRACTICE,
            can_again=may_again(task, one), for_all=task.wanted is None,
        )
        for one, task, about, name, undone, by in found
    ]  # fmt: skip


def leases_about(db: Orm, version: ItemVersion, now: float) -> list[LeaseRow]:
    """Who has a task about a version now, and hasn't done it."""
    return _leases(db, now, Task.item_id == version.id)


def slots_of(db: Orm, project: Project, now: float) -> list[LeaseRow]:
    """Who has a task now that is about no item yet, by the task's key in place of its stage."""
    return _leases(db, now, Task.project_id == project.id, Task.item_id.is_(None))


def _leases(db: Orm, now: float, *conditions: ColumnElement[bool]) -> list[LeaseRow]:
    found = db.execute(
        select(Assignment, Task, User.name)
        .join(Task, Task.id == Assignment.task_id)
        .join(User, User.id == Assignment.user_id)
        .where(Assignment.state == "held", *conditions)
        .order_by(Assignment.id)
        .limit(_MOST_LEASES)
    )
    return [
        LeaseRow(
            own.id, name, task.key if task.item_id is None else task.stage, own.taken, own.expires,
            own.expires < now, task.wanted is not None,
        )
        for own, task, name in found
    ]  # fmt: skip


def decisions_about(db: Orm, project: Project, version: ItemVersion) -> list[DecisionRow]:
    """All decisions about an item's versions, those that were taken back among them, the oldest first."""
    back = aliased(User)
    found = db.execute(
        select(Decision, ItemVersion.version, User.name, back.name, Act.kind)
        .join(ItemVersion, ItemVersion.id == Decision.item_id)
        .outerjoin(User, User.id == Decision.user_id)
        .outerjoin(Act, Act.id == Decision.taken_back)
        .outerjoin(back, back.id == Act.user_id)
        .where(ItemVersion.project_id == project.id, ItemVersion.item == version.item)
        .order_by(Decision.id)
        .execution_options(**{WITH_UNDONE: True})
    )
    return [
        DecisionRow(
            number, one.verdict, one.reason, name, one.created,
            None if one.taken_back is None else f"{by} ({kind}, act {one.taken_back})",
        )
        for one, number, name, by, kind in found
    ]  # fmt: skip


def flags_about(db: Orm, version: ItemVersion) -> list[Flag]:
    """The flags of a version."""
    return list(db.scalars(select(Flag).where(Flag.item_id == version.id).order_by(Flag.id)))


def versions_of(db: Orm, project: Project, version: ItemVersion) -> list[ItemVersion]:
    """All versions of an item."""
    chosen = select(ItemVersion).where(ItemVersion.project_id == project.id, ItemVersion.item == version.item)
    return list(db.scalars(chosen.order_by(ItemVersion.version)))


def _lines(version: ItemVersion, content: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """What a submission says: name and text of each part."""
    lines: list[tuple[str, str]] = []
    for name, value in content.items():
        if name in ("drawn", "order", "measured") or value in (None, "", [], {}):
            continue
        if name == "answer":
            lines.append((name, shown_answer(work.item_of(version), str(value))))
        elif name == "labels":
            lines += [(group, ", ".join(keys)) for group, keys in value.items()]
        elif name == "checklist":
            wrong = [f"{point['point']}: {point['problem']}" for point in value if not point["fine"]]
            lines.append((name, "; ".join(wrong) or "fine"))
        elif name == "evidence" and isinstance(value, dict):
            lines.append((name, str(value.get("trace", ""))))
        elif name == "changes":
            lines += [(f"new {key}", "\n".join(v) if isinstance(v, list) else str(v)) for key, v in value.items()]
        else:
            lines.append((name, str(value)))
    return tuple(lines)
