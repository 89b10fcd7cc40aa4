"""The page about config files: its commands, files and its Python are carried out as they stand."""

import re
import shlex
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

pytest.importorskip("shapely", reason="generating needs the extra 'build'")

from folders import contents
from three_rooms import ROOMS
from tolman.cli import app

PAGE = Path(__file__).resolve().parents[1] / "docs" / "config.md"
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
DRAWS = "tolman simulate"


def blocks(language: str) -> list[str]:
    return [text for name, text in BLOCKS if name == language]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three rooms in place of those that the page simulates, and the page's files."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(ROOMS, folder / "worlds")
    _, mine, suite = blocks("toml")
    (folder / "mine.toml").write_text(mine)
    (folder / "suite.toml").write_text(suite)
    return folder


def test_the_pages_commands_and_python_run(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    shown = blocks("toml")[0]
    for line in (line for text in blocks("bash") for line in text.splitlines()):
        words = shlex.split(line, comments=True)
        if words[0] == "cat":
            assert Path(words[1]).read_text().split("\n", 1)[1] == shown
        elif not line.startswith(DRAWS):
            done = CliRunner().invoke(app, words[1:], catch_exceptions=False)
            assert done.exit_code == 0, (line, done.output)
    same = (contents(place / name / "data") for name in ("my-bench-again", "from-python"))
    (code,) = blocks("python")
    exec(compile(code, PAGE.name, "exec"), {})
    assert re.fullmatch(r"\d+ questions from 3 scenes\n", capsys.readouterr().out)
    again, python = same
    assert again == python
    # Each table of the suite is one command's, and has the file that repeats it.
    for name in ("sizes", "distances"):
        table = tomllib.loads((place / name / "tolman.toml").read_text())["generate"]
        assert (table["out"], table["seed"]) == (name, 3)


def test_the_page_names_every_table() -> None:
    root: Any = typer.main.get_command(app)
    groups, tables = [root], set()
    while groups:
        group = groups.pop()
        context = typer.Context(group)
        for command in (group.get_command(context, name) for name in group.list_commands(context)):
            if hasattr(command, "list_commands"):
                groups.append(command)
            else:
                tables.add(command.callback.table)
    named = set(re.findall(r"`\[([a-z-]+)\]`", PAGE.read_text(encoding="utf-8").split("## Which commands")[1]))
    assert named <= tables
    assert {name for name in tables - named if not name.startswith(("analyze-", "figure-"))} == set()


def test_a_wrong_key_is_told_as_the_page_says(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    wrong = (place / "mine.toml").read_text().replace("shapes", "shape")
    (place / "wrong.toml").write_text(wrong)
    done = CliRunner().invoke(app, ["simulate", "--config", "wrong.toml"])
    (said,) = (text for name, text in BLOCKS if name == "" and "there is no setting" in text)
    begin = said.removeprefix("tolman: mine.toml: ").partition(", …")[0]
    assert str(done.exception).removeprefix("wrong.toml: ").startswith(begin)
