"""Images as the JPEG that models are shown."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, need_pillow
from tolman.storage import fetched

if TYPE_CHECKING:
    from PIL.Image import Image


def to_jpeg(image: Image, frames: Frames) -> bytes:
    """Encode, smaller where the settings say so."""
    from PIL import Image as Pillow

    side = frames.longest_side
    if side is not None and max(image.size) > side:
        scale = side / max(image.size)
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        image = image.resize(size, Pillow.Resampling.LANCZOS)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=frames.quality)
    return out.getvalue()


def image_to_jpeg(data: bytes, frames: Frames, where: str) -> bytes:
    """An image file's bytes as JPEG, upright and on white.

    A JPEG that needs no change is passed on byte for byte.

    Raises:
        BrokenMediaError: the bytes are no image, or one too large to be meant.
        MissingExtraError: Pillow is not installed.
    """
    need_pillow()
    from PIL import Image as Pillow

    try:
        with Pillow.open(io.BytesIO(data)) as image:
            small = frames.longest_side is None or max(image.size) <= frames.longest_side
            turned = image.getexif().get(0x0112, 1) != 1
            if image.format == "JPEG" and image.mode in ("RGB", "L") and small and not turned:
                image.load()
                return data
            return to_jpeg(_upright(image), frames)
    except Exception as error:  # a broken image makes Pillow's readers raise almost anything
        raise BrokenMediaError(f"{where}: is no readable image ({error})") from None


def read_upright(data: bytes, where: str) -> Image:
    """An image file's bytes as an RGB image, upright and on white.

    Raises:
        BrokenMediaError: the bytes are no image, or one too large to be meant.
        MissingExtraError: Pillow is not installed.
    """
    need_pillow()
    from PIL import Image as Pillow

    try:
        with Pillow.open(io.BytesIO(data)) as image:
            return _upright(image)
    except Exception as error:  # as above
        raise BrokenMediaError(f"{where}: is no readable image ({error})") from None


_SIXTEEN_BITS_IN_INTEGERS = ("PNG", "PPM")
"""Formats whose 16-bit pixels Pillow may give as 32-bit integers from 0 to 65,535."""


def eight_bits(image: Image, form: str | None = None) -> Image:
    """The image with at most eight bits for each value: those of 16 are scaled, 65,535 to 255.

    Pillow's own conversion sets every value above 255 to 255, so that a depth map turns white.

    Args:
        image: as it was opened, or changed since.
        form: of the file, where the image doesn't know it any more.

    Raises:
        ValueError: its values have 32 bits and no range that is known.
    """
    from PIL import Image as Pillow

    deep = image.mode.startswith("I;16")
    if not deep and image.mode not in ("I", "F"):
        return image
    if not deep and (image.mode == "F" or (form or image.format) not in _SIXTEEN_BITS_IN_INTEGERS):
        raise ValueError("its values have 32 bits and no range that is known; save it with 8 or 16 bits")
    import numpy as np

    values = np.asarray(image).astype(np.uint32)
    scaled = Pillow.fromarray(((values * 255 + 32767) // 65535).astype(np.uint8))
    clear = image.info.get("transparency")
    if isinstance(clear, int):
        scaled.putalpha(Pillow.fromarray(np.where(values == clear, 0, 255).astype(np.uint8)))
    return scaled


def may_be_deep(data: bytes) -> bool:
    """Tell whether an image file's bytes may hold more than eight bits a value, as far as their beginning tells."""
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return data[24:25] == b"\x10"
    return not data.startswith((b"\xff\xd8", b"GIF8", b"BM")) and data[8:12] != b"WEBP"


def _upright(image: Image) -> Image:
    from PIL import Image as Pillow
    from PIL import ImageOps

    upright = eight_bits(ImageOps.exif_transpose(image), image.format)
    if upright.mode in ("RGBA", "LA", "PA") or "transparency" in upright.info:
        ground = Pillow.new("RGBA", upright.size, "white")
        upright = Pillow.alpha_composite(ground, upright.convert("RGBA"))
    return upright.convert("RGB")


def read_image(root: Path, path: str, part: tuple[int, int] | None) -> bytes:
    """The bytes of an image file, or of an image inside a table file.

    Args:
        root: the benchmark's data folder.
        path: relative to it.
        part: (row, position) inside a table, see `tolman.media.tables`.

    Raises:
        BrokenMediaError: there is none.
    """
    from tolman.media.tables import image_in_table, table_and_column

    where = fetched(root / (path if part is None else table_and_column(path)[0]))
    if not where.is_file():
        raise BrokenMediaError(f"{where}: the file is missing")
    return where.read_bytes() if part is None else image_in_table(root / path, *part)
