"""KITTI's drives: poses, road users and sweeps of a simulated drive come back from both layouts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation

from ingest.pipeline import made, refused
from ingest.worlds import box_of, same_box, transform
from tolman.errors import InputError
from tolman.ingest.clouds.recording import read_sweep
from tolman.ingest.formats import get, recognise
from tolman.scenes import OrientedBox

pytest.importorskip("av", reason="scans need the extra 'build'")

SIZE, FRAMES = (124, 38), 6
K = np.array([[72.15, 0, 60.9], [0, 72.15, 17.3], [0, 0, 1]])
SHIFT = np.array([0.06, 0.001, 0.003])
"""From the first camera to the left colour one."""
EARTH, LATITUDE, LONGITUDE = 6378137.0, 49.015, 8.4343
CAMERA_AXES = np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]])
"""From x forward, y left, z up to x right, y down, z forward."""


def rig(*, level: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Navigation system → LiDAR, LiDAR → first camera, and the rotation that rectifies that."""
    first, turn = np.eye(4), np.eye(4)
    first[:3, :3] = CAMERA_AXES
    if not level:
        first[:3, :3] = CAMERA_AXES @ Rotation.from_euler("xyz", [0.5, -0.8, 0.3], degrees=True).as_matrix()
        turn[:3, :3] = Rotation.from_euler("xyz", [0.4, 0.6, -0.2], degrees=True).as_matrix()
    first[:3, 3] = -0.004, -0.076, -0.27
    return transform(z=0.0 if level else 0.3, shift=(-0.81, 0.32, -0.8)), first, turn


def drive(*, level: bool) -> np.ndarray:
    """Navigation system → east, north, up of each frame; it begins at the origin."""
    poses = []
    for i in range(FRAMES):
        angles = [40 + 3 * i, 0 if level else 1.5 - i, 0 if level else 0.7 * i - 2]
        pose = np.eye(4)
        pose[:3, :3] = Rotation.from_euler("ZYX", angles, degrees=True).as_matrix()
        pose[:3, 3] = 1.1 * i, 0.9 * i, 0.05 * i
        poses.append(pose)
    return np.array(poses)


def packet(pose: np.ndarray) -> str:
    """A line of oxts."""
    scale = np.cos(np.radians(LATITUDE))
    north = scale * EARTH * np.log(np.tan(np.radians(90 + LATITUDE) / 2)) + pose[1, 3]
    longitude = LONGITUDE + np.degrees(pose[0, 3] / (scale * EARTH))
    latitude = np.degrees(2 * np.arctan(np.exp(north / (scale * EARTH)))) - 90
    yaw, pitch, roll = Rotation.from_matrix(pose[:3, :3]).as_euler("ZYX")
    return " ".join(
        f"{v:.15g}" for v in (latitude, longitude, 116.43 + pose[2, 3], roll, pitch, yaw, *[0.0] * 19, *[4] * 5)
    )


CAR = box_of(np.array([14.0, 9.0, -0.9]), Rotation.from_euler("z", 65, degrees=True).as_matrix().T, (4.2, 1.7, 1.5))
"""It stands; its first axis is its length."""
WAY = np.array([0.0, -0.7, 0.0])
"""Metres a frame that the cyclist rides."""


def cyclist(frame: int) -> OrientedBox:
    turn = Rotation.from_euler("z", -20, degrees=True).as_matrix()
    return box_of(np.array([9.0, 14.0, -1.0]) + frame * WAY, turn.T, (1.8, 0.6, 1.7))


def numbers(values: np.ndarray) -> str:
    return " ".join(f"{v:.12e}" for v in np.ravel(values))


def save_frames(pictures: Path, sweeps: Path, digits: int) -> None:
    for folder in (pictures, sweeps):
        folder.mkdir(parents=True)
    for i in range(FRAMES):
        Image.new("RGB", SIZE, (90 + i, 100, 110)).save(pictures / f"{i:0{digits}d}.png")
        points = np.arange(12, dtype="<f4").reshape(3, 4) + i
        (sweeps / f"{i:0{digits}d}.bin").write_bytes(points.tobytes())


def turned(rotation: np.ndarray) -> float:
    """The angle of a rotation about z."""
    return float(np.arctan2(rotation[1, 0], rotation[0, 0]))


def write_raw(day: Path, *, level: bool = True) -> None:
    """As KITTI's raw drives."""
    to_lidar, first, turn = rig(level=level)
    place = day / f"{day.name}_drive_0007_sync"
    save_frames(place / "image_02" / "data", place / "velodyne_points" / "data", 10)
    (place / "oxts" / "data").mkdir(parents=True)
    stamps = [f"2011-09-26 13:02:{25 + i * 0.1:012.9f}" for i in range(FRAMES)]
    (place / "image_02" / "timestamps.txt").write_text("\n".join(stamps) + "\n")
    (place / "oxts" / "timestamps.txt").write_text("\n".join(stamps) + "\n")
    poses, items = drive(level=level), []
    for i, pose in enumerate(poses):
        (place / "oxts" / "data" / f"{i:010d}.txt").write_text(packet(pose))
    for kind, box in (("Car", lambda _: CAR), ("Cyclist", cyclist)):
        rows = []
        for i in range(1, FRAMES):
            own = to_lidar @ np.linalg.inv(poses[i])
            x, y, z = own[:3, :3] @ box(i).center + own[:3, 3] - (0, 0, box(i).extents[2] / 2)
            rz = turned(own[:3, :3] @ np.array(box(i).axes).T)
            rows.append(f"<item><tx>{x}</tx><ty>{y}</ty><tz>{z}</tz><rx>0</rx><ry>0</ry><rz>{rz}</rz></item>")
        long, wide, high = box(0).extents
        items.append(f"<item><objectType>{kind}</objectType><h>{high}</h><w>{wide}</w><l>{long}</l><first_frame>1"
                     f"</first_frame><poses><count>{len(rows)}</count>{''.join(rows)}</poses></item>")  # fmt: skip
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>\n<!DOCTYPE boost_serialization>\n'
    inside = f"<tracklets><count>{len(items)}</count><item_version>1</item_version>{''.join(items)}</tracklets>"
    (place / "tracklet_labels.xml").write_text(f"{head}<boost_serialization>{inside}</boost_serialization>")
    lines = ["calib_time: 09-Jan-2012 13:57:47", f"R_rect_00: {numbers(turn[:3, :3])}"]
    for i in range(4):
        shift = SHIFT if i == 2 else SHIFT - (0.53, 0, 0)
        lines.append(f"P_rect_{i:02d}: {numbers(np.column_stack([K, K @ shift]))}")
        lines.append(f"R_rect_{i:02d}: {numbers(turn[:3, :3])}")
    (day / "calib_cam_to_cam.txt").write_text("\n".join(lines) + "\n")
    for name, matrix in (("velo_to_cam", first), ("imu_to_velo", to_lidar)):
        text = f"calib_time: 25-May-2012 16:47:16\nR: {numbers(matrix[:3, :3])}\nT: {numbers(matrix[:3, 3])}\n"
        (day / f"calib_{name}.txt").write_text(text)


def write_tracking(place: Path) -> None:
    """As KITTI's tracking benchmark."""
    to_lidar, first, turn = rig(level=True)
    save_frames(place / "image_02" / "0003", place / "velodyne" / "0003", 6)
    for folder in ("oxts", "calib", "label_02"):
        (place / folder).mkdir()
    poses = drive(level=True)
    (place / "oxts" / "0003.txt").write_text("".join(f"{packet(pose)}\n" for pose in poses))
    lines = [f"P{i}: {numbers(np.column_stack([K, K @ SHIFT]))}" for i in range(4)]
    lines += [
        f"R_rect {numbers(turn[:3, :3])}",
        f"Tr_velo_cam {numbers(first[:3])}",
        f"Tr_imu_velo {numbers(to_lidar[:3])}",
    ]
    (place / "calib" / "0003.txt").write_text("\n".join(lines) + "\n\n")
    rows = []
    for i, pose in enumerate(poses):
        own = turn @ first @ to_lidar @ np.linalg.inv(pose)
        rows.append(f"{i} -1 DontCare -1 -1 -10 1 1 5 5 -1 -1 -1 -1000 -1000 -1000 -10")
        for number, (kind, box) in enumerate((("Car", CAR), ("Cyclist", cyclist(i)))):
            long, wide, high = box.extents
            x, y, z = own[:3, :3] @ box.center + own[:3, 3] + (0, high / 2, 0)
            ahead = own[:3, :3] @ box.axes[0]
            ry = -np.arctan2(ahead[2], ahead[0])
            rows.append(f"{i} {number} {kind} 0 0 -1.5 1 1 5 5 {high} {wide} {long} {x} {y} {z} {ry}")
    (place / "label_02" / "0003.txt").write_text("\n".join(rows) + "\n")


WRITERS: dict[str, Callable[[Path], None]] = {"2011_09_26": write_raw, "training": write_tracking}


@pytest.mark.parametrize(
    ("folder", "name"), [("2011_09_26", "2011_09_26_drive_0007_sync"), ("training", "training_0003")]
)
def test_road_users_and_sweeps_come_back(tmp_path: Path, folder: str, name: str) -> None:
    WRITERS[folder](tmp_path / "in" / folder)
    found = recognise(tmp_path / "in")
    assert (found.format, found.others, found.scenes, found.found["boxes"]) == ("kitti", (), 1, "2 of 2 objects")
    scene, capture, row = made("kitti", tmp_path / "in", tmp_path / "out")
    assert (scene.id, scene.room_area, row.repaired) == (f"kitti/{name}", None, ())
    car, rider = sorted(scene.objects, key=lambda one: one.category)
    assert (car.category, rider.category, car.track) == ("car", "cyclist", ())
    assert same_box(car.box, CAR) < 1e-6
    first = 1 if folder == "2011_09_26" else 0
    assert len(rider.track) == FRAMES - first
    for i, point in enumerate(rider.track, start=first):
        assert point.seconds == pytest.approx(i / 10)
        assert point.center == pytest.approx(cyclist(i).center, abs=1e-6)
        assert np.abs(np.array(point.axes) - cyclist(i).axes).max() < 1e-6
    assert len(capture.times) == FRAMES
    sweep = read_sweep(tmp_path / "out" / "lidar" / "kitti" / name / "000002.ply")
    assert [sweep[part].tolist() for part in ("x", "intensity")] == [[2, 6, 10], [5, 9, 13]]


def test_poses_of_a_car_that_pitches_and_rolls(tmp_path: Path) -> None:
    write_raw(tmp_path / "2011_09_26", level=False)
    found = get("kitti").read(get("kitti").find(tmp_path)[0])
    (recording,) = found.recordings
    to_lidar, first, turn = rig(level=False)
    shift = transform(shift=tuple(SHIFT))  # type: ignore[arg-type]
    true = drive(level=False) @ np.linalg.inv(shift @ turn @ first @ to_lidar)
    assert recording.poses == pytest.approx(true, abs=1e-6)
    assert recording.intrinsics[0] == pytest.approx((72.15, 72.15, 60.9, 17.3))
    assert recording.times == pytest.approx(np.arange(FRAMES) / 10)
    (capture,) = found.captures
    assert capture.pose(3) == pytest.approx(drive(level=False)[3] @ np.linalg.inv(to_lidar), abs=1e-6)


def test_poses_agree_with_pykitti(tmp_path: Path) -> None:
    pykitti = pytest.importorskip("pykitti", reason="pykitti is no dependency")
    write_raw(tmp_path / "2011_09_26", level=False)
    theirs = pykitti.raw(str(tmp_path), "2011_09_26", "0007")
    (recording,) = get("kitti").read(get("kitti").find(tmp_path)[0]).recordings
    off = recording.poses - np.array([one.T_w_imu for one in theirs.oxts]) @ np.linalg.inv(theirs.calib.T_cam2_imu)
    assert np.abs(off[:, :3, :3]).max() < 1e-9
    # It takes only x of the camera's place beside the first, and that not divided by depth.
    assert np.linalg.norm(off[:, :3, 3], axis=1).max() < 0.005


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("oxts/0003.txt", "49.0", "149.0", "row 1: has the latitude 149"),
        ("oxts/0003.txt", " ", "\n", "row 1: has 1 number, not 30"),
        ("calib/0003.txt", "R_rect", "R_wrecked", "has no R_rect"),
        ("calib/0003.txt", "P2: ", "P2: 1 ", "row 3: P2 has 13 numbers, not 12"),
        ("calib/0003.txt", "Tr_imu_velo 1", "Tr_imu_velo 3", "field 'Tr_imu_velo': is no rotation and translation"),
        ("label_02/0003.txt", "1 1 Cyclist", "1 0 Car", "row 6: track 0 has two boxes at frame 1"),
        ("label_02/0003.txt", "0 0 Car 0", "0 0 Car", "row 2: has 16 columns, not 17"),
        ("label_02/0003.txt", " 1.5 1.7 4.2", " -1.5 1.7 4.2", "its box can't be used: an extent is negative"),
    ],
)  # fmt: skip
def test_broken_sequences_name_file_and_row(tmp_path: Path, file: str, old: str, new: str, said: str) -> None:
    write_tracking(tmp_path / "training")
    path = tmp_path / "training" / file
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        get("kitti").read(get("kitti").find(tmp_path)[0])
    assert Path(file).name in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<h>1.5</h>", "", "row tracklet 1: a number was expected"),
        ("<tx>", "<tx>far", "row tracklet 1, pose 1: a number was expected"),
        ("</poses>", "", "is no readable XML"),
        ("<!DOCTYPE boost_serialization>", '<!DOCTYPE a [<!ENTITY b "c">]>', "declares entities, which aren't read"),
        ("<objectType>Car", "<objectType>", "row tracklet 1: has no objectType"),
    ],
)
def test_broken_tracklets(tmp_path: Path, old: str, new: str, said: str) -> None:
    write_raw(tmp_path / "in" / "2011_09_26")
    (path,) = tmp_path.rglob("tracklet_labels.xml")
    path.write_text(path.read_text().replace(old, new, 1))
    assert said in refused("kitti", tmp_path / "in", tmp_path / "out")


def test_missing_parts_are_said(tmp_path: Path) -> None:
    write_raw(tmp_path / "2011_09_26")
    source = get("kitti").find(tmp_path)[0]
    (source.path / "oxts" / "data" / "0000000003.txt").unlink()
    sweep = source.path / "velodyne_points" / "data" / "0000000001.bin"
    sweep.write_bytes(sweep.read_bytes()[:-3])
    (source.path / "tracklet_labels.xml").unlink()
    found = get("kitti").read(source)
    assert np.isnan(found.recordings[0].poses[3, :3]).all()
    assert len(found.captures[0].times) == FRAMES - 2
    assert found.repaired == ("0000000001.bin: is cut off after byte 45, within a point; it was left out",)
    assert found.notes == ("it has no tracklet_labels.xml, and so no boxes",)
    (source.path / "image_02" / "timestamps.txt").write_text("noon\n")
    with pytest.raises(InputError, match=r"timestamps\.txt, row 1: 'noon' is no date and time"):
        get("kitti").read(source)
    (source.path / "oxts").rename(source.path / "packed")
    with pytest.raises(InputError, match="holds no drive with oxts/data"):
        get("kitti").find(tmp_path)
