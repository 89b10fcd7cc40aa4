"""Aria's recordings: points, boxes and gravity of a simulated home come back; its lens is COLMAP's and Aria's own."""

from __future__ import annotations

import csv
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from conftest import SHARED
from ingest.pipeline import made, refused
from ingest.test_cloud import points_of, read_all
from ingest.worlds import ROOM, corners, same_box, small_world
from tolman.errors import InputError, MissingExtraError
from tolman.geometry.camera_geometry import Lens, lens_of
from tolman.ingest.formats import get, recognise

pytest.importorskip("plyfile", reason="scans need the extra 'build'")

GRAPH = "f2705772-c4a9-36ba-a9af-cbea45a340b3"
POSE = ["tx_world_device", "ty_world_device", "tz_world_device", "qx_world_device", "qy_world_device", "qz_world_device", "qw_world_device"]  # fmt: skip
TO_Y_UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
"""From the home's frame to one whose y axis is up, as Aria Digital Twin's."""


def write_table(path: Path, names: list[str], rows: list[list[Any]]) -> None:
    text = "\n".join(",".join(str(value) for value in row) for row in [names, *rows]) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)


def write_trajectory(path: Path, *, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)) -> None:
    """Glasses that turn in the middle of the room."""
    rows = []
    for i in range(50):
        turn = Rotation.from_euler("z", i, degrees=True).as_quat()
        rows.append([GRAPH, 1_000_000 + 1000 * i, -1, 2.5, 2.0, 1.6, *turn, *gravity, 0.9])
    names = ["graph_uid", "tracking_timestamp_us", "utc_timestamp_ns", *POSE]
    names += [f"gravity_{axis}_world" for axis in "xyz"]
    write_table(path, [*names, "quality_score"], rows)


def write_points(path: Path, points: np.ndarray) -> None:
    """The points of MPS: every fifth is uncertain, and elsewhere."""
    rows = [[i, GRAPH, *(one if i % 5 else one + 30), 0.0005 if i % 5 else 0.002, 0.01] for i, one in enumerate(points)]
    write_table(path, ["uid", "graph_uid", "px_world", "py_world", "pz_world", "inv_dist_std", "dist_std"], rows)


def write_digital_twin(folder: Path) -> None:
    """The home as Aria Digital Twin has it: y up, boxes off the origins of their objects, one chair that moves."""
    write_trajectory(folder / "aria_trajectory.csv", gravity=(0, -9.81, 0))
    sides, places, names = [], [], {}
    for i, one in enumerate(small_world().wanted):
        turn = TO_Y_UP @ np.array(one.box.axes).T
        half, off = np.array(one.box.extents) / 2, np.array([0.1 * i, -0.2, 0.05])
        low, high = off - half, off + half
        uid = str(5_691_266_090_916_432 + i)
        sides.append([uid, -1, low[0], high[0], low[1], high[1], low[2], high[2]])
        for stamp in (1_000_000_000, 1_500_000_000) if i == 1 else (-1,):
            lift = np.array([0, 0, 0.4 if stamp == 1_500_000_000 else 0])
            where = TO_Y_UP @ (np.array(one.box.center) + lift) - turn @ off
            x, y, z, w = Rotation.from_matrix(turn).as_quat()
            places.append([uid, stamp, *where, w, x, y, z])
        names[uid] = {"instance_name": f"Thing_{i}", "category": one.category, "instance_type": "object"}
    names["7"] = {"instance_name": "Somebody", "category": "human", "instance_type": "human"}
    sides.append(["7", -1, 0, 1, 0, 1, 0, 1])
    places.append(["7", -1, 0, 0, 0, 1, 0, 0, 0])
    bounds = [f"p_local_obj_{axis}{end}[m]" for axis in "xyz" for end in ("min", "max")]
    write_table(folder / "3d_bounding_box.csv", ["object_uid", "timestamp[ns]", *bounds], sides)
    columns = ["t_wo_x[m]", "t_wo_y[m]", "t_wo_z[m]", "q_wo_w", "q_wo_x", "q_wo_y", "q_wo_z"]
    write_table(folder / "scene_objects.csv", ["object_uid", "timestamp[ns]", *columns], places)
    (folder / "instances.json").write_text(json.dumps(names))


def test_boxes_of_aria_digital_twin(tmp_path: Path) -> None:
    write_digital_twin(tmp_path / "in" / "apartment")
    found = recognise(tmp_path / "in")
    assert (found.format, found.others, found.found["boxes"]) == ("aria", (), "6 of 6 objects")
    assert found.notes == ("it has no VRS file, and so no pictures",)
    scene, _ = read_all("aria", tmp_path / "in")
    assert scene.id == "aria/apartment"
    for true in small_world().wanted:
        assert min(same_box(one.box, true.box) for one in scene.objects if one.category == true.category) < 1e-6
    (moving,) = [one for one in scene.objects if one.track]
    assert [one.seconds for one in moving.track] == [1.0, 1.5]
    assert np.subtract(moving.track[1].center, moving.track[0].center) == pytest.approx((0, 0, 0.4), abs=1e-9)


@pytest.mark.parametrize("name", ["semidense_points.csv.gz", "global_points.csv.gz"])
def test_points_of_mps(tmp_path: Path, name: str) -> None:
    place = tmp_path / "walk" / "mps_walk_vrs" / "slam"
    write_trajectory(place / "closed_loop_trajectory.csv")
    points = points_of(small_world())[:5000]
    write_points(place / name, points)
    found = get("aria").read(get("aria").find(tmp_path)[0])
    assert found.surface is not None
    assert found.surface.points == pytest.approx(np.delete(points, np.s_[::5], axis=0))
    assert found.notes[1] == "1,000 points of 5,000 left out as uncertain"
    assert np.ptp(found.surface.points, axis=0).max() <= max(ROOM) + 0.1


def test_takes_of_ego_exo4d_are_not_its_own(tmp_path: Path) -> None:
    write_trajectory(tmp_path / "take" / "trajectory" / "closed_loop_trajectory.csv")
    (tmp_path / "take" / "trajectory" / "gopro_calibs.csv").write_text("cam_uid\n")
    with pytest.raises(InputError, match=r"holds no closed_loop_trajectory\.csv or aria_trajectory\.csv"):
        get("aria").find(tmp_path)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("aria_trajectory.csv", "-9.81", "-9.81e9x", "row 1, field 'gravity_y_world': is no finite number"),
        ("aria_trajectory.csv", ",0,-9.81,0,", ",5,-5,5,", "row 1: has the gravity [5.0, -5.0, 5.0], which is along no axis"),
        ("aria_trajectory.csv", "gravity_x_world", "gx", "has no column gravity_x_world"),
        ("scene_objects.csv", "q_wo_w", "q", "has no column q_wo_w"),
        ("scene_objects.csv", ",1500000000,", ",soon,", "row 3, field 'timestamp[ns]': is no finite number"),
        ("3d_bounding_box.csv", "7,-1,0,1", "7,-1,nan,1", "row 7, field 'p_local_obj_xmin[m]': is no finite number"),
        ("instances.json", "{", "[", "is no JSON"),
    ],
)  # fmt: skip
def test_broken_files_name_the_row(tmp_path: Path, file: str, old: str, new: str, said: str) -> None:
    write_digital_twin(tmp_path / "in")
    path = tmp_path / "in" / file
    path.write_text(path.read_text().replace(old, new, 1 if file == "instances.json" else -1))
    assert f"{file}, {said}" in refused("aria", tmp_path / "in", tmp_path / "out").replace(f"{file}: ", f"{file}, ")


def test_a_broken_recording_or_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_digital_twin(tmp_path / "in")
    (tmp_path / "in" / "video.vrs").write_bytes(b"VisionRe" * 9)
    source = get("aria").find(tmp_path)[0]
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "projectaria_tools.core", None)
        with pytest.raises(MissingExtraError, match="projectaria-tools"):
            get("aria").read(source)
    pytest.importorskip("projectaria_tools", reason="projectaria-tools is no dependency")
    with pytest.raises(InputError, match=r"video\.vrs: is no readable VRS file"):
        get("aria").read(source)


PRISM = (0.031, -0.0052, 0.0021, -0.0004, 0.0002, -0.0001, 0.0011, -0.0007, 0.0003, -0.00005, -0.0002, 0.00004)
PIXELS = {
    (0.3, -0.2, 1.5): ((438.58662241939, 159.21465949819), (438.58662241939, 160.526714260515)),
    (-0.9, 0.6, 1.2): ((-50.214782096707, 490.524777042166), (-50.214782096707, 486.405518402131)),
    (0.05, 0.4, 2.0): ((335.34968771379, 359.735193369616), (335.34968771379, 357.760026265196)),
}
"""Points and their pixels by pycolmap 4.2 with two focal lengths, and by projectaria-tools 2.3 with one."""


def prism_lens(fy: float, shift: float = 0.0) -> Lens:
    return lens_of("RAD_TAN_THIN_PRISM_FISHEYE", (600, fy, 320.5 + shift, 239.25 + shift, *PRISM))


@pytest.mark.parametrize(("number", "fy"), [(0, 610.0), (1, 600.0)])
def test_the_lens_agrees_with_colmap_and_aria(number: int, fy: float) -> None:
    for (x, y, z), pixels in PIXELS.items():
        assert prism_lens(fy).distorted(np.array([x / z, y / z])) == pytest.approx(pixels[number], abs=1e-9)


def test_the_lens_agrees_with_the_library() -> None:
    calibration = pytest.importorskip("projectaria_tools.core.calibration", reason="projectaria-tools is no dependency")
    parameters = np.array([600, 320.5, 239.25, *PRISM])
    theirs = calibration.CameraProjection(calibration.CameraModelType.FISHEYE624, parameters)
    rng = np.random.default_rng(0)
    for x, y in rng.uniform(-1.2, 1.2, (50, 2)):
        assert prism_lens(600, 0.5).distorted(np.array([x, y])) - 0.5 == pytest.approx(theirs.project([x, y, 1.0]))


def test_colmap_models_with_this_lens_are_read(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    from ingest.posed_writers import write_colmap
    from ingest.test_posed_pictures import plain

    fx, fy, cx, cy = small_world().intrinsics
    lens = (fx, fy, cx, cy, *PRISM)
    write_colmap(tmp_path / "in" / "flat", plain(drawn)[:4], "RAD_TAN_THIN_PRISM_FISHEYE", lens, binary=False)
    _, capture, _ = made("colmap", tmp_path / "in", tmp_path / "out", scale=1.0, up="-y")
    assert len(capture.times) == 4


def test_a_recording_of_aria_digital_twin() -> None:
    """On projectaria_tools' test data: boxes seen through the lens lie on the rectangles that its owners rendered."""
    pytest.importorskip("projectaria_tools", reason="projectaria-tools is no dependency")
    folder = SHARED / "data" / "aria-digital-twin"
    if not (folder / "video.vrs").is_file():
        pytest.skip(f"no test data of projectaria_tools at {folder}")
    found = get("aria").read(get("aria").find(folder)[0])
    (recording,) = found.recordings
    assert (recording.size, recording.turns, len(recording.times), found.up) == ((1408, 1408), 1, 3, "y")
    assert recording.pictures is not None
    assert [one.shape for one in recording.pictures([0, 2])] == [(1408, 1408, 3)] * 2
    inverse, (lens, *_), boxes = (
        np.linalg.inv(recording.poses[0]),
        recording.lenses,
        {one.id: one.box for one in found.instances},
    )
    off = []
    with (folder / "2d_bounding_box.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["stream_id"] == "214-1"]
    first = min(row["timestamp[ns]"] for row in rows)
    for row in rows:
        box = boxes.get(row["object_uid"])
        if box is None or row["timestamp[ns]"] != first or float(row["visibility_ratio[%]"]) < 0.95:
            continue
        seen = corners(box) @ inverse[:3, :3].T + inverse[:3, 3]
        if (seen[:, 2] > 0.1).all():
            pixels = lens.distorted(seen[:, :2] / seen[:, 2:])
            sides = [float(row[f"{axis}_{end}[pixel]"]) for end in ("min", "max") for axis in "xy"]
            off.append(np.linalg.norm((pixels.min(0) + pixels.max(0)) / 2 - np.add(sides[:2], sides[2:]) / 2))
    assert len(off) > 30
    assert np.median(off) < 5


def test_the_lens_over_time_is_scaled_to_the_pictures(tmp_path: Path) -> None:
    pytest.importorskip("projectaria_tools", reason="projectaria-tools is no dependency")
    folder = SHARED / "data" / "aria-digital-twin"
    if not (folder / "video.vrs").is_file():
        pytest.skip(f"no test data of projectaria_tools at {folder}")
    for name in ("video.vrs", "aria_trajectory.csv"):
        (tmp_path / name).symlink_to(folder / name)
    camera = {
        "Label": "camera-rgb", "SerialNumber": "1", "Calibrated": True,
        "Projection": {"Name": "FisheyeRadTanThinPrism", "Params": [1220, 1461, 1447, *PRISM]},
        "T_Device_Camera": {"Translation": [0.1, 0.2, 0.3], "UnitQuaternion": [1, [0, 0, 0]]},
    }  # fmt: skip
    row = {
        "utc_timestamp_ns": 0,
        "tracking_timestamp_us": 87551170813,
        "ImuCalibrations": [],
        "CameraCalibrations": [camera],
    }
    (tmp_path / "online_calibration.jsonl").write_text(json.dumps(row) + "\n")
    (recording,) = get("aria").read(get("aria").find(tmp_path)[0]).recordings
    # Half of 2880 pixels, less 16 at each side; and the first pixel's middle is at a half.
    assert recording.lenses[0].intrinsics == pytest.approx((610, 610, (1461.5 - 32) / 2, (1447.5 - 32) / 2))
    assert recording.lenses[0].prism == PRISM[8:]
