"""A paper rebuilt from runs: its files, its index, and what is missing."""

import csv
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from charted import answered, make_run, questions
from tolman.benchmarks.vsi_bench import CHOICE_TASKS, NUMBER_UNITS
from tolman.errors import UsageError
from tolman.features.paper.compute import PaperResult, rebuild_paper
from tolman.features.report.config import PaperConfig
from tolman.items import Item
from tolman.responses import Failure, FailureKind

pytestmark = pytest.mark.full
EVIL = "my/<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> PaperResult:
    place = tmp_path_factory.mktemp("paper")
    items = questions()
    wrong = {item.id: "A" if item.options else "4" for item in items if int(item.id[1:]) % 2}
    failing = answered(items)
    failing[0] = Failure(id=items[0].id, kind=FailureKind.NETWORK, message="gone")
    run = partial(make_run, subset_items=5130)
    paths = [
        run(place / "good", answered(items, c0="9")),
        run(place / "cot", answered(items, **wrong), {"model": "my/good", "protocol": "cot"}),
        run(place / "blind", answered(items, **wrong), {"model": "my/good", "protocol": "blind"}),
        run(place / "evil", failing, {"model": EVIL}),
        run(place / "f4", answered(items, **wrong), {"model": "my/good", "frames": {"count": 4}}),
        run(place / "f8", answered(items), {"model": "my/good", "frames": {"count": 8}}),
    ]
    return rebuild_paper(PaperConfig(paper="vsi-bench", runs=(*paths, place / "nothing"), out=place / "out"))


def states(result: PaperResult) -> dict[str, str]:
    return {one.part.name: one.state for one in result.parts}


def table_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_what_the_runs_allow_is_rebuilt_and_the_rest_is_told(rebuilt: PaperResult) -> None:
    found = states(rebuilt)
    made = ("Figure 4", "Table 12")
    assert {name: found[name] for name in made} == dict.fromkeys(made, "rebuilt")
    # "evil" lacks an answer, and Figure 8 is of four ways to ask.
    in_part = ("Figure 5", "Figure 8", "Figure 11", "Figure 12 and Table 13")
    assert {name: found[name] for name in in_part} == dict.fromkeys(in_part, "in part")
    missing = ("Figure 7", "Figures 9 and 19", "Table 7", "Table 10", "Table 11")
    assert {name: found[name] for name in missing} == dict.fromkeys(missing, "missing")
    assert found["Table 1"] == "elsewhere"
    (errors,) = [one for one in rebuilt.parts if one.part.name == "Figure 7"]
    assert errors.missing == ("--labels is not given",)
    assert any("nothing" in sentence for sentence in rebuilt.left_out)


def test_files_hold_the_figures_of_the_runs(rebuilt: PaperResult) -> None:
    stored = json.loads((rebuilt.out.parent / "good" / "scores.json").read_text())
    average = stored["rule_sets"]["official"]["cells"]["average"]["value"]
    rows = table_of(rebuilt.out / "figure-5-bars.csv")
    (found,) = [row for row in rows if row["label"] == "Avg." and row["series"].startswith("my/good (all")]
    assert float(found["value"]) == average
    deltas = table_of(rebuilt.out / "figure-8-deltas.csv")
    assert {row["panel"] for row in deltas} == {"cot − direct"}
    for name in ("figure-5.md", "figure-5.tex", "figure-5-bars.pdf", "figure-11-curve.svg"):
        assert (rebuilt.out / name).stat().st_size > 200
    table = (rebuilt.out / "figure-5.md").read_text()
    assert "GPT-4o" in table  # the paper's own rows
    assert "Gemini-3-Pro" not in table  # and no other's


def test_a_failed_run_is_said_to_be_incomplete(rebuilt: PaperResult) -> None:
    text = (rebuilt.out / "index.md").read_text()
    assert "INCOMPLETE" in text
    assert "[incomplete; " in (rebuilt.out / "figure-5-bars.csv").read_text()


def test_the_index_runs_nothing_and_asks_for_nothing(rebuilt: PaperResult) -> None:
    sync = pytest.importorskip("playwright.sync_api")
    asked: list[str] = []
    with sync.sync_playwright() as started:
        browser = started.chromium.launch(executable_path="/usr/bin/chromium")
        page: Any = browser.new_page(viewport={"width": 390, "height": 800})
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: pytest.fail("a script ran"))
        page.goto((rebuilt.out / "index.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate("[...document.images].every(one => one.naturalWidth > 0)")
        assert page.locator("img").count() >= 6
        assert EVIL in page.inner_text("body")
        browser.close()
    assert [url for url in asked if not url.startswith("data:")] == [(rebuilt.out / "index.html").as_uri()]


def test_runs_of_another_benchmark_are_refused(rebuilt: PaperResult) -> None:
    with pytest.raises(UsageError, match="is a run of VSI-Bench, and this paper's benchmark is SITE"):
        rebuild_paper(PaperConfig(paper="site", runs=(rebuilt.out.parent / "good",), out=rebuilt.out / "no"))


def test_a_subset_has_each_model_s_figures_on_it_and_on_all(tmp_path: Path) -> None:
    from tolman.features.paper import SubsetTable
    from tolman.features.paper.paper_parts import subset_table
    from tolman.reports.loaded_runs import load_runs

    items = [
        Item(
            id=f"{task}-{n}", question="?", task=task, scene=f"s{n}", kind="number" if task in NUMBER_UNITS else "choice",
            answer=str(3 + n % 5) if task in NUMBER_UNITS else "ABC"[n % 3], unit=NUMBER_UNITS.get(task),
            options=() if task in NUMBER_UNITS else ("left", "right", "back"),
        )
        for n in range(12)
        for task in (*NUMBER_UNITS, *CHOICE_TASKS)
    ]  # fmt: skip
    wrong = {every: {i.id: "A" if i.options else "4" for i in items[::every]} for every in (2, 3, 5)}
    paths = [make_run(tmp_path / f"m{n}", answered(items, **wrong[n]), items=items) for n in wrong]
    twice = make_run(tmp_path / "again", answered(items), {"model": "my/m2"}, items)
    runs = load_runs([*paths, twice])
    made = subset_table(SubsetTable(24), runs, tmp_path, "table-10")
    rows = table_of(tmp_path / "table-10.csv")
    assert [row["Model"] for row in rows] == ["my/m2", "my/m3", "my/m5"]
    for row, path in zip(rows, paths, strict=True):
        stored = json.loads((path / "scores.json").read_text())["rule_sets"]["official"]["cells"]["average"]["value"]
        assert float(row["All"]) == pytest.approx(stored, abs=0.006)
        assert float(row["Error, taking part"]) == pytest.approx(
            abs(float(row["All"]) - float(row["Subset"])), abs=0.02
        )
    assert made.notes[0] == "Avg. on 24 of 120 questions; errors in points."
    with pytest.raises(UsageError, match="at least three"):
        subset_table(SubsetTable(24), runs[:2], tmp_path, "two")
