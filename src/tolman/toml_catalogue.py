"""Catalogues of TOML files of one kind: the package's files by their names, a user's by their paths.

A file's content is checked against a pydantic model. The first error becomes one sentence with its line and, for an
unknown key, the nearest known one.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from tolman.errors import InputError, hint, unknown

T = TypeVar("T", bound=BaseModel)


class TomlCatalogue(Generic[T]):
    """The TOML files of one kind.

    Args:
        kind: the name of one, as in a sentence: 'recipe'.
        model: of a file's content.
        package: of the files.
        folder: of the package.
        named: whether the model has a field `name`, which is that of the file, and a field `based_on`: a file of the
            package whose keys it takes but for those that it has itself.
    """

    def __init__(self, kind: str, model: type[T], package: str, folder: str = "", *, named: bool = False) -> None:
        self._kind, self._model, self._package, self._folder, self._named = kind, model, package, folder, named
        self._opened: dict[str, T] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the package's files."""
        return names_in(self._package, self._folder)

    def open(self, name: str) -> T:
        """One of the package by its name, or a user's by its path.

        Raises:
            UsageError: there is none of that name.
            InputError: the file is none; the sentence names the line.
        """
        if "/" in name or name.endswith(".toml"):
            path = Path(name)
            return self._parsed(path, *read_table(path))
        if name not in self.names:
            raise unknown(self._kind, name, self.names, other="the path of a .toml file")
        if name not in self._opened:
            path = Path(str(files(self._package).joinpath(self._folder, f"{name}.toml")))
            self._opened[name] = self._parsed(path, *read_table(path))
        return self._opened[name]

    def _parsed(self, path: Path, text: str, table: dict[str, Any]) -> T:
        if not self._named:
            return checked(self._model, path, text, table)
        if "name" in table:
            raise _wrong(path, text, ("name",), f"is not a known key: a {self._kind}'s name is its file's")
        return checked(self._model, path, text, {**self._base(path, text, table), **table, "name": path.stem},
                       without=("name",))  # fmt: skip

    def _base(self, path: Path, text: str, table: dict[str, Any]) -> dict[str, Any]:
        """Return the content of the file that another is based on; an empty table where it is based on none."""
        base = table.get("based_on")
        if base is None:
            return {}
        if base not in self.names or base == path.stem:
            raise _wrong(
                path, text, ("based_on",), f"names no other {self._kind} of the package; {hint(str(base), self.names)}"
            )
        below, found = read_table(Path(str(files(self._package).joinpath(self._folder, f"{base}.toml"))))
        return {**self._base(path, below, found), **found}


@cache
def names_in(package: str, folder: str = "") -> tuple[str, ...]:
    """Return the names of a package's TOML files of any content."""
    found = (entry.name for entry in files(package).joinpath(folder).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def read_table(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a TOML file, and its content.

    Raises:
        InputError: it can't be read, or is no TOML.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(path, f"is no TOML ({error})") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, f"can't be read ({getattr(error, 'strerror', None) or error})") from None


def with_tuples(value: Any) -> Any:
    """Return the same with tuples in place of lists, inside tables too."""
    if isinstance(value, dict):
        return {key: with_tuples(part) for key, part in value.items()}
    return tuple(map(with_tuples, value)) if isinstance(value, list) else value


def checked(model: type[T], path: Path, text: str, table: Mapping[str, Any], *, without: Sequence[str] = ()) -> T:
    """Return a TOML file's content as a model.

    Args:
        model: pydantic's.
        path, text: of the file.
        table: its content.
        without: fields that no file has.

    Raises:
        InputError: it doesn't hold; the sentence names the first field that is wrong, with its line.
    """
    try:
        return model.model_validate(table)
    except ValidationError as error:
        # A key that is written wrongly explains one that is missing.
        first: Any = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    keys = tuple(key for key in first["loc"] if key != "[key]")
    kind, what = first["type"], first["msg"].removeprefix("Value error, ")
    if kind == "extra_forbidden":
        known = [name for name in _known(model, keys[:-1]) if len(keys) > 1 or name not in without]
        what = f"is not a known key; {hint(str(keys[-1]), known)}"
    elif kind == "missing":
        what = "is missing"
    elif kind == "literal_error":
        what = f"can't be {first['input']!r}; known: {first['ctx']['expected']}"
    raise _wrong(path, text, keys, what)


def _wrong(path: Path, text: str, keys: tuple[Any, ...], what: str) -> InputError:
    line = line_of(text, keys)
    return InputError(f"{path}, line {line}" if line else path, what, field=".".join(map(str, keys)) or None)


def _known(model: type[BaseModel], keys: Sequence[Any]) -> list[str]:
    """The keys that a table may have."""
    found: type[BaseModel] | None = model
    for key in keys:  # numbers of lists, and keys of tables that may have any, lead no deeper
        if found is not None and key in found.model_fields:
            found = _model_in(found.model_fields[key].annotation)
    return [field.alias or name for name, field in found.model_fields.items()] if found is not None else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that a field holds, alone, in a list or in a table."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for one in get_args(annotation) if (found := _model_in(one)) is not None), None)


Key = str | int
"""A key of a table, or the number of a table or value in a list, from 0."""

_PART = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_TABLE = re.compile(rf"\s*\[\s*({_DOTTED})\s*\]\s*(?:#.*)?$")
_TABLE_OF_LIST = re.compile(rf"\s*\[\[\s*({_DOTTED})\s*\]\]\s*(?:#.*)?$")
_SETTING = re.compile(rf"\s*({_DOTTED})\s*=")


def line_of(text: str, keys: Sequence[Key]) -> int | None:
    """Return the number of the line, from 1, of a key, or else of the innermost table above it that is written.

    Args:
        text: of the file, which is TOML.
        keys: from the outermost table to the key; tables of a list by their number.

    Returns:
        None where not even the outermost has a line.
    """
    wanted, best, found = tuple(keys), 0, None
    for number, place in _places(text):
        if len(place) > best and place == wanted[: len(place)]:
            best, found = len(place), number
    return found


def _places(text: str) -> Iterator[tuple[int, tuple[Key, ...]]]:
    table: tuple[Key, ...] = ()
    count: Counter[tuple[Key, ...]] = Counter()
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _TABLE_OF_LIST.match(line):
            *above, last = _parts(match[1])
            name = (*_within(above, count), last)
            table = (*name, count[name])
            count[name] += 1
        elif match := _TABLE.match(line):
            *above, last = _parts(match[1])
            table = (*_within(above, count), last)
        elif match := _SETTING.match(line):
            yield number, (*table, *_parts(match[1]))
            continue
        else:
            continue
        yield number, table


def _within(names: Sequence[Key], count: Counter[tuple[Key, ...]]) -> tuple[Key, ...]:
    """Return the target of a dotted name: inside the last table so far of each list of tables on the way."""
    place: tuple[Key, ...] = ()
    for name in names:
        place = (*place, name)
        if count[place]:
            place = (*place, count[place] - 1)
    return place


def _parts(dotted: str) -> tuple[Key, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))
