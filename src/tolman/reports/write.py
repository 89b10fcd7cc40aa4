"""Choosing a report's form and writing it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tolman.errors import UsageError
from tolman.files import write_text
from tolman.names import unknown
from tolman.reports import text
from tolman.reports.content import Report, build
from tolman.reports.loaded import LoadedRun, load_runs

_FORMS: dict[str, Callable[[Report], str]] = {
    "markdown": text.markdown,
    "csv": text.comma_separated,
    "latex": text.latex,
    "json": text.as_json,
}
FORMATS = ("terminal", *_FORMS, "html")
_SUFFIXES = {".md": "markdown", ".csv": "csv", ".tex": "latex", ".json": "json", ".html": "html"}


def render(report: Report, runs: list[LoadedRun], form: str) -> str:
    """The report as text of some form other than 'terminal'.

    Raises:
        UsageError: there is no such form.
    """
    if form == "html":
        from tolman.reports.html import page

        return page(report, runs)
    if form not in _FORMS:
        raise unknown("report format", form, FORMATS)
    return _FORMS[form](report)


def form_of(path: Path) -> str:
    """The form that a file's suffix names.

    Raises:
        UsageError: the suffix names none.
    """
    if path.suffix.lower() not in _SUFFIXES:
        raise UsageError(f"{path} has no suffix of a report; use one of {', '.join(_SUFFIXES)} or give --format.")
    return _SUFFIXES[path.suffix.lower()]


def save(path: Path, content: str) -> None:
    """Write a report, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, content)


def write_page(path: Path, folders: Sequence[Path]) -> Path:
    """Write the page of some runs, with all rows of the papers and every item.

    Raises:
        InputError: one of them is no run with scores.
    """
    runs = load_runs(folders)
    save(path, render(build(runs, "all"), runs, "html"))
    return path
