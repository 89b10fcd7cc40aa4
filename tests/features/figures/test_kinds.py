"""The data of each kind of figure, against the folders of the runs that it is of."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tolman
from charted import answered, make_run, questions
from tolman.errors import UsageError
from tolman.features.config import make
from tolman.features.events import silent
from tolman.features.figures import FIGURES, FORMS
from tolman.features.figures.compute import draw_figure
from tolman.reports.charts.bar_forms import _heat_lines
from tolman.reports.charts.chart import SCHEMA, Chart
from tolman.responses import Failure, FailureKind

EXTRACT = Path(__file__).parents[2] / "extracts" / "vsi_bench_extract.jsonl"

full = pytest.mark.full


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run that is right but for five answers, one that is wrong more often, fails and can't be read, a blind one, and
    two of other numbers of frames."""
    place = tmp_path_factory.mktemp("runs")
    items = questions()
    good = {"c0": "9", "d1": "6.0", "r0": "B", "r3": "B", "p2": "A"}
    bad = {item.id: "A" if item.options else "4" for item in items if int(item.id[1:]) % 2}
    outcomes = answered(items, **bad, c2="no idea", c4="no idea", r2="none of these")
    outcomes[-1] = Failure(id=items[-1].id, kind=FailureKind.NETWORK, message="gone")
    made = {
        "good": make_run(place / "good", answered(items, **good)),
        "bad": make_run(place / "bad", outcomes),
        "blind": make_run(place / "blind", answered(items, **bad), {"model": "my/good", "protocol": "blind"}),
    }
    for count, wrong in ((4, bad), (64, good)):
        frames = {"model": "my/good", "frames": {"count": count}}
        made[f"f{count}"] = make_run(place / f"f{count}", answered(items, **wrong), frames)
    return made


def chart(kind: str, paths: Sequence[Path], **settings: Any) -> Chart:
    found = FIGURES.get(kind)
    made = found.make(make(found.config, {"runs": tuple(paths), **settings}), silent)
    assert set(made.data.columns) == set(SCHEMA)
    filled = {name for name in made.data.columns if made.data[name].null_count() < len(made.data)}
    assert filled <= set(found.columns)
    return made


def cells(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((path / "scores.json").read_text())
    return content["rule_sets"]["official"]["cells"]


def test_every_kind_is_drawn_by_a_form_that_exists() -> None:
    assert {FIGURES.get(name).form for name in FIGURES.names()} <= set(FORMS.names())


@full
@pytest.mark.parametrize("kind", ["bars", "dots"])
def test_bars_and_dots_are_the_figures_of_the_folders(runs: dict[str, Path], kind: str) -> None:
    made = chart(kind, [runs["good"], runs["bad"]])
    part = "48 of 5,130"
    stored = {f"my/good [{part}]": cells(runs["good"]), f"my/bad † [incomplete; {part}]": cells(runs["bad"])}
    rows = made.data.filter(pl.col("role") == "run")
    titles = {"Obj. Count": "object_count", "Avg.": "average", "Rel. Dir.": "rel_direction"}
    for series, own in stored.items():
        for title, key in titles.items():
            (row,) = rows.filter((pl.col("series") == series) & (pl.col("label") == title)).iter_rows(named=True)
            assert row["value"] == own[key]["value"]
            assert row["n"] == own[key]["n"]
            assert row["low"] == (own[key]["interval"] or {}).get("low")
    assert made.data.filter(pl.col("role") == "human")["value"].max() == 95.8
    assert any("INCOMPLETE" in note and "1 failed" in note for note in made.notes)
    assert any("could not be read" in note for note in made.notes)


@full
def test_a_figure_by_a_label_is_of_its_questions_alone(runs: dict[str, Path]) -> None:
    made = chart("dots", [runs["good"]], by=("dataset",), columns=("object_count",))
    found = dict(made.data.filter(pl.col("role") == "run").select("label", "value").iter_rows())
    scores = pl.read_parquet(runs["good"] / "scores.parquet").filter(
        (pl.col("rule_set") == "official") & (pl.col("task") == "object_counting")
    )
    of = {item.id: item.labels["dataset"] for item in questions()}
    for name in ("scannet", "arkitscenes"):
        own = [score for key, score in scores.select("id", "score").iter_rows() if of[key] == name]
        assert found[name] == pytest.approx(100 * float(np.mean(own)))


@full
def test_a_radar_leaves_the_headline_out_and_needs_three_axes(runs: dict[str, Path]) -> None:
    assert "Avg." not in chart("radar", [runs["good"]]).values("label")
    with pytest.raises(UsageError, match="needs 3 columns"):
        chart("radar", [runs["good"]], columns=("average", "object_count"))


@full
def test_deltas_are_differences_on_items_that_both_answered(runs: dict[str, Path]) -> None:
    made = chart("deltas", [runs["good"], runs["blind"]], columns=("object_count",))
    (row,) = made.data.iter_rows(named=True)
    direct, blind = cells(runs["good"])["object_count"], cells(runs["blind"])["object_count"]
    assert row["value"] == pytest.approx(direct["value"] - blind["value"])
    assert row["low"] < row["value"] < row["high"]
    assert row["panel"] == "enabled − disabled"


@full
def test_a_curve_stands_at_the_numbers_of_frames(runs: dict[str, Path]) -> None:
    made = chart("curve", [runs["f64"], runs["f4"], runs["bad"]])
    assert sorted(made.data.select("x", "value").iter_rows()) == [
        (4.0, cells(runs["f4"])["average"]["value"]),
        (64.0, cells(runs["f64"])["average"]["value"]),
    ]
    assert made.settings["logarithmic"]
    assert any(note.startswith("Not drawn") and "my/bad" in note for note in made.notes)
    with pytest.raises(UsageError, match="don't differ"):
        chart("curve", [runs["good"], runs["bad"]])


@full
def test_cost_is_the_mean_over_responses(runs: dict[str, Path]) -> None:
    made = chart("cost", [runs["good"], runs["bad"]], per="seconds")
    assert made.data["x"].to_list() == [2.0, 2.0]
    with pytest.raises(UsageError, match="prices"):
        chart("cost", [runs["good"]], per="cost")


@full
def test_predictions_and_positions_say_what_was_not_read(runs: dict[str, Path]) -> None:
    made = chart("predicted", [runs["bad"]], tasks=("object_counting",))
    assert len(made.data) == 10
    assert any("no readable number is in 2 of 12 responses" in note for note in made.notes)
    assert made.series("run") == ["my/bad † [incomplete; 48 of 5,130]"]  # as the legend has it
    assert any(note.startswith("† my/bad") for note in made.notes)
    both = chart("predicted", [runs["bad"]])
    assert both.settings["units"] == {"Abs. Dist.": "m"}
    made = chart("positions", [runs["bad"]])
    assert any("1 answer to a question with options names none" in note for note in made.notes)
    given = made.data.filter((pl.col("role") == "run") & pl.col("panel").str.starts_with("answers"))
    assert sum(given["value"]) == pytest.approx(100)
    with pytest.raises(UsageError, match="object_countin"):
        chart("predicted", [runs["bad"]], tasks=("object_countin",))


def test_axes_of_predicted_numbers_have_the_unit_of_their_question_type(runs: dict[str, Path], tmp_path: Path) -> None:
    made = chart("predicted", [runs["bad"]])
    assert made.settings["units"] == {"Abs. Dist.": "m"}
    tolman.figure("predicted", runs["bad"], out=tmp_path / "f.svg")
    texts = set(re.findall(r">([^<>]+)</text>", (tmp_path / "f.svg").read_text(encoding="utf-8")))
    assert {"true, m", "read, m", "true", "read"} <= texts
    assert "my/bad † [incomplete; 48 of 5,130]" in texts


def test_data_is_the_input_as_in_other_commands_and_csv_the_output(tmp_path: Path) -> None:
    kind = FIGURES.get("benchmark")
    config = make(kind.config, {"benchmark": "vsi-bench", "data": EXTRACT, "out": tmp_path / "f.svg", "csv": "f"})
    with pytest.raises(UsageError, match=r"f is no \.csv"):
        draw_figure(kind, config)
    drawn = draw_figure(kind, replace(config, csv=tmp_path / "f.csv"))
    assert drawn.chart.data.height
    assert EXTRACT.read_bytes() != (tmp_path / "f.csv").read_bytes() != b""


@full
def test_directions_are_of_question_types_whose_options_recur(runs: dict[str, Path]) -> None:
    made = chart("directions", [runs["good"]])
    assert made.values("panel") == ["object_rel_direction_medium"]
    found = {(row["series"], row["label"]): row["value"] for row in made.data.iter_rows(named=True)}
    assert found["left", "right"] == 50.0  # r0 and r3 of the four whose answer is left
    assert found["back", "back"] == 100.0


@full
def test_directions_have_a_line_for_each_run_and_a_column_for_each_difficulty(tmp_path: Path) -> None:
    items = questions()
    easy = [
        item.model_copy(update={"id": f"e{item.id}", "task": "object_rel_direction_easy", "options": ("left", "right")})
        for item in items
        if item.task == "object_rel_direction_medium" and item.answer != "C"
    ]
    paths = [make_run(tmp_path / name, answered([*items, *easy]), items=[*items, *easy]) for name in ("one", "two")]
    made = chart("directions", paths)
    assert [panel.partition(" · ") for panel in made.values("panel")] == [
        (f"object_rel_direction_{level}", " · ", f"my/{run} [56 of 5,130]")
        for run in ("one", "two")
        for level in ("easy", "medium")
    ]
    assert made.settings["across"] == 2
    assert [len(line) for line in _heat_lines(made)] == [2, 2]


@full
def test_scatter_has_a_point_for_each_model_with_both_figures(runs: dict[str, Path], tmp_path: Path) -> None:
    table = tmp_path / "other.csv"
    table.write_text("model,Habitat\nmy/good,40\nmy/bad,20\nmy/none,7\n")
    made = chart("scatter", [runs["good"], runs["bad"]], table=table)
    points = {row["label"]: (row["x"], row["value"]) for row in made.data.iter_rows(named=True)}
    assert points == {
        "my/good": (40.0, cells(runs["good"])["average"]["value"]),
        "my/bad": (20.0, cells(runs["bad"])["average"]["value"]),
    }
    assert "r = 1.00" in made.settings["said"]["Habitat"]


@full
def test_errors_are_shares_of_labels(runs: dict[str, Path], tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("id,model,annotator,categories\nc0,my/good,ann,relational\nd1,my/good,ann,perception\n")
    made = chart("errors", [runs["good"]], labels=labels, taxonomy="vsi", among_errors=True)
    assert sum(made.data["value"]) == pytest.approx(100)
    assert sorted(made.data.filter(pl.col("value") > 0)["value"]) == [50.0, 50.0]


@full
def test_questions_are_counted_by_label(runs: dict[str, Path]) -> None:
    found = FIGURES.get("benchmark")
    made = found.make(make(found.config, {"benchmark": str(runs["good"]), "by": ("task",)}), silent)
    assert set(made.data["value"]) == {12.0}
    found = FIGURES.get("cross")
    made = found.make(make(found.config, {"benchmark": str(runs["good"]), "by": ("task", "dataset")}), silent)
    assert made.data["value"].sum() == 48
