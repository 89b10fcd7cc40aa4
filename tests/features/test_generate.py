"""Generating and auditing as functions: the same as the commands, without a terminal."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

import terminal
from folders import contents
from three_rooms import ROOMS
from tolman.benchmarks.benchmark_folder import scenes_named
from tolman.errors import InputError, UsageError
from tolman.features.events import Advanced, Began, Ended, Event, Noted
from tolman.features.generate.audit import audit
from tolman.features.generate.compute import NoQuestionsError, generate, preset_for
from tolman.features.generate.config import AuditConfig, GenerateConfig
from tolman.item_table import read_items, write_items
from tolman.scene_table import read_captures, read_scenes, write_captures, write_scenes


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


def test_the_preset_follows_from_the_scenes(rooms: Path, tmp_path: Path) -> None:
    assert preset_for(rooms)[0] == "vsi-paper"
    write_scenes(tmp_path / "twins", [one.model_copy(update={"twins": "one place"}) for one in read_scenes(rooms)])
    assert preset_for(tmp_path / "twins")[0] == "tolman-2"
    write_scenes(tmp_path / "free", [one.model_copy(update={"metric": False}) for one in read_scenes(rooms)])
    assert preset_for(tmp_path / "free")[0] == "posed-video"


def test_nothing_to_ask_is_an_error_with_its_statistics(tmp_path: Path, quiet: Callable[[], None]) -> None:
    from generate.test_reasons import EMPTY, walk

    write_scenes(tmp_path / "kitchen", [EMPTY])
    write_captures(tmp_path / "kitchen", [walk()])
    with pytest.raises(NoQuestionsError, match="no question can be asked of the one scene") as error:
        generate(GenerateConfig(scenes=tmp_path / "kitchen", out=tmp_path / "mine", preset="vsi-paper"))
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
    config = GenerateConfig(
        scenes=tmp_path / "scenes", out=tmp_path / "b", families=("size",), max_filter_rounds=0, licence="CC-BY-4.0"
    )
    result = generate(config, events.append)
    assert json.loads((tmp_path / "b" / "benchmark.json").read_text())["licence"] == "CC-BY-4.0"
    assert "license: cc-by-4.0" in (tmp_path / "b" / "README.md").read_text()
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
    with pytest.raises(InputError, match=r"nothing: there is no such folder; check the path\."):
        generate(GenerateConfig(scenes=tmp_path / "nothing", out=tmp_path / "b"))
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
    assert "0 answers are in doubt" in again.stdout
    assert contents(tmp_path / "three", "tolman.toml") == contents(tmp_path / "one")


@pytest.mark.full
def test_the_counts_of_what_is_not_asked_add_up(rooms: Path, tmp_path: Path, command: Callable[..., Any]) -> None:
    shown = command("generate", rooms, "--preset", "all", "--per-scene", 2, "--per-task", 3, "--out", "bench").output
    tasks = json.loads((tmp_path / "bench" / "provenance.json").read_text())["statistics"]["tasks"]
    assert len(tasks) > 20
    for counts in tasks.values():
        assert counts["offered"] == counts["taken"] + sum(counts["left_out"].values())
        assert all(count > 0 for count in (counts["left_out"] | counts["rejected"]).values())
    assert any("more than 2 of a scene" in counts["left_out"] for counts in tasks.values())
    assert any("more than 3 of the question type" in counts["left_out"] for counts in tasks.values())
    sizes = tasks["object_size_estimation"]
    considered = sizes["offered"] + sum(sizes["rejected"].values())
    row = next(line.split() for line in shown.splitlines() if line.startswith("object_size_estimation"))
    assert row[1:4] == [f"{considered:,}", f"{sizes['taken']:,}", f"{considered - sizes['taken']:,}"]
    # Below a row stand its reasons, which add up to what is not asked.
    lines = shown.splitlines()
    own: dict[str, list[int]] = {}
    task = ""
    for line in lines[lines.index(next(line for line in lines if "why not asked" in line)) + 1 :]:
        if line.startswith("considered = questions + not asked"):
            break
        task = line.split("  ")[0] or task
        own.setdefault(task, []).extend(int(n.replace(",", "")) for n in re.findall(r"([\d,]+) × ", line))
    assert {task: sum(counts) for task, counts in own.items()} == {
        task: sum(counts["left_out"].values()) + sum(counts["rejected"].values()) for task, counts in tasks.items()
    }


def test_reasons_of_a_family_of_ones_own_are_counted_without_categories(
    rooms: Path, tmp_path: Path, command: Callable[..., Any]
) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "extend" / "family.md"
    code = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[0]
    named = code.replace('f"reaches less than', 'f"the {category} reaches less than', 1).replace(
        ": float = 0.3", ": float = 99"
    )
    assert "{category} reaches less than" in named
    assert "99" in named
    (tmp_path / "my_family.py").write_text(named, encoding="utf-8")
    done = terminal.tolman(
        tmp_path, "generate", str(rooms), "--families", "my/object-height", "--plugin", "my_family.py", "--out", "b"
    )
    assert done.returncode == 2
    (row,) = [line for line in done.stdout.splitlines() if line.startswith("object_height")]
    considered, questions, not_asked, count = re.findall(r"[\d,]+", row)[:4]
    assert (questions, considered, not_asked) == ("0", count, count)
    assert int(count) > 3
    assert "× the … reaches less than 99" in row


def test_an_audit_that_finds_answers_in_doubt_ends_with_1(
    rooms: Path, tmp_path: Path, command: Callable[..., Any]
) -> None:
    generate(GenerateConfig(scenes=rooms, out=tmp_path / "bench", families=("size",), per_scene=4))
    (shard,) = (tmp_path / "bench" / "data").glob("*.parquet")
    items = read_items(shard)
    wrong = items[0].model_copy(update={"answer": str(int(items[0].answer) + 40)})
    write_items(shard, [wrong, *items[1:]])
    arguments = ("audit", tmp_path / "bench", "--scenes", rooms, "--out", "found")
    shown = command(*arguments, code=1).output
    assert "1 answer is in doubt (1 differs from the scene's)" in shown
    assert (tmp_path / "found" / "tolman.toml").exists()
    assert (tmp_path / "found" / "exclude.txt").read_text().split() == [wrong.id]
    command(*arguments, "--exit-zero")
    command("audit", "--config", "found/tolman.toml", code=1)
    result = audit(AuditConfig(benchmark=str(tmp_path / "bench"), scenes=rooms, out=tmp_path / "found"))
    assert result.differing == result.doubtful == [wrong.id]


def test_another_benchmark_is_replaced_only_on_request(tmp_path: Path) -> None:
    first = GenerateConfig(scenes=ROOMS, out=tmp_path / "bench", families=("size",), per_scene=2)
    other = replace(first, seed=1)
    generate(first)
    (tmp_path / "bench" / "mine.txt").write_text("mine")
    before = contents(first.out)
    with pytest.raises(InputError, match=r"holds another benchmark \(preset vsi-paper, seed 0, .*--overwrite"):
        generate(other)
    generate(first)
    assert contents(first.out) == before
    generate(replace(other, overwrite=True))
    assert json.loads((first.out / "provenance.json").read_text())["seed"] == 1
    assert (first.out / "mine.txt").read_text() == "mine"
    (tmp_path / "bench-review").mkdir()
    generate(replace(other, overwrite=True))  # the same questions
    file = first.out / "provenance.json"
    told = json.loads(file.read_text())
    told["statistics"]["tasks"]["object_size_estimation"]["taken"] = 1  # as if the scenes had grown since
    file.write_text(json.dumps(told))
    with pytest.raises(InputError, match="would get other questions, and people's work"):
        generate(other)
    for config in (first, replace(first, overwrite=True)):
        with pytest.raises(InputError, match=r"people's work on it is in .*bench-review; give another folder"):
            generate(config)


def test_scenes_that_changed_replace_no_benchmark(tmp_path: Path) -> None:
    rooms, bench = tmp_path / "rooms", tmp_path / "bench"
    shutil.copytree(ROOMS, rooms)
    config = GenerateConfig(scenes=rooms, out=bench, families=("size",), per_scene=2)
    generate(config)
    before = contents(bench)
    with pytest.raises(InputError, match=r"holds another benchmark \(.*; give another folder with --out, or replace"):
        generate(replace(config, choices=True))
    video = next((rooms / "videos").iterdir())
    other = next(path for path in (rooms / "videos").iterdir() if path.read_bytes() != video.read_bytes())
    content = video.read_bytes()
    video.unlink()  # which is one file with the benchmark's
    shutil.copyfile(other, video)
    with pytest.raises(InputError, match=f"of other scenes: {video} has changed since; .*--out, or .*--overwrite"):
        generate(config)
    video.write_bytes(content)
    generate(config)
    write_scenes(rooms, list(read_scenes(rooms))[:2])
    write_captures(rooms, [one for one in read_captures(rooms) if one.scene in {s.id for s in read_scenes(rooms)}])
    with pytest.raises(InputError, match=f"of other scenes: {rooms} has changed since"):
        generate(config)
    assert contents(bench) == before
    (tmp_path / "bench-review").mkdir()
    with pytest.raises(InputError, match=r"has changed since, and people's work on it is in .*bench-review"):
        generate(replace(config, overwrite=True))
    (tmp_path / "bench-review").rmdir()
    assert generate(replace(config, overwrite=True)).scenes == 2


def test_scenes_are_found_where_folders_were_moved_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOMS, tmp_path / "work" / "rooms")
    monkeypatch.chdir(tmp_path / "work")
    generate(GenerateConfig(scenes=Path("rooms"), out=Path("sets/bench"), families=("size",), per_scene=1))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work").rename(tmp_path / "moved")
    found = next(path for path in scenes_named(Path("moved/sets/bench")) if path.is_dir())
    assert found.samefile(tmp_path / "moved" / "rooms")


def test_a_benchmark_that_another_command_finished_meanwhile_is_not_replaced(rooms: Path, tmp_path: Path) -> None:
    config = GenerateConfig(scenes=rooms, out=tmp_path / "bench", families=("size",), per_scene=2)

    def meanwhile(event: Event) -> None:
        if event == Began("choosing questions"):
            generate(replace(config, seed=7))

    with pytest.raises(InputError, match=r"holds another benchmark \(preset vsi-paper, seed 7, .*--overwrite"):
        generate(config, meanwhile)
    assert json.loads((tmp_path / "bench" / "provenance.json").read_text())["seed"] == 7
    generate(replace(config, seed=7))  # the same is made again
