"""Paired comparison of two runs on the same items."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tolman.extras import np, pl
from tolman.scoring.aggregate import Prepared, column_of, prepare
from tolman.scoring.clusters import Floats
from tolman.scoring.further_figures import further_table, tasks_of, withheld_of_metric
from tolman.scoring.intervals import Interval, estimates
from tolman.scoring.metrics import Metric
from tolman.scoring.score_table import Table, attainable
from tolman.scoring.significance import bootstrap, contributions, interchange_test, sign_flip_tests, smallest_detectable


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure of run A minus the same of run B, over items that both answered, on the 0–100 scale or in its unit.

    Attributes:
        a, b: the two figures on those items.
        value: a − b.
        interval: paired 95 % interval of it, clustered by scene; None where none can hold.
        method: how the interval was computed.
        effective_scenes: Kish's effective number of scenes.
        reason: why there is no interval.
        p: of the two-sided randomisation test by scene, for this figure alone.
        exact: whether it enumerates all sign patterns, or draws them.
        detectable: the smallest difference that such a pair of runs shows with 80 % power at the 5 % level.
        n: items compared.
        won, lost: items on which A is better, or worse.
        missing: titles of parts of the figure without an item that both answered.
        attainable: the figure of a perfect model: below 100 where missing parts count as 0.
    """

    a: float
    b: float
    value: float
    interval: Interval | None
    method: str | None
    effective_scenes: float
    reason: str | None
    p: float
    exact: bool
    detectable: float | None
    n: int
    won: int
    lost: int
    missing: tuple[str, ...] = ()
    attainable: float = 100.0


def differences(a: pl.DataFrame, b: pl.DataFrame, table: Table, *, seed: int = 0) -> dict[str, Difference]:
    """Compare two runs figure by figure.

    Args:
        a, b: rows of `scoring.score_items.score` under one rule set; repeats are averaged first.
        table: the benchmark's.
        seed: of the randomisation test, where it has too many scenes to enumerate them.

    Returns:
        Column key → Difference, for the columns that both runs have items for.
    """
    a, b = one_row_each(a, table.metrics), one_row_each(b, table.metrics)
    shared = a.select("id").join(b.select("id"), on="id")["id"].to_list()
    a, b = (frame.filter(pl.col("id").is_in(shared)).sort("id") for frame in (a, b))
    one, other = prepare(a, table), prepare(b, table)
    one, other = one.restricted(other), other.restricted(one)
    weights, formed = one.weights([c.node for c in table.columns])
    members = one.members(weights)
    present = one.present
    sums = one.less(other)
    closed = one.have_closed_form(weights)
    exact = iter(estimates(sums, weights[closed]))
    exact_tests = iter(sign_flip_tests(contributions(sums, weights[closed]), seed=seed))
    found, tests = [], []
    for row, is_closed in zip(weights, closed, strict=True):
        mine, own = one.values(row)
        theirs, _ = other.values(row)
        found.append(next(exact) if is_closed else bootstrap(one.cluster, mine, own, less=theirs))
        tests.append(next(exact_tests) if is_closed else interchange_test(one.cluster, mine, theirs, own, seed=seed))
    first = weights @ np.nan_to_num(one.sums.ratios)
    result = {}
    for i, col in enumerate(table.columns):
        delta = found[i].value
        if not formed[i] or delta is None:
            continue
        inside, error, scale = members[i], found[i].error, col.scale
        level = float(first[i]) if closed[i] else _value(one, weights[i])
        gain = _gains(one, other, weights[i])
        result[col.key] = Difference(
            a=scale * level,
            b=scale * (level - delta),
            value=scale * delta,
            interval=interval.times(scale) if (interval := found[i].interval) else None,
            method=found[i].method,
            effective_scenes=found[i].effective_scenes,
            reason=found[i].reason,
            p=tests[i].p,
            exact=tests[i].exact,
            detectable=None if not error else scale * smallest_detectable(error, found[i].degrees),
            n=int(inside.sum()),
            won=int((gain[inside] > 0).sum()),
            lost=int((gain[inside] < 0).sum()),
            missing=table.absent(col, present, one.tasks),
            attainable=100 * attainable(col.node, present),
        )
    return result


def _value(data: Prepared, weights: Floats) -> float:
    """A figure that has no closed form."""
    pools, own = data.values(weights)
    ones = np.ones((1, len(data.cluster)))
    return float(sum(weight * pool.figures(ones)[0] for pool, weight in zip(pools, own, strict=True)))


def _gains(one: Prepared, other: Prepared, weights: Floats) -> Floats:
    """By how much the first run is better on each item, in the pools of a figure. Shape (items,)."""
    gains = np.zeros(len(one.cluster))
    for mine, theirs in zip(one.values(weights)[0], other.values(weights)[0], strict=True):
        direction = mine.metric.direction if mine.metric else "higher"
        a, b = mine.numerators, theirs.numerators
        gains += {"higher": a - b, "lower": b - a, "zero": np.abs(b) - np.abs(a)}[direction]
    return gains


def further_differences(
    a: pl.DataFrame, b: pl.DataFrame, metrics: Iterable[Metric], *, seed: int = 0, asks: bool = False
) -> dict[str, dict[str, Difference]]:
    """Compare two runs in further metrics, by question type and over all questions.

    Args:
        a, b: rows under one rule set, with the metrics' values (`score(…, metrics=metrics)`).
        metrics: each with a column in both.
        seed: as in `differences`.
        asks: as in `further_figures.withheld_in`.

    Returns:
        Metric name → question type → Difference; the last one is over all questions. Entries without an item that has a
        value in both runs are left out, and those that are withheld of one of them.
    """
    found = {}
    for metric in metrics:
        tasks = tasks_of(a, metric)
        if not tasks:
            continue
        table = further_table(metric, tasks)
        lacking = {key for own in (a, b) for key in withheld_of_metric(own, metric, table, asks=asks)}
        rows = {key: one for key, one in differences(a, b, table, seed=seed).items() if key not in lacking}
        if rows:
            found[metric.name] = rows
    return found


def one_row_each(scores: pl.DataFrame, metrics: Sequence[Metric] = ()) -> pl.DataFrame:
    """The answered items, the repeats of each averaged: scores, and values of metrics; where such values can't be
    averaged, items with repeats have none."""
    averaged = [column_of(metric) for metric in metrics if metric.ordered and column_of(metric) in scores.columns]
    codes = [column_of(metric) for metric in metrics if not metric.ordered and column_of(metric) in scores.columns]
    return (
        scores.filter(pl.col("score").is_not_null())
        .group_by("id", maintain_order=True)
        .agg(
            pl.col("score").mean(),
            pl.col("expected").mean(),
            *(pl.col(name).fill_nan(None).mean() for name in averaged),
            *(pl.when(pl.len() == 1).then(pl.col(name).first()).otherwise(math.nan) for name in codes),
            pl.exclude("score", "expected", *averaged, *codes).first(),
        )
        .select(scores.columns)
    )
