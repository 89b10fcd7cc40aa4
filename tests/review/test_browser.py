"""The pages in Chromium."""

import shutil
from pathlib import Path
from typing import Any

from sqlalchemy import select

from reviewing import (
    PASSWORD,
    Serve,
    Served,
    at_work,
    fill_in,
    item_shown,
    items,
    snap,
    until,
)
from tolman.review.modes.answering import answers
from tolman.review.server import owner_link
from tolman.review.store import Project, Submission

TITLES = {item.id: item.question.split("<image>")[0].strip() for item in items()}


def test_the_owner_starts_a_project_and_a_subject_answers_it_by_keyboard(page: Any, served: Served) -> None:
    page.goto(owner_link(served.site, served.url))
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Name").fill("Human baseline")
    page.get_by_role("radio", name="Answer Subjects").check()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("heading", name="Human baseline").wait_for()
    page.goto("/people")
    page.get_by_role("radio", name="subject").check()
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("Link", exact=True).input_value()

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
    found = served.told(answers, 1)["Sam"]
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
    at_work(page, served, "subject", "Sam", project)
    question = page.locator("h1.question").inner_text()
    page.context.set_offline(True)
    fill_in(page)
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("The connection is lost").wait_for()
    page.context.set_offline(False)
    page.get_by_text(f"2 of {len(items())}", exact=True).wait_for(timeout=15000)
    assert page.locator("h1.question").inner_text() != question
    assert len(served.told(answers, project)["Sam"]) == 1


def test_a_double_click_and_a_second_tab_count_once(page: Any, served: Served) -> None:
    project = served.project("answer")
    at_work(page, served, "subject", "Sam", project)
    other = page.context.new_page()
    other.goto(page.url)
    for tab, number, place in ((page, "4", 0), (other, "5", 1)):
        fill_in(tab, number, place)
        tab.get_by_role("button", name="Submit").dblclick()
        tab.get_by_text(f"2 of {len(items())}" if tab is page else "submitted first").first.wait_for()
    found = served.told(answers, project)["Sam"]
    assert [given for given, _ in found.values()] in (["4"], ["A"])


def test_a_press_counts_where_it_began_though_the_connection_breaks_under_it(page: Any, served: Served) -> None:
    """Leaving a field by pressing Submit sends a draft; the notice that this failed must not move the button away."""
    project = served.project("answer")
    at_work(page, served, "subject", "Sam", project)
    while not page.locator("#answer").count():
        page.get_by_role("radio").first.check()
        before = page.locator("h1.question").inner_text()
        page.get_by_role("button", name="Submit").click()
        page.locator("h1.question", has_not_text=before).wait_for()
    # Media that arrive later would move the button.
    until(page, lambda: page.locator("[data-shown-state]").first.input_value() == "ready")
    place = page.locator(".place-bar span").last.inner_text()
    page.context.set_offline(True)
    page.locator("#answer").fill("4")
    button = page.get_by_role("button", name="Submit")
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    page.mouse.move(box["x"] + 9, box["y"] + 4)
    page.mouse.down()
    page.get_by_text("The connection is lost").wait_for()
    assert button.bounding_box() == box
    page.mouse.up()
    page.context.set_offline(False)
    page.locator(".place-bar span", has_text=f"{int(place.split()[0]) + 1} of").wait_for(timeout=15000)


def test_a_press_counts_where_it_began_though_the_button_moves(page: Any, served: Served) -> None:
    project = served.project("answer")
    at_work(page, served, "subject", "Sam", project)
    fill_in(page)
    button = page.get_by_role("button", name="Submit")
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    page.mouse.move(box["x"] + 9, box["y"] + 4)
    page.mouse.down()
    page.evaluate("document.querySelector('form[data-ask] .actions').before(document.createElement('textarea'))")
    assert button.bounding_box()["y"] > box["y"] + 20
    page.mouse.up()
    page.get_by_text(f"2 of {len(items())}", exact=True).wait_for()


def test_a_video_that_begins_to_load_is_not_broken(page: Any, served: Served) -> None:
    at_work(page, served, "subject", "Sam", served.project("answer"))
    while (item := item_shown(page)) != "order":
        fill_in(page)
        page.get_by_role("button", name="Submit").click()
        page.locator("h1", has_not_text=TITLES[item]).wait_for()
    seen = page.evaluate(
        """() => {
            const old = document.querySelector("video[data-shown]");
            const video = old.cloneNode();
            old.replaceWith(video);
            document.dispatchEvent(new CustomEvent("htmx:afterSettle", {detail: {elt: document.body}}));
            return [video.networkState, document.querySelector("[data-shown-state]").value];
        }"""
    )
    assert seen == [3, "waiting"]  # 3: NETWORK_NO_SOURCE


def test_a_broken_medium_is_reported_and_not_guessed_about(
    browser: Any, benchmark: Path, tmp_path: Path, serve: Serve
) -> None:
    shutil.copytree(benchmark, tmp_path / "bench")
    (tmp_path / "bench" / "videos" / "left.mp4").unlink()  # of 'count' and 'size'
    (tmp_path / "bench" / "images" / "b.png").write_bytes(b"no picture")  # of 'which' and 'pair'
    served = serve(tmp_path / "bench")
    project = served.project("answer", least_seconds=0)
    context = browser.new_context(base_url=served.url)
    page = context.new_page()
    at_work(page, served, "subject", "Sam", project)
    reported = []
    for _ in range(len(items())):
        state = page.locator("[data-shown-state]").first
        until(page, lambda state=state: state.input_value() in ("ready", "broken"))
        item = item_shown(page)
        report = page.get_by_role("button", name="Report a problem and go on")
        fill_in(page, place=1)
        if item in ("order", "script"):
            assert not report.is_visible()
            page.get_by_role("button", name="Submit").click()
        else:
            assert not page.get_by_role("button", name="Submit").is_visible()
            page.locator("h1.question").focus()
            page.keyboard.press("Enter")  # a guess by keyboard is none either
            page.get_by_label("What you see").fill(f"black: {item}")
            report.click()
            reported.append(item)
        page.locator("h1", has_not_text=TITLES[item]).wait_for()
    page.get_by_role("heading", name="Nothing is left to do").wait_for()
    assert sorted(reported) == ["count", "pair", "size", "which"]
    with served.site.database.read() as db:
        found = answers(db, db.get_one(Project, project))["Sam"]
        assert set(found) == {"order", "script"}
        assert all(not marks for marks in db.scalars(select(Submission.marks)))
    shutil.copyfile(benchmark / "videos" / "left.mp4", tmp_path / "bench" / "videos" / "left.mp4")
    owner = served.person("owner", "Olga")
    progress = owner.get(f"/projects/{project}/progress").text
    assert "black: count" in progress
    owner.post(f"/projects/{project}/reported")
    page.goto(f"/projects/{project}/work")
    page.get_by_text("3 of 6", exact=True).wait_for()
    context.close()
