"""Correlation of a benchmark's scores with results of other tasks, over the models of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import InputError, UsageError
from tolman.workflows.analyses import Analysis, to_plain
from tolman.workflows.analyses.settings import Seed
from tolman.workflows.config import Setting
from tolman.workflows.events import Events, silent

if TYPE_CHECKING:
    from tolman.analyze.correlation import Correlation, CorrelationResult
    from tolman.benchmarks.rows import Row
    from tolman.reports.analyses.output import Shown
    from tolman.scoring.clusters import Floats


@dataclass(frozen=True, kw_only=True)
class CorrelationConfig:
    """Settings of `analyze_correlation`."""

    table: Annotated[Path, Setting("CSV with a row for each model: its name first, then figures.", positional=True)]
    runs: Annotated[
        tuple[Path, ...],
        Setting("Run folders of one benchmark, whose headlines are the models' scores.", positional=True),
    ] = ()
    score: Annotated[str | None, Setting("Column that is correlated with the others. Default: the runs' headline.")] = (
        None
    )
    against: Annotated[
        tuple[str, ...],
        Setting("Column it is correlated with; may be given several times. Default: all.", repeated=True),
    ] = ()
    lower_is_better: Annotated[
        tuple[str, ...],
        Setting("Column that is negated, such as a distance; may be given several times.", repeated=True),
    ] = ()
    seed: Seed = 0


@dataclass(frozen=True)
class CorrelatedColumns:
    """Columns over models, before they are correlated.

    Attributes:
        models: names, in the order of the table.
        figures: column → one figure for each model, nan where there is none; negated where lower is better.
        score, others: the column that is correlated, and those it is correlated with.
        marks: a line for each score that lacks parts of its benchmark.
    """

    models: list[str]
    figures: dict[str, Floats]
    score: str
    others: list[str]
    marks: list[str]


def analyze_correlation(config: CorrelationConfig, events: Events = silent) -> CorrelationResult:
    """Correlate one column of a table with others, over its rows.

    Raises:
        InputError: a cell that is no number, a model twice, a column that is missing.
        UsageError: no column to start from.
    """
    from tolman.analyze.correlation import CorrelationResult, published_correlation
    from tolman.benchmarks.published_tables import published_tables

    columns = correlated_columns(config)
    found = correlations(columns, config.seed)
    tables = published_tables("correlation")
    printed = {other: published_correlation(columns.score, other, tables) for other in found}
    published = {other: one for other, one in printed.items() if one is not None}
    return CorrelationResult(columns.score, config.lower_is_better, config.seed, columns.marks, found, published)


def correlations(columns: CorrelatedColumns, seed: int) -> dict[str, Correlation]:
    """Correlate the score with each other column."""
    from tolman.analyze.correlation import correlate

    score = columns.figures[columns.score]
    return {other: correlate(score, columns.figures[other], seed=seed) for other in columns.others}


def correlated_columns(config: CorrelationConfig) -> CorrelatedColumns:
    """Read the table, and the runs' headlines beside it.

    Raises:
        InputError, UsageError: as `analyze_correlation`.
    """
    names, columns = _read(config.table)
    score, marks = config.score, list[str]()
    if config.runs:
        name, values, marks = _headlines(config.runs, names)
        if name in columns:
            raise UsageError(f"the table has a column '{name}' of its own; leave the runs or the column out.")
        columns, score = {name: values, **columns}, score or name
    if score is None:
        raise UsageError("which column is correlated with the others? Name it with --score, or give runs.")
    for column in (score, *config.against, *config.lower_is_better):
        if column not in columns:
            raise InputError(
                config.table, f"has no column '{column}'", fix=f"columns with figures: {', '.join(columns)}"
            )
    turned = {name: -own if name in config.lower_is_better else own for name, own in columns.items()}
    others = list(config.against) or [column for column in columns if column != score]
    return CorrelatedColumns(names, turned, score, others, marks)


def _read(path: Path) -> tuple[list[str], dict[str, Floats]]:
    """The models of the first column, and every other column that holds numbers."""
    import numpy as np

    from tolman.benchmarks.rows import read_rows

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
    lacks parts.

    Raises:
        UsageError: two runs are of one model, or none is of the table's.
    """
    import numpy as np

    from tolman.reports.missing import marks
    from tolman.workflows.analyses.inputs import scored_runs

    scored = scored_runs(paths)
    benchmark, headline = scored.benchmark, scored.benchmark.table.headline
    values: dict[str, float] = {}
    places: dict[str, Path] = {}
    remarks: dict[str, None] = {}
    for run in scored.runs:
        used = {scored.scorer: run.figures["rule_sets"][scored.scorer]}
        for name in (run.record.settings.model, run.record.settings.model.partition("/")[2]):
            if name in names and run.record.settings.protocol == "direct":
                if name in places:
                    raise UsageError(
                        f"the runs {places[name]} and {run.folder.path} are both of the model '{name}'; give one for "
                        "each row of the table."
                    )
                places[name] = run.folder.path
                figure = used[scored.scorer]["cells"][headline]["value"]
                values[name] = math.nan if figure is None else figure
                remarks |= dict.fromkeys(marks(run.name, run.folder.path, used, benchmark, [headline]))
    if not values:
        raise UsageError("no model of the runs stands in the table's first column (names must be equal).")
    return benchmark.title, np.array([values.get(name, math.nan) for name in names]), list(remarks)


def to_json(result: CorrelationResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    return {
        "score": result.score,
        "negated": list(result.negated),
        "seed": result.seed,
        "marks": result.marks,
        "correlations": to_plain(result.correlations),
        "published": to_plain(result.published),
    }


def show(result: CorrelationResult) -> list[Shown]:
    """Make tables and sentences of a result."""
    from tolman.reports.analyses import correlation as form

    return form.show(result)


ANALYSIS = Analysis(
    name="correlation",
    title="Correlation of a benchmark with other tasks, over models: Pearson, Spearman, bootstrap intervals.",
    config=CorrelationConfig,
    run=analyze_correlation,
    show=show,
    to_json=to_json,
    examples=(
        "correlation downstream.csv --score MMSI-Bench",
        'correlation libero.csv --score "L2 distance" --lower-is-better "L2 distance"',
    ),
)
