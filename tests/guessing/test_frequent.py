"""The text that is right most often, and what is counted of it."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from tolman.guessing.blind import most_frequent_text, ranked
from tolman.items import Item


def test_texts_count_where_they_are_right_in_another_scene(choice: Callable[..., Item]) -> None:
    items = [
        choice("chair", "table", "lamp", "sofa", answer="A", id="1", scene="s1"),
        choice("table", "chair", "lamp", "sofa", answer="B", id="2", scene="s2"),
        *(choice("lamp", "bed", "oven", "desk", answer="A", id=f"3{i}", scene="s3") for i in range(5)),
        choice("lamp", "sofa", "oven", "chair", answer="C", id="4", scene="s4"),
        choice("lamp", "sofa", "oven", "desk", answer="D", id="5", scene="s5"),
        choice("cup", "book", "rug", "vase", answer="B", id="6", scene="s6"),
    ]
    choose = most_frequent_text(items)
    assert [choose(item) for item in items] == ["C", "C", *"DDDDD", "A", "A", "A"]


@given(st.lists(st.sampled_from("abc"), min_size=1))
def test_ranking_is_by_frequency_then_alphabet(answers: list[str]) -> None:
    found = ranked(answers)
    assert sorted(found) == sorted(set(answers))
    keys = [(-answers.count(answer), answer) for answer in found]
    assert keys == sorted(keys)


def test_answers_that_are_no_letters_are_given_as_they_are(
    choice: Callable[..., Item], number: Callable[..., Item]
) -> None:
    numbers = [
        number(answer, id=f"n{answer}{i}", task="t") for answer, count in (("3", 2), ("2", 1)) for i in range(count)
    ]
    choose = most_frequent_text([*numbers, *(choice(id=f"c{i}", task="t") for i in range(4))])
    assert {choose(item) for item in numbers} == {"3"}  # and no letter or text of the choices beside them
