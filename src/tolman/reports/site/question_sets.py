"""Question sets of the explorer: runs grouped by their questions, and the tables and the index of each group.

Tables are the benchmark's own with published rows, and those by labels. The index has a column for each property by
which the list filters and sorts, in codes and numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from tolman.analyze.labels import all_labels, in_order
from tolman.items import Item
from tolman.reports.loaded_runs import LoadedRun, quoted, scores_under
from tolman.reports.reference_rows import Published
from tolman.reports.report_content import LEGEND, Report, build, direction_of, emphasis, marks_of, warnings_of
from tolman.reports.site.site_media import seen_by
from tolman.reports.table_rows import (
    BOUNDS_LABEL,
    SHARES_LABEL,
    ReportRow,
    ReportTable,
    doubt_sentence,
    few_marks,
    is_doubted,
    missing_intervals,
    missing_marks,
    needs_row,
    unread_bounds,
    unread_described,
    unread_shares,
)
from tolman.reports.text import first_cells, heads, interval_shown, shown, values_shown
from tolman.runs.run_folder import BASELINES, PEOPLE, is_blind, same_benchmark
from tolman.scoring.score_table import Column, pools_of


@dataclass(frozen=True)
class QuestionSet:
    """Runs of the same questions.

    Attributes:
        key: of its scripts.
        report: their table.
        runs: one or more.
        items: those of the first run, then those that only later runs have.
        own: each run's own questions; runs whose files are equal share them.
    """

    key: str
    report: Report
    runs: Sequence[LoadedRun]
    items: Sequence[Item]
    own: Sequence[list[Item]]
    places: dict[str, int] = field(default_factory=dict)

    @cached_property
    def labels(self) -> tuple[pl.DataFrame, dict[str, int]]:
        """The values of its questions' labels; see `analyze.labels.all_labels`."""
        return all_labels(self.items)

    def items_of(self, run: LoadedRun) -> list[Item]:
        """Return the questions of one of its runs."""
        return next(own for one, own in zip(self.runs, self.own, strict=True) if one is run)

    @property
    def title(self) -> str:
        """Return the title of its pages."""
        return f"{self.report.benchmark.title} · {self.report.subset}"


def question_sets(
    runs: Sequence[LoadedRun], left_out: Sequence[str] = (), published: Published = "newest"
) -> list[QuestionSet]:
    """Group runs by benchmark, subset and data, in the order in which the groups first appear.

    Args:
        runs: one or more, with scores.
        left_out: a sentence for each run that should be there and has no scores; it is above the first table.
        published: which published rows are next to the runs.
    """
    found = []
    for number, group in enumerate(_groups(runs)):
        own = _items_of(group)
        items: dict[str, Item] = {}
        for held in {id(each): each for each in own}.values():
            for item in held:
                items.setdefault(item.id, item)
        report = build(group, published, left_out if number == 0 else ())
        places = {identity: place for place, identity in enumerate(items)}
        found.append(QuestionSet(f"s{number}", report, group, list(items.values()), own, places))
    return found


def _items_of(runs: Sequence[LoadedRun]) -> list[list[Item]]:
    """The questions of each run, read once from files that are equal."""
    read: dict[bytes, list[Item]] = {}
    found = []
    for run in runs:
        path = run.folder.path / "items.parquet"
        content = hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b""
        if content not in read:
            read[content] = run.folder.items()
        found.append(read[content])
    return found


def first_set(runs: Sequence[LoadedRun]) -> list[LoadedRun]:
    """Return the runs with the same questions as the first of them."""
    return _groups(runs)[0]


def _groups(runs: Sequence[LoadedRun]) -> list[list[LoadedRun]]:
    groups: list[list[LoadedRun]] = []
    for run in runs:
        for group in groups:
            if _same(group[0], run):
                group.append(run)
                break
        else:
            groups.append([run])
    return groups


def _same(one: LoadedRun, other: LoadedRun) -> bool:
    a, b = one.record.settings, other.record.settings
    return same_benchmark(a.benchmark, b.benchmark) and (a.subset, a.data_hash) == (b.subset, b.data_hash)


ORACLE = "baseline/oracle"
MOST_PARTS = 24
"""Values of a label that a table is made for if nobody asks for it."""
NOT_CUT = ("scene", "answer")
"""Labels that no table is made for unasked: too many values, or values that say nothing of the questions."""


def board_of(one: QuestionSet, tables: Sequence[ReportTable] = ()) -> dict[str, Any]:
    """The tables of a question set.

    Args:
        one: the set.
        tables: further ones, by labels and under other benchmarks' taxonomies.
    """
    report = one.report
    models = {run.name: run.record.settings.model for run in one.runs}
    return {
        "title": one.title,
        "credits": report.benchmark.credits,
        "warnings": report.warnings,
        "marks": report.marks,
        "notes": report.notes,
        "legend": LEGEND,
        "unread": [SHARES_LABEL, BOUNDS_LABEL],
        "table": table_of(report.table, models),
        "tables": [table_of(table, models) for table in tables],
        "further": [
            {
                "title": further.title,
                "headings": list(further.headings),
                "rows": [
                    [name, [_further(cells, column) for column in further.columns]]
                    for name, cells in further.rows.items()
                ],
                "notes": list(further.notes),
            }
            for further in report.further
        ],
        "settings": [[run.name, run.record.model_dump_json(indent=2)] for run in one.runs],
        "doubts": [_doubts(run, report) for run in one.runs],
    }


def _doubts(run: LoadedRun, report: Report) -> list[str]:
    """Return the sentences that qualify a run's headline: parts, failures, unread answers, few scenes, mixed models."""
    benchmark, rules, judge = report.benchmark, quoted(run), run.figures.get("judge", {})
    own = {rules: run.figures["rule_sets"][rules]}
    headline = [benchmark.table.column(benchmark.table.headline)]
    rows = [row for row in report.rows if row.headline and row.name == run.name]
    return [
        *warnings_of([run], benchmark),
        *marks_of(run, benchmark, own),
        *([doubt_sentence(run.name, judge)] if is_doubted(judge) else []),
        *missing_marks(run.name, run.folder.path, own, benchmark, [benchmark.table.headline]),
        *few_marks(rows, headline),
        *missing_intervals(rows, headline),
    ]


def _further(cells: Any, column: Any) -> list[str]:
    cell = cells.get(column)
    return [] if cell is None else [cell.shown, cell.interval_shown, cell.count]


def table_of(table: ReportTable, models: Mapping[str, str]) -> dict[str, Any]:
    """Return one table; a column for a value of a label names it.

    Args:
        table: of a report.
        models: name of each run → its model.
    """
    return {
        "title": table.title,
        "headline": table.headline,
        "heads": ["Scorer" if head == "Rules" else head for head in heads(table)],
        "label": table.by[-1] if table.across else None,
        "columns": [
            {
                "key": column.key,
                "title": column.title,
                "group": column.group,
                "unit": column.unit,
                "value": table.column_values.get(column.key),
                "direction": direction_of(column),
            }
            for column in table.columns
        ],
        "rows": [_row(table, row, models) for row in table.rows],
        "marks": table.marks,
        "notes": table.notes,
    }


def reference_of(model: str) -> str:
    """Return 'chance', 'people' or 'oracle' for a model that others are compared with, 'baseline' for the detector, ''
    for all others."""
    if model.startswith(PEOPLE):
        return "people"
    if model == ORACLE:
        return "oracle"
    return "" if not model.startswith(BASELINES) else "chance" if is_blind(model) else "baseline"


def _row_reference(row: ReportRow, models: Mapping[str, str]) -> str:
    if row.group != "run":
        return {"human": "people", "chance": "chance"}.get(row.group, "")
    return "people" if row.name.startswith("people, ") else reference_of(models.get(row.name, ""))


def _row(table: ReportTable, row: ReportRow, models: Mapping[str, str]) -> dict[str, Any]:
    first = first_cells(table, row)
    is_unread = needs_row(row.unread, table.columns)
    return {
        "first": first,
        "name": row.name,
        "group": row.group,
        "source": row.source,
        "headline": row.headline,
        "signs": list(row.signs),
        "run": [*models].index(row.name) if row.group == "run" and row.name in models else None,
        "reference": _row_reference(row, models),
        "cells": [_cell(row, column) for column in table.columns],
        "between": [*values_shown(row), row.rules, *[""] * (len(first) - 2 - len(row.values))] if is_unread else [],
        "unread": [
            [unread_shares(row.unread.get(column.key)), unread_bounds(row.unread.get(column.key), column)]
            for column in table.columns
        ]
        if is_unread
        else [],
    }


def _cell(row: ReportRow, column: Column) -> dict[str, Any] | None:
    figure = row.figures.get(column.key)
    if figure is None:
        return None
    return {
        "value": figure.value,
        "shown": shown(row, column),
        "interval": interval_shown(row, column),
        "low": figure.interval.low if figure.interval else None,
        "high": figure.interval.high if figure.interval else None,
        "n": figure.n,
        "mark": emphasis(row, column),
        "rank": figure.rank,
        "of": figure.competitors,
        "said": unread_described(row.unread.get(column.key)),
    }


def cut_labels(one: QuestionSet) -> list[str]:
    """Return the labels that tables are made for by default."""
    _, counts = one.labels
    return [name for name, count in counts.items() if count <= MOST_PARTS and name not in NOT_CUT]


SCALE = 1000
"""A score of 1, as the index has it."""
NO_SCORE = -1
STATES = {"read": "r", "none": "n", "cut off": "c"}
STATUSES = {"failed": "f", "missing": "m", "left out": "l", "unjudged": "u"}
NOT_ASKED = "."
SCORED = "s"
"""Scored by a version that didn't say how the answer was read."""
MOST_VALUES = 400
"""Values of a label that a page offers to choose from; one with more can be searched for."""
_ALWAYS = ("task", "scene")


def index_of(one: QuestionSet, shards: Mapping[str, Any], tokens: Sequence[list[int]]) -> dict[str, Any]:
    """The index of a question set.

    Args:
        one: the set.
        shards: where its questions, answers, media and plans are, as the page takes it.
        tokens: of each run's outputs, for each item.
    """
    return {
        "title": one.title,
        "ids": [item.id for item in one.items],
        "labels": label_columns(one),
        "columns": _task_columns(one),
        "runs": [run_column(one, run, own) for run, own in zip(one.runs, tokens, strict=True)],
        "shards": shards,
    }


def _task_columns(one: QuestionSet) -> list[dict[str, Any]]:
    """Return the columns of the set's table that are of some of its question types, with these types."""
    present = {item.task for item in one.items}
    found = []
    for column in one.report.columns:
        tasks = present & {task for leaf in pools_of([column.node]) for task in leaf.tasks or present}
        if tasks and tasks != present:
            found.append({"key": column.key, "title": column.title, "tasks": sorted(tasks)})
    return found


MOST_CHARACTERS = 40
"""Of an answer that is compared with the true one."""
MOST_CATEGORIES = 8
"""Distinct texts of a question type's options that are compared as such; where there are more, letters are."""


def readings_of(one: QuestionSet) -> dict[str, Any]:
    """The true answer of each item and the answer read of each run, for confusion matrices and scatter plots.

    Returns:
        `numbers`: 1 for each item that asks for a number; `truth`: its answer; `runs`: for each run the reading of its
        headline's scorer, '' where there is none. Choices are texts of options where a question type has few of them.
    """
    texts: dict[str, set[str]] = {}
    for item in one.items:
        texts.setdefault(item.task, set()).update(item.options)

    def said(item: Item, answer: str) -> str:
        place = ord(answer) - ord("A") if len(answer) == 1 else -1
        if 0 <= place < len(item.options) and len(texts[item.task]) <= MOST_CATEGORIES:
            return item.options[place]
        return answer

    runs = []
    for run in one.runs:
        first = scores_under(run, quoted(run)).filter(pl.col("repeat") == 0)
        read = dict(first.select("id", "reading").iter_rows())
        runs.append([said(item, (read.get(item.id) or "")[:MOST_CHARACTERS]) for item in one.items])
    return {
        "numbers": [int(item.kind == "number") for item in one.items],
        "truth": [said(item, item.answer[:MOST_CHARACTERS]) for item in one.items],
        "runs": runs,
    }


def label_columns(one: QuestionSet) -> list[dict[str, Any]]:
    """Return the labels in which some items differ, each with its values and a code for each item."""
    frame, counts = one.labels
    carried = {name for item in one.items for name in item.labels}
    names = [*(name for name in _ALWAYS if name in counts), *(name for name in counts if name not in _ALWAYS)]
    kept = [name for name in names if counts[name] <= MOST_VALUES or name == "scene"]
    found = []
    for name in kept:
        values = in_order(frame[name].unique().to_list())
        codes = {value: code for code, value in enumerate(values)}
        column = {"name": name, "values": values, "codes": [codes[value] for value in frame[name]]}
        found.append({**column, "derived": name not in carried})
    return found


def run_column(one: QuestionSet, run: LoadedRun, tokens: list[int]) -> dict[str, Any]:
    """Return a run's data on each item: scores under each scorer, how its answer was read, the tokens of its output.

    For a run with several samples these are the first one's; `samples` counts all of them.
    """
    every = run.folder.scores()
    scores = every.filter(pl.col("repeat") == 0)
    scorers = list(run.figures["rule_sets"])
    places = one.places
    by_scorer = {scorer: [NO_SCORE] * len(one.items) for scorer in scorers}
    states = [NOT_ASKED] * len(one.items)
    judged: set[int] = set()
    columns = ("rule_set", "id", "score", "status", "state", "judged")
    for scorer, identity, score, status, state, was_judged in scores.select(columns).iter_rows():
        place = places.get(identity)
        if place is None or scorer not in by_scorer:
            continue
        if score is not None:
            by_scorer[scorer][place] = round(score * SCALE)
        if was_judged or status == "unjudged":
            judged.add(place)
        if scorer == scorers[0]:
            states[place] = STATES.get(state or "") or STATUSES.get(status, SCORED)
    return {
        "name": run.name,
        "model": run.record.settings.model,
        "protocol": run.record.settings.protocol,
        "reference": reference_of(run.record.settings.model),
        "scorers": scorers,
        "scores": [by_scorer[scorer] for scorer in scorers],
        "states": "".join(states),
        "judged": sorted(judged),
        "tokens": tokens,
        "seen": seen_by(run.record).to_json(),
        **sample_counts(every, scorers, places),
    }


def sample_counts(scores: pl.DataFrame, scorers: Sequence[str], places: Mapping[str, int]) -> dict[str, Any]:
    """For a run with several samples, `samples`: how many each item has, and how many of them each scorer found right;
    nothing for another run.
    """
    if not (scores["repeat"] > 0).any():
        return {}
    of, right = [0] * len(places), [[0] * len(places) for _ in scorers]
    counted = scores.group_by("rule_set", "id").agg(pl.len().alias("of"), (pl.col("score") >= 1).sum().alias("right"))
    for scorer, identity, count, fully in counted.select("rule_set", "id", "of", "right").iter_rows():
        place = places.get(identity)
        if place is not None and scorer in scorers:
            of[place] = count
            right[scorers.index(scorer)][place] = fully
    return {"samples": {"of": of, "right": right}}
