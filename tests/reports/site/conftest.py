"""Sites and browsers for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from explorers import CHROMIUM, browsing, generated_runs, small_runs
from tolman.features.report.compute import report
from tolman.features.report.config import ReportConfig


@pytest.fixture(scope="session")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two question sets, with videos: generated questions, and such with hostile texts."""
    place = tmp_path_factory.mktemp("explorer")
    (place / "small").mkdir()
    runs = [*generated_runs(place), *small_runs(place / "small")]
    report(ReportConfig(runs=tuple(runs), out=place / "site", videos=True))
    return place / "site"


@pytest.fixture(scope="module")  # as long as Playwright runs, nothing else in this thread can have an event loop
def browser(explorer: Path) -> Iterator[Any]:
    """Headless Chromium, once the site is there; tests that need it are skipped where there is none."""
    if not Path(CHROMIUM).exists():
        pytest.skip("Chromium is not installed (Debian's package chromium)")
    pytest.importorskip("playwright.sync_api", reason="the browser is driven by Playwright")
    with browsing() as started:
        yield started
