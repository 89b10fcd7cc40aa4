"""Tables of the API: Polars frames, pandas frames on request, and HTML for notebooks.

Texts in them come from models and data sets: in HTML they are text, never markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from tolman.errors import MissingExtraError

if TYPE_CHECKING:
    import polars as pl

MAX_SHOWN_ROWS = 10
"""Rows of a table that a notebook shows."""
MAX_SHOWN_CHARACTERS = 120
"""Characters of a text that a notebook shows in a cell."""


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
        raise MissingExtraError("pandas", "pandas", "A pandas frame") from None
    return pd.DataFrame(frame.to_dict(as_series=False))


def html_of(frame: pl.DataFrame, title: str, remarks: Iterable[str] = ()) -> str:
    """A frame's first rows as HTML, with a title and remarks."""
    shown = [[_said(value) for value in row] for row in frame.head(MAX_SHOWN_ROWS).iter_rows()]
    more = frame.height - len(shown)
    last = [f"… and {more:,} more rows"] if more else []
    return html_rows(frame.columns, shown, title, [*last, *remarks])


def html_rows(heads: Sequence[str], rows: Iterable[Sequence[str]], title: str, remarks: Iterable[str] = ()) -> str:
    """A table of texts as HTML."""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in rows)
    below = "".join(f"<p>{escape(text)}</p>" for text in remarks)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div><p><b>{escape(title)}</b></p>{table}{below}</div>"


def _said(value: Any) -> str:
    if value is None:
        return "–"
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= MAX_SHOWN_CHARACTERS else text[: MAX_SHOWN_CHARACTERS - 1] + "…"
