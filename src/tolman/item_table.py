"""Items as a Parquet table, the form of published benchmarks and run folders.

Columns are those of `Item`. `labels` and `evidence` are JSON texts, so every row has the same columns for any labels,
and `datasets.load_dataset` opens the file as it is.

Data frames that are made one after the other are kept on the disk beyond some thousand rows, so any number fits.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain, islice, repeat
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, overload

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from tolman.errors import InputError
from tolman.extras import pl
from tolman.files import atomic_write, writing
from tolman.forks import check_fork
from tolman.items import Item, ItemFields
from tolman.memory import TemporaryList

AT_ONCE = 2048
"""Rows that are Python objects at a time: they take ten times the memory that they take in a table."""


@cache
def schema() -> dict[str, pl.DataType | type[pl.DataType]]:
    """The columns of a table of items."""
    media = pl.Struct(
        {"kind": pl.String, "path": pl.String, "part": pl.List(pl.Int64), "start": pl.Float64, "end": pl.Float64}
    )
    return {
        "id": pl.String,
        "question": pl.String,
        "kind": pl.String,
        "answer": pl.String,
        "unit": pl.String,
        "options": pl.List(pl.String),
        "verbatim": pl.String,
        "task": pl.String,
        "labels": pl.String,
        "scene": pl.String,
        "media": pl.List(media),
        "reasoning": pl.String,
        "all_of": pl.String,
        "evidence": pl.String,
    }


def write_items(path: Path, items: Iterable[Item], text: Callable[[Mapping[str, Any]], str] | None = None) -> None:
    """Write a Parquet file, whole or not at all.

    Args:
        path: of the file.
        items: its rows.
        text: writes their evidence, where another way than `evidence_text` is faster.
    """
    write_frames(path, _frames_of(items, text or evidence_text))


def _frames_of(items: Iterable[Item], text: Callable[[Mapping[str, Any]], str]) -> Iterator[pl.DataFrame]:
    check_fork()
    rest = iter(items)
    yield pl.DataFrame(schema=schema())
    while some := [to_row(item, text) for item in islice(rest, AT_ONCE)]:
        yield pl.DataFrame(some, schema=schema(), orient="row")


def evidence_text(evidence: Any) -> str:
    """Return evidence, or a part of it, as JSON text; null for numbers that aren't finite, as in models."""
    return json.dumps(to_jsonable_python(evidence, inf_nan_mode="null"))


def to_row(item: ItemFields, text: Callable[[Mapping[str, Any]], str] = evidence_text) -> dict[str, Any]:
    """A row of the table.

    Args:
        item: an Item, or a record that has its fields.
        text: writes its evidence.
    """
    row = item.model_dump(mode="json", exclude={"evidence"})
    row["labels"], row["evidence"] = json.dumps(row["labels"], ensure_ascii=False), text(item.evidence)
    return row


def from_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an item from a row of the table.

    Raises:
        ValueError: labels or evidence are no JSON.
    """
    return row | {"labels": json.loads(row["labels"] or "{}"), "evidence": json.loads(row["evidence"] or "{}")}


def read_items(path: Path) -> list[Item]:
    """The inverse of `write_items`.

    Raises:
        InputError: the file is none of these, or a row is no Item.
    """
    return [item for part in item_slices(path) for item in part]


def item_slices(path: Path) -> Iterator[list[Item]]:
    """Yield the items some thousands at a time, for callers that need none for long.

    Raises:
        InputError: as `read_items`, at the part that is wrong.
    """
    known: dict[Any, Any] = {}
    for first in range(0, count_items(path), AT_ONCE):
        yield _items_of(_rows(path, first, AT_ONCE), path, first + 1, known)


def count_items(path: Path) -> int:
    """How many rows a file has.

    Raises:
        InputError: the file is no table.
    """
    return int(_read(path, pl.scan_parquet(path).select(pl.len())).item())


def _rows(path: Path, first: int, count: int) -> list[dict[str, Any]]:
    return _read(path, pl.scan_parquet(path).slice(first, count)).to_dicts()


def _read(path: Path, asked: pl.LazyFrame) -> pl.DataFrame:
    check_fork()
    try:
        return asked.collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(path, f"is no readable table of items ({str(error).splitlines()[0]})") from None


TextField = Literal["id", "task", "scene", "all_of"]
"""Fields whose columns hold them as they are."""
HELD_ITEMS = 20_000
"""Items beyond which they are not held, but read anew by each loop."""
STORED_TOGETHER = 16
"""Items of a temporary file that are read at a time."""


def open_items(paths: Sequence[Path]) -> Sequence[Item]:
    """The items of some files, one after the other: a list where they are few, else an `ItemTable`.

    Raises:
        InputError: a file is no table of items, or a row of few is no Item.
    """
    if sum(map(count_items, paths)) <= HELD_ITEMS:
        return [item for path in paths for item in read_items(path)]
    return ItemTable(paths)


def field_values(items: Iterable[Item], field: TextField) -> Iterator[Any]:
    """A field of items, in their order."""
    return items.field_values(field) if isinstance(items, ItemTable) else (getattr(item, field) for item in items)


def at_hand(items: Sequence[Item]) -> Sequence[Item]:
    """Return the items as a sequence with fast access by number; many are kept in a temporary file."""
    return StoredItems(items) if isinstance(items, ItemTable) else items


class StoredItems(Sequence[Item]):
    """Items in a temporary file, some in memory at a time, in a third of the time that a table's take.

    Args:
        items: read once.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        self._length, rest = len(items), iter(items)
        self._parts = TemporaryList[list[Item]](-(-len(items) // STORED_TOGETHER))
        self._parts.fill(range(len(self._parts)), iter(lambda: list(islice(rest, STORED_TOGETHER)), []))
        self._last: tuple[int, list[Item]] = -1, []

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Item]:
        return chain.from_iterable(self._parts)

    @overload
    def __getitem__(self, place: int) -> Item: ...

    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...

    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        part, number = divmod(range(len(self))[place], STORED_TOGETHER)
        last, items = self._last  # read once, as other threads change it
        if last != part:
            items = self._parts[part]
            self._last = part, items
        return items[number]


class ItemTable(Sequence[Item]):
    """The items of some files, some thousands in memory at a time: each loop reads them again.

    Args:
        paths: of the files, which must not change.

    Raises:
        InputError: a file is no table; in a loop, a row is no Item.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = tuple(paths)
        self._counts = [count_items(path) for path in self._paths]

    def __len__(self) -> int:
        return sum(self._counts)

    def __iter__(self) -> Iterator[Item]:
        for path in self._paths:
            for part in item_slices(path):
                yield from part

    def field_values(self, field: TextField) -> Iterator[Any]:
        """A field of theirs, which takes a hundredth of the time that the items take; None where a table lacks it."""
        for path, count in zip(self._paths, self._counts, strict=True):
            rows = pl.scan_parquet(path)
            if field not in rows.collect_schema():
                yield from repeat(None, count)
                continue
            for part in _read(path, rows.select(field)).iter_slices(AT_ONCE):
                yield from part[field]

    @overload
    def __getitem__(self, place: int) -> Item: ...

    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...

    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        for path, count in zip(self._paths, self._counts, strict=True):
            if number < count:
                return _items_of(_rows(path, number, 1), path, number + 1, {})[0]
            number -= count
        raise IndexError(place)


REPEATED = ("kind", "answer", "unit", "task", "scene")
"""Columns that have few values, each of which is kept once."""


def _items_of(rows: Iterable[dict[str, Any]], path: Path, first: int, known: dict[Any, Any]) -> list[Item]:
    items = []
    for number, row in enumerate(rows, start=first):
        row |= {name: known.setdefault(row[name], row[name]) for name in REPEATED if name in row}
        try:
            items.append(Item(**from_row(row)))
        except ValidationError as error:
            field, what = first_problem(error)
            raise InputError(path, what, row=number, field=field, fix="correct the row or leave it out") from None
        except (ValueError, TypeError, KeyError) as error:
            raise InputError(path, f"is no item ({str(error).splitlines()[-1].strip()})", row=number) from None
    return items


def first_problem(error: ValidationError) -> tuple[str, str]:
    """Return the first invalid field of an item, and its problem."""
    first = error.errors()[0]
    return ".".join(str(part) for part in first["loc"]) or "answer", first["msg"].removeprefix("Value error, ")


def tasks_in(paths: Sequence[Path]) -> list[str]:
    """The question types in some of these files, in alphabetical order.

    Raises:
        InputError: a file is none of these.
    """
    check_fork()
    tasks: set[str] = set()
    for path in paths:
        try:
            tasks.update(pl.read_parquet(path, columns=["task"])["task"])
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError(path, f"is no readable table of items ({str(error).splitlines()[0]})") from None
    return sorted(tasks)


def data_hash(items: Sequence[Item]) -> str:
    """Return a hash over all fields of the questions, in any order of the rows, which identifies a run's data."""
    digests = sorted(hashlib.sha256(item.model_dump_json().encode()).digest() for item in items)
    whole = hashlib.sha256()
    for digest in digests:
        whole.update(digest.hex().encode())
    return whole.hexdigest()[:16]


HELD_ROWS = 20_000
"""Rows that stay in memory; more than a run of VSI-Bench has under three rule sets."""
GROUP_ROWS = 20_000
"""Rows of a group of a Parquet file at most. Writing and reading need memory for a whole group."""


@contextmanager
def joined_frames(frames: Iterable[tuple[int, pl.DataFrame]], beside: Path) -> Iterator[pl.LazyFrame]:
    """Frames of one schema as a lazy one; the rows of more than `HELD` are read from files of a temporary folder.

    Args:
        frames: one or more, each with the number of its section; each is written and let go before the next is asked
            for. Sections follow each other in the order of their numbers, a section's frames in the order in which
            they come.
        beside: a folder on the disk that has room for them, made if it isn't there. Temporary folders of the system may
            be memory.
    """
    check_fork()
    rest = iter(frames)
    held = list(_first(rest))
    if sum(frame.height for _, frame in held) <= HELD_ROWS:
        yield in_sections(held).lazy()
        return
    beside.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".rows-", dir=beside, ignore_cleanup_errors=True) as name:
        paths = []
        let_go = (held.pop(0) for _ in range(len(held)))
        for number, (section, frame) in enumerate(chain(let_go, rest)):
            paths.append(Path(name) / f"{section:06d}-{number:06d}.parquet")
            with writing(paths[-1]):
                frame.write_parquet(paths[-1])
        yield pl.scan_parquet(sorted(paths))


def _first(frames: Iterator[tuple[int, pl.DataFrame]]) -> Iterator[tuple[int, pl.DataFrame]]:
    """Frames until they have more rows than are held."""
    rows = 0
    for section, frame in frames:
        yield section, frame
        rows += frame.height
        if rows > HELD_ROWS:
            return


def in_sections(frames: Iterable[tuple[int, pl.DataFrame]]) -> pl.DataFrame:
    """Frames of numbered sections as a whole: the sections in their order, in each its frames as they came."""
    return pl.concat(frame for _, frame in sorted(frames, key=itemgetter(0)))


def write_frames(path: Path, frames: Iterable[pl.DataFrame]) -> None:
    """Write frames of one schema, one or more, into a Parquet file, whole or not at all."""
    sections = ((0, frame) for frame in frames)
    with joined_frames(sections, path.parent) as rows, atomic_write(path) as partial:
        rows.sink_parquet(partial, row_group_size=GROUP_ROWS)
