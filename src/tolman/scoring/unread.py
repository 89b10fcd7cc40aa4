"""Unread is not wrong: for each figure the shares of responses without a readable answer, and its bounds.

A response that could not be read scores 0 like a wrong answer. How much of a figure rests on that is told by two
shares (none, cut off) and by two further values of the same figure: with all of these responses wrong, and with all of
them at chance level. The figure is computed anew from the rows for each, so that the bounds hold for plain means,
chance-adjusted accuracy, means over tasks and weighted scores alike.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.scoring.aggregate import Prepared, prepare
from tolman.scoring.clusters import Floats
from tolman.scoring.table import Table, pools_of

UNREAD = ("none", "cut off")
"""The states of a response without a readable answer."""

SHOWN_ABOVE = 0.5
"""Percent of a figure's responses above which the shares and bounds stand beside it."""

MARKED_ABOVE = 5.0
"""Percent of the headline's responses above which it is marked."""


@dataclass(frozen=True, slots=True)
class Unread:
    """What could not be read of one figure's responses, on the 0–100 scale.

    Attributes:
        n: responses that are scored in the figure, repeats included.
        none: the share that commits to no answer or can't be read.
        cut_off: the share that ends before its answer.
        low: the figure with all of both wrong.
        high: the figure with all of both at chance level: 1 / number of options, and 0 for a number.
    """

    n: int
    none: float
    cut_off: float
    low: float
    high: float

    @property
    def share(self) -> float:
        """Both shares together."""
        return self.none + self.cut_off

    @property
    def is_shown(self) -> bool:
        """Whether it stands beside the figure."""
        return self.share > SHOWN_ABOVE

    @property
    def is_marked(self) -> bool:
        """Whether it marks a headline."""
        return self.share > MARKED_ABOVE

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Unread:
        """The inverse of `dataclasses.asdict`, for JSON."""
        return cls(**{name: values[name] for name in cls.__slots__})


@dataclass(frozen=True)
class ReadStates:
    """Whether responses could be read, for the rows of a frame that have a score. Shape of each (items,).

    Attributes:
        known: the response's state is known.
        none, cut_off: which could not be read, by state.
        wrong, at_chance: by how much its score changes where it counts as wrong, or as a random answer.
    """

    known: NDArray[np.bool_]
    none: NDArray[np.bool_]
    cut_off: NDArray[np.bool_]
    wrong: Floats
    at_chance: Floats

    @classmethod
    def of(cls, scores: pl.DataFrame) -> ReadStates:
        """Those of a frame of one rule set."""
        rows = scores.filter(pl.col("score").is_not_null()).select(
            pl.col("state").is_not_null().alias("known"),
            *((pl.col("state") == state).fill_null(False).alias(state) for state in UNREAD),
            *(
                pl.when(pl.col("state").is_in(UNREAD)).then(change - pl.col("score")).otherwise(0.0).alias(name)
                for name, change in (("wrong", pl.lit(0.0)), ("at chance", pl.col("at_chance")))
            ),
        )
        return cls(*(rows[name].to_numpy() for name in rows.columns))

    def part(self, kept: NDArray[np.bool_]) -> ReadStates:
        """The same for some items."""
        return ReadStates(*(getattr(self, field.name)[kept] for field in fields(self)))


def unread_by_figure(scores: pl.DataFrame, table: Table) -> dict[str, Unread]:
    """Shares and bounds of a table's figures under one rule set.

    Args:
        scores: rows of `scoring.score.score` for one rule set.
        table: the benchmark's.

    Returns:
        Column key → Unread, for each figure of the rule set's own metric that has a scored response whose state is
        known. What other metrics make of unread responses is their own declaration (`scoring.metric`).
    """
    return unread_of(prepare(scores, table), ReadStates.of(scores), table)


def unread_of(
    data: Prepared, states: ReadStates, table: Table, only: Collection[str] | None = None
) -> dict[str, Unread]:
    """The same of scores that are prepared for the table, and the states of their responses.

    Args:
        data: the scores.
        states: of their responses.
        table: the benchmark's.
        only: keys of the columns that are wanted; all where None.
    """
    columns = [column for column in table.columns if only is None or column.key in only]
    weights, formed = data.weights([column.node for column in columns])
    low, high = (_values(data, weights, change) for change in (states.wrong, states.at_chance))
    own = [all(leaf.measure is None for leaf in pools_of([column.node])) for column in columns]
    found = {}
    for i, inside in enumerate(data.members(weights)):
        n = int((inside & states.known).sum())
        if formed[i] and own[i] and n:
            found[columns[i].key] = Unread(
                n=n,
                none=100 * int((inside & states.none).sum()) / n,
                cut_off=100 * int((inside & states.cut_off).sum()) / n,
                low=float(low[i]),
                high=float(high[i]),
            )
    return found


def _values(data: Prepared, weights: Floats, changes: Floats) -> Floats:
    """The figures on the 0–100 scale with other scores.

    Args:
        data: the scores.
        weights: shape (figures, pools).
        changes: what is added to each score. Shape (items,).

    Returns:
        Shape (figures,). Of a ratio's two sums only the numerator depends on scores, whatever the metric.
    """
    sums = data.numerators.sum(0) + changes @ data.membership
    totals = data.denominators.sum(0)
    ratios = np.divide(sums, totals, out=np.zeros_like(sums), where=totals != 0)
    return np.asarray(100 * (weights @ ratios))
