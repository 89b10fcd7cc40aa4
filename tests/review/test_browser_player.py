"""The player and the viewer in Chromium."""

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from reviewing import Serve, Served, at_work, make_benchmark, until
from tolman.review.media import frame_times
from videos import read_code, write_video

pytestmark = pytest.mark.full
SHOWN = """v => { const c = document.createElement('canvas'); c.width = v.videoWidth; c.height = v.videoHeight;
    c.getContext('2d').drawImage(v, 0, 0); return c.toDataURL('image/png'); }"""
FRAMES = 60
UNEVEN = [500 + 10 * i + (i * i) % 37 * 3 + i * 31 for i in range(FRAMES)]
"""Milliseconds: neither at a constant rate nor from zero on."""


@pytest.fixture(scope="module")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark whose video has frames at uneven times, and one of two pictures."""
    folder = make_benchmark(tmp_path_factory.mktemp("uneven") / "two", "order", "which")
    write_video(folder / "videos" / "right.mp4", FRAMES, times=sorted(UNEVEN))
    return folder


@pytest.fixture
def served(uneven: Path, serve: Serve) -> Served:
    """A server on SQLite: what a player does is no database's business."""
    return serve(uneven)


def _asked(page: Any, served: Served, selector: str) -> None:
    """Go to the question that has something on its page."""
    project = served.project("answer", least_seconds=0)
    at_work(page, served, "subject", "Sam", project)
    page.locator("h1.question").wait_for()
    if not page.locator(selector).count():
        page.keyboard.press("b")
        page.keyboard.press("Enter")
    page.locator(selector).first.wait_for()


def _frame(video: Any) -> int:
    data = video.evaluate(SHOWN).split(",")[1]
    return read_code(Image.open(io.BytesIO(base64.b64decode(data))))


def test_a_step_is_one_frame_of_the_file(page: Any, served: Served, uneven: Path) -> None:
    _asked(page, served, ".media video")
    times = frame_times(uneven / "videos" / "right.mp4")
    assert len(times) == FRAMES
    video, clock = page.locator(".media video"), page.locator("[data-clock]")
    until(page, lambda: video.evaluate("v => v.readyState >= 2"))
    page.locator("h1.question").focus()
    first = _frame(video)
    for number in range(first + 1, first + 12):
        page.keyboard.press(".")
        until(page, lambda number=number: f"frame {number + 1} of {FRAMES}" in clock.inner_text())
        assert _frame(video) == number
        assert clock.inner_text().startswith(f"{times[number]:.3f} s")
    for number in range(first + 10, first + 5, -1):
        page.keyboard.press(",")
        until(page, lambda number=number: f"frame {number + 1} of {FRAMES}" in clock.inner_text())
        assert _frame(video) == number
    for _ in range(4):  # while it still seeks
        page.keyboard.press(".")
    until(page, lambda: f"frame {first + 11} of" in clock.inner_text())
    until(page, lambda: _frame(video) == first + 10)
    page.keyboard.press(">")
    assert video.evaluate("v => v.playbackRate") == 1.5
    page.get_by_label("Speed").select_option("0.25")
    assert video.evaluate("v => v.playbackRate") == 0.25
    before = video.evaluate("v => v.currentTime")
    page.get_by_role("button", name="One second on").click()
    assert video.evaluate("v => v.currentTime") == pytest.approx(before + 1, abs=0.01)


def test_pictures_are_enlarged_moved_and_blink(page: Any, served: Served) -> None:
    _asked(page, served, ".media.many")
    sheet = page.locator(".sheet").first
    box = sheet.bounding_box()
    page.keyboard.press("+")
    page.keyboard.press("+")
    assert sheet.bounding_box()["width"] == pytest.approx(box["width"] * 2.25, rel=0.01)
    left = sheet.bounding_box()["x"]
    page.keyboard.press("Shift+ArrowRight")
    assert sheet.bounding_box()["x"] < left
    moved = sheet.bounding_box()["x"]
    stage = page.locator(".stage").first.bounding_box()
    page.mouse.move(stage["x"] + 60, stage["y"] + 60)
    page.mouse.down()
    page.mouse.move(stage["x"] + 80, stage["y"] + 60)
    page.mouse.up()
    assert sheet.bounding_box()["x"] == pytest.approx(moved + 20, abs=1)
    page.keyboard.press("=")
    assert sheet.bounding_box()["width"] == pytest.approx(box["width"], abs=1)
    page.keyboard.press("/")
    assert page.locator(".pictures figure:visible").count() == 1
    one, place = page.locator(".stage:visible img").get_attribute("alt"), page.locator(".stage:visible").bounding_box()
    page.keyboard.press("+")
    page.keyboard.press("/")
    assert page.locator(".stage:visible img").get_attribute("alt") != one
    assert page.locator(".stage:visible").bounding_box() == place  # in the same place, and as large
    assert page.locator("[data-zoom]:visible").inner_text() == "150 %"
    page.get_by_role("button", name="By itself").click()
    until(page, lambda: page.locator(".stage:visible img").get_attribute("alt") == one)
    page.get_by_role("button", name="Side by side").click()
    assert page.locator(".pictures figure:visible").count() == 2


def test_frames_are_told_to_those_who_may_see_the_video(served: Served, uneven: Path) -> None:
    project = served.project("answer", least_seconds=0)
    sam = served.person("subject", "Sam")
    name = ""
    for _ in range(2):
        page = sam.get(f"/projects/{project}/work")
        if "/frames" in page.text:
            name = page.text.split('data-frames="')[1].split('"')[0]
        sam.post(page.url.path, answer="B", seconds=3, shown="ready")
    assert sam.get(name).json()["times"] == frame_times(uneven / "videos" / "right.mp4")
    assert served.person("subject", "Eve").get(name).status_code == 404
    assert served.visitor().get(name).status_code == 401
