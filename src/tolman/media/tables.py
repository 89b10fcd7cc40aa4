"""Images that are stored inside a table of questions, as MMSI-Bench's are."""

from __future__ import annotations

import base64
import binascii
import csv
import json
from functools import lru_cache
from pathlib import Path

from tolman.media.video import BrokenMediaError

_CELL_LIMIT = 1 << 28


def image_in_table(path: Path, row: int, position: int) -> bytes:
    """One image of a row's list.

    Args:
        path: a Parquet file with a column `images` of byte strings, or a TSV with a column `image` of base64.
        row, position: from 0.

    Raises:
        BrokenMediaError: there is no such image.
    """
    try:
        images = _row_of_parquet(path, row) if path.suffix == ".parquet" else _row_of_tsv(path, row)
        return images[position]
    except (IndexError, KeyError, ValueError, binascii.Error) as error:
        raise BrokenMediaError(f"{path}, row {row + 1}: holds no image {position + 1} ({error})") from None


@lru_cache(maxsize=4)
def _row_of_parquet(path: Path, row: int) -> list[bytes]:
    import polars as pl

    try:
        cell = pl.scan_parquet(path).select("images").slice(row, 1).collect()["images"].to_list()[0]
    except pl.exceptions.PolarsError as error:
        raise BrokenMediaError(f"{path}: can't be read ({str(error).splitlines()[0]})") from None
    # The hub's own image type stores {"bytes": …, "path": …}.
    return [image["bytes"] if isinstance(image, dict) else image for image in cell]


@lru_cache(maxsize=4)
def _row_of_tsv(path: Path, row: int) -> list[bytes]:
    csv.field_size_limit(_CELL_LIMIT)
    with path.open(encoding="utf-8-sig", newline="") as file:
        for number, record in enumerate(csv.DictReader(file, delimiter="\t")):
            if number == row:
                cell = record["image"]
                encoded = json.loads(cell) if cell.startswith("[") else [cell]
                return [base64.b64decode(image, validate=True) for image in encoded]
    raise IndexError("the table has fewer rows")
