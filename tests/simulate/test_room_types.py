"""What rooms of a kind hold: drawn from a table, counts evenly, nothing that has no place there."""

from collections import Counter

import numpy as np
import pytest

from simulate.worlds import FURNITURE
from tolman.simulate.furniture import Library
from tolman.simulate.interior import draw_plan
from tolman.simulate.made.kind import MadeLibrary
from tolman.simulate.room_contents import ODD_ONES, PORTABLE, RoomType, look_alikes, room_types

TYPES = {kind.name: kind for kind in room_types()}


@pytest.fixture(scope="module")
def offered() -> set[str]:
    return {piece.category for piece in MadeLibrary("1", Library(FURNITURE)).usable() if piece.habit != "never"}


def drawn(kind: RoomType, offered: set[str], count: int, most: int = 60) -> list[dict[str, int]]:
    return [kind.wanted(most, offered, np.random.default_rng(seed)) for seed in range(count)]


def test_the_nine_types_name_what_can_be_had(offered: set[str]) -> None:
    assert len(TYPES) == 9
    for kind in TYPES.values():
        assert set(kind.contents) <= offered, kind.name
        assert 0.5 < kind.size[0] <= kind.size[1] < 1.5
        assert any(content.share == 1 for content in kind.contents.values())
        assert set(kind.home) <= offered
        assert all(0 < one.share <= 1 and 1 <= one.least <= one.most <= 8 for one in kind.contents.values())
    assert offered >= PORTABLE


@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
def test_shares_and_counts_are_those_of_the_table(kind: RoomType, offered: set[str]) -> None:
    rooms = drawn(kind, offered, 400)
    have = Counter(name for room in rooms for name in room)
    for name, content in kind.contents.items():
        rivals = look_alikes(name).intersection((*kind.contents, *PORTABLE))
        # What has look-alikes gives way to them.
        assert -0.5 * bool(rivals) - 0.11 < have[name] / 400 - content.share < 0.11, name
        counts = Counter(room[name] for room in rooms if name in room)
        assert set(counts) <= set(range(content.least, content.most + 1)), name
        if have[name] > 150:
            assert len(counts) == content.most - content.least + 1, name
    odd = [set(room) - set(kind.contents) for room in rooms]
    assert all(own <= PORTABLE and len(own) <= ODD_ONES for own in odd)


def test_no_room_has_what_people_take_for_one_another(offered: set[str]) -> None:
    assert look_alikes("cabinet") >= {"wardrobe", "sideboard"}
    assert all(name in look_alikes(other) for name in offered for other in look_alikes(name))
    for kind in TYPES.values():
        for room in drawn(kind, offered, 60):
            assert all(look_alikes(name).isdisjoint(room) for name in room)
        beside = kind.wanted(60, offered, np.random.default_rng(0), present=["wardrobe", "crate"])
        assert look_alikes("wardrobe").union(look_alikes("crate")).isdisjoint(beside)


def test_there_is_no_more_than_is_asked_for_and_what_is_needed_comes_first(offered: set[str]) -> None:
    for kind in TYPES.values():
        for room in drawn(kind, offered, 20, most=3):
            assert sum(room.values()) <= 3
            assert next(iter(room)) == next(iter(kind.contents))


def test_a_plan_has_rooms_of_different_types_and_no_two_scenes_much_in_common() -> None:
    library, sets = Library(FURNITURE), []
    for number in range(4):
        both = MadeLibrary(f"types:{number}", library)
        plan = draw_plan("t/1", "two-rooms", f"types:{number}", both)
        assert len(set(plan.theme)) == 2
        assert set(plan.theme) <= set(TYPES)
        sets.append({thing.category for thing in plan.placed})
    again = draw_plan("t/1", "two-rooms", "types:3", both)
    assert again == plan
    assert all(a != b for i, a in enumerate(sets) for b in sets[:i])
