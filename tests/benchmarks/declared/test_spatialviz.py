"""SpatialViz-Bench on rows in the released shape (the data itself is not at hand)."""

import pytest

from released_rows import figures_of
from tolman import benchmarks
from tolman.items import Item

BENCHMARK = benchmarks.get("spatialviz")
OPENING = (
    "You should first provide a reasoning process, then provide a single option(A, B, C or D) as the final answer. The "
    "reasoning process and the answer are enclosed within <think></think> and <answer></answer> tags, respectively, "
    "i.e., <think>reasoning process</think>, <answer>answer</answer>.\n"
)
REST = (
    "Which one is the figure after it is turned?\nA. The first\nB. The second\nC. The third\nD. None of them\n"
)  # fmt: skip


def test_rows_become_items_with_their_images(items: list[Item]) -> None:
    assert [(item.id, item.answer, item.media[0].path) for item in items[:2]] == [
        ("MentalRotation-2DRotation-Level0-0-0-3-2", "A", "MentalRotation/2DRotation/Level0/0-0-3-2.png"),
        ("MentalRotation-3DRotation-Level0-0-0-3-2", "B", "MentalRotation/3DRotation/Level0/0-0-3-2.png"),
    ]
    assert items[0].reasoning == "It is turned to the left."


def test_prompts_are_those_of_authors_and_harnesses(items: list[Item]) -> None:
    said = {preset.name: BENCHMARK.prompt(items[0], preset).parts[-1] for preset in BENCHMARK.presets}
    assert said["released"] == f"{OPENING}Qustion: {REST}"
    assert said["lmms-eval"] == f"{OPENING}Question: {REST}"
    assert said["easi-cot"] == f"{OPENING}Question:{REST}".replace("option(A", "option (A")
    assert said["easi"] == (
        "Answer with a single option letter (A, B, C, or D), enclosed within the <answer></answer> tag. For example: "
        "<answer>A</answer>. Ensure that your output contains only the final answer, without any intermediate "
        f"reasoning or additional content.\nQuestion:{REST}"
    )


def test_figures_are_by_task_and_ability(items: list[Item]) -> None:
    texts = ["<think>so</think><answer>A</answer>", "<answer>A", "<think>so</think><answer>C.</answer>"]
    found = figures_of(BENCHMARK, items, texts)
    assert (found["rotation_2d"].value, found["rotation_3d"].value, found["mental_rotation"].value) == (100, 0, 50)
    assert found["mental_animation"].value == 100
    assert found["overall"].value == pytest.approx(200 / 3)
