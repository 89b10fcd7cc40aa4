"""Tasks, their people and submissions, marks on answers, and the contract of a mode of work.

No submission counts twice, and none is lost. A mark is set on an answer that may not rest on the question: given too
fast, or before the media could be seen. A mode has settings, routes and tables of progress.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import APIRouter, HTTPException
from sqlalchemy import Select, bindparam, func, insert, select
from sqlalchemy.orm import Session as Orm, joinedload

from tolman.errors import counted
from tolman.items import Item, Media
from tolman.review.accounts import AccountError, Person
from tolman.review.forms import AnswerError
from tolman.review.media import key_of, register
from tolman.review.site import Site
from tolman.review.store import (
    Assignment,
    Exclusion,
    HistoryEvent,
    ItemVersion,
    Project,
    SavedDraft,
    Submission,
    Task,
    TaskMedium,
    Undone,
    User,
)
from tolman.review.store.database import WITH_UNDONE, record


@dataclass(frozen=True)
class ModeSetting:
    """A whole number that the owner chooses when a project is started."""

    name: str
    label: str
    default: int
    least: int = 1
    most: int = 20

    def read(self, text: str) -> int:
        """A form's value.

        Raises:
            AccountError: it is no whole number.
        """
        if not re.fullmatch(r"\d{1,9}", text.strip(), re.ASCII):
            raise AccountError(f"{self.label}: a whole number, please.")
        return int(text)


@dataclass(frozen=True)
class Block:
    """A table of a progress page."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[Sequence[object]]
    note: str = ""


@dataclass(frozen=True)
class Mode:
    """One kind of work: its routes, its roles, the making of its tasks and the report of its progress.

    Attributes:
        name: of the module and of its addresses: an assignment's page is /NAME/ASSIGNMENT.
        title: on pages.
        purpose: one sentence for the owner who chooses it.
        stages: stage of a task → the roles that do it.
        router: its routes; each is given its roles by `allow`.
        start: (db, site, project, items) → makes the tasks of a new project.
        progress: (db, site, project) → tables of its progress page, in addition to those that all modes have.
        makes_items: whether people make items in it: those are published without a decision, which a review brings.
        settings: for the owner to choose.
        again: (db, site, project, version) → has a version reviewed that was remade after a correction; None where the
            mode has no flags.
        next_page: (db, site, project, person) → the address of the next page, where the mode itself decides on it; None
            where it is the next free task.
        counts: (db, site, project, person) → how many tasks they have done and how many wait, likewise.
        in_parts: whether `start` may be given the items of a large benchmark part after part, each in a transaction of
            its own, so that others' pages don't wait.
        fixed: settings that the owner doesn't choose, such as {"pool": True} (all media may be looked through).
    """

    name: str
    title: str
    purpose: str
    stages: Mapping[str, tuple[str, ...]]
    router: APIRouter
    start: Callable[[Orm, Site, Project, Sequence[Item]], None]
    progress: Callable[[Orm, Site, Project], Sequence[Block]] = lambda db, site, project: ()
    makes_items: bool = False
    settings: tuple[ModeSetting, ...] = ()
    again: Callable[[Orm, Site, Project, ItemVersion], object] | None = None
    next_page: Callable[[Orm, Site, Project, Person], str] | None = None
    counts: Callable[[Orm, Site, Project, Person], tuple[int, int]] | None = None
    in_parts: bool = False
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def stages_for(self, *roles: str) -> list[str]:
        """Return the stages whose tasks a person of some roles does."""
        return [stage for stage, theirs in self.stages.items() if set(roles) & set(theirs)]


FAST = "fast"
UNSEEN = "unseen"
MARKS = {FAST: "faster than the least time", UNSEEN: "before the media had loaded"}
REPORTED = "reported"
"""The state of an assignment whose media could not be shown; also the report's name in the history."""
VOIDED = "voided"
"""The state of an assignment whose submissions the owner took back, so that others are asked."""
LEAST = ModeSetting("least_seconds", "Mark answers given in fewer seconds (0 for none)", 2, least=0, most=600)
_READY, _BROKEN = "ready", "broken"


def marks_of(site: Site, own: Assignment, seconds: float, shown: str) -> list[str]:
    """Find the marks of an answer.

    Args:
        site: its clock limits the seconds, as no browser can show the task for longer than the person has had it.
        own: the task that is answered.
        seconds: that the browser says the page was visible.
        shown: the state of the question's media, as the browser reports it: 'ready' where all could be seen.

    Raises:
        AnswerError: a medium can't be shown, so that the answer would be a guess.
    """
    has_media = own.task.item is not None and bool(own.task.item.content.get("media"))
    if has_media and shown == _BROKEN:
        raise AnswerError("A video or picture of this question can't be shown. Report it in place of an answer.")
    least = own.task.project.settings.get(LEAST.name, 0)
    found = [FAST] if min(seconds, site.settings.clock() - own.taken) < least else []
    return found + ([UNSEEN] if has_media and shown != _READY else [])


def submitted(project: Project, *columns: Any) -> Select[Any]:
    """Select from a project's submissions in their order, of which each has a task, a person and perhaps a version."""
    return (
        select(*columns).select_from(Submission).join(Task).join(User, User.id == Submission.user_id)
        .outerjoin(ItemVersion, ItemVersion.id == Task.item_id)
        .where(Task.project_id == project.id).order_by(Submission.id)
    )  # fmt: skip


def tally_marks(db: Orm, project: Project, steps: Iterable[str]) -> dict[str, Counter[str]]:
    """Count each person's submissions in some steps by mark; 'marked' counts those with any, 'all' all.

    Submissions that an earlier version stored have no marks, as they were never checked.
    """
    found = db.execute(submitted(project, User.name, Submission.marks).where(Submission.step.in_(tuple(steps))))
    people: dict[str, Counter[str]] = defaultdict(Counter)
    for name, marks in found:
        people[name].update(["all", *(marks or ()), *(["marked"] if marks else ())])
    return dict(people)


def describe_marks(counts: Mapping[str, int], least: int) -> str:
    """Marks in words, such as '2 faster than 3 s, 1 before the media had loaded'."""
    words = {FAST: f"faster than {least} s", UNSEEN: MARKS[UNSEEN]}
    return ", ".join(f"{counts[mark]:,} {words[mark]}" for mark in MARKS if counts.get(mark))


def marks_block(db: Orm, project: Project, steps: Sequence[str]) -> Block:
    """The table of a progress page: marked answers of each person."""
    least = project.settings.get(LEAST.name, 0)
    rows = [
        (name, own["all"], own[FAST], own[UNSEEN], own["marked"])
        for name, own in sorted(tally_marks(db, project, steps).items())
    ]
    head = ("person", "answers", f"faster than {least} s", MARKS[UNSEEN], "marked in all")
    note = "Marked answers count like all others unless an export leaves them out (--without-marked)."
    return Block("Marked answers", head, rows, note)


def problems_block(db: Orm, project: Project) -> Block:
    """Return the table of people's reports in place of an answer, the latest first, for a progress page."""
    found = db.execute(
        select(HistoryEvent.item, User.name, HistoryEvent.content)
        .join(User, User.id == HistoryEvent.user_id)
        .where(HistoryEvent.project_id == project.id, HistoryEvent.what == REPORTED)
        .order_by(HistoryEvent.id.desc())
    )
    rows = [(item or "", name, content.get("note") or "a medium can't be shown") for item, name, content in found]
    waiting = db.scalars(
        select(Assignment.id).join(Task).where(Task.project_id == project.id, Assignment.state == REPORTED)
    ).all()
    note = (
        f"{counted(len(waiting), 'of these questions waits', 'of these questions wait')} until the owner asks again."
        if waiting
        else ""
    )
    return Block("Reported problems", ("question", "person", "problem"), rows, note)


SLACK = 5.0
"""Seconds by which a browser's clock may run ahead of ours."""
_SHARE = 0.02
"""Least share of a lease by which a stored lease is extended."""


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
    """Add a version of an item and make it the current one.

    A decision belongs to the version that it was made about. So after a revision the earlier decisions are out of date:
    they stay in the history, and the item's state is that of its current version (`current_items`, `last_decision`).
    """
    older = db.scalars(
        select(ItemVersion).where(ItemVersion.project_id == project.id, ItemVersion.item == item.id)
    ).all()
    for version in older:
        version.current = False
    row = _version(site, project, item, 1 + max((v.version for v in older), default=0))
    row.origin, row.user_id, row.reason = origin, by, reason
    db.add(row)
    db.flush()
    return row


def _version(site: Site, project: Project, item: Item, number: int = 1) -> ItemVersion:
    return ItemVersion(
        project_id=project.id, item=item.id, version=number, current=True, content=item.model_dump(mode="json"),
        scene=item.scene, origin="benchmark", reason="", created=site.settings.clock(),
    )  # fmt: skip


def add_items(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> list[ItemVersion]:
    """First versions of many items of a benchmark, in their order; for a project that has none of them yet."""
    rows = [_version(site, project, item) for item in items]
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
    return item_of(own.task.version)


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
    """Something to be done."""
    task = _task(site, project, stage, key, version, wanted)
    task.content = content or {}
    db.add(task)
    db.flush()
    if version is not None:
        show_media(db, site, task, item_of(version).media)
    for user in sorted(set(not_by)):
        db.add(Exclusion(task_id=task.id, user_id=user))
    db.flush()
    return task


def show_media(db: Orm, site: Site, task: Task, media: Sequence[Media]) -> None:
    """Let people see media with a task."""
    known = register(db, site, db.get_one(Project, task.project_id), media)
    for medium in sorted({known[key_of(one)] for one in media}):
        db.add(TaskMedium(task_id=task.id, medium_id=medium))
    db.flush()


def ask(
    db: Orm,
    site: Site,
    project: Project,
    stage: str,
    key: str,
    *,
    version: ItemVersion,
    wanted: int = 1,
    content: dict[str, Any] | None = None,
    not_by: Iterable[int] = (),
) -> Task:
    """`add_task`; where a question that was settled before has such a task, that one is opened for as many more."""
    known = db.scalar(select(Task).where(Task.project_id == project.id, Task.stage == stage, Task.key == key))
    if known is None:
        return add_task(
            db, site, project, stage, key, version=version, wanted=wanted, content=content, not_by=not_by
        )  # fmt: skip
    open_for(known, done_of(db, [known.id]).get(known.id, 0), wanted)
    if content is not None:
        known.content = content
    excluded = set(db.scalars(select(Exclusion.user_id).where(Exclusion.task_id == known.id)))
    db.add_all(Exclusion(task_id=known.id, user_id=user) for user in sorted(set(not_by) - excluded))
    db.flush()
    return known


def done_of(db: Orm, tasks: Iterable[int]) -> dict[int, int]:
    """Task → how many people have done it, of those that anybody has."""
    done = select(Assignment.task_id, func.count()).where(Assignment.task_id.in_(tasks), Assignment.state == "done")
    return {task: number for task, number in db.execute(done.group_by(Assignment.task_id))}  # noqa: C416


def open_for(task: Task, done: int, more: int) -> None:
    """Open a task; where as many people as it wants have done it, for `more` of them."""
    task.open = True
    if task.wanted is not None and done >= task.wanted:
        task.wanted = done + more


def add_tasks(
    db: Orm, site: Site, project: Project, stage: str, versions: Mapping[str, ItemVersion], *, wanted: int | None = 1
) -> None:
    """Add tasks about many items at once, by their keys, as `add_task` does for each."""
    items = [item_of(version) for version in versions.values()]
    known = register(db, site, project, [medium for item in items for medium in item.media])
    tasks = [_task(site, project, stage, key, version, wanted) for key, version in versions.items()]
    db.add_all(tasks)
    db.flush()
    shown = [
        {"task_id": task.id, "medium_id": medium}
        for task, item in zip(tasks, items, strict=True)
        for medium in sorted({known[key_of(m)] for m in item.media})
    ]
    if shown:
        db.execute(insert(TaskMedium), shown)


def _task(site: Site, project: Project, stage: str, key: str, version: ItemVersion | None, wanted: int | None) -> Task:
    """A task whose place in the order is drawn from its key, so that no answer has a part in it."""
    return Task(
        project_id=project.id, stage=stage, key=key, item_id=version.id if version else None, wanted=wanted, open=True,
        position=site.sign("position", project.id, key), content={}, created=site.settings.clock(),
    )  # fmt: skip


# Statements of every page are put together once: that takes longer than carrying them out.
_MINE = (
    select(Assignment).options(joinedload(Assignment.draft))
    .where(Assignment.id == bindparam("own"), Assignment.user_id == bindparam("me"))
)  # fmt: skip
_OTHERS_DONE = (
    select(func.count()).select_from(Assignment)
    .where(Assignment.task_id == bindparam("task"), Assignment.state == "done", Assignment.id != bindparam("own"))
)  # fmt: skip
_SUBMITTED = (
    select(Submission, Undone.id).outerjoin(Undone, Undone.submission_id == Submission.id)
    .where(Submission.assignment_id == bindparam("own")).order_by(Submission.id)
    .execution_options(**{WITH_UNDONE: True})
)  # fmt: skip


def mine(db: Orm, me: Person, assignment: int, mode: str) -> Assignment | None:
    """Return a person's own assignment in a mode; None where it isn't theirs or doesn't exist."""
    found = db.scalar(_MINE, {"own": assignment, "me": me.id})
    return found if found is not None and found.task.project.mode == mode else None


def hold(site: Site, own: Assignment) -> None:
    """Extend a person's hold of a task by another `ReviewSettings.lease`, give or take `_SHARE` of it."""
    until = site.settings.clock() + site.settings.lease
    if until - own.expires > _SHARE * site.settings.lease:
        own.expires = until


def save_draft(db: Orm, site: Site, own: Assignment, content: dict[str, Any], seconds: float) -> None:
    """Keep a person's entries so far, and how long they have looked at the task; time never runs backwards."""
    hold(site, own)
    now, seconds = site.settings.clock(), plausible(site, own, seconds)
    if own.draft is None:
        own.draft = SavedDraft(content=content, seconds=seconds, updated=now)
    own.draft.content, own.draft.seconds, own.draft.updated = content, max(own.draft.seconds, seconds), now


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
    """Add a submission, with its marks where it is an answer (`tasks.MARKS`), and say whether it is new.

    A double click, a second tab and a retry after a lost answer find the first submission, which stays.

    Raises:
        HTTPException: 409, where something else was submitted first.
    """
    found = submission(db, own, step)
    if found is not None:
        refuse_other(found, content)
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


def refuse_other(found: Submission, content: Mapping[str, Any]) -> None:
    """Say that a first submission stays, where another one comes after it (from a second tab, say).

    Raises:
        HTTPException: 409, unless both say the same.
    """
    now: dict[str, Any] = json.loads(json.dumps(content))
    if all(found.content.get(name) == value for name, value in now.items()):
        return
    first = found.content.get("shown", found.content.get("answer"))
    said = f", '{first}'," if isinstance(first, str) else ""
    raise HTTPException(409, f"You have submitted this before, and what you submitted first{said} stays. Go on.")


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
    """Finish an assignment, and return whether its task is done with it, which happens once only.

    If the task wants a number of people, no other transaction may finish it meanwhile: inside `Database.write_for` with
    the assignment, or `Database.write`.
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
    """Report that a task can't be done, and free its slot for another person; return whether that is news.

    Submissions are final: only a task without a submission can be reported.
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
    """Return reported tasks to the people who reported them, and count the tasks."""
    found = db.scalars(
        select(Assignment).join(Task).where(Task.project_id == project.id, Assignment.state == "reported")
    ).all()
    for own in found:
        own.state, own.expires = "held", site.settings.clock()
    return len(found)
