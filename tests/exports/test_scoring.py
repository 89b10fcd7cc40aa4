"""Rows of scores made one by one give the figures of a run, whatever the benchmark's table and groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from exports.materials import REPLIES, items, write_benchmark
from tolman.exports.harness_scoring import ExportedBenchmark
from tolman.responses import Response
from tolman.runs.rescore import score_outcomes
from tolman.runs.run_items import load


def test_groups_count_as_one_question(tmp_path: Path) -> None:
    found = [one.model_copy(update={"all_of": "pair" if one.id in ("q0", "q2") else None}) for one in items()]
    folder = write_benchmark(tmp_path / "tiny", found)
    exported = ExportedBenchmark.open(folder)
    rows = [exported.row(exported.items[key], text) for key, text in REPLIES.items()]
    loaded = load(f"{folder}/", None, None)
    outcomes = [Response(id=key, response=text) for key, text in REPLIES.items()]
    _, figures = score_outcomes(
        loaded, [*outcomes], benchmark=f"{folder}/", model="scripted", model_settings={}, out=tmp_path / "run"
    )  # fmt: skip
    wanted = {key: cell["value"] for key, cell in figures["rule_sets"]["official"]["cells"].items()}
    assert exported.figures(rows) == wanted
    assert wanted["rel_distance"] == 50.0  # q0 by itself is right, and its pair isn't


def test_a_table_with_a_metric_of_its_own(tmp_path: Path) -> None:
    folder = write_benchmark(tmp_path / "tiny", profile="spatialbench")
    exported = ExportedBenchmark.open(folder)
    assert exported.rules.name == "official"
    for item in exported.items.values():
        row = exported.row(item, "A")
        assert row["status"] in ("scored", "left out")
        assert all(value is None or isinstance(value, str | int | float) for value in row.values())


@pytest.mark.parametrize(
    ("text", "status"),
    [("<think>Left?</think>A", "scored"), ("<think>Left? Or", "failed"), ("A", "scored")],
)
def test_reasoning_inside_a_text_is_set_apart(tmp_path: Path, text: str, status: str) -> None:
    exported = ExportedBenchmark.open(write_benchmark(tmp_path / "tiny"))
    row = exported.row(exported.items["q0"], text)
    assert row["status"] == status
    assert row["score"] == (1.0 if status == "scored" else None)
