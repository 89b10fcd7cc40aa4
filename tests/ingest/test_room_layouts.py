"""Layouts as text: the boxes, doors and area of a simulated home come back through both forms of file."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ingest.pipeline import refused
from ingest.test_cloud import points_of, read_all, write_ply
from ingest.worlds import CUBOIDS, ROOM, box_of, rotation, same_box, small_world
from tolman.errors import InputError
from tolman.ingest.formats import get, recognise

THINGS = [one for one in CUBOIDS if one.label != "wall"]
"""The layouts turn boxes about z only."""
WALLS = [(0.0, 0.0), (ROOM[0], 0.0), (ROOM[0], ROOM[1]), (0.0, ROOM[1])]
DOOR = (2, (1.2, ROOM[1], 1.0), 0.9, 2.0)
"""Its wall, which is that along x at the far side, its centre, width and height."""


def spatiallm(*, thick: float = 0.0, extra: Sequence[str] = ()) -> str:
    """As SpatialLM writes: `wall_0=Wall(ax,ay,az,bx,by,bz,height,thickness)`."""
    lines = []
    for i, (a, b) in enumerate(zip(WALLS, WALLS[1:] + WALLS[:1], strict=True)):
        lines.append(f"wall_{i}=Wall({a[0]},{a[1]},0.0,{b[0]},{b[1]},0.0,{ROOM[2]},{thick})")
    number, (x, y, z), width, height = DOOR
    lines.append(f"door_0=Door(wall_{number},{x},{y},{z},{width},{height})")
    for i, one in enumerate(THINGS):
        where = ",".join(map(str, one.center))
        lines.append(f"bbox_{i}=Bbox({one.label},{where},{np.radians(one.turns[0])},{','.join(map(str, one.extents))})")
    return "\n".join([*lines, *extra]) + "\n"


def scenescript() -> str:
    """As Aria Synthetic Environments: `make_wall, id=0, a_x=…`; windows may say a thickness."""
    lines = []
    for i, (a, b) in enumerate(zip(WALLS, WALLS[1:] + WALLS[:1], strict=True)):
        ends = f"a_x={a[0]}, a_y={a[1]}, a_z=0.0, b_x={b[0]}, b_y={b[1]}, b_z=0.0"
        lines.append(f"make_wall, id={i}, {ends}, height={ROOM[2]}" + (", thickness=0.0" if i else ""))
    number, (x, y, z), width, height = DOOR
    place = f"position_x={x}, position_y={y}, position_z={z}, width={width}, height={height}"
    lines.append(f"make_door, id=1000, wall0_id={number}, wall1_id=-1, {place}")
    for i, one in enumerate(THINGS):
        x, y, z = one.center
        a, b, c = one.extents
        place = f"position_x={x}, position_y={y}, position_z={z}, angle_z={np.radians(one.turns[0])}"
        lines.append(f"make_bbox, id={3000 + i}, class={one.label}, {place}, scale_x={a}, scale_y={b}, scale_z={c}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", ["spatiallm", "scenescript"])
def test_boxes_door_and_area_come_back(tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    file = "ase_scene_language.txt" if name == "scenescript" else "flat.txt"
    (tmp_path / "in" / file).write_text(scenescript() if name == "scenescript" else spatiallm())
    (tmp_path / "in" / "notes.txt").write_text("wall paper")
    found = recognise(tmp_path)
    assert (found.format, found.others, found.scenes, found.found["boxes"]) == (name, (), 1, "7 of 7 objects")
    scene, _ = read_all(name, tmp_path)
    assert scene.id == f"{name}/{'in' if name == 'scenescript' else 'flat'}"
    assert scene.room_area == pytest.approx(small_world().area, abs=1e-9)
    assert scene.room_center == pytest.approx((ROOM[0] / 2, ROOM[1] / 2, ROOM[2] / 2))
    door, *things = sorted(scene.objects, key=lambda one: one.category != "door")
    assert same_box(door.box, box_of(np.array(DOOR[1]), np.eye(3), (DOOR[2], 0.0, DOOR[3]))) < 1e-9
    for one in THINGS:
        true = box_of(np.array(one.center), rotation(one.turns[0]).T, one.extents)
        assert min(same_box(thing.box, true) for thing in things if thing.category == one.label) < 1e-9


def test_a_cloud_goes_with_it(tmp_path: Path) -> None:
    for folder in ("layout", "pcd"):
        (tmp_path / folder).mkdir()
    (tmp_path / "layout" / "flat.txt").write_text(spatiallm(thick=0.1))
    write_ply(tmp_path / "pcd" / "flat.ply", points_of(small_world()))
    found = get("spatiallm").read(get("spatiallm").find(tmp_path)[0])
    assert found.surface is not None
    assert np.ptp(found.surface.points, axis=0) == pytest.approx(ROOM, abs=0.02)
    assert found.instances[0].box is not None
    assert found.instances[0].box.extents == (0.9, 0.1, 2.0)


def test_walls_that_do_not_close_leave_the_area_to_the_cloud(tmp_path: Path) -> None:
    (tmp_path / "flat.txt").write_text(spatiallm().partition("\n")[2])
    found = get("spatiallm").read(get("spatiallm").find(tmp_path)[0])
    assert (found.room_area, found.notes) == (
        None,
        ("its walls enclose no room, so that the area isn't known by them",),
    )
    write_ply(tmp_path / "flat.ply", points_of(small_world()))
    scene, _ = read_all("spatiallm", tmp_path)
    assert scene.room_area == pytest.approx(small_world().area, rel=0.02)


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    extra = ("window_0=Window(wall_9,1,2,1,1,1)", "bbox_90=Bbox(unknown,1,1,1,0,1,1,1)")
    (tmp_path / "flat.txt").write_text(spatiallm(extra=extra))
    scene, row = read_all("spatiallm", tmp_path)
    assert len(scene.objects) == 7
    assert row.repaired == ("flat.txt: doors or windows of walls that it lacks left out, rows 12",)
    assert row.notes == ("1 box without a class left out",)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("bbox_9=Bbox(sofa,1,1,1,0,1,", r"flat\.txt, row 12: is no wall, door, window or bbox with all its numbers"),
        ("bbox_9=Bbox(sofa,1,1,1,0,1,1)", "row 12: is no wall"),
        ("bbox_9=Bbox(sofa,1,1,one,0,1,1,1)", "row 12: a number was expected"),
        ("bbox_9=Bbox(sofa,1,1,1,0,-1,1,1)", "row 12: its box can't be used: an extent is negative"),
        ("bbox_9=Bbox(sofa,1,1,nan,0,1,1,1)", "row 12: holds 'nan'"),
        ("door_9=Door(bbox_1,1,1,1,1,1)", "row 12: is no wall"),
        ("bbox_0=Bbox(sofa,1,1,1,0,1,1,1)", "both have the id 'bbox_0'"),
    ],
)
def test_lines_that_are_broken_refuse_the_layout(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "flat.txt").write_text(spatiallm(extra=(line,)))
    import re

    assert re.search(said, refused("spatiallm", tmp_path / "in", tmp_path / "out"))


def test_no_layout_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("walls of a house")
    with pytest.raises(InputError, match=r"holds no \.txt file with a layout that begins like 'wall_0=Wall"):
        get("spatiallm").find(tmp_path)
