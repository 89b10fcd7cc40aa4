"""Frames by their number, on videos whose frames carry it.

Clips: the frames that are shown, with the times that they have in the video.

Frames as players show them: matrix, pixel shape and colours.
"""

import gc
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tolman.items import Media
from tolman.media import frame_store
from tolman.media.frame_store import FrameStore, clip_of, labelled
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, VideoWriter, read_frames, read_index, shown_size
from tolman.messages import Clip
from video_server import frame_times
from videos import COLOURS, MATRICES, read_code, set_matrix, stripes_of, turn, write_stripes, write_video

pytest.importorskip("av", reason="reading videos needs the extra 'media'")


def numbers_of(path: Path, numbers: list[int]) -> list[int]:
    return [read_code(image) for _, image in read_frames(path, read_index(path), numbers)]


@pytest.mark.parametrize("gop", [1, 12, 250])
def test_frames_of_a_constant_rate_are_exact(tmp_path: Path, gop: int) -> None:
    path = write_video(tmp_path / "a.mp4", 300, gop=gop)
    index = read_index(path)
    assert len(index.times) == 300
    assert float(index.duration) == pytest.approx(10)
    for numbers in (list(range(300)), [0, 150, 299], [299], [7], sorted(random.Random(1).sample(range(300), 32))):
        assert numbers_of(path, numbers) == numbers


def test_read_frames_do_not_pile_up(tmp_path: Path) -> None:
    path = write_video(tmp_path / "long.mp4", 300)
    index = read_index(path)
    gc.collect()
    gc.disable()  # as good as in the command line, which collects seldom
    try:
        assert sum(1 for _ in read_frames(path, index, range(300))) == 300
        alive = sum(type(one).__name__ == "VideoFrame" for one in gc.get_objects())
    finally:
        gc.enable()
    assert alive < 100


def test_frames_of_a_variable_rate_are_exact(tmp_path: Path) -> None:
    generator = random.Random(3)
    times = [0]
    for _ in range(249):
        times.append(times[-1] + generator.choice([17, 33, 34, 50, 120, 400]))
    path = write_video(tmp_path / "v.mp4", 250, times=times)
    index = read_index(path)
    assert len(index.times) == 250
    assert [round(1000 * index.seconds(i)) for i in range(250)] == pytest.approx(times, abs=1)
    numbers = sorted(generator.sample(range(250), 40))
    assert numbers_of(path, numbers) == numbers


def test_open_groups_of_pictures_are_decoded_from_the_group_before(tmp_path: Path) -> None:
    options = {"x264-params": "open-gop=1:keyint=20:min-keyint=20:bframes=3:b-adapt=0:scenecut=0"}
    path = write_video(tmp_path / "o.mp4", 200, options=options)
    for number in range(0, 200, 7):
        assert numbers_of(path, [number]) == [number]


def test_stretches_without_a_wanted_frame_are_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tolman.media import video

    path = write_video(tmp_path / "g.mp4", 300, gop=10)
    index = read_index(path)
    needed = video._packets_needed(index, {index.times[5], index.times[255]})
    assert 2 <= sum(needed) <= 40


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_turned_video_comes_out_upright(tmp_path: Path, degrees: int) -> None:
    # The camera was turned: what is stored is the upright picture turned back, with a flag that says so.
    import av

    upright = np.zeros((320, 240, 3), dtype=np.uint8)
    upright[:80] = (255, 0, 0)  # a red band at the top
    upright[:, :40] = (0, 0, 255)  # a blue one at the left
    stored = np.rot90(upright, {90: 1, 180: 2, 270: 3}[degrees])
    path = tmp_path / "t.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = stored.shape[1], stored.shape[0], "yuv420p"
        for _ in range(5):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(stored), "rgb24")))
        container.mux(stream.encode())
    turn(path, degrees)
    _, image = next(iter(read_frames(path, read_index(path), [2])))
    assert image.size == (240, 320)
    pixels = np.asarray(image).astype(int)
    assert abs(pixels - upright).mean() < 12


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"", "is no video"), (b"this is a text, not a video" * 50, "is no video"), (None, "the file is missing")],
)
def test_a_file_that_is_no_video_is_named(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    path = tmp_path / "x.mp4"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BrokenMediaError) as caught:
        read_index(path)
    assert str(path) in str(caught.value)
    assert sentence in str(caught.value)


def test_a_truncated_video_is_named_or_read_rightly(tmp_path: Path) -> None:
    whole = write_video(tmp_path / "w.mp4", 60).read_bytes()
    generator = random.Random(5)
    named = 0
    for i in range(25):
        path = tmp_path / f"{i}.mp4"
        path.write_bytes(whole[: generator.randrange(1, len(whole))])
        try:
            assert numbers_of(path, [0, 59]) == [0, 59]
        except BrokenMediaError as error:
            assert str(path) in str(error)
            named += 1
    assert named > 20


def test_a_corrupted_video_never_ends_in_anything_else(tmp_path: Path) -> None:
    whole = bytearray(write_video(tmp_path / "w.mp4", 60).read_bytes())
    generator = random.Random(6)
    for i in range(40):
        data = bytearray(whole)
        for _ in range(20):
            data[generator.randrange(len(data))] = generator.randrange(256)
        path = tmp_path / f"{i}.mp4"
        path.write_bytes(data)
        try:
            index = read_index(path)
            list(read_frames(path, index, [0, len(index.times) // 2]))
        except BrokenMediaError as error:
            assert str(path) in str(error)


def test_a_sound_file_holds_no_video(tmp_path: Path) -> None:
    import av

    path = tmp_path / "s.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=44100)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), dtype=np.float32), format="fltp", layout="mono")
        frame.sample_rate = 44100
        container.mux(stream.encode(frame))
        container.mux(stream.encode())
    with pytest.raises(BrokenMediaError, match="holds no video stream"):
        read_index(path)


def test_a_title_that_is_no_utf8_stops_nothing(tmp_path: Path) -> None:
    path = write_video(tmp_path / "v.mp4", 5)
    data = path.read_bytes()
    assert b"Lavf" in data
    path.write_bytes(data.replace(b"Lavf", b"L\xe9vf"))
    assert len(read_index(path).times) == 5


UNEVEN = [round(1000 * i / 30) for i in range(30)] + [1000 * second for second in range(1, 11)]
"""Milliseconds: 30 frames in the first second, then one a second."""


@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
def test_a_variable_rate_lasts_to_the_end_of_its_last_frame(tmp_path: Path, suffix: str) -> None:
    index = read_index(write_video(tmp_path / f"v{suffix}", 40, times=UNEVEN))
    assert not index.even
    assert 10.0 < float(index.duration) <= 11.001  # the last frame's length is the container's
    assert float(index.length(0, 30)) == pytest.approx(1.0, abs=0.001)
    assert float(index.length(30, 40)) == pytest.approx(float(index.duration) - 1, abs=0.001)


@pytest.mark.full
@pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".avi"])
@pytest.mark.parametrize(
    "rate", [Fraction(15, 2), 10, Fraction(24000, 1001), 24, 25, Fraction(30000, 1001), 30, 50, 60]
)
def test_a_constant_rate_is_counted_in_frames(tmp_path: Path, suffix: str, rate: Fraction) -> None:
    import av

    for count in (1, 2, 7, 61, 299):
        path = tmp_path / f"{count}{suffix}"
        with av.open(str(path), "w") as container:
            stream = container.add_stream("mpeg4", rate=rate)
            stream.width, stream.height, stream.pix_fmt = 32, 32, "yuv420p"
            stream.options = {"bf": "2"} if suffix != ".avi" else {}
            for i in range(count):
                frame = av.VideoFrame.from_ndarray(np.full((32, 32, 3), i % 256, np.uint8), "rgb24")
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
        with av.open(str(path)) as container:
            average = container.streams.video[0].average_rate
        index = read_index(path)
        assert index.even
        assert index.duration == count / average
        assert index.moments(0, count) is None
        for first, behind in ((0, count), (count // 3, count), (0, count // 2 + 1)):
            assert index.length(first, behind) == index.duration * (behind - first) / count


def test_a_dropped_frame_leaves_a_rate_constant(tmp_path: Path) -> None:
    times = [round(1000 * i / 30) for i in range(301) if i != 150]
    index = read_index(write_video(tmp_path / "v.mkv", 300, times=times))
    assert index.even


@pytest.mark.parametrize(
    ("marks", "expected"), [((True, False), 0), ((False, True), 1), ((True, True), 1), ((False, False), 1)]
)
def test_of_two_tracks_the_default_is_shown_else_the_larger(
    tmp_path: Path, marks: tuple[bool, bool], expected: int
) -> None:
    import av
    from av.stream import Disposition

    path, sizes = tmp_path / "v.mkv", [(160, 120), (320, 240)]
    with av.open(str(path), "w", options={"default_mode": "passthrough"}) as container:
        streams = []
        for size, mark in zip(sizes, marks, strict=True):
            stream = container.add_stream("mpeg4", rate=10)
            stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
            stream.disposition = Disposition.default.value if mark else 0  # PyAV 15 takes no flags
            streams.append(stream)
        for _ in range(5):
            for stream, (width, height) in zip(streams, sizes, strict=True):
                frame = av.VideoFrame.from_ndarray(np.zeros((height, width, 3), np.uint8), "rgb24")
                container.mux(stream.encode(frame))
        for stream in streams:
            container.mux(stream.encode())
    index = read_index(path)
    assert next(read_frames(path, index, [0]))[1].size == sizes[expected]
    assert index.remark == f"v.mkv has 2 video tracks (160×120, 320×240); track {expected + 1} is used."


NATIVE = Frames(count=8, native=True)
UNEVEN_TIMES = tuple(int(t) for t in np.cumsum(np.random.default_rng(3).integers(15, 90, 120)))


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
    path = write_video(tmp_path / "a.mp4", 120, times=UNEVEN_TIMES)
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
    write_video(tmp_path / "b.mp4", 120, times=UNEVEN_TIMES)
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


BT709, BT601, BT2020 = (1, 1, 1), (6, 6, 6), (9, 14, 9)
WEIGHTS = {"601": (0.299, 0.114), "709": (0.2126, 0.0722), "2020": (0.2627, 0.0593)}


def frame(path: Path) -> Image.Image:
    ((_, image),) = read_frames(path, read_index(path), [2])
    return image


def rgb(matrix: str, full: bool = False) -> np.ndarray:
    """The stripes' colours by a matrix (Rec. ITU-R BT.601, BT.709, BT.2020)."""
    red, blue = WEIGHTS[matrix]
    y, cb, cr = np.array(COLOURS, dtype=float).T
    y, cb, cr = (
        (y / 255, (cb - 128) / 255, (cr - 128) / 255) if full else ((y - 16) / 219, (cb - 128) / 224, (cr - 128) / 224)
    )
    r, b = y + 2 * (1 - red) * cr, y + 2 * (1 - blue) * cb
    green = (y - red * r - blue * b) / (1 - red - blue)
    return np.clip(np.stack([r, green, b], 1), 0, 1) * 255


@pytest.mark.parametrize("name", MATRICES)
def test_the_whole_display_matrix_counts(tmp_path: Path, name: str) -> None:
    path = write_video(tmp_path / "v.mp4", 5, size=(320, 240))
    plain = np.asarray(frame(path)).astype(int)
    a, b, c, d = MATRICES[name]
    shown = np.asarray(frame(set_matrix(path, MATRICES[name]))).astype(int)
    assert shown.shape[:2] == ((240, 320) if a else (320, 240))
    for p, q in ((10, 10), (300, 10), (10, 230), (160, 235), (250, 100)):
        x, y = a * p + c * q, b * p + d * q
        x, y = x + (shown.shape[1] - 1 if min(a, c) < 0 else 0), y + (shown.shape[0] - 1 if min(b, d) < 0 else 0)
        assert abs(shown[y, x] - plain[q, p]).max() < 40


@pytest.mark.parametrize(
    ("square", "size"),
    [
        ((2, 1), (640, 240)),
        ((1, 2), (320, 480)),
        ((16, 11), (465, 240)),
        ((8, 9), (320, 270)),
        ((427, 426), (320, 240)),
    ],
)
def test_pixels_become_square(tmp_path: Path, square: tuple[int, int], size: tuple[int, int]) -> None:
    path = write_stripes(tmp_path / "v.mp4", (320, 240), square=Fraction(*square))
    assert frame(path).size == size
    assert frame(set_matrix(path, (0, 1, -1, 0))).size == size[::-1]


def test_a_pixel_shape_that_none_can_mean_is_left(tmp_path: Path) -> None:
    assert shown_size((320, 240), Fraction(1000)) == (320, 240)
    assert shown_size((320, 240), Fraction(0)) == (320, 240)
    assert shown_size((320, 240), None) == (320, 240)


@pytest.mark.parametrize(
    ("size", "settings", "matrix", "full"),
    [
        ((320, 240), {}, "601", False),
        ((1280, 720), {}, "709", False),
        ((1280, 718), {}, "601", False),
        ((720, 480), {"square": Fraction(1, 2)}, "709", False),
        ((1280, 720), {"codec": "libvpx-vp9", "options": {"crf": "4", "b:v": "0", "cpu-used": "8", "deadline": "realtime"}},
         "601", False),
        ((320, 240), {"tags": BT709}, "709", False),
        ((1280, 720), {"tags": BT601}, "601", False),
        ((320, 240), {"tags": BT2020}, "2020", False),
        ((320, 240), {"tags": BT709, "full": True}, "709", True),
        ((1280, 720), {"full": True}, "601", True),
        ((320, 240), {"tags": (2, 2, 1)}, "601", False),
        ((1280, 720), {"tags": (2, 2, 6)}, "709", False),
        ((320, 240), {"pixels": "yuv420p10le"}, "601", False),
        ((1280, 720), {"pixels": "yuv420p10le", "tags": BT709}, "709", False),
        ((320, 240), {"pixels": "yuv420p10le", "tags": BT2020}, "2020", False),
    ],
)  # fmt: skip
def test_colours_follow_the_tags_or_the_size(
    tmp_path: Path, size: tuple[int, int], settings: dict[str, object], matrix: str, full: bool
) -> None:
    path = write_stripes(tmp_path / ("v.webm" if "codec" in settings else "v.mp4"), size, **settings)
    assert abs(stripes_of(frame(path)) - rgb(matrix, full)).max() <= 6


@pytest.mark.parametrize("size", [(320, 240), (1280, 720)])
def test_what_is_written_here_comes_back_with_its_colours(tmp_path: Path, size: tuple[int, int]) -> None:
    colours = np.array([(200, 30, 40), (20, 160, 60), (40, 60, 220), (240, 230, 20)], dtype=np.uint8)
    picture = np.repeat(np.repeat(colours[None], size[1], 0), size[0] // 4, 1)
    with VideoWriter(tmp_path / "v.mp4", size, 10, "test") as writer:
        for _ in range(4):
            writer.add(picture)
    found = np.asarray(frame(tmp_path / "v.mp4")).astype(int)
    middles = found[size[1] // 2, size[0] // 8 :: size[0] // 4]
    assert abs(middles - colours.astype(int)).max() < 12
