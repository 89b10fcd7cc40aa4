"""COLMAP models and transforms.json: the truth of a simulated room comes back through files of another's making."""

import contextlib
import dataclasses
import json
import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ingest.generic_writer import write_generic
from ingest.pipeline import edit_json, hide_behind_link, made, refused
from ingest.posed_writers import frames_through_lens, through_lens, write_colmap, write_nerfstudio, write_walk
from ingest.results import collection
from ingest.worlds import SIZE, same_box, small_world
from tolman.errors import InputError, UsageError
from tolman.generate.draft_items import item_of
from tolman.generate.family import Draft, Shot
from tolman.generate.presets import drafts, preset
from tolman.geometry.camera_geometry import Lens, lens_of
from tolman.ground_truth.question_families import recompute
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.ingest.build import ScansConfig, ingest
from tolman.ingest.formats import get
from tolman.ingest.formats.posed_pictures import _lens
from tolman.ingest.readers.colmap_model import read_cameras, read_images, read_points
from tolman.ingest.scan_format import RawScene, ScanHints
from tolman.items import Media
from tolman.media.video import read_frames, read_index
from tolman.scenes import Capture, Clock

pytest.importorskip("plyfile", reason="scans need the extra 'build'")
av = pytest.importorskip("av", reason="scans need the extra 'build'")

FX, FY, CX, CY = small_world().intrinsics
LENSES: dict[str, tuple[float, ...]] = {
    "SIMPLE_RADIAL": (FX, CX, CY, -0.12),
    "RADIAL": (FX, CX, CY, -0.12, 0.02),
    "OPENCV": (FX, FY, CX, CY, -0.12, 0.02, 0.003, -0.002),
    "OPENCV_FISHEYE": (FX, FY, CX, CY, -0.03, 0.01, -0.004, 0.001),
}
OTHERS: dict[str, tuple[float, ...]] = {
    "FULL_OPENCV": (FX, FY, CX, CY, -0.1, 0.02, 0.003, -0.002, 0.01, 0.05, 0.01, 0.002),
    "SIMPLE_RADIAL_FISHEYE": (FX, CX, CY, -0.03),
    "RADIAL_FISHEYE": (FX, CX, CY, -0.03, 0.01),
    "SIMPLE_FISHEYE": (FX, CX, CY),
    "FISHEYE": (FX, FY, CX, CY),
}
PINHOLES: dict[str, tuple[float, ...]] = {"SIMPLE_PINHOLE": (FX, CX, CY), "PINHOLE": (FX, FY, CX, CY)}
PICTURE = Media(kind="image", path="p.jpg")
UNIT = 1.7
"""Metres of one unit of the models."""


def shown(out: Path, capture: Capture) -> list[np.ndarray]:
    """The pictures of a capture's video."""
    path = out / str(capture.media)
    index = read_index(path)
    return [np.asarray(image, dtype=np.float64) for _, image in read_frames(path, index, range(len(index.times)))]


def apart(some: Sequence[np.ndarray], others: Sequence[np.ndarray]) -> float:
    """The mean difference of pictures, of 255."""
    return float(np.mean([np.abs(a.astype(float) - b) for a, b in zip(some, others, strict=True)]))


def plain(drawn: tuple) -> list[np.ndarray]:  # type: ignore[type-arg]
    return [frame.colour for frame in drawn]


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("model", PINHOLES)
def test_colmap_gives_poses_back(tmp_path: Path, drawn: tuple, model: str, binary: bool) -> None:  # type: ignore[type-arg]
    write_colmap(tmp_path / "in" / "flat", plain(drawn), model, PINHOLES[model], unit=UNIT, binary=binary)
    scene, capture, _ = made("colmap", tmp_path / "in", tmp_path / "out", scale=UNIT, up="-y")
    assert (scene.id, scene.metric) == ("colmap/flat", True)
    assert len(capture.times) == len(drawn)
    assert capture.clock == Clock(method="untimed")
    for i, pose in enumerate(small_world().poses):
        assert np.abs(capture.pose(i) - pose).max() < 1e-6
    scale = capture.size[0] / SIZE[0]
    assert np.allclose(capture.intrinsics[0], np.array(small_world().intrinsics) * scale)


@pytest.mark.full
@pytest.mark.parametrize("model", LENSES)
def test_lenses_are_taken_out(tmp_path: Path, drawn: tuple, model: str) -> None:  # type: ignore[type-arg]
    lens = LENSES[model]
    coefficients = lens[4:] if "OPENCV" in model else (*lens[3:], *(0.0,) * (5 - len(lens)), 0.0, 0.0)
    write_colmap(tmp_path / "bent" / "flat", through_lens(model, coefficients), model, lens, unit=UNIT)
    write_colmap(tmp_path / "straight" / "flat", plain(drawn), "PINHOLE", PINHOLES["PINHOLE"], unit=UNIT)
    bent, straight = (made("colmap", tmp_path / n, tmp_path / f"{n}-out", up="-y")[1] for n in ("bent", "straight"))
    assert bent.intrinsics == straight.intrinsics
    assert bent.poses == straight.poses
    off = apart(shown(tmp_path / "bent-out", bent), shown(tmp_path / "straight-out", straight))
    raw = through_lens(model, coefficients)
    assert off < 3.0
    # The test can fail: the lens's own pictures are farther off.
    assert apart(raw, plain(drawn)) > 2 * off


def test_a_pose_far_from_all_others_is_lost(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_colmap(tmp_path / "in" / "flat", plain(drawn), "PINHOLE", PINHOLES["PINHOLE"], binary=False)
    (path,) = (tmp_path / "in").rglob("images.txt")
    lines = path.read_text().splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("3 "))
    words = lines[place].split()
    words[5] = "9999"
    lines[place] = " ".join(words)
    path.write_text("\n".join(lines) + "\n")
    _, capture, row = made("colmap", tmp_path / "in", tmp_path / "out", scale=1.0, up="-y")
    assert sum(not np.isfinite(capture.pose(i)).all() for i in range(len(capture.times))) == 1
    assert any("1 of" in said and "far from all others" in said for said in row.repaired)


def test_without_hints_it_is_levelled_and_has_no_metres(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_colmap(tmp_path / "in" / "flat", plain(drawn), "PINHOLE", PINHOLES["PINHOLE"], unit=UNIT)
    scene, capture, row = made("colmap", tmp_path / "in", tmp_path / "out")
    assert not scene.metric
    notes = " ".join(row.notes)
    assert "levelled by its cameras" in notes
    assert "its scale is unknown" in notes
    for i, pose in enumerate(small_world().poses):
        # The room's cameras roll by 6°, so that their axis is 6° off.
        assert capture.pose(i)[2, :3] @ pose[2, :3] > np.cos(np.radians(7))


def test_a_hint_makes_another_scene(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_colmap(tmp_path / "in" / "flat", plain(drawn)[:4], "PINHOLE", PINHOLES["PINHOLE"])
    made("colmap", tmp_path / "in", tmp_path / "out", up="-y")
    scene, _, _ = made("colmap", tmp_path / "in", tmp_path / "out", up="-y", scale=1.0)
    assert scene.metric
    with pytest.raises(UsageError, match="--scale is for formats whose files don't hold it"):
        ingest(ScansConfig("generic", tmp_path / "in", hints=ScanHints(scale=2.0)), tmp_path / "other", 1)


def test_cameras_that_hardly_turn_need_up(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_colmap(tmp_path / "in" / "flat", plain(drawn)[:2], "PINHOLE", PINHOLES["PINHOLE"])
    assert "its up isn't known" in refused("colmap", tmp_path / "in", tmp_path / "out")


def read(format: str, path: Path, **hints: Any) -> RawScene:
    """The only scene of a folder as its reader gives it, z up."""
    (source,) = get(format).find(path)
    return get(format).read(replace(source, hints=ScanHints(**{"scale": 1.0, "up": "z", **hints})))


@pytest.mark.parametrize(
    ("names", "seconds"),
    [
        ([f"frame_{i:05d}.png" for i in (0, 1, 2, 9, 10)], (0, 0.5, 1, 4.5, 5)),
        ([f"a2/{i}.png" for i in (100, 110, 120, 150)], (0, 0.5, 1, 2.5)),
        (["7.png"], (0,)),
    ],
)
def test_pictures_without_poses_leave_gaps(tmp_path: Path, names: list[str], seconds: tuple[float, ...]) -> None:
    write_walk(tmp_path / "walk", names)
    (found,) = read("colmap", tmp_path, rate=2.0).recordings
    assert found.clock is None
    assert found.times.tolist() == list(seconds)


@pytest.mark.parametrize("names", [["a.png", "b.png"], ["1_cam0.png", "2_cam0.png"]])
def test_names_without_rising_numbers_give_no_times(tmp_path: Path, names: list[str]) -> None:
    write_walk(tmp_path / "walk", names)
    scene = read("colmap", tmp_path, rate=2.0)
    assert scene.recordings[0].clock == Clock(method="untimed")
    assert any("--rate is not used for camera" in note for note in scene.notes)


@pytest.mark.parametrize(
    ("cameras", "lengths"),
    [((1, 2, 1, 2, 1, 2), [3, 3]), ((1, 2, 3, 4, 5, 6), [6]), ((1, 1, 1, 1, 1, 2), [6])],
)
def test_cameras_of_one_folder_stay_apart(tmp_path: Path, cameras: tuple[int, ...], lengths: list[int]) -> None:
    write_walk(tmp_path / "rig", [f"{i // 2:04d}_{'lr'[i % 2]}.png" for i in range(6)], cameras)
    found = read("colmap", tmp_path).recordings
    assert [len(one.times) for one in found] == lengths
    if len(found) == 2:
        assert [one.poses[:, 0, 3].tolist() for one in found] == [[0, 2, 4], [1, 3, 5]]
        assert [one.intrinsics[0, 0] for one in found] == [51, 52]


def write_turn(folder: Path, **fields: Any) -> None:
    """A transforms.json of one small grey picture, with these fields."""
    (folder / "images").mkdir(parents=True)
    Image.new("RGB", (64, 48)).save(folder / "images" / "1.png")
    frames = [{"file_path": "images/1.png", "transform_matrix": np.eye(4).tolist()}]
    content = {"cx": 32, "cy": 24, "w": 64, "h": 48, "frames": frames, **fields}
    (folder / "transforms.json").write_text(json.dumps(content))


def lens_read(folder: Path) -> Lens:
    """The lens of the first frame of a transforms.json."""
    path = folder / "transforms.json"
    content = json.loads(path.read_text())
    return _lens(path, content, content["frames"][0], "frames.0", folder / "images" / "1.png")[0]


@pytest.mark.parametrize(
    ("fields", "fisheye"),
    [
        ({"is_fisheye": True}, True),
        ({"is_fisheye": False}, False),
        ({"is_fisheye": True, "camera_model": "OPENCV"}, False),
        ({"camera_model": "OPENCV_FISHEYE"}, True),
    ],
)
def test_instant_ngp_names_a_fisheye(tmp_path: Path, fields: dict[str, Any], fisheye: bool) -> None:
    write_turn(tmp_path / "flat", fl_x=50, **fields)
    assert lens_read(tmp_path / "flat").fisheye == fisheye


@pytest.mark.parametrize(
    ("fields", "lengths"),
    [
        ({"camera_angle_x": np.pi / 2}, (32, 32)),
        ({"camera_angle_x": 1}, (58.576, 58.576)),
        ({"camera_angle_x": np.pi / 2, "camera_angle_y": np.pi / 2}, (32, 24)),
        ({"fl_x": 50, "camera_angle_x": 0}, (50, 50)),
        ({"fl_x": 50, "fl_y": 51, "camera_angle_y": np.pi / 2}, (50, 51)),
    ],
)
def test_angles_serve_without_focal_lengths(
    tmp_path: Path, fields: dict[str, Any], lengths: tuple[float, float]
) -> None:
    write_turn(tmp_path / "flat", **fields)
    assert lens_read(tmp_path / "flat").intrinsics[:2] == pytest.approx(lengths, abs=1e-3)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"camera_angle_x": 0}, "'fl_x' is missing"),
        ({"camera_angle_x": 0.0}, "'fl_x' is missing"),
        ({"camera_angle_x": True}, "'fl_x' is missing"),
        ({"camera_angle_x": 4.0}, "'fl_x' is missing"),
        ({"fl_x": 50, "distortion_params": [float("nan"), 0, 0, 0, 0, 0]}, "field 'distortion_params'"),
        ({"fl_x": 50, "distortion_params": ["0.1", 0, 0, 0, 0, 0]}, "field 'distortion_params'"),
        ({"fl_x": 50, "distortion_params": [[0], 0, 0, 0, 0, 0]}, "field 'distortion_params'"),
    ],
)
def test_bad_lenses_of_transforms(tmp_path: Path, fields: dict[str, Any], said: str) -> None:
    write_turn(tmp_path / "flat", **fields)
    with pytest.raises(InputError, match=said):
        lens_read(tmp_path / "flat")


CAMERAS = bytes.fromhex(
    "010000000000000001000000040000008002000000000000e0010000000000000000000000c08240000000000010834000000000000874400000"
    "000000e86d40b81e85eb51b8bebf9cc420b07268a13f2f6ea301bc05523fc7bab88d06f046bf"
)
IMAGES = bytes.fromhex(
    "020000000000000001000000000000000000e03f000000000000e03f000000000000e03f000000000000e03f000000000000f03f00000000"
    "00000040000000000000084001000000612f6200000000000000000002000000000000000000f03f0000000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000f03f01000000632e6a70670001000000000000000000000000002540"
    "0000000000403440ffffffffffffffff"
)
"""Written by pycolmap 4.2.1."""


def test_bytes_of_pycolmap(tmp_path: Path) -> None:
    (tmp_path / "cameras.bin").write_bytes(CAMERAS)
    (tmp_path / "images.bin").write_bytes(IMAGES)
    (camera,) = read_cameras(tmp_path / "cameras.bin").values()
    assert camera.size == (640, 480)
    assert camera.lens == lens_of("OPENCV", (600, 610, 320.5, 239.25, -0.12, 0.034, 0.0011, -0.0007))
    first, second = read_images(tmp_path / "images.bin")
    assert (first.name, second.name) == ("a/b", "c.jpg")
    # The quaternion (½, ½, ½, ½) turns x to y, y to z and z to x; the centre is −Rᵀt.
    assert np.allclose(first.pose, [[0, 1, 0, -2], [0, 0, 1, -3], [1, 0, 0, -1], [0, 0, 0, 1]])
    assert np.allclose(second.pose[:3, 3], (0, 0, -1))


def test_text_names_with_blanks_and_lines_without_points(tmp_path: Path) -> None:
    path = tmp_path / "images.txt"
    path.write_text("# c\n1 1 0 0 0 0 0 0 1 a b.jpg\n\n2 1 0 0 0 0 0 1 1 c.jpg\n1 2 -1 3 4 7 \n3 1 0 0 0 0 0 2 1 d.jpg")
    assert [one.name for one in read_images(path)] == ["a b.jpg", "c.jpg", "d.jpg"]
    path.write_text("1 1 0 0 0 0 0 0 1 a.jpg\n2 1 0 0 0 0 0 1 1 c.jpg\n")
    assert [one.name for one in read_images(path)] == ["a.jpg", "c.jpg"]


@pytest.mark.parametrize("end", [7, 20, 95])
def test_cut_off_binary(tmp_path: Path, end: int) -> None:
    (tmp_path / "cameras.bin").write_bytes(CAMERAS[:end])
    with pytest.raises(InputError, match=r"cameras.bin: (ends at byte|says that it holds)"):
        read_cameras(tmp_path / "cameras.bin")


def test_counts_that_do_not_fit(tmp_path: Path) -> None:
    for name, read in (("cameras.bin", read_cameras), ("images.bin", read_images), ("points3D.bin", read_points)):
        (tmp_path / name).write_bytes(struct.pack("<Q", 2**60) + bytes(100))
        with pytest.raises(InputError, match="more than fit into it"):
            read(tmp_path / name)


def test_unknown_models_are_named(tmp_path: Path) -> None:
    (tmp_path / "cameras.txt").write_text("1 FOV 640 480 500 500 320 240 0.9\n")
    with pytest.raises(InputError, match=r"row 1: has the camera model FOV, .*image_undistorter"):
        read_cameras(tmp_path / "cameras.txt")
    (tmp_path / "cameras.bin").write_bytes(struct.pack("<QIiQQ", 1, 1, 17, 640, 480) + bytes(16))
    with pytest.raises(InputError, match="has the model 17"):
        read_cameras(tmp_path / "cameras.bin")
    (tmp_path / "cameras.txt").write_text("1 PINHOLE 640 480 500 500 320\n")
    with pytest.raises(InputError, match="row 1: its camera model PINHOLE takes 4 parameters, not 3"):
        read_cameras(tmp_path / "cameras.txt")


def test_bad_colmap_input_in_one_sentence(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    folder = tmp_path / "in" / "flat"
    write_colmap(folder, plain(drawn), "PINHOLE", PINHOLES["PINHOLE"], binary=False)
    images = folder / "sparse" / "0" / "images.txt"
    good = images.read_text()
    images.write_text(good.replace(" 7 3.jpg", " 7 three.jpg"))
    assert refused("colmap", tmp_path / "in", tmp_path / "o1").endswith("images/three.jpg: is missing.")
    images.write_text(good.replace(" 7 3.jpg", " 7 ../3.jpg"))
    assert "names the picture '../3.jpg', which is outside" in refused("colmap", tmp_path / "in", tmp_path / "o2")
    lines = good.splitlines()
    row = next(i for i, line in enumerate(lines) if line.endswith(" 7 3.jpg"))
    lines[row] = " ".join(["4", "nan", *lines[row].split()[2:]])
    images.write_text("\n".join(lines))
    assert "the pose of '3.jpg' holds a number that isn't finite" in refused("colmap", tmp_path / "in", tmp_path / "o3")
    hide_behind_link(images, tmp_path / "secret")
    said = refused("colmap", tmp_path / "in", tmp_path / "o4")
    assert "images.txt: leads outside its scan's folder" in said
    assert "hunter2" not in said


def test_no_model_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no COLMAP model: no folder with cameras and images"):
        get("colmap").find(tmp_path)
    with pytest.raises(InputError, match=r"holds no transforms.json"):
        get("nerfstudio").find(tmp_path)


def test_several_models_of_one_project(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_colmap(tmp_path / "flat", plain(drawn)[:3], "PINHOLE", PINHOLES["PINHOLE"])
    (tmp_path / "flat" / "sparse" / "1").mkdir()
    for name in ("cameras.bin", "images.bin"):
        (tmp_path / "flat" / "sparse" / "1" / name).write_bytes(
            (tmp_path / "flat" / "sparse" / "0" / name).read_bytes()
        )
    assert [one.id for one in get("colmap").find(tmp_path / "flat")] == ["colmap/flat_0", "colmap/flat_1"]
    assert [one.id for one in get("colmap").find(tmp_path / "flat" / "sparse" / "1")] == ["colmap/flat"]


def test_nerfstudio_gives_poses_back(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    applied = [[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0]]
    write_nerfstudio(tmp_path / "flat", plain(drawn), unit=UNIT, applied_transform=applied)
    scene, capture, _ = made("nerfstudio", tmp_path / "flat", tmp_path / "out", scale=UNIT, up="z", rate=10.0)
    assert (scene.id, scene.metric, capture.clock) == ("nerfstudio/flat", True, None)
    times = np.array(capture.times)
    for i, pose in enumerate(small_world().poses):
        frame = int(np.abs(times - i / 10).argmin())
        assert np.abs(capture.pose(frame) - pose).max() < 1e-6


def test_nerfstudio_fisheye(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    own = LENSES["OPENCV_FISHEYE"][4:]
    named = dict(zip(("k1", "k2", "k3", "k4"), own, strict=True))
    write_nerfstudio(
        tmp_path / "bent" / "flat", through_lens("OPENCV_FISHEYE", own), camera_model="OPENCV_FISHEYE", **named
    )
    write_nerfstudio(tmp_path / "straight" / "flat", plain(drawn))
    bent, straight = (made("nerfstudio", tmp_path / n, tmp_path / f"{n}-out", up="z")[1] for n in ("bent", "straight"))
    off = apart(shown(tmp_path / "bent-out", bent), shown(tmp_path / "straight-out", straight))
    assert bent.intrinsics == straight.intrinsics
    assert off < 3.0


@pytest.mark.parametrize("value", [None, "x", [], {}, 1e300, float("inf"), True, pytest.param(10**400, id="long")])
@pytest.mark.parametrize("field", ["transform_matrix", "file_path", "depth_file_path", "fl_x", "w", "k1"])
def test_any_value_of_a_frame_is_refused_or_read(tmp_path: Path, drawn: tuple, field: str, value: Any) -> None:  # type: ignore[type-arg]
    write_nerfstudio(tmp_path / "flat", plain(drawn)[:1])
    edit_json(
        tmp_path / "flat" / "transforms.json",
        lambda content: (content if field in ("fl_x", "w") else content["frames"][0]).update({field: value}),
    )
    with contextlib.suppress(InputError):
        source = replace(get("nerfstudio").find(tmp_path / "flat")[0], hints=ScanHints(1.0, "z"))
        get("nerfstudio").read(source)


def test_depth_needs_a_scale(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_nerfstudio(tmp_path / "flat", plain(drawn), unit=UNIT)
    path = tmp_path / "flat" / "transforms.json"
    content = json.loads(path.read_text())
    (tmp_path / "flat" / "depth").mkdir()
    for frame in content["frames"]:
        number = int(Path(frame["file_path"]).stem.removeprefix("frame_"))
        values = np.round(drawn[number].depth / UNIT * 1000).astype(np.uint16)
        Image.fromarray(values).save(tmp_path / "flat" / "depth" / f"{number}.png")
        frame["depth_file_path"] = f"depth/{number}.png"
    path.write_text(json.dumps(content))
    (source,) = get("nerfstudio").find(tmp_path / "flat")
    (known,) = get("nerfstudio").read(replace(source, hints=ScanHints(UNIT, "z"))).recordings
    assert known.depths is not None
    assert np.abs(known.depths(3) - drawn[3].depth).max() < 2e-3
    (unknown,) = get("nerfstudio").read(replace(source, hints=ScanHints(None, "z"))).recordings
    assert unknown.depths is None
    # Depth and poses agree.
    _, _, row = made("nerfstudio", tmp_path / "flat", tmp_path / "out", scale=UNIT, up="z")
    assert not [note for note in row.notes if "agree" in note]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"camera_model": "EQUIRECTANGULAR"}, "field 'camera_model': has the camera model EQUIRECTANGULAR"),
        (
            {"applied_transform": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0]]},
            "field 'applied_transform': is no rotation",
        ),
        ({"fl_x": None}, "'fl_x' is missing, or no finite number"),
        ({"frames": []}, "field 'frames': takes a list of objects"),
        ({"distortion_params": [1, 2]}, "field 'distortion_params'"),
    ],
)
def test_bad_transforms(tmp_path: Path, drawn: tuple, change: dict[str, Any], said: str) -> None:  # type: ignore[type-arg]
    write_nerfstudio(tmp_path / "flat", plain(drawn)[:3], **change)
    assert said in refused("nerfstudio", tmp_path / "flat", tmp_path / "out", up="z")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        (
            "transform_matrix",
            np.nan,
            "field 'frames.1.transform_matrix': its row 1, column 4 is nan, which isn't finite",
        ),
        ("file_path", "../x.jpg", "field 'frames.1.file_path': names '../x.jpg', which is outside its folder"),
    ],
)
def test_bad_frames(tmp_path: Path, drawn: tuple, field: str, value: Any, said: str) -> None:  # type: ignore[type-arg]
    write_nerfstudio(tmp_path / "flat", plain(drawn)[:3])

    def change(content: Any) -> None:
        if field == "transform_matrix":
            content["frames"][1][field][0][3] = value
        else:
            content["frames"][1][field] = value

    edit_json(tmp_path / "flat" / "transforms.json", change)
    assert said in refused("nerfstudio", tmp_path / "flat", tmp_path / "out", up="z")


def test_frames_without_a_picture_are_left_out(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_nerfstudio(tmp_path / "flat", plain(drawn))
    pictures = sorted((tmp_path / "flat").rglob("*.jpg"))
    for path in pictures[:5]:
        path.unlink()
    (source,) = get("nerfstudio").find(tmp_path / "flat")
    scene = get("nerfstudio").read(replace(source, hints=ScanHints(up="z")))
    assert len(scene.recordings[0].times) == len(pictures) - 5
    assert f"5 of {len(pictures)} frames have no picture and are left out" in scene.notes
    for path in pictures[5:10]:
        path.unlink()
    assert "is missing" in refused("nerfstudio", tmp_path / "flat", tmp_path / "out", up="z")


@pytest.mark.parametrize("masks", [False, True])
def test_a_home_through_a_fisheye_gives_the_same_questions(tmp_path: Path, drawn: tuple, masks: bool) -> None:  # type: ignore[type-arg]
    lens = LENSES["OPENCV_FISHEYE"]
    write_generic(tmp_path / "straight" / "flat", small_world(), drawn, masks=masks, depth=True)
    bent_frames = frames_through_lens("OPENCV_FISHEYE", lens[4:])
    content = write_generic(tmp_path / "bent" / "flat", small_world(), bent_frames, masks=masks, depth=True)
    (camera,) = content["cameras"]
    del camera["intrinsics"]
    camera["lens"] = {"model": "OPENCV_FISHEYE", "parameters": lens}
    (tmp_path / "bent" / "flat" / "scene.json").write_text(json.dumps(content))
    asked = []
    captures = []
    for name in ("straight", "bent"):
        scene, capture, row = made("generic", tmp_path / name, tmp_path / f"{name}-out")
        assert row.notes == ()  # depth and masks agree with the mesh
        found = [one for one in drafts(SceneGeometry(scene, [capture]), preset("all")) if isinstance(one, Draft)]
        asked.append([(d.task, d.question, d.answer, d.options, d.shots) for d in (one.finished() for one in found)])
        captures.append(capture)
    assert captures[0].intrinsics == captures[1].intrinsics
    if not masks:
        assert len(asked[0]) > 20
        assert asked[0] == asked[1]
    seen = [{(s.frame, s.object): s.pixels for s in capture.sightings} for capture in captures]
    area = SIZE[0] * SIZE[1]
    assert max(abs(seen[0].get(key, 0) - seen[1].get(key, 0)) for key in seen[0] | seen[1]) < 0.01 * area


def test_added_boxes(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_nerfstudio(tmp_path / "flat", plain(drawn)[:3], unit=UNIT)
    table = small_world().objects[0]
    box = {
        "center": (np.array(table.box.center) / UNIT).tolist(),
        "extents": (np.array(table.box.extents) / UNIT).tolist(),
    }
    entry = {"id": "t", "label": "table", "box": {**box, "axes": np.array(table.box.axes).tolist()}}
    (tmp_path / "flat" / "objects.json").write_text(json.dumps([entry]))
    scene, _, _ = made("nerfstudio", tmp_path / "flat", tmp_path / "out", up="z", scale=UNIT)
    assert np.allclose(scene.objects[0].box.center, table.box.center)
    assert np.allclose(scene.objects[0].box.extents, table.box.extents)


@pytest.mark.full
def test_a_simulated_home_through_transforms_json(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    """A home of `tolman simulate` comes back: poses, boxes, and the questions that poses alone give."""
    import tolman

    tolman.simulate(tmp_path / "home", scenes=1, seconds=8, rate=5, size="320x240", workers=1)
    (home,) = collection(tmp_path / "home").values()
    camera = next(one for one in home.captures if one.sensor == "camera")
    folder = tmp_path / "in" / "flat"
    (folder / "images").mkdir(parents=True)
    frames = []
    for i, picture in enumerate(shown(tmp_path / "home", camera)):
        Image.fromarray(picture.astype(np.uint8)).save(folder / "images" / f"{i}.png")
        pose = camera.pose(i) @ np.diag([1.0, -1.0, -1.0, 1.0])
        pose[:3, 3] /= UNIT
        frames.append({"file_path": f"images/{i}.png", "transform_matrix": pose.tolist()})
    fx, fy, cx, cy = camera.intrinsics[0]
    (folder / "transforms.json").write_text(json.dumps({"fl_x": fx, "fl_y": fy, "cx": cx, "cy": cy, "frames": frames}))
    boxes = []
    for one in home.scene.objects:
        box = {"center": (np.array(one.box.center) / UNIT).tolist(), "axes": one.box.axes}
        extents = (np.array(one.box.extents) / UNIT).tolist()
        boxes.append({"id": one.id, "label": one.category, "box": {**box, "extents": extents}})
    (folder / "objects.json").write_text(json.dumps(boxes))
    scene, capture, _ = made("nerfstudio", tmp_path / "in", tmp_path / "out", scale=UNIT, up="z", rate=5.0)
    times = np.array(capture.times)
    at = [int(np.abs(times - i / 5).argmin()) for i in range(len(frames))]
    assert max(np.abs(capture.pose(at[i]) - camera.pose(i)).max() for i in range(len(frames))) < 1e-6
    assert {one.id for one in scene.objects} == {one.id for one in home.scene.objects}
    truth = {one.id: one.box for one in home.scene.objects}
    assert max(same_box(one.box, truth[one.id]) for one in scene.objects) < 1e-6
    # The same clips have the same answers.
    geometry = SceneGeometry(scene, [capture])
    asked = [
        one for one in drafts(SceneGeometry(home.scene, [camera]), preset("posed-video")) if isinstance(one, Draft)
    ]
    assert len(asked) > 10
    for one in asked:
        shots = tuple(Shot(capture.id, at[s.frame], None if s.until is None else at[s.until]) for s in one.shots)
        item = item_of(dataclasses.replace(one, shots=shots), 0, (PICTURE,) * len(shots), 0)
        item = item.model_copy(update={"labels": {"family": one.labels["family"]}})
        found = recompute(geometry, item, preset("posed-video").settings)
        if one.task == "next_view":
            assert found.place == 0
        elif one.task == "camera_speed":  # its way is measured at other frames
            assert float(str(found.exact).split()[0]) == pytest.approx(float(one.answer.split()[0]), abs=0.03)
        else:
            assert found.released == one.answer


@pytest.mark.interop
def test_models_of_pycolmap(tmp_path: Path) -> None:
    """Random models, as text and binary, give the cameras, poses, names and points that pycolmap has."""
    pycolmap = pytest.importorskip("pycolmap")
    draw = np.random.default_rng(0)
    model = pycolmap.Reconstruction()
    for number, (name, values) in enumerate((LENSES | OTHERS | PINHOLES).items(), start=1):
        model.add_camera_with_trivial_rig(
            pycolmap.Camera(model=name, width=SIZE[0], height=SIZE[1], params=list(values), camera_id=number)
        )
        turn = draw.normal(size=4)
        pose = pycolmap.Rigid3d(pycolmap.Rotation3d(turn / np.linalg.norm(turn)), draw.normal(size=3))
        image = pycolmap.Image(name=f"{number}.jpg", camera_id=number, image_id=number)
        model.add_image_with_trivial_frame(image, pose)
    for _ in range(9):
        model.add_point3D(draw.normal(size=3), pycolmap.Track(), np.zeros(3, dtype=np.uint8))
    for end, write in ((".bin", model.write_binary), (".txt", model.write_text)):
        folder = tmp_path / end
        folder.mkdir()
        write(str(folder))
        cameras = read_cameras(folder / f"cameras{end}")
        for one in read_images(folder / f"images{end}"):
            true = next(image for image in model.images.values() if image.name == one.name)
            pose = true.cam_from_world().inverse().matrix()
            assert np.abs(one.pose[:3] - pose).max() < 1e-12
            camera = model.cameras[one.camera]
            rays = draw.uniform(-0.5, 0.5, (50, 2))
            seen = camera.img_from_cam(np.column_stack([rays, np.ones(50)]))
            assert np.abs(cameras[one.camera].lens.distorted(rays) - seen).max() < 1e-9
        points = read_points(folder / f"points3D{end}")
        assert np.allclose(np.sort(points, 0), np.sort([p.xyz for p in model.points3D.values()], 0))
