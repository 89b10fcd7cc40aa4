"""The simulated LiDAR: its clock, its noise, its files, and the floor areas that its scans give."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
import trimesh

from simulate.worlds import SHAPES, thing_at, walk, world
from tolman.errors import InputError
from tolman.geometry.ground_plane import floor_plan, room_area
from tolman.ingest.clouds.recording import read_sweep
from tolman.scenes import Scene
from tolman.simulate.mesh import block, placed
from tolman.simulate.rig_sensors import ROOM, Spinner, cloud, draw_offset, in_scene, mount, record_lidar, sweeps
from tolman.simulate.walks import Walk, looking
from tolman.simulate.world import Body, World

EXACT = Spinner(noise=0.0, dropout=0.0)


@pytest.mark.full
@pytest.mark.parametrize("shape", SHAPES)
def test_the_scan_s_alpha_shape_is_the_floor(shape: str) -> None:
    here, carried = world(shape), walk(shape, 20.0)
    found = list(sweeps(here, carried, "scan", replace(ROOM, columns=360, rate=5.0)))
    times, poses = np.array([s.time for s in found]), np.array([s.pose for s in found])
    points = np.concatenate([in_scene(s.points, times, poses) for s in found])
    truth = here.scene.room_area
    assert truth is not None
    assert room_area(floor_plan(points)) == pytest.approx(truth, rel=0.02)
    # The whole scan holds the strays of its walls and the reveals of doors and windows too, and so gives more.
    assert 1.02 < room_area(points) / truth < 1.08


def wall_ahead(speed: float = 0.0) -> World:
    """A wall whose face is 5 m ahead of the origin, coming nearer at a speed."""

    def pose(seconds: float) -> np.ndarray:
        return placed((5.0 - speed * seconds, 0.0, 0.0))

    thing = thing_at("wall", (5.5, 0.0, 1.5), (1.0, 30.0, 3.0))
    mesh = block((0.0, -15.0, 0.0), (1.0, 15.0, 3.0))
    body = Body(mesh, "wall-0", pose) if speed else Body(mesh.moved(pose(0)), "wall-0")
    return World(Scene(id="t/wall", dataset="t", objects=(thing,)), (body,), shapely.box(-2, -2, 2, 2))


def going(velocity: tuple[float, float] = (0.0, 0.0), turn: float = 0.0, seconds: float = 1.0) -> Walk:
    """A camera that starts at the origin and moves and turns evenly, looking down as a walker does."""
    times = np.arange(round(seconds * 30) + 1) / 30
    places = np.column_stack([times * velocity[0], times * velocity[1], np.full(len(times), 1.5)])
    return Walk(times, looking(places, turn * times, np.full(len(times), -np.radians(13)), np.zeros(len(times))))


def test_the_mount_is_rigid_and_level() -> None:
    pose = going().poses[0] @ mount()
    assert pose[:3, :3] == pytest.approx(np.eye(3), abs=1e-9)
    assert pose[:3, 3] == pytest.approx([0, 0, 1.75], abs=1e-9)


def test_each_point_is_measured_from_where_the_sensor_is_at_its_firing() -> None:
    carried = going((1.0, 0.4), turn=0.8)
    found = list(sweeps(wall_ahead(), carried, "m", EXACT))
    times, poses = np.array([s.time for s in found]), np.array([s.pose for s in found])
    assert len(found) == 9
    for sweep in found:
        seconds = sweep.points["time"] + draw_offset("m")
        assert 0 <= seconds.min() <= seconds.max() <= 1.0
        # By one pose the wall is a blur; by the pose at each firing a plane, but for the arm on which the sensor turns.
        blurred = in_scene(sweep.points, times[:1] * 0 + sweep.time, sweep.pose[None])
        front = in_scene(sweep.points, times, poses)[:, 0]
        assert np.abs(blurred[:, 0] - 5.0).max() > 0.03
        assert np.abs(front - 5.0).max() < 2e-3


def test_moving_things_are_met_where_they_are_at_each_firing() -> None:
    for sweep in sweeps(wall_ahead(speed=2.0), going(), "m", EXACT):
        seconds = sweep.points["time"] + draw_offset("m")
        face = sweep.points["z"] < 1.2
        assert sweep.points["x"][face] == pytest.approx(5.0 - 2.0 * seconds[face], abs=1e-4)


def test_noise_and_drop_outs_are_as_said() -> None:
    kind = Spinner(noise=0.02, dropout=0.3)
    exact = np.concatenate([s.points for s in sweeps(wall_ahead(), going(), "n", EXACT)])
    noisy = np.concatenate([s.points for s in sweeps(wall_ahead(), going(), "n", kind)])
    ahead = np.abs(np.arctan2(noisy["y"], noisy["x"])) < 0.1
    off = noisy["x"][ahead] - 5.0
    assert abs(off.mean()) < 0.002
    assert off.std() == pytest.approx(0.02, rel=0.1)
    assert len(noisy) / len(exact) == pytest.approx(0.7, abs=0.03)
    assert set(noisy["object"]) == {1}


def test_the_reach_is_kept() -> None:
    found = np.concatenate([s.points for s in sweeps(wall_ahead(), going(), "n", replace(EXACT, reach=6.0))])
    assert 5.5 < np.linalg.norm([found["x"], found["y"], found["z"]], axis=0).max() <= 6.0


@pytest.mark.full
def test_a_recording_is_files_that_others_read_and_a_capture_on_the_scene_s_time_line(tmp_path: Path) -> None:
    here, carried = world("street"), walk("street", 1.0)
    capture = record_lidar(here, carried, tmp_path, identity="t/lidar", media="lidar", seed="f")
    files = sorted(tmp_path.iterdir())
    assert [path.name for path in files] == [f"{n:06d}.ply" for n in range(len(capture.times))]
    assert 7 <= len(files) <= 9
    assert capture.offset == draw_offset("f") != 0
    assert 0 < capture.scene_time(0) < 0.2
    read = read_sweep(files[0])
    other = trimesh.load(files[0])
    assert np.asarray(other.vertices) == pytest.approx(np.column_stack([read["x"], read["y"], read["z"]]))
    points, numbers = cloud(capture, tmp_path)
    for thing in here.scene.objects:
        own = points[numbers == here.numbers[thing.id]]
        local = np.abs((own - np.array(thing.box.center)) @ np.array(thing.box.axes).T)
        assert (local <= np.array(thing.box.extents) / 2 + 0.06).all(), thing.id
    assert len(set(numbers)) > 8


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        record_lidar(wall_ahead(), going(), tmp_path / name, identity="x", media="m", seed="s")
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


@pytest.mark.parametrize(
    ("content", "reason"), [(b"solid\n", "is no sweep"), (b"", "is no sweep"), (None, "should hold")]
)
def test_a_broken_sweep_is_named(tmp_path: Path, content: bytes | None, reason: str) -> None:
    capture = record_lidar(wall_ahead(), going(), tmp_path, identity="x", media="m", seed="s")
    path = tmp_path / "000001.ply"
    path.write_bytes(path.read_bytes()[:-5] if content is None else content)
    with pytest.raises(InputError, match=f"000001.ply: {reason}"):
        cloud(capture, tmp_path)
    path.unlink()
    with pytest.raises(InputError, match="is missing; record x again"):
        cloud(capture, tmp_path)
