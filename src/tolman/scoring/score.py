"""Scoring: items and outcomes in, one row for each item and rule set out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

import polars as pl

from tolman.errors import UsageError
from tolman.frames_on_disk import in_sections
from tolman.items import Item
from tolman.outcomes import Key, Outcomes
from tolman.responses import Failure, Outcome, Response
from tolman.scoring.groups import join_groups
from tolman.scoring.metric import Metric
from tolman.scoring.reading import ParsedAnswer
from tolman.scoring.rules import RuleSet, check_defined, draw_of, has_groups
from tolman.scoring.score_frame import AT_ONCE, NO_READING, ScoreRow, frame_of, head_of, known
from tolman.scoring.states import chance, state_of

Status = Literal["scored", "left out", "failed", "missing", "unjudged"]


def score(
    items: Sequence[Item],
    outcomes: Iterable[Outcome] | Outcomes,
    rule_sets: Iterable[RuleSet],
    *,
    repeats: int = 1,
    seed: int = 0,
    failures_are_wrong: bool = False,
    metrics: Sequence[Metric] = (),
) -> pl.DataFrame:
    """Score every item under every rule set.

    Args:
        items: the questions.
        outcomes: responses and failures; an item without any is 'missing'.
        rule_sets: the rules.
        repeats: how often each item was to be asked; an asking without outcome is 'missing'.
        seed: for released parsers that draw at random.
        failures_are_wrong: the user's own decision to score failed and missing items 0.
        metrics: whose values are computed besides the rule sets' scores.

    Returns:
        A frame with the columns of `score_frame.SCHEMA`, and one for each metric (`aggregate.column_of`); for each rule
        set the items in their order, then repeats.

    Raises:
        UsageError: a rule set has no score for an item, as for a relative error of 0.
    """
    found = outcomes if isinstance(outcomes, Outcomes) else Outcomes.of(outcomes)
    return in_sections(
        score_frames(
            items, found, list(rule_sets), repeats=repeats, seed=seed, failures_are_wrong=failures_are_wrong,
            metrics=metrics,
        )
    )  # fmt: skip


def score_frames(
    items: Sequence[Item],
    outcomes: Outcomes,
    rule_sets: Sequence[RuleSet],
    *,
    repeats: int = 1,
    seed: int = 0,
    failures_are_wrong: bool = False,
    metrics: Sequence[Metric] = (),
    rows_of: RowsOf | None = None,
) -> Iterator[tuple[int, pl.DataFrame]]:
    """The frame of `score` in parts, some thousand rows each, from one pass over the items.

    Items that count as a group are joined over all rows, which are in one part then.

    Args:
        items, outcomes, rule_sets, repeats, seed, failures_are_wrong, metrics: as `score`'s.
        rows_of: makes the rows of parts of the items elsewhere; here where None.

    Yields:
        The number of the rule set, and some of its rows; an empty frame first.

    Raises:
        UsageError: as `score`, before the rows of the part that has the item.
    """

    def rows_here(parts: Iterator[Part]) -> Iterator[Sequence[Iterable[ScoreRow]]]:
        return (score_part(part, rule_sets, repeats, seed, failures_are_wrong, metrics) for part in parts)

    parts = _parts(items, outcomes, rule_sets, repeats)
    frames = _frames_of((rows_of or rows_here)(parts), metrics)
    if has_groups(items, rule_sets):
        yield 0, join_groups(in_sections(frames), items, rule_sets, metrics)
    else:
        yield from frames


Part = tuple[list[Item], dict[Key, Outcome]]
"""Some items, and what came back for them."""
RowsOf = Callable[[Iterator[Part]], Iterator[Sequence[Iterable[ScoreRow]]]]
"""For each part, the rows of each rule set."""


def _parts(items: Sequence[Item], outcomes: Outcomes, rule_sets: Sequence[RuleSet], repeats: int) -> Iterator[Part]:
    rest = iter(items)
    while some := list(islice(rest, max(1, AT_ONCE // max(1, repeats * len(rule_sets))))):
        try:
            check_defined(some, rule_sets)
        except UsageError:
            check_defined(items, rule_sets)  # names the first item of the first rule set
            raise
        keys = ((item.id, repeat) for item in some for repeat in range(repeats))
        yield some, {key: outcomes[key] for key in keys if key in outcomes}


def score_part(
    part: Part,
    rule_sets: Iterable[RuleSet],
    repeats: int,
    seed: int,
    failures_are_wrong: bool,
    metrics: Sequence[Metric],
) -> list[Iterator[ScoreRow]]:
    """The rows of some items under each rule set, groups not yet joined; the arguments are those of `score`."""
    items, outcomes = part
    wrong = failures_are_wrong
    return [score_rows(items, outcomes, rules, repeats, seed, wrong, metrics) for rules in rule_sets]


def score_rows(
    items: Iterable[Item],
    outcomes: Mapping[Key, Outcome],
    rules: RuleSet,
    repeats: int,
    seed: int,
    failures_are_wrong: bool,
    metrics: Sequence[Metric],
) -> Iterator[ScoreRow]:
    """The rows of some items under one rule set, groups not yet joined; the arguments are those of `score`."""
    for item in items:
        for repeat in range(repeats):
            outcome = outcomes.get((item.id, repeat))
            yield _row(rules, item, outcome, repeat, seed, failures_are_wrong, metrics)


def _frames_of(
    parts: Iterable[Sequence[Iterable[ScoreRow]]], metrics: Sequence[Metric]
) -> Iterator[tuple[int, pl.DataFrame]]:
    yield 0, frame_of((), metrics)
    for part in parts:
        for section, rows in enumerate(part):
            yield section, frame_of(rows, metrics)


def _row(
    rules: RuleSet, item: Item, outcome: Outcome | None, repeat: int, seed: int, failures_are_wrong: bool,
    metrics: Sequence[Metric],
) -> tuple[object, ...]:  # fmt: skip
    head = head_of(rules, item, repeat)
    nothing_read = (None,) * len(metrics) if metrics else ()
    if isinstance(outcome, Response):
        if not rules.counts(item, outcome.response):
            note = "left out of the denominators"
            return (*head, "left out", "", note, False, False, None, None, *NO_READING, None, *nothing_read)
        reading = rules.read(item, outcome.response, draw_of(seed, repeat))
        if reading.failed:
            return (*head, "unjudged", "", reading.note, False, False, None, None, *NO_READING, None, *nothing_read)
        value = rules.score(item, reading)
        expected = 1 / len(item.options) if reading.guessed else value
        state = state_of(outcome, reading)
        start, end = reading.span or (None, None)
        at_chance = value if state == "read" else chance(item)
        return (
            *head, "scored", reading.text, reading.note, reading.guessed, reading.judged, value, expected, state, start,
            end, reading.rule, at_chance, *(_values(metrics, item, reading) if metrics else ()),
        )  # fmt: skip
    note = f"{outcome.kind}: {outcome.message}" if isinstance(outcome, Failure) else "no response"
    status: Status = "failed" if outcome else "missing"
    value_or_none = 0.0 if failures_are_wrong else None
    further = _values(metrics, item, ParsedAnswer(None)) if failures_are_wrong else nothing_read
    return (*head, status, "", note, False, False, value_or_none, value_or_none, *NO_READING, value_or_none, *further)


def _values(metrics: Sequence[Metric], item: Item, reading: ParsedAnswer) -> tuple[float | None, ...]:
    """The values of metrics: None where the metric isn't for the item, nan where it has no value for it."""
    found = ((metric.applies(item), metric.value) for metric in metrics)
    return tuple(known(value(item, reading)) if applies else None for applies, value in found)
