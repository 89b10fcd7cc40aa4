"""A report as Markdown, CSV, LaTeX and JSON."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict

from tolman.reports.content import Report, ReportRow
from tolman.reports.further_metrics import FurtherTable, further_json, further_markdown
from tolman.reports.missing import SIGN as MISSING_SIGN
from tolman.reports.unread import BOUNDS_LABEL, SHARES_LABEL, SIGN, bounds, crossing, needs_row, shares
from tolman.scoring.table import Column

SCENES = "Eff. scenes"
"""Heading of the effective number of scenes of the headline figure."""

_CSV_COLUMNS = (
    "model", "rules", "group", "source", "column", "value", "low", "high", "n", "incomplete",
    "effective_scenes", "method", "reason", "unread_none", "unread_cut_off", "all_wrong", "all_at_chance",
    "missing", "attainable",
)  # fmt: skip


def shown(row: ReportRow, column: Column) -> str:
    """A figure as it is printed, with the signs of a marked one; '–' where there is none."""
    figure = row.figures.get(column.key)
    if figure is None:
        return "–"
    if row.rules == "published":
        return str(figure.value)  # as many decimals as the paper prints
    sign = (SIGN if column.key == row.marked else "") + (MISSING_SIGN if figure.missing else "")
    return f"{figure.value:.{column.digits}f}{sign}"


def interval_shown(row: ReportRow, column: Column) -> str:
    """Its interval as it is printed; empty where there is none."""
    figure = row.figures.get(column.key)
    if figure is None or figure.interval is None:
        return ""
    digits = min(column.digits, 1)
    return f"{figure.interval.low:.{digits}f}–{figure.interval.high:.{digits}f}"


def label(row: ReportRow) -> str:
    """The row's name, marked where it is incomplete."""
    return f"{row.name} [incomplete]" if row.incomplete else row.name


def markdown(report: Report) -> str:
    """A Markdown table with the interval behind each figure of the runs."""
    head = ["Model", "Rules", SCENES, *(_escape_markdown(c.title) for c in report.columns)]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * 2}{'---:|' * (1 + len(report.columns))}"]
    for row in report.rows:
        cells = []
        for column in report.columns:
            text, interval = shown(row, column), interval_shown(row, column)
            text = f"**{text}**" if row.headline else text
            cells.append(f"{text} <small>{interval}</small>" if interval else text)
        first = (_escape_markdown(label(row)), _escape_markdown(row.rules), report.scenes(row))
        lines.append(f"| {' | '.join([*first, *cells])} |")
        if needs_row(row.unread, report.columns):
            found = [(crossing(row.unread, column), column) for column in report.columns]
            cells = [f"{shares(one)} <small>{bounds(one, column)}</small>" if one else "" for one, column in found]
            name = f"{SHARES_LABEL} <small>{BOUNDS_LABEL}</small>"
            lines.append(f"| {name} | {_escape_markdown(row.rules)} |  | {' | '.join(cells)} |")
    remarks = [f"> {_escape_markdown(text)}" for text in (*report.marks, *report.warnings, *report.notes)]
    further = [f"\n{further_markdown(table)}" for table in report.further]
    return "\n".join([*lines, "", *remarks]) + "\n" + "".join(further)


def comma_separated(report: Report) -> str:
    """CSV, one line for each row and column, then one for each further metric and question type."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    for row in report.rows:
        for column in report.columns:
            figure = row.figures.get(column.key)
            if figure is None:
                continue
            low, high = (figure.interval.low, figure.interval.high) if figure.interval else ("", "")
            n = "" if figure.n is None else figure.n
            one = row.unread.get(column.key)
            writer.writerow(
                [
                    _safe(row.name),
                    row.rules,
                    row.group,
                    row.source,
                    column.key,
                    figure.value,
                    low,
                    high,
                    n,
                    row.incomplete,
                    "" if figure.effective_scenes is None else figure.effective_scenes,
                    figure.method or "",
                    figure.reason or "",
                    *((one.none, one.cut_off, one.low, one.high) if one else ("", "", "", "")),
                    "; ".join(figure.missing),
                    figure.attainable if row.rules != "published" else "",
                ]
            )
    for table in report.further:
        for heading, cells in table.rows.items():
            for task, cell in cells.items():
                if cell.value is None:
                    continue
                low, high = (cell.interval.low, cell.interval.high) if cell.interval else ("", "")
                key = f"{table.metrics[heading]}: {task}"
                head = [_safe(table.run), table.rules, "further metrics", "", key, cell.value, low, high, cell.n, ""]
                scenes = "" if cell.effective_scenes is None else cell.effective_scenes
                tail = [scenes, cell.method, cell.reason]
                writer.writerow([*head, *tail, *[""] * (len(_CSV_COLUMNS) - len(head) - len(tail))])
    return out.getvalue()


def latex(report: Report) -> str:
    """A booktabs table in the paper's column order."""
    lines = [
        *(f"% {text}" for text in (*report.warnings, *report.notes)),
        rf"\begin{{tabular}}{{ll{'r' * len(report.columns)}}}",
        r"\toprule",
        " & ".join(["Model", "Rules", *(_escape_latex(c.title) for c in report.columns)]) + r" \\",
        r"\midrule",
    ]
    for row in report.rows:
        cells = [_escape_latex(shown(row, c)) for c in report.columns]
        cells = [rf"\textbf{{{cell}}}" for cell in cells] if row.headline else cells
        lines.append(" & ".join([_escape_latex(label(row)), _escape_latex(row.rules), *cells]) + r" \\")
        if needs_row(row.unread, report.columns):
            found = [(crossing(row.unread, c), c) for c in report.columns]
            for name, texts in (
                (SHARES_LABEL, [shares(one) for one, _ in found]),
                (BOUNDS_LABEL, [bounds(one, c) for one, c in found]),
            ):
                cells = [rf"\quad {_escape_latex(name)}", _escape_latex(row.rules), *map(_escape_latex, texts)]
                lines.append(" & ".join(cells) + r" \\")
    below = [rf"\par{{\footnotesize {_escape_latex(text)}\par}}" for text in report.marks]
    further = [line for table in report.further for line in _further_latex(table)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", *below, *further]) + "\n"


def _further_latex(table: FurtherTable) -> list[str]:
    """Further metrics as a table below, its title and notes in footnote size."""
    lines = [
        rf"\par{{\footnotesize {_escape_latex(table.title)}\par}}",
        rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(["", *map(_escape_latex, table.headings)]) + r" \\",
        r"\midrule",
    ]
    for name, cells in table.rows.items():
        shown = [cells[column].shown if column in cells else "" for column in table.columns]
        lines.append(" & ".join(map(_escape_latex, [name, *shown])) + r" \\")
    notes = [rf"\par{{\footnotesize {_escape_latex(note)}\par}}" for note in table.notes]
    return [*lines, r"\bottomrule", r"\end{tabular}", *notes]


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
        "rows": [
            {
                "name": row.name,
                "rules": row.rules,
                "group": row.group,
                "source": row.source,
                "headline": row.headline,
                "incomplete": row.incomplete,
                "marked": bool(row.marked),
                "figures": {
                    key: {
                        "value": figure.value,
                        "low": figure.interval.low if figure.interval else None,
                        "high": figure.interval.high if figure.interval else None,
                        "n": figure.n,
                        "effective_scenes": figure.effective_scenes,
                        "method": figure.method,
                        "reason": figure.reason,
                        "missing": list(figure.missing),
                        "attainable": figure.attainable,
                        "unread": asdict(row.unread[key]) if key in row.unread else None,
                    }
                    for key, figure in row.figures.items()
                },
            }
            for row in report.rows
        ],
        "further": [further_json(table) for table in report.further],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _escape_markdown(text: str) -> str:
    for character in "\\`*_[]<>|":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", " ")


def _escape_latex(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"}
    special |= {"†": r"\dag{}", "‡": r"\ddag{}"}
    return "".join(special.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text.replace("\n", " "))


def _safe(text: str) -> str:
    """A name that a spreadsheet doesn't take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
