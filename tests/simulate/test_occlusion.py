"""Crevices: the density of surfaces is that of planes, wherever they lie on the grid."""

import numpy as np
import pytest

from tolman.geometry.boxes import Floats
from tolman.simulate.mesh import Mesh, block, quads
from tolman.simulate.shadow_maps import BLUR, FULL, Crevices, find_crevices

CELL = 0.04


def floor(height: float, turn: float = 0.0) -> Mesh:
    """A square of 2 m, turned about y."""
    corners = np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    c, s = np.cos(turn), np.sin(turn)
    return quads((corners @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) + (0, 0, height))[None])


def density_at(found: Crevices, point: tuple[float, float, float]) -> float:
    """As the renderer takes it: between the cells around."""
    from scipy.ndimage import map_coordinates

    place: Floats = (np.array(point) - found.low) / found.cell
    return float(map_coordinates(found.density.astype(float), place[::-1, None], order=1)[0]) * FULL / 255


@pytest.mark.parametrize("height", [0.0, 0.013, 0.02])
@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_a_plane_is_as_dense_as_its_blur_says(height: float, turn: float) -> None:
    found = find_crevices([floor(height, turn)], CELL)
    up = np.array([-np.sin(turn), 0.0, np.cos(turn)])
    for away in (1.5, 2.5, 6.0):
        x, y, z = up * away * CELL + (0, 0, height)
        expected = np.exp(-0.5 * (away / BLUR) ** 2)
        assert density_at(found, (x, y, z)) == pytest.approx(expected, abs=0.12)


def test_corners_are_denser_than_planes_and_boards_are_no_denser() -> None:
    away = 2.5 * CELL
    plane = density_at(find_crevices([floor(0.0)], CELL), (0.0, 0.0, away))
    wall = quads(np.array([[[0.0, -1, 0], [0, 1, 0], [0, 1, 1], [0, -1, 1]]]))
    corner = density_at(find_crevices([floor(0.0), wall], CELL), (0.01, 0.0, away))
    board = density_at(find_crevices([block((-1, -1, -0.02), (1, 1, 0.0))], CELL), (0.0, 0.0, away))
    assert corner > plane + 0.5
    assert board < plane + 0.12


def test_it_is_the_same_each_time() -> None:
    one, other = (find_crevices([floor(0.0, 0.3)], CELL) for _ in range(2))
    np.testing.assert_array_equal(one.density, other.density)
