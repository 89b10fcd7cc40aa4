"""Scoring a run: rows for every item, figures for every rule set, into the run's folder."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import polars as pl

from tolman.benchmarks.base import BenchmarkSpec
from tolman.frames_on_disk import in_sections, joined_frames
from tolman.items import Item
from tolman.models.base import HasExpectation
from tolman.outcomes import Outcomes
from tolman.responses import Outcome, Response
from tolman.runs.folder import RunFolder, RunRecord
from tolman.runs.frames_shown import count_frames_shown
from tolman.runs.outcome_figures import outcome_figures
from tolman.runs.read_ahead import ReadAhead
from tolman.runs.score_rows import PlaceFor, rows_elsewhere
from tolman.scoring import judged
from tolman.scoring.aggregate import Cell, cells, cells_of, prepare
from tolman.scoring.expected import expected_scores
from tolman.scoring.further import further_record
from tolman.scoring.judge_sample import agreement
from tolman.scoring.metric import Metric
from tolman.scoring.metrics_by_name import metrics_named
from tolman.scoring.rules import RuleSet
from tolman.scoring.score import score, score_frames
from tolman.scoring.unread import ReadStates, unread_of


def judged_rules(benchmark: BenchmarkSpec, judgements: judged.Judgements) -> RuleSet:
    """The rule set `judged` for what a judge made of responses."""
    base = benchmark.rule_set(benchmark.judging.base)
    return judged.judged(benchmark.judging, base, judgements.by_response())


def rows_with_metrics(
    folder: RunFolder, benchmark: BenchmarkSpec, scorer: str, metrics: Sequence[Metric]
) -> pl.DataFrame:
    """Score a run's stored responses by one scorer, with the values of metrics; nothing is written.

    Args:
        folder: of the run; with judgements, where the scorer is `judged`.
        benchmark: with the scorer.
        scorer: its name.
        metrics: whose values are computed.

    Returns:
        Rows as those of scores.parquet, with a column for each metric (`aggregate.column_of`).

    Raises:
        UsageError: there is no such scorer.
        InputError: a file of the folder is broken.
    """
    record = folder.record()
    judgements = folder.judgements() if scorer == judged.NAME else None
    rules = benchmark.rule_set(scorer) if judgements is None else judged_rules(benchmark, judgements)
    return score(
        folder.items(),
        folder.outcomes(),
        [rules],
        repeats=record.settings.repeats,
        seed=record.settings.seed,
        failures_are_wrong=record.failures_are_wrong,
        metrics=list(dict.fromkeys([*benchmark.table.metrics, *metrics])),
    )


def score_run(
    folder: RunFolder,
    benchmark: BenchmarkSpec,
    record: RunRecord,
    items: Sequence[Item],
    outcomes: Iterable[Outcome] | Outcomes,
    *,
    expectation: HasExpectation | None = None,
    metrics: Sequence[str] = (),
    read_ahead: ReadAhead | None = None,
    workers: PlaceFor | None = None,
) -> dict[str, Any]:
    """Score outcomes and write scores.parquet and scores.json; where the folder has judgements, with `judged`.

    Args:
        folder: of the run.
        benchmark, record, items, outcomes, expectation: as in `compute_scores`.
        metrics: names of metrics whose figures are added for each question type; those that scores.json has where
            none is named.
        read_ahead: what was read already.
        workers: where responses are read, by how many rows there are; here where None.

    Returns:
        What scores.json holds.

    Raises:
        UsageError: one of the metrics is unknown.
    """
    scored = _Scoring(
        benchmark,
        record,
        items,
        outcomes,
        judgements=folder.judgements(),
        expectation=expectation,
        metrics=metrics or folder.further_metrics(),
        read_ahead=read_ahead,
        workers=workers,
    )
    with joined_frames(scored.frames(), folder.path) as rows:
        figures = scored.figures(rows)
        folder.write_scores(rows, figures)
    return figures


def _rules_of(benchmark: BenchmarkSpec, record: RunRecord) -> list[RuleSet]:
    """The rule sets of a run's preset; of another program's log also that program's, where the benchmark has it."""
    found = benchmark.rule_sets_of(record.settings.preset)
    program = record.settings.model_settings.get("program")
    names = [rules.name for rules in found]
    return [*found, *(rules for rules in benchmark.rule_sets if rules.name == program and program not in names)]


def compute_scores(
    benchmark: BenchmarkSpec,
    record: RunRecord,
    items: Sequence[Item],
    outcomes: Iterable[Outcome] | Outcomes,
    *,
    judgements: judged.Judgements | None = None,
    expectation: HasExpectation | None = None,
    scorer: str | None = None,
    metrics: Sequence[str] = (),
    read_ahead: ReadAhead | None = None,
    workers: PlaceFor | None = None,
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Score outcomes; nothing is read or written.

    Args:
        benchmark: with the rule sets and the table.
        record: of the run.
        items: the questions.
        outcomes: responses and failures.
        judgements: of a judge, for the rule set `judged`.
        expectation: a random answerer, whose expected figures are added.
        scorer: the one scorer to use; those of the run's preset, and of plugins, where None.
        metrics: names of metrics whose figures are added for each question type.
        read_ahead: what was read already.
        workers: where responses are read, by how many rows there are; here where None.

    Returns:
        The rows of scores.parquet and the figures of scores.json.

    Raises:
        UsageError: there is no such scorer or metric.
    """
    scored = _Scoring(
        benchmark,
        record,
        items,
        outcomes,
        judgements=judgements,
        expectation=expectation,
        scorer=scorer,
        metrics=metrics,
        read_ahead=read_ahead,
        workers=workers,
    )
    rows = in_sections(scored.frames())
    return rows, scored.figures(rows.lazy())


class _Scoring:
    """What `compute_scores` does, in two steps, between which the rows may lie on the disk; the arguments are its."""

    def __init__(
        self,
        benchmark: BenchmarkSpec,
        record: RunRecord,
        items: Sequence[Item],
        outcomes: Iterable[Outcome] | Outcomes,
        *,
        judgements: judged.Judgements | None,
        expectation: HasExpectation | None,
        scorer: str | None = None,
        metrics: Sequence[str],
        read_ahead: ReadAhead | None,
        workers: PlaceFor | None,
    ) -> None:
        self._benchmark, self._record, self._items = benchmark, record, items
        self._judgements, self._expectation = judgements, expectation
        self._came = outcomes if isinstance(outcomes, Outcomes) else Outcomes.of(outcomes)
        own_rules = [benchmark.rule_set(scorer)] if scorer else _rules_of(benchmark, record)
        rules = [*own_rules, *(() if scorer else benchmark.further_rule_sets())]
        if read_ahead is not None:
            own_rules = [read_ahead.remembering(one) for one in own_rules]
            rules = [read_ahead.remembering(one) for one in rules]
        if judgements is not None:
            by_judge = judged_rules(benchmark, judgements)
            own_rules, rules = [*own_rules, by_judge], [*rules, by_judge]
        self._own_rules, self._rules = own_rules, rules
        self._names, self._asked = metrics, metrics_named(metrics)
        self._measures = list(dict.fromkeys([*benchmark.table.metrics, *self._asked]))
        self._workers = None if workers is None else workers(len(items) * record.settings.repeats * len(rules))

    def frames(self) -> Iterator[tuple[int, pl.DataFrame]]:
        """The rows, in parts, each with the number of its rule set."""
        record, workers = self._record, self._workers
        elsewhere = (
            None
            if workers is None
            else partial(rows_elsewhere, record, self._rules, self._names, self._measures, workers)
        )
        return score_frames(
            self._items,
            self._came,
            self._rules,
            repeats=record.settings.repeats,
            seed=record.settings.seed,
            failures_are_wrong=record.failures_are_wrong,
            metrics=self._measures,
            rows_of=elsewhere,
        )

    def figures(self, rows: pl.LazyFrame) -> dict[str, Any]:
        """What scores.json holds.

        Args:
            rows: all parts; those of one rule set at a time are held, without what only people read.
        """
        benchmark, record, items = self._benchmark, self._record, self._items
        own_rules, rules, asked, judgements = self._own_rules, self._rules, self._asked, self._judgements
        said = self._came.values()
        figures: dict[str, Any] = {"tolman": record.tolman, "settings": record.settings.model_dump(mode="json")}
        figures["items"] = len(items)
        figures["asked"] = len(items) * record.settings.repeats
        figures["unanswered"] = count_unanswered(rows, rules[0].name)
        told = outcome_figures(said, rows)
        figures["failures"] = told.pop("failures")
        frames_shown = count_frames_shown(record, items)
        if frames_shown:
            figures["frames_shown"] = frames_shown
        figures |= told
        figures["rule_sets"] = {}
        by_metrics: dict[str, Any] = {}
        for rule_set in rules:
            own = _rows_of(rows, rule_set.name).drop(_TOLD).collect()
            table = benchmark.table_of(rule_set.name)
            data = prepare(own, table)
            entry: dict[str, Any] = {"cells": _plain(cells_of(data, table))}
            entry["unread"] = {key: asdict(one) for key, one in unread_of(data, ReadStates.of(own), table).items()}
            del data
            guessed = int(own["guessed"].sum())
            if guessed:
                entry["guessed"] = guessed
                entry["expected_cells"] = _plain(cells(own, table, column="expected"))
            figures["rule_sets"][rule_set.name] = entry
            if asked and len(own):
                by_metrics[rule_set.name] = further_record(own, asked)
            del own  # before the next one's are read
        if len(own_rules) > 1:
            figures["differ"] = count_differing(rows, own_rules[0].name, own_rules[1].name)
        if asked:
            figures["metrics"] = by_metrics
        if judgements is not None:
            figures["judge"] = _judge(judgements, rows)
            if judgements.sample is not None:
                figures["judge"]["sample"] = _agreement(judgements.sample, benchmark, items, said)
        if self._expectation is not None:
            answers = {item.id: self._expectation.distribution(item) for item in items}
            expected = expected_scores(items, answers, rules, benchmark.table.metrics)
            for rule_set in rules:
                mean = expected.filter(pl.col("rule_set") == rule_set.name)
                figures["rule_sets"][rule_set.name]["expectation_cells"] = _plain(
                    cells(mean, benchmark.table_of(rule_set.name))
                )
        return figures


_TOLD = ("rule_set", "id", "reading", "note", "span_start", "span_end", "rule")
"""Columns that no figure is made of."""


def _rows_of(rows: pl.LazyFrame, rule_set: str) -> pl.LazyFrame:
    """The rows of one rule set."""
    return rows.filter(pl.col("rule_set") == rule_set)


def _judge(judgements: judged.Judgements, rows: pl.LazyFrame) -> dict[str, Any]:
    """Who judged, how many responses, how many of them hold no answer, and the judgements that failed."""
    own = _rows_of(rows, judged.NAME).select("judged", "status", "reading", "note").collect()
    read, failed = own.filter(pl.col("judged")), own.filter(pl.col("status") == "unjudged")
    return {
        "model": judgements.judge,
        "settings": judgements.settings,
        "source": judgements.source,
        "judged": len(read),
        "no_answer": int((read["reading"] == "").sum()),
        "failed": len(failed),
        "example": failed["note"][0] if len(failed) else "",
        "input_tokens": judgements.usage.input_tokens,
        "output_tokens": judgements.usage.output_tokens,
    } | ({} if judgements.cost is None else {"cost": judgements.cost})


def _agreement(
    sample: judged.JudgedSample, benchmark: BenchmarkSpec, items: Sequence[Item], outcomes: Collection[Outcome]
) -> dict[str, Any]:
    """What was sampled, and how far reader and judge agree on it."""
    texts = ((outcome.id, outcome.response) for outcome in outcomes if isinstance(outcome, Response))
    found = agreement(sample, benchmark.rule_set(sample.reader), {item.id: item for item in items}, texts)
    interval = found.interval
    return {
        "reader": sample.reader,
        "seed": sample.seed,
        "size": sample.size,
        "readable": sample.readable,
        "sampled": len(sample.judgements),
        **asdict(found),
        "share": found.share,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }


def count_unanswered(rows: pl.LazyFrame, rule_set: str) -> dict[str, int]:
    """How many askings failed, and how many brought no outcome at all, by the rows of one rule set."""
    status = _rows_of(rows, rule_set).select("status").collect()["status"]
    return {name: int((status == name).sum()) for name in ("failed", "missing")}


def count_differing(rows: pl.LazyFrame, one: str, other: str) -> int:
    """The number of items that two rule sets, whose rows are in the same order, score differently."""
    left, right = (_rows_of(rows, name).select("score", "task").collect() for name in (one, other))
    same = left["score"].eq_missing(right["score"]) & (left["task"] == right["task"])
    return int((~same).sum())


def _plain(found: Mapping[str, Cell]) -> dict[str, Any]:
    return {key: asdict(cell) for key, cell in found.items()}
