"""From rows of scores to the figures of a table, each with its interval."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.scoring.intervals import (
    Clustered,
    Floats,
    Interval,
    bootstrap_intervals,
    closed_form_interval,
    clustered_sums,
    standard_errors,
    wilson_interval,
)
from tolman.scoring.table import Node, Pool, Table, coefficients, pools_of


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure, on the 0–100 scale.

    Attributes:
        value: the estimate; None where no item of it was scored.
        n: scored items in it.
        clusters: how many scenes they come from.
        unanswered: items of it that failed, are missing, or whose judgement failed.
        bootstrap, closed_form: 95 % intervals clustered by scene; None for a single cluster.
    """

    value: float | None
    n: int
    clusters: int
    unanswered: int
    bootstrap: Interval | None
    closed_form: Interval | None

    @property
    def interval(self) -> Interval | None:
        """The one to print: the bootstrap, or the closed form where all resamples are alike."""
        if self.bootstrap and self.bootstrap.high > self.bootstrap.low:
            return self.bootstrap
        return self.closed_form

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Prepared:
    """Scores as arrays, ready to be summed and resampled.

    Attributes:
        pools: the pools, in the order of the arrays' last axis.
        sums: by cluster and pool.
        items, unanswered, clusters: counts for each pool.
        binary: whether all of a pool's scores are 0 or 1 and are averaged as they are.
    """

    pools: list[Pool]
    sums: Clustered
    items: NDArray[np.intp]
    unanswered: NDArray[np.intp]
    membership: NDArray[np.bool_]
    cluster: NDArray[np.intp]
    binary: list[bool]

    @property
    def present(self) -> frozenset[Pool]:
        """The pools with at least one scored item."""
        return frozenset(p for p, n in zip(self.pools, self.items, strict=True) if n)

    def weights(self, nodes: list[Node]) -> tuple[Floats, list[bool]]:
        """Nodes as weights over the pools, shape (nodes, pools), and which of them can be formed."""
        matrix = np.zeros((len(nodes), len(self.pools)))
        formed = []
        for row, node in zip(matrix, nodes, strict=True):
            parts = coefficients(node, self.present)
            formed.append(bool(parts))
            for leaf, weight in parts.items():
                row[self.pools.index(leaf)] = weight
        return matrix, formed

    def members(self, weights: Floats) -> list[NDArray[np.bool_]]:
        """For each row of weights, which items are in one of its pools."""
        return [np.asarray(self.membership[:, row != 0].any(axis=1)) for row in weights]

    def cluster_counts(self, members: list[NDArray[np.bool_]]) -> list[int]:
        """How many clusters some sets of items come from."""
        return [len(np.unique(self.cluster[inside])) for inside in members]


def prepare(scores: pl.DataFrame, table: Table, column: Literal["score", "expected"] = "score") -> Prepared:
    """Arrange the rows of one rule set for a table.

    Args:
        scores: rows of `scoring.score.score` for one rule set.
        table: the benchmark's.
        column: which of the two scores.
    """
    pools = pools_of(c.node for c in table.columns)
    answered = scores.filter(pl.col(column).is_not_null())
    tasks = answered["task"].to_numpy()
    values = answered[column].to_numpy().astype(np.float64)
    options = answered["options"].to_numpy().astype(np.float64)
    cluster = (
        answered["cluster"].rank("dense").to_numpy().astype(np.intp) - 1 if len(answered) else np.zeros(0, np.intp)
    )
    membership = np.stack([_belongs(tasks, p) for p in pools], axis=1) if pools else np.zeros((len(tasks), 0), bool)
    chance = np.divide(1.0, options, out=np.zeros_like(options), where=options > 0)
    numerators, denominators = np.zeros(membership.shape), np.zeros(membership.shape)
    binary = []
    for j, leaf in enumerate(pools):
        offset = chance if leaf.metric == "chance-adjusted" else np.zeros_like(chance)
        numerators[:, j] = np.where(membership[:, j], values - offset, 0.0)
        denominators[:, j] = np.where(membership[:, j], 1 - offset, 0.0)
        inside = values[membership[:, j]]
        binary.append(leaf.metric == "mean" and bool(np.isin(inside, (0.0, 1.0)).all()))
    lost = scores.filter(pl.col(column).is_null() & pl.col("status").is_in(["failed", "missing", "unjudged"]))[
        "task"
    ].to_numpy()
    return Prepared(
        pools=pools,
        sums=clustered_sums(cluster, numerators, denominators),
        items=membership.sum(0),
        unanswered=np.array([_belongs(lost, p).sum() for p in pools], dtype=np.intp),
        membership=membership,
        cluster=cluster,
        binary=binary,
    )


def cells(
    scores: pl.DataFrame, table: Table, *, seed: int = 0, column: Literal["score", "expected"] = "score"
) -> dict[str, Cell]:
    """The figures of a table for one rule set.

    Args:
        scores: rows of one rule set.
        table: the benchmark's.
        seed: of the bootstrap.
        column: 'score', or 'expected' for the expectation over a released parser's random draws.

    Returns:
        Column key → Cell.
    """
    data = prepare(scores, table, column)
    nodes = [c.node for c in table.columns]
    weights, formed = data.weights(nodes)
    ratios = np.nan_to_num(data.sums.ratios)
    inside = data.members(weights)
    clusters = data.cluster_counts(inside)
    boot = bootstrap_intervals(data.sums, weights, clusters, seed=seed)
    errors = standard_errors(data.sums, weights)
    result = {}
    for i, col in enumerate(table.columns):
        # A pool may be counted in several figures, but no item twice in one.
        unanswered = int(data.unanswered[[data.pools.index(p) for p in pools_of([col.node])]].sum())
        value = float(weights[i] @ ratios)
        share = isinstance(col.node, Pool) and data.binary[data.pools.index(col.node)]
        closed = (wilson_interval if share else closed_form_interval)(value, errors[i], clusters[i])
        result[col.key] = Cell(
            value=100 * value if formed[i] else None,
            n=int(inside[i].sum()),
            clusters=clusters[i],
            unanswered=unanswered,
            bootstrap=percent(boot[i]) if formed[i] else None,
            closed_form=percent(closed) if formed[i] else None,
        )
    return result


def _belongs(tasks: NDArray[Any], leaf: Pool) -> NDArray[np.bool_]:
    if leaf.tasks is None:
        return np.ones(len(tasks), dtype=bool)
    return np.isin(tasks.astype(str), list(leaf.tasks))


def percent(interval: Interval | None) -> Interval | None:
    """From shares to the 0–100 scale."""
    return interval.times(100) if interval else None
