"""Orders of questions and options."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolman.items import Item
from tolman.review.studies.participants import option_order, shown_answer, true_answer, with_checks


def item(*options: str, answer: str = "A", **rest: object) -> Item:
    return Item.model_validate(
        {"id": "q", "question": "What?", "kind": "choice", "options": options, "answer": answer, "task": "t", **rest}
    )


@settings(max_examples=60, deadline=None)
@given(count=st.integers(2, 8), answer=st.integers(0, 7), seed=st.integers(0, 99))
def test_a_shuffled_question_is_right_where_the_stored_one_is(count: int, answer: int, seed: int) -> None:
    asked = item(*[f"thing {n}" for n in range(count)], answer="ABCDEFGH"[answer % count])
    order = option_order(asked, seed, "q")
    assert order is not None
    shown = asked.reordered(order)
    assert true_answer(order, shown.answer) == asked.answer
    assert all(shown_answer(order, true_answer(order, letter)) == letter for letter in shown.letters)
    assert order == option_order(asked, seed, "q")


@pytest.mark.parametrize(
    "options",
    [
        ("left", "right", "none of the above"), ("A", "B", "both A and B"), ("cup", "bowl", "All of these options"),
        ("one", "Neither"), ("x", "options A or B"),
    ],
)  # fmt: skip
def test_options_that_speak_of_others_stay(options: tuple[str, ...]) -> None:
    assert option_order(item(*options), 0) is None


def test_words_of_space_are_shuffled() -> None:
    assert option_order(item("above", "below", "to the left of the cup"), 0) is not None


def test_a_number_has_no_options() -> None:
    number = Item.model_validate({"id": "n", "question": "How many?", "kind": "number", "answer": "3", "task": "t"})
    assert option_order(number, 0) is None


@settings(max_examples=60, deadline=None)
@given(questions=st.integers(0, 40), checks=st.integers(0, 8), seed=st.integers(0, 9))
def test_checks_stand_among_the_questions_and_none_is_lost(questions: int, checks: int, seed: int) -> None:
    own, others = list(range(questions)), [f"c{n}" for n in range(checks)]
    found = with_checks(own, others, seed)
    assert [one for one in found if isinstance(one, int)] == own
    assert sorted(one for one in found if isinstance(one, str)) == others
    if questions > 1 and checks:
        assert isinstance(found[0], int)
