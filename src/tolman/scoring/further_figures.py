"""Figures next to a benchmark's own table: those of further metrics, and the bounds left by unread responses.

Any metric can be computed on any benchmark, for each question type.

Unread is not wrong. A response that could not be read scores 0 like a wrong answer. Two shares (none, cut off) show how
much of a figure rests on that, and so do two further values of the same figure: with all of these responses wrong, and
with all of them at chance level. The figure is recomputed from the rows for each, so that the bounds hold for plain
means, chance-adjusted accuracy, means over tasks and weighted scores alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from tolman.extras import NDArray, np, pl
from tolman.scoring.aggregate import METRIC_PREFIX, Cell, Prepared, cells, column_of, prepare
from tolman.scoring.clusters import Floats, row_weights
from tolman.scoring.judged import NAME as JUDGED
from tolman.scoring.metrics import Metric
from tolman.scoring.score_table import Column, Table, pool, pools_of

ALL = "all"
"""The key of the figure over all questions; 'all questions' where a question type is called so."""
_NO_TITLES: Mapping[str, str] = {}


def further_figures(
    scores: pl.DataFrame, metrics: Iterable[Metric], *, asks: bool = False
) -> dict[str, dict[str, Cell]]:
    """Figures of metrics for each question type and for all questions together.

    Args:
        scores: rows of one rule set, with the metrics' values (`score(…, metrics=metrics)`).
        metrics: each with a column in it.
        asks: as in `withheld_in`.

    Returns:
        Metric name → question type → Cell; the last one is that over all questions. Question types without an item
        that the metric is for are left out, and so is a metric without any.
    """
    found: dict[str, dict[str, Cell]] = {}
    for metric in metrics:
        tasks = tasks_of(scores, metric)
        if tasks:
            table = further_table(metric, tasks)
            found[metric.name] = blanked(cells(scores, table), withheld_of_metric(scores, metric, table, asks=asks))
    return found


def withheld_of_metric(scores: pl.DataFrame, metric: Metric, table: Table, *, asks: bool = False) -> set[str]:
    """Return the keys of a metric's figures that are withheld, by the question types that it has values for."""
    own = scores.filter(pl.col(column_of(metric)).is_not_null())["task"].unique()
    return withheld_in(scores.filter(pl.col("task").is_in(own.implode())), table, asks=asks)


def tasks_of(scores: pl.DataFrame, metric: Metric) -> list[str]:
    """The question types of the items that a metric is for, in their order."""
    asked = scores.filter(pl.col(column_of(metric)).is_not_null() & (pl.col("task") != ""))
    return asked["task"].unique(maintain_order=True).to_list()


def further_table(metric: Metric, tasks: Sequence[str], titles: Mapping[str, str] = _NO_TITLES) -> Table:
    """Make a table of one metric: a column for each question type, and one for all questions.

    Args:
        metric: of all columns.
        tasks: question types.
        titles: of question types that don't appear under their own names.
    """
    whole = ALL if ALL not in tasks else "all questions"
    columns = [Column(task, titles.get(task, task), pool(task, metric=metric), digits=metric.digits) for task in tasks]
    return Table((*columns, Column(whole, "All", pool(metric=metric), digits=metric.digits)), headline=whole)


def further_record(scores: pl.DataFrame, metrics: Iterable[Metric], *, asks: bool = False) -> dict[str, Any]:
    """The same for scores.json: metric name → title, unit, digits, direction, source and cells."""
    metrics = list(metrics)
    by_name = {metric.name: metric for metric in metrics}
    return {
        name: {
            "title": by_name[name].title,
            "unit": by_name[name].unit,
            "digits": by_name[name].digits,
            "direction": by_name[name].direction,
            "source": by_name[name].source,
            "cells": {task: asdict(cell) for task, cell in figures.items()},
        }
        for name, figures in further_figures(scores, metrics, asks=asks).items()
    }


@dataclass(frozen=True)
class LeftOutAnswers:
    """How many scored answers are not in a figure of a metric, by reason.

    Attributes:
        unread: answers that could not be read, where the metric leaves these out.
        no_value: answers that were read and that the metric has no value for, such as those to a true value of 0.
        failed: calls that brought no text, where the user counts these as wrong and the metric leaves them out.
        unknown: answers without a known reason.
    """

    unread: int = 0
    no_value: int = 0
    failed: int = 0
    unknown: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """Reason → count, of those that occur: 'unread', 'no value', 'failed', 'unknown reason'."""
        named = {
            "unread": self.unread,
            "no value": self.no_value,
            "failed": self.failed,
            "unknown reason": self.unknown,
        }
        return {reason: count for reason, count in named.items() if count}

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.counts.values())

    def __add__(self, other: LeftOutAnswers) -> LeftOutAnswers:
        return LeftOutAnswers(
            self.unread + other.unread,
            self.no_value + other.no_value,
            self.failed + other.failed,
            self.unknown + other.unknown,
        )

    def __str__(self) -> str:
        return ", ".join(f"{count:,} {reason}" for reason, count in self.counts.items())


def left_out_by_task(scores: pl.DataFrame, metric: str) -> dict[str, LeftOutAnswers]:
    """The scored answers that are in no figure of a metric.

    Args:
        scores: rows of one rule set.
        metric: its name; without its values in the frame nothing is known.

    Returns:
        Question type → counts; question types without any are left out.
    """
    column = METRIC_PREFIX + metric
    if column not in scores.columns:
        return {}
    without = scores.filter(pl.col("score").is_not_null() & pl.col(column).is_nan())
    found: dict[str, LeftOutAnswers] = {}
    for task, status, state in without.select("task", "status", "state").iter_rows():
        reason = "failed" if status != "scored" else _REASONS.get(state, "unknown")
        one = LeftOutAnswers(**{reason: 1})
        found[task] = found.get(task, LeftOutAnswers()) + one
    return found


_REASONS = {"read": "no_value", "none": "unread", "cut off": "unread"}
"""State of an answer that has no value → the field of `LeftOutAnswers` that counts it."""


UNREAD = ("none", "cut off")
"""The states of a response without a readable answer."""

SHOWN_ABOVE = 0.5
"""Percent of a figure's responses above which the shares and bounds stand beside it."""

MARKED_ABOVE = 5.0
"""Percent of the headline's responses above which it is marked."""

WITHHELD_ABOVE = 50.0
"""Percent of a figure's responses above which it is not printed, where only a judge can score them."""

WITHHELD = "more than half of its responses are unread, and only a judge can score them"
"""Why such a figure has no value, as the reason in its cell."""


@dataclass(frozen=True, slots=True)
class Unread:
    """The unread part of one figure's responses, on the 0–100 scale.

    Attributes:
        n: responses that are scored in the figure, repeats included.
        none: the share that commits to no answer or can't be read.
        cut_off: the share that ends before its answer.
        low: the figure with all of both wrong.
        high: the figure with all of both at chance level: 1 / number of options, and 0 for a number.
        unjudged: further responses, which only a judge can score and none has; they are not in the figure.
    """

    n: int
    none: float
    cut_off: float
    low: float
    high: float
    unjudged: int = 0

    @property
    def share(self) -> float:
        """Both shares together."""
        return self.none + self.cut_off

    @property
    def unread_of_all(self) -> float:
        """Percent of all responses that are in no state but unread: both shares, and those without a judge."""
        unread = self.share * self.n / 100 + self.unjudged
        return 100 * unread / (self.n + self.unjudged) if self.n + self.unjudged else 0.0

    @property
    def is_withheld(self) -> bool:
        """Check whether so much of it is unread that it is not printed where only a judge can score it."""
        return self.unread_of_all > WITHHELD_ABOVE

    @property
    def is_shown(self) -> bool:
        """Check whether it is shown next to the figure; bounds hold only where every response has a score."""
        return self.share > SHOWN_ABOVE and not self.unjudged

    @property
    def is_marked(self) -> bool:
        """Check whether it marks a headline."""
        return self.unread_of_all > MARKED_ABOVE

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Unread:
        """The inverse of `dataclasses.asdict`, for JSON."""
        return cls(**{name: values[name] for name in cls.__slots__ if name in values})


@dataclass(frozen=True)
class ReadStates:
    """The read states of responses, for the rows of a frame that have a score. Shape of each (items,).

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
        scores: rows of `scoring.score_items.score` for one rule set.
        table: the benchmark's.

    Returns:
        Column key → Unread, for each figure of the rule set's own metric that has a scored response whose state is
        known. Other metrics declare their own treatment of unread responses (`scoring.metrics`).
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
        known = inside & states.known
        n = int(known.sum())
        if formed[i] and own[i] and n:
            found[columns[i].key] = Unread(
                n=n,
                none=100 * _share(data, states.none, known),
                cut_off=100 * _share(data, states.cut_off, known),
                low=float(low[i]),
                high=float(high[i]),
            )
    return found


def with_unjudged(unread: Mapping[str, Unread], scores: pl.DataFrame, table: Table) -> dict[str, Unread]:
    """Add the number of responses that only a judge can score and that none has.

    Args:
        unread: column key → Unread, without them.
        scores: rows of one rule set.
        table: the benchmark's.
    """
    waiting = Counter(scores.filter(pl.col("status") == "unjudged")["task"])
    found = dict(unread)
    for column in table.columns if waiting else ():
        pools = pools_of([column.node])
        count = sum(n for task, n in waiting.items() if any(p.tasks is None or task in p.tasks for p in pools))
        if count:
            known = unread.get(column.key, Unread(n=0, none=0.0, cut_off=0.0, low=0.0, high=0.0))
            found[column.key] = replace(known, unjudged=count)
    return found


def withheld_in(rows: pl.DataFrame, table: Table, *, asks: bool = False) -> set[str]:
    """Return the keys of a table's figures that are not printed: more than half of their responses are unread, and only
    a judge can score them.

    Args:
        rows: of one rule set, with or without the column that names it; a judge's own figures are never withheld.
        table: with the figures.
        asks: whether the released code asks a model about the responses that the rule set can't read.
    """
    unjudged = pl.col("status") == "unjudged"
    if "rule_set" in rows.columns:
        rows = rows.filter(pl.col("rule_set") != JUDGED)
    rows = rows.filter(unjudged | pl.col("score").is_not_null())
    by_task = rows.group_by("task").agg(
        pl.len(), unjudged.sum().alias("unjudged"), (unjudged | pl.col("state").is_in(UNREAD)).sum().alias("unread")
    )
    counts = list(by_task.iter_rows(named=True))
    found = set()
    for column in table.columns:
        pools = pools_of([column.node])
        own = [one for one in counts if any(p.tasks is None or one["task"] in p.tasks for p in pools)]
        total, waiting, unread = (sum(one[name] for one in own) for name in ("len", "unjudged", "unread"))
        if (asks or waiting) and 100 * unread > WITHHELD_ABOVE * total:
            found.add(column.key)
    return found


def blanked(cells: Mapping[str, Cell], keys: Collection[str]) -> dict[str, Cell]:
    """Return the figures without the values of some keys, which are withheld."""
    none: dict[str, Any] = {"value": None, "interval": None, "method": None, "reason": WITHHELD, "rest": None}
    return {key: replace(cell, **none) if key in keys else cell for key, cell in cells.items()}


def _share(data: Prepared, which: NDArray[np.bool_], inside: NDArray[np.bool_]) -> float:
    """The share of some rows in others, in which all items count as much."""
    each = None if data.item is None else row_weights(data.item, inside)
    if each is None:
        return int((inside & which).sum()) / int(inside.sum())
    return float(each[inside & which].sum() / each[inside].sum())


def _values(data: Prepared, weights: Floats, changes: Floats) -> Floats:
    """The figures on the 0–100 scale with other scores.

    Args:
        data: the scores.
        weights: shape (figures, pools).
        changes: summand of each score. Shape (items,).

    Returns:
        Shape (figures,). Only the numerator of a ratio's two sums depends on scores, for any metric.
    """
    each = data.membership if data.row_weights is None else data.membership * data.row_weights
    sums = data.numerators.sum(0) + np.array([changes @ column for column in each.T])  # a pool at a time saves memory
    totals = data.denominators.sum(0)
    ratios = np.divide(sums, totals, out=np.zeros_like(sums), where=totals != 0)
    return np.asarray(100 * (weights @ ratios))
