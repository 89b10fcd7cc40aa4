"""Table: which figures a benchmark reports, as combinations of pooled means.

Every figure is a weighted sum of ratios `sum of numerators / sum of denominators`, each over a pool of items. That one
shape covers accuracy, mean relative accuracy, chance-adjusted accuracy, means over tasks and weighted scores over
levels, and it gives every one of them an interval (`scoring.intervals`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from tolman.errors import UsageError, hint, nearest, unknown
from tolman.scoring.metrics import PERCENT, Metric, find_metric, metric_names

FEW = 10
"""A part of a mean with fewer scored questions is small."""
SCORE_FIGURES = ("mean", "chance-adjusted")
"""Figures of the scores that a rule set gives, whatever its metric: their mean, or chance-adjusted accuracy."""
Absent = Literal["drop", "zero"]


@dataclass(frozen=True)
class Pool:
    """The ratio over all items of some tasks, pooled.

    Attributes:
        tasks: the tasks; None for all items of the benchmark, of any task.
        metric: 'mean' of the rule set's scores, 'chance-adjusted' for chance-adjusted accuracy of them; or another
            metric next to the rule set's, by name or as an object (`scoring.metrics`).

    Raises:
        UsageError: there is no such metric.
    """

    tasks: frozenset[str] | None = None
    metric: str | Metric = "mean"

    def __post_init__(self) -> None:
        if isinstance(self.metric, str) and self.metric not in SCORE_FIGURES:
            found = find_metric(self.metric)
            if found is None:
                raise unknown("metric", self.metric, [*SCORE_FIGURES, *metric_names()])
            object.__setattr__(self, "metric", found)

    @property
    def measure(self) -> Metric | None:
        """The metric, where it isn't the rule set's own."""
        return self.metric if isinstance(self.metric, Metric) else None

    @property
    def unit(self) -> str:
        """Return the unit of the figure; '%' on the 0–100 scale."""
        return self.metric.unit if isinstance(self.metric, Metric) else PERCENT


@dataclass(frozen=True)
class SmallPart:
    """A part of a mean that rests on fewer than `FEW` questions.

    Attributes:
        title: of the part.
        n: its scored questions.
        moves: how many points one of its questions moves the mean; 0 where the mean is in another unit than '%'.
    """

    title: str
    n: int
    moves: float


@dataclass(frozen=True)
class Rest:
    """A mean that has no interval, over those of its parts that have one.

    Attributes:
        without: titles of the other parts.
        value: of the mean over the rest, with renormalised weights.
        low, high: ends of its 95 % interval.
    """

    without: tuple[str, ...]
    value: float
    low: float
    high: float

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rest:
        """Of its record in scores.json."""
        return cls(**{**values, "without": tuple(values["without"])})


@dataclass(frozen=True)
class Mean:
    """A weighted mean of other nodes.

    Attributes:
        parts: the nodes.
        weights: one for each; equal where None. They are divided by their sum.
        missing: treatment of a part without any item: 'drop' it and renormalise the weights, or count it as 'zero', as
            some released codes do; rule sets that renormalise drop it all the same (`Table.renormalised`).

    Raises:
        UsageError: weights that don't fit the parts, parts of different units, or another word for `missing`.
    """

    parts: tuple[Node, ...]
    weights: tuple[float, ...] | None = None
    missing: Absent = "drop"

    def __post_init__(self) -> None:
        _check_known("treatment of missing parts", self.missing, get_args(Absent))
        if self.weights is not None and (
            len(self.weights) != len(self.parts) or min(self.weights) < 0 or not sum(self.weights)
        ):
            raise UsageError(
                f"a mean of {len(self.parts)} parts has the weights {self.weights}; give each one, with a sum above 0."
            )
        units = list(dict.fromkeys(leaf.unit for leaf in pools_of(self.parts)))
        if len(units) > 1:
            raise UsageError(
                f"a mean has parts in {' and '.join(unit or 'no unit' for unit in units)}; give parts of one unit."
            )


Node = Pool | Mean


@dataclass(frozen=True)
class Column:
    """One figure of the table.

    Attributes:
        key: its name in files.
        title: its heading, as the paper prints it.
        node: its definition.
        digits: decimals printed.
        group: a heading above several columns.
    """

    key: str
    title: str
    node: Node
    digits: int = 1
    group: str = ""

    @property
    def unit(self) -> str:
        """Return the unit of the figure; '%' on the 0–100 scale."""
        return next((leaf.unit for leaf in pools_of([self.node])), PERCENT)

    @property
    def scale(self) -> float:
        """Return the factor by which the figure is multiplied to be printed: 100 for shares of 1."""
        return 100.0 if self.unit == PERCENT else 1.0


@dataclass(frozen=True)
class Table:
    """The columns in the paper's order, and which of them is the headline.

    Raises:
        UsageError: the headline is no column, or two columns have one key.
    """

    columns: tuple[Column, ...]
    headline: str

    def __post_init__(self) -> None:
        keys = [column.key for column in self.columns]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise UsageError(f"two columns of the table have the key '{twice}'; give each its own.")
        _check_known("column", self.headline, keys)

    def column(self, key: str) -> Column:
        """The column of that key.

        Raises:
            UsageError: there is none.
        """
        _check_known("column", key, [column.key for column in self.columns])
        return next(column for column in self.columns if column.key == key)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics that its figures need besides the rule set's own, each once."""
        found = (leaf.measure for leaf in pools_of(column.node for column in self.columns))
        return tuple(dict.fromkeys(metric for metric in found if metric is not None))

    @property
    def task_titles(self) -> dict[str, str]:
        """Question type → title of the column that is its scores alone; titles that mean several are left out."""
        found: dict[str, str] = {}
        for column in self.columns:
            node = column.node
            if isinstance(node, Pool) and node.measure is None and node.tasks and len(node.tasks) == 1:
                found.setdefault(next(iter(node.tasks)), column.title)
        titles = list(found.values())
        return {task: title for task, title in found.items() if titles.count(title) == 1}

    @property
    def places_of_tasks(self) -> dict[str, tuple[int, ...]]:
        """Map each question type to the places of the columns that it belongs to, from 0; columns of all types are left
        out. Sorted by it, types, and classes of types, come in the order of the table."""
        pooled = [{task for leaf in pools_of([c.node]) for task in leaf.tasks or ()} for c in self.columns]
        every = set().union(*pooled)
        return {
            task: tuple(place for place, own in enumerate(pooled) if task in own and own != every)
            for task in sorted(every)
        }

    def renormalised(self) -> Table:
        """The same table with the weights of every mean renormalised over the parts that have items."""
        return replace(self, columns=tuple(replace(c, node=_renormalised(c.node)) for c in self.columns))

    def restricted(self, tasks: AbstractSet[str]) -> Table:
        """Return the same table for some question types: parts of figures that are of others are taken out, so that the
        rest is weighted as among itself, and nothing is said to lack them. Pools of all items stay."""
        return replace(
            self, columns=tuple(replace(c, node=_restricted(c.node, tasks) or Mean(())) for c in self.columns)
        )

    def same_as(self, column: Column, tasks: AbstractSet[str]) -> Column | None:
        """Return the column that gives, over all questions, the same figure as another one over some question types:
        for the Score of a level's questions the column of that level. None where there is none.

        Args:
            column: one of the table's.
            tasks: the question types.
        """
        wanted = _over(column.node, frozenset(tasks))
        every = frozenset(task for c in self.columns for leaf in pools_of([c.node]) for task in leaf.tasks or ())
        return next((c for c in self.columns if wanted and _over(c.node, every) == wanted), None)

    def absent(self, column: Column, present: frozenset[Pool], tasks: AbstractSet[str]) -> tuple[str, ...]:
        """The parts of a figure for which there is no item, by title: parts of its means, or question types of the pool
        that it is; empty where there is no figure at all.

        Args:
            column: one of the table's.
            present: the pools that have at least one item.
            tasks: the question types that do.
        """
        node = column.node
        if not coefficients(node, present):
            return ()
        if isinstance(node, Pool):
            return tuple(self._title(pool(task)) for task in self._in_order((node.tasks or frozenset()) - tasks))
        return tuple(self._absent(node, present))

    def small_parts(self, column: Column, counts: Mapping[Pool, int]) -> tuple[SmallPart, ...]:
        """The small parts of a mean; empty for a figure that is one pool.

        Args:
            column: one of the table's.
            counts: scored questions of each pool.
        """
        weights = coefficients(column.node, frozenset(leaf for leaf, n in counts.items() if n))
        is_share = column.unit == PERCENT
        return tuple(
            SmallPart(self._title(leaf), counts[leaf], 100 * weight / counts[leaf] if is_share else 0.0)
            for leaf, weight in weights.items()
            if len(weights) > 1 and weight and counts[leaf] < FEW
        )

    def without(self, column: Column, left_out: Collection[Node]) -> tuple[tuple[str, ...], Node]:
        """Some parts of a mean by title, and the mean over the others with renormalised weights.

        Args:
            column: one of the table's, a mean.
            left_out: parts of it, but not all.
        """
        node = column.node
        assert isinstance(node, Mean)
        weights = node.weights or (1.0,) * len(node.parts)
        kept = [(part, weight) for part, weight in zip(node.parts, weights, strict=True) if part not in left_out]
        rest = replace(node, parts=tuple(part for part, _ in kept), weights=tuple(weight for _, weight in kept))
        return tuple(self._title(part) for part in node.parts if part in left_out), rest

    def check_tasks(self, present: AbstractSet[str], title: str, *, complete: bool) -> None:
        """Refuse a pool whose question type names nothing.

        A question type without a question is an empty column as long as every question is in a column. If there are
        questions that no column names as well, one of their types was meant.

        Args:
            present: the question types of the questions.
            title: the benchmark's.
            complete: whether the questions are all that the table is for; of a part, only a type that is near the name
                of one that is in no column is refused.

        Raises:
            UsageError: naming the first such type, the nearest and all there are.
        """
        pooled = {task for leaf in pools_of(c.node for c in self.columns) for task in leaf.tasks or ()}
        unclaimed = sorted(present - pooled)
        for task in sorted(pooled - present):
            if unclaimed and (complete or nearest(task, unclaimed)):
                known = [*unclaimed, *sorted(present & pooled)]
                raise UsageError(
                    f"the table of {title} has a pool of the question type '{task}', which no question is of; "
                    f"{hint(task, known)}."
                )

    def _in_order(self, tasks: AbstractSet[str]) -> list[str]:
        """Question types in the order of the columns, then by name."""
        places = {column.node: place for place, column in enumerate(self.columns)}
        return sorted(tasks, key=lambda task: (places.get(pool(task), len(places)), task))

    def _absent(self, node: Node, present: frozenset[Pool]) -> list[str]:
        found = []
        for part in node.parts if isinstance(node, Mean) else ():
            found += self._absent(part, present) if coefficients(part, present) else [self._title(part)]
        return found

    def _title(self, node: Node) -> str:
        own = next((column.title for column in self.columns if column.node == node), None)
        if own is not None:
            return own
        if isinstance(node, Pool):
            return " and ".join(sorted(node.tasks or ("all items",)))
        return " and ".join(self._title(part) for part in node.parts)


def _renormalised(node: Node) -> Node:
    if isinstance(node, Pool):
        return node
    return replace(node, parts=tuple(_renormalised(part) for part in node.parts), missing="drop")


def _restricted(node: Node, tasks: AbstractSet[str]) -> Node | None:
    """A node for some question types; None where it has no part of them."""
    if isinstance(node, Pool):
        own = None if node.tasks is None else node.tasks & tasks
        return None if own is not None and not own else replace(node, tasks=own)
    weights = node.weights or (1.0,) * len(node.parts)
    kept = [
        (part, weight) for old, weight in zip(node.parts, weights, strict=True) if (part := _restricted(old, tasks))
    ]
    if not sum(weight for _, weight in kept):
        return None
    return replace(
        node,
        parts=tuple(part for part, _ in kept),
        weights=None if node.weights is None else tuple(weight for _, weight in kept),
    )


def _over(node: Node, tasks: frozenset[str]) -> dict[Pool, float]:
    """Return a figure of the questions of some types, none of them empty, as a weighted sum of pools."""
    own = _restricted(node, tasks)
    if own is None:
        return {}
    found = coefficients(own, frozenset(pools_of([own])))
    return {replace(leaf, tasks=leaf.tasks or tasks): round(weight, 12) for leaf, weight in found.items()}


def _check_known(what: str, name: str, known: Iterable[str]) -> None:
    """Refuse a name that means nothing, which would be taken for another otherwise."""
    known = list(known)
    if name not in known:
        raise unknown(what, name, known)


def attainable(node: Node, present: frozenset[Pool]) -> float:
    """Return a figure of a perfect model, from 0 to 1: less where parts without any item count as 0."""
    return sum(coefficients(node, present).values())


def pool(*tasks: str, metric: str | Metric = "mean") -> Pool:
    """A Pool of the tasks named; of all items if none is.

    Raises:
        UsageError: there is no such metric.
    """
    return Pool(frozenset(tasks) if tasks else None, metric)


def pools_of(nodes: Iterable[Node]) -> list[Pool]:
    """The distinct pools in some nodes, in the order of first use."""
    found: dict[Pool, None] = {}
    for node in nodes:
        if isinstance(node, Pool):
            found.setdefault(node)
        else:
            found.update(dict.fromkeys(pools_of(node.parts)))
    return list(found)


def coefficients(node: Node, present: frozenset[Pool]) -> dict[Pool, float]:
    """A node as a weighted sum of pools.

    Args:
        node: a figure.
        present: the pools that have at least one item.

    Returns:
        Pool → weight; empty where the figure can't be formed because no item belongs to it.
    """
    if isinstance(node, Pool):
        return {node: 1.0} if node in present else {}
    weights = node.weights or (1.0,) * len(node.parts)
    expanded = [(weight, coefficients(part, present)) for weight, part in zip(weights, node.parts, strict=True)]
    total = sum(weight for weight, parts in expanded if parts or node.missing == "zero")
    if not total or not any(parts for _, parts in expanded):
        return {}
    combined: dict[Pool, float] = {}
    for weight, parts in expanded:
        for leaf, inner in parts.items():
            combined[leaf] = combined.get(leaf, 0.0) + inner * weight / total
    return combined
