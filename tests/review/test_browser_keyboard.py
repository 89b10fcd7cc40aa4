"""Every kind of work by keyboard alone: no page needs a pointer, no key does two things, axe finds nothing serious."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from making import make_pool, make_rig, make_rooms, violations
from reviewing import Serve, Served, enter, make_benchmark, opened_page, review, until
from tolman.review.server import owner_link
from tolman.scenes import Event

pytestmark = pytest.mark.full
WIDTHS = (390, 1440)
STEPS = 400


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A choice about a video, and one about two pictures."""
    return make_benchmark(tmp_path_factory.mktemp("keyboard") / "small", "order", "which")


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page whose pointer can't be used: whatever would press or click fails the test."""
    with opened_page(browser, None, WIDTHS[1], 900) as opened:
        yield opened


def _begin(page: Any, served: Served, role: str, project: int) -> None:
    """From the overview, by the key that stands there."""
    enter(page, served, role, f"{role}-{project}")
    page.goto(served.url)
    page.locator("h1", has_text="Work").wait_for()
    _look(page)
    page.keyboard.press("1")
    page.locator("form[data-ask]").first.wait_for()


def _look(page: Any) -> None:
    """No key does two things on the page, `?` shows what they do, and axe finds nothing at both widths."""
    found = page.evaluate("tolmanKeys.list()")
    assert [key for key, times in Counter(row["key"] for row in found).items() if times > 1] == []
    assert all(row["does"] for row in found)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    assert dialog.locator("tr th[scope=row]").count() == len(found)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert not violations(page)
        page.keyboard.press("Escape")
        assert not dialog.is_visible()
        assert not violations(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("?")
    page.keyboard.press("?")
    assert not dialog.is_visible()


def _to(page: Any, target: Any) -> None:
    """Press Tab until something has the focus."""
    handle = target.element_handle()
    for _ in range(STEPS):
        if page.evaluate("e => document.activeElement === e", handle):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab doesn't reach {target}")


def _type(page: Any, label: str, text: str) -> None:
    _to(page, page.get_by_label(label, exact=True))
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def _choose(page: Any, label: str, option: str) -> None:
    """An option of a list, by its first letters."""
    box = page.get_by_label(label, exact=True)
    _to(page, box)
    page.keyboard.type(option)
    until(page, lambda: box.evaluate("e => e.selectedOptions[0].textContent.trim()").startswith(option))


def _submit(page: Any, name: str) -> None:
    _to(page, page.get_by_role("button", name=name))
    page.keyboard.press("Enter")


def _ready(page: Any) -> None:
    state = page.locator("[data-shown-state]").first
    until(page, lambda: page.evaluate("lookAtMedia()") is None and state.input_value() == "ready", 30)


def _done(page: Any) -> None:
    page.get_by_role("heading", name="Nothing is left to do").wait_for()


def test_answering_and_taking_back(page: Any, serve: Serve, small: Path) -> None:
    served = serve(small)
    project = served.project("answer", least_seconds=0)
    _begin(page, served, "subject", project)
    for number in (1, 2):
        page.get_by_text(f"{number} of 2", exact=True).wait_for()
        _ready(page)
        _look(page)
        page.keyboard.press("b")
        page.keyboard.press("Enter")
    _done(page)
    _look(page)
    page.keyboard.press("Control+z")
    page.get_by_text("2 of 2", exact=True).wait_for()
    assert page.locator("input[value=B]").is_checked()
    _ready(page)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    _done(page)


def test_reviewing(page: Any, serve: Serve, small: Path) -> None:
    served = serve(small)
    _begin(page, served, "reviewer", served.project("review", people=1, least_seconds=0))
    for number in (1, 2):
        page.get_by_text(f"{number} of 2", exact=True).wait_for()
        _ready(page)
        page.keyboard.press("b")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Decide").wait_for()
        page.keyboard.press("f")
        _look(page)
        page.keyboard.press("s")  # what the flag is about
        assert page.locator("input[name=target][value=scene]").is_checked()
        if number == 2:
            page.keyboard.press("p")
        _type(page, "Reason", "The lamp is seen twice.")
        _submit(page, "Decide")
    _done(page)


def test_verifying(page: Any, serve: Serve, small: Path) -> None:
    served = serve(small)
    _begin(page, served, "annotator", served.project("verify", share=100, least_seconds=0))
    for number in (1, 2):
        page.get_by_text(f"{number} of 2", exact=True).wait_for()
        _ready(page)
        page.keyboard.press("b")
        if page.locator(".media video").count():
            page.keyboard.press("ArrowRight")
            page.keyboard.press(";")
            assert page.locator("#frames").input_value() != ""
        else:
            _type(page, page.locator("label[for=frames]").inner_text(), "1")
        _type(page, "What settles it, in a sentence or two", "It is seen.")
        _look(page)
        _submit(page, "Answer and compare")
        page.get_by_role("heading", name="Answers side by side").wait_for()
        _look(page)
        for tick in page.locator("input[name=fine]").all():
            page.keyboard.press(tick.get_attribute("data-key"))
        page.keyboard.press("p")
        _submit(page, "Decide")
    _done(page)


def test_classifying(page: Any, serve: Serve, small: Path) -> None:
    served = serve(small)
    _begin(page, served, "annotator", served.project("classify", people=1, least_seconds=0))
    for number in (1, 2):
        page.get_by_text(f"{number} of 2", exact=True).wait_for()
        _ready(page)
        _look(page)
        groups = page.locator("fieldset.options")
        assert groups.count() == 5
        for group in groups.all():
            page.keyboard.press(group.locator("input").nth(1).get_attribute("data-key"))
            assert group.locator("input").nth(1).is_checked()
        page.keyboard.press("Enter")
    _done(page)


def test_writing(page: Any, serve: Serve, small: Path, tmp_path: Path) -> None:
    served = serve(small, pool=make_pool(tmp_path / "media"))
    _begin(page, served, "annotator", served.project("write", questions=1))
    _type(page, "Words", "walk")
    page.get_by_text("5 found").wait_for()
    for name in ("walk/002.png", "walk/003.png"):
        _to(page, page.get_by_role("button", name=f"Choose {name}", exact=True))
        page.keyboard.press("Enter")
        page.get_by_role("img", name=name).wait_for()
    for box in page.locator("input[name=needed]").all():
        _to(page, box)
        page.keyboard.press("Space")
    _choose(page, "Category", "motion")
    _to(page, page.locator("#question"))
    page.keyboard.type("Which way did the camera turn?")
    for letter, text in zip("ABCD", ("left", "right", "upwards", "not at all"), strict=True):
        _type(page, f"Option {letter}", text)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("b")
    assert page.get_by_role("radio", name="B is right").is_checked()
    _type(page, "Step 1", "The lamp moves to the left, so the camera turned right.")
    page.get_by_text("Nothing is missing").wait_for()
    _look(page)
    _submit(page, "Submit the question")
    _done(page)


def test_planning_a_route(page: Any, serve: Serve, small: Path, tmp_path: Path) -> None:
    served = serve(small, scenes=make_rooms(tmp_path / "rooms"))
    _begin(page, served, "annotator", served.project("routes"))
    for label, thing in (("The robot begins at", "door"), ("Stop 1", "bed"), ("Stop 2", "sofa")):
        _choose(page, label, thing)
    page.get_by_text("The route is clear.").wait_for()
    _look(page)
    _submit(page, "Submit the route")
    page.get_by_text("The route is clear.").wait_for(state="detached")


def test_choosing_distractors(page: Any, serve: Serve, small: Path, tmp_path: Path) -> None:
    event = Event(label="He turns", start=10.0, end=11.0)
    served = serve(small, scenes=make_rig(tmp_path / "rig", (event,)))
    _begin(page, served, "annotator", served.project("distractors"))
    _look(page)
    picks = page.locator("input[name=pick]")
    for number in (0, picks.count() // 2, picks.count() - 1):
        page.keyboard.press(picks.nth(number).get_attribute("data-key"))
        assert picks.nth(number).is_checked()
    _submit(page, "Submit the three")
    page.get_by_role("button", name="Submit the three").wait_for(state="detached")


def test_pages_of_the_owner(page: Any, serve: Serve, small: Path) -> None:
    served = serve(small)
    project = served.project("review", people=1)
    flagged = {"verdict": "flag", "target": "scene", "reason": "Look."}
    review(served.person("reviewer", "Eve"), project, {"order": flagged})
    enter(page, served, "owner", "Olga")
    console = (f"/projects/{project}/items", f"/projects/{project}/items/1", f"/projects/{project}/acts")
    paths = ("/", "/people", "/account", f"/projects/{project}/progress", f"/flags/project/{project}", *console)
    for path in (*paths, "/flags/1"):
        page.goto(served.url + path)
        _look(page)
    page.context.clear_cookies()
    for path in ("/signin", "/nowhere", "/invitation/x", owner_link(served.site, "")):
        page.goto(served.url + path)
        _look(page)
