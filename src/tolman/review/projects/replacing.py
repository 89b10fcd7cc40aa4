"""A project that nobody has come to yet: whether it may be begun anew, and what is taken away for that."""

from __future__ import annotations

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.orm import Session as Orm

from tolman.review.store.schema import (
    Act,
    Assignment,
    Decision,
    Exclusion,
    Flag,
    ItemVersion,
    Participant,
    Project,
    Task,
    TaskMedium,
)


def untouched(db: Orm, project: Project) -> bool:
    """Tell whether nobody has come to a project, and nobody has decided or doubted anything in it."""
    tasks = select(Task.id).where(Task.project_id == project.id)
    items = select(ItemVersion.id).where(ItemVersion.project_id == project.id)
    there: tuple[tuple[type, ColumnElement[bool]], ...] = (
        (Participant, Participant.project_id == project.id),
        (Assignment, Assignment.task_id.in_(tasks)),
        (Act, Act.project_id == project.id),
        (Decision, Decision.item_id.in_(items)),
        (Flag, Flag.item_id.in_(items)),
    )
    return all(db.scalar(select(1).select_from(table).where(which).limit(1)) is None for table, which in there)


def clear(db: Orm, project: Project) -> None:
    """Take all tasks and items of an untouched project away. Its name and its links stay, and its history."""
    tasks = select(Task.id).where(Task.project_id == project.id)
    for table in (TaskMedium, Exclusion):
        db.execute(delete(table).where(table.task_id.in_(tasks)).execution_options(synchronize_session=False))
    for own in (Task, ItemVersion):
        db.execute(delete(own).where(own.project_id == project.id).execution_options(synchronize_session=False))
    db.expire_all()
