"""Rigs: their clocks, poses and clouds against the truth of a simulated recording."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingest.lidar.layouts import write_pcd
from ingest.lidar.yard import INTRINSICS, OFFSET, ROOM, SIZE, depths, shot
from ingest.pipeline import edit_json
from tolman.errors import InputError
from tolman.geometry.camera_geometry import splat
from tolman.geometry.motion import poses_at
from tolman.ingest.build import ScansConfig, ingest
from tolman.ingest.formats.rig import FORMAT, open_rig, synchronise
from tolman.ingest.readers.rig_file import pictures_turning
from tolman.scene_table import read_captures, read_scenes
from tolman.simulate.rig_sensors import mount


def test_the_offset_of_the_clocks_is_found_within_5_ms(rig: Path, bag_rig: Path) -> None:
    for folder in (rig, bag_rig):
        clock = synchronise(folder)["lidar"]
        assert clock.offset == pytest.approx(OFFSET, abs=0.005)
        assert clock.clock.method == "estimated"
        assert clock.found is not None
        assert clock.found.correlation > 0.95
        assert clock.clock.residual == clock.found.error
        assert clock.found.error < 0.01


def test_the_cloud_in_a_frame_is_as_far_as_the_rendered_depth(rig: Path) -> None:
    recording = open_rig(rig)
    cloud = recording.gathered(cell=0.03).cloud
    for seconds in (1.0, 5.0):
        pose, intrinsics, number = recording.frame(seconds)
        assert recording.cameras[0].times[number] == pytest.approx(seconds, abs=1e-6)
        true = shot().camera.poses[round(seconds * 30)]
        assert np.abs(pose[:3, 3] - true[:3, 3]).max() < 0.01
        measured, seen = splat(cloud.points, pose, intrinsics, SIZE)
        wanted = depths(true)
        hit = seen >= 0
        assert hit.mean() > 0.5
        # Between points one looks through, past edges one sees more: most pixels agree to the noise, none lies before.
        off = (measured - wanted)[hit]
        assert np.median(np.abs(off)) < 0.012
        assert (np.abs(off) < 0.05).mean() > 0.9
        assert (off < -0.15).mean() < 0.02


@pytest.mark.full
def test_a_rig_is_ingested(rig: Path, tmp_path: Path) -> None:
    found = ingest(ScansConfig("rig", rig.parent), tmp_path / "out", 1)
    assert [entry.state for entry in found.scenes] == ["new"]
    (scene,) = read_scenes(tmp_path / "out")
    assert scene.id == "rig/hall"
    assert scene.room_area == pytest.approx(ROOM[0] * ROOM[1], rel=0.03)
    captures = {capture.sensor: capture for capture in read_captures(tmp_path / "out")}
    camera, lidar = captures["camera"], captures["lidar"]
    assert camera.intrinsics[0] == pytest.approx(INTRINSICS)
    assert (tmp_path / "out" / str(camera.media)).is_file()
    whole = shot()
    # Poses follow from trajectory, calibration and offset: exact but for the straight ways between the poses given.
    wanted = poses_at(whole.times, whole.poses, np.array(camera.times) - lidar.offset) @ np.linalg.inv(mount())
    poses = np.array(camera.poses).reshape(-1, 4, 4)
    assert np.abs(poses - wanted).max() < 1e-6
    assert camera.clock is not None
    assert camera.clock.method == "none"
    assert lidar.clock is not None
    assert lidar.clock.method == "estimated"
    assert lidar.offset == pytest.approx(OFFSET, abs=0.005)
    assert len(lidar.times) == len(whole.stamps)
    assert np.abs(np.array(lidar.times) - whole.stamps).max() < 0.1


def test_turning_seen_in_pictures() -> None:
    # A band of noise all around, of which a camera sees a part.
    focal, width = 100.0, 120
    generator = np.random.default_rng(0)
    around = round(2 * np.pi * focal)
    coarse = generator.random((12, around // 8))
    band = np.kron(coarse, np.ones((8, 8)))[:96]
    times = np.arange(90) / 30
    yaw = 0.6 * np.sin(2.2 * times) + 0.2 * np.sin(5 * times)

    def frames() -> Any:
        for seconds, turn in zip(times, yaw, strict=True):
            columns = (focal * turn + np.arange(width)) % (band.shape[1] - 1)
            low = np.floor(columns).astype(int)
            picture = band[:, low] * (1 - columns % 1) + band[:, low + 1] * (columns % 1)
            yield float(seconds), np.repeat((255 * picture[:, :, None]).astype(np.uint8), 3, axis=2)

    signal = pictures_turning(frames(), focal)
    truth = np.abs(np.diff(yaw)) * 30
    assert np.median(np.abs(signal.speeds - truth)) < 0.05
    assert np.corrcoef(signal.speeds, truth)[0, 1] > 0.97


@pytest.fixture
def edited(rig: Path, tmp_path: Path) -> Callable[..., Path]:
    """The rig with some of its descriptions changed."""

    def change(file: str, edit: Callable[[dict[str, Any]], None]) -> Path:
        folder = tmp_path / "hall"
        shutil.copytree(rig, folder)
        edit_json(folder / file, edit)
        return folder

    return change


def _at(content: dict[str, Any], path: str, value: Any) -> None:
    *keys, last = path.split(".")
    for key in keys:
        content = content[int(key)] if isinstance(content, list) else content[key]  # type: ignore[assignment]
    content[last] = value


BOX = {"center": [0, 0, 0], "axes": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "extents": [1, 1, 1]}


@pytest.mark.parametrize(
    ("file", "path", "value", "reason"),
    [
        ("rig.json", "rig", 2, r"rig.json, field 'rig'"),
        ("rig.json", "lidar.path", "../..", "lies outside its folder"),
        ("rig.json", "lidar.path", "gone", "names 'gone', which isn't there"),
        ("rig.json", "lidar.trajectory", None, "needs a 'trajectory'"),
        ("rig.json", "lidar.clock", {"method": "manual"}, "needs its 'offset'"),
        ("rig.json", "lidar.clock", {"method": "manual", "offset": 900.0}, "was measured while a pose|was taken while a pose"),
        ("rig.json", "lidar.clok", 1, "Extra inputs"),
        ("rig.json", "cameras.0.rate", "30", "field 'cameras.0.rate'"),
        ("rig.json", "objects", [{"id": "a", "category": " ", "box": BOX}], "field 'objects.0.category': is blank"),
        ("rig.json", "cameras.0.clock", {"method": "estimated"}, "is the time line"),
        ("calibration.json", "T_cam_lidar", (2 * mount()).tolist(), "last row must be"),
        ("calibration.json", "T_cam_lidar", (np.diag([1.0, 1, -1, 1]) @ mount()).tolist(), "left-handed"),
        ("calibration.json", "T_cam_lidar", (mount() + 100 * np.eye(4, k=3)).tolist(), "its unit is metres"),
        ("calibration.json", "distortion", [0.1], "undistort"),
        ("calibration.json", "size", [640, 480], "is for pictures of"),
    ],
)  # fmt: skip
def test_a_wrong_description_is_told(
    edited: Callable[..., Path], file: str, path: str, value: Any, reason: str
) -> None:
    folder = edited(file, lambda content: _at(content, path, value))
    with pytest.raises(InputError, match=reason):
        FORMAT.read(FORMAT.find(folder)[0])


def _times(text: str, column: slice, factor: float) -> str:
    rows = np.loadtxt(text.splitlines(), ndmin=2)
    rows[:, column] *= factor
    return "\n".join(" ".join(f"{value:.9f}" for value in row) for row in rows)


TIME, PLACE = slice(0, 1), slice(1, 4)


@pytest.mark.full
@pytest.mark.parametrize(
    ("file", "column", "factor", "reason"),
    [
        ("trajectory.txt", PLACE, 1e3, r"trajectory.txt: its sensor moves at 1,5\d\d m/s: .* \(in millimetres, 3,391 is 3.39 m\)"),
        ("trajectory.txt", TIME, 1e9, r"trajectory.txt: lasts 5,950,000,000 s: its times are 50,000,000 s apart and may be nanoseconds"),
        ("trajectory.txt", TIME, 1e3, r"lidar: none of .* from -137.000 to 5813.000 s, .*; those of the trajectory are 50 s apart and may be milliseconds"),
        ("stamps.txt", TIME, 1e9, r"lidar: none of .*; those of its clouds are 1\d\d,\d*,\d* s apart and may be nanoseconds"),
        ("stamps.txt", TIME, 1e3, r"lidar: none of .*; those of its clouds are 1\d\d s apart and may be milliseconds"),
        ("camera.txt", TIME, 1e9, r"camera.txt: lasts 6,000,000,000 s with 19 frames: its times are 333,333,333 s apart and may be nanos"),
        ("camera.txt", TIME, 1e3, r"camera.txt: lasts 6,000 s with 19 frames: its times are 333 s apart and may be milliseconds"),
    ],
)  # fmt: skip
def test_another_unit_is_told(
    edited: Callable[..., Path], file: str, column: slice, factor: float, reason: str
) -> None:
    def edit(content: dict[str, Any]) -> None:
        content["lidar"]["clock"] = {"method": "manual", "offset": OFFSET}
        content["cameras"][0]["stamps"] = "camera.txt"

    folder = edited("rig.json", edit)
    (folder / "camera.txt").write_text("\n".join(str(frame / 3) for frame in range(19)))
    assert FORMAT.read(FORMAT.find(folder)[0]).captures
    (folder / file).write_text(_times((folder / file).read_text(), column, factor))
    with pytest.raises(InputError, match=reason):
        FORMAT.read(FORMAT.find(folder)[0])


def test_clouds_in_millimetres_are_told(rig: Path, tmp_path: Path) -> None:
    folder, whole, points = tmp_path / "hall", shot(), []
    shutil.copytree(rig, folder)
    shutil.rmtree(folder / "lidar")
    for sweep in whole.points:
        points.append(sweep.copy())
        for axis in "xyz":
            points[-1][axis] *= 1000
    write_pcd(folder / "lidar", replace(whole, points=tuple(points)))
    with pytest.raises(InputError, match=r"half of its points are over 2,\d* m from the sensor: .* is 2.\d* m\)"):
        FORMAT.read(FORMAT.find(folder)[0])


def test_no_rig_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no rig\.json"):
        FORMAT.find(tmp_path)


def test_a_rig_that_hardly_turns_has_no_offset_to_be_found(rig: Path, tmp_path: Path) -> None:
    folder = tmp_path / "hall"
    shutil.copytree(rig, folder)
    lines = [f"{t:.3f} {t:.3f} 0 0 0 0 0 1" for t in np.arange(0, 8, 0.1)]
    (folder / "odometry.txt").write_text("\n".join(lines))
    with pytest.raises(
        InputError, match=r"hall: the offset of its clocks can't be estimated: the first sensor turns too evenly"
    ):
        synchronise(folder)
