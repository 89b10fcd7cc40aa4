"""MindCube on rows in the released shape (the data itself is not at hand)."""

from pathlib import Path

import pytest

from released_rows import figures_of, mindcube
from tolman import benchmarks
from tolman.items import Item

BENCHMARK = benchmarks.get("mindcube")


def test_options_inside_the_question_are_told_apart(items: list[Item]) -> None:
    assert items[0].question == "From view 1, what is to my left?"
    assert items[0].options == ("Sofa", "Door of room A.", "Lamp", "Wall")
    assert [len(item.options) for item in items] == [4, 2, 3, 2]
    assert [item.task for item in items] == ["among", "around", "rotation", "translation"]
    assert items[1].scene == "other_all_image/aroundnew/group1"


def test_images_are_found_from_the_folder_above_the_questions(tmp_path: Path) -> None:
    mindcube(tmp_path)
    above, below = (BENCHMARK.load(folder, "full")[0].media[0].path for folder in (tmp_path, tmp_path / "data"))
    assert above == "data/other_all_image/among/group0/front.png"
    assert below == "other_all_image/among/group0/front.png"


def test_the_prompt_is_the_released_one(items: list[Item]) -> None:
    assert BENCHMARK.prompt(items[1], BENCHMARK.presets[0]).parts == (
        *items[1].media,
        "[Task]\nYour task is to analyze the spatial arrangement of objects in the scene by examining the provided "
        "images, which show the scene from different viewpoints.\n[Answer Instruction]\nYou only need to provide "
        "*ONE* correct answer selecting from the options listed below. For example, if you think the correct answer "
        "is 'A. Above' from 'A. Above B. Under C. Front D. Behind', your response should **only** be "
        "'<answer>A. Above</answer>'.\n\n[Question]\nFrom view 1, what is to my left? A. Yes B. No",
    )
    turned = BENCHMARK.reorder(items[1], [1, 0])
    assert turned is not None
    assert BENCHMARK.prompt(turned, BENCHMARK.presets[0]).text.endswith("left? A. No B. Yes")


def test_translation_is_counted_and_left_out_of_the_overall(items: list[Item]) -> None:
    texts = [
        "<answer>B. Door</answer>",
        "<answer>B. No</answer>",
        "<answer>A. Cup</answer>",
        "<answer>A. Left</answer>",
    ]
    found = figures_of(BENCHMARK, items, texts)
    assert found["overall"].value == pytest.approx(200 / 3)
    assert found["translation"].value == 0
