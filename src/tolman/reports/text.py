"""A report as Markdown, CSV, LaTeX and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tolman.errors import counted
from tolman.extras import LazyModule
from tolman.files import WRITTEN_BY
from tolman.reports.further_metrics import FurtherTable, further_json, further_markdown
from tolman.reports.report_content import LEGEND, Report, emphasis
from tolman.reports.table_rows import (
    BOUNDS_LABEL,
    DOUBT_SIGN,
    FEW_SIGN as FEW_SIGN,
    MISSING_SIGN as MISSING_SIGN,
    SHARES_LABEL,
    UNREAD_SIGN,
    Figure,
    ReportRow,
    ReportTable,
    count_shown,
    crossing_unread,
    needs_row,
    unread_bounds,
    unread_shares,
)
from tolman.scoring.further_figures import Unread
from tolman.scoring.score_table import Column
from tolman.text_tables import csv_text
from tolman.visible import printable, visible

if TYPE_CHECKING:
    import jinja2
    import markupsafe
else:
    jinja2, markupsafe = LazyModule("jinja2"), LazyModule("markupsafe")


def environment() -> jinja2.Environment:
    """The environment of a page's template."""
    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader("tolman.reports"), jinja2.PackageLoader("tolman.reports", "site/static")]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    made.filters["counted"] = counted
    return made


def _shown(value: Any) -> Any:
    if isinstance(value, markupsafe.Markup):
        return markupsafe.Markup(visible(value))
    return visible(value) if isinstance(value, str) else value


ALL = "all"
"""A row of all values of a label together."""
RANK = "Rank"
SCENES = "Eff. scenes"
"""Heading of the effective number of scenes of the headline figure."""

_CSV_COLUMNS = (
    "model", "rules", "group", "source", "column", "value", "low", "high", "n", "incomplete",
    "effective_scenes", "method", "reason", "unread_none", "unread_cut_off", "all_wrong", "all_at_chance",
    "missing", "attainable", "date", "differs", "rank", "unanswered", "table", "labels",
    "part", "models", "small_parts",
)  # fmt: skip


def shown(row: ReportRow, column: Column, *, count: bool = True) -> str:
    """A figure as it is printed, with the signs of a marked one; '–' where there is none.

    Args:
        row, column: of the figure.
        count: whether the number of questions follows where there are few.
    """
    figure = row.figures.get(column.key)
    if figure is None:
        return f"–{UNREAD_SIGN}" if column.key == row.marked else "–"
    if row.rules == "published":
        return str(figure.value)  # as many decimals as the paper prints
    return f"{figure.value:.{column.digits}f}{signs_of(row, column)}{count_shown(figure) if count else ''}"


def signs_of(row: ReportRow, column: Column) -> str:
    """The signs of a run's figure, such as '†‡'."""
    figure = row.figures[column.key]
    signs = (
        (UNREAD_SIGN, column.key == row.marked),
        (DOUBT_SIGN, column.key == row.doubted),
        (MISSING_SIGN, figure.missing),
        (FEW_SIGN, figure.small),
    )
    return "".join(sign for sign, is_so in signs if is_so)


def interval_shown(row: ReportRow, column: Column) -> str:
    """Its interval as it is printed; empty where there is none."""
    figure = row.figures.get(column.key)
    if figure is None or figure.interval is None:
        return ""
    digits = min(column.digits, 1)
    return f"{figure.interval.low:.{digits}f}–{figure.interval.high:.{digits}f}"


def label(row: ReportRow) -> str:
    """The row's name with its signs in brackets."""
    joint = " " if row.differs else "; "
    return f"{row.name} [{joint.join(row.signs)}]" if row.signs else row.name


def values_shown(row: ReportRow) -> list[str]:
    """Return the values of labels in a row, as they are printed."""
    return [ALL if value is None else printable(value) for value in row.values]


def heads(table: ReportTable) -> list[str]:
    """The headings of a table's first columns."""
    return ["Model", *table.in_rows, "Scorer", *([RANK] if table.has_ranks else []), SCENES]


def first_cells(table: ReportTable, row: ReportRow) -> list[str]:
    """Return a row's cells below them."""
    rank = [table.rank(row)] if table.has_ranks else []
    return [label(row), *values_shown(row), row.rules, *rank, table.scenes(row)]


def markdown(report: Report) -> str:
    """Markdown tables with the interval behind each figure of the runs."""
    parts = ["\n".join([*_markdown_table(report.table), "", *_remarks(report.marks, report.warnings, report.notes)])]
    parts += [further_markdown(table) for table in report.further]
    for table in report.cuts:
        lines = [f"### {escape_markdown(table.title)}", "", *_markdown_table(table)]
        parts.append("\n".join([*lines, "", *_remarks(table.marks, table.notes)]))
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def _markdown_table(table: ReportTable) -> list[str]:
    if not table.columns:
        return []
    first = heads(table)
    head = [*map(escape_markdown, first), *(escape_markdown(c.title) for c in table.columns)]
    texts = len(table.in_rows) + 2
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * texts}{'---:|' * (len(head) - texts)}"]
    for row in table.rows:
        cells = []
        for column in table.columns:
            text, interval = shown(row, column), interval_shown(row, column)
            text = {"best": f"**{text}**", "second": f"<u>{text}</u>", "": text}[emphasis(row, column)]
            cells.append(f"{text} <small>{interval}</small>" if interval else text)
        lines.append(f"| {' | '.join([*map(escape_markdown, first_cells(table, row)), *cells])} |")
        if needs_row(row.unread, table.columns):
            found = [(crossing_unread(row.unread, column), column) for column in table.columns]
            cells = [
                f"{unread_shares(one)} <small>{unread_bounds(one, column)}</small>" if one else ""
                for one, column in found
            ]
            name = f"{SHARES_LABEL} <small>{BOUNDS_LABEL}</small>"
            own = [*values_shown(row), row.rules, *[""] * (len(first) - texts)]
            lines.append(f"| {' | '.join([name, *map(escape_markdown, own), *cells])} |")
    return [*lines, *(["", f"**Bold** and <u>underlined</u>: {LEGEND}."] if table.has_ranks else [])]


def _remarks(*texts: Iterable[str]) -> list[str]:
    return [f"> {escape_markdown(text)}" for some in texts for text in some]


def comma_separated(report: Report) -> str:
    """CSV, one line for each row and column of each table, then one for each further metric and question type."""
    lines: list[Sequence[object]] = [_CSV_COLUMNS]
    for table in [report.table, *report.cuts]:
        for row in table.rows:
            for column in table.columns:
                if column.key in row.figures:
                    lines.append(_csv_line(table, row, column))
    for further in report.further:
        for heading, cells in further.rows.items():
            for task, cell in cells.items():
                if cell.value is None:
                    continue
                low, high = (cell.interval.low, cell.interval.high) if cell.interval else ("", "")
                key = f"{further.metrics[heading]}: {task}"
                head = [further.run, further.rules, "further metrics", "", key, cell.value, low, high, cell.n, ""]
                scenes = "" if cell.effective_scenes is None else cell.effective_scenes
                tail = [scenes, cell.method, cell.reason]
                lines.append([*head, *tail, *[""] * (len(_CSV_COLUMNS) - len(head) - len(tail))])
    return csv_text(lines)


def _csv_line(table: ReportTable, row: ReportRow, column: Column) -> list[object]:
    figure, one = row.figures[column.key], row.unread.get(column.key)
    low, high = (figure.interval.low, figure.interval.high) if figure.interval else ("", "")
    labels = "; ".join(f"{name}={'*' if value is None else value}" for name, value in table.labels(row, column).items())
    return [
        row.name,
        row.rules,
        row.group,
        row.source,
        table.figure_key(column),
        figure.value,
        low,
        high,
        "" if figure.n is None else figure.n,
        row.incomplete,
        "" if figure.effective_scenes is None else figure.effective_scenes,
        figure.method or "",
        figure.reason or "",
        *((one.none, one.cut_off, one.low, one.high) if one else ("", "", "", "")),
        "; ".join(figure.missing),
        figure.attainable if row.rules != "published" else "",
        row.date,
        " ".join(row.differs),
        figure.rank or "",
        figure.unanswered if row.rules != "published" else "",
        table.title,
        labels,
        row.part,
        row.models or "",
        "; ".join(f"{part.title} {part.n}" for part in figure.small),
    ]


def latex(report: Report) -> str:
    """Booktabs tables in the paper's column order."""
    lines = [f"% {' '.join(visible(text).splitlines())}" for text in report.notes]
    lines += [*_latex_table(report.table), *map(_footnote, (*report.warnings, *report.marks))]
    lines += [line for table in report.further for line in _further_latex(table)]
    for table in report.cuts:
        lines += [_footnote(table.title), *_latex_table(table), *map(_footnote, (*table.marks, *table.notes))]
    return "\n".join(lines) + "\n"


def _latex_table(table: ReportTable) -> list[str]:
    if not table.columns:
        return []
    ranks = [RANK] if table.has_ranks else []
    head = ["Model", *table.in_rows, "Rules", *ranks, *(c.title for c in table.columns)]
    rows = []
    for row in table.rows:
        cells = [_latex_figure(row, c) for c in table.columns]
        first = [label(row), *values_shown(row), row.rules, *([table.rank(row)] if ranks else [])]
        rows.append([*map(_escape_latex, first), *cells])
        if needs_row(row.unread, table.columns):
            found = [(crossing_unread(row.unread, c), c) for c in table.columns]
            for name, texts_below in (
                (SHARES_LABEL, [unread_shares(one) for one, _ in found]),
                (BOUNDS_LABEL, [unread_bounds(one, c) for one, c in found]),
            ):
                own = [*values_shown(row), row.rules, *([""] if ranks else []), *texts_below]
                rows.append([rf"\quad {_escape_latex(name)}", *map(_escape_latex, own)])
    legend = [_footnote(f"Bold and underlined: {LEGEND}.")] if table.has_ranks else []
    return [*_tabular(head, len(table.in_rows) + 2, rows), *legend]


def _tabular(head: Sequence[str], texts: int, rows: Iterable[Sequence[str]]) -> list[str]:
    """A Booktabs table of cells in LaTeX, whose first columns are texts and the others figures."""
    return [
        rf"\begin{{tabular}}{{{'l' * texts}{'r' * (len(head) - texts)}}}",
        r"\toprule",
        " & ".join(map(_escape_latex, head)) + r" \\",
        r"\midrule",
        *(" & ".join(cells) + r" \\" for cells in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _latex_figure(row: ReportRow, column: Column) -> str:
    text = _escape_latex(shown(row, column))
    interval = interval_shown(row, column)
    text = {"best": rf"\textbf{{{text}}}", "second": rf"\underline{{{text}}}", "": text}[emphasis(row, column)]
    return rf"{text} {{\scriptsize {_escape_latex(interval)}}}" if interval else text


def _footnote(text: str) -> str:
    return rf"\par{{\footnotesize {_escape_latex(text)}\par}}"


def _further_latex(table: FurtherTable) -> list[str]:
    """Further metrics as a table below, its title and notes in footnote size."""
    rows = [
        [_escape_latex(name), *(_escape_latex(cells[c].shown) if c in cells else "" for c in table.columns)]
        for name, cells in table.rows.items()
    ]
    return [_footnote(table.title), *_tabular(["", *table.headings], 1, rows), *map(_footnote, table.notes)]


def as_json(report: Report) -> str:
    """JSON with unrounded figures."""
    content = {
        "benchmark": report.benchmark.name,
        "credits": report.benchmark.credits,
        "subset": report.subset,
        "headline": report.benchmark.table.headline,
        "warnings": report.warnings,
        "marks": report.marks,
        "notes": report.notes,
        "judge_samples": report.judge_samples,
        "frames_shown": report.frames_shown,
        "endings": report.endings,
        "columns": [{"key": c.key, "title": c.title, "group": c.group} for c in report.columns],
        "rows": [_row_json(row) for row in report.rows],
        "further": [further_json(table) for table in report.further],
        "cuts": [_cut_json(table) for table in report.cuts],
        **WRITTEN_BY,
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


_ROW_FIELDS = (
    "name", "rules", "group", "source", "date", "differs", "headline", "incomplete", "part", "models", "marked",
    "agreement", "doubted",
)  # fmt: skip


def _row_json(row: ReportRow) -> dict[str, Any]:
    told = {name: getattr(row, name) for name in _ROW_FIELDS}
    figures = {key: _figure_json(figure, row.unread.get(key)) for key, figure in row.figures.items()}
    return told | {"marked": bool(row.marked), "doubted": bool(row.doubted), "figures": figures}


def _figure_json(figure: Figure, unread: Unread | None) -> dict[str, Any]:
    told = asdict(figure)
    interval = told.pop("interval") or {"low": None, "high": None}
    del told["competitors"]
    return {"value": told.pop("value"), **interval, **told, "unread": None if unread is None else asdict(unread)}


def _cut_json(table: ReportTable) -> dict[str, Any]:
    """A table by labels: its columns are values of the last label where `figure` is the one figure of them all."""
    return {
        "title": table.title,
        "by": list(table.by),
        "figure": table.figure or None,
        "taxonomy": table.benchmark or None,
        "headline": table.headline,
        "columns": [
            {"key": c.key, "title": c.title, "group": c.group}
            | ({"value": table.column_values[c.key]} if table.across else {})
            for c in table.columns
        ],
        "rows": [{"values": dict(zip(table.in_rows, row.values, strict=True)), **_row_json(row)} for row in table.rows],
        "marks": table.marks,
        "notes": table.notes,
    }


def escape_markdown(text: str) -> str:
    text = visible(text)
    for character in "\\`*_[]<>|":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", " ")


def _escape_latex(text: str) -> str:
    special = {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
        "×": r"$\times$",
    }
    special |= {"†": r"\dag{}", "‡": r"\ddag{}", "§": r"\S{}", "¶": r"\P{}"}
    return "".join(special.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in visible(text).replace("\n", " "))
