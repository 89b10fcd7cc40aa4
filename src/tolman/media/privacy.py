"""Media without personal data in their files: places, times, devices, owners.

Images lose all metadata without being encoded again, unless they have to be turned upright; videos are put into a new
container with the same packets. Colour profiles stay, as the pictures would look otherwise.

Sources: ITU-T T.81 (JPEG markers), W3C PNG 3rd edition (chunks), RFC 9649 (WebP), ISO/IEC 14496-12 (MP4 boxes).
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tolman.extras import LazyModule
from tolman.media.video import BrokenMediaError, need_pillow, read_index

if TYPE_CHECKING:
    from PIL import Image as Pillow
    from PIL import ImageOps
    from PIL.Image import Image
else:
    ImageOps = LazyModule("PIL.ImageOps")
    Pillow = LazyModule("PIL.Image")


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
