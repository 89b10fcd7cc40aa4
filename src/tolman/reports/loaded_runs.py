"""Runs with scores as reports read them from their folders, and the checks that they can be compared.

Comparable runs are of one benchmark, on the same data, under one rule set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tolman import benchmarks
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import InputError, UsageError, counted
from tolman.extras import pl
from tolman.responses import Response
from tolman.runs.run_folder import RunFolder, RunRecord, RunSettings, same_benchmark
from tolman.scoring.further_figures import WITHHELD


@dataclass(frozen=True)
class LoadedRun:
    """A run folder's settings and figures.

    Attributes:
        folder, record, figures: the folder and its content.
        apart: the settings that distinguish it from others of the same model and protocol in one table.
        place: the end of its folder's path that distinguishes it from others of the same settings.
    """

    folder: RunFolder
    record: RunRecord
    figures: dict[str, Any]
    apart: str = ""
    place: str = ""

    @property
    def name(self) -> str:
        """How the run is called in a table: of those that were loaded together, each folder has its own."""
        return self.record.settings.named(self.apart, self.place and f"in {self.place}")

    @property
    def settings_name(self) -> str:
        """The name without its folder: equal for runs of the same settings."""
        return self.record.settings.named(self.apart)


def load_runs(paths: Sequence[Path]) -> list[LoadedRun]:
    """Open run folders; runs of one model and protocol are distinguished by their settings, else by their folders.

    Raises:
        InputError: one of them is none, or has no scores.
    """
    folders = [RunFolder(path) for path in _without_pages(paths)]
    runs = [LoadedRun(folder, folder.record(), folder.figures()) for folder in folders]
    runs = [replace(run, apart=_apart(run, [other for other in runs if other.name == run.name])) for run in runs]
    folders_of: dict[str, set[Path]] = {}
    for run in runs:
        folders_of.setdefault(run.settings_name, set()).add(run.folder.path.resolve())
    ends = {name: _ends(places) for name, places in folders_of.items()}
    return [replace(run, place=ends[run.settings_name][run.folder.path.resolve()]) for run in runs]


def refuse_adaptive(runs: Sequence[LoadedRun]) -> None:
    """Refuse runs that chose their items: means of the asked items aren't those of all, and runs share only some.

    Raises:
        UsageError: one did.
    """
    for run in runs:
        if "adaptive" in run.figures:
            raise UsageError(
                f"{run.folder.path} asked items that it chose for its model, so it can't be compared item by item; "
                "'tolman report' has its estimates."
            )


def load_scored(paths: Sequence[Path]) -> tuple[list[LoadedRun], list[str]]:
    """Open those of some paths that are runs with scores, as `load_runs` does.

    Returns:
        The runs, and a sentence for each path that is none.

    Raises:
        InputError: none of them is; naming the first one's mistake.
        UsageError: there are no paths.
    """
    scored, problems = [], []
    for path in _without_pages(paths):
        folder = RunFolder(path)
        try:
            folder.record()
            folder.figures()
        except InputError as error:
            problems.append(error)
        else:
            scored.append(path)
    if not scored:
        raise problems[0] if problems else UsageError("no run is named; give the folder of one or more.")
    return load_runs(scored), [str(error) for error in problems]


def _without_pages(paths: Sequence[Path]) -> Sequence[Path]:
    """Return paths without the pages and settings that commands write next to runs, which RUNS/* names too."""
    kept = [path for path in paths if path.suffix not in (".html", ".toml") or not path.is_file()]
    return kept or paths


def protocol_settings(settings: RunSettings) -> str:
    """The settings of a run's protocol on one line."""
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.protocol_settings.items())


def _ends(places: Collection[Path]) -> dict[Path, str]:
    """Return the shortest distinct ends of distinct paths; empty where there is one."""
    if len(places) == 1:
        return dict.fromkeys(places, "")
    depth = 1
    while len({place.parts[-depth:] for place in places}) < len(places):
        depth += 1
    return {place: "/".join(place.parts[-depth:]) for place in places}


def _sampling(settings: RunSettings) -> dict[str, Any]:
    """How a run drew its answers, but for its reasoning."""
    return settings.sampling.model_dump(exclude_none=True, exclude={"thinking"})


def _thinking(settings: RunSettings) -> str:
    """Return how a run's model was set to reason."""
    asked = settings.sampling.thinking
    return "reasoning as it does by itself" if asked is None else asked.describe()


def _apart(run: LoadedRun, namesakes: Sequence[LoadedRun]) -> str:
    """The settings in which a run differs from others of its name."""
    settings = run.record.settings
    others = [other.record.settings for other in namesakes]
    different = (say(settings) for value, say in _SAID if any(value(other) != value(settings) for other in others))
    return ", ".join(text for text in different if text)


_SAID: tuple[tuple[Callable[[RunSettings], Any], Callable[[RunSettings], str]], ...] = (
    (lambda s: s.model_settings.get("label"), lambda s: s.model_settings.get("label") or ""),
    (lambda s: s.protocol, lambda s: s.protocol),
    (lambda s: s.frames, lambda s: s.frames.describe()),
    (lambda s: s.preset, lambda s: f"preset {s.preset}"),
    (lambda s: s.protocol_settings, protocol_settings),
    (_sampling, lambda s: ", ".join(f"{name} {value}" for name, value in _sampling(s).items())),
    (_thinking, _thinking),
    (lambda s: s.seed, lambda s: f"seed {s.seed}"),
    (lambda s: s.repeats, lambda s: counted(s.repeats, "sample")),
    (lambda s: s.selection, lambda s: s.selection.describe() or "all questions"),
)
"""Settings in which runs of one name may differ, and how each is said."""


def one_benchmark(runs: Sequence[LoadedRun]) -> BenchmarkSpec:
    """The benchmark of all runs.

    Raises:
        UsageError: they are of different benchmarks or data.
    """
    first = runs[0].record.settings
    for run in runs[1:]:
        other = run.record.settings
        if not same_benchmark(first.benchmark, other.benchmark):
            raise UsageError(f"the runs are of different benchmarks: {first.benchmark} and {other.benchmark}.")
        if first.subset == other.subset and first.data_hash != other.data_hash:
            raise UsageError(f"the runs were made on different data ({first.data_hash} and {other.data_hash}).")
    return benchmarks.get(first.benchmark)


def one_rule_set(runs: Sequence[LoadedRun], rules: str | None) -> str:
    """The rule set asked for, or the first run's headline's; one whose headline only a judge can score is passed over.

    Raises:
        UsageError: not all runs have it.
    """
    known = [name for name in runs[0].figures["rule_sets"] if all(name in run.figures["rule_sets"] for run in runs)]
    printed = [name for name in known if not any(is_without_headline(run, name) for run in runs)]
    chosen = rules or next(iter([*printed, *known]), "")
    if chosen not in known:
        raise UsageError(f"the runs don't share the rule set '{chosen}'; shared: {', '.join(known) or 'none'}.")
    return chosen


def is_without_headline(run: LoadedRun, rules: str) -> bool:
    """Check whether a rule set prints no headline of a run, as only a judge could score it."""
    lacking = withheld(run, rules)
    return bool(lacking) and benchmarks.get(run.record.settings.benchmark).table.headline in lacking


def withheld(run: LoadedRun, rules: str) -> set[str]:
    """Keys of the figures that a rule set doesn't print of a run, as only a judge could score them."""
    cells = run.figures["rule_sets"][rules]["cells"]
    return {key for key, cell in cells.items() if cell.get("reason") == WITHHELD}


def quoted(run: LoadedRun) -> str:
    """The rule set whose row is the one to quote: the first that prints a headline."""
    names: list[str] = list(run.figures["rule_sets"])
    return next((name for name in names if not is_without_headline(run, name)), names[0])


def scores_under(run: LoadedRun, rules: str) -> pl.DataFrame:
    """A run's rows under one rule set."""
    return run.folder.scores().filter(pl.col("rule_set") == rules)


def timed_answers(name: str, run: LoadedRun, rows: pl.DataFrame) -> pl.DataFrame:
    """A row for each answer of a person: person, id, task, score, seconds."""
    times = {
        (outcome.id, outcome.repeat): outcome.seconds
        for outcome in run.folder.outcomes()
        if isinstance(outcome, Response)
    }
    answered = rows.filter(pl.col("score").is_not_null())
    seconds = [times.get(key) for key in answered.select("id", "repeat").iter_rows()]
    return answered.select(pl.lit(name).alias("person"), "id", "task", "score").with_columns(
        pl.Series("seconds", seconds, dtype=pl.Float64)
    )


def worst_answer(run: LoadedRun) -> str | None:
    """The id of the item with the lowest score of those that were read and aren't right; the first of several."""
    with run.folder.reading_scores():
        wrong = (
            run.folder.scan_scores()
            .filter((pl.col("rule_set") == quoted(run)) & (pl.col("state") == "read") & (pl.col("score") < 1))
            .filter(pl.col("score") == pl.col("score").min())
            .select("id")
            .head(1)
            .collect()
        )
    return None if wrong.is_empty() else str(wrong.item())
