"""Exact distances of boxes against an independent method: bounded least squares over the two solids.

The least oriented box: exact for cuboids, least among its kind, and never smaller than the points.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import lsq_linear
from scipy.spatial import ConvexHull
from scipy.spatial.distance import cdist
from scipy.spatial.transform import Rotation

from tolman.geometry.boxes import (
    Boxes,
    distances,
    grid_points,
    least_box,
    pairwise_distances,
    pairwise_distances_of_scenes,
    sampled_distance,
)
from tolman.scenes import OrientedBox


def solver_distance(a: Boxes, b: Boxes, i: int) -> float:
    """The least |(c₂ + R₂y) − (c₁ + R₁x)| for x, y inside their extents."""
    matrix = np.concatenate([a.axes[i].T, -b.axes[i].T], axis=1)
    reach = np.concatenate([a.extents[i], b.extents[i]]) / 2 + 1e-10
    found = lsq_linear(matrix, b.centers[i] - a.centers[i], bounds=(-reach, reach), method="bvls", tol=1e-14)
    return float(np.sqrt(2 * found.cost))


def random_boxes(generator: np.random.Generator, n: int, spread: float = 1.5) -> Boxes:
    extents = generator.uniform(0.01, 2, (n, 3))
    extents[generator.random((n, 3)) < 0.05] = 0.0  # flat ones
    rotations = Rotation.random(n, random_state=generator).as_matrix()
    upright = generator.random(n) < 0.3
    angles = generator.choice([0, np.pi / 2, 0.3], n)
    rotations[upright] = Rotation.from_euler("z", angles[upright][:, None]).as_matrix()
    return Boxes(generator.normal(0, spread, (n, 3)), rotations, extents)


def test_ten_thousand_random_pairs_agree_with_bounded_least_squares() -> None:
    generator = np.random.default_rng(20261121)
    a, b = random_boxes(generator, 10_000), random_boxes(generator, 10_000)
    found = distances(a, b)
    expected = np.array([solver_distance(a, b, i) for i in range(len(a))])
    assert np.abs(found - expected).max() < 1e-6
    assert 0.02 < (found == 0).mean() < 0.5


def box(center: list[float], extents: list[float], rotation: Rotation | None = None) -> Boxes:
    axes = (rotation or Rotation.identity()).as_matrix()
    return Boxes(np.array([center], float), axes[None], np.array([extents], float))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (box([0, 0, 0], [1, 1, 1]), box([2, 0, 0], [1, 1, 1]), 1.0),  # face to face
        (box([0, 0, 0], [1, 1, 1]), box([1, 0, 0], [1, 1, 1]), 0.0),  # touching
        (box([0, 0, 0], [4, 4, 4]), box([0.5, 0, 0], [1, 1, 1]), 0.0),  # nested
        (box([0, 0, 0], [1, 1, 1]), box([2, 2, 2], [1, 1, 1]), np.sqrt(3)),  # corner to corner
        (box([0, 0, 0], [1, 1, 1]), box([2, 2, 0], [1, 1, 1]), np.sqrt(2)),  # parallel edges
        (box([0, 0, 0], [2, 2, 0]), box([0, 0, 1], [2, 2, 0]), 1.0),  # flat and parallel
        (box([0, 0, 0], [2, 0, 0]), box([0, 1, 1], [0, 0, 2]), 1.0),  # two segments
        # Edge to edge: two bars that cross without touching.
        (
            box([0, 0, 0], [4, 1, 1], Rotation.from_euler("x", 45, degrees=True)),
            box([0, 0, 3], [1, 4, 1], Rotation.from_euler("y", 45, degrees=True)),
            3 - np.sqrt(2),
        ),
    ],
)
def test_known_distances(a: Boxes, b: Boxes, expected: float) -> None:
    assert distances(a, b)[0] == pytest.approx(expected, abs=1e-12)
    assert distances(b, a)[0] == pytest.approx(expected, abs=1e-12)


LENGTHS = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.01, 3)
PLACES = st.sampled_from([0.0, 0.5, 1.0, 2.0]) | st.floats(-4, 4)
ANGLES = st.sampled_from([0.0, 45.0, 90.0]) | st.floats(-180, 180)


@st.composite
def any_box(draw: st.DrawFn) -> Boxes:
    center, extents, angles = (draw(st.tuples(s, s, s)) for s in (PLACES, LENGTHS, ANGLES))
    return box(list(center), list(extents), Rotation.from_euler("zyx", angles, degrees=True))


@settings(max_examples=300, deadline=None)
@given(any_box(), any_box())
def test_touching_nested_flat_and_rotated_boxes_agree_too(a: Boxes, b: Boxes) -> None:
    found = distances(a, b)[0]
    assert found == pytest.approx(solver_distance(a, b, 0), abs=1e-6)
    assert distances(b, a)[0] == pytest.approx(found, abs=1e-9)


@settings(deadline=None)
@given(any_box(), any_box(), st.tuples(ANGLES, ANGLES, ANGLES), st.tuples(PLACES, PLACES, PLACES))
def test_distances_do_not_depend_on_where_the_scene_is(
    a: Boxes, b: Boxes, angles: tuple[float, ...], shift: tuple[float, ...]
) -> None:
    turn = Rotation.from_euler("zyx", angles, degrees=True).as_matrix()
    moved = [Boxes(x.centers @ turn.T + np.array(shift), x.axes @ turn.T, x.extents) for x in (a, b)]
    assert distances(*moved)[0] == pytest.approx(distances(a, b)[0], abs=1e-9)


def test_all_pairs_of_a_scene_are_symmetric() -> None:
    boxes = random_boxes(np.random.default_rng(1), 12)
    matrix = pairwise_distances(boxes)
    assert (matrix == matrix.T).all()
    assert (np.diag(matrix) == 0).all()
    assert matrix[2, 7] == pytest.approx(distances(boxes.take(np.array([2])), boxes.take(np.array([7])))[0], abs=1e-12)


def test_the_released_sampling_is_never_nearer_than_the_truth() -> None:
    boxes = random_boxes(np.random.default_rng(2), 12)
    exact = pairwise_distances(boxes)
    solid = [i for i in range(12) if boxes.extents[i].min() > 0]
    points = {i: grid_points(boxes, i) for i in solid}
    for i in solid:
        for j in solid:
            if i < j:
                assert sampled_distance(points[i], points[j]) >= exact[i, j] - 1e-9


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_points_that_are_left_out_of_the_sampled_distance_do_not_change_it(seed: int) -> None:
    generator = np.random.default_rng(seed)
    a, b = (
        generator.normal(0, 0.6, (int(generator.integers(1, 400)), 3)) + generator.uniform(-1.5, 1.5, 3) for _ in "ab"
    )
    assert sampled_distance(a, b) == pytest.approx(float(cdist(a, b).min()), rel=1e-12)


def test_distances_of_several_scenes_are_bit_for_bit_those_of_each() -> None:
    generator = np.random.default_rng(5)
    sizes = [0, 7, 1, 12, 0, 2, 90]  # more pairs together than are computed at once
    empty = Boxes(np.zeros(0), np.zeros(0), np.zeros(0))
    scenes = [random_boxes(generator, size) if size else empty for size in sizes]
    together = pairwise_distances_of_scenes(scenes)
    assert [found.shape for found in together] == [(size, size) for size in sizes]
    for boxes, found in zip(scenes, together, strict=True):
        assert np.array_equal(found, pairwise_distances(boxes))
        assert np.array_equal(found, found.T)
    i, j = np.triu_indices(12, k=1)
    assert np.array_equal(together[3][i, j], distances(scenes[3].take(i), scenes[3].take(j)))


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
