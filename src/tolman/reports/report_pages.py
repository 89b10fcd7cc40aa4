"""Reports as files: one self-contained HTML page, a matrix of several benchmarks, or a text form by its suffix.

The HTML page has the table, published rows, the figure, and every item with its answers and small pictures. Texts of
questions and responses reach it as JSON in a script element that is not run, and are put into the document as text,
never as markup. The matrix has a row for each run's name and a column for each benchmark with its headline figure.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.errors import InputError, MissingExtraError, UsageError, unknown
from tolman.extras import LazyModule
from tolman.files import check_report, signed, write_text
from tolman.items import Item, Media
from tolman.media.frame_store import FrameStore, default_root
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError
from tolman.memory import give_back
from tolman.reports import text
from tolman.reports.loaded_runs import LoadedRun, load_runs
from tolman.reports.page_items import entries
from tolman.reports.reference_rows import Published
from tolman.reports.report_content import LEGEND, Report, build, emphasis
from tolman.reports.svg_figures import tasks_svg
from tolman.reports.table_rows import (
    BOUNDS_LABEL,
    SHARES_LABEL,
    ReportTable,
    is_reference,
    needs_row,
    rest_shown,
    unread_bounds,
    unread_described,
    unread_shares,
)
from tolman.reports.text import SCENES, environment, first_cells, heads, interval_shown, shown, values_shown
from tolman.visible import visible_dumps

if TYPE_CHECKING:
    from tolman.reports.site import site_media
else:
    site_media = LazyModule("tolman.reports.site.site_media")

MOST_ITEMS = 400
"""Items of a page with pictures: a larger one would be too large to open."""
SMALL = Frames(count=4, rounding="middle", quality=60, longest_side=176)
"""Four frames of a video, or a picture, as they stand in the page."""


@dataclass(frozen=True)
class Thumbnails:
    """Pictures of a page.

    Attributes:
        pictures: for each medium its pictures as data URIs; none where it can't be read.
        of_item: item's id → numbers of its media.
    """

    pictures: Sequence[Sequence[str]] = ()
    of_item: Mapping[str, Sequence[int]] = field(default_factory=dict)


def thumbnails(runs: Sequence[LoadedRun], given: Path | None = None, frame_store: Path | None = None) -> Thumbnails:
    """Return pictures for the page of some runs; none where the runs have too many items or their media are missing.

    Args:
        runs: of one question set.
        given: folder of the media, where it isn't the runs' own.
        frame_store: other than the user's own.
    """
    items: dict[str, Item] = {}
    for run in runs:
        for part in run.folder.item_slices():
            items.update({item.id: item for item in part if item.id not in items})
            if len(items) > MOST_ITEMS:
                return Thumbnails()
    data = site_media.media_folder(runs, given)
    if isinstance(data, str):
        return Thumbnails()
    media = site_media.media_of(list(items.values()))
    store = FrameStore(frame_store or default_root())
    known = {site_media.key_of(medium): medium for item in items.values() for medium in item.media}
    return Thumbnails(
        [small_pictures(store, data, known[key]) for key in media],
        {identity: [media[site_media.key_of(medium)] for medium in item.media] for identity, item in items.items()},
    )


def small_pictures(store: FrameStore, data: Path, medium: Media, frames: Frames = SMALL) -> list[str]:
    """Return the frames of a medium as data URIs; none where it can't be read.

    Args:
        store: of frames.
        data: folder of the media.
        medium: a video or picture.
        frames: how many, how large.
    """
    if not site_media.is_inside(medium.path):
        return []
    try:
        pictures = store.pictures(data, medium, frames)
    except (BrokenMediaError, InputError, MissingExtraError, OSError):
        return []
    return [f"data:image/jpeg;base64,{base64.b64encode(Path(one.path).read_bytes()).decode()}" for one in pictures]


_ITEMS = f"items {secrets.token_hex(16)}"
"""Where the items stand in a page that is rendered without them; no text of a run can guess it."""


def page(report: Report, runs: Sequence[LoadedRun], small: Thumbnails | None = None) -> str:
    """The whole page."""
    return "".join(pieces(report, runs, small))


def pieces(
    report: Report, runs: Sequence[LoadedRun], small: Thumbnails | None = None, *, with_items: bool = True
) -> Iterator[str]:
    """The page piece by piece, as that of a hundred thousand items takes more memory than all else of its run.

    Args:
        report: of the runs.
        runs: one or more.
        small: pictures of the items; none where None.
        with_items: whether the page lists every item.
    """
    pictures = embedded(small.pictures if small is not None else [])
    data = f'{{"runs":{embedded([run.name for run in runs])},"pictures":{pictures},"items":[{_ITEMS}]}}'
    content = {**_content(report, runs), "with_items": with_items, "data": data}
    whole = environment().get_template("report.html.j2").render(content)
    before, _, after = whole.partition(_ITEMS)
    yield before
    for number, entry in enumerate(entries(runs) if with_items else ()):
        if small is not None and entry["id"] in small.of_item:
            entry["media"] = small.of_item[entry["id"]]
        yield f"{',' if number else ''}{embedded(entry)}"
    yield after


def _content(report: Report, runs: Sequence[LoadedRun]) -> dict[str, Any]:
    """The content of a report's template for some runs, without their items."""
    return {
        "report": report,
        "table": _table(report.table),
        "cuts": [(cut, _table(cut)) for cut in report.cuts],
        "scenes_heading": SCENES,
        "legend": LEGEND,
        "shares_label": SHARES_LABEL,
        "bounds_label": BOUNDS_LABEL,
        "figure": tasks_svg(report),
        "settings": [(run.name, run.record.model_dump_json(indent=2)) for run in runs],
    }


@dataclass(frozen=True)
class TaskProgress:
    """How many questions of a type have an answer or a failure, of how many that are asked."""

    title: str
    asked: int
    answered: int
    failed: int


@dataclass(frozen=True)
class LiveState:
    """The state of a run that may go on.

    Attributes:
        name, title: of the run; of its benchmark.
        state: a sentence.
        is_over: whether no process is at work on it.
        done, calls: outcomes so far, and all that there will be; 0 where that isn't known yet.
        facts: sentences about speed, tokens and cost.
        failures: a sentence for each kind.
        tasks: of the questions; none where they aren't known yet.
    """

    name: str
    title: str
    state: str
    is_over: bool
    done: int
    calls: int
    facts: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    tasks: tuple[TaskProgress, ...] = ()

    @property
    def share(self) -> str:
        """Return the part that is done, in whole percent."""
        return f"{100 * self.done // max(1, self.calls)} %"


def live_page(live: LiveState, report: Report | None, runs: Sequence[LoadedRun]) -> str:
    """The page of a run that may go on.

    Args:
        live: its state.
        report: on its answers so far; None where there is none yet.
        runs: that the report is on.
    """
    content = {"report": None} if report is None else _content(report, runs)
    return environment().get_template("live.html.j2").render(live=live, with_items=False, **content)


def live_suite_page(name: str, state: str, rows: Sequence[tuple[str, LiveState, MatrixCell | None]]) -> str:
    """The page of several runs that may go on.

    Args:
        name: of their folder.
        state: of all, as a sentence.
        rows: the path of each run's page, its state, and its headline figure once it has one.
    """
    done, calls = (sum(getattr(live, count) for _, live, _ in rows) for count in ("done", "calls"))
    total = LiveState(name, name, state, all(live.is_over for _, live, _ in rows), done, calls)
    return environment().get_template("live_suite.html.j2").render(live=total, rows=rows)


def _table(table: ReportTable) -> dict[str, Any]:
    """A table as the template takes it: model, headline, other texts, other figures."""
    first = heads(table)
    quoted = [row for row in table.rows if row.headline]
    models = [row for row in quoted if not is_reference(row)]
    columns = sorted(table.columns, key=lambda column: column.key != table.headline)
    rows = [
        {
            "first": first_cells(table, row),
            "rules": row.rules,
            "headline": row in (models or quoted),
            "rest": rest_shown(row, columns[0]),
            "source": row.source,
            "cells": [
                (shown(row, c), interval_shown(row, c), unread_described(row.unread.get(c.key)), emphasis(row, c))
                for c in columns
            ],
            "unread": [(unread_shares(row.unread.get(c.key)), unread_bounds(row.unread.get(c.key), c)) for c in columns]
            if needs_row(row.unread, table.columns)
            else [],
            "between": [*values_shown(row), row.rules, *[""] * (len(first) - 2 - len(row.values))],
        }
        for row in table.rows
    ]
    return {
        "heads": first,
        "texts": len(table.in_rows) + 2,
        "columns": [(c.title, c.group) for c in columns],
        "has_ranks": table.has_ranks,
        "rows": rows,
    }


def embedded(value: Any) -> str:
    """Return JSON for the inside of a script element: no character of it can end the element or open a comment.

    Control characters of its texts are shown.
    """
    text = visible_dumps(value)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


LACKING = "INCOMPLETE"
"""What stands for a figure that couldn't be formed, and beside one that lacks answers."""


@dataclass(frozen=True)
class LackingFigure:
    """A run that isn't in any report.

    Attributes:
        title: of its benchmark, with the subset.
        headline: the title of the benchmark's headline.
        model: the beginning of its rows' names.
    """

    title: str
    headline: str
    model: str


@dataclass(frozen=True)
class MatrixCell:
    """A headline figure as it is printed.

    Attributes:
        value: with its signs; `LACKING` where there is none, as the run couldn't be carried out.
        interval: 95 %, empty where there is none; after `LACKING` where answers are missing.
    """

    value: str
    interval: str


@dataclass
class Matrix:
    """Headline figures of reports.

    Attributes:
        columns: of each report, the benchmark with its subset, and the title of its headline.
        rows: name of a run → a cell for each column; None where the run isn't in that report.
        warnings: of all reports, with the benchmark in front.
    """

    columns: list[tuple[str, str]] = field(default_factory=list)
    rows: dict[str, list[MatrixCell | None]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def matrix_of(reports: Sequence[Report], lacking: Sequence[LackingFigure] = ()) -> Matrix:
    """Return the headline figures of the runs of several reports, in the reports' order.

    Args:
        reports: of one benchmark each.
        lacking: runs without figures; benchmarks without a report get columns after the others.
    """
    found = Matrix()
    heads = [(_title(report), report.benchmark.table.column(report.benchmark.table.headline)) for report in reports]
    without = [(one.title, one.headline) for one in lacking if one.title not in [title for title, _ in heads]]
    found.columns += [(title, column.title) for title, column in heads]
    found.columns += list(dict.fromkeys(without))
    for place, (report, (title, column)) in enumerate(zip(reports, heads, strict=True)):
        found.warnings += [f"{title}: {text}" for text in report.warnings]
        for row in report.rows:
            if row.headline:
                cells = found.rows.setdefault(row.name, [None] * len(found.columns))
                interval = interval_shown(row, column)
                signs = [LACKING if sign == "incomplete" else f"[{sign}]" for sign in row.signs]
                said = " ".join(text for text in (*signs, interval) if text)
                cells[place] = MatrixCell(shown(row, column), said)
    for one in lacking:
        place = found.columns.index((one.title, one.headline))
        named = [name for name in found.rows if name == one.model or name.startswith(f"{one.model} (")] or [one.model]
        for name in named:
            cells = found.rows.setdefault(name, [None] * len(found.columns))
            cells[place] = cells[place] or MatrixCell(LACKING, "")
    return found


def _title(report: Report) -> str:
    return f"{report.benchmark.title} · {report.subset}"


def matrix_page(
    title: str, matrix: Matrix, pages: Sequence[str], failed: Sequence[str], further: Mapping[str, Matrix] | None = None
) -> str:
    """The matrix as a page.

    Args:
        title: of the page.
        matrix: the matrix to show.
        pages: of each column, the address of the page with its whole table; those of `LackingFigure` have none.
        failed: sentences about runs that aren't in it.
        further: title → tables below it, whose columns lead nowhere.
    """
    columns = list(zip_longest(matrix.columns, pages))
    below = further or {}
    tables = [("", columns, matrix.rows)]
    tables += [(name, list(zip_longest(one.columns, ())), one.rows) for name, one in below.items()]
    warnings = [*failed, *matrix.warnings, *(text for one in below.values() for text in one.warnings)]
    return environment().get_template("matrix.html.j2").render(title=title, tables=tables, warnings=warnings)


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


def save_report(path: Path, content: str | Iterable[str], form: str) -> None:
    """Write a report that a user names, with the sign by which it is known as Tolman's.

    Raises:
        UsageError: it would replace a document that Tolman didn't write.
    """
    check_report(path)
    save(path, signed(content, form))


def write_space_card(folder: Path, title: str) -> None:
    """Write the README.md that makes a folder of pages a static Space on the Hugging Face hub, if there is none.

    Source: Hugging Face hub, "Spaces Configuration Reference".
    """
    path = folder / "README.md"
    if not path.exists():
        front = f"---\ntitle: {title}\nsdk: static\napp_file: index.html\n---\n"
        write_text(path, f"{front}\n{title}, written by Tolman.\n")


def write_page(path: Path, folders: Sequence[Path], published: Published = "newest") -> Path:
    """Write the page of some runs, with published rows and every item.

    Raises:
        InputError: one of them is no run with scores.
    """

    runs = load_runs(folders)
    give_back(sum(run.figures["items"] for run in runs))
    save(path, pieces(build(runs, published), runs))
    return path
