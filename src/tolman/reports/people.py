"""Rows of people together: their average with its interval over questions and over people, and the best of them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import polars as pl

from tolman.analyze.humans import Average, averages
from tolman.benchmarks.base import BenchmarkSpec
from tolman.kinds import kind_of
from tolman.reports.alike import scores_under
from tolman.reports.loaded import LoadedRun
from tolman.reports.rows import Figure, ReportRow
from tolman.responses import Response
from tolman.runs.folder import PEOPLE
from tolman.scoring.aggregate import Cell, cells
from tolman.scoring.coefficients import alpha
from tolman.scoring.intervals import Interval

METHOD = "over people by Student's t and over scenes, added in squares"


def people_rows(runs: Sequence[LoadedRun], benchmark: BenchmarkSpec) -> tuple[list[ReportRow], list[str]]:
    """The average of several people, the best of them, and how far they agree.

    Every person counts once, however many questions they answered. Both shares of the uncertainty are in the interval:
    other people, and other questions; what is of both is counted twice, so it is a little too wide.

    Returns:
        Two rows and sentences; none where fewer than two of the runs are people's.
    """
    people = people_of(runs)
    if len(people) < 2:
        return [], []
    rules = next(iter(next(iter(people.values())).figures["rule_sets"]))
    if any(rules not in run.figures["rule_sets"] for run in people.values()):
        return [], []
    scores = {name: scores_under(run, rules) for name, run in people.items()}
    table = benchmark.table_of(rules)
    _, average = averages(scores, table)
    # Each person's answers are draws of the same question, so a scene's questions are one cluster over all people.
    pooled = cells(
        pl.concat(
            [rows.with_columns(repeat=pl.lit(n, rows.schema["repeat"])) for n, rows in enumerate(scores.values())]
        ),
        table,
    )
    figures = {key: _figure(found, pooled[key]) for key, found in average.items()}
    best = {key: Figure(found.highest, n=figures[key].n) for key, found in average.items()}
    rows = [
        ReportRow(f"people, average of {len(people)}", rules, figures, group="run"),
        ReportRow(f"people, best of {len(people)} (ceiling)", rules, best, group="run"),
    ]
    return rows, _notes(people, scores, len(people))


def people_of(runs: Sequence[LoadedRun]) -> dict[str, LoadedRun]:
    """Those of some runs whose answers are people's, by the models' names."""
    return {run.record.settings.model: run for run in runs if run.record.settings.model.startswith(PEOPLE)}


def people_warnings(people: Sequence[LoadedRun]) -> list[str]:
    """What several people were asked, where it isn't everything, and what they left without an answer."""
    found = []
    parts = [run for run in people if not run.record.settings.selection.is_all]
    if parts:
        counts = sorted(run.figures["items"] for run in parts)
        each = f"{counts[0]:,}" if counts[0] == counts[-1] else f"{counts[0]:,} to {counts[-1]:,}"
        together = {item.id for run in people for item in run.folder.items()}
        found.append(
            f"PART: {len(parts):,} of {len(people):,} people were asked {each} of "
            f"{parts[0].record.subset_items:,} items each; all people together {len(together):,}. A model is asked "
            "those with 'tolman run … --ids' and the folder of these runs."
        )
    lost = {run.name: run.figures["unanswered"]["missing"] for run in people if run.figures["unanswered"]["missing"]}
    if lost:
        asked = sum(run.figures["asked"] for run in people)
        each = ", ".join(f"{name} {count:,}" for name, count in lost.items())
        found.append(
            f"INCOMPLETE: people: {sum(lost.values()):,} of {asked:,} questions without an answer, not in the figures "
            f"({each})."
        )
    return found


def _figure(average: Average, pooled: Cell) -> Figure:
    interval, reason = None, pooled.reason
    if average.interval is not None and pooled.interval is not None and pooled.value is not None:
        low = math.hypot(average.value - average.interval.low, pooled.value - pooled.interval.low)
        high = math.hypot(average.interval.high - average.value, pooled.interval.high - pooled.value)
        floor = 0.0 if average.lowest >= 0 else -math.inf
        interval = Interval(max(floor, average.value - low), min(100.0, average.value + high))
    elif average.interval is None:
        reason = "one person"
    return Figure(
        average.value,
        interval=interval,
        n=pooled.n,
        effective_scenes=pooled.effective_scenes,
        method=METHOD if interval else None,
        reason=reason,
        missing=tuple(pooled.missing),
        attainable=pooled.attainable,
    )


def _notes(people: dict[str, LoadedRun], scores: dict[str, pl.DataFrame], count: int) -> list[str]:
    items = {item.id: item for run in people.values() for item in run.folder.items()}  # each was asked a part
    given: dict[str, list[str]] = defaultdict(list)
    for run in people.values():
        for outcome in run.folder.outcomes():
            if isinstance(outcome, Response) and outcome.id in items and kind_of(items[outcome.id]).widget == "choice":
                given[outcome.id].append(outcome.response)
    shared = {item: answers for item, answers in given.items() if len(answers) > 1}
    found = alpha(list(shared.values()), [items[item].cluster for item in shared])
    between = f", 95 % {found.interval.low:.2f} to {found.interval.high:.2f}" if found.interval else ""
    lacking = f", no interval: {found.reason}" if found.reason and not found.interval else ""
    agreement = f"{found.value:.2f}{between}{lacking}" if found.value is not None else f"none: {found.reason}"
    notes = [
        f"The average of {count} people weighs each person once; its interval is {METHOD}.",
        "The best of the people is the highest figure of any of them in each column.",
        f"Agreement of the people, Krippendorff's alpha: {agreement} ({found.n:,} questions with options that two or "
        f"more answered).",
    ]
    return notes + _studied(people)


def _studied(people: dict[str, LoadedRun]) -> list[str]:
    """What a study says of the people: skipped questions, and people whom its rules leave out."""
    told = [run.record.settings.model_settings.get("study") for run in people.values()]
    studied = [one for one in told if isinstance(one, dict)]
    if not studied:
        return []
    skipped = sum(sum(one.get("skipped", {}).values()) for one in studied)
    asked = sum(one.get("asked", 0) for one in studied)
    left_out = max(one.get("people_excluded", 0) for one in studied)
    everybody = max(one.get("people", 0) for one in studied)
    return [
        f"People skipped {skipped:,} of {asked:,} questions, which are missing and not wrong; the study's rules leave "
        f"out {left_out:,} of {everybody:,} people."
    ]
