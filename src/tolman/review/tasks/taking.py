"""Taking tasks: the next that is free, and how many there are; no place is given twice, however many take at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, func, or_, select, union, update
from sqlalchemy.orm import Session as Orm
from sqlalchemy.orm import lazyload

from tolman.review.accounts.identity import Person
from tolman.review.site import Site
from tolman.review.store.schema import Assignment, Exclusion, Project, Task
from tolman.review.tasks.work import hold

MANY, OLD = 500, 30.0
_MANY_TOTALS = 10_000


def take(db: Orm, site: Site, project: Project, me: Person, stages: Sequence[str]) -> Assignment | None:
    """The task that somebody has begun, or else the next that is free; None where there is nothing to do.

    A task that somebody took and left is free again after `ReviewSettings.lease`; if they submit after all,
    theirs counts beside the other's.

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
    """The address to go on at after a task: of the next, which is taken in the same transaction, or of the page that
    says what there is instead.

    Args:
        db, site: written.
        own: what is done.
        me: whose.
        stages: that they work in.
    """
    project = own.task.project
    following = take(db, site, project, me, stages) if project.open else None
    return f"/projects/{project.id}/work" if following is None else f"/{project.mode}/{following.id}"


def waiting(db: Orm, site: Site, project: Project, me: Person, stages: Sequence[str], *, lately: bool = False) -> int:
    """Count the tasks that somebody could do now, those begun among them; `lately` as `total` does."""
    who = {"project": project.id, "stages": list(stages), "now": site.settings.clock()}
    free: int = _lately(db, site, who) if lately else db.scalar(_FREE, who) or 0
    theirs, held = db.execute(_THEIRS, who | {"me": me.id}).one()
    return max(free - int(theirs), 0) + int(held)


def _lately(db: Orm, site: Site, who: Mapping[str, Any]) -> int:
    """Count the tasks that have a place, for all people: once in `OLD` seconds where there are more than `MANY`."""
    key = "free", who["project"], *who["stages"]
    at, known = site.totals.get(key, (0.0, 0))
    if known > MANY and 0 <= who["now"] - at < OLD:
        return known
    found: int = db.scalar(_FREE, dict(who)) or 0
    site.totals[key] = who["now"], found
    return found


def total(db: Orm, site: Site, project: Project, me: Person, stages: Sequence[str], done: int) -> int:
    """Count the tasks that somebody has done (`done`) or could do now.

    Counting takes the longer the more tasks there are. Of more than `MANY` the number may be `OLD` seconds old; it is
    told on pages and decides nothing.
    """
    key, now = (project.id, me.id, *stages), site.settings.clock()
    at, known = site.totals.get(key, (0.0, 0))
    if known > MANY and 0 <= now - at < OLD:
        return max(known, done)
    if len(site.totals) > _MANY_TOTALS:
        site.totals.clear()
    found = done + waiting(db, site, project, me, stages, lately=True)
    site.totals[key] = now, found
    return found


def done_by(db: Orm, project: Project, me: Person, stages: Sequence[str]) -> int:
    """Count the tasks that somebody has done."""
    return db.scalar(_DONE, {"project": project.id, "me": me.id, "stages": list(stages)}) or 0


def assign(db: Orm, site: Site, task: int, wanted: int | None, me: Person, now: float) -> Assignment | None:
    """Give somebody a slot of a task; None where none is free any more.

    Args:
        db, site: written.
        task: its number; where people are `wanted`, nobody else may change its assignments meanwhile.
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
    """A slot that nobody has any more; whoever left it long ago loses it now."""
    others = db.execute(_OTHERS, {"task": task}).all()
    late = {other.id for other in others if other.state == "held" and other.expires < now}
    if sum(other.state in ("done", "held") and other.id not in late for other in others) >= wanted:
        return None
    if late:
        db.execute(update(Assignment).where(Assignment.id.in_(late)).values(state="lapsed", slot=None))
    held = {other.slot for other in others if other.id not in late}
    return next(number for number in range(wanted) if number not in held)


def give(db: Orm, site: Site, task: Task, me: Person, until: float) -> Assignment | None:
    """Give somebody whom the owner names a task that wants a number of people, until a time; one that they let lapse
    is theirs again. None where they have it or have done it, must not do it, or no place is free.

    Args:
        db: of `Database.write`, beside which nobody takes anything.
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
    """Somebody's assignment to a task: the one that they hold, or one that is free; None where they can't have it.

    Args:
        db: of `Database.write`, beside which nobody takes anything.
    """
    who = {"me": me.id, "now": site.settings.clock()}
    held = db.scalar(select(Assignment).where(Assignment.task_id == task.id, *_mine("held")), who)
    if held is not None:
        return held
    free = select(Task.id).where(Task.id == task.id, *_free(), *_not_theirs())
    return assign(db, site, task.id, task.wanted, me, who["now"]) if db.scalar(free, who) is not None else None


def all_done(db: Orm, project: Project, me: Person, stages: Sequence[str]) -> bool:
    """Tell whether somebody has done all that they will ever be asked to in some stages, as far as tasks are known.

    No task is open any more that they could be given, be it held by somebody else now.
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
    """Conditions under which a task has a place for somebody.

    Subqueries that count are looked up for each task by an index. PostgreSQL may turn EXISTS into a join, and into one
    of all tasks with all assignments as long as it has not yet counted how large new tables are.
    """
    active = or_(Assignment.state == "done", and_(Assignment.state == "held", Assignment.expires >= bindparam("now")))
    return [Task.open.is_(True), or_(Task.wanted.is_(None), _number(Assignment, active) < Task.wanted)]


def _not_theirs() -> list[ColumnElement[bool]]:
    """Conditions under which a task is nothing that somebody was given once or must not do.

    Of "< 1" PostgreSQL expects a third of the rows, and takes them in their order until it has one; of "= 0" next to
    none, so that it may as well look at all tasks and sort them.
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
# How many tasks have a place, but not for somebody, and how many somebody has begun.
_THEIRS = select(
    select(func.count()).select_from(_OWN).join(Task, Task.id == _OWN.c.task_id).where(*_STAGES, *_free())
    .scalar_subquery(),
    _COUNT.where(*_mine("held"), _about(*_STAGES, Task.open.is_(True)).is_not(None)).scalar_subquery(),
)  # fmt: skip
_DONE = _COUNT.where(*_mine("done"), _about(*_STAGES).is_not(None))
_OTHERS = select(Assignment.id, Assignment.slot, Assignment.state, Assignment.expires).where(
    Assignment.task_id == bindparam("task")
)
