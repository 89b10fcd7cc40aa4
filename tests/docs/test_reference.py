"""The tables of the reference: they name what the site documents below them, and what the package has."""

from __future__ import annotations

import dataclasses
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import tolman
from docs.blocks import ROOT
from tolman.workflows.config import fields_of

PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "reference").glob("*.md"))}
PAGES_OF_OBJECTS = [name for name in PAGES if name != "index"]


def tables(page: str) -> dict[str, list[str]]:
    """The first cells of each table of a page, by that of its head; they are code."""
    found = {}
    for table in re.findall(r"^\|.*\n\|---.*\n(?:\|.*\n)+", PAGES[page], re.MULTILINE):
        head, _, *rows = table.splitlines()
        assert all(row.count("|") >= 3 and row.split("|")[2].strip() for row in rows), "a row without a text"
        found[head.split("|")[1].strip()] = [row.split("|")[1].strip().strip("`") for row in rows]
    return found


def documented(page: str) -> dict[str, Any]:
    """What the site documents on a page, by name; of a module all that it defines in public."""
    found: dict[str, Any] = {}
    for dotted in re.findall(r"^::: ([\w.]+)$", PAGES[page], re.MULTILINE):
        module, _, name = dotted.rpartition(".")
        thing = getattr(import_module(module), name)
        if inspect.ismodule(thing):
            own = {key: value for key, value in vars(thing).items() if getattr(value, "__module__", "") == dotted}
            found |= {key: value for key, value in own.items() if not key.startswith("_")}
        else:
            found[name] = thing
    return found


def members(kind: type) -> list[str]:
    """The public fields, properties and methods of a class, methods with '()'."""
    fields = [one.name for one in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []
    fields += list(kind.model_fields) if issubclass(kind, BaseModel) else []
    others = [
        f"{name}()" if callable(getattr(kind, name)) else name
        for name, value in vars(kind).items()
        if not name.startswith("_") and name not in fields and (callable(value) or hasattr(value, "__get__"))
    ]
    return fields + others


def as_called(function: Any) -> str:
    """A function's parameters as the reference writes them."""
    words, keyword_only = [], False
    for one in inspect.signature(function).parameters.values():
        if one.kind is one.KEYWORD_ONLY and not keyword_only:
            words.append("*")
        keyword_only |= one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        words.append(f"{stars}{one.name}")
    return f"{function.__name__}({', '.join(words)})"


@pytest.mark.parametrize("page", PAGES_OF_OBJECTS)
def test_a_pages_table_names_what_the_page_documents(page: str) -> None:
    found, things = tables(page), documented(page)
    if page == "functions":
        assert found["function"] == [as_called(thing) for thing in things.values()]
    else:
        assert sorted(found["name"]) == sorted(things)


def test_every_public_name_is_in_a_table() -> None:
    named = {row.partition("(")[0] for page in PAGES_OF_OBJECTS for rows in tables(page).values() for row in rows}
    assert sorted(set(tolman.__all__) - {"__version__"} - named) == []


def test_tables_of_members_have_all_public_members() -> None:
    things = documented("objects")
    found = {head.removeprefix("of ").strip("`"): rows for head, rows in tables("objects").items() if head != "name"}
    assert len(found) == 15
    for name, rows in found.items():
        assert sorted(rows) == sorted(members(things[name])), name


def test_configs_are_listed_with_all_fields_in_the_order_of_the_options() -> None:
    lists = dict(re.findall(r"^- `(\w+Config)`: ((?:.*\n)(?:  .*\n)*)", PAGES["configs"], re.MULTILINE))
    assert list(lists) == list(documented("configs"))
    for name, kind in documented("configs").items():
        assert re.findall(r"`(\w+)`", lists[name]) == [one.name for one in fields_of(kind)], name


def test_the_overview_names_every_function() -> None:
    text = (Path(ROOT) / "docs" / "reference" / "index.md").read_text(encoding="utf-8")
    functions = [name for name in tolman.__all__ if inspect.isfunction(getattr(tolman, name))]
    assert [name for name in functions if f"[`{name}`]" not in text] == []
