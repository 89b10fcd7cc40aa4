"""ARKitScenes: a recording on disk as the release lays it, read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ingest.arkit_layout import ID, stamps, write_arkit
from ingest.pipeline import hold, ingested
from ingest.worlds import same_box, small_world, transform
from tolman.ingest.arkit_trajectory import read_trajectory, turns_of
from tolman.ingest.arkitscenes import FORMAT

pytest.importorskip("plyfile", reason="scans need the extra 'ingest'")
pytest.importorskip("av", reason="scans need the extra 'ingest'")
MOVED = transform(40.0, shift=(3.0, -7.0, 0.4))


@pytest.mark.parametrize(
    ("line", "turns"),
    [
        ("1627.68140546 -1.5545600446434271 1.532901960141653 0.883467254271724 0.0450016 0.0506107 -0.000194237", 2),
        ("803.47236621 1.6851560664954446 -1.7402208764128138 -0.8469396625258023 0.0404551 0.0562208 -0.00155703", 1),
    ],
)
def test_the_released_turns_of_two_lines(tmp_path: Path, line: str, turns: int) -> None:
    (tmp_path / "lowres_wide.traj").write_text(line + "\n")
    (pose,) = read_trajectory(tmp_path / "lowres_wide.traj").poses
    assert turns_of(pose) == turns


@pytest.mark.parametrize(("sky", "turns"), [("Up", 0), ("Left", 1), ("Down", 2), ("Right", 3), ("NA", 1)])
def test_boxes_poses_and_turns(tmp_path: Path, drawn: tuple, sky: str, turns: int) -> None:  # type: ignore[type-arg]
    world = small_world().moved(MOVED)
    write_arkit(tmp_path, world, drawn, sky=sky)
    (source,) = FORMAT.find(tmp_path)
    assert source.id == f"arkitscenes/{ID}"
    reading = FORMAT.read(source)
    for found, true in zip(reading.instances, world.objects, strict=True):
        assert found.label == true.category
        assert found.box is not None
        assert same_box(found.box, true.box) < 1e-6
    (film,) = reading.films
    assert film.turns == turns
    assert film.standard == (640, 480, 30.0)
    assert film.times.tolist() == stamps(len(drawn))
    assert film.pictures is not None
    (third,) = film.pictures([3])
    assert np.array_equal(np.rot90(third, -turns), drawn[3].colour)
    # A point of the scene stands in the upright picture where it stands in the world's own.
    point = np.array(world.objects[0].box.center)
    lying, upright = pixel(point, film.poses[3], film.intrinsics[3]), pixel(point, world.poses[3], world.intrinsics)
    for _ in range(turns):
        lying = np.array([film.size[1 if _ % 2 == 0 else 0] - lying[1], lying[0]])
    assert np.abs(lying - upright).max() < 1e-6
    assert reading.surface is not None
    assert np.array_equal(reading.surface.numbers, world.numbers)


def pixel(point: np.ndarray, pose: np.ndarray, intrinsics: object) -> np.ndarray:
    local = np.linalg.inv(pose) @ np.append(point, 1.0)
    fx, fy, cx, cy = np.asarray(intrinsics)
    return np.array([fx * local[0] / local[2] + cx, fy * local[1] / local[2] + cy])


def test_truth_comes_back(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    world = small_world().moved(MOVED)
    write_arkit(tmp_path / "in", world, drawn, sky="Right", raw=True)
    scene, capture = ingested("arkitscenes", tmp_path / "in", tmp_path / "out")
    assert scene.id == f"arkitscenes/{ID}"
    assert capture.size == (640, 480)
    assert len(capture.times) == 46
    assert capture.offset == pytest.approx(stamps(1)[0])
    hold(world, "arkitscenes", scene, capture, drawn)
