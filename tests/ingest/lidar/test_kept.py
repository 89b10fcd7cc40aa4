"""Recordings that are kept in a collection: in Tolman's own form, and measured there as where they came from."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ingest.lidar.layouts import EPOCH
from ingest.lidar.yard import OFFSET, ROOM, THINGS, region_of
from tolman.cli import app
from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.build import ScansConfig, ingest
from tolman.ingest.clouds import Sweep, Track, in_scene
from tolman.ingest.clouds.recording import Keeper, open_collection, read_sweep
from tolman.ingest.formats.rig import open_rig
from tolman.ingest.scan_measures import Pick, measure_recording
from tolman.media.video import read_index
from tolman.scene_table import read_captures
from tolman.scenes import Capture


@pytest.mark.full
def test_a_bag_with_another_clock_is_measured_in_the_collection_as_in_its_folder(bag_rig: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (entry,) = ingest(ScansConfig("rig", bag_rig), out, 1).scenes
    assert entry.state == "new", entry.reason
    assert any("the clock of 'lidar' was found" in line for line in entry.repaired)
    captures = {capture.sensor: capture for capture in read_captures(out)}
    camera, lidar = captures["camera"], captures["lidar"]
    assert [camera.scene_time(i) for i in range(7)] == pytest.approx(np.arange(7) + EPOCH, abs=1e-6)
    assert len(read_index(out / str(camera.media)).times) == 7
    assert lidar.media == "lidar/rig/hall"
    assert lidar.offset == pytest.approx(OFFSET, abs=0.005)
    assert len(lidar.poses) == len(lidar.times) == len(list((out / lidar.media).iterdir()))
    # The collection is all that is needed: it may be moved.
    moved = tmp_path / "moved"
    shutil.move(out, moved)
    here, there = open_rig(bag_rig), open_collection(moved)
    span = (EPOCH + 0.5, EPOCH + 5.0)
    low, high = region_of(next(thing for thing in THINGS if thing.name == "fridge"))
    pick = (Pick(box=(*low, *high)), None)
    first, second = (measure_recording(one, "size", pick, cell=0.02, between=span) for one in (here, there))
    assert second.value == pytest.approx(first.value, abs=5e-4)
    # A sweep kept has one place where its rays begin, so what they saw differs by a voxel here and there.
    assert second.error == pytest.approx(first.error, abs=0.01)
    assert second.n_points == pytest.approx(first.n_points, rel=1e-3)
    points = there.gathered(cell=0.05).cloud.points
    assert np.abs(points.min(0)).max() < 0.08
    assert np.abs(points.max(0) - ROOM).max() < 0.08
    done = CliRunner().invoke(app, ["scenes", str(moved), "--out", str(tmp_path / "scenes.html")])
    assert done.exit_code == 0, done.output
    assert "rig/hall" in (tmp_path / "scenes.html").read_text()
    # What is there isn't made again; what is gone is.
    assert [one.state for one in ingest(ScansConfig("rig", bag_rig), moved, 1).scenes] == ["kept"]
    next(iter((moved / lidar.media).iterdir())).unlink()
    with pytest.raises(InputError, match=r"holds \d+ of the \d+ sweeps"):
        open_collection(moved)


def _turning(times: Floats) -> Floats:
    poses = np.tile(np.eye(4), (len(times), 1, 1))
    c, s = np.cos(2 * times + np.sin(9 * times)), np.sin(2 * times + np.sin(9 * times))
    poses[:, 0, 0], poses[:, 0, 1], poses[:, 1, 0], poses[:, 1, 1] = c, -s, s, c
    poses[:, :3, 3] = np.column_stack([3 * np.sin(times), times**2, 0.1 * np.cos(7 * times)])
    return poses


def _kept(keeper: Keeper, sweeps: list[Sweep], folder: Path) -> tuple[Capture, list[np.ndarray]]:
    for sweep in sweeps:
        keeper.look(sweep)
    keeper.write(iter(sweeps), folder)
    poses = tuple(tuple(pose.ravel().tolist()) for pose in keeper.poses)
    capture = Capture(id="a", scene="b", sensor="lidar", times=tuple(keeper.times.tolist()), poses=poses)
    return capture, [read_sweep(path) for path in sorted(folder.iterdir())]


def _sorted(points: Floats) -> Floats:
    return points[np.lexsort(points.T.round(3))]


@pytest.mark.parametrize("seconds", [0.2, 4.0])
def test_points_come_where_the_trajectory_brings_them(tmp_path: Path, seconds: float) -> None:
    generator = np.random.default_rng(0)
    along = np.arange(-0.2, 8.2, 0.01)
    track = Track(along, _turning(along))
    # Parts of a large file last long, and their points come in any order; the last was measured after all poses.
    sweeps = [
        Sweep(None, generator.uniform(-20, 20, (300, 3)), None, generator.uniform(t, t + seconds, 300))
        for t in (0.0, 4.0, 20.0)
    ]
    capture, kept = _kept(Keeper(track), sweeps, tmp_path / "kept")
    assert len(kept) == len(capture.times)
    assert (np.diff(capture.times) > 0).all()
    again = Track(np.array(capture.times), np.array(capture.poses).reshape(-1, 4, 4))
    found = []
    for points, middle in zip(kept, capture.times, strict=True):
        assert points["time"].min() <= middle <= points["time"].max()
        assert np.ptp(points["time"]) <= 0.5
        local = np.column_stack([points["x"], points["y"], points["z"]]).astype(float)
        scene, lost = in_scene(Sweep(None, local, None, points["time"]), again)
        assert not lost
        found.append(scene)
    wanted = np.concatenate([in_scene(sweep, track)[0] for sweep in sweeps])
    assert len(wanted) == 600
    assert np.abs(_sorted(np.concatenate(found)) - _sorted(wanted)).max() < 1e-4


def test_clouds_of_the_scene_stay_as_they_are(tmp_path: Path) -> None:
    # Far from the origin, as surveyors' coordinates are, floats would round to centimetres.
    points = np.array([[500_000.123, 5_400_000.456, 100.789], [500_001.0, 5_400_002.0, 100.0]])
    capture, (kept,) = _kept(Keeper(None), [Sweep(None, points, np.array([7.0, 8.0]))], tmp_path / "kept")
    assert capture.times == capture.poses == ()
    assert np.column_stack([kept["x"], kept["y"], kept["z"]]) == pytest.approx(points, abs=1e-6)
    assert kept["intensity"].tolist() == [7.0, 8.0]
    assert "time" not in (kept.dtype.names or ())


def test_a_single_sweep_has_its_pose(tmp_path: Path) -> None:
    track = Track(np.array([0.0, 1.0]), _turning(np.array([0.0, 1.0])))
    sweep = Sweep(0.5, np.ones((4, 3)))
    capture, (kept,) = _kept(Keeper(track), [sweep], tmp_path / "kept")
    assert capture.times == (0.5,)
    assert kept["time"].tolist() == [0.5] * 4
    again = Track(np.array(capture.times), np.array(capture.poses).reshape(-1, 4, 4))
    assert in_scene(Sweep(0.5, np.ones((4, 3))), again)[0] == pytest.approx(in_scene(sweep, track)[0])
