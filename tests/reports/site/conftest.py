"""Sites and browsers for them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from explorers import CHROMIUM, browsing, generated_runs, small_runs
from three_rooms import ROOMS
from tolman.features.compare.compute import compare
from tolman.features.compare.config import CompareConfig, ReconcileConfig
from tolman.features.compare.reconcile_runs import reconcile
from tolman.features.report.compute import report, show_scenes
from tolman.features.report.config import ReportConfig, ScenesConfig
from tolman.files import write_text
from tolman.reports.report_pages import Matrix, MatrixCell, matrix_page


@pytest.fixture(scope="session")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two question sets, with videos: generated questions, and such with hostile texts.

    Beside it, in pages/, are the pages that are one file each.
    """
    place = tmp_path_factory.mktemp("explorer")
    (place / "small").mkdir()
    runs = [*generated_runs(place), *small_runs(place / "small")]
    report(ReportConfig(runs=tuple(runs), out=place / "site", videos=True))
    seer, blind, *_, good, bad = runs
    pages = place / "pages"
    report(ReportConfig(runs=(good, bad), out=pages / "report.html"))
    compare(CompareConfig(a=good, b=(bad,), out=pages / "compare.html"))
    reconcile(ReconcileConfig(a=seer, b=blind, out=pages / "reconcile.html"))
    show_scenes(ScenesConfig(path=ROOMS, out=pages / "scenes.html"))
    matrix = Matrix([("VSI-Bench", "Avg.")], {"good": [MatrixCell("50.0", "40.0–60.0")]}, ["A warning."])
    write_text(pages / "matrix.html", matrix_page("Runs", matrix, ["report.html"], ["A run has no figures."]))
    return place / "site"


@pytest.fixture(scope="module")  # as long as Playwright runs, nothing else in this thread can have an event loop
def browser(explorer: Path) -> Iterator[Any]:
    """Headless Chromium, once the site is there; tests that need it are skipped where there is none."""
    if not Path(CHROMIUM).exists():
        pytest.skip("Chromium is not installed (Debian's package chromium)")
    pytest.importorskip("playwright.sync_api", reason="the browser is driven by Playwright")
    with browsing() as started:
        yield started
