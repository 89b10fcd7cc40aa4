"""The baselines on all the real questions, with the figures that identify them."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import tolman
from tolman import benchmarks, models
from tolman.cli import app
from tolman.errors import UsageError
from tolman.item_table import write_items
from tolman.items import Item
from tolman.messages import Sampling
from tolman.models.model import HasExpectation, KnowsTheTruth, ModelOptions, Request
from tolman.responses import Response
from tolman.runs.run_folder import RunFolder
from tolman.scoring.aggregate import cells
from tolman.scoring.answer_values import mra_vsi_bench
from tolman.scoring.score_items import expected_scores, score

BENCHMARK = benchmarks.get("vsi-bench")


@pytest.fixture(scope="module")
def items(released: Callable[[str, str], list[Item]]) -> list[Item]:
    return released("vsi-bench", "full")


def answers(name: str, items: list[Item], seed: int = 0) -> list[Response]:
    model = models.create(f"baseline/{name}", ModelOptions(seed=seed))
    assert isinstance(model, KnowsTheTruth)
    model.prepare(BENCHMARK, items)

    async def ask() -> list[Response]:
        return [await model.answer(Request(item, (), Sampling())) for item in items]

    return asyncio.run(ask())


def figures(name: str, items: list[Item]) -> list[float]:
    rows = score(items, answers(name, items), [BENCHMARK.rule_set("official")])
    return [cell.value or 0 for cell in cells(rows, BENCHMARK.table).values()]


def test_best_constant(items: list[Item]) -> None:
    found = figures("best-constant", items)
    assert [round(f, 1) for f in found[:8]] == [61.8, 31.6, 29.8, 33.1, 25.1, 36.3, 29.4, 25.2]
    assert round(found[8], 2) == 34.05


def test_the_best_constant_is_of_the_questions_that_need_no_judge(tmp_path: Path) -> None:
    said = ["yes", "no", "yes", "2", "2", "on the desk", "yes, a red one", "behind me"]
    items = [Item(id=str(i), question="?", kind="text", answer=a, task="t") for i, a in enumerate(said)]
    model = models.create("baseline/best-constant", ModelOptions(seed=0))
    assert isinstance(model, KnowsTheTruth)
    model.prepare(benchmarks.get("openeqa"), items)
    response = asyncio.run(model.answer(Request(items[0], (), Sampling())))
    # "2" is right about both questions that it can be scored on, "yes" about two of three.
    assert response.response == "2"


def test_a_benchmark_of_mixed_families_has_no_official_rules_and_every_baseline(
    tmp_path: Path, choice: Callable[..., Item], number: Callable[..., Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "benchmark.json").write_text('{"title": "Mixed"}', encoding="utf-8")
    mixed = [choice(id=f"c{i}", answer="AAB"[i]) for i in range(3)] + [number(str(2 + i), id=str(i)) for i in range(3)]
    write_items(tmp_path / "items.parquet", mixed)
    monkeypatch.chdir(tmp_path)
    for name in ("random", "most-frequent", "best-constant", "most-frequent-text"):
        ran = CliRunner().invoke(app, ["run", ".", "--model", f"baseline/{name}", "--protocol", "blind", "--out", name])
        assert ran.exit_code == 0, (ran.output, ran.exception)
    outcomes = RunFolder(tmp_path / "best-constant").outcomes()
    found = [outcome.response for outcome in outcomes if isinstance(outcome, Response)]
    assert found == ["A", "A", "A", "3", "3", "3"]  # 3 for 2, 3 and 4 is worth most by mean relative accuracy


def test_numbers_are_drawn_from_numbers_where_a_question_type_has_both_kinds(
    choice: Callable[..., Item], number: Callable[..., Item]
) -> None:
    items = [choice(id="c", task="both"), number("7", id="n", task="both")]
    assert [answer.response for answer in answers("random", items)][1] == "7"


def test_most_frequent(items: list[Item]) -> None:
    found = figures("most-frequent", items)
    assert [round(f, 1) for f in found[:8]] == [61.8, 24.2, 28.9, 30.5, 25.1, 36.3, 29.4, 25.2]


def test_most_frequent_text_is_the_papers_chance_level_on_relative_direction(items: list[Item]) -> None:
    assert round(figures("most-frequent-text", items)[5], 1) == 47.9


def test_random_is_seeded_and_its_expectation_is_the_mean_of_many_draws(items: list[Item]) -> None:
    few = items[::40]
    assert answers("random", few) == answers("random", few)
    assert answers("random", few) != answers("random", few, seed=1)
    model = models.create("baseline/random", ModelOptions())
    assert isinstance(model, KnowsTheTruth)
    assert isinstance(model, HasExpectation)
    model.prepare(BENCHMARK, few)
    official = [BENCHMARK.rule_set("official")]
    expected = expected_scores(few, {i.id: model.distribution(i) for i in few}, official)["score"].mean()
    drawn = [score(few, answers("random", few, seed=s), official)["score"].mean() for s in range(60)]
    spread = pl.Series(drawn).std() / 60**0.5
    assert pl.Series(drawn).mean() == pytest.approx(expected, abs=4 * spread)


def test_the_most_frequent_letter_stands_in_where_no_text_is_right_twice(choice: Callable[..., Item]) -> None:
    items = [choice(f"{i}a", f"{i}b", answer=a, id=str(i)) for i, a in enumerate("BBA")]
    model = models.create("baseline/most-frequent-text", ModelOptions())
    assert isinstance(model, KnowsTheTruth)
    model.prepare(BENCHMARK, items)
    found = [asyncio.run(model.answer(Request(item, (), Sampling()))).response for item in items]
    assert found == ["B", "B", "B"]


def test_what_is_right_in_the_same_scene_gives_nothing_away(choice: Callable[..., Item]) -> None:
    items = [choice("desk, bed", "bed, desk", answer="B", id=str(i), scene="one") for i in range(3)]
    items += [choice("lamp", "bed, desk", answer="A", id=str(i), scene=f"s{i}") for i in range(3, 6)]
    model = models.create("baseline/most-frequent-text", ModelOptions())
    assert isinstance(model, KnowsTheTruth)
    model.prepare(BENCHMARK, items)
    found = [asyncio.run(model.answer(Request(item, (), Sampling()))).response for item in items]
    assert found == ["A", "A", "A", "B", "B", "B"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("baseline/smart", "there is no baseline 'smart'; known: random, oracle, most-frequent"),
        ("baseline", "names a family but no model; write baseline/NAME, NAME being random, oracle,"),
        ("baseline/", "write baseline/NAME, NAME being random, oracle,"),
        ("gpt/4", "there is no model family 'gpt'; known: anthropic, baseline"),
    ],
)
def test_an_unknown_model_lists_the_known_ones(name: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        models.create(name, ModelOptions())


def test_the_printed_frequency_row_is_of_other_questions_than_the_released_ones(items: list[Item]) -> None:
    """What docs/baselines.md says of it."""
    truths = {
        task: [i.float_answer for i in items if i.task == task]
        for task in ("object_counting", "object_size_estimation", "object_abs_distance")
    }

    def best(task: str, constants: Iterable[float]) -> list[float]:
        own = truths[task]
        return sorted(round(100 * sum(mra_vsi_bench(c, truth) for truth in own) / len(own), 2) for c in constants)

    # The score of a constant changes only where its relative error from some true value is one of the limits.
    changes = {
        t * (1 + sign * k / 20) for t in set(truths["object_counting"]) for k in range(1, 11) for sign in (1, -1)
    }
    near = {c + off for c in changes | {2.0} if 1.5 < c < 3 for off in (-1e-6, 0, 1e-6)}
    counts = best("object_counting", near)
    assert [score for score in counts if score > 61.84] == [63.68]
    assert best("object_abs_distance", [1.87, 1.9]) == [31.56, 32.03]
    assert best("object_size_estimation", [91.25, 93]) == [29.80, 29.85]
    letters = Counter(item.answer for item in items if item.task == "route_planning")
    assert letters == {"A": 57, "B": 56, "C": 53, "D": 28}
    released = {int(item.id) for item in items}
    missing = [n for n in range(max(released)) if n not in released]
    route = {int(item.id) for item in items if item.task == "route_planning"}
    assert len(missing) == 26
    assert [n for n in missing if min(route) < n < max(route)] == [5108, 5126, 5146]
    printed = next(row for row in BENCHMARK.published_rows if "Frequency" in row.name).values
    assert printed["route_plan"] == round(100 * 56 / 197, 1)
    assert printed["object_count"] == round(100 * (0.6184 * 565 + 4 + mra_vsi_bench(2, 3)) / 570, 1)


def test_what_a_run_counted_is_written_for_models_that_cost_nothing_too(
    tmp_path: Path, choice: Callable[..., Item]
) -> None:
    tolman.evaluate([choice(id="a"), choice(id="b")], "baseline/random", protocol="blind", out=tmp_path / "run")
    usage = json.loads((tmp_path / "run" / "usage.json").read_text(encoding="utf-8"))
    assert (usage["called"], usage["input_tokens"]) == (2, 0)
