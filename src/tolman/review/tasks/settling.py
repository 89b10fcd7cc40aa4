"""Settling of an item whose reviewers have decided: agreement, an adjudicator, a new version, a flag."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.forms.verdicts import apply_changes
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import Decision, Flag, ItemVersion, Project, Submission, Task
from tolman.review.tasks import work

REVIEW, ADJUDICATE = "review", "adjudicate"
PROPOSE, VALIDATE, RESOLVE = "propose", "validate", "resolve"
"""Stages of tasks: two of the mode Review, three of the mode Verify."""
ANSWER, DECIDE = "answer", "decide"
DISCARD, LEFT_OUT_BY, CLOSED = "discard", "left_out", "closed"
"""The verdict that leaves an item out, and what such a decision of the owner's holds: the act, the tasks it closed."""


def add_review(db: Orm, site: Site, project: Project, version: ItemVersion, *, not_by: set[int] | None = None) -> Task:
    """Have a version reviewed by as many people as the project wants, each alone."""
    return work.add_task(
        db, site, project, REVIEW, review_key(version), version=version, wanted=people_for(project),
        not_by=not_by or (),
    )  # fmt: skip


def review_key(version: ItemVersion) -> str:
    """The key of the task that reviews a version."""
    return f"{version.item}@{version.version}"


def people_for(project: Project) -> int:
    """How many people review each item of a project."""
    return int(project.settings.get("people", 1))


def votes(db: Orm, task: Task) -> list[Submission]:
    """The decisions submitted for a task, in the order in which they came."""
    chosen = select(Submission).where(Submission.task_id == task.id, Submission.step == DECIDE)
    return list(db.scalars(chosen.order_by(Submission.id)))


def settle(db: Orm, site: Site, task: Task) -> None:
    """All reviewers of a task have decided: take what they agree on, or call an adjudicator."""
    assert task.item is not None
    cast = votes(db, task)
    first = cast[0].content
    agreed = all(_core(vote.content) == _core(first) for vote in cast)
    if task.stage == ADJUDICATE:
        last = cast[-1]  # of a question that is asked again, an earlier adjudicator's stands before it
        decide(db, site, task, task.item, last.content, {last.user_id}, by=last.user_id)
    elif agreed:
        decide(db, site, task, task.item, first, {vote.user_id for vote in cast}, by=None)
    else:
        people = [vote.user_id for vote in cast]
        key = f"{task.item.item}@{task.item.version}"
        work.ask(db, site, task.project, ADJUDICATE, key, version=task.item, not_by=people)
        record(db, site.settings, "disagreed", project=task.project_id, item=task.item.item)


def _core(content: dict[str, Any]) -> object:
    """Extract the part that two decisions must share to be the same: the verdict, and its changes."""
    return content["verdict"], content.get("target"), content.get("changes")


def decide(
    db: Orm,
    site: Site,
    task: Task | None,
    version: ItemVersion,
    content: dict[str, Any],
    people: set[int],
    *,
    by: int | None,
) -> None:
    """Write a decision down and do what it says.

    Args:
        db, site: where.
        task: the decision comes from, where it comes from one.
        version: of the item.
        content: the verdict with all that belongs to it.
        people: who took part; a revision is reviewed by others.
        by: the one who decided alone; None where people agreed.
    """
    write_decision(db, site, task, version, content, by=by)
    if content["verdict"] == "revise":
        project = db.get_one(Project, version.project_id)
        revise(db, site, project, version, content["changes"], content["reason"], people)


def write_decision(
    db: Orm, site: Site, task: Task | None, version: ItemVersion, content: dict[str, Any], *, by: int | None
) -> Decision:
    """Write a decision down, and raise the flag that it asks for; arguments as for `decide`."""
    verdict, reason = content["verdict"], content["reason"]
    made = Decision(
        item_id=version.id,
        task_id=task.id if task else None,
        user_id=by,
        verdict=verdict,
        reason=reason,
        content={key: value for key, value in content.items() if key not in ("verdict", "reason")},
        created=site.settings.clock(),
    )
    db.add(made)
    record(
        db, site.settings, "decided", project=version.project_id, item=version.item, user=by, verdict=verdict,
        reason=reason, version=version.version,
    )  # fmt: skip
    if verdict == "flag" and by is not None:
        raise_flag(db, site, version, by, content["target"], reason)
    return made


def revise(
    db: Orm, site: Site, project: Project, version: ItemVersion, changes: dict[str, Any], reason: str, people: set[int]
) -> ItemVersion:
    """A new version of an item; what was changed goes to others than those who changed it."""
    item = apply_changes(work.item_of(version), changes)
    by = min(people) if len(people) == 1 else None
    fresh = work.add_item(db, site, project, item, origin="revised", by=by, reason=reason)
    add_review(db, site, project, fresh, not_by=people)
    return fresh


def raise_flag(db: Orm, site: Site, version: ItemVersion, user: int, target: str, reason: str) -> None:
    """Doubt an item; the same doubt of the same person once."""
    known = select(Flag).where(Flag.item_id == version.id, Flag.user_id == user, Flag.target == target)
    if db.scalar(known) is None:
        flag = Flag(item_id=version.id, user_id=user, target=target, reason=reason, created=site.settings.clock())
        flag.content = {}
        db.add(flag)
        record(
            db, site.settings, "flagged", project=version.project_id, item=version.item, user=user, target=target,
            reason=reason,
        )  # fmt: skip


def open_again(db: Orm, task: Task) -> None:
    """Open a task of which a submission was taken back. That of an item which the owner has left out stays closed, and
    is opened when the item is taken in again."""
    last = None if task.item is None else last_decision(db, task.item)
    if last is None or LEFT_OUT_BY not in last.content:
        task.open = True
    elif task.id not in last.content[CLOSED]:
        last.content = last.content | {CLOSED: [*last.content[CLOSED], task.id]}


def last_decisions(db: Orm, project: Project) -> dict[int, Decision]:
    """Version's id → what was decided last about it."""
    found = db.scalars(
        select(Decision)
        .join(ItemVersion, ItemVersion.id == Decision.item_id)
        .where(ItemVersion.project_id == project.id)
        .order_by(Decision.id)
    )
    return {decision.item_id: decision for decision in found}


def last_decision(db: Orm, version: ItemVersion) -> Decision | None:
    """Find the last decision about a version."""
    chosen = select(Decision).where(Decision.item_id == version.id).order_by(Decision.id.desc())
    return db.scalar(chosen.limit(1))
