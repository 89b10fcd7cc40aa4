"""Choosing a report's form and writing it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tolman.errors import UsageError
from tolman.files import write_text
from tolman.memory import give_back
from tolman.names import unknown
from tolman.reports import text
from tolman.reports.content import Report, build
from tolman.reports.loaded import LoadedRun, load_runs

if TYPE_CHECKING:
    from tolman.reports.thumbnails import Thumbnails

_FORMS: dict[str, Callable[[Report], str]] = {
    "markdown": text.markdown,
    "csv": text.comma_separated,
    "latex": text.latex,
    "json": text.as_json,
}
SITE = "site"
TEXTS = (*_FORMS, "html")
FORMATS = ("terminal", *TEXTS, SITE)
_SUFFIXES = {".md": "markdown", ".csv": "csv", ".tex": "latex", ".json": "json", ".html": "html"}


def render(report: Report, runs: list[LoadedRun], form: str, small: Thumbnails | None = None) -> str:
    """The report as one text.

    Args:
        report: of the runs.
        runs: one or more.
        form: one of `TEXTS`.
        small: pictures for a page.

    Raises:
        UsageError: there is no such form.
    """
    if form == "html":
        from tolman.reports.html import page

        return page(report, runs, small)
    if form not in _FORMS:
        raise unknown("text of a report", form, TEXTS)
    return _FORMS[form](report)


def form_of(path: Path) -> str:
    """The form that a file's suffix names; a name without a suffix is that of a site's folder.

    Raises:
        UsageError: the suffix names none.
    """
    if not path.suffix or path.is_dir():
        return SITE
    if path.suffix.lower() not in _SUFFIXES:
        raise UsageError(f"{path} has no suffix of a report; use one of {', '.join(_SUFFIXES)} or give --format.")
    return _SUFFIXES[path.suffix.lower()]


def save(path: Path, content: str | Iterable[str]) -> None:
    """Write a report or its pieces, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, content)


def write_page(path: Path, folders: Sequence[Path]) -> Path:
    """Write the page of some runs, with the newest published rows and every item.

    Raises:
        InputError: one of them is no run with scores.
    """
    from tolman.reports.html import pieces

    give_back()
    runs = load_runs(folders)
    save(path, pieces(build(runs), runs))
    return path
