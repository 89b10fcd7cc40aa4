"""The owner's console in a browser: by keyboard, on a phone's screen, with and without scripts."""

from typing import Any

import pytest

from making import violations
from reviewing import TRUTHS, Served, enter, review, snap, until

pytestmark = pytest.mark.full


def _fits(page: Any) -> None:
    """Nothing serious for axe, and no page wider than its window, on a phone and a desk."""
    for width in (390, 1180):
        page.set_viewport_size({"width": width, "height": 900})
        assert not violations(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def _focus(page: Any, target: Any) -> None:
    """Give something the focus once no page is coming: a new one gives it to its heading after it is there."""
    target.wait_for()
    until(page, lambda: page.locator(".htmx-request, .htmx-swapping, .htmx-settling, .htmx-added").count() == 0)
    target.focus()


def _press(page: Any, target: Any) -> None:
    _focus(page, target)
    page.keyboard.press("Enter")


def test_items_are_found_changed_and_undone_by_keyboard(page: Any, served: Served) -> None:
    project = served.project("review", people=2)
    review(served.person("reviewer", "Ann"), project)
    review(served.person("reviewer", "Bob"), project, {"pair": {"verdict": "discard", "reason": "unclear"}}, which="B")
    enter(page, served, "owner", "Olga")
    page.goto("/")
    _press(page, page.get_by_role("link", name="Items of Work"))
    page.get_by_role("heading", name="Items of Work").wait_for()
    _fits(page)
    snap(page, "items")
    _press(page, page.get_by_role("link", name="disagreement"))
    page.locator("th[aria-sort=ascending]", has_text="disagreement").wait_for()
    _press(page, page.get_by_role("columnheader", name="disagreement").get_by_role("link"))
    page.locator("th[aria-sort=descending]", has_text="disagreement").wait_for()
    assert page.locator("tbody th a").first.inner_text() == "which"
    words = page.get_by_label("Words")
    _focus(page, words)
    page.keyboard.type("chairs")
    page.keyboard.press("Enter")
    page.get_by_text("1 item", exact=True).wait_for()
    box = page.get_by_label("Tick count")
    _focus(page, box)
    page.keyboard.press("Space")
    page.keyboard.press("Enter")  # changes nothing, where it would press the first button
    page.wait_for_url("**act=0")
    assert page.locator("tbody .tag").inner_text() == "settled"
    assert not box.is_checked()
    _focus(page, box)
    page.keyboard.press("Space")
    page.get_by_label("Reason").fill("Which chairs?")
    _press(page, page.get_by_role("button", name="Leave out"))
    page.get_by_text("1 question left out. Which chairs?").wait_for()
    assert page.locator("tbody .tag").inner_text() == "left out"
    _fits(page)
    _press(page, page.get_by_role("button", name="Undo act"))
    page.get_by_role("heading", name="What was done with the items").wait_for()
    page.get_by_text("1 question as they were before they were left out.").wait_for()
    _fits(page)
    _press(page, page.get_by_role("link", name="Items", exact=True))
    _press(page, page.get_by_role("link", name="which"))
    page.get_by_role("heading", name="Submissions").wait_for()
    _fits(page)
    summary = page.locator("summary", has_text="Void it: Bob, answer")
    _press(page, summary)
    page.locator("details[open] input[name=reason]").fill("He didn't look.")
    _fits(page)
    _press(page, page.locator("details[open]").get_by_role("button", name="Void it"))
    page.get_by_text("1 question voided. He didn't look.").wait_for()
    assert page.get_by_text("taken back", exact=True).count() == 3  # two steps, and the heading of the decisions
    snap(page, "item")


def test_the_console_works_without_scripts(browser: Any, served_sqlite: Served) -> None:
    served = served_sqlite
    project = served.project("review", people=1)
    review(served.person("reviewer", "Ann"), project)
    context = browser.new_context(base_url=served.url, java_script_enabled=False)
    page = context.new_page()
    enter(page, served, "owner", "Olga")
    page.goto(f"/projects/{project}/items?state=settled&sort=time")
    assert page.locator("tbody tr").count() == len(TRUTHS)
    page.get_by_label("that match the filter").check()
    page.get_by_role("button", name="Reopen").click()
    page.get_by_text("6 questions reopened.").wait_for()
    assert page.get_by_text("No item fits.").is_visible()  # the filter stays: nothing is settled any more
    page.get_by_role("button", name="Undo act").click()
    page.goto(f"/projects/{project}/items?state=settled")
    assert page.locator("tbody tr").count() == len(TRUTHS)
    context.close()
