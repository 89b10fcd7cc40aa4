"""The least oriented box: exact for cuboids, least among its kind, and never smaller than the points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from tolman.geometry.boxes import least_box
from tolman.scenes import OrientedBox


def turn(seed: int) -> np.ndarray:
    matrix = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return np.asarray(matrix * np.sign(np.linalg.det(matrix)))


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 9999), st.tuples(*[st.floats(0.05, 4.0)] * 3))
def test_a_cuboid_is_found_again(seed: int, extents: tuple[float, float, float]) -> None:
    generator = np.random.default_rng(seed)
    signs = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    local = np.concatenate([signs, generator.uniform(-0.5, 0.5, (60, 3))]) * extents
    center = generator.normal(scale=5.0, size=3)
    found = least_box(local @ turn(seed) + center)
    assert found is not None
    assert np.allclose(found[0], center, atol=1e-9)
    assert np.allclose(sorted(found[2]), sorted(extents), atol=1e-9)
    OrientedBox.model_validate({"center": found[0].tolist(), "axes": found[1].tolist(), "extents": found[2].tolist()})


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 9999), st.integers(4, 60))
def test_it_holds_all_points_and_is_the_least_that_lies_on_a_face_and_its_edge(seed: int, count: int) -> None:
    points = np.random.default_rng(seed).normal(size=(count, 3)) * (1.0, 2.0, 0.4)
    found = least_box(points)
    assert found is not None
    center, axes, extents = found
    assert (np.abs((points - center) @ axes.T) <= extents / 2 + 1e-9).all()
    assert abs(axes[2, 2]) >= np.abs(axes[:2, 2]).max() - 1e-9
    assert extents[0] >= extents[1] - 1e-9
    volumes = []
    for face in points[ConvexHull(points).simplices]:
        up = np.cross(face[1] - face[0], face[2] - face[0])
        for start, end in ((0, 1), (1, 2), (2, 0)):
            along = face[end] - face[start]
            ways = [way / np.linalg.norm(way) for way in (along, up, np.cross(up, along))]
            volumes.append(np.prod([np.ptp(points @ way) for way in ways]))
    assert extents.prod() == pytest.approx(min(volumes), rel=1e-6)


def test_flat_and_lost_points() -> None:
    square = np.array([[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [1, 0.5, 0]], dtype=float) @ turn(3)
    found = least_box(square)
    assert found is not None
    assert sorted(found[2]) == pytest.approx([0.0, 1.0, 2.0], abs=1e-9)
    assert least_box(np.array([[0.0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3]])) is None
    assert least_box(np.zeros((5, 3))) is None
    assert least_box(np.zeros((0, 3))) is None
