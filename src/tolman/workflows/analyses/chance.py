"""Chance: what a baseline that knows the whole benchmark scores, item by item."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tolman import models
from tolman.benchmarks.base import BenchmarkSpec
from tolman.errors import TolmanError, UsageError
from tolman.item_table import data_hash
from tolman.items import Item
from tolman.messages import Sampling
from tolman.models.base import HasExpectation, KnowsTheTruth, Model, ModelOptions, Request
from tolman.reports.loaded import LoadedRun
from tolman.responses import Response
from tolman.runs.folder import RunRecord
from tolman.runs.load import load
from tolman.runtime import run_blocking
from tolman.scoring.expected import expected_scores
from tolman.scoring.rules import RuleSet
from tolman.scoring.score import score


def chance_scores(name: str, benchmark: BenchmarkSpec, items: Sequence[Item], rules: RuleSet) -> pl.DataFrame:
    """Rows of scores of `baseline/NAME`; expectations in closed form for a random one.

    Args:
        name: of the baseline.
        benchmark: whose items these are.
        items: all of them: a baseline that is built from the few items of a part fits these, and so scores too high.
        rules: the rule set.

    Raises:
        UsageError: there is no such baseline.
    """
    model = models.create(f"baseline/{name}", ModelOptions())
    if isinstance(model, KnowsTheTruth):
        model.prepare(benchmark, items)
    if isinstance(model, HasExpectation):
        answers = {item.id: model.distribution(item) for item in items}
        return expected_scores(items, answers, [rules], benchmark.table.metrics)
    return score(items, run_blocking(_answers(model, items)), [rules], metrics=benchmark.table.metrics)


def whole_benchmark(runs: Sequence[LoadedRun], data: Path | None) -> list[Item]:
    """All items of the largest subset that some runs of one benchmark are of.

    They are those of a run that asked all of them, or else read from where the run's data came from.

    Args:
        runs: one or more.
        data: the benchmark's folder, where it isn't where the run found it.

    Raises:
        UsageError: no run asked all, and the data isn't at hand or has changed.
    """
    largest = max(runs, key=lambda run: run.record.subset_items).record
    alike = [run for run in runs if run.record.settings.data_hash == largest.settings.data_hash]
    for run in alike:
        items = run.folder.items()
        if data_hash(items) == largest.settings.data_hash or _asked_all(run.record, len(items)):
            return items
    held = max(len(run.folder.items()) for run in alike)
    say = (
        f"chance is that of the whole benchmark, of which these runs hold {held:,} of {largest.subset_items:,} "
        "questions; give its folder with --data, or --chance none"
    )
    try:
        items = list(_read(largest, data))
    except TolmanError as error:
        raise UsageError(f"{say}: {error}") from None
    if data_hash(items) != largest.settings.data_hash:
        raise UsageError(f"{say}: {data or largest.data} holds other questions than the runs were made on.")
    return items


def _asked_all(record: RunRecord, items: int) -> bool:
    """Tell whether a run's items are the whole subset, also where an earlier version hashed them differently."""
    settings = record.settings
    return settings.selection.is_all and record.presented_items is None and items == record.subset_items


def _read(record: RunRecord, data: Path | None) -> Sequence[Item]:
    """The subset that a run was made on, from a folder, the run's own folder of data, or the hub."""
    settings = record.settings
    place = data or Path(record.data)
    if data is None and not place.exists() and "@" in record.data:
        return load(settings.benchmark, None, settings.subset, record.data.rpartition("@")[2]).items
    return load(settings.benchmark, place, settings.subset).items


async def _answers(model: Model, items: Sequence[Item]) -> list[Response]:
    return [await model.answer(Request(item, (), Sampling())) for item in items]
