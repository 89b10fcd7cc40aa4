"""Table: which figures a benchmark reports, as combinations of pooled means.

Every figure is a weighted sum of ratios `sum of numerators / sum of denominators`, each over a pool of items.
That one shape covers accuracy, mean relative accuracy, chance-adjusted accuracy, means over tasks and weighted
scores over levels, and it is what makes every one of them have an interval (`scoring.intervals`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Metric = Literal["mean", "chance-adjusted"]


@dataclass(frozen=True)
class Pool:
    """The ratio over all items of some tasks, pooled.

    Attributes:
        tasks: the tasks; None for all items of the benchmark, whatever their task.
        metric: the plain mean of scores, or chance-adjusted accuracy.
    """

    tasks: frozenset[str] | None = None
    metric: Metric = "mean"


@dataclass(frozen=True)
class Mean:
    """A weighted mean of other nodes.

    Attributes:
        parts: the nodes.
        weights: one for each; equal where None. They are divided by their sum.
        missing: what a part without any item does: 'drop' it and renormalise the weights, or count it as 'zero'.
    """

    parts: tuple[Node, ...]
    weights: tuple[float, ...] | None = None
    missing: Literal["drop", "zero"] = "drop"


Node = Pool | Mean


@dataclass(frozen=True)
class Column:
    """One figure of the table.

    Attributes:
        key: its name in files.
        title: its heading, as the paper prints it.
        node: what it is.
        digits: decimals printed.
        group: a heading above several columns.
    """

    key: str
    title: str
    node: Node
    digits: int = 1
    group: str = ""


@dataclass(frozen=True)
class Table:
    """The columns in the paper's order, and which of them is the headline."""

    columns: tuple[Column, ...]
    headline: str

    def column(self, key: str) -> Column:
        """The column of that key."""
        return next(column for column in self.columns if column.key == key)


def pool(*tasks: str, metric: Metric = "mean") -> Pool:
    """A Pool of the tasks named; of all items if none is."""
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
    if not any(parts for _, parts in expanded):
        return {}
    total = sum(weight for weight, parts in expanded if parts or node.missing == "zero")
    combined: dict[Pool, float] = {}
    for weight, parts in expanded:
        for leaf, inner in parts.items():
            combined[leaf] = combined.get(leaf, 0.0) + inner * weight / total
    return combined
