"""Choosing a report's form and writing it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast, get_args

from rich.console import Console

from tolman.errors import UsageError
from tolman.files import write_text
from tolman.names import unknown
from tolman.reports import text
from tolman.reports.content import Published, Report, build
from tolman.reports.loaded import LoadedRun, load_runs, load_scored
from tolman.reports.terminal import print_report
from tolman.runs.folder import RunFolder

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


def write_report(console: Console, paths: list[Path], *, form: str | None, out: Path | None, published: str) -> None:
    """What `tolman report` does; runs without scores are left out and named above the table.

    Raises:
        UsageError: an unknown form or choice of published rows.
        InputError: no run has scores.
    """
    if published not in get_args(Published):
        raise UsageError(f"--published takes {', '.join(get_args(Published))}, not '{published}'.")
    runs, left_out = load_scored(paths)
    form = form or (form_of(out) if out else "terminal")
    rows = cast(Published, "all" if form == "html" and published == "baselines" else published)
    report = build(runs, rows, left_out)
    if form == "terminal":
        print_report(console, report)
    elif out is None:
        console.file.write(render(report, runs, form))
    else:
        save(out, render(report, runs, form))
        for sentence in report.warnings[: len(left_out)]:
            console.print(sentence, style="bold red", markup=False, highlight=False, soft_wrap=True)
        console.print(f"Written: {out}", markup=False, highlight=False, soft_wrap=True)


def show_runs(console: Console, folders: Sequence[RunFolder], *, as_json: bool) -> None:
    """Print the table of one run, or of several that differ in one number, and write the page of each and of all."""
    for folder in folders:
        single = load_runs([folder.path])
        page = folder.path / "report.html"
        save(page, render(build(single, "all"), single, "html"))
    runs = load_runs([folder.path for folder in folders])
    if len(folders) > 1:
        last = folders[-1].path
        page = last.with_name(last.name.rpartition("-")[0] + ".html")
        save(page, render(build(runs, "all"), runs, "html"))
    report = build(runs, "baselines")
    if as_json:
        console.file.write(render(report, runs, "json"))
        return
    print_report(console, report)
    console.print(f"Every item: {page}", markup=False, highlight=False, soft_wrap=True)
