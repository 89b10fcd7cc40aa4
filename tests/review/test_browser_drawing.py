"""Drawing on pictures and frames in Chromium, and who sees it."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from reviewing import Serve, Served, at_work, make_benchmark, snap, until
from tolman.review.media import frame_times
from tolman.review.store import Submission

pytestmark = pytest.mark.full


@pytest.fixture
def served(tmp_path: Path, serve: Serve) -> Served:
    """A server on SQLite with one question about a video."""
    return serve(make_benchmark(tmp_path / "one", "order"))


def _line(page: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag between two places, given as shares of the picture."""
    box = page.locator(".stage").bounding_box()
    page.mouse.move(box["x"] + start[0] * box["width"], box["y"] + start[1] * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + end[0] * box["width"], box["y"] + end[1] * box["height"], steps=4)
    page.mouse.up()


def test_what_a_reviewer_draws_is_kept_and_shown_to_whoever_decides(page: Any, served: Served, tmp_path: Path) -> None:
    project = served.project("review", people=2, least_seconds=0)
    at_work(page, served, "reviewer", "Ann", project)
    video = page.locator(".media video")
    until(page, lambda: video.evaluate("v => v.readyState >= 2"))
    page.locator("h1.question").focus()
    for number in (2, 3):
        page.keyboard.press(".")
        until(page, lambda number=number: f"frame {number} of" in page.locator("[data-clock]").inner_text())
    page.get_by_text("Draw on the picture").click()
    page.get_by_label("What it marks").fill("the lamp's edge")
    page.get_by_role("button", name="Line", exact=True).click()
    page.get_by_role("button", name="Larger").click()  # pixels are the picture's, however large it is shown
    _line(page, (0.25, 0.25), (0.5, 0.75))
    page.get_by_label("By numbers").fill("10, 20")
    page.keyboard.press("Enter")
    assert page.locator("[data-drawn-list] li").count() == 2
    assert page.locator("svg.drawn line").count() == 1
    snap(page, "drawing", seek=False)
    page.get_by_role("button", name="Look", exact=True).click()
    page.locator("h1.question").focus()
    page.keyboard.press(",")
    until(page, lambda: page.locator("svg.drawn line").count() == 0)  # it is on one frame
    page.keyboard.press("b")
    with page.expect_response("**/draft"):
        page.evaluate("htmx.trigger(document.body, 'keep')")
    page.reload()
    assert page.locator("[data-drawn-list] li").count() == 2
    page.get_by_role("button", name="Answer and compare").click()
    page.get_by_text("What you drew:").wait_for()

    with served.site.database.read() as db:
        drawn = db.scalars(select(Submission.content)).one()["drawn"]
    times = frame_times(tmp_path / "one" / "videos" / "right.mp4")
    width, height = drawn[0]["size"]
    assert (width, height) == tuple(video.evaluate("v => [v.videoWidth, v.videoHeight]"))
    assert (drawn[0]["frame"], drawn[0]["time"], drawn[0]["note"]) == (2, times[2], "the lamp's edge")
    (x0, y0), (x1, y1) = drawn[0]["points"]
    # At 150 % around the centre, a quarter of the stage is (0.25 - 0.5) / 1.5 + 0.5 of the picture.
    assert (x0 / width, x1 / width) == pytest.approx((1 / 3, 0.5), abs=0.01)
    assert (y0 / height, y1 / height) == pytest.approx((1 / 3, 2 / 3), abs=0.01)
    assert drawn[1]["points"] == [[10, 20]]

    page.get_by_role("radio", name="Discard").check()
    page.get_by_label("Reason", exact=True).fill("Look at the lamp.")
    page.get_by_role("button", name="Decide").click()
    page.get_by_role("heading", name="Nothing is left to do").wait_for()
    bob = served.person("reviewer", "Bob")
    blind = bob.get(f"/projects/{project}/work")
    assert "edge" not in blind.text
    bob.post(f"{blind.url.path}/answer", answer="B", seconds=5, shown="ready")
    assert "edge" not in bob.get(blind.url.path).text  # reviewers decide alone
    bob.post(f"{blind.url.path}/decide", verdict="approve", seconds=5)

    page.context.clear_cookies()
    at_work(page, served, "reviewer", "Cleo", project)
    shown = page.get_by_role("button", name="the lamp's edge: line")
    shown.wait_for()
    until(page, lambda: page.locator(".media video").evaluate("v => v.readyState >= 2"))
    shown.click()
    until(page, lambda: page.locator("svg.drawn line.other").count() == 1)
    assert "Ann" not in page.locator("main").inner_text()


def test_a_drawing_outside_of_the_media_is_refused_with_a_sentence(served: Served) -> None:
    project = served.project("answer", least_seconds=0)
    sam = served.person("subject", "Sam")
    page = sam.get(f"/projects/{project}/work")
    answer = sam.post(
        page.url.path, answer="B", seconds=5, shown="ready", drawn='[{"medium": 2, "points": [[1, 1]], "size": [9, 9]}]'
    )
    assert answer.status_code == 422
    assert "A drawing is on medium 2 of 1." in answer.text
