"""Marks on the pictures of a scan become objects with boxes, or one sentence that says what is wrong with them."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ingest.arkit_writer import write_ply
from ingest.generic_writer import write_generic
from ingest.marks import coco, lifted_home, write_home, write_masks
from ingest.phone_writers import write_polycam, write_record3d, write_scanner_app
from ingest.pipeline import edit_json, made, refused
from ingest.posed_writers import frames_through_lens, write_nerfstudio
from ingest.results import collection
from ingest.test_posed_pictures import LENSES, plain
from ingest.worlds import SIZE, small_world
from tolman.features.events import Noted
from tolman.features.generate.compute import noted
from tolman.generate.family import Draft
from tolman.generate.presets import drafts, preset
from tolman.generate.scene_geometry import SceneGeometry
from tolman.ground_truth.corrections import BoxIs, append_corrections
from tolman.ground_truth.scene_arrays import open_collection
from tolman.ingest.build import ScansConfig, ingest
from tolman.ingest.formats import get
from tolman.ingest.marked_objects import lift_marked
from tolman.ingest.scan_format import ScanHints
from tolman.scenes import Scene
from tolman.simulate.render import Frame

pytest.importorskip("plyfile", reason="scans need the extra 'build'")


def apart(scene: Scene) -> list[float]:
    """How far the centre of each thing's box is from the nearest one of its category that was found, metres."""
    found = []
    for thing in small_world().wanted:
        centers = [one.box.center for one in scene.of(thing.category)]
        assert len(centers) == small_world().counts[thing.category]
        found.append(min(float(np.linalg.norm(np.subtract(thing.box.center, one))) for one in centers))
    return found


@pytest.mark.parametrize("tracks", [True, False])
def test_masks_and_depth_of_a_phone_become_objects(tmp_path: Path, drawn: tuple, tracks: bool) -> None:  # type: ignore[type-arg]
    write_record3d(tmp_path / "in" / "walk.r3d", drawn)
    marks = coco(tmp_path / "marks.json", drawn, tracks=tracks)

    def stray(content: Any) -> None:
        size, first = list(SIZE[::-1]), content["annotations"][0]
        runs = {"size": size, "counts": [0, 40, size[0] * size[1] - 40]}
        content["annotations"].append({**first, "segmentation": runs, "track_id": 99 if tracks else None})

    edit_json(marks, stray)
    scene, capture, row = made("record3d", tmp_path / "in", tmp_path / "out", objects=marks)
    assert scene.counts == small_world().counts
    assert np.median(apart(scene)) < 0.1
    known = [one.lifted for one in scene.objects if one.lifted is not None]
    assert len(known) == 6
    assert all(one.frames > 4 and one.error < 0.15 for one in known)
    # No picture shows the back of the cabinet.
    (cabinet,) = scene.of("cabinet")
    assert cabinet.lifted is not None
    assert max(apart(scene)) == apart(scene)[2] < cabinet.lifted.unseen
    assert {one.object for one in capture.sightings} == {one.id for one in scene.objects}
    assert any("6 boxes are lifted from marks; pictures agree within" in note for note in row.notes)


NAMES = [f"images/frame_{i:05d}" for i in range(len(small_world().times))]


def with_cloud(folder: Path, frames: Sequence[Frame], **fields: object) -> None:
    """A nerfstudio folder with a cloud of the room, some 4 cm between its points."""
    write_nerfstudio(folder, plain(frames), ply_file_path="cloud.ply", **fields)
    world, draw = small_world(), np.random.default_rng(0)
    a, b, c = np.moveaxis(world.points[world.faces], 1, 0)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    chosen = draw.choice(len(areas), 60_000, p=areas / areas.sum())
    weights = draw.dirichlet((1, 1, 1), len(chosen))
    points = np.einsum("ij,jik->ik", weights, np.array([a[chosen], b[chosen], c[chosen]]))
    write_ply(folder / "cloud.ply", points, np.empty((0, 3), dtype=int))


def test_a_scan_without_depth_or_dense_points_is_refused(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_nerfstudio(tmp_path / "flat", plain(drawn))
    marks = coco(tmp_path / "marks.json", drawn, names=NAMES)
    reason = refused("nerfstudio", tmp_path / "flat", tmp_path / "out", up="z", scale=1.0, objects=marks)
    assert "marks objects of a scan without depth and without a dense cloud" in reason


@pytest.mark.parametrize("kind", ["polygons", "png"])
def test_every_kind_of_marks(tmp_path: Path, drawn: tuple, kind: str) -> None:  # type: ignore[type-arg]
    write_polycam(tmp_path / "in" / "walk", drawn)
    names = sorted(path.stem for path in (tmp_path / "in" / "walk" / "keyframes" / "depth").iterdir())
    if kind == "png":
        marks = write_masks(tmp_path / "marks", drawn, names)
    else:
        marks = coco(tmp_path / "marks.json", drawn, names=names, kind=kind)
    scene, _, _ = made("polycam", tmp_path / "in", tmp_path / "out", objects=marks)
    assert scene.counts == small_world().counts
    assert np.median(apart(scene)) < 0.1


def test_a_mesh_shows_what_is_seen_when(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_scanner_app(tmp_path / "walk", drawn)
    marks = coco(tmp_path / "marks.json", drawn, names=[f"frame_{2 * i:05d}" for i in range(len(drawn))])
    scene, capture, row = made("3d-scanner-app", tmp_path / "walk", tmp_path / "out", objects=marks)
    assert scene.counts == small_world().counts
    assert {one.object for one in capture.sightings} == {one.id for one in scene.objects}
    assert row.completeness is not None


def test_recordings_of_scene_json_take_marks(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_generic(tmp_path / "in" / "flat", small_world(), drawn, boxes=False, labels=False, mesh=False, depth=True)
    edit_json(tmp_path / "in" / "flat" / "scene.json", lambda content: content.update(objects=[]))
    scene, _, _ = made("generic", tmp_path / "in", tmp_path / "out", objects=coco(tmp_path / "marks.json", drawn))
    assert scene.counts == small_world().counts
    edit_json(tmp_path / "in" / "flat" / "scene.json", lambda content: content["cameras"][0].pop("poses"))
    said = refused("generic", tmp_path / "in", tmp_path / "out", objects=tmp_path / "marks.json")
    assert "none of them is one of the scan's with a pose" in said


def test_a_lens_is_taken_out_of_marks(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    lens = dict(zip(("fl_x", "fl_y", "cx", "cy", "k1", "k2", "k3", "k4"), LENSES["OPENCV_FISHEYE"], strict=True))
    bent = {"camera_model": "OPENCV_FISHEYE", **lens}
    errors = {}
    for name, frames, fields in (
        ("straight", drawn, {}),
        ("bent", frames_through_lens("OPENCV_FISHEYE", LENSES["OPENCV_FISHEYE"][4:]), bent),
    ):
        with_cloud(tmp_path / name / "flat", frames, **fields)
        marks = coco(tmp_path / f"{name}.json", frames, names=NAMES)
        scene, _, _ = made("nerfstudio", tmp_path / name, tmp_path / f"{name}-out", up="z", scale=1.0, objects=marks)
        errors[name] = float(np.median(apart(scene)))
    assert errors["bent"] < errors["straight"] + 0.03


def test_boxes_need_review_until_a_person_agrees(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_record3d(tmp_path / "in" / "walk.r3d", drawn)
    hints = ScanHints(objects=coco(tmp_path / "marks.json", drawn))
    config = ScansConfig("record3d", tmp_path / "in", hints=hints)
    ingest(config, tmp_path / "out", 1)
    scene = collection(tmp_path / "out")["record3d/walk"].scene
    first = scene.objects[0]

    def unreviewed() -> list[str]:
        events: list[object] = []
        assert len(list(noted(open_collection(tmp_path / "out"), events.append))) == 1
        return [one.text for one in events if isinstance(one, Noted)]

    assert unreviewed() == ["6 boxes are lifted from marks and unreviewed; answers may rest on them."]
    append_corrections(
        tmp_path / "out", [BoxIs(scene=scene.id, object=first.id, category=first.category, box=first.box)]
    )
    assert ingest(config, tmp_path / "out", 1).of("kept")
    again = collection(tmp_path / "out")["record3d/walk"].scene
    assert unreviewed() == ["5 boxes are lifted from marks and unreviewed; answers may rest on them."]
    assert [one.lifted is None for one in again.objects] == [one.id == first.id for one in again.objects]
    assert again.objects[0].box == first.box
    # Other marks make another scene.
    edit_json(tmp_path / "marks.json", lambda content: content["annotations"].pop())
    assert ingest(config, tmp_path / "out", 1).of("new")


def test_marks_of_several_scans(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    for name in ("one", "two"):
        write_record3d(tmp_path / name / f"{name}.r3d", drawn)
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / name / f"{name}.r3d").rename(tmp_path / "in" / f"{name}.r3d")
    (tmp_path / "marks").mkdir()
    coco(tmp_path / "marks" / "one.json", drawn)
    write_masks(tmp_path / "marks" / "two", drawn, [str(i) for i in range(len(drawn))], only=1)
    ingest(ScansConfig("record3d", tmp_path / "in", hints=ScanHints(objects=tmp_path / "marks")), tmp_path / "out", 1)
    counts = {name: len(got.scene.objects) for name, got in collection(tmp_path / "out").items()}
    assert counts == {"record3d/one": 6, "record3d/two": 1}


def _rename(content: Any) -> None:
    for image in content["images"]:
        image["file_name"] = f"other-{image['file_name']}"


def _first(**fields: Any) -> Callable[[Any], object]:
    return lambda content: content["annotations"][0].update(fields)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_rename, "none of them is one of the scan's with a pose, such as '0.jpg'"),
        (lambda c: [i.update(width=120, height=160) for i in c["images"]], "is 120×160 pixels there, and 160×120"),
        (lambda c: c["images"][0].update(width=1 << 40), "the width and height of '0' are no whole numbers"),
        (lambda c: c["images"].append(c["images"][0]), "names the picture '0', or its id, twice"),
        (lambda c: c["annotations"][1].update(track_id=c["annotations"][0]["track_id"]), "is marked 2 times on the"),
        (_first(image_id=99), "field 'annotations.0.image_id': is of a picture that isn't among its images"),
        (_first(image_id=[]), "field 'annotations.0.image_id'"),
        (_first(category_id=99), "has no name among its categories"),
        (lambda c: [one.update(name=" ") for one in c["categories"]], "has no name among its categories"),
        (_first(segmentation={"size": [1 << 30, 1 << 30], "counts": [1 << 60]}), "pixels; 134,217,728 are the most"),
        (_first(segmentation={"size": [120, 160], "counts": [5, 5]}), "the mask's counts add up to 10"),
        (_first(segmentation={"size": [120, 160], "counts": "\x00"}), "no run lengths in COCO's short form"),
        (_first(segmentation={"size": [10, 10], "counts": [100]}), "the mask is 10×10 pixels, and its picture 160×120"),
        (_first(segmentation={"counts": 3}), "takes 'counts' and 'size'"),
        (_first(segmentation=[[1, 2, 3]]), "takes polygons of three corners or more"),
        (_first(segmentation=[[0.0] * 50_000]), "takes at most 20,000 finite numbers"),
        (_first(segmentation=[[1e300] * 6]), "takes at most 20,000 finite numbers"),
        (_first(segmentation=[]), "has no mask; boxes in 2-D say too little of an object's place"),
        (lambda c: c.update(annotations=[]), "holds no annotation"),
        (lambda c: c.update(categories=3), "field 'categories': takes a list of objects"),
    ],
)
def test_bad_marks_in_one_sentence(tmp_path: Path, drawn: tuple, change: Callable[[Any], object], said: str) -> None:  # type: ignore[type-arg]
    write_record3d(tmp_path / "in" / "walk.r3d", drawn[:4])
    marks = coco(tmp_path / "marks.json", drawn[:4])
    edit_json(marks, change)
    reason = refused("record3d", tmp_path / "in", tmp_path / "out", objects=marks)
    assert said in reason
    assert str(marks) in reason
    assert reason.count("\n") == 0


@pytest.mark.parametrize(
    ("table", "value", "said"),
    [
        ({"a": "chair"}, 1, "takes the category of each number"),
        ({"7": "chair"}, 9, "holds the number 9, which isn't in categories.json"),
    ],
)
def test_bad_masks_in_one_sentence(
    tmp_path: Path,
    drawn: tuple,
    table: dict[str, str],
    value: int,
    said: str,  # type: ignore[type-arg]
) -> None:
    write_record3d(tmp_path / "in" / "walk.r3d", drawn[:4])
    (tmp_path / "marks").mkdir()
    (tmp_path / "marks" / "categories.json").write_text(json.dumps(table))
    Image.fromarray(np.full(SIZE[::-1], value, dtype=np.uint8)).save(tmp_path / "marks" / "0.png")
    assert said in refused("record3d", tmp_path / "in", tmp_path / "out", objects=tmp_path / "marks")


def test_empty_marks_and_other_pictures_are_noted(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    with_cloud(tmp_path / "flat", drawn)
    marks = coco(tmp_path / "marks.json", drawn, names=NAMES)

    def change(content: Any) -> None:
        content["images"].append({"id": 99, "file_name": "lost.jpg"})
        content["annotations"].append({**content["annotations"][0], "image_id": 99})
        size = list(SIZE[::-1])
        content["annotations"][0]["segmentation"] = {"size": size, "counts": [size[0] * size[1]]}

    edit_json(marks, change)
    _, _, row = made("nerfstudio", tmp_path / "flat", tmp_path / "out", up="z", scale=1.0, objects=marks)
    assert "1 marked picture not in the scan, or without a pose" in row.notes
    assert "1 mark without a pixel, or covered by others" in row.notes


@pytest.mark.full
def test_a_simulated_home_by_its_marks(tmp_path: Path) -> None:
    """Rough masks and depth give boxes, counts and questions."""
    import tolman

    tolman.simulate(
        tmp_path / "home", scenes=1, seconds=30, rate=2, size="640x480", quality="fast", depth=True, workers=1
    )
    (home,) = collection(tmp_path / "home").values()
    camera = next(one for one in home.captures if one.sensor == "camera")
    marks = write_home(tmp_path / "home", home.scene, camera, tmp_path / "in" / "flat")
    asked = []
    for objects in (None, marks):
        scene, capture, _ = made(
            "nerfstudio",
            tmp_path / "in",
            tmp_path / f"out-{objects is None}",
            scale=1.0,
            up="z",
            rate=2,
            objects=objects,
        )
        asked.append(
            sum(isinstance(one, Draft) for one in drafts(SceneGeometry(scene, [capture]), preset("vsi-paper")))
        )
    assert asked[0] == 0
    assert asked[1] > 50
    (source,) = get("nerfstudio").find(tmp_path / "in")
    source = replace(source, hints=ScanHints(scale=1.0, up="z", objects=marks))
    found = [one for one in lift_marked(source, get("nerfstudio").read(source)).instances if one.box is not None]
    overlaps, right, excess = lifted_home(home.scene, marks, found)
    assert len(overlaps) > 15
    # Windows and doors are thinner than the noise.
    thick = {one.id for one in home.scene.objects if min(one.box.extents) > 0.12}
    assert np.median([value for name, value in overlaps.items() if name in thick]) >= 0.7
    assert np.mean(right) >= 0.95
    assert np.mean(np.array(excess) <= 0) > 0.5
