"""What `tolman analyze correlation` reads and prints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from rich.console import Console

from tolman.analyze.correlation import Correlation, correlate
from tolman.benchmarks.rows import Row, read_rows
from tolman.errors import InputError, UsageError
from tolman.reports.alike import one_benchmark, one_rule_set
from tolman.reports.analyses.output import print_table, reach, say, write_json
from tolman.reports.loaded import load_runs
from tolman.reports.missing import marks
from tolman.scoring.clusters import Floats

_FEW = 10


def print_correlation(
    console: Console,
    table: Path,
    runs: Sequence[Path],
    *,
    score: str | None,
    against: Sequence[str],
    lower_is_better: Sequence[str],
    seed: int,
    as_json: bool,
) -> None:
    """Correlate one column of a table with others, over its rows.

    Raises:
        InputError: a cell that is no number, a model twice, a column that is missing.
        UsageError: no column to start from.
    """
    names, columns = _read(table)
    remarks: list[str] = []
    if runs:
        name, values, remarks = _headlines(runs, names)
        if name in columns:
            raise UsageError(f"the table has a column '{name}' of its own; leave the runs or the column out.")
        columns, score = {name: values, **columns}, score or name
    if score is None:
        raise UsageError("which column is correlated with the others? Name it with --score, or give runs.")
    for column in (score, *against, *lower_is_better):
        if column not in columns:
            raise InputError(table, f"has no column '{column}'", fix=f"columns with figures: {', '.join(columns)}")
    signs = {column: -1.0 if column in lower_is_better else 1.0 for column in columns}
    others = list(against) or [column for column in columns if column != score]
    found = {
        other: correlate(signs[score] * columns[score], signs[other] * columns[other], seed=seed) for other in others
    }
    if as_json:
        write_json(
            console,
            {
                "score": score,
                "negated": list(lower_is_better),
                "seed": seed,
                "marks": remarks,
                "correlations": {other: asdict(value) for other, value in found.items()},
            },
        )
        return
    shown = {column: f"−{column}" if column in lower_is_better else column for column in columns}
    headings = ["", "models", "Pearson", "95 % interval", "Spearman", "95 % interval"]
    rows = [[shown[other], *_cells(value)] for other, value in found.items()]
    print_table(console, headings, rows, title=f"correlation with {shown[score]}")
    for text in remarks:
        say(console, text)
    if min(value.n for value in found.values()) < _FEW:
        say(console, "Intervals are bootstrap percentiles over models; over so few of them they are a rough guide.")


def _cells(value: Correlation) -> list[str]:
    figures = ["–" if v is None else f"{v:.4f}" for v in (value.pearson, value.spearman)]
    intervals = [reach(value.pearson_interval, 2), reach(value.spearman_interval, 2)]
    return [str(value.n), figures[0], intervals[0], figures[1], intervals[1]]


def _read(path: Path) -> tuple[list[str], dict[str, Floats]]:
    """The models of the first column, and every other column that holds numbers."""
    rows = read_rows(path)
    if len(rows) < 2:
        raise InputError(path, "holds fewer than two models", fix="give a row for each model")
    header = list(rows[0])
    names = [str(row[header[0]]).strip() for row in rows]
    for number, name in enumerate(names, start=2):
        if name in names[: number - 2]:
            raise InputError(path, f"the model {name!r} stands there twice", row=number, field=header[0])
    columns = {}
    for heading in header[1:]:
        if any(_number(row[heading]) is not None for row in rows):
            columns[heading] = np.array([_cell(path, i, row, heading) for i, row in enumerate(rows, start=2)])
    if not columns:
        raise InputError(path, "has no column with figures")
    return names, columns


def _cell(path: Path, number: int, row: Row, heading: str) -> float:
    text = str(row[heading] if row[heading] is not None else "").strip()
    if text in ("", "-", "–"):
        return math.nan
    value = _number(text)
    if value is None:
        raise InputError(path, f"{text!r} is no number", row=number, field=heading, fix="write 12.3, or nothing")
    return value


def _number(cell: object) -> float | None:
    try:
        value = float(str(cell))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _headlines(paths: Sequence[Path], names: Sequence[str]) -> tuple[str, Floats, list[str]]:
    """The runs' headlines, in the order of the table's models (nan for a model without a run), and a line for each that
    lacks parts."""
    runs = load_runs(paths)
    benchmark = one_benchmark(runs)
    rules = one_rule_set(runs, None)
    values: dict[str, float] = {}
    remarks: dict[str, None] = {}
    for run in runs:
        for name in (run.record.settings.model, run.record.settings.model.partition("/")[2]):
            if name in names and run.record.settings.protocol == "direct":
                figure = run.figures["rule_sets"][rules]["cells"][benchmark.table.headline]["value"]
                values[name] = math.nan if figure is None else figure
                used = {rules: run.figures["rule_sets"][rules]}
                remarks |= dict.fromkeys(marks(run.name, run.folder.path, used, benchmark, [benchmark.table.headline]))
    if not values:
        raise UsageError("no model of the runs stands in the table's first column (names must be equal).")
    return benchmark.title, np.array([values.get(name, math.nan) for name in names]), list(remarks)
