"""Media pools: images and videos of any origin, from which people write questions by hand.

```
pool.parquet       one row for each medium, as PoolMedium
left_out.json      files that can't be used: {"source": …, "file": …, "reason": …}
media/SOURCE/…     the media, under the names that they had
```

A pool grows: what is brought in later stands behind what is there, and what is there unchanged isn't read again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tolman.errors import InputError, UsageError
from tolman.files import atomic_write, write_text
from tolman.ingest.media_files import Looked, look
from tolman.ingest.media_search import Found, search
from tolman.ingest.readers.numbers import natural
from tolman.media.video import need_pillow
from tolman.parallel import Workers, parallel_map

_TABLE, _LEFT_OUT = "pool.parquet", "left_out.json"
_PAUSE = 30.0
"""Seconds after which the table is written, so that a run that is cut off goes on from there."""


class PoolMedium(BaseModel):
    """One image or video of a pool.

    Attributes:
        path: relative to the pool's folder, with forward slashes.
        kind: 'image' or 'video'.
        source: the data set that it comes from, in the words of who brought it in.
        licence: under which it stands, in the same person's words; empty where nothing was said.
        original: its path relative to the folder that it was brought in from.
        group: the folder of `original`: frames of one sequence have one group.
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

    @field_validator("path", "duplicate_of")
    @classmethod
    def _stays_inside(cls, value: str | None) -> str | None:
        # The review application serves what stands here.
        if value is not None and (value.startswith("/") or "\\" in value or ".." in value.split("/")):
            raise ValueError(f"'{value}' leads out of the pool")
        return value


_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "path": pl.String,
    "kind": pl.String,
    "source": pl.String,
    "licence": pl.String,
    "original": pl.String,
    "group": pl.String,
    "position": pl.Int64,
    "width": pl.Int64,
    "height": pl.Int64,
    "frames": pl.Int64,
    "duration": pl.Float64,
    "sha256": pl.String,
    "duplicate_of": pl.String,
    "size": pl.Int64,
    "modified": pl.Int64,
}


def is_pool(folder: Path) -> bool:
    """Tell whether a folder is a pool."""
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
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            raise InputError(
                path, first["msg"].removeprefix("Value error, "), row=number, field=field or None
            ) from None
    return media


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
        licence: under which they stand; those that are in the pool already get it too, unless it is empty.
        copy: whether files are copied even where they could share their bytes with the original (a hard link).
        workers: processes that read them, or another place.
        shown: called with the number of files that are done and that of all.

    Raises:
        UsageError: the source's name can't be a folder's.
        InputError: a path isn't there, there are no media, or the pool's folder holds something else.
        MissingExtraError: Pillow or PyAV is not installed.
    """
    need_pillow()
    if not re.fullmatch(r"\w[\w .+-]*", source):
        raise UsageError(f"--source takes a name of letters, digits, '.', '-' and '_', not '{source}'.")
    media = {medium.path: medium for medium in _before(pool)}
    found, others = search(paths, pool)
    left_out = [LeftOut(one.original, one.problem) for one in found if one.problem]
    usable = [one for one in found if not one.problem]
    for one in usable:
        known = media.get(one.target(source))
        if known and licence:
            media[known.path] = known.model_copy(update={"licence": licence})
    todo = [one for one in usable if not _unchanged(media.get(one.target(source)), one, pool)]
    added: list[str] = []
    written = time.monotonic()
    for one, result in zip(todo, parallel_map(look, [one.path for one in todo], workers, shared=paths), strict=True):
        media.pop(one.target(source), None)
        if isinstance(result, str):
            left_out.append(LeftOut(one.original, result))
        else:
            medium = _medium(one, result, source, licence)
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


def _medium(one: Found, looked: Looked, source: str, licence: str) -> PoolMedium:
    return PoolMedium(
        path=one.target(source),
        kind=looked.kind,
        source=source,
        licence=licence,
        original=one.original,
        group=one.original.rpartition("/")[0],
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
