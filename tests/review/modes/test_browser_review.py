"""Reviewing in Chromium, and what every page owes to people who can't see or use a mouse."""

from typing import Any

import pytest

from reviewing import TRUTHS, Served, at_work, enter, item_shown, review, snap
from tolman.review.server import owner_link


def _answer(page: Any, value: str) -> None:
    if page.locator("#answer").count():
        page.locator("#answer").fill(value)
        page.keyboard.press("Enter")
    else:
        page.locator("h1.question").focus()
        page.keyboard.press(value.lower())
        page.keyboard.press("Enter")


@pytest.mark.full
def test_reviewers_compare_and_decide_and_a_third_adjudicates(page: Any, served: Served) -> None:
    project = served.project("review", people=2)
    review(served.person("reviewer", "Bob"), project)
    enter(page, served, "reviewer", "Ann")
    page.goto("/")
    page.get_by_role("link", name="Begin").click()
    for number in range(1, len(TRUTHS) + 1):
        page.get_by_text(f"{number} of {len(TRUTHS)}", exact=True).wait_for()
        page.get_by_role("button", name="Answer and compare").wait_for()
        item = item_shown(page)
        assert not page.get_by_text("Because it is").count()
        _answer(page, "C" if item == "order" else TRUTHS[item])
        page.get_by_role("button", name="Decide").wait_for()
        assert page.get_by_text(f"Because it is {TRUTHS[item]}.").count()
        if item == "order":
            page.locator("h1.question").focus()
            page.keyboard.press("r")
            page.get_by_label("Reason", exact=True).fill("The door is there before the lamp.")
            page.get_by_label("Answer, a letter").fill("C")
            page.locator("h1.question").scroll_into_view_if_needed()
            snap(page, "decide")
            page.get_by_role("button", name="Decide").click()
        else:
            page.locator("h1.question").focus()
            page.keyboard.press("p")
            page.keyboard.press("Enter")
    page.get_by_role("heading", name="Nothing is left to do").wait_for()

    page.context.clear_cookies()
    at_work(page, served, "reviewer", "Cat", project)
    page.get_by_role("heading", name="What reviewers said").wait_for()
    assert page.get_by_text("The door is there before the lamp.").count()
    page.get_by_label("Flag").check()
    page.locator("input[name=target][value=scene]").check()
    page.get_by_label("Reason", exact=True).fill("Look at the scene.")
    page.locator("h1.question").scroll_into_view_if_needed()
    page.get_by_role("button", name="Decide").click()
    page.get_by_role("heading", name="Nothing is left to do").wait_for()

    page.context.clear_cookies()
    page.goto(owner_link(served.site, served.url))
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Progress").click()
    page.get_by_role("heading", name="Agreement").wait_for()
    snap(page, "progress")
    page.goto("/")
    page.get_by_role("link", name="Flags").click()
    page.get_by_role("link", name="order").click()
    page.get_by_role("heading", name="Correct it").wait_for()


def test_a_page_that_is_loaded_again_has_what_was_entered(page: Any, served: Served) -> None:
    project = served.project("answer")
    at_work(page, served, "subject", "Sam", project)
    if page.locator("#answer").count():
        page.locator("#answer").fill("4")
        page.locator("#answer").blur()
    else:
        page.get_by_role("radio").first.check()
    page.get_by_text("Kept.").wait_for()
    page.reload()
    if page.locator("#answer").count():
        assert page.locator("#answer").input_value() == "4"
    else:
        assert page.locator("input:checked").count() == 1
