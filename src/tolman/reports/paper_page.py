"""The index of a rebuilt paper: its tables and figures one after the other, and missing ones, as HTML and Markdown.

Names and texts come from files and models: in HTML they are text, never markup.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Protocol

from tolman.reports.report_content import emphasis
from tolman.reports.table_rows import ReportTable
from tolman.reports.text import environment, escape_markdown, interval_shown, label, shown
from tolman.text_tables import csv_text

_TAGS = {"best": "strong", "second": "u"}


@dataclass(frozen=True)
class MadeFile:
    """A table or figure that was made.

    Attributes:
        names: of its files, in the folder.
        html: the table as HTML; '' for a figure.
        picture: the file of a figure; '' for a table.
        about: the content of the figure.
        notes: sentences below it.
    """

    names: tuple[str, ...]
    html: str = ""
    picture: str = ""
    about: str = ""
    notes: tuple[str, ...] = ()


class Listed(Protocol):
    """A table or figure of a paper, as its declaration has it."""

    @property
    def name(self) -> str:
        """As the paper has it."""

    @property
    def title(self) -> str:
        """Return a description of its content."""

    @property
    def command(self) -> str:
        """Return the command that gives its input."""

    @property
    def instead(self) -> str:
        """Why it isn't made."""


Row = tuple[Listed, str, Sequence[MadeFile], Sequence[str], Sequence[str]]
"""A part, its state, what was made, sentences about it, and why steps are missing."""


def html_table(table: ReportTable) -> str:
    """A table of scores with its intervals; the best and second best set off."""
    heads = ["", *table.in_rows, "scorer", *(column.title for column in table.columns)]
    lines = []
    for row in table.rows:
        cells = [escape(label(row)), *(escape(value or "all") for value in row.values), escape(row.rules)]
        for column in table.columns:
            tag = _TAGS.get(emphasis(row, column))
            text, interval = escape(shown(row, column)), escape(interval_shown(row, column))
            text = f"<{tag}>{text}</{tag}>" if tag else text
            cells.append(text + (f"<small>{interval}</small>" if interval else ""))
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    body = "\n".join(lines)
    inside = f"{caption}<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody>"
    return _scrolling(inside)


def _scrolling(inside: str) -> str:
    """A table of numbers that a keyboard can scroll where the page is narrow."""
    return (
        '<div class="scroll" role="region" aria-label="table" tabindex="0">'
        f'<table class="numbers">{inside}</table></div>'
    )


def plain_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, str, str]:
    """A table of texts as HTML, Markdown and CSV."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    html = _scrolling(f"<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody>")
    lines = [f"| {' | '.join(heads)} |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    lines += [f"| {' | '.join(map(escape_markdown, row))} |" for row in rows]
    plain = csv_text([heads, *([cell.replace(",", "") for cell in row] for row in rows)])
    return html, "\n".join(lines) + "\n", plain


def index_markdown(title: str, rows: Sequence[Row], warnings: Sequence[str]) -> str:
    """The index as Markdown, with pictures and files by name."""
    lines = [f"# {title}", "", *(f"{sentence}\n" for sentence in warnings)]
    lines += ["| part | shows | state |", "|---|---|---|"]
    lines += [f"| {part.name} | {part.title} | {state} |" for part, state, *_ in rows]
    for part, state, files, said, missing in rows:
        lines += ["", f"## {part.name}: {part.title}", ""]
        for one in files:
            if one.picture:
                lines += [f"![{one.about}]({one.picture})", ""]
            lines += [", ".join(f"[{name}]({name})" for name in one.names), ""]
        lines += [text + "\n" for text in _said(part, state, files, said, missing)]
    return "\n".join(lines) + "\n"


def index_html(title: str, folder: Path, rows: Sequence[Row], warnings: Sequence[str]) -> str:
    """The index as one page that needs no other file: pictures are within it, and follow its reader's preference.

    Args:
        title: of the paper.
        folder: that the pictures are in.
        rows: of the index.
        warnings: sentences at the top.
    """
    content = [
        {
            "part": part,
            "state": state,
            "files": files,
            "pictures": {
                one.picture: base64.b64encode((folder / one.picture).read_bytes()).decode()
                for one in files
                if one.picture
            },
            "said": _said(part, state, files, said, missing),
        }
        for part, state, files, said, missing in rows
    ]
    return environment().get_template("paper.html.j2").render(title=title, rows=content, warnings=warnings)


def _said(
    part: Listed, state: str, files: Sequence[MadeFile], sentences: Sequence[str], missing: Sequence[str]
) -> list[str]:
    said = [*dict.fromkeys(note for one in files for note in one.notes), *sentences]
    said += [f"MISSING: {why}." for why in missing]
    if missing and part.command:
        said.append(f"It needs: {part.command}.")
    if state == "elsewhere":
        said.append(f"Not rebuilt: {part.instead}.")
    return said
