"""Rows that count as one question, as a scorer of a data file says: 3DSRBench's four settings on the same responses."""

import json
from pathlib import Path

import polars as pl
import pytest

from tolman import benchmarks
from tolman.benchmarks.declaring import declared_benchmark
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import InputError
from tolman.items import Item
from tolman.responses import Failure, Outcome, Response
from tolman.scoring.score_items import score

QIDS = ("VIN6MS3J", "VIN6MS3J-1", "VIN6MS3J-flip", "VIN6MS3J-flip-1", "AAAAAAAA", "AAAAAAAA-flip")
SETTINGS = ("official", "official-flip", "official-circular", "official-flip-circular")
RULES = [benchmarks.get("3dsrbench").rule_set(name) for name in SETTINGS]

FILE = """
title = "Mine"
files = ["mine.jsonl"]
[columns]
question = "q"
answer = "a"
[options]
from = "o"
[labels]
twin = { column = "twin", optional = true }
[prompts.plain]
source = "here"
text = "{question}"
[scorers.official]
reader = "easi"
[scorers.twins]
reader = "easi"
groups = { key = { column = "twin", optional = true }, rows = 2 }
"""


def _items() -> list[Item]:
    return [
        Item(id=str(i), question="?", kind="choice", answer="A", options=("x", "y"), task="t", labels={"qid": qid})
        for i, qid in enumerate(QIDS)
    ]


def _figures(outcomes: list[Outcome]) -> dict[str, tuple[int, float]]:
    scored = score(_items(), outcomes, RULES).filter(pl.col("status") == "scored")
    found = scored.group_by("rule_set").agg(pl.len(), pl.col("score").mean())
    return {name: (count, mean) for name, count, mean in found.iter_rows()}


def made(place: Path, text: str, twins: list[str | None]) -> BenchmarkSpec:
    rows = [{"q": "Which?", "a": "A", "o": ["left", "right"], "twin": twin} for twin in twins]
    (place / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (place / "mine.toml").write_text(text)
    return declared_benchmark(str(place / "mine.toml"))


def test_a_group_without_all_of_its_answers_is_in_no_figure() -> None:
    outcomes: list[Outcome] = [Response(id=str(i), response="A") for i in range(5)]
    outcomes.append(Failure(id="5", kind="timeout", message="late"))
    assert {name: count for name, (count, _) in _figures(outcomes).items()} == dict(
        zip(SETTINGS, (5, 2, 3, 1), strict=True)
    )


def test_a_scorer_that_says_nothing_takes_the_items_own_groups() -> None:
    items = [item.model_copy(update={"all_of": "both"}) for item in _items()[:2]]
    outcomes = [Response(id="0", response="A"), Response(id="1", response="B")]
    scored = score(items, outcomes, RULES[:1]).filter(pl.col("status") == "scored")
    assert scored["score"].to_list() == [0.0]


def test_a_row_without_the_value_is_a_question_by_itself(tmp_path: Path) -> None:
    benchmark = made(tmp_path, FILE, ["one", "one", None, None])
    items = benchmark.load(tmp_path, "all")
    said = [Response(id=item.id, response=letter) for item, letter in zip(items, "ABAA", strict=True)]
    scored = score(items, said, benchmark.rule_sets).filter(pl.col("status") == "scored")
    assert scored.filter(rule_set="official")["score"].to_list() == [1, 0, 1, 1]
    assert scored.filter(rule_set="twins")["score"].to_list() == [0, 1, 1]


def test_a_row_that_does_not_fit_the_key_is_told(tmp_path: Path) -> None:
    text = FILE.replace('groups = { key = { column = "twin", optional = true }', 'groups = { key = "twin"')
    with pytest.raises(InputError, match=r"row 2: 'twin' is empty or missing, which the scorer 'twins' groups by"):
        made(tmp_path, text, ["one", "one", None]).load(tmp_path, "all")


def test_a_key_that_names_no_label_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no label 'twim'; did you mean 'twin'"):
        made(tmp_path, FILE.replace('column = "twin", optional = true }, rows', 'column = "twim" }, rows'), ["one"])
