import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolman.geometry.ground_plane import HALVES, QUADRANTS, THIRDS, boundary_gap, egocentric_angle, sector_of


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
