"""Reports in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table as RichTable
from rich.text import Text

from tolman.errors import counted
from tolman.features.printing import WIDTH, TextConsole, plain_table, say, write_json
from tolman.features.report.compute import SITE, ReportResult
from tolman.reports.further_metrics import FurtherCell, FurtherTable
from tolman.reports.report_content import Report, emphasis
from tolman.reports.table_rows import (
    BOUNDS_LABEL,
    DOUBT_SIGN,
    FEW_SIGN,
    MISSING_SIGN,
    SHARES_LABEL,
    UNREAD_SIGN,
    WITHOUT,
    ReportRow,
    ReportTable,
    count_shown,
    crossing_unread,
    is_reference,
    mark_sentence,
    needs_row,
    unread_bounds,
    unread_shares,
)
from tolman.reports.text import SCENES, interval_shown, label, shown, values_shown
from tolman.scoring.score_table import Column
from tolman.visible import visible

if TYPE_CHECKING:
    from tolman.features.report.explain import ExplainResult

BEST, SECOND = "▲", "△"
"""Before the best and the second best figure of a column, as text without colours has no bold."""
MOST_REMARKS = 3
"""Remarks below a table without `--notes`."""
_LONGEST_NAME = 24
"""Characters of a name that is broken into lines where the columns don't fit otherwise."""
_INTERVAL = ("95 %", "interval")
_URGENT = (
    "LEFT OUT", "INCOMPLETE", "MIXED", UNREAD_SIGN, "UNREAD", "CUT OFF", "FILTERED", "REFUSED", "REPETITION",
    "TOOL CALL", "UNFINISHED", DOUBT_SIGN,
)  # fmt: skip
"""How remarks begin that every reader must see, the most important first: one of each kind comes before a second."""
_SERIOUS = ("FRAMES", WITHOUT, "No interval", "PART", MISSING_SIGN, FEW_SIGN)
"""The last three come late, as the row's name and the legend say them too."""
_MINOR = ("[", "(", "Published: ", "Of ")
"""How remarks on published rows begin, which a legend of signs replaces."""
_SIGNS = {
    BEST: "best model",
    SECOND: "second best",
    UNREAD_SIGN: "over 5 % unread",
    DOUBT_SIGN: "own reading in doubt",
    MISSING_SIGN: "lacks a part",
    FEW_SIGN: "a part with few questions",
}
_DIFFERENCES = {
    "s": "questions", "p": "protocol", "f": "frames", "h": "prompt and parser", "m": "averaging", "r": "revision",
}  # fmt: skip


def print_report(console: Console, report: Report, *, notes: bool = False) -> None:
    """Print each row's headline and tasks, then the most important remarks.

    Args:
        console: where to.
        report: what to print.
        notes: whether to print the interval of each figure and every remark.
    """
    table = report.table
    if not notes:  # variants of a scorer, such as its expectation over random draws, are one of the notes
        table.rows = [row for row in table.rows if ", " not in row.rules]
    _print_table(console, table, f"{report.benchmark.title} · {report.subset}", full=notes)
    remarks = [*report.warnings, *_unread(table), *report.marks, *report.notes]
    left_out = _print_remarks(console, table, remarks, notes=notes)
    for further in report.further:
        _print_further(console, further)
    for cut in report.cuts:
        console.print()
        _print_table(console, cut, cut.title, full=True)
        left_out += _print_remarks(console, cut, [*cut.marks, *cut.notes], notes=notes)
    if not notes:
        urgent = dict.fromkeys(kind for kind, *_ in map(_kind, left_out) if kind in (*_URGENT, "No interval"))
        named = f" ({', '.join(urgent)})" if urgent else ""
        more = f"{counted(len(left_out), 'more remark')}{named} and " if left_out else ""
        say(console, f"--notes prints {more}the interval of each figure.", "dim")


def _print_further(console: Console, table: FurtherTable) -> None:
    grid = RichTable(title=escape(table.title), title_justify="left", title_style="bold", box=None, pad_edge=False)
    grid.add_column("", no_wrap=True)
    for heading in table.headings:
        grid.add_column(escape(heading), justify="right", no_wrap=True)
    for name, cells in table.rows.items():
        grid.add_row(Text(name), *(_further_cell(cells.get(column)) for column in table.columns))
    print_wide(console, grid)
    for note in table.notes:
        console.print(f"[dim]{escape(note)}[/]", soft_wrap=True)


def _further_cell(cell: FurtherCell | None) -> Group | str:
    if cell is None:
        return ""
    lines = [text for text in (cell.interval_shown, cell.count) if text]
    return Group(Text(cell.shown), *(Text(text, style="dim") for text in lines))


def _unread(table: ReportTable) -> list[str]:
    """Return a sentence for each row to quote of which some can't be read, but too little for a mark."""
    return [
        "UNREAD: " + mark_sentence(row.name, row.rules, found, column, has_judge=False).removeprefix(f"{UNREAD_SIGN} ")
        for row in table.rows
        for column in table.columns
        if row.headline and column.key == table.headline and not row.marked
        if (found := crossing_unread(row.unread, column)) is not None
    ]


def _kind(text: str) -> tuple[str, int]:
    """How a remark begins, and the place of its kind by importance."""
    for place, kind in enumerate((*_URGENT, *_SERIOUS)):
        if text.startswith(kind):
            return kind, place
    return "", 1000 if text.startswith(_MINOR) else 100


def _print_remarks(console: Console, table: ReportTable, texts: Iterable[str], *, notes: bool) -> list[str]:
    """Print the most important remarks, or all of them, and the meaning of the table's other signs.

    Returns:
        Those that were not printed.
    """
    seen: Counter[str] = Counter()
    places = []
    for text in texts:
        kind, place = _kind(text)
        level = seen[kind] if kind in (*_URGENT, *_SERIOUS) else len(_SERIOUS)
        places.append((kind not in _URGENT, level, place, text))
        seen[kind] += 1
    ordered = [text for *_, text in sorted(places, key=lambda one: one[:3])]
    most = len(ordered) if notes else MOST_REMARKS
    legend = _legend(table, ordered[:most])
    if legend:
        say(console, legend, "dim")
    for text in ordered[:most]:
        kind, _ = _kind(text)
        say(console, text, "red" if kind in _URGENT[:3] else "yellow" if kind in _URGENT else "dim")
    return ordered[most:]


def _sections(rows: Sequence[ReportRow]) -> list[tuple[str, list[ReportRow]]]:
    """Return the rows of runs, of published models, and of references; runs come first even if all are baselines."""
    runs = [row for row in rows if row.rules != "published"]
    models = [row for row in runs if not is_reference(row)] or runs
    published = [row for row in rows if row.rules == "published" and not is_reference(row)]
    others = [row for row in rows if is_reference(row) and row not in models]
    sections = [("", models), ("Published", published), ("References", others)]
    return [(name, own) for name, own in sections if own]


def _print_table(console: Console, table: ReportTable, title: str, *, full: bool) -> None:
    """Print a table within the terminal's width, in blocks where it is wider, and a legend of its signs.

    Args:
        console: where to.
        table: what to print.
        title: its heading.
        full: whether each figure has its interval and each row its effective number of scenes.
    """
    say(console, title, "bold")
    if not table.columns:
        return
    known = {key for row in table.rows if row.rules != "published" for key in row.figures}
    shown_columns = [column for column in table.columns if full or column.key in known | {table.headline}]
    ordered = sorted(shown_columns, key=lambda column: column.key != table.headline)
    width = console.width if console.is_terminal else WIDTH
    first = [*table.in_rows, "scorer", *([SCENES.lower()] if full else [])]
    cells = [first, *(_first(table, row, full=full) for row in table.rows)]
    taken = sum(max(len(own[place]) for own in cells) + 1 for place in range(len(first)))
    widths = [_width(table, column, full=full) for column in ordered]
    below = full and any(needs_row(row.unread, table.columns) for row in table.rows)
    least = max(map(len, (SHARES_LABEL, BOUNDS_LABEL))) + 2 if below else _LONGEST_NAME
    name = max(len(label(row)) for row in table.rows)
    name = max(least, min(name, width - taken - sum(widths))) if below or name > least else name
    for block in _blocks(ordered, widths, width - name - taken):
        _print_block(console, table, block, name, full=full)


def _blocks(columns: Sequence[Column], widths: Sequence[int], room: int) -> Iterator[list[Column]]:
    block: list[Column] = []
    left = room
    for column, width in zip(columns, widths, strict=True):
        if block and width > left:
            yield block
            block, left = [], room
        block.append(column)
        left -= width
    yield block


def _width(table: ReportTable, column: Column, *, full: bool) -> int:
    """Characters that a column needs, with the space before it, and the headline with its interval."""
    is_headline = column.key == table.headline
    lines = [line.plain for row in table.rows for line in _lines(row, column, full=full and not is_headline)]
    if full:
        found = [crossing_unread(row.unread, column) for row in table.rows]
        lines += [text for one in found for text in (unread_shares(one), unread_bounds(one, column))]
    intervals = [interval_shown(row, column) for row in table.rows]
    interval = max(map(len, [*_INTERVAL, *intervals])) + 1 if is_headline and any(intervals) else 0
    return max(map(len, [*_title_lines(column), *lines])) + 1 + interval


def _title_lines(column: Column) -> list[str]:
    """A column's title with a word on each line; a number keeps its per cent sign."""
    lines = wrap(column.title.replace(" %", "\N{NO-BREAK SPACE}%"), 1, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def _first(table: ReportTable, row: ReportRow, *, full: bool) -> list[str]:
    rules = "" if row.rules == "published" else row.rules
    return [*values_shown(row), rules, *([table.scenes(row)] if full else [])]


def _print_block(console: Console, table: ReportTable, columns: Sequence[Column], name: int, *, full: bool) -> None:
    is_first = columns[0].key == table.headline
    with_interval = is_first and any(interval_shown(row, columns[0]) for row in table.rows)
    grid = RichTable(box=None, pad_edge=False, padding=(0, 0, 0, 1))
    titles = [_title_lines(column) for column in columns]
    if with_interval:
        titles.insert(1, [*_INTERVAL])
    height = max(map(len, titles))
    grid.add_column("", max_width=name, overflow="fold")
    for heading in (*table.in_rows, "scorer"):
        grid.add_column(Text("\n" * (height - 1) + heading), no_wrap=True)
    if full:
        grid.add_column(Text("\n" * (height - 1) + SCENES.lower()), justify="right", no_wrap=True)
    for lines in titles:
        grid.add_column(Text("\n".join([*[""] * (height - len(lines)), *lines])), justify="right", no_wrap=True)
    for section, rows in _sections(table.rows):
        if section:
            grid.add_row(Text(f"\n{section}", style="dim"))
        for row in rows:
            cells = [Group(*_lines(row, c, full=full and c.key != table.headline)) for c in columns]
            if with_interval:
                cells.insert(1, Group(Text(interval_shown(row, columns[0]), style="dim")))
            grid.add_row(Text(label(row)), *map(Text, _first(table, row, full=full)), *cells)
            if full and needs_row(row.unread, columns):
                grid.add_row(*_unread_row(table, row, columns, with_interval=with_interval))
    print_wide(console, grid)


def _unread_row(
    table: ReportTable, row: ReportRow, columns: Sequence[Column], *, with_interval: bool
) -> list[Group | Text]:
    """Return the shares of unread responses and the bounds of each figure, below a row."""
    found = [(crossing_unread(row.unread, column), column) for column in columns]
    below: list[Group | Text] = [
        Group(unread_shares(one), Text(unread_bounds(one, c), style="dim")) if one else Text() for one, c in found
    ]
    if with_interval:
        below.insert(1, Text())
    labels = Group(f"  {SHARES_LABEL}", Text(f"  {BOUNDS_LABEL}", style="dim"))
    return [labels, *map(Text, [*values_shown(row), row.rules, ""]), *below]


def _lines(row: ReportRow, column: Column, *, full: bool) -> list[Text]:
    """Return the lines of a figure: its value, and its interval or the few questions that it rests on."""
    sign = {"best": BEST, "second": SECOND, "": ""}[emphasis(row, column)]
    figure = row.figures.get(column.key)
    below = interval_shown(row, column) if full else "" if figure is None else count_shown(figure).strip(" ()")
    value = Text(f"{sign}{shown(row, column, count=full)}", style="bold" if sign == BEST else "")
    return [value, *([Text(below, style="dim")] if below else [])]


def _legend(table: ReportTable, remarks: Sequence[str]) -> str:
    """Return the meaning of the signs in a table that no remark begins with, in one line."""
    figures = " ".join(line.plain for row in table.rows for c in table.columns for line in _lines(row, c, full=False))
    differs = {sign for row in table.rows for sign in row.differs}
    found = [f"{sign} {meaning}" for sign, meaning in _SIGNS.items() if sign in figures]
    found += [
        f"[{sign}{mark}] {'other' if not mark else 'not stated:'} {meaning}"
        for sign, meaning in _DIFFERENCES.items()
        for mark in ("", "?")
        if sign + mark in differs
    ]
    unsaid = [text for text in found if not any(one.startswith(text.split()[0]) for one in remarks)]
    return f"Signs: {' · '.join(unsaid)}" if unsaid else ""


def print_wide(console: Console, grid: RichTable) -> None:
    """Print a table at its own width: in a log or a narrow window a line that runs on beats a broken figure."""
    wide = TextConsole(
        file=console.file, width=max(console.width, 400), force_terminal=console.is_terminal, no_color=console.no_color
    )
    wide.print(grid)


def show_report(console: Console, result: ReportResult, *, notes: bool = False) -> None:
    """Print a report in its form, or where it was written and which runs are not in it."""
    if result.format == "terminal":
        print_report(console, result.report, notes=notes)
    elif result.format == SITE:
        for sentence in (*result.left_out, *result.remarks):
            say(console, sentence, "yellow")
        page = f"{result.out}/index.html"
        say(console, f"Written: {page}; open it, or tolman view {result.out}")
    elif result.out is None:
        text = result.render(result.format)
        console.file.write(visible(text) if console.is_terminal else text)
    else:
        for sentence in result.report.warnings[: len(result.left_out)]:
            say(console, sentence, "bold red")
        say(console, f"Written: {result.out}")


def show_explanation(console: Console, result: ExplainResult, *, as_json: bool) -> None:
    """Print where the points go, by question type, and where the page is."""
    content = result.explanation
    if as_json:
        write_json(console, result.to_dict(), ascii_only=False)
        return
    title, value, interval = content.headline
    say(console, f"{content.model}: {title} {value} ({interval})", "bold")
    say(console, content.sentence)
    headings, *rows = content.table()
    grid = plain_table(headings, left=headings[:1])
    for row in rows:
        grid.add_row(*map(escape, row))
    print_wide(console, grid)
    for text in content.remarks:
        say(console, text, "dim")
    say(console, f"Written: {result.page}")
