"""The audit of many questions, of which few are in memory, writes the files that the audit of few writes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'generate'")

from folders import contents
from tolman import item_table
from tolman.item_table import AT_ONCE, ItemTable, read_items, write_items
from tolman.runs.load import load
from tolman.workflows.audit import AuditConfig, audit
from tolman.workflows.generate import GenerateConfig, generate


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
    monkeypatch.setattr(item_table, "HELD", 3)
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
