"""Further metrics in every form of a report."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import charted
from shown import on_console
from tolman import benchmarks
from tolman.features.report.render import print_report
from tolman.item_table import write_items
from tolman.items import Item
from tolman.reports.further_metrics import LEFT_OUT, _table, further_tables
from tolman.reports.loaded_runs import LoadedRun, load_runs
from tolman.reports.report_content import build
from tolman.reports.report_pages import TEXTS, render, write_page
from tolman.responses import Failure, FailureKind, Outcome, Response
from tolman.scoring.further_figures import LeftOutAnswers

METRICS = ("within-25", "median-relative-error")
Make = Callable[..., Item]


@pytest.fixture
def make_run(tmp_path: Path, number: Make) -> Callable[..., LoadedRun]:
    """Eight counts, three of which can't be read and one call failed, and two lengths; with `zero`, on a benchmark that is a
    folder, a count of nothing too."""
    items = [number(str(n + 2), id=f"c{n}", task="object_counting", scene=f"s{n}") for n in range(8)]
    items += [number("2", unit="m", id=f"d{n}", task="walked", scene=f"s{n}") for n in range(2)]

    def make(name: str = "run", *, zero: bool = False, **record: bool) -> LoadedRun:
        asked, benchmark = list(items), "vsi-bench"
        if zero:  # VSI-Bench has no score for it
            asked.append(number("0", id="zero", task="object_counting", scene="s8"))
            (tmp_path / "bench").mkdir(exist_ok=True)
            write_items(tmp_path / "bench" / "items.parquet", asked)
            (tmp_path / "bench" / "benchmark.json").write_text('{"title": "Counts"}')
            benchmark = str(tmp_path / "bench")
        outcomes: list[Outcome] = [Response(id=item.id, response=item.answer) for item in asked]
        for place in range(3):
            outcomes[place] = Response(id=items[place].id, response="I can't tell.")
        outcomes[3] = Failure(id=items[3].id, kind=FailureKind.NETWORK, message="gone")
        changes = {"benchmark": benchmark, "model": "m"}
        return load_runs(
            [charted.make_run(tmp_path / name, outcomes, changes, asked, 5130, metrics=METRICS, **record)]
        )[0]

    return make


def cells(run: LoadedRun, metric: str) -> dict[str, str]:
    tables = further_tables(run, benchmarks.get(run.record.settings.benchmark).table)
    careful = next(table for table in tables if table.rules == "careful")
    heading = next(heading for heading, name in careful.metrics.items() if name == metric)
    return {column: cell.count for column, cell in careful.rows[heading].items()}


def test_every_form_shows_them(make_run: Callable[..., LoadedRun]) -> None:
    run = make_run()
    report = build([run], "none")
    for form in TEXTS:
        text = render(report, [run], form)
        assert "Within 25" in text or "within-25" in text, form
    page = render(report, [run], "html")
    assert "<h2>Further metrics: m, careful</h2>" in page
    assert "<td>Median relative error</td>" in page
    assert "<small>n 4; left out: 3 unread</small>" in page
    written = write_page(run.folder.path / "report.html", [run.folder.path]).read_text()
    assert "Further metrics: m, official" in written
    rows = {row["column"]: row for row in csv.DictReader(io.StringIO(render(report, [run], "csv")))}
    content = json.loads(render(report, [run], "json"))["further"]
    found = next(one for one in content if one["rules"] == "careful")["metrics"]["within-25"]["figures"]
    assert float(rows["within-25: walked"]["value"]) == found["walked"]["value"] == 100.0
    assert found["object_counting"]["unread"] == 3
    assert r"Within 25 \% & " in render(report, [run], "latex")


def test_question_types_have_the_titles_of_the_benchmarks_table(make_run: Callable[..., LoadedRun]) -> None:
    run = make_run()
    report = build([run], "none")
    table = report.further[0]
    assert table.columns == ("object_counting", "walked", "all")
    assert table.headings == ("Obj. Count", "walked", "all")  # the table has no title for the second
    assert "object_counting" not in on_console(print_report, report, width=120)
    for form in ("markdown", "latex"):
        assert "Obj. Count" in render(report, [run], form)
        assert "object_counting" not in render(report, [run], form).replace(r"object\_counting", "object_counting")
    assert "<th>walked</th>" in render(report, [run], "html")


def test_what_was_left_out_is_told_by_reason(make_run: Callable[..., LoadedRun]) -> None:
    run = make_run(zero=True)
    assert cells(run, "median-relative-error") == {
        "object_counting": "n 4; left out: 3 unread, 1 no value",
        "walked": "n 2",
        "all": "n 6; left out: 3 unread, 1 no value",
    }
    assert cells(run, "within-25")["object_counting"].startswith("n 8, 3 of them unread")
    for form in ("markdown", "html"):
        assert "3 unread, 1 no value" in render(build([run], "none"), [run], form)
        assert LEFT_OUT in render(build([run], "none"), [run], form)
    careful = json.loads(render(build([run], "none"), [run], "json"))["further"][0]
    error = careful["metrics"]["median-relative-error"]["figures"]
    assert error["all"]["left_out"] == {"unread": 3, "no value": 1}


def test_calls_that_count_as_wrong_have_a_reason_of_their_own(make_run: Callable[..., LoadedRun]) -> None:
    run = make_run("wrong", zero=True, failures_are_wrong=True)
    assert cells(run, "median-relative-error")["all"] == "n 6; left out: 3 unread, 1 no value, 1 failed"


def test_figures_without_their_scores_have_no_reason(make_run: Callable[..., LoadedRun]) -> None:
    run = make_run(zero=True)
    (run.folder.path / "metrics.parquet").unlink()
    assert cells(run, "median-relative-error")["all"] == "n 6; left out: 4 unknown reason"
    assert LeftOutAnswers(unread=1) + LeftOutAnswers(no_value=2) == LeftOutAnswers(unread=1, no_value=2)


def test_a_blank_interval_has_a_reason_below_the_table(make_run: Callable[..., LoadedRun]) -> None:
    run = make_run()
    (note,) = [note for note in build([run], "none").further[1].notes if note.startswith("No interval")]
    assert "Median relative error: Obj. Count" in note
    assert "walked" in note
    assert note.endswith("they have 2 to 4 effective scenes; an interval needs at least 6.")
    for form in ("markdown", "html", "latex"):
        assert "No interval for " in render(build([run], "none"), [run], form)


def test_metrics_of_one_title_have_a_row_each() -> None:
    cell = {"value": 0.5, "n": 4, "interval": None, "left_out": 0}
    own = {
        "title": "Within 25 %",
        "unit": "%",
        "digits": 1,
        "source": "",
        "direction": "higher",
        "cells": {"all": cell},
    }
    scores = pl.DataFrame(schema={"id": pl.String, "task": pl.String})
    table = _table("m", "official", {"within-25": own, "near": own}, scores, {})
    assert dict(table.metrics) == {"Within 25 % (within-25)": "within-25", "Within 25 % (near)": "near"}
    assert len(table.rows) == 2
