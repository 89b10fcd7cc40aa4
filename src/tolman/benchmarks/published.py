"""Published figures, kept as files with each benchmark and printed next to measured ones.

Rows of a benchmark's published tables are CSV. Figures of papers for parts of the questions are CSV in the same folder.
Tables that aren't rows of a benchmark's own are TOML: a folder's `published.tables.toml` names its benchmark and holds
a paper's measurements in an analysis. The analysis that measures the same prints them next to its result.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tolman.errors import InputError
from tolman.toml_catalogue import checked, read_table

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
        setting: the evaluated setting, if not the default ('tiny subset', 'one-shot' …); empty for the default.
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
        reader = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""))
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


CUTS_FILE = "published_cuts.csv"
"""Beside a benchmark's file of published rows."""
CUT_FIELDS = ("group", "name", "setting", "source", "by", "values", "column", "figure")
SEPARATOR, EVERY = " | ", "*"
"""Between several labels or values in a field; what stands for all values of a label."""


@dataclass(frozen=True, slots=True)
class PublishedCut:
    """One figure of a paper for a part of the questions.

    Attributes:
        group, name, setting, source: as those of a `PublishedRow`.
        by: the labels that define the part, in the order of the paper's table.
        values: a value for each; None for all of its values together.
        column: key of the figure in the benchmark's table.
        value: as printed.
    """

    group: str
    name: str
    setting: str
    source: str
    by: tuple[str, ...]
    values: tuple[str | None, ...]
    column: str
    value: float


def read_published_cuts(path: Path, keys: Sequence[str]) -> list[PublishedCut]:
    """Read the figures of papers for parts of the questions, one a row.

    Args:
        path: CSV file with the columns of `CUT_FIELDS`, as in `human,Human,,Table 3,family,site/…,overall,100`; of
            several labels 'level | scene_type' with values as in 'planning | *'.
        keys: of the benchmark's table.

    Raises:
        InputError: another column, another number of values than of labels, or a figure that is no number.
    """
    found = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != CUT_FIELDS:
            raise InputError(path, f"has other columns than {', '.join(CUT_FIELDS)}", row=1)
        for number, row in enumerate(reader, start=2):
            by, values = tuple(row["by"].split(SEPARATOR)), tuple((row["values"] or "").split(SEPARATOR))
            if len(by) != len(values):
                raise InputError(path, f"{len(values)} values for {len(by)} labels", row=number, field="values")
            if row["column"] not in keys:
                raise InputError(path, f"{row['column']!r} is no column of the table", row=number, field="column")
            try:
                figure = float(row["figure"])
            except (TypeError, ValueError):
                raise InputError(path, f"{row['figure']!r} is no number", row=number, field="figure") from None
            kept = tuple(None if value == EVERY else value for value in values)
            head = (row["group"], row["name"], row["setting"], row["source"])
            found.append(PublishedCut(*head, by, kept, row["column"], figure))
    return found


TABLES_FILE = "published.tables.toml"
_PACKAGE = "tolman.benchmarks"


class PublishedTable(BaseModel):
    """A table, or figures that a paper's text prints.

    Attributes:
        analyses: which measure the same: 'maps', 'correlation', 'errors' …, or 'report'.
        source: table or section of the benchmark's paper.
        about: a description of the figures, in words.
        columns: headings, as printed or as the analysis calls them.
        rows: name as printed → its figures; nan where none is printed.
        taxonomy: of errors, whose categories they are.
        score: of correlations, the column that was correlated with the others.
        lower_is_better: of correlations, the columns whose signs the paper turns.
        pearson, spearman: other column → the coefficient that the paper prints.
        benchmark: its title; that of the file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    analyses: Annotated[
        tuple[Literal["maps", "correlation", "diversity", "errors", "humans", "report", "representative"], ...],
        Field(min_length=1),
    ]
    source: str
    about: str
    columns: Annotated[tuple[str, ...], Field(min_length=1)]
    rows: Annotated[dict[str, tuple[float, ...]], Field(min_length=1)]
    taxonomy: str = ""
    score: str = ""
    lower_is_better: tuple[str, ...] = ()
    pearson: dict[str, float] = {}
    spearman: dict[str, float] = {}
    benchmark: str = ""

    @model_validator(mode="after")
    def _fits(self) -> PublishedTable:
        for name, row in self.rows.items():
            if len(row) != len(self.columns):
                raise ValueError(f"the row '{name}' has {len(row)} figures for {len(self.columns)} columns")
        named = (self.score, *self.lower_is_better, *self.pearson, *self.spearman)
        strange = [one for one in named if one and one not in self.columns]
        if strange:
            raise ValueError(f"'{strange[0]}' is no column")
        return self

    def told(self, *, only: str = "") -> str:
        """Return the table in one sentence.

        Args:
            only: a prefix of the names of the included rows; all where empty.
        """
        heads = f" ({', '.join(self.columns)})" if len(self.columns) > 1 else ""
        rows = [
            f"{name} {', '.join(f'{value:g}' for value in row)}"
            for name, row in self.rows.items()
            if name.startswith(only)
        ]
        return f"Published ({self.place}): {self.about}{heads}: {'; '.join(rows)}."

    @property
    def place(self) -> str:
        """Return its place: 'VSI-Bench, Table 4'."""
        return f"{self.benchmark}, {self.source}"


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)

    benchmark: str
    tables: tuple[PublishedTable, ...]


def read_published_tables(path: Path) -> tuple[PublishedTable, ...]:
    """Read such a file.

    Raises:
        InputError: it is no TOML, a key is not known, or a row doesn't fit the columns.
    """
    held = checked(_File, path, *read_table(path))
    return tuple(table.model_copy(update={"benchmark": held.benchmark}) for table in held.tables)


@cache
def _all_tables() -> tuple[PublishedTable, ...]:
    folders = sorted((entry for entry in files(_PACKAGE).iterdir() if entry.is_dir()), key=lambda entry: entry.name)
    found = [Path(str(folder.joinpath(TABLES_FILE))) for folder in folders if folder.joinpath(TABLES_FILE).is_file()]
    return tuple(table for path in found for table in read_published_tables(path))


def published_tables(analysis: str, benchmark: str | None = None) -> list[PublishedTable]:
    """The published tables of an analysis.

    Args:
        analysis: its name.
        benchmark: a benchmark's title; tables of all where None.
    """
    own = (table for table in _all_tables() if analysis in table.analyses)
    return [table for table in own if benchmark in (None, table.benchmark)]


def printed_in(benchmark: str, sources: Sequence[str]) -> list[PublishedTable]:
    """Return the published tables from some tables or sections of a benchmark's paper."""
    return [table for table in _all_tables() if table.benchmark == benchmark and table.source in sources]
