"""From rows of scores to the figures of a table, each with its interval."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.errors import UsageError
from tolman.scoring.bootstrap import PoolValues, bootstrap
from tolman.scoring.clusters import WORKING_CORRELATION_PAIRED, Clustered, Floats, clustered_sums
from tolman.scoring.intervals import Estimate, Interval, estimates
from tolman.scoring.metric import PERCENT, Metric
from tolman.scoring.table import Node, Pool, Table, attainable, coefficients, pools_of

METRIC_PREFIX = "metric:"
"""What the names of columns begin with that hold values of metrics other than the rule set's own."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure, on the 0–100 scale or in the unit of its metric.

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
        unit: of the figure; '%' on the 0–100 scale.
        left_out: scored items that its metric has no value for and that are not in `n`: unread ones, where the metric
            leaves these out, and such as have no relative error.
        unread: items in it whose response has no readable answer; counted for metrics other than the rule set's own,
            for which `scoring.unread` has shares and bounds.
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
    unit: str = PERCENT
    left_out: int = 0
    unread: int = 0

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Prepared:
    """Scores as arrays, ready to be summed.

    Attributes:
        pools: the pools, in the order of the arrays' last axis.
        numerators, denominators, membership: of each item; for a metric that is no ratio its value, and 1. Shape
            (items, pools).
        lowest, highest: the least and greatest numerator of each item; 0 where there is no bound. Shape (items, pools).
        left_out: items of a pool that its metric has no value for. Shape (items, pools).
        unread: items whose response has no readable answer. Shape (items,).
        cluster: the number of each item's scene. Shape (items,).
        unanswered: count for each pool.
        tasks: question types with at least one scored item.
    """

    pools: list[Pool]
    numerators: Floats
    denominators: Floats
    membership: NDArray[np.bool_]
    lowest: Floats
    highest: Floats
    left_out: NDArray[np.bool_]
    unread: NDArray[np.bool_]
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
        return clustered_sums(
            self.cluster,
            self.numerators,
            self.denominators,
            membership=self.membership,
            lowest=self.lowest,
            highest=self.highest,
        )

    def less(self, other: Prepared) -> Clustered:
        """The differences to another run on the same items, by scene and pool."""
        return clustered_sums(
            self.cluster,
            self.numerators - other.numerators,
            self.denominators,
            membership=self.membership,
            lowest=self._widths(-1.0),
            highest=self._widths(1.0),
            working_correlation=WORKING_CORRELATION_PAIRED,
        )

    def _widths(self, sign: float) -> Floats:
        """By how much two runs can differ at most on each item. Shape (items, pools)."""
        widths = np.array(
            [1.0 if one is None or not one.is_bounded else one.range[1] - one.range[0] for one in self.metrics]
        )
        return np.asarray(sign * self.membership.astype(np.float64) * widths)

    @property
    def metrics(self) -> list[Metric | None]:
        """The metric of each pool; None for the rule set's own."""
        return [leaf.measure for leaf in self.pools]

    def have_closed_form(self, weights: Floats) -> NDArray[np.bool_]:
        """Which figures are weighted sums of ratios of bounded values. Shape (figures,)."""
        closed = np.array([one is None or one.is_bounded for one in self.metrics], dtype=bool)
        return np.asarray(((weights == 0) | closed).all(axis=1))

    def values(self, weights: Floats) -> tuple[list[PoolValues], Floats]:
        """The pools of one figure, and their weights in it.

        Args:
            weights: of all pools in the figure. Shape (pools,).
        """
        used = np.flatnonzero(weights)
        found = [
            PoolValues(self.numerators[:, j], self.denominators[:, j], self.membership[:, j], self.pools[j].measure)
            for j in used
        ]
        return found, weights[used]

    def estimates(self, weights: Floats) -> list[Estimate]:
        """Figures with their intervals, in closed form where there is one.

        Args:
            weights: shape (figures, pools).
        """
        closed = self.have_closed_form(weights)
        exact = iter(estimates(self.sums, weights[closed]))
        return [
            next(exact) if is_closed else bootstrap(self.cluster, *self.values(row))
            for row, is_closed in zip(weights, closed, strict=True)
        ]

    def restricted(self, other: Prepared) -> Prepared:
        """The same without what another run on the same items has no value for."""
        shared = self.membership & other.membership
        return replace(
            self,
            membership=shared,
            numerators=np.where(shared, self.numerators, 0.0),
            denominators=np.where(shared, self.denominators, 0.0),
            lowest=np.where(shared, self.lowest, 0.0),
            highest=np.where(shared, self.highest, 0.0),
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
    lowest, highest = np.zeros(membership.shape), np.zeros(membership.shape)
    left_out = np.zeros(membership.shape, bool)
    for j, leaf in enumerate(pools):
        metric = leaf.measure
        if metric is None:
            own, (low, high), adjusted = values, (0.0, 1.0), leaf.metric == "chance-adjusted"
        else:
            own, (low, high), adjusted = values_of(answered, metric), metric.range, metric.chance_adjusted
            left_out[:, j] = membership[:, j] & np.isnan(own) & answered[column_of(metric)].is_not_null().to_numpy()
            membership[:, j] &= np.isfinite(own)
        inside = membership[:, j]
        offset = chance if adjusted else np.zeros_like(chance)
        numerators[:, j] = np.where(inside, own - offset, 0.0)
        denominators[:, j] = np.where(inside, 1 - offset, 0.0)
        if np.isfinite([low, high]).all():
            lowest[:, j] = np.where(inside, low - (1 - denominators[:, j]), 0.0)
            highest[:, j] = np.where(inside, high - offset, 0.0)
    lost = scores.filter(pl.col(column).is_null() & pl.col("status").is_in(["failed", "missing", "unjudged"]))[
        "task"
    ].to_numpy()
    return Prepared(
        pools=pools,
        numerators=numerators,
        denominators=denominators,
        membership=membership,
        lowest=lowest,
        highest=highest,
        left_out=left_out,
        unread=_unread(answered),
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
    for i, (col, found) in enumerate(zip(table.columns, data.estimates(weights), strict=True)):
        # A pool may be counted in several figures, but no item twice in one.
        pools_in = [data.pools.index(p) for p in pools_of([col.node])]
        unanswered = int(data.unanswered[pools_in].sum())
        measured = any(data.pools[j].measure for j in pools_in)
        result[col.key] = Cell(
            value=col.scale * found.value if formed[i] and found.value is not None else None,
            n=int(inside[i].sum()),
            clusters=len(np.unique(data.cluster[inside[i]])),
            unanswered=unanswered,
            interval=found.interval.times(col.scale) if found.interval else None,
            method=found.method,
            effective_scenes=found.effective_scenes,
            reason=found.reason,
            missing=table.absent(col, present, data.tasks),
            attainable=100 * attainable(col.node, present) if formed[i] else 100.0,
            unit=col.unit,
            left_out=int(data.left_out[:, pools_in].any(axis=1).sum()),
            unread=int((inside[i] & data.unread).sum()) if measured else 0,
        )
    return result


def _unread(scores: pl.DataFrame) -> NDArray[np.bool_]:
    if "state" not in scores.columns:
        return np.zeros(len(scores), dtype=bool)
    return np.asarray(scores["state"].is_in(["none", "cut off"]).fill_null(False).to_numpy(), dtype=bool)


def column_of(metric: Metric) -> str:
    """The column of a frame of scores that holds a metric's values: null for items that it isn't for, nan for
    those that it has no value for."""
    return METRIC_PREFIX + metric.name


def values_of(scores: pl.DataFrame, metric: Metric) -> Floats:
    """A metric's values. Shape (rows,); nan where there is none.

    Raises:
        UsageError: they were not computed with these scores.
    """
    name = column_of(metric)
    if name not in scores.columns:
        raise UsageError(
            f"these scores hold no values of the metric '{metric.name}'; 'tolman score RUN' computes them from its "
            "responses."
        )
    return scores[name].to_numpy().astype(np.float64)


def _belongs(tasks: NDArray[Any], leaf: Pool) -> NDArray[np.bool_]:
    if leaf.tasks is None:
        return np.ones(len(tasks), dtype=bool)
    return np.isin(tasks.astype(str), list(leaf.tasks))
