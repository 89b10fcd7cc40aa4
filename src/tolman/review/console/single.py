"""Acts on one piece of work: a lease is released or given to somebody else, a submission is voided."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.accounts.identity import Person
from tolman.review.console import bulk, changes
from tolman.review.console.acts import DONE, WAITING
from tolman.review.console.changes import ASSIGN, RELEASE, VOID, ActError
from tolman.review.modes import MODES
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import (
    Act,
    Acted,
    Assignment,
    Decision,
    ItemVersion,
    Project,
    Submission,
    Task,
    Undone,
)
from tolman.review.studies.people import BEGUN, PRACTICE, participant_of
from tolman.review.studies.spec import STUDY
from tolman.review.tasks import taking, work
from tolman.review.tasks.marks import VOIDED
from tolman.review.tasks.settling import ANSWER, open_again
from tolman.review.tasks.sight import BLIND


def release(site: Site, project: int, me: Person, version: int, assignment: int, person: int | None = None) -> int:
    """Take a task from somebody who holds it, and give it to somebody else where one is named; the act's number.

    What the first one submits all the same is kept and counts.

    Raises:
        ActError: nobody holds it so, or it can't be given to them.
    """
    with site.database.write() as db:
        found = db.get_one(Project, project)
        own = _held(db, found, version, assignment)
        content = {} if person is None else {"person": person}
        act = _one(db, site, found, me, ASSIGN if content else RELEASE, "", content, version)
        before: dict[str, Any] = {"released": [[own.id, own.slot]]}
        given = _hand_over(db, site, found, own, person)
        about = db.get_one(ItemVersion, version)
        changes.noted(db, site, act, about, changes.TOLD[act.kind], released=own.user_id, person=person)
        return _done(db, site, act, before | ({} if given is None else {"given": [given.id]}))


def release_slot(site: Site, project: int, me: Person, assignment: int, person: int | None = None) -> None:
    """The same for a task that is about no item yet: a question that somebody is to write.

    Raises:
        ActError: as `release`.
    """
    with site.database.write() as db:
        found = db.get_one(Project, project)
        own = _held(db, found, None, assignment)
        given = _hand_over(db, site, found, own, person)
        told = {"person": None if given is None else changes.person_of(db, given.user_id).name}
        record(
            db, site.settings, "released", project=found.id, user=me.id, task=own.task.key,
            released=changes.person_of(db, own.user_id).name, **told,
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
    """End a lease, and give the task to whom is named.

    Raises:
        ActError: they can't have it.
    """
    task = own.task
    own.state, own.slot = "lapsed", None
    db.flush()
    if person is None:
        return None
    named = next((one for one in bulk.workers(db, project) if one.id == person), None)
    stages = MODES[project.mode].stages_for(*(named.roles if named else ()))
    until = site.settings.clock() + changes.KEPT_FOR
    given = taking.give(db, site, task, named, until) if named and task.stage in stages else None
    if given is None or given.id == own.id:
        raise ActError("They can't be given this question: they have had it already, or may not do it.")
    db.flush()
    return given


def void(site: Site, project: int, me: Person, version: int, submission: int, reason: str, *, again: bool) -> int:
    """Take somebody's submission back, with those that came after it in the same task; the act's number.

    The question is asked again: the same person with `again`, else somebody else, and then all that they submitted in
    the task is taken back. Decisions that rest on it are taken back as well.

    Raises:
        ActError: there is none that stands, something else came of it, or no reason is given.
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
            changes.noted(db, site, act, about, "voided", step=one.step, submission=one.id, person=own.user_id)
        own.draft, own.done = None, None
        if again:
            own.state, own.taken, own.expires = "held", now, now + site.settings.lease
        else:
            own.state, own.slot = VOIDED, None
        db.flush()
        _ask(db, act, task)
        return _done(db, site, act, {})


def may_again(task: Task, submission: Submission) -> bool:
    """Whether somebody whose submission is voided can be asked again: not about what they have seen the answer of."""
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
    assert own.task.item is not None
    newer = select(ItemVersion.id).where(
        ItemVersion.project_id == project.id, ItemVersion.item == own.task.item.item, ItemVersion.id > version
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
    if work.done_of(db, [task.id]).get(task.id, 0) < task.wanted:
        open_again(db, task)


def _one(
    db: Orm, site: Site, project: Project, me: Person, kind: str, reason: str, content: dict[str, Any], version: int
) -> Act:
    """A new act about one question."""
    act = bulk.add(db, site, project, me, kind, reason, content)
    act.total = 1
    db.add(Acted(act_id=act.id, item_id=version, state=WAITING))
    db.flush()
    return act


def _done(db: Orm, site: Site, act: Act, before: dict[str, Any]) -> int:
    row = db.get_one(Acted, (act.id, db.scalars(select(Acted.item_id).where(Acted.act_id == act.id)).one()))
    row.state, row.before, row.seen = DONE, before, changes.last_submission(db)
    bulk.finish(db, site, act)
    return act.id
