"""The baselines on all the real questions, with the figures that identify them."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from tolman import benchmarks, models
from tolman.errors import UsageError
from tolman.items import Item
from tolman.messages import Sampling
from tolman.models.base import HasExpectation, KnowsTheTruth, ModelOptions, Request
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.score import expected_scores, score

BENCHMARK = benchmarks.get("vsi-bench")


@pytest.fixture(scope="module")
def items(shared_data: Path) -> list[Item]:
    return BENCHMARK.load(shared_data / "vsi-bench", "full")


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
        ("baseline", "names a family but no model; write baseline/NAME"),
        ("gpt/4", "there is no model family 'gpt'; known: anthropic, baseline"),
    ],
)
def test_an_unknown_model_lists_the_known_ones(name: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        models.create(name, ModelOptions())
