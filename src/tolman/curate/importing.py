"""Rows of question sets → candidates, one by one, for files of any size.

Options and answer of a row make a candidate of some kind. The mapping names the kind of a question type (`kinds`). If
it names none, a row with options is multiple choice, and another one is a number or a free text.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any

import polars as pl
from pydantic import ValidationError

from tolman.benchmarks.declaring.row_values import right_letter, text_or_json, without_letters
from tolman.benchmarks.fields import Field, Unmappable, is_empty, plain
from tolman.benchmarks.rows import Row, matching, stream_rows, whole
from tolman.curate.candidates import TEXT, Candidate
from tolman.curate.mapping import ASK, Mapping, MediaFields
from tolman.errors import InputError
from tolman.items import MEDIA_MARK, Media, Unit, kind_named
from tolman.text_tables import is_list_cell, read_cell


def answered(
    mapping: Mapping, row: Row, task: str, answer: Any, options: tuple[str, ...], common: dict[str, Any]
) -> Candidate:
    """A candidate with its kind and answer.

    Args:
        mapping: how the row is read.
        row: for further answers, where the answer is a free text.
        task: the question type.
        answer: as the row has it.
        options: texts, see `options_in`.
        common: the candidate's other fields.

    Raises:
        Unmappable: the answer is none of the kind.
        ValidationError: the question is not whole.
    """
    named = mapping.kinds.get(task, mapping.kinds.get("*"))
    if named == TEXT or (named is None and not options):
        also = _also(mapping.fields.also, row)
        return _open(mapping, task, answer, also, common, words=named == TEXT)
    kind = kind_named(named or "choice")
    if kind.has_letters:
        letter = right_letter(mapping.answer, answer, options)
        return Candidate(kind=kind.name, options=options, answer=letter, **common)
    try:
        given = kind.released_answer(text_or_json(answer))
    except ValueError as error:
        raise Unmappable(str(error)) from None
    return Candidate(kind=kind.name, options=options, answer=given, unit=_unit(mapping, task), **common)


def options_in(where: Field | None, row: Row) -> tuple[str, ...]:
    """The texts of the options, without the letters that some data sets write in front of them."""
    found = where.of(row) if where is not None else None
    if found is None:
        return ()
    if is_list_cell(found):
        try:
            found = read_cell(found)
        except ValueError as error:
            raise Unmappable(f"the cell of options {found[:60]!r} {error}") from None
    if isinstance(found, dict):  # {"A": "left", "B": "right"}
        found = [found[key] for key in sorted(found) if not is_empty(found[key])]
    if not isinstance(found, list):
        raise Unmappable("the options are no list")
    texts = ["" if is_empty(option) else plain(option).strip() for option in found]
    texts = without_letters(texts) or texts
    told_apart = [" ".join(text.casefold().split()) for text in texts if MEDIA_MARK not in text]
    if "" in told_apart:
        raise Unmappable("an option is empty")
    if len(set(told_apart)) < len(told_apart):
        raise Unmappable("two options are the same")
    return tuple(texts)


def _open(
    mapping: Mapping, task: str, answer: Any, also: tuple[str, ...], common: dict[str, Any], *, words: bool
) -> Candidate:
    """A candidate with a number or a text as its answer; never a number where the mapping says that it is words."""
    if words and isinstance(answer, list) and answer and all(isinstance(one, str) for one in answer):
        answer, also = answer[0], tuple(dict.fromkeys((*answer[1:], *also)))
    if isinstance(answer, list | dict | bytes):
        raise Unmappable("the answer is no text")
    text = plain(answer).strip()
    if text.casefold() == "nan":
        raise Unmappable(f"the answer {text!r} is how programs write an empty cell")
    if mapping.open != "text" and not words:
        try:
            number = kind_named("number").released_answer(text)
        except ValueError as error:
            if mapping.open == "number":
                raise Unmappable(str(error)) from None
        else:
            return Candidate(kind="number", answer=number, unit=_unit(mapping, task), **common)
    return Candidate(kind=TEXT, answer=text, also=also, **common)


def _unit(mapping: Mapping, task: str) -> Unit | None:
    return mapping.units.get(task, mapping.units.get("*"))


def _also(where: Field | None, row: Row) -> tuple[str, ...]:
    found = where.of(row) if where is not None else None
    if found is None:
        return ()
    parts = found if isinstance(found, list) else [found]
    texts = [part.get("answer") if isinstance(part, dict) else part for part in parts]
    return tuple(dict.fromkeys(plain(text).strip() for text in texts if not is_empty(text)))


LONGEST_PATH = 1_000
"""A longer text is an image in base64, as some tables hold them where others have a path."""
_SIGNATURES = ((b"\xff\xd8\xff", ".jpg"), (b"\x89PNG", ".png"), (b"GIF8", ".gif"), (b"BM", ".bmp"), (b"RIFF", ".webp"))
MEDIA = "media"
"""The folder of a pool in which each question set's media stand under its name."""


@dataclass(frozen=True)
class QuestionSource:
    """A question set as the user has it.

    Attributes:
        name: of its own in this pool.
        mapping: how its rows are read.
        data: a file, or a folder in which the mapping's patterns find them.
        media: the folder that media are relative to; the data's where None.
    """

    name: str
    mapping: Mapping
    data: Path
    media: Path | None = None

    @property
    def media_folder(self) -> Path:
        """Folder of its media."""
        return self.media or (self.data if self.data.is_dir() else self.data.parent)

    def files(self) -> list[Path]:
        """The files to read: all that fit the first pattern that fits any, without other versions of their questions.

        Raises:
            InputError: there is none, one is another version, or a shard is missing.
        """
        title, without = self.mapping.title, self.mapping.without
        if self.data.is_file():
            if any(fnmatch(self.data.name, pattern) for pattern in without):
                raise InputError(
                    self.data,
                    f"is another version of {title}'s questions, by its name (as circular or translated)",
                    fix=f"give one of {', '.join(self.mapping.files)}",
                )
            return whole([self.data])
        if not self.data.is_dir():
            raise InputError(self.data, "does not exist", fix=f"give the folder that holds {title}")
        for pattern in self.mapping.files:
            if found := matching(self.data, pattern, without):
                return whole(found)
        raise InputError(self.data, f"holds no {title}", fix=f"put one of {', '.join(self.mapping.files)} there")


@dataclass(frozen=True)
class Unmapped:
    """A row that is left out, and why."""

    source: str
    file: str
    row: int
    reason: str


@dataclass
class Importer:
    """Reads question sets into a pool.

    Args:
        pool: the folder; images inside tables are written below it.

    Attributes:
        seen: hashes of the ids so far.
        asked: hash of question and media → hash of the options in their order, and the file.
    """

    pool: Path
    seen: set[bytes] = field(default_factory=set)
    asked: dict[bytes, tuple[bytes, str]] = field(default_factory=dict)

    def read(self, source: QuestionSource) -> Iterator[Candidate | Unmapped]:
        """The candidates of a question set, and the rows that can't be mapped.

        Raises:
            InputError: a file can't be read at all.
        """
        mapping = source.mapping
        linked = False
        for path in source.files():
            relative = path.relative_to(source.data) if source.data.is_dir() else Path(path.name)
            extra = {"_file": relative.as_posix(), "_stem": path.stem, "_folder": relative.parent.name}
            for number, found in stream_rows(path, _columns(path, mapping), mapping.records):
                if isinstance(found, InputError):
                    yield Unmapped(source.name, str(relative), number, found.what)
                    continue
                row = {**found, **extra, "_row": number}
                try:
                    if not _kept(mapping, row):
                        continue
                    candidate = self._candidate(source, row)
                    self._check_new(candidate, str(relative))
                except (Unmappable, ValidationError) as error:
                    yield Unmapped(source.name, str(relative), number, _reason(error))
                    continue
                if candidate.media and not linked:
                    linked = self._link(source)
                yield candidate

    def _candidate(self, source: QuestionSource, row: Row) -> Candidate:
        mapping, fields = source.mapping, source.mapping.fields
        own = fields.id.text(row) if fields.id else f"{row['_stem']}:{row['_row']}"
        identity = f"{source.name}/{own}"
        digest = hashlib.blake2b(identity.encode(), digest_size=12).digest()
        if digest in self.seen:
            raise Unmappable(f"the id {own} is used twice")
        task = (_text(fields.task, row) or mapping.name) if fields.task else mapping.name
        media = self._media(source, row)
        question = (_text(fields.question, row) or "").strip()
        answer = fields.answer.of(row)
        options = options_in(fields.options, row)
        common: dict[str, Any] = {
            "id": identity,
            "source": source.name,
            "question": question,
            "task": task,
            "labels": self._labels(source, row, task),
            "scene": self._scene(source, row, media),
            "media": media,
            "reasoning": _text(fields.reasoning, row),
        }
        candidate = answered(mapping, row, task, answer, options, common)
        self.seen.add(digest)
        return candidate

    def _check_new(self, candidate: Candidate, file: str) -> None:
        """Make sure that a question isn't another version of one that was read, as circular files hold them.

        Raises:
            Unmappable: the question set asks the same, of the same media, with the options in another order or in
                another file.
        """
        if not candidate.media and not candidate.scene:
            return  # what is asked about isn't known
        texts = [" ".join(option.casefold().split()) for option in candidate.options]
        what = [candidate.source, candidate.question, candidate.task, candidate.scene or ""]
        what += [f"{one.path}|{one.start}|{one.end}" for one in candidate.media] + sorted(texts)
        if not candidate.options:
            what.append(str(candidate.answer))
        key, order = _hash(what), _hash(texts)
        known = self.asked.setdefault(key, (order, file))
        if known[0] != order:
            raise Unmappable(f"{known[1]} has this question with its options in another order: one is circular")
        if known[1] != file:
            raise Unmappable(f"{known[1]} has the same question: these files are versions of one question set")

    def _labels(self, source: QuestionSource, row: Row, task: str) -> dict[str, str]:
        mapping = source.mapping
        found = {"dataset": source.name}
        for name, where in mapping.labels.items():
            value = where.text(row)
            if value is not None:
                found[name] = value
        own = mapping.spatial.field.text(row) if mapping.spatial.field else task
        spatial = mapping.spatial.categories.get(own or "", mapping.spatial.default)
        if spatial != ASK:
            found["category"] = spatial
        return found

    def _scene(self, source: QuestionSource, row: Row, media: tuple[Media, ...]) -> str | None:
        where = source.mapping.fields.scene
        if where is not None:
            own = where.text(row)
            return None if own is None else f"{source.name}/{own}"
        return media[0].path if media else None

    def _media(self, source: QuestionSource, row: Row) -> tuple[Media, ...]:
        where = source.mapping.media
        if where is None:
            return ()
        found = where.origin.of(row)
        if found is None:
            return ()
        start, end = (_seconds(one, row) for one in (where.start, where.end))
        paths = [self._path(source, where, one) for one in (found if isinstance(found, list) else [found])]
        return tuple(Media(kind=where.kind, path=path, start=start, end=end) for path in paths)

    def _path(self, source: QuestionSource, where: MediaFields, found: Any) -> str:
        """Return the path of a medium below the pool; one inside the table is written there first."""
        if isinstance(found, dict) and ("bytes" in found or "path" in found):
            found = found.get("bytes") or found.get("path")
        if isinstance(found, str) and (where.base64 or len(found) > LONGEST_PATH):
            try:
                found = base64.b64decode(re.sub(r"\Adata:image/\w+;base64,", "", found), validate=True)
            except binascii.Error:
                raise Unmappable("the image is no base64") from None
        if isinstance(found, bytes):
            return self._written(source, found)
        if not isinstance(found, str):
            raise Unmappable("a medium is neither a path nor an image")
        pure = PurePosixPath(plain(found).strip())
        parts = [part for part in pure.parts if part != "."]
        if pure.is_absolute() or ".." in parts or not parts or "\0" in found:
            raise Unmappable(f"the path {found[:80]!r} leads out of the media folder")
        if any(len(part.encode()) > 255 for part in parts):
            raise Unmappable(f"the path {found[:80]!r} … is too long for a file's")
        return "/".join((MEDIA, source.name, "files", *parts))

    def _written(self, source: QuestionSource, image: bytes) -> str:
        suffix = next((end for start, end in _SIGNATURES if image.startswith(start)), None)
        if suffix is None:
            raise Unmappable("the image is of no format that is known here")
        digest = hashlib.sha256(image).hexdigest()
        path = f"{MEDIA}/{source.name}/inside/{digest[:2]}/{digest}{suffix}"
        target = self.pool / path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_suffix(".partial")
            partial.write_bytes(image)
            partial.replace(target)
        return path

    def _link(self, source: QuestionSource) -> bool:
        """Let the pool's media folder lead to the question set's own."""
        place = self.pool / MEDIA / source.name / "files"
        place.parent.mkdir(parents=True, exist_ok=True)
        goal = source.media_folder.resolve()
        if place.is_symlink():
            if Path(os.readlink(place)) == goal:
                return True
            place.unlink()
        place.symlink_to(goal, target_is_directory=True)
        return True


def _columns(path: Path, mapping: Mapping) -> list[str] | None:
    """Return those columns of a Parquet file that the mapping uses."""
    if path.suffix != ".parquet":
        return None

    try:
        there = pl.read_parquet_schema(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(path, f"is no readable Parquet file ({str(error).splitlines()[0]})") from None
    return [name for name in mapping.columns if name in there] or None


def _hash(texts: Iterable[str]) -> bytes:
    return hashlib.blake2b("\0".join(texts).encode(), digest_size=8).digest()


def _kept(mapping: Mapping, row: Row) -> bool:
    return all(plain(Field(column=name, optional=True).of(row)) in values for name, values in mapping.keep.items())


def _text(where: Field | None, row: Row) -> str | None:
    return where.text(row) if where is not None else None


def _seconds(where: Field | None, row: Row) -> float | None:
    text = _text(where, row)
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds):
        raise Unmappable(f"{text[:40]!r} is no time in seconds")
    return seconds


def _reason(error: Unmappable | ValidationError) -> str:
    if isinstance(error, Unmappable):
        return str(error)
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    what = first["msg"].removeprefix("Value error, ")
    return f"{field}: {what}" if field else what
