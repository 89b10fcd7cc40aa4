import json
from pathlib import Path

import numpy as np
import pytest

from tolman.benchmarks.vsi_bench.vsi_meta_info import read
from tolman.errors import InputError
from tolman.scenes import Scene, Skipped

TILTED = [0.6, 0.8, 0.0, -0.48, 0.36, 0.8, 0.64, -0.48, 0.6]  # rows are the axes
BOX = {"centroid": [1, 2, 3], "axesLengths": [2, 1, 0.5], "normalizedAxes": TILTED, "min": [0, 0, 0], "max": [0, 0, 0]}
RECORD = {
    "video_path": "x",
    "room_size": 20.5,
    "room_center": [0, 0, 1],
    "object_counts": {"chair": 1},
    "object_bbox": {"chair": [BOX]},
    "dataset": "scannet",
}


def write(folder: Path, record: object, name: str = "s1") -> Path:
    path = folder / "scannet_meta_info_val.json"
    path.write_text(json.dumps({name: record}))
    return path


def test_axes_are_rows(tmp_path: Path) -> None:
    (scene,) = read(write(tmp_path, RECORD))
    assert isinstance(scene, Scene)
    assert scene.id == "scannet/s1"
    assert scene.objects[0].box.axes[1] == (-0.48, 0.36, 0.8)
    assert scene.objects[0].box.extents == (2, 1, 0.5)


@pytest.mark.full
def test_every_released_box_fits_its_own_hull(shared_data: Path) -> None:
    folder = shared_data / "vsi-bench" / "meta_info"
    scenes = [found for found in read(folder) if isinstance(found, Scene)]
    assert len(scenes) == 288
    assert not [found for found in read(folder) if isinstance(found, Skipped)]
    raw = {f"{r['dataset']}/{n}": r for p in folder.glob("*.json") for n, r in json.loads(p.read_text()).items()}
    for scene in scenes:
        for thing in scene.objects:
            box = thing.box
            hull = np.array(box.center) + np.abs(np.array(box.axes)).T @ np.array(box.extents) / 2
            assert any(np.allclose(hull, b["max"]) for b in raw[scene.id]["object_bbox"][thing.category])
    # Ten scenes hold their printers twice; elsewhere counts and boxes agree but for three that are really wrong.
    differ = [(s.id, c) for s in scenes for c, n in s.counts.items() if len(s.of(c)) != n]
    assert sorted(differ) == [
        ("scannet/scene0474_04", "chair"),
        ("scannet/scene0500_00", "chair"),
        ("scannet/scene0500_00", "window"),
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"axesLengths": [1, -1, 1]}, "chair 1: an extent is negative"),
        ({"centroid": [1, float("nan"), 1]}, "chair 1: a box holds a number that isn't finite"),
        ({"normalizedAxes": [1, 0, 0, 0, 1, 0, 0, 0, -1]}, "chair 1: the axes are no rotation"),
        ({"normalizedAxes": [1, 0]}, "chair 1: "),
        ({"axesLengths": [0, 0, 0]}, "chair 1: all extents are zero"),
    ],
)
def test_a_bad_box_is_named_and_the_rest_goes_on(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    boxes = {"chair": [{**BOX, **change}], "table": [BOX]}
    skipped, scene = read(write(tmp_path, {**RECORD, "object_bbox": boxes}))
    assert isinstance(skipped, Skipped)
    assert isinstance(scene, Scene)
    assert skipped.scene == "scannet/s1"
    assert skipped.reason.startswith(reason)
    assert [thing.category for thing in scene.objects] == ["table"]


def test_categories_that_look_the_same_are_one(tmp_path: Path) -> None:
    other = {**BOX, "centroid": [9, 9, 9]}
    boxes = {"caf\u00e9 chair": [BOX], "cafe\u0301 chair": [other]}
    (scene,) = read(write(tmp_path, {**RECORD, "object_bbox": boxes, "object_counts": dict.fromkeys(boxes, 1)}))
    assert isinstance(scene, Scene)
    assert scene.categories == ["caf\u00e9 chair"]
    assert scene.count("caf\u00e9 chair") == len(scene.objects) == 2


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({**RECORD, "object_bbox": {}}, "it has no usable object"),
        ({key: value for key, value in RECORD.items() if key != "dataset"}, "lacks 'dataset'"),
        ({**RECORD, "room_size": float("nan")}, "room_area"),
        ({**RECORD, "room_size": -3}, "room_area"),
        ({**RECORD, "object_counts": {"chair": "many"}}, "invalid literal"),
        ([], "list indices"),
    ],
)
def test_a_bad_scene_is_named_and_the_rest_goes_on(tmp_path: Path, record: object, reason: str) -> None:
    path = tmp_path / "scannet_meta_info_val.json"
    path.write_text(json.dumps({"bad": record, "good": RECORD}))
    *skipped, scene = read(path)
    assert isinstance(scene, Scene)
    assert reason in skipped[0].reason  # type: ignore[union-attr]
    assert "bad" in skipped[0].scene  # type: ignore[union-attr]


def test_a_folder_without_meta_info_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no scene meta-info"):
        list(read(tmp_path))
    (tmp_path / "a_meta_info_val.json").write_text("[1")
    with pytest.raises(InputError, match="is no JSON"):
        list(read(tmp_path))
