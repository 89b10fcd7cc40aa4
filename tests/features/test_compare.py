"""Comparing runs: what they rest on, and further metrics."""

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tolman
from answered import answered
from tolman import benchmarks
from tolman.errors import UsageError
from tolman.features.compare.compute import FORMS, compare
from tolman.features.compare.config import CompareConfig
from tolman.items import Item
from tolman.reports.comparison import HEADINGS, DifferenceRow
from tolman.reports.loaded_runs import load_runs
from tolman.reports.report_content import part_of
from tolman.runs.run_items import load
from tolman.scoring.intervals import Interval
from tolman.scoring.run_differences import Difference
from tolman.scoring.score_table import Column, pool

EXTRACT = Path(__file__).resolve().parents[1] / "extracts" / "vsi_bench_extract.jsonl"


def scored(out: Path, factor: float, *, unread: int = 0) -> Path:
    """A run that answers B, or so many times the true value; some answers hold nothing that can be read."""
    loaded = load("vsi-bench", EXTRACT, None)
    lost = [item for item in loaded.items if not item.options][:unread]

    def said(place: int, item: Item) -> str:
        return "B" if item.options else "I can't tell." if item in lost else str(factor * item.float_answer)

    return answered(loaded, out, said, model=out.name)


@pytest.fixture(scope="module")
def near(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scored(tmp_path_factory.mktemp("runs") / "near", 1.1)


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scored(tmp_path_factory.mktemp("runs") / "far", 1.5, unread=2)


def limited(out: Path, limit: int) -> Path:
    """A run of so many of the questions."""
    settings: dict[str, Any] = {"data": EXTRACT, "protocol": "blind", "limit": limit, "name": f"python/{out.name}"}
    tolman.evaluate("vsi-bench", lambda messages: "B", out=out, **settings)
    return out


def test_a_part_of_the_questions_is_said_in_every_form(near: Path, tmp_path: Path, command: Callable[..., Any]) -> None:
    half = limited(tmp_path / "half", 24)
    result = compare(CompareConfig(a=near, b=(half,)))
    parts = [text for text in result.warnings if text.startswith("PART: python/half")]
    assert len(parts) == 1
    assert "24 of 96 items (--limit 24)." in parts[0]
    assert parts[0] in command("compare", near, half).output
    assert parts[0] in json.loads(command("compare", near, half, "--json").output)["warnings"]
    assert parts[0].removesuffix(".") in repr(result)
    assert parts[0] in result._repr_html_()


def test_a_whole_run_is_no_part_of_its_questions(near: Path, far: Path) -> None:
    said = compare(CompareConfig(a=near, b=(far,))).warnings
    assert not [text for text in said if "items (" in text]
    assert "PART: the data holds 96 of the 5,130 released questions." in said


def test_a_limit_above_the_number_of_questions_makes_no_part(
    near: Path, tmp_path: Path, command: Callable[..., Any]
) -> None:
    whole = limited(tmp_path / "all", 1000)
    result = compare(CompareConfig(a=near, b=(whole,)))
    assert not [text for text in result.warnings if "96 of 96" in text]
    (run,) = load_runs([whole])
    assert "96 of 96" not in part_of(run, benchmarks.get("vsi-bench"))


def test_a_difference_of_zero_has_no_minus_sign() -> None:
    column = Column("one", "One", pool("one"))
    difference = Difference(
        a=-0.04, b=50.0, value=-0.04, interval=Interval(-0.01, 0.02), method=None, effective_scenes=8.0, reason=None,
        p=1.0, exact=True, detectable=None, n=8, won=2, lost=1,
    )  # fmt: skip
    cells = dict(zip(HEADINGS, DifferenceRow(column, difference, 1.0).cells, strict=True))
    assert [cells[head] for head in ("A", "B", "A − B", "95 % interval")] == ["0.0", "50.0", "+0.0", "+0.0 … +0.0"]
    assert [cells[head] for head in ("items", "won", "lost")] == ["8", "2", "1"]


def test_runs_are_compared_in_further_metrics(near: Path, far: Path, command: Callable[..., Any]) -> None:
    plain = compare(CompareConfig(a=near, b=(far,), scorer="careful"))
    result = compare(CompareConfig(a=near, b=(far,), scorer="careful", metrics="within-25,median-relative-error"))
    (one,) = result.comparisons
    assert one.differences == plain.comparisons[0].differences
    assert list(one.further) == ["within-25", "median-relative-error"]
    within, error = (one.further[name]["all"] for name in one.further)
    assert (within.a, round(within.b, 1)) == (100.0, 0.0)
    assert (error.a, error.b) == (pytest.approx(10), pytest.approx(50))
    assert error.value == pytest.approx(-40)
    assert within.n == error.n + 2  # what could not be read is wrong in the one, and in no figure of the other
    assert within.won == within.n
    # One correction over all rows: none gets smaller, and the tables of metrics have corrected p-values too.
    assert all(one.p_holm[key] >= plain.comparisons[0].p_holm[key] for key in one.p_holm)
    assert all(one.further_p_holm[name][task] >= d.p for name, own in one.further.items() for task, d in own.items())
    shown = command("compare", near, far, "--scorer", "careful", "--metrics", "within-25,median-relative-error").output
    assert "near  −  far, careful: Within 25 %" in shown
    assert "near  −  far, careful: Median relative error" in shown
    assert shown.count("Obj. Count") >= 3
    assert "object_counting" not in shown
    tests = len(one.differences) + sum(len(own) for own in one.further.values())
    assert f"Holm: corrected for {tests} tests" in shown
    stored = json.loads(command("compare", near, far, "--scorer", "careful", "--metrics", "within-25", "--json").output)
    assert stored["comparisons"][0]["metrics"]["within-25"]["all"]["a"] == 100.0
    assert not (near / "metrics.parquet").exists(), "nothing is written"


def test_python_takes_metrics_as_the_command_does(near: Path, far: Path) -> None:
    result = tolman.compare(near, far, metrics=["within-25", "signed-bias"])
    table = result.table()
    plain = tolman.compare(near, far).table().drop("p_holm")
    assert table.filter(pl.col("metric").is_null()).drop("p_holm").equals(plain)
    bias = table.filter((pl.col("metric") == "signed-bias") & (pl.col("column") == "all")).row(0, named=True)
    assert bias["difference"] == pytest.approx(bias["value_a"] - bias["value_b"])
    titles = table.filter(pl.col("metric") == "within-25")["title"].to_list()
    assert (set(titles), titles[-1]) == ({"Obj. Count", "Abs. Dist.", "Obj. Size", "Room Size", "all"}, "all")
    with pytest.raises(UsageError, match="there is no metric 'within25'; did you mean 'within-X'"):
        tolman.compare(near, far, metrics="within25")


def test_a_metric_without_a_value_is_named(near: Path, far: Path, tmp_path: Path, command: Callable[..., Any]) -> None:
    lengths = "median-absolute-area-error"
    shown = command("compare", near, far, "--metrics", lengths).output
    assert "Room Size" in shown
    loaded = load("vsi-bench", EXTRACT, None)
    part = replace(loaded, items=[item for item in loaded.items if item.task == "object_counting"])
    runs = [answered(part, tmp_path / name, lambda place, item: "2") for name in ("one", "two")]
    shown = command("compare", *runs, "--metrics", lengths).output
    assert f"no answer of both has a value of the metric {lengths}." in shown


def test_a_comparison_is_written_as_page_table_and_json(near: Path, far: Path, tmp_path: Path) -> None:
    place = tmp_path / "out"
    results = {form: compare(CompareConfig(a=near, b=(far,), out=place / f"c{form}")) for form in FORMS}
    page, markdown, table, text = ((place / f"c{form}").read_text() for form in FORMS)
    found = results[".html"].comparisons[0].differences["object_count"]
    assert f"{found.value:+.1f}" in page
    assert f"| {found.value:+.1f} |" in markdown
    assert pl.read_csv(io.StringIO(table)).height == len(results[".csv"].table())
    assert json.loads(text) == json.loads(json.dumps(results[".json"].to_dict()))
    scores = [pl.read_parquet(run / "scores.parquet").filter(pl.col("rule_set") == "official") for run in (near, far)]
    both = scores[0].join(scores[1], on=("id", "repeat"), suffix="_far").drop_nulls(("score", "score_far"))
    won, lost = (
        both.filter(one).height
        for one in (pl.col("score") > pl.col("score_far"), pl.col("score") < pl.col("score_far"))
    )
    assert f"<summary>{won} items won</summary>" in page
    assert f"<summary>{lost} items lost</summary>" in page
    assert page.count("<article ") == won + lost
    with pytest.raises(
        UsageError, match=r"c\.svg has no suffix of a comparison; use one of \.html, \.md, \.csv, \.json"
    ):
        compare(CompareConfig(a=near, b=(far,), out=place / "c.svg"))


def test_hostile_answers_stay_text_on_the_page(near: Path, tmp_path: Path) -> None:
    def said(place: int, item: Item) -> str:
        return "B<script>alert(1)</script>" if item.options else "<img src=x onerror=alert(1)>"

    out = answered(load("vsi-bench", EXTRACT, None), tmp_path / "hostile", said, model="<b>m</b>")
    compare(CompareConfig(a=near, b=(out,), out=tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text()
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert not re.search(r"<(script|img|b)\b", page)
