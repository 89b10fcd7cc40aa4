"""Assigned: somebody's own task, for the routes that show and submit it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fastapi import HTTPException
from sqlalchemy.orm import Session as Orm

from tolman.review.accounts.identity import Person
from tolman.review.accounts.membership import belongs
from tolman.review.store.schema import Assignment
from tolman.review.tasks import work
from tolman.review.tasks.marks import VOIDED


def own_work(
    db: Orm,
    me: Person,
    assignment: int,
    mode: str,
    what: str = "question",
    stages: Mapping[str, Sequence[str]] | None = None,
) -> Assignment:
    """Somebody's own assignment in a mode.

    Args:
        db: read.
        me: who asks for it.
        assignment: its number.
        mode: its name.
        what: the task is about, for the sentence.
        stages: who may work in each stage, where not all that the routes allow may in all.

    Raises:
        HTTPException: 404, where it isn't theirs, which is told from nowhere else; 409, where they have reported that
            it can't be done, or the owner has voided what they submitted and asks others.
    """
    own = work.mine(db, me, assignment, mode)
    wrong = own is not None and stages is not None and not set(me.roles) & set(stages[own.task.stage])
    if own is None or wrong or not belongs(db, me, own.task.project):
        raise HTTPException(404, f"There is no such {what}.")
    if own.state == "reported":
        raise HTTPException(409, f"You have reported a problem with this {what}. Go on with the next.")
    if own.state == VOIDED:
        raise HTTPException(409, f"The owner asks somebody else about this {what}. Go on with the next.")
    return own
