"""The content of a report before it has any form: rows of figures, ranks, and remarks on the runs.

Ranks mark the best and the second best model in each column, as the papers do: models only, not chance, people or
baselines, and only comparable figures. Runs compete by their headline's scorer, where they were asked as many
questions as any and all have an answer; published rows where nothing about them differs from the runs. A figure that
lacks parts which others have has no rank. Figures that are equal as printed have one rank.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from tolman import benchmarks
from tolman.benchmarks.known_errors import known_errors_of
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import UsageError, counted
from tolman.extras import LazyModule
from tolman.reports.further_metrics import FurtherTable, further_tables
from tolman.reports.loaded_runs import LoadedRun, is_without_headline, protocol_settings, quoted
from tolman.reports.reference_rows import Published, ShownRow, choose, people_of, people_rows, people_warnings
from tolman.reports.table_rows import (
    Figure,
    ReportRow,
    ReportTable,
    agreement_shown,
    doubt_sentence,
    ended_sentence,
    few_marks,
    figures_of,
    is_doubted,
    mark_sentence,
    missing_intervals,
    missing_marks as missing_marks,
    sample_sentence,
    stored_unread,
)
from tolman.responses import Usage
from tolman.runs.run_folder import BASELINES, PEOPLE, same_benchmark
from tolman.scoring.judged import NAME as JUDGED
from tolman.scoring.score_table import Column, pools_of
from tolman.visible import visible

if TYPE_CHECKING:
    from tolman.models import thinking
else:
    thinking = LazyModule("tolman.models.thinking")


def frames_warning(run: str, figures: Mapping[str, Any]) -> list[str]:
    """Return a sentence above the table where some items can't be answered from the shown frames."""
    found = figures.get("frames_shown")
    if not found or not found["unanswerable"]:
        return []
    known = found["answerable"] + found["unanswerable"]
    unknown = f"; {found['unknown']:,} more can't be checked" if found["unknown"] else ""
    return [
        f"FRAMES: {run}: {found['unanswerable']:,} of {counted(known, 'item')} can't be answered from what is shown "
        f"({found['sampling']}): an object that they need is in none of these frames, or objects appear in another "
        f"order{unknown}."
    ]


def frames_note(run: str, figures: Mapping[str, Any]) -> list[str]:
    """Return a sentence below it where that isn't known of some items, and there is none above."""
    found = figures.get("frames_shown")
    if not found or not found["unknown"] or found["unanswerable"]:
        return []
    which = "which frames carry"
    unsaid = counted(found["unknown"], f"item doesn't say {which} its answer", f"items don't say {which} their answers")
    return [f"{run}: {unsaid}; whether what is shown ({found['sampling']}) does isn't known."]


def _answers(figures: Mapping[str, Any]) -> int:
    """How many answers came back: the questions that were asked, without failed and missing ones."""
    return int(figures["asked"] - sum(figures.get("unanswered", {}).values()))


def usage_note(name: str, figures: Mapping[str, Any]) -> list[str]:
    """The sentence about a run's tokens, their cost, and how often the model reasoned; none where nothing is known.

    Args:
        name: the run's.
        figures: of scores.json.
    """
    told = figures.get("usage")
    if not told:
        return []
    uncounted = told.get("uncounted", 0)
    least = "at least " if uncounted else ""
    said = [least + Usage(**{key: told[key] for key in Usage.model_fields}).describe()]
    said += [f"cost {least}{told['cost']:,.2f}"] if "cost" in told else []
    said += [f"{counted(uncounted, 'answer')} without full token counts"] if uncounted else []
    answers = counted(_answers(figures), "answer")
    said += [f"{told['reasoned']:,} of {answers} came after reasoning"] if told["reasoned"] else []
    return [f"{name}: {', '.join(said)}."]


def marks_of(run: LoadedRun, benchmark: BenchmarkSpec, rule_sets: Iterable[str]) -> list[str]:
    """A sentence for each rule set that could not read so much of the headline that it is marked."""
    table, judging = benchmark.table, benchmark.judging
    headline, has_judge = table.column(table.headline), "judge" in run.figures
    found = {name: stored_unread(run.figures["rule_sets"][name]).get(headline.key) for name in rule_sets}
    readers = {name: unread for name, unread in found.items() if unread is not None and name != JUDGED}
    return [
        mark_sentence(
            run.name,
            name,
            unread,
            headline,
            has_judge=has_judge,
            left_to=judging.model if name == judging.base else "",
            others=readers,
        )
        for name, unread in found.items()
        if unread is not None and unread.is_marked
    ]


def ended_early(run: LoadedRun) -> list[str]:
    """A sentence for each way in which something stopped the model in answers of a run."""
    endings = run.figures.get("endings")
    if not endings:
        return []
    limit = thinking.limit_of(run.record.settings.sampling)
    return [ended_sentence(run.name, ending, entry, _answers(run.figures), limit) for ending, entry in endings.items()]


def warnings_of(runs: Sequence[LoadedRun], benchmark: BenchmarkSpec) -> list[str]:
    """Return sentences above the table: parts, failures, answers that something ended, frames that carry no answer.

    Parts and missing answers of several people are one sentence for all of them.
    """
    people = people_of(runs)
    together = set(people) if len(people) > 1 else set()
    warnings = []
    for run in runs:
        released = benchmark.sizes.get(run.record.settings.subset, run.record.subset_items)
        if run.record.subset_items != released:
            warnings.append(
                f"PART: the data holds {run.record.subset_items:,} of the {counted(released, 'released question')}."
            )
        warnings += mixture_of(run)
        alone = run.record.settings.model not in together
        warnings += _unanswered(run) if alone else []
        warnings += ended_early(run)
        in_no_column = run.figures.get("in_no_column")
        warnings += [f"LEFT OUT: {run.name}: {in_no_column_sentence(in_no_column)}."] if in_no_column else []
        judge = run.figures.get("judge")
        if judge and judge["failed"]:
            warnings.append(
                f"INCOMPLETE: {run.name}: {judge['failed']:,} judgement{'s' if judge['failed'] > 1 else ''} of "
                f"{judge['model']} failed, not in the figures of 'judged'; the first: {judge['example']}."
            )
        warnings += frames_warning(run.name, run.figures)
        warnings += _part(run) if alone else []
    if together:
        warnings += people_warnings([*people.values()])
    return list(dict.fromkeys(warnings))


def in_no_column_sentence(counts: Mapping[str, int]) -> str:
    """Return how many questions of which types are in no figure, without a full stop.

    Args:
        counts: question type → questions, as scores.json has them.
    """
    total = sum(counts.values())
    questions = f"{total:,} question{'s' if total > 1 else ''}"
    types = f"type{'s' if len(counts) > 1 else ''} {', '.join(counts)}"
    return f"{questions} of the {types} {'are' if total > 1 else 'is'} in no column of the table"


def mixture_of(run: LoadedRun) -> list[str]:
    """A sentence where more than one model or fingerprint answered a run's questions; else none."""
    served = run.figures.get("served")
    if not served:
        return []
    counts = ", ".join(f"{count:,} answer{'s' if count > 1 else ''} by {name}" for name, count in served.items())
    return [f"MIXED: {run.name}: the endpoint's model or fingerprint changed: {counts}; the figures mix them."]


def _unanswered(run: LoadedRun) -> list[str]:
    failed, missing = run.figures["unanswered"]["failed"], run.figures["unanswered"]["missing"]
    if not failed and not missing:
        return []
    parts = [f"{failed:,} failed"] if failed else []
    parts += [f"{missing:,} missing"] if missing else []
    how = "counted as wrong" if run.record.failures_are_wrong else "not in the figures"
    asked = counted(run.figures["asked"], "item" if run.record.settings.repeats == 1 else "asking")
    reasons = "".join(f" {f['count']:,} × {f['kind']}: {f['example']}." for f in run.figures["failures"][:3])
    return [f"INCOMPLETE: {run.name}: {' and '.join(parts)} of {asked}, {how}.{reasons}"]


def part_of(run: LoadedRun, benchmark: BenchmarkSpec) -> str:
    """Return how many of how many questions a run is of, as in its row; empty where it is of all."""
    record = run.record
    released = benchmark.sizes.get(record.settings.subset, record.subset_items)
    if not record.settings.selection.is_all:
        everything = record.presented_items or max(released, record.subset_items)
        said = "estimate from " if "adaptive" in run.figures else ""
        return f"{said}{run.figures['items']:,} of {everything:,}" if run.figures["items"] < everything else ""
    return f"{record.subset_items:,} of {released:,}" if record.subset_items < released else ""


def _part(run: LoadedRun) -> list[str]:
    selection = run.record.settings.selection
    if selection.is_all:
        return []
    everything = run.record.presented_items or run.record.subset_items
    if run.figures["items"] >= everything:
        return []  # such as a limit above the number of items
    if "adaptive" in run.figures:
        return [_estimate(run)]
    said = f"PART: {run.name}: {run.figures['items']:,} of {counted(everything, 'item')} ({selection.describe()})."
    return [f"{said} Published figures include all items." if selection.known_errors is not None else said]


def _estimate(run: LoadedRun) -> str:
    """The sentence about a run that chose its items, so that its figures are estimates for all of them."""
    asked, all_items = run.figures["items"], run.figures["adaptive"]["items"]
    errors = {name: entry.get("standard_error") for name, entry in run.figures["rule_sets"].items()}
    known = ", ".join(f"{name} {error:.2f}" for name, error in errors.items() if error is not None)
    said = f" Standard error of the headline: {known} points." if known else ""
    return (
        f"ESTIMATE: {run.name}: figures are estimates for {counted(all_items, 'item')} from {asked:,} that the run "
        f"chose ({run.record.settings.selection.describe()}), and so are their intervals.{said} Other tables of this "
        "run are of the asked items alone."
    )


def _known_errors(run: LoadedRun) -> list[str]:
    """Whether items with known wrong answers are left out of a run's figures; nothing where none is known or named."""
    used, listed = run.record.settings.selection.known_errors, known_errors_of(run.record.settings.benchmark)
    if used is not None:
        left_out = counted(run.record.known_errors or 0, "item", "items")
        return [f"{run.name}: without known errors (list of version {used.version}), {left_out} of the subset."]
    if not listed.answers:
        return []
    said = counted(len(listed.answers), "item of this benchmark has", "items of this benchmark have")
    return [
        f"{run.name}: with known errors. {said} a wrong answer by the list of version {listed.version}; "
        "--exclude known-errors leaves them out."
    ]


def _state(run: LoadedRun) -> str:
    """The hub's data set and commit that the questions came from; a folder on a disk says nothing to others."""
    found = re.fullmatch(r"([\w.-]+/[\w.-]+)@([0-9a-f]{40})", run.record.data)
    return f" of {found[1]} at {found[2][:12]}" if found else ""


def _shown(run: LoadedRun) -> str:
    """Return a run's prompt preset, and what isn't the preset's: the form of videos, and the recipe. Of answers from
    a file, return the file, and the frames if videos were shown."""
    settings, recipe = run.record.settings, run.record.recipe
    frames, imported = settings.frames, settings.model_settings.get("imported")
    if imported is not None:
        shown = f", {frames.describe()}" if frames.count is not None or not frames.known else ""
        return f"answers imported from {visible(imported)}{shown}"
    said = [frames.describe()] if frames.native else []
    if recipe is not None:
        said.append(f"recipe {recipe['name']}" + ("" if recipe["asked"] else " by the model's name"))
    return ", ".join([f"preset {settings.preset}", *said])


def notes_of(run: LoadedRun) -> list[str]:
    """Return sentences below the table: the source of the figures, and notes of the rule sets and the judge."""
    settings = run.record.settings
    notes: list[str] = []
    judge = run.figures.get("judge")
    if judge:
        none = f", {judge['no_answer']:,} of them as no answer" if judge["no_answer"] else ""
        itself = " itself" if judge.get("by_itself") else ""
        notes.append(
            f"{run.name}: judged: {judge['model']}{itself} read {judge['judged']:,} of "
            f"{counted(_answers(run.figures), 'response')}{none}; they are marked in the list of items. "
            f"{judge['source']}."
        )
        if "sample" in judge:
            notes.append(sample_sentence(run.name, judge["model"], judge["sample"]))
    first, second = [*run.figures["rule_sets"], "", ""][:2]
    if run.figures.get("differ") and not is_without_headline(run, first):
        notes.append(f"{run.name}: {first} and {second} differ on {counted(run.figures['differ'], 'item')}.")
    if run.figures.get("notes"):
        counts = ", ".join(f"{count:,} × {name}" for name, count in run.figures["notes"].items())
        notes.append(f"{run.name}: {counts}.")
    notes += usage_note(run.name, run.figures)
    notes += _known_errors(run)
    if settings.protocol_settings:
        notes.append(f"{run.name}: {protocol_settings(settings)}.")
    pooled = {name: entry["pooled"]["value"] for name, entry in run.figures["rule_sets"].items() if "pooled" in entry}
    shown = ", ".join(f"{name} {value:.2f}" for name, value in pooled.items() if value is not None)
    if shown:
        notes.append(f"{run.name}: pooled over items instead of averaged over question types: {shown}.")
    for name, entry in run.figures["rule_sets"].items():
        if entry.get("guessed"):
            notes.append(f"{run.name}: the {name} parser drew {counted(entry['guessed'], 'answer')} at random.")
    notes += frames_note(run.name, run.figures)
    if judge and judge.get("prompt"):
        notes.append(f"{run.name}: {judge['model']} got the instruction: {' '.join(judge['prompt'].split())}")
    notes.append(
        f"{run.name}: {settings.benchmark} {settings.subset}, data {settings.data_hash}{_state(run)}, "
        f"{_shown(run)}, seed {settings.seed}, "
        f"{counted(run.figures['items'], 'item')}, tolman {run.record.tolman}."
    )
    return notes


Emphasis = Literal["best", "second", ""]
LEGEND = "best, and second best, of the models in a column"


def competing(runs: Sequence[LoadedRun]) -> set[str]:
    """The names of the runs that compete: of models, and asked as many questions as any."""
    models = [run for run in runs if not run.record.settings.model.startswith((BASELINES, PEOPLE))]
    most = max((run.figures["items"] for run in models), default=0)
    return {run.name for run in models if run.figures["items"] == most}


def of_all_questions(runs: Sequence[LoadedRun]) -> bool:
    """Check whether runs are of all questions, so that published rows can compete with them."""
    return all(run.record.settings.selection.is_all for run in runs)


def with_ranks(rows: Sequence[ReportRow], columns: Sequence[Column]) -> list[ReportRow]:
    """The same rows with ranks in their figures.

    Args:
        rows: those with `ranked` compete, with others of the same values of labels.
        columns: of the table.

    Returns:
        Rows in the same order; a column with one competitor has no ranks.
    """
    ranks: dict[tuple[int, str], tuple[int, int]] = {}
    for values in dict.fromkeys(row.values for row in rows):
        own = [place for place, row in enumerate(rows) if row.values == values and row.ranked]
        for column in columns:
            found = {place: figure for place in own if (figure := rows[place].figures.get(column.key))}
            of_column = _ranks(found, column)
            for place, rank in of_column.items():
                ranks[place, column.key] = rank, len(of_column)
    return [
        replace(row, figures={key: _ranked(f, ranks.get((place, key))) for key, f in row.figures.items()})
        for place, row in enumerate(rows)
    ]


def _ranked(figure: Figure, rank: tuple[int, int] | None) -> Figure:
    return replace(figure, rank=rank[0] if rank else None, competitors=rank[1] if rank else 0)


def emphasis(row: ReportRow, column: Column) -> Emphasis:
    """How a figure is set off; the second best only where there are three models or more."""
    figure = row.figures.get(column.key)
    if figure is None or figure.rank is None:
        return ""
    return "best" if figure.rank == 1 else "second" if figure.rank == 2 and figure.competitors > 2 else ""


def _ranks(figures: dict[int, Figure], column: Column) -> dict[int, int]:
    whole = {place: figure for place, figure in figures.items() if not figure.missing}
    compared = figures if len({figure.missing for figure in figures.values()}) == 1 else whole
    if len(compared) < 2:
        return {}
    worths = {place: _worth(figure.value, column) for place, figure in compared.items()}
    return {place: 1 + sum(other > worth for other in worths.values()) for place, worth in worths.items()}


def rank_ranges(rows: Sequence[ReportRow], column: Column) -> list[str]:
    """The ranks of a column that its intervals allow, such as '2–4'; '–' for rows that have no rank in it.

    A row is surely behind those whose whole interval is better than its own, and surely ahead of those whose whole
    interval is worse. One without an interval may have any rank. This is wider than paired tests would be.
    """
    spans: dict[int, tuple[float, float]] = {}
    for place, row in enumerate(rows):
        figure = row.figures.get(column.key)
        if figure is not None and figure.rank is not None:
            ends = figure.interval
            worths = [-math.inf, math.inf] if ends is None else [_worth(end, column) for end in (ends.low, ends.high)]
            if ends is not None and direction_of(column) == "zero" and ends.low < 0 < ends.high:
                worths.append(0.0)
            spans[place] = min(worths), max(worths)
    found = ["–"] * len(rows)
    for place, (low, high) in spans.items():
        ahead = sum(other_low > high for other_low, _ in spans.values())
        behind = sum(other_high < low for _, other_high in spans.values())
        first, last = 1 + ahead, len(spans) - behind
        found[place] = str(first) if first == last else f"{first}–{last}"
    return found


def direction_of(column: Column) -> str:
    """Return which values of a column are better: 'higher', 'lower', or those near 'zero'."""
    measures = [leaf.measure for leaf in pools_of([column.node]) if leaf.measure is not None]
    return measures[0].direction if measures else "higher"


def _worth(value: float, column: Column) -> float:
    """A figure as printed, on a scale on which more is better."""
    printed = round(value, column.digits)
    return {"higher": printed, "lower": -printed, "zero": -abs(printed)}[direction_of(column)]


@dataclass(frozen=True)
class Report:
    """A benchmark's table with its rows and remarks.

    Attributes:
        benchmark, subset: of the questions.
        rows: of the table.
        warnings: sentences above it.
        notes: further sentences.
        marks: the meaning of its signs, right below it.
        judge_samples: for each run with a judge and a sample, how far judge and reader agree, as scores.json has it.
        frames_shown: for each run that samples videos, how many items its frames answer, likewise.
        endings: for each run whose model was stopped in answers, how often and by which limit, as scores.json has it.
        further: for each run and scorer the metrics that the user asked for.
        cuts: tables by labels, and under other benchmarks' taxonomies.
        in_rows: headings of `ReportRow.values` in the benchmark's own table.
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
    in_rows: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns in the paper's order."""
        return self.benchmark.table.columns

    @property
    def has_intervals(self) -> bool:
        """Return whether any figure has an interval."""
        return any(figure.interval for row in self.rows for figure in row.figures.values())

    @property
    def table(self) -> ReportTable:
        """Return the benchmark's own table, without its remarks."""
        return ReportTable("", self.columns, self.benchmark.table.headline, self.rows, in_rows=self.in_rows)


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
        rows += _run_rows(run, benchmark, ranked=run.name in ranked)
        marks += marks_of(run, benchmark, run.figures["rule_sets"])
        judge = run.figures.get("judge", {})
        marks += [doubt_sentence(run.name, judge)] if is_doubted(judge) else []
        marks += missing_marks(run.name, run.folder.path, run.figures["rule_sets"], benchmark)
        if "frames_shown" in run.figures:
            frames_shown.append({"run": run.name, **run.figures["frames_shown"]})
        notes += notes_of(run)
    together, said = people_rows(runs, benchmark)
    rows += together
    marks += few_marks(rows, benchmark.table.columns)
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


def _run_rows(run: LoadedRun, benchmark: BenchmarkSpec, *, ranked: bool) -> list[ReportRow]:
    rows: list[ReportRow] = []
    table, headline, part = benchmark.table, benchmark.table.headline, part_of(run, benchmark)
    lost = sum(run.figures["unanswered"].values())
    incomplete = bool(lost) and not run.record.failures_are_wrong
    if incomplete and run.record.settings.repeats == 1:
        part = part or f"{_answers(run.figures):,} of {run.figures['asked']:,}"
    to_quote, judge = quoted(run), run.figures.get("judge", {})
    for name, entry in run.figures["rule_sets"].items():
        unread = stored_unread(entry)
        is_marked = headline in unread and unread[headline].is_marked
        variants = (
            ("cells", name),
            ("expected_cells", f"{name}, expected over random draws"),
            ("expectation_cells", f"{name}, expectation"),
        )
        is_incomplete = incomplete or (name == "judged" and bool(run.figures["judge"]["failed"]))
        for key, rules in variants:
            if key in entry:
                is_headline = name == to_quote and key == "cells"
                rows.append(
                    ReportRow(
                        name=run.name,
                        rules=rules,
                        part=part,
                        models=len(run.figures.get("served", ())),
                        figures=figures_of(entry[key], table),
                        headline=is_headline,
                        incomplete=is_incomplete,
                        ranked=ranked and is_headline and not is_incomplete,
                        unread=unread if key == "cells" else {},
                        marked=headline if key == "cells" and is_marked else "",
                        agreement=agreement_shown(judge) if name == JUDGED else "",
                        doubted=headline if name == JUDGED and is_doubted(judge) else "",
                    )
                )
    return rows
