"""Traffic: it drives on, keeps its way and its speed, and touches nothing."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import shapely

from simulate.worlds import added, in_their_boxes, walk, world
from tolman.geometry.boxes import Boxes, distances
from tolman.scenes import SceneObject
from tolman.simulate.agents import with_actors, with_robots
from tolman.simulate.collection import make
from tolman.simulate.outdoors import OUTDOOR_SHAPES
from tolman.simulate.simulated_places import WorldsConfig
from tolman.simulate.traffic import (
    GRID,
    LOOKS,
    STEP,
    draw_timetable,
    moments,
    near_discs,
    places,
    widened,
    with_traffic,
)  # fmt: skip
from tolman.simulate.world import Lane, World, rounded

SECONDS = 8.0
ROUND = Lane("car", rounded([(0, 0), (40, 0), (40, 20), (0, 20)], 4.0), 0.0, (3.0, 5.0))

SHAPES = [shape if shape == "street" else pytest.param(shape, marks=pytest.mark.full) for shape in OUTDOOR_SHAPES]
"""The others take some seconds each."""


@cache
def driven(place: str) -> tuple[World, World, tuple[str, ...]]:
    """A place with people and robots, and with traffic too."""
    lively, _ = with_actors(world(place), "drive", seconds=SECONDS, walk=walk(place))
    lively, _ = with_robots(lively, "drive", seconds=SECONDS, walk=walk(place))
    made, notes = with_traffic(lively, "drive", seconds=SECONDS, count=4, walk=walk(place))
    return lively, made, notes


def boxes(things: list[SceneObject], seconds: float) -> Boxes:
    """Boxes of things at a time of their tracks."""
    points = [next((p for p in t.track if p.seconds == seconds), t.box) for t in things]
    centers, axes = (np.array([getattr(point, part) for point in points]) for part in ("center", "axes"))
    return Boxes(centers, axes, np.array([thing.box.extents for thing in things]))


@pytest.mark.full
@pytest.mark.parametrize("place", SHAPES)
def test_nothing_is_touched(place: str) -> None:
    lively, made, notes = driven(place)
    mine, others = added(lively, made), list(lively.scene.objects)
    assert mine
    vehicles = [thing for thing in mine if thing.category != "cyclist"]
    assert len(vehicles) + len(notes) == 4
    camera = walk(place)
    for seconds in [point.seconds for point in mine[0].track if point.seconds <= SECONDS]:
        own, rest = boxes(mine, seconds), boxes(others, seconds)
        a, b = (part.ravel() for part in np.meshgrid(range(len(mine)), range(len(others)), indexing="ij"))
        near = np.linalg.norm(own.centers[a] - rest.centers[b], axis=1) < 8
        assert not near.any() or distances(own.take(a[near]), rest.take(b[near])).min() > 0.02
        a, b = np.triu_indices(len(vehicles), 1)
        moving = boxes(vehicles, seconds)
        assert len(a) == 0 or distances(moving.take(a), moving.take(b)).min() > 0.2
        eye = np.array([np.interp(seconds, camera.times, camera.poses[:, i, 3]) for i in range(3)])
        inside = np.abs(np.einsum("nij,nj->ni", own.axes, eye - own.centers)) - own.extents / 2
        assert np.linalg.norm(np.maximum(inside[:, :2], 0), axis=1).min() > 0.3


@pytest.mark.parametrize("place", SHAPES)
def test_vehicles_keep_their_way_and_speed_and_their_boxes_hold_them(place: str) -> None:
    lively, made, _ = driven(place)
    ways = {lane.user: lane for lane in made.lanes}
    for thing in added(lively, made):
        lane = ways["bicycle" if thing.category in ("bicycle", "cyclist") else "car"]
        track = np.array([point.center for point in thing.track])
        ring = shapely.LinearRing(lane.points)
        away = [ring.distance(shapely.Point(middle[:2])) for middle in track]
        assert max(away) < 0.12
        speeds = np.linalg.norm(np.diff(track[:, :2], axis=0), axis=1) * 10
        assert speeds.max() <= lane.speeds[1] + 0.3
        assert np.abs(np.diff(speeds)).max() < 0.6
        for seconds in (0.0, 2.5, SECONDS):
            local = in_their_boxes(made, thing, seconds)
            assert (np.abs(local) <= np.array(thing.box.extents) / 2 + 0.004).all(), thing.id
    assert any(np.ptp([p.center[0] for p in thing.track]) > 1 for thing in added(lively, made))


@pytest.mark.full
def test_the_same_seed_gives_the_same_traffic() -> None:
    lively, made, _ = driven("park")
    again, _ = with_traffic(lively, "drive", seconds=SECONDS, count=4, walk=walk("park"))
    assert again.scene == made.scene
    other, _ = with_traffic(lively, "else", seconds=SECONDS, count=4, walk=walk("park"))
    assert other.scene != made.scene


def test_wheels_turn_as_far_as_they_roll() -> None:
    _, made, _ = driven("street")
    moving = [body for body in made.bodies if "moving" in (body.object or "") and len(body.mesh.points) > 100]
    poses = [body.pose for body in moving if body.pose]
    pose = next(pose for pose in poses if abs(pose(0.0)[2, 3] - made.lanes[0].height) > 0.2)
    early, late = pose(1.0), pose(1.02)
    moved = float(np.linalg.norm(late[:2, 3] - early[:2, 3]))
    turned = np.arccos(np.clip((np.trace(early[:3, :3].T @ late[:3, :3]) - 1) / 2, -1, 1))
    radius = early[2, 3] - made.lanes[0].height
    assert turned == pytest.approx(moved / radius, rel=0.1)


def test_a_room_has_no_way_for_vehicles() -> None:
    made, notes = with_traffic(world("rectangle"), "0", seconds=4.0, count=2)
    assert made.scene == world("rectangle").scene
    assert notes == ("no way for 2 more vehicle",)


def test_a_vehicle_stops_before_what_stands_in_the_way_and_goes_on_when_it_is_gone() -> None:
    times = moments(24.0)
    place = ROUND.at(np.array([10.0]))[0]
    gone = np.where(times[:, None] < 12, place, (1000.0, 1000.0))
    taken = widened(near_discs(ROUND, gone, 1.5), 3.0)
    made = draw_timetable(taken, 5.0, np.random.default_rng(0))
    assert made is not None
    step = STEP / LOOKS
    spots = np.array([made.at(float(t)) for t in times]) % ROUND.length
    assert np.abs(np.diff(made.speeds)).max() <= 3 * STEP
    index = np.round(spots / ROUND.length * len(places(ROUND))).astype(int) % len(places(ROUND))
    assert not taken[np.arange(len(times)), index].any()
    assert made.along[-1] - made.along[0] > 40
    assert step == times[1]


def test_where_everything_is_taken_there_is_no_timetable() -> None:
    taken = np.ones((LOOKS * 4 + 1, len(places(ROUND))), dtype=bool)
    assert draw_timetable(taken, 5.0, np.random.default_rng(0)) is None


def test_a_way_is_round_at_its_corners() -> None:
    assert ROUND.length == pytest.approx(2 * (40 + 20) - 8 * 4 + 2 * np.pi * 4, abs=0.1)
    spots = ROUND.at(np.arange(0, ROUND.length, GRID))
    ways = np.diff(spots, axis=0)
    turns = np.abs(np.diff(np.unwrap(np.arctan2(ways[:, 1], ways[:, 0]))))
    assert turns.max() < 0.15
    turned = ROUND.turned(np.pi / 2)
    assert turned.at(np.array([3.0]))[0] == pytest.approx(ROUND.at(np.array([3.0]))[0] @ [[0, 1], [-1, 0]])


@pytest.mark.full
def test_traffic_is_recorded_by_every_sensor_and_old_settings_stay(tmp_path: Path) -> None:
    assert "traffic" not in WorldsConfig().settings()
    config = WorldsConfig(scenes=1, shapes=("park",), seconds=2.0, rate=4, size=(64, 48), traffic=2, exo=1, lidar=True)
    assert config.settings()["traffic"] == 2
    part = make(config, 0, tmp_path)
    moving = {thing.id for thing in part.scene.objects if thing.track and thing.category in ("bicycle", "cyclist")}
    assert {"moving-bicycle-0", "cyclist-0"} <= moving
    assert {capture.role for capture in part.captures} == {"ego", "exo-1"}
    assert any(capture.sensor == "lidar" for capture in part.captures)
    assert part.scene.counts["cyclist"] == sum(thing.category == "cyclist" for thing in part.scene.objects)
