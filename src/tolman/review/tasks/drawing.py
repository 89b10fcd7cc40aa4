"""Drawings of a task: reading them against its media, and whose may be shown to whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import HTTPException
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.items import Media
from tolman.media.video import BrokenMediaError
from tolman.review.forms.drawn import read_drawn
from tolman.review.media.frame_times import frame_times
from tolman.review.media.serving import find
from tolman.review.site import Site
from tolman.review.store.schema import Assignment, ItemVersion, Submission, Task, User
from tolman.review.tasks import work

MARKED = "marked"
"""The step of marks that were drawn in another program; they stand beside the answer of whoever drew them."""


def drawn_of(site: Site, own: Assignment, text: str) -> dict[str, Any]:
    """What a submission keeps of the drawings in a form: {} where there are none, else {"drawn": […]}.

    Raises:
        AnswerError: they are none of the task's media.
    """

    def times(medium: Media) -> Sequence[float]:
        try:
            return frame_times(find(site, medium.path))
        except (BrokenMediaError, HTTPException):
            return ()

    media = work.asked_item(own).media if own.task.item is not None else ()
    found = read_drawn(text, media, times)
    return {"drawn": found} if found else {}


def brought(db: Orm, own: Assignment) -> list[dict[str, Any]]:
    """The drawings of somebody's task that came from another program."""
    found = work.submission(db, own, MARKED)
    return list(found.content["drawn"]) if found is not None else []


def drawings_about(db: Orm, version: ItemVersion) -> list[tuple[str, list[dict[str, Any]]]]:
    """Who drew what on the media of an item's version, in the order in which they submitted it; for the owner."""
    found = db.execute(
        select(User.name, Submission.content)
        .join(User, User.id == Submission.user_id)
        .join(Task, Task.id == Submission.task_id)
        .where(Task.item_id == version.id)
        .order_by(Submission.id)
    )
    return [(name, content["drawn"]) for name, content in found if content.get("drawn")]
