"""Acts on questions: their changes, undoing them, acts on many questions, and their progress.

Reopening withdraws the decisions in force and repeats the stage that settled the question; existing answers still
count. Leaving out is a decision of its own, which taking in again withdraws. Answers that people submit meanwhile are
kept: a closed or reassigned task still accepts a late answer. Changes are made inside `Database.write`, which excludes
other writers.

The questions of an act are recorded when it begins (`Acted`). Each part is one transaction that changes some of them
and records their earlier state. So every question is changed once, whichever process makes the next part. Other pages
don't wait, and an act that is killed resumes later.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Select, func, insert, literal, or_, select
from sqlalchemy.orm import Session as Orm, aliased, lazyload

from tolman.errors import counted
from tolman.review import accounts
from tolman.review.accounts import Person
from tolman.review.console import ItemFilter, matching
from tolman.review.modes import MODES
from tolman.review.projects import in_parts
from tolman.review.site import Site
from tolman.review.store import Act, Acted, Assignment, Decision, ItemVersion, Project, Submission, Task, User
from tolman.review.store.database import WITH_UNDONE, record
from tolman.review.tasks import assignments, done_of, open_for
from tolman.review.tasks.decisions import ADJUDICATE, CLOSED, DISCARD, LEFT_OUT_BY, people_for, write_decision

DOING, DONE, UNDOING, UNDONE = "doing", "done", "undoing", "undone"
"""States of an act; of its questions, DONE and UNDONE too."""
WAITING, PASSED, KEPT = "waiting", "passed", "kept"
"""Further states of an act's questions: not looked at yet; nothing to change; not undone, as people went on."""


@dataclass(frozen=True)
class ActState:
    """How far an act has come.

    Attributes:
        act: which.
        told: its effect, as a participle.
        counts: state of its questions → how many.
        passed: why questions were passed over → how many.
    """

    act: Act
    told: str
    counts: Mapping[str, int]
    passed: Mapping[str, int]

    @property
    def can_undo(self) -> bool:
        """Check whether there is anything to undo."""
        return self.act.state == DONE and self.act.kind != VOID and self.counts.get(DONE, 0) > 0

    @property
    def sentence(self) -> str:
        """Return the result of the act in words."""
        done = {DONE: DONE, DOING: DONE, UNDOING: UNDONE, UNDONE: UNDONE}[self.act.state]
        word = self.told if done == DONE else f"as they were before they were {self.told}"
        parts = [f"{counted(self.counts.get(done, 0), 'question')} {word}"]
        parts += [f"{number:,} passed over ({why})" for why, number in sorted(self.passed.items())]
        if self.counts.get(KEPT):
            parts.append(f"{self.counts[KEPT]:,} stay, as people went on with them")
        return "; ".join(parts) + "."


def acts_of(db: Orm, project: Project, most: int) -> list[ActState]:
    """The latest acts in a project, the newest first."""
    acts = list(db.scalars(select(Act).where(Act.project_id == project.id).order_by(Act.id.desc()).limit(most)))
    return _states(db, acts)


def act_of(db: Orm, project: Project, number: int) -> ActState | None:
    """An act of a project."""
    act = db.get(Act, number)
    return _states(db, [act])[0] if act is not None and act.project_id == project.id else None


def _states(db: Orm, acts: Sequence[Act]) -> list[ActState]:
    counts = counts_of(db, [act.id for act in acts])
    return [ActState(act, TOLD[act.kind], *counts[act.id]) for act in acts]


def counts_of(db: Orm, acts: Sequence[int]) -> dict[int, tuple[Counter[str], Counter[str]]]:
    """Act → how many of its questions are in which state, and why how many were passed over."""
    found: dict[int, tuple[Counter[str], Counter[str]]] = {number: (Counter(), Counter()) for number in acts}
    chosen = select(Acted.act_id, Acted.state, Acted.why, func.count()).where(Acted.act_id.in_(acts))
    for number, state, why, count in db.execute(chosen.group_by(Acted.act_id, Acted.state, Acted.why)):
        states, passed = found[number]
        states[state] += count
        if state == PASSED:
            passed[why] += count
    return found


REOPEN, LEAVE_OUT, TAKE_IN, ASSIGN, RELEASE, VOID = "reopen", "leave out", "take in", "assign", "release", "void"
KEPT_FOR = 7 * 24 * 3600.0
"""Seconds for which a task is kept for whom the owner names."""


class ActError(Exception):
    """A refused act; the text is one sentence for the owner."""


class PassedOverError(Exception):
    """There is nothing to be changed of a question; the text says why, for all that share it."""


@dataclass
class ActPart:
    """Questions that are changed in one transaction, with their tasks and decisions.

    Attributes:
        db, site, act, project: where, and why.
        versions: by id.
        tasks, decisions: of each, in their order; only decisions in force.
        done: task → how many people have done it.
        person: the person that an act gives them to.
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


def load_part(db: Orm, site: Site, act: Act, ids: Sequence[int]) -> ActPart:
    """Load some questions with their tasks and decisions."""
    versions = {one.id: one for one in db.scalars(select(ItemVersion).where(ItemVersion.id.in_(ids)))}
    tasks: dict[int, list[Task]] = defaultdict(list)
    plain = (lazyload(Task.project), lazyload(Task.item))
    for task in db.scalars(select(Task).where(Task.item_id.in_(ids)).options(*plain).order_by(Task.id)):
        tasks[task.item_id or 0].append(task)
    decisions: dict[int, list[Decision]] = defaultdict(list)
    for decision in db.scalars(select(Decision).where(Decision.item_id.in_(ids)).order_by(Decision.id)):
        decisions[decision.item_id].append(decision)
    person = act.content.get("person")
    done = done_of(db, [task.id for own in tasks.values() for task in own])
    return ActPart(
        db, site, act, db.get_one(Project, act.project_id), versions, tasks, decisions, done,
        None if person is None else person_of(db, person),
    )  # fmt: skip


def person_of(db: Orm, user: int) -> Person:
    """Return the person with an account number."""
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
            open_for(task, part.done.get(task.id, 0), further)
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
        # Whose last answer came while it was left out wants one more to settle it.
        open_for(task, part.done.get(task.id, 0), 1)
    return before


def _assign(part: ActPart, version: ItemVersion) -> dict[str, Any]:
    assert part.person is not None
    stages = MODES[part.project.mode].stages_for(*part.person.roles)
    tasks = [t for t in part.tasks.get(version.id, []) if t.open and t.wanted is not None and t.stage in stages]
    if not tasks:
        raise PassedOverError("nothing open that they may do")
    until = part.site.settings.clock() + KEPT_FOR
    given = [assignments.give(part.db, part.site, task, part.person, until) for task in tasks]
    if not any(given):
        raise PassedOverError("no place free for them")
    part.db.flush()
    return {"given": [own.id for own in given if own is not None]}


@dataclass(frozen=True)
class ActKind:
    """A kind of act on many questions.

    Attributes:
        title: of its button.
        told: its name in the history.
        change: (part, version) → the earlier state, for `restore`. Raises PassedOverError.
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


def change_question(part: ActPart, version: ItemVersion) -> dict[str, Any]:
    """Change a question and return its earlier state.

    Raises:
        PassedOverError: there is nothing to be changed.
    """
    if not version.current:
        raise PassedOverError("made anew meanwhile")
    before = KINDS[part.act.kind].change(part, version)
    if part.act.kind != LEAVE_OUT:  # which is a decision, and has its place in the history
        noted(part.db, part.site, part.act, version, TOLD[part.act.kind])
    return before


def restore_question(part: ActPart, version: ItemVersion, before: Mapping[str, Any]) -> None:
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


PART = 100
"""Questions of a part: one holds the writers up for some 0.1 s."""


def begin_act(
    site: Site,
    project: int,
    me: Person,
    kind: str,
    chosen: Sequence[int] | ItemFilter,
    *,
    reason: str = "",
    person: int | None = None,
) -> int:
    """Begin an act: one on few questions is done at once, else a thread goes on with it.

    Args:
        site: written.
        project: of the questions.
        me: the owner.
        kind: one of `KINDS`.
        chosen: ids of versions, or a filter, for the questions that match it now.
        reason: why.
        person: the person that they are given to.

    Returns:
        The act's number.

    Raises:
        ActError: it makes no sense, or nothing is chosen.
    """
    if kind == LEAVE_OUT and not reason:
        raise ActError("Give a reason for leaving them out.")
    with site.database.write() as db:
        found = db.get_one(Project, project)
        content: dict[str, Any] = {"person": _worker(db, found, person).id} if kind == ASSIGN else {}
        if isinstance(chosen, ItemFilter):
            content["filter"] = chosen.query()
        act = add_act(db, site, found, me, kind, reason, content)
        if isinstance(chosen, ItemFilter):
            which = matching(found, chosen, site.settings.clock())
        else:
            own = ItemVersion.project_id == found.id, ItemVersion.current.is_(True)
            which = select(ItemVersion.id).where(*own, ItemVersion.id.in_(set(chosen)))
        rows = which.with_only_columns(literal(act.id), ItemVersion.id, literal(WAITING))
        db.execute(insert(Acted).from_select(["act_id", "item_id", "state"], rows))
        act.total = db.scalar(select(func.count()).where(Acted.act_id == act.id)) or 0
        if not act.total:
            raise ActError("No question is chosen. Tick some, or take all that match.")
        number, small = act.id, act.total <= PART
        if small:
            _part(db, site, act)
    if not small:
        resume(site)
    return number


def add_act(db: Orm, site: Site, project: Project, me: Person, kind: str, reason: str, content: dict[str, Any]) -> Act:
    """A new act that is about nothing yet.

    Raises:
        ActError: another is under way.
    """
    _alone(db, project.id)
    act = Act(
        project_id=project.id, user_id=me.id, kind=kind, state=DOING, reason=reason, content=content, total=0,
        created=site.settings.clock(),
    )  # fmt: skip
    db.add(act)
    db.flush()
    return act


def _alone(db: Orm, project: int) -> None:
    """Check that no other act is changing a project's questions, as undoing an act restores the state before it.

    Raises:
        ActError: one is under way.
    """
    going = select(Act.id).where(Act.project_id == project, Act.state.in_((DOING, UNDOING)))
    if db.scalar(going.limit(1)) is not None:
        raise ActError("Another act is under way here. Wait until it is done.")


def _worker(db: Orm, project: Project, person: int | None) -> Person:
    """Return a person who can be given questions of a project.

    Raises:
        ActError: they can't be given any, or the project gives out none.
    """
    if not gives_out(project):
        raise ActError("Nobody is given questions here: everybody is asked all of theirs.")
    found = next((one for one in workers(db, project) if one.id == person), None)
    if found is None:
        raise ActError("Choose somebody who may work in this project.")
    return found


def gives_out(project: Project) -> bool:
    """Check whether a project's questions are done by a number of people, so that they can be assigned to a person."""
    return project.mode != "answer" and MODES[project.mode].next_page is None


def workers(db: Orm, project: Project) -> list[Person]:
    """Everybody who can be given questions of a project."""
    return accounts.workers(db, project, MODES[project.mode].stages) if gives_out(project) else []


def undo_act(site: Site, project: int, number: int, me: Person) -> None:
    """Have all questions of an act as they were before it.

    Raises:
        ActError: it can't be undone, or people have continued with the questions that it changed.
    """
    with site.database.write() as db:
        act = db.get(Act, number)
        if act is None or act.project_id != project:
            raise ActError("There is no such act.")
        if act.state != DONE or act.kind == VOID:
            raise ActError("What was voided stays so." if act.kind == VOID else "This is not done, or undone already.")
        _alone(db, project)
        if answered := db.scalar(_gone_on(act, _answered(act))):
            raise ActError(
                f"People have answered {counted(answered, 'question')} of these meanwhile, so all stays as it is."
            )
        if other := db.scalar(_gone_on(act, _other(act))):
            raise ActError(f"{counted(other, 'question')} of these changed again since, so all stays as it is.")
        act.state, act.undone_by = UNDOING, me.id
        small = act.total <= PART
        if small:
            _part(db, site, act)
    if not small:
        resume(site)


def resume(site: Site, stopped: Callable[[], bool] = lambda: False) -> threading.Thread | None:
    """Go on with all acts that are under way, in a thread; None where there are none."""
    with site.database.read() as db:
        waiting = db.scalars(select(Act.id).where(Act.state.in_((DOING, UNDOING))).order_by(Act.id)).all()
    return in_parts("act", waiting, lambda number: next_part(site, number), stopped) if waiting else None


def next_part(site: Site, number: int) -> bool:
    """Do or undo the next questions of an act; whether there are more."""
    with site.database.write() as db:
        return _part(db, site, db.get_one(Act, number))


def _part(db: Orm, site: Site, act: Act) -> bool:
    if act.state not in (DOING, UNDOING):
        return False
    doing = act.state == DOING
    chosen = select(Acted).where(Acted.act_id == act.id, Acted.state == (WAITING if doing else DONE))
    rows = list(db.scalars(chosen.order_by(Acted.item_id).limit(PART)))
    part = load_part(db, site, act, [row.item_id for row in rows])
    if doing:
        seen = last_submission(db)
        for row in rows:
            try:
                row.before = change_question(part, part.versions[row.item_id])
                row.state, row.seen = DONE, seen
            except PassedOverError as why:
                row.state, row.why = PASSED, str(why)
        db.flush()
        for row in rows:
            if row.item_id in part.made:
                row.before = (row.before or {}) | {"added": [part.made[row.item_id].id]}
    else:
        gone_on = set(db.scalars(_gone_on(act, or_(_answered(act), _other(act))).with_only_columns(Acted.item_id)))
        for row in rows:
            if row.item_id in gone_on:
                row.state = KEPT
            else:
                restore_question(part, part.versions[row.item_id], row.before or {})
                row.state = UNDONE
    if len(rows) == PART and db.scalar(select(func.count()).select_from(chosen.limit(1).subquery())):
        return True
    finish(db, site, act)
    return False


def finish(db: Orm, site: Site, act: Act) -> None:
    """An act is done or undone: the audit log has it."""
    db.flush()
    doing = act.state == DOING
    act.state, act.ended = (DONE if doing else UNDONE), site.settings.clock()
    counts, passed = counts_of(db, [act.id])[act.id]
    told: dict[str, Any] = {"questions": counts.get(DONE if doing else UNDONE, 0)}
    told |= {"passed": sum(passed.values())} if doing and passed else {}
    told |= {"kept": counts[KEPT]} if counts.get(KEPT) else {}
    more: dict[str, Any] = {"reason": act.reason} if act.reason else {}
    if act.total == 1:
        only = select(ItemVersion.item).join(Acted, Acted.item_id == ItemVersion.id).where(Acted.act_id == act.id)
        more["question"] = db.scalars(only).one()
    if doing and "person" in act.content:
        more["person"] = person_of(db, act.content["person"]).name
    if doing and "filter" in act.content:
        more["filter"] = act.content["filter"] or "all"
    record(
        db, site.settings, TOLD[act.kind] if doing else "act undone", project=act.project_id,
        user=act.user_id if doing else act.undone_by, act=act.id, **told, **more,
    )  # fmt: skip


def _gone_on(act: Act, condition: ColumnElement[bool]) -> Select[int]:
    """How many of the questions that an act has changed meet a condition."""
    return (
        select(func.count(Acted.item_id)).where(Acted.act_id == act.id, Acted.state == DONE, condition)
        .execution_options(**{WITH_UNDONE: True})
    )  # fmt: skip


def _answered(act: Act) -> ColumnElement[bool]:
    """Match questions with a submission since the act; if a person was given the questions, one of their own."""
    since = select(Submission.id).join(Task, Task.id == Submission.task_id)
    since = since.where(Task.item_id == Acted.item_id, Submission.id > Acted.seen)
    if "person" in act.content:
        since = since.where(Submission.user_id == act.content["person"])
    return since.correlate(Acted).exists()


def _other(act: Act) -> ColumnElement[bool]:
    """Match questions that have a new version or were changed by a later act."""
    later = aliased(Acted)
    by_act = select(later.act_id).where(
        later.item_id == Acted.item_id, later.act_id > act.id, later.state.in_((WAITING, DONE))
    )
    newer = select(ItemVersion.id).where(ItemVersion.id == Acted.item_id, ItemVersion.current.is_(False))
    return or_(by_act.correlate(Acted).exists(), newer.correlate(Acted).exists())
