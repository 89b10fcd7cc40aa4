"""Logs of other programs' evaluations in shared terms, and the archives and workbooks that hold them.

A `Log` is one task of an evaluation. A module of this package declares `LOG`, a `LogFormat`: which files it takes, and
how they become Logs. A plugin adds another program's by declaring one, another package by the entry point group
`tolman.logs`.

Archives come from strangers: members are read by name and content, with limits. Nothing is ever unpickled, or written
to a path that the archive names.
"""

from __future__ import annotations

import html
import re
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

from tolman.benchmarks.rows import Row, check_header, stream_rows
from tolman.errors import InputError
from tolman.extras import needs
from tolman.registry import Registry

FAILED_CALLS = ("Failed to obtain answer via API", "[LMMS_EVAL_REQUEST_FAILED")
"""Texts that other harnesses store in place of an answer when a call failed."""


@dataclass(frozen=True, kw_only=True)
class LogRow:
    """One question of a log. Values that a program doesn't write are None, or empty.

    Attributes:
        place: the row's number in its file, counted from 1, or its name there.
        id: the benchmark's own id.
        question_id: a number or name that may be the benchmark's id or another count: never taken unchecked.
        order: its position in the order of the split, from 0.
        prompt: the text that was sent, or the question with its options.
        options: texts of the options, in the order that the model was shown; none where that isn't certain.
        scene: the scene or the video that the row names.
        media: names of the files that were shown.
        target: the true answer as the program writes it: 'A', '(A)', 'A. left', '2.9'.
        response: the text that came back, without reasoning that the program split off; None where there is none.
        reasoning: that reasoning.
        failure: why there is no response. Exactly one of `response` and `failure` is given.
        prediction: the program's reading of the response; '' where it read nothing.
        score: the program's, 0 to 1.
        frames: how many frames were shown.
        finish_reason: why the model stopped, in the program's word.
        input_tokens, output_tokens: of the call.
        repeat: 0 for the first time that the question was asked, 1 for the second …
        labels: further facts on the question in the row: its type, its category.
    """

    place: int | str
    id: str | None = None
    question_id: str | None = None
    order: int | None = None
    prompt: str | None = None
    options: tuple[str, ...] = ()
    scene: str | None = None
    media: tuple[str, ...] = ()
    target: str | None = None
    response: str | None = None
    reasoning: str | None = None
    failure: str | None = None
    prediction: str | None = None
    score: float | None = None
    frames: int | None = None
    finish_reason: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    repeat: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Log:
    """One task of one evaluation.

    Attributes:
        path: the file; of a part of an archive, the archive.
        program: that wrote it: 'lmms-eval', 'vlmevalkit', 'inspect', 'easi'.
        version: of the program; '' where the log doesn't say.
        task: the program's name of the evaluated task: 'vsibench', 'VSI-Bench_32frame'.
        model: that answered; '' where the log doesn't say.
        settings: of the evaluation, as the log says.
        rows: the questions; none where the file holds figures only.
        figures: the program's own figures by its own names, in its own units.
    """

    path: Path
    program: str
    version: str = ""
    task: str = ""
    model: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    rows: tuple[LogRow, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class LogFormat:
    """How one program's files are read.

    Attributes:
        name: for `--format`.
        title: as its authors write it.
        takes: file → whether it is one of this program's, judged by its name and its first rows.
        read: file → the Logs in it, in its order. Raises InputError.
        last: whether the other formats are asked first.
    """

    name: str
    title: str
    takes: Callable[[Path], bool]
    read: Callable[..., list[Log]]
    last: bool = False


REGISTRY = Registry(
    "log format", "tolman.runs.logs", "LOG", "tolman.logs", named_by_file=False,
    check=lambda thing: "" if isinstance(thing, LogFormat) else "is no LogFormat of tolman.runs.logs.log",
)  # fmt: skip


def text_or_failure(text: str | None) -> tuple[str | None, str | None]:
    """The `response` and the `failure` of a text in a log.

    A failed call's message, an empty text and one that Excel has cut short are failures.
    """
    if text is None or not text.strip():
        return None, "the log holds no text"
    if len(text) == CELL_LIMIT:
        return None, f"the text ends after the {CELL_LIMIT:,} characters that a cell of Excel can hold"
    why = failed_call(text)
    return (None, why) if why else (text, None)


def failed_call(text: str) -> str | None:
    """Return why a text is a harness's placeholder for a response; None for all others."""
    failed = any(sign in text for sign in FAILED_CALLS)
    return f"the log records a failed call: {text.strip()[:300]}" if failed else None


def first_row_of(path: Path) -> Row:
    """Return the first row of a table; an empty one where it has none that can be read."""
    try:
        _, row = next(stream_rows(path), (0, {}))
    except InputError:
        return {}
    return {} if isinstance(row, InputError) else row


def begins_with(path: Path, form: re.Pattern[str]) -> bool:
    """Check whether a JSON file begins as a program writes it."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            return path.suffix.lower() == ".json" and form.match(file.read(400)) is not None
    except (OSError, ValueError):
        return False


def read_logs(path: Path, form: str | None = None) -> list[Log]:
    """The Logs of a file.

    Args:
        path: the file.
        form: the program's name; found out from the file where None.

    Returns:
        None or more; an empty list where no format takes the file.

    Raises:
        InputError: the file is one of the program's and can't be read.
        UsageError: no format has that name.
    """
    if form is not None:
        chosen: LogFormat = REGISTRY.get(form)
        return chosen.read(path)
    formats: list[LogFormat] = list(REGISTRY.all().values())
    for own in sorted(formats, key=lambda one: one.last):
        if own.takes(path):
            found: list[Log] = own.read(path)
            return found
    return []


MAX_MEMBERS = 200_000
MAX_MEMBER_BYTES = 256 << 20
MAX_TOTAL_BYTES = 4 << 30
MAX_RATIO = 1_000
"""Most bytes that one byte of an archive above `FREE_BYTES` may become; text that repeats reaches about 100."""
FREE_BYTES = 16 << 20
_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")


@contextmanager
def opened(path: Path) -> Iterator[LogArchive]:
    """An archive whose directory of members is within the limits.

    Raises:
        InputError: the file is no zip archive, or holds more than the limits allow, or names that lead out of it.
    """
    try:
        file = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise InputError(path, "does not exist") from None
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError(path, f"is no readable zip archive ({error})", fix="fetch it again") from None
    with file:
        infos = [info for info in file.infolist() if not info.is_dir()]
        if len(infos) > MAX_MEMBERS:
            raise InputError(path, f"holds {len(infos):,} files, more than {MAX_MEMBERS:,}", fix="unpack it yourself")
        for info in infos:
            _check_name(path, info.filename)
            if info.flag_bits & 1:
                raise InputError(path, "is encrypted", row=info.filename, fix="unpack it yourself")
            _check_size(path, info)
        total = sum(info.file_size for info in infos)
        if total > MAX_TOTAL_BYTES:
            raise InputError(
                path, f"would become {total:,} bytes, more than {MAX_TOTAL_BYTES:,}", fix="unpack it yourself"
            )
        yield LogArchive(path, file, {info.filename: info for info in infos})


def _check_name(path: Path, name: str) -> None:
    parts = PurePosixPath(name.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or ":" in parts.parts[0]:
        raise InputError(path, "leads out of the archive", row=name, fix="get it from someone you trust")


def _check_size(path: Path, info: zipfile.ZipInfo) -> None:
    size = info.file_size
    if size > MAX_MEMBER_BYTES or (size > FREE_BYTES and size > MAX_RATIO * max(1, info.compress_size)):
        raise InputError(
            path,
            f"would become {size:,} bytes from {info.compress_size:,}, more than is read out of an archive",
            row=info.filename,
            fix="unpack it yourself if you trust it",
        )


class LogArchive:
    """The members of an open archive.

    Attributes:
        names: of its files, in its order.
    """

    def __init__(self, path: Path, file: zipfile.ZipFile, infos: dict[str, zipfile.ZipInfo]) -> None:
        self._path, self._file, self._infos = path, file, infos
        self.names = list(infos)

    def read(self, name: str) -> bytes:
        """The content of a member.

        Raises:
            InputError: it is broken, longer than the archive's directory says, or packed with Zstandard, which Python
                has from 3.14 and the package backports.zstd before.
        """
        info = self._infos[name]
        try:
            if info.compress_type == _ZSTANDARD:
                content = self._zstandard(info)
            else:
                with self._file.open(info) as member:
                    content = member.read(info.file_size + 1)
        except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError, struct.error) as error:
            raise InputError(self._path, f"can't be unpacked ({error})", row=name, fix="fetch it again") from None
        if len(content) != info.file_size:
            raise InputError(self._path, "is not as long as the archive says", row=name, fix="fetch it again")
        return content

    def _zstandard(self, info: zipfile.ZipInfo) -> bytes:
        decompressor = _decompressor(self._path)
        with self._path.open("rb") as file:
            file.seek(info.header_offset)
            header = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
            if header[0] != b"PK\x03\x04":
                raise ValueError("no file begins where the archive says")
            file.seek(header[-2] + header[-1], 1)
            packed = file.read(info.compress_size)
        try:
            content: bytes = decompressor.decompress(packed, info.file_size + 1)
        except Exception as error:  # zstd's own error type differs between Python's and the backport's
            raise ValueError(str(error)) from None
        return content


def _decompressor(path: Path) -> Any:
    for name in ("compression.zstd", "backports.zstd"):  # Python's own from 3.14, and what brings it to earlier ones
        try:
            return import_module(name).ZstdDecompressor()
        except ImportError:
            continue
    raise InputError(
        path,
        "is packed with Zstandard, for which Python before 3.14 needs the package 'backports.zstd'",
        fix="install it with pip, or write the log as JSON with inspect log convert",
    )


SHEETS = (".xlsx", ".xls")
CELL_LIMIT = 32_767
"""Characters that a cell of Excel can hold. Writers drop the rest, and tables saved from such files stay cut."""
_FORMULA = re.compile(r'<c r="([A-Z]+)(\d+)"[^>]*><f>([^<]*)</f>(?:<v>([^<]*)</v>|<v ?/>)?</c>')


def sheet_names(path: Path) -> list[str]:
    """The names of a workbook's sheets.

    Raises:
        InputError: it can't be read.
        MissingExtraError: the extra 'analyze' isn't installed.
    """
    with _workbook(path) as book:
        return list(book.sheet_names)


def sheet_columns(path: Path) -> list[str]:
    """The column names of a workbook's first sheet; errors as of `sheet_names`."""
    with _workbook(path) as book:
        return list(book.load_sheet(0, n_rows=0, dtypes="string").to_polars().columns)


def sheet_rows(path: Path, sheet: int = 0) -> list[Row]:
    """The rows of a workbook's first sheet, or of another, all cells as texts.

    Raises:
        InputError: it can't be read, or would become larger than archives may.
        MissingExtraError: the extra 'analyze' isn't installed.
    """
    texts: dict[tuple[int, int], str] = {}
    with _workbook(path) as book:
        frame = book.load_sheet(sheet, dtypes="string").to_polars()
        header = book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars()
    place = f"xl/worksheets/sheet{sheet + 1}.xml"
    if path.suffix.lower() == ".xlsx":
        with _sized(path) as archive:
            if place in archive.names:
                texts = _texts_as_formulas(archive.read(place).decode(errors="replace"))
    check_header(path, header.row(0) if len(header) else ())
    rows: list[Row] = frame.to_dicts()
    for (row, column), text in texts.items():
        if row < len(rows) and column < frame.width and rows[row][frame.columns[column]] in (None, "", "0"):
            rows[row][frame.columns[column]] = text
    return rows


@contextmanager
def _sized(path: Path) -> Iterator[LogArchive]:
    """The members of a workbook, whose sizes are checked before anything is unpacked."""
    try:
        with opened(path) as archive:
            yield archive
    except InputError as error:
        raise InputError(path, f"is no readable Excel sheet ({error.what})", fix=error.fix) from None


@contextmanager
def _workbook(path: Path) -> Iterator[Any]:
    with needs("analyze", f"Reading {path.name}"):
        import fastexcel
    if path.suffix.lower() == ".xlsx":
        with _sized(path):
            pass
    try:
        yield fastexcel.read_excel(path)
    except Exception as error:  # fastexcel raises types of its own for every kind of broken file
        raise InputError(path, f"is no readable Excel sheet ({str(error).splitlines()[0]})") from None


def _texts_as_formulas(sheet: str) -> dict[tuple[int, int], str]:
    """The texts by row below the header and column, both from 0, that a program has written as formulas.

    XlsxWriter and openpyxl take a text such as '=> B' for a formula, with the value 0 or none. A column in which a
    formula has another value holds true formulas.
    """
    found = _FORMULA.findall(sheet)
    computed = {column for column, _, _, value in found if value not in ("", "0")}
    texts = {}
    for letters, row, formula, _ in found:
        if letters not in computed:
            column = 0
            for letter in letters:
                column = 26 * column + ord(letter) - ord("A") + 1
            texts[int(row) - 2, column - 1] = f"={html.unescape(formula)}"
    return texts
