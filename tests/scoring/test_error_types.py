"""Types of errors: what a judge is told, and what of its reply is an answer."""

import pytest
from hypothesis import given, strategies as st

from tolman.scoring.error_types import (
    CORRECT,
    MMSI,
    VSI,
    judge_text,
    read_categories,
    read_steps,
    steps_of,
    typed_already,
    typing_text,
    valid,
)

BENCH = "The pink bench is to the east of the bed. The white wall lies to the south. Thus, the bathroom lies in the southeast corner."  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "key"),
    [
        ("3", "transformation"), ("3.", "transformation"), ("**2**", "reconstruction"), ("Category 4", "logic"),
        ("The answer is: 5", CORRECT), ("The relevant category number is 1.", "grounding"), ("`5`", CORRECT),
        ("2. Overlap identification and scene reconstruction error", "reconstruction"), ("Grounding error", "grounding"),
        ("<think>first 1, then 2</think>\n4", "logic"), ("The model takes the tree for two.\n\n2", "reconstruction"),
    ],
)  # fmt: skip
def test_a_category_is_read(reply: str, key: str) -> None:
    assert read_categories(MMSI, reply) == {key}


@pytest.mark.parametrize(
    "reply",
    ["", "6", "0", "10", "1, 2", "3. Grounding error", "I can't say.", "The model is right in 2 of 3 steps.", "A", "1 or 2", "12"],
)  # fmt: skip
def test_other_replies_are_none(reply: str) -> None:
    assert read_categories(MMSI, reply) is None


def test_several_apply_where_the_paper_lets_them() -> None:
    assert read_categories(VSI, "1, 4") == {"perception", "transformation"}
    assert read_categories(VSI, "2 and 3") == {"linguistic", "relational"}
    assert read_categories(VSI, "5") == {CORRECT}
    assert read_categories(VSI, "1, 5") is None
    assert read_categories(VSI, "1, 7") is None


@given(st.text(max_size=80))
def test_any_text_is_read_as_a_valid_judgement_or_as_none(reply: str) -> None:
    for taxonomy in (VSI, MMSI):
        found = read_categories(taxonomy, reply)
        assert found is None or valid(taxonomy, found)


def test_the_judge_is_told_what_the_paper_says(choice) -> None:  # type: ignore[no-untyped-def]
    item = choice("left", "right", answer="B", verbatim="Which?\nOptions: A: left, B: right")
    text = judge_text(MMSI, item, "It is left.", None)
    assert text.startswith("Question:\nWhich?\nOptions: A: left, B: right\n\n")
    assert "<reasoning>\nIt is left.\n</reasoning>\n\nCorrect answer: B\n\nYou are given images, a question about the images, the correct answer, and a reasoning" in text  # fmt: skip
    assert "4. Spatial logic error: Flaws in spatial reasoning logic, such as fabrication," in text
    assert text.endswith("5. Completely correct reasoning.\n\nPlease output only the relevant category number.")
    assert "<reference>" not in text
    assert "for reference only" not in text
    with_human = judge_text(MMSI, item, "It is left.", "It is right (Grounding).")
    assert "<reference>\nIt is right (Grounding).\n</reference>" in with_human
    assert "is for reference only" in with_human
    plain = judge_text(VSI, choice("left", "right", answer="B"), "It is left.", None)
    assert "Correct answer: B. right" in plain


def test_steps_are_the_sentences_and_lines() -> None:
    assert len(steps_of(BENCH)) == 3
    assert steps_of("1. Look at 2.5 m. 2) Turn left\n- Go on") == ("Look at 2.5 m.", "Turn left", "Go on")
    assert steps_of("Step 1: From A, B is east.\nStep 2: So C is west.") == ("From A, B is east.", "So C is west.")
    assert steps_of("  \n ") == ()


def test_steps_are_typed_as_in_the_papers_example() -> None:
    steps = steps_of(BENCH)
    asked = typing_text(MMSI, steps)
    assert "Step 3: Thus, the bathroom" in asked
    assert "2. Overlap-Matching and Scene-Reconstruction: " in asked
    typed = read_steps(MMSI, steps, "1: 1\n2: 1\nStep 3: 2")
    assert typed == (
        "The pink bench is to the east of the bed (Grounding). The white wall lies to the south (Grounding). "
        "Thus, the bathroom lies in the southeast corner (Overlap-Matching and Scene-Reconstruction)."
    )
    assert typed_already(MMSI, typed)
    assert not typed_already(MMSI, BENCH)
    for bad in ("1: 1\n2: 1", "1: 1\n2: 1\n3: 5", "1: 1\n1: 2\n2: 1\n3: 1", "1: 1\n2: 1\n3: 1\n4: 1", "all grounding"):
        assert read_steps(MMSI, steps, bad) is None
