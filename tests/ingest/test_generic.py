"""A folder with scene.json, through the whole ingest."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageOps

from ingest.generic_writer import write_generic
from ingest.pipeline import collection, hide_behind_link, hold, ingested, refused
from ingest.worlds import small_world, transform
from tolman.errors import InputError
from tolman.features.scenes.compute import ingest as carry_out
from tolman.features.scenes.config import IngestConfig
from tolman.files import alone_in
from tolman.generate.family import Draft, Rejected
from tolman.generate.presets import PRESETS, drafts
from tolman.ground_truth.question_families import family
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.ingest.build import ScansConfig, ingest
from tolman.ingest.categories import of_dataset
from tolman.ingest.checks import scale_doubts
from tolman.ingest.formats.generic import FORMAT, read_scene_file
from tolman.ingest.standard_video import common_size_of, pictures_of
from videos import two_tracks, write_video

pytest.importorskip("plyfile", reason="scans need the extra 'build'")
av = pytest.importorskip("av", reason="scans need the extra 'build'")


@pytest.mark.parametrize(
    ("boxes", "labels", "masks"), [(True, True, False), (True, False, False), (True, False, True), (False, True, False)]
)
def test_truth_comes_back(tmp_path: Path, drawn: tuple, boxes: bool, labels: bool, masks: bool) -> None:  # type: ignore[type-arg]
    world = small_world().moved(transform(70.0, shift=(1.0, 9.0, -0.3)))
    write_generic(tmp_path / "in" / "flat_2", world, drawn, boxes=boxes, labels=labels, masks=masks)
    scene, capture = ingested("generic", tmp_path / "in", tmp_path / "out")
    assert scene.id == "generic/flat_2"
    assert scene.room_area == pytest.approx(world.area)
    # Boxes that follow from the mesh are the least ones around it: a mesh of a box has its corners.
    hold(world, "generic", scene, capture, drawn)


CAMERA = {"video": "v.mp4"}
GOOD: dict[str, Any] = {"tolman_scene": 1, "unit": "m", "up": "z", "objects": [{"id": "a", "label": "b", "number": 3}]}
BOX = {"center": [0, 0, 0], "extents": [1, 1, 1]}
MISTAKES = [
    json.loads(line)
    for line in Path(__file__).with_name("scene_mistakes.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("row", MISTAKES, ids=lambda row: row["said"])
def test_what_is_wrong_is_named(tmp_path: Path, row: dict[str, Any]) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({**GOOD, **row["change"]}))
    with pytest.raises(InputError) as caught:
        read_scene_file(path)
    assert str(path) in str(caught.value)
    assert row["said"] in str(caught.value)


def test_a_key_twice_in_one_object_is_refused(tmp_path: Path) -> None:
    (path := tmp_path / "scene.json").write_text(json.dumps(GOOD)[:-1] + ', "unit": "cm"}')
    with pytest.raises(InputError, match="has the key 'unit' twice in one object"):
        read_scene_file(path)


@pytest.mark.parametrize(
    "label",
    [
        "cafe\u0301 chair",
        "Caf\u00c9\u200b_chair",
        "\u202ecaf\u00e9\u2028chair\u202c",
        "caf\u00e9\n\x1c\x1bchair",
        "caf\u00e9 chair\ud800",
    ],
)
def test_labels_that_look_the_same_are_one_category(label: str) -> None:
    assert of_dataset("generic").category(label) == "caf\u00e9 chair"


def test_two_commands_never_write_one_collection(tmp_path: Path) -> None:
    (tmp_path / "scan").mkdir()
    (tmp_path / "scan" / "scene.json").write_text(json.dumps(GOOD))
    config = IngestConfig(format="generic", path=(tmp_path / "scan",), out=tmp_path / "out")
    with alone_in(tmp_path / "out"), pytest.raises(InputError, match="out: is being written by another command"):
        carry_out(config)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"objects": [{"id": "a", "label": "b", "box": {**BOX, "axes": [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}}]}, "row objects.0: its box can't be used: has axes that are no rotation"),
        ({"objects": [{"id": "a", "label": "b", "box": {**BOX, "extents": [900, 1, 1]}}]}, "is 900 m long: its numbers are in another unit than metres (in millimetres, 900 is 0.9 m)"),
        ({}, "'a' has no box, and no mesh with labels has it"),
        ({"objects": [], "cameras": [CAMERA]}, "v.mp4: is no readable video (the file is missing)"),
        ({"objects": [], "cameras": [{"frames": "nothing", "rate": 1}]}, "nothing: is no folder"),
        ({"objects": [], "mesh": {"file": "m.ply"}}, "m.ply"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    (tmp_path / "scene.json").write_text(json.dumps({**GOOD, **change}))
    (source,) = FORMAT.find(tmp_path)
    with pytest.raises(InputError) as caught:
        FORMAT.read(source)
    assert said in str(caught.value)


def test_the_example_of_the_page_is_right(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "ingest" / "generic.md").read_text(encoding="utf-8")
    example = page.split("```json\n")[1].split("```")[0]
    (tmp_path / "scene.json").write_text(example)
    found = read_scene_file(tmp_path / "scene.json")
    assert [one.label for one in found.objects] == ["table", "chair", "chair"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"unit": "m"}, "in another unit than metres"),
        ({"poses": "mirrored"}, "left-handed"),
        ({"poses": "short"}, "poses.txt: has 15 poses for 16 frames"),
        ({"poses": "skew"}, "poses.txt, row 3: pose 3 is no turn and shift: its axes are 2 long"),
        (
            {"times": 33},
            "lasts 495 s with 16 frames: its times are 33 s apart and may be milliseconds; give its times in s",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, drawn: tuple, change: dict[str, Any], said: str) -> None:  # type: ignore[type-arg]
    folder = tmp_path / "in" / "room"
    content = write_generic(folder, small_world(), drawn, boxes="unit" not in change)
    lines = (folder / "poses.txt").read_text().splitlines()
    match change.get("poses"):
        case "mirrored":
            lines = [" ".join([*line.split()[:8], *(str(-float(word)) for word in line.split()[8:])]) for line in lines]
        case "short":
            del lines[-1]
        case "skew":
            lines[2] = " ".join(str(2 * float(word)) for word in lines[2].split())
    (folder / "poses.txt").write_text("\n".join(lines))
    if "times" in change:
        del content["cameras"][0]["rate"]
        content["cameras"][0]["times"] = [change["times"] * i for i in range(16)]
    rest = {key: value for key, value in change.items() if key not in ("poses", "times")}
    (folder / "scene.json").write_text(json.dumps({**content, **rest}))
    reason = refused("generic", tmp_path / "in", tmp_path / "out")
    assert re.search(said, reason), reason


def test_a_video_that_was_cut_off_in_the_collection_is_made_again(tmp_path: Path) -> None:
    folder, out = tmp_path / "in" / "a", tmp_path / "out"
    write_video(folder / "v.mp4", 3, size=(64, 48))
    things = [{"id": "c", "label": "car", "box": BOX}]
    for as_it_is in (True, False):
        content = {**GOOD, "objects": things, "cameras": [{"video": "v.mp4", "as_it_is": as_it_is}]}
        (folder / "scene.json").write_text(json.dumps(content))
        order = ScansConfig("generic", tmp_path / "in")
        assert [ingest(order, out, 1).scenes[0].state for _ in range(2)] == ["new", "kept"]
        video = out / "videos" / "generic" / "a.mp4"
        whole = video.read_bytes()
        video.unlink()
        video.write_bytes(whole[: len(whole) // 2])
        assert ingest(order, out, 1).scenes[0].state == "new"
        assert video.read_bytes() == whole
        assert ingest(order, out, 1).scenes[0].state == "kept"


def test_frames_with_one_time_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "in" / "a"
    (folder / "f").mkdir(parents=True)
    for frame in range(4):
        Image.new("RGB", (64, 48)).save(folder / "f" / f"{frame}.png")
    things = [{"id": "c", "label": "car", "box": BOX}]

    def told(*times: float) -> Any:
        content = {**GOOD, "objects": things, "cameras": [{"frames": "f", "times": times}]}
        (folder / "scene.json").write_text(json.dumps(content))
        return ingest(ScansConfig("generic", tmp_path / "in"), tmp_path / "out", 1).scenes[0]

    assert told(0, 0.5, 1, 1.5).repaired == ()
    assert told(0, 0.5, 0.5, 1.5).repaired == (
        "a: 1 of 4 frames of 'ego' has the time of the frame before, the first of them frame 2; one of each time is "
        "shown",
    )
    alike = told(2, 2, 2, 2)
    assert alike.state == "refused"
    assert str(alike.reason).endswith(
        "a: frames 0 and 1 of 'ego' have the same time, 2 s; give each frame a time of its own."
    )


def test_cameras_and_tracks(tmp_path: Path) -> None:
    """A video as it is, lost poses, a moving thing, intrinsics for each frame, nested folders."""
    folder = tmp_path / "in" / "a" / "b"
    write_video(folder / "v.mp4", 3, size=(64, 48))
    pose = [1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3]
    content = {
        "tolman_scene": 1, "unit": "ft", "up": "-z",
        "objects": [{"id": "c", "label": "car", "box": BOX, "track": [{"seconds": s, "center": [s, 1, 0], "axes": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]} for s in (0, 1)]}],
        "cameras": [{"video": "v.mp4", "poses": [pose, None, pose], "intrinsics": [[50, 50, 32, 24]] * 3, "as_it_is": True, "offset": 2.5}],
    }  # fmt: skip
    (folder / "scene.json").write_text(json.dumps(content))
    scene, capture = ingested("generic", tmp_path / "in", tmp_path / "out")
    assert scene.id == "generic/a_b"
    assert scene.objects[0].box.extents == pytest.approx((0.3048,) * 3)
    assert scene.objects[0].track[1].center == pytest.approx((0.3048, -0.3048, 0))
    assert capture.pose(0)[:3, 3] == pytest.approx((0.3048, -2 * 0.3048, -3 * 0.3048))
    assert all(value != value for value in capture.poses[1])
    assert capture.offset == 2.5
    assert (tmp_path / "out" / str(capture.media)).read_bytes() == (folder / "v.mp4").read_bytes()


def test_cameras_of_scenes_with_similar_names_keep_their_own_videos(tmp_path: Path) -> None:
    for name, roles in (("a", ("b", "c")), ("a-b", ("ego",))):
        cameras = []
        for number, role in enumerate(roles, 3 if name == "a" else 8):
            write_video(tmp_path / "in" / name / f"{role}.mp4", number, size=(64, 48))
            poses = [[1, 0, 0, 0.2 * i, 0, 1, 0, 0, 0, 0, 1, 0] for i in range(number)]
            cameras.append(
                {**CAMERA, "name": role, "video": f"{role}.mp4", "poses": poses, "intrinsics": [50, 50, 32, 24]}
            )
        content = {"tolman_scene": 1, "unit": "m", "up": "z", "objects": [], "cameras": cameras}
        (tmp_path / "in" / name / "scene.json").write_text(json.dumps(content))
    ingest(ScansConfig("generic", tmp_path / "in"), tmp_path / "out", 1)
    media = [capture.media for got in collection(tmp_path / "out").values() for capture in got.captures]
    assert len({*media}) == len(media) == 3


@pytest.mark.parametrize("mesh", [True, False])
def test_a_scene_of_unknown_scale_is_asked_nothing_in_metres(tmp_path: Path, drawn: tuple, mesh: bool) -> None:  # type: ignore[type-arg]
    world = small_world()
    place = tmp_path / "in" / "flat"
    content = write_generic(place, world, drawn, mesh=mesh, labels=mesh)
    content["unit"] = "unknown"
    with pytest.raises(InputError, match="takes no 'room_area' where the unit is unknown"):
        rewritten(place, content)
    del content["room_area"]
    (place / "scene.json").write_text(json.dumps(content))
    scene, capture = ingested("generic", tmp_path / "in", tmp_path / "out")
    assert not scene.metric
    assert scene.room_area is None
    # The same scene a thousand times as large is the same.
    content["unit"] = "cm"
    (place / "scene.json").write_text(json.dumps(content))
    true, _ = ingested("generic", tmp_path / "in", tmp_path / "true")
    factors = {round(a.box.longest / b.box.longest, 6) for a, b in zip(scene.objects, true.objects, strict=True)}
    assert len(factors) == 1
    found = list(drafts(SceneGeometry(scene, (capture,)), PRESETS["all"]))
    asked = {one.task for one in found if isinstance(one, Draft)}
    assert not {"object_abs_distance", "object_size_estimation", "room_size_estimation"} & asked
    assert asked <= {task for name in PRESETS["all"].families if family(name).scale_free for task in family(name).tasks}
    assert not [one for one in found if isinstance(one, Draft) and (one.unit or "") not in ("", "count")]
    assert ("room_size_estimation", "the scene's scale is unknown") in {
        (one.task, one.reason) for one in found if isinstance(one, Rejected)
    }


def rewritten(place: Path, content: dict[str, Any]) -> None:
    (place / "scene.json").write_text(json.dumps(content))
    read_scene_file(place / "scene.json")


def test_a_tiny_room_is_doubted(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    """A model without scale that is declared in metres."""
    place = tmp_path / "in" / "flat"
    content = write_generic(place, small_world(), drawn)
    content |= {"unit": "mm", "room_area": None}
    (place / "scene.json").write_text(json.dumps(content))
    (row,) = ingest(ScansConfig("generic", tmp_path / "in"), tmp_path / "out", 1).scenes
    assert any(re.search(r"the room has only [\d.]+ m²: check the unit", note) for note in row.notes), row.notes


def test_a_room_area_that_the_mesh_contradicts_is_doubted(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    place = tmp_path / "in" / "flat"
    content = write_generic(place, small_world(), drawn)
    for factor, doubted in ((1, False), (6, True), (1 / 6, True)):
        (place / "scene.json").write_text(json.dumps(content | {"room_area": content["room_area"] * factor}))
        (row,) = ingest(ScansConfig("generic", tmp_path / "in"), tmp_path / "out", 1).scenes
        assert row.area == pytest.approx(small_world().area * factor)
        assert any("the room's area is given as" in note for note in row.notes) == doubted, row.notes


def test_labels_of_the_faces_of_a_file_without_triangles_are_named(tmp_path: Path) -> None:
    mesh = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
    mesh += "element face 0\nproperty list uchar int vertex_indices\nproperty int object\nend_header\n0 0 0\n"
    (tmp_path / "mesh.ply").write_text(mesh)
    content = GOOD | {"mesh": {"file": "mesh.ply", "labels": "object"}}
    (tmp_path / "scene.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"vertices have no property 'object' .*; its faces have it"):
        FORMAT.read(FORMAT.find(tmp_path)[0])


def test_cameras_that_hardly_move_are_doubted() -> None:
    poses = np.repeat(np.eye(4)[None], 5, axis=0)
    assert scale_doubts(None, [poses]) == []  # a tripod
    poses[:, 0, 3] = np.linspace(0, 0.2, 5)
    assert scale_doubts(9.0, [poses]) == ["its cameras move only 20 cm in all: check the unit, or give it as unknown"]
    assert scale_doubts(9.0, [poses, 10 * poses]) == []


def test_pictures_that_differ_by_a_pixel_are_cropped(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    place = tmp_path / "in" / "flat"
    write_generic(place, small_world(), drawn)
    first = sorted((place / "frames").iterdir())[0]
    with Image.open(first) as image:
        wider = image.crop((0, 0, image.width + 1, image.height + 2))
    wider.save(first)
    _, capture = ingested("generic", tmp_path / "in", tmp_path / "out")
    assert len(capture.times) == len(drawn)
    wider.crop((0, 0, wider.width + 3, wider.height)).save(first)
    assert "pixels, others of its camera are" in refused("generic", tmp_path / "in", tmp_path / "again")


@pytest.mark.parametrize("orientation", [2, 3, 6, 8])
@pytest.mark.parametrize("suffix", [".jpg", ".png"])
def test_pictures_are_upright_as_their_exif_orientation_says(tmp_path: Path, orientation: int, suffix: str) -> None:
    stored = np.zeros((48, 64, 3), np.uint8)
    stored[:24, :32, 0], stored[24:, 32:, 2] = 255, 255
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = tmp_path / f"0{suffix}"
    Image.fromarray(stored).save(path, exif=exif, quality=95, subsampling=0)
    with Image.open(path) as image:
        shown = np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
    size = common_size_of([path])
    assert size == shown.shape[1::-1]
    (picture,) = pictures_of([path], size)([0])
    assert np.array_equal(picture, shown)


def test_a_scan_of_turned_photographs_is_that_of_upright_ones(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    place = tmp_path / "in" / "flat"
    write_generic(place, small_world(), drawn, masks=True)
    exif = Image.Exif()
    exif[0x0112] = 6
    for path in (place / "frames").iterdir():
        with Image.open(path) as image:
            image.transpose(Image.Transpose.ROTATE_90).save(path, quality=95, exif=exif)
    scene, capture = ingested("generic", tmp_path / "in", tmp_path / "out")
    hold(small_world(), "generic", scene, capture, drawn)
    with av.open(str(tmp_path / "out" / str(capture.media))) as video:
        first = next(video.decode(video=0)).to_ndarray(format="rgb24")
    assert np.abs(first.astype(int) - drawn[0].colour).mean() < 10


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda mask: 30 * mask,
            r"the masks of 'ego' hold the values 0, 30, .* and none of the objects' numbers, 1, 2",
        ),
        (lambda mask: 0 * mask, "the masks of 'ego' hold the values 0 and none of the objects' numbers, 1, 2"),
        (lambda mask: mask[:, 20:-20], "a mask of 'ego' has 120×120 pixels, which isn't the shape of its pictures"),
        (lambda mask: mask.T, "a mask of 'ego' has 120×160 pixels, which isn't the shape of its pictures, 160×120"),
        (lambda mask: mask[::3, ::3], None),
        (lambda mask: np.where(mask == 2, 77, mask), None),
    ],
)
def test_masks_of_something_else_are_refused(
    tmp_path: Path, drawn: tuple[Any, ...], change: Callable[[Any], Any], said: str | None
) -> None:
    place = tmp_path / "in" / "flat"
    write_generic(place, small_world(), drawn, masks=True)
    for path in (place / "masks").iterdir():
        with Image.open(path) as image:
            mask = change(np.asarray(image))
        Image.fromarray(np.ascontiguousarray(mask).astype(np.uint16)).save(path)
    if said is None:
        ingested("generic", tmp_path / "in", tmp_path / "out")
    else:
        reason = refused("generic", tmp_path / "in", tmp_path / "out")
        assert re.search(said, reason), reason


def test_the_choice_between_two_tracks_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "in" / "a"
    folder.mkdir(parents=True)
    two_tracks(folder / "v.mkv")
    content = {
        "tolman_scene": 1, "unit": "m", "up": "z", "objects": [{"id": "c", "label": "car", "box": BOX}],
        "cameras": [{"video": "v.mkv", "as_it_is": True}],
    }  # fmt: skip
    (folder / "scene.json").write_text(json.dumps(content))
    (entry,) = ingest(ScansConfig("generic", tmp_path / "in"), tmp_path / "out", 1).scenes
    assert entry.repaired == ("v.mkv has 2 video tracks (64×64, 128×64); track 2 is used.",)


def test_poses_that_link_elsewhere_are_not_quoted(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_generic(tmp_path / "flat", small_world(), drawn[:3])
    hide_behind_link(tmp_path / "flat" / "poses.txt", tmp_path / "secret")
    with pytest.raises(InputError, match=r"poses.txt: leads outside its scan's folder") as caught:
        FORMAT.read(FORMAT.find(tmp_path / "flat")[0])
    assert "hunter2" not in str(caught.value)
