"""Figures of papers for parts of the questions, kept as CSV beside the rows of their tables."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tolman.errors import InputError

FILE = "published_cuts.csv"
"""Beside a benchmark's file of published rows."""
CUT_FIELDS = ("group", "name", "setting", "source", "by", "values", "column", "figure")
SEPARATOR, EVERY = " | ", "*"
"""Between several labels or values in a field; what stands for all values of a label."""


@dataclass(frozen=True, slots=True)
class PublishedCut:
    """One figure of a paper for a part of the questions.

    Attributes:
        group, name, setting, source: as those of a `PublishedRow`.
        by: the labels that tell the part, in the order of the paper's table.
        values: a value for each; None for all of its values together.
        column: key of the figure in the benchmark's table.
        value: as printed.
    """

    group: str
    name: str
    setting: str
    source: str
    by: tuple[str, ...]
    values: tuple[str | None, ...]
    column: str
    value: float


def read_published_cuts(path: Path, keys: Sequence[str]) -> list[PublishedCut]:
    """Read the figures of papers for parts of the questions, one a row.

    Args:
        path: CSV file with the columns of `CUT_FIELDS`, as in `human,Human,,Table 3,family,site/…,overall,100`; of
            several labels 'level | scene_type' with values as in 'planning | *'.
        keys: of the benchmark's table.

    Raises:
        InputError: another column, another number of values than of labels, or a figure that is no number.
    """
    found = []
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != CUT_FIELDS:
            raise InputError(path, f"has other columns than {', '.join(CUT_FIELDS)}", row=1)
        for number, row in enumerate(reader, start=2):
            by, values = tuple(row["by"].split(SEPARATOR)), tuple((row["values"] or "").split(SEPARATOR))
            if len(by) != len(values):
                raise InputError(path, f"{len(values)} values for {len(by)} labels", row=number, field="values")
            if row["column"] not in keys:
                raise InputError(path, f"{row['column']!r} is no column of the table", row=number, field="column")
            try:
                figure = float(row["figure"])
            except (TypeError, ValueError):
                raise InputError(path, f"{row['figure']!r} is no number", row=number, field="figure") from None
            kept = tuple(None if value == EVERY else value for value in values)
            head = (row["group"], row["name"], row["setting"], row["source"])
            found.append(PublishedCut(*head, by, kept, row["column"], figure))
    return found
