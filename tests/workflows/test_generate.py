"""Generating and auditing as functions: the same as the commands, without a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'generate'")

from folders import contents
from tolman.errors import InputError, UsageError
from tolman.scene_table import write_captures, write_scenes
from tolman.workflows.audit import AuditConfig, audit
from tolman.workflows.events import Advanced, Began, Ended, Event, Noted
from tolman.workflows.generate import GenerateConfig, NoQuestionsError, generate


def test_the_function_and_the_command_write_the_same_benchmark(
    rooms: Path, tmp_path: Path, command: Callable[..., Any], quiet: Callable[[], None]
) -> None:
    events: list[Event] = []
    families = ("size", "relative_distance")
    config = GenerateConfig(scenes=rooms, out=tmp_path / "one" / "bench", families=families, per_scene=3)
    result = generate(config, events.append)
    quiet()
    arguments = ["generate", rooms, "--families", "size,relative_distance", "--per-scene", 3]
    said = command(*arguments, "--out", "two/bench").stdout
    one, two = contents(tmp_path / "one" / "bench"), contents(tmp_path / "two" / "bench", "tolman.toml")
    assert one == two
    assert f"{result.questions:,} questions from 3 scenes: two/bench." in said
    assert result.questions == sum(task["taken"] for task in result.statistics["tasks"].values()) > 0
    assert (result.scenes, result.skipped, result.out) == (3, (), tmp_path / "one" / "bench")
    assert [one.what for one in events if isinstance(one, Began)] == [
        "reading scenes", "choosing questions", "writing questions",
    ]  # fmt: skip
    assert events.count(Advanced()) >= 3
    assert events[-1] == Ended()
    # The file beside the benchmark repeats the command, here into another folder.
    command("generate", "--config", "two/bench/tolman.toml", "--out", "three/bench")
    assert contents(tmp_path / "three" / "bench", "tolman.toml") == two


def test_nothing_to_ask_is_an_error_with_its_statistics(tmp_path: Path, quiet: Callable[[], None]) -> None:
    from generate.test_reasons import EMPTY, walk

    write_scenes(tmp_path / "kitchen", [EMPTY])
    write_captures(tmp_path / "kitchen", [walk()])
    with pytest.raises(NoQuestionsError, match="no question can be asked of the one scene") as error:
        generate(GenerateConfig(scenes=tmp_path / "kitchen", out=tmp_path / "mine"))
    assert error.value.statistics["tasks"]["object_counting"]["taken"] == 0
    assert not (tmp_path / "mine").exists()
    quiet()


def test_skipped_scenes_are_notes_and_in_the_result(shared_data: Path, tmp_path: Path) -> None:
    path = next((shared_data / "vsi-bench" / "meta_info").glob("scannet_*.json"))
    records = dict(list(json.loads(path.read_text()).items())[:4])
    first = next(iter(records))
    records[first]["object_bbox"] = {}
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes" / path.name).write_text(json.dumps(records))
    events: list[Event] = []
    config = GenerateConfig(scenes=tmp_path / "scenes", out=tmp_path / "b", families=("size",), max_filter_rounds=0)
    result = generate(config, events.append)
    (skipped,) = result.skipped
    assert (skipped.scene, result.scenes) == (f"scannet/{first}", 3)
    assert Noted(f"skipped: {skipped.scene}: {skipped.reason}", "warning") in events


def test_wrong_settings_are_told_before_anything_is_written(rooms: Path, tmp_path: Path) -> None:
    for changes, said in (
        ({"preset": "vsi"}, "there is no generation preset 'vsi'"),
        ({"families": ("sizes",)}, "there is no question family 'sizes'"),
    ):
        with pytest.raises(UsageError, match=said):
            generate(GenerateConfig(scenes=rooms, out=tmp_path / "b", **changes))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="holds other files"):
        generate(GenerateConfig(scenes=rooms, out=rooms))
    assert not (tmp_path / "b").exists()


def test_an_audit_is_the_same_as_the_commands(
    rooms: Path, tmp_path: Path, command: Callable[..., Any], quiet: Callable[[], None]
) -> None:
    generate(GenerateConfig(scenes=rooms, out=tmp_path / "bench", families=("size", "distance"), per_scene=4))
    result = audit(AuditConfig(benchmark=str(tmp_path / "bench"), scenes=rooms, out=tmp_path / "one"))
    quiet()
    done = command("audit", tmp_path / "bench", "--scenes", rooms, "--out", "two", "--json")
    assert json.loads(done.stdout) == list(result.rows)
    assert contents(tmp_path / "one") == contents(tmp_path / "two", "tolman.toml")
    assert {finding.verdict for finding in result.findings} == {"sound"}
    assert result.doubtful == result.safe == []
    assert len(result.findings) == sum(row["items"] for row in result.rows) > 10
    again = command("audit", "--config", "two/tolman.toml", "--out", "three")
    assert "The answers of 0 items are in doubt" in again.stdout
    assert contents(tmp_path / "three", "tolman.toml") == contents(tmp_path / "one")
