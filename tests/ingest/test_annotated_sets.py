"""Data sets with annotations: the truth of a simulated room comes back from their files."""

import codecs
import json
import os
import pickle
import re
import tarfile
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation

from ingest.pipeline import hold, made, refused
from ingest.results import box_error
from ingest.test_cloud import read_all
from ingest.worlds import SIZE, SmallWorld, small_world, transform
from tolman.errors import InputError
from tolman.ingest.formats import get, recognise
from tolman.simulate.render import Frame

pytest.importorskip("plyfile", reason="scans need the extra 'build'")
pytest.importorskip("av", reason="scans need the extra 'build'")
ALIGN = transform(z=25.0, shift=(0.4, -0.3, 0.1))
"""From a scan's own frame to that of its annotations."""


def write_frames(
    place: Path, pictures: Sequence[Frame], poses: np.ndarray, *, suffix: str = "png", step: int = 1
) -> None:
    """Frames as 7-Scenes and 3RScan name them; `step` makes depth pictures smaller."""
    place.mkdir(parents=True, exist_ok=True)
    for i, (picture, pose) in enumerate(zip(pictures, poses, strict=False)):
        name = place / f"frame-{i:06d}"
        Image.fromarray(picture.colour).save(
            f"{name}.color.png" if suffix == "png" else f"{name}.color.jpg", quality=95
        )
        depth = np.round(picture.depth[step // 2 :: step, step // 2 :: step] * 1000).astype(np.uint16)
        if suffix == "png":
            Image.fromarray(np.where(depth == 0, 65535, depth).astype(np.uint16)).save(f"{name}.depth.png")
        else:
            head = f"P5 {depth.shape[1]} {depth.shape[0]} 65535\n".encode()
            Path(f"{name}.depth.pgm").write_bytes(head + depth.astype(">u2").tobytes())
        Path(f"{name}.pose.txt").write_text("\n".join("\t".join(f"{v:.9e}" for v in row) for row in pose) + "\n")


def write_mesh(path: Path, world: SmallWorld, *, of: str, text: bool = False) -> None:
    """A mesh whose vertices or faces have the number of their thing."""
    import plyfile

    kinds = [("x", "f4"), ("y", "f4"), ("z", "f4"), *([("objectId", "u2")] if of == "vertices" else [])]
    vertices = np.zeros(len(world.points), dtype=kinds)
    for axis, column in zip("xyz", world.points.T, strict=True):
        vertices[axis] = column
    kinds = [("vertex_indices", "i4", (3,)), *([("object_id", "i4")] if of == "faces" else [])]
    faces = np.zeros(len(world.faces), dtype=kinds)
    faces["vertex_indices"] = world.faces
    if of == "vertices":
        vertices["objectId"] = world.vertex_numbers
    else:
        faces["object_id"] = world.numbers - 1
    elements = [plyfile.PlyElement.describe(vertices, "vertex"), plyfile.PlyElement.describe(faces, "face")]
    plyfile.PlyData(elements, text=text).write(str(path))


def write_3rscan(folder: Path, pictures: Sequence[Frame]) -> None:
    world = small_world()
    folder.mkdir(parents=True)
    groups = [
        {"id": i, "objectId": i + 1, "label": one.category, "segments": [i], "obb": {
            "centroid": one.box.center, "axesLengths": one.box.extents,
            "normalizedAxes": np.ravel(one.box.axes).tolist(),
        }}
        for i, one in enumerate(world.objects)
    ]  # fmt: skip
    (folder / "semseg.v2.json").write_text(json.dumps({"segGroups": groups}))
    write_mesh(folder / "labels.instances.annotated.v2.ply", world, of="vertices", text=True)
    write_frames(folder / "sequence", pictures, world.poses, suffix="pgm", step=2)
    fx, fy, cx, cy = world.intrinsics
    matrices = {"Color": (fx, fy, cx, cy), "Depth": (fx / 2, fy / 2, cx / 2, cy / 2)}
    lines = ["m_versionNumber = 4", f"m_colorWidth = {SIZE[0]}", f"m_colorHeight = {SIZE[1]}"]
    lines += [f"m_depthWidth = {SIZE[0] // 2}", f"m_depthHeight = {SIZE[1] // 2}", "m_depthShift = 1000"]
    for name, (a, b, c, d) in matrices.items():
        lines.append(f"m_calibration{name}Intrinsic = {a} 0 {c} 0 0 {b} {d} 0 0 0 1 0 0 0 0 1 ")
    (folder / "sequence" / "_info.txt").write_text("\n".join(lines) + "\n")


def test_3rscan(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_3rscan(tmp_path / "in" / "4acaebba", drawn)
    found = recognise(tmp_path)
    assert (found.format, found.others, found.found["depth"]) == ("3rscan", (), "there")
    scene, capture, row = made("3rscan", tmp_path / "in", tmp_path / "out")
    assert scene.id == "3rscan/4acaebba"
    assert row.repaired == ()
    hold(small_world(), "3rscan", scene, capture, drawn)
    assert scene.room_area == pytest.approx(small_world().area, rel=0.02)
    scan = tmp_path / "in" / "4acaebba"
    (scan / "sequence" / "frame-000003.pose.txt").write_text("-inf " * 16)
    found = get("3rscan").read(get("3rscan").find(tmp_path)[0])
    assert np.isnan(found.recordings[0].poses[3, :3]).all()
    (scan / "sequence" / "_info.txt").write_text("m_colorWidth = 0")
    assert "_info.txt, field 'm_colorWidth': takes a width and a height" in refused("3rscan", scan, tmp_path / "other")
    (scan / "sequence").rename(scan / "packed")
    assert "unpack sequence.zip" in get("3rscan").read(get("3rscan").find(tmp_path)[0]).notes[0]


def test_7_scenes(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    world = small_world()
    kinect = [
        Frame(np.asarray(Image.fromarray(one.colour).resize((640, 480))), one.depth, one.instances) for one in drawn
    ]
    write_frames(tmp_path / "in" / "office" / "seq-01", kinect, world.moved(transform(x=-90, z=10)).poses)
    found = recognise(tmp_path)
    assert (found.format, found.others, found.found["poses"]) == ("7-scenes", (), "of 16 of 16 frames")
    with pytest.raises(InputError, match=r"holds no scan of ScanNet.*take the format '7-scenes'"):
        get("scannet").find(tmp_path / "in")
    source = get("7-scenes").find(tmp_path)[0]
    assert source.id == "7-scenes/office_seq-01"
    (recording,) = get("7-scenes").read(source).recordings
    assert recording.times.tolist() == pytest.approx((np.arange(16) / 30).tolist())
    assert recording.depths is not None
    assert np.abs(recording.depths(0) - drawn[0].depth).max() < 6e-4  # type: ignore[operator]
    # Levelled by its cameras: distances stay, and heights are those of the room but for some degrees.
    apart = np.linalg.norm(recording.poses[:, None, :3, 3] - recording.poses[None, :, :3, 3], axis=-1)
    true = np.linalg.norm(world.poses[:, None, :3, 3] - world.poses[None, :, :3, 3], axis=-1)
    assert np.abs(apart - true).max() < 1e-6
    assert np.ptp(recording.poses[:, 2, 3]) < 0.4
    (source.path / "frame-000000.pose.txt").write_text("1 0 0")
    with pytest.raises(InputError, match=r"frame-000000\.pose\.txt, field 'pose': takes a pose of 4×4 numbers"):
        get("7-scenes").read(source)


def write_replica(folder: Path) -> None:
    world, objects = small_world(), []
    (folder / "habitat").mkdir(parents=True)
    for i, one in enumerate(world.objects):
        turn = np.array(one.box.axes).T
        shift = np.array([0.3 * i, -1.0, 0.2])
        center = turn.T @ (np.array(one.box.center) - shift)
        pose = {"rotation": Rotation.from_matrix(turn).as_quat().tolist(), "translation": shift.tolist()}
        box = {"abb": {"center": center.tolist(), "sizes": one.box.extents}, "orientation": pose}
        objects.append({"id": i, "class_id": 5, "class_name": one.category, "oriented_bbox": box})
    content = {"classes": [{"id": 5, "name": "any"}], "objects": objects, "gravity_dir": [0.02, 0.0, -1.0]}
    (folder / "habitat" / "info_semantic.json").write_text(json.dumps(content))
    write_mesh(folder / "habitat" / "mesh_semantic.ply", world, of="faces")


def test_replica(tmp_path: Path) -> None:
    write_replica(tmp_path / "in" / "room_0")
    found = recognise(tmp_path)
    assert (found.format, found.others, found.found["boxes"]) == ("replica", (), "7 of 7 objects")
    scene, row = read_all("replica", tmp_path / "in")
    assert (scene.id, row.notes, row.repaired) == ("replica/room_0", (), ())
    assert box_error(scene, small_world()) < 1e-9
    assert scene.counts == small_world().counts
    assert scene.room_area == pytest.approx(small_world().area, rel=0.02)
    path = tmp_path / "in" / "room_0" / "habitat" / "info_semantic.json"
    content = json.loads(path.read_text())
    content["gravity_dir"] = [0.2, 0, -1]
    path.write_text(json.dumps(content))
    assert get("replica").read(get("replica").find(tmp_path)[0]).notes == ("its z axis leans by 11° from gravity",)
    content["objects"][2]["oriented_bbox"]["orientation"]["rotation"] = [0, 0, 0, 2]
    path.write_text(json.dumps(content))
    assert "info_semantic.json, field 'objects.2': a quaternion has the length 2" in refused(
        "replica", tmp_path / "in", tmp_path / "again"
    )


def embodied(pictures: Sequence[Frame], folder: Path, **changes: Any) -> dict[str, Any]:
    """EmbodiedScan's annotations of the room as a scan of ScanNet, and its pictures."""
    world = small_world()
    own = np.linalg.inv(ALIGN)
    place = folder / "scannet" / "posed_images" / "scene0000_00"
    place.mkdir(parents=True)
    images = []
    for i, (picture, pose) in enumerate(zip(pictures, own @ world.poses, strict=False)):
        Image.fromarray(picture.colour).save(place / f"{i * 10:05d}.jpg", quality=95)
        Image.fromarray(np.round(picture.depth * 1000).astype(np.uint16)).save(place / f"{i * 10:05d}.png")
        names = {kind: f"scannet/posed_images/scene0000_00/{i * 10:05d}.{end}" for kind, end in
                 (("img_path", "jpg"), ("depth_path", "png"))}  # fmt: skip
        images.append({**names, "cam2global": pose, "visible_instance_ids": [0, np.int64(2)]})
    labels = {"chair": 9, "table": 7, "wall": 40, "cabinet": 3, "sofa": 12, "stool": 200}
    instances = []
    for i, one in enumerate(world.objects):
        turns = Rotation.from_matrix(np.array(one.box.axes).T).as_euler("ZXY")
        numbers = np.concatenate([one.box.center, one.box.extents, turns])
        instances.append({"bbox_3d": numbers.tolist(), "bbox_label_3d": labels[one.category], "bbox_id": i + 50})
    fx, fy, cx, cy = world.intrinsics
    camera = np.array([[fx, 0, cx, 0], [0, fy, cy, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    scan = {"sample_idx": "scannet/scene0000_00", "images": images, "axis_align_matrix": ALIGN, "cam2img": camera,
            "instances": instances, **changes}  # fmt: skip
    return {"metainfo": {"categories": labels}, "data_list": [scan]}


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_embodiedscan(tmp_path: Path, drawn: tuple, protocol: int) -> None:  # type: ignore[type-arg]
    content = embodied(drawn, tmp_path / "data")
    (tmp_path / "data" / "embodiedscan_infos_val.pkl").write_bytes(pickle.dumps(content, protocol=protocol))
    found = recognise(tmp_path)
    assert (found.format, found.others, found.problem) == ("embodiedscan", (), "")
    scene, capture, row = made("embodiedscan", tmp_path / "data", tmp_path / "out", rate=10.0)
    assert (scene.id, row.repaired) == ("embodiedscan/scannet_scene0000_00", ())
    assert box_error(scene, small_world()) < 1e-9
    assert scene.counts == small_world().counts
    for i, pose in enumerate(small_world().poses):
        frame = int(np.abs(np.array(capture.times) - i / 10).argmin())
        assert np.abs(capture.pose(frame) - pose).max() < 1e-6


def test_embodiedscan_without_pictures_or_angles(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    instances = [{"bbox_3d": np.array([1, 2, 0.5, 2, 1, 0.8], dtype="f4"), "bbox_label_3d": 1}]
    instances.append({"bbox_3d": [1, 2, 0.5, 2, 1, 0.8, 0.3, -0.2, 0.5], "bbox_label_3d": 0})
    content = embodied(drawn[:2], tmp_path / "else", instances=instances)
    content["metainfo"]["categories"] = ["lamp", "box"]
    del content["data_list"][0]["axis_align_matrix"]
    (tmp_path / "embodiedscan_infos_test.pkl").write_bytes(pickle.dumps(content))
    found = get("embodiedscan").read(get("embodiedscan").find(tmp_path)[0])
    assert [one.label for one in found.instances] == ["box", "lamp"]
    # The matrix that pytorch3d and scipy give for these angles.
    box = found.instances[1].box
    assert box is not None
    assert box.axes[0] == pytest.approx((0.866534101318, 0.168350301293, -0.46986894695))
    assert found.notes == (
        "it has no axis alignment: its own axes are kept",
        f"2 pictures of 2 aren't below {tmp_path.name}/, such as scannet/posed_images/scene0000_00/00000.jpg",
    )


EMPTY = (np.zeros(1).__reduce__()[0], np.ndarray, (0,), b"b")
"""How NumPy pickles an array's beginning."""


class _Call:
    """Pickles as a call."""

    def __init__(self, function: Callable[..., Any], *arguments: Any, state: object = None) -> None:
        self._said = (function, arguments, state)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...], object]:
        return self._said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (_Call(os.mkdir, "made"), r"holds 'posix\.mkdir', which isn't read from a pickle"),
        (_Call(eval, "1"), r"holds 'builtins\.eval'"),
        (_Call(codecs.encode, "a", "rot13"), r"holds '_codecs\.encode\('rot13'\)'"),
        (np.array([{}], dtype=object), r"holds 'numpy\.dtype\(O8\)'"),
        (np.zeros(1, dtype=[("a", "f4")]), r"holds 'numpy\.dtype\(V4\)'"),
        (np.datetime64("2020-01-01"), r"holds 'numpy\.dtype\(M8\)'"),
        (_Call(np.ndarray, (1 << 40,)), r"holds 'numpy\.ndarray'"),
        (
            _Call(np.dtype, "f8", False, True, state=(3, "<", None, None, None, -1, -1, 63)),
            "'numpy.dtype with a state'",
        ),
        (_Call(np.dtype, "f8", False, True, state=(3, "<", None, ("a",), {}, -1, -1, 0)), "'numpy.dtype with a state'"),
        (_Call(*EMPTY, state=(1, (1,), np.dtype("f8"), False, [1.0])), "'numpy.ndarray with a state'"),
        (_Call(*EMPTY, state=(1, (3,), np.dtype("f8"), False, b"12345678")), "is no readable pickle"),
        (Path("a"), r"holds 'pathlib\."),
        ([], "holds no dictionary of annotations"),
        ({"data_list": 3}, "has no list 'data_list' of scans"),
        ({"data_list": [{"sample_idx": "../../etc"}]}, "row 1, field 'sample_idx': has no name of a scan"),
    ],
)
def test_pickles_are_read_by_a_closed_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: object, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "embodiedscan_infos_val.pkl"
    path.write_bytes(pickle.dumps(value))
    with pytest.raises(InputError, match=said):
        get("embodiedscan").find(tmp_path)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"instances": [{"bbox_3d": [1, 2, 3], "bbox_label_3d": 7}]}, "instance 0: has a box of 3 numbers"),
        ({"instances": [{"bbox_3d": [1] * 9, "bbox_label_3d": 77}]}, r"instance 0: lacks a box or a known category \(77\)"),
        ({"cam2img": "K"}, "image 0: lacks cam2global or cam2img"),
        ({"images": [{"img_path": "../secret.jpg"}]}, "image 0: has no path of a picture within its folder"),
        ({"axis_align_matrix": np.diag([2.0, 2, 2, 1])}, "axis_align_matrix': is no rotation and translation"),
    ],
)  # fmt: skip
def test_annotations_that_are_wrong_are_told(tmp_path: Path, drawn: tuple, changes: dict[str, Any], said: str) -> None:  # type: ignore[type-arg]
    content = embodied(drawn[:1], tmp_path, **changes)
    (tmp_path / "embodiedscan_infos_val.pkl").write_bytes(pickle.dumps(content))
    assert re.search(said, refused("embodiedscan", tmp_path, tmp_path / "out"))


def test_no_pickle_changes_a_function_that_it_may_call(tmp_path: Path) -> None:
    (tmp_path / "embodiedscan_infos_val.pkl").write_bytes(b"\x80\x02cnumpy\ndtype\n}b.")  # an empty state for it
    with pytest.raises(InputError, match="holds 'a function with a state'"):
        get("embodiedscan").find(tmp_path)


def test_a_cut_pickle_is_told(tmp_path: Path) -> None:
    (tmp_path / "embodiedscan_infos_val.pkl").write_bytes(pickle.dumps({"a": np.zeros(9)})[:-9])
    with pytest.raises(InputError, match=r"embodiedscan_infos_val\.pkl: is no readable pickle \("):
        get("embodiedscan").find(tmp_path)


def write_ca1m(path: Path, pictures: Sequence[Frame], *, cut: int = 0) -> None:
    """A tar as webdataset writes it: the frames, then the world."""
    world, members = small_world(), {}
    fx, fy, cx, cy = world.intrinsics
    for i, (picture, pose) in enumerate(zip(pictures, world.poses, strict=False)):
        place = f"42898811/{1_000_000_000_000 + i * 100_000_000}"
        for name, values in (("wide/image.png", picture.colour), ("gt/depth.png", picture.depth[1::2, 1::2] * 1000)):
            file = BytesIO()
            Image.fromarray(values if values.ndim == 3 else np.round(values).astype(np.uint16)).save(file, "PNG")
            members[f"{place}.{name}"] = file.getvalue()
        members[f"{place}.wide/image/K.json"] = json.dumps([fx, 0, cx, 0, fy, cy, 0, 0, 1]).encode()
        members[f"{place}.gt/RT.json"] = json.dumps(pose.ravel().tolist()).encode()
        members[f"{place}.wide/instances.json"] = b"[]"
    boxes = [
        {"id": f"i{i}", "category": one.category, "position": one.box.center, "scale": one.box.extents,
         "R": np.array(one.box.axes).T.tolist()}
        for i, one in enumerate(world.objects)
    ]  # fmt: skip
    members["42898811/world.gt/instances.json"] = json.dumps(boxes).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, BytesIO(data))
    if cut:
        path.write_bytes(path.read_bytes()[:cut])


def test_ca1m(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_ca1m(tmp_path / "in" / "ca1m-val-42898811.tar", drawn)
    found = recognise(tmp_path)
    assert (found.format, found.others, found.found["depth"]) == ("ca1m", (), "there")
    scene, capture, row = made("ca1m", tmp_path / "in", tmp_path / "out")
    assert (scene.id, row.repaired, row.completeness) == ("ca1m/val-42898811", (), None)
    assert box_error(scene, small_world()) < 1e-9
    assert scene.counts == small_world().counts
    for i, pose in enumerate(small_world().poses):
        frame = int(np.abs(np.array(capture.times) - i / 10).argmin())
        assert np.abs(capture.pose(frame) - pose).max() < 1e-6


def test_ca1m_that_is_broken_is_told(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    path = tmp_path / "ca1m-train-1.tar"
    write_ca1m(path, drawn[:1], cut=3000)
    said = refused("ca1m", tmp_path, tmp_path / "out")
    assert "ca1m-train-1.tar" in said
    path.write_bytes(b"no tar" * 200)
    assert "is no readable tar" in refused("ca1m", tmp_path, tmp_path / "out2")
    with pytest.raises(InputError, match=r"holds no ca1m-\*\.tar"):
        get("ca1m").find(tmp_path / "out2")
