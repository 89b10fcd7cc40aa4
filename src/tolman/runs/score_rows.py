"""Rows of scores that are made by workers: responses are read there, some items at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from tolman import benchmarks
from tolman.items import Item
from tolman.outcomes import Outcomes
from tolman.parallel import Workers, parallel_map
from tolman.responses import Outcome
from tolman.runs.folder import RunRecord
from tolman.scoring import judged
from tolman.scoring.metric import Metric
from tolman.scoring.metrics_by_name import metrics_named
from tolman.scoring.rules import RuleSet
from tolman.scoring.score import ScoreRow, score_rows

AT_ONCE = 2_000
"""Items that a worker is given at a time."""
PlaceFor = Callable[[int], Workers]
"""Where so many rows are made."""


def rows_elsewhere(
    record: RunRecord,
    items: Sequence[Item],
    outcomes: Outcomes,
    names: Sequence[str],
    metrics: Sequence[Metric],
    workers: Workers,
    rules: RuleSet,
) -> Iterator[ScoreRow]:
    """The rows of a run's items under one rule set, in their order; what a judge said is looked up here.

    Args:
        record: of the run.
        items: the questions.
        outcomes: what came back.
        names: of the metrics that are computed besides the table's own.
        metrics: all of them.
        workers: who makes the rows.
        rules: of the run's benchmark.
    """
    settings = record.settings
    if rules.name == judged.NAME:
        yield from score_rows(
            items, outcomes, rules, settings.repeats, settings.seed, record.failures_are_wrong, metrics
        )
        return

    def jobs() -> Iterator[_Job]:
        rest = iter(items)
        while some := list(islice(rest, AT_ONCE)):
            keys = ((item.id, repeat) for item in some for repeat in range(settings.repeats))
            came = [outcomes[key] for key in keys if key in outcomes]
            yield _Job(record, rules.name, tuple(names), some, came)

    yield from chain.from_iterable(parallel_map(_rows, jobs(), workers))


@dataclass(frozen=True, slots=True)
class _Job:
    """Some items of a run with what came back for them."""

    record: RunRecord
    rules: str
    metrics: tuple[str, ...]
    items: list[Item]
    outcomes: list[Outcome]


def _rows(job: _Job) -> list[ScoreRow]:
    settings = job.record.settings
    benchmark = benchmarks.get(settings.benchmark)
    rules = benchmark.rule_set(job.rules)
    metrics = list(dict.fromkeys([*benchmark.table.metrics, *metrics_named(job.metrics)]))
    outcomes = Outcomes.of(job.outcomes)
    wrong = job.record.failures_are_wrong
    return list(score_rows(job.items, outcomes, rules, settings.repeats, settings.seed, wrong, metrics))
