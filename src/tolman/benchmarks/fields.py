"""Values that a mapping, or a benchmark's file, takes out of a row."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from tolman.benchmarks.rows import Row
from tolman.text_tables import is_list_cell, read_cell

_NAME = re.compile(r"\{([^{}]+)\}")
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


class Unmappable(Exception):  # noqa: N818 - a row's fate, not an error of the program
    """A row that can't become a candidate; its text is the reason."""


class Field(BaseModel):
    """Place of a value in a row, and its treatment, in the order of these attributes.

    In a mapping a plain text means `column`. Names of columns are dotted where values are nested (`sample.problem`). In
    addition to the row's own there are `_file` (its path below the data folder), `_stem`, `_folder` and `_row`.

    Attributes:
        value: a constant.
        column: one column.
        columns: several, as a list; those that are empty are left out, and the parts of one that is a list count
            singly.
        template: a text with columns in braces: '{dataset}/{scene}.mp4'.
        json_text: the text is JSON.
        missing: texts that mean that there is no value.
        split: the text is a list, with this between its parts.
        every: a regular expression; all its matches (or their first groups) are the value, a list.
        pattern: a regular expression; its first group (or the whole match) is the value.
        replace: pairs of a regular expression and its replacement.
        values: other texts for some values.
        optional: where there is no value, there is none; otherwise the row can't be mapped.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: Any = None
    column: str | None = None
    columns: tuple[str, ...] = ()
    template: str | None = None
    json_text: bool = False
    missing: tuple[str, ...] = ()
    split: str | None = None
    every: str | None = None
    pattern: str | None = None
    replace: tuple[tuple[str, str], ...] = ()
    values: dict[str, str] = {}
    optional: bool = False

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: Any) -> Any:
        return {"column": data} if isinstance(data, str) else data

    @model_validator(mode="after")
    def _has_one_origin(self) -> Field:
        origins = [self.value is not None, self.column is not None, bool(self.columns), self.template is not None]
        if sum(origins) != 1:
            raise ValueError("give one of column, columns, template and value")
        for pattern in (self.pattern, self.every, *(before for before, _ in self.replace)):
            try:
                re.compile(pattern or "")
            except re.error as error:
                raise ValueError(f"{pattern!r} is no regular expression ({error})") from None
        return self

    @property
    def wanted(self) -> set[str]:
        """The row's own columns that are looked at."""
        names = {self.column} if self.column else set(self.columns)
        names |= set(_NAME.findall(self.template or ""))
        return {name.split(".")[0] for name in names if name and not name.startswith("_")}

    def allowing(self, nothing: bool) -> Field:
        """The same place, where there may be no value, if that is said here or there."""
        return self.model_copy(update={"optional": True}) if nothing and not self.optional else self

    def of(self, row: Row) -> Any:
        """Return the value in a row; None where there is none and it is optional.

        Raises:
            Unmappable: there is none, or it doesn't fit the mapping.
        """
        found = self._origin(row)
        if is_empty(found) or found == [] or found in self.missing:
            if self.optional:
                return None
            raise Unmappable(f"{self._name} is empty or missing")
        return self._worked(found)

    def text(self, row: Row) -> str | None:
        """The value as a text."""
        found = self.of(row)
        if found is None:
            return None
        if isinstance(found, list | dict | bytes):
            raise Unmappable(f"{self._name} is no text")
        return plain(found)

    @property
    def _name(self) -> str:
        return repr(self.column or self.template or ", ".join(self.columns))

    def _origin(self, row: Row) -> Any:
        if self.value is not None:
            return self.value
        if self.column is not None:
            return _nested(row, self.column)
        if self.columns:
            values = [_nested(row, name) for name in self.columns]
            found = [part for value in values for part in (value if isinstance(value, list) else [value])]
            return [part for part in found if not is_empty(part) and part not in self.missing]
        parts = {name: _nested(row, name) for name in _NAME.findall(self.template or "")}
        if any(part is None for part in parts.values()):
            return None
        return _NAME.sub(lambda match: plain(parts[match[1]]), self.template or "")

    def _worked(self, found: Any) -> Any:
        if self.json_text and isinstance(found, str):
            try:
                found = read_cell(found) if is_list_cell(found) else json.loads(found)
            except (ValueError, RecursionError):
                raise Unmappable(f"{self._name} is no JSON") from None
        if self.split is not None and isinstance(found, str):
            found = [part for part in found.split(self.split) if part.strip()]
        if self.every is not None and isinstance(found, str):
            found = [match[1] if match.re.groups else match[0] for match in re.finditer(self.every, found)]
        if isinstance(found, list):
            return [self._changed(part) for part in found]
        return self._changed(found)

    def _changed(self, found: Any) -> Any:
        if isinstance(found, dict | bytes | list) or not (self.pattern or self.replace or self.values):
            return found
        text = plain(found)
        if self.pattern:
            match = re.search(self.pattern, text, re.DOTALL)
            if match is None:
                raise Unmappable(f"{self._name} is {text[:60]!r}, which doesn't fit the mapping's pattern")
            text = match[1] if match.re.groups else match[0]
        for before, after in self.replace:
            text = re.sub(before, after, text)
        return self.values.get(text, text)


def is_empty(value: Any) -> bool:
    """Check whether a cell is empty: nothing, an empty text, or the NaN that pandas has for either."""
    return value is None or value == "" or (isinstance(value, float) and value != value)


def plain(value: Any) -> str:
    """A value as a text that every file can hold: whole numbers without a point, no lone surrogates."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return _LONE_SURROGATES.sub("\ufffd", str(value))


def _nested(row: Any, name: str) -> Any:
    if isinstance(row, dict) and name in row:
        return row[name]  # a column whose own name has a dot
    for key in name.split("."):
        row = _as_value(row)
        if isinstance(row, list) and key.isdigit():
            row = row[int(key)] if int(key) < len(row) else None
        elif isinstance(row, dict):
            row = row.get(key)
        else:
            return None
    return row


def _as_value(cell: Any) -> Any:
    """A cell of a text table that holds a list or a mapping, as that."""
    if not is_list_cell(cell):
        return cell
    try:
        return read_cell(cell)
    except ValueError:
        return cell
