"""The media pool that people choose from: looking through it, small pictures of it, and adding to it.

Added pictures are compared by a perceptual hash that also recognises copies that are turned, mirrored or cut a little.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import math
import shutil
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray
from PIL import Image, ImageOps

from tolman.analyze.duplicates import picture_hash
from tolman.errors import InputError, TolmanError
from tolman.files import atomic_write, link_or_copy
from tolman.ingest.media_pool import PoolMedium, bring_in, look, read_pool
from tolman.media.frame_store import READING
from tolman.media.images import image_without_metadata, read_upright, to_jpeg, video_without_metadata
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, read_frames, read_index

SIDE = 64
"""Pixels of the square that is compared: the middle of a picture."""
SHARE = 0.85
"""Share of a picture's shorter side that the square covers, so that a smaller copy has room."""
_WORKED = 96
"""Pixels of the shorter side of a picture that is rotated."""
RADIUS_SHARE = 0.44
"""Share of the square: the radius of the disc that no rotation cuts."""
ALIKE = 0.95
"""Correlation of two pictures' grey levels from which on they count as copies."""
ANGLES = (*range(-15, 16), 90, 180, 270)
"""Degrees by which a copy may be turned."""
SCALES = (0.86, 0.93, 1.0, 1.07)
"""By which it may be larger or smaller."""
_ACROSS = (np.arange(SIDE) + 0.5) / SIDE - 0.5
_DISC = _ACROSS[None, :] ** 2 + _ACROSS[:, None] ** 2 <= RADIUS_SHARE**2
_Grey = NDArray[np.float32]


@dataclass(frozen=True)
class Copy:
    """How one picture becomes the other.

    Attributes:
        degrees: by which it is turned, anticlockwise.
        mirrored: whether left and right are changed.
        correlation: of their grey levels then, at most 1.
    """

    degrees: int
    mirrored: bool
    correlation: float

    @property
    def text(self) -> str:
        """The same in words, such as 'turned by 3°'; empty where nothing is changed."""
        ways = [f"turned by about {abs(self.degrees)}°"] if self.degrees else []
        return " and ".join([*ways, *(["mirrored"] if self.mirrored else [])])


_WAYS = tuple((degrees, scale, mirrored) for mirrored in (False, True) for degrees in ANGLES for scale in SCALES)


def copy_of(one: bytes, other: bytes) -> Copy | None:
    """How a picture is a copy of another one; None where it is none.

    Args:
        one, other: files of pictures, small ones for speed.

    Raises:
        OSError: they are none.
    """
    found = _variants(one) @ _upright(other)
    best = int(np.argmax(found))
    if found[best] < ALIKE:
        return None
    degrees, _, mirrored = _WAYS[best]
    return Copy(degrees, mirrored, float(found[best]))


@lru_cache(maxsize=256)
def _upright(picture: bytes) -> _Grey:
    first: _Grey = _looks(picture, [(0, 1.0, False)])[0]
    return first


@lru_cache(maxsize=64)
def _variants(picture: bytes) -> _Grey:
    return _looks(picture, _WAYS)


def _looks(picture: bytes, ways: Sequence[tuple[int, float, bool]]) -> _Grey:
    """Grey levels of the disc in a picture's middle in several ways: (ways, pixels), each of mean 0 and length 1."""
    with Image.open(io.BytesIO(picture)) as image:
        factor = _WORKED / min(image.size)
        size = round(image.width * factor), round(image.height * factor)
        grey = image.convert("L").resize(size, Image.Resampling.BOX)
    rows = []
    for degrees, scale, mirrored in ways:
        side = SHARE * min(grey.size) / scale
        turned = (ImageOps.mirror(grey) if mirrored else grey).rotate(degrees, Image.Resampling.BILINEAR)
        left, top = (turned.width - side) / 2, (turned.height - side) / 2
        square = turned.resize((SIDE, SIDE), Image.Resampling.BOX, (left, top, left + side, top + side))
        rows.append(np.asarray(square, dtype=np.float32)[_DISC])
    found = np.stack(rows)
    found -= found.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    unit: _Grey = np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 1e-6)
    return unit


PAGE = 24
"""Media on one page."""
MEDIA = "media"
"""The folder of a store, and then of a benchmark, that holds the media of items."""
_SMALL = Frames(quality=80, longest_side=320)
_UPLOADS = "uploads"
IMAGES = (".jpg", ".jpeg", ".png", ".webp")
_CONTAINERS = {".mp4": "mp4", ".m4v": "mp4", ".mov": "mov", ".webm": "webm"}
"""File types whose metadata can be removed, besides images."""
_HEADS = (
    (0, b"\xff\xd8\xff", ".jpg"),
    (0, b"\x89PNG\r\n\x1a\n", ".png"),
    (8, b"WEBP", ".webp"),
    (4, b"ftyp", ".mp4"),
    (0, b"\x1a\x45\xdf\xa3", ".webm"),
)
"""(place, bytes) that identify a file's type: the kinds that every browser shows."""


class UploadError(Exception):
    """The error of a file that can't be taken; the text is one sentence for its sender."""


@dataclass(frozen=True)
class Filters:
    """Filters of a search.

    Attributes:
        source, group, kind: exactly these; '' for any.
        text: words that the name, group, source or licence holds, all of them.
        page: from 1.
    """

    source: str = ""
    group: str = ""
    kind: str = ""
    text: str = ""
    page: int = 1


@dataclass(frozen=True)
class Shelf:
    """Media that pass some filters.

    Attributes:
        media: of the page, with their keys.
        found: how many there are on all pages.
        page, pages: which one it is, and of how many.
        sources, groups: choices of the filters.
    """

    media: tuple[tuple[str, PoolMedium], ...]
    found: int
    page: int
    pages: int
    sources: tuple[str, ...]
    groups: tuple[str, ...]


class MediaPool:
    """A pool's folder, read again when it has changed.

    Args:
        folder: as `tolman ingest media` makes it.
        store: folder of the small pictures and of the media of items.

    Raises:
        InputError: it is no pool.
    """

    def __init__(self, folder: Path, store: Path) -> None:
        self.folder, self.store = folder, store
        self._lock = threading.Lock()
        self._read_at = -1
        self._media: dict[str, PoolMedium] = {}
        self._looks: dict[str, int] = {}
        self.media()

    def media(self) -> dict[str, PoolMedium]:
        """Key → medium, in the pool's order.

        Raises:
            InputError: it is no pool any more.
        """
        table = self.folder / "pool.parquet"
        changed = table.stat().st_mtime_ns if table.is_file() else 0
        if changed != self._read_at:
            self._media = {key_of(medium): medium for medium in read_pool(self.folder)}
            self._read_at = changed
        return self._media

    def browse(self, filters: Filters) -> Shelf:
        """Return one page of the media that pass some filters."""
        media = self.media()
        wanted = filters.text.casefold().split()
        fitting = [
            (key, medium)
            for key, medium in media.items()
            if filters.source in ("", medium.source)
            and filters.kind in ("", medium.kind)
            and all(word in f"{medium.original} {medium.source} {medium.licence}".casefold() for word in wanted)
        ]
        groups = tuple(dict.fromkeys(medium.group for _, medium in fitting if medium.group))
        if filters.group:
            fitting = [(key, medium) for key, medium in fitting if medium.group == filters.group]
        pages = max(1, math.ceil(len(fitting) / PAGE))
        page = min(max(filters.page, 1), pages)
        sources = tuple(dict.fromkeys(medium.source for medium in media.values()))
        shown = tuple(fitting[(page - 1) * PAGE : page * PAGE])
        return Shelf(shown, len(fitting), page, pages, sources, groups[:500])

    def small(self, medium: PoolMedium) -> bytes:
        """A small picture of a medium, as JPEG; of a video its middle frame.

        Raises:
            BrokenMediaError: it can't be read.
        """
        made = medium.sha256 if medium.kind == "image" else f"{medium.sha256}-{READING}"
        kept = self.store / "small" / f"{made}.jpg"
        if kept.is_file():
            return kept.read_bytes()
        path = self.folder / medium.path
        if medium.kind == "image":
            try:
                image = read_upright(path.read_bytes(), medium.path)
            except OSError as error:
                raise BrokenMediaError(f"{medium.path}: can't be read ({error.strerror})") from None
        else:
            index = read_index(path)
            _, image = next(read_frames(path, index, [len(index.times) // 2]))
        content = to_jpeg(image, _SMALL)
        kept.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(kept) as partial:
            partial.write_bytes(content)
        return content

    def look_of(self, medium: PoolMedium) -> int | None:
        """Return the perceptual hash of an image; None for a video or an unreadable file."""
        if medium.kind != "image":
            return None
        if medium.sha256 not in self._looks:
            try:
                self._looks[medium.sha256] = picture_hash(self.small(medium))
            except BrokenMediaError:
                return None
        return self._looks[medium.sha256]

    def copies(self, media: Sequence[PoolMedium]) -> dict[tuple[str, str], str]:
        """Return pairs of images where the second is a rotated, mirrored or cropped copy of the first: their keys →
        how.

        Unchanged copies are found by their hashes.
        """
        small = {}
        for medium in media:
            with suppress(BrokenMediaError):
                if medium.kind == "image":
                    small[key_of(medium)] = self.small(medium)
        found = {}
        for one, other in itertools.combinations(small, 2):
            copy = copy_of(small[one], small[other])
            if copy is not None:
                found[one, other] = copy.text or "cut a little"
        return found

    def keep(self, medium: PoolMedium) -> str:
        """Keep a medium in the store for good, even if the pool changes, and return its path there.

        Stored media are published, so they have no metadata that could identify people.

        Raises:
            InputError: the file differs from the pool's record.
        """
        there = self.folder / medium.path
        name = kept_name(medium)
        here = self.store / name
        if not here.is_file():
            try:
                with there.open("rb") as file:
                    same = hashlib.file_digest(file, "sha256").hexdigest() == medium.sha256
            except OSError:
                same = False
            if not same:
                raise InputError(there, "is missing or has changed", fix="run 'tolman ingest media' again")
            here.parent.mkdir(parents=True, exist_ok=True)
            suffix = there.suffix.lower()
            if suffix in (*IMAGES, *_CONTAINERS):
                try:
                    with atomic_write(here) as partial:
                        without_metadata(there, partial, suffix)
                except BrokenMediaError as error:
                    raise InputError(there, str(error).removeprefix(f"{there}: ")) from None
            else:
                link_or_copy(there, here)
        return name

    def upload(self, content: bytes, licence: str) -> PoolMedium:
        """Add a file. Its name and declared type are ignored, and its content is examined. Its metadata (place, time,
        device, owner) is removed before it is named or kept.

        Raises:
            UploadError: it is none that can be taken.
        """
        suffix = next((s for place, head, s in _HEADS if content[place : place + len(head)] == head), None)
        if suffix is None:
            raise UploadError("This is no JPEG, PNG, WebP, MP4 or WebM file.")
        uploads = self.store / _UPLOADS
        uploads.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=uploads))
        try:
            sent, clean = folder / f"sent{suffix}", folder / f"clean{suffix}"
            sent.write_bytes(content)
            looked = look(sent)
            if isinstance(looked, str):
                raise UploadError(f"The file {looked}.")
            without_metadata(sent, clean, suffix)
            with clean.open("rb") as file:
                name = hashlib.file_digest(file, "sha256").hexdigest()
            path = clean.replace(folder / f"{name[:20]}{suffix}")
            with self._lock, FileLock(self.store / "uploads.lock"):  # threads of this process, then other processes
                twin = next((m for m in self.media().values() if m.sha256 == name), None)
                if twin is not None:
                    return twin
                bring_in([path], self.folder, source=_UPLOADS, licence=licence)
                return next(medium for medium in self.media().values() if medium.sha256 == name)
        except BrokenMediaError as error:
            raise UploadError(f"The file {str(error).removeprefix(f'{sent}: ')}.") from None
        except TolmanError as error:
            raise UploadError(f"The file can't be taken into the pool ({error}).") from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def key_of(medium: PoolMedium) -> str:
    """Name of a medium in addresses."""
    return hashlib.sha256(medium.path.encode()).hexdigest()[:32]


def kept_name(medium: PoolMedium) -> str:
    """The path of a medium in the store, and in a benchmark that is made of it; the same for the same content."""
    return f"{MEDIA}/{medium.sha256[:20]}{Path(medium.path).suffix.lower()}"


def without_metadata(source: Path, target: Path, suffix: str) -> None:
    """Write a file again without its metadata; the suffix names its format.

    Raises:
        BrokenMediaError: it can't be read.
    """
    if suffix in IMAGES:
        target.write_bytes(image_without_metadata(source.read_bytes()))
    else:
        video_without_metadata(source, target, _CONTAINERS[suffix])
