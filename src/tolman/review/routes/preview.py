"""A project's pages as somebody of a role sees them, for the owner."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, Response

from tolman.review.access import Guest, TheSite, allow
from tolman.review.forms.fields import Key
from tolman.review.modes import MODES
from tolman.review.pages import environment
from tolman.review.projects.preview import PAGES, preview
from tolman.review.store.schema import ROLES, Project

router = APIRouter(dependencies=[allow("owner")])


@router.get("/projects/{project}/preview/{role}", response_class=HTMLResponse)
def show(
    request: Request, site: TheSite, guest: Guest, project: Key,
    role: Literal["owner", "annotator", "reviewer", "subject"], view: Literal["work", "home", "progress"] = "work",
) -> Response:  # fmt: skip
    """Show a page; nothing is written, and nothing on it can be sent."""
    with site.database.read() as db:
        found = db.get(Project, project)
    if found is None or found.mode not in MODES:
        raise HTTPException(404, "There is no such project.")
    host = request.headers.get("host", "localhost")
    seen = preview(request.app, site, project, role, view, host)
    bar = environment().get_template("_preview.html").render(
        project=found, roles=ROLES, pages=PAGES, role=role, view=view, prefix=site.settings.prefix
    )  # fmt: skip
    # Whatever the person would have been told, the preview itself has succeeded.
    return HTMLResponse(seen.text.replace('<main id="main"', f'{bar}<main id="main"', 1))
