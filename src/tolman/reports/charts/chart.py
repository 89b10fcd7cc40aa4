"""Chart: the data table of a figure, and what is written around it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

SCHEMA: dict[str, Any] = {
    "panel": pl.String,
    "series": pl.String,
    "role": pl.String,
    "label": pl.String,
    "x": pl.Float64,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
    "unread": pl.Float64,
    "unanswered": pl.Int64,
}
"""Columns of every figure's data; a kind of figure says which of them it fills.

`panel` is a part of the figure with axes of its own, `series` what has one colour, `role` one of `ROLES`, `label` a
place on an axis of names, `x` one on an axis of numbers, `value` the figure, `low` and `high` the ends of its 95 %
interval, `n` the items behind it, `unread` the per cent of their responses without a readable answer, `unanswered` the
items that failed or are missing and are in no figure."""

ROLES = ("run", "chance", "human", "published")
"""Whose a value is: a run's, a baseline's or a person's row of a paper, a model's row of a paper."""

MOST_LETTERS = 60
"""Letters of a label; longer ones are cut, for a model's or a file's text may have any length."""

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]+")


@dataclass(frozen=True)
class Chart:
    """A figure before it is drawn.

    Attributes:
        data: one row for each mark, with the columns of `SCHEMA`.
        title: above it.
        x, y: what stands at the axes; '' for none.
        notes: sentences below it: what is not in the data, what could not be read.
        settings: of the form that draws it, such as the ends of an axis.
    """

    data: pl.DataFrame
    title: str
    x: str = ""
    y: str = ""
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def values(self, column: str) -> list[str]:
        """The distinct texts of a column, in the order of their first row."""
        return [str(text) for text in self.data[column].drop_nulls().unique(maintain_order=True)]

    def series(self, *roles: str) -> list[str]:
        """The names of series, in the order of their first row; of some roles where these are named."""
        rows = self.data.filter(pl.col("role").is_in(roles)) if roles else self.data
        return [str(text) for text in rows["series"].drop_nulls().unique(maintain_order=True)]

    def filled(self) -> pl.DataFrame:
        """The data without the columns that this figure doesn't fill."""
        return self.data.select([name for name in self.data.columns if self.data[name].null_count() < len(self.data)])

    def to_csv(self) -> str:
        """The same as CSV."""
        return self.filled().write_csv()


def frame(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """The data of a chart from rows that give some of its columns; the others are null."""
    return pl.DataFrame([{name: row.get(name) for name in SCHEMA} for row in rows], schema=SCHEMA, orient="row")


def plain(text: str, most: int = MOST_LETTERS) -> str:
    """A text as it can stand in a picture: one line, no control characters, at most so many letters."""
    said = _UNPRINTABLE.sub(" ", " ".join(text.split())).strip()
    return said if len(said) <= most else said[: most - 1].rstrip() + "…"


def shortened(names: Sequence[str], most: int = MOST_LETTERS) -> dict[str, str]:
    """Names as they can stand in a picture, each unlike the others: where two are alike when cut, a number follows."""
    found: dict[str, str] = {}
    for name in names:
        said, number = plain(name, most), 2
        while said in found.values():
            said, number = f"{plain(name, most - 4)} ({number})", number + 1
        found[name] = said
    return found
