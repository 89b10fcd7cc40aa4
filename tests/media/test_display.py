"""Frames as players show them: matrix, pixel shape and colours."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("av", reason="reading videos needs the extra 'media'")
from PIL import Image

from tolman.media.video import VideoWriter, read_frames, read_index, shown_size
from videos import COLOURS, MATRICES, set_matrix, stripes_of, write_stripes, write_video

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
