"""Questions that many scenes share, and those that a recording leaves open."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from three_rooms import ROOMS
from tolman.generate.families.vsi_bench import appearance_order, relative_distance
from tolman.generate.families.vsi_bench.appearance_order import AppearanceSettings
from tolman.generate.families.vsi_bench.relative_distance import RelativeDistanceSettings, lead
from tolman.generate.family import Draft, Rejected
from tolman.generate.share_sampling import shared_order
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
