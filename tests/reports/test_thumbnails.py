"""Small pictures in a page that is one file."""

import base64
import io
import json
import re
from pathlib import Path

import pytest
from PIL import Image

from explorers import CHROMIUM, browsing, small_runs
from tolman.features.report.compute import report
from tolman.features.report.config import ReportConfig
from tolman.reports.loaded_runs import load_runs
from tolman.reports.report_pages import thumbnails

pytest.importorskip("av", reason="videos need the extra 'media'")
pytestmark = pytest.mark.full


def test_a_small_page_holds_small_pictures_of_what_each_question_is_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    paths = small_runs(tmp_path)
    small = thumbnails(load_runs(paths))
    assert [len(pictures) for pictures in small.pictures] == [4, 4, 1, 1]
    assert small.of_item["pair"] == [2, 3]
    for pictures in small.pictures:
        for uri in pictures:
            with Image.open(io.BytesIO(base64.b64decode(uri.removeprefix("data:image/jpeg;base64,")))) as image:
                assert max(image.size) <= 176
    page = tmp_path / "page.html"
    report(ReportConfig(runs=tuple(paths), out=page))
    text = page.read_text(encoding="utf-8")
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
    assert data["pictures"] == [list(one) for one in small.pictures]
    if Path(CHROMIUM).exists():
        pytest.importorskip("playwright.sync_api", reason="the browser is driven by Playwright")
        with browsing() as browser:
            opened = browser.new_page()
            wrong: list[str] = []
            opened.on("console", lambda m: wrong.append(m.text))
            opened.goto(page.as_uri())
            images = opened.locator("article", has_text="pair ·").locator("img")
            assert images.count() == 2
            assert images.first.evaluate("i => i.decode().then(() => i.naturalWidth)") == 176
            assert wrong == []
    report(ReportConfig(runs=tuple(paths), out=page, redact=True))
    assert "data:image" not in page.read_text(encoding="utf-8")


def test_a_page_of_runs_without_media_at_hand_has_none(tmp_path: Path) -> None:
    paths = small_runs(tmp_path)
    (tmp_path / "small").rename(tmp_path / "elsewhere")
    runs = load_runs(paths)
    assert thumbnails(runs).pictures == ()
    assert len(thumbnails(runs, tmp_path / "elsewhere", tmp_path / "frames").pictures) == 4
