"""EmbSpatial-Bench on rows in the released shape (the data itself is not at hand)."""

import base64
import io
import json
from pathlib import Path

import pytest

from tolman import benchmarks
from tolman.items import Item
from tolman.media.images import read_image

BENCHMARK = benchmarks.get("embspatial")


def picture(colour: str) -> bytes:
    pillow = pytest.importorskip("PIL.Image", reason="images need the extra 'media'")
    out = io.BytesIO()
    pillow.new("RGB", (16, 12), colour).save(out, "JPEG")
    return out.getvalue()


PICTURES = [picture(colour) for colour in ("red", "blue")]
ROWS = [
    {
        "data_source": source,
        "scene_id": "s1",
        "question_id": f"{source}_{number}",
        "question": "How are the chair and the table positioned?",
        "relation": relation,
        "image": base64.b64encode(PICTURES[number]).decode(),
        "answer_options": ["left of it", "right of it", "above it", "under it"],
        "answer": number,
        "objects": [{"name": "chair", "bbox": [1, 2, 3, 4]}],
    }
    for number, (source, relation) in enumerate((("mp3d", "left"), ("ai2thor", "right")))
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))


def load(place: Path, name: str) -> list[Item]:
    text = "\n".join(map(json.dumps, ROWS)) if name.endswith("l") else json.dumps(ROWS)
    (place / name).write_text(text)
    return BENCHMARK.load(place, "full")


@pytest.mark.parametrize("name", ["embspatial_bench.json", "embspatial_bench.jsonl"])
def test_released_rows_become_items_with_pictures_from_the_table(tmp_path: Path, name: str) -> None:
    items = load(tmp_path, name)
    assert [(item.id, item.answer, item.task) for item in items] == [
        ("mp3d_0", "A", "mp3d left"),
        ("ai2thor_1", "B", "ai2thor right"),
    ]
    assert items[0].scene == "mp3d/s1"
    for item, content in zip(items, PICTURES, strict=True):
        (medium,) = item.media
        assert read_image(tmp_path, medium.path, medium.part) == content


def test_a_parquet_copy_has_the_same_questions(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    rows = [{**row, "image": {"bytes": content, "path": None}} for row, content in zip(ROWS, PICTURES, strict=True)]
    pl.DataFrame(rows).write_parquet(tmp_path / "test-00000-of-00001.parquet")
    items = BENCHMARK.load(tmp_path, "full")
    assert [item.answer for item in items] == ["A", "B"]
    assert [read_image(tmp_path, m.path, m.part) for item in items for m in item.media] == PICTURES


def test_both_harnesses_prompts_are_presets(tmp_path: Path) -> None:
    (item, _) = load(tmp_path, "embspatial_bench.json")
    lmms, easi = BENCHMARK.presets
    assert BENCHMARK.prompt(item, lmms).parts[-1] == (
        "Note: You only need to respond with A, B, C, D without providing any additional information.\n"
        "How are the chair and the table positioned?\nA) left of it\nB) right of it\nC) above it\nD) under it"
    )
    assert BENCHMARK.prompt(item, easi).parts == (
        *item.media,
        "Question: How are the chair and the table positioned?\nOptions:\nA: left of it\nB: right of it\n"
        "C: above it\nD: under it\nGive me the answer letter directly. The best answer is:",
    )
    assert easi.rule_sets[0] == "easi"
