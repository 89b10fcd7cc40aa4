"""Every snippet of README and docs in Python, TOML or JSON: run, or read by what it is for."""

import ast
import json
import re
import shutil
import sys
import tomllib
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants

from docs import hub
from docs.blocks import ROOT, Block, blocks, commands_of, pages
from docs.exceptions import GIVEN
from docs.files import write_files
from docs.steps import SNIPPETS
from tolman import plugins
from tolman.curate.pipeline import REGISTRY
from tolman.features.config import make
from tolman.models.recipes import open_recipe

WITH_PYTHON = tuple(page for page in pages() if any(block.language == "python" for block in blocks(page)))
TOML = [block for page in pages() for block in blocks(page) if block.language == "toml"]
JSON = [block for page in pages() for block in blocks(page) if block.language == "json"]
_SAID = re.compile(r"^\s*print\(.*\)  # (.+)$", re.MULTILINE)


def name_of(block: Block) -> str:
    return f"{block.page}:{block.line}"


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=pytest.mark.full if p in SNIPPETS else ()) for p in WITH_PYTHON]
)
def test_python_runs_and_prints_what_it_says(
    page: str,
    stage: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All snippets of a page after each other, with the names of those before."""
    place = tmp_path / "here"
    shutil.copytree(stage, place, symlinks=True)
    monkeypatch.chdir(place)
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(plugins, "_loaded", {})  # what a page loads is known to no other test
    for name, value in hub.environment(place / "hub").items():
        monkeypatch.setenv(name, value)
        monkeypatch.setattr(constants, name, value == "1" if name != "HF_HUB_CACHE" else value)
    write_files(page, place)
    if page in SNIPPETS:
        SNIPPETS[page](place, tmp_path_factory.getbasetemp())
    names = {"__name__": "snippet", **GIVEN.get(page, {})}
    monkeypatch.setitem(sys.modules, "snippet", sys)  # dataclasses look their module up
    for block in blocks(page):
        if block.language != "python":
            continue
        exec(compile(block.text, name_of(block), "exec"), names)
        printed = capsys.readouterr().out.splitlines()
        for said in _SAID.findall(block.text):
            assert said in printed, f"{name_of(block)} prints {printed}"


@pytest.mark.parametrize("block", TOML, ids=name_of)
def test_toml_names_what_there_is(block: Block, tmp_path: Path) -> None:
    tables = tomllib.loads(block.text)
    assert tables
    assert set(tables.get("project", {}).get("entry-points", {})) <= entry_point_groups()
    if "input" in tables:  # a recipe, which a test of its page runs
        path = tmp_path / "recipe.toml"
        path.write_text(block.text)
        assert open_recipe(str(path)).title
        return
    for name, table in tables.items():
        is_stage = block.page.startswith("docs/curate") and name in REGISTRY.names()  # of a recipe
        if name in configs() and isinstance(table, dict) and not is_stage:
            make(configs()[name], {key.replace("-", "_"): value for key, value in table.items()})


@pytest.mark.parametrize("block", JSON, ids=name_of)
def test_json_is_json(block: Block) -> None:
    """A field that stands by itself is part of an object; '…' stands for more of the same."""
    text = re.sub(r",\s*…", "", block.text)
    assert json.loads(text if text.lstrip().startswith(("{", "[")) else "{" + text + "}")


def test_entry_points_of_pyproject_are_those_there_are() -> None:
    named = set(re.findall(r'entry-points\."(tolman\.\w+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    assert named <= entry_point_groups()


def test_pages_with_something_given_have_snippets() -> None:
    assert {*GIVEN, *SNIPPETS} <= set(WITH_PYTHON)


def test_every_page_that_shows_commands_is_read() -> None:
    """A command in running text would be typed by nobody."""
    for page in pages():
        text = (ROOT / page).read_text(encoding="utf-8")
        fenced = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
        indented = re.findall(r"^(?: {4,}|\t)(?:\$ )?tolman \w+.*$", fenced, re.MULTILINE)
        assert not indented, f"{page}: put it into a fenced block: {indented}"
        assert "```" not in fenced or commands_of(page)


@cache
def configs() -> dict[str, type[Any]]:
    """Name of a command → the class of its config; a table of a file is named as the command."""
    found = {}
    for path in (ROOT / "src" / "tolman" / "features").glob("*/config.py"):
        for name, value in vars(import_module(f"tolman.features.{path.parent.name}.config")).items():
            if name.endswith("Config") and is_dataclass(value):
                found[name.removesuffix("Config").lower()] = value
    return found


@cache
def entry_point_groups() -> frozenset[str]:
    """The groups of all registries, from the sources that make them."""
    found: set[str] = set()
    for path in (ROOT / "src" / "tolman").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source if "Registry(" in source else "")):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Registry":
                texts = [
                    arg.value
                    for arg in [*node.args, *(k.value for k in node.keywords)]
                    if isinstance(arg, ast.Constant)
                ]
                found |= {text for text in texts if isinstance(text, str) and text.startswith("tolman.")}
    return frozenset(found)
