"""One sheet for three readers: Chromium, in which people look, the JPEG that a model is sent, and ingest."""

import functools
import http.server
import io
import re
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("av", reason="reading videos needs the extra 'media'")

from tolman.ingest.media_pool import Looked, look
from tolman.ingest.standard_video import VideoFile
from tolman.items import Media
from tolman.media.frame_store import FrameStore
from tolman.media.images import read_upright
from tolman.media.sampling import Frames
from videos import MATRICES, bar_code, read_code, set_matrix, write_stripes, write_video

PAGE = Path(__file__).parents[2] / "docs" / "videos.md"
BT709, BT601, BT2020 = (1, 1, 1), (6, 6, 6), (9, 14, 9)
VP9 = {"codec": "libvpx-vp9", "options": {"crf": "4", "b:v": "0", "cpu-used": "8", "deadline": "realtime"}}
AV1 = {"codec": "libsvtav1", "options": {"crf": "10", "preset": "12", "svtav1-params": "lp=1"}}
SD, HD = (320, 240), (1280, 720)
DEEP = {"pixels": "yuv420p10le"}
LEVELS = 6
"""Levels of 255 by which the same colour may differ in a screenshot and a JPEG."""


def marked(path: Path) -> Path:
    """A video whose picture has neither symmetry."""
    return write_video(path, 5, size=SD)


VIDEOS: dict[str, list[Callable[[Path], Path]]] = {
    "Mirrors, quarter turns and both together (8 display matrices)": [
        lambda path, m=matrix: set_matrix(marked(path), m) for matrix in MATRICES.values()
    ],
    "Pixels that aren't square": [
        lambda path, s=shape: write_stripes(path, SD, square=Fraction(*s))
        for shape in ((2, 1), (1, 2), (16, 11), (8, 9))
    ],
    "Pixels that aren't square, turned": [
        lambda path: set_matrix(write_stripes(path, SD, square=Fraction(2)), (0, 1, -1, 0))
    ],
    "Tagged BT.601, BT.709 or BT.2020": [
        *(lambda path, t=tags: write_stripes(path, SD, tags=t) for tags in (BT601, BT709, BT2020)),
        lambda path: write_stripes(path, HD, tags=BT601),
    ],
    "Tagged full range": [
        *(lambda path, t=tags: write_stripes(path, SD, tags=t, full=True) for tags in (BT601, BT709)),
        lambda path: write_stripes(path, HD, full=True),
    ],
    "Untagged H.264 below 720 rows": [
        lambda path: write_stripes(path, SD),
        lambda path: write_stripes(path, (1280, 718)),
    ],
    "Untagged H.264 of 720 rows or more": [
        lambda path: write_stripes(path, HD),
        lambda path: write_stripes(path, (400, 720)),
        lambda path: write_stripes(path, (720, 480), square=Fraction(1, 2)),
    ],
    "Untagged VP9 or AV1 of any size": [
        lambda path: write_stripes(path.with_suffix(".webm"), HD, **VP9),
        lambda path: write_stripes(path, HD, **AV1),
    ],
    "Tagged in part: without primaries or transfer": [
        lambda path: write_stripes(path, SD, tags=(2, 2, 1)),
        lambda path: write_stripes(path, HD, tags=(2, 2, 6)),
    ],
    "10 bits, tagged or not": [
        lambda path: write_stripes(path, SD, **DEEP),
        lambda path: write_stripes(path, HD, tags=BT709, **DEEP),
        lambda path: write_stripes(path, SD, tags=BT2020, **DEEP),
        lambda path: write_stripes(path, SD, **AV1, **DEEP),
    ],
}
UNEVEN = "Variable frame rate, `--fps 1`"
TURNED = "Images with EXIF orientation 1 to 8"

SHOW = """([name, seconds]) => new Promise((done, fail) => {
    document.body.replaceChildren();
    const video = document.createElement('video');
    video.muted = true; video.style.display = 'block';
    video.onerror = () => fail(new Error(video.error.message));
    video.onloadeddata = () => { video.currentTime = seconds; };
    video.onseeked = () => requestAnimationFrame(() => setTimeout(() => done(true), 80));
    video.src = name; document.body.append(video);
})"""
LOAD = """name => new Promise((done, fail) => {
    document.body.replaceChildren();
    const image = document.createElement('img');
    image.style.display = 'block'; image.onload = () => done(true); image.onerror = () => fail(new Error(name));
    image.src = name; document.body.append(image);
})"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def shown(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Image.Image]]:
    """What Chromium shows of a file in `tmp_path`: of a video at a time in seconds."""
    (tmp_path / "sheet.html").write_text("<!doctype html><body style='margin:0;background:#777'>")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(f"http://127.0.0.1:{server.server_address[1]}/sheet.html")

    def look_at(path: Path, seconds: float | None = None) -> Image.Image:
        if seconds is None:
            page.evaluate(LOAD, path.name)
        else:
            page.evaluate(SHOW, [path.name, seconds])
        return Image.open(io.BytesIO(page.locator("img, video").screenshot())).convert("RGB")

    yield look_at
    page.close()
    server.shutdown()
    server.server_close()


def sent(path: Path, kind: str, **frames: Any) -> list[tuple[float | None, Image.Image]]:
    """The JPEGs that a model is sent, with their times."""
    found = FrameStore(path.parent / "store").pictures(path.parent, Media(kind=kind, path=path.name), Frames(**frames))
    pictures = []
    for one in found:
        with Image.open(one.path) as image:
            pictures.append((one.seconds, image.convert("RGB")))
    return pictures


def difference(one: Image.Image, other: Image.Image) -> float:
    """Levels by which small pictures of both differ at most, away from the edges of what they show."""
    assert max(abs(a - b) for a, b in zip(one.size, other.size, strict=True)) <= 1
    a, b = (np.asarray(image.resize((64, 64), Image.Resampling.BOX)).astype(float) for image in (one, other))
    apart = np.abs(a - b).max(2)
    flat = np.ones_like(apart, dtype=bool)
    for axis in (0, 1):
        for step in (-1, 1):
            flat &= np.abs(a - np.roll(a, step, axis)).max(2) < 3 * LEVELS
    return float(apart[flat].max())


def test_the_page_has_a_row_for_each_case() -> None:
    rows = re.findall(r"^\| ([^|]+?) +\|", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert [row for row in rows if row in (*VIDEOS, UNEVEN, TURNED)] == [*VIDEOS, UNEVEN, TURNED]


@pytest.mark.full
@pytest.mark.parametrize("case", VIDEOS)
def test_people_models_and_ingest_see_the_same_frames(tmp_path: Path, shown: Any, case: str) -> None:
    for number, make in enumerate(VIDEOS[case]):
        path = make(tmp_path / f"{number}.mp4")
        seen = shown(path, 0.01)
        ((_, jpeg),) = sent(path, "video", count=1, quality=95)
        taken = Image.fromarray(next(VideoFile(path).pictures([0])))
        assert difference(seen, jpeg) <= LEVELS, number
        assert difference(seen, taken) <= LEVELS, number
        looked = look(path)
        assert isinstance(looked, Looked)
        assert (looked.width, looked.height) == jpeg.size == taken.size


@pytest.mark.full
def test_frames_at_uneven_times_are_those_of_their_seconds(tmp_path: Path, shown: Any) -> None:
    times = [round(1000 * i / 30) for i in range(30)] + [1000 * second for second in range(1, 11)]
    # FFmpeg's MP4 says that this lasts 8.1 s, and Chromium goes no further.
    path = write_video(tmp_path / "v.mkv", 40, times=times).rename(tmp_path / "v.webm")
    pictures = sent(path, "video", per_second=1, quality=95)
    assert [round(seconds or 0.0, 2) for seconds, _ in pictures] == list(range(10))
    file = VideoFile(path)
    for second, jpeg in pictures:
        code = read_code(shown(path, (second or 0.0) + 0.005))
        assert code == read_code(jpeg)
        number = int(np.abs(file.times - second).argmin())
        assert code == read_code(Image.fromarray(next(file.pictures([number]))))


@pytest.mark.full
def test_images_are_upright_for_all(tmp_path: Path, shown: Any) -> None:
    stored = Image.fromarray(bar_code(0b10110001101, *SD))
    for orientation in range(1, 9):
        path = tmp_path / f"{orientation}.jpg"
        exif = Image.Exif()
        exif[0x0112] = orientation
        stored.save(path, "JPEG", quality=95, exif=exif)
        seen = shown(path)
        ((_, jpeg),) = sent(path, "image", quality=95)
        assert difference(seen, jpeg) <= LEVELS
        assert difference(seen, read_upright(path.read_bytes(), path.name)) <= LEVELS
        looked = look(path)
        assert isinstance(looked, Looked)
        assert (looked.width, looked.height) == seen.size == ((320, 240) if orientation < 5 else (240, 320))
