"""Figures of further metrics: any metric on any benchmark, for each question type, beside the benchmark's own table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from tolman.scoring.aggregate import Cell, cells, column_of
from tolman.scoring.metric import Metric
from tolman.scoring.table import Column, Table, pool

ALL = "all"
"""The key of the figure over all questions; 'all questions' where a question type is called so."""


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
        asked = scores.filter(pl.col(column_of(metric)).is_not_null() & (pl.col("task") != ""))
        tasks = asked["task"].unique(maintain_order=True).to_list()
        if tasks:
            found[metric.name] = cells(scores, further_table(metric, tasks))
    return found


def further_table(metric: Metric, tasks: Sequence[str]) -> Table:
    """A table of one metric: a column for each question type, and one for all questions."""
    whole = ALL if ALL not in tasks else "all questions"
    columns = [Column(task, task, pool(task, metric=metric), digits=metric.digits) for task in tasks]
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
