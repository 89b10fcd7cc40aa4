"""Further metrics in a report: for each run and scorer a table of metrics by question type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tolman.extras import pl
from tolman.reports.loaded_runs import LoadedRun
from tolman.reports.table_rows import Lacking, interval_sentences
from tolman.scoring.further_figures import LeftOutAnswers, left_out_by_task
from tolman.scoring.intervals import Interval
from tolman.scoring.metrics import PERCENT
from tolman.scoring.score_table import Table

NONE = "–"
DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "zero": "0 is best"}
LEFT_OUT = (
    "n: the answers in a figure. Left out of it: answers that could not be read (unread), and answers that the metric "
    "has no value for, such as those to a true value of 0 (no value)."
)
"""Below a table with answers that are left out of a figure."""


@dataclass(frozen=True)
class FurtherCell:
    """One figure.

    Attributes:
        value: on the 0–100 scale or in the metric's unit; None where there is none.
        interval: 95 %, or None.
        digits: decimals printed.
        n: answers in it.
        unread: answers of them that could not be read, and that the metric gives a value all the same.
        left_out: answers that are not in it, by reason.
        effective_scenes: Kish's effective number of scenes.
        method, reason: how the interval was computed, or why there is none.
    """

    value: float | None
    interval: Interval | None
    digits: int
    n: int
    unread: int
    left_out: LeftOutAnswers
    effective_scenes: float | None = None
    method: str = ""
    reason: str = ""

    @property
    def shown(self) -> str:
        """The value as it is printed; `NONE` where there is none."""
        return NONE if self.value is None else f"{self.value:.{self.digits}f}"

    @property
    def interval_shown(self) -> str:
        """The interval as it is printed; empty where there is none."""
        return f"{self.interval.low:.{self.digits}f}–{self.interval.high:.{self.digits}f}" if self.interval else ""

    @property
    def count(self) -> str:
        """How many answers are in it, and how many are left out and why."""
        of_them = f", {self.unread:,} of them unread" if self.unread else ""
        return f"n {self.n:,}{of_them}" + (f"; left out: {self.left_out}" if self.left_out.total else "")


@dataclass(frozen=True)
class FurtherTable:
    """The further metrics of one run under one scorer.

    Attributes:
        run, rules: names of the run and the scorer.
        columns: question types, and the last for all questions.
        headings: of the columns: the titles that the benchmark's table has for these question types.
        metrics: heading of each metric → its name.
        rows: heading of each metric → its cells by column; a column is missing where the metric is not for its items.
        notes: the meaning of the metrics, how their intervals were computed, or why there is none.
    """

    run: str
    rules: str
    columns: tuple[str, ...]
    headings: tuple[str, ...]
    metrics: Mapping[str, str]
    rows: Mapping[str, Mapping[str, FurtherCell]]
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """Return its heading."""
        return f"Further metrics: {self.run}, {self.rules}"


def further_tables(run: LoadedRun, table: Table) -> list[FurtherTable]:
    """The further metrics of a run.

    Args:
        run: its scores say of each answer whether it was read.
        table: the benchmark's, for the titles of question types.

    Raises:
        InputError: the run's scores can't be read.
    """
    by_rules = {rules: metrics for rules, metrics in run.figures.get("metrics", {}).items() if metrics}
    if not by_rules:
        return []
    scores, titles = run.folder.scores(), table.task_titles
    return [
        _table(run.name, rules, metrics, scores.filter(pl.col("rule_set") == rules), titles)
        for rules, metrics in by_rules.items()
    ]


def metric_heading(title: str, unit: str) -> str:
    """A metric's title with its unit, where that isn't %."""
    return f"{title} [{unit}]" if unit and unit != PERCENT else title


def further_markdown(table: FurtherTable) -> str:
    """A Markdown table with a heading."""
    head = ["Metric", *map(_plain, table.headings)]
    lines = [f"### {_plain(table.title)}", "", f"| {' | '.join(head)} |", "|---|" + "---:|" * len(table.columns)]
    for name, cells in table.rows.items():
        shown = [_small(cells[column]) if column in cells else "" for column in table.columns]
        lines.append(f"| {' | '.join([_plain(name), *shown])} |")
    return "\n".join([*lines, "", *(f"> {_plain(note)}" for note in table.notes)]) + "\n"


def further_json(table: FurtherTable) -> dict[str, Any]:
    """The same for JSON: unrounded figures by metric and question type."""
    return {
        "run": table.run,
        "rules": table.rules,
        "headings": dict(zip(table.columns, table.headings, strict=True)),
        "metrics": {
            table.metrics[heading]: {
                "title": heading,
                "figures": {
                    column: {
                        "value": cell.value,
                        "low": cell.interval.low if cell.interval else None,
                        "high": cell.interval.high if cell.interval else None,
                        "n": cell.n,
                        "unread": cell.unread,
                        "left_out": cell.left_out.counts,
                        "effective_scenes": cell.effective_scenes,
                        "method": cell.method or None,
                        "reason": cell.reason or None,
                    }
                    for column, cell in cells.items()
                },
            }
            for heading, cells in table.rows.items()
        },
        "notes": list(table.notes),
    }


def _table(
    run: str, rules: str, metrics: Mapping[str, Any], scores: pl.DataFrame, titles: Mapping[str, str]
) -> FurtherTable:
    columns = list(dict.fromkeys(task for metric in metrics.values() for task in list(metric["cells"])[:-1]))
    last = list(dict.fromkeys(list(metric["cells"])[-1] for metric in metrics.values()))
    headings = {column: titles.get(column, column) for column in columns} | {whole: whole for whole in last}
    titled = [metric_heading(metric["title"], metric["unit"]) for metric in metrics.values()]
    names = {
        title if titled.count(title) == 1 else f"{title} ({name})": name
        for title, name in zip(titled, metrics, strict=True)
    }
    rows = {heading: _cells(name, metrics[name], scores) for heading, name in names.items()}
    cells = [cell for own in rows.values() for cell in own.values()]
    methods = dict.fromkeys(cell.method for cell in cells if cell.method)
    notes = [f"{heading}: {_said(metrics[name])}." for heading, name in names.items()]
    notes += [f"Intervals: 95 %, {'; '.join(methods)}."] if methods else []
    notes += _missing_intervals(rows, headings)
    notes += [LEFT_OUT] if any(cell.left_out.total for cell in cells) else []
    return FurtherTable(
        run=run,
        rules=rules,
        columns=(*columns, *last),
        headings=tuple(headings[column] for column in (*columns, *last)),
        metrics=names,
        rows=rows,
        notes=tuple(notes),
    )


def _said(metric: Mapping[str, Any]) -> str:
    return "; ".join(part for part in (metric["source"], DIRECTIONS[metric["direction"]]) if part)


def _missing_intervals(rows: Mapping[str, Mapping[str, FurtherCell]], headings: Mapping[str, str]) -> list[str]:
    """Why figures have no interval."""
    valued = [
        (metric, headings[column], cell)
        for metric, cells in rows.items()
        for column, cell in cells.items()
        if cell.value is not None
    ]
    lacking = [
        Lacking(heading, cell.effective_scenes or 0.0, cell.reason, metric)
        for metric, heading, cell in valued
        if cell.interval is None
    ]
    return interval_sentences(lacking, all_figures=len(lacking) == len(valued))


def _cells(name: str, metric: Mapping[str, Any], scores: pl.DataFrame) -> dict[str, FurtherCell]:
    left_out, whole = left_out_by_task(scores, name), list(metric["cells"])[-1]
    found = {}
    for task, cell in metric["cells"].items():
        own = sum(left_out.values(), LeftOutAnswers()) if task == whole else left_out.get(task, LeftOutAnswers())
        if own.total != cell.get("left_out", 0):  # the scores beside the figures are of another time
            own = LeftOutAnswers(unknown=cell.get("left_out", 0))
        found[task] = FurtherCell(
            value=cell["value"],
            interval=Interval(**cell["interval"]) if cell.get("interval") else None,
            digits=metric["digits"],
            n=cell["n"],
            unread=cell.get("unread", 0),
            left_out=own,
            effective_scenes=cell.get("effective_scenes"),
            method=cell.get("method") or "",
            reason=cell.get("reason") or "",
        )
    return found


def _small(cell: FurtherCell) -> str:
    rest = "; ".join(part for part in (cell.interval_shown, cell.count) if part)
    return f"{cell.shown} <small>{rest}</small>"


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
