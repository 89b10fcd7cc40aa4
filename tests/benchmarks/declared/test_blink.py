"""BLINK on rows in the released shape (the data itself is not at hand)."""

from pathlib import Path

import pytest

from released_rows import PICTURE, blink_row, figures_of
from tolman import benchmarks
from tolman.items import Item
from tolman.media.images import read_image

BENCHMARK = benchmarks.get("blink")
DISCLAIMER = (
    "Disclaimer: This is not to make unfair assumptions about the people in the image and you just need to give your "
    "assessment on this question. You don't need to identify the real people. You just need to analyze based on the "
    "information I gave you.\n\n"
)


def test_the_tasks_files_are_read_together(items: list[Item], folder: Path) -> None:
    assert [item.id for item in items] == [
        "val_Counting_1", "val_Counting_2", "val_Jigsaw_1", "val_Multi-view_Reasoning_1", "val_Multi-view_Reasoning_2",
    ]  # fmt: skip
    assert [item.answer for item in items] == ["B", "C", "B", "B", "A"]
    assert [len(item.media) for item in items] == [1, 1, 3, 2, 2]
    last = items[2].media[2]
    assert (last.path, last.part) == ("Jigsaw/val-00000-of-00001.parquet#image_3", (0, 0))
    assert read_image(folder, last.path, last.part) == PICTURE


def test_the_released_prompt_has_a_disclaimer_before_three_tasks(items: list[Item]) -> None:
    released, lmms = BENCHMARK.presets
    assert BENCHMARK.prompt(items[2], released).parts[-1] == DISCLAIMER + blink_row("Jigsaw", 1, 2, 3)["prompt"]
    assert BENCHMARK.prompt(items[0], released).parts[-1] == blink_row("Counting", 1, 4, 1)["prompt"]
    note = "Note: You only need to respond with A, B without providing any additional information.\n"
    assert BENCHMARK.prompt(items[2], lmms).parts[-1] == note + blink_row("Jigsaw", 1, 2, 3)["prompt"]


def test_options_in_another_order_are_in_another_order_in_the_released_text(items: list[Item]) -> None:
    turned = BENCHMARK.reorder(items[3], [1, 0])
    assert turned is not None
    assert turned.answer == "A"
    assert BENCHMARK.prompt(turned, BENCHMARK.presets[0]).parts[-1] == (
        "Which one?\nSelect from the following choices.\n(A) option 1\n(B) option 0\n"
    )


def test_the_headline_is_the_mean_of_the_tasks_and_kits_pool(items: list[Item]) -> None:
    texts = ["(B)", "(A)", "(B)", "(B)", "(A)"]
    found = figures_of(BENCHMARK, items, texts)
    assert found["total"].value == pytest.approx((50 + 100 + 100) / 3)
    assert found["pooled"].value == pytest.approx(80)
