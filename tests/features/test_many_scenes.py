"""The audit of many questions, of which few are in memory, writes the files that the audit of few writes."""

import random
from pathlib import Path

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from folders import contents
from peaks import peak_of
from tolman import item_table
from tolman.features.generate.audit import audit
from tolman.features.generate.compute import generate
from tolman.features.generate.config import AuditConfig, GenerateConfig
from tolman.item_table import AT_ONCE, ItemTable, read_items, write_items
from tolman.runs.run_items import load
from tolman.scene_table import read_captures, read_scenes, write_captures, write_scenes

COPIES, ITEMS, MOST_MB = 300, 80, 260
"""An audit that holds all questions of so many scenes takes more memory."""


def test_files_and_findings_are_the_same_however_many_are_held(
    rooms: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = tmp_path / "bench"
    generate(GenerateConfig(scenes=rooms, out=bench, families=("size", "distance"), per_scene=4))
    (shard,) = (bench / "data").glob("*.parquet")
    items = read_items(shard)
    random.Random(0).shuffle(items)
    items[0] = items[0].model_copy(update={"answer": "900"})
    items[1] = items[1].model_copy(update={"scene": "lost"})
    items[2] = items[2].model_copy(update={"scene": None})
    write_items(shard, items)
    held = audit(AuditConfig(benchmark=str(bench), scenes=rooms, out=tmp_path / "held"))
    assert AT_ONCE > len(items) > 10
    monkeypatch.setattr(item_table, "HELD_ITEMS", 3)
    monkeypatch.setattr(item_table, "AT_ONCE", 4)
    assert isinstance(load(str(bench), None, None, held=False).items, ItemTable)
    in_parts = audit(AuditConfig(benchmark=str(bench), scenes=rooms, out=tmp_path / "parts"))
    assert contents(tmp_path / "held") == contents(tmp_path / "parts")
    assert list(held.findings) == list(in_parts.findings)
    assert [finding.id for finding in in_parts.findings] == [item.id for item in items]
    assert in_parts.doubtful == in_parts.differing == [items[0].id]
    assert [finding.status for finding in in_parts.findings[1:4]] == ["not checked", "not checked", "agrees"]
    assert in_parts.findings[1].note == "the scene is not in the collection"
    assert repr(held) == repr(in_parts)


@pytest.mark.full
def test_memory_of_many_scenes_is_bounded(rooms: Path, tmp_path: Path) -> None:
    bench, scenes = tmp_path / "bench", tmp_path / "scenes"
    generate(GenerateConfig(scenes=rooms, out=bench, families=("size",), per_scene=4))
    (shard,) = (bench / "data").glob("*.parquet")
    (room, *_), (walk, *_) = read_scenes(rooms), read_captures(rooms)
    assert walk.scene == room.id
    names = [f"room-{number}" for number in range(COPIES)]
    write_scenes(scenes, (room.model_copy(update={"id": name}) for name in names))
    write_captures(scenes, (walk.model_copy(update={"id": f"{name}/walk", "scene": name}) for name in names))
    own = [item.model_copy(update={"reasoning": "x" * 5000}) for item in read_items(shard) if item.scene == room.id]
    write_items(
        shard,
        (
            own[number % len(own)].model_copy(update={"id": f"{name}-{number}", "scene": name})
            for number in range(ITEMS)
            for name in names
        ),
    )
    peak = peak_of(tmp_path, "audit", "bench/", "--scenes", "scenes", "--out", "found", "--on", "here")
    assert len((tmp_path / "found" / "findings.jsonl").read_text().splitlines()) == COPIES * ITEMS
    assert peak < MOST_MB
