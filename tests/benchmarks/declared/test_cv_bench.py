"""CV-Bench on rows in the released shape (the data itself is not at hand)."""

from pathlib import Path

import pytest

from released_rows import PICTURE, figures_of
from tolman import benchmarks
from tolman.items import Item
from tolman.media.images import read_image
from tolman.scoring.readers import reader_named

BENCHMARK = benchmarks.get("cv-bench")
PROMPT = "Which is it? Select from the following choices.\n(A) left\n(B) right"


def test_rows_become_items_of_both_halves(items: list[Item], folder: Path) -> None:
    assert [item.task for item in items] == ["ADE20K Count", "ADE20K Relation", "COCO Count", "Omni3D Depth"]
    assert [item.answer for item in items] == ["A", "B", "A", "B"]
    assert [item.id for item in BENCHMARK.load(folder, "2d")] == ["0", "1", "2"]
    assert [item.id for item in BENCHMARK.load(folder, "3d")] == ["3"]
    (medium,) = items[3].media
    assert read_image(folder, medium.path, medium.part) == PICTURE


def test_the_authors_prompt_and_lmms_evals_are_presets(items: list[Item]) -> None:
    released, lmms = BENCHMARK.presets
    demand = "\nAnswer with the option's letter from the given choices directly."
    assert BENCHMARK.prompt(items[1], released).parts == (*items[1].media, PROMPT + demand)
    note = "Note: You only need to respond with A, B without providing any additional information.\n\n"
    assert BENCHMARK.prompt(items[1], lmms).parts == (*items[1].media, note + PROMPT)
    assert lmms.rule_sets[0] == "lmms-eval"


def test_the_headline_is_the_mean_of_2d_and_3d_and_2d_is_that_of_its_sources(items: list[Item]) -> None:
    found = figures_of(BENCHMARK, items, "AAAA")
    assert (found["ade20k"].value, found["coco"].value, found["2d"].value, found["3d"].value) == (50, 100, 75, 0)
    assert found["overall"].value == 37.5
    assert found["pooled"].value == 50


@pytest.mark.parametrize(
    ("reply", "letter"),
    [("(B)", "B"), ("b.", "B"), ("The answer is: (B) 2", None), ("Answer: (B) 2", "B"), ("3", "C"), ("12", "A"),
     ("Both", "B"), ("", None), ("zebra", None)],
)  # fmt: skip
def test_the_authors_parser_takes_the_first_character(items: list[Item], reply: str, letter: str | None) -> None:
    assert reader_named("cambrian").read(items[0], reply, 0).value == letter
