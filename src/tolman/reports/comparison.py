"""A comparison of runs: differences as tables with their sentences, and a self-contained page.

The page shows every item won or lost. It has no script: the template escapes texts of questions and responses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import counted
from tolman.reports.further_metrics import metric_heading
from tolman.reports.loaded_runs import LoadedRun
from tolman.reports.page_items import entries
from tolman.reports.report_content import marks_of, warnings_of
from tolman.reports.svg_figures import Dots, dots_svg
from tolman.reports.table_rows import (
    MISSING_SIGN,
    Lacking,
    interval_sentences as why_none,
    missing_sentences as missing_sentences,
)
from tolman.reports.text import SCENES, environment, escape_markdown
from tolman.scoring.further_figures import further_table
from tolman.scoring.judged import NAME as JUDGED
from tolman.scoring.metrics import Metric
from tolman.scoring.run_differences import Difference
from tolman.scoring.score_table import Column, Table
from tolman.scoring.significance import MAX_EXACT_SCENES, SIGN_PATTERNS

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
    """

    column: Column
    difference: Difference
    p_holm: float

    @property
    def is_sure(self) -> bool:
        """Return whether the difference holds after Holm's correction."""
        return self.p_holm < SURE

    @property
    def cells(self) -> list[str]:
        """Return the cells below `HEADINGS`."""
        d, digits = self.difference, self.column.digits
        return [
            self.column.title + (MISSING_SIGN if d.missing else ""),
            f"{d.a:z.{digits}f}",
            f"{d.b:z.{digits}f}",
            f"{d.value:+z.{digits}f}",
            f"{d.interval.low:+z.{digits}f} … {d.interval.high:+z.{digits}f}" if d.interval else "–",
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
        """Return the differences of the benchmark's table and of further metrics."""
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
        excluded: ids of items that are left out.
        excluded_by: the option that left them out, in words.
    """

    path: Path
    run: LoadedRun
    benchmark: BenchmarkSpec
    scorer: str
    seed: int
    comparisons: tuple[Comparison, ...]
    metrics: tuple[Metric, ...] = ()
    excluded: frozenset[str] = frozenset()
    excluded_by: str = ""

    @property
    def runs(self) -> list[LoadedRun]:
        """A, then the others."""
        return [self.run, *(one.run for one in self.comparisons)]

    @property
    def warnings(self) -> list[str]:
        """Return the limits of the comparison: runs of a part of the questions, failed calls, answers that something
        ended, different judges."""
        left_out = counted(len(self.excluded), "item is", "items are")
        part = [f"PART: {left_out} left out ({self.excluded_by})."] if self.excluded_by else []
        return [*warnings_of(self.runs, self.benchmark), *part, *self._judges()]

    def _judges(self) -> list[str]:
        """A sentence where the runs are compared by the readings of different judges; else none."""
        if self.scorer != JUDGED:
            return []
        judges = {run.name: run.figures["judge"] for run in self.runs}
        if len({json.dumps([j["model"], j["settings"], j["source"]], sort_keys=True) for j in judges.values()}) == 1:
            return []
        names = ", ".join(f"{name} by {judge['model']}" for name, judge in judges.items())
        return [f"DIFFERENT JUDGES or settings of them: {names}; differences may be the judges', not the models'."]

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
        """Return caveats on the figures: unread responses, and parts that figures lack."""
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
            f"Holm: corrected for {counted(len(every), 'test')}, * below {SURE}.",
            "detectable: the smallest difference that such a pair of runs shows with 80 % power at the 5 % level.",
            *self._intervals(),
        ]

    def markdown(self) -> str:
        """Return all tables and the sentences on them."""
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
    words = "answered by one of the two only and"
    return f"{counted(one.answered_by_one, f'item was {words} is', f'items were {words} are')} left out."


def _table(title: str, table: Table, found: Mapping[str, Difference], p_holm: Mapping[str, float]) -> DifferenceTable:
    rows = (
        DifferenceRow(column, found[column.key], p_holm[column.key]) for column in table.columns if column.key in found
    )
    return DifferenceTable(title, tuple(rows))


def _probability(p: float) -> str:
    if p < 0.0001:
        return "<0.0001"
    return f"{p:.4f}" if p < 0.01 else f"{p:.3f}"


@dataclass(frozen=True)
class _Answer:
    """One run's answer: its text in parts, each marked or not, and how that was read and scored."""

    name: str
    parts: Sequence[tuple[str, bool]]
    failure: str
    reading: str
    score: float


def pieces(compared: Comparisons) -> Iterator[str]:
    """The page piece by piece: items are many.

    Raises:
        InputError: a file of a run is broken.
    """
    yield from (
        environment()
        .get_template("comparison.html.j2")
        .generate(
            compared=compared,
            names=[run.name for run in compared.runs],
            headings=HEADINGS,
            forest=forest_svg(compared),
            pairs=(
                {"one": one, "left_out": left_out_sentence(one), **_items(compared, one)}
                for one in compared.comparisons
            ),
        )
    )


def forest_svg(compared: Comparisons) -> str:
    """The differences of the benchmark's figures with their 95 % intervals, a colour for each other run.

    Figures whose unit isn't the 0–100 scale are left to the table.
    """
    columns = [c for c in compared.benchmark.table.columns if c.scale == 100]
    columns = [c for c in columns if any(c.key in one.differences for one in compared.comparisons)]
    series = [
        Dots(
            f"A − {one.run.name}",
            [
                (line, d.value, d.interval)
                for line, column in enumerate(columns)
                if (d := one.differences.get(column.key)) is not None
            ],
        )
        for one in compared.comparisons
    ]
    axis = f"{compared.run.name} minus the other, {compared.scorer}, with 95 % intervals"
    return dots_svg([column.title for column in columns], series, axis, around_zero=True)


def _items(compared: Comparisons, one: Comparison) -> dict[str, list[dict[str, Any]]]:
    """The items that A won and lost, by question type."""
    runs = [compared.run, one.run]
    found: dict[str, list[dict[str, Any]]] = {"won": [], "lost": []}
    for entry in entries(runs):
        if entry["id"] in compared.excluded:
            continue
        by_run = {answer["run"]: answer for answer in entry["answers"]}
        read = [_answer(runs[place].name, by_run.get(place), compared.scorer) for place in (0, 1)]
        if read[0] is None or read[1] is None or read[0].score == read[1].score:
            continue
        found["won" if read[0].score > read[1].score else "lost"].append({**entry, "answers": read})
    for items in found.values():
        items.sort(key=lambda item: item["task"])
    return found


def _answer(name: str, answer: Mapping[str, Any] | None, scorer: str) -> _Answer | None:
    """Return a run's answer; None where it has no score, as of a failed call."""
    said = answer["scores"].get(scorer) if answer is not None else None
    if answer is None or said is None or said[2] is None:
        return None
    reading, note, score, _, state, _ = said
    told = "" if state in ("read", None) else f"{state}: "
    return _Answer(name, _parts(answer), answer["failure"] or "", told + (reading or note or "–"), score)


def _parts(answer: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """A response's text in turn unmarked and marked, where it was read."""
    text, parts, end = answer["text"] or "", list[tuple[str, bool]](), 0
    for start, stop, _ in answer["marks"]:
        parts += [(text[end:start], False), (text[start:stop], True)]
        end = stop
    return [part for part in (*parts, (text[end:], False)) if part[0]]
