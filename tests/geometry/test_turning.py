"""Turning a pixel, and projecting with the turned camera, are the same."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tolman.geometry.camera_geometry import (
    project,
    scaled_intrinsics,
    turned_intrinsics,
    turned_picture,
    turned_pixels,
    turned_poses,
    turned_size,
)

SIZE = (64, 48)
FLOATS = st.floats(-3, 3, allow_nan=False)


def pose(angles: list[float], place: list[float]) -> np.ndarray:
    vector = np.array(angles)
    skew = np.array([[0, -vector[2], vector[1]], [vector[2], 0, -vector[0]], [-vector[1], vector[0], 0]])
    matrix = np.eye(4)
    matrix[:3, :3] = np.linalg.qr(np.eye(3) + skew)[0]
    matrix[:3, :3] *= np.sign(np.linalg.det(matrix[:3, :3]))
    matrix[:3, 3] = place
    return matrix


@settings(deadline=None, max_examples=50)
@given(
    st.lists(FLOATS, min_size=3, max_size=3), st.lists(FLOATS, min_size=3, max_size=3),
    st.tuples(st.floats(10, 90), st.floats(10, 90), st.floats(0, 64), st.floats(0, 48)), st.integers(-4, 7), st.integers(0, 99),
)  # fmt: skip
def test_a_turned_pixel_is_where_the_turned_camera_projects(
    angles: list[float], place: list[float], camera: tuple[float, float, float, float], turns: int, seed: int
) -> None:
    points = np.random.default_rng(seed).normal(scale=4.0, size=(40, 3))
    matrix = pose(angles, place)
    pixels, depth = project(points, matrix, camera)
    other, same = project(points, turned_poses(matrix, turns), tuple(turned_intrinsics(np.array(camera), SIZE, turns)))
    assert np.allclose(turned_pixels(pixels, SIZE, turns), other, rtol=1e-9, atol=1e-6, equal_nan=True)
    assert np.allclose(depth, same)


@pytest.mark.parametrize("turns", range(-1, 5))
def test_a_pictures_pixels_go_where_turned_pixels_says(turns: int) -> None:
    picture = np.arange(SIZE[0] * SIZE[1]).reshape(SIZE[1], SIZE[0])
    turned = turned_picture(picture, turns)
    assert turned.shape[::-1] == turned_size(SIZE, turns)
    columns, rows = np.array([0, 63, 10]), np.array([0, 5, 47])
    places = turned_pixels(np.stack([columns, rows], axis=1) + 0.5, SIZE, turns) - 0.5
    assert (turned[places[:, 1].astype(int), places[:, 0].astype(int)] == picture[rows, columns]).all()


def test_a_lost_pose_stays_lost_and_sizes_scale() -> None:
    assert np.isnan(turned_poses(np.full((2, 4, 4), np.nan), 1)).all()
    assert scaled_intrinsics(np.array([8.0, 6.0, 4.0, 3.0]), (8, 6), (16, 6)).tolist() == [16.0, 6.0, 8.0, 3.0]
