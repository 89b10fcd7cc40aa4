"""Rings out of drafts: which drafts are in one, and what their options are."""

from __future__ import annotations

from collections.abc import Iterator

from tolman.generate.draft_items import item_of
from tolman.generate.family import Draft
from tolman.generate.rings import INTERVALS, MOST_CLUSTERS, SPAN, InRing, RingCandidate, may_ring, ring_places
from tolman.items import MEDIA_MARK, Item

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
