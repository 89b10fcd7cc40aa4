"""Chance: what a baseline scores, item by item, on a run's own questions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import polars as pl

from tolman import models
from tolman.benchmarks.base import Benchmark
from tolman.items import Item
from tolman.messages import Sampling
from tolman.models.base import HasExpectation, KnowsTheTruth, Model, ModelOptions, Request
from tolman.responses import Response
from tolman.scoring.rules import RuleSet
from tolman.scoring.score import expected_scores, score


def chance_scores(name: str, benchmark: Benchmark, items: Sequence[Item], rules: RuleSet) -> pl.DataFrame:
    """Rows of scores of `baseline/NAME`; expectations in closed form for a random one.

    Raises:
        UsageError: there is no such baseline.
    """
    model = models.create(f"baseline/{name}", ModelOptions())
    if isinstance(model, KnowsTheTruth):
        model.prepare(benchmark, items)
    if isinstance(model, HasExpectation):
        return expected_scores(items, {item.id: model.distribution(item) for item in items}, [rules])
    return score(items, asyncio.run(_answers(model, items)), [rules])


async def _answers(model: Model, items: Sequence[Item]) -> list[Response]:
    return [await model.answer(Request(item, (), Sampling())) for item in items]
