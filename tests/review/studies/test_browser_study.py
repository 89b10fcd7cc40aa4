"""A study's pages in Chromium: by keyboard, for everybody, and what a question's time does."""

from pathlib import Path
from typing import Any

import pytest

from making import violations
from reviewing import Serve, Served, snap, until
from tolman.review.projects.study_projects import start_study
from tolman.review.server import owner_link
from tolman.review.studies import Study
from tolman.review.studies.study_records import records
from tolman.review.studies.study_steps import join_path

pytestmark = pytest.mark.full
STUDY = {
    "title": "How well people do",
    "parts": [
        {
            "instructions": "Watch the video, **then** answer.\n\n- Take your time.\n- Guess only where you have an idea.",
            "consent": "You can stop at any time.",
            "sample": {"people": 2, "overlap": 2, "by": None, "only": {"task": ["motion", "obj_appearance_order", "object_counting"]}},
            "order": {"options": True},
            "practice": [{"question": "Which is *largest*?", "options": ["one", "two", "three"], "answer": "C"}],
            "breaks": {"every": 2, "text": "Rest your eyes."},
            "exclude": {"fast_above": 0.5},
        }
    ],
}  # fmt: skip


@pytest.fixture
def served(benchmark: Path, serve: Serve) -> Served:
    return serve(benchmark)


def begun(served: Served, page: Any, **changes: Any) -> int:
    study = Study.model_validate({**STUDY, "parts": [{**STUDY["parts"][0], **changes}]})  # type: ignore[dict-item]
    with served.site.database.write() as db:
        project = start_study(db, served.site, study)[0].id
    page.goto(served.url + join_path(served.site, project))
    return project


@pytest.mark.parametrize(("width", "colours"), [(390, "dark"), (1440, "light")])
def test_every_page_is_for_everybody(page: Any, served: Served, width: int, colours: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=colours)
    project = begun(served, page)
    page.get_by_role("heading", name="How well people do").wait_for()
    assert not violations(page)
    snap(page, "study-begin")
    page.get_by_role("checkbox").press("Space")
    page.get_by_role("button", name="Begin").press("Enter")
    page.get_by_role("button", name="Submit").wait_for()
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    page.get_by_text("Not quite.").wait_for()
    assert not violations(page)
    page.get_by_role("link", name="Go on").press("Enter")
    page.get_by_text("1 of", exact=False).first.wait_for()
    assert not violations(page)
    page.get_by_text("I can't answer this").press("Enter")
    page.get_by_role("radio", name="can't tell").press("Space")
    assert not violations(page)
    page.get_by_role("button", name="Skip the question").press("Enter")
    page.get_by_text("2 of", exact=False).first.wait_for()
    question = page.locator("h1.question").inner_text()
    until(page, lambda: page.locator("[data-shown-state]").input_value() == "ready")
    if page.locator("#answer").count():
        page.locator("#answer").fill("3")
    else:
        page.keyboard.press("b")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="A break").wait_for()
    assert "Rest your eyes." in page.content()
    assert not violations(page)
    page.get_by_role("button", name="Go on").press("Enter")
    page.get_by_text("3 of", exact=False).first.wait_for()
    assert page.locator("h1.question").inner_text() != question
    page.context.clear_cookies()
    page.goto(owner_link(served.site, served.url))
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Work", exact=True).wait_for()
    for path in (f"/studies/{project}/about", "/studies?like=site", f"/projects/{project}/progress"):
        page.goto(served.url + path)
        assert not violations(page), path
        if "like" in path:
            page.locator("details").evaluate_all("found => found.slice(0, 4).forEach((one) => { one.open = true; })")
            assert not violations(page)
            snap(page, "study-form")


def test_the_time_of_a_question_runs_down_and_skips_it(page: Any, served: Served) -> None:
    project = begun(served, page, practice=[], time={"most_seconds": 2})
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Begin").click()
    page.get_by_text("1 s left").wait_for()
    page.get_by_text("2 of", exact=False).first.wait_for(timeout=15000)
    (own,) = served.told(records, project)
    assert own.skips["time is over"] >= 1
    assert own.answers == {}
