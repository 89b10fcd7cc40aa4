"""ERQA on rows in the released shape (the data itself is not at hand)."""

from tolman import benchmarks
from tolman.items import Item

BENCHMARK = benchmarks.get("erqa")
DEMAND = "Please answer directly with only the letter of the correct option and nothing else."
WHOLE = f"What will the arm do? Choices: A. Lift the can. B. Drop the can. C. Rest. D. Turn. {DEMAND}"


def test_options_inside_the_question_are_told_apart_from_the_demand(items: list[Item]) -> None:
    assert items[0].question == "What will the arm do?"
    assert items[0].options == ("Lift the can.", "Drop the can.", "Rest.", "Turn.")
    assert items[1].options == ("Point A.", "Point B.")
    assert [(item.answer, item.task, len(item.media)) for item in items] == [
        ("B", "Trajectory Reasoning", 1), ("B", "Pointing", 2),
    ]  # fmt: skip


def test_the_prompt_is_the_question_as_it_stands_behind_all_images(items: list[Item]) -> None:
    preset = BENCHMARK.presets[0]
    assert BENCHMARK.prompt(items[0], preset).parts == (*items[0].media, WHOLE)
    thinks = BENCHMARK.question(items[0], preset, True).text
    assert thinks == WHOLE.removesuffix(f" {DEMAND}")
    assert BENCHMARK.demand(items[0], preset) == DEMAND


def test_options_are_turned_inside_the_released_text(items: list[Item]) -> None:
    turned = BENCHMARK.reorder(items[0], [3, 1, 2, 0])
    assert turned is not None
    text = BENCHMARK.prompt(turned, BENCHMARK.presets[0]).text
    assert f"Choices: A. Turn. B. Drop the can. C. Rest. D. Lift the can. {DEMAND}" in text
