"""Images that are stored inside a table of questions, as MMSI-Bench's are.

A medium of a table has the table's path. Where its column isn't `images` (Parquet) or `image` (all other forms), '#'
and the column's name stand behind the path: 'val.parquet#image_2'.
"""

from __future__ import annotations

import base64
import binascii
import csv
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from tolman.files import cache_folder
from tolman.media.video import BrokenMediaError

_CELL_LIMIT = 1 << 28
_MARK = "#"
_JSON = (".json", ".jsonl")
SUFFIXES = (".parquet", ".tsv", ".csv", *_JSON)
"""Tables that images are read from."""


def in_column(file: str, column: str) -> str:
    """The path of a medium that stands in a column of a table; of the usual column the table's own."""
    return file if column == _usual(Path(file)) else f"{file}{_MARK}{column}"


def table_and_column(path: str) -> tuple[str, str | None]:
    """The inverse of `in_column`: a table's path, and the column where one is named."""
    file, mark, column = path.rpartition(_MARK)
    return (file, column) if mark and Path(file).suffix.lower() in SUFFIXES else (path, None)


def column_of(path: str) -> str:
    """The column of a table that a medium stands in."""
    file, named = table_and_column(path)
    return named or _usual(Path(file))


def image_in_table(path: Path, row: int, position: int) -> bytes:
    """One image of a row.

    Args:
        path: a Parquet file with byte strings or the hub's images, or another table with base64; with its column as
            `in_column` writes it.
        row, position: from 0; the position in the row's list, 0 where it has one image.

    Raises:
        BrokenMediaError: there is no such image.
    """
    file, named = table_and_column(str(path))
    table = Path(file)
    column = named or _usual(table)
    try:
        if table.suffix.lower() == ".parquet":
            return _row_of_parquet(table, column, row)[position]
        return (_unpacked(table, column, _state(table)) / f"{row}-{position}").read_bytes()
    except (IndexError, KeyError, ValueError, FileNotFoundError) as error:
        said = (
            f"{type(error).__name__}: {error}" if not isinstance(error, FileNotFoundError) else "no such row or place"
        )
        raise BrokenMediaError(f"{table}, row {row + 1}: holds no image {position + 1} ({said})") from None


def _usual(table: Path) -> str:
    return "images" if table.suffix.lower() == ".parquet" else "image"


def _state(table: Path) -> tuple[int, int]:
    found = table.stat()
    return found.st_size, found.st_mtime_ns


@lru_cache(maxsize=16)
def _row_of_parquet(path: Path, column: str, row: int) -> list[bytes]:
    import polars as pl

    try:
        cell = pl.scan_parquet(path).select(column).slice(row, 1).collect()[column].to_list()[0]
    except pl.exceptions.PolarsError as error:
        raise BrokenMediaError(f"{path}: can't be read ({str(error).splitlines()[0]})") from None
    return images_in(cell)


def images_in(cell: Any) -> list[bytes]:
    """The images of a cell: a list of them or one; bytes, the hub's {"bytes": …, "path": …}, or base64.

    Raises:
        ValueError: one is none of these.
    """
    if isinstance(cell, str) and cell.startswith("["):
        cell = json.loads(cell)
    images = cell if isinstance(cell, list) else [] if cell in (None, "", "nan") else [cell]
    found = []
    for image in images:
        content = image.get("bytes") if isinstance(image, dict) else image
        if isinstance(content, str):
            head, comma, _ = content[:64].partition("base64,")
            content = base64.b64decode(content[len(head) + len(comma) :] if comma else content, validate=True)
        if not isinstance(content, bytes):
            raise ValueError("is neither bytes nor base64")
        found.append(content)
    return found


@lru_cache(maxsize=16)
def _unpacked(table: Path, column: str, state: tuple[int, int]) -> Path:
    """The folder with the images of a text table, written once: none of these forms can be read at a row."""
    key = hashlib.sha256(repr((str(table.resolve()), state, column)).encode()).hexdigest()
    folder = cache_folder() / "tables" / key[:2] / key
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder.parent))
    try:
        for row, cell in enumerate(_cells(table, column)):
            try:
                images = images_in(cell)
            except (ValueError, binascii.Error):
                continue  # told where this row's image is asked for
            for position, content in enumerate(images):
                (work / f"{row}-{position}").write_bytes(content)
        try:
            work.rename(folder)
        except OSError:
            if not folder.is_dir():  # another process was first: its content is the same
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder


def _cells(table: Path, column: str) -> Iterator[Any]:
    suffix = table.suffix.lower()
    with table.open(encoding="utf-8-sig", newline="") as file:
        if suffix == ".jsonl":
            yield from (json.loads(line).get(column) for line in file if line.strip())
        elif suffix == ".json":
            rows = json.load(file)
            yield from (row.get(column) for row in (rows.values() if isinstance(rows, dict) else rows))
        else:
            csv.field_size_limit(_CELL_LIMIT)
            for record in csv.DictReader(file, delimiter="\t" if suffix == ".tsv" else ","):
                yield record.get(column)
