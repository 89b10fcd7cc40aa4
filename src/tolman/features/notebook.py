"""How the objects of the API appear in a notebook (a table with title and remarks), and their tables as frames.

Texts come from models, data sets and files: in HTML they are text, never markup. Frames are of Polars, or of pandas
on request.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from tolman.errors import MissingExtraError, counted

if TYPE_CHECKING:
    import polars as pl


MAX_SHOWN_ROWS = 10
"""Rows of a table that a notebook shows."""
MAX_SHOWN_CHARACTERS = 120
"""Characters of a text that a notebook shows in a cell."""


@dataclass(frozen=True)
class NotebookTable:
    """A table of texts, and the remarks below it.

    Attributes:
        heads: of the columns; no table is shown where there are none.
        rows: a text for each column.
        remarks: a sentence each.
    """

    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    remarks: Sequence[str] = ()

    @classmethod
    def of(cls, frame: pl.DataFrame, *remarks: str) -> NotebookTable:
        """The first rows of a frame; that there are more is a remark."""
        rows = [[_cell(value) for value in row] for row in frame.head(MAX_SHOWN_ROWS).iter_rows()]
        more = frame.height - len(rows)
        last = [f"… and {counted(more, 'more row')}"] if more else []
        return cls(frame.columns, rows, [*last, *remarks])

    def html(self, title: str) -> str:
        """The table as HTML below a title."""
        head = "".join(f"<th>{escape(text)}</th>" for text in self.heads)
        body = "".join(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in self.rows)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if self.heads else ""
        below = "".join(f"<p>{escape(text)}</p>" for text in self.remarks)
        return f"<div><p><b>{escape(title)}</b></p>{table}{below}</div>"


class Displayable(ABC):
    """Base of the API's results: shows itself as a table in a notebook, and in one line elsewhere."""

    @abstractmethod
    def _title(self) -> str:
        """Return a title in one line."""

    @abstractmethod
    def _shown(self) -> NotebookTable:
        """Return the content below the title in a notebook."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._title()}>"

    def _repr_html_(self) -> str:
        return self._shown().html(self._title())


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= MAX_SHOWN_CHARACTERS else text[: MAX_SHOWN_CHARACTERS - 1] + "…"


def given_as(frame: pl.DataFrame, *, pandas: bool) -> pl.DataFrame | Any:
    """The frame, or a pandas frame of the same content.

    Raises:
        MissingExtraError: pandas is wanted and not installed.
    """
    if not pandas:
        return frame
    try:
        import pandas as pd  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        raise MissingExtraError("pandas", None, "A pandas frame") from None
    return pd.DataFrame(frame.to_dict(as_series=False))
