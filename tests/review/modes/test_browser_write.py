"""Writing questions in Chromium."""

import re
from pathlib import Path
from typing import Any

import pytest

from making import violations, written
from reviewing import Serve, Served, at_work, press_media_keys, snap
from tolman.review.tasks import item_of


@pytest.fixture
def served(pool_folder: Path, tmp_path: Path, serve: Serve) -> Served:
    """A server that begins with a new benchmark; of the pool nothing is changed here."""
    return serve(tmp_path / "fresh", pool=pool_folder)


def test_a_question_is_written_by_keyboard(page: Any, served: Served) -> None:
    project = served.project("write", questions=2)
    at_work(page, served, "annotator", "Ann", project)
    page.get_by_text("Choose what the question is about").wait_for()
    page.get_by_label("Words", exact=True).fill("walk")
    page.get_by_text("5 found").wait_for()
    for name in ("walk/002.png", "walk/003.png"):
        page.get_by_role("button", name=f"Choose {name}", exact=True).press("Enter")
        page.get_by_role("img", name=name).wait_for()
    page.get_by_role("button", name="Earlier: 2").press("Enter")
    page.get_by_role("img", name="Picture 1: walk/003.png").wait_for()
    for number in (0, 1):
        page.get_by_role("checkbox", name="Without this picture").nth(number).press("Space")
    page.get_by_label("Category").select_option("Motion (Cam.)")
    page.get_by_label("Question (write").fill("Which way did the camera turn?")
    for letter, text in zip("ABCD", ("left", "right", "right", "not at all"), strict=True):
        page.get_by_label(f"Option {letter}", exact=True).fill(text)
    page.get_by_role("radio", name="B is right").press("Space")
    page.get_by_text("Options B and C are the same.").wait_for()
    page.get_by_label("Option C", exact=True).fill("upwards")
    page.get_by_label("Step 1", exact=True).fill("The lamp moves to the left.")
    page.get_by_label("Type of step 1").select_option("grounding")
    page.get_by_role("button", name="One more step").press("Enter")
    page.get_by_label("Step 2", exact=True).wait_for()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Step 2"
    with page.expect_response("**/edit"):
        page.keyboard.type("So the camera turned to the right.")
    page.get_by_text("Nothing is missing").wait_for()
    page.set_viewport_size({"width": 1180, "height": 1500})
    page.evaluate("scrollTo(0, 0)")
    snap(page, "write")
    assert not violations(page)

    other = page.context.new_page()
    other.goto(page.url)
    assert other.get_by_label("Step 2", exact=True).input_value() == "So the camera turned to the right."
    other.close()
    page.get_by_role("button", name="Submit the question").press("Enter")
    page.get_by_text("2 of 2", exact=True).wait_for()
    (version,) = written(served, project)
    item = item_of(version)
    assert [one["original"] for one in item.evidence["media"]] == ["walk/003.png", "walk/002.png"]
    assert (item.answer, item.reasoning) == (
        "B",
        "The lamp moves to the left (Grounding).\nSo the camera turned to the right.",
    )

    _film(page)
    page.context.set_offline(True)
    page.get_by_role("button", name="Submit the question").click()
    page.get_by_text("The connection is lost").wait_for()
    page.context.set_offline(False)
    page.get_by_role("heading", name="Nothing is left to do").wait_for(timeout=15000)
    (medium,) = item_of(written(served, project)[1]).media
    assert (medium.start, medium.end) == (0.5, 1.5)


@pytest.mark.parametrize(
    "fate", ["slow", "lost", *(pytest.param(fate, marks=pytest.mark.full) for fate in ("refused", "answered unheard"))]
)
def test_nothing_else_that_the_page_sends_stops_a_submission(page: Any, served: Served, fate: str) -> None:
    project = _begun(page, served)
    edits: list[str] = []
    held: list[Any] = []

    def hold(route: Any) -> None:
        if held:
            route.continue_()
        held.append(route)

    page.route(re.compile(r"/write/\d+$"), lambda r: hold(r) if r.request.method == "POST" else r.continue_())
    page.on("request", lambda request: edits.append(request.url) if request.url.endswith("/edit") else None)
    page.get_by_label("Right number").fill("3")  # which is sent when the button takes the focus, or a little later
    with page.expect_request(lambda request: request.method == "POST" and not request.url.endswith("/edit")):
        page.get_by_role("button", name="Submit the question").click()
    edits.clear()
    page.evaluate("htmx.trigger(document.body, 'keep')")
    page.wait_for_timeout(900)  # longer than typing is waited for
    if fate == "slow":
        held[0].continue_()
    elif fate == "refused":
        held[0].fulfill(status=502)
    else:
        if fate == "answered unheard":
            held[0].fetch(max_redirects=0)
        held[0].abort("connectionfailed")
    if fate != "slow":
        page.get_by_text("The connection is lost").wait_for()
        page.evaluate("htmx.trigger(document.body, 'keep')")
        if fate != "lost":
            page.evaluate("dispatchEvent(new Event('online'))")  # does not wait for the next attempt
    page.get_by_role("heading", name="Nothing is left to do").wait_for(timeout=15000)
    assert (len(held), edits) == (1 if fate == "slow" else 2, [])
    assert [item_of(version).answer for version in written(served, project)] == ["3"]


@pytest.mark.full
def test_what_is_typed_without_a_connection_is_kept_when_it_is_back(page: Any, served: Served) -> None:
    _begun(page, served)
    page.context.set_offline(True)
    page.get_by_label("Step 1", exact=True).fill("Typed in a tunnel.")
    page.get_by_text("The connection is lost").wait_for()
    page.context.set_offline(False)
    page.get_by_text("The connection is lost").wait_for(state="hidden", timeout=5000)
    other = page.context.new_page()
    other.goto(page.url)
    assert other.get_by_label("Step 1", exact=True).input_value() == "Typed in a tunnel."


def _begun(page: Any, served: Served) -> int:
    """A project of one question, of which only the answer is missing."""
    project = served.project("write", questions=1)
    at_work(page, served, "annotator", "Ann", project)
    _choose_the_film(page)
    page.get_by_role("checkbox", name="Without it").check()
    page.get_by_label("Category").select_option("MSR")
    page.get_by_label("Question (write").fill("How many?")
    page.get_by_role("radio", name="a number").check()
    page.get_by_label("Step 1", exact=True).fill("One, two and three.")
    page.get_by_text("three steps or more").wait_for()
    return project


def _film(page: Any) -> None:
    """A question about a part of a video, its ends taken from the player and typed."""
    _choose_the_film(page)
    video = page.locator(".chosen video")
    video.wait_for()
    video.evaluate("v => new Promise(done => { v.onseeked = done; v.currentTime = 0.5; })")
    page.get_by_role("button", name="Take the player's time as the beginning").click()
    page.get_by_label("Ends").fill("1.5")
    page.get_by_role("checkbox", name="Without it").check()
    page.get_by_label("Category").select_option("MSR")
    page.get_by_label("Question (write").fill("<script>document.title='owned'</script> How many?")
    page.get_by_role("radio", name="a number").check()
    page.get_by_label("Right number").fill("3")
    page.get_by_label("Step 1", exact=True).fill("One, two and three.")
    page.get_by_text("three steps or more").wait_for()
    assert page.title() != "owned"


def _choose_the_film(page: Any) -> None:
    page.get_by_label("Kind").select_option("video")
    page.get_by_text("1 found").wait_for()
    page.get_by_role("button", name="Choose drive.mp4").click()


def test_leaving_the_search_field_keeps_the_focus(page: Any, served: Served) -> None:
    project = served.project("write", questions=2)
    at_work(page, served, "annotator", "Ann", project)
    page.get_by_label("Words", exact=True).press_sequentially("drive")
    page.keyboard.press("Tab")
    page.get_by_text("1 found", exact=True).wait_for()
    page.wait_for_timeout(700)  # longer than the search waits for further letters
    assert page.evaluate("document.activeElement.name") == "source"


def test_media_can_be_chosen_as_soon_as_they_appear(page: Any, served: Served) -> None:
    project = served.project("write", questions=2)
    at_work(page, served, "annotator", "Ann", project)
    page.evaluate(
        """() => new MutationObserver(() => {
            const button = document.querySelector("#pool button[value^='add:']");
            if (button && document.querySelectorAll("#pool button[value^='add:']").length === 1) button.click();
        }).observe(document.getElementById("pool"), {childList: true})"""
    )
    page.get_by_label("Words", exact=True).fill("drive.mp4")
    page.locator(".chosen video").wait_for(timeout=5000)


def test_media_keys_leave_kind_and_right_option_as_they_were_chosen(page: Any, served: Served) -> None:
    project = _begun(page, served)
    page.get_by_role("radio", name="options").check()
    press_media_keys(page)
    for letter in "ABCD":
        page.get_by_label(f"Option {letter}", exact=True).fill(f"thing {letter}")
    right = page.get_by_role("radio", name="B is right")
    right.check()
    press_media_keys(page)
    press_media_keys(page, right)
    press_media_keys(page, page.get_by_role("checkbox", name="Without it"))
    page.get_by_label("Category").focus()
    for key in ("Space", "ArrowRight", "ArrowLeft", "Space"):
        page.keyboard.press(key)
    page.get_by_role("button", name="Submit the question").click()
    page.get_by_role("heading", name="Nothing is left to do").wait_for()
    (item,) = [item_of(version) for version in written(served, project)]
    assert (item.kind, item.answer, item.task, item.evidence["needed"]) == ("choice", "B", "MSR", True)
