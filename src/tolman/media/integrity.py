"""Missing and truncated media files, detected before anything is asked.

An interrupted download or copy holds fewer bytes than the file itself promises. Players show such a file as a shorter
one without an error, so the promise is read from the file's own structure. Streams, whose end is unknown while they
are written, promise nothing and are never refused. MPEG transport streams that end in the middle of a packet are.

Sources: ISO/IEC 14496-12 (MP4, MOV boxes), RFC 9559 and RFC 8794 (Matroska, WebM, EBML), Microsoft's "AVI RIFF File
Reference" and ASF specification, Adobe's FLV specification, ISO/IEC 13818-1 (transport streams), GIF89a, W3C PNG 3rd
edition.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import BinaryIO

from tolman.errors import DataWarning, InputError, counted
from tolman.items import Item, Media
from tolman.messages import Joined
from tolman.storage import is_there

_EBML = b"\x1a\x45\xdf\xa3"
_SEGMENT, _CLUSTER = 0x18538067, 0x1F43B675
_ASF_HEADER = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")
_ASF_DATA = bytes.fromhex("3626b2758e66cf11a6d900aa0062ce6c")
_PNG = b"\x89PNG\r\n\x1a\n"
_ZEROS = 4096
"""Zero bytes at the end of a program stream that no encoder writes: space that a download reserved."""

_STRAY = 16
"""Zero bytes between a GIF's pictures that are padding, not space that a download reserved."""


def lost_bytes(path: Path) -> str | None:
    """Say how a video file is cut off, as the rest of a sentence about it.

    Args:
        path: of a file in any format.

    Returns:
        None where the file is whole, or promises nothing.

    Raises:
        OSError: the file can't be read.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(16)
        if head[4:8] in (b"ftyp", b"styp", b"moov", b"mdat", b"wide", b"free", b"skip"):
            return _boxes(file, size)
        if head.startswith(_EBML):
            return _matroska(file, size)
        if head[:4] == b"RIFF":
            return _riff(file, size)
        if head.startswith(b"FLV"):
            return _flv(file, size)
        if head == _ASF_HEADER:
            return _asf(file, size)
        if head.startswith(b"\0\0\1\xba"):
            file.seek(max(0, size - _ZEROS))
            return None if file.read().strip(b"\0") else "it ends in zeros in place of frames"
        if head.startswith((b"GIF8", _PNG)):
            file.seek(0)
            return lost_pictures(file.read())
        return _transport_stream(file, size)


def lost_pictures(data: bytes) -> str | None:
    """Say how the animation in an image file's bytes is cut off, as `lost_bytes`.

    Decoders of still images find out themselves; of an animation, they read the first picture and look no further.
    """
    if data.startswith(b"GIF8"):
        return _gif(data)
    if data.startswith(_PNG) and b"acTL" in data[:4096]:
        at = len(_PNG)
        while at + 8 <= len(data):
            if data[at + 4 : at + 8] == b"IEND":
                return None
            at += 12 + int.from_bytes(data[at : at + 4], "big")
        return "its animation ends before its last picture"
    return None


def _short(what: str, end: int, size: int) -> str:
    return f"{what} ends at byte {end:,} and the file at {size:,}"


def _number(file: BinaryIO, length: int) -> int:
    return int.from_bytes(file.read(length), "big")


def _boxes(file: BinaryIO, size: int) -> str | None:
    at = 0
    while at + 8 <= size:
        file.seek(at)
        length, kind = _number(file, 4), file.read(4)
        if length == 1:
            length = _number(file, 8)
        elif length == 0:  # to the end of the file, wherever that is
            return None
        end = at + length
        if kind in (b"mdat", b"moov", b"moof") and end > size:
            return _short(f"its '{kind.decode()}' box", end, size)
        if kind == b"sidx" and (end := _indexed(file, end)) > size:
            return _short("what its index of segments names", end, size)
        if length < 8 or not kind.isalnum():  # cameras append data of their own
            return None
        at += length
    return None


def _indexed(file: BinaryIO, anchor: int) -> int:
    """Return the end of the last segment of a 'sidx' box; the file's position is after the box's type."""
    width = 8 if file.read(1) == b"\1" else 4
    file.read(11)
    file.read(width)
    end = anchor + _number(file, width)
    file.read(2)
    for _ in range(_number(file, 2)):
        end += _number(file, 4) & 0x7FFFFFFF
        file.read(8)
    return end


def _variable(file: BinaryIO, marked: bool) -> int | None:
    """An EBML number: an element's name with its length marker, a size without; None where there is none, or where a
    size is unknown."""
    first = file.read(1)
    if not first or not first[0]:
        return None
    length = 9 - first[0].bit_length()
    value = int.from_bytes(first + file.read(length - 1), "big")
    if marked:
        return value
    value &= (1 << 7 * length) - 1
    return None if value == (1 << 7 * length) - 1 else value


def _matroska(file: BinaryIO, size: int) -> str | None:
    file.seek(4)
    header = _variable(file, marked=False)
    if header is None:
        return None
    file.seek(min(file.tell() + header, size))
    if _variable(file, marked=True) != _SEGMENT:
        return None
    length = _variable(file, marked=False)
    end = size if length is None else file.tell() + length
    name, last = None, None
    while (at := file.tell()) < min(end, size):
        name = _variable(file, marked=True)
        length = _variable(file, marked=False)
        if name is None and at < size - 1:
            return f"it holds zeros from byte {at:,} on, where its next part should begin"
        if length is None:
            return None
        if name == _CLUSTER and file.tell() + length > size:
            return _short("a cluster of frames" if end <= size else "its segment", max(end, file.tell() + length), size)
        if name == _CLUSTER:
            last = file.tell(), file.tell() + length
        file.seek(min(file.tell() + length, size))
    if last is not None and (hole := _hole(file, *last)):
        return f"it holds zeros from byte {hole:,} on, where its next frame should begin"
    # Indexes and tags may stand behind the frames; a file that lacks a part of those only still has all frames.
    return _short("its segment", end, size) if end > size and name == _CLUSTER else None


def _hole(file: BinaryIO, start: int, end: int) -> int | None:
    """The first byte between two places at which no EBML element begins; None where there are elements alone."""
    file.seek(start)
    while (at := file.tell()) < end:
        name, length = _variable(file, marked=True), _variable(file, marked=False)
        if name is None:
            return at
        if length is None:
            return None
        file.seek(min(file.tell() + length, end))
    return None


def _riff(file: BinaryIO, size: int) -> str | None:
    """AVI (whose later parts are further RIFFs) and WebP."""
    at = 0
    while at + 12 <= size:
        file.seek(at)
        name, length, kind = file.read(4), int.from_bytes(file.read(4), "little"), file.read(4)
        if name != b"RIFF" or length in (0, 0xFFFFFFFF):  # not known when it was written
            return None
        end = at + 8 + length
        if kind == b"WEBP" and end > size:
            return _short("its picture", end, size)
        inner = at + 12
        while kind != b"WEBP" and inner + 8 <= min(end, size):
            file.seek(inner)
            name, length = file.read(4), int.from_bytes(file.read(4), "little")
            if name == b"\0\0\0\0":
                return f"it holds zeros from byte {inner:,} on, where its next part should begin"
            movie = name == b"LIST" and file.read(4) == b"movi"
            if movie and inner + 8 + length > size:
                return _short("its list of frames", inner + 8 + length, size)
            inner += 8 + length + length % 2
        at = end + end % 2
    return None


def _flv(file: BinaryIO, size: int) -> str | None:
    file.seek(5)
    at = _number(file, 4) + 4
    while at + 11 <= size:
        file.seek(at)
        kind, length = file.read(1)[0], _number(file, 3)
        if not kind:
            return f"it holds zeros from byte {at:,} on, where its next part should begin"
        at += 11 + length
        if at > size:
            return _short("its last part", at, size)
        at += 4
    return "it ends in the middle of a part" if at < size else None


def _asf(file: BinaryIO, size: int) -> str | None:
    at = 0
    while at + 24 <= size:
        file.seek(at)
        name, length = file.read(16), int.from_bytes(file.read(8), "little")
        if name == _ASF_DATA and length > 50 and at + length > size:
            return _short("its data", at + length, size)
        if length < 24:
            return None
        at += length
    return None


def _transport_stream(file: BinaryIO, size: int) -> str | None:
    file.seek(0)
    head = file.read(1024)
    for length, sync in ((188, 0), (192, 4), (204, 0)):  # broadcast, Blu-ray (behind a time code), with parity
        if len(head) == 1024 and all(byte == 0x47 for byte in head[sync::length]):
            # A broadcast may have lost bytes on the way, so packets at the end needn't be where the first ones say.
            file.seek(max(0, size - 6 * length))
            tail = file.read()
            if not any(tail[-length:]):
                return "it ends in zeros in place of frames"
            starts = (s for s in range(length) if all(byte == 0x47 for byte in tail[s + sync :: length]))
            start = next(starts, None)
            return "it ends in the middle of a packet" if start is not None and (len(tail) - start) % length else None
    return None


def _gif(data: bytes) -> str | None:
    cut = "its animation ends in the middle of a picture"
    try:
        at = 13 + (3 << (data[10] & 7) + 1 if data[10] & 0x80 else 0)
        while at < len(data):
            kind = data[at]
            if kind == 0x21:
                at += 2
            elif kind == 0x2C:
                at += 11 + (3 << (data[at + 9] & 7) + 1 if data[at + 9] & 0x80 else 0)
            elif kind == 0 and any(data[at : at + _STRAY]):  # some programs write a few more bytes between pictures
                at += 1
                continue
            else:
                return None if kind == 0x3B or (not any(data[at:]) and len(data) - at < _STRAY) else cut
            while data[at]:  # the length of a sub-block; 0 ends their chain
                at += data[at] + 1
            at += 1
    except IndexError:
        return cut
    return None  # only the mark at the end is missing


MIN_FILES = 10
"""Files of one folder that must all be missing for the folder to count as missing, where others are there."""


def refuse_missing(folder: Path, items: Iterable[Item]) -> None:
    """Refuse items none of whose media are there, or whose media lack one whole folder.

    Single files that are missing are failures of the items that show them.

    Args:
        folder: that media are relative to.
        items: the questions.

    Raises:
        InputError: the sentence gives the number of missing files and their folder.
    """
    groups: dict[str, dict[str, None]] = {}
    for item in items:
        for media in item.media:
            for path in _paths(media):
                first, _, rest = path.partition("/")
                groups.setdefault(first if rest else "", {}).setdefault(path)
    absent = {name: paths for name, paths in groups.items() if not any(is_there(folder / path) for path in paths)}
    if absent and len(absent) == len(groups):
        lost = [path for paths in absent.values() for path in paths]
        what = f"none of the questions' media is there ({counted(len(lost), 'file')}, the first: {lost[0]})"
        raise InputError(folder, what, fix="name the folder that holds them with --media")
    for name, paths in absent.items():
        if len(paths) >= MIN_FILES:
            what = (
                f"none of the questions' media is there ({counted(len(paths), 'file')}, the first: {next(iter(paths))})"
            )
            fix = "add them, name the folder that holds all of them with --media, or leave their questions out"
            raise InputError(folder / name, what, fix=fix)


def refuse_outside(folder: Path, items: Iterable[Item]) -> None:
    """Refuse media whose paths climb out of a benchmark's folder, and say so where others are elsewhere.

    A benchmark of strangers could name any picture of this machine, which would be sent to a model. Absolute paths and
    links are how people refer to their own media, so these are read, with a warning.

    Args:
        folder: that media are relative to.
        items: the questions.

    Raises:
        InputError: a path climbs out of the folder.
    """
    root = folder.resolve()
    elsewhere: dict[str, None] = {}
    inside: dict[Path, bool] = {}
    for item in items:
        for media in item.media:
            for path in _paths(media):
                if ".." in PurePath(path).parts:
                    what = f"the media path '{path}' leads out of the folder"
                    raise InputError(folder, what, row=item.id, fix="put the file into the folder and name it there")
                place = folder / path
                if place.parent not in inside:
                    inside[place.parent] = place.parent.resolve().is_relative_to(root)
                if not inside[place.parent] or (place.is_symlink() and not place.resolve().is_relative_to(root)):
                    elsewhere.setdefault(path)
    if elsewhere:
        first, what = next(iter(elsewhere)), "of the questions' media"
        warnings.warn(
            f"{counted(len(elsewhere), f'{what} is', f'{what} are')} outside of {folder} (the first: {first}) and "
            "shown to the model.",
            DataWarning,
            stacklevel=2,
        )


def _paths(media: Media) -> Iterator[str]:
    if isinstance(media, Joined):
        for member in media.members:
            yield from _paths(member)
    else:
        yield media.path
