"""Landmarks out of scripted detections of a known place."""

import numpy as np
import pytest

from tolman.models.detector.detector_model import EYE, PITCH, find_landmarks, sure
from tolman.models.detector.network import Detection, overlap, without_repeats

PLACES = {
    "chair-0": (2.0, 1.0, 0.4),
    "chair-1": (3.0, -1.5, 0.4),
    "sofa-0": (4.0, 0.2, 0.4),
    "clock-0": (1.5, 3.5, 1.8),
    "table-0": (-1.0, 2.5, 0.4),
}
"""Middles in metres, as seen from the origin along x."""
SIZE = (0.5, 0.5, 0.8)


def seen(pose: tuple[float, float, float], score: float = 0.9) -> list[Detection]:
    """What a camera at (x, y, yaw) sees of the place in 72 degrees, exactly."""
    found = []
    for name, (x, y, height) in PLACES.items():
        c, s = np.cos(pose[2]), np.sin(pose[2])
        forward, left = (np.array([[c, s], [-s, c]]) @ (np.array([x, y]) - pose[:2])).tolist()
        below = EYE - height
        ahead = forward * np.cos(PITCH) + below * np.sin(PITCH)
        down = below * np.cos(PITCH) - forward * np.sin(PITCH)
        if ahead > 0.3 and abs(left) < ahead * np.tan(np.radians(36)):
            middle = (-left, float(down), float(ahead))
            found.append(Detection(name[:-2], score, (0.4, 0.4, 0.6, 0.6), middle, SIZE))
    return found


def walk(steps: int = 24) -> tuple[list[list[Detection]], list[float]]:
    """A camera that turns to the left by 144 degrees as it goes half a metre ahead, four pictures a second."""
    shares = np.linspace(0, 1, steps)
    frames = [seen((0.5 * share, 0.0, np.radians(-20 + 144 * share))) for share in shares]
    return frames, [number / 4 for number in range(steps)]


def test_a_turning_camera_counts_each_object_once_and_puts_it_in_its_place() -> None:
    landmarks = find_landmarks(*walk())
    assert sorted(mark.category for mark in landmarks) == ["chair", "chair", "clock", "sofa", "table"]
    first = {mark.category: mark.place for mark in landmarks}
    for a, b in (("sofa", "clock"), ("clock", "table"), ("sofa", "table")):
        true = np.linalg.norm(np.subtract(PLACES[f"{a}-0"], PLACES[f"{b}-0"]))
        assert np.linalg.norm(first[a] - first[b]) == pytest.approx(true, abs=0.25)


def test_places_keep_their_handedness() -> None:
    first = {mark.category: mark.place[:2] for mark in find_landmarks(*walk())}
    ahead, toward = first["sofa"], first["clock"]  # seen from the table, facing the sofa, the clock is to the left
    u, v = ahead - first["table"], toward - first["table"]
    assert u[0] * v[1] - u[1] * v[0] > 0


def test_two_of_a_kind_in_one_frame_are_two() -> None:
    frame = seen((0.0, 0.0, 0.0))
    assert [mark.category for mark in find_landmarks([frame, frame])].count("chair") == 2


def test_blank_frames_show_nothing_and_those_between_lose_nothing() -> None:
    assert find_landmarks([[], [], []]) == []
    frame = seen((0.0, 0.0, 0.0))
    landmarks = find_landmarks([frame, [], frame])
    assert [mark.frames for mark in landmarks] == [[0, 2]] * len(frame)


def test_a_category_that_is_never_sure_counts_by_its_surest() -> None:
    frames = [seen((0.0, 0.0, 0.0), 0.9), seen((0.0, 0.0, 0.0), 0.3)]
    assert [len(found) for found in sure(frames)] == [3, 0]
    faint = [seen((0.0, 0.0, 0.0), 0.2), seen((0.0, 0.0, 0.0), 0.12)]
    assert [len(found) for found in sure(faint)] == [3, 0]


def test_a_box_over_a_surer_one_of_its_category_is_left_out() -> None:
    def box(category: str, score: float, left: float) -> Detection:
        return Detection(category, score, (left, 0.0, left + 0.5, 1.0), (0.0, 0.0, 1.0), SIZE)

    found = [box("chair", 0.5, 0.1), box("chair", 0.9, 0.0), box("sofa", 0.4, 0.1), box("chair", 0.3, 0.5)]
    assert overlap(found[0], found[1]) == pytest.approx(2 / 3)
    assert [(one.category, one.score) for one in without_repeats(found)] == [
        ("chair", 0.9),
        ("sofa", 0.4),
        ("chair", 0.3),
    ]
