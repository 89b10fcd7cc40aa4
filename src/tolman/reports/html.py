"""A report as one self-contained HTML page: table, published rows, figure, and every item with its answers.

Texts of questions and responses reach the page as JSON in a script element that is not run, and are put into the
document as text, never as markup.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from tolman.reports.content import Report
from tolman.reports.figures import tasks_svg
from tolman.reports.loaded import LoadedRun
from tolman.reports.page_items import entries
from tolman.reports.ranking import LEGEND, emphasis
from tolman.reports.rows import ReportTable
from tolman.reports.text import SCENES, first_cells, heads, interval_shown, shown, values_shown
from tolman.reports.unread import BOUNDS_LABEL, SHARES_LABEL, bounds, described, needs_row, shares

if TYPE_CHECKING:
    from tolman.reports.thumbnails import Thumbnails

_ITEMS = "\x00items\x00"
"""Where the items stand in a page that is rendered without them."""


def page(report: Report, runs: Sequence[LoadedRun], small: Thumbnails | None = None) -> str:
    """The whole page."""
    return "".join(pieces(report, runs, small))


def pieces(report: Report, runs: Sequence[LoadedRun], small: Thumbnails | None = None) -> Iterator[str]:
    """The page piece by piece, as that of a hundred thousand items takes more memory than all else of its run.

    Args:
        report: of the runs.
        runs: one or more.
        small: pictures of the items; none where None.
    """
    environment = Environment(
        loader=PackageLoader("tolman.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pictures = embedded(small.pictures if small is not None else [])
    whole = environment.get_template("report.html.j2").render(
        report=report,
        table=_table(report.table),
        cuts=[(cut, _table(cut)) for cut in report.cuts],
        scenes_heading=SCENES,
        legend=LEGEND,
        shares_label=SHARES_LABEL,
        bounds_label=BOUNDS_LABEL,
        figure=tasks_svg(report),
        settings=[(run.name, run.record.model_dump_json(indent=2)) for run in runs],
        data=f'{{"runs":{embedded([run.name for run in runs])},"pictures":{pictures},"items":[{_ITEMS}]}}',
    )
    before, _, after = whole.partition(_ITEMS)
    yield before
    for number, entry in enumerate(entries(runs)):
        if small is not None and entry["id"] in small.of_item:
            entry["media"] = small.of_item[entry["id"]]
        yield f"{',' if number else ''}{embedded(entry)}"
    yield after


def _table(table: ReportTable) -> dict[str, Any]:
    """A table as the template takes it."""
    first = heads(table)
    rows = [
        {
            "first": first_cells(table, row),
            "rules": row.rules,
            "headline": row.headline and not table.has_ranks,
            "source": row.source,
            "cells": [
                (shown(row, c), interval_shown(row, c), described(row.unread.get(c.key)), emphasis(row, c))
                for c in table.columns
            ],
            "unread": [(shares(row.unread.get(c.key)), bounds(row.unread.get(c.key), c)) for c in table.columns]
            if needs_row(row.unread, table.columns)
            else [],
            "between": [*values_shown(row), row.rules, *[""] * (len(first) - 2 - len(row.values))],
        }
        for row in table.rows
    ]
    return {
        "heads": first,
        "texts": len(table.in_rows) + 2,
        "columns": [(c.title, c.group) for c in table.columns],
        "has_ranks": table.has_ranks,
        "rows": rows,
    }


def embedded(value: Any) -> str:
    """JSON that can stand inside a script element: no character of it can end the element or open a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
