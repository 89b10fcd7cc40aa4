"""Walks: through free space, smoothly, past everything, the same for the same seed."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("shapely", reason="walks need the extra 'worlds'")

import shapely

from simulate.worlds import SHAPES, gaze, staring
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import project
from tolman.simulate.furniture import Library
from tolman.simulate.interior import build_interior, draw_plan
from tolman.simulate.scene_recording import RayView
from tolman.simulate.simulated_places import WorldsConfig, place, walk_through
from tolman.simulate.view_planning import find_views
from tolman.simulate.walks import SPEED, TURN, Walk, draw_trajectory, intrinsics_of
from tolman.simulate.world import WalkableFloor, World

POSES = Path(__file__).parent / "poses.json"
SIZE = (640, 480)


@cache
def world(library: Library, shape: int, seed: str) -> World:
    return build_interior(draw_plan("t/1", SHAPES[shape], seed, library), library)


@pytest.mark.full
def test_a_walk_can_have_one_frame(library: Library) -> None:
    assert len(draw_trajectory(world(library, 0, "walk:0"), "0", seconds=1.0, rate=1).poses) == 1


@pytest.mark.parametrize(
    ("shape", "seconds"),
    [(0, 8.0), (0, 30.0), (1, 30.0), (2, 30.0), *(pytest.param(n, 8.0, marks=pytest.mark.full) for n in (1, 2))],
)
def test_a_walk_is_free_smooth_and_upright(library: Library, shape: int, seconds: float) -> None:
    place = world(library, shape, f"walk:{shape}")
    walk = draw_trajectory(place, "0", seconds=seconds, rate=15)
    assert len(walk.times) == len(walk.poses) == seconds * 15
    rotations = walk.poses[:, :3, :3]
    np.testing.assert_allclose(rotations @ rotations.transpose(0, 2, 1) - np.eye(3), 0, atol=1e-9)
    assert (np.linalg.det(rotations) > 0).all()
    assert (rotations[:, 2, 1] < -0.9).all()  # y is down
    assert place.walkable.buffer(0.15).covers(shapely.multipoints(walk.poses[:, :2, 3]))
    assert np.abs(walk.poses[:, 2, 3] - 1.5).max() < 0.05
    speed = np.linalg.norm(np.diff(walk.poses[:, :2, 3], axis=0), axis=1) * 15
    assert speed.max() < 1.8 * SPEED
    yaw = np.unwrap(np.arctan2(rotations[:, 1, 2], rotations[:, 0, 2]))
    assert np.abs(np.diff(yaw)).max() * 15 < 1.8 * TURN
    assert np.abs(np.diff(yaw, 2)).max() * 15**2 < np.radians(400)  # no jerks of the head


@pytest.mark.parametrize(("camera", "seconds"), [("walk", 30.0), ("walk", 6.0), ("handheld", 20.0), ("robot", 30.0)])
def test_twins_walk_freely_from_one_place_and_back_and_end_turned_by_quarters(
    library: Library, camera: str, seconds: float
) -> None:
    place, ends = world(library, 1, "walk:1"), []
    for twin in range(4):
        walk = draw_trajectory(place, str(twin), camera=camera, seconds=seconds, rate=15, twin=twin)
        assert place.walkable.buffer(0.15).covers(shapely.multipoints(walk.poses[:, :2, 3]))
        speed = np.linalg.norm(np.diff(walk.poses[:, :2, 3], axis=0), axis=1) * 15
        assert speed.max() < 1.8 * SPEED
        assert speed.max() > 0.2 or seconds < 10
        yaw = np.unwrap(np.arctan2(walk.poses[:, 1, 2], walk.poses[:, 0, 2]))
        assert np.abs(np.diff(yaw)).max() * 15 < 1.8 * TURN
        assert np.linalg.norm(walk.poses[-1, :2, 3] - walk.poses[0, :2, 3]) < 0.2
        ends.append(float(np.degrees(yaw[-1])))
    assert np.abs((np.diff(ends) - 90 + 180) % 360 - 180).max() < 15


@pytest.mark.full
@pytest.mark.parametrize(("shape", "seed", "seconds"), [(0, 3, 30.0), (0, 9, 8.0), (1, 1, 8.0), (2, 8, 8.0)])
def test_a_walk_does_not_begin_by_staring_at_a_wall(library: Library, shape: int, seed: int, seconds: float) -> None:
    place = world(library, shape, f"walk:{seed}")
    walk = draw_trajectory(place, f"0:room{seed}", seconds=seconds, rate=10)
    assert staring(place, walk) < 0.5


@pytest.mark.full
@pytest.mark.parametrize("seed", range(6))
def test_no_walk_begins_by_staring_at_a_wall(library: Library, seed: int) -> None:
    place = world(library, seed % 3, f"begin:{seed}")
    for seconds in (8.0, 30.0):
        assert staring(place, draw_trajectory(place, "0", seconds=seconds, rate=10)) == 0


def test_a_long_walk_turns_to_everything(library: Library) -> None:
    for shape in range(3):
        place = world(library, shape, f"all:{shape}")
        walk = draw_trajectory(place, "0", seconds=30.0, rate=5)
        lens = intrinsics_of(SIZE)
        for thing in place.scene.objects:
            pixels = [project(np.array([thing.box.center]), pose, lens)[0][0] for pose in walk.poses]
            assert any((p > 0).all() and (p < SIZE).all() for p in pixels if np.isfinite(p).all()), thing.id


@cache
def home(number: int) -> World:
    return place(WorldsConfig(), "home", f"t/{number}", f"0:{number}")[0]


@cache
def faced(number: int, *, clear: bool) -> tuple[Walk, Floats, set[int]]:
    """A walk through a home, the median depth of its pictures' middle thirds, metres, and all that it shows, by rays."""
    walk = draw_trajectory(home(number), f"0:{number}", seconds=30.0, rate=12, clear=clear)
    view = RayView(home(number), SIZE)
    frames = [view.frame(pose, view.intrinsics(intrinsics_of(SIZE))) for pose in walk.poses[::4]]
    depths = np.array([np.median(frame.depth[40:80, 53:107]) for frame in frames])
    return walk, depths, set(np.unique([frame.instances for frame in frames]).tolist())


def test_a_walk_through_a_home_faces_nothing_near() -> None:
    walks, former = ([faced(n, clear=clear)[1] < 1.2 for n in (1, 3)] for clear in (True, False))
    assert np.mean(walks) < 0.02
    assert np.mean(former) > 3 * np.mean(walks)


@pytest.mark.parametrize("number", [1, 3])
def test_a_walk_through_a_home_is_smooth_and_shows_everything(number: int) -> None:
    walk, _, shown = faced(number, clear=True)
    assert set(home(number).numbers.values()) <= shown
    yaw = np.unwrap(np.arctan2(walk.poses[:, 1, 2], walk.poses[:, 0, 2]))
    assert np.abs(np.diff(yaw)).max() * 12 < TURN
    assert np.abs(np.diff(yaw, 2)).max() * 12**2 < np.radians(400)


def test_walks_through_homes_alone_keep_clear() -> None:
    config = WorldsConfig(seconds=4.0, rate=6)
    for shape, clear in (("home", True), ("rectangle", False)):
        made = place(config, shape, "t/1", "keep")[0]
        walk = draw_trajectory(made, "keep", seconds=4.0, rate=6, clear=clear)
        np.testing.assert_array_equal(walk_through(made, config, shape, "keep").poses, walk.poses)


@pytest.mark.parametrize("seconds", [1.0, 2.0])
def test_a_walk_through_a_home_can_be_short(seconds: float) -> None:
    walk = draw_trajectory(home(1), "0:1", seconds=seconds, rate=1, clear=True)
    assert len(walk.poses) == seconds
    assert np.isfinite(walk.poses).all()


def test_what_a_wall_hides_is_not_counted_on(library: Library) -> None:
    place = world(library, 2, "walls")
    rooms = list(draw_plan("t/1", SHAPES[2], "walls", library).shell.rooms)
    views = find_views(place, intrinsics_of(SIZE), SIZE)
    centers = np.array([thing.box.center[:2] for thing in place.scene.objects])
    in_room = [shapely.contains_xy(room.polygon, centers[:, 0], centers[:, 1]) for room in rooms]
    eyes = [shapely.contains_xy(room.polygon, views.eyes[:, 0], views.eyes[:, 1]) for room in rooms]
    own = views.shown[eyes[0]][:, in_room[0]].mean()
    across = views.shown[eyes[0]][:, in_room[1]].mean()
    assert own > 0.4
    assert across < 0.6 * own  # what the passage lets through


def test_a_camera_that_looks_along_x_sees_left_on_its_left() -> None:
    points = np.array([[4.0, 2.0, 1.5], [4.0, 3.0, 1.5], [4.0, 2.0, 2.5]])
    pixels, depth = project(points, gaze((1.0, 2.0, 1.5)), (300, 300, 320, 240))
    assert depth == pytest.approx([3, 3, 3])
    assert pixels[0] == pytest.approx((320, 240))
    assert pixels[1] == pytest.approx((220, 240))  # +y is to the left of +x
    assert pixels[2] == pytest.approx((320, 140))  # up


def test_a_floor_narrower_than_a_cell_has_no_ways() -> None:
    floor = WalkableFloor(shapely.box(0, 0, 3, 0.05), np.array([[1.0, 0.02], [2.0, 0.03]]))
    assert floor.length(0, 1) == np.inf


@pytest.mark.full
def test_the_same_seed_gives_the_committed_poses(library: Library) -> None:
    kept = json.loads(POSES.read_text(encoding="utf-8"))
    for shape in range(3):
        walk = draw_trajectory(world(library, shape, f"0:{shape}"), "0", seconds=8.0, rate=15)
        np.testing.assert_allclose(walk.poses[::20, :3].reshape(-1, 12), kept[SHAPES[shape]], atol=1e-6)
