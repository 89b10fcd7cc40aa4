"""What an act changes of a question, and how that is undone; inside of `Database.write`, beside which nobody answers.

Reopening takes the standing decisions back and has the stage asked again that settled the question; answers that are
there stand and count. Leaving out is a decision of its own, which taking in again takes back. Whatever people submit
meanwhile is kept: a task that is closed or given to somebody else takes an answer that comes late.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm
from sqlalchemy.orm import lazyload

from tolman.review.accounts.identity import Person
from tolman.review.modes import MODES
from tolman.review.site import Site
from tolman.review.store.database import WITH_UNDONE
from tolman.review.store.history import record
from tolman.review.store.schema import Act, Assignment, Decision, ItemVersion, Project, Submission, Task, User
from tolman.review.tasks import taking, work
from tolman.review.tasks.settling import ADJUDICATE, CLOSED, DISCARD, LEFT_OUT_BY, people_for, write_decision

REOPEN, LEAVE_OUT, TAKE_IN, ASSIGN, RELEASE, VOID = "reopen", "leave out", "take in", "assign", "release", "void"
KEPT_FOR = 7 * 24 * 3600.0
"""Seconds for which a task is kept for whom the owner names."""


class ActError(Exception):
    """A refused act; the text is one sentence for the owner."""


class PassedOverError(Exception):
    """There is nothing to be changed of a question; the text says why, for all that share it."""


@dataclass
class ActPart:
    """Questions that are changed in one transaction, with what is there about them.

    Attributes:
        db, site, act, project: where, and why.
        versions: by id.
        tasks, decisions: of each, in their order; decisions that stand.
        done: task → how many people have done it.
        person: to whom an act gives them.
        made: decisions that the act adds, by version, until they have numbers.
    """

    db: Orm
    site: Site
    act: Act
    project: Project
    versions: dict[int, ItemVersion]
    tasks: Mapping[int, list[Task]] = field(default_factory=dict)
    decisions: Mapping[int, list[Decision]] = field(default_factory=dict)
    done: Mapping[int, int] = field(default_factory=dict)
    person: Person | None = None
    made: dict[int, Decision] = field(default_factory=dict)


def load(db: Orm, site: Site, act: Act, ids: Sequence[int]) -> ActPart:
    """Some questions with what is there about them."""
    versions = {one.id: one for one in db.scalars(select(ItemVersion).where(ItemVersion.id.in_(ids)))}
    tasks: dict[int, list[Task]] = defaultdict(list)
    plain = (lazyload(Task.project), lazyload(Task.item))
    for task in db.scalars(select(Task).where(Task.item_id.in_(ids)).options(*plain).order_by(Task.id)):
        tasks[task.item_id or 0].append(task)
    decisions: dict[int, list[Decision]] = defaultdict(list)
    for decision in db.scalars(select(Decision).where(Decision.item_id.in_(ids)).order_by(Decision.id)):
        decisions[decision.item_id].append(decision)
    person = act.content.get("person")
    done = work.done_of(db, [task.id for own in tasks.values() for task in own])
    return ActPart(
        db, site, act, db.get_one(Project, act.project_id), versions, tasks, decisions, done,
        None if person is None else person_of(db, person),
    )  # fmt: skip


def person_of(db: Orm, user: int) -> Person:
    """Somebody by the number of their account."""
    found = db.get_one(User, user)
    return Person(found.id, found.name, found.role, tuple(found.further))


def _reopen(part: ActPart, version: ItemVersion) -> dict[str, Any]:
    standing, tasks = part.decisions.get(version.id, []), part.tasks.get(version.id, [])
    counted = [task for task in tasks if task.wanted is not None]
    if not standing and (not counted or any(task.open for task in counted)):
        raise PassedOverError("not settled")
    for decision in standing:
        decision.taken_back = part.act.id
    before: dict[str, Any] = {"decisions": [decision.id for decision in standing], "tasks": []}
    again = MODES[part.project.mode].again
    if not tasks and again is not None:
        again(part.db, part.site, part.project, version)
        made = part.db.scalars(select(Task.id).where(Task.item_id == version.id, Task.open))
        before["tasks"] = [[number, False, 1] for number in made]
    for task in tasks:
        if task.stage == tasks[-1].stage and not task.open:
            before["tasks"].append([task.id, False, task.wanted])
            further = 1 if task.stage == ADJUDICATE else people_for(part.project)
            work.open_for(task, part.done.get(task.id, 0), further)
    return before


def _leave_out(part: ActPart, version: ItemVersion) -> dict[str, Any]:
    standing = part.decisions.get(version.id, [])
    if standing and standing[-1].verdict == DISCARD:
        raise PassedOverError("left out already")
    still = [task for task in part.tasks.get(version.id, []) if task.open]
    before: dict[str, Any] = {"tasks": [[task.id, True, task.wanted] for task in still]}
    for task in still:
        task.open = False
    content = {"verdict": DISCARD, "reason": part.act.reason, LEFT_OUT_BY: part.act.id, CLOSED: [t.id for t in still]}
    part.made[version.id] = write_decision(part.db, part.site, None, version, content, by=part.act.user_id)
    return before


def _take_in(part: ActPart, version: ItemVersion) -> dict[str, Any]:
    last = next(reversed(part.decisions.get(version.id, [])), None)
    if last is None or LEFT_OUT_BY not in last.content:
        raise PassedOverError("not left out by the owner")
    last.taken_back = part.act.id
    closed = [task for task in part.tasks.get(version.id, []) if task.id in last.content[CLOSED]]
    before = {"decisions": [last.id], "tasks": [[task.id, task.open, task.wanted] for task in closed]}
    for task in closed:
        work.open_for(
            task, part.done.get(task.id, 0), 1
        )  # whose last answer came while it was left out wants one more to settle it
    return before


def _assign(part: ActPart, version: ItemVersion) -> dict[str, Any]:
    assert part.person is not None
    stages = MODES[part.project.mode].stages_for(*part.person.roles)
    tasks = [t for t in part.tasks.get(version.id, []) if t.open and t.wanted is not None and t.stage in stages]
    if not tasks:
        raise PassedOverError("nothing open that they may do")
    until = part.site.settings.clock() + KEPT_FOR
    given = [own for task in tasks if (own := taking.give(part.db, part.site, task, part.person, until)) is not None]
    if not given:
        raise PassedOverError("no place free for them")
    part.db.flush()
    return {"given": [own.id for own in given]}


@dataclass(frozen=True)
class ActKind:
    """A kind of act on many questions.

    Attributes:
        title: of its button.
        told: what the history calls it.
        change: (part, version) → what was there before, for `restore`. Raises PassedOverError.
    """

    title: str
    told: str
    change: Callable[[ActPart, ItemVersion], dict[str, Any]]


KINDS = {
    REOPEN: ActKind("Reopen", "reopened", _reopen),
    LEAVE_OUT: ActKind("Leave out", "left out", _leave_out),
    TAKE_IN: ActKind("Take in again", "taken in", _take_in),
    ASSIGN: ActKind("Assign", "assigned", _assign),
}
TOLD = {name: kind.told for name, kind in KINDS.items()} | {RELEASE: "released", VOID: "voided"}


def change(part: ActPart, version: ItemVersion) -> dict[str, Any]:
    """Change a question; what was there before.

    Raises:
        PassedOverError: there is nothing to be changed.
    """
    if not version.current:
        raise PassedOverError("made anew meanwhile")
    before = KINDS[part.act.kind].change(part, version)
    if part.act.kind != LEAVE_OUT:  # which is a decision, and has its place in the history
        noted(part.db, part.site, part.act, version, TOLD[part.act.kind])
    return before


def restore(part: ActPart, version: ItemVersion, before: Mapping[str, Any]) -> None:
    """Have a question as it was before an act."""
    db, act = part.db, part.act
    for number in before.get("decisions", ()):
        db.get_one(Decision, number, execution_options={WITH_UNDONE: True}).taken_back = None
    for number in before.get("added", ()):
        db.get_one(Decision, number).taken_back = act.id
    tasks = {task.id: task for task in part.tasks.get(version.id, [])}
    for number, was_open, wanted in before.get("tasks", ()):
        tasks[number].open, tasks[number].wanted = was_open, wanted
    for number in before.get("given", ()):
        own = db.get_one(Assignment, number)
        if own.state == "held":
            own.state, own.slot = "lapsed", None
    db.flush()  # slots that are given back are free before others take them
    for number, slot in before.get("released", ()):
        own = db.get_one(Assignment, number)
        others = select(Assignment.id).where(Assignment.task_id == own.task_id, Assignment.slot == slot)
        if own.state == "lapsed" and db.scalar(others) is None:
            own.state, own.slot = "held", slot
    noted(db, part.site, act, version, "act undone")


def noted(db: Orm, site: Site, act: Act, version: ItemVersion, what: str, **more: Any) -> None:
    """Write a question's part of an act into its history."""
    by = act.undone_by if act.undone_by is not None else act.user_id
    told = more | ({"reason": act.reason} if act.reason else {})
    record(db, site.settings, what, project=act.project_id, item=version.item, user=by, act=act.id, **told)


def last_submission(db: Orm) -> int:
    """The number of the last submission that there is, taken back or not."""
    chosen = select(Submission.id).order_by(Submission.id.desc()).limit(1)
    return db.scalar(chosen.execution_options(**{WITH_UNDONE: True})) or 0
