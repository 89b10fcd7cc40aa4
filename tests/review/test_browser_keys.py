"""Media keys in Chromium: on every page that has media and a choice, what is stored is what was chosen.

Writing, routes, distractors, errors and flags have theirs in the files of their own pages.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from reviewing import Serve, Served, at_work, item_shown, make_benchmark, press_media_keys
from tolman.review.site import CHOICE_KEYS, KEY_TABLE, choice_keys
from tolman.review.store import Assignment, Submission, Task

CHOSEN_BY = (pytest.param("key", marks=pytest.mark.full), "pointer, then focus")
ASKED = ("order", "pair")  # a video; and pictures, of which one is an option


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of two choices."""
    return make_benchmark(tmp_path_factory.mktemp("keys") / "two", *ASKED)


@pytest.fixture
def served(two: Path, serve: Serve) -> Served:
    """A server on SQLite: what keys do is no database's business."""
    return serve(two)


def _choose(page: Any, option: Any, key: str, way: str) -> None:
    """Choose by a key or the pointer, then press every media key."""
    if way.startswith("key"):
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press(key)
    else:
        option.check()
    assert option.is_checked()
    press_media_keys(page, option if "focus" in way else None)
    assert option.is_checked()


def _answer(page: Any, way: str) -> str:
    """Answer B to the question that is shown."""
    _choose(page, page.locator("input[name=answer][value=B]"), "b", way)
    return "B"


def _questions(page: Any, served: Served, role: str, mode: str, **chosen: int) -> Iterator[str]:
    """Each question that somebody is asked in a new project, once its page is there; the end has to come."""
    at_work(page, served, role, "Ann", served.project(mode, **chosen))
    for number in range(1, len(ASKED) + 1):
        page.get_by_text(f"{number} of {len(ASKED)}", exact=True).wait_for()
        yield item_shown(page)
    page.get_by_role("heading", name="Nothing is left to do").wait_for()


def _stored(served: Served, step: str) -> dict[str, Any]:
    with served.site.database.read() as db:
        rows = db.execute(
            select(Task.key, Submission.content)
            .join(Assignment, Assignment.id == Submission.assignment_id)
            .join(Task, Task.id == Submission.task_id)
            .where(Submission.step == step)
        )
        return {key.split("@")[0]: content for key, content in rows}


@pytest.mark.full
@pytest.mark.parametrize("way", CHOSEN_BY)
def test_an_answer_is_the_one_chosen(page: Any, served: Served, way: str) -> None:
    given = {}
    for item in _questions(page, served, "subject", "answer"):
        given[item] = _answer(page, way)
        page.get_by_role("button", name="Submit").click()
    assert {item: content["answer"] for item, content in _stored(served, "answer").items()} == given


@pytest.mark.full
@pytest.mark.parametrize("way", CHOSEN_BY)
def test_a_reviewer_s_answer_and_decision_are_the_ones_chosen(page: Any, served: Served, way: str) -> None:
    given = {}
    for item in _questions(page, served, "reviewer", "review", people=1):
        page.get_by_role("button", name="Answer and compare").wait_for()
        given[item] = _answer(page, way)
        page.get_by_role("button", name="Answer and compare").click()
        page.get_by_role("button", name="Decide").wait_for()
        _choose(page, page.locator("input[name=verdict][value=approve]"), "p", way)
        page.get_by_role("button", name="Decide").click()
    assert {item: content["answer"] for item, content in _stored(served, "answer").items()} == given
    assert {content["verdict"] for content in _stored(served, "decide").values()} == {"approve"}


@pytest.mark.full
@pytest.mark.parametrize("way", CHOSEN_BY)
def test_a_flag_is_about_what_was_chosen(page: Any, served: Served, way: str) -> None:
    project = served.project("review", people=1)
    at_work(page, served, "reviewer", "Ann", project)
    _answer(page, way)
    page.get_by_role("button", name="Answer and compare").click()
    page.get_by_role("button", name="Decide").wait_for()
    _choose(page, page.locator("input[name=verdict][value=flag]"), "f", way)
    page.get_by_label("Reason", exact=True).fill("Look.")
    target = page.locator("input[name=target][value=scene]")
    target.check()
    press_media_keys(page, target if "focus" in way else None)
    page.get_by_role("button", name="Decide").click()
    page.get_by_text(f"2 of {len(ASKED)}", exact=True).wait_for()
    (decided,) = _stored(served, "decide").values()
    assert (decided["verdict"], decided["target"]) == ("flag", "scene")


@pytest.mark.full
@pytest.mark.parametrize("way", CHOSEN_BY)
def test_what_is_verified_is_what_was_chosen(page: Any, served: Served, way: str) -> None:
    given = {}
    for item in _questions(page, served, "annotator", "verify", share=100):
        page.get_by_role("button", name="Answer and compare").wait_for()
        page.get_by_label("Key frames").fill("1" if not page.locator(".media video").count() else "0.5")
        page.get_by_label("What settles it").fill("It is seen.")
        given[item] = _answer(page, way)
        page.get_by_role("button", name="Answer and compare").click()
        page.get_by_role("heading", name="Answers side by side").wait_for()
        for tick in page.locator("input[name=fine]").all():
            _choose(page, tick, tick.get_attribute("data-key"), way)
        _choose(page, page.locator("input[name=verdict][value=approve]"), "p", way)
        page.get_by_role("button", name="Decide").click()
    assert {item: content["answer"] for item, content in _stored(served, "answer").items()} == given
    assert set(given) == set(ASKED)
    for content in _stored(served, "decide").values():
        assert content["verdict"] == "approve"
        assert all(point["fine"] for point in content["checklist"])


@pytest.mark.parametrize("way", [pytest.param("pointer", marks=pytest.mark.full), "pointer, then focus"])
def test_labels_are_the_ones_chosen(page: Any, served: Served, way: str) -> None:
    for _ in _questions(page, served, "annotator", "classify", people=1):
        for group in page.locator("fieldset.options").all():
            _choose(page, group.locator("input").nth(1), "", way)
        page.get_by_role("button", name="Submit").click()
    stored = [content["labels"] for content in _stored(served, "labels").values()]
    assert len(stored) == len(ASKED)
    assert all(labels == stored[0] for labels in stored)
    assert all(len(chosen) == 1 for chosen in stored[0].values())


def test_options_can_be_chosen_by_keyboard_alone(page: Any, served: Served) -> None:
    project = served.project("classify", people=1)
    at_work(page, served, "annotator", "Ann", project)
    options = page.locator("fieldset.options").first.locator("input")
    options.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert not page.locator("input:checked").count()
    page.keyboard.press("Space")
    assert options.nth(2).is_checked()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    assert options.nth(1).is_checked()


def test_no_key_of_the_table_does_two_things_or_chooses() -> None:
    keys = [row.key for row in KEY_TABLE]
    assert len(set(keys)) == len(keys)
    assert len({row.act for row in KEY_TABLE}) == len(KEY_TABLE)
    assert not {key.lower() for key in keys} & set(CHOICE_KEYS)
    assert all(row.does and row.shown for row in KEY_TABLE)


def test_keys_that_choose_are_given_out_once() -> None:
    given = list(islice(choice_keys(), len(CHOICE_KEYS) + 2))
    assert len(set(given[:-2])) == len(CHOICE_KEYS) == 36
    assert given[-2:] == ["", ""]
