"""Figures of further metrics: any metric on any benchmark, for each question type, beside the benchmark's own table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from tolman.scoring.aggregate import METRIC_PREFIX, Cell, cells, column_of
from tolman.scoring.metric import Metric
from tolman.scoring.table import Column, Table, pool

ALL = "all"
"""The key of the figure over all questions; 'all questions' where a question type is called so."""
_NO_TITLES: Mapping[str, str] = {}


def further_figures(scores: pl.DataFrame, metrics: Iterable[Metric]) -> dict[str, dict[str, Cell]]:
    """Figures of metrics for each question type and for all questions together.

    Args:
        scores: rows of one rule set, with the metrics' values (`score(…, metrics=metrics)`).
        metrics: each with a column in it.

    Returns:
        Metric name → question type → Cell; the last one is that over all questions. Question types without an item
        that the metric is for are left out, and so is a metric without any.
    """
    found: dict[str, dict[str, Cell]] = {}
    for metric in metrics:
        tasks = tasks_of(scores, metric)
        if tasks:
            found[metric.name] = cells(scores, further_table(metric, tasks))
    return found


def tasks_of(scores: pl.DataFrame, metric: Metric) -> list[str]:
    """The question types of the items that a metric is for, in their order."""
    asked = scores.filter(pl.col(column_of(metric)).is_not_null() & (pl.col("task") != ""))
    return asked["task"].unique(maintain_order=True).to_list()


def further_table(metric: Metric, tasks: Sequence[str], titles: Mapping[str, str] = _NO_TITLES) -> Table:
    """Make a table of one metric: a column for each question type, and one for all questions.

    Args:
        metric: of all columns.
        tasks: question types.
        titles: of question types that don't stand under their own names.
    """
    whole = ALL if ALL not in tasks else "all questions"
    columns = [Column(task, titles.get(task, task), pool(task, metric=metric), digits=metric.digits) for task in tasks]
    return Table((*columns, Column(whole, "All", pool(metric=metric), digits=metric.digits)), headline=whole)


def further_record(scores: pl.DataFrame, metrics: Iterable[Metric]) -> dict[str, Any]:
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
        for name, figures in further_figures(scores, metrics).items()
    }


@dataclass(frozen=True)
class LeftOutAnswers:
    """How many scored answers are not in a figure of a metric, by reason.

    Attributes:
        unread: answers that could not be read, where the metric leaves these out.
        no_value: answers that were read and that the metric has no value for, such as those to a true value of 0.
        failed: calls that brought no text, where the user counts these as wrong and the metric leaves them out.
        unknown: answers of which no reason is known.
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
