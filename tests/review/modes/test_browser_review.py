"""Reviewing in Chromium, and what every page owes to people who can't see or use a mouse."""

from __future__ import annotations

from typing import Any

import pytest

from reviewing import TEXTS, TRUTHS, Served, enter, review, snap
from tolman.review.server import owner_link
from tolman.review.store.schema import ROLES


def _item(page: Any) -> str:
    text = page.locator("h1.question").inner_text()
    return next((TEXTS[start] for start in TEXTS if start in text), "script")


def _answer(page: Any, value: str) -> None:
    if page.locator("#answer").count():
        page.locator("#answer").fill(value)
        page.keyboard.press("Enter")
    else:
        page.locator("h1.question").focus()
        page.keyboard.press(value.lower())
        page.keyboard.press("Enter")


def test_reviewers_compare_and_decide_and_a_third_adjudicates(page: Any, served: Served) -> None:
    project = served.project("review", people=2)
    review(served.person("reviewer", "Bob"), project)
    enter(page, served, "reviewer", "Ann")
    page.goto("/")
    page.get_by_role("link", name="Begin").click()
    for number in range(1, len(TRUTHS) + 1):
        page.get_by_text(f"{number} of {len(TRUTHS)}", exact=True).wait_for()
        page.get_by_role("button", name="Answer and compare").wait_for()
        item = _item(page)
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
    enter(page, served, "reviewer", "Cat")
    page.goto(f"/projects/{project}/work")
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
    enter(page, served, "subject", "Sam")
    page.goto(f"/projects/{project}/work")
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


@pytest.mark.full
def test_no_page_has_a_serious_violation_of_accessibility(browser: Any, served_sqlite: Served) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    served = served_sqlite
    answer, reviews = served.project("answer", "A"), served.project("review", "R", people=1)
    verify = served.project("verify", "V")
    flagger = served.person("reviewer", "Eve")
    first = flagger.get(f"/projects/{reviews}/work").url.path
    value = "2" if "inputmode" in flagger.last.text else "A"
    flagger.post(f"{first}/answer", answer=value)
    flagger.post(f"{first}/decide", verdict="flag", target="scene", reason="look")
    context = browser.new_context(base_url=served.url, viewport={"width": 820, "height": 1100})
    page = context.new_page()
    looked = {
        "anybody": ["/signin", "/nowhere", "/invitation/x", owner_link(served.site, "")],
        "owner": ["/", "/people", "/account", f"/projects/{reviews}/progress", f"/flags/project/{reviews}", "/flags/1"],
        "reviewer": [f"/projects/{reviews}/work", "decide"],
        "annotator": [f"/projects/{verify}/work", "compare"],
        "subject": [f"/projects/{answer}/work"] * 3,
    }
    assert set(looked) >= set(ROLES)
    in_both = ("/", "decide", "compare", "/signin", "/flags/1", f"/projects/{answer}/work")
    found = {}
    for role, paths in looked.items():
        context.clear_cookies()
        if role != "anybody":
            enter(page, served, role, f"a {role}")
        for number, path in enumerate(paths):
            if path == "decide":
                _answer(page, TRUTHS[_item(page)])
                page.get_by_role("button", name="Decide").wait_for()
            elif path == "compare":
                page.get_by_label("Key frames").fill("1")
                page.get_by_label("What settles it").fill("It is seen.")
                if page.locator("#answer").count():
                    page.locator("#answer").fill("4")
                else:
                    page.locator("input[name=answer]").first.check()
                page.get_by_role("button", name="Answer and compare").click()
                page.get_by_role("button", name="Decide").wait_for()
            else:
                page.goto(path)
            for scheme in ("light", "dark") if path in in_both else ("light",):
                page.emulate_media(color_scheme=scheme)
                told = axe.run(page).response
                assert len(told["passes"]) > 10
                for violation in told["violations"]:
                    if violation["impact"] in ("serious", "critical"):
                        nodes = [node["html"][:150] for node in violation["nodes"]]
                        found[role, path, number, scheme, violation["id"]] = nodes
            if role == "subject":
                question = page.locator("h1.question").inner_text()
                _answer(page, "2" if page.locator("#answer").count() else "A")
                page.locator("h1").filter(has_not_text=question).wait_for()
    context.close()
    assert not found
