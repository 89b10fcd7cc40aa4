"""What follows from a mesh: boxes, points on large faces, completeness."""

import numpy as np
import pytest

pytest.importorskip("embreex", reason="scans need the extra 'build'")

from ingest.worlds import SIZE, same_box, small_world
from tolman.geometry.camera_geometry import Tree
from tolman.geometry.ground_plane import room_area
from tolman.ingest.scan_format import ScannedSurface
from tolman.ingest.surfaces import box_of, completeness, majority, points_of, spread_points


def test_tilted_boxes_are_found_from_faces_from_points_and_from_clouds() -> None:
    world = small_world()
    mesh = ScannedSurface(world.points, world.faces, world.numbers)
    annotated = ScannedSurface(world.points, world.faces, np.zeros_like(world.numbers), world.vertex_numbers)
    cloud = ScannedSurface(world.points, np.empty((0, 3), dtype=np.int64), world.vertex_numbers)
    for surface in (mesh, annotated, cloud):
        for number, thing in enumerate(world.objects, start=1):
            found = box_of(points_of(surface, number))
            assert found is not None
            assert same_box(found, thing.box) < 1e-9
    assert box_of(points_of(mesh, 99)) is None


def test_a_face_belongs_to_whom_two_of_its_corners_do() -> None:
    numbers = np.array([1, 1, 2, 2, 3])
    faces = np.array([[0, 1, 2], [0, 2, 3], [2, 0, 3], [0, 2, 4]])
    assert majority(numbers, faces).tolist() == [1, 2, 2, 0]


def test_large_faces_are_covered_with_points() -> None:
    points = np.array([[0.0, 0, 0], [6, 0, 0], [6, 3, 0], [0, 3, 0]])
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    spread = spread_points(ScannedSurface(points, faces, np.zeros(2, dtype=np.int64)))
    assert room_area(points) == 0.0
    assert room_area(spread) == pytest.approx(18.0, rel=0.01)


@pytest.mark.parametrize("missing", [0.0, 0.3, 1.0])
def test_completeness_is_the_share_of_what_cameras_look_at(missing: float) -> None:
    world = small_world()
    middles = world.points[world.faces].mean(1)
    keep = ~((world.numbers == 0) & (middles[:, 0] < 5 * missing))
    tree = Tree(world.points, world.faces[keep], "build")
    found = completeness(tree, world.poses, [world.intrinsics] * len(world.poses), SIZE)
    assert found is not None
    if missing == 0:
        assert found > 0.9999
    else:
        assert found < (0.95 if missing < 1 else 0.75)


def test_rays_upwards_do_not_count() -> None:
    world = small_world()
    ceiling = (world.numbers == 0) & (world.points[world.faces][:, :, 2] > 2.59).all(1)
    tree = Tree(world.points, world.faces[~ceiling], "build")
    found = completeness(tree, world.poses, [world.intrinsics] * len(world.poses), SIZE)
    assert found == pytest.approx(1.0, abs=1e-4)
