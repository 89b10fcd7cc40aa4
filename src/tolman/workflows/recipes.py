"""Recipes: the list of them, and what each brings to a run.

The order is preset < recipe < user. Where the user names none, the model's name brings the family's recipe, of which
only the form of videos is applied: the rest would change what a run's settings are without being asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.workflows.config import Setting

if TYPE_CHECKING:
    from tolman.models.recipes import ModelRecipe
    from tolman.runs.run import RunRequest

NONE = "none"
"""What `--recipe` takes to leave out the one that a model's name brings."""
_FAMILIES = ("openai", "hf", "gemini", "anthropic")
"""Families whose names say which network answers."""


@dataclass(frozen=True, kw_only=True)
class RecipesConfig:
    """Which recipe is described."""

    name: Annotated[
        str | None,
        Setting(
            "Recipe that is shown with all it states: a name, a TOML file, or a model's name. Default: all, a line "
            "each.",
            positional=True,
        ),
    ] = None


def list_recipes(config: RecipesConfig | None = None) -> list[ModelRecipe]:
    """All recipes by name, or the one that the config names: by its own name, its file, or a model that it is for.

    Raises:
        UsageError: there is none of that name.
        InputError: the file is none.
    """
    from tolman.models.recipes import match, names, open_recipe

    wanted = config.name if config is not None else None
    if wanted is None:
        return [open_recipe(name) for name in names()]
    is_name = wanted in names() or wanted.endswith(".toml")
    found = None if is_name else match(f"openai/{wanted}")
    return [found or open_recipe(wanted)]


def with_recipe(request: RunRequest, wanted: str | None) -> RunRequest:
    """The request with what a recipe brings, below what the user gave.

    Args:
        request: with the user's own settings only.
        wanted: the recipe that the user named; 'none' for none; None for the one that the model's name brings.

    Raises:
        UsageError: there is no such recipe, or a model that none is for.
        InputError: its file is none.
    """
    from tolman.models.recipes import match, open_recipe

    family = request.model.partition("/")[0]
    if wanted == NONE:
        return request
    if wanted is None:
        recipe = match(request.model) if family in _FAMILIES else None
        if recipe is None:
            return request
        return _told(replace(request, recipe=recipe))
    recipe = open_recipe(wanted)
    if family not in _FAMILIES:
        raise UsageError(f"--recipe is of no use to {request.model}; it says how networks are run.")
    body = dict(recipe.run.body) if recipe.run is not None and family == "openai" else {}
    changed = replace(
        request,
        recipe=recipe,
        recipe_asked=True,
        frames=_frames(recipe.frames(), request.frames or {}),
        sampling=recipe.sampling() | (request.sampling or {}),
        options=replace(request.options, body=_below(body, request.options.body)),
    )
    return _told(changed)


def _told(request: RunRequest) -> RunRequest:
    """The request with the server that its recipe names."""
    server = request.recipe.input.server if request.recipe is not None else None
    return request if server is None else replace(request, options=replace(request.options, server=server))


def with_form(request: RunRequest) -> RunRequest:
    """The request of one form of `--as`: where the server is to sample whole files, it is told how."""
    recipe = request.recipe
    asked = recipe.input.form if recipe is not None and request.recipe_asked else None
    if (request.form or asked) != "file":
        return request
    files = recipe.whole_files() if recipe is not None else {}
    return replace(request, options=replace(request.options, whole_videos=files))


def _frames(recipe: dict[str, Any], user: dict[str, Any]) -> dict[str, Any]:
    """The recipe's frames below the user's: a number or a rate of the user's replaces the recipe's."""
    chosen = ("count", "per_second", "cap")
    replaced = chosen if {"count", "per_second"} & user.keys() else ()
    return {name: value for name, value in recipe.items() if name not in replaced} | user


def _below(recipe: dict[str, Any], user: Any) -> dict[str, Any]:
    """The recipe's fields of a request below the user's, table by table."""
    from tolman.models.dialects import overlaid

    found: dict[str, Any] = overlaid(recipe, user)
    return found
