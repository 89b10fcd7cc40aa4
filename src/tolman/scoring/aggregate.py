"""From rows of scores to the figures of a table, each with its interval."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from tolman.errors import UsageError
from tolman.extras import NDArray, np, pl
from tolman.forks import check_fork
from tolman.scoring.clusters import WORKING_CORRELATION_PAIRED, Clustered, Floats, clustered_sums, row_weights
from tolman.scoring.intervals import Estimate, Interval, estimates
from tolman.scoring.metrics import PERCENT, Metric
from tolman.scoring.score_table import (
    Column,
    Mean,
    Node,
    Pool,
    Rest,
    SmallPart,
    Table,
    attainable,
    coefficients,
    pools_of,
)
from tolman.scoring.significance import PoolValues, bootstrap

METRIC_PREFIX = "metric:"
"""What the names of columns begin with that hold values of metrics other than the rule set's own."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure, on the 0–100 scale or in the unit of its metric.

    Attributes:
        value: the estimate; None where no item of it was scored.
        n: scored items in it; an item that was asked several times counts once.
        clusters: how many scenes they come from.
        unanswered: items of it that failed or are missing, also where they count as wrong, or whose judgement failed.
        interval: 95 %, clustered by scene; None where none can hold.
        method: how the interval was computed.
        effective_scenes: Kish's effective number of scenes.
        reason: why there is no interval.
        missing: titles of parts of the figure without a scored item.
        attainable: the figure of a perfect model: below 100 where missing parts count as 0.
        unit: of the figure; '%' on the 0–100 scale.
        left_out: scored items that its metric has no value for and that are not in `n`: unread ones, where the metric
            leaves these out, and such as have no relative error.
        unread: items in it whose response has no readable answer; counted for metrics other than the rule set's own,
            for which `scoring.further_figures` has shares and bounds.
        small: parts of a mean that rest on very few questions.
        rest: of the headline, where it has no interval because of some parts: the mean over the others.
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
    small: tuple[SmallPart, ...] = ()
    rest: Rest | None = None

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
        bounds: the least and greatest value of each pool's metric; 0 where there is no bound. Shape (pools, 2).
        left_out: items of a pool that its metric has no value for. Shape (items, pools).
        unread: items whose response has no readable answer. Shape (items,).
        cluster: the number of each item's scene, from 0 without gaps. Shape (items,).
        item: the number of the item that each row answers; None if no item has several rows. Shape (items,).
        row_weights: factors of the numerators and denominators, so that items with fewer rows than others count as
            much; None where all have as many. Shape (items, pools).
        task: the number of each item's question type in `task_names`. Shape (items,).
        task_names: question types.
        lost: items that failed, are missing or whose judgement failed. Shape (lost items, pools).
        rows, lost_rows: of the frame that the items and the lost items were in, from 0.
    """

    pools: list[Pool]
    numerators: Floats
    denominators: Floats
    membership: NDArray[np.bool_]
    bounds: Floats
    left_out: NDArray[np.bool_]
    unread: NDArray[np.bool_]
    cluster: NDArray[np.intp]
    item: NDArray[np.intp] | None
    row_weights: Floats | None
    task: NDArray[np.intp]
    task_names: tuple[str, ...]
    lost: NDArray[np.bool_]
    rows: NDArray[np.intp]
    lost_rows: NDArray[np.intp]

    def count(self, inside: NDArray[np.bool_]) -> int:
        """The number of different items in some rows. Shape (items,)."""
        return int(inside.sum()) if self.item is None else np.unique(self.item[inside]).size

    @property
    def unanswered(self) -> NDArray[np.intp]:
        """Count of lost items for each pool."""
        return np.asarray(self.lost.sum(0), dtype=np.intp)

    @property
    def tasks(self) -> frozenset[str]:
        """Question types with at least one scored item."""
        return frozenset(self.task_names[number] for number in np.unique(self.task).tolist())

    def part(self, inside: NDArray[np.bool_]) -> Prepared:
        """The same for some rows of the frame.

        Args:
            inside: which rows. Shape (rows of the frame,).
        """
        kept, lost = inside[self.rows], inside[self.lost_rows]
        numerators, denominators = self.numerators[kept], self.denominators[kept]
        if self.row_weights is not None:  # in the part, items may have other numbers of rows
            numerators = numerators / np.where(self._are_means, self.row_weights[kept], 1.0)
            denominators = denominators / self.row_weights[kept]
        found = replace(
            self,
            numerators=np.asfortranarray(numerators),  # as `prepare` has them
            denominators=np.asfortranarray(denominators),
            membership=self.membership[kept],
            left_out=self.left_out[kept],
            unread=self.unread[kept],
            cluster=np.unique(self.cluster[kept], return_inverse=True)[1].astype(np.intp),
            item=None if self.item is None else self.item[kept],
            row_weights=None,
            task=self.task[kept],
            lost=self.lost[lost],
            rows=self.rows[kept],
            lost_rows=self.lost_rows[lost],
        )
        return found._evened()

    def _evened(self) -> Prepared:
        """The same, with all items of a pool counting as much, however many of their rows are in it."""
        if self.item is None:
            return self
        each = [
            row_weights(
                self.item, self.membership[:, j], None if metric is None or metric.is_mean else metric.most_repeats
            )
            for j, metric in enumerate(self.metrics)
        ]
        if all(one is None for one in each):
            return self
        ones = np.ones(len(self.item))
        weights = np.stack([ones if one is None else one for one in each], axis=1)
        return replace(
            self,
            numerators=np.asfortranarray(self.numerators * np.where(self._are_means, weights, 1.0)),
            denominators=np.asfortranarray(self.denominators * weights),
            row_weights=weights,
        )

    @property
    def _are_means(self) -> NDArray[np.bool_]:
        """Which pools' figures are ratios of two sums. Shape (pools,)."""
        return np.array([one is None or one.is_mean for one in self.metrics], dtype=bool)

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
            item=self.item,
            membership=self.membership,
            lowest=self._ends(0),
            highest=self._ends(1),
        )

    def less(self, other: Prepared) -> Clustered:
        """The differences to another run on the same items, by scene and pool."""
        return clustered_sums(
            self.cluster,
            self.numerators - other.numerators,
            self.denominators,
            item=self.item,
            membership=self.membership,
            lowest=-self._widths(),
            highest=self._widths(),
            working_correlation=WORKING_CORRELATION_PAIRED,
        )

    def _ends(self, end: int) -> Floats:
        """The least (0) or greatest (1) sums of the numerators. Shape (pools,)."""
        found = np.zeros(len(self.pools))
        for j in np.flatnonzero(self.bounds.any(axis=1)):
            each = 1.0 if self.row_weights is None else self.row_weights[:, j]
            numerators = each * self.bounds[j, end] - (each - self.denominators[:, j])  # less chance if adjusted for it
            found[j] = np.where(self.membership[:, j], numerators, 0.0).sum()
        return found

    def _widths(self) -> Floats:
        """By how much the sums of two runs can differ at most. Shape (pools,)."""
        widths = np.array(
            [1.0 if one is None or not one.is_bounded else one.range[1] - one.range[0] for one in self.metrics]
        )
        return np.asarray(self.membership.sum(0) * widths)

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
        exact = iter(estimates(self.sums, weights[closed], by_part=True))
        return [
            next(exact) if is_closed else bootstrap(self.cluster, *self.values(row))
            for row, is_closed in zip(weights, closed, strict=True)
        ]

    def restricted(self, other: Prepared) -> Prepared:
        """Return the same without the items that another run has no value for."""
        shared = self.membership & other.membership
        return replace(
            self,
            membership=shared,
            numerators=np.where(shared, self.numerators, 0.0),
            denominators=np.where(shared, self.denominators, 0.0),
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


def prepare(
    scores: pl.DataFrame,
    table: Table,
    column: Literal["score", "expected"] = "score",
    like: Prepared | None = None,
) -> Prepared:
    """Arrange the rows of one rule set for a table.

    Chance-adjusted accuracy (CAA) is computed here: the sum of (score − 1/options) over the sum of (1 − 1/options),
    pooled over all items. It isn't the mean of the categories' CAAs. Source: SITE paper, equation 1.

    Args:
        scores: rows of `scoring.score_items.score` for one rule set.
        table: the benchmark's.
        column: which of the two scores.
        like: the same rows and column, prepared for another table; their scenes, items and question types are numbered.
    """
    check_fork()
    pools = pools_of(c.node for c in table.columns)
    is_repeated = "repeat" in scores.columns and bool(scores["repeat"].max())
    used = {
        column,
        "task",
        "options",
        "cluster",
        "state",
        *(("id",) if is_repeated else ()),
        *(column_of(p.measure) for p in pools if p.measure is not None),
    }
    is_scored = scores[column].is_not_null()
    answered = scores.select(name for name in scores.columns if name in used)
    if not is_scored.all():  # else nothing need be copied
        answered = answered.filter(is_scored)
    tasks = _Tasks.of(answered["task"]) if like is None else _Tasks(like.task_names, like.task)
    values = answered[column].to_numpy().astype(np.float64)
    options = answered["options"].to_numpy().astype(np.float64)
    item = None
    if like is not None:
        cluster, item = like.cluster, like.item
    else:
        cluster = _numbered(answered["cluster"], sorted(answered["cluster"].unique()))
        item = _numbered(answered["id"], answered["id"].unique(maintain_order=True).to_list()) if is_repeated else None
    membership = np.stack([tasks.inside(p) for p in pools], axis=1) if pools else np.zeros((len(values), 0), bool)
    chance = np.divide(1.0, options, out=np.zeros_like(options), where=options > 0)
    # Pools are summed one by one: each lies in one piece.
    numerators, denominators = np.zeros(membership.shape, order="F"), np.zeros(membership.shape, order="F")
    bounds = np.zeros((len(pools), 2))
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
            bounds[j] = low, high
    is_lost = scores["status"].is_in(["failed", "missing", "unjudged"])
    lost = _Tasks.of(scores["task"].filter(is_lost))
    found = Prepared(
        pools=pools,
        numerators=numerators,
        denominators=denominators,
        membership=membership,
        bounds=bounds,
        left_out=left_out,
        unread=_unread(answered),
        cluster=cluster,
        item=item,
        row_weights=None,
        task=tasks.codes,
        task_names=tuple(tasks.names),
        lost=np.stack([lost.inside(p) for p in pools], axis=1) if pools else np.zeros((len(lost.codes), 0), bool),
        rows=np.flatnonzero(is_scored.to_numpy()),
        lost_rows=np.flatnonzero(is_lost.to_numpy()),
    )
    return found._evened()


def cells(scores: pl.DataFrame, table: Table, *, column: Literal["score", "expected"] = "score") -> dict[str, Cell]:
    """The figures of a table for one rule set.

    Args:
        scores: rows of one rule set.
        table: the benchmark's.
        column: 'score', or 'expected' for the expectation over a released parser's random draws.

    Returns:
        Column key → Cell.
    """
    return cells_of(prepare(scores, table, column), table)


def cells_of(data: Prepared, table: Table, only: Collection[str] | None = None) -> dict[str, Cell]:
    """The same of scores that are prepared for the table.

    Args:
        data: the scores.
        table: the benchmark's.
        only: keys of the columns that are wanted; all where None.
    """
    columns = [column for column in table.columns if only is None or column.key in only]
    weights, formed = data.weights([c.node for c in columns])
    inside = data.members(weights)
    present = data.present
    counts = {leaf: data.count(data.membership[:, place]) for place, leaf in enumerate(data.pools)}
    result = {}
    for i, (col, found) in enumerate(zip(columns, data.estimates(weights), strict=True)):
        # A pool may be counted in several figures, but no item twice in one.
        pools_in = [data.pools.index(p) for p in pools_of([col.node])]
        unanswered = int(data.unanswered[pools_in].sum())
        measured = any(data.pools[j].measure for j in pools_in)
        result[col.key] = Cell(
            value=col.scale * found.value if formed[i] and found.value is not None else None,
            n=data.count(inside[i]),
            clusters=np.unique(data.cluster[inside[i]]).size,
            unanswered=unanswered,
            interval=found.interval.times(col.scale) if found.interval else None,
            method=found.method,
            effective_scenes=found.effective_scenes,
            reason=found.reason,
            missing=table.absent(col, present, data.tasks),
            attainable=100 * attainable(col.node, present) if formed[i] else 100.0,
            unit=col.unit,
            left_out=int(data.left_out[:, pools_in].any(axis=1).sum()),
            unread=data.count(inside[i] & data.unread) if measured else 0,
            small=table.small_parts(col, counts),
            rest=rest_of(data, table, col) if col.key == table.headline and found.interval is None else None,
        )
    return result


def rest_of(data: Prepared, table: Table, column: Column) -> Rest | None:
    """A mean without the parts that have no interval of their own, with its interval.

    In closed form, a part lacks an interval because of its questions and not because of its scores, so that the choice
    doesn't narrow the interval.

    Args:
        data: the scores.
        table: the benchmark's.
        column: of it.

    Returns:
        None where the figure is no mean, all parts or fewer than two have intervals, or the rest has none either.
    """
    node = column.node
    if not isinstance(node, Mean):
        return None
    weights, formed = data.weights([*node.parts])
    parts = zip(node.parts, data.estimates(weights), formed, strict=True)
    few = [part for part, found, is_formed in parts if is_formed and found.interval is None]
    if not few or sum(formed) - len(few) < 2:
        return None
    titles, rest = table.without(column, few)
    weights, _ = data.weights([rest])
    (found,) = data.estimates(weights)
    if found.value is None or found.interval is None:
        return None
    scale = column.scale
    return Rest(titles, scale * found.value, scale * found.interval.low, scale * found.interval.high)


def _numbered(of_rows: pl.Series, names: Sequence[str]) -> NDArray[np.intp]:
    """The place of each row's name among the names. Polars' own ways take ten times the memory."""
    places = {name: place for place, name in enumerate(names)}
    return np.fromiter(map(places.__getitem__, of_rows), np.intp, len(of_rows))


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


class _Tasks:
    """The question types of some rows: their names, and the place of each row's among these."""

    def __init__(self, names: Sequence[str], codes: NDArray[np.intp]) -> None:
        self.names, self.codes = names, codes

    @classmethod
    def of(cls, rows: pl.Series) -> _Tasks:
        names = rows.unique(maintain_order=True).to_list()
        return cls(names, _numbered(rows, names))

    def inside(self, leaf: Pool) -> NDArray[np.bool_]:
        """Which rows are in a pool. Shape (rows,)."""
        is_in = np.array([leaf.tasks is None or name in leaf.tasks for name in self.names], dtype=bool)
        return np.asarray(is_in[self.codes], dtype=bool)
