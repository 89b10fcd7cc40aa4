"""Spatial457 on rows in the shape that lmms-eval reads (the data itself is not at hand)."""

from pathlib import Path

import pytest

from released_rows import LEVELS, scores_of
from tolman import benchmarks
from tolman.items import Item

BENCHMARK = benchmarks.get("spatial457")


def test_the_levels_become_question_types_with_their_prompts(folder: Path, items: list[Item]) -> None:
    assert [item.task for item in items[::3]] == list(LEVELS)
    assert [(item.id, item.kind, item.answer) for item in items[:3]] == [
        ("L1_single-0", "text", "airliner"), ("L1_single-1", "number", "3"), ("L1_single-2", "yes-no", "yes"),
    ]  # fmt: skip
    assert items[0].media[0].path == "images/superCLEVR_new_000000.png"
    assert BENCHMARK.load(folder, "L4_pose") == items[12:15]
    text = str(BENCHMARK.prompt(items[12], BENCHMARK.presets[0]).parts[-1])
    assert text.startswith(
        "You are an intelligent chatbot designed to answer questions based on an image. Your task is to analyze the "
        "images, identify attributes of multiple objects and their facing direction in 3D space from the camera view, "
        "and then determine the answer to the question.\nWhat is it?\nFirst, you should identify the related objects "
        "referred in the questions, including"
    )
    assert text.endswith("json template: {'Reasoning': '<your reasons>', 'Answer': '<Your answer>'}")


@pytest.mark.parametrize(
    ("text", "lmms", "vlmevalkit"),
    [
        ("{'Reasoning': 'Its wings.', 'Answer': 'Airliner'}", 1.0, 1.0),
        ('{"Reasoning": "Its wings.", "Answer": "airliner"}', 1.0, 1.0),
        ("airliner", 1.0, 1.0),
        ("{'Reasoning': 'Its wings.', 'Answer': 'jet'}", 0.0, 1.0),
        ("{'Reasoning': 'Its wings.', 'Answer': 'school bus'}", 0.0, 0.0),
    ],
)
def test_harnesses_read_the_field_or_the_whole_reply(folder: Path, text: str, lmms: float, vlmevalkit: float) -> None:
    (item, *_) = BENCHMARK.load(folder, "L1_single")
    found = scores_of(BENCHMARK, item, text)
    assert (found["lmms-eval"], found["vlmevalkit"]) == (lmms, vlmevalkit)


@pytest.mark.parametrize(
    ("place", "text", "lmms", "vlmevalkit", "careful"),
    [
        (1, "{'Reasoning': 'Counted.', 'Answer': '3'}", 1.0, 1.0, 1.0),
        (1, "{'Reasoning': 'Counted.', 'Answer': 'three'}", 0.0, 1.0, 1.0),
        (1, "{'Reasoning': 'Counted.', 'Answer': '4'}", 0.0, 0.0, 0.0),
        (2, "{'Reasoning': 'Seen.', 'Answer': 'True'}", 1.0, 0.0, 1.0),
        (2, "{'Reasoning': 'Seen.', 'Answer': '1'}", 1.0, 1.0, 0.0),
        (2, "{'Reasoning': 'Seen.', 'Answer': '2'}", 0.0, 1.0, 0.0),
        (2, "{'Reasoning': 'Seen.', 'Answer': 'No'}", 0.0, 0.0, 0.0),
    ],
)
def test_counts_and_yes_and_no_have_kinds_of_their_own(
    folder: Path, place: int, text: str, lmms: float, vlmevalkit: float, careful: float
) -> None:
    item = BENCHMARK.load(folder, "L1_single")[place]
    found = scores_of(BENCHMARK, item, text)
    assert found == {"lmms-eval": lmms, "vlmevalkit": vlmevalkit, "careful": careful}
