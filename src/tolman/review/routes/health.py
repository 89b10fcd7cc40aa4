"""Health: for whoever looks after the server, a proxy or a supervisor. Nothing of the work is told."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from tolman.review.access import ANYBODY, TheSite, allow
from tolman.review.store.schema import ROLES

router = APIRouter(dependencies=[allow(ANYBODY, *ROLES)])


@router.get("/healthz", response_class=PlainTextResponse)
async def alive(request: Request) -> Response:
    """The process answers; the database isn't asked."""
    return PlainTextResponse("ok\n")


@router.get("/readyz", response_class=PlainTextResponse)
def ready(site: TheSite) -> Response:
    """The database answers, so that pages can be served."""
    try:
        with site.database.read() as db:
            db.execute(text("SELECT 1"))
    except SQLAlchemyError:
        return PlainTextResponse("the database doesn't answer\n", status_code=503, headers={"retry-after": "2"})
    return PlainTextResponse("ready\n")
