"""A figure that lacks a part says so: in the table, on the page, in JSON, CSV and LaTeX, and in comparisons."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import charted
from shown import on_console
from tolman import benchmarks
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVELS
from tolman.features.compare.compute import compare
from tolman.features.compare.config import CompareConfig
from tolman.features.compare.render import show_comparison
from tolman.features.report.render import print_report
from tolman.items import Item
from tolman.reports.loaded_runs import LoadedRun, load_runs
from tolman.reports.report_content import build
from tolman.reports.report_pages import render
from tolman.reports.table_rows import Figure, ReportRow, missing_intervals
from tolman.responses import Response
from tolman.scoring.score_table import Rest

Make = Callable[..., Item]
WITHOUT_CAUSALITY = [task for level, tasks in LEVELS.items() for task in tasks if level != "spatial_causality"]


def scored(place: Path, items: list[Item], benchmark: str = "spatialbench") -> LoadedRun:
    """A perfect model's run."""
    outcomes = [Response(id=item.id, response=item.answer) for item in items]
    (run,) = load_runs([charted.make_run(place, outcomes, {"benchmark": benchmark, "model": place.name}, items)])
    return run


@pytest.fixture
def run(tmp_path: Path, choice: Make) -> LoadedRun:
    items = [choice(id=str(i), task=task, scene=f"s{i}") for i, task in enumerate(WITHOUT_CAUSALITY)]
    return scored(tmp_path / "perfect", items)


OFFICIAL_SAYS = (
    "‡ perfect, official: Score without a scored question of Causality: it counts as 0, as in the released code, so "
    "that a perfect model gets 74.08."
)
CAREFUL_SAYS = (
    "‡ perfect, careful: Score without a scored question of Causality: the mean is over the other parts alone, with "
    "renormalised weights."
)


def test_the_table_and_every_other_form_name_the_missing_level(run: LoadedRun) -> None:
    report = build([run], "none")
    assert {OFFICIAL_SAYS, CAREFUL_SAYS} <= set(report.marks)
    printed = on_console(print_report, report, width=300)
    assert "74.08‡" in printed
    assert "100.00‡" in printed
    assert OFFICIAL_SAYS in printed
    content = json.loads(render(report, [run], "json"))
    assert content["marks"] == report.marks
    official, careful = (row["figures"] for row in content["rows"])
    assert (official["score"]["value"], careful["score"]["value"]) == (pytest.approx(74.08), pytest.approx(100))
    assert official["score"]["missing"] == careful["score"]["missing"] == ["Causality"]
    assert official["score"]["attainable"] == pytest.approx(74.08)
    assert official["average"]["missing"] == []
    rows = list(csv.DictReader(io.StringIO(render(report, [run], "csv"))))
    assert [row["missing"] for row in rows if row["column"] == "score"] == ["Causality", "Causality"]
    page = render(report, [run], "html")
    assert "74.08‡" in page
    assert OFFICIAL_SAYS in page
    assert "74.08‡" in render(report, [run], "markdown")
    assert r"74.08\ddag{}" in render(report, [run], "latex")


def test_a_comparison_names_it_too(run: LoadedRun, tmp_path: Path) -> None:
    other = scored(tmp_path / "other", run.folder.items())
    config = CompareConfig(a=run.folder.path, b=(other.folder.path,), scorer="careful")
    printed = on_console(show_comparison, compare(config), width=300, as_json=False)
    assert "‡ A − other: Score without a scored question of Causality" in printed
    printed = on_console(show_comparison, compare(replace(config, scorer=None)), as_json=True)
    figures = json.loads(printed)["comparisons"][0]["columns"]["score"]
    assert (figures["missing"], figures["a"]) == (["Causality"], pytest.approx(74.08))


def test_a_level_names_the_question_types_that_are_not_in_it(tmp_path: Path, choice: Make) -> None:
    tasks = [task for tasks in LEVELS.values() for task in tasks if task not in ("relative_counting", "room_size")]
    run = scored(tmp_path / "perfect", [choice(id=task, task=task, scene=task) for task in tasks])
    tail = ": the mean is over the other parts alone, with renormalised weights."
    assert [text for text in build([run], "none").marks if text.startswith("‡")] == [
        f"‡ perfect, official; perfect, careful: {level} without a scored question of {task}{tail}"
        for level, task in (("Observation", "Room Size"), ("Topology & Relation", "Rel. Count"))
    ]


def test_a_mean_over_tasks_names_those_that_are_not_in_it(tmp_path: Path, choice: Make) -> None:
    run = scored(tmp_path / "perfect", [choice(id="1", task="object_rel_distance", scene="s")], "vsi-bench")
    (line,) = [text for text in build([run], "none").marks if "official" in text]
    assert line.startswith("‡ perfect, official; perfect, careful: Avg. without a scored question of Obj. Count, ")
    assert line.endswith("and Appr. Order: the mean is over the other parts alone, with renormalised weights.")


def test_a_run_of_an_earlier_version_says_that_it_counted_the_level_as_zero(run: LoadedRun) -> None:
    path = run.folder.path / "scores.json"
    figures = json.loads(path.read_text())
    for entry in figures["rule_sets"].values():
        for cell in entry["cells"].values():
            del cell["missing"], cell["attainable"]
    path.write_text(json.dumps(figures))
    (old,) = load_runs([run.folder.path])
    assert [text for text in build([old], "none").marks if not text.startswith("§")] == [
        "perfect, careful: scored by an earlier version, which counted parts without a question as 0; "
        f"'tolman score {run.folder.path}' recomputes it."
    ]


def test_runs_whose_headline_lacks_an_interval_share_a_sentence_on_its_larger_parts() -> None:
    columns = benchmarks.get("vsi-bench").table.columns
    headline = next(column for column in columns if column.title == "Avg.")
    rows = [
        ReportRow(
            name, "official", {headline.key: Figure(40.0, rest=Rest(("Room Size", "Route Plan"), value, 30.0, 50.0))}
        )
        for name, value in (("a", 38.926), ("b", 41.5))
    ]
    assert missing_intervals(rows, columns) == [
        "Without Room Size and Route Plan, Avg. is 38.93 (30.00 … 50.00) for a, official; 41.50 (30.00 … 50.00) for b, "
        "official."
    ]
