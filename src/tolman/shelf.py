"""Shelves of TOML files, each one of a kind: those of the package by their names, a user's by their paths.

What a file holds is checked against a pydantic model, and the first thing that is wrong becomes one sentence with its
line and, for a key that doesn't exist, the nearest that does.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from tolman.errors import InputError
from tolman.names import hint, unknown
from tolman.toml_lines import line_of

T = TypeVar("T", bound=BaseModel)


class TomlShelf(Generic[T]):
    """The TOML files of one kind.

    Args:
        kind: what one is, as in a sentence: 'recipe'.
        model: what a file holds.
        package: in which they lie.
        folder: of the package.
        named: whether the model has a field `name`, which is that of the file, and a field `based_on`: a file of the
            package whose keys it takes but for those that it has itself.
    """

    def __init__(self, kind: str, model: type[T], package: str, folder: str = "", *, named: bool = False) -> None:
        self._kind, self._model, self._package, self._folder, self._named = kind, model, package, folder, named
        self._opened: dict[str, T] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Of the package."""
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
        """What the file that another is based on holds; nothing where it is based on none."""
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
    """The names of a package's TOML files, whatever they hold."""
    found = (entry.name for entry in files(package).joinpath(folder).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def read_table(path: Path) -> tuple[str, dict[str, Any]]:
    """The text of a TOML file, and what it holds.

    Raises:
        InputError: it can't be read, or is no TOML.
    """
    try:
        text = path.read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(path, f"is no TOML ({error})") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, f"can't be read ({getattr(error, 'strerror', None) or error})") from None


def checked(model: type[T], path: Path, text: str, table: Mapping[str, Any], *, without: Sequence[str] = ()) -> T:
    """What a TOML file holds, as a model.

    Args:
        model: pydantic's.
        path, text: of the file.
        table: what it holds.
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
