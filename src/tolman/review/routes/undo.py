"""Taking the last answer back."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException
from fastapi.responses import HTMLResponse, Response

from tolman.review.access import Me, TheSite, allow
from tolman.review.accounts.membership import belongs
from tolman.review.forms.fields import Key
from tolman.review.pages import see_other
from tolman.review.store.schema import ROLES, Project
from tolman.review.tasks import undoing

router = APIRouter(dependencies=[allow(*ROLES)])


@router.post("/projects/{project}/undo", response_class=HTMLResponse)
def undo(site: TheSite, me: Me, project: Key) -> Response:
    """Take one's last answer back, and show its question again."""
    with site.database.write() as db:
        found = db.get(Project, project)
        if found is None or not belongs(db, me, found):
            raise HTTPException(404, "There is no such project.")
        last = undoing.undoable(db, found, me)
        if last is None:
            raise HTTPException(409, "There is no answer of yours here that can be taken back.")
        own = undoing.undo(db, site, last)
        return see_other(f"/{found.mode}/{own.id}")
