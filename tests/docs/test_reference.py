"""The reference names what the package has: functions as they are called, configs, members of objects."""

import dataclasses
import inspect
import re
from importlib import import_module
from typing import Any

import pytest
from pydantic import BaseModel

import tolman
from docs.blocks import ROOT

PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "reference").glob("*.md"))}


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


def test_the_overview_shows_every_function_as_it_is_called() -> None:
    things = documented("index")
    assert tables("index")["function"] == [as_called(thing) for thing in things.values()]
    assert set(things) == {name for name in tolman.__all__ if inspect.isfunction(getattr(tolman, name))}


def test_the_table_of_configs_names_those_that_are_documented() -> None:
    assert tables("configs")["name"] == list(documented("configs"))


def test_every_public_name_is_documented() -> None:
    named = {name for page in PAGES for name in documented(page)}
    assert sorted(set(tolman.__all__) - {"__version__"} - named) == []


def test_lists_of_members_have_all_public_members() -> None:
    things = documented("objects")
    found = dict(re.findall(r"^::: [\w.]*\.(\w+)\n\nMembers: ((?:.+\n)+)", PAGES["objects"], re.MULTILINE))
    assert len(found) == 16
    for name, listed in found.items():
        assert sorted(re.findall(r"`([\w()]+)`", listed)) == sorted(members(things[name])), name


@pytest.mark.parametrize("name", sorted(name for name in tolman.__all__ if inspect.isfunction(getattr(tolman, name))))
def test_a_public_function_explains_its_parameters_by_their_names(name: str) -> None:
    function = getattr(tolman, name)
    entries = re.search(r"Args:\n((?: {4}.*\n|\n)+?)\n", inspect.cleandoc(function.__doc__) + "\n\n")
    named = re.findall(r"^ {4}(\S[^:]*):", entries[1], re.MULTILINE) if entries else []
    assert set(named) <= inspect.signature(function).parameters.keys()
