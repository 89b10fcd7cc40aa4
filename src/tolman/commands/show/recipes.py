"""What `tolman recipes` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tolman.commands.show.printing import table, write_json

if TYPE_CHECKING:
    from tolman.models.recipes import ModelRecipe


def show_recipes(console: Console, found: Sequence[ModelRecipe], *, as_json: bool) -> None:
    """All recipes, a line each."""
    if as_json:
        write_json(console, [one.model_dump(mode="json", exclude_none=True) for one in found], ascii_only=False)
        return
    headings = ("name", "family", "videos as", "with --recipe")
    grid = table(headings, left=headings)
    for one in found:
        settings = one.run.model_dump(exclude_none=True, exclude={"source", "body"}) if one.run else {}
        grid.add_row(one.name, one.title, one.input.form, _told(settings))
    console.print(grid)


def show_recipe(console: Console, recipe: ModelRecipe, *, as_json: bool) -> None:
    """One recipe: what it applies, and where each of it is written."""
    if as_json:
        write_json(console, recipe.model_dump(mode="json", exclude_none=True), ascii_only=False)
        return
    console.print(f"[bold]{escape(recipe.title)}[/]  {escape(recipe.name)}", highlight=False, soft_wrap=True)
    if recipe.match:
        console.print(f"For models named: {', '.join(recipe.match)}", markup=False, highlight=False, soft_wrap=True)
    tables: list[tuple[str, dict[str, Any]]] = [("Input, by the model's name", recipe.input.model_dump())]
    tables += [("Run, with --recipe", recipe.run.model_dump())] if recipe.run else []
    tables += [("Tokens of a video", recipe.tokens.model_dump(exclude_defaults=True))] if recipe.tokens else []
    tables += [(f"Whole files, {server}", one.model_dump()) for server, one in recipe.file.items()]
    for title, settings in tables:
        _pairs(console, title, settings)
    for note in recipe.notes:
        console.print(f"- {note}", markup=False, highlight=False, soft_wrap=True)


def _pairs(console: Console, title: str, settings: dict[str, Any]) -> None:
    grid = Table(title=title, title_justify="left", title_style="bold", show_header=False, box=None, pad_edge=False)
    grid.add_column(no_wrap=True)
    grid.add_column()
    for name, value in settings.items():
        if value is not None and value != {}:
            grid.add_row(name, escape(_plain(value)))
    console.print(grid)


def _told(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_plain(value)}" for name, value in settings.items())


def _plain(value: Any) -> str:
    """A value on one line."""
    return repr(value) if isinstance(value, str) and "\n" in value else str(value)
