"""Images side by side, with and without lines between matching points."""

import io
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("PIL.Image", reason="images need the extra 'media'")

from PIL import Image

from tolman.errors import MissingExtraError, UsageError
from tolman.items import Media
from tolman.media import matchers
from tolman.media.frame_store import FrameStore
from tolman.media.matchers import GAP, LINES, join, spread
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError
from tolman.messages import Joined

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
