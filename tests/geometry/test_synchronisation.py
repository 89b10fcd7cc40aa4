"""The offset between two clocks, from how fast two sensors turn."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation

from tolman.geometry.motion import Signal, TooLittleMotionError, estimate_offset, gyroscope, turning


def yaw(times: np.ndarray) -> np.ndarray:
    return 0.8 * np.sin(1.1 * times) + 0.4 * np.sin(2.7 * times + 1) + 0.15 * np.sin(6.1 * times)


def poses(times: np.ndarray, mount: Rotation) -> np.ndarray:
    found = np.tile(np.eye(4), (len(times), 1, 1))
    found[:, :3, :3] = (Rotation.from_rotvec(yaw(times)[:, None] * np.array([0, 0, 1.0])) * mount).as_matrix()
    return found


@settings(max_examples=20, deadline=None)
@given(st.floats(-20, 20), st.integers(0, 100))
def test_whatever_the_offset_and_the_mount(offset: float, seed: int) -> None:
    times = np.arange(0, 12, 1 / 30)
    other = np.arange(0.3, 11.5, 0.1)
    mounts = Rotation.random(2, random_state=seed)
    found = estimate_offset(turning(times, poses(times, mounts[0])), turning(other - offset, poses(other, mounts[1])))
    assert found.seconds == pytest.approx(offset, abs=0.002)
    assert found.correlation > 0.98


def test_137_ms_among_noise_and_dates() -> None:
    generator = np.random.default_rng(0)
    times = np.arange(0, 20, 0.005)
    rates = np.column_stack([np.zeros((len(times), 2)), np.gradient(yaw(times), times)]) + generator.normal(
        0, 0.05, (len(times), 3)
    )
    other = np.arange(0, 19.9, 0.1)
    shaken = Rotation.from_rotvec(generator.normal(0, 0.002, (len(other), 3)))
    track = poses(other, Rotation.identity())
    track[:, :3, :3] = track[:, :3, :3] @ shaken.as_matrix()
    found = estimate_offset(gyroscope(times + 1.7e9, rates), turning(other + 1.7e9 - 0.137, track))
    assert found.seconds == pytest.approx(0.137, abs=0.005)
    assert abs(found.seconds - 0.137) < found.error < 0.03


def signal(speeds: np.ndarray, step: float = 0.05) -> Signal:
    return Signal(np.arange(len(speeds)) * step, speeds)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (np.full(200, 0.5), np.random.default_rng(0).random(200), "the first sensor turns too evenly"),
        (np.random.default_rng(0).random(20), np.random.default_rng(0).random(200), "less than 2 s of motion"),
        (np.random.default_rng(0).random(400), np.random.default_rng(1).random(400), "agrees at no offset"),
        (1 + np.sin(np.arange(600) * 0.3), 1 + np.sin(np.arange(600) * 0.3), "the motion repeats itself"),
    ],
)
def test_too_little_motion_is_refused(first: np.ndarray, second: np.ndarray, reason: str) -> None:
    with pytest.raises(TooLittleMotionError, match=reason):
        estimate_offset(signal(first), signal(second))
