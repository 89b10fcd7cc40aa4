"""Cuts: a benchmark's figures for parts of its questions, by one label or by several crossed.

Each cell is the whole table over the questions of the cell: the same metric, composites, intervals clustered by scene,
rules for parts without a question, unread and unanswered responses as in the main table (`scoring.aggregate`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.analyze.labels import in_order
from tolman.errors import UsageError
from tolman.scoring.aggregate import Cell, Prepared, cells_of, prepare
from tolman.scoring.table import Table
from tolman.scoring.unread import ReadStates, Unread, unread_of

Values = tuple[str | None, ...]
"""A value for each label of a cut; None stands for all of its values together."""

MOST_CELLS = 2_000
"""Cells of one cut; a label that has a value of its own for each question is a mistake more often than a wish."""

_PREFIX = "label:"


@dataclass(frozen=True)
class CutCell:
    """The figures of one part of the questions.

    Attributes:
        cells: column key of the benchmark's table → figure.
        unread: column key → what of it could not be read.
        items: questions in the part, answered or not.
    """

    cells: Mapping[str, Cell]
    unread: Mapping[str, Unread]
    items: int


@dataclass(frozen=True)
class Cut:
    """A run's figures under one scorer, by labels.

    Attributes:
        by: the labels.
        values: the values of each label, in the order of a table.
        cells: values → the part's figures. Besides each combination that occurs: all values of the last label
            together (None in its place), all values of the others, and all questions.
        types: of those labels whose value follows from the question type (see `cut`), the types of each value.
    """

    by: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    cells: Mapping[Values, CutCell]
    types: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)

    @property
    def follows_task(self) -> tuple[str, ...]:
        """The labels whose value follows from the question type."""
        return tuple(self.types)


def cut(
    scores: pl.DataFrame,
    labels: pl.DataFrame,
    by: Sequence[str],
    table: Table,
    *,
    columns: Collection[str] | None = None,
) -> Cut:
    """Figures by labels.

    Of a label that follows from the question type, such as a level or a category, each value has question types of its
    own. A composite is then formed over its parts of those types: SpatialBench's Score for the level Planning is the
    mean of that level, and doesn't count the other four as missing.

    Args:
        scores: rows of `scoring.score.score` for one rule set.
        labels: values by `id` (`analyze.labels.label_frame`), of every item in the scores.
        by: names of its columns.
        table: of the rule set (`BenchmarkSpec.table_of`).
        columns: keys of the table's columns that are wanted; all where None.

    Returns:
        The figures, for each combination of values that has a question.

    Raises:
        UsageError: one label is named twice, or the labels have more than `MOST_CELLS` combinations.
    """
    by = tuple(by)
    twice = next((name for name in by if by.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"a table by {', '.join(by)} names the label '{twice}' twice; name it once.")
    named = labels.select("id", *(pl.col(name).alias(_PREFIX + name) for name in by))
    rows = scores.join(named, on="id", how="inner", maintain_order="left")
    values = tuple(tuple(_in_tables_order(rows, name, table)) for name in by)
    count = rows.select(_PREFIX + name for name in by).n_unique() if by else 1
    if count > MOST_CELLS:
        many = max(by, key=lambda name: len(values[by.index(name)]))
        raise UsageError(
            f"a table by {', '.join(by)} has {count:,} cells; {MOST_CELLS:,} are the most. Leave out '{many}', "
            f"which has {len(values[by.index(many)]):,} values."
        )
    types = {name: own for name in by if (own := _types_by_value(rows, name)) is not None}
    states = ReadStates.of(rows)
    prepared: dict[frozenset[str] | None, tuple[Prepared, Table]] = {}
    ids = rows["id"].rank("dense").to_numpy().astype(np.intp) if len(rows) else np.zeros(0, np.intp)
    found: dict[Values, CutCell] = {}
    for grouping in dict.fromkeys([by, by[:-1], by[-1:], ()]):
        for key, inside in _parts(rows, grouping):
            given = dict(zip(grouping, key, strict=True))
            limits = [types[name][value] for name, value in given.items() if name in types]
            tasks = frozenset[str].intersection(*limits) if limits else None
            if tasks not in prepared:
                meant = table if tasks is None else table.restricted(tasks)
                prepared[tasks] = prepare(rows, meant), meant
            data, meant = prepared[tasks]
            part = data.part(inside)
            found[tuple(given.get(name) for name in by)] = CutCell(
                cells_of(part, meant, columns),
                unread_of(part, states.part(inside[data.rows]), meant, columns),
                len(np.unique(ids[inside])),
            )
    return Cut(by, values, found, types)


def _parts(rows: pl.DataFrame, by: Sequence[str]) -> Iterator[tuple[tuple[str, ...], NDArray[np.bool_]]]:
    """The combinations of values that occur, in the order of rows, and which rows have each."""
    if not by:
        yield (), np.ones(len(rows), dtype=bool)
        return
    keys = list(zip(*(rows[_PREFIX + name].to_list() for name in by), strict=True))
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    codes = np.array([numbers[key] for key in keys], dtype=np.intp)
    for key, number in numbers.items():
        yield key, codes == number


def _types_by_value(rows: pl.DataFrame, name: str) -> dict[str, frozenset[str]] | None:
    """The question types of each value of a label; None where two values share one, or there is one value only."""
    pairs = rows.filter(pl.col("task") != "").select(_PREFIX + name, "task").unique()
    if pairs[_PREFIX + name].n_unique() < 2 or pairs["task"].n_unique() < len(pairs):
        return None
    found: dict[str, set[str]] = {value: set() for value in rows[_PREFIX + name].unique()}
    for value, task in pairs.iter_rows():
        found[value].add(task)
    return {value: frozenset(tasks) for value, tasks in found.items()}


def _in_tables_order(rows: pl.DataFrame, name: str, table: Table) -> list[str]:
    """A label's values: question types, and classes of them, as the table's columns have them; others by `in_order`."""
    ordered = in_order(rows[_PREFIX + name].unique().to_list())
    types, places = _types_by_value(rows, name), table.places_of_tasks
    if types is None or not any(places.get(task) for own in types.values() for task in own):
        return ordered
    last = (len(table.columns),)
    return sorted(ordered, key=lambda value: min((places.get(task) or last for task in types[value]), default=last))
