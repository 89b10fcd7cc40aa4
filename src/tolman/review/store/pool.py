"""The media pool that people choose from: looking through it, small pictures of it, and adding to it."""

from __future__ import annotations

import hashlib
import itertools
import math
import shutil
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from tolman.curate.same_media import picture_hash
from tolman.errors import InputError, TolmanError
from tolman.files import atomic_write, link_or_copy
from tolman.ingest.media_files import look
from tolman.ingest.media_pool import PoolMedium, bring_in, read_pool
from tolman.media.images import read_upright, to_jpeg
from tolman.media.metadata import image_without_metadata, video_without_metadata
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, read_frames, read_index
from tolman.review.store.likeness import copy_of

PAGE = 24
"""Media on one page."""
MEDIA = "media"
"""The folder of a store, and then of a benchmark, that holds what items were made of."""
_SMALL = Frames(quality=80, longest_side=320)
_UPLOADS = "uploads"
_IMAGES = (".jpg", ".jpeg", ".png", ".webp")
_CONTAINERS = {".mp4": "mp4", ".m4v": "mp4", ".mov": "mov", ".webm": "webm"}
"""File types whose metadata can be removed, beside images."""
_HEADS = (
    (0, b"\xff\xd8\xff", ".jpg"),
    (0, b"\x89PNG\r\n\x1a\n", ".png"),
    (8, b"WEBP", ".webp"),
    (4, b"ftyp", ".mp4"),
    (0, b"\x1a\x45\xdf\xa3", ".webm"),
)
"""(place, bytes) by which a file is known for what it is: the kinds that every browser shows."""


class UploadError(Exception):
    """A file can't be taken; the text is one sentence for who sent it."""


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
        sources, groups: what can be chosen.
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
        store: where small pictures and what items are made of are kept.

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
        """One page of what fits some filters."""
        media = self.media()
        words = filters.text.casefold().split()
        fitting = [
            (key, medium)
            for key, medium in media.items()
            if filters.source in ("", medium.source)
            and filters.kind in ("", medium.kind)
            and all(word in _words(medium) for word in words)
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
        kept = self.store / "small" / f"{medium.sha256}.jpg"
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
        """The perceptual hash of an image; None of a video, and of what can't be read."""
        if medium.kind != "image":
            return None
        if medium.sha256 not in self._looks:
            try:
                self._looks[medium.sha256] = picture_hash(self.small(medium))
            except BrokenMediaError:
                return None
        return self._looks[medium.sha256]

    def copies(self, media: Sequence[PoolMedium]) -> dict[tuple[str, str], str]:
        """Pairs of images of which the second is a copy of the first that is turned, mirrored or cut: their keys → how.

        Copies that look the same as they stand are told by their hashes.
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
        """Have a medium in the store for good, whatever becomes of the pool; its path there.

        What is stored is published, so it has no metadata that could tell of people.

        Raises:
            InputError: the file isn't what the pool says.
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
            if suffix in (*_IMAGES, *_CONTAINERS):
                try:
                    with atomic_write(here) as partial:
                        _without_metadata(there, partial, suffix)
                except BrokenMediaError as error:
                    raise InputError(there, str(error).removeprefix(f"{there}: ")) from None
            else:
                link_or_copy(there, here)
        return name

    def upload(self, content: bytes, licence: str) -> PoolMedium:
        """Take a file in. What it is called and said to be counts for nothing; what it holds is looked at, and what it
        says beside its pictures and sound (place, time, device, owner) is left out before it is named or kept.

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
            _without_metadata(sent, clean, suffix)
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


def _without_metadata(source: Path, target: Path, suffix: str) -> None:
    """Write a file again without its metadata; the suffix says what it is.

    Raises:
        BrokenMediaError: it can't be read.
    """
    if suffix in _IMAGES:
        target.write_bytes(image_without_metadata(source.read_bytes()))
    else:
        video_without_metadata(source, target, _CONTAINERS[suffix])


def _words(medium: PoolMedium) -> str:
    return f"{medium.original} {medium.source} {medium.licence}".casefold()
