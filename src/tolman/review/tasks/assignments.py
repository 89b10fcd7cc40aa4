"""Taking tasks, and taking the last answer back.

The next free task is given, and counted how many there are; no place is given twice, however many take at once. When an
answer is taken back, a further row says so, and the task is its person's again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, func, or_, select, union, update
from sqlalchemy.orm import Session as Orm, lazyload, load_only

from tolman.review.accounts import Person
from tolman.review.site import Site
from tolman.review.store import Assignment, Exclusion, Project, SavedDraft, Submission, Task, Undone
from tolman.review.store.database import WITH_UNDONE, record
from tolman.review.tasks import ModeSetting, hold
from tolman.review.tasks.decisions import open_again

MANY, OLD = 500, 30.0
_MANY_TOTALS = 10_000


def take(db: Orm, site: Site, project: Project, me: Person, stages: Sequence[str]) -> Assignment | None:
    """Take the task that a person has begun, or else the next that is free; None where there is nothing to do.

    A task that a person took and left is free again after `ReviewSettings.lease`; if they submit after all, both
    submissions count.

    Several people may be given tasks at the same moment, each in a transaction of their own (`Database.write_for`): one
    that another transaction has locked is passed over, so that None is certain inside `Database.write` only.
    """
    now = site.settings.clock()
    who = {"project": project.id, "me": me.id}
    begun = db.scalar(_BEGUN, who | {"stages": list(stages)})
    if begun is not None:
        hold(site, begun)
        return begun
    while True:
        found = [db.execute(_NEXT, who | {"now": now, "stage": stage}).first() for stage in stages]
        free = min((row for row in found if row is not None), key=lambda row: row.position, default=None)
        if free is None:
            return None
        own = assign(db, site, free.id, free.wanted, me, now)
        if own is not None:
            return own  # else its last slot was given away before this transaction had locked it


def going_on(db: Orm, site: Site, own: Assignment, me: Person, stages: Sequence[str]) -> str:
    """Return the address that follows a task: of the next, which is taken in the same transaction, or of the page that
    replaces it.

    Args:
        db, site: written.
        own: the task that is done.
        me: whose.
        stages: that they work in.
    """
    project = own.task.project
    following = take(db, site, project, me, stages) if project.open else None
    return f"/projects/{project.id}/work" if following is None else f"/{project.mode}/{following.id}"


def waiting(db: Orm, site: Site, project: Project, me: Person, stages: Sequence[str], *, lately: bool = False) -> int:
    """Count the tasks that a person could do now, those begun among them; `lately` as `total` does."""
    who = {"project": project.id, "stages": list(stages), "now": site.settings.clock()}

    def free() -> int:
        return db.scalar(_FREE, who) or 0

    places = _counted(site, ("free", project.id, *stages), free) if lately else free()  # for all people
    theirs, held = db.execute(_THEIRS, who | {"me": me.id}).one()
    return max(places - int(theirs), 0) + int(held)


def _counted(site: Site, key: tuple[object, ...], count: Callable[[], int]) -> int:
    """Count something once in `OLD` seconds where there is more than `MANY`."""
    now = site.settings.clock()
    at, known = site.totals.get(key, (0.0, 0))
    if known > MANY and 0 <= now - at < OLD:
        return known
    if len(site.totals) > _MANY_TOTALS:
        site.totals.clear()
    found = count()
    site.totals[key] = now, found
    return found


def total(db: Orm, site: Site, project: Project, me: Person, stages: Sequence[str], done: int) -> int:
    """Count the tasks that a person has done (`done`) or could do now.

    Counting takes the longer the more tasks there are. Above `MANY` the number may be `OLD` seconds old; it is shown on
    pages and decides nothing.
    """
    key = project.id, me.id, *stages
    return max(_counted(site, key, lambda: done + waiting(db, site, project, me, stages, lately=True)), done)


def done_by(db: Orm, project: Project, me: Person, stages: Sequence[str]) -> int:
    """Count the tasks that a person has done."""
    return db.scalar(_DONE, {"project": project.id, "me": me.id, "stages": list(stages)}) or 0


def assign(db: Orm, site: Site, task: int, wanted: int | None, me: Person, now: float) -> Assignment | None:
    """Assign a slot of a task to a person; None where none is free any more.

    Args:
        db, site: written.
        task: its number; where people are `wanted`, no other transaction may change its assignments meanwhile.
        wanted: how many people are to do it, None for everybody.
        me: who is to do it.
        now: the time.
    """
    slot = None
    if wanted is not None:
        slot = _free_slot(db, task, wanted, now)
        if slot is None:
            return None
    own = Assignment(task_id=task, user_id=me.id, slot=slot, state="held", taken=now, expires=now + site.settings.lease)
    db.add(own)
    db.flush()
    return own


def _free_slot(db: Orm, task: int, wanted: int, now: float) -> int | None:
    """Return a free slot; a person who left a slot long ago loses it now."""
    others = db.execute(_OTHERS, {"task": task}).all()
    late = {other.id for other in others if other.state == "held" and other.expires < now}
    if sum(other.state in ("done", "held") and other.id not in late for other in others) >= wanted:
        return None
    if late:
        db.execute(update(Assignment).where(Assignment.id.in_(late)).values(state="lapsed", slot=None))
    held = {other.slot for other in others if other.id not in late}
    return next(number for number in range(wanted) if number not in held)


def give(db: Orm, site: Site, task: Task, me: Person, until: float) -> Assignment | None:
    """Give a task that wants a number of people to a person named by the owner, until a time. One that they let lapse
    is theirs again. None where they have it or have done it, must not do it, or no place is free.

    Args:
        db: of `Database.write`, during which no other transaction takes a task.
    """
    assert task.wanted is not None
    now = site.settings.clock()
    if not task.open or db.get(Exclusion, (task.id, me.id)) is not None:
        return None
    own = db.scalar(select(Assignment).where(Assignment.task_id == task.id, Assignment.user_id == me.id))
    if own is None:
        own = assign(db, site, task.id, task.wanted, me, now)
    elif own.state == "lapsed":
        own.slot = _free_slot(db, task.id, task.wanted, now)
        own = own if own.slot is not None else None
    elif own.state != "held" or own.expires >= now:
        return None
    if own is not None:
        own.state, own.expires = "held", until
    return own


def assign_if_free(db: Orm, site: Site, task: Task, me: Person) -> Assignment | None:
    """Return a person's assignment to a task: the one that they hold, or one that is free; None where they can't have
    it.

    Args:
        db: of `Database.write`, during which no other transaction takes a task.
    """
    who = {"me": me.id, "now": site.settings.clock()}
    held = db.scalar(select(Assignment).where(Assignment.task_id == task.id, *_mine("held")), who)
    if held is not None:
        return held
    free = select(Task.id).where(Task.id == task.id, *_free(), *_not_theirs())
    return assign(db, site, task.id, task.wanted, me, who["now"]) if db.scalar(free, who) is not None else None


def all_done(db: Orm, project: Project, me: Person, stages: Sequence[str]) -> bool:
    """Check whether a person has done all tasks that they will ever get in some stages, as far as tasks are known.

    No task is open any more that they could be given, be it held by another now.
    """
    done = select(Assignment.id).where(
        Assignment.task_id == Task.id, Assignment.user_id == me.id, Assignment.state == "done"
    )
    excluded = select(Exclusion.task_id).where(Exclusion.task_id == Task.id, Exclusion.user_id == me.id)
    left = select(Task.id).where(
        Task.project_id == project.id, Task.stage.in_(stages), Task.open.is_(True), ~done.exists(), ~excluded.exists()
    )
    return db.scalar(left.limit(1)) is None


def _free() -> list[ColumnElement[bool]]:
    """Return the conditions under which a task has a free place.

    Subqueries that count are looked up for each task by an index. PostgreSQL may turn EXISTS into a join, and into one
    of all tasks with all assignments as long as it has not yet counted how large new tables are.
    """
    active = or_(Assignment.state == "done", and_(Assignment.state == "held", Assignment.expires >= bindparam("now")))
    return [Task.open.is_(True), or_(Task.wanted.is_(None), _number(Assignment, active) < Task.wanted)]


def _not_theirs() -> list[ColumnElement[bool]]:
    """Return the conditions that exclude tasks that a person was given once or must not do.

    PostgreSQL expects a third of the rows of "< 1", and takes them in their order until it has one. It expects next to
    none of "= 0", so that it may as well look at all tasks and sort them.
    """
    return [_number(table, table.user_id == bindparam("me")) < 1 for table in (Assignment, Exclusion)]


def _number(table: type[Assignment] | type[Exclusion], which: ColumnElement[bool]) -> ColumnElement[int]:
    """How many rows of a table about a task there are."""
    counted = select(func.count()).select_from(table).where(table.task_id == Task.id, which)
    return counted.correlate(Task).scalar_subquery()


def _about(*conditions: ColumnElement[bool]) -> ColumnElement[str]:
    """The place of an assignment's task in the order; null where the task doesn't meet some conditions."""
    place = select(Task.position).where(Task.id == Assignment.task_id, *conditions)
    return place.correlate(Assignment).scalar_subquery()


def _mine(state: str) -> list[ColumnElement[bool]]:
    return [Assignment.user_id == bindparam("me"), Assignment.state == state]


_STAGES = [Task.project_id == bindparam("project"), Task.stage.in_(bindparam("stages", expanding=True))]
_STAGE = [Task.project_id == bindparam("project"), Task.stage == bindparam("stage")]
_COUNT = select(func.count()).select_from(Assignment)
# Statements of every page are put together once: that takes longer than carrying them out.
_BEGUN = (
    select(Assignment).options(lazyload(Assignment.task))
    .where(*_mine("held"), _about(*_STAGES, Task.open.is_(True)).is_not(None)).order_by(_about()).limit(1)
)  # fmt: skip
# One stage at a time, as an index has its tasks in their order; of several, all would be looked at and sorted.
_NEXT = (
    select(Task.id, Task.position, Task.wanted).where(*_STAGE, *_free(), *_not_theirs())
    .order_by(Task.position).limit(1)
    .with_for_update(key_share=True, skip_locked=True)
)  # fmt: skip
_FREE = select(func.count()).select_from(Task).where(*_STAGES, *_free())
_OWN = union(
    select(Assignment.task_id).where(Assignment.user_id == bindparam("me")),
    select(Exclusion.task_id).where(Exclusion.user_id == bindparam("me")),
).subquery()
# How many tasks have a place, but not for the person, and how many the person has begun.
_THEIRS = select(
    select(func.count()).select_from(_OWN).join(Task, Task.id == _OWN.c.task_id).where(*_STAGES, *_free())
    .scalar_subquery(),
    _COUNT.where(*_mine("held"), _about(*_STAGES, Task.open.is_(True)).is_not(None)).scalar_subquery(),
)  # fmt: skip
_DONE = _COUNT.where(*_mine("done"), _about(*_STAGES).is_not(None))
_OTHERS = select(Assignment.id, Assignment.slot, Assignment.state, Assignment.expires).where(
    Assignment.task_id == bindparam("task")
)


SETTING = "undo"
UNDO = ModeSetting(SETTING, "People may take their last answer back (1), or not (0)", 1, least=0, most=1)
_RULES: dict[tuple[str, str], UndoRule] = {}
# With its task, as most rules look at that.
_LAST = (
    select(Submission, Undone.id, Task)
    .join(Task, Task.id == Submission.task_id)
    .outerjoin(Undone, Undone.submission_id == Submission.id)
    .where(Submission.user_id == bindparam("me"), Task.project_id == bindparam("project"))
    .order_by(Submission.id.desc())
    .limit(1)
    .options(load_only(Task.open), lazyload(Task.project), lazyload(Task.item))
    .execution_options(**{WITH_UNDONE: True})
)


@dataclass(frozen=True)
class UndoRule:
    """The rule by which a kind of work takes a step back.

    Attributes:
        draft: content of the submission → content of the draft that its form is filled with again.
        stands: (db, submission) → whether something has followed from it, so that it can't be taken back.
        revert: (db, submission) → takes back the immediate products of the submission, such as an item.
    """

    draft: Callable[[Mapping[str, Any]], dict[str, Any]] = dict
    stands: Callable[[Orm, Submission], bool] = lambda db, submission: False
    revert: Callable[[Orm, Submission], None] = lambda db, submission: None


def allow_undo(mode: str, step: str, rule: UndoRule) -> None:
    """Let people take a step of a mode back."""
    _RULES[mode, step] = rule


def undoable(db: Orm, project: Project, me: Person) -> Submission | None:
    """Return the submission that a person may take back: their last in the project, until they submit the next.

    None where the project forbids it or rests, where its kind of work takes nothing back, where something has followed
    from it, and where it is taken back already: earlier submissions are final.
    """
    if not project.open or not project.settings.get(SETTING, 1):
        return None
    found = db.execute(_LAST, {"project": project.id, "me": me.id}).first()
    if found is None or found[1] is not None:
        return None
    last: Submission = found[0]
    rule = _RULES.get((project.mode, last.step))
    return None if rule is None or rule.stands(db, last) else last


def undo(db: Orm, site: Site, last: Submission) -> Assignment:
    """Take back a submission that `undoable` found, and return the assignment that is to be done again.

    Its form is filled as it was submitted. The task is open again, and its person still has their place.
    """
    own = db.get_one(Assignment, last.assignment_id)
    task = own.task
    rule = _RULES[task.project.mode, last.step]
    now = site.settings.clock()
    db.add(Undone(submission_id=last.id, user_id=last.user_id, created=now))
    record(
        db, site.settings, "taken back", project=task.project_id, item=task.item.item if task.item else task.key,
        user=last.user_id, step=last.step, submission=last.id,
    )  # fmt: skip
    own.state, own.done, own.expires = "held", None, now + site.settings.lease
    rule.revert(db, last)
    open_again(db, task)
    own.draft = SavedDraft(content=rule.draft(last.content), seconds=last.seconds or 0.0, updated=now)
    db.flush()
    return own
