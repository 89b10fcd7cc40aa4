"""Questions that many scenes share, and those that a recording leaves open."""

import random
from collections import Counter
from collections.abc import Sequence

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from three_rooms import ROOMS
from tolman.generate.distractors import others_for
from tolman.generate.families.vsi_bench import appearance_order, relative_distance
from tolman.generate.families.vsi_bench.appearance_order import AppearanceSettings
from tolman.generate.families.vsi_bench.relative_distance import RelativeDistanceSettings, lead
from tolman.generate.family import Draft, Rejected
from tolman.generate.rings import InRing, within_shares
from tolman.generate.share_sampling import draws_of, shared_order, shared_sets
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection


@pytest.fixture(scope="module")
def rooms() -> list[SceneGeometry]:
    """The rooms that ship with the package."""
    return [found for found in open_collection(ROOMS) if isinstance(found, SceneGeometry)]


def distances(rooms: Sequence[SceneGeometry], settings: RelativeDistanceSettings) -> list[Draft]:
    found = (d for room in rooms for d in relative_distance.draft(room, settings))
    return [d.finished() for d in found if not isinstance(d, Rejected)]


def test_what_two_lists_have_in_common_comes_in_one_order() -> None:
    one, other = shared_order(["a", "b", "c", "d"], "s"), shared_order(["d", "x", "b", "a"], "s")
    common = {"a", "b", "d"}
    assert [name for name in one if name in common] == [name for name in other if name in common]
    assert shared_order(["a", "b", "c", "d"], "t") != one or shared_order(["a", "b", "c", "d"], "u") != one


def test_shared_sets_are_of_the_categories_that_come_first(rooms: list[SceneGeometry]) -> None:
    drafts = distances(rooms, RelativeDistanceSettings(sets="shared"))
    assert len(drafts) > len(distances(rooms, RelativeDistanceSettings()))
    for draft in drafts:
        room = next(one for one in rooms if one.scene.id == draft.scene)
        primary = next(name for name in room.unique if draft.question.endswith(f"the closest to the {name}?"))
        first = shared_order([c for c in room.whole if c != primary], f"{relative_distance.TASK}:{primary}")[:9]
        assert set(draft.options) <= set(first)


def test_nothing_is_asked_whose_answer_the_recording_leaves_open(rooms: list[SceneGeometry]) -> None:
    every = distances(rooms, RelativeDistanceSettings(sets="shared"))
    kept = distances(rooms, RelativeDistanceSettings(sets="shared", recorded=True))
    open_ones = [d for d in every if d.evidence["sensor_error"] >= lead(list(d.evidence["distances"].values()))]
    assert open_ones
    assert len(kept) == len(every) - len(open_ones)
    assert not {(d.scene, d.question, d.options) for d in open_ones} & {(d.scene, d.question, d.options) for d in kept}


def test_orders_are_asked_in_the_order_of_the_alphabet(rooms: list[SceneGeometry]) -> None:
    found = [d for room in rooms for d in appearance_order.draft(room, AppearanceSettings(listing="alphabet"))]
    drafts = [d for d in found if isinstance(d, Draft)]
    assert drafts
    for draft in drafts:
        names = draft.question.rpartition(": ")[2].rstrip("?").split(", ")
        assert names == sorted(names)
        assert sorted(draft.answer.split(", ")) == names
        assert draft.open_options


def test_twins_draw_the_same_things_whatever_else_is_among_them(rooms: list[SceneGeometry]) -> None:
    one, other = (room.scene.model_copy(update={"twins": "g", "id": f"d/{n}"}) for n, room in enumerate(rooms[:2]))
    drawn = [draws_of(scene, "task").sample(names, 3) for scene, names in ((one, "abcdef"), (other, "bacdefxyz"))]
    assert [name for name in drawn[1] if name in "abcdef"] == drawn[0][: sum(name in "abcdef" for name in drawn[1])]
    assert draws_of(one, "task").choice("abc") == draws_of(other, "task").choice("cab")
    shuffled = list("fedcba")
    draws_of(one, "task").shuffle(shuffled)
    assert shuffled == draws_of(other, "task").sample("abcdef", 6)
    alone = rooms[0].scene.model_copy(update={"twins": None})
    assert type(draws_of(alone, "task")) is random.Random


def test_sets_of_twins_begin_with_the_things_that_they_exchange(rooms: list[SceneGeometry]) -> None:
    scene = rooms[0].scene.model_copy(update={"twins": "g", "differs": "a, b, c, d"})
    names = list("xyzabcdw")
    sets = shared_sets(scene, names, 4, "task")
    assert sets[0] == ("a", "b", "c", "d")
    assert len(sets) == 16
    assert shared_sets(scene, names[1:4], 3, "task") == shared_sets(scene, names[3:0:-1], 3, "task")


def test_where_one_of_four_exchanged_things_is_right_the_others_are_wrong() -> None:
    answers, excluded = ["a", "b", "x"], [["y"], ["c"], ["y"]]
    found = others_for([*answers, "y", "z"], [*excluded, [], []], "seed", ("a", "b", "c", "d"))
    assert sorted(found[0]) == ["b", "c", "d"]
    assert "c" not in found[1]


@pytest.mark.parametrize(("places", "largest"), [(50, 0.03), (12, 1.0)])
def test_no_place_has_more_than_its_share_where_there_are_places_enough(places: int, largest: float) -> None:
    # Rings of two neighbours, and twenty more of the first two places.
    pairs = [(n, (n + 1) % places) for n in range(places) for _ in range(3)] + [(0, 1)] * 20
    place = [str(n) for pair in pairs for n in pair]
    rings = {number: InRing(f"ring {number // 2}", ()) for number in range(len(place))}
    kept = within_shares(range(len(place)), place.__getitem__, rings, 0.03)
    counts = Counter(place[number] for number in kept)
    assert max(counts.values()) <= largest * len(kept)
    assert all((number ^ 1) in kept for number in kept)
    assert (len(kept) == len(place)) == (places < 40)
