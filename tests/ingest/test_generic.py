"""A folder with scene.json, through the whole ingest."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ingest.generic_writer import write_generic
from ingest.pipeline import hold, ingested
from ingest.worlds import small_world, transform
from tolman.errors import InputError
from tolman.ingest.build import ScansConfig, ingest
from tolman.ingest.formats.generic import FORMAT
from tolman.ingest.readers.generic_schema import read_scene_file
from videos import write_video

pytest.importorskip("plyfile", reason="scans need the extra 'ingest'")
pytest.importorskip("av", reason="scans need the extra 'ingest'")


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


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"unit": "yard"}, "field 'unit'"),
        ({"up": "up"}, "field 'up'"),
        ({"tolman_scene": 2}, "field 'tolman_scene'"),
        ({"walls": []}, "field 'walls': isn't a field of this file"),
        ({"objects": [{"id": "a", "label": "b"}]}, "field 'objects.0': takes a box"),
        ({"objects": [{"id": "a", "label": "b", "box": {**BOX, "center": [0, 0]}}]}, "field 'objects.0.box.center.2'"),
        ({"objects": [{"id": "a", "label": "b", "box": {**BOX, "extents": [1, 1, float("inf")]}}]}, "objects.0.box.extents.2"),
        ({"objects": [{"id": "a", "label": "b", "number": 1}] * 2}, "two objects have the id 'a'"),
        ({"cameras": [{"name": "x"}]}, "field 'cameras.0': takes a 'video' or a folder 'frames'"),
        ({"cameras": [{**CAMERA, "rate": 3}]}, "field 'cameras.0': takes no 'rate'"),
        ({"cameras": [{"video": "../v.mp4"}]}, "field 'cameras.0.video': takes a path below the folder"),
        ({"cameras": [{**CAMERA, "poses": [[1, 2, 3]]}]}, "field 'cameras.0.poses': pose 1 has 3 numbers: a pose takes 16 numbers"),
        ({"cameras": [CAMERA, CAMERA]}, "two cameras have the name 'ego'"),
        ({"mesh": {"file": "/etc/passwd"}}, "field 'mesh.file': takes a path below the folder"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({**GOOD, **change}))
    with pytest.raises(InputError) as caught:
        read_scene_file(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"objects": [{"id": "a", "label": "b", "box": {**BOX, "axes": [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}}]}, "row objects.0: its box can't be used: has axes that are no rotation"),
        ({"objects": [{"id": "a", "label": "b", "box": {**BOX, "extents": [900, 1, 1]}}]}, "is 900 m long"),
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
    rest = {key: value for key, value in change.items() if key != "poses"}
    (folder / "scene.json").write_text(json.dumps({**content, **rest}))
    (entry,) = ingest(ScansConfig("generic", tmp_path / "in"), tmp_path / "out", 1).scenes
    assert entry.state == "refused"
    assert entry.reason is not None
    assert re.search(said, entry.reason), entry.reason


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
