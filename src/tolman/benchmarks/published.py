"""The rows of the papers' tables, kept as CSV beside each benchmark."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tolman.errors import InputError


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One row of a paper's table.

    Attributes:
        group: 'model', 'human' or 'chance'.
        name: as printed.
        setting: what was evaluated other than the default ('tiny subset', 'one-shot' …); empty for the default.
        source: table or figure.
        values: column key → the figure; None where the paper prints none.
    """

    group: str
    name: str
    setting: str
    source: str
    values: dict[str, float | None]


def read_published(path: Path, keys: Sequence[str]) -> list[PublishedRow]:
    """Read such a file: the columns group, name, setting, source, then the table's keys.

    Raises:
        InputError: a column that the table doesn't have, or a figure that is no number.
    """
    rows = []
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        fixed = ("group", "name", "setting", "source")
        unknown = [name for name in reader.fieldnames or () if name not in fixed and name not in keys]
        if unknown:
            raise InputError(path, "is no column of the table", field=unknown[0])
        for number, row in enumerate(reader, start=2):
            try:
                values = {key: float(row[key]) if row.get(key) else None for key in keys}
            except ValueError as error:
                raise InputError(path, str(error), row=number) from None
            rows.append(PublishedRow(row["group"], row["name"], row["setting"], row["source"], values))
    return rows
