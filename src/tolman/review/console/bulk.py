"""Acts on many questions, part after part: others' pages don't wait, and what a kill interrupts goes on later.

Which questions an act is about is written down when it begins (`Acted`). Each part is one transaction that changes some
of them and says what was there before, so that every question is changed once, whichever process makes the next part.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, func, insert, literal, or_, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session as Orm
from sqlalchemy.orm import aliased

from tolman.review.accounts import membership
from tolman.review.accounts.identity import Person
from tolman.review.console import changes
from tolman.review.console.acts import DOING, DONE, KEPT, PASSED, UNDOING, UNDONE, WAITING, counted, counts_of
from tolman.review.console.changes import ASSIGN, LEAVE_OUT, TOLD, VOID, ActError, PassedOverError
from tolman.review.console.items import ItemFilter, matching
from tolman.review.modes import MODES
from tolman.review.site import Site
from tolman.review.store.database import WITH_UNDONE
from tolman.review.store.history import record
from tolman.review.store.schema import Act, Acted, ItemVersion, Project, Submission, Task

PART = 100
"""Questions of a part: one holds the writers up for some 0.1 s."""
_log = logging.getLogger(__name__)


def begin(
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
        kind: one of `changes.KINDS`.
        chosen: ids of versions, or a filter, of which the questions are taken that match now.
        reason: why.
        person: to whom they are given.

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
        act = add(db, site, found, me, kind, reason, content)
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


def add(db: Orm, site: Site, project: Project, me: Person, kind: str, reason: str, content: dict[str, Any]) -> Act:
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
    """One act after the other changes a project's questions: what was there before each is what is restored.

    Raises:
        ActError: one is under way.
    """
    going = select(Act.id).where(Act.project_id == project, Act.state.in_((DOING, UNDOING)))
    if db.scalar(going.limit(1)) is not None:
        raise ActError("Another act is under way here. Wait until it is done.")


def _worker(db: Orm, project: Project, person: int | None) -> Person:
    """Somebody who can be given questions of a project.

    Raises:
        ActError: they can't, or nobody can.
    """
    if not gives_out(project):
        raise ActError("Nobody is given questions here: everybody is asked all of theirs.")
    found = next((one for one in workers(db, project) if one.id == person), None)
    if found is None:
        raise ActError("Choose somebody who may work in this project.")
    return found


def gives_out(project: Project) -> bool:
    """Whether a project's questions are done by a number of people, so that they can be given to somebody."""
    return project.mode != "answer" and MODES[project.mode].next_page is None


def workers(db: Orm, project: Project) -> list[Person]:
    """Everybody who can be given questions of a project."""
    return membership.workers(db, project, MODES[project.mode].stages) if gives_out(project) else []


def undo(site: Site, project: int, number: int, me: Person) -> None:
    """Have all questions of an act as they were before it.

    Raises:
        ActError: it is none that can be undone, or people have gone on with what it changed.
    """
    with site.database.write() as db:
        act = db.get(Act, number)
        if act is None or act.project_id != project:
            raise ActError("There is no such act.")
        if act.state != DONE or act.kind == VOID:
            raise ActError("What was voided stays so." if act.kind == VOID else "This is not done, or undone already.")
        _alone(db, project)
        answered, other = _meanwhile(db, act)
        if answered:
            raise ActError(f"People have answered {counted(answered)} of these meanwhile, so all stays as it is.")
        if other:
            raise ActError(f"{counted(other)} of these changed again since, so all stays as it is.")
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
    if not waiting:
        return None
    thread = threading.Thread(target=_all_parts, args=(site, waiting, stopped), name="acting", daemon=True)
    thread.start()
    return thread


def _all_parts(site: Site, acts: Sequence[int], stopped: Callable[[], bool]) -> None:
    for number in acts:
        try:
            while not stopped() and next_part(site, number):
                time.sleep(0.02)  # who waits for the database comes first
        except SQLAlchemyError as error:  # the database is away, or was closed: the next start of a server goes on
            _log.warning("act %d is not done wholly (%s); it goes on when the server starts", number, type(error))
            return


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
    part = changes.load(db, site, act, [row.item_id for row in rows])
    if doing:
        seen = changes.last_submission(db)
        for row in rows:
            try:
                row.before = changes.change(part, part.versions[row.item_id])
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
                changes.restore(part, part.versions[row.item_id], row.before or {})
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
        more["person"] = changes.person_of(db, act.content["person"]).name
    if doing and "filter" in act.content:
        more["filter"] = act.content["filter"] or "all"
    record(
        db, site.settings, TOLD[act.kind] if doing else "act undone", project=act.project_id,
        user=act.user_id if doing else act.undone_by, act=act.id, **told, **more,
    )  # fmt: skip


def _meanwhile(db: Orm, act: Act) -> tuple[int, int]:
    """How many of an act's questions people have answered since, and how many others were changed otherwise."""
    return db.scalar(_gone_on(act, _answered(act))) or 0, db.scalar(_gone_on(act, _other(act))) or 0


def _gone_on(act: Act, condition: ColumnElement[bool]) -> Select[int]:
    """How many of the questions that an act has changed meet a condition."""
    return (
        select(func.count(Acted.item_id)).where(Acted.act_id == act.id, Acted.state == DONE, condition)
        .execution_options(**{WITH_UNDONE: True})
    )  # fmt: skip


def _answered(act: Act) -> ColumnElement[bool]:
    """Whether somebody has submitted anything about a question since; of what a person was given, they themselves."""
    since = select(Submission.id).join(Task, Task.id == Submission.task_id)
    since = since.where(Task.item_id == Acted.item_id, Submission.id > Acted.seen)
    if "person" in act.content:
        since = since.where(Submission.user_id == act.content["person"])
    return since.correlate(Acted).exists()


def _other(act: Act) -> ColumnElement[bool]:
    """Whether a question was made anew, or a later act has changed it."""
    later = aliased(Acted)
    by_act = select(later.act_id).where(
        later.item_id == Acted.item_id, later.act_id > act.id, later.state.in_((WAITING, DONE))
    )
    newer = select(ItemVersion.id).where(ItemVersion.id == Acted.item_id, ItemVersion.current.is_(False))
    return or_(by_act.correlate(Acted).exists(), newer.correlate(Acted).exists())
