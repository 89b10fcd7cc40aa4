"""Further metrics in a report: for each run and scorer a table of metrics by question type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tolman.scoring.metric import PERCENT

NONE = "–"
DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "zero": "0 is best"}


@dataclass(frozen=True)
class FurtherCell:
    """One figure as it is printed.

    Attributes:
        value: with its decimals; `NONE` where there is none.
        interval: 95 %; empty where there is none.
        count: items in it, with those that are left out of it or unread.
    """

    value: str
    interval: str
    count: str

    def __str__(self) -> str:
        return " ".join(part for part in (self.value, self.interval and f"({self.interval})", self.count) if part)


@dataclass(frozen=True)
class FurtherTable:
    """The further metrics of one run under one scorer.

    Attributes:
        run, rules: names of the run and the scorer.
        columns: question types, and the last for all questions.
        rows: heading of each metric → its cells by column; a column is missing where the metric is not for its items.
        notes: what the metrics are, and how their intervals were computed.
    """

    run: str
    rules: str
    columns: tuple[str, ...]
    rows: Mapping[str, Mapping[str, FurtherCell]]
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """What stands above it."""
        return f"Further metrics: {self.run}, {self.rules}"


def further_tables(run: str, figures: Mapping[str, Any]) -> list[FurtherTable]:
    """The further metrics of a run.

    Args:
        run: its name.
        figures: what scores.json holds.
    """
    return [_table(run, rules, metrics) for rules, metrics in figures.get("metrics", {}).items() if metrics]


def further_markdown(table: FurtherTable) -> str:
    """A Markdown table with a heading."""
    head = ["Metric", *(_plain(column) for column in table.columns)]
    lines = [f"**{_plain(table.title)}**", "", f"| {' | '.join(head)} |", "|---|" + "---:|" * len(table.columns)]
    for name, cells in table.rows.items():
        shown = [_small(cells[column]) if column in cells else "" for column in table.columns]
        lines.append(f"| {' | '.join([_plain(name), *shown])} |")
    return "\n".join([*lines, "", *(f"> {_plain(note)}" for note in table.notes)]) + "\n"


def _table(run: str, rules: str, metrics: Mapping[str, Any]) -> FurtherTable:
    columns = list(dict.fromkeys(task for metric in metrics.values() for task in list(metric["cells"])[:-1]))
    last = list(dict.fromkeys(list(metric["cells"])[-1] for metric in metrics.values()))
    methods = dict.fromkeys(
        cell["method"] for metric in metrics.values() for cell in metric["cells"].values() if cell.get("method")
    )
    notes = [f"{_heading(one)}: {one['source']}; {DIRECTIONS[one['direction']]}." for one in metrics.values()]
    notes += [f"Intervals: 95 %, {'; '.join(methods)}."] if methods else []
    return FurtherTable(
        run=run,
        rules=rules,
        columns=(*columns, *last),
        rows={
            _heading(metric): {task: _cell(metric, cell) for task, cell in metric["cells"].items()}
            for metric in metrics.values()
        },
        notes=tuple(notes),
    )


def _heading(metric: Mapping[str, Any]) -> str:
    unit = metric["unit"]
    return f"{metric['title']} [{unit}]" if unit and unit != PERCENT else str(metric["title"])


def _cell(metric: Mapping[str, Any], cell: Mapping[str, Any]) -> FurtherCell:
    digits = metric["digits"]
    interval = cell.get("interval")
    count = f"n {cell['n']:,}"
    count += f", {cell['left_out']:,} left out" if cell.get("left_out") else ""
    count += f", {cell['unread']:,} unread" if cell.get("unread") else ""
    return FurtherCell(
        value=NONE if cell["value"] is None else f"{cell['value']:.{digits}f}",
        interval=f"{interval['low']:.{digits}f}–{interval['high']:.{digits}f}" if interval else "",
        count=count,
    )


def _small(cell: FurtherCell) -> str:
    rest = "; ".join(part for part in (cell.interval, cell.count) if part)
    return f"{cell.value} <small>{rest}</small>"


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
