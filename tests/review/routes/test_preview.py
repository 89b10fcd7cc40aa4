"""Previews: a project's pages as somebody of a role sees them; no row is written, nothing on them sends."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import func, select

from making import violations
from reviewing import TRUTHS, Served, enter, item_on, review
from tolman.review.projects.study_projects import start_study
from tolman.review.store import Base
from tolman.review.studies import Study


def _rows(served: Served) -> dict[str, int]:
    """How many rows each table has."""
    with served.site.database.read() as db:
        return {
            name: db.scalar(select(func.count()).select_from(table)) or 0
            for name, table in Base.metadata.tables.items()
        }


def test_each_role_sees_its_own_page_and_nothing_is_written(served: Served) -> None:
    project = served.project("review", "R", people=1)
    owner = served.person("owner", "Olga")
    before, path = _rows(served), f"/projects/{project}/preview"
    shown = owner.get(f"{path}/reviewer")
    assert shown.status_code == 200
    assert item_on(owner) in TRUTHS
    assert "preview " in shown.text
    assert "First, answer it yourself" in shown.text
    assert "There is no such project" in owner.get(f"{path}/subject").text
    assert "not for your role" in owner.get(f"{path}/subject?view=progress").text
    assert (
        "1 is waiting" in owner.get(f"{path}/reviewer?view=home").text
        or "6 are waiting" in owner.get(f"{path}/reviewer?view=home").text
    )
    assert owner.get(f"{path}/king").status_code == 404
    assert owner.get("/projects/999/preview/reviewer").status_code == 404
    assert _rows(served) == before
    assert len(review(served.person("reviewer", "Ann"), project)) == len(TRUTHS)  # nobody holds a task


def test_nothing_on_a_preview_can_be_sent(served_sqlite: Served) -> None:
    owner = served_sqlite.person("owner", "Olga")
    for mode, role in (("review", "reviewer"), ("answer", "subject"), ("classify", "annotator")):
        project = served_sqlite.project(mode, mode)
        text = owner.get(f"/projects/{project}/preview/{role}").text
        page = text[: text.index('<section class="preview"')] + text[text.index('<main id="main"') :]
        assert not re.search(r"<[^>]+\s(hx-\w+|action|method)=", page)
        assert not re.search(r'<button(?![^>]*(\sdisabled|type="button"))', page)
        assert "<video" in page or "<img" in page


def test_a_restricted_study_is_previewed_too(served_sqlite: Served) -> None:
    study = {"title": "How well people do", "parts": [{"sample": {"people": 2, "by": None}}]}
    with served_sqlite.site.database.write() as db:
        project = start_study(db, served_sqlite.site, Study.model_validate(study))[0]
        project.restricted = True
    owner = served_sqlite.person("owner", "Olga")
    before = _rows(served_sqlite)
    assert "How well people do" in owner.get(f"/projects/{project.id}/preview/subject").text
    assert _rows(served_sqlite) == before


@pytest.mark.full
def test_a_preview_is_reached_and_left_by_keyboard(page: Any, served: Served) -> None:
    served.project("review", "R", people=1)
    enter(page, served, "owner", "Olga")
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/")
    page.get_by_role("link", name="Preview of R").press("Enter")
    page.get_by_text("Nothing is written").wait_for()
    assert not violations(page)
    page.get_by_role("link", name="End the preview").press("Enter")
    page.get_by_role("heading", name="Start a project").wait_for()
