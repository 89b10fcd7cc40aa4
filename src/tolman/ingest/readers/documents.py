"""Text files of scans and the numbers in them. What is wrong with one is said with file and line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats


def read_text(path: Path) -> str:
    """A text file.

    Raises:
        InputError: it is missing, can't be read or is no text.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(path, "is missing") from None
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise InputError(path, f"is no text: byte {error.start:,} is no UTF-8", fix="get it again") from None


def numbers_of(path: Path, words: Sequence[str], row: int | str | None = None) -> Floats:
    """Words as numbers, shape (n,).

    Raises:
        InputError: one is no number, or not finite.
    """
    try:
        found = np.array([float(word) for word in words])
    except ValueError as error:
        raise InputError(path, f"a number was expected ({error})", row=row) from None
    if not np.isfinite(found).all():
        raise InputError(
            path, f"holds '{words[int(np.flatnonzero(~np.isfinite(found))[0])]}', which isn't finite", row=row
        )
    return found


def list_of(path: Path, value: Any, count: int, row: int | str | None, field: str) -> Floats:
    """A list of so many finite numbers of a JSON file, shape (count,).

    Raises:
        InputError: it is none.
    """
    try:
        found = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        found = np.empty(0)
    if found.shape != (count,) or not np.isfinite(found).all():
        raise InputError(path, f"takes {count} finite numbers", row=row, field=field)
    return found
