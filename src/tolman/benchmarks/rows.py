"""Reading the rows of released question files: Parquet, JSON Lines, JSON, CSV and TSV, checked field by field."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tolman.errors import InputError, UnknownFieldWarning
from tolman.extras import needs
from tolman.item_table import field_values, first_problem
from tolman.items import Item

Row = dict[str, Any]
KEY = "_key"
"""The name of a row in a JSON object of rows."""
_BATCH_BYTES = 1 << 26
_JSON_LIMIT = 1 << 26  # larger files are not read whole
_CSV_LIMIT = 1 << 28  # a row of MMSI's TSV holds up to ten images in base64


def read_rows(path: Path, columns: Sequence[str] | None = None) -> list[Row]:
    """All rows of a table file, by its suffix (.txt is read as JSON).

    Args:
        path: the file.
        columns: for Parquet, the columns to read; None for all.

    Raises:
        InputError: the file can't be read as what its suffix says.
    """
    rows = []
    for _, row in stream_rows(path, columns):
        if isinstance(row, InputError):
            raise row
        rows.append(row)
    return rows


def stream_rows(
    path: Path, columns: Sequence[str] | None = None, records: str | None = None
) -> Iterator[tuple[int, Row | InputError]]:
    """The rows of a table file one by one, in memory that doesn't grow with the file.

    Args:
        path: the file.
        columns: for Parquet and Arrow, the columns to read; None for all.
        records: for JSON, where its list of rows stands: a dotted name of keys such as 'data.questions'; the whole file
            where None. An object in place of a list gives its values, each with its name under `KEY`.

    Yields:
        The number of the row or line as people count it, and the row, or what is wrong with it.

    Raises:
        InputError: the file can't be read as what its suffix says.
    """
    readers: dict[str, Callable[[Path], Iterator[tuple[int, Row | InputError]]]] = {
        ".parquet": lambda p: _parquet(p, columns),
        ".arrow": lambda p: _arrow(p, columns),
        ".jsonl": _json_lines,
        ".json": lambda p: _json(p, records),
        ".txt": lambda p: _json(p, records),
        ".csv": lambda p: _separated(p, ","),
        ".tsv": lambda p: _separated(p, "\t"),
    }
    if not path.is_file():
        raise InputError(path, "does not exist")
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(path, f"has an unknown suffix '{path.suffix}'", fix=f"use one of {', '.join(readers)}")
    try:
        yield from reader(path)
    except UnicodeDecodeError as error:
        raise InputError(path, f"is not UTF-8 text (byte {error.start})", fix="save it as UTF-8") from None
    except OSError as error:
        raise InputError(path, error.strerror or "can't be read") from None


def check_fields(path: Path, number: int, row: Row, required: Iterable[str], optional: Iterable[str] = ()) -> None:
    """Make sure that a row has the fields it needs; fields that are unknown are told, for releases gain columns.

    Raises:
        InputError: naming the row and the first field that is missing.
    """
    required = list(required)
    known = [*required, *optional]
    for field in required:
        if row.get(field) is None:
            raise InputError(path, "is missing", row=number, field=field, fix="check that the file is the benchmark's")
    unknown = [field for field in row if field not in known]
    if unknown and number == 1:  # once for a file
        names = ", ".join(f"'{field}'" for field in unknown)
        warnings.warn(
            f"{path}: {names} {'is' if len(unknown) == 1 else 'are'} not known of this benchmark and not read; a newer "
            "release may have more fields.",
            UnknownFieldWarning,
            stacklevel=2,
        )


def make_item(path: Path, number: int, **fields: Any) -> Item:
    """An Item, or a sentence that says what in the row is wrong.

    Raises:
        InputError: naming the row and the field.
    """
    try:
        return Item(**fields)
    except ValidationError as error:
        field, what = first_problem(error)
        raise InputError(path, what, row=number, field=field, fix="correct the row or leave it out") from None


def check_unique(path: Path, items: Sequence[Item]) -> None:
    """Make sure that no id is used twice.

    Raises:
        InputError: naming the second row and the id.
    """
    seen: dict[str, int] = {}
    for number, identity in enumerate(field_values(items, "id"), start=1):
        if identity in seen:
            raise InputError(
                path,
                f"the id {identity!r} is also row {seen[identity]}'s",
                row=number,
                field="id",
                fix="give each row its own",
            )
        seen[identity] = number


def _parquet(path: Path, columns: Sequence[str] | None) -> Iterator[tuple[int, Row | InputError]]:
    import polars as pl

    try:
        table = pl.scan_parquet(path)
        if columns:
            table = table.select(columns)
        count = int(table.select(pl.len()).collect().item())
        # Pictures inside rows make them large: so many at a time as about 64 MB of the file hold.
        batch = max(16, min(50_000, int(_BATCH_BYTES * max(1, count) / max(1, path.stat().st_size))))
        for start in range(0, count, batch):
            yield from enumerate(table.slice(start, batch).collect().iter_rows(named=True), start=start + 1)
    except pl.exceptions.ColumnNotFoundError as error:
        raise InputError(path, f"lacks a column: {str(error).splitlines()[0]}") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(
            path, f"is no readable Parquet file ({str(error).splitlines()[0]})", fix="fetch it again"
        ) from None


def _arrow(path: Path, columns: Sequence[str] | None) -> Iterator[tuple[int, Row | InputError]]:
    """A shard as `datasets.save_to_disk` writes it, which is a stream; its size is what it limits shards to."""
    import polars as pl

    try:
        table = pl.read_ipc_stream(path, columns=list(columns) if columns else None)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(path, f"is no readable Arrow file ({str(error).splitlines()[0]})") from None
    yield from enumerate(table.iter_rows(named=True), start=1)


def _json_lines(path: Path) -> Iterator[tuple[int, Row | InputError]]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    yield number, _object(path, number, _parse(path, line, number))
                except InputError as error:
                    yield number, error


def _json(path: Path, records: str | None) -> Iterator[tuple[int, Row | InputError]]:
    if path.stat().st_size > _JSON_LIMIT:
        yield from _large_json(path, records)
        return
    data = _parse(path, path.read_text(encoding="utf-8-sig"), None)
    for key in records.split(".") if records else ():
        if not isinstance(data, dict) or key not in data:
            raise InputError(path, "is missing", field=records, fix="name the key that holds the rows")
        data = data[key]
    if isinstance(data, dict) and data and all(isinstance(value, dict) for value in data.values()):
        data = [{KEY: key} | value for key, value in data.items()]
    if not isinstance(data, list):
        raise InputError(path, "is no JSON list", fix="give a list of objects")
    for number, row in enumerate(data, start=1):
        try:
            yield number, _object(path, number, row)
        except InputError as error:
            yield number, error


def _large_json(path: Path, records: str | None) -> Iterator[tuple[int, Row | InputError]]:
    with needs("curate", f"Reading a JSON file as large as {path.name}"):
        import ijson
    try:
        with path.open("rb") as file:
            opening = next((value for prefix, value, _ in ijson.parse(file) if prefix == (records or "")), None)
        with path.open("rb") as file:
            found: Iterable[Any]
            if opening == "start_map":
                found = ({KEY: key} | value if isinstance(value, dict) else value
                         for key, value in ijson.kvitems(file, records or "", use_float=True))  # fmt: skip
            else:
                found = ijson.items(file, f"{records}.item" if records else "item", use_float=True)
            for number, row in enumerate(found, start=1):
                try:
                    yield number, _object(path, number, row)
                except InputError as error:
                    yield number, error
    except ijson.JSONError as error:
        raise InputError(path, f"is no JSON ({error})", fix="correct or fetch the file again") from None


def _separated(path: Path, separator: str) -> Iterator[tuple[int, Row | InputError]]:
    csv.field_size_limit(_CSV_LIMIT)
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            for number, row in enumerate(csv.DictReader(file, delimiter=separator, strict=True), start=2):
                if None in row or None in row.values():
                    fix = "quote cells that hold a separator"
                    yield number, InputError(path, "has more or fewer cells than the header", row=number, fix=fix)
                else:
                    yield number, row
        except csv.Error as error:
            raise InputError(path, f"is no table ({error})") from None


def _parse(path: Path, text: str, number: int | None) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"is no JSON ({error})", row=number, fix="correct or fetch the file again") from None


def _object(path: Path, number: int, row: Any) -> Row:
    if not isinstance(row, dict):
        raise InputError(path, "is no JSON object", row=number)
    return row
