"""Rings: questions with one text of which each has another answer."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given, strategies as st

from tolman.generate.draft_items import item_of
from tolman.generate.family import Draft
from tolman.generate.rings import (
    INTERVALS,
    LEAST_COUNTS,
    MOST_CLUSTERS,
    SPAN,
    InRing,
    RingCandidate,
    RingQuestion,
    RingText,
    find_rings,
    intervals_of,
    may_ring,
    ring_places,
)
from tolman.items import MEDIA_MARK, Item

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


def test_open_options_of_clips_are_those_that_different_scenes_have() -> None:
    def order(answer: str, scene: str) -> RingQuestion:
        return RingQuestion(RingText(0, "in which order?"), answer, scene, 2, shows=True)

    # The two most frequent answers are those of one scene.
    asked = [*[order(answer, "1") for answer in ("ab", "ba", "ab", "ba")], order("ca", "2"), order("cb", "3")]
    rings = find_rings(asked, "s")
    assert [len({asked[number].scene for number in ring.members}) for ring in rings] == [2, 2]


def test_scenes_whose_clips_have_every_answer_are_in_rings_together() -> None:
    asked = [replace(question("which way?", answer, scene), shows=True) for scene in "1234" for answer in OPTIONS]
    rings = find_rings(asked, "s")
    assert len(rings) == 4
    assert all(len({asked[number].scene for number in ring.members}) == 3 for ring in rings)
    # Without pictures a scene can't have several answers to one text.
    assert not find_rings([replace(one, shows=False) for one in asked], "s")


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


ORDERS = ("bin, chair, lamp", "chair, bin, lamp", "chair, lamp, bin", "lamp, bin, chair", "lamp, chair, bin")


def direction(answer: str, scene: str) -> Draft:
    others = tuple(name for name in ("left", "right", "back") if name != answer)
    return Draft("direction", scene, "Where is the lamp?", answer, None, (answer, *others), closed=True)


def order(answer: str, scene: str) -> Draft:
    others = tuple(text for text in ORDERS if text != answer)[:3]
    return Draft("order", scene, "In which order?", answer, None, (answer, *others), open_options=True)


def size(answer: str, scene: str) -> Draft:
    return Draft("size", scene, "How long is the table?", answer, "cm", (answer, "1"), {})


def placed(drafts: list[Draft], *, apart: bool = False) -> dict[int, InRing]:
    """The rings of drafts whose scenes are twins of one place, or apart."""

    def candidates() -> Iterator[RingCandidate]:
        for number, draft in enumerate(drafts):
            yield RingCandidate(number, draft, draft.scene if apart else "place")

    return ring_places(candidates(), {one.place for one in candidates()}, 0)


def items(drafts: list[Draft]) -> dict[str, list[Item]]:
    """The questions of each ring."""
    found: dict[str, list[Item]] = {}
    for number, ring in placed(drafts).items():
        found.setdefault(ring.name, []).append(item_of(drafts[number], 0, (), 0, ring))
    return found


def test_questions_of_a_ring_show_the_same_and_each_letter_is_right_once() -> None:
    drafts = [direction(answer, f"s{number}-{answer}") for number in range(3) for answer in ("left", "right", "back")]
    rings = items(drafts)
    assert len(rings) == 3
    for name, own in rings.items():
        assert len({(item.question, item.options) for item in own}) == 1
        assert sorted(item.answer for item in own) == ["A", "B", "C"]
        assert {item.answer_text for item in own} == {"left", "right", "back"}
        assert {item.evidence["twins"] for item in own} == {name}


def test_open_options_are_the_ring_s_own_answers() -> None:
    drafts = [order(answer, f"s{number}") for number, answer in enumerate(ORDERS)]
    (own,) = items(drafts).values()
    assert {item.answer_text for item in own} == set(own[0].options)
    assert sorted(item.answer for item in own) == ["A", "B", "C", "D"]
    assert len({item.options for item in own}) == 1


def test_numbers_of_a_ring_spread_over_the_same_range() -> None:
    drafts = [size(str(50 + 3 * number), f"s{number}") for number in range(60)]
    rings = items(drafts)
    assert rings
    for own in rings.values():
        values = sorted(float(item.answer) for item in own)
        assert len(values) == INTERVALS
        assert values[-1] / values[0] <= SPAN
        assert values[-1] / values[0] > SPAN ** ((INTERVALS - 2) / INTERVALS)


def test_rings_stay_in_their_cluster() -> None:
    drafts = [direction(answer, f"s{number}") for number, answer in enumerate(["left", "right", "back"] * 200)]
    found = placed(drafts, apart=True)
    scenes: dict[str, set[str]] = {}
    for number, ring in found.items():
        scenes.setdefault(ring.name, set()).add(drafts[number].scene)
    # Scenes that rings tie together, directly or through others, are never more than a cluster's.
    tied: list[set[str]] = []
    for own in scenes.values():
        meeting = [other for other in tied if other & own]
        tied = [other for other in tied if not other & own] + [own.union(*meeting)]
    assert max(map(len, tied)) <= 600 // MOST_CLUSTERS + 1
    assert len(tied) >= MOST_CLUSTERS


def test_options_that_are_pictures_need_no_ring() -> None:
    pictured = Draft("view", "s", "Which?", MEDIA_MARK, None, (MEDIA_MARK, MEDIA_MARK))
    assert not may_ring(pictured)
    assert placed([pictured]) == {}
    assert may_ring(direction("left", "s"))
