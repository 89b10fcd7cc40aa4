"""Inputs of analyses: comparable runs, questions, and the scores of a baseline that knows every answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tolman import models
from tolman.benchmarks.benchmark_folder import FILE
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import TolmanError, UsageError, counted
from tolman.item_table import data_hash
from tolman.items import Item
from tolman.messages import Sampling
from tolman.models.model import HasExpectation, KnowsTheTruth, Model, ModelOptions, Request
from tolman.registry import later
from tolman.reports.loaded_runs import LoadedRun, load_runs, one_benchmark, one_rule_set, scores_under
from tolman.responses import Response
from tolman.runs.run_folder import RunFolder, RunRecord
from tolman.runs.run_items import load
from tolman.runtime import run_blocking
from tolman.scoring.rule_sets import RuleSet
from tolman.scoring.score_items import expected_scores, score

_read_pool = later("tolman.curate.candidates:read_pool")


@dataclass(frozen=True)
class ScoredRuns:
    """Runs of one benchmark under one scorer.

    Attributes:
        runs: their folders, settings and figures.
        benchmark: whose items they asked.
        scorer: its name.
    """

    runs: list[LoadedRun]
    benchmark: BenchmarkSpec
    scorer: str

    @property
    def model_names(self) -> list[str]:
        """The names of the runs, where each counts as a model.

        Raises:
            UsageError: two runs are of one model with the same settings.
        """
        names = [run.settings_name for run in self.runs]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise UsageError(f"two runs are of {twice}; each counts as a model of its own, so give one of them.")
        return names

    def rows(self, run: LoadedRun) -> pl.DataFrame:
        """A row for each item and sample of one run: the columns of `tolman.scoring.score_items.SCHEMA`, among them id,
        task, cluster (its scene), options (how many), status and score (0 … 1; null where it wasn't scored)."""
        return scores_under(run, self.scorer)

    def table(self) -> pl.DataFrame:
        """The rows of all runs, with the run's name in the column `run`; each run has a name of its own."""
        return pl.concat([self.rows(run).select(pl.lit(run.name).alias("run"), pl.all()) for run in self.runs])


def scored_runs(paths: Sequence[Path], scorer: str | None = None) -> ScoredRuns:
    """Open the runs of an analysis.

    Args:
        paths: of run folders.
        scorer: the scorer's name; the first run's headline's where None.

    Raises:
        InputError: one of them is no run, or has no scores.
        UsageError: they are of different benchmarks or data, don't share the scorer, or one is named twice.
    """
    places = [path.resolve() for path in paths]
    for path, place in zip(paths, places, strict=True):
        if places.count(place) > 1:
            raise UsageError(f"the run {path} is named twice, and would count twice; name each run once.")
    runs = load_runs(paths)
    return ScoredRuns(runs, one_benchmark(runs), one_rule_set(runs, scorer))


def load_questions(
    source: str, data: Path | None, subset: str | None, kept: Callable[[Item], Item] | None = None
) -> tuple[str, list[Item], str]:
    """The items of a run folder, of a benchmark, or of a stage of a curation.

    Args:
        source: a run's folder, a benchmark's name, a folder that is one, or a stage's folder.
        data: folder of the benchmark's released data; the hub where None.
        subset: a part of it that has a name.
        kept: the part of each item to keep, of many never all in memory at once; all of it where None.

    Returns:
        The benchmark's name, the items, and a label for headings.

    Raises:
        UsageError, InputError: there is no such thing.
    """
    folder = RunFolder(Path(source))
    if (folder.path / "run.json").exists():
        settings = folder.record().settings
        items = folder.items() if kept is None else [*map(kept, folder.open_items())]
        return settings.benchmark, items, f"{settings.benchmark} {settings.subset} ({source})"
    if not (folder.path / FILE).exists() and any(folder.path.glob("items-*.parquet")):
        items = [one.item() if kept is None else kept(one.item()) for one in _read_pool(folder.path)]
        return source, items, source
    loaded = load(source, data, subset, held=kept is None)
    items = list(loaded.items) if kept is None else [*map(kept, loaded.items)]
    return source, items, f"{loaded.benchmark.title} {loaded.subset}"


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
        UsageError: no run asked all, and the data isn't available or has changed.
    """
    largest = max(runs, key=lambda run: run.record.subset_items).record
    alike = [run for run in runs if run.record.settings.data_hash == largest.settings.data_hash]
    for run in alike:
        items = run.folder.items()
        if data_hash(items) == largest.settings.data_hash or _asked_all(run.record, len(items)):
            return items
    held = max(len(run.folder.items()) for run in alike)
    say = (
        f"chance is that of the whole benchmark, of which these runs hold {held:,} of "
        f"{counted(largest.subset_items, 'question')}; give its folder with --data, or --chance none"
    )
    try:
        items = list(_read(largest, data))
    except TolmanError as error:
        raise UsageError(f"{say}: {error}") from None
    if data_hash(items) != largest.settings.data_hash:
        raise UsageError(f"{say}: {data or largest.data} holds other questions than the runs were made on.")
    return items


def _asked_all(record: RunRecord, items: int) -> bool:
    """Check whether a run's items are the whole subset, also where an earlier version hashed them differently."""
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
