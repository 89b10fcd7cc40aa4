"""Writing down who did what when."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session as Orm

from tolman.review.settings import ReviewSettings
from tolman.review.store.schema import HistoryEvent


def record(
    db: Orm,
    settings: ReviewSettings,
    what: str,
    /,
    *,
    project: int | None = None,
    item: str | None = None,
    user: int | None = None,
    **content: Any,
) -> None:
    """Add one row to the history."""
    db.add(
        HistoryEvent(project_id=project, item=item, user_id=user, what=what, content=content, created=settings.clock())
    )
