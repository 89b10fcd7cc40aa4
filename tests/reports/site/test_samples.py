"""Several samples of an item in the explorer: every reply with its reading, counted in the list."""

from pathlib import Path
from typing import Any

import pytest

from explorers import CHROMIUM, HOSTILE, answers_of, browsing, value
from reviewing import make_benchmark
from tolman.features.report.compute import report
from tolman.features.report.config import ReportConfig
from tolman.reports.site.data_shards import _together
from tolman.responses import Failure, FailureKind, Response, Turn, write_outcomes
from tolman.runs.rescore import score_file


def test_further_samples_stand_behind_the_first_and_name_their_texts() -> None:
    one = {"texts": ["response", "reasoning"], "marks": [(-1, 1, "careful")]}, ["B", "Because."]
    two = {"texts": ["response"], "output_tokens": 7}, ["C"]
    said, texts = _together({1: two, 0: one})
    assert said["texts"] == ["response", "reasoning", "#2 response"]
    assert texts == ["B", "Because.", "C"]
    assert said["samples"] == [{"number": 2, "output_tokens": 7}]
    assert _together({0: one}) == one


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs: one of three samples of an item and two of another, one of a single sample."""
    pytest.importorskip("av", reason="videos need the extra 'media'")
    place = tmp_path_factory.mktemp("samples")
    bench = make_benchmark(place / "small")
    order = ["A", "B", HOSTILE]
    outcomes: list[Any] = [Response(id="order", repeat=i, response=text) for i, text in enumerate(order)]
    outcomes[1] = outcomes[1].model_copy(
        update={"reasoning": "The second thought.", "turns": (Turn(purpose="answer", prompt="Now?", response="B"),)}
    )
    outcomes += [
        Response(id="which", repeat=0, response="A"),
        Failure(id="which", repeat=1, kind=FailureKind.TIMEOUT, message="late"),
    ]
    write_outcomes(place / "many.jsonl", outcomes)
    write_outcomes(place / "once.jsonl", [Response(id="order", response="B")])
    runs = [
        score_file(place / f"{n}.jsonl", benchmark=str(bench), name=n, out=place / "runs" / n)[0].path
        for n in ("many", "once")
    ]
    report(ReportConfig(runs=tuple(runs), out=place / "site", redact=True))
    return place / "site"


@pytest.mark.full
def test_each_sample_has_its_reply_and_reading_and_the_index_counts_them(site: Path) -> None:
    index = value(site, "s0-index")
    at = index["ids"].index("order")
    many, once = index["runs"]
    assert (many["samples"]["of"][at], many["samples"]["right"][0][at]) == (3, 1)
    assert "samples" not in once
    found, texts = answers_of(site, "s0-run0-0")
    first = sum(len(one.get("texts", ())) for one in found[:at])
    kinds = found[at]["texts"]
    assert dict(zip(kinds, texts[first : first + len(kinds)], strict=True)) == {
        "response": "A", "#2 response": "B", "#2 reasoning": "The second thought.", "#2 asked: answer": "Now?",
        "#2 turn: answer": "B", "#3 response": HOSTILE,
    }  # fmt: skip
    two, three = found[at]["samples"]
    (scorer, scored), *_ = two["scores"].items()
    assert (two["number"], scored[0], scored[2]) == (2, "B", 1.0)
    assert three["scores"][scorer][2] == 0.0
    assert "timeout" in found[index["ids"].index("which")]["samples"][0]["failure"]


@pytest.mark.full
def test_the_page_shows_each_sample_and_the_list_how_many_are_right(site: Path) -> None:
    if not Path(CHROMIUM).exists():
        pytest.skip("Chromium is not installed (Debian's package chromium)")
    pytest.importorskip("playwright.sync_api", reason="the browser is driven by Playwright")
    with browsing() as browser:
        page = browser.new_page()
        page.goto(f"{(site / 'index.html').as_uri()}#/items?a=0&as=varies")
        page.wait_for_selector(".row")
        assert page.locator(".row .counted").all_inner_texts() == ["1/3", "1/3"]  # a sample that is missing counts
        page.goto(f"{(site / 'index.html').as_uri()}#/items?q=second%20thought")
        page.get_by_text("1 of 6 items").wait_for()
        page.goto(f"{(site / 'index.html').as_uri()}#/item/order")
        page.wait_for_selector(".answer .sample")
        many = page.locator(".answer").first
        assert "3 samples, 1 right" in many.inner_text()
        titles = many.locator(".sample > summary").all_inner_texts()
        assert titles[0].startswith("Sample 2: ")
        assert "B → 1" in titles[0]
        many.locator(".sample > summary").nth(1).click()
        assert HOSTILE in many.locator(".sample").nth(1).inner_text()
        assert page.title() != "owned"
        assert page.locator(".answer").nth(1).locator(".sample").count() == 0
        page.goto(f"{(site / 'index.html').as_uri()}#/item/which")
        page.wait_for_selector(".answer .sample")
        assert "Sample 2: failed" in page.locator(".sample > summary").all_inner_texts()
