"""Media of a row: paths below the data folder, or pictures inside the table itself."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from tolman.benchmarks.declaring.schema import MediaColumns
from tolman.benchmarks.fields import Field, Unmappable, plain
from tolman.benchmarks.rows import Row
from tolman.items import MEDIA_MARK, Media
from tolman.media.tables import in_column


def media_of(where: MediaColumns, row: Row, file: str, place: int) -> tuple[Media, ...]:
    """The media of a row, in their order.

    Args:
        where: the columns.
        row: of the table.
        file: the table's path below the data folder.
        place: the row's number in its file, from 0.

    Raises:
        Unmappable: there are none, or they have another form.
    """
    found = _pictures(where.origin, row, file, place) if where.form == "pictures" else _files(where, row, file)
    if not found and not where.optional:
        raise Unmappable(f"{where.origin.column or 'the column of media'} names no {where.kind}")
    return tuple(found)


def _files(where: MediaColumns, row: Row, file: str) -> list[Media]:
    found = where.origin.allowing(where.optional).of(row)
    if isinstance(found, str) and found.startswith("["):
        try:
            found = json.loads(found)
        except ValueError:
            raise Unmappable(f"the list of media {found[:60]!r} is no JSON") from None
    listed = found if isinstance(found, list) else [] if found is None else [found]
    root = _root(where.root, file)
    clips = [(_inside(where.path, one), one) for one in listed] if where.path else [(one, row) for one in listed]
    return [
        Media(
            kind=where.kind, path=f"{root}{_path(path)}", start=_seconds(where.start, at), end=_seconds(where.end, at)
        )
        for path, at in clips
    ]


def _inside(where: Field, clip: Any) -> Any:
    if not isinstance(clip, dict):
        raise Unmappable("a medium of the list is no mapping with a path")
    return where.of(clip)


def in_order_of_marks(text: str, marked: Sequence[tuple[str, tuple[Media, ...]]]) -> tuple[Media, ...]:
    """Media of several kinds in the order in which their marks stand in a text; as they come where none has a mark.

    Args:
        text: the released question.
        marked: for each kind its mark, empty where there is none, and its media.

    Raises:
        Unmappable: a kind has more or fewer marks than media.
    """
    placed: list[tuple[int, Media]] = []
    for mark, media in marked:
        places = [match.start() for match in re.finditer(re.escape(mark), text)] if mark else [len(text)] * len(media)
        if len(places) != len(media):
            raise Unmappable(f"the text has {len(places)} marks {mark} for {len(media)} media")
        placed += zip(places, media, strict=True)
    return tuple(medium for _, medium in sorted(placed, key=lambda one: one[0]))


def with_plain_marks(text: str, marks: Sequence[str]) -> str:
    """A text with the release's marks of media as `<image>`, which an item's text has for media of every kind."""
    for mark in filter(None, marks):
        text = text.replace(mark, MEDIA_MARK)
    return text


def _root(root: str, file: str) -> str:
    """What stands before a path relative to a folder that is seen from the question file's."""
    folder = posixpath.normpath(posixpath.join(posixpath.dirname(file), root)) if root else "."
    return "" if folder == "." or folder.startswith("..") else f"{folder}/"


def _path(found: Any) -> str:
    """A path below the data folder, in its plain form."""
    if not isinstance(found, str):
        raise Unmappable("a medium is no path")
    pure = PurePosixPath(plain(found).strip())
    parts = [part for part in pure.parts if part != "."]
    if pure.is_absolute() or ".." in parts or not parts or "\0" in found:
        raise Unmappable(f"the path {found[:80]!r} leads out of the data folder")
    return "/".join(parts)


def _seconds(where: Field | None, row: Row) -> float | None:
    text = where.text(row) if where is not None else None
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        raise Unmappable(f"{text[:40]!r} is no time in seconds") from None


def _pictures(origin: Field, row: Row, file: str, place: int) -> list[Media]:
    """Places of pictures that stand in a column as a list or alone, or in a column each."""
    found = []
    for column in [origin.column] if origin.column else origin.columns:
        for position in range(_count(row.get(column or ""))):
            found.append(Media(kind="image", path=in_column(file, str(column)), part=(place, position)))
    return found


def _count(cell: Any) -> int:
    if cell is None or cell in ("", "nan") or cell == []:
        return 0
    if isinstance(cell, str) and cell.startswith("["):
        try:
            return len(json.loads(cell))
        except ValueError:
            raise Unmappable("the list of pictures is no JSON") from None
    return len(cell) if isinstance(cell, list) else 1
