"""The items of a page are the same however many rows and responses are in memory, and whatever a run's order."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tolman import item_table, memory
from tolman.item_table import write_items
from tolman.items import Item
from tolman.reports import page_items
from tolman.reports.loaded_runs import load_runs
from tolman.reports.page_items import entries
from tolman.runs.rescore import score_file
from tolman.runs.run_items import load

EXTRACT = Path(__file__).resolve().parents[1] / "extracts" / "vsi_bench_extract.jsonl"


def scored(folder: Path, items: Sequence[Item], repeats: int = 1) -> Path:
    """The folder of a run on a benchmark of some items, the last of which has no response."""
    run = folder.with_name(f"run-of-{folder.name}")
    folder.mkdir()
    (folder / "benchmark.json").write_text(json.dumps({"title": "Some", "scoring_profile": "vsi-bench"}))
    write_items(folder / "items.parquet", items)
    rows = [
        {"id": item.id, "repeat": repeat, "response": item.answer if (n + repeat) % 3 else "?"}
        for n, item in enumerate(items[:-1])
        for repeat in range(repeats)
    ]
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in reversed(rows)))
    score_file(folder / "answers.jsonl", benchmark=str(folder), out=run)
    return run


@pytest.mark.parametrize("repeats", [1, 3])
def test_entries_do_not_depend_on_what_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repeats: int) -> None:
    items = load("vsi-bench", EXTRACT, None).items
    whole = scored(tmp_path / "whole", items, repeats)
    part = scored(tmp_path / "part", [*reversed(items[10:40]), items[0].model_copy(update={"id": "more"})])
    pages = ([whole], [whole, part], [part, whole])
    expected = [list(entries(load_runs(paths))) for paths in pages]
    assert [len(page) for page in expected] == [len(items), len(items) + 1, len(items) + 1]
    first, last = expected[0][1], expected[0][-1]
    assert first["answers"][0]["text"] == items[1].answer
    assert first["answers"][0]["scores"]["careful"][2] == 1.0
    assert last["answers"][0]["text"] is None
    assert sum(len(entry["answers"]) == 2 for entry in expected[1]) == 30
    monkeypatch.setattr(item_table, "AT_ONCE", 7)
    monkeypatch.setattr(memory, "MANY", 5)
    monkeypatch.setattr(page_items, "HELD", 10)
    monkeypatch.setattr(page_items, "BLOCK", 16)
    assert [list(entries(load_runs(paths))) for paths in pages] == expected
