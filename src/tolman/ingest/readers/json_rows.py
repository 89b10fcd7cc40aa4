"""JSON files that are one long list of records, read one record after the other: tables of millions of rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from tolman.errors import InputError

_CHUNK = 1 << 20
_LONGEST = 1 << 22
"""Characters of the longest row that is believed."""
_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True)
class JsonRow:
    """One record.

    Attributes:
        number: its place in the list, from 1.
        fields: what it holds.
        text: as it stands in the file.
    """

    number: int
    fields: dict[str, Any]
    text: str


def rows(path: Path) -> Iterator[JsonRow]:
    """The records of a file, in constant memory.

    Raises:
        InputError: the file is missing, or isn't a list of JSON objects to its end; names the row.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from _Scanner(path, file.read).rows()
    except UnicodeDecodeError as error:
        raise InputError(path, f"is no text in UTF-8 ({error.reason})", fix="download it again") from None
    except FileNotFoundError:
        raise InputError(path, "is missing", fix="download it") from None
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror or error})") from None


class _Scanner:
    """A window that is moved over a text."""

    def __init__(self, path: Path, read: Any) -> None:
        self._path, self._read = path, read
        self._decoder = json.JSONDecoder(parse_constant=_refuse)
        self._text, self._at, self._number = "", 0, 0

    def rows(self) -> Iterator[JsonRow]:
        if self._next() != "[":
            raise InputError(self._path, "is no list of records", fix="download it again")
        self._at += 1
        first = True
        while (sign := self._next()) != "]":
            if not first:
                if sign != ",":
                    self._broken(
                        "is followed by something other than ',' or ']'" if sign else "is the last, and no ']' follows"
                    )
                self._at += 1
                sign = self._next()
            self._number += 1
            if sign != "{":
                self._broken("is no record" if sign else "is missing: the file is cut off")
            yield self._row()
            first = False
        self._at += 1
        if self._next():
            raise InputError(self._path, "goes on after the end of its list", fix="download it again")

    def _row(self) -> JsonRow:
        while True:
            try:
                fields, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                # Perhaps the rest of the row hasn't been read yet.
                if len(self._text) - self._at > _LONGEST:
                    self._broken(f"is no JSON ({error.msg})")
                if not self._more():
                    self._broken("is cut off" if error.pos >= len(self._text.rstrip()) else f"is no JSON ({error.msg})")
            except (ValueError, RecursionError) as error:
                self._broken(f"is no JSON ({error})")
            else:
                row = JsonRow(self._number, fields, self._text[self._at : end])
                self._at = end
                return row

    def _next(self) -> str:
        """The next character that is no space; empty at the end of the file."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        more = self._read(_CHUNK)
        self._text, self._at = self._text[self._at :] + more, 0
        return bool(more)

    def _broken(self, what: str) -> NoReturn:
        raise InputError(self._path, what, row=self._number, fix="download it again")


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
