"""Which published rows stand beside runs, and how they say in what they aren't comparable."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tolman import benchmarks
from tolman.benchmarks.published import PublishedRow
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.reports.loaded_runs import LoadedRun
from tolman.reports.reference_rows import MOST_NEWEST, Beside, choose, differences
from tolman.reports.report_content import Report, build
from tolman.reports.report_pages import render
from tolman.runs.run_folder import RunFolder, RunRecord, RunSettings

MADE = Beside("full", "full", ("direct",), ("32",), ("official", "careful"), ("nyu/vsi at 0a1b",))
ROW = PublishedRow("model", "A", "", "card", {"average": 50.0}, "2026", "full", "32", "official")
MakeRun = Callable[..., LoadedRun]


@pytest.fixture
def made_run(tmp_path: Path) -> MakeRun:
    def make(**changes: object) -> LoadedRun:
        usual = {
            "benchmark": "vsi-bench", "subset": "full", "data_hash": "0", "model": "my/model", "protocol": "direct",
            "preset": "open", "frames": {"count": 32},
        }  # fmt: skip
        record = RunRecord(settings=RunSettings.model_validate(usual | changes), subset_items=5130, data="here")
        rule_sets = {"official": {"cells": {}}, "careful": {"cells": {}}}
        figures = {"rule_sets": rule_sets, "unanswered": {"failed": 0, "missing": 0}, "items": 0}
        return LoadedRun(RunFolder(tmp_path), record, figures)

    return make


@pytest.mark.parametrize(
    ("changes", "signs"),
    [
        ({}, ()),
        ({"subset": ""}, ()),
        ({"subset": "tiny"}, ("s",)),
        ({"subset": "not stated"}, ("s?",)),
        ({"protocol": "direct"}, ()),
        ({"protocol": "blind"}, ("p",)),
        ({"frames": "128"}, ("f",)),
        ({"frames": ""}, ("f?",)),
        ({"frames": "", "group": "human", "harness": ""}, ()),
        ({"harness": "lmms-eval"}, ("h",)),
        ({"harness": "not stated"}, ("h?",)),
        ({"averaging": "micro"}, ("m",)),
        ({"revision": "before 2026-03-23"}, ("r",)),
        ({"revision": "0a1b"}, ()),
        ({"subset": "tiny", "frames": "16", "harness": "EASI", "averaging": "not stated"}, ("s", "f", "h", "m?")),
    ],
)
def test_what_differs_has_a_sign(changes: dict[str, str], signs: tuple[str, ...]) -> None:
    assert differences(replace(ROW, **changes), MADE) == signs  # type: ignore[arg-type]


def test_a_row_is_comparable_where_the_runs_have_the_scorer_of_its_harness() -> None:
    row = replace(ROW, harness="VLMEvalKit")
    assert differences(row, replace(MADE, scorers=("official", "vlmevalkit"))) == ()
    assert differences(row, replace(MADE, scorers=("easi",))) == ()


def test_rows_of_another_harness_name_the_scorer_that_they_compare_with(made_run: MakeRun) -> None:
    run = made_run()
    run.figures["rule_sets"]["vlmevalkit"] = {"cells": {}}
    shown = choose(spec([replace(ROW, harness="VLMEvalKit")]), "all", [run])
    assert [(one.name, one.differs) for one in shown.rows] == [("A (VLMEvalKit)", ())]
    assert shown.marks == [
        "(VLMEvalKit): to be compared with the runs' rows of the scorer vlmevalkit; the prompt may differ."
    ]


def test_models_without_the_headline_are_ordered_by_what_they_have(made_run: MakeRun) -> None:
    rows = [replace(ROW, name=name, values={"average": None, "room_size": v}) for name, v in (("a", 1.0), ("b", 9.0))]
    assert [one.name for one in choose(spec(rows), "newest", [made_run()]).rows] == ["b", "a"]


def spec(rows: list[PublishedRow]) -> BenchmarkSpec:
    changed = replace(benchmarks.get("vsi-bench"), published=None)
    changed.__dict__["published_rows"] = rows
    return changed


def test_the_newest_are_the_models_printed_last_each_in_its_nearest_row(made_run: MakeRun) -> None:
    chance = PublishedRow("chance", "Random", "", "Table 1", {"average": 25.0})
    old = [replace(ROW, name=f"old {n}", date=f"2025-{n:02}", values={"average": 1.0}) for n in range(1, 11)]
    quoted = replace(ROW, name="New-1", date="2026-01", harness="not stated", values={"average": 60.0})
    near = replace(ROW, name="new 1", date="2026-02", values={"average": 61.0})
    partial = replace(ROW, name="new 2", date="2026", values={"average": 99.0})
    tiny = replace(ROW, name="other", date="2026-05", subset="tiny", values={"average": 80.0})
    shown = choose(spec([*old, tiny, quoted, partial, chance, near]), "newest", [made_run()])
    names = [one.name for one in shown.rows]
    assert names == ["Random", "new 1", "new 2", "old 10", "old 9", "old 8", "old 7", "old 6", "old 5"]
    assert len(names) == 1 + MOST_NEWEST
    assert shown.marks == []
    assert shown.notes[-1] == "Of 14 published rows of models the 8 newest are here; --published all shows every one."
    assert choose(spec([tiny, chance]), "newest", [made_run()]).rows[1].differs == ("s",)


def test_each_sign_has_one_line(made_run: MakeRun) -> None:
    rows = [
        replace(ROW, name="a", subset="tiny", frames="16", harness="EASI"),
        replace(ROW, name="b", frames="whole", harness="lmms-eval", averaging="micro"),
        replace(ROW, name="c", frames="128", protocol="cot", revision="before 2026-03-23"),
    ]
    shown = choose(spec(rows), "all", [made_run()])
    assert [one.name for one in shown.rows] == [
        "a (tiny, 16 frames, EASI)",
        "b (whole video, lmms-eval)",
        "c (128 frames)",
    ]
    assert shown.marks == [
        "[s] other questions: of tiny; the runs are of full.",
        "[p] asked with another protocol: cot; the runs with direct.",
        "[f] other frames: 16, 128, whole; the runs show 32.",
        "[h] another prompt and parser: EASI, lmms-eval; the runs have the scorers official, careful.",
        "[m] averaged over questions; the table averages over tasks.",
        "[r] on the questions as they were before 2026-03-23; they were corrected since.",
    ]


@pytest.mark.parametrize(
    "changes", [{"model": "baseline/random"}, {"protocol": "blind"}, {"model_settings": {"imported": "lmms-eval"}}]
)
def test_runs_that_show_no_frames_of_their_own_are_not_held_against_frames(
    made_run: MakeRun, changes: dict[str, object]
) -> None:
    shown = choose(spec([replace(ROW, frames="128")]), "all", [made_run(**changes)])
    assert [one.differs for one in shown.rows] == [()]


def test_images_have_no_frames(made_run: MakeRun) -> None:
    shown = choose(benchmarks.get("mmsi-bench"), "all", [made_run(benchmark="mmsi-bench")])
    assert not any("f" in sign for one in shown.rows for sign in one.differs)


def test_the_choices_of_rows(made_run: MakeRun) -> None:
    bench, runs = benchmarks.get("vsi-bench"), [made_run()]
    assert choose(bench, "none", runs).rows == []
    assert {one.row.group for one in choose(bench, "baselines", runs).rows} == {"chance", "human"}
    assert len(choose(bench, "all", runs).rows) == len(bench.published_rows)
    newest = choose(bench, "newest", runs)
    models = [one.row for one in newest.rows if one.row.group == "model"]
    assert len(models) == MOST_NEWEST
    assert min(row.date for row in models) >= "2026"


def test_the_newest_have_figures_of_tasks_where_any_have(made_run: MakeRun) -> None:
    total = replace(ROW, name="newest", date="2026-09")
    whole = replace(ROW, name="new", date="2026-01", values={"average": 1.0, "room_size": 2.0})
    assert [one.name for one in choose(spec([total, whole]), "newest", [made_run()]).rows] == ["new"]
    assert [one.name for one in choose(spec([total]), "newest", [made_run()]).rows] == ["newest"]


def test_every_form_has_the_signs_their_lines_and_the_sources(made_run: MakeRun) -> None:
    run = made_run()
    report: Report = build([run], "newest")
    for form in ("markdown", "csv", "json"):
        assert "SpatialStack paper, VSI table excerpt" in render(report, [run], form), form
    rows = json.loads(render(report, [run], "json"))["rows"]
    human = next(row for row in rows if row["group"] == "human")
    assert (human["name"], human["date"], human["differs"]) == ("Human Level (tiny subset)", "2024", ["s"])
    assert r"Human Level (tiny subset) \[s\]" in render(report, [run], "markdown")
    assert "[s] other questions: of tiny; the runs are of full." in report.marks
