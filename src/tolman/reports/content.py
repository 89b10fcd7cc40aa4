"""What a report says, before it has any form: rows of figures, and sentences that go with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tolman import benchmarks
from tolman.benchmarks.base import BenchmarkSpec
from tolman.errors import UsageError
from tolman.reports.further_metrics import FurtherTable, further_tables
from tolman.reports.loaded import LoadedRun
from tolman.reports.missing import marks as missing_marks
from tolman.reports.people import people_rows
from tolman.reports.published import Published, ShownRow, choose
from tolman.reports.ranking import competing, of_all_questions, with_ranks
from tolman.reports.remarks import marks_of, notes_of, warnings_of
from tolman.reports.rows import Figure, ReportRow, ReportTable, figures_of, missing_intervals
from tolman.reports.unread import stored
from tolman.runs.folder import same_benchmark
from tolman.scoring.table import Column


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
        cuts: tables by labels, and under other benchmarks' taxonomies.
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
    cuts: list[ReportTable] = field(default_factory=list)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns in the paper's order."""
        return self.benchmark.table.columns

    @property
    def has_intervals(self) -> bool:
        """Whether any figure has one."""
        return any(figure.interval for row in self.rows for figure in row.figures.values())

    @property
    def table(self) -> ReportTable:
        """The benchmark's own table, without what is said of it."""
        return ReportTable("", self.columns, self.benchmark.table.headline, self.rows)


_APART = "report those of each set by themselves, or all of them in a site: --out FOLDER, a name without a suffix."


def build(runs: Sequence[LoadedRun], published: Published = "newest", left_out: Sequence[str] = ()) -> Report:
    """Put runs of one benchmark and its published rows into one table.

    Args:
        runs: one or more.
        published: which published rows.
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
                f"{other.benchmark} {other.subset}), which no table holds; {_APART}"
            )
        if other.data_hash != first.data_hash:
            raise UsageError(
                f"the runs were made on different data of {first.benchmark} {first.subset} ({first.data_hash} and "
                f"{other.data_hash}), which no table holds; {_APART}"
            )
    benchmark = benchmarks.get(first.benchmark)
    beside = choose(benchmark, published, runs)
    ranked = competing(runs)
    rows = [_published_row(one, ranked=of_all_questions(runs)) for one in beside.rows]
    warnings = [*(f"LEFT OUT: {sentence}" for sentence in left_out), *warnings_of(runs, benchmark)]
    notes: list[str] = []
    marks: list[str] = []
    frames_shown: list[dict[str, Any]] = []
    for run in runs:
        rows += _run_rows(run, benchmark.table.headline, ranked=run.name in ranked)
        marks += marks_of(run, benchmark, run.figures["rule_sets"])
        marks += missing_marks(run.name, run.folder.path, run.figures["rule_sets"], benchmark)
        if "frames_shown" in run.figures:
            frames_shown.append({"run": run.name, **run.figures["frames_shown"]})
        notes += notes_of(run)
    together, said = people_rows(runs, benchmark)
    rows += together
    notes += said
    marks += beside.marks
    notes += missing_intervals(rows, benchmark.table.columns)
    notes += beside.notes
    samples = [
        {"run": run.name, "judge": run.figures["judge"]["model"], **run.figures["judge"]["sample"]}
        for run in runs
        if "sample" in run.figures.get("judge", {})
    ]
    return Report(
        benchmark,
        first.subset,
        with_ranks(rows, benchmark.table.columns),
        warnings=warnings,
        notes=list(dict.fromkeys(notes)),
        marks=list(dict.fromkeys(marks)),
        judge_samples=samples,
        frames_shown=frames_shown,
        endings=[{"run": run.name, **run.figures["endings"]} for run in runs if run.figures.get("endings")],
        further=[table for run in runs for table in further_tables(run, benchmark.table)],
    )


def _published_row(one: ShownRow, *, ranked: bool) -> ReportRow:
    return ReportRow(
        name=one.name,
        rules="published",
        figures={key: Figure(value) for key, value in one.row.values.items() if value is not None},
        source=one.row.source,
        date=one.row.date,
        differs=one.differs,
        group=one.row.group,
        ranked=ranked and one.row.group == "model" and not one.differs and not one.row.setting,
    )


def _run_rows(run: LoadedRun, headline: str, *, ranked: bool) -> list[ReportRow]:
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
        is_incomplete = incomplete or (name == "judged" and bool(run.figures["judge"]["failed"]))
        for key, rules in variants:
            if key in entry:
                is_headline = position == 0 and key == "cells"
                rows.append(
                    ReportRow(
                        name=run.name,
                        rules=rules,
                        figures=figures_of(entry[key]),
                        headline=is_headline,
                        incomplete=is_incomplete,
                        ranked=ranked and is_headline and not is_incomplete,
                        unread=unread if key == "cells" else {},
                        marked=headline if key == "cells" and is_marked else "",
                    )
                )
    return rows
