"""The audit log: who signed in or failed to, invited, reset, closed, started, exported; for the owner to read.

It is the part of the history that isn't about single items. Rows are only ever added: the database refuses the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response, StreamingResponse
from sqlalchemy import select

from tolman.review.access import Guest, TheSite, allow
from tolman.review.pages import page
from tolman.review.site import Site
from tolman.review.store.schema import HistoryEvent, User

router = APIRouter(prefix="/audit", dependencies=[allow("owner")])
SHOWN = 200
_PART = 1000


@router.get("", response_class=HTMLResponse)
def show(request: Request, site: TheSite, guest: Guest, before: Annotated[int, Query(ge=0)] = 0) -> Response:
    """The newest events, or those before one."""
    with site.database.read() as db:
        chosen = _events().order_by(HistoryEvent.id.desc()).limit(SHOWN)
        found = db.execute(chosen.where(HistoryEvent.id < before) if before else chosen).all()
    rows = [_told(event, name) for event, name in found]
    return page(request, guest, "audit.html", rows=rows, more=rows[-1]["id"] if len(rows) == SHOWN else 0)


@router.get("/events.jsonl", response_class=StreamingResponse)
def events(site: TheSite) -> Response:
    """All events, the oldest first, one JSON object a line."""
    headers = {"content-disposition": 'attachment; filename="audit.jsonl"'}
    return StreamingResponse(_lines(site), media_type="application/jsonl", headers=headers)


def _events() -> Any:
    """Events that aren't about single items, each with its person's name."""
    return (
        select(HistoryEvent, User.name)
        .outerjoin(User, User.id == HistoryEvent.user_id)
        .where(HistoryEvent.item.is_(None))
    )


def _lines(site: Site) -> Iterator[str]:
    last = 0
    while True:
        with site.database.read() as db:
            part = db.execute(_events().where(HistoryEvent.id > last).order_by(HistoryEvent.id).limit(_PART)).all()
        for event, name in part:
            yield json.dumps(_told(event, name), ensure_ascii=False) + "\n"
        if len(part) < _PART:
            return
        last = part[-1][0].id


def _told(event: HistoryEvent, name: str | None) -> dict[str, Any]:
    return {
        "id": event.id,
        "time": datetime.fromtimestamp(event.created, UTC).isoformat(timespec="seconds"),
        "what": event.what,
        "who": name,
        "project": event.project_id,
        "more": event.content,
    }
