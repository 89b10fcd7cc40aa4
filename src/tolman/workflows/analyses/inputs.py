"""Inputs of analyses: runs that can be held against each other, and questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tolman.benchmarks.base import BenchmarkSpec
from tolman.errors import UsageError
from tolman.items import Item
from tolman.reports.alike import one_benchmark, one_rule_set, scores_under
from tolman.reports.loaded import LoadedRun, load_runs
from tolman.runs.folder import RunFolder
from tolman.runs.load import load


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

    def rows(self, run: LoadedRun) -> pl.DataFrame:
        """A row for each item and sample of one run: the columns of `tolman.scoring.score_frame.SCHEMA`, among them id,
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
    """The items of a run folder, or of a benchmark.

    Args:
        source: a run's folder, a benchmark's name, or a folder that is one.
        data: folder of the benchmark's released data; the hub where None.
        subset: a part of it that has a name.
        kept: what is kept of each item, of many never all in memory at once; all of it where None.

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
    loaded = load(source, data, subset, held=kept is None)
    items = list(loaded.items) if kept is None else [*map(kept, loaded.items)]
    return source, items, f"{loaded.benchmark.title} {loaded.subset}"
