"""Released question files: found in a folder, and their rows read and checked field by field.

All shards of one question set are found, and none of its other versions. Rows are Parquet, JSON Lines, JSON, CSV or
TSV.
"""

from __future__ import annotations

import csv
import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tolman.errors import InputError, UnknownFieldWarning
from tolman.extras import needs, pl
from tolman.forks import check_fork
from tolman.item_table import field_values, first_problem
from tolman.items import Item

Row = dict[str, Any]
KEY = "_key"
"""The name of a row in a JSON object of rows."""
_BATCH_BYTES = 1 << 26
_JSON_LIMIT = 1 << 26  # larger files are not read whole
_CSV_LIMIT = 1 << 28  # a row of MMSI's TSV holds up to ten images in base64


def read_rows(path: Path) -> list[Row]:
    """Read all rows of a table file, by its suffix (.txt is read as JSON).

    Raises:
        InputError: the file can't be read in the format of its suffix.
    """
    return [row for _, row in checked_rows(path)]


def checked_rows(path: Path, records: str | None = None) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a table file one by one; see `stream_rows`.

    Raises:
        InputError: also where a row is none.
    """
    for number, row in stream_rows(path, records=records):
        if isinstance(row, InputError):
            raise row
        yield number, row


def stream_rows(
    path: Path, columns: Sequence[str] | None = None, records: str | None = None
) -> Iterator[tuple[int, Row | InputError]]:
    """Yield the rows of a table file one by one, in memory that doesn't grow with the file.

    Args:
        path: the file.
        columns: for Parquet and Arrow, the columns to read; None for all.
        records: for JSON, the place of its list of rows: a dotted name of keys such as 'data.questions'; the whole file
            where None. A key in braces, '{video}.{task}', means all keys of an object; rows get a column of that
            name. An object in place of a list gives its values, each with its name under `KEY`.

    Yields:
        The number of the row or line as people count it, and the row, or its error.

    Raises:
        InputError: the file can't be read in the format of its suffix.
    """
    readers: dict[str, Callable[[Path], Iterator[tuple[int, Row | InputError]]]] = {
        ".parquet": lambda p: _parquet(p, columns),
        ".arrow": lambda p: _arrow(p, columns),
        ".jsonl": _json_lines,
        ".json": lambda p: _json(p, records),
        ".txt": lambda p: _json(p, records),
        ".csv": lambda p: _separated(p, ","),
        ".tsv": lambda p: _separated(p, "\t"),
    }
    if not path.is_file():
        raise InputError(path, "does not exist")
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(path, f"has an unknown suffix '{path.suffix}'", fix=f"use one of {', '.join(readers)}")
    try:
        yield from reader(path)
    except UnicodeDecodeError as error:
        raise InputError(path, f"is not UTF-8 text (byte {error.start})", fix="save it as UTF-8") from None
    except OSError as error:
        raise InputError(path, error.strerror or "can't be read") from None


def check_fields(path: Path, number: int, row: Row, required: Iterable[str], optional: Iterable[str] = ()) -> None:
    """Make sure that a row has the fields it needs; unknown fields are reported, for releases gain columns.

    Raises:
        InputError: naming the row and the first field that is missing.
    """
    required = tuple(required)
    for field in required:
        if row.get(field) is None:
            raise InputError(path, "is missing", row=number, field=field, fix="check that the file is the benchmark's")
    if number > 1:  # reported once for a file
        return
    known = (*required, *optional)
    unknown = [field for field in row if field not in known]
    if unknown:
        names = ", ".join(f"'{field}'" for field in unknown)
        warnings.warn(
            f"{path}: {names} {'is' if len(unknown) == 1 else 'are'} not known of this benchmark and not read; a newer "
            "release may have more fields.",
            UnknownFieldWarning,
            stacklevel=2,
        )


def make_item(path: Path, number: int, **fields: Any) -> Item:
    """Build an Item, or raise an error that names the mistake in the row.

    Raises:
        InputError: naming the row and the field.
    """
    try:
        return Item(**fields)
    except ValidationError as error:
        field, what = first_problem(error)
        raise InputError(path, what, row=number, field=field, fix="correct the row or leave it out") from None


def check_known(
    path: Path, number: int, value: str, known: Collection[str], what: str, field: str | None = None
) -> None:
    """Make sure that a row's question type or category is one of the benchmark's.

    Raises:
        InputError: naming the row, and those that are known.
    """
    if value not in known:
        raise InputError(path, f"{value!r} is no {what}", row=number, field=field, fix=f"known: {', '.join(known)}")


def listed_options(path: Path, number: int, row: Row) -> list[Any]:
    """The options of a multiple-choice row.

    Raises:
        InputError: it has no list of them.
    """
    options = row.get("options")
    if not isinstance(options, list):
        raise InputError(path, "is missing", row=number, field="options", fix="a multiple-choice row needs them")
    return options


def check_unique(path: Path, items: Sequence[Item]) -> None:
    """Make sure that no id is used twice.

    Raises:
        InputError: naming the second row and the id.
    """
    seen: dict[str, int] = {}
    for number, identity in enumerate(field_values(items, "id"), start=1):
        if identity in seen:
            raise InputError(
                path,
                f"the id {identity!r} is also row {seen[identity]}'s",
                row=number,
                field="id",
                fix="give each row its own",
            )
        seen[identity] = number


def check_header(path: Path, names: Iterable[str | None]) -> None:
    """Make sure that no two columns of a table have one name; several may have none.

    Raises:
        InputError: naming the first that comes twice.
    """
    seen: set[str] = set()
    for name in names:
        if name and name in seen:
            raise InputError(path, f"has two columns {name!r}", fix="rename one, or leave it out")
        seen.add(name or "")


def parse_json(path: Path | str, text: str | bytes, number: int | None = None) -> Any:
    """Return the value of a JSON text.

    Args:
        path: the file that contains it.
        text: of the file or of one row.
        number: of the row.

    Raises:
        InputError: it is no JSON, or an object in it has one key twice, so that one value would be lost.
    """

    def unique(pairs: list[tuple[str, Any]]) -> Row:
        found = dict(pairs)
        if len(found) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            raise _repeated(path, counts.most_common(1)[0][0], number)
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"is no JSON ({error})", row=number, fix="correct or fetch the file again") from None


def _repeated(path: Path | str, key: str, number: int | None = None) -> InputError:
    return InputError(path, f"has the key {key!r} twice in one object", row=number, fix="leave one, or rename it")


def _parquet(path: Path, columns: Sequence[str] | None) -> Iterator[tuple[int, Row | InputError]]:
    check_fork()
    try:
        table = pl.scan_parquet(path)
        if columns:
            table = table.select(columns)
        count = int(table.select(pl.len()).collect().item())
        # Pictures inside rows make them large: so many at a time as about 64 MB of the file hold.
        batch = max(16, min(50_000, int(_BATCH_BYTES * max(1, count) / max(1, path.stat().st_size))))
        for start in range(0, count, batch):
            yield from enumerate(table.slice(start, batch).collect().iter_rows(named=True), start=start + 1)
    except pl.exceptions.ColumnNotFoundError as error:
        raise InputError(path, f"lacks a column: {str(error).splitlines()[0]}") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(
            path, f"is no readable Parquet file ({str(error).splitlines()[0]})", fix="fetch it again"
        ) from None


def _arrow(path: Path, columns: Sequence[str] | None) -> Iterator[tuple[int, Row | InputError]]:
    """Read a shard as `datasets.save_to_disk` writes it, which is a stream; the library limits its size."""
    check_fork()
    try:
        table = pl.read_ipc_stream(path, columns=list(columns) if columns else None)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(path, f"is no readable Arrow file ({str(error).splitlines()[0]})") from None
    yield from enumerate(table.iter_rows(named=True), start=1)


def _json_lines(path: Path) -> Iterator[tuple[int, Row | InputError]]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    yield from _objects(path, [parse_json(path, line, number)], number)
                except InputError as error:
                    yield number, error


def _json(path: Path, records: str | None) -> Iterator[tuple[int, Row | InputError]]:
    if path.stat().st_size > _JSON_LIMIT:
        yield from _large_json(path, records)
        return
    data = parse_json(path, path.read_text(encoding="utf-8-sig"))
    rows = _at(path, data, records.split(".") if records else [], {})
    yield from _objects(path, rows)


def _at(path: Path, data: Any, keys: Sequence[str], names: Row) -> Iterator[Any]:
    """Yield the rows at a place of a JSON value, each with the names of the objects on the way that have a column."""
    if keys:
        if not isinstance(data, dict) or (keys[0][:1] != "{" and keys[0] not in data):
            raise InputError(path, "is missing", field=".".join(keys), fix="name the key that holds the rows")
        for name in [keys[0]] if keys[0][:1] != "{" else data:
            column = {keys[0].strip("{}"): name} if keys[0][:1] == "{" else {}
            yield from _at(path, data[name], keys[1:], names | column)
        return
    if isinstance(data, dict) and data and all(isinstance(value, dict) for value in data.values()):
        data = [{KEY: key} | value for key, value in data.items()]
    if not isinstance(data, list):
        raise InputError(path, "is no JSON list", fix="give a list of objects")
    yield from (names | row if isinstance(row, dict) else row for row in data)


def _large_json(path: Path, records: str | None) -> Iterator[tuple[int, Row | InputError]]:
    if records and "{" in records:
        limit = _JSON_LIMIT >> 20
        raise InputError(path, f"is larger than {limit} MB, too large for {records}", fix="cut it into several files")
    with needs("build", f"Reading a JSON file as large as {path.name}"):
        import ijson
    try:
        with path.open("rb") as file:
            opening = next((value for prefix, value, _ in ijson.parse(file) if prefix == (records or "")), None)
        with path.open("rb") as file:
            found: Iterable[Any]
            if opening == "start_map":
                found = ({KEY: key} | value if isinstance(value, dict) else value
                         for key, value in _once(path, ijson.kvitems(file, records or "", use_float=True)))  # fmt: skip
            else:
                found = ijson.items(file, f"{records}.item" if records else "item", use_float=True)
            yield from _objects(path, found)
    except ijson.JSONError as error:
        raise InputError(path, f"is no JSON ({error})", fix="correct or fetch the file again") from None


def _once(path: Path, pairs: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for key, value in pairs:
        if key in seen:
            raise _repeated(path, key)
        seen.add(key)
        yield key, value


_OTHERS = (";", "\t")
"""Between the cells of a .csv file as spreadsheets write it where the comma is the decimal sign."""


def _separated(path: Path, separator: str) -> Iterator[tuple[int, Row | InputError]]:
    csv.field_size_limit(_CSV_LIMIT)
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            header = file.readline()
            file.seek(0)
            if separator not in header and any(other in header for other in _OTHERS):
                separator = max(_OTHERS, key=header.count)
            rows = csv.DictReader(file, delimiter=separator, strict=True)
            check_header(path, rows.fieldnames or ())
            for number, row in enumerate(rows, start=2):
                if None in row or None in row.values():
                    fix = "quote cells that hold a separator"
                    yield number, InputError(path, "has more or fewer cells than the header", row=number, fix=fix)
                else:
                    yield number, row
        except csv.Error as error:
            raise InputError(path, f"is no table ({error})") from None


def _objects(path: Path, rows: Iterable[Any], first: int = 1) -> Iterator[tuple[int, Row | InputError]]:
    """Number rows, with an error in place of each that is no object."""
    for number, row in enumerate(rows, start=first):
        yield number, row if isinstance(row, dict) else InputError(path, "is no JSON object", row=number)


_SHARD = re.compile(r"\A(?P<stem>.*?)-?(?P<number>\d{5})-of-(?P<count>\d{5})(?P<rest>\.\w+)\Z")
"""As the hub names them: test-00000-of-00002.parquet."""


def find_files(folder: Path, patterns: Sequence[str], what: str, without: Iterable[str] = ()) -> list[Path]:
    """Find the files of a question set in a folder (or below it): those that fit the first pattern that fits any.

    Args:
        folder: or one file.
        patterns: tried in order.
        what: is looked for, for the message.
        without: patterns of names that are passed over.

    Returns:
        One file, or all shards of one in their order.

    Raises:
        InputError: there is none, a shard is missing, or files fit that aren't shards of one.
    """
    if folder.is_file():
        return whole([folder])
    if not folder.is_dir():
        raise InputError(folder, "does not exist", fix=f"give the folder that holds {what} with --data")
    rest = tuple(without)
    for pattern in patterns:
        found = matching(folder, pattern, rest)
        if found:
            return one_version(folder, found, what)
    raise InputError(folder, f"holds no {what}", fix=f"put one of {', '.join(patterns)} there")


def one_version(folder: Path, found: Sequence[Path], what: str) -> list[Path]:
    """Files, if they are one, or all shards of one.

    Raises:
        InputError: a shard is missing, or they aren't shards of one.
    """
    files = whole(found)
    if len(files) > 1 and len({_version(path) for path in files}) > 1:
        names = ", ".join(path.relative_to(folder).as_posix() for path in files)
        raise InputError(folder, f"holds several files that may be {what}: {names}", fix="name one of them with --data")
    return files


def find_file(folder: Path, patterns: Sequence[str], what: str) -> Path:
    """The same of a question set that is read from one file.

    Raises:
        InputError: as `find_files`, or it comes in several shards.
    """
    files = find_files(folder, patterns, what)
    if len(files) > 1:
        raise InputError(files[0], f"is one of {len(files)} shards, and {what} are read from one file", fix="join them")
    return files[0]


def matching(folder: Path, pattern: str, without: Iterable[str] = ()) -> list[Path]:
    """The files in a folder that fit a pattern, or if there are none, those below it.

    Args:
        folder: where.
        pattern: as `Path.glob` has it.
        without: patterns of names that are passed over.
    """
    rest = tuple(without)
    for each in (pattern, f"**/{pattern}"):
        found = [path for path in sorted(folder.glob(each)) if not any(fnmatch(path.name, one) for one in rest)]
        if found:
            return found
    return []


def whole(files: Sequence[Path]) -> list[Path]:
    """Return the files, if no shard is missing.

    Raises:
        InputError: one is a shard of several, and another of those isn't among them.
    """
    numbers: dict[tuple[Path, str, str, str], set[int]] = {}
    for path in files:
        match = _SHARD.match(path.name)
        if match is not None:
            key = path.parent, match["stem"], match["count"], match["rest"]
            numbers.setdefault(key, set()).add(int(match["number"]))
    for (place, stem, count, rest), there in numbers.items():
        lacking = sorted(set(range(int(count))) - there)
        if lacking:
            name = f"{stem}-{lacking[0]:05d}-of-{count}{rest}".removeprefix("-")
            alone = len(files) == 1 and (place / name).exists()
            said = f"{len(there)} of {int(count)} shards{' are' if len(there) > 1 else ' is'} read, {name} is not"
            raise InputError(
                files[0], said, fix="give the folder that holds all of them" if alone else "fetch the others"
            )
    return list(files)


def _version(path: Path) -> tuple[Path, str]:
    """Return a key that shards of one version share; a file that is no shard has its own."""
    match = _SHARD.match(path.name)
    return path.parent, path.name if match is None else f"{match['stem']}-of-{match['count']}{match['rest']}"
