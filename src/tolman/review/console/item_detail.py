"""One item for the owner: its submissions and decisions, and acts on one piece of work.

The owner sees the submissions of each person and the people who have the item now. A lease can be released or
reassigned, and a submission can be voided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, case, select
from sqlalchemy.orm import Session as Orm, aliased

from tolman.review import tasks
from tolman.review.accounts import Person
from tolman.review.console import acts
from tolman.review.console.acts import ASSIGN, DONE, RELEASE, VOID, WAITING, ActError
from tolman.review.forms import shown_answer
from tolman.review.modes import MODES
from tolman.review.site import Site
from tolman.review.store import (
    Act,
    Acted,
    Assignment,
    Decision,
    ItemVersion,
    Project,
    Submission,
    Task,
    Undone,
    User,
)
from tolman.review.store.database import WITH_UNDONE, record
from tolman.review.studies import STUDY
from tolman.review.studies.participants import BEGUN, PRACTICE, participant_of
from tolman.review.tasks import VOIDED, assignments
from tolman.review.tasks.blinding import BLIND
from tolman.review.tasks.decisions import ANSWER, open_again

_MOST_LEASES = 500


@dataclass(frozen=True)
class SubmissionRow:
    """A submission as the page of an item shows it.

    Attributes:
        id, person, stage, step, version, seconds, created, marks: as stored; the version is the item's.
        attempt: from 1.
        lines: the submission's content, in words.
        drawn: points and lines that were drawn.
        undone: author, time and reason of its withdrawal; None while it counts.
        can_void, can_again: whether it can be voided, and the same person asked again then.
        for_all: whether everybody has this task, so that voiding asks no other person.
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


def leases_about(db: Orm, version: ItemVersion, now: float) -> list[Row[Any]]:
    """Return the people who have an unfinished task about a version now."""
    return _leases(db, now, Task.item_id == version.id)


def slots_of(db: Orm, project: Project, now: float) -> list[Row[Any]]:
    """Return the people with a task that is about no item yet, with the task's key in place of its stage."""
    return _leases(db, now, Task.project_id == project.id, Task.item_id.is_(None))


def _leases(db: Orm, now: float, *conditions: ColumnElement[bool]) -> list[Row[Any]]:
    chosen = (
        select(
            *(Assignment.id, User.name.label("person"), Assignment.taken, Assignment.expires),
            case((Task.item_id.is_(None), Task.key), else_=Task.stage).label("stage"),
            (Assignment.expires < now).label("late"), Task.wanted.is_not(None).label("can_release"),
        )
        .select_from(Assignment).join(Task).join(User)
        .where(Assignment.state == "held", *conditions).order_by(Assignment.id).limit(_MOST_LEASES)
    )  # fmt: skip
    return list(db.execute(chosen))


def decisions_about(db: Orm, project: Project, version: ItemVersion) -> list[Row[Any]]:
    """All decisions about an item's versions, those that were taken back among them, the oldest first."""
    back = aliased(User)
    chosen = (
        select(
            *(ItemVersion.version, Decision.verdict, Decision.reason, User.name.label("by"), Decision.created),
            *(Decision.taken_back, back.name.label("back_by"), Act.kind),
        )
        .select_from(Decision).join(ItemVersion, ItemVersion.id == Decision.item_id)
        .outerjoin(User, User.id == Decision.user_id)
        .outerjoin(Act, Act.id == Decision.taken_back).outerjoin(back, back.id == Act.user_id)
        .where(ItemVersion.project_id == project.id, ItemVersion.item == version.item)
        .order_by(Decision.id).execution_options(**{WITH_UNDONE: True})
    )  # fmt: skip
    return list(db.execute(chosen))


def versions_of(db: Orm, project: Project, version: ItemVersion) -> list[ItemVersion]:
    """All versions of an item."""
    chosen = select(ItemVersion).where(ItemVersion.project_id == project.id, ItemVersion.item == version.item)
    return list(db.scalars(chosen.order_by(ItemVersion.version)))


def _lines(version: ItemVersion, content: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return name and text of each part of a submission."""
    lines: list[tuple[str, str]] = []
    for name, value in content.items():
        if name in ("drawn", "order", "measured") or value in (None, "", [], {}):
            continue
        if name == "answer":
            lines.append((name, shown_answer(tasks.item_of(version), str(value))))
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


def release_lease(
    site: Site, project: int, me: Person, version: int, assignment: int, person: int | None = None
) -> int:
    """Take a task from its holder, give it to the named person, if any, and return the act's number.

    A later submission of the first holder is kept and counts.

    Raises:
        ActError: the task has no such holder, or it can't be given to the named person.
    """
    with site.database.write() as db:
        found = db.get_one(Project, project)
        own = _held(db, found, version, assignment)
        content = {} if person is None else {"person": person}
        act = _one(db, site, found, me, ASSIGN if content else RELEASE, "", content, version)
        before: dict[str, Any] = {"released": [[own.id, own.slot]]}
        given = _hand_over(db, site, found, own, person)
        about = db.get_one(ItemVersion, version)
        acts.noted(db, site, act, about, acts.TOLD[act.kind], released=own.user_id, person=person)
        return _done(db, site, act, before | ({} if given is None else {"given": [given.id]}))


def release_slot(site: Site, project: int, me: Person, assignment: int, person: int | None = None) -> None:
    """Release a task that is about no item yet: a question that a person is to write.

    Raises:
        ActError: as `release`.
    """
    with site.database.write() as db:
        found = db.get_one(Project, project)
        own = _held(db, found, None, assignment)
        given = _hand_over(db, site, found, own, person)
        told = {"person": None if given is None else acts.person_of(db, given.user_id).name}
        record(
            db, site.settings, "released", project=found.id, user=me.id, task=own.task.key,
            released=acts.person_of(db, own.user_id).name, **told,
        )  # fmt: skip


def _held(db: Orm, project: Project, version: int | None, assignment: int) -> Assignment:
    """A lease of a task about a version, or about none.

    Raises:
        ActError: there is none.
    """
    own = db.get(Assignment, assignment)
    if own is None or own.task.project_id != project.id or own.task.item_id != version:
        raise ActError("There is no such lease.")
    if own.state != "held" or own.task.wanted is None:
        raise ActError("Nobody holds this any more. Load the page again.")
    return own


def _hand_over(db: Orm, site: Site, project: Project, own: Assignment, person: int | None) -> Assignment | None:
    """End a lease, and give the task to the named person.

    Raises:
        ActError: they can't have it.
    """
    task = own.task
    own.state, own.slot = "lapsed", None
    db.flush()
    if person is None:
        return None
    named = next((one for one in acts.workers(db, project) if one.id == person), None)
    stages = MODES[project.mode].stages_for(*(named.roles if named else ()))
    until = site.settings.clock() + acts.KEPT_FOR
    given = assignments.give(db, site, task, named, until) if named and task.stage in stages else None
    if given is None or given.id == own.id:
        raise ActError("They can't be given this question: they have had it already, or may not do it.")
    db.flush()
    return given


def void_submission(
    site: Site, project: int, me: Person, version: int, submission: int, reason: str, *, again: bool
) -> int:
    """Void a submission and the later ones of the same task by the same person, and return the act's number.

    The question is asked again: the same person with `again`, else another person. In the latter case, all submissions
    of the first person in the task are voided. Decisions that rest on them are withdrawn as well.

    Raises:
        ActError: there is no valid one, something else came of it, or no reason is given.
    """
    if not reason:
        raise ActError("Give a reason.")
    with site.database.write() as db:
        found = db.get_one(Project, project)
        own, theirs = _submitted(db, found, version, submission, again=again)
        task, now = own.task, site.settings.clock()
        act = _one(db, site, found, me, VOID, reason, {"submissions": [one.id for one in theirs]}, version)
        about = db.get_one(ItemVersion, version)
        for one in theirs:
            db.add(Undone(submission_id=one.id, user_id=me.id, reason=reason, created=now))
            acts.noted(db, site, act, about, "voided", step=one.step, submission=one.id, person=own.user_id)
        own.draft, own.done = None, None
        if again:
            own.state, own.taken, own.expires = "held", now, now + site.settings.lease
        else:
            own.state, own.slot = VOIDED, None
        db.flush()
        _ask(db, act, task)
        return _done(db, site, act, {})


def may_again(task: Task, submission: Submission) -> bool:
    """Check whether the author of a voided submission can be asked again: not if they have seen the answer."""
    return not (task.stage in BLIND and submission.step == ANSWER)


def _submitted(
    db: Orm, project: Project, version: int, submission: int, *, again: bool
) -> tuple[Assignment, list[Submission]]:
    """An assignment, and its submissions that are to be voided.

    Raises:
        ActError: there are none that can be.
    """
    chosen = db.scalar(select(Submission).where(Submission.id == submission))
    own = None if chosen is None else db.get_one(Assignment, chosen.assignment_id)
    if chosen is None or own is None or own.task.project_id != project.id or own.task.item_id != version:
        raise ActError("There is no such submission, or it was taken back already.")
    newer = select(ItemVersion.id).where(
        ItemVersion.project_id == project.id, ItemVersion.item == own.task.version.item, ItemVersion.id > version
    )
    if db.scalar(newer.limit(1)) is not None:
        raise ActError("A new version of the question came of it. Reopen that one, or leave it out.")
    if own.task.stage == PRACTICE:
        raise ActError("What somebody practised is in no figure; it stays.")
    if again and project.mode == STUDY and not _goes_on(db, project, own.user_id):
        raise ActError("Their part in the study has ended. Void it without asking them again.")
    if again and not may_again(own.task, chosen):
        raise ActError("They have seen the answer since. Have somebody else asked.")
    steps = list(db.scalars(select(Submission).where(Submission.assignment_id == own.id).order_by(Submission.id)))
    return own, [one for one in steps if not again or one.id >= chosen.id]


def _goes_on(db: Orm, project: Project, user: int) -> bool:
    found = participant_of(db, project, user)
    return found is not None and found.state == BEGUN


def _ask(db: Orm, act: Act, task: Task) -> None:
    """Have a task done again after a submission was voided: later stages end, and so do decisions that rest on it."""
    own = list(db.scalars(select(Task).where(Task.item_id == task.item_id).order_by(Task.id)))
    later = {one.id for one in own if one.id > task.id and one.stage != task.stage}
    for one in own:
        if one.id in later:
            one.open = False
    decisions = list(db.scalars(select(Decision).where(Decision.item_id == task.item_id).order_by(Decision.id)))
    for decision in decisions:
        if decision.task_id == task.id or decision.task_id in later:
            decision.taken_back = act.id
    if task.wanted is None:
        return
    if tasks.done_of(db, [task.id]).get(task.id, 0) < task.wanted:
        open_again(db, task)


def _one(
    db: Orm, site: Site, project: Project, me: Person, kind: str, reason: str, content: dict[str, Any], version: int
) -> Act:
    """A new act about one question."""
    act = acts.add_act(db, site, project, me, kind, reason, content)
    act.total = 1
    db.add(Acted(act_id=act.id, item_id=version, state=WAITING))
    db.flush()
    return act


def _done(db: Orm, site: Site, act: Act, before: dict[str, Any]) -> int:
    row = db.get_one(Acted, (act.id, db.scalars(select(Acted.item_id).where(Acted.act_id == act.id)).one()))
    row.state, row.before, row.seen = DONE, before, acts.last_submission(db)
    acts.finish(db, site, act)
    return act.id
