"""The rows of published tables, kept as CSV beside each benchmark."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tolman.errors import InputError

NOT_STATED = "not stated"
"""In a column about how a row was made: its source doesn't say."""

_FIXED = ("group", "name", "setting", "source")
_OPTIONAL = ("date", "subset", "frames", "harness", "averaging", "revision", "protocol")
_GROUPS = ("model", "human", "chance")
_DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One row of a paper's table, a leaderboard or a model card.

    Attributes:
        group: 'model', 'human' or 'chance'.
        name: as printed.
        setting: what was evaluated other than the default ('tiny subset', 'one-shot' …); empty for the default.
        source: table or figure of the benchmark's paper; else whose page, file and commit.
        values: column key → the figure; None where the source prints none.
        date: of the source: '2026', '2026-02' or '2026-02-21'; empty where it isn't known.
        subset: which questions; empty for the benchmark's first subset, 'not stated' where the source doesn't say.
        frames: of a video: their number, 'whole' for the whole file, or in words; empty where the source doesn't say.
        harness: whose prompt and parser: 'official' for the authors' code, 'lmms-eval', 'VLMEvalKit', 'EASI', 'not
            stated'; empty where there is none, as for people.
        averaging: 'micro' for an average over items where the table has one over tasks, 'not stated' where that is open
            (or the headline isn't the mean of the row's own figures); empty for the table's.
        revision: of the questions, in words, where they were corrected since or that is open.
        protocol: how the model was asked ('blind', 'cot' …), where the source compares that; else empty.
    """

    group: str
    name: str
    setting: str
    source: str
    values: dict[str, float | None]
    date: str = ""
    subset: str = ""
    frames: str = ""
    harness: str = ""
    averaging: str = ""
    revision: str = ""
    protocol: str = ""


def read_published(path: Path, keys: Sequence[str]) -> list[PublishedRow]:
    """Read such a file: the columns group, name, setting, source; date, subset, frames, harness, averaging, revision
    and protocol where it has them; then keys of the table. A key that is called like one of the latter is the table's.

    Raises:
        InputError: no UTF-8, a column that the table doesn't have, a row with more cells than there are headings, a
            group or a date that is none, or a figure that is no finite number.
    """
    try:
        reader = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline=""))
    except UnicodeDecodeError:
        raise InputError(path, "is no UTF-8 text") from None
    optional = [name for name in _OPTIONAL if name not in keys]
    headings = reader.fieldnames or ()
    unknown = [name for name in headings if name not in (*_FIXED, *optional, *keys)]
    if unknown:
        raise InputError(path, "is no column of the table", field=unknown[0])
    missing = [name for name in _FIXED if name not in headings]
    if missing:
        raise InputError(path, "is missing", field=missing[0], fix=f"give it the columns {', '.join(_FIXED)}")
    rows = []
    for number, row in enumerate(reader, start=2):
        if None in row:
            raise InputError(path, f"has more than the {len(headings)} cells of the headings", row=number)
        _check(path, number, row["group"], row["name"], (row.get("date") or "") if "date" in optional else "")
        group, name, setting, source = (row[heading] or "" for heading in _FIXED)
        values = {key: _figure(path, number, key, row.get(key) or "") for key in keys}
        how = [str(row.get(heading) or "") if heading in optional else "" for heading in _OPTIONAL]
        rows.append(PublishedRow(group, name, setting, source, values, *how))
    return rows


def _check(path: Path, number: int, group: str, name: str | None, date: str) -> None:
    if group not in _GROUPS:
        fix = f"write {', '.join(_GROUPS)}"
        raise InputError(path, f"'{group}' is no group", row=number, field="group", fix=fix)
    if not name:
        raise InputError(path, "is missing", row=number, field="name")
    if date and not _DATE.fullmatch(date):
        fix = "write 2026, 2026-02 or 2026-02-21"
        raise InputError(path, f"'{date}' is no date", row=number, field="date", fix=fix)


def _figure(path: Path, number: int, key: str, text: str) -> float | None:
    try:
        value = float(text) if text.strip() else None
    except ValueError:
        value = math.nan
    if value is not None and not math.isfinite(value):
        raise InputError(path, f"{text!r} is no number", row=number, field=key, fix="write 12.3, or nothing")
    return value
