"""The frame store: once for each sampling, shared, whole or not at all.

Images side by side, with and without lines between matching points.
"""

import hashlib
import io
import os
import sys
import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st
from PIL import Image

import tolman
from tolman.errors import MissingExtraError, UsageError
from tolman.items import Item, Media
from tolman.media import frame_store as store_module, matchers
from tolman.media.frame_store import FrameStore
from tolman.media.images import may_be_deep
from tolman.media.matchers import GAP, LINES, join, spread
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError
from tolman.messages import Joined, Picture
from videos import read_code, two_tracks, write_video

pytest.importorskip("av", reason="reading videos needs the extra 'media'")

CLIP = Media(kind="video", path="a.mp4")


def opened(picture: Picture) -> Image.Image:
    """The picture, its file closed again."""
    with Image.open(picture.path) as image:
        return image.copy()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_video(tmp_path / "data" / "a.mp4", 120)
    return tmp_path / "data"


@pytest.fixture
def store(tmp_path: Path) -> FrameStore:
    return FrameStore(tmp_path / "frames")


def test_pictures_are_the_frames_asked_for(data: Path, store: FrameStore) -> None:
    pictures = store.pictures(data, CLIP, Frames(count=5))
    assert [p.frame for p in pictures] == [0, 29, 59, 89, 119]
    assert [read_code(opened(p)) for p in pictures] == [0, 29, 59, 89, 119]
    assert [p.seconds for p in pictures] == pytest.approx([f / 30 for f in (0, 29, 59, 89, 119)])


def test_a_video_is_decoded_once_for_each_sampling(
    data: Path, store: FrameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded = []
    original = store_module.read_frames
    monkeypatch.setattr(store_module, "read_frames", lambda *a: decoded.append(a) or original(*a))
    first = store.pictures(data, CLIP, Frames(count=4))
    assert store.pictures(data, CLIP, Frames(count=4)) == first
    (data / "b.mp4").write_bytes((data / "a.mp4").read_bytes())
    assert store.pictures(data, Media(kind="video", path="b.mp4"), Frames(count=4)) == first  # the same content
    assert FrameStore(store.root).pictures(data, CLIP, Frames(count=4)) == first  # another run
    assert len(decoded) == 1
    store.pictures(data, CLIP, Frames(count=4, quality=40))
    store.pictures(data, CLIP, Frames(count=5))
    assert len(decoded) == 3


def test_a_changed_file_is_seen(data: Path, store: FrameStore) -> None:
    before = store.pictures(data, CLIP, Frames(count=2))
    write_video(data / "a.mp4", 60)
    assert [p.frame for p in store.pictures(data, CLIP, Frames(count=2))] == [0, 59] != [p.frame for p in before]


def test_many_threads_at_once_get_the_same(data: Path, store: FrameStore) -> None:
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(store.pictures(data, CLIP, Frames(count=8)))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1
    assert not list(store.root.rglob(".partial-*"))


def test_quality_and_size_are_settings(data: Path, store: FrameStore) -> None:
    fine = store.pictures(data, CLIP, Frames(count=1, quality=95))[0]
    coarse = store.pictures(data, CLIP, Frames(count=1, quality=30))[0]
    small = store.pictures(data, CLIP, Frames(count=1, longest_side=100))[0]
    assert Path(coarse.path).stat().st_size < Path(fine.path).stat().st_size
    assert opened(small).size == (100, 68)


def test_a_part_of_a_video(data: Path, store: FrameStore) -> None:
    part = Media(kind="video", path="a.mp4", start=1.0, end=2.0)
    assert [p.frame for p in store.pictures(data, part, Frames(count=3))] == [30, 45, 60]
    with pytest.raises(BrokenMediaError, match="no frame between 9"):
        store.pictures(data, Media(kind="video", path="a.mp4", start=9.0), Frames(count=3))


@pytest.mark.parametrize("damage", ["index", "picture"])
def test_a_damaged_folder_is_made_again(data: Path, store: FrameStore, damage: str) -> None:
    before = store.pictures(data, CLIP, Frames(count=3))
    path = Path(before[1].path)
    if damage == "index":
        path.with_name("index.json").write_text("")
    else:
        path.unlink()
    assert store.pictures(data, CLIP, Frames(count=3)) == before
    assert path.is_file()


def test_a_broken_video_leaves_nothing(data: Path, store: FrameStore) -> None:
    (data / "a.mp4").write_bytes((data / "a.mp4").read_bytes()[:2000])
    with pytest.raises(BrokenMediaError, match=r"a\.mp4"):
        store.pictures(data, CLIP, Frames(count=3))
    assert not list(store.root.rglob("*.jpg"))


def test_too_short_for_one_frame_is_named(data: Path, store: FrameStore) -> None:
    write_video(data / "a.mp4", 10)
    with pytest.raises(BrokenMediaError, match=r"too short for one frame \(0\.33 s\)"):
        store.pictures(data, CLIP, Frames(per_second=1.0))


def jpeg(color: str, size: tuple[int, int] = (40, 20), **options: object) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, color).save(out, "JPEG", **options)
    return out.getvalue()


def image(data: Path, name: str, content: bytes) -> Media:
    (data / name).write_bytes(content)
    return Media(kind="image", path=name)


def test_a_jpeg_is_passed_on_byte_for_byte(data: Path, store: FrameStore) -> None:
    content = jpeg("red")
    (picture,) = store.pictures(data, image(data, "i.jpg", content), Frames())
    assert Path(picture.path).read_bytes() == content


def test_other_images_become_upright_jpegs_on_white(data: Path, store: FrameStore) -> None:
    out = io.BytesIO()
    Image.new("RGBA", (10, 10), (0, 0, 0, 0)).save(out, "PNG")
    (picture,) = store.pictures(data, image(data, "i.png", out.getvalue()), Frames())
    assert np.asarray(opened(picture)).mean() > 250
    exif = Image.Exif()
    exif[0x0112] = 6  # taken with the camera turned
    (picture,) = store.pictures(data, image(data, "t.jpg", jpeg("red", exif=exif)), Frames())
    assert opened(picture).size == (20, 40)


def deep(form: str, **options: object) -> bytes:
    """A ramp over all values of 16 bits."""
    out = io.BytesIO()
    ramp = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    Image.fromarray(ramp).save(out, form, **options)
    return out.getvalue()


@pytest.mark.parametrize("form", ["PNG", "TIFF", "PPM", "JPEG2000"])
def test_sixteen_bits_are_scaled_to_eight(data: Path, store: FrameStore, form: str) -> None:
    medium = image(data, f"deep.{form.lower()}", deep(form))
    (picture,) = store.pictures(data, medium, Frames(quality=95))
    rows = np.asarray(opened(picture).convert("L"), dtype=float)[:, 100]
    assert np.abs(rows - np.arange(256)).max() <= 2
    joined = Joined(kind="image", path=medium.path, members=(medium, medium))
    (picture,) = store.pictures(data, joined, Frames(quality=95))
    assert 126 < np.asarray(opened(picture).convert("L"))[:, :256].mean() < 129


def test_a_transparent_value_of_sixteen_bits_becomes_white(data: Path, store: FrameStore) -> None:
    out = io.BytesIO()
    halves = np.full((16, 32), 20000, dtype=np.uint16)
    halves[:, 16:] = 0
    Image.fromarray(halves).save(out, "PNG", transparency=0)
    (picture,) = store.pictures(data, image(data, "clear.png", out.getvalue()), Frames(quality=95))
    shown = np.asarray(opened(picture).convert("L"))
    assert (abs(int(shown[8, 4]) - 78) <= 2, shown[8, 28] > 250) == (True, True)


def test_white_frames_of_an_earlier_version_are_not_taken_from_the_store(data: Path, store: FrameStore) -> None:
    """Only the keys of images that may be deep are others than before: all that was decoded stays."""
    assert [may_be_deep(content) for content in (jpeg("red"), deep("PNG"), deep("TIFF"))] == [False, True, True]
    flat = io.BytesIO()
    Image.new("RGB", (4, 4)).save(flat, "PNG")
    assert not may_be_deep(flat.getvalue())


def test_values_without_a_known_range_are_named(data: Path, store: FrameStore) -> None:
    out = io.BytesIO()
    Image.fromarray(np.linspace(0, 1, 64, dtype=np.float32).reshape(8, 8)).save(out, "TIFF")
    with pytest.raises(BrokenMediaError, match="32 bits and no range that is known"):
        store.pictures(data, image(data, "float.tiff", out.getvalue()), Frames())


def test_images_inside_tables(data: Path, store: FrameStore) -> None:
    import base64
    import json

    pictures = [[jpeg("red"), jpeg("blue")], [jpeg("green")]]
    pl.DataFrame({"images": pictures}).write_parquet(data / "t.parquet")
    cells = [json.dumps([base64.b64encode(p).decode() for p in row]) for row in pictures]
    (data / "t.tsv").write_text(
        "index\timage\n" + "\n".join(f'{i}\t"{c.replace(chr(34), chr(34) * 2)}"' for i, c in enumerate(cells))
    )
    for name in ("t.parquet", "t.tsv"):
        for row, position in ((0, 0), (0, 1), (1, 0)):
            (picture,) = store.pictures(data, Media(kind="image", path=name, part=(row, position)), Frames())
            assert Path(picture.path).read_bytes() == pictures[row][position]
        with pytest.raises(BrokenMediaError, match="row 2: holds no image 2"):
            store.pictures(data, Media(kind="image", path=name, part=(1, 1)), Frames())


@pytest.mark.parametrize("content", [b"", b"<svg onload=alert(1)>", jpeg("red")[:200]])
def test_what_is_no_image_is_named(data: Path, store: FrameStore, content: bytes) -> None:
    with pytest.raises(BrokenMediaError, match=r"i\.jpg: is no readable image"):
        store.pictures(data, image(data, "i.jpg", content), Frames())


@pytest.mark.parametrize("medium", ["video", "image", "joined"])
def test_without_pillow_the_package_is_named(
    data: Path, store: FrameStore, monkeypatch: pytest.MonkeyPatch, medium: str
) -> None:
    Image.new("RGB", (40, 30)).save(data / "a.png")
    image = Media(kind="image", path="a.png")
    shown = {"video": CLIP, "image": image, "joined": Joined(kind="image", path="a.png", members=(image, image))}
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    monkeypatch.delattr("PIL.Image")
    with pytest.raises(MissingExtraError, match=r"needs the package 'pillow': pip install 'tolman\[media\]'"):
        store.pictures(data, shown[medium], Frames(count=2))


def test_a_video_of_the_same_size_and_time_stamp_is_another(data: Path, store: FrameStore) -> None:
    path = data / "a.mp4"
    state = path.stat()
    other = write_video(data / "b.mp4", 120, options={"crf": "40"})
    with other.open("ab") as file:
        file.write((state.st_size - other.stat().st_size - 8).to_bytes(4, "big") + b"free")
        file.truncate(state.st_size)
    before = store.pictures(data, CLIP, Frames(count=4))
    for replace in (lambda: other.replace(path), lambda: path.write_bytes(path.read_bytes()[:-1] + b"x")):
        replace()
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        assert (path.stat().st_size, path.stat().st_mtime_ns) == (state.st_size, state.st_mtime_ns)
        for one in (store, FrameStore(store.root)):
            assert one.video(data, CLIP).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert [p.sha256 for p in store.pictures(data, CLIP, Frames(count=4))] != [p.sha256 for p in before]


def test_a_table_of_the_same_size_and_time_stamp_is_another(data: Path, store: FrameStore) -> None:
    table, found = data / "t.parquet", []
    for colour in ("red", "blue"):
        out = io.BytesIO()
        Image.new("RGB", (32, 32), colour).save(out, "PNG")
        pl.DataFrame({"images": [[out.getvalue()]]}).write_parquet(data / "new.parquet")
        size = max(table.stat().st_size if table.exists() else 0, (data / "new.parquet").stat().st_size)
        assert size == (data / "new.parquet").stat().st_size or not table.exists()
        (data / "new.parquet").replace(table)
        os.utime(table, ns=(10**18, 10**18))
        media = Media(kind="image", path="t.parquet", part=(0, 0))
        found.append(opened(store.pictures(data, media, Frames())[0]).getpixel((5, 5)))
    assert found[0][0] > 200 > 50 > found[0][2]
    assert found[1][2] > 200 > 50 > found[1][0]


def test_a_part_of_an_uneven_video_is_cut_and_sampled_by_time(tmp_path: Path, store: FrameStore) -> None:
    times = [round(1000 * i / 30) for i in range(30)] + [1000 * second for second in range(1, 11)]
    write_video(tmp_path / "v.mp4", 40, times=times)

    def seconds(start: float | None, end: float | None, **frames: float) -> list[float]:
        media = Media(kind="video", path="v.mp4", start=start, end=end)
        return [round(p.seconds or 0.0, 2) for p in store.pictures(tmp_path, media, Frames(**frames))]

    assert seconds(None, None, per_second=1)[:10] == list(range(10))  # FFmpeg before 8 writes a longer last frame
    assert seconds(1.0, 10.0, per_second=1)[:9] == list(range(1, 10))
    assert seconds(4.5, 7.5, per_second=1) == [4, 5, 6]  # the frame of second 4 is still shown at 4.5
    assert seconds(4.2, 4.8, count=3) == [4]
    with pytest.raises(BrokenMediaError, match="no frame between 60"):
        seconds(60.0, 70.0, count=3)


def test_the_choice_between_two_tracks_is_told_from_the_store_too(tmp_path: Path, store: FrameStore) -> None:
    two_tracks(tmp_path / "v.mkv")
    for one in (store, FrameStore(store.root)):
        one.pictures(tmp_path, Media(kind="video", path="v.mkv"), Frames(count=1))
        assert list(one.remarks) == [f"v.mkv has 2 video tracks (64×64, 128×64); track {2} is used."]


def test_a_run_says_which_of_two_tracks_it_shows(tmp_path: Path) -> None:
    two_tracks(tmp_path / "v.mkv")
    item = Item(
        id="a", question="Which?", kind="choice", options=("left", "right"), answer="A", task="t", scene="s",
        media=(Media(kind="video", path="v.mkv"),),
    )  # fmt: skip
    met: list[object] = []
    for out in ("one", "two"):  # the second takes its frames from the store
        tolman.evaluate([item], lambda messages: "A", media=tmp_path, frames=2, out=tmp_path / out, events=met.append)
    noted = [str(event) for event in met if "v.mkv has 2 video tracks (64×64, 128×64)" in str(event)]
    assert len(noted) == 2


pytest.importorskip("PIL.Image", reason="images need the extra 'media'")

try:
    import cv2  # noqa: F401

    HAS_OPENCV = True
except ImportError:
    HAS_OPENCV = False
needs_opencv = pytest.mark.skipif(not HAS_OPENCV, reason="matching needs the extra 'media'")


def texture(seed: int, size: tuple[int, int] = (400, 300)) -> Image.Image:
    """A picture of many small patches, each unlike the others."""
    random = np.random.default_rng(seed)
    coarse = Image.fromarray(random.integers(0, 255, (size[1] // 8, size[0] // 8, 3), dtype=np.uint8))
    return coarse.resize(size, Image.Resampling.BICUBIC)


def png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def views() -> tuple[Image.Image, Image.Image]:
    """Two views of one scene whose points differ by an enlargement and a shift: x' = 1.1 x − 40, y' = 1.1 y − 20."""
    left = texture(1)
    right = left.transform(
        left.size, Image.Transform.AFFINE, (1 / 1.1, 0, 40 / 1.1, 0, 1 / 1.1, 20 / 1.1), Image.Resampling.BICUBIC
    )
    return left, right


def test_images_stand_side_by_side_at_the_height_of_the_lowest() -> None:
    red, blue = Image.new("RGB", (60, 40), "red"), Image.new("RGB", (20, 20), "blue")
    whole = np.asarray(join([(png(red), "r"), (png(blue), "b")], None))
    assert whole.shape == (20, 30 + GAP + 20, 3)
    assert (whole[:, :30] == (255, 0, 0)).all()
    assert (whole[:, 30 : 30 + GAP] == 255).all()
    assert (whole[:, 30 + GAP :] == (0, 0, 255)).all()


@needs_opencv
def test_sift_finds_the_points_of_two_views() -> None:
    left, right = views()
    a, b = matchers.get("sift").match(np.asarray(left), np.asarray(right))
    assert len(a) == len(b) > 100
    error = np.linalg.norm(b - (a * 1.1 - (40, 20)), axis=1)
    assert np.median(error) < 0.7
    assert (error < 3).mean() > 0.95
    again = matchers.get("sift").match(np.asarray(left), np.asarray(right))
    assert all(np.array_equal(x, y) for x, y in zip((a, b), again, strict=True))


@needs_opencv
def test_matches_of_a_real_photograph_are_true() -> None:
    """matplotlib's sample portrait (public domain), turned by 6 degrees and cut; the motion is known exactly."""
    from matplotlib import cbook

    with Image.open(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)) as photo:
        whole = photo.convert("RGB")
    left, right = whole.crop((0, 0, 435, 600)), whole.rotate(6, Image.Resampling.BICUBIC).crop((61, 48, 486, 570))
    a, b = matchers.get("sift").match(np.asarray(left), np.asarray(right))
    cosine, sine = np.cos(np.radians(6)), np.sin(np.radians(6))
    center = np.array([256, 300])
    true = (a - center) @ np.array([[cosine, -sine], [sine, cosine]]) + center - (61, 48)
    assert len(a) > 300
    assert (np.linalg.norm(b - true, axis=1) > 5).mean() < 0.01


@needs_opencv
@pytest.mark.parametrize("other", [texture(2), Image.new("RGB", (400, 300), "grey"), Image.new("RGB", (3, 3))])
def test_sift_finds_nothing_where_nothing_is_common(other: Image.Image) -> None:
    a, b = matchers.get("sift").match(np.asarray(texture(1)), np.asarray(other))
    assert a.shape == b.shape == (0, 2)
    whole = join([(png(texture(1)), "a"), (png(other), "b")], "sift")
    plain = join([(png(texture(1)), "a"), (png(other), "b")], None)
    assert np.array_equal(np.asarray(whole), np.asarray(plain))


@needs_opencv
def test_lines_join_the_points_of_neighbours_and_stay_sparse() -> None:
    left, right = views()
    sources = [(png(left), "l"), (png(right), "r"), (png(texture(3)), "other")]
    plain, drawn = (np.asarray(join(sources, matcher)).astype(int) for matcher in (None, "sift"))
    changed = (plain != drawn).any(axis=2)
    gap = changed[:, 400 : 400 + GAP].any(axis=1)
    crossings = int((np.diff(np.r_[0, gap.astype(int)]) == 1).sum())
    assert 10 <= crossings <= LINES
    assert not changed[:, 2 * (400 + GAP) + 20 :].any()  # nothing matches the third image


@given(st.lists(st.tuples(*[st.integers(0, 50)] * 2), max_size=30), st.integers(1, 10))
def test_points_that_are_kept_are_far_apart(points: list[tuple[int, int]], count: int) -> None:
    found = np.array(points, dtype=float).reshape(-1, 2)
    kept = spread(found, count)
    assert len(kept) == min(count, len(set(points)))
    assert len({points[i] for i in kept}) == len(kept)
    assert not kept or kept[0] == 0


def test_unknown_and_missing_matchers_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"there is no matcher 'pats'; known: sift, or what a file"):
        matchers.get("pats")
    monkeypatch.setattr(matchers, "find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "cv2", raising=False)
    with pytest.raises(MissingExtraError, match=r"Matching points with sift needs .* pip install 'tolman\[media\]'"):
        matchers.get("sift")


@needs_opencv
def test_a_module_that_lost_its_spec_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenCV replaces itself while it is imported, and `find_spec` refuses what is left."""
    monkeypatch.setattr(sys.modules["cv2"], "__spec__", None)
    assert matchers.get("sift").module == "cv2"


def test_joined_pictures_are_stored_by_their_content(tmp_path: Path) -> None:
    for name, colour in (("a", "red"), ("b", "blue")):
        Image.new("RGB", (40, 30), colour).save(tmp_path / f"{name}.png")
    a, b = (Media(kind="image", path=f"{name}.png") for name in "ab")
    store = FrameStore(tmp_path / "frames")

    def stored(*members: Media, matcher: str | None = None) -> str:
        medium = Joined(kind="image", path=members[0].path, members=members, matcher=matcher)
        (picture,) = store.pictures(tmp_path, medium, Frames())
        return picture.sha256

    assert stored(a, b) == stored(a, b)
    assert len({stored(a, b), stored(b, a), stored(a, a)}) == 3
    with pytest.raises(BrokenMediaError, match=r"c\.png: the file is missing"):
        stored(a, Media(kind="image", path="c.png"))
    (tmp_path / "c.png").write_bytes(b"no image")
    with pytest.raises(BrokenMediaError, match=r"c\.png: is no readable image"):
        stored(a, Media(kind="image", path="c.png"))
