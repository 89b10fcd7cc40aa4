"""Planes, cylinders and boxes come back from noisy points, within their bounds."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation

from tolman.geometry.clouds import surface_of
from tolman.geometry.fitting import FitError, end_of, fit_box, fit_cylinder, fit_plane


def cuboid(
    extents: tuple[float, float, float],
    turn: Rotation,
    faces: tuple[int, ...] = (0, 1, 2, 3, 5),
    noise: float = 0.01,
    seed: int = 0,
) -> np.ndarray:
    """Points on some of a box's faces: 2i at the low and 2i + 1 at the high end of axis i."""
    generator, found = np.random.default_rng(seed), []
    for face in faces:
        axis = face // 2
        area = np.prod(np.delete(extents, axis))
        points = (generator.random((int(4000 * area), 3)) - 0.5) * extents
        points[:, axis] = (face % 2 - 0.5) * extents[axis]
        found.append(points)
    points = np.concatenate(found)
    return turn.apply(points) + generator.normal(0, noise, points.shape)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 500), st.floats(0.002, 0.015))
def test_a_plane_among_strays(seed: int, noise: float) -> None:
    generator = np.random.default_rng(seed)
    turn = Rotation.random(random_state=seed)
    flat = turn.apply(np.column_stack([generator.random((600, 2)) - 0.5, generator.normal(0, noise, 600)])) + np.array(
        [1, 2, 3]
    )
    strays = generator.random((200, 3)) * 2 + np.array([0, 1, 2])
    found = fit_plane(np.concatenate([flat, strays]), reach=3 * noise + 0.005)
    normal = turn.apply([0, 0, 1])
    assert abs(found.normal @ normal) > np.cos(np.radians(2.5))
    assert abs(found.offset - found.normal @ [1, 2, 3]) < 0.01  # at its middle: far from it a tilt counts as well
    assert found.inliers[:600].mean() > 0.9


@pytest.mark.parametrize("yaw", [0.0, 0.4, 1.3])
@pytest.mark.parametrize("faces", [(0, 1, 2, 3, 5), (1, 3)], ids=["five faces", "two faces"])
def test_an_upright_box(yaw: float, faces: tuple[int, ...]) -> None:
    extents = (0.8, 0.5, 0.6)
    turn = Rotation.from_rotvec([0, 0, yaw])
    found = fit_box(surface_of(cuboid(extents, turn, faces, noise=0.01 if len(faces) > 2 else 0.005)))
    assert found.box.extents == pytest.approx(extents, abs=0.02)
    for value, true, error in zip(found.box.extents, extents, found.errors, strict=True):
        assert abs(value - true) < error
    assert abs(np.array(found.box.axes)[0] @ [np.cos(yaw), np.sin(yaw), 0]) > np.cos(np.radians(1))


def test_a_tilted_box_needs_a_free_one() -> None:
    turn, extents = Rotation.from_euler("zyx", [30, 25, -15], degrees=True), (0.9, 0.6, 0.4)
    surface = surface_of(cuboid(extents, turn))
    free = fit_box(surface, upright=False)
    assert sorted(free.box.extents) == pytest.approx(sorted(extents), abs=0.02)
    upright = fit_box(surface)
    assert np.prod(upright.box.extents) > 1.5 * np.prod(extents)


@pytest.mark.parametrize(("radius", "arc"), [(0.05, 360), (0.3, 360), (0.3, 200)])
def test_a_cylinder(radius: float, arc: float) -> None:
    generator = np.random.default_rng(0)
    around, up = np.radians(arc) * generator.random(5000), generator.random(5000) * 1.2
    points = np.column_stack([radius * np.cos(around), radius * np.sin(around), up])
    turn = Rotation.from_euler("xy", [10, 20], degrees=True)
    points = turn.apply(points) + generator.normal(0, 0.008, points.shape)
    found = fit_cylinder(surface_of(points, reach=0.03), reach=0.03)
    assert found.radius == pytest.approx(radius, abs=max(0.005, found.error))
    assert found.length == pytest.approx(1.2, abs=0.025)
    assert abs(found.axis @ turn.apply([0, 0, 1])) > np.cos(np.radians(2))
    assert found.share == pytest.approx(arc / 360, abs=0.06)


def test_the_taper_of_leaves_holds_what_smoothing_moved() -> None:
    """Plants were up to 4 cm too short, in bounds of 3 cm."""
    generator, up = np.random.default_rng(0), np.array([0.0, 0.0, 1.0])
    leaves = generator.uniform(-1, 1, (1000, 3))
    surface = surface_of(0.15 * leaves[np.linalg.norm(leaves, axis=1) < 1])
    end, highest = end_of(surface, up), np.sort(surface.raw[:, 2])[-3]
    assert not end.face
    assert highest - end.place > 0.01
    assert end.taper > highest - np.sort(surface.points[:, 2])[-40] - 1e-9


def test_what_can_t_be_fitted_is_told() -> None:
    with pytest.raises(FitError, match="are only 5"):
        fit_plane(np.zeros((5, 3)))
    line = np.column_stack([np.linspace(0, 1, 50), np.zeros(50), np.zeros(50)])
    with pytest.raises(FitError, match="on a line"):
        fit_plane(line)
    flat = np.column_stack([np.random.default_rng(0).random((500, 2)), np.zeros(500)])
    with pytest.raises(FitError, match="on no cylinder"):
        fit_cylinder(surface_of(flat))
