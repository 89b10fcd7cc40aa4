"""Point clouds alone: the room of a simulated home comes back from files that the formats' own libraries write."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import terminal
from ingest.pipeline import made, refused
from ingest.results import box_error
from ingest.worlds import ROOM, SmallWorld, small_world, transform
from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.build import ScansConfig, SummaryRow, ingest
from tolman.ingest.camera_conventions import UP_TURNS
from tolman.ingest.clouds.cloud_files import read_e57, read_xyz
from tolman.ingest.formats import get, recognise
from tolman.ingest.scan_format import PROGRESS, ScanHints, Up
from tolman.ingest.scan_measures import open_recording
from tolman.scene_table import read_collection
from tolman.scenes import Scene

pytest.importorskip("laspy", reason="clouds need the extra 'build'")
UTM = np.array([445_123.4, 5_411_234.5, 312.25])
POSES = (transform(z=30, x=12, shift=(3, -2, 1)), transform(z=-100, y=-7, shift=(0.5, 4, 0.2)))
"""Of the scans of an E57 file."""


def points_of(world: SmallWorld, count: int = 60_000) -> Floats:
    """Points spread evenly over a world's surfaces, shape (n, 3)."""
    rng = np.random.default_rng(3)
    corners = world.points[world.faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    chosen = corners[rng.choice(len(corners), count, p=areas / areas.sum())]
    u, v = rng.random((2, count))
    u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
    return np.asarray(
        chosen[:, 0] + u[:, None] * (chosen[:, 1] - chosen[:, 0]) + v[:, None] * (chosen[:, 2] - chosen[:, 0])
    )


def write_las(path: Path, points: Floats, *records: object) -> None:
    import laspy

    header = laspy.LasHeader(version="1.2", point_format=3)
    header.scales, header.offsets = np.full(3, 1e-4), np.floor(points.mean(0))
    header.vlrs.extend(records)
    las = laspy.LasData(header)
    las.x, las.y, las.z = points.T
    las.write(path)


def write_e57(path: Path, points: Floats, *, spherical: bool = False, back_to_front: bool = False) -> None:
    """Two scans with poses, written by libE57Format; some points of each are marked as invalid."""
    pye57 = pytest.importorskip("pye57", reason="E57 needs pye57")
    lib = pye57.libe57
    with pye57.E57(str(path), mode="w") as file:
        image = file.image_file
        for pose, part in zip(POSES, np.array_split(points, 2), strict=True):
            own = (np.concatenate([part, part[:50] + 1]) - pose[:3, 3]) @ pose[:3, :3]
            kind, names = "cartesian", ("cartesianX", "cartesianY", "cartesianZ")
            if spherical:
                kind, names = "spherical", ("sphericalRange", "sphericalAzimuth", "sphericalElevation")
                ranges = np.linalg.norm(own, axis=1)
                own = np.column_stack([ranges, np.arctan2(own[:, 1], own[:, 0]), np.arcsin(own[:, 2] / ranges)])
            scan, prototype, place = (lib.StructureNode(image) for _ in range(3))
            scan.set("guid", lib.StringNode(image, "{0}"))
            x, y, z, w = Rotation.from_matrix(pose[:3, :3]).as_quat()
            for part_name, values in (
                ("rotation", {"w": w, "x": x, "y": y, "z": z}),
                ("translation", dict(zip("xyz", pose[:3, 3], strict=True))),
            ):
                node = lib.StructureNode(image)
                for name, value in sorted(values.items(), reverse=back_to_front):
                    node.set(name, lib.FloatNode(image, float(value)))
                place.set(part_name, node)
            scan.set("pose", place)
            for name in names:
                prototype.set(name, lib.FloatNode(image, 0.0, lib.E57_DOUBLE, -1e6, 1e6))
            prototype.set(f"{kind}InvalidState", lib.IntegerNode(image, 0, 0, 2))
            cloud = lib.CompressedVectorNode(image, prototype, lib.VectorNode(image, True))
            scan.set("points", cloud)
            file.data3d.append(scan)
            columns, buffers = file.make_buffers([*names, f"{kind}InvalidState"], len(own))
            for name, column in zip(names, own.T, strict=True):
                columns[name][:] = column
            columns[f"{kind}InvalidState"][:] = 0
            columns[f"{kind}InvalidState"][-50:] = 2
            writer = cloud.writer(buffers)
            writer.write(len(own))
            writer.close()


def write_ply(path: Path, points: Floats) -> None:
    import plyfile

    rows = np.zeros(len(points), dtype=[("x", "f8"), ("y", "f8"), ("z", "f8"), ("red", "u1")])
    for axis, column in zip("xyz", points.T, strict=True):
        rows[axis] = column
    plyfile.PlyData([plyfile.PlyElement.describe(rows, "vertex")]).write(str(path))


def write_pts(path: Path, points: Floats) -> None:
    lines = [f"{x!r} {y!r} {z!r} -1200 10 20 30" for x, y, z in points.tolist()]
    path.write_text("\n".join([str(len(lines)), *lines]) + "\n")


def write_xyz(path: Path, points: Floats) -> None:
    path.write_text("X;Y;Z;I\n" + "".join(f"{x!r};{y!r};{z!r};7\n" for x, y, z in points.tolist()))


WRITERS: dict[str, Callable[[Path, Floats], None]] = {
    "e57": write_e57, "las": write_las, "laz": write_las, "ply": write_ply, "pts": write_pts, "xyz": write_xyz
}  # fmt: skip


@pytest.mark.parametrize("suffix", WRITERS)
def test_room_and_boxes_come_back(tmp_path: Path, suffix: str) -> None:
    world = small_world()
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / f"flat.{suffix}"
    WRITERS[suffix](path, points_of(world) + UTM)
    boxes = [
        {"id": one.id, "label": one.category, "box": {
            "center": (UTM + one.box.center).tolist(), "extents": one.box.extents, "axes": one.box.axes,
        }}
        for one in world.wanted
    ]  # fmt: skip
    (tmp_path / "in" / "flat.objects.json").write_text(json.dumps(boxes))
    found = recognise(tmp_path / "in")
    assert (found.format, found.others, found.found["boxes"]) == ("cloud", (), "6 of 6 objects")
    scene, _, row = made("cloud", tmp_path / "in", tmp_path / "out")
    assert row.repaired[0] == (
        f"flat.{suffix}: its coordinates are those of a survey; (445,100, 5,411,200, 0) is subtracted from them"
    )
    assert scene.room_area == pytest.approx(world.area, rel=0.02)
    moved = world.moved(transform(shift=tuple(UTM - (445_100, 5_411_200, 0))))
    assert box_error(scene, moved) < 1e-3
    cloud = open_recording(tmp_path / "out").gathered(cell=0.04).cloud
    assert np.ptp(cloud.points, axis=0) == pytest.approx(ROOM, abs=0.02)


def test_measure_works_on_it(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write_las(tmp_path / "in" / "flat.las", points_of(small_world(), 300_000))
    made("cloud", tmp_path / "in", tmp_path / "out")
    words = ("measure", "out", "room-area", "--box=-1,-1,-1,6,5,3", "--json")
    done = terminal.tolman(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["value"] == pytest.approx(20.0, rel=0.02)


@pytest.mark.parametrize("spherical", [False, True])
@pytest.mark.parametrize("back_to_front", [False, True])
def test_scans_of_an_e57_file_are_placed(tmp_path: Path, spherical: bool, back_to_front: bool) -> None:
    truth = points_of(small_world(), 1000)
    write_e57(tmp_path / "a.e57", truth, spherical=spherical, back_to_front=back_to_front)
    parts = list(read_e57(tmp_path / "a.e57", chunk=300))
    assert [len(part.points) for part in parts] == [300, 200, 300, 200]
    assert np.abs(np.concatenate([part.points for part in parts]) - truth).max() < 1e-9


def test_a_mesh_keeps_its_faces(tmp_path: Path) -> None:
    import trimesh

    world = small_world()
    turned = world.points @ np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]) * 100
    trimesh.Trimesh(turned, world.faces, process=False).export(tmp_path / "mesh.ply")
    source = get("cloud").find(tmp_path)[0]
    assert get("cloud").read(source).surface is not None
    (tmp_path / "mesh.objects.json").write_text(json.dumps([{"id": "a", "label": "box", "box": {
        "center": [100.0, 50.0, -100.0], "extents": [10.0, 20.0, 30.0]}}]))  # fmt: skip
    scene, _ = read_all("cloud", tmp_path, scale=0.01, up="y")
    assert scene.room_area == pytest.approx(world.area, rel=0.02)
    assert scene.objects[0].box.center == pytest.approx((1.0, 1.0, 0.5))


def read_all(format: str, path: Path, **hints: Any) -> tuple[Scene, SummaryRow]:
    """The first scene of a folder and what the summary says of it, where there need be no capture."""
    (row, *_) = ingest(ScansConfig(format, path, hints=ScanHints(**hints)), path / "scenes", 1).scenes
    assert row.state == "new", row
    return next(iter(read_collection(path / "scenes"))).scene, row


def test_large_and_open_places_have_no_room(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    ground = np.column_stack([rng.random((200_000, 2)) * 30, rng.normal(0, 0.01, 200_000)])
    pole = np.column_stack([np.full((2000, 2), 7.0) + rng.normal(0, 0.03, (2000, 2)), rng.random(2000) * 5])
    write_las(tmp_path / "yard.las", np.concatenate([ground, pole]))
    found = get("cloud").read(get("cloud").find(tmp_path)[0])
    assert (found.outdoors, found.room_area) == (True, None)
    assert found.notes == ("it has no ceiling over most of its ground, so that it is taken as outdoors",)
    write_las(tmp_path / "yard.las", ground * 10)
    found = get("cloud").read(get("cloud").find(tmp_path)[0])
    assert (found.outdoors, found.notes) == (True, ("larger than rooms are, and taken as outdoors",))
    (tmp_path / "yard.las").unlink()
    write_ply(tmp_path / "yard.ply", ground * 1000)
    assert "far from each other; give its --scale, such as 0.001" in refused("cloud", tmp_path, tmp_path / "out")


def test_progress_is_reported(tmp_path: Path) -> None:
    write_las(tmp_path / "flat.las", points_of(small_world(), 450_000))
    heard: list[str] = []
    token = PROGRESS.set(heard.append)
    try:
        get("cloud").read(get("cloud").find(tmp_path)[0])
    finally:
        PROGRESS.reset(token)
    assert heard == [f"flat.las: {count} points" for count in ("200,000", "400,000", "450,000")]


def test_units_that_are_no_metres_are_refused(tmp_path: Path) -> None:
    from laspy.vlrs.known import GeoKeyDirectoryVlr, GeoKeyEntryStruct, WktCoordinateSystemVlr

    def keys(number: int, value: int) -> GeoKeyDirectoryVlr:
        record = GeoKeyDirectoryVlr()
        record.geo_keys = [GeoKeyEntryStruct(id=number, tiff_tag_location=0, count=1, value_offset=value)]
        record.geo_keys_header.number_of_keys = 1
        return record

    feet = 'PROJCS["NAD83 / Oregon",GEOGCS["NAD83",UNIT["degree",0.0174]],UNIT["US survey foot",0.3048006]]'
    metres = 'PROJCS["WGS 84 / UTM",GEOGCS["WGS 84",UNIT["degree",0.0174]],UNIT["metre",1]]'
    points = points_of(small_world())
    for record, said in (
        (keys(3076, 9003), "are in feet; give --scale 0.3048"),
        (keys(1024, 2), "are in degrees; convert it"),
        (WktCoordinateSystemVlr(feet), "are in feet"),
        (WktCoordinateSystemVlr('GEOGCS["WGS 84",UNIT["degree",0.0174]]'), "are in degrees"),
        (keys(3076, 9001), ""),
        (WktCoordinateSystemVlr(metres), ""),
    ):
        write_las(tmp_path / "a.las", points, record)
        source = get("cloud").find(tmp_path)[0]
        if said:
            with pytest.raises(InputError, match=said):
                get("cloud").read(source)
        else:
            assert get("cloud").read(source).surface is not None


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.e57", b"ASTM-E57" + bytes(100), r"a\.e57: is no readable E57 file"),
        ("a.xyz", b"1 2 3\n4 5\n", r"a\.xyz, row 2: '4 5' isn't x y z"),
        ("a.xyz", b"1,5;2,5;3,5\n", r"a\.xyz, row 1: '1,5;2,5;3,5' isn't x y z|x y z"),
        ("a.xyz", b"hello\nworld\n", r"a\.xyz, row 2: doesn't begin with x y z"),
        ("a.xyz", b"", r"a\.xyz: holds no usable point"),
        ("a.pts", b"3\n1 2 3\n4 5 6\n", r"a\.pts: should hold 3 points, and 2 are there"),
        ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nend_header\n", r"a\.ply: holds no usable point"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    if name.endswith(".e57"):
        pytest.importorskip("pye57", reason="E57 needs pye57")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=said):
        get("cloud").read(get("cloud").find(tmp_path)[0])


def test_text_with_numbers_in_other_columns(tmp_path: Path) -> None:
    (tmp_path / "a.xyz").write_text("x y z r g b\n1 2 3 200 0 0\n4\t5 6 0 0 0\n")
    parts = list(read_xyz(tmp_path / "a.xyz", chunk=1))
    assert [part.points.tolist() for part in parts] == [[[1, 2, 3]], [[4, 5, 6]]]


@pytest.mark.parametrize("up", ["x", "y", "-y", "z", "-z"])
def test_another_up_is_noticed(tmp_path: Path, up: Up) -> None:
    """A room's floor and ceiling are its largest planes; nothing is said once --up is given."""
    draw, sides = np.random.default_rng(0), np.array([6.0, 5.0, 2.6])
    points = draw.random((40_000, 3))
    across = draw.choice(3, len(points), p=(1 / sides) / (1 / sides).sum())  # of each point's plane
    points[np.arange(len(points)), across] = draw.integers(2, size=len(points))
    write_xyz(tmp_path / "flat.xyz", points * sides @ UP_TURNS[up])
    (source,) = get("cloud").find(tmp_path)
    axis = up.removeprefix("-")
    noted = f"its floor and ceiling seem to be across {axis} rather than z; if so, give --up={axis} or --up=-{axis}"
    assert (noted in get("cloud").read(source).notes) == (axis != "z")
    assert "rather than z" not in str(get("cloud").read(replace(source, hints=ScanHints(up=up))).notes)
