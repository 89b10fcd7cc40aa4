"""Paired comparison of two runs on the same items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tolman.scoring.aggregate import percent, prepare
from tolman.scoring.intervals import Interval, estimates
from tolman.scoring.paired_test import contributions, sign_flip_tests, smallest_detectable
from tolman.scoring.table import Table, attainable


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure of run A minus the same of run B, over the items that both answered, on the 0–100 scale.

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
        won, lost: items on which A scores higher, or lower.
        missing: titles of parts of the figure without an item that both answered.
        attainable: what the figure is for a perfect model: below 100 where missing parts count as 0.
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
        a, b: rows of `scoring.score.score` under one rule set; repeats are averaged first.
        table: the benchmark's.
        seed: of the randomisation test, where it has too many scenes to enumerate them.

    Returns:
        Column key → Difference, for the columns that both runs have items for.
    """
    a, b = one_row_each(a), one_row_each(b)
    shared = a.select("id").join(b.select("id"), on="id")["id"].to_list()
    a, b = (frame.filter(pl.col("id").is_in(shared)).sort("id") for frame in (a, b))
    one, other = prepare(a, table), prepare(b, table)
    weights, formed = one.weights([c.node for c in table.columns])
    members = one.members(weights)
    present = one.present
    sums = one.less(other)
    found = estimates(sums, weights)
    tests = sign_flip_tests(contributions(sums, weights), seed=seed)
    first = weights @ np.nan_to_num(one.sums.ratios)
    gain = a["score"].to_numpy() - b["score"].to_numpy()
    result = {}
    for i, col in enumerate(table.columns):
        delta = found[i].value
        if not formed[i] or delta is None:
            continue
        inside, error = members[i], found[i].error
        result[col.key] = Difference(
            a=100 * float(first[i]),
            b=100 * (float(first[i]) - delta),
            value=100 * delta,
            interval=percent(found[i].interval),
            method=found[i].method,
            effective_scenes=found[i].effective_scenes,
            reason=found[i].reason,
            p=tests[i].p,
            exact=tests[i].exact,
            detectable=None if not error else 100 * smallest_detectable(error, found[i].degrees),
            n=int(inside.sum()),
            won=int((gain[inside] > 0).sum()),
            lost=int((gain[inside] < 0).sum()),
            missing=table.absent(col, present, one.tasks),
            attainable=100 * attainable(col.node, present),
        )
    return result


def one_row_each(scores: pl.DataFrame) -> pl.DataFrame:
    """The answered items, the repeats of each averaged."""
    return (
        scores.filter(pl.col("score").is_not_null())
        .group_by("id", maintain_order=True)
        .agg(pl.col("score").mean(), pl.col("expected").mean(), pl.exclude("score", "expected").first())
        .select(scores.columns)
    )
