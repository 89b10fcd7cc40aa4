"""Tasks, who does them, and what they submit: nothing is given out twice, nothing counts twice, nothing is lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session as Orm

from tolman.items import Item
from tolman.review.accounts.identity import Person
from tolman.review.media.serving import key_of, register
from tolman.review.site import Site
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
)

_TRIES = 50
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
        position=site.sign("position", project.id, key),
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


def take(db: Orm, site: Site, project: Project, me: Person, stages: Sequence[str]) -> Assignment | None:
    """The task that somebody has begun, or else the next that is free; None where there is nothing to do.

    A task that somebody took and left is free again after `ReviewSettings.lease`; if they submit after all,
    theirs counts beside the other's.
    """
    now = site.settings.clock()
    begun = db.scalar(
        select(Assignment)
        .join(Task)
        .where(
            Assignment.user_id == me.id,
            Assignment.state == "held",
            Task.project_id == project.id,
            Task.stage.in_(stages),
            Task.open,
        )
        .order_by(Task.position)
        .limit(1)
    )
    if begun is not None:
        begun.expires = now + site.settings.lease
        return begun
    task = db.scalar(select(Task).where(*_free(project, me, stages, now)).order_by(Task.position).limit(1))
    return None if task is None else _assign(db, site, task, me, now)


def waiting(db: Orm, site: Site, project: Project, me: Person, stages: Sequence[str]) -> int:
    """Count the tasks that somebody could do now, those begun among them."""
    now = site.settings.clock()
    free = db.scalar(select(func.count()).select_from(Task).where(*_free(project, me, stages, now))) or 0
    held = select(func.count()).select_from(Assignment).join(Task).where(
        Assignment.user_id == me.id, Assignment.state == "held", Task.project_id == project.id, Task.open,
        Task.stage.in_(stages),
    )  # fmt: skip
    return free + (db.scalar(held) or 0)


def done_by(db: Orm, project: Project, me: Person, stages: Sequence[str]) -> int:
    """Count the tasks that somebody has done."""
    done = select(func.count()).select_from(Assignment).join(Task).where(
        Assignment.user_id == me.id, Assignment.state == "done", Task.project_id == project.id, Task.stage.in_(stages)
    )  # fmt: skip
    return db.scalar(done) or 0


def _free(project: Project, me: Person, stages: Sequence[str], now: float) -> list[ColumnElement[bool]]:
    """Conditions under which somebody can take a task."""
    active = or_(Assignment.state == "done", and_(Assignment.state == "held", Assignment.expires >= now))
    taken = (
        select(func.count()).select_from(Assignment).where(Assignment.task_id == Task.id, active)
        .correlate(Task).scalar_subquery()
    )  # fmt: skip
    mine = select(Assignment.id).where(Assignment.task_id == Task.id, Assignment.user_id == me.id)
    excluded = select(Exclusion.task_id).where(Exclusion.task_id == Task.id, Exclusion.user_id == me.id)
    return [
        Task.project_id == project.id,
        Task.stage.in_(stages),
        Task.open.is_(True),
        or_(Task.wanted.is_(None), taken < Task.wanted),
        ~mine.exists(),
        ~excluded.exists(),
    ]


def _assign(db: Orm, site: Site, task: Task, me: Person, now: float) -> Assignment:
    """Give somebody a free slot of a task that has one."""
    slot = None
    if task.wanted is not None:
        others = db.scalars(select(Assignment).where(Assignment.task_id == task.id)).all()
        for other in others:
            if other.state == "held" and other.expires < now:
                other.state, other.slot = "lapsed", None
        db.flush()
        held = {other.slot for other in others}
        slot = next(number for number in range(task.wanted) if number not in held)
    own = Assignment(
        task_id=task.id, user_id=me.id, slot=slot, state="held", taken=now, expires=now + site.settings.lease
    )
    db.add(own)
    db.flush()
    return own


def mine(db: Orm, me: Person, assignment: int, mode: str) -> Assignment | None:
    """Somebody's own assignment in a mode; None where it isn't theirs, which is told from nowhere else."""
    found = db.get(Assignment, assignment)
    if found is None or found.user_id != me.id or found.task.project.mode != mode:
        return None
    return found


def save_draft(db: Orm, site: Site, own: Assignment, content: dict[str, Any], seconds: float) -> None:
    """Keep what somebody has entered so far, and how long they have looked at it; time never runs backwards."""
    now = site.settings.clock()
    own.expires = max(own.expires, now + site.settings.lease)
    draft = db.get(SavedDraft, own.id)
    seconds = plausible(site, own, seconds)
    if draft is None:
        draft = SavedDraft(assignment_id=own.id, content=content, seconds=seconds, updated=now)
        db.add(draft)
    draft.content, draft.seconds, draft.updated = content, max(draft.seconds, seconds), now


def draft_of(db: Orm, own: Assignment) -> SavedDraft | None:
    """The draft that somebody has saved and not submitted."""
    return db.get(SavedDraft, own.id)


def plausible(site: Site, own: Assignment, seconds: float) -> float:
    """The seconds that a browser reports, held to the time that has passed since the task was taken."""
    passed = site.settings.clock() - own.taken + SLACK
    return min(max(seconds, 0.0), passed) if seconds == seconds else 0.0


def form_key(site: Site, own: Assignment, step: str) -> str:
    """The key of a step's form: the same in every tab, so that a form sent twice is one submission."""
    return site.sign("form", own.id, step)


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
    fresh = Submission(
        assignment_id=own.id,
        task_id=own.task_id,
        user_id=own.user_id,
        step=step,
        key=form_key(site, own, step),
        content=content,
        seconds=None if seconds is None else plausible(site, own, seconds),
        marks=marks,
        created=site.settings.clock(),
    )
    db.add(fresh)
    db.flush()
    return fresh, True


def submission(db: Orm, own: Assignment, step: str) -> Submission | None:
    """The submission for a step."""
    return db.scalar(select(Submission).where(Submission.assignment_id == own.id, Submission.step == step))


def finish(db: Orm, site: Site, own: Assignment) -> bool:
    """An assignment is done; whether its task is done with it, which it is once only."""
    own.state, own.done = "done", site.settings.clock()
    draft = db.get(SavedDraft, own.id)
    if draft is not None:
        db.delete(draft)
    db.flush()
    task = own.task
    if task.wanted is None or not task.open:
        return False
    done = select(func.count()).select_from(Assignment).where(
        Assignment.task_id == task.id, Assignment.state == "done"
    )  # fmt: skip
    if (db.scalar(done) or 0) < task.wanted:
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
