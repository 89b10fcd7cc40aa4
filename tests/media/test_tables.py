"""Images inside tables: any column, and text tables that are unpacked once."""

import base64
import csv
import json
from pathlib import Path

import pytest

from tolman.media.images import in_column, read_image, table_and_column
from tolman.media.video import BrokenMediaError

CONTENT = b"no image, and nobody looks here"
ENCODED = base64.b64encode(CONTENT).decode()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("file", "column", "path"),
    [("a.parquet", "images", "a.parquet"), ("a.parquet", "image_2", "a.parquet#image_2"), ("a.tsv", "image", "a.tsv"),
     ("b#1/a.json", "picture", "b#1/a.json#picture"), ("b#1/a.jsonl", "image", "b#1/a.jsonl")],
)  # fmt: skip
def test_a_column_stands_behind_the_tables_path(file: str, column: str, path: str) -> None:
    assert in_column(file, column) == path
    assert table_and_column(path) == (file, None if path == file else column)


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.json", "a.jsonl"])
def test_text_tables_hold_one_image_or_a_list(tmp_path: Path, name: str) -> None:
    cells = [ENCODED, json.dumps([ENCODED, f"data:image/png;base64,{ENCODED}"]), "", "%%%"]
    rows = [{"n": str(n), "pic": cell} for n, cell in enumerate(cells)]
    with (tmp_path / name).open("w", newline="") as file:
        if name.endswith("sv"):
            writer = csv.DictWriter(file, rows[0], delimiter="\t" if name.endswith("tsv") else ",")
            writer.writeheader()
            writer.writerows(rows)
        else:
            file.write(json.dumps(rows) if name.endswith("json") else "\n\n".join(map(json.dumps, rows)))
    path = in_column(name, "pic")
    assert [read_image(tmp_path, path, place) for place in ((0, 0), (1, 0), (1, 1))] == [CONTENT] * 3
    for place in ((2, 0), (3, 0), (4, 0), (0, 1)):
        with pytest.raises(BrokenMediaError, match=rf"{name}, row {place[0] + 1}: holds no image {place[1] + 1}"):
            read_image(tmp_path, path, place)
    with pytest.raises(BrokenMediaError, match="the file is missing"):
        read_image(tmp_path, in_column("b.tsv", "pic"), (0, 0))


def test_a_table_is_unpacked_once_and_again_where_it_changed(tmp_path: Path, cache: Path) -> None:
    table = tmp_path / "a.tsv"
    table.write_text(f"image\n{ENCODED}\n")
    for _ in range(2):
        assert read_image(tmp_path, "a.tsv", (0, 0)) == CONTENT
    assert len(list(cache.glob("tables/*/*"))) == 1
    table.write_text(f"image\n{base64.b64encode(b'another').decode()}\n")
    assert read_image(tmp_path, "a.tsv", (0, 0)) == b"another"
