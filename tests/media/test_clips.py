"""Clips: the frames that are shown, with the times that they have in the video."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("av", reason="reading videos needs the extra 'media'")
from PIL import Image

from tolman.items import Media
from tolman.media import frame_store
from tolman.media.frame_store import FrameStore, clip_of, labelled
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError
from tolman.messages import Clip
from video_server import frame_times
from videos import write_video

NATIVE = Frames(count=8, native=True)
UNEVEN = tuple(int(t) for t in np.cumsum(np.random.default_rng(3).integers(15, 90, 120)))


@pytest.fixture
def store(tmp_path: Path) -> FrameStore:
    return FrameStore(tmp_path / "frames")


def times_of(clip: Clip) -> list[float]:
    return [tick / clip.fps for tick in clip.ticks]


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv"])
def test_evenly_spaced_frames_are_told_by_their_numbers(store: FrameStore, tmp_path: Path, name: str) -> None:
    path = write_video(tmp_path / name, 120)
    clip = clip_of(store, tmp_path, Media(kind="video", path=name), NATIVE)
    assert clip.ticks == tuple(picture.frame for picture in clip.frames)
    assert clip.ticks[0] == 0
    assert clip.ticks[-1] == clip.total - 1 == 119
    assert clip.fps == pytest.approx(30, abs=1e-3)
    assert clip.duration == pytest.approx(4.0, abs=1e-3)
    # A Matroska file rounds each time to a millisecond.
    assert times_of(clip) == pytest.approx(frame_times(path, clip.ticks), abs=0.0015)


def test_frames_that_are_not_evenly_spaced_are_told_in_milliseconds(store: FrameStore, tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", 120, times=UNEVEN)
    clip = clip_of(store, tmp_path, Media(kind="video", path="a.mp4"), NATIVE)
    numbers = tuple(picture.frame for picture in clip.frames)
    assert clip.fps == 1000.0
    assert clip.ticks != numbers
    assert times_of(clip) == pytest.approx(frame_times(path, numbers), abs=0.001)
    assert clip.total > clip.ticks[-1]


def test_the_times_of_a_part_count_from_its_first_frame(store: FrameStore, tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", 120)
    clip = clip_of(store, tmp_path, Media(kind="video", path="a.mp4", start=1.0, end=3.0), NATIVE)
    assert [picture.frame for picture in clip.frames][:: len(clip.frames) - 1] == [30, 90]
    assert (clip.ticks[0], clip.ticks[-1], clip.total) == (0, 60, 61)
    write_video(tmp_path / "b.mp4", 120, times=UNEVEN)
    clip = clip_of(store, tmp_path, Media(kind="video", path="b.mp4", start=1.0, end=3.0), NATIVE)
    first, last = clip.frames[0], clip.frames[-1]
    assert first.seconds is not None
    assert last.seconds is not None
    assert clip.ticks[0] == 0
    assert clip.ticks[-1] / clip.fps == pytest.approx(last.seconds - first.seconds, abs=0.001)


def test_one_frame_is_a_clip_too(store: FrameStore, tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", 1)
    clip = clip_of(store, tmp_path, Media(kind="video", path="a.mp4"), NATIVE)
    assert (clip.ticks, clip.total, len(clip.frames)) == ((0,), 1, 1)


def test_the_clock_of_a_video_is_read_once(store: FrameStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_video(tmp_path / "a.mp4", 60)
    media = Media(kind="video", path="a.mp4")
    first = clip_of(store, tmp_path, media, NATIVE)
    read: list[object] = []
    original = frame_store.read_index
    monkeypatch.setattr(frame_store, "read_index", lambda path: read.append(path) or original(path))
    assert clip_of(FrameStore(store.root), tmp_path, media, NATIVE) == first
    assert read == []
    clip_of(store, tmp_path, Media(kind="video", path="a.mp4", end=1.0), NATIVE)
    assert len(read) == 2  # for its frames, and for its clock
    for note in (store.root / "clocks").iterdir():
        note.write_text("{")
    assert clip_of(store, tmp_path, media, NATIVE) == first  # a damaged note is made again


def test_frames_of_two_sizes_are_no_video(store: FrameStore, tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", 60)
    media = Media(kind="video", path="a.mp4")
    pictures = store.pictures(tmp_path, media, Frames(count=3))
    Image.new("RGB", (100, 60)).save(pictures[1].path)
    with pytest.raises(
        BrokenMediaError, match=r"a\.mp4: its frames change their size \(352×240, then 100×60\).*--as im"
    ):
        clip_of(store, tmp_path, media, Frames(count=3, native=True))


def test_pictures_are_shared_by_both_forms(store: FrameStore, tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", 60)
    media = Media(kind="video", path="a.mp4")
    clip = clip_of(store, tmp_path, media, Frames(count=4, native=True))
    assert clip.frames == store.pictures(tmp_path, media, Frames(count=4))


def test_separate_pictures_stand_in_their_texts(store: FrameStore, tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", 60)
    one, two = store.pictures(tmp_path, Media(kind="video", path="a.mp4"), Frames(count=2))
    assert labelled((one, two), "Frame{number}: <image>\n") == ("Frame1: ", one, "\nFrame2: ", two, "\n")
    assert labelled((one, two), "<{seconds:.1f} seconds><image>") == ("<0.0 seconds>", one, "<2.0 seconds>", two)
    assert labelled((one, two), "<image>") == (one, two)
