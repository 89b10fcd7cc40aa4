"""Rings: questions with one text of which each has another answer."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tolman.generate.rings import INTERVALS, LEAST_COUNTS, SPAN, RingQuestion, RingText, find_rings, intervals_of

OPTIONS = ("back", "left", "right")


def question(text: str, answer: str, scene: str, *, cluster: int = 0) -> RingQuestion:
    return RingQuestion(RingText(cluster, text), answer, scene, len(OPTIONS), OPTIONS)


questions = st.lists(
    st.builds(
        question,
        text=st.sampled_from(["the lamp", "the bin", "the chair"]),
        answer=st.sampled_from(OPTIONS),
        scene=st.integers(0, 12).map(str),
        cluster=st.integers(0, 1),
    ),
    max_size=60,
)


@given(questions, st.sampled_from([None, 1, 3]), st.sampled_from([None, 7, 12]))
def test_each_ring_has_one_text_and_every_answer_once(
    asked: list[RingQuestion], per_scene: int | None, most: int | None
) -> None:
    rings = find_rings(asked, "s", per_scene=per_scene, most=most)
    members = [number for ring in rings for number in ring.members]
    assert len(members) == len(set(members))
    assert most is None or len(members) <= most
    scenes = Counter(asked[number].scene for number in members)
    assert per_scene is None or max(scenes.values(), default=0) <= per_scene
    for ring in rings:
        own = [asked[number] for number in ring.members]
        assert len({one.text for one in own}) == 1
        assert sorted(str(one.answer) for one in own) == sorted(OPTIONS)
        assert len({one.scene for one in own}) == len(own)
    assert len({ring.name for ring in rings}) == len(rings)


@given(questions, st.functions(like=lambda text: ..., returns=st.sampled_from(OPTIONS), pure=True))
def test_whoever_knows_only_texts_is_right_about_exactly_one_in_k(asked: list[RingQuestion], told: object) -> None:
    rings = find_rings(asked, "s")
    right = sum(told(asked[n].text) == asked[n].answer for ring in rings for n in ring.members)  # type: ignore[operator]
    assert len(OPTIONS) * right == sum(len(ring.members) for ring in rings)


def test_all_rings_that_there_can_be_are_found() -> None:
    asked = [question("the lamp", answer, f"{answer}{n}") for answer, count in zip(OPTIONS, (5, 3, 4), strict=True)
             for n in range(count)]  # fmt: skip
    assert len(find_rings(asked, "s")) == 3


def test_texts_take_turns() -> None:
    asked = [
        question(text, answer, f"{text}{answer}{n}") for text in ("a", "b") for answer in OPTIONS for n in range(9)
    ]
    rings = find_rings(asked, "s", most=6 * len(OPTIONS))
    assert Counter(asked[ring.members[0]].text.text for ring in rings) == {"a": 3, "b": 3}


def test_open_options_are_any_answers_that_differ_and_as_few_as_can_be_are_left_over() -> None:
    def order(answer: str, scene: str) -> RingQuestion:
        return RingQuestion(RingText(0, "in which order?"), answer, scene, 2)

    # Three rings of two, if the most frequent answer is in each.
    asked = [order("ab", "1"), order("ab", "2"), order("ab", "3"), order("ba", "4"), order("ca", "5"), order("cb", "6")]
    rings = find_rings(asked, "s")
    assert len(rings) == 3
    assert all(len({asked[number].answer for number in ring.members}) == 2 for ring in rings)


def test_rings_don_t_depend_on_the_order_of_scenes() -> None:
    asked = [question("the lamp", answer, f"{answer}{n}") for answer in OPTIONS for n in range(4)]
    found = {frozenset(asked[n].scene for n in ring.members) for ring in find_rings(asked, "s")}
    turned = asked[::-1]
    assert {frozenset(turned[n].scene for n in ring.members) for ring in find_rings(turned, "s")} == found


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0.05, 50)), min_size=1, max_size=80))
def test_intervals_are_equal_in_the_logarithm_and_span_the_ratio(found: list[tuple[str, float]]) -> None:
    values, texts = [value for _, value in found], [text for text, _ in found]
    places = intervals_of(values, texts, counts=False)
    inside = [(value, place) for value, place in zip(values, places, strict=True) if place is not None]
    assert all(0 <= place < INTERVALS for _, place in inside)
    for value, place in inside:
        for other, beside in inside:
            if place == beside:
                assert max(value, other) / min(value, other) <= SPAN ** (1 / INTERVALS) * (1 + 1e-9)
            if place < beside:
                assert value < other


def test_the_range_of_counts_is_the_one_with_most_rings() -> None:
    values = [float(n) for n in (2, 3, 4, 5, 6) for _ in range(3)] + [7.0, 1.0]
    places = intervals_of(values, ["chairs"] * len(values), counts=True)
    assert places[: 3 * LEAST_COUNTS] == [n for n in range(LEAST_COUNTS) for _ in range(3)]
    assert places[-2:] == [None, None]


def test_too_few_different_counts_are_no_ring() -> None:
    assert intervals_of([2.0, 3.0, 4.0], ["chairs"] * 3, counts=True) == [None] * 3
    assert intervals_of([], [], counts=False) == []
