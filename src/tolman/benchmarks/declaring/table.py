"""The table of a benchmark that is a data file."""

from __future__ import annotations

from tolman.benchmarks.declaring.schema import ColumnOfTable, Declaration
from tolman.errors import UsageError
from tolman.names import unknown
from tolman.scoring.table import Column, Mean, Node, Table, pool


def table_of(declared: Declaration) -> Table:
    """The columns in the file's order.

    Raises:
        UsageError: a mean of a column that there is not or that stands in itself, or a metric that there is not.
    """
    columns = {column.key: column for column in declared.table.columns}
    return Table(
        tuple(
            Column(one.key, one.title, _node(one, columns, ()), digits=one.digits, group=one.group)
            for one in declared.table.columns
        ),
        headline=declared.table.headline,
    )


def _node(column: ColumnOfTable, columns: dict[str, ColumnOfTable], above: tuple[str, ...]) -> Node:
    if not column.mean_of:
        return pool(*column.tasks, metric=column.metric)
    if column.key in above:
        raise UsageError(f"the column '{column.key}' is a mean of itself; take it out of its mean_of.")
    for key in column.mean_of:
        if key not in columns:
            raise unknown("column", key, columns)
    parts = tuple(_node(columns[key], columns, (*above, column.key)) for key in column.mean_of)
    return Mean(parts, column.weights or None)
