"""Images as the JPEG that models are shown, images inside a table of questions, and media without personal data.

A medium of a table, such as MMSI-Bench's, has the table's path. If its column isn't `images` (Parquet) or `image` (all
other forms), '#' and the column's name follow the path: 'val.parquet#image_2'.

Personal data in media files are places, times, devices and owners. Images lose all metadata without being encoded
again, unless they have to be turned upright; videos are put into a new container with the same packets. Colour profiles
stay, as the pictures would look otherwise.

Sources: ITU-T T.81 (JPEG markers), W3C PNG 3rd edition (chunks), RFC 9649 (WebP), ISO/IEC 14496-12 (MP4 boxes).
"""

from __future__ import annotations

import base64
import binascii
import csv
import hashlib
import io
import json
import shutil
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tolman.extras import Image as Pillow, ImageOps
from tolman.files import cache_folder, file_state
from tolman.forks import check_fork
from tolman.media.integrity import lost_pictures
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, need_pillow, read_index
from tolman.storage import fetched
from tolman.text_tables import is_list_cell, read_cell

if TYPE_CHECKING:
    from PIL.Image import Image


def to_jpeg(image: Image, frames: Frames) -> bytes:
    """Encode, smaller where the settings say so."""
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
        BrokenMediaError: the bytes are no image, are cut off, or are one too large to be meant.
        MissingExtraError: Pillow is not installed.
    """
    with _opened(data, where) as image:
        small = frames.longest_side is None or max(image.size) <= frames.longest_side
        turned = image.getexif().get(0x0112, 1) != 1
        if image.format == "JPEG" and image.mode in ("RGB", "L") and small and not turned:
            image.load()
            return data
        return to_jpeg(_upright(image), frames)


def read_upright(data: bytes, where: str) -> Image:
    """An image file's bytes as an RGB image, upright and on white.

    Raises:
        BrokenMediaError: the bytes are no image, are cut off, or are one too large to be meant.
        MissingExtraError: Pillow is not installed.
    """
    with _opened(data, where) as image:
        return _upright(image)


@contextmanager
def _opened(data: bytes, where: str) -> Iterator[Image]:
    """An image file's bytes as an image; any error in working on it is a BrokenMediaError."""
    need_pillow()
    refuse_cut(data, where)
    try:
        with Pillow.open(io.BytesIO(data)) as image:
            yield image
    except Exception as error:  # a broken image makes Pillow's readers raise almost anything
        raise BrokenMediaError(f"{where}: is no readable image ({error})") from None


def refuse_cut(data: bytes, where: str) -> None:
    """Refuse an image file's bytes that hold a part of an animation.

    Raises:
        BrokenMediaError: they do.
    """
    if lost := lost_pictures(data):
        raise BrokenMediaError(f"{where}: is cut off ({lost}); get it again")


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
    deep = image.mode.startswith("I;16")
    if not deep and image.mode not in ("I", "F"):
        return image
    if not deep and (image.mode == "F" or (form or image.format) not in _SIXTEEN_BITS_IN_INTEGERS):
        raise ValueError("its values have 32 bits and no range that is known; save it with 8 or 16 bits")

    values = np.asarray(image).astype(np.uint32)
    scaled = Pillow.fromarray(((values * 255 + 32767) // 65535).astype(np.uint8))
    clear = image.info.get("transparency")
    if isinstance(clear, int):
        scaled.putalpha(Pillow.fromarray(np.where(values == clear, 0, 255).astype(np.uint8)))
    return scaled


def may_be_deep(data: bytes) -> bool:
    """Check by its beginning whether an image file's bytes may hold more than eight bits a value."""
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return data[24:25] == b"\x10"
    return not data.startswith((b"\xff\xd8", b"GIF8", b"BM")) and data[8:12] != b"WEBP"


def _upright(image: Image) -> Image:
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
        part: (row, position) inside a table, see `tolman.media.images`.

    Raises:
        BrokenMediaError: there is none.
    """

    where = fetched(root / (path if part is None else table_and_column(path)[0]))
    if not where.is_file():
        raise BrokenMediaError(f"{where}: the file is missing")
    return where.read_bytes() if part is None else image_in_table(root / path, *part)


_CELL_LIMIT = 1 << 28
_MARK = "#"
_JSON = (".json", ".jsonl")
SUFFIXES = (".parquet", ".tsv", ".csv", *_JSON)
"""Tables that images are read from."""


def in_column(file: str, column: str) -> str:
    """Return the path of a medium in a column of a table; of the usual column the table's own."""
    return file if column == _usual(Path(file)) else f"{file}{_MARK}{column}"


def table_and_column(path: str) -> tuple[str, str | None]:
    """The inverse of `in_column`: a table's path, and the column where one is named."""
    file, mark, column = path.rpartition(_MARK)
    return (file, column) if mark and Path(file).suffix.lower() in SUFFIXES else (path, None)


def column_of(path: str) -> str:
    """Return the column of a table that contains a medium."""
    file, named = table_and_column(path)
    return named or _usual(Path(file))


def image_in_table(path: Path, row: int, position: int) -> bytes:
    """One image of a row.

    Args:
        path: a Parquet file with byte strings or the hub's images, or another table with base64; with its column as
            `in_column` writes it.
        row, position: from 0; the position in the row's list, 0 where it has one image.

    Raises:
        BrokenMediaError: there is no such image.
    """
    file, named = table_and_column(str(path))
    table = Path(file)
    column = named or _usual(table)
    try:
        if table.suffix.lower() == ".parquet":
            return _row_of_parquet(table, column, row, file_state(table))[position]
        return (_unpacked(table, column, file_state(table)) / f"{row}-{position}").read_bytes()
    except (IndexError, KeyError, ValueError, FileNotFoundError) as error:
        no_file = isinstance(error, FileNotFoundError)
        said = "no such row or place" if no_file else f"{type(error).__name__}: {error}"
        raise BrokenMediaError(f"{table}, row {row + 1}: holds no image {position + 1} ({said})") from None


def _usual(table: Path) -> str:
    return "images" if table.suffix.lower() == ".parquet" else "image"


@lru_cache(maxsize=16)
def _row_of_parquet(path: Path, column: str, row: int, state: tuple[int, ...]) -> list[bytes]:
    check_fork()
    try:
        cell = pl.scan_parquet(path).select(column).slice(row, 1).collect()[column].to_list()[0]
    except pl.exceptions.PolarsError as error:
        raise BrokenMediaError(f"{path}: can't be read ({str(error).splitlines()[0]})") from None
    return images_in(cell)


def images_in(cell: Any) -> list[bytes]:
    """The images of a cell: a list of them or one; bytes, the hub's {"bytes": …, "path": …}, or base64.

    Raises:
        ValueError: one is none of these.
    """
    if is_list_cell(cell):
        cell = read_cell(cell)
    images = cell if isinstance(cell, list) else [] if cell in (None, "", "nan") else [cell]
    found = []
    for image in images:
        content = image.get("bytes") if isinstance(image, dict) else image
        if isinstance(content, str):
            head, comma, _ = content[:64].partition("base64,")
            content = base64.b64decode(content[len(head) + len(comma) :] if comma else content, validate=True)
        if not isinstance(content, bytes):
            raise ValueError("is neither bytes nor base64")
        found.append(content)
    return found


@lru_cache(maxsize=16)
def _unpacked(table: Path, column: str, state: tuple[int, ...]) -> Path:
    """The folder with the images of a text table, written once: none of these forms can be read at a row."""
    key = hashlib.sha256(repr((str(table.resolve()), state, column)).encode()).hexdigest()
    folder = cache_folder() / "tables" / key[:2] / key
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder.parent))
    try:
        for row, cell in enumerate(_cells(table, column)):
            try:
                images = images_in(cell)
            except (ValueError, binascii.Error):
                continue  # told where this row's image is asked for
            for position, content in enumerate(images):
                (work / f"{row}-{position}").write_bytes(content)
        try:
            work.rename(folder)
        except OSError:
            if not folder.is_dir():  # another process was first: its content is the same
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder


def _cells(table: Path, column: str) -> Iterator[Any]:
    suffix = table.suffix.lower()
    with table.open(encoding="utf-8-sig", newline="") as file:
        if suffix == ".jsonl":
            yield from (json.loads(line).get(column) for line in file if line.strip())
        elif suffix == ".json":
            rows = json.load(file)
            yield from (row.get(column) for row in (rows.values() if isinstance(rows, dict) else rows))
        else:
            csv.field_size_limit(_CELL_LIMIT)
            for record in csv.DictReader(file, delimiter="\t" if suffix == ".tsv" else ","):
                yield record.get(column)


_QUALITY = 95
_ORIENTATION = 0x0112
_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = frozenset(
    {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"cICP", b"sBIT", b"bKGD",
     b"pHYs", b"acTL", b"fcTL", b"fdAT"}
)  # fmt: skip
_WEBP_KEPT = frozenset({b"VP8X", b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ANMF", b"ICCP"})
_WEBP_METADATA = 0x08 | 0x04
"""Flags of VP8X that announce EXIF and XMP."""


def image_without_metadata(data: bytes) -> bytes:
    """Return a JPEG, PNG or WebP file's bytes upright, and without EXIF (place, time, device), XMP, IPTC, comments,
    thumbnails and any data after the picture, such as the video of a "live" photo.

    The picture is the same to the bit, unless it had to be turned.

    Raises:
        BrokenMediaError: the bytes are none of these, or are cut off.
        MissingExtraError: Pillow is not installed.
    """
    need_pillow()

    try:
        with Pillow.open(io.BytesIO(data), formats=("JPEG", "PNG", "WEBP")) as image:
            kind = str(image.format)
            if image.getexif().get(_ORIENTATION, 1) != 1:
                data = _encoded(ImageOps.exif_transpose(image), kind, data)
    except Exception as error:  # a broken image makes Pillow's readers raise almost anything
        raise BrokenMediaError(f"is no readable image ({error})") from None
    try:
        return {"JPEG": _jpeg, "PNG": _png, "WEBP": _webp}.get(kind, _jpeg)(data)  # MPO is JPEG after JPEG
    except (IndexError, struct.error):
        raise BrokenMediaError("is cut off") from None


def _encoded(image: Image, kind: str, data: bytes) -> bytes:
    out = io.BytesIO()
    profile = image.info.get("icc_profile")
    if kind == "PNG":
        image.save(out, "PNG", icc_profile=profile)
    elif kind == "WEBP":
        image.save(out, "WEBP", quality=_QUALITY, lossless=b"VP8L" in data[:64], icc_profile=profile)
    else:
        image.save(out, "JPEG", quality=_QUALITY, subsampling=0, icc_profile=profile)
    return out.getvalue()


def _jpeg(data: bytes) -> bytes:
    """The first picture of a file, its segments without APP1 and the like."""
    out, at = bytearray(data[:2]), 2
    while True:
        while data[at] == 0xFF and data[at + 1] == 0xFF:  # fill bytes
            at += 1
        if data[at] != 0xFF:
            raise BrokenMediaError("is no readable image (a segment is missing)")
        marker = data[at + 1]
        if marker == 0xD9:
            return bytes(out + b"\xff\xd9")
        end = at + 2 + struct.unpack_from(">H", data, at + 2)[0]
        body = data[at + 4 : end]
        if marker == 0xE0 and body.startswith(b"JFIF\0"):
            out += b"\xff\xe0\0\x10" + body[:12] + b"\0\0"  # no thumbnail
        elif marker < 0xE0 or (0xF0 <= marker < 0xFE) or _is_needed(marker, body):
            out += data[at:end]
        at = end
        if marker == 0xDA:  # the scan: up to the next marker that doesn't belong to it
            end = _next(data, at)
            while data[end + 1] == 0 or 0xD0 <= data[end + 1] <= 0xD7:
                end = _next(data, end + 2)
            out += data[at:end]
            at = end


def _next(data: bytes, at: int) -> int:
    found = data.find(b"\xff", at)
    if found < 0:
        raise IndexError
    return found


def _is_needed(marker: int, body: bytes) -> bool:
    """Colour profile, and how Adobe's programs coded the colours."""
    return (marker == 0xE2 and body.startswith(b"ICC_PROFILE\0")) or (marker == 0xEE and body.startswith(b"Adobe"))


def _png(data: bytes) -> bytes:
    out, at = bytearray(_PNG), len(_PNG)
    while True:
        length, name = struct.unpack_from(">I4s", data, at)
        end = at + 12 + length
        if end > len(data):
            raise IndexError
        if name in _PNG_KEPT:
            out += data[at:end]
        at = end
        if name == b"IEND":
            return bytes(out)


def _webp(data: bytes) -> bytes:
    out = bytearray()
    for name, body in _riff(data):
        if name == b"VP8X":
            body = bytes([body[0] & ~_WEBP_METADATA]) + body[1:]
        if name in _WEBP_KEPT:
            out += struct.pack("<4sI", name, len(body)) + body + b"\0" * (len(body) % 2)
    return b"RIFF" + struct.pack("<I", 4 + len(out)) + b"WEBP" + bytes(out)


def _riff(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    end = min(len(data), 8 + struct.unpack_from("<I", data, 4)[0])
    at = 12
    while at + 8 <= end:
        name, length = struct.unpack_from("<4sI", data, at)
        if at + 8 + length > end:
            raise IndexError
        yield name, data[at + 8 : at + 8 + length]
        at += 8 + length + length % 2


def video_without_metadata(source: Path, target: Path, container: str) -> None:
    """Write a video's pictures and sound into a new file: the same packets, and no tags, chapters, pictures of covers
    or tracks of data, in which cameras keep the way they went.

    Args:
        source: MP4, MOV or WebM.
        target: the new file.
        container: which it gets: 'mp4', 'mov' or 'webm'.

    Raises:
        BrokenMediaError: it can't be read, or its frames would be others in a new container.
    """
    import av

    try:
        with (
            av.open(str(source)) as before,
            av.open(str(target), "w", format=container, options={"fflags": "+bitexact"}) as after,
        ):
            after.metadata.clear()
            kept = {}
            for stream in (*before.streams.video, *before.streams.audio):
                if stream.disposition & av.stream.Disposition.attached_pic:
                    continue
                kept[stream.index] = after.add_stream_from_template(stream)
                kept[stream.index].metadata.clear()
            for packet in before.demux([before.streams[index] for index in kept]):
                if packet.dts is not None:
                    packet.stream = kept[packet.stream.index]
                    after.mux(packet)
    except (av.FFmpegError, ValueError, TypeError) as error:
        raise BrokenMediaError(f"can't be put into a file without its metadata ({error})") from None
    old, new = read_index(source), read_index(target)
    if len(old.times) != len(new.times):
        frames = f"has {len(old.times):,} frames, and {len(new.times):,} in a file without its metadata"
        raise BrokenMediaError(f"{frames}; record or export it again")
