"""People who carry things: they are where their tracks say and touch nothing."""

from dataclasses import replace

import numpy as np
import pytest

from simulate.worlds import added, check_nothing_is_touched, in_their_boxes, least_distance, walk, world
from tolman.simulate.agents import CARRIED, with_actors
from tolman.simulate.world import World

SECONDS = 12.0


@pytest.fixture(scope="module", params=["two-rooms", "street"])
def acted(request: pytest.FixtureRequest) -> tuple[World, World]:
    still = world(request.param)
    moving, notes = with_actors(still, "act", seconds=SECONDS, walk=walk(request.param, SECONDS))
    assert notes == ()
    return still, moving


def test_tracks_hold_what_moves(acted: tuple[World, World]) -> None:
    still, moving = acted
    things = added(still, moving)
    assert [things[0].category, things[1].category in CARRIED] == ["person", True]
    assert moving.scene.counts["person"] == 1
    for thing in things:
        for point in thing.track[::7]:
            local = in_their_boxes(moving, thing, point.seconds)
            half = np.array(thing.box.extents) / 2
            assert (np.abs(local) <= half + 1e-6).all(), (thing.id, point.seconds)
            if thing.category != "person":
                assert np.abs(local).max(0) == pytest.approx(half, abs=1e-6)
        assert thing.track[0].center == thing.box.center


def test_a_load_is_picked_up_carried_and_put_down(acted: tuple[World, World]) -> None:
    person, load = added(*acted)
    ways = np.array([point.center for point in load.track])
    assert np.linalg.norm(ways[-1, :2] - ways[0, :2]) > 0.3
    half = load.box.extents[2] / 2
    assert ways[0, 2] == pytest.approx(half, abs=1e-6)
    assert ways[-1, 2] == pytest.approx(half, abs=1e-6)
    assert ways[:, 2].max() == pytest.approx(1.02 + half, abs=0.02)
    walked = np.array([point.center for point in person.track])
    steps = np.linalg.norm(np.diff(walked, axis=0), axis=1) * 10
    assert steps.max() < 2.6
    carried = ways[:, 2] > half + 0.3
    assert np.linalg.norm((walked - ways)[carried, :2], axis=1).max() < 0.8


def test_nobody_touches_anything(acted: tuple[World, World]) -> None:
    still, moving = acted
    check_nothing_is_touched(still, added(still, moving))


def test_the_camera_is_kept_away_from() -> None:
    carried = walk("street", SECONDS)
    moving, _ = with_actors(world("street"), "act", seconds=SECONDS, count=2, walk=carried)
    for thing in added(world("street"), moving):
        if thing.category == "person":
            assert least_distance(thing, carried) > 0.5


def test_where_there_is_no_room_there_is_a_note() -> None:
    still = world("rectangle")
    moving, notes = with_actors(still, "act", seconds=1.0, count=2)
    assert moving.scene.objects == still.scene.objects
    assert notes == ("no room for 2 more person",)


def test_nobody_carries_what_would_be_counted_with_things_of_the_place() -> None:
    still = world("two-rooms")
    own = [thing for thing in still.scene.objects if thing.category not in ("crate", "briefcase")]
    crate = own[0].model_copy(update={"id": "crate-9", "category": "crate"})
    for there, loads in (([], {"parcel"}), ([crate], {"suitcase"})):
        scene = still.scene.model_copy(update={"objects": (*own, *there), "counts": {}})
        moving, _ = with_actors(replace(still, scene=scene), "act", seconds=SECONDS)
        assert {thing.category for thing in moving.scene.objects if thing.track} - {"person"} == loads


def test_the_same_seed_gives_the_same_tracks() -> None:
    one, two = (with_actors(world("street"), "act", seconds=SECONDS)[0] for _ in range(2))
    assert one.scene == two.scene
