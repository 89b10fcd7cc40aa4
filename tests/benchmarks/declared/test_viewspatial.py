"""ViewSpatial-Bench on rows in the released shape."""

import json
from pathlib import Path

import pytest

from released_rows import figures_of
from tolman import benchmarks
from tolman.errors import InputError
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.score_items import score

BENCHMARK = benchmarks.get("viewspatial")
ROWS = [
    {
        "question_type": "Camera perspective - Relative Direction",
        "image_path": ["ViewSpatial-Bench/scannetv2_val/scene0011_00/original_images/280.jpg"],
        "question": "Where is the counter in comparison to the refrigerator?",
        "answer": "A. right",
        "choices": "A. right\nB. front-up\nC. back-left\nD. front",
    },
    {
        "question_type": "Person perspective - Relative Direction",
        "image_path": ["ViewSpatial-Bench/val2017/000000000785.jpg"],
        "question": "Where is the ball, seen by the player?",
        "answer": "B. left",
        "choices": "A. right\nB. left",
    },
    {
        "question_type": "Person perspective - Scene Simulation Relative Direction",
        "image_path": [f"ViewSpatial-Bench/scannetv2_val/scene0011_00/original_images/{i}.jpg" for i in (0, 20)],
        "question": "Where is the door?",
        "answer": "D. front",
        "choices": "A. right\nB. front-up\nC. back-left\nD. front",
    },
]


@pytest.fixture
def items(tmp_path: Path) -> list[Item]:
    (tmp_path / "ViewSpatial-Bench.json").write_text(json.dumps(ROWS))
    return BENCHMARK.load(tmp_path, "full")


def test_released_rows_become_items(items: list[Item]) -> None:
    assert [item.id for item in items] == ["0", "1", "2"]
    assert [item.answer for item in items] == ["A", "B", "D"]
    assert items[1].options == ("right", "left")
    assert [m.path for m in items[2].media] == [f"scannetv2_val/scene0011_00/original_images/{i}.jpg" for i in (0, 20)]
    assert [item.scene for item in items] == ["scene0011_00", "000000000785.jpg", "scene0011_00"]
    assert [item.labels["source"] for item in items] == ["ScanNet", "COCO", "ScanNet"]


def test_the_prompt_is_the_released_one(items: list[Item]) -> None:
    preset = BENCHMARK.presets[0]
    assert BENCHMARK.prompt(items[2], preset).parts == (
        *items[2].media,
        "Question: Where is the door?\nChoices: A. right\nB. front-up\nC. back-left\nD. front\n"
        "Reply only to the corresponding option.\nAnswer:",
    )
    assert not BENCHMARK.blind_prompt(items[2], preset).media
    thinks = BENCHMARK.question(items[1], preset, True).text
    assert thinks == "Question: Where is the ball, seen by the player?\nChoices: A. right\nB. left"
    assert BENCHMARK.demand(items[1], preset) == "Reply only to the corresponding option."


@pytest.mark.parametrize(
    ("text", "official", "easi"), [("B", 1.0, 1.0), ("B\nbecause it is near a wall", 0.0, 1.0), ("", 0.0, 0.0)]
)
def test_the_authors_and_easis_parsers_stand_side_by_side(
    items: list[Item], text: str, official: float, easi: float
) -> None:
    rows = score(items[1:2], [Response(id="1", response=text)], BENCHMARK.rule_sets)
    assert dict(rows.select("rule_set", "score").iter_rows()) | {"careful": 0} == {
        "official": official, "lmms-eval": official, "easi": easi, "careful": 0
    }  # fmt: skip


def test_the_average_is_over_all_questions(items: list[Item]) -> None:
    found = figures_of(BENCHMARK, items, "ABA")
    assert found["overall"].value == pytest.approx(200 / 3)
    assert found["person_scene"].value == 0
    assert "person_orientation" not in found or found["person_orientation"].n == 0


def test_a_row_that_is_not_the_benchmarks_is_named(tmp_path: Path) -> None:
    (tmp_path / "ViewSpatial-Bench.json").write_text(json.dumps([ROWS[0], {**ROWS[1], "answer": "C. up"}]))
    with pytest.raises(
        InputError, match=r"ViewSpatial-Bench.json, row 2: the answer 'C. up' is no letter of an option"
    ):
        BENCHMARK.load(tmp_path, "full")
