"""Rows of scores that are made by workers: responses are read there, some items at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tolman import benchmarks
from tolman.items import Item
from tolman.parallel import Workers, parallel_map
from tolman.responses import Outcome
from tolman.runs.folder import RunRecord
from tolman.scoring import judged
from tolman.scoring.metric import Metric
from tolman.scoring.metrics_by_name import metrics_named
from tolman.scoring.rules import RuleSet
from tolman.scoring.score import Part, score_part, score_rows
from tolman.scoring.score_frame import ScoreRow

PlaceFor = Callable[[int], Workers]
"""Where so many rows are made."""


def rows_elsewhere(
    record: RunRecord,
    rule_sets: Sequence[RuleSet],
    names: Sequence[str],
    metrics: Sequence[Metric],
    workers: Workers,
    parts: Iterator[Part],
) -> Iterator[Sequence[Iterable[ScoreRow]]]:
    """The rows of parts of a run's items under each rule set; what a judge said is looked up here.

    Args:
        record: of the run.
        rule_sets: of the run's benchmark.
        names: of the metrics that are computed besides the table's own.
        metrics: all of them.
        workers: who makes the rows.
        parts: items, and what came back for them.
    """
    settings, wrong = record.settings, record.failures_are_wrong
    read_there = tuple(rules.name for rules in rule_sets if rules.name != judged.NAME)
    waiting: deque[Part] = deque()

    def jobs() -> Iterator[_Job]:
        for items, came in parts:
            if len(read_there) < len(rule_sets):
                waiting.append((items, came))
            yield _Job(record, read_there, tuple(names), items, list(came.values()))

    for made in parallel_map(_rows, jobs(), workers):
        by_name: dict[str, Iterable[ScoreRow]] = dict(zip(read_there, made, strict=True))
        if waiting:
            (judging,) = (rules for rules in rule_sets if rules.name == judged.NAME)
            by_name[judged.NAME] = score_rows(
                *waiting.popleft(), judging, settings.repeats, settings.seed, wrong, metrics
            )
        yield [by_name[rules.name] for rules in rule_sets]


@dataclass(frozen=True, slots=True)
class _Job:
    """Some items of a run with what came back for them."""

    record: RunRecord
    rule_sets: tuple[str, ...]
    metrics: tuple[str, ...]
    items: list[Item]
    outcomes: list[Outcome]


def _rows(job: _Job) -> list[list[ScoreRow]]:
    settings = job.record.settings
    benchmark = benchmarks.get(settings.benchmark)
    rule_sets = [benchmark.rule_set(name) for name in job.rule_sets]
    metrics = list(dict.fromkeys([*benchmark.table.metrics, *metrics_named(job.metrics)]))
    part = job.items, {(outcome.id, outcome.repeat): outcome for outcome in job.outcomes}
    wrong = job.record.failures_are_wrong
    return [list(rows) for rows in score_part(part, rule_sets, settings.repeats, settings.seed, wrong, metrics)]
