"""A folder with scene.json, through the whole ingest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.generic_layout import write_generic
from ingest.pipeline import hold, ingested
from ingest.worlds import small_world, transform
from tolman.errors import InputError
from tolman.ingest.generic import FORMAT
from tolman.ingest.generic_schema import read_scene_file

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
        ({"cameras": [{**CAMERA, "poses": [[1, 2, 3]]}]}, "field 'cameras.0': a pose takes 16 numbers"),
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
        ({"objects": [{"id": "a", "label": "b", "box": {**BOX, "axes": [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}}]}, "row objects.0: the axes"),
        ({"objects": [{"id": "a", "label": "b", "box": {**BOX, "extents": [900, 1, 1]}}]}, "a box is 900 m long"),
        ({}, "'a' has no box, and no mesh with labels has it"),
        ({"objects": [], "cameras": [CAMERA]}, "v.mp4: the file is missing"),
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
