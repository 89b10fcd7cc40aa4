"""Looking at one media file: what it is, its size and length, and whether all of it can be read."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tolman.media.video import BrokenMediaError, read_frames, read_index

IMAGES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".ppm"})
VIDEOS = frozenset({".mp4", ".mov", ".m4v", ".mkv", ".webm", ".avi", ".mpg", ".mpeg"})
_FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF", "PPM")
"""Pillow has readers for much else that nobody means by an image."""
_SIDEWAYS = (5, 6, 7, 8)
"""EXIF orientations that swap width and height."""


@dataclass(frozen=True)
class Looked:
    """Type and properties of a file.

    Attributes:
        kind: 'image' or 'video'.
        width, height: in pixels, as it is seen upright.
        frames: 1 for an image.
        duration: a video's length in seconds; None for an image.
        sha256: of its bytes.
    """

    kind: Literal["image", "video"]
    width: int
    height: int
    frames: int
    duration: float | None
    sha256: str


def look(path: Path) -> Looked | str:
    """Identify a file that is named like a medium, or the reason why it can't be used, as the rest of a sentence.

    Raises:
        MissingExtraError: Pillow or PyAV is not installed.
    """
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return _video(path, digest) if path.suffix.lower() in VIDEOS else _image(path, digest)
    except BrokenMediaError as error:
        return str(error).removeprefix(f"{path}: ")
    except OSError as error:
        return f"can't be read ({error.strerror or error})"


def _image(path: Path, digest: str) -> Looked | str:
    from PIL import Image as Pillow

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Pillow.DecompressionBombWarning)
            with Pillow.open(path, formats=_FORMATS) as image:
                size = image.size
                if image.format != "MPO" and getattr(image, "n_frames", 1) > 1:
                    return f"holds {getattr(image, 'n_frames', 1)} pictures; make it a video"
                if image.getexif().get(0x0112, 1) in _SIDEWAYS:
                    size = size[1], size[0]
                # A JPEG is read to its end at an eighth of its size, which is much quicker.
                image.draft("RGB", (max(1, size[0] // 8), max(1, size[1] // 8)))
                image.load()
    except (Pillow.DecompressionBombWarning, Pillow.DecompressionBombError):
        return f"is too large for a picture (more than {Pillow.MAX_IMAGE_PIXELS or 0:,} pixels)"
    except Exception as error:  # a broken image makes Pillow's readers raise almost anything
        text = " ".join(str(error).replace(f"'{path}'", "it").split())
        return f"is no readable image ({text or type(error).__name__})"
    return Looked("image", *size, 1, None, digest)


def _video(path: Path, digest: str) -> Looked:
    index = read_index(path)
    last = len(index.times) - 1
    images = [image for _, image in read_frames(path, index, sorted({0, last}))]
    return Looked("video", *images[0].size, last + 1, float(index.duration), digest)
