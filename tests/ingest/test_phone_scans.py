"""Scans of phones: the truth of a simulated room comes back through each app's files."""

import contextlib
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ingest.phone_writers import write_polycam, write_record3d, write_roomplan, write_scanner_app, write_stray
from ingest.pipeline import edit_json, hide_behind_link, made, refused
from ingest.results import box_error, collection
from ingest.test_posed_pictures import apart, plain, shown
from ingest.worlds import SIZE, small_world
from tolman.errors import InputError, MissingExtraError
from tolman.features.events import Noted
from tolman.features.generate.compute import generate
from tolman.features.generate.config import GenerateConfig
from tolman.geometry.camera_geometry import turned_intrinsics
from tolman.ingest.build import ScansConfig, ingest
from tolman.ingest.formats import get, recognise
from tolman.ingest.formats.phone_scans import ARKIT, read_obj
from tolman.scenes import Capture, Clock
from tolman.simulate.render import Frame

pytest.importorskip("plyfile", reason="scans need the extra 'build'")
pytest.importorskip("av", reason="scans need the extra 'build'")

APPS: dict[str, tuple[str, Callable[..., None]]] = {
    "polycam": ("walk", write_polycam),
    "stray-scanner": ("walk", write_stray),
    "3d-scanner-app": ("walk", write_scanner_app),
    "record3d": ("walk.r3d", write_record3d),
}
"""Format → the name of its folder or file, and what writes it."""


def hold_poses(capture: Capture, count: int) -> list[int]:
    """Frames of the video that show those of the world, whose poses come back to 1e-6."""
    times = np.array(capture.times)
    frames = [int(np.abs(times - i / 10).argmin()) for i in range(count)]
    for frame, pose in zip(frames, small_world().poses, strict=False):
        assert np.abs(capture.pose(frame) - pose).max() < 1e-6
    return frames


@pytest.mark.parametrize("app", APPS)
def test_poses_pictures_and_metres_come_back(tmp_path: Path, drawn: tuple, app: str) -> None:  # type: ignore[type-arg]
    name, write = APPS[app]
    write(tmp_path / "in" / name, drawn)
    scene, capture, _ = made(app, tmp_path / "in", tmp_path / "out")
    assert (scene.id, scene.metric) == (f"{app}/walk", True)
    frames = hold_poses(capture, len(drawn))
    assert np.allclose(capture.intrinsics[0], np.array(small_world().intrinsics) * capture.size[0] / SIZE[0])
    video = shown(tmp_path / "out", capture)
    assert video[0].shape == (480, 640, 3)
    small = [video[frame].reshape(120, 4, 160, 4, 3).mean((1, 3)) for frame in frames]
    assert apart(small, plain(drawn)) < 4.0


def test_a_mesh_gives_room_and_visibility(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    world = small_world()
    write_scanner_app(tmp_path / "walk", drawn)
    to_phone = np.linalg.inv(ARKIT.turn)
    objects = [
        {"id": one.id, "label": one.category, "box": {
            "center": (to_phone @ one.box.center).tolist(), "extents": one.box.extents,
            "axes": (np.array(one.box.axes) @ to_phone.T).tolist(),
        }}
        for one in world.wanted
    ]  # fmt: skip
    (tmp_path / "walk" / "objects.json").write_text(json.dumps(objects))
    scene, capture, row = made("3d-scanner-app", tmp_path / "walk", tmp_path / "out")
    assert scene.room_area == pytest.approx(world.area, rel=0.02)
    assert box_error(scene, world) < 1e-6
    assert {one.object for one in capture.sightings} == {one.id for one in world.wanted}
    assert row.completeness is not None


@pytest.mark.parametrize("packed", [False, True])
def test_record3d_held_upright(tmp_path: Path, drawn: tuple, packed: bool) -> None:  # type: ignore[type-arg]
    pack: Callable[[bytes], bytes] = bytes
    if packed:
        pack = pytest.importorskip("liblzfse", reason="pyliblzfse is no dependency").compress
    write_record3d(tmp_path / "in" / "walk.r3d", drawn, turns=1, pack=pack)
    _, capture, _ = made("record3d", tmp_path / "in", tmp_path / "out")
    hold_poses(capture, len(drawn))
    assert capture.size == (640, 480)
    fx, fy, cx, cy = small_world().intrinsics
    stored = np.array([fy, fx, cy, SIZE[0] - cx])
    assert np.allclose(capture.intrinsics[0], 4 * turned_intrinsics(stored, SIZE[::-1], 1))


def test_record3d_without_lzfse_says_so(tmp_path: Path, drawn: tuple, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[type-arg]
    monkeypatch.setitem(__import__("sys").modules, "liblzfse", None)
    write_record3d(tmp_path / "in" / "walk.r3d", drawn[:4], pack=lambda data: data[:100])
    _, _, row = made("record3d", tmp_path / "in", tmp_path / "out")
    assert any("compressed by LZFSE" in note for note in row.notes)


def small_frames(count: int) -> list[Frame]:
    """Grey pictures of the world's size without a renderer."""
    width, height = SIZE
    colour = np.full((height, width, 3), 128, dtype=np.uint8)
    return [Frame(colour, np.ones((height, width)), np.zeros((height, width), dtype=np.int64))] * count


def test_stray_scanner_with_a_lens_for_each_frame(tmp_path: Path) -> None:
    write_stray(tmp_path / "walk", small_frames(4))
    path = tmp_path / "walk" / "odometry.csv"
    head, *rows = path.read_text().splitlines()
    head += ", fx, fy, cx, cy, distortion_center_x, distortion_center_y"
    rows = [f"{row}, {ends}" for row, ends in zip(rows, ("150, 151, 80, 60, , ", ", , , , , ") * 2, strict=True)]
    path.write_text("\n".join([head, *rows]) + "\n")
    (recording,) = get("stray-scanner").read(get("stray-scanner").find(tmp_path)[0]).recordings
    fx, fy, cx, cy = small_world().intrinsics
    assert np.allclose(recording.intrinsics[[0, 2]], (150, 151, 80, 60))
    assert np.allclose(recording.intrinsics[[1, 3]], (fx, fy, cx, cy))
    path.write_text("\n".join([head, *rows]).replace("150", "0") + "\n")
    assert "focal length that isn't positive" in refused("stray-scanner", tmp_path / "walk", tmp_path / "out")


@pytest.mark.parametrize(
    ("height", "story", "known"), [(2.8, None, False), (0.0, 1, False), (0.4, None, True), (0.4, 0, True)]
)
def test_roomplan_with_several_storeys_has_no_area(
    tmp_path: Path, height: float, story: int | None, known: bool
) -> None:
    path = tmp_path / "in" / "flat.json"
    write_roomplan(path)
    content = json.loads(path.read_text())
    first = content["floors"][0] | {"story": 0}
    second = {**first, "transform": [*first["transform"]], "story": story}
    second["transform"][13] += height
    path.write_text(json.dumps({**content, "floors": [first, second]}))
    scene = get("roomplan").read(get("roomplan").find(path)[0])
    assert (scene.room_area is not None) == (scene.room_center is not None) == known
    assert any("several storeys" in note for note in scene.notes) != known


def test_record3d_reads_boxes_next_to_its_file(tmp_path: Path) -> None:
    write_record3d(tmp_path / "in" / "walk.r3d", small_frames(3))
    (missing,) = [one for one in recognise(tmp_path / "in").missing if one.startswith("boxes")]
    assert "put a walk.objects.json next to it" in missing
    path = tmp_path / "in" / "walk.objects.json"
    path.write_text(json.dumps([{"id": "t", "label": "table", "box": {"center": [1, 2, 3], "extents": [1, 1, 1]}}]))
    (source,) = get("record3d").find(tmp_path / "in")
    assert source.files == (tmp_path / "in" / "walk.r3d", path)
    (table,) = get("record3d").read(source).instances
    assert table.box is not None
    assert np.allclose(table.box.center, (1, -3, 2))


@pytest.mark.parametrize("name", [None, "last"])
def test_polycam_without_stamps_has_no_times(tmp_path: Path, name: str | None) -> None:
    write_polycam(tmp_path / "walk", small_frames(3))
    place = tmp_path / "walk" / "keyframes"
    last = max(path.stem for path in (place / "corrected_cameras").iterdir())
    (place / "corrected_cameras" / f"._{last}.json").write_bytes(b"\0\5")
    if name is not None:
        (place / "corrected_cameras" / f"{last}.json").rename(place / "corrected_cameras" / f"{name}.json")
        (place / "corrected_images" / f"{last}.jpg").rename(place / "corrected_images" / f"{name}.jpg")
    (found,) = get("polycam").read(get("polycam").find(tmp_path)[0]).recordings
    assert len(found.times) == 3
    assert found.clock == (None if name is None else Clock(method="untimed"))


@pytest.mark.parametrize("words", [False, True])
def test_roomplan_gives_boxes_and_floor(tmp_path: Path, words: bool) -> None:
    world = small_world()
    write_roomplan(tmp_path / "in" / "flat.json", plain=words)
    result = ingest(ScansConfig("roomplan", tmp_path / "in"), tmp_path / "out", 1)
    assert result.of("new"), result.scenes
    scene = collection(tmp_path / "out")["roomplan/flat"].scene
    assert box_error(scene, world) < 1e-6
    assert scene.counts == world.counts
    assert scene.room_area == pytest.approx(world.area)
    assert scene.room_center == pytest.approx((2.5, 2.0, 0.0))


def test_exports_of_one_name_are_named_by_their_folders_and_have_no_pictures(tmp_path: Path) -> None:
    for name in ("bath", "kitchen"):
        write_roomplan(tmp_path / "in" / name / "Room.json")
    write_roomplan(tmp_path / "in" / "hall" / "hall.json")
    result = ingest(ScansConfig("roomplan", tmp_path / "in"), tmp_path / "out", 1)
    names = ["roomplan/bath_Room", "roomplan/kitchen_Room", "roomplan/hall"]
    assert [row.id for row in result.of("new")] == names
    events: list[object] = []
    generate(GenerateConfig(scenes=tmp_path / "out", out=tmp_path / "bench"), events.append)
    said = [one.text for one in events if isinstance(one, Noted)]
    assert "3 of 3 scenes without a video: models get only the text of such questions." in said
    events.clear()
    generate(GenerateConfig(scenes=tmp_path / "out", out=tmp_path / "texts", media=False), events.append)
    assert not any("without a video" in one.text for one in events if isinstance(one, Noted))


def test_closed_walls_give_the_area_where_there_is_no_floor(tmp_path: Path) -> None:
    path = tmp_path / "in" / "flat.json"
    write_roomplan(path)
    wide, deep = 4.0, 3.0
    walls = []
    for turn, (x, z) in enumerate(((0, deep / 2), (wide / 2, 0), (0, -deep / 2), (-wide / 2, 0))):
        pose = np.eye(4)
        pose[:3, :3] = Rotation.from_euler("y", 90 * turn, degrees=True).as_matrix()
        pose[:3, 3] = x, 1.2, z
        length = (wide, deep)[turn % 2] - 0.2  # corners are never met exactly
        walls.append({"dimensions": [length, 2.4, 0], "transform": pose.T.ravel().tolist()})
    edit_json(path, lambda content: content.update(floors=[], walls=walls))
    scene = get("roomplan").read(get("roomplan").find(path)[0])
    assert scene.room_area == pytest.approx(wide * deep, abs=0.01)
    edit_json(path, lambda content: content.update(walls=walls[:3]))
    assert get("roomplan").read(get("roomplan").find(path)[0]).room_area is None


CUBE = """
def Xform "{kind}_grp" {{
  def Mesh "{kind}0" {{
    point3f[] points = [({x}, {y}, {z}), (-{x}, -{y}, -{z}), ({x}, -{y}, {z})]
    matrix4d xformOp:transform = ( (0, 0, -1, 0), (0, 1, 0, 0), (1, 0, 0, 0), (2.5, 0.4, -1.2, 1) )
    uniform token[] xformOpOrder = ["xformOp:transform"]
  }}
}}"""


def write_usdz(path: Path, *objects: str, up: str = "Y") -> None:
    """As RoomPlan writes it: an uncompressed archive of a layer of text."""
    layer = f'#usda 1.0\n( defaultPrim = "room"\n metersPerUnit = 1\n upAxis = "{up}" )\n'
    layer += 'def Xform "room" {\ndef Xform "Mesh_grp" {\ndef Xform "Walls_grp" {}\ndef Xform "Object_grp" {\n'
    layer += "\n".join(objects)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("room.usda", layer + "\n}\n}\n}\n")


def test_usdz_of_roomplan(tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="usd-core is no dependency")
    write_usdz(tmp_path / "flat.usdz", CUBE.format(kind="WasherDryer", x=0.6, y=0.4, z=0.3))
    (source,) = get("roomplan").find(tmp_path)
    (one,) = get("roomplan").read(source).instances
    # The fixture of the format's description, in JSON above.
    assert (one.id, one.label) == ("WasherDryer0", "washer dryer")
    assert one.box is not None
    assert one.box.center == pytest.approx((2.5, 1.2, 0.4))
    sizes = np.abs(np.array(one.box.axes)).T @ np.array(one.box.extents)
    assert sizes == pytest.approx((0.6, 1.2, 0.8))
    write_usdz(tmp_path / "flat.usdz", up="Z")
    assert "isn't in metres with y up" in refused("roomplan", tmp_path, tmp_path / "o1")
    (tmp_path / "flat.usdz").write_bytes(b"PK\x03\x04 Wall_grp")
    assert "is no readable USDZ file" in refused("roomplan", tmp_path, tmp_path / "o2")


def test_of_a_room_in_both_forms_the_json_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_roomplan(tmp_path / "in" / "flat.json")
    write_usdz(tmp_path / "in" / "flat.usdz")
    write_usdz(tmp_path / "in" / "hall.usdz")
    first, second = get("roomplan").find(tmp_path)
    assert [first.path.name, second.path.name] == ["flat.json", "hall.usdz"]
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(
        MissingExtraError, match="Reading USDZ files needs the package 'usd-core': pip install usd-core"
    ):
        get("roomplan").read(second)


def test_two_objects_of_one_id_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "in" / "flat.json"
    write_roomplan(path)
    edit_json(path, lambda content: content["objects"][1].update(identifier=content["objects"][0]["identifier"]))
    assert "both have the id" in refused("roomplan", tmp_path / "in", tmp_path / "out")


def test_roomplan_reads_words_in_one(tmp_path: Path) -> None:
    write_roomplan(tmp_path / "in" / "flat.json")
    path = tmp_path / "in" / "flat.json"
    content = json.loads(path.read_text())
    content["objects"][0]["category"] = {"washerDryer": {}}
    # The fixture of the format's description: an object that is turned by a quarter.
    content["objects"][1] |= {
        "transform": [0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 2.5, 0.4, -1.2, 1], "dimensions": [1.2, 0.8, 0.6],
    }  # fmt: skip
    path.write_text(json.dumps(content))
    first, second = get("roomplan").read(get("roomplan").find(path)[0]).instances[:2]
    assert first.label == "washer dryer"
    assert second.box is not None
    assert np.allclose(second.box.center, (2.5, 1.2, 0.4))
    size = np.abs(np.array(second.box.axes).T) @ np.array(second.box.extents)
    assert np.allclose(size, (0.6, 1.2, 0.8))


def test_bad_polycam(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_polycam(tmp_path / "walk", drawn[:3])
    first = sorted((tmp_path / "walk" / "keyframes" / "corrected_cameras").iterdir())[0]
    edit_json(first, lambda content: content.update(t_03=float("nan")))
    said = refused("polycam", tmp_path / "walk", tmp_path / "o1")
    assert f"{first.name}, field 't_00 … t_23': its row 1, column 4 is nan, which isn't finite" in said
    edit_json(first, lambda content: content.update(t_03=1.0))
    picture = first.parent.parent / "corrected_images" / f"{first.stem}.jpg"
    picture.unlink()
    assert refused("polycam", tmp_path / "walk", tmp_path / "o2").endswith(f"{picture.name}: is missing.")
    hide_behind_link(first, tmp_path / "secret.json")
    said = refused("polycam", tmp_path / "walk", tmp_path / "o3")
    assert "leads outside its scan's folder" in said
    assert "hunter2" not in said


def test_bad_stray(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_stray(tmp_path / "walk", drawn[:6])
    path = tmp_path / "walk" / "odometry.csv"
    good = path.read_text()
    path.write_text(
        "\n".join(
            line if i != 4 else ", ".join(["1", "3", "nan", *line.split(", ")[3:]])
            for i, line in enumerate(good.splitlines())
        )
    )
    said = refused("stray-scanner", tmp_path / "walk", tmp_path / "o1")
    assert "row 5: holds 'nan', which isn't finite" in said
    path.write_text("\n".join(good.splitlines()[:3]))
    assert "has 2 poses, and rgb.mp4 6 frames" in refused("stray-scanner", tmp_path / "walk", tmp_path / "o2")
    path.write_text(good)
    (tmp_path / "walk" / "camera_matrix.csv").unlink()
    assert refused("stray-scanner", tmp_path / "walk", tmp_path / "o3").endswith("camera_matrix.csv: is missing.")
    hide_behind_link(path, tmp_path / "secret")
    said = refused("stray-scanner", tmp_path / "walk", tmp_path / "o4")
    assert "odometry.csv: leads outside its scan's folder" in said
    assert "hunter2" not in said


def test_bad_record3d(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_record3d(tmp_path / "a" / "walk.r3d", drawn[:3], K=[1, 2])
    assert "field 'metadata.K': takes 9 finite numbers" in refused("record3d", tmp_path / "a", tmp_path / "o1")
    poses = [[0, 0, 0, 1, 0, float("nan"), 0], [0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0]]
    write_record3d(tmp_path / "b" / "walk.r3d", drawn[:3], poses=poses)
    assert "field 'metadata.poses.0': its number 6 is nan" in refused("record3d", tmp_path / "b", tmp_path / "o2")
    write_record3d(tmp_path / "c" / "walk.r3d", drawn[:3], poses=poses[1:])
    assert "has 2 poses, and 3 pictures" in refused("record3d", tmp_path / "c", tmp_path / "o3")
    write_record3d(tmp_path / "e" / "walk.r3d", drawn[:3], frameTimestamps=[0, 1])
    said = refused("record3d", tmp_path / "e", tmp_path / "o6")
    assert "field 'metadata.frameTimestamps': has 2 of them for 3 frames" in said
    (tmp_path / "d").mkdir()
    with zipfile.ZipFile(tmp_path / "d" / "walk.r3d", "w") as archive:
        archive.writestr("x", "y")
    assert "lacks 'metadata'" in refused("record3d", tmp_path / "d", tmp_path / "o4")
    (tmp_path / "d" / "walk.r3d").write_bytes(b"no archive")
    assert "is no readable ZIP archive" in refused("record3d", tmp_path / "d", tmp_path / "o5")


def test_bad_scanner_app_and_roomplan(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_scanner_app(tmp_path / "walk", drawn[:3], mesh=False)
    edit_json(tmp_path / "walk" / "frame_00002.json", lambda content: content.update(cameraPoseARFrame=[1, 2]))
    said = refused("3d-scanner-app", tmp_path / "walk", tmp_path / "o1")
    assert "frame_00002.json, field 'cameraPoseARFrame': takes a pose of 4×4 numbers" in said
    write_roomplan(tmp_path / "room" / "flat.json")
    edit_json(
        tmp_path / "room" / "flat.json",
        lambda content: content["objects"][2]["transform"].__setitem__(12, float("inf")),
    )
    said = refused("roomplan", tmp_path / "room", tmp_path / "o2")
    assert "field 'objects.2.transform': its number 13 is inf, which isn't finite" in said


def test_bad_obj(tmp_path: Path) -> None:
    path = tmp_path / "m.obj"
    for text, said in (
        ("v 0 0 0\nf 1 2 3\n", "row 2: a face names fewer than three vertices, or one that isn't there"),
        ("v 0 0 0\nf a b c\n", "row 2: a face holds something other than numbers"),
        ("v 0 0 0\n", "holds no faces"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=said):
            read_obj(path, ARKIT)
    path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2 -1\n")
    assert read_obj(path, ARKIT).faces.tolist() == [[0, 1, 2], [0, 2, 3]]


@pytest.mark.parametrize("app", [*APPS, "roomplan"])
def test_nothing_there_says_what_was_looked_for(tmp_path: Path, app: str) -> None:
    with pytest.raises(InputError, match="holds no "):
        get(app).find(tmp_path)


VALUES = (None, "x", [], {}, -1, 0, 1e300, float("nan"), float("inf"), [1], True, "", 10**400)


def test_a_changed_value_is_refused_in_a_sentence_or_read(tmp_path: Path) -> None:
    """No value of a JSON file ends a reader otherwise than by an InputError."""
    write_roomplan(tmp_path / "in" / "flat.json")
    path = tmp_path / "in" / "flat.json"
    good = json.loads(path.read_text())
    refusals = 0
    for part, number in (("objects", 0), ("floors", 0)):
        for field in good[part][number]:
            for value in VALUES:
                changed = json.loads(json.dumps(good))
                changed[part][number][field] = value
                path.write_text(json.dumps(changed))
                try:
                    get("roomplan").read(get("roomplan").find(path)[0])
                except InputError:
                    refusals += 1
    assert refusals > 50
    for part in good:
        for value in VALUES:
            path.write_text(json.dumps(good | {part: value}))
            with contextlib.suppress(InputError):
                get("roomplan").read(get("roomplan").find(path)[0])
