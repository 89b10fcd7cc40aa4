"""Recipes: how each model family is run by its authors. A TOML file for each; a user's file is one too."""

from __future__ import annotations

from fnmatch import fnmatchcase

from tolman.models.recipes.recipe import InputForm, ModelRecipe
from tolman.shelf import TomlShelf

__all__ = ["InputForm", "ModelRecipe", "match", "names", "open_recipe"]

_SHELF = TomlShelf("recipe", ModelRecipe, __name__, named=True)


def names() -> tuple[str, ...]:
    """The recipes of the package."""
    return _SHELF.names


def open_recipe(name: str) -> ModelRecipe:
    """A recipe of the package by its name, or a user's by its path.

    Raises:
        UsageError: there is none of that name.
        InputError: the file is none; the sentence names the line.
    """
    return _SHELF.open(name)


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
