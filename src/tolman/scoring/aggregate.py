"""From rows of scores to the figures of a table, each with its interval."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.scoring.clusters import WORKING_CORRELATION_PAIRED, Clustered, Floats, clustered_sums
from tolman.scoring.intervals import Interval, estimates
from tolman.scoring.table import Node, Pool, Table, attainable, coefficients, pools_of


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure, on the 0–100 scale.

    Attributes:
        value: the estimate; None where no item of it was scored.
        n: scored items in it.
        clusters: how many scenes they come from.
        unanswered: items of it that failed, are missing, or whose judgement failed.
        interval: 95 %, clustered by scene; None where none can hold.
        method: how the interval was computed.
        effective_scenes: Kish's effective number of scenes.
        reason: why there is no interval.
        missing: titles of parts of the figure without a scored item.
        attainable: what the figure is for a perfect model: below 100 where missing parts count as 0.
    """

    value: float | None
    n: int
    clusters: int
    unanswered: int
    interval: Interval | None
    method: str | None
    effective_scenes: float
    reason: str | None
    missing: tuple[str, ...] = ()
    attainable: float = 100.0

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Prepared:
    """Scores as arrays, ready to be summed.

    Attributes:
        pools: the pools, in the order of the arrays' last axis.
        numerators, denominators, membership: of each item. Shape (items, pools).
        cluster: the number of each item's scene. Shape (items,).
        unanswered: count for each pool.
        tasks: question types with at least one scored item.
    """

    pools: list[Pool]
    numerators: Floats
    denominators: Floats
    membership: NDArray[np.bool_]
    cluster: NDArray[np.intp]
    unanswered: NDArray[np.intp]
    tasks: frozenset[str]

    @property
    def present(self) -> frozenset[Pool]:
        """The pools with at least one scored item."""
        return frozenset(p for p, n in zip(self.pools, self.membership.sum(0), strict=True) if n)

    @property
    def sums(self) -> Clustered:
        """The scores by scene and pool."""
        chance = self.membership - self.denominators  # 0, or an item's chance level
        return clustered_sums(
            self.cluster,
            self.numerators,
            self.denominators,
            membership=self.membership,
            lowest=-chance,
            highest=self.denominators,
        )

    def less(self, other: Prepared) -> Clustered:
        """The differences to another run on the same items, by scene and pool."""
        return clustered_sums(
            self.cluster,
            self.numerators - other.numerators,
            self.denominators,
            membership=self.membership,
            lowest=-self.membership.astype(np.float64),
            highest=self.membership.astype(np.float64),
            working_correlation=WORKING_CORRELATION_PAIRED,
        )

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
    for j, leaf in enumerate(pools):
        offset = chance if leaf.metric == "chance-adjusted" else np.zeros_like(chance)
        numerators[:, j] = np.where(membership[:, j], values - offset, 0.0)
        denominators[:, j] = np.where(membership[:, j], 1 - offset, 0.0)
    lost = scores.filter(pl.col(column).is_null() & pl.col("status").is_in(["failed", "missing", "unjudged"]))[
        "task"
    ].to_numpy()
    return Prepared(
        pools=pools,
        numerators=numerators,
        denominators=denominators,
        membership=membership,
        cluster=cluster,
        unanswered=np.array([_belongs(lost, p).sum() for p in pools], dtype=np.intp),
        tasks=frozenset(tasks.tolist()),
    )


def cells(scores: pl.DataFrame, table: Table, *, column: Literal["score", "expected"] = "score") -> dict[str, Cell]:
    """The figures of a table for one rule set.

    Args:
        scores: rows of one rule set.
        table: the benchmark's.
        column: 'score', or 'expected' for the expectation over a released parser's random draws.

    Returns:
        Column key → Cell.
    """
    data = prepare(scores, table, column)
    weights, formed = data.weights([c.node for c in table.columns])
    inside = data.members(weights)
    present = data.present
    result = {}
    for i, (col, found) in enumerate(zip(table.columns, estimates(data.sums, weights), strict=True)):
        # A pool may be counted in several figures, but no item twice in one.
        unanswered = int(data.unanswered[[data.pools.index(p) for p in pools_of([col.node])]].sum())
        result[col.key] = Cell(
            value=100 * found.value if formed[i] and found.value is not None else None,
            n=int(inside[i].sum()),
            clusters=len(np.unique(data.cluster[inside[i]])),
            unanswered=unanswered,
            interval=percent(found.interval),
            method=found.method,
            effective_scenes=found.effective_scenes,
            reason=found.reason,
            missing=table.absent(col, present, data.tasks),
            attainable=100 * attainable(col.node, present) if formed[i] else 100.0,
        )
    return result


def _belongs(tasks: NDArray[Any], leaf: Pool) -> NDArray[np.bool_]:
    if leaf.tasks is None:
        return np.ones(len(tasks), dtype=bool)
    return np.isin(tasks.astype(str), list(leaf.tasks))


def percent(interval: Interval | None) -> Interval | None:
    """From shares to the 0–100 scale."""
    return interval.times(100) if interval else None
