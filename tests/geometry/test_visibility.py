import numpy as np
import pytest

pytest.importorskip("shapely", reason="outlines of boxes need the extra 'build'")

from tolman.geometry.boxes import Boxes
from tolman.geometry.camera_geometry import NEAR, boxes_in_view, project, rectangles_in_view, sightings_in_mask, splat

K = (100.0, 100.0, 160.0, 120.0)


def test_points_land_where_a_pinhole_camera_puts_them() -> None:
    pixels, depth = project(np.array([[0, 0, 2.0], [1, 0.5, 2.0], [0, 0, -1.0]]), np.eye(4), K)
    assert pixels[:2].tolist() == [[160, 120], [210, 145]]
    assert np.isnan(pixels[2]).all()
    assert depth.tolist() == [2, 2, -1]


def test_a_pose_maps_camera_to_scene() -> None:
    pose = np.eye(4)
    pose[:3, :3] = [[0, 0, 1], [-1, 0, 0], [0, -1, 0]]  # looks along the scene's x, z up
    pose[:3, 3] = [1, 0, 1.5]
    pixels, depth = project(np.array([4.0, 0.0, 1.5]), pose, K)
    assert pixels.tolist() == [160, 120]
    assert depth == pytest.approx(3)


def test_a_box_covers_its_face() -> None:
    boxes = Boxes(
        np.array([[0, 0, 3.0], [50, 0, 3.0], [0, 0, 0]]), np.array([np.eye(3)] * 3), np.array([[1, 1, 2.0]] * 3)
    )
    areas = boxes_in_view(boxes, np.eye(4), K, (320, 240))
    assert areas[0] == pytest.approx((100 * 1 / 2) ** 2)  # its front face, 2 m away
    assert areas[1] == 0
    assert areas[2] == 320 * 240, "the camera is inside this box"


def test_a_box_half_behind_the_camera_covers_the_pixels_whose_rays_meet_it() -> None:
    """The outline agrees with one ray through each pixel, for boxes beside, around and behind the camera."""
    rng = np.random.default_rng(8)
    centres = np.concatenate([[[1.5, 0, 3.0], [-1.5, 0.2, 0.5]], rng.uniform(-3, 3, (40, 3))])
    extents = np.concatenate([[[2, 2, 8.0], [1, 2, 6]], rng.uniform(0.3, 4, (40, 3))])
    turns, _ = np.linalg.qr(rng.normal(size=(42, 3, 3)))
    turns[:2] = np.eye(3)
    size, k = (160, 120), (90.0, 90.0, 80.0, 60.0)
    x, y = np.meshgrid(np.arange(160) + 0.5, np.arange(120) + 0.5)
    rays = np.stack([(x - k[2]) / k[0], (y - k[3]) / k[1], np.ones_like(x)], axis=-1)
    areas = boxes_in_view(Boxes(centres, turns, extents), np.eye(4), k, size)
    partly = 0
    for centre, axes, extent, area in zip(centres, turns, extents, areas, strict=True):
        start, along = -centre @ axes.T, rays @ axes.T
        with np.errstate(divide="ignore", invalid="ignore"):
            to = (np.stack([-extent / 2, extent / 2])[:, None, None] - start) / along
        enters, leaves = np.fmin(*to).max(-1), np.fmax(*to).min(-1)
        hit = (np.maximum(enters, NEAR) < leaves).sum()
        partly += 0 < hit < x.size
        assert area == pytest.approx(hit, abs=160)
    assert areas[0] > 1000
    assert partly >= 10


def test_a_mask_tells_pixels_and_nearest_depth() -> None:
    mask = np.array([[1, 1, 2], [0, 1, 7]])
    depth = np.array([[2.0, 0.0, 5.0], [1.0, 1.5, np.nan]])
    found = sightings_in_mask(4, mask, {1: "chair", 2: "lamp"}, depth)
    assert [(s.frame, s.object, s.pixels, s.depth) for s in found] == [(4, "chair", 3, 1.5), (4, "lamp", 1, 5.0)]
    assert sightings_in_mask(0, mask, {7: "x"}, depth)[0].depth is None


def test_a_splat_shows_the_nearest_point_of_each_pixel() -> None:
    points = np.array([[0.0, 0.0, 4.0], [0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 0.0, -2.0], [9.0, 0.0, 2.0]])
    depth, seen = splat(points, np.eye(4), (10.0, 10.0, 8.0, 6.0), (16, 12))
    assert seen[6, 8] == 1
    assert depth[6, 8] == 2.0
    assert seen[6, 13] == 2
    assert (seen >= 0).sum() == 2
    assert np.isinf(depth[0, 0])


def test_a_rectangle_is_around_a_box_and_inside_the_picture() -> None:
    turned = np.array([[0.6, 0, 0.8], [0, 1, 0], [-0.8, 0, 0.6]])
    boxes = Boxes(
        np.array([[0, 0, 3.0], [0, 0, 3.0], [50, 0, 3.0], [0, 0, -3.0], [0, 0.5, 0.0]]),
        np.array([np.eye(3), turned, np.eye(3), np.eye(3), np.eye(3)]),
        np.array([[1, 1, 2.0]] * 4 + [[1, 0.2, 8.0]]),
    )
    found = rectangles_in_view(boxes, np.eye(4), K, (320, 240))
    assert found[0].tolist() == [135, 95, 185, 145]  # its front face, 2 m away
    pixels, _ = project(boxes.vertices()[1], np.eye(4), K)
    assert found[1] == pytest.approx([*pixels.min(0), *pixels.max(0)])
    assert np.isnan(found[2:4]).all(), "beside the picture, and behind the camera"
    # A carpet that begins behind the camera: from its far end 4 m away down to the picture's edge.
    assert found[4] == pytest.approx([0, 120 + 100 * 0.4 / 4, 320, 240])
    assert NEAR < 0.4
