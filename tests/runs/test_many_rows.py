"""Scoring of many questions, which are read in parts, gives the files that scoring of few gives."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from folders import contents
from peaks import peak_of
from tolman import item_table, item_table as frames_on_disk, responses
from tolman.item_table import ItemTable, StoredItems, at_hand, open_items, read_items, write_items
from tolman.items import Item
from tolman.runs.rescore import score_file, score_folder
from tolman.runs.run import RunRequest, run
from tolman.runs.run_items import load
from tolman.scoring import score_items

EXTRACT = Path(__file__).resolve().parents[1] / "extracts" / "vsi_bench_extract.jsonl"
ROWS, MOST_MB = 24_000, 320
"""A command that holds all rows takes more."""


def published(
    folder: Path,
    change: Callable[[int, Item], Item] = lambda number, item: item,
    copies: int = 1,
    reasoning: str | None = None,
) -> Path:
    """A benchmark's folder with a file of responses in another order than its questions."""
    folder.mkdir()
    (folder / "benchmark.json").write_text(json.dumps({"title": "Many", "scoring_profile": "vsi-bench"}))
    found = load("vsi-bench", EXTRACT, None).items
    items = [item.model_copy(update={"id": f"{item.id}-{copy}"}) for copy in range(copies) for item in found]
    items = [change(number, item) for number, item in enumerate(items)]
    write_items(folder / "items.parquet", items)
    said = ["{}", "The answer is {}.", "?"]
    rows = [
        {"id": item.id, "response": said[n % 3].format(item.answer), "reasoning": reasoning}
        for n, item in enumerate(items)
    ]
    rows[2] = {"id": rows[2]["id"], "failure": "it timed out"}
    random.Random(0).shuffle(rows)
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:-1]))
    return folder


def read_in_parts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(frames_on_disk, "HELD_ROWS", 10)
    patch.setattr(item_table, "HELD_ITEMS", 10)
    patch.setattr(item_table, "AT_ONCE", 7)
    patch.setattr(responses, "MANY", 5)
    patch.setattr(score_items, "AT_ONCE", 11)


def in_pairs(number: int, item: Item) -> Item:
    """Each question with its neighbour, as those that count as one."""
    return item.model_copy(update={"all_of": str(number // 2)})


@pytest.mark.parametrize("change", [lambda number, item: item, in_pairs], ids=["alone", "in groups"])
def test_files_are_the_same_however_many_are_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[int, Item], Item]
) -> None:
    bench = published(tmp_path / "bench", change)
    folders = [tmp_path / "held", tmp_path / "in parts"]

    def score_into(folder: Path) -> None:
        score_file(
            bench / "answers.jsonl", benchmark=str(bench), out=folder, metrics=["within-25"], failures_are_wrong=True
        )

    score_into(folders[0])
    with monkeypatch.context() as patch:
        read_in_parts(patch)
        assert isinstance(load(str(bench), None, None, held=False).items, ItemTable)
        score_into(folders[1])
    held, parts = (contents(folder, "run.json") for folder in folders)
    assert {"scores.parquet", "metrics.parquet", "scores.json", "responses.jsonl", "items.parquet"} <= set(held)
    assert held == parts
    score_folder(folders[0], ["signed-bias"])
    with monkeypatch.context() as patch:
        read_in_parts(patch)
        score_folder(folders[1], ["signed-bias"])
    assert contents(folders[0], "run.json") == contents(folders[1], "run.json")


def test_a_run_writes_the_same_however_many_items_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = published(tmp_path / "bench")
    folders = [tmp_path / "held", tmp_path / "in parts"]

    def ask_into(folder: Path) -> None:
        run(RunRequest(str(bench), "baseline/most-frequent", out=folder))

    ask_into(folders[0])
    with monkeypatch.context() as patch:
        read_in_parts(patch)
        ask_into(folders[1])
    held, parts = (contents(folder, "run.json") for folder in folders)
    assert {"scores.parquet", "scores.json", "responses.jsonl", "items.parquet"} <= set(held)
    assert held == parts


def test_a_table_of_items_is_a_sequence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [published(tmp_path / "one") / "items.parquet", published(tmp_path / "two") / "items.parquet"]
    items = [item for path in paths for item in read_items(path)]
    assert open_items(paths) == items
    read_in_parts(monkeypatch)
    table = open_items(paths)
    assert isinstance(table, ItemTable)
    assert len(table) == len(items)
    assert list(table) == list(table) == items
    assert [table[n] for n in range(-len(items), len(items))] == [*items, *items]
    assert table[3:40:5] == items[3:40:5]
    with pytest.raises(IndexError):
        table[len(items)]
    stored = at_hand(table)
    assert isinstance(stored, StoredItems)
    assert len(stored) == len(items)
    assert list(stored) == list(stored) == items
    assert [stored[n] for n in range(-len(items), len(items))] == [*items, *items]
    assert stored[3:40:5] == items[3:40:5]
    with pytest.raises(IndexError):
        stored[len(items)]


@pytest.mark.full
def test_memory_of_many_rows_is_bounded(tmp_path: Path) -> None:
    count = len(load("vsi-bench", EXTRACT, None).items)
    bench = published(tmp_path / "bench", copies=ROWS // count, reasoning="x" * 5000)
    peak = peak_of(bench, "score", "answers.jsonl", "--benchmark", "./", "--out", "run", "--on", "here")
    assert (bench / "run" / "scores.json").exists()
    assert peak < MOST_MB
