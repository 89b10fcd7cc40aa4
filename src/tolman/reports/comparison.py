"""A run held against others: the differences as tables, and the sentences that belong to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tolman.benchmarks.base import BenchmarkSpec
from tolman.reports.further_metrics import metric_heading
from tolman.reports.loaded import LoadedRun
from tolman.reports.missing import SIGN
from tolman.reports.missing import sentences as missing_sentences
from tolman.reports.no_interval import Lacking
from tolman.reports.no_interval import sentences as why_none
from tolman.reports.remarks import marks_of, warnings_of
from tolman.reports.text import SCENES, escape_markdown
from tolman.scoring.compare import Difference
from tolman.scoring.further import further_table
from tolman.scoring.metric import Metric
from tolman.scoring.paired_test import MAX_EXACT_SCENES, SIGN_PATTERNS
from tolman.scoring.table import Column, Table

HEADINGS = (
    "", "A", "B", "A − B", "95 % interval", "p", "p (Holm)", "detectable", SCENES.lower(), "items", "won", "lost",
)  # fmt: skip
SURE = 0.05
"""A difference is marked where its p-value after Holm's correction is below."""


@dataclass(frozen=True)
class DifferenceRow:
    """One figure of a pair of runs.

    Attributes:
        column: of the table.
        difference: A − B.
        p_holm: its p-value after Holm's correction.
        is_headline: whether it is the table's headline.
    """

    column: Column
    difference: Difference
    p_holm: float
    is_headline: bool

    @property
    def is_sure(self) -> bool:
        """Whether the difference holds after Holm's correction."""
        return self.p_holm < SURE

    @property
    def cells(self) -> list[str]:
        """What stands below `HEADINGS`."""
        d, digits = self.difference, self.column.digits
        return [
            self.column.title + (SIGN if d.missing else ""),
            f"{d.a:.{digits}f}",
            f"{d.b:.{digits}f}",
            f"{d.value:+.{digits}f}",
            f"{d.interval.low:+.{digits}f} … {d.interval.high:+.{digits}f}" if d.interval else "–",
            _probability(d.p),
            _probability(self.p_holm) + ("*" if self.is_sure else ""),
            "–" if d.detectable is None else f"{d.detectable:.{digits}f}",
            f"{d.effective_scenes:.1f}",
            f"{d.n:,}",
            f"{d.won:,}",
            f"{d.lost:,}",
        ]


@dataclass(frozen=True)
class DifferenceTable:
    """The differences of a pair of runs under one table."""

    title: str
    rows: tuple[DifferenceRow, ...]


@dataclass(frozen=True)
class Comparison:
    """One run against another.

    Attributes:
        path, run: the other.
        differences: column key → figure of A minus the other's.
        p_holm: column key → p-value after Holm's correction over all rows of all comparisons.
        answered_by_one: items that only one of the two answered, which are left out.
        further: metric name → question type → figure of A minus the other's; the last is over all questions.
        further_p_holm: the p-values of these, in the same correction.
    """

    path: Path
    run: LoadedRun
    differences: Mapping[str, Difference]
    p_holm: Mapping[str, float]
    answered_by_one: int
    further: Mapping[str, Mapping[str, Difference]] = field(default_factory=dict)
    further_p_holm: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def all_differences(self) -> list[Difference]:
        """Of the benchmark's table and of further metrics."""
        return [*self.differences.values(), *(d for own in self.further.values() for d in own.values())]


@dataclass(frozen=True)
class Comparisons:
    """A run against others.

    Attributes:
        path, run: the first run, A.
        benchmark: of all of them.
        scorer: by which they are compared.
        seed: of randomisation tests with too many scenes to enumerate.
        comparisons: one for each other run.
        metrics: the further metrics.
    """

    path: Path
    run: LoadedRun
    benchmark: BenchmarkSpec
    scorer: str
    seed: int
    comparisons: tuple[Comparison, ...]
    metrics: tuple[Metric, ...] = ()

    @property
    def runs(self) -> list[LoadedRun]:
        """A, then the others."""
        return [self.run, *(one.run for one in self.comparisons)]

    @property
    def warnings(self) -> list[str]:
        """What limits the comparison: runs of a part of the questions, failed calls, answers that something ended."""
        return warnings_of(self.runs, self.benchmark)

    def tables_of(self, one: Comparison) -> Iterator[DifferenceTable]:
        """The benchmark's table of a pair of runs, then one for each further metric that both have values of."""
        pair = f"{self.run.name}  −  {one.run.name}, {self.scorer}"
        yield _table(pair, self.benchmark.table, one.differences, one.p_holm)
        for metric in self.metrics:
            if metric.name in one.further:
                found = one.further[metric.name]
                tasks = list(found)[:-1] if len(found) > 1 else []
                table = further_table(metric, tasks, self.benchmark.table.task_titles)
                heading = metric_heading(metric.title, metric.unit)
                yield _table(f"{pair}: {heading}", table, found, one.further_p_holm[metric.name])

    @property
    def marks(self) -> list[str]:
        """What a reader of the figures must know: what was unread, what parts figures lack."""
        own = (mark for run in self.runs for mark in marks_of(run, self.benchmark, [self.scorer]))
        return [*dict.fromkeys(own), *self._missing(), *self._for_nothing()]

    @property
    def notes(self) -> list[str]:
        """How the columns are computed, and why intervals are missing."""
        every = [d for one in self.comparisons for d in one.all_differences]
        exact = [d.exact for d in every]
        how = "all sign patterns" if all(exact) else f"{SIGN_PATTERNS:,} sign patterns (seed {self.seed})"
        if any(exact) and not all(exact):
            how += f", all of them up to {MAX_EXACT_SCENES} scenes"
        return [
            f"p: two-sided randomisation test by scene, {how}; "
            f"Holm: corrected for {len(every):,} tests, * below {SURE}.",
            "detectable: the smallest difference that such a pair of runs shows with 80 % power at the 5 % level.",
            *self._intervals(),
        ]

    def markdown(self) -> str:
        """All tables and what is to be said of them."""
        lines = [f"> **{escape_markdown(text)}**" for text in self.warnings]
        for one in self.comparisons:
            if said := left_out_sentence(one):
                lines.append(f"> **{said}**")
            for table in self.tables_of(one):
                lines += ["", f"**{escape_markdown(table.title)}**", "", f"| {' | '.join(HEADINGS)} |"]
                lines.append(f"|---|{'---:|' * (len(HEADINGS) - 1)}")
                lines += [f"| {' | '.join(escape_markdown(cell) for cell in row.cells)} |" for row in table.rows]
        return "\n".join([*lines, "", *(f"> {escape_markdown(text)}" for text in (*self.marks, *self.notes))]) + "\n"

    def _missing(self) -> list[str]:
        """Sentences for the figures that lack parts, by comparison."""
        said = []
        for one in self.comparisons:
            found = one.differences
            own = [(c.title, found[c.key], c.digits) for c in self.benchmark.table.columns if c.key in found]
            said += missing_sentences(
                f"A − {one.run.name}", [(title, d.missing, d.attainable, digits) for title, d, digits in own]
            )
        return said

    def _for_nothing(self) -> list[str]:
        """Sentences for the metrics that no answer of a pair of runs has a value of."""
        return [
            f"A − {one.run.name}: no answer of both has a value of the metric {metric.name}."
            for one in self.comparisons
            for metric in self.metrics
            if metric.name not in one.further
        ]

    def _intervals(self) -> list[str]:
        """Why differences have no interval."""
        titles = {column.key: column.title for column in self.benchmark.table.columns}
        tasks = self.benchmark.table.task_titles
        names = {metric.name: metric_heading(metric.title, metric.unit) for metric in self.metrics}
        own = [(titles[key], "", d) for one in self.comparisons for key, d in one.differences.items()]
        own += [
            (tasks.get(task, task), names[name], d)
            for one in self.comparisons
            for name, found in one.further.items()
            for task, d in found.items()
        ]
        lacking = [
            Lacking(title, d.effective_scenes, d.reason or "", table) for title, table, d in own if not d.interval
        ]
        return why_none(lacking, all_figures=len(lacking) == len(own))


def left_out_sentence(one: Comparison) -> str | None:
    """What to say of items that one of the two runs didn't answer."""
    if not one.answered_by_one:
        return None
    return f"{one.answered_by_one:,} items were answered by one of the two only and are left out."


def _table(title: str, table: Table, found: Mapping[str, Difference], p_holm: Mapping[str, float]) -> DifferenceTable:
    rows = (
        DifferenceRow(column, found[column.key], p_holm[column.key], column.key == table.headline)
        for column in table.columns
        if column.key in found
    )
    return DifferenceTable(title, tuple(rows))


def _probability(p: float) -> str:
    if p < 0.0001:
        return "<0.0001"
    return f"{p:.4f}" if p < 0.01 else f"{p:.3f}"
