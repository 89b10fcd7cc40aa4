"""Verifying in Chromium: proposing by keyboard, answering alone, models' answers, a third person's word."""

import json
from pathlib import Path
from typing import Any

import pytest

from making import violations
from reviewing import TRUTHS, Serve, Served, at_work, item_shown, snap
from tolman.review.store import ItemVersion


@pytest.fixture
def served(benchmark: Path, tmp_path: Path, serve: Serve, database: str | None) -> Served:
    """A running server, on each database, with three models' answers, one of which is wrong about what comes first."""
    lines = []
    for item, truth in TRUTHS.items():
        told = {"evidence": "The lamp and the sofa are seen one after the other.", "frames": [1]}
        models = [{"model": name, "answer": truth, **told} for name in ("lab/first", "lab/second")]
        third = {"model": "lab/third", "answer": "D" if item == "order" else truth, **told}
        lines.append({"id": item, "status": "approved", "reasons": [], "models": [*models, third]})
    replies = tmp_path / "review.jsonl"
    replies.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return serve(benchmark, database, verify=(replies,))


def _tick(page: Any) -> None:
    page.evaluate("document.activeElement.blur()")
    for key in "123":
        page.keyboard.press(key)


def _answer(page: Any, value: str, trace: str) -> None:
    """Answer by keyboard, with a moment of the video that is marked where there is one."""
    if page.locator("#answer").count():
        page.locator("#answer").fill(value)
    else:
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press(value.lower())
    video = page.locator(".media video")
    if video.count():
        video.evaluate("v => new Promise(done => { v.onseeked = done; v.currentTime = 4; })")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press(";")
        assert page.get_by_label("Key frames").input_value() == "4.00"
        page.get_by_role("button", name="Show 4.00 s").wait_for()
    else:
        page.get_by_label("Key frames").fill("1, 2")
    page.get_by_label("What settles it").fill(trace)


@pytest.mark.full
def test_from_a_proposal_to_a_third_person_s_word(page: Any, served: Served) -> None:
    project = served.project("verify", fresh=1, share=0)
    at_work(page, served, "annotator", "Ann", project)
    for number in range(1, len(TRUTHS) + 1):
        page.get_by_text(f"{number} of {len(TRUTHS)}", exact=True).wait_for()
        item = item_shown(page)
        assert not page.get_by_text("lab/first").count()
        _answer(page, TRUTHS[item], "The first thing in the walk is the sofa.")
        if item == "order":
            snap(page, "propose")
        page.get_by_role("button", name="Propose").click()
    page.get_by_role("heading", name="Nothing is left to do").wait_for()

    page.context.clear_cookies()
    at_work(page, served, "annotator", "Bob", project)
    for number in range(1, 4):  # the models agree on the others, which have no level
        page.get_by_text(f"{number} of 3", exact=True).wait_for()
        page.get_by_role("button", name="Answer and compare").wait_for()
        item = item_shown(page)
        assert not page.get_by_text("lab/first").count()
        assert not page.get_by_text("in the walk").count()
        _answer(page, "C" if item == "order" else TRUTHS[item], "The door is behind the lamp already.")
        page.get_by_role("button", name="Answer and compare").click()
        page.get_by_role("heading", name="Answers side by side").wait_for()
        assert page.locator(".side").count() == 5
        if item == "order":
            assert page.locator(".side.differs").count() == 2
            for still in page.locator(".stills img").all():
                still.evaluate("image => image.decode()")
            page.locator(".stills button").first.click()
            page.wait_for_timeout(200)
            assert page.locator(".media video").evaluate("v => v.currentTime") == pytest.approx(4, abs=0.2)
            page.locator("#answers").scroll_into_view_if_needed()
            page.get_by_label("Problem with point 1").fill("The sofa is hardly in the frame.")
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press("2")
            page.keyboard.press("3")
            page.get_by_role("radio", name="Discard").check()
            page.get_by_label("Reason", exact=True).fill("Lamp and door come into view together.")
            page.locator("h2#answers").scroll_into_view_if_needed()
            page.locator("h2#answers").evaluate("h => h.scrollIntoView()")
            snap(page, "verify")
        else:
            _tick(page)
            page.get_by_role("radio", name="Approve").check()
        page.get_by_role("button", name="Decide").click()
    page.get_by_role("heading", name="Nothing is left to do").wait_for()

    page.context.clear_cookies()
    at_work(page, served, "reviewer", "Cat", project)
    page.get_by_role("heading", name="What the second person decided").wait_for()
    page.get_by_text("Lamp and door come into view together.").wait_for()
    _tick(page)
    page.get_by_role("radio", name="Revise").check()
    page.get_by_label("Reason", exact=True).fill("The door is first.")
    page.get_by_label("Answer, a letter").fill("C")
    page.locator("h2#second").evaluate("h => h.scrollIntoView()")
    assert not violations(page)
    page.get_by_role("button", name="Decide").click()
    page.get_by_role("heading", name="Nothing is left to do").wait_for()
    page.goto(f"/projects/{project}/progress")
    page.get_by_role("heading", name="What became of answers").wait_for()
    page.get_by_role("heading", name="What became of answers").evaluate("h => h.scrollIntoView()")
    with served.site.database.read() as db:
        version = db.query(ItemVersion).filter_by(item="order", current=True).one()
    assert (version.version, version.content["answer"]) == (3, "C")
    assert version.content["evidence"]["annotation"]["trace"] == "The door is behind the lamp already."
