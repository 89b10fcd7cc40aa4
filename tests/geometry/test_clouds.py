"""Thinning, strays, groups and surfaces of point clouds."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from tolman.geometry.clouds import VoxelGrid, groups, not_strays, surface_of, voxel_means


def spread(count: int, seed: int = 0, size: float = 1.0) -> np.ndarray:
    return np.random.default_rng(seed).random((count, 3)) * size


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 7), st.floats(0.03, 0.4))
def test_a_grid_doesn_t_care_how_points_come(seed: int, parts: int, cell: float) -> None:
    points = spread(200, seed) + 1000.0
    whole, split = VoxelGrid(cell), VoxelGrid(cell)
    whole.add(points)
    for part in np.array_split(points, parts):
        split.add(part)
    first, second = whole.cloud(), split.cloud()
    assert first.weights.sum() == second.weights.sum() == 200
    # The means of all points are kept whatever the cells are.
    for cloud in (first, second):
        assert np.average(cloud.points, axis=0, weights=cloud.weights) == pytest.approx(points.mean(0), abs=1e-9)


def test_a_grid_s_memory_is_bounded() -> None:
    grid = VoxelGrid(0.01, most=500)
    for seed in range(20):
        grid.add(spread(2000, seed))
    cloud = grid.cloud()
    assert len(cloud) <= 500
    assert grid.cell in (0.08, 0.16)
    assert cloud.weights.sum() == 40_000
    grid.add(np.array([[np.nan, 0, 0], [1e9, 0, 0]]))
    assert grid.strays == 1


def test_voxel_means_are_weighted() -> None:
    cloud = voxel_means(np.array([[0.01, 0.01, 0.01], [0.02, 0.01, 0.01], [0.5, 0.5, 0.5]]), 0.1)
    assert cloud.points == pytest.approx(np.array([[0.015, 0.01, 0.01], [0.5, 0.5, 0.5]]))
    assert cloud.weights.tolist() == [2, 1]


def test_strays_are_told_from_surfaces() -> None:
    wall = np.column_stack([spread(3000)[:, :2], np.zeros(3000)])
    strays = spread(20, 1, 3.0) + np.array([0, 0, 0.5])
    kept = not_strays(np.concatenate([wall, strays]))
    assert kept[:3000].mean() > 0.97
    assert kept[3000:].sum() == 0


def test_groups_hang_together() -> None:
    points = np.concatenate([spread(300), spread(300) + np.array([2.0, 0, 0])])
    group = groups(points, 0.5)
    assert len(set(group)) == 2
    assert len(set(group[:300])) == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3]), st.floats(0.01, 0.5))
def test_groups_are_what_all_pairs_within_reach_link(seed: int, dimensions: int, reach: float) -> None:
    generator = np.random.default_rng(seed)
    points = generator.random((int(generator.integers(0, 250)), dimensions)) * generator.choice([0.1, 1.0, 3.0])
    near = cdist(points, points) <= reach if len(points) else np.zeros((0, 0))
    assert groups(points, reach).tolist() == connected_components(near, directed=False)[1].tolist()


@pytest.mark.parametrize("noise", [0.003, 0.006, 0.01])
def test_the_surface_is_found_beneath_the_noise(noise: float) -> None:
    generator = np.random.default_rng(0)
    flat = np.column_stack([generator.random((6000, 2)), generator.normal(0, noise, 6000)])
    surface = surface_of(flat)
    inner = (np.abs(flat[:, :2] - 0.5) < 0.4).all(1)
    assert surface.noise == pytest.approx(noise, rel=0.15)
    assert surface.points[inner, 2].std() < 0.35 * noise
    assert np.abs(surface.normals[inner, 2]).min() > 0.85
    # Along the surface nothing moves by more than the noise, so edges stay.
    assert np.abs(surface.points[:, :2] - flat[:, :2]).max() < 3 * noise
