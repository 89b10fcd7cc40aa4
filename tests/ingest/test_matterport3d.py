"""Matterport3D: a house on disk as the release lays it, read back."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ingest.matterport_writer import DISTORTION, HOUSE, write_matterport
from ingest.pipeline import hold, ingested
from ingest.worlds import same_box, small_world, transform
from tolman.ingest.formats.matterport3d import FORMAT, distort

pytest.importorskip("plyfile", reason="scans need the extra 'build'")
pytest.importorskip("av", reason="scans need the extra 'build'")
MOVED = transform(-25.0, shift=(-3.0, 2.0, 1.1))


@pytest.mark.parametrize("undistorted", [True, False])
def test_boxes_rooms_and_cameras(tmp_path: Path, drawn: tuple, undistorted: bool) -> None:  # type: ignore[type-arg]
    # A middle that isn't the picture's shows from which corner pixels are counted.
    fx, fy, cx, cy = small_world().intrinsics
    world = replace(small_world().moved(MOVED), intrinsics=(fx, fy + 1, cx + 3, cy - 7))
    write_matterport(tmp_path, world, drawn, undistorted=undistorted)
    # The second region is junk.
    (room,) = FORMAT.find(tmp_path)
    assert room.id == f"matterport3d/{HOUSE}_region0"
    reading = FORMAT.read(room)
    assert [one.label for one in reading.instances] == [thing.category for thing in world.objects]
    for found, true in zip(reading.instances, world.objects, strict=True):
        assert found.box is not None
        assert same_box(found.box, true.box) < 1e-6
    assert reading.surface is not None
    assert len(reading.surface.faces) == len(world.faces)
    assert np.array_equal(reading.surface.numbers, world.numbers)
    (recording,) = reading.recordings
    assert np.abs(recording.poses - world.poses).max() < 1e-6
    assert np.abs(recording.intrinsics - np.array(world.intrinsics)).max() < 1e-6
    assert recording.standard == (640, 480, 1.0)
    assert recording.pictures is not None
    if undistorted:
        (picture,) = recording.pictures([9])
        assert np.abs(picture.astype(int) - drawn[9].colour).mean() < 3
    assert reading.room_area == pytest.approx(area(world), rel=1e-6)


def test_truth_comes_back(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    world = small_world().moved(MOVED)
    write_matterport(tmp_path / "in", world, drawn)
    scene, capture = ingested("matterport3d", tmp_path / "in", tmp_path / "out")
    assert scene.id == f"matterport3d/{HOUSE}_region0"
    assert (capture.size, capture.role, len(capture.times)) == ((640, 480), "panorama", len(drawn))
    hold(world, "matterport3d", scene, capture, drawn)


def area(world) -> float:  # type: ignore[no-untyped-def]
    """Of the rectangle that the writer drew around the turned room."""
    low, high = world.points.min(0) - 0.01, world.points.max(0) + 0.01
    return float(np.prod((high - low)[:2]))


def test_a_room_without_the_houses_index(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    world = small_world().moved(MOVED)
    write_matterport(tmp_path, world, drawn, index=False)
    (room,) = FORMAT.find(tmp_path)
    reading = FORMAT.read(room)
    assert room.id == f"matterport3d/{HOUSE}_region0"
    assert [one.label for one in reading.instances] == [thing.category for thing in world.objects]
    assert all(one.box is None for one in reading.instances)
    assert reading.surface is not None
    assert np.array_equal(reading.surface.numbers, world.numbers)
    assert np.abs(reading.recordings[0].poses - world.poses).max() < 1e-6


def test_distortion_is_opencvs() -> None:
    cv2 = pytest.importorskip("cv2", reason="the reference needs opencv")
    intrinsics = np.array([1075.1, 1076.0, 629.7, 522.4])
    points = np.random.default_rng(0).uniform((0, 0), (1280, 1024), (200, 2))
    rays = np.column_stack([(points - intrinsics[2:]) / intrinsics[:2], np.ones(200)])
    matrix = np.array([[intrinsics[0], 0, intrinsics[2]], [0, intrinsics[1], intrinsics[3]], [0, 0, 1]])
    reference, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), matrix, np.array(DISTORTION))
    assert np.abs(distort(points, intrinsics, np.array(DISTORTION)) - reference[:, 0]).max() < 1e-6
