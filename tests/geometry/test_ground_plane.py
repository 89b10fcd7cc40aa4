"""Room areas against the `alphashape` package and against rooms of known area."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tolman.geometry.ground_plane import (
    HALVES,
    QUADRANTS,
    THIRDS,
    alpha_area,
    boundary_gap,
    egocentric_angle,
    floor_plan,
    room_area,
    room_center,
    sector_of,
    thin,
    without_blur,
    without_outliers,
)

pytest.importorskip("shapely", reason="room areas need the extra 'build'")


def square(n: int, side: float, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0, side, (n, 2))


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("shape", ["square", "ring", "two"])
def test_the_same_as_the_alphashape_package(shape: str) -> None:
    alphashape = pytest.importorskip("alphashape", reason="compares with the package alphashape")
    points = square(3000, 3.0)
    if shape == "ring":
        points = points[np.abs(np.linalg.norm(points - 1.5, axis=1) - 1.1) < 0.4]
    if shape == "two":
        points = np.concatenate([points, square(2000, 2.0, 1) + 5])
    assert alpha_area(points) == pytest.approx(alphashape.alphashape(points, 5).area, rel=1e-12)


def test_holes_are_filled() -> None:
    points = square(60_000, 4.0)
    radius = np.linalg.norm(points - 2, axis=1)
    ring = points[(radius > 1) & (radius < 2)]
    assert alpha_area(ring) == pytest.approx(np.pi * 4, rel=0.01)


@pytest.mark.parametrize("side", [5.0, pytest.param(12.0, marks=pytest.mark.full)])
def test_large_rooms_are_not_undercounted(side: float) -> None:
    points = square(400_000, side)
    assert room_area(points) == pytest.approx(side * side, rel=0.01)


def test_outliers_and_several_rooms() -> None:
    generator = np.random.default_rng(3)
    rooms = np.concatenate([square(40_000, 4.0), square(30_000, 3.0, 1) + np.array([6, 0])])
    stray = generator.uniform(-20, 20, (200, 2))
    mirror = square(300, 0.5, 2) + 15
    assert room_area(np.concatenate([rooms, stray, mirror])) == pytest.approx(16 + 9, rel=0.02)
    assert len(without_outliers(thin(rooms))) == len(thin(rooms))


def test_an_l_shaped_room_keeps_its_corner() -> None:
    points = square(100_000, 6.0)
    inside = points[(points[:, 0] < 3) | (points[:, 1] < 2)]
    assert room_area(inside) == pytest.approx(6 * 2 + 3 * 4, rel=0.02)


@pytest.mark.full
def test_a_million_points() -> None:
    points = np.random.default_rng(4).uniform(0, [9, 7, 2.5], (1_000_000, 3))
    assert room_area(points) == pytest.approx(63, rel=0.01)


@pytest.mark.parametrize(
    "points", [np.zeros((0, 2)), np.zeros((2, 2)), np.zeros((50, 2)), np.array([[i, 2.0 * i] for i in range(30)])]
)
def test_degenerate_clouds_have_no_area(points: np.ndarray) -> None:
    assert alpha_area(points) == 0.0


def test_the_centre_of_a_turned_room() -> None:
    generator = np.random.default_rng(5)
    local = generator.uniform([-3, -1, 0], [3, 1, 2.4], (5000, 3))
    angle = 0.6
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    center = room_center(local @ turn.T + [10, -4, 1])
    assert center == pytest.approx([10, -4, 2.2], abs=0.02)


def walls(noise: float, count: int = 100_000) -> np.ndarray:
    """A scan of the walls and the ceiling of a room of 5 m by 4 m, 2.5 m high, with a deep niche below 2 m."""
    generator = np.random.default_rng(0)
    along, high = generator.uniform(0, 18, count), generator.uniform(0, 2.5, count)
    flat = np.select(
        [along < 5, along < 9, along < 14],
        [[along, 0 * along], [0 * along + 5, along - 5], [14 - along, 0 * along + 4]],
        [0 * along, 18 - along],
    ).T
    flat[:, 0] -= 0.3 * ((flat[:, 0] == 0) & (high < 2.0) & (np.abs(flat[:, 1] - 2) < 0.6))
    ceiling = np.column_stack([generator.uniform((0, 0), (5, 4), (count // 4, 2)), np.full(count // 4, 2.5)])
    points = np.concatenate([np.column_stack([flat, high]), ceiling])
    return np.asarray(points + generator.normal(0, noise, points.shape))


def test_a_floor_plan_leaves_out_strays_and_niches() -> None:
    points = walls(0.01)
    assert room_area(points) > 20 * 1.02
    assert room_area(floor_plan(points)) == pytest.approx(20.0, rel=0.015)


def test_what_is_left_of_a_blurred_wall_is_its_middle() -> None:
    points = walls(0.01)
    left = without_blur(points[:, :2])
    assert len(left) > 0.5 * len(points)
    # The niche's own wall lies 0.3 m farther.
    outside = -left[left[:, 0] > -0.15][:, 0]
    assert outside.max() < 0.02 < -points[points[:, 0] > -0.15][:, 0].min()


@pytest.mark.parametrize(
    ("query", "angle", "quadrant", "third", "half"),
    [
        ((1, 5), 349, "front-right", "right", "right"),
        ((-1, 5), 11, "front-left", "left", "left"),
        ((-5, 1), 79, "front-left", "left", "left"),
        ((-5, -1), 101, "back-left", "left", "left"),
        ((0.5, -5), 186, "back-right", "back", "right"),
        ((5, -1), 259, "back-right", "right", "right"),
    ],
)
def test_standing_at_the_origin_and_facing_along_y(
    query: tuple[float, float], angle: float, quadrant: str, third: str, half: str
) -> None:
    found = float(egocentric_angle((0, 0), (0, 1), query))
    assert found == pytest.approx(angle, abs=0.6)
    assert (sector_of(found, QUADRANTS), sector_of(found, THIRDS), sector_of(found, HALVES)) == (quadrant, third, half)


POINTS = st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.floats(-3, 3))


@given(POINTS, POINTS, POINTS, st.floats(0, 360), POINTS, st.floats(0.1, 10))
def test_turning_moving_and_scaling_the_scene_change_nothing(a, b, c, turn, shift, scale) -> None:  # type: ignore[no-untyped-def]
    points = np.array([a, b, c])
    if min(np.linalg.norm(points[0, :2] - points[i, :2]) for i in (1, 2)) < 0.5:
        return
    radians = np.radians(turn)
    matrix = np.array([[np.cos(radians), -np.sin(radians), 0], [np.sin(radians), np.cos(radians), 0], [0, 0, 1]])
    moved = scale * points @ matrix.T + np.array(shift)
    difference = abs(float(egocentric_angle(*points)) - float(egocentric_angle(*moved)))
    assert min(difference, 360 - difference) < 1e-5


@given(st.floats(0, 359.999))
def test_every_angle_is_in_one_sector_between_two_boundaries(angle: float) -> None:
    for sectors in (QUADRANTS, THIRDS, HALVES):
        past, before = boundary_gap(angle, sectors)
        assert past >= 0
        assert before > 0
        low, high, _ = next(s for s in sectors if s[2] == sector_of(angle, sectors))
        assert past + before == pytest.approx(high - low)
