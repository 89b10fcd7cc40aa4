"""Reading the rows of released question files: Parquet, JSON Lines, JSON, CSV and TSV, checked field by field."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tolman.errors import InputError
from tolman.items import Item

Row = dict[str, Any]
_CSV_LIMIT = 1 << 28  # a row of MMSI's TSV holds up to ten images in base64


def find_file(folder: Path, patterns: Sequence[str], what: str) -> Path:
    """The first file in a folder (or below it) that fits one of some patterns, tried in order.

    Raises:
        InputError: there is none.
    """
    if folder.is_file():
        return folder
    if not folder.is_dir():
        raise InputError(folder, "does not exist", fix=f"give the folder that holds {what} with --data")
    for pattern in patterns:
        found = sorted(folder.glob(pattern)) or sorted(folder.glob(f"**/{pattern}"))
        if found:
            return found[0]
    raise InputError(folder, f"holds no {what}", fix=f"put one of {', '.join(patterns)} there")


def read_rows(path: Path, columns: Sequence[str] | None = None) -> list[Row]:
    """All rows of a table file, by its suffix (.txt is read as JSON).

    Args:
        path: the file.
        columns: for Parquet, the columns to read; None for all.

    Raises:
        InputError: the file can't be read as what its suffix says.
    """
    readers: dict[str, Callable[[Path], list[Row]]] = {
        ".parquet": lambda p: _parquet(p, columns),
        ".jsonl": _json_lines,
        ".json": _json,
        ".txt": _json,
        ".csv": lambda p: _separated(p, ","),
        ".tsv": lambda p: _separated(p, "\t"),
    }
    if not path.is_file():
        raise InputError(path, "does not exist")
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(path, f"has an unknown suffix '{path.suffix}'", fix=f"use one of {', '.join(readers)}")
    try:
        return reader(path)
    except UnicodeDecodeError as error:
        raise InputError(path, f"is not UTF-8 text (byte {error.start})", fix="save it as UTF-8") from None
    except OSError as error:
        raise InputError(path, error.strerror or "can't be read") from None


def check_fields(path: Path, number: int, row: Row, required: Iterable[str], optional: Iterable[str] = ()) -> None:
    """Make sure that a row has the fields it needs and no other.

    Raises:
        InputError: naming the row and the first field that is wrong.
    """
    required = list(required)
    known = [*required, *optional]
    for field in required:
        if row.get(field) is None:
            raise InputError(path, "is missing", row=number, field=field, fix="check that the file is the benchmark's")
    for field in row:
        if field not in known:
            raise InputError(
                path, "is not a field of this benchmark", row=number, field=field, fix=f"known: {', '.join(known)}"
            )


def make_item(path: Path, number: int, **fields: Any) -> Item:
    """An Item, or a sentence that says what in the row is wrong.

    Raises:
        InputError: naming the row and the field.
    """
    try:
        return Item(**fields)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "answer"
        what = first["msg"].removeprefix("Value error, ")
        raise InputError(path, what, row=number, field=field, fix="correct the row or leave it out") from None


def check_unique(path: Path, items: Sequence[Item]) -> None:
    """Make sure that no id is used twice.

    Raises:
        InputError: naming the second row and the id.
    """
    seen: dict[str, int] = {}
    for number, item in enumerate(items, start=1):
        if item.id in seen:
            raise InputError(
                path,
                f"the id {item.id!r} is also row {seen[item.id]}'s",
                row=number,
                field="id",
                fix="give each row its own",
            )
        seen[item.id] = number


def _parquet(path: Path, columns: Sequence[str] | None) -> list[Row]:
    import polars as pl

    try:
        return pl.read_parquet(path, columns=list(columns) if columns else None).to_dicts()
    except pl.exceptions.ColumnNotFoundError as error:
        raise InputError(path, f"lacks a column: {str(error).splitlines()[0]}") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(
            path, f"is no readable Parquet file ({str(error).splitlines()[0]})", fix="fetch it again"
        ) from None


def _json_lines(path: Path) -> list[Row]:
    rows = []
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                rows.append(_object(path, number, _parse(path, line, number)))
    return rows


def _json(path: Path) -> list[Row]:
    data = _parse(path, path.read_text(encoding="utf-8-sig"), None)
    if not isinstance(data, list):
        raise InputError(path, "is no JSON list", fix="give a list of objects")
    return [_object(path, number, row) for number, row in enumerate(data, start=1)]


def _separated(path: Path, separator: str) -> list[Row]:
    csv.field_size_limit(_CSV_LIMIT)
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            rows = list(csv.DictReader(file, delimiter=separator, strict=True))
        except csv.Error as error:
            raise InputError(path, f"is no table ({error})") from None
    for number, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise InputError(
                path, "has more or fewer cells than the header", row=number, fix="quote cells that hold a separator"
            )
    return rows


def _parse(path: Path, text: str, number: int | None) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"is no JSON ({error})", row=number, fix="correct or fetch the file again") from None


def _object(path: Path, number: int, row: Any) -> Row:
    if not isinstance(row, dict):
        raise InputError(path, "is no JSON object", row=number)
    return row
