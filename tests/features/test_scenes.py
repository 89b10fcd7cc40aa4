"""Looking at scenes as a function: the same as the command, without a terminal."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tolman.errors import UsageError
from tolman.features.events import Advanced, Began, Ended, Event
from tolman.features.report.compute import show_scenes
from tolman.features.report.config import ScenesConfig


def test_the_function_and_the_command_show_the_same(
    rooms: Path, tmp_path: Path, command: Callable[..., Any], quiet: Callable[[], None]
) -> None:
    events: list[Event] = []
    result = show_scenes(ScenesConfig(path=rooms, out=tmp_path / "one.html", most=1), events.append)
    quiet()
    assert events == [Began("drawing scenes"), *[Advanced()] * 3, Ended()]
    command("scenes", rooms, "--out", "two.html", "--most", 1)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
    told = json.loads(command("scenes", rooms, "--json").stdout)
    assert told == {"scenes": json.loads(json.dumps(result.rows)), "skipped": []}
    assert not (tmp_path / "scenes.html").exists()
    assert "3 scenes, " in command("scenes", rooms, "--most", 0).stdout
    assert (tmp_path / "scenes.html").exists()


def test_without_a_page_nothing_is_written(rooms: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = show_scenes(ScenesConfig(path=rooms))
    assert result.page is None
    assert len(result.rows) == 3
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="--out takes the file of a page"):
        show_scenes(ScenesConfig(path=rooms, out=tmp_path))
