"""Right regions of questions that ask for points: masks in files, polygons, and what is wrong with them."""

import json
from pathlib import Path
from typing import Any

import pytest

from released_rows import mask_picture, png
from tolman.benchmarks.declaring import declared_benchmark
from tolman.errors import InputError
from tolman.items import Item

FILE = """
title = "Mine"
files = ["question.json"]

[columns]
id = "id"
question = "prompt"
answer = "mask_path"
task = { value = "pointing" }

[answer]
kinds = "points"
region = { REGION }

[media]
from = "rgb_path"

[prompts.plain]
source = "here"
text = "{question}"

[scorers.official]
reader = "refspatial"
"""


def load(place: Path, region: str, answer: Any) -> Item:
    pytest.importorskip("PIL.Image", reason="images need the extra 'media'")
    (place / "mine.toml").write_text(FILE.replace("REGION", region))
    row = {"id": 1, "prompt": "Where?", "mask_path": answer, "rgb_path": "image/0.png"}
    (place / "question.json").write_text(json.dumps([row]))
    (item,) = declared_benchmark(str(place / "mine.toml")).load(place, "all")
    return item


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    (tmp_path / "image").mkdir()
    (tmp_path / "mask").mkdir()
    (tmp_path / "image" / "0.png").write_bytes(png([bytes(8)] * 6))
    (tmp_path / "mask" / "0.png").write_bytes(mask_picture(8, 6, (2, 1, 4, 3)))
    (tmp_path / "mask" / "other.png").write_bytes(mask_picture(6, 8, (2, 1, 4, 3)))
    (tmp_path / "mask" / "empty.png").write_bytes(png([bytes(8)] * 6))
    (tmp_path / "mask" / "broken.png").write_bytes(b"\x89PNG")
    return tmp_path


def test_a_mask_in_a_file_becomes_run_lengths(pictures: Path) -> None:
    item = load(pictures, 'form = "paths"', "mask/0.png")
    assert json.loads(item.answer) == {"size": [8, 6], "mask": {"size": [6, 8], "counts": [13, 2, 4, 2, 27]}}
    assert load(pictures, 'form = "paths", root = "mask"', "0.png").answer == item.answer


def test_questions_are_read_without_their_pictures(pictures: Path) -> None:
    (pictures / "image" / "0.png").unlink()
    assert "counts" in load(pictures, 'form = "paths"', "mask/0.png").answer


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mask/other.png", "the mask has 6 × 8 pixels, and its picture has 8 × 6"),
        ("mask/empty.png", "the mask is empty"),
        ("mask/broken.png", "the mask is no readable picture"),
        ("mask/9.png", "the file is missing"),
        ("../0.png", "leads out of the data folder"),
        (["mask/0.png", "mask/0.png"], "there are 2 masks"),
    ],
)
def test_a_mask_that_is_none_is_told_with_its_row(pictures: Path, name: Any, said: str) -> None:
    with pytest.raises(InputError, match=r"question\.json, row 1") as raised:
        load(pictures, 'form = "paths"', name)
    assert said in str(raised.value)


@pytest.mark.parametrize("answer", ["[(0.1, 0.2), (0.5, 0.2), (0.5, 0.9)]", [[0.1, 0.2], [0.5, 0.2], [0.5, 0.9]]])
def test_a_polygon_is_a_list_of_vertices(pictures: Path, answer: Any) -> None:
    item = load(pictures, 'form = "polygon"', answer)
    assert json.loads(item.answer) == {"polygon": [[0.1, 0.2], [0.5, 0.2], [0.5, 0.9]]}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("left of it", "is no list of points"),
        ("[(0.1, 0.2, 0.3)]", "is no list of points"),
        ("[(0.1, 0.2), (0.5, 0.2)]", "fewer than three vertices"),
        ("[(0.1, 0.2), (0.5, 0.2), (5, 0.9)]", "isn't between 0 and 1"),
        ("[(0.1, 0.2), (0.5, 'x'), (0.5, 0.9)]", "is no point [x, y]"),
    ],
)
def test_a_polygon_that_is_none_is_told_with_its_row(pictures: Path, answer: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        load(pictures, 'form = "polygon"', answer)
    assert "row 1" in str(raised.value)
    assert said in str(raised.value)


def test_a_scorer_leaves_out_what_its_reader_leaves_out(pictures: Path) -> None:
    item = load(pictures, 'form = "paths"', "mask/0.png")
    rules = {one.name: one for one in declared_benchmark(str(pictures / "mine.toml")).rule_sets}
    assert [rules["official"].counts(item, text) for text in ("(0.5, 0.5)", "no idea", "(5.0, 1, 2, 1)")] == [
        True, True, False,
    ]  # fmt: skip
    assert rules["careful"].counts(item, "(5.0, 1, 2, 1)")
