"""Houses: rooms, doors and boxes of a simulated home come back from the files of ProcTHOR and Structured3D."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation

from ingest.pipeline import edit_json, frames_of, made, refused
from ingest.test_cloud import read_all
from ingest.worlds import FRAMES, ROOM, SIZE, box_of, same_box, small_world
from tolman.errors import InputError
from tolman.geometry.camera_geometry import Tree, pixel_rays
from tolman.ingest.formats import get, recognise
from tolman.scenes import OrientedBox

SWAP = np.eye(3)[[0, 2, 1]]
"""To Unity's axes and back."""
L_SHAPE = [(0.0, 0.0), (ROOM[0], 0.0), (ROOM[0], ROOM[1]), (-2.0, ROOM[1]), (-2.0, 2.5), (0.0, 2.5)]
"""The floor of the house's larger room; the other is in its corner."""
STORE = [(-2.0, 0.0), (0.0, 0.0), (0.0, 2.5), (-2.0, 2.5)]
DOOR = ((0.0, 1.1, 1.05), 0.9, 2.1)
"""The centre of the door between them, in the wall x = 0, its width and height."""


def unity(point: Any) -> dict[str, float]:
    """A point of ours as Unity has it."""
    return dict(zip("xyz", (SWAP @ np.array(point)).tolist(), strict=True))


def write_house(path: Path, *, old: bool = False) -> dict[str, Any]:
    """The things of the world as assets of their own; a stool stands on the table's list of children.

    Returns:
        The asset database of the house.
    """
    assets, things = {}, []
    for i, one in enumerate(small_world().wanted):
        turn = SWAP @ np.array(one.box.axes).T @ SWAP
        y, x, z = Rotation.from_matrix(turn).as_euler("YXZ", degrees=True)
        size = dict(zip("xyz", (SWAP @ np.array(one.box.extents)).tolist(), strict=True))
        assets.setdefault(one.category.title(), []).append({"assetId": f"Asset_{i}", "boundingBox": size})
        things.append({"id": f"{one.category.title()}|2|{i}", "assetId": f"Asset_{i}", "kinematic": True,
                       "position": unity(one.box.center), "rotation": {"x": x, "y": y % 360, "z": z}})  # fmt: skip
    table = next(one for one in things if one["id"].startswith("Table"))
    table["children"] = [things.pop()]
    rooms, walls = [], []
    for number, outline in ((2, L_SHAPE), (3, STORE)):
        floor = [unity((x, y, 0)) for x, y in outline]
        rooms.append({"id": f"room|{number}", "roomType": "Bedroom", "floorPolygon": floor, "ceilings": []})
        for i, (a, b) in enumerate(zip(outline, outline[1:] + outline[:1], strict=True)):
            polygon = [unity((*corner, z)) for z in (0.0, ROOM[2]) for corner in (a, b)]
            walls.append({"id": f"wall|{number}|{i}", "roomId": f"room|{number}", "polygon": polygon})
    (_, y, z), wide, high = DOOR
    # Along wall 5 of the larger room, from its corner at y = 2.5 downwards.
    low, top = (
        {"x": 2.5 - y - wide / 2, "y": z - high / 2, "z": 0},
        {"x": 2.5 - y + wide / 2, "y": z + high / 2, "z": 0},
    )
    hole: dict[str, Any] = {"boundingBox": {"min": low, "max": top}} if old else {"holePolygon": [low, top]}
    door = {"id": "door|2|3", "assetId": "Doorway_1", "wall0": "wall|2|5", "wall1": "wall|3|1", "openness": 1, **hole}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({
        "rooms": rooms, "walls": walls, "doors": [door], "windows": [], "objects": things,
        "proceduralParameters": {"skyboxId": "Sky1"}, "metadata": {} if old else {"schema": "1.0.0"},
    }))  # fmt: skip
    return assets


@pytest.mark.parametrize("old", [False, True])
def test_boxes_door_and_area_of_a_house(tmp_path: Path, old: bool) -> None:
    assets = write_house(tmp_path / "in" / "house_7.json", old=old)
    (tmp_path / "in" / "asset-database.json").write_text(json.dumps(assets))
    found = recognise(tmp_path / "in")
    assert (found.format, found.others, found.scenes, found.found["boxes"]) == ("procthor", (), 1, "7 of 7 objects")
    scene, row = read_all("procthor", tmp_path / "in")
    assert (scene.id, row.notes) == ("procthor/house_7", ("its 2 rooms are one scene",))
    assert scene.room_area == pytest.approx(ROOM[0] * ROOM[1] + 2 * ROOM[1])
    assert scene.room_center == pytest.approx((ROOM[0] / 2 - 1, ROOM[1] / 2, ROOM[2] / 2))
    truth = [(one.category, one.box) for one in small_world().wanted]
    hold_boxes(scene, [*truth, ("door", box_of(np.array(DOOR[0]), np.eye(3), (0.0, DOOR[1], DOOR[2])))])


def hold_boxes(scene: Any, truth: list[tuple[str, OrientedBox]]) -> None:
    """Each true box is there once, and no other."""
    assert sorted(one.category for one in scene.objects) == sorted(name for name, _ in truth)
    for name, true in truth:
        assert min(same_box(one.box, true) for one in scene.objects if one.category == name) < 1e-9


def test_doors_are_as_thick_as_their_asset(tmp_path: Path) -> None:
    assets = write_house(tmp_path / "house.json")
    assets["Doorway"] = [{"assetId": "Doorway_1", "boundingBox": {"x": 1.0, "y": 2.2, "z": 0.15}}]
    (tmp_path / "asset-database.json").write_text(json.dumps(assets))

    def place(house: Any) -> None:
        house["doors"][0]["assetPosition"] = {"x": 2.5 - DOOR[0][1], "y": DOOR[0][2], "z": 0}

    edit_json(tmp_path / "house.json", place)
    scene, _ = read_all("procthor", tmp_path)
    door = next(one for one in scene.objects if one.category == "door")
    assert same_box(door.box, box_of(np.array(DOOR[0]), np.eye(3), (0.15, 1.0, 2.2))) < 1e-9


def test_without_asset_sizes_things_are_counted(tmp_path: Path) -> None:
    write_house(tmp_path / "house.json")
    scene, row = read_all("procthor", tmp_path)
    assert [one.category for one in scene.objects] == ["door"]
    assert (scene.counts["chair"], scene.counts["stool"]) == (2, 1)
    assert "6 objects without a box, as houses don't hold the sizes of assets: put asset-database.json" in row.notes[1]
    (tmp_path / "asset-database.json").write_text('{"Chair": []}')
    found = get("procthor").read(get("procthor").find(tmp_path)[0])
    assert found.notes[1] == "6 objects without a box, of assets that asset-database.json lacks"
    (tmp_path / "asset-database.json").write_text('{"Chair": {"assetId": 3}}')
    assert "field 'Chair': takes a list of assets with a boundingBox" in refused("procthor", tmp_path, tmp_path / "out")


def test_lines_of_procthor_10k(tmp_path: Path) -> None:
    write_house(tmp_path / "house.json")
    house = json.loads((tmp_path / "house.json").read_text())
    (tmp_path / "house.json").unlink()
    broken = {**house, "rooms": [{"id": "room|2", "floorPolygon": [unity((0, 0, 0))]}]}
    (tmp_path / "val.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (house, broken, house)))
    sources = get("procthor").find(tmp_path)
    assert [one.id for one in sources] == [f"procthor/val_{i}" for i in range(3)]
    assert get("procthor").read(sources[2]).room_area == pytest.approx(ROOM[0] * ROOM[1] + 2 * ROOM[1])
    with pytest.raises(InputError, match=r"val\.jsonl, row 2, field 'rooms\.0\.floorPolygon': takes 3 points or more"):
        get("procthor").read(sources[1])
    (tmp_path / "val.jsonl").rename(tmp_path / "val.jsonl.gz")
    with pytest.raises(InputError, match=r"unpack \.jsonl\.gz"):
        get("procthor").find(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda house: house["objects"][0]["position"].pop("y"), "field 'objects.0.position': its number 2 is nan"),
        (lambda house: house["objects"][1].pop("id"), "field 'objects.1.id': takes an id such as 'Bed|2|0'"),
        (lambda house: house["objects"][0].update(children=[3]), "field 'objects.0.children': takes a list of objects"),
        (lambda house: house["doors"][0].update(wall0="x"), "field 'doors.0.wall0': is in a wall that the house lacks"),
        (lambda house: house["walls"][3].update(polygon=4), "field 'walls.3.polygon': takes 3 points or more"),
        (lambda house: house.update(windows=None), "field 'windows': takes a list of objects"),
        (lambda house: house.update(rooms=[]), "field 'rooms': has no room"),
        (
            lambda house: house["objects"][0]["position"].update(x=float("nan")),
            "field 'objects.0.position': its number 1 is nan",
        ),
    ],
)
def test_broken_houses_name_the_part(tmp_path: Path, change: Callable[[Any], object], said: str) -> None:
    write_house(tmp_path / "house.json")
    source = get("procthor").find(tmp_path)[0]
    edit_json(tmp_path / "house.json", change)
    with pytest.raises(InputError) as caught:
        get("procthor").read(source)
    assert said in str(caught.value)


NYU = {"chair": 5, "sofa": 6, "table": 7, "cabinet": 3, "stool": 39, "wall": 1}
"""Labels of the world's things; a stool has none of its own."""
IDS = {one.id: 40 - 3 * i for i, one in enumerate(small_world().objects)}
"""IDs of the boxes, which aren't in order."""


class Shell:
    """Planes, lines and junctions, each once, as annotation_3d.json has them."""

    def __init__(self) -> None:
        self.junctions: list[tuple[float, ...]] = []
        self.lines: list[tuple[int, int]] = []
        self.planes: list[tuple[str, list[float], list[int]]] = []

    def add(self, kind: str, corners: list[tuple[float, float, float]], normal: list[float]) -> int:
        """A plane with an outline; its number."""
        numbers = []
        for corner in corners:
            if corner not in self.junctions:
                self.junctions.append(corner)
            numbers.append(self.junctions.index(corner))
        edges = []
        for a, b in zip(numbers, numbers[1:] + numbers[:1], strict=True):
            edge = (min(a, b), max(a, b))
            if edge not in self.lines:
                self.lines.append(edge)
            edges.append(self.lines.index(edge))
        self.planes.append((kind, normal, edges))
        return len(self.planes) - 1

    def content(self, semantics: list[dict[str, Any]]) -> dict[str, Any]:
        """In millimetres."""
        lines = np.zeros((len(self.lines), len(self.junctions)), dtype=int)
        for i, edge in enumerate(self.lines):
            lines[i, list(edge)] = 1
        planes = np.zeros((len(self.planes), len(self.lines)), dtype=int)
        for i, (_, _, edges) in enumerate(self.planes):
            planes[i, edges] = 1
        return {
            "junctions": [{"ID": i, "coordinate": [1000 * v for v in one]} for i, one in enumerate(self.junctions)],
            "lines": [{"ID": i, "point": [0, 0, 0], "direction": [1, 0, 0]} for i in range(len(self.lines))],
            "planes": [{"ID": i, "type": kind, "normal": normal, "offset": 0.0} for i, (kind, normal, _) in enumerate(self.planes)],
            "semantics": semantics, "planeLineMatrix": planes.tolist(), "lineJunctionMatrix": lines.tolist(),
        }  # fmt: skip


def write_structured3d(place: Path, pictures: tuple[Any, ...]) -> None:
    """Two rooms and a balcony, a door between them, the world's things as boxes, and pictures of the larger room."""
    shell, semantics = Shell(), []
    balcony = [(5.0, 0.0), (7.0, 0.0), (7.0, 4.0), (5.0, 4.0)]
    for number, (kind, outline) in enumerate((("bedroom", L_SHAPE), ("store room", STORE), ("balcony", balcony))):
        planes = [shell.add(name, [(x, y, z) for x, y in outline], [0, 0, up]) for name, z, up in
                  (("floor", 0.0, 1.0), ("ceiling", ROOM[2], -1.0))]  # fmt: skip
        semantics.append({"ID": number, "type": kind, "planeID": planes})
    (x, y, z), wide, high = DOOR
    faces = []
    for side, normal in ((-0.1, 1.0), (0.1, -1.0)):
        ends = [(x + side, y + a * wide / 2, z + b * high / 2) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        faces.append(shell.add("wall", ends, [normal, 0.0, 0.0]))
    semantics.append({"ID": 90, "type": "door", "planeID": faces})
    place.mkdir(parents=True)
    (place / "annotation_3d.json").write_text(json.dumps(shell.content(semantics)))
    boxes = [{"ID": IDS[one.id], "basis": one.box.axes, "coeffs": [500 * v for v in one.box.extents],
              "centroid": [1000 * v for v in one.box.center]} for one in small_world().objects]  # fmt: skip
    boxes.append({"ID": 500, "basis": np.eye(3).tolist(), "coeffs": [1, 1, 1], "centroid": [0, 0, 0]})
    (place / "bbox_3d.json").write_text(json.dumps(boxes))
    room = place / "2D_rendering" / "0"
    fx, fy, cx, cy = small_world().intrinsics
    for i, (picture, pose) in enumerate(zip(pictures, small_world().poses, strict=True)):
        folder = room / "perspective" / "full" / str(i)
        save(folder, picture.colour, picture.instances)
        Image.fromarray(np.round(picture.depth * 1000).astype(np.uint16)).save(folder / "depth.png")
        numbers = [*(1000 * pose[:3, 3]), *pose[:3, 2], *-pose[:3, 1], np.arctan(cx / fx), np.arctan(cy / fy), 1]
        (folder / "camera_pose.txt").write_text(" ".join(f"{v:.12g}" for v in numbers))
    columns, rows = np.meshgrid((np.arange(512) + 0.5) / 512, (np.arange(256) + 0.5) / 256)
    turn, tilt = 2 * np.pi * (columns - 0.5), np.pi * (0.5 - rows)
    ways = np.stack([np.cos(tilt) * np.sin(turn), np.cos(tilt) * np.cos(turn), np.sin(tilt)], axis=-1)
    numbers = cast(ways.reshape(-1, 3)).reshape(256, 512)
    save(room / "panorama" / "full", np.repeat(numbers[..., None] * 30, 3, axis=-1).astype(np.uint8), numbers)
    (room / "panorama" / "camera_xyz.txt").write_text(" ".join(str(1000 * v) for v in EYE))


EYE = (2.2, 1.3, 1.4)


def cast(ways: np.ndarray) -> np.ndarray:
    """The number of the thing that is seen from EYE in each direction, shape (n,)."""
    world = small_world()
    hits, _ = Tree(world.points, world.faces, "build").cast(np.broadcast_to(EYE, ways.shape), ways)
    return np.where(hits >= 0, world.numbers[hits], 0)


def save(folder: Path, colour: np.ndarray, numbers: np.ndarray) -> None:
    """A picture with instances and labels."""
    folder.mkdir(parents=True)
    ids = np.array([65535, *IDS.values()])
    labels = np.array([2, *(NYU[one.category] for one in small_world().objects)])
    Image.fromarray(colour).save(folder / "rgb_rawlight.png")
    Image.fromarray(ids[numbers].astype(np.uint16)).save(folder / "instance.png")
    Image.fromarray(labels[numbers].astype(np.uint8)).save(folder / "semantic.png")


def test_structured3d(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_structured3d(tmp_path / "in" / "scene_00007", drawn)
    found = recognise(tmp_path / "in")
    assert (found.format, found.others, found.found["masks"]) == ("structured3d", (), "there")
    assert "times, for posed-video/speed." in found.missing
    scene, capture, row = made("structured3d", tmp_path / "in", tmp_path / "out")
    assert scene.id == "structured3d/scene_00007"
    assert row.notes[:2] == ("its 2 rooms are one scene", "1 box left out, whose label no picture shows")
    assert scene.room_area == pytest.approx(ROOM[0] * ROOM[1] + 2 * ROOM[1])
    known = [one for one in small_world().wanted if one.category != "stool"]
    truth = [(one.category, one.box) for one in known]
    hold_boxes(scene, [*truth, ("door", box_of(np.array(DOOR[0]), np.eye(3), (0.2, DOOR[1], DOOR[2])))])
    for frame, pose in zip(frames_of(capture, small_world()), small_world().poses, strict=True):
        assert np.abs(capture.pose(frame) - pose).max() < 1e-6
    assert {one.object for one in capture.sightings} == {str(IDS[one.id]) for one in known}
    assert len(capture.times) == FRAMES
    assert np.allclose(capture.intrinsics[0], np.array(small_world().intrinsics) * capture.size[0] / SIZE[0])


def test_quarters_of_panoramas_show_what_a_camera_there_would(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_structured3d(tmp_path / "scene_00007", drawn)
    _, panorama = get("structured3d").read(get("structured3d").find(tmp_path)[0]).recordings
    assert (panorama.role, len(panorama.times), panorama.depths) == ("panorama", 4, None)
    assert panorama.pictures is not None
    assert panorama.masks is not None
    values = np.array([0, *(IDS[one.id] + 1 for one in small_world().objects)])
    for i, picture in enumerate(panorama.pictures(range(4))):
        rays = pixel_rays(panorama.poses[i], tuple(panorama.intrinsics[0]), panorama.size)  # type: ignore[arg-type]
        numbers = cast(rays).reshape(panorama.size)
        assert (values[numbers] != panorama.masks(i)).mean() < 0.02
        assert (np.abs(picture[..., 0] - 30.0 * numbers) > 1).mean() < 0.05


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("annotation_3d.json", lambda it: it["planeLineMatrix"].pop(), "field 'planeLineMatrix': takes a matrix of"),
        (
            "annotation_3d.json",
            lambda it: it["junctions"][2].update(coordinate=[1, 2]),
            "field 'junctions.2.coordinate': takes 3",
        ),
        (
            "annotation_3d.json",
            lambda it: it["semantics"][1].update(planeID=[99]),
            "field 'semantics.1.planeID': takes a list",
        ),
        ("annotation_3d.json", lambda it: it.update(lines=3), "field 'lines': takes a list of objects"),
        (
            "bbox_3d.json",
            lambda it: it[1].update(basis=[[2, 0, 0], [0, 1, 0], [0, 0, 1]]),
            "row 1: its box can't be used",
        ),
        ("bbox_3d.json", lambda it: it[0].pop("ID"), "field '0.ID': takes an ID"),
        ("bbox_3d.json", lambda it: it[3].update(centroid=["a", 1, 2]), "field '3.centroid': takes 3 finite numbers"),
    ],
)
def test_broken_layouts_name_the_part(
    tmp_path: Path,
    drawn: tuple,
    file: str,
    change: Callable[[Any], object],
    said: str,  # type: ignore[type-arg]
) -> None:
    write_structured3d(tmp_path / "in" / "scene_00007", drawn)
    edit_json(tmp_path / "in" / "scene_00007" / file, change)
    answer = refused("structured3d", tmp_path / "in", tmp_path / "out")
    assert f"{file}, {said}" in answer


def test_broken_cameras_and_missing_parts(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    place = tmp_path / "scene_00007"
    write_structured3d(place, drawn)
    source = get("structured3d").find(tmp_path)[0]
    pose = place / "2D_rendering" / "0" / "perspective" / "full" / "3" / "camera_pose.txt"
    for text, said in (("1 2 3", "takes 11 numbers, and has 3"), ("1 " * 11, "has no view direction, up")):
        pose.write_text(text)
        with pytest.raises(InputError, match=f"camera_pose.txt: {said}"):
            get("structured3d").read(source)
    (place / "2D_rendering").rename(place / "packed")
    (place / "bbox_3d.json").unlink()
    found = get("structured3d").read(source)
    assert [one.label for one in found.instances] == ["door"]
    assert found.notes[1:] == (
        "it has no pictures of its furnished rooms: those are in 2D_rendering/ROOM/…/full",
        "it has no bbox_3d.json, and so no boxes but those of doors and windows",
    )
