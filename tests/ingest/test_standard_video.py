"""Standard videos: frames by time, upright, with poses and intrinsics that fit; masks before rays."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ingest.worlds import SIZE, small_world
from tolman.errors import InputError
from tolman.geometry.camera_geometry import (
    Tree,
    project,
    turned_intrinsics,
    turned_picture,
    turned_pixels,
    turned_poses,
    turned_size,
)
from tolman.ingest.scan_format import CameraRecording
from tolman.ingest.standard_video import Sight, frames_for, record, working_size
from tolman.media.video import read_frames, read_index

pytest.importorskip("embreex", reason="scans need the extra 'build'")


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(0.001, 0.4), min_size=0, max_size=40), st.floats(1, 60))
def test_each_frame_shows_what_was_recorded_nearest_to_its_moment(gaps: list[float], rate: float) -> None:
    times = 3.0 + np.concatenate([[0.0], np.cumsum(gaps)])
    chosen = frames_for(times, rate)
    wanted = times[0] + np.arange(len(chosen)) / rate
    assert (np.diff(chosen) >= 0).all()
    assert np.allclose(np.abs(times[chosen] - wanted), np.abs(times[:, None] - wanted).min(0), atol=1e-6)
    assert wanted[-1] <= times[-1] + 1e-6 < wanted[-1] + 1 / rate + 2e-6


def test_frames_of_the_same_rate_are_all_shown_once() -> None:
    for rate in (24, 30, 59.94):
        assert (frames_for(np.arange(500) / rate + 1e9, rate) == np.arange(500)).all() or rate == 59.94
    assert frames_for(np.arange(60) / 60, 30).tolist() == list(range(0, 60, 2))


def sight() -> Sight:
    world = small_world()
    names = {number: thing.id for number, thing in enumerate(world.objects, start=1)}
    return Sight(Tree(world.points, world.faces, "build"), world.numbers, names)


def lying(drawn: Sequence, turns: int, *, masks: bool) -> CameraRecording:  # type: ignore[type-arg]
    """The small world's recording as a phone held sideways leaves it: quarter turns clockwise make it upright."""
    world = small_world()
    pictures = [np.ascontiguousarray(turned_picture(frame.colour, -turns)) for frame in drawn]
    numbers = [np.ascontiguousarray(turned_picture(frame.instances, -turns)) for frame in drawn]

    def give(frames: Sequence[int]) -> Iterator[np.ndarray]:
        return (pictures[i] for i in frames)  # type: ignore[return-value]

    return CameraRecording(
        role="ego",
        times=np.arange(len(drawn)) / 30,
        poses=turned_poses(world.poses[: len(drawn)], -turns),
        intrinsics=turned_intrinsics(np.array([world.intrinsics]), SIZE, -turns),
        size=turned_size(SIZE, turns),
        pictures=give,
        masks=(lambda frame: numbers[frame].astype(np.int64)) if masks else None,
        turns=turns,
        standard=(SIZE[0], SIZE[1], 30.0),
    )


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("masks", [True, False])
def test_a_recording_is_turned_upright_with_all_that_belongs_to_it(
    turns: int, masks: bool, drawn: tuple, tmp_path: Path
) -> None:  # type: ignore[type-arg]
    world, few = small_world(), drawn[:4]
    capture, _ = record(lying(few, turns, masks=masks), "s", "v.mp4", tmp_path, sight(), tmp_path)
    assert capture.size == SIZE
    assert np.allclose([capture.pose(i) for i in range(4)], world.poses[:4])
    assert capture.intrinsics[0] == pytest.approx(world.intrinsics)
    path = tmp_path / "v.mp4"
    for number, image in read_frames(path, read_index(path), [0, 3]):
        assert np.abs(np.asarray(image, dtype=float) - few[number].colour).mean() < 6
    seen = {(s.frame, s.object): s.pixels for s in capture.sightings}
    for index, frame in enumerate(few):
        for number, thing in enumerate(world.objects, start=1):
            true = int((frame.instances == number).sum())
            assert abs(seen.get((index, thing.id), 0) - true) <= (0 if masks else 0.01 * SIZE[0] * SIZE[1])


def test_pixels_and_depths_of_a_turned_recording_are_those_of_the_world(drawn: tuple, tmp_path: Path) -> None:  # type: ignore[type-arg]
    recording = lying(drawn[:2], 1, masks=True)
    points = np.array(small_world().objects[0].box.center)[None]
    pixels, depth = project(points, recording.poses[0], tuple(recording.intrinsics[0]))
    upright, same = project(points, small_world().poses[0], small_world().intrinsics)
    assert np.allclose(turned_pixels(pixels, recording.size, 1), upright)
    assert np.allclose(depth, same)


def test_pictures_of_another_size_or_too_few_are_refused(drawn: tuple, tmp_path: Path) -> None:  # type: ignore[type-arg]
    recording = lying(drawn[:3], 0, masks=False)

    def small(frames: Sequence[int]) -> Iterator[np.ndarray]:
        return (np.zeros((8, 8, 3), dtype=np.uint8) for _ in frames)

    def none(frames: Sequence[int]) -> Iterator[np.ndarray]:
        return iter(())

    for pictures, said in ((small, "picture 0 of 'ego' is 8×8, not 160×120"), (none, "ends before frame 0")):
        broken = CameraRecording(**{**recording.__dict__, "pictures": pictures})
        with pytest.raises(InputError, match=said):
            record(broken, "s", "v.mp4", tmp_path, sight(), tmp_path / "scan")
    assert not list(tmp_path.glob("*.mp4"))


def test_the_working_size_keeps_the_shape() -> None:
    assert [working_size(size) for size in ((640, 480), (480, 640), (1920, 1080))] == [
        (160, 120),
        (120, 160),
        (160, 90),
    ]
