"""RoboSpatial-Home on rows in the released shape (the data itself is not at hand)."""

import json
from pathlib import Path

import pytest

from released_rows import POINTS_END, scores_of
from tolman import benchmarks
from tolman.items import Item

BENCHMARK = benchmarks.get("robospatial-home")


@pytest.fixture(scope="module")
def items(folder: Path) -> dict[str, Item]:
    return {item.task: item for item in BENCHMARK.load(folder, "all")}


def test_answers_are_words_and_polygons(folder: Path, items: dict[str, Item]) -> None:
    assert [(item.kind, item.answer) for task, item in items.items() if task != "context"] == [
        ("yes-no", "no"), ("yes-no", "yes"),
    ]  # fmt: skip
    assert items["context"].kind == "points"
    assert json.loads(items["context"].answer) == {"polygon": [[0.25, 0.5], [0.75, 0.5], [0.5, 0.9]]}
    for subset in ("configuration", "compatibility", "context"):
        assert BENCHMARK.load(folder, subset) == [items[subset]]


def test_the_authors_ask_the_question_as_it_stands_and_harnesses_change_its_end(items: dict[str, Item]) -> None:
    released, lmms, vlmevalkit = BENCHMARK.presets
    asked = items["compatibility"], items["context"]
    assert [BENCHMARK.prompt(item, released).parts[-1] for item in asked] == [
        "Can the bowl fit left of the cup? Answer yes or no.",
        f"Pinpoint several points left of the bowl. {POINTS_END}",
    ]
    yes_no, points = (BENCHMARK.prompt(item, lmms).parts[-1] for item in asked)
    assert str(yes_no) == (
        "Can the bowl fit left of the cup?\n"
        "Your task is to answer the question above. Respond with a brief explanation if needed, followed by a yes or no "
        "answer in the last line of your response.\n\n"
        "    Format your final answer strictly as follows on the last line of your response:\n"
        "    Answer: yes or no\n\n    Do not include additional text after this line.\n    "
    )
    assert str(points).startswith(
        "Pinpoint several points left of the bowl.\nYour task is to identify specific points "
    )
    assert [BENCHMARK.prompt(item, vlmevalkit).parts[-1] for item in asked] == [
        "Can the bowl fit left of the cup? Answer yes or no.",
        "Pinpoint several points left of the bowl.\n\nOutput the point coordinates in JSON format.\nFor example:\n[\n"
        '  {"point_2d": [x, y], "label": "point_1"}\n]\n',
    ]


@pytest.mark.parametrize(
    ("task", "text", "official", "lmms"),
    [
        ("compatibility", "No, it is too wide.", 1.0, 1.0),
        ("compatibility", "It is wide.\nAnswer: no", 0.0, 1.0),
        ("context", "[(0.5, 0.6), (0.1, 0.1)]", 1.0, 0.0),
        ("context", "[(0.1, 0.1), (0.5, 0.6)]", 0.0, 0.0),
        ("context", '```json\n[{"point_2d": [100, 100]}, {"point_2d": [500, 600]}]\n```', 0.0, 1.0),
    ],
)
def test_the_authors_take_the_first_point_and_lmms_eval_any(
    items: dict[str, Item], task: str, text: str, official: float, lmms: float
) -> None:
    found = scores_of(BENCHMARK, items[task], text)
    assert (found["official"], found["lmms-eval"]) == (official, lmms)
