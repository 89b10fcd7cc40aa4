"""Paired comparison of two runs on the same items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tolman.scoring.aggregate import percent, prepare
from tolman.scoring.intervals import Interval, bootstrap_intervals, closed_form_interval, standard_errors
from tolman.scoring.table import Table


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure of run A minus the same of run B, over the items that both answered, on the 0–100 scale.

    Attributes:
        a, b: the two figures on those items.
        value: a − b.
        bootstrap, closed_form: paired 95 % intervals of it, clustered by scene.
        n: items compared.
        won, lost: items on which A scores higher, or lower.
    """

    a: float
    b: float
    value: float
    bootstrap: Interval | None
    closed_form: Interval | None
    n: int
    won: int
    lost: int


def differences(a: pl.DataFrame, b: pl.DataFrame, table: Table, *, seed: int = 0) -> dict[str, Difference]:
    """Compare two runs figure by figure.

    Args:
        a, b: rows of `scoring.score.score` under one rule set; repeats are averaged first.
        table: the benchmark's.
        seed: of the bootstrap.

    Returns:
        Column key → Difference, for the columns that both runs have items for.
    """
    a, b = one_row_each(a), one_row_each(b)
    shared = a.select("id").join(b.select("id"), on="id")["id"].to_list()
    a, b = (frame.filter(pl.col("id").is_in(shared)).sort("id") for frame in (a, b))
    one, other = prepare(a, table), prepare(b, table)
    nodes = [c.node for c in table.columns]
    weights, formed = one.weights(nodes)
    members = one.members(weights)
    clusters = one.cluster_counts(members)
    boot = bootstrap_intervals(one.sums, weights, clusters, seed=seed, minus=other.sums)
    errors = standard_errors(one.sums, weights, minus=other.sums)
    first, second = (weights @ np.nan_to_num(data.sums.ratios) for data in (one, other))
    gain = a["score"].to_numpy() - b["score"].to_numpy()
    result = {}
    for i, col in enumerate(table.columns):
        if not formed[i]:
            continue
        inside = members[i]
        delta = float(first[i] - second[i])
        closed = closed_form_interval(delta, errors[i], clusters[i])
        result[col.key] = Difference(
            a=100 * float(first[i]),
            b=100 * float(second[i]),
            value=100 * delta,
            bootstrap=percent(boot[i]),
            closed_form=percent(closed),
            n=int(inside.sum()),
            won=int((gain[inside] > 0).sum()),
            lost=int((gain[inside] < 0).sum()),
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
