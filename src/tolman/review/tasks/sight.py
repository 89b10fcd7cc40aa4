"""Who may see the truth of an item: the owner, and whoever has given their own answer to it."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.accounts.identity import Person
from tolman.review.accounts.membership import belongs
from tolman.review.store.schema import Assignment, ItemVersion, Project, Submission, Task
from tolman.review.tasks.settling import ADJUDICATE, ANSWER, RESOLVE, REVIEW, VALIDATE

BLIND = (REVIEW, VALIDATE)
"""Stages in which somebody answers before they are shown anything."""
OPEN = (ADJUDICATE, RESOLVE)
"""Stages in which others' answers are seen from the beginning."""


def sees_truth(db: Orm, person: Person, version: ItemVersion) -> bool:
    """Tell whether a person may see the truth of an item's version; a subject never may."""
    if person.is_owner:
        return True
    if person.role == "subject" or not belongs(db, person, db.get_one(Project, version.project_id)):
        return False
    own = select(Assignment.id).join(Task).where(Task.item_id == version.id, Assignment.user_id == person.id)
    settles = own.where(Task.stage.in_(OPEN), Assignment.state.in_(("held", "done")))
    answered = own.where(Task.stage.in_(BLIND)).join(Submission).where(Submission.step == ANSWER)
    return any(db.execute(one.limit(1)).first() is not None for one in (settles, answered))


def sees_scene(db: Orm, person: Person, version: ItemVersion) -> bool:
    """Tell whether a person may see all of an item's scene: nothing about it is left that they may be asked blind."""
    if person.is_owner:
        return True
    return belongs(db, person, db.get_one(Project, version.project_id)) and sees_whole(db, person, version.scene)


def sees_whole(db: Orm, person: Person, scene: str | None) -> bool:
    """Tell whether there is no open question about a scene that a person may be asked blind and has not answered."""
    done = select(Submission.task_id).where(Submission.user_id == person.id, Submission.step == ANSWER)
    left = (
        select(Task.id)
        .join(ItemVersion, ItemVersion.id == Task.item_id)
        .where(ItemVersion.scene == scene, ItemVersion.current, Task.open)
        .where(Task.stage.not_in(OPEN), Task.id.not_in(done))
    )
    return db.execute(left.limit(1)).first() is None
