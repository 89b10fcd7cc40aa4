"""OmniSpatial on rows in the released shape (the data itself is not at hand)."""

from pathlib import Path

import pytest

from released_rows import omnispatial
from tolman import benchmarks
from tolman.items import Item
from tolman.messages import Message
from tolman.models.baseline import create
from tolman.models.model import ModelOptions
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.score_items import score

BENCHMARK = benchmarks.get("omnispatial")
MANUAL, ZERO_SHOT, NONE = BENCHMARK.presets
QUESTION = "How long will it take for the moving car to reach the camera?\n"
FORM = "\nEnd your answer with a separate line formatted exactly as:\n\nAnswer: X\nwhere X ∈ {A, B, C, D}.\n"
BLIND = """
You are a spatial-reasoning assistant.

Task
-----
You will receive\x20\x20
1. **Question** - a natural-language query about spatial relationships.\x20\x20
2. **Options** - ≥2 answer candidates, each tagged by a capital letter (A, B, C, D…).

Based on the question only, provide your answer.
"""
ZERO_SHOT_TEXT = """
You are a spatial-reasoning assistant.

Task
-----
You will receive\x20\x20
1. **Image** - a single RGB frame depicting a scene.
2. **Question** - a natural-language query about spatial relationships between objects in the image.
3. **Options** - ≥2 answer candidates, each tagged by a capital letter (A, B, C, D…).

Think step by step and provide the answer.
Always ground your answer in the visual evidence; do not hallucinate unseen objects.
If uncertain, pick the most plausible option—never refuse or reply “insufficient information.”
"""


def test_released_rows_become_items(items: list[Item]) -> None:
    assert [item.id for item in items] == [
        "Dynamic_Reasoning_0_0", "Complex_Logic_0_1", "Perspective_Taking_0_2", "Perspective_Taking_0_3"
    ]  # fmt: skip
    assert [item.answer for item in items] == ["A", "B", "A", "B"]
    assert items[0].options == ("2.7s", "14.7s", "25.7s", "3.9s")
    assert items[0].task == "Dynamic_Reasoning/Motion_Analysis"
    assert [item.media[0].path for item in items[1:]] == ["Complex_Logic/0.png", *["Perspective_Taking/0.png"] * 2]
    assert items[2].scene == items[3].scene == "Perspective_Taking/0"


def test_paths_are_seen_from_the_question_file(tmp_path: Path) -> None:
    (tmp_path / "OmniSpatial-test").mkdir()
    omnispatial(tmp_path / "OmniSpatial-test")
    (item, *_) = BENCHMARK.load(tmp_path, "test")
    assert item.media[0].path == "OmniSpatial-test/Dynamic_Reasoning/0.png"


def test_the_prompt_is_the_released_one_with_the_image_behind(items: list[Item]) -> None:
    for preset in BENCHMARK.presets:
        assert BENCHMARK.prompt(items[1], preset).parts == (f"{QUESTION}A. 2.7s\nB. 14.7s\n", items[1].media[0])
    assert BENCHMARK.blind_prompt(items[1], MANUAL).parts == (f"{QUESTION}A. 2.7s\nB. 14.7s\n",)
    assert (MANUAL.name, MANUAL.sampling.temperature) == ("manual_cot", None)


def test_system_messages_are_the_released_ones(items: list[Item]) -> None:
    assert BENCHMARK.system(items[0], ZERO_SHOT, True, True) == f"{ZERO_SHOT_TEXT}\n{FORM}"
    assert BENCHMARK.system(items[0], ZERO_SHOT, True, False) == f"{ZERO_SHOT_TEXT}\n"
    assert BENCHMARK.system(items[0], ZERO_SHOT, False, True) == BLIND
    manual, none = (BENCHMARK.system(items[0], preset, True, True) for preset in (MANUAL, NONE))
    assert none.endswith(f"“insufficient information.”\n\n{FORM}")
    assert "\n\nBased on the image and question, provide your answer.\nAlways ground" in none
    for text in (manual, none):
        assert "You will receive  \n1. **Image** - a single RGB frame depicting a scene.  \n2. **Question**" in text
    assert (
        "\n\nGuidelines\n----------\nPlease follow these steps to analyze the image and answer the question:\n"
        in manual
    )
    assert (
        "\n4. Finally, select the most appropriate option (A, B, C, or D) based on your analysis.\n\nAlways" in manual
    )
    assert manual.endswith(f"“insufficient information.”\n\n{FORM}")


def test_programs_that_take_one_message_get_the_system_text_at_its_head(items: list[Item]) -> None:
    text = BENCHMARK.whole_prompt(items[1], ZERO_SHOT).text
    assert text == f"{ZERO_SHOT_TEXT}\n{FORM}\n\n{QUESTION}A. 2.7s\nB. 14.7s\n"
    assert BENCHMARK.whole_prompt(items[1], ZERO_SHOT, sees=False) == Message(
        parts=(f"{BLIND}\n\n{QUESTION}A. 2.7s\nB. 14.7s\n",)
    )


@pytest.mark.parametrize(
    ("text", "official", "easi"),
    [("It is near.\n\nAnswer: A", 1.0, 1.0), ("I can't tell.", 1.0, 0.0), ("answer: a", 0.0, 1.0), ("B", 1.0, 0.0)],
)
def test_the_authors_count_what_they_cant_read_as_a(items: list[Item], text: str, official: float, easi: float) -> None:
    rules = [BENCHMARK.rule_set("official"), BENCHMARK.rule_set("easi")]
    found = score(items[:1], [Response(id=items[0].id, response=text)], rules)
    assert found["score"].to_list() == [official, easi]


def test_figures_pool_questions_by_type(items: list[Item]) -> None:
    responses = [Response(id=item.id, response="Answer: A") for item in items]
    found = cells(score(items, responses, [BENCHMARK.rule_set("official")]), BENCHMARK.table)
    keys = ("overall", "dynamic_reasoning", "complex_logic", "perspective_taking", "egocentric")
    assert [found[key].value for key in keys] == [50, 100, 0, 50, 50]


def test_baselines_answer_in_the_form_that_is_read(items: list[Item]) -> None:
    model = create("random", ModelOptions())
    model.prepare(BENCHMARK, items)
    assert model.distribution(items[1]) == [("Answer: A", 0.5), ("Answer: B", 0.5)]
