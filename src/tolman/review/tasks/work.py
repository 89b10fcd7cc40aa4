"""Tasks, who does them, and what they submit: nothing is given out twice, nothing counts twice, nothing is lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, func, insert, or_, select, union, update
from sqlalchemy.orm import Session as Orm
from sqlalchemy.orm import joinedload, lazyload

from tolman.items import Item
from tolman.review.accounts.identity import Person
from tolman.review.media.serving import key_of, register
from tolman.review.site import Site
from tolman.review.store.database import WITH_UNDONE
from tolman.review.store.history import record
from tolman.review.store.schema import (
    Assignment,
    Exclusion,
    ItemVersion,
    Project,
    SavedDraft,
    Submission,
    Task,
    TaskMedium,
    Undone,
)

MANY, OLD = 500, 30.0
_MANY_TOTALS = 10_000
SLACK = 5.0
"""Seconds by which a browser's clock may run ahead of ours."""


def add_item(
    db: Orm,
    site: Site,
    project: Project,
    item: Item,
    *,
    origin: str = "benchmark",
    by: int | None = None,
    reason: str = "",
) -> ItemVersion:
    """A new version of an item, which is the current one from now on."""
    older = db.scalars(
        select(ItemVersion).where(ItemVersion.project_id == project.id, ItemVersion.item == item.id)
    ).all()
    for version in older:
        version.current = False
    row = ItemVersion(
        project_id=project.id,
        item=item.id,
        version=1 + max((v.version for v in older), default=0),
        content=item.model_dump(mode="json"),
        scene=item.scene,
        origin=origin,
        user_id=by,
        reason=reason,
        created=site.settings.clock(),
    )
    db.add(row)
    db.flush()
    return row


def add_items(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> list[ItemVersion]:
    """First versions of many items of a benchmark, in their order; for a project that has none of them yet."""
    now = site.settings.clock()
    rows = [
        ItemVersion(
            project_id=project.id, item=item.id, version=1, current=True, content=item.model_dump(mode="json"),
            scene=item.scene, origin="benchmark", reason="", created=now,
        )
        for item in items
    ]  # fmt: skip
    db.add_all(rows)
    db.flush()
    return rows


def withdraw(db: Orm, version: ItemVersion) -> None:
    """Close the open tasks about a version: there is nothing to be done about it any more."""
    for task in db.scalars(select(Task).where(Task.item_id == version.id, Task.open)):
        task.open = False


def item_of(version: ItemVersion) -> Item:
    """The item of a version."""
    return Item.model_validate(version.content)


def asked_item(own: Assignment) -> Item:
    """The item that an assignment asks about; for modes whose every task has an item."""
    assert own.task.item is not None
    return item_of(own.task.item)


def current_items(db: Orm, project: Project) -> list[ItemVersion]:
    """The current versions, in the order in which the items came."""
    chosen = select(ItemVersion).where(ItemVersion.project_id == project.id, ItemVersion.current)
    return list(db.scalars(chosen.order_by(ItemVersion.id)))


def add_task(
    db: Orm,
    site: Site,
    project: Project,
    stage: str,
    key: str,
    *,
    version: ItemVersion | None = None,
    wanted: int | None = 1,
    content: dict[str, Any] | None = None,
    not_by: Iterable[int] = (),
) -> Task:
    """Something to be done. Its place in the order is drawn from its key, so that no answer has a part in it."""
    task = Task(
        project_id=project.id,
        stage=stage,
        key=key,
        item_id=version.id if version else None,
        position=_position(site, project, key),
        wanted=wanted,
        content=content or {},
        created=site.settings.clock(),
    )
    db.add(task)
    db.flush()
    if version is not None:
        media = item_of(version).media
        known = register(db, site, project, media)
        for medium in sorted({known[key_of(m)] for m in media}):
            db.add(TaskMedium(task_id=task.id, medium_id=medium))
    for user in sorted(set(not_by)):
        db.add(Exclusion(task_id=task.id, user_id=user))
    db.flush()
    return task


def add_tasks(
    db: Orm, site: Site, project: Project, stage: str, versions: Mapping[str, ItemVersion], *, wanted: int | None = 1
) -> None:
    """Tasks about many items at once, by their keys; what `add_task` makes of each."""
    now = site.settings.clock()
    items = [item_of(version) for version in versions.values()]
    known = register(db, site, project, [medium for item in items for medium in item.media])
    tasks = [
        Task(
            project_id=project.id, stage=stage, key=key, item_id=version.id, position=_position(site, project, key),
            wanted=wanted, open=True, content={}, created=now,
        )
        for key, version in versions.items()
    ]  # fmt: skip
    db.add_all(tasks)
    db.flush()
    shown = [
        {"task_id": task.id, "medium_id": medium}
        for task, item in zip(tasks, items, strict=True)
        for medium in sorted({known[key_of(m)] for m in item.media})
    ]
    if shown:
        db.execute(insert(TaskMedium), shown)


def _position(site: Site, project: Project, key: str) -> str:
    """A place in the order that is drawn from a task's key, so that no answer has a part in it."""
    return site.sign("position", project.id, key)


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
        begun.expires = now + site.settings.lease
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
    """The address to go on at after a task: of the next, which is taken in the same transaction, or of the page that says
    what there is instead.

    Args:
        db, site: written.
        own: what is done.
        me: whose.
        stages: that they work in.
    """
    project = own.task.project
    following = take(db, site, project, me, stages) if project.open else None
    return f"/projects/{project.id}/work" if following is None else f"/{project.mode}/{following.id}"


def waiting(
    db: Orm, site: Site, project: Project, me: Person, stages: Sequence[str], *, lately: bool = False
) -> int:
    """Count the tasks that somebody could do now, those begun among them; with `lately`, of free tasks as `total` does."""
    who = {"project": project.id, "stages": list(stages), "now": site.settings.clock()}
    free = _lately(db, site, who) if lately else db.scalar(_FREE, who) or 0
    theirs, held = db.execute(_THEIRS, who | {"me": me.id}).one()
    return max(free - theirs, 0) + int(held)


def _lately(db: Orm, site: Site, who: Mapping[str, Any]) -> int:
    """Count the tasks that have a free place, for all people: once in `OLD` seconds where there are more than `MANY`."""
    key = "free", who["project"], *who["stages"]
    at, known = site.totals.get(key, (0.0, 0))
    if known <= MANY or not 0 <= who["now"] - at < OLD:
        known = db.scalar(_FREE, dict(who)) or 0
        site.totals[key] = who["now"], known
    return known


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


def _free() -> list[ColumnElement[bool]]:
    """Conditions under which a task has a place for somebody.

    Subqueries that count are looked up for each task by an index. PostgreSQL may turn EXISTS into a join, and into one of
    all tasks with all assignments as long as it has not yet counted how large new tables are.
    """
    active = or_(Assignment.state == "done", and_(Assignment.state == "held", Assignment.expires >= bindparam("now")))
    return [Task.open.is_(True), or_(Task.wanted.is_(None), _number(Assignment, active) < Task.wanted)]


def _not_theirs() -> list[ColumnElement[bool]]:
    """Conditions under which a task is nothing that somebody was given once or must not do.

    Of "< 1" PostgreSQL expects a third of the rows and takes them in their order until it has one; of "= 0" next to none,
    so that it may as well look at all tasks and sort them.
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


def assign_if_free(db: Orm, site: Site, task: Task, me: Person) -> Assignment | None:
    """Somebody's assignment to a task: the one that they hold, or one that is free; None where they can't have it."""
    now = site.settings.clock()
    held = db.scalar(select(Assignment).where(Assignment.task_id == task.id, *_mine("held")), {"me": me.id})
    if held is not None:
        return held
    free = select(Task.id).where(Task.id == task.id, *_free())
    return assign(db, site, task, me, now) if db.scalar(free, {"me": me.id, "now": now}) is not None else None


_STAGES = [Task.project_id == bindparam("project"), Task.stage.in_(bindparam("stages", expanding=True))]
_STAGE = [Task.project_id == bindparam("project"), Task.stage == bindparam("stage")]
_COUNT = select(func.count()).select_from(Assignment)
# Statements of every page are put together once: that takes longer than carrying them out.
_BEGUN = (
    select(Assignment).options(lazyload(Assignment.task))
    .where(*_mine("held"), _about(*_STAGES, Task.open).is_not(None)).order_by(_about()).limit(1)
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
    _COUNT.where(*_mine("held"), _about(*_STAGES, Task.open).is_not(None)).scalar_subquery(),
)  # fmt: skip
_DONE = _COUNT.where(*_mine("done"), _about(*_STAGES).is_not(None))
_MINE = (
    select(Assignment).options(joinedload(Assignment.draft))
    .where(Assignment.id == bindparam("own"), Assignment.user_id == bindparam("me"))
)  # fmt: skip
_OTHERS = select(Assignment.id, Assignment.slot, Assignment.state, Assignment.expires).where(
    Assignment.task_id == bindparam("task")
)
_OTHERS_DONE = _COUNT.where(
    Assignment.task_id == bindparam("task"), Assignment.state == "done", Assignment.id != bindparam("own")
)
_SUBMITTED = (
    select(Submission, Undone.id).outerjoin(Undone, Undone.submission_id == Submission.id)
    .where(Submission.assignment_id == bindparam("own")).order_by(Submission.id)
    .execution_options(**{WITH_UNDONE: True})
)  # fmt: skip


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
        others = db.execute(_OTHERS, {"task": task}).all()
        late = {other.id for other in others if other.state == "held" and other.expires < now}
        if sum(other.state in ("done", "held") and other.id not in late for other in others) >= wanted:
            return None
        if late:
            db.execute(update(Assignment).where(Assignment.id.in_(late)).values(state="lapsed", slot=None))
        held = {other.slot for other in others if other.id not in late}
        slot = next(number for number in range(wanted) if number not in held)
    own = Assignment(
        task_id=task, user_id=me.id, slot=slot, state="held", taken=now, expires=now + site.settings.lease
    )
    db.add(own)
    db.flush()
    return own


def mine(db: Orm, me: Person, assignment: int, mode: str) -> Assignment | None:
    """Somebody's own assignment in a mode; None where it isn't theirs, which is told from nowhere else."""
    found = db.scalar(_MINE, {"own": assignment, "me": me.id})
    return found if found is not None and found.task.project.mode == mode else None


def save_draft(db: Orm, site: Site, own: Assignment, content: dict[str, Any], seconds: float) -> None:
    """Keep what somebody has entered so far, and how long they have looked at it; time never runs backwards."""
    now = site.settings.clock()
    own.expires = max(own.expires, now + site.settings.lease)
    seconds = plausible(site, own, seconds)
    if own.draft is None:
        own.draft = SavedDraft(content=content, seconds=seconds, updated=now)
    own.draft.content, own.draft.seconds, own.draft.updated = content, max(own.draft.seconds, seconds), now


def draft_of(db: Orm, own: Assignment) -> SavedDraft | None:
    """The draft that somebody has saved and not submitted."""
    return own.draft


def plausible(site: Site, own: Assignment, seconds: float) -> float:
    """The seconds that a browser reports, held to the time that has passed since the task was taken."""
    passed = site.settings.clock() - own.taken + SLACK
    return min(max(seconds, 0.0), passed) if seconds == seconds else 0.0


def form_key(site: Site, own: Assignment, step: str, attempt: int = 0) -> str:
    """The key of a step's form: the same in every tab, so that a form sent twice is one submission."""
    return site.sign("form", own.id, step, *([attempt] if attempt else []))


def submit(
    db: Orm,
    site: Site,
    own: Assignment,
    step: str,
    content: dict[str, Any],
    seconds: float | None = None,
    marks: list[str] | None = None,
) -> tuple[Submission, bool]:
    """Add a submission, with its marks where it is an answer (`marks`), and say whether it is new.

    A double click, a second tab and a retry after a lost answer find what was there first, which stands.
    """
    found = submission(db, own, step)
    if found is not None:
        return found, False
    attempt = sum(one.step == step for one, _ in _submitted(db, own))  # all of them were taken back
    fresh = Submission(
        assignment_id=own.id,
        task_id=own.task_id,
        user_id=own.user_id,
        step=step,
        attempt=attempt,
        key=form_key(site, own, step, attempt),
        content=content,
        seconds=None if seconds is None else plausible(site, own, seconds),
        marks=marks,
        created=site.settings.clock(),
    )
    db.add(fresh)
    _submitted(db, own).append((fresh, False))
    return fresh, True


def submission(db: Orm, own: Assignment, step: str) -> Submission | None:
    """The submission for a step."""
    return next((one for one, undone in _submitted(db, own) if one.step == step and not undone), None)


def _submitted(db: Orm, own: Assignment) -> list[tuple[Submission, bool]]:
    """All submissions of an assignment, and whether they were taken back; asked for once in a transaction."""
    known: list[tuple[Submission, bool]] | None = db.info.get(("submitted", own.id))
    if known is None:
        found = db.execute(_SUBMITTED, {"own": own.id})
        known = db.info["submitted", own.id] = [(one, undone is not None) for one, undone in found]
    return known


def finish(db: Orm, site: Site, own: Assignment) -> bool:
    """An assignment is done; whether its task is done with it, which it is once only.

    Where the task wants a number of people, nobody else may finish it meanwhile: `Database.write_for` with the assignment,
    or `Database.write`.
    """
    own.state, own.done, own.draft = "done", site.settings.clock(), None
    task = own.task
    if task.wanted is None or not task.open:
        return False
    with db.no_autoflush:
        others = db.scalar(_OTHERS_DONE, {"task": task.id, "own": own.id}) or 0
    if 1 + others < task.wanted:
        return False
    task.open = False
    return True


def report(db: Orm, site: Site, own: Assignment, note: str) -> bool:
    """Say that a task can't be done, and give its slot to somebody else; whether that is news.

    What was submitted stands: only a task without a submission can be reported.
    """
    if own.state not in ("held", "lapsed"):
        return False
    if db.scalar(select(Submission.id).where(Submission.assignment_id == own.id).limit(1)) is not None:
        return False
    own.state, own.slot = "reported", None
    item = own.task.item
    record(
        db, site.settings, "reported", project=own.task.project_id, item=item.item if item else own.task.key,
        user=own.user_id, note=note,
    )  # fmt: skip
    return True


def ask_again(db: Orm, site: Site, project: Project) -> int:
    """Give what was reported back to those who reported it; how many tasks."""
    found = db.scalars(
        select(Assignment).join(Task).where(Task.project_id == project.id, Assignment.state == "reported")
    ).all()
    for own in found:
        own.state, own.expires = "held", site.settings.clock()
    return len(found)


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
