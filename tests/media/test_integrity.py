"""Media that are cut off are refused; sound ones of every container are read.

Media that are not there are told before anything is asked.
"""

import io
import json
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tolman
from tolman.errors import DataWarning, InputError
from tolman.item_table import write_items
from tolman.items import Item, Media
from tolman.media.frame_store import FrameStore, clip_of
from tolman.media.images import image_to_jpeg, read_upright
from tolman.media.integrity import MIN_FILES, lost_bytes, lost_pictures, refuse_missing, refuse_outside
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, read_frames, read_index
from tolman.messages import Joined
from videos import bar_code, write_video

pytest.importorskip("av", reason="reading videos needs the extra 'media'")

SIZE = (160, 128)
X264 = {"preset": "veryfast", "bf": "3", "g": "24"}
VPX = {"deadline": "realtime", "cpu-used": "8"}
CONTAINERS = {
    "fast.mp4": ("libx264", X264, {"movflags": "faststart"}),
    "late.mp4": ("libx264", X264, {}),
    "fast.mov": ("libx264", X264, {"movflags": "faststart"}),
    "fragments.mp4": ("libx264", X264, {"movflags": "frag_keyframe+empty_moov"}),
    "dash.mp4": ("libx264", X264, {"movflags": "frag_keyframe+empty_moov+dash+global_sidx"}),
    "a.mkv": ("libx264", X264, {}),
    "cues-first.mkv": ("libx264", X264, {"reserve_index_space": "5000"}),
    "live.mkv": ("libx264", X264, {"live": "1"}),
    "vp9.webm": ("libvpx-vp9", VPX, {}),
    "vp8.webm": ("libvpx", VPX, {}),
    "live.webm": ("libvpx", VPX, {"live": "1"}),
    "av1.mkv": ("libsvtav1", {"preset": "12", "svtav1-params": "lp=1"}, {}),
    "hevc.mp4": ("libx265", {"preset": "ultrafast", "x265-params": "log-level=none"}, {"movflags": "faststart"}),
    "mpeg4.avi": ("mpeg4", {"g": "12"}, {}),
    "mjpeg.avi": ("mjpeg", {}, {}),
    "raw.avi": ("rawvideo", {}, {}),
    "prores.mov": ("prores_ks", {}, {"movflags": "faststart"}),
    "a.ts": ("libx264", X264, {}),
    "a.m2ts": ("libx264", X264, {"mpegts_m2ts_mode": "1"}),
    "a.mpg": ("mpeg2video", {"g": "12"}, {}),
    "a.flv": ("libx264", X264, {}),
    "a.wmv": ("wmv2", {}, {}),
    "a.mxf": ("mpeg2video", {"g": "12"}, {}),
    "a.gif": ("gif", {}, {}),
    "a.apng": ("apng", {}, {}),
}
FORMATS = {".ts": "mpegts", ".m2ts": "mpegts", ".mpg": "mpeg"}
PIXELS = {"mjpeg": "yuvj420p", "rawvideo": "bgr24", "prores_ks": "yuv422p10le", "gif": "rgb8", "apng": "rgb24"}
FRAMES = 30


def written(
    path: Path,
    codec: str,
    options: dict[str, str],
    container: dict[str, str],
    *,
    sound: float = 0,
    times: object = None,
) -> Path:
    """A video of `FRAMES` frames at 25 a second, with so many seconds of sound."""
    import av

    with av.open(str(path), "w", format=FORMATS.get(path.suffix), options=container) as file:
        stream = file.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = *SIZE, PIXELS.get(codec, "yuv420p")
        stream.options = options
        voice = file.add_stream("libopus" if path.suffix == ".webm" else "aac", rate=48000) if sound else None
        if times is not None:
            stream.codec_context.time_base = Fraction(1, 1000)
        for i in range(FRAMES):
            frame = av.VideoFrame.from_ndarray(bar_code(i, *SIZE), "rgb24")
            if isinstance(times, list):
                frame.pts, frame.time_base = times[i], Fraction(1, 1000)
            file.mux(stream.encode(frame))
        file.mux(stream.encode())
        if voice is not None:
            length = voice.codec_context.frame_size or 960
            form, layout = voice.codec_context.format.name, voice.codec_context.layout.name
            channels = voice.codec_context.layout.nb_channels
            for at in range(0, int(sound * 48000), length):
                wave = np.sin(np.arange(at, at + length) * 0.05) * 0.3
                values = wave.astype(np.float32) if form.startswith("flt") else (wave * 30000).astype(np.int16)
                planes = (
                    np.repeat(values[None], channels, 0) if form.endswith("p") else np.repeat(values, channels)[None]
                )
                part = av.AudioFrame.from_ndarray(np.ascontiguousarray(planes), format=form, layout=layout)
                part.sample_rate, part.pts, part.time_base = 48000, at, Fraction(1, 48000)
                file.mux(voice.encode(part))
            file.mux(voice.encode())
    return path


def held(path: Path) -> int:
    index = read_index(path)
    return len(list(read_frames(path, index, range(len(index.times)))))


def cut(path: Path, share: float) -> Path:
    """A copy that was interrupted, not between two packets of a transport stream."""
    data = path.read_bytes()
    length = int(len(data) * share)
    target = path.with_name(f"cut-{path.name}")
    target.write_bytes(data[: length + (length % 188 == 0)])
    return target


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_video_that_is_cut_off_is_refused_and_a_whole_one_read(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, *CONTAINERS[name])
    assert lost_bytes(path) is None
    assert held(path) == FRAMES
    for share in (0.4, 0.6, 0.8):
        part = cut(path, share)
        with pytest.raises(BrokenMediaError) as caught:
            held(part)
        assert str(part) in str(caught.value)


@pytest.mark.parametrize("name", ["fast.mp4", "a.mkv", "live.webm", "mpeg4.avi", "a.ts", "a.flv", "hevc.mp4", "a.mxf"])
def test_space_that_a_download_reserved_counts_for_nothing(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, *CONTAINERS[name])
    data = path.read_bytes()
    half = len(data) // 2
    path.write_bytes(data[:half] + bytes(len(data) - half))
    with pytest.raises(BrokenMediaError, match=name):
        held(path)


def test_the_sentence_names_what_is_promised_and_what_is_there(tmp_path: Path) -> None:
    path = cut(written(tmp_path / "fast.mp4", *CONTAINERS["fast.mp4"]), 0.6)
    with pytest.raises(
        BrokenMediaError, match=r"it promises 30 frames \(1\.20 s\) and holds \d+ frames? \(0\.\d\d s\); g"
    ):
        read_index(path)
    path = cut(written(tmp_path / "a.mkv", *CONTAINERS["a.mkv"]), 0.6)
    with pytest.raises(BrokenMediaError, match=r"promises 1\.20 s and holds \d+ frames \(0\.\d\d s\)"):
        read_index(path)
    path = cut(written(tmp_path / "late.mp4", *CONTAINERS["late.mp4"]), 0.6)
    with pytest.raises(BrokenMediaError, match=r"is cut off \(its 'mdat' box ends at byte"):
        read_index(path)


@pytest.mark.parametrize(
    "name", ["fast.mp4", "late.mp4", "a.mkv", "live.mkv", "vp8.webm", "live.webm", "a.ts", "a.flv"]
)
@pytest.mark.parametrize("seconds", [0.5, 4])
def test_sound_that_is_shorter_or_longer_changes_nothing(tmp_path: Path, name: str, seconds: float) -> None:
    path = written(tmp_path / name, *CONTAINERS[name], sound=seconds)
    assert held(path) == FRAMES
    assert float(read_index(path).duration) == pytest.approx(1.2, abs=0.002)


@pytest.mark.parametrize("name", ["fast.mp4", "late.mp4", "a.mkv", "live.mkv", "vp9.webm", "a.flv"])
def test_frames_at_uneven_times_are_whole(tmp_path: Path, name: str) -> None:
    times = [500 + 40 * i + (4000 if i > 20 else 0) + (9000 if i == FRAMES - 1 else 0) for i in range(FRAMES)]
    assert held(written(tmp_path / name, *CONTAINERS[name], times=times)) == FRAMES


def _camera_data(data: bytes) -> bytes:
    return data + b"\x00\x00\x00\x00\xff\xfeINSV" * 50


def _unfinished_length(data: bytes) -> bytes:
    at = data.index(b"mdat") - 4
    return data[:at] + bytes(4) + data[at + 4 :]


def _free_space(data: bytes) -> bytes:
    return data + (20_000).to_bytes(4, "big") + b"free" + bytes(10_000)


@pytest.mark.parametrize("change", [_camera_data, _unfinished_length, _free_space])
def test_an_mp4_that_is_odd_but_whole_is_read(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    path = written(tmp_path / "fast.mp4", *CONTAINERS["fast.mp4"])
    path.write_bytes(change(path.read_bytes()))
    assert held(path) == FRAMES


def test_an_mp4_whose_box_has_no_length_is_known_by_its_index(tmp_path: Path) -> None:
    path = written(tmp_path / "fast.mp4", *CONTAINERS["fast.mp4"])
    path.write_bytes(_unfinished_length(path.read_bytes()))
    with pytest.raises(BrokenMediaError, match="is cut off"):
        held(cut(path, 0.6))


def test_a_matroska_file_that_lacks_its_index_alone_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a.mkv", *CONTAINERS["a.mkv"])
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b"\x1c\x53\xbb\x6b") + 6])
    assert held(path) == FRAMES


def test_the_whole_file_is_not_sent_where_it_is_cut_off(tmp_path: Path) -> None:
    path = write_video(tmp_path / "v.mp4", 60, faststart=True)
    store, media = FrameStore(tmp_path / "store"), Media(kind="video", path="v.mp4")
    assert store.video(tmp_path, media).path == str(path)
    path.write_bytes(path.read_bytes()[:-3000])
    for ask in (lambda: store.video(tmp_path, media), lambda: store.pictures(tmp_path, media, Frames(count=4))):
        with pytest.raises(BrokenMediaError, match=r"v\.mp4"):
            ask()


def pictures() -> list[Image.Image]:
    blocks = np.kron(np.random.default_rng(0).integers(0, 255, (12, 16, 3), np.uint8), np.ones((10, 10, 1), np.uint8))
    return [Image.fromarray(np.roll(blocks, 10 * i, 1)) for i in range(8)]


def encoded(form: str, **options: object) -> bytes:
    out = io.BytesIO()
    first, *others = pictures()
    if options.pop("moving", False):
        options |= {"save_all": True, "append_images": others}
    first.save(out, form, **options)
    return out.getvalue()


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("JPEG", {}), ("JPEG", {"progressive": True}), ("PNG", {}), ("TIFF", {}), ("TIFF", {"compression": "jpeg"}),
        ("WEBP", {}), ("BMP", {}), ("PPM", {}), ("GIF", {}),
        ("GIF", {"moving": True}), ("PNG", {"moving": True}), ("WEBP", {"moving": True, "lossless": True}),
    ],
)  # fmt: skip
def test_a_picture_that_is_cut_off_is_refused(tmp_path: Path, form: str, options: dict[str, object]) -> None:
    data = encoded(form, **options)
    assert read_upright(data, "a").size == (160, 120)
    store, media = FrameStore(tmp_path / "store"), Media(kind="image", path="a.bin")
    for share in (0.3, 0.6, 0.95):
        part = data[: int(len(data) * share)]
        for read in (
            lambda part=part: read_upright(part, "a.bin"),
            lambda part=part: image_to_jpeg(part, Frames(), "a.bin"),
        ):
            with pytest.raises(BrokenMediaError, match=r"a\.bin"):
                read()
        (tmp_path / "a.bin").write_bytes(part)
        with pytest.raises(BrokenMediaError, match=r"a\.bin"):
            store.pictures(tmp_path, media, Frames())


@pytest.mark.parametrize("end", [b"", b"\0\0", b"\x3b\0\0 more"])
def test_a_gif_that_lacks_its_last_byte_or_has_more_is_read(end: bytes) -> None:
    data = encoded("GIF", moving=True)
    assert read_upright(data[:-1] + end, "a").size == (160, 120)


@pytest.mark.parametrize("name", ["v.mp4", "v.mkv", "v.gif"])
def test_in_a_run_it_is_the_failure_of_its_item(tmp_path: Path, name: str) -> None:
    kind = "image" if name == "v.gif" else "video"
    path = tmp_path / name
    whole = encoded("GIF", moving=True) if kind == "image" else write_video(path, 60, faststart=True).read_bytes()
    path.write_bytes(whole[: len(whole) * 6 // 10])
    ask = {
        "question": "Which?",
        "kind": "choice",
        "options": ("left", "right"),
        "answer": "A",
        "task": "t",
        "scene": "s",
    }
    items = [Item(id="a", media=(Media(kind=kind, path=name),), **ask), Item(id="b", **ask)]
    tolman.evaluate(items, lambda messages: "A", media=tmp_path, frames=4, out=tmp_path / "run")
    lines = [json.loads(line) for line in (tmp_path / "run" / "responses.jsonl").read_text().splitlines()]
    failed = {line["id"]: line["failure"] for line in lines if "failure" in line}
    assert failed.keys() == {"a"}
    assert failed["a"]["kind"] == "media"
    assert f"{name}: is cut off" in failed["a"]["message"]


def test_the_clip_of_a_video_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = write_video(tmp_path / "v.mp4", 60, faststart=True)
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(BrokenMediaError, match="is cut off"):
        clip_of(FrameStore(tmp_path / "store"), tmp_path, Media(kind="video", path="v.mp4"), Frames(count=4))


@pytest.mark.parametrize(
    "name", ["dash.mp4", "a.mkv", "live.webm", "mpeg4.avi", "a.ts", "a.flv", "a.wmv", "a.gif", "a.apng"]
)
def test_damage_ends_in_a_sentence_or_does_no_harm(tmp_path: Path, name: str) -> None:
    whole = written(tmp_path / name, *CONTAINERS[name]).read_bytes()
    generator = random.Random(name)
    path = tmp_path / f"damaged-{name}"
    for i in range(60):
        data = bytearray(whole[: generator.randrange(len(whole))] if i % 2 else whole)
        for _ in range(generator.choice([1, 4, 30])):
            at = generator.randrange(max(1, min(len(data), generator.choice([200, len(whole)]))))
            data[at : at + 1] = bytes([generator.choice([0, 1, 0x7F, 0xFF, generator.randrange(256)])])
        path.write_bytes(data)
        lost_bytes(path)
        lost_pictures(bytes(data))


def test_grey_pixels_are_no_transport_stream(tmp_path: Path) -> None:
    path = tmp_path / "grey.ppm"
    path.write_bytes(b"P6 64 64 255\n" + b"\x47" * (64 * 64 * 3))
    assert lost_bytes(path) is None


@pytest.mark.parametrize("name", ["a.ts", "a.m2ts"])
def test_a_broadcast_that_lost_bytes_on_the_way_is_not_cut_off(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, *CONTAINERS[name])
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + data[len(data) // 2 + 100 :])
    assert lost_bytes(path) is None
    assert len(read_index(path).times) >= FRAMES - 3
    path.write_bytes(path.read_bytes()[:-50])
    assert lost_bytes(path) == "it ends in the middle of a packet"


Make = Callable[..., Item]


@pytest.fixture
def items(choice: Make) -> list[Item]:
    """As many videos of two data sets as make a folder, two questions each."""
    return [
        choice(id=f"{name}{i}{turn}", media=[{"kind": "video", "path": f"{name}/{i}.mp4"}])
        for name in ("scannet", "arkitscenes")
        for i in range(MIN_FILES)
        for turn in "ab"
    ]


def write(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(b"x")


def test_a_folder_without_any_of_them_is_named(tmp_path: Path, items: list[Item]) -> None:
    with pytest.raises(
        InputError, match=r"none of .* is there \(20 files, the first: scannet/0\.mp4.*--media"
    ) as caught:
        refuse_missing(tmp_path, items)
    assert caught.value.path == str(tmp_path)


def test_one_whole_folder_that_is_missing_is_named(tmp_path: Path, items: list[Item]) -> None:
    write(tmp_path, "scannet/3.mp4")
    with pytest.raises(InputError, match=r"none of .* is there \(10 files,") as caught:
        refuse_missing(tmp_path, items)
    assert caught.value.path == str(tmp_path / "arkitscenes")
    write(tmp_path, "arkitscenes/9.mp4")
    refuse_missing(tmp_path, items)  # single files are failures of their items


def test_a_folder_for_each_scene_is_no_whole_folder(tmp_path: Path, choice: Make) -> None:
    write(tmp_path, "scene1/video.mp4")
    scenes = [choice(id=str(i), media=[{"kind": "video", "path": f"scene{i}/video.mp4"}]) for i in range(5)]
    refuse_missing(tmp_path, scenes)


def test_joined_images_count_by_their_members(tmp_path: Path, choice: Make) -> None:
    members = tuple(Media(kind="image", path=f"{name}.jpg") for name in "ab")
    item = choice().model_copy(update={"media": (Joined(kind="image", path="a.jpg", members=members),)})
    with pytest.raises(InputError, match=r"none of .* is there \(2 files,"):
        refuse_missing(tmp_path, [item])
    write(tmp_path, "b.jpg")
    refuse_missing(tmp_path, [item])
    refuse_missing(tmp_path / "nowhere", [choice()])  # no media, nothing missing


@pytest.mark.parametrize("path", ["../secret.png", "a/../../secret.png"])
def test_a_path_that_climbs_out_of_the_folder_is_refused(path: str, tmp_path: Path, choice: Make) -> None:
    with pytest.raises(InputError, match=r"row 1: the media path '.*secret.png' leads out of the folder"):
        refuse_outside(tmp_path / "bench", [choice(media=[{"kind": "image", "path": path}])])


def test_media_elsewhere_are_read_and_said_so_once(tmp_path: Path, choice: Make) -> None:
    write(tmp_path, "own/a.png", "bench/in.png", "bench/videos/b.png")
    (tmp_path / "bench" / "linked").symlink_to(tmp_path / "own")
    (tmp_path / "bench" / "one.png").symlink_to(tmp_path / "own" / "a.png")
    (tmp_path / "bench" / "near.png").symlink_to("in.png")
    paths = [str(tmp_path / "own" / "a.png"), "linked/a.png", "one.png", "in.png", "videos/b.png", "near.png"]
    items = [choice(id=str(n), media=[{"kind": "image", "path": path}]) for n, path in enumerate(paths)]
    with pytest.warns(DataWarning, match=r"3 of the questions' media are outside of .*bench") as told:
        refuse_outside(tmp_path / "bench", items)
    assert len(told) == 1
    refuse_outside(tmp_path / "bench", items[3:])


@pytest.mark.parametrize("path", ["../own/a.png", "linked/a.png"])
def test_a_run_refuses_or_names_media_outside_of_its_benchmark(path: str, tmp_path: Path, choice: Make) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="images need the extra 'media'")
    (tmp_path / "own").mkdir()
    pillow.new("RGB", (8, 8)).save(tmp_path / "own" / "a.png")
    (tmp_path / "bench").mkdir()
    write_items(tmp_path / "bench" / "items.parquet", [choice(media=[{"kind": "image", "path": path}])])
    (tmp_path / "bench" / "benchmark.json").write_text('{"title": "Mine"}')
    (tmp_path / "bench" / "linked").symlink_to(tmp_path / "own")
    seen: list[object] = []

    def run() -> None:
        tolman.evaluate(tmp_path / "bench", lambda messages: seen.append(messages) or "A", out=tmp_path / "run")

    if path.startswith(".."):
        with pytest.raises(InputError, match="leads out of the folder"):
            run()
        assert not seen
    else:
        with pytest.warns(DataWarning, match="1 of the questions' media is outside of"):
            run()
        assert len(seen) == 1
