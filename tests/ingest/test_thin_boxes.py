"""Thin boxes in and before walls whose readings are drawn here: x is along a wall that faces -y, and z is upwards."""

import numpy as np
import pytest

from ingest.marks import overlap
from ingest.worlds import box_of
from tolman.ingest.thin_boxes import backed
from tolman.scenes import OrientedBox

CAMERAS = np.array([[-1.0, -3.0, 1.5], [1.0, -3.0, 1.5]])
NOISE = 0.02


def sheet(x: tuple[float, float], z: tuple[float, float], y: float, seed: int = 0) -> np.ndarray:
    """Readings of a sheet at y, every 2 cm, with noise along y."""
    along, up = (axis.ravel() for axis in np.meshgrid(np.arange(*x, 0.02), np.arange(*z, 0.02)))
    return np.column_stack([along, np.random.default_rng(seed).normal(y, NOISE, len(along)), up])


def wall(left: float, right: float) -> np.ndarray:
    """Readings of the wall at y = 0 around an opening between 1 and 2 m above the floor."""
    parts = (((-2, left), (0, 2.5)), ((right, 2), (0, 2.5)), ((left, right), (0, 1)), ((left, right), (2, 2.5)))
    return np.concatenate([sheet(x, z, 0.0, i) for i, (x, z) in enumerate(parts)])


def around(points: np.ndarray, thickness: float = 0.1) -> OrientedBox:
    """The box of noisy points."""
    low, high = points.min(0), points.max(0)
    middle, lengths = (low + high) / 2, high - low
    return box_of(middle, np.eye(3), (lengths[0], thickness, lengths[2]))


def framed(left: float, right: float, seen: tuple[float, float]) -> np.ndarray:
    """Readings of a pane at y = 0.11 in a frame of 5 cm that begins at y = 0.08, between two places along the wall."""
    points = np.concatenate([sheet((left, right), (1, 2), 0.11)])
    edge = (np.abs(points[:, 0] - (left + right) / 2) > (right - left) / 2 - 0.05) | (np.abs(points[:, 2] - 1.5) > 0.45)
    points[edge, 1] -= 0.03
    return points[(points[:, 0] >= seen[0]) & (points[:, 0] <= seen[1])]


WINDOW = box_of(np.array([0.0, 0.11, 1.5]), np.eye(3), (1.2, 0.06, 1.0))


def test_a_pane_is_in_the_middle_of_its_frame() -> None:
    points = framed(-0.6, 0.6, (-0.6, 0.6))
    found = backed(around(points), points, CAMERAS, lambda _: wall(-0.6, 0.6))
    assert overlap(found, WINDOW) > 0.85


def test_an_opening_goes_on_behind_curtains() -> None:
    points = framed(-0.6, 0.6, (-0.4, 0.35))
    curtains = np.concatenate([sheet((-0.6, -0.4), (1, 2), 0.04), sheet((0.35, 0.6), (1, 2), 0.04)])
    found = backed(around(points), points, CAMERAS, lambda _: np.concatenate([wall(-0.6, 0.6), curtains]))
    assert found.extents[0] == pytest.approx(1.2, abs=0.06)
    assert overlap(found, WINDOW) > 0.75
    # Furniture before the wall hides no opening.
    chests = curtains - (0, 0.3, 0)
    found = backed(around(points), points, CAMERAS, lambda _: np.concatenate([wall(-0.6, 0.6), chests]))
    assert found.extents[0] < 0.8


def test_the_back_of_a_leaf_is_behind_its_face() -> None:
    points = sheet((-0.6, 0.6), (1, 2), 0.08)
    found = backed(around(points), points, CAMERAS, lambda _: wall(-0.6, 0.6))
    assert found.extents[1] == pytest.approx(0.05)
    assert found.center[1] == pytest.approx(0.105, abs=0.01)


@pytest.mark.parametrize("thickness", [0.03, 0.08])
def test_what_hangs_on_a_wall_ends_there(thickness: float) -> None:
    points = sheet((-0.5, 0.5), (1, 2), -thickness)
    found = backed(around(points), points, CAMERAS, lambda _: sheet((-2, 2), (0, 2.5), 0.0))
    assert found.extents[1] == pytest.approx(thickness, abs=0.008)
    assert found.center[1] == pytest.approx(-thickness / 2, abs=0.008)
    turned = np.diag([-1.0, -1.0, 1.0])
    assert np.linalg.det(np.array(found.axes)) == pytest.approx(1)
    mirrored = backed(around(points @ turned), points @ turned, CAMERAS @ turned, lambda _: sheet((-2, 2), (0, 2.5), 0))
    assert mirrored.center[1] == pytest.approx(thickness / 2, abs=0.008)


def test_without_a_wall_a_box_keeps_its_ends() -> None:
    points = sheet((-0.5, 0.5), (1, 2), 0.0)
    box = around(points)
    assert backed(box, points, CAMERAS, lambda _: np.empty((0, 3))) == box
    # Seen from both sides, it has no hidden back.
    both = CAMERAS * [[1, 1, 1], [1, -1, 1]]
    assert backed(box, points, both, lambda _: wall(-0.5, 0.5)) == box
