"""Poses between poses."""

import numpy as np
import pytest

from tolman.geometry.motion import poses_at
from tolman.simulate.walks import looking


def turning(times: np.ndarray) -> np.ndarray:
    places = np.column_stack([1.5 * times, -0.5 * times, np.full(len(times), 1.2)])
    return looking(places, 0.7 * times, np.zeros(len(times)), np.zeros(len(times)))


def test_even_motion_is_met_exactly_between_and_beyond() -> None:
    times = np.array([0.0, 0.1, 0.25, 0.7])
    wanted = np.array([-0.2, 0.0, 0.05, 0.25, 0.6, 0.7, 0.9])
    assert poses_at(times, turning(times), wanted) == pytest.approx(turning(wanted), abs=1e-12)


def test_one_pose_stays() -> None:
    poses = turning(np.array([0.4]))
    assert (poses_at(np.array([0.4]), poses, np.array([0.0, 9.0])) == poses[0]).all()
