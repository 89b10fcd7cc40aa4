"""Media pools: images and videos of any origin, from which people write questions by hand.

```
pool.parquet       one row for each medium, as PoolMedium
left_out.json      files that can't be used: {"source": …, "file": …, "reason": …}
media/SOURCE/…     the media, under the names that they had
```

A pool grows: later media come after earlier ones, and unchanged media aren't read again. Media are found in folders and
those below them, by name, or from lists of paths. Each file is examined for its kind, its size and length, and whether
all of it can be read.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl
from PIL import Image as Pillow
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tolman.benchmarks.rows import read_rows
from tolman.errors import InputError, UsageError, invalid_field
from tolman.files import atomic_write, write_text
from tolman.ingest.readers import natural
from tolman.media.video import BrokenMediaError, need_pillow, read_frames, read_index
from tolman.parallel import Workers, parallel_map

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


LISTS = frozenset({".txt", ".lst"})
"""Endings of text files with a path on each line."""


@dataclass(frozen=True)
class Found:
    """A file that is named like a medium.

    Attributes:
        path: where it is.
        original: as in PoolMedium.
        size, modified: as in PoolMedium.
        problem: why it can't be read; empty where nothing is known against it.
    """

    path: Path
    original: str
    size: int = 0
    modified: int = 0
    problem: str = ""

    def target(self, source: str) -> str:
        return f"media/{source}/{self.original}"


def search(paths: Sequence[Path], pool: Path) -> tuple[list[Found], int]:
    """All files of some paths that are named like media, in order, and how many others there are.

    Args:
        paths: folders, media, or text files with a path on each line.
        pool: a folder that is not looked into.

    Raises:
        InputError: a path isn't there or is the pool's own, or a text file can't be read.
    """
    pool = pool.resolve()
    for path in paths:
        if path.resolve() == pool or path.resolve().is_relative_to(pool / "media"):
            raise InputError(path, f"belongs to the pool {pool} itself", fix="give the folder that its media came from")
    files: list[Path] = []
    roots: list[Path] = []
    for path in paths:
        if path.is_dir():
            roots.append(path.absolute())
            files += _below(path.absolute(), pool)
        elif path.suffix.lower() in LISTS and path.is_file():
            listed = _listed(path)
            roots += [one.parent for one in listed]
            files += [inside for one in listed for inside in (_below(one, pool) if one.is_dir() else [one])]
        elif path.is_file():
            roots.append(path.absolute().parent)
            files.append(path.absolute())
        else:
            raise InputError(path, "isn't there", fix="give a folder, media, or a text file with a path on each line")
    root = Path(os.path.commonpath(roots)) if roots else Path()
    unique = dict.fromkeys(files)
    media = [path for path in unique if path.suffix.lower() in IMAGES | VIDEOS]
    found = [_found(path, path.relative_to(root).as_posix()) for path in media]
    return sorted(found, key=lambda one: natural(one.original)), len(unique) - len(media)


def _below(folder: Path, pool: Path) -> Iterator[Path]:
    """The files of a folder and those below it, but for hidden ones, the pool's own and those of folders that Tolman
    made: they hold copies of media."""
    for place, folders, names in os.walk(folder):
        if Path(place) != folder and _is_made(Path(place), names):
            folders[:] = []
            continue
        folders[:] = sorted(name for name in folders if name[0] != "." and Path(place, name).resolve() != pool)
        yield from (Path(place, name) for name in sorted(names) if name[0] != ".")


def _is_made(place: Path, names: Collection[str]) -> bool:
    """Check whether a folder is a pool, a benchmark, a run or a review store, whose database may be elsewhere."""
    reviewed = place.with_name(place.name.removesuffix("-review"))
    return not _MADE.isdisjoint(names) or (reviewed != place and (reviewed / "benchmark.json").is_file())


_MADE = {"pool.parquet", "benchmark.json", "run.json", "review.sqlite"}


def _listed(path: Path) -> list[Path]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except ValueError:
        raise InputError(path, "is no text in UTF-8", fix="give a text file with a path on each line") from None
    # Without '..' a file's place below the common folder is what it seems to be.
    named = [Path(os.path.normpath(path.absolute().parent / line.strip())) for line in lines if line.strip()]
    if not named:
        raise InputError(path, "names no file", fix="write a path on each line")
    return named


def _found(path: Path, original: str) -> Found:
    try:
        original.encode()
    except UnicodeEncodeError:
        return Found(path, ascii(original)[1:-1], problem="has a name that isn't UTF-8")
    if "\\" in original:
        return Found(path, original, problem="has a backslash in its name")
    try:
        state = path.stat()
    except OSError as error:
        return Found(path, original, problem=f"can't be read ({error.strerror or error})")
    if not stat.S_ISREG(state.st_mode):
        return Found(path, original, problem="is no file")
    return Found(path, original, state.st_size, state.st_mtime_ns)


_TABLE, _LEFT_OUT = "pool.parquet", "left_out.json"
_PAUSE = 30.0
"""Seconds after which the table is written, so that a run that is cut off goes on from there."""


class PoolMedium(BaseModel):
    """One image or video of a pool.

    Attributes:
        path: relative to the pool's folder, with forward slashes.
        kind: 'image' or 'video'.
        source: the data set that it comes from, in the words of the person who brought it in.
        licence: of the medium, in the same person's words; empty if not given.
        original: its path relative to the folder that it was brought in from.
        group: the folder of `original`, or the entry in a table of groups: frames of one sequence, or pictures of one
            place, have one group; '' where nothing groups it.
        position: its place in its group, from 0; names are compared as numbers where they are numbers.
        width, height: in pixels, as it is seen upright.
        frames: 1 for an image.
        duration: a video's length in seconds; None for an image.
        sha256: of the file's bytes.
        duplicate_of: the path of the first medium of the pool with the same bytes.
        size, modified: the original file's bytes, and when it was changed last, in nanoseconds.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    kind: Literal["image", "video"]
    source: str = Field(min_length=1)
    licence: str = ""
    original: str = Field(min_length=1, max_length=4096)
    group: str = Field(default="", max_length=4096)
    position: int = Field(default=0, ge=0)
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    frames: int = Field(default=1, gt=0)
    duration: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    duplicate_of: str | None = None
    size: int = Field(ge=0)
    modified: int = 0

    @property
    def scene(self) -> str:
        """The scene of a question about it: its group, or itself where nothing groups it."""
        return f"{self.source}/{self.group or self.original}"

    @field_validator("path", "duplicate_of")
    @classmethod
    def _stays_inside(cls, value: str | None) -> str | None:
        # The review application serves what stands here.
        if value is not None and (value.startswith("/") or "\\" in value or ".." in value.split("/")):
            raise ValueError(f"'{value}' leads out of the pool")
        return value


_COLUMNS: dict[Any, type[pl.DataType]] = {int: pl.Int64, float | None: pl.Float64}
_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    name: _COLUMNS.get(field.annotation, pl.String) for name, field in PoolMedium.model_fields.items()
}


def is_pool(folder: Path) -> bool:
    """Check whether a folder is a pool."""
    return (folder / _TABLE).is_file()


def read_pool(folder: Path) -> list[PoolMedium]:
    """The media of a pool: source by source in the order in which they came, group by group, in their order there.

    Raises:
        InputError: it is no pool, or a row is no medium.
    """
    path = folder / _TABLE
    if not path.is_file():
        raise InputError(folder, f"holds no {_TABLE}", fix="make one with 'tolman ingest media'")
    try:
        rows = pl.read_parquet(path).to_dicts()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(path, f"is no readable table of media ({str(error).splitlines()[0]})") from None
    media = []
    for number, row in enumerate(rows, start=1):
        try:
            media.append(PoolMedium.model_validate({key: value for key, value in row.items() if value is not None}))
        except ValidationError as error:
            field, what = invalid_field(error)
            raise InputError(path, what, row=number, field=field) from None
    return media


def scene_of(media: Sequence[PoolMedium]) -> str:
    """The scene of a question about some media: the first one's group, or whichever comes first by name where the first
    is in none, so that the same media in another order are the same scene."""
    first = media[0]
    return first.scene if first.group else min(medium.scene for medium in media if not medium.group)


@dataclass(frozen=True)
class LeftOut:
    """A file that can't be used.

    Attributes:
        file: its path relative to the folder that it was to be brought in from.
        reason: why.
    """

    file: str
    reason: str


@dataclass(frozen=True)
class Brought:
    """Outcome of bringing media in.

    Attributes:
        added: new in the pool, or read again because their file has changed.
        kept: how many are there already, from the same file.
        left_out: files that are named like media and can't be used.
        others: how many files aren't named like media.
    """

    added: tuple[PoolMedium, ...]
    kept: int
    left_out: tuple[LeftOut, ...]
    others: int

    @property
    def duplicates(self) -> tuple[PoolMedium, ...]:
        """Those of the new ones that the pool has under another name."""
        return tuple(medium for medium in self.added if medium.duplicate_of)


def bring_in(
    paths: Sequence[Path],
    pool: Path,
    *,
    source: str,
    licence: str = "",
    groups: Path | None = None,
    copy: bool = False,
    workers: Workers = 1,
    shown: Callable[[int, int], None] | None = None,
) -> Brought:
    """Bring images and videos into a pool.

    Args:
        paths: folders, which are searched with all folders below them; media; or text files with a path on each line,
            relative to their own folder.
        pool: the pool's folder; made if it isn't there.
        source: the data set that they come from.
        licence: of the media; those that are in the pool already get it too, unless it is empty.
        groups: CSV with the columns `file` (as in `PoolMedium.original`) and `group`, for files whose folder is no
            sequence or place; media that are in the pool already get their group too.
        copy: whether files are copied even where they could share their bytes with the original (a hard link).
        workers: processes that read them, or another place.
        shown: called with the number of files that are done and that of all.

    Raises:
        UsageError: the source's name can't be a folder's.
        InputError: a path isn't there, there are no media, the groups can't be used, or the pool's folder holds
            something else.
        MissingExtraError: Pillow or PyAV is not installed.
    """
    need_pillow()
    if not re.fullmatch(r"\w[\w .+-]*", source):
        raise UsageError(f"--source takes a name of letters, digits, '.', '-' and '_', not '{source}'.")
    media = {medium.path: medium for medium in _before(pool)}
    found, others = search(paths, pool)
    left_out = [LeftOut(one.original, one.problem) for one in found if one.problem]
    usable = [one for one in found if not one.problem]
    group_of = {} if groups is None else _groups(groups, {one.original for one in found})
    for one in usable:
        known = media.get(one.target(source))
        if known is not None:
            told = {"licence": licence or known.licence, "group": group_of.get(one.original, known.group)}
            media[known.path] = known.model_copy(update=told)
    todo = [one for one in usable if not _unchanged(media.get(one.target(source)), one, pool)]
    added: list[str] = []
    written = time.monotonic()
    for one, result in zip(todo, parallel_map(look, [one.path for one in todo], workers, shared=paths), strict=True):
        media.pop(one.target(source), None)
        if isinstance(result, str):
            left_out.append(LeftOut(one.original, result))
        else:
            medium = _medium(one, result, source, licence, group_of)
            _place(one.path, pool / medium.path, copy)
            media[medium.path] = medium
            added.append(medium.path)
        if shown:
            shown(len(found) - len(todo) + len(added) + len(left_out), len(found))
        if media and time.monotonic() > written + _PAUSE:
            _write(pool, media.values())
            written = time.monotonic()
    left_out.sort(key=lambda one: natural(one.file))
    pool.mkdir(parents=True, exist_ok=True)
    _write_left_out(pool, source, left_out)
    if not media:
        first = f": {left_out[0].file} {left_out[0].reason}" if left_out else ""
        raise InputError(paths[0], f"holds no usable image or video{first}")
    final = {medium.path: medium for medium in _write(pool, media.values())}
    return Brought(tuple(final[path] for path in added), len(usable) - len(todo), tuple(left_out), others)


def _before(pool: Path) -> list[PoolMedium]:
    if is_pool(pool):
        return read_pool(pool)
    own = {_TABLE, _LEFT_OUT, "media"}
    if pool.exists() and (not pool.is_dir() or any(p.name not in own and p.name[0] != "." for p in pool.iterdir())):
        raise InputError(pool, "holds something other than a media pool", fix="give --out a new folder")
    return []


def _unchanged(medium: PoolMedium | None, one: Found, pool: Path) -> bool:
    if medium is None or (medium.size, medium.modified) != (one.size, one.modified):
        return False
    return (pool / medium.path).is_file()


def _groups(path: Path, known: Collection[str]) -> dict[str, str]:
    """File → group, out of a table.

    Raises:
        InputError: it can't be read, lacks a column, or names a file that isn't among those brought in.
    """
    found: dict[str, str] = {}
    for number, row in enumerate(read_rows(path), start=1):
        for column in ("file", "group"):
            if not str(row.get(column) or "").strip():
                raise InputError(path, "is missing", row=number, field=column, fix="name a file and its group")
        file = str(row["file"]).strip()
        if file not in known:
            fix = "write paths below the folder that is given"
            raise InputError(path, f"no file '{file}' is brought in", row=number, field="file", fix=fix)
        if found.setdefault(file, str(row["group"]).strip()) != str(row["group"]).strip():
            raise InputError(path, f"gives '{file}' a second group", row=number, field="group", fix="keep one")
    return found


def _medium(one: Found, looked: Looked, source: str, licence: str, groups: Mapping[str, str]) -> PoolMedium:
    return PoolMedium(
        path=one.target(source),
        kind=looked.kind,
        source=source,
        licence=licence,
        original=one.original,
        group=groups.get(one.original, one.original.rpartition("/")[0]),
        width=looked.width,
        height=looked.height,
        frames=looked.frames,
        duration=looked.duration,
        sha256=looked.sha256,
        size=one.size,
        modified=one.modified,
    )


def _place(origin: Path, target: Path, copy: bool) -> None:
    """Have a file in the pool: the same bytes on the disk where that is possible, else a copy of them."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(target) as partial:
        if not copy:
            try:
                os.link(origin.resolve(), partial)
                return
            except OSError:  # another file system, or one without hard links
                partial.unlink(missing_ok=True)
        shutil.copyfile(origin, partial)


def _write(pool: Path, media: Iterable[PoolMedium]) -> list[PoolMedium]:
    """Write the table; the media in their order, with their positions, and duplicates named."""
    media = list(media)
    sources = {source: i for i, source in enumerate(dict.fromkeys(medium.source for medium in media))}
    media.sort(key=lambda m: (sources[m.source], natural(m.group), natural(m.original), m.original))
    first: dict[str, str] = {}
    places: dict[tuple[str, str], int] = {}
    final = []
    for medium in media:
        place = places.get((medium.source, medium.group), 0)
        places[medium.source, medium.group] = place + 1
        same = first.setdefault(medium.sha256, medium.path)
        twin = same if same != medium.path else None
        final.append(medium.model_copy(update={"position": place, "duplicate_of": twin}))
    with atomic_write(pool / _TABLE) as partial:
        pl.DataFrame([m.model_dump() for m in final], schema=_SCHEMA, orient="row").write_parquet(partial)
    return final


def _write_left_out(pool: Path, source: str, left_out: Sequence[LeftOut]) -> None:
    path = pool / _LEFT_OUT
    try:
        entries = [entry for entry in json.loads(path.read_text(encoding="utf-8")) if entry["source"] != source]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        entries = []
    entries += [{"source": source, "file": one.file, "reason": one.reason} for one in left_out]
    write_text(path, json.dumps(entries, indent=1, ensure_ascii=False))
