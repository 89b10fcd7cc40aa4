"""Cells of text tables: lists that are read from them, and CSV that is safe in a spreadsheet.

pandas writes a column of lists as `str(list)`, with single quotes, so released TSV files hold JSON or Python literals.
Only literals are evaluated, and a cell's content is checked before Python's parser sees it.

In written CSV, a cell that a spreadsheet would compute as a formula begins with an apostrophe.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from tolman.extras import pl

MAX_CHARACTERS = 1 << 28
"""Longest cell that is read: a list of pictures in base64 is tens of megabytes."""
MAX_STRUCTURE = 1 << 20
"""Most characters of a Python literal outside of its texts."""
_TEXT = re.compile(r"""'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+\"""", re.DOTALL)
_STRUCTURE = re.compile(r"(?:b?'|-?\d[\d.]*+(?:e[-+]?\d++)?|None|True|False|[\[\](){},:\s])*+")
_SIDE_BY_SIDE = re.compile(r"'\s*b?'")


def read_cell(text: str) -> list[Any] | dict[Any, Any]:
    """The value of a cell that holds a list or a mapping.

    Args:
        text: JSON or a Python literal.

    Returns:
        A list, of a Python tuple too, or a mapping.

    Raises:
        ValueError: it is neither, with the reason as the rest of a sentence.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"is longer than {MAX_CHARACTERS:,} characters")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = _literal(text)
    found = list(found) if isinstance(found, tuple) else found
    if not isinstance(found, list | dict):
        raise ValueError("is no list")
    return found


def is_list_cell(value: object) -> bool:
    """Check whether a cell is a text that looks like a list or a mapping."""
    return isinstance(value, str) and value.lstrip()[:1] in ("[", "{")


def _literal(text: str) -> Any:
    structure = _TEXT.sub("'", text)  # a quotation mark for each text
    if _SIDE_BY_SIDE.search(structure):  # Python would join them
        raise ValueError("has texts without commas between them, as NumPy writes an array")
    if len(structure) > MAX_STRUCTURE or not _STRUCTURE.fullmatch(structure):
        raise ValueError("is neither JSON nor a Python list")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a backslash in a text
            return ast.literal_eval(text.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise ValueError("is neither JSON nor a Python list") from None


_COMPUTED = re.compile(r"[=@\t\r]|[+-](?!\d*\.?\d+(e[+-]?\d+)?$)", re.IGNORECASE)
"""The beginning of a formula; a number with its sign is none."""


def safe_cell(value: Any) -> Any:
    """A value as a cell; a text that a spreadsheet would compute begins with an apostrophe."""
    return f"'{value}" if isinstance(value, str) and _COMPUTED.match(value) else value


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([safe_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def frame_csv(frame: pl.DataFrame, float_precision: int | None = None) -> str:
    """A frame as CSV, with its columns' names as the first line."""
    texts = [name for name, kind in frame.schema.items() if kind in (pl.String, pl.Categorical)]
    safe = frame.with_columns(
        pl.col(name).cast(pl.String).map_elements(safe_cell, return_dtype=pl.String) for name in texts
    )
    return safe.rename({name: safe_cell(name) for name in frame.columns}).write_csv(float_precision=float_precision)
