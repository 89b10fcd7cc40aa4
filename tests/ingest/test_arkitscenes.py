"""ARKitScenes: a recording on disk as the release lays it, read back."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ingest.arkit_writer import ID, stamps, write_arkit
from ingest.pipeline import hold, ingested
from ingest.worlds import same_box, small_world, transform
from tolman.errors import InputError
from tolman.ingest.formats.arkitscenes import FORMAT, WITHOUT, read_trajectory, turns_of

pytest.importorskip("plyfile", reason="scans need the extra 'build'")
pytest.importorskip("av", reason="scans need the extra 'build'")
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
    fx, fy, cx, cy = small_world().intrinsics
    world = replace(small_world().moved(MOVED), intrinsics=(fx, fy + 1, cx + 3, cy - 7))
    write_arkit(tmp_path, world, drawn, sky=sky)
    (source,) = FORMAT.find(tmp_path)
    assert source.id == f"arkitscenes/{ID}"
    reading = FORMAT.read(source)
    for found, true in zip(reading.instances, world.objects, strict=True):
        assert found.label == true.category
        assert found.box is not None
        assert same_box(found.box, true.box) < 1e-6
    (recording,) = reading.recordings
    assert recording.turns == turns
    assert recording.standard == (640, 480, 30.0)
    assert recording.times.tolist() == stamps(len(drawn))
    assert recording.pictures is not None
    (third,) = recording.pictures([3])
    assert np.array_equal(np.rot90(third, -turns), drawn[3].colour)
    # A point of the scene stands in the upright picture where it stands in the world's own.
    point = np.array(world.objects[0].box.center)
    lying, upright = (
        pixel(point, recording.poses[3], recording.intrinsics[3]),
        pixel(point, world.poses[3], world.intrinsics),
    )
    for _ in range(turns):
        lying = np.array([recording.size[1 if _ % 2 == 0 else 0] - lying[1], lying[0]])
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


def test_looking_poses_up(tmp_path: Path) -> None:
    lines = [(10.0, 0.0), (10.1, 1.0), (10.2, 2.0), (11.0, 3.0)]
    (tmp_path / "a.traj").write_text("".join(f"{time} 0 0 0 {-x} 0 0\n" for time, x in reversed(lines)))
    trajectory = read_trajectory(tmp_path / "a.traj")
    asked = np.array([9.99, 9.996, 10.0004, 10.1, 10.105, 10.125, 10.6, 11.005, 11.2])
    found = trajectory.at(asked)[:, 0, 3]
    assert found == pytest.approx([np.nan, 0, 0, 1, 1, 1.25, np.nan, 3, np.nan], nan_ok=True)


def test_the_same_recording_as_3dod_and_raw_is_one(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    world = small_world()
    write_arkit(tmp_path, world, drawn)
    folder = write_arkit(tmp_path, world, drawn, raw=True, stream="lowres_wide")
    (folder / f"{ID}_3dod_annotation.json").unlink()
    (source,) = FORMAT.find(tmp_path)
    reading = FORMAT.read(source)
    assert len(reading.instances) == len(world.objects)
    assert reading.recordings[0].times.tolist() == stamps(len(drawn))


def test_videos_without_annotation_are_refused_by_name(tmp_path: Path) -> None:
    assert len(WITHOUT) == 24
    for identity in ("42446164", "41069025"):
        (tmp_path / "raw" / "Training" / identity / "lowres_wide").mkdir(parents=True)
    named, missing = FORMAT.find(tmp_path)[::-1]
    with pytest.raises(InputError, match="42446164: is one of 24 videos"):
        FORMAT.read(named)
    with pytest.raises(InputError, match=r"41069025: has no 41069025_3dod_annotation\.json"):
        FORMAT.read(missing)


@pytest.mark.parametrize("turned", [False, True])
def test_the_raw_video(tmp_path: Path, drawn: tuple, turned: bool) -> None:  # type: ignore[type-arg]
    from videos import read_code, turn, write_video

    folder = write_arkit(tmp_path, small_world(), drawn, raw=True, sky="Up", stream="lowres_wide")
    write_video(folder / f"{ID}.mov", 45, size=(320, 240))
    if turned:
        turn(folder / f"{ID}.mov", 90)
    (source,) = FORMAT.find(tmp_path)
    reading = FORMAT.read(source)
    (recording,) = reading.recordings
    assert recording.times[0] == stamps(1)[0]
    assert recording.times[30] == pytest.approx(stamps(1)[0] + 1.0)
    assert recording.pictures is not None
    if turned:
        # A phone's own flag has turned it already, and nobody knows how its sensor stood.
        assert (recording.size, recording.turns, len(recording.poses)) == ((240, 320), 0, 0)
        assert "turns itself upright" in reading.repaired[0]
        return
    (picture,) = recording.pictures([33])
    assert read_code(Image.fromarray(picture)) == 33
    assert recording.size == (320, 240)
    # The .pincam of pictures half as large holds for these too.
    assert recording.intrinsics[0].tolist() == pytest.approx([2 * value for value in small_world().intrinsics])
    assert np.abs(recording.poses[0] - small_world().poses[0]).max() < 1e-6


def test_a_video_of_another_length_gets_no_poses(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    from videos import write_video

    folder = write_arkit(tmp_path, small_world(), drawn, raw=True, sky="Up", stream="lowres_wide")
    write_video(folder / f"{ID}.mov", 20, size=(320, 240))
    reading = FORMAT.read(FORMAT.find(tmp_path)[0])
    assert len(reading.recordings[0].poses) == 0
    assert "it lasts 0.6 s and its trajectory 1.5 s" in reading.repaired[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"label": ""}, "row 2: an object takes a 'label'"),
        ({"segments": {}}, "row 2: an object takes a 'label' and a box"),
        ({"centroid": [0, 0]}, "row 2, field 'segments.obbAligned': has not 3 + 3 + 9 numbers"),
        ({"axesLengths": [1, -1, 1]}, "row 2, field 'segments.obbAligned': an extent is negative"),
        ({"axesLengths": [1000, 1000, 1000]}, "is 1,000 m long: its numbers are in another unit"),
        ({"normalizedAxes": [1, 0, 0, 0, 1, 0, 0, 0.1, 1]}, "has axes that are no rotation"),
        ({"normalizedAxes": [1, 0, 0, 0, 1, 0, 0, 0, float("nan")]}, "holds a number that isn't finite"),
    ],
)
def test_a_bad_box_is_named(tmp_path: Path, drawn: tuple, change: dict, said: str) -> None:  # type: ignore[type-arg]
    folder = write_arkit(tmp_path, small_world(), drawn)
    path = folder / f"{ID}_3dod_annotation.json"
    content = json.loads(path.read_text())
    record = content["data"][1]
    for key, value in change.items():
        (record if key in record else record["segments"]["obbAligned"])[key] = value
    path.write_text(json.dumps(content))
    with pytest.raises(InputError) as caught:
        FORMAT.read(FORMAT.find(tmp_path)[0])
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


def test_left_handed_axes_are_the_same_box(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    world = small_world()
    folder = write_arkit(tmp_path, world, drawn)
    path = folder / f"{ID}_3dod_annotation.json"
    content = json.loads(path.read_text())
    for record in content["data"]:
        box = record["segments"]["obbAligned"]
        box["normalizedAxes"] = [round(value, 6) for value in (-np.array(box["normalizedAxes"])).tolist()]
    path.write_text(json.dumps(content))
    reading = FORMAT.read(FORMAT.find(tmp_path)[0])
    for found, true in zip(reading.instances, world.objects, strict=True):
        assert found.box is not None
        assert same_box(found.box, true.box) < 1e-5


def test_one_recording_alone_has_its_table(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    folder = write_arkit(tmp_path, small_world(), drawn, sky="Left")
    table = tmp_path / "3dod" / "metadata.csv"
    table.write_text(table.read_text().replace("Left", "Down"))
    (source,) = FORMAT.find(folder)
    assert FORMAT.read(source).recordings[0].turns == 2
    table.write_text(table.read_text().replace("Down", "Sideways"))
    with pytest.raises(InputError, match="field 'sky_direction': 'Sideways' is none of Up, Left, Down, Right and NA"):
        FORMAT.read(source)
