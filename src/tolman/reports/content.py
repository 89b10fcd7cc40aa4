"""What a report says, before it has any form: rows of figures, and sentences that go with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tolman import benchmarks
from tolman.benchmarks.base import BenchmarkSpec
from tolman.errors import UsageError
from tolman.reports.further_metrics import FurtherTable, further_tables
from tolman.reports.loaded import LoadedRun
from tolman.reports.missing import marks as missing_marks
from tolman.reports.no_interval import Lacking, sentences
from tolman.reports.remarks import marks_of, notes_of, warnings_of
from tolman.reports.unread import stored
from tolman.runs.folder import same_benchmark
from tolman.scoring.intervals import Interval
from tolman.scoring.table import Column
from tolman.scoring.unread import Unread

Published = Literal["none", "baselines", "all"]
MADE_BEFORE = "scored by an earlier version, whose intervals were too narrow; 'tolman score FOLDER' computes them anew"


@dataclass(frozen=True)
class Figure:
    """One cell.

    Attributes:
        value: on the 0–100 scale.
        interval: 95 %, clustered by scene.
        n: scored items.
        effective_scenes: Kish's effective number of scenes.
        method, reason: how the interval was computed, or why there is none.
        missing: titles of parts of the figure without a scored item.
        attainable: what the figure is for a perfect model: below 100 where missing parts count as 0.
    """

    value: float
    interval: Interval | None = None
    n: int | None = None
    effective_scenes: float | None = None
    method: str | None = None
    reason: str | None = None
    missing: tuple[str, ...] = ()
    attainable: float = 100.0


@dataclass(frozen=True)
class ReportRow:
    """One row.

    Attributes:
        name: model, with what sets the row apart.
        rules: rule set, or 'published'.
        figures: column key → figure; a key is missing where there is none.
        headline: whether this is the row to quote.
        source: of a published row.
        group: 'run', or 'model', 'human', 'chance' for published rows.
        incomplete: failures or missing answers are not in the figures.
        unread: column key → shares and bounds of what could not be read.
        marked: key of the table's headline where so much of it could not be read that it bears a sign.
    """

    name: str
    rules: str
    figures: Mapping[str, Figure]
    headline: bool = False
    source: str = ""
    group: str = "run"
    incomplete: bool = False
    unread: Mapping[str, Unread] = field(default_factory=dict)
    marked: str = ""


@dataclass(frozen=True)
class Report:
    """A benchmark's table with its rows and remarks.

    Attributes:
        benchmark, subset: what was asked.
        rows: of the table.
        warnings: what stands above it.
        notes: what else is to be said.
        marks: what the signs in it mean, right below it.
        judge_samples: for each run with a judge and a sample, how far judge and reader agree, as scores.json has it.
        frames_shown: for each run that samples videos, how many items its frames answer, likewise.
        endings: for each run whose model was stopped in answers, how often and by what, as scores.json has it.
        further: for each run and scorer the metrics that the user asked for.
    """

    benchmark: BenchmarkSpec
    subset: str
    rows: list[ReportRow]
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    judge_samples: list[dict[str, Any]] = field(default_factory=list)
    frames_shown: list[dict[str, Any]] = field(default_factory=list)
    endings: list[dict[str, Any]] = field(default_factory=list)
    further: list[FurtherTable] = field(default_factory=list)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns in the paper's order."""
        return self.benchmark.table.columns

    @property
    def has_intervals(self) -> bool:
        """Whether any figure has one."""
        return any(figure.interval for row in self.rows for figure in row.figures.values())

    def scenes(self, row: ReportRow) -> str:
        """Effective number of scenes of a row's headline figure, as it is printed; empty where it isn't known."""
        figure = row.figures.get(self.benchmark.table.headline)
        return "" if figure is None or figure.effective_scenes is None else f"{figure.effective_scenes:.1f}"


def build(runs: Sequence[LoadedRun], published: Published = "baselines", left_out: Sequence[str] = ()) -> Report:
    """Put runs of one benchmark and its published rows into one table.

    Args:
        runs: one or more.
        published: which rows of the papers.
        left_out: a sentence for each run that should be in the table and has no figures.

    Raises:
        UsageError: the runs are of different benchmarks, subsets or data.
    """
    first = runs[0].record.settings
    for run in runs[1:]:
        other = run.record.settings
        if not same_benchmark(other.benchmark, first.benchmark) or other.subset != first.subset:
            raise UsageError(
                f"the runs are of different question sets ({first.benchmark} {first.subset} and "
                f"{other.benchmark} {other.subset}); report them one by one."
            )
        if other.data_hash != first.data_hash:
            raise UsageError(
                f"the runs were made on different data of {first.benchmark} {first.subset} ({first.data_hash} and "
                f"{other.data_hash}); report them one by one."
            )
    benchmark = benchmarks.get(first.benchmark)
    rows = _published_rows(benchmark, published)
    warnings = [f"LEFT OUT: {sentence}" for sentence in left_out]
    notes: list[str] = []
    marks: list[str] = []
    frames_shown: list[dict[str, Any]] = []
    for run in runs:
        rows += _run_rows(run, benchmark.table.headline)
        marks += marks_of(run, benchmark.table, run.figures["rule_sets"])
        marks += missing_marks(run.name, run.folder.path, run.figures["rule_sets"], benchmark)
        if "frames_shown" in run.figures:
            frames_shown.append({"run": run.name, **run.figures["frames_shown"]})
        warnings += warnings_of(run, benchmark)
        notes += notes_of(run)
    notes += missing_intervals(rows, benchmark.table.columns)
    samples = [
        {"run": run.name, "judge": run.figures["judge"]["model"], **run.figures["judge"]["sample"]}
        for run in runs
        if "sample" in run.figures.get("judge", {})
    ]
    return Report(
        benchmark,
        first.subset,
        rows,
        warnings=list(dict.fromkeys(warnings)),
        notes=list(dict.fromkeys(notes)),
        marks=list(dict.fromkeys(marks)),
        judge_samples=samples,
        frames_shown=frames_shown,
        endings=[{"run": run.name, **run.figures["endings"]} for run in runs if run.figures.get("endings")],
        further=[table for run in runs for table in further_tables(run, benchmark.table)],
    )


def _published_rows(benchmark: BenchmarkSpec, published: Published) -> list[ReportRow]:
    order = {"chance": 0, "human": 1, "model": 2}
    return [
        ReportRow(
            name=f"{row.name} ({row.setting})" if row.setting else row.name,
            rules="published",
            figures={key: Figure(value) for key, value in row.values.items() if value is not None},
            source=row.source,
            group=row.group,
        )
        for row in sorted(benchmark.published_rows, key=lambda row: order.get(row.group, 2))
        if published == "all" or (published == "baselines" and row.group != "model")
    ]


def _run_rows(run: LoadedRun, headline: str) -> list[ReportRow]:
    rows = []
    lost = sum(run.figures["unanswered"].values())
    incomplete = bool(lost) and not run.record.failures_are_wrong
    for position, (name, entry) in enumerate(run.figures["rule_sets"].items()):
        unread = stored(entry)
        is_marked = headline in unread and unread[headline].is_marked
        variants = (
            ("cells", name),
            ("expected_cells", f"{name}, expected over random draws"),
            ("expectation_cells", f"{name}, expectation"),
        )
        for key, rules in variants:
            if key in entry:
                rows.append(
                    ReportRow(
                        name=run.name,
                        rules=rules,
                        figures=_figures(entry[key]),
                        headline=position == 0 and key == "cells",
                        incomplete=incomplete or (name == "judged" and bool(run.figures["judge"]["failed"])),
                        unread=unread if key == "cells" else {},
                        marked=headline if key == "cells" and is_marked else "",
                    )
                )
    return rows


def _figures(cells: Mapping[str, Any]) -> dict[str, Figure]:
    found = {}
    for key, cell in cells.items():
        if cell["value"] is None:
            continue
        interval = Interval(**cell["interval"]) if cell.get("interval") else None
        reason = cell.get("reason", MADE_BEFORE)
        found[key] = Figure(
            cell["value"],
            interval,
            cell["n"],
            cell.get("effective_scenes"),
            cell.get("method"),
            reason,
            tuple(cell.get("missing", ())),
            cell.get("attainable", 100.0),
        )
    return found


def missing_intervals(rows: Sequence[ReportRow], columns: Sequence[Column]) -> list[str]:
    """Why figures of runs have no interval: a sentence for those of too few scenes, and one for old run folders."""
    own = [
        (column.title, row.figures[column.key])
        for row in rows
        for column in columns
        if row.rules != "published" and column.key in row.figures
    ]
    said = []
    lacking = [
        Lacking(title, f.effective_scenes, f.reason or "")
        for title, f in own
        if f.interval is None and f.effective_scenes is not None
    ]
    said += sentences(lacking, all_figures=len(lacking) == len(own))
    if any(f.reason == MADE_BEFORE for _, f in own):
        said.append(f"No interval: {MADE_BEFORE}.")
    return said
