"""Recipes: how each model family is run by its authors. A TOML file for each; a user's file is one too."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from tolman.errors import InputError
from tolman.models.recipes.recipe import FileOptions, InputForm, ModelRecipe, RecipeInput, RecipeRun
from tolman.models.recipes.tokens import VideoTokens
from tolman.names import hint, unknown
from tolman.toml_lines import line_of

__all__ = ["InputForm", "ModelRecipe", "match", "names", "open_recipe"]

_TABLES: dict[str, type[BaseModel]] = {"input": RecipeInput, "run": RecipeRun, "tokens": VideoTokens}


@cache
def names() -> tuple[str, ...]:
    """The recipes of the package."""
    folder = files(__name__)
    return tuple(sorted(one.name.removesuffix(".toml") for one in folder.iterdir() if one.name.endswith(".toml")))


def open_recipe(name: str) -> ModelRecipe:
    """A recipe of the package by its name, or a user's by its path.

    Raises:
        UsageError: there is none of that name.
        InputError: the file is none; the sentence names the line.
    """
    if "/" in name or name.endswith(".toml"):
        path = Path(name)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(path, f"can't be read ({getattr(error, 'strerror', None) or error})") from None
        return _parsed(path, text)
    if name not in names():
        raise unknown("recipe", name, names(), other="the path of a .toml file")
    return _shipped(name)


@cache
def _shipped(name: str) -> ModelRecipe:
    entry = files(__name__).joinpath(f"{name}.toml")
    return _parsed(Path(str(entry)), entry.read_text(encoding="utf-8"))


def match(model: str) -> ModelRecipe | None:
    """The package's recipe for a model's name such as 'openai/Qwen/Qwen2.5-VL-7B-Instruct'; None where there is none.

    Of several whose patterns match, the one with the longest pattern counts: SenseNova-SI-1.1-Qwen3-VL-8B has a recipe
    of its own.
    """
    wanted = model.partition("/")[2].casefold()
    best: tuple[int, str] | None = None
    for name in names():
        for pattern in open_recipe(name).match:
            length = len(pattern.replace("*", ""))
            if fnmatchcase(wanted, f"*{pattern}*") and (best is None or length > best[0]):
                best = (length, name)
    return open_recipe(best[1]) if best else None


def _parsed(path: Path, text: str) -> ModelRecipe:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(path, f"is no TOML ({error})") from None
    if "name" in table:
        raise _wrong(path, text, ("name",), "is not a known key: a recipe's name is its file's")
    try:
        return ModelRecipe.model_validate({**table, "name": path.stem})
    except ValidationError as error:
        raise _explained(path, text, error) from None


def _explained(path: Path, text: str, error: ValidationError) -> InputError:
    """What the first wrong key of a recipe is, with its line and, where it is unknown, the nearest there is."""
    first: Any = error.errors()[0]
    keys = tuple(first["loc"])
    if first["type"] == "extra_forbidden":
        return _wrong(path, text, keys, f"is not a known key; {hint(str(keys[-1]), _known(keys[:-1]))}")
    if first["type"] == "missing":
        return _wrong(path, text, keys, "is missing")
    if first["type"] == "literal_error":
        return _wrong(path, text, keys, f"can't be {first['input']!r}; known: {first['ctx']['expected']}")
    return _wrong(path, text, keys, first["msg"].removeprefix("Value error, "))


def _wrong(path: Path, text: str, keys: tuple[Any, ...], what: str) -> InputError:
    line = line_of(text, keys)
    place = f"{path}, line {line}" if line else path
    field = ".".join(str(key) for key in keys if key != "[key]") or None
    return InputError(place, what, field=field)


def _known(table: tuple[Any, ...]) -> list[str]:
    if not table:
        return [name for name in ModelRecipe.model_fields if name != "name"]
    model = FileOptions if table[0] == "file" else _TABLES.get(str(table[0]))
    return list(model.model_fields) if model else []
