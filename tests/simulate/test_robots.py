"""Robots that drive about: they are where their tracks say, touch nothing, and look the same from every side."""

import itertools

import numpy as np
import pytest

from simulate.worlds import added, check_nothing_is_touched, in_their_boxes, least_distance, walk, world
from tolman.simulate.agents import COLOURS, with_actors, with_robots
from tolman.simulate.world import World

SECONDS = 12.0


@pytest.fixture(scope="module", params=["two-rooms", "street"])
def driven(request: pytest.FixtureRequest) -> tuple[World, World]:
    still = world(request.param)
    moving, notes = with_robots(still, "drive", seconds=SECONDS, count=2, walk=walk(request.param, SECONDS))
    assert notes == ()
    return still, moving


def test_tracks_hold_what_moves(driven: tuple[World, World]) -> None:
    still, moving = driven
    robots = added(still, moving)
    assert len({robot.category for robot in robots} & set(COLOURS)) == 2
    assert all(moving.scene.counts[robot.category] == 1 for robot in robots)
    for robot in robots:
        for point in robot.track[::7]:
            local = in_their_boxes(moving, robot, point.seconds)
            assert np.abs(local).max(0) == pytest.approx(np.array(robot.box.extents) / 2, abs=1e-6)


def test_a_robot_has_no_front(driven: tuple[World, World]) -> None:
    still, moving = driven
    for robot in added(still, moving):
        local = in_their_boxes(moving, robot, robot.track[0].seconds)
        angle = 2 * np.pi / 28
        turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        rounded = {tuple(point) for point in (np.round(local, 5) + 0.0).tolist()}
        assert {tuple(point) for point in (np.round(local @ turn.T, 5) + 0.0).tolist()} == rounded
        assert {point.axes for point in robot.track} == {robot.box.axes}


def test_it_drives_and_stops(driven: tuple[World, World]) -> None:
    for robot in added(*driven):
        ways = np.array([point.center for point in robot.track])
        steps = np.linalg.norm(np.diff(ways, axis=0), axis=1)
        assert steps.max() < 0.9 / 10 * 1.7
        drives = [list(run) for moves, run in itertools.groupby(steps, key=lambda step: step > 1e-9) if moves]
        assert drives
        assert (steps <= 1e-9).any()
        assert sum(map(sum, drives)) >= 0.9


def test_nothing_is_touched(driven: tuple[World, World]) -> None:
    still, moving = driven
    robots = added(still, moving)
    check_nothing_is_touched(still, robots)
    one, two = (np.array([point.center for point in robot.track]) for robot in robots)
    assert np.linalg.norm(one - two, axis=1).min() > 0.55


def test_it_keeps_away_from_the_camera_and_from_people() -> None:
    carried = walk("street", SECONDS)
    peopled, _ = with_actors(world("street"), "act", seconds=SECONDS, count=2, walk=carried)
    moving, _ = with_robots(peopled, "drive", seconds=SECONDS, count=2, walk=carried)
    robots, people = added(peopled, moving), added(world("street"), peopled)
    assert len(robots) == 2
    assert {thing.category for thing in people} >= {"person"}
    for robot in robots:
        assert least_distance(robot, carried) > 0.55
        for other in people:
            pairs = zip(robot.track, other.track, strict=True)
            assert min(np.linalg.norm(np.subtract(a.center, b.center)[:2]) for a, b in pairs) > 0.5


@pytest.mark.full
def test_where_there_is_no_room_there_is_a_note() -> None:
    still = world("rectangle")
    moving, notes = with_robots(still, "drive", seconds=SECONDS, count=30)
    placed = len(added(still, moving))
    assert placed < 30
    assert notes == (f"no room for {30 - placed} more robot",)


def test_the_same_seed_gives_the_same_tracks() -> None:
    one, two = (with_robots(world("street"), "drive", seconds=SECONDS)[0] for _ in range(2))
    assert one.scene == two.scene
