"""Known errors in the answers of released benchmarks: a versioned list with sources, `known_errors.toml`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from tolman.items import KnownErrors
from tolman.toml_catalogue import checked, read_table, with_tuples

KNOWN_ERRORS = "known-errors"
"""What `--exclude` takes for all items of the list."""


class WrongAnswer(BaseModel):
    """One item.

    Attributes:
        id: of the item.
        answer: that was released.
        instead: the answer by the source; '' where it gives none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    answer: str
    instead: str = ""


class ErrorReport(BaseModel):
    """Items of one benchmark with one source.

    Attributes:
        benchmark: its name.
        kind: 'contradiction' (released files disagree), 'report' (published by people who looked at the media) or
            'equal options' (several options are the right words).
        how: how the errors were found.
        source: a public address.
        items: with wrong answers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    benchmark: str
    kind: Literal["contradiction", "report", "equal options"]
    how: str
    source: str = Field(pattern="^https://")
    items: tuple[WrongAnswer, ...] = Field(min_length=1)


class ErrorList(BaseModel):
    """The whole list.

    Attributes:
        version: counts its changes.
        date: of the last one.
        reports: of all benchmarks.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    version: int = Field(ge=1)
    date: date
    reports: tuple[ErrorReport, ...]


@cache
def error_list() -> ErrorList:
    """Return the list of this version of the package."""
    path = Path(__file__).with_suffix(".toml")
    text, table = read_table(path)
    return checked(ErrorList, path, text, with_tuples(table))


def reports_on(benchmark: str) -> Sequence[ErrorReport]:
    """Return the reports on a benchmark; empty where none of its items is listed."""
    return [one for one in error_list().reports if one.benchmark == benchmark]


def known_errors_of(benchmark: str) -> KnownErrors:
    """Return the wrong answers of a benchmark, as a selection leaves them out."""
    answers = {item.id: item.answer for report in reports_on(benchmark) for item in report.items}
    return KnownErrors(version=error_list().version, answers=answers)
