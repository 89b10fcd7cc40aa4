"""The pages in Chromium."""

from __future__ import annotations

from typing import Any

from reviewing import PASSWORD, Served, enter, items, snap
from tolman.review.modes.answer import answers
from tolman.review.schema import Project
from tolman.review.server import owner_link


def test_the_owner_starts_a_project_and_a_subject_answers_it_by_keyboard(page: Any, served: Served) -> None:
    page.goto(owner_link(served.site, served.url))
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Name").fill("Human baseline")
    page.get_by_role("radio", name="Answer Subjects").check()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("heading", name="Human baseline").wait_for()
    snap(page, "home")
    page.goto("/people")
    page.get_by_role("radio", name="subject").check()
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("Link").input_value()

    page.context.clear_cookies()
    page.goto(link)
    page.get_by_label("Your name").fill("Sam")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("once more").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Begin").click()
    given: dict[str, str] = {}
    for number in range(1, len(items()) + 1):
        page.get_by_text(f"{number} of {len(items())}", exact=True).wait_for()
        question = page.locator("h1.question").inner_text()
        video = page.locator(".media video")
        if video.count() and "video" not in given and "script" not in question:
            given["video"] = _play_and_seek(page, video)
            snap(page, "answer")
        if page.locator("[data-view=single]").count():
            page.get_by_role("button", name="One at a time").click()
            page.get_by_role("button", name="Next picture").click()
            assert page.locator(".place").inner_text() == "2 of 2"
            assert page.locator(".pictures figure:visible").count() == 1
            page.get_by_role("button", name="Side by side").click()
        if page.locator("#answer").count():
            page.locator("#answer").fill("4")
        else:
            page.locator("h1.question").focus()
            page.keyboard.press("b")
        given[question] = "x"
        page.keyboard.press("Enter")
    page.get_by_role("heading", name="Nothing is left to do").wait_for()
    assert page.title() != "owned"
    with served.site.database.read() as db:
        found = answers(db, db.get_one(Project, 1))["Sam"]
    assert {item: answer for item, (answer, _) in found.items()} == {
        "count": "4", "size": "4", "order": "B", "which": "B", "pair": "B", "script": "B"
    }  # fmt: skip
    assert all(seconds is not None and 0 <= seconds < 60 for _, seconds in found.values())


def _play_and_seek(page: Any, video: Any) -> str:
    """The video plays, can be sought in, and can be watched again."""
    video.evaluate("v => { v.muted = true; return v.play(); }")
    video.evaluate("v => new Promise(done => { v.ontimeupdate = () => { if (v.currentTime > 0.2) done(); }; })")
    video.evaluate("v => new Promise(done => { v.onseeked = done; v.pause(); v.currentTime = 1.5; })")
    assert abs(video.evaluate("v => v.currentTime") - 1.5) < 0.1
    video.evaluate("v => new Promise(done => { v.onseeked = done; v.currentTime = 0.1; })")
    return "seen"


def test_a_lost_connection_loses_no_answer(page: Any, served: Served) -> None:
    project = served.project("answer")
    enter(page, served, "subject", "Sam")
    page.goto(f"/projects/{project}/work")
    question = page.locator("h1.question").inner_text()
    page.context.set_offline(True)
    if page.locator("#answer").count():
        page.locator("#answer").fill("4")
    else:
        page.get_by_role("radio").first.check()
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("The connection is lost").wait_for()
    page.context.set_offline(False)
    page.get_by_text(f"2 of {len(items())}", exact=True).wait_for(timeout=15000)
    assert page.locator("h1.question").inner_text() != question
    with served.site.database.read() as db:
        assert len(answers(db, db.get_one(Project, project))["Sam"]) == 1


def test_a_double_click_and_a_second_tab_count_once(page: Any, served: Served) -> None:
    project = served.project("answer")
    enter(page, served, "subject", "Sam")
    page.goto(f"/projects/{project}/work")
    other = page.context.new_page()
    other.goto(page.url)
    for tab, number, place in ((page, "4", 0), (other, "5", 1)):
        if tab.locator("#answer").count():
            tab.locator("#answer").fill(number)
        else:
            tab.get_by_role("radio").nth(place).check()
        tab.get_by_role("button", name="Submit").dblclick()
        tab.get_by_text(f"2 of {len(items())}", exact=True).wait_for()
    with served.site.database.read() as db:
        found = answers(db, db.get_one(Project, project))["Sam"]
    assert [given for given, _ in found.values()] in (["4"], ["A"])
