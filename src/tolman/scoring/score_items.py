"""Scoring: items and outcomes in, one row for each item and rule set out.

- The frame of the scores has fixed columns.
- Questions that count as one are a group, whose rows are joined.
- A random answerer has an expected score in closed form.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

import polars as pl

from tolman.errors import UsageError
from tolman.forks import check_fork
from tolman.item_table import in_sections
from tolman.items import Item
from tolman.responses import Failure, Key, Outcome, Outcomes, Response
from tolman.scoring.aggregate import column_of
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.item_kind import equal_answers, kind_of
from tolman.scoring.metrics import Metric
from tolman.scoring.response_states import chance, state_of
from tolman.scoring.rule_sets import RuleSet, check_defined, draw_of, has_groups, score_exactly

SCHEMA = {
    "rule_set": pl.String,
    "id": pl.String,
    "repeat": pl.Int32,
    "task": pl.String,
    "cluster": pl.String,
    "options": pl.Int32,
    "status": pl.String,
    "reading": pl.String,
    "note": pl.String,
    "guessed": pl.Boolean,
    "judged": pl.Boolean,
    "score": pl.Float64,
    "expected": pl.Float64,
    "state": pl.String,
    "span_start": pl.Int64,
    "span_end": pl.Int64,
    "rule": pl.String,
    "at_chance": pl.Float64,
}
"""Columns of a frame of scores. `score` is null unless `status` is 'scored'. `expected` equals it, but for an
answer that a released parser drew at random, where it is the probability that such a draw is right. 'unjudged' is a
response whose judgement failed: whatever the user says of failures, it is none of the model's. `state` is 'read',
'none' or 'cut off' (`scoring.response_states`) for a response that counts, else null. `span_start` and `span_end` are
where the answer was read in its text, in characters; `rule` is what read it. `at_chance` equals `score`, but for a
response in another state than 'read', where it is the expected score of a random answer."""

ScoreRow = tuple[object, ...]
"""A row: the values of `SCHEMA` and of metrics, in their order."""
ADDED = ("state", "span_start", "span_end", "rule", "at_chance")
"""Columns that frames of earlier versions lack."""


AT_ONCE = 1024
"""Rows that are Python objects at a time: they take ten times the memory that they take in a frame."""


NO_READING = (None, None, None, "")
"""State, span and rule where there is no response to be read."""


def head_of(rules: RuleSet, item: Item, repeat: int) -> tuple[str, str, int, str, str, int]:
    """Return the first values of a row, which name the scored item and the rules."""
    return rules.name, item.id, repeat, rules.task(item), item.cluster, len(item.options) or equal_answers(item)


def known(value: float | None) -> float:
    """A metric's value as a frame has it: nan where there is none."""
    return math.nan if value is None else value


def frame_of(rows: Iterable[ScoreRow], metrics: Sequence[Metric] = ()) -> pl.DataFrame:
    """Rows as a frame, built by column, which takes a third of the time."""
    check_fork()
    schema = SCHEMA | {column_of(metric): pl.Float64 for metric in metrics}
    rest, frames = iter(rows), [pl.DataFrame(schema=schema)]
    while some := list(islice(rest, AT_ONCE)):
        frames.append(pl.DataFrame(dict(zip(schema, zip(*some, strict=True), strict=True)), schema=schema))
    return pl.concat(frames)


def with_all_columns(scores: pl.LazyFrame) -> pl.LazyFrame | None:
    """A stored frame with the columns of `SCHEMA`; those that earlier versions lacked are null.

    Returns:
        None where it is no frame of scores.
    """
    columns = scores.collect_schema().names()
    lacking = [name for name in SCHEMA if name not in columns]
    if not set(lacking) <= set(ADDED) or not set(columns) <= set(SCHEMA):
        return None
    return scores.with_columns(pl.lit(None, SCHEMA[name]).alias(name) for name in lacking).select(list(SCHEMA))


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
        A frame with the columns of `SCHEMA`, and one for each metric (`aggregate.column_of`); for each rule
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
    metrics = () if rules.marks else metrics
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
            end, reading.rule, at_chance, *(_values(metrics, item, reading) if metrics else nothing_read),
        )  # fmt: skip
    note = f"{outcome.kind}: {outcome.message}" if isinstance(outcome, Failure) else "no response"
    status: Status = "failed" if outcome else "missing"
    value_or_none = 0.0 if failures_are_wrong else None
    further = _values(metrics, item, ParsedAnswer(None)) if failures_are_wrong and metrics else nothing_read
    return (*head, status, "", note, False, False, value_or_none, value_or_none, *NO_READING, value_or_none, *further)


def _values(metrics: Sequence[Metric], item: Item, reading: ParsedAnswer) -> tuple[float | None, ...]:
    """The values of metrics: None where the metric isn't for the item, nan where it has no value for it."""
    found = ((metric.applies(item), metric.value) for metric in metrics)
    return tuple(known(value(item, reading)) if applies else None for applies, value in found)


def join_groups(
    scores: pl.DataFrame, items: Sequence[Item], rule_sets: Sequence[RuleSet], metrics: Sequence[Metric] = ()
) -> pl.DataFrame:
    """Let the first item of each group of a rule set represent the group, with the least of its scores. A group with
    a failed call has failed, whatever that is scored; else it is missing, or without a judgement, where one of its
    items is. A group counts as unread where its unread items decide: all that were read are right."""
    named = ((rules.name, item.id, rules.group(item)) for item in items for rules in rule_sets)
    groups = [one for one in named if one[2] is not None]
    if not groups:
        return scores
    names = pl.DataFrame(groups, schema={"rule_set": pl.String, "id": pl.String, "group": pl.String}, orient="row")
    columns = scores.columns
    scores = scores.join(names.unique(), on=["rule_set", "id"], how="left", maintain_order="left")
    key = [pl.col("rule_set"), pl.col("repeat"), pl.coalesce("group", "id")]
    first = pl.int_range(pl.len()).over(key) == 0
    whole = pl.col("score").is_not_null().all().over(key)
    of_group = [
        pl.when((pl.col("status") == name).any().over(key)).then(pl.lit(name))
        for name in ("failed", "missing", "unjudged", "left out")
    ]
    status = pl.coalesce(*of_group, pl.lit("scored"))
    reason = pl.col("note").filter(pl.col("status") == status).first().over(key)
    least = [pl.when(first & whole).then(pl.col(name).min().over(key)).alias(name) for name in ("score", "expected")]
    return scores.with_columns(
        *least,
        pl.when(first).then(status).otherwise(pl.lit("left out")).alias("status"),
        pl.when(first).then(reason).otherwise(pl.col("note")).alias("note"),
        *_group_states(key, first=first & whole),
        *(_worst(metric, key, first=first & whole) for metric in metrics),
    ).select(columns)


def _worst(metric: Metric, key: list[pl.Expr], *, first: pl.Expr) -> pl.Expr:
    """A group's worst value; nan where one of its items has none, or values can't be compared."""
    name = column_of(metric)
    value = pl.col(name)
    worst = {"higher": value.min(), "lower": value.max(), "zero": value.sort_by(value.abs()).last()}[metric.direction]
    lacking = value.is_nan().any() if metric.ordered else value.is_not_null().any()
    return (
        pl.when(first).then(pl.when(lacking.over(key)).then(math.nan).otherwise(worst.over(key))).otherwise(None)
    ).alias(name)


def _group_states(key: list[pl.Expr], *, first: pl.Expr) -> list[pl.Expr]:
    """The state of a group and its score with unread items at chance: the least score of those that were read times
    the chances of the others, which are drawn independently."""
    unread = pl.col("state").is_in(["none", "cut off"]).fill_null(False)
    least_read = pl.when(~unread).then(pl.col("score")).otherwise(1.0).min()
    guessed_right = pl.when(unread).then(pl.col("at_chance")).otherwise(1.0).product()
    state = (
        pl.when(pl.col("state").is_null().any())
        .then(None)
        .when(~unread.any() | (least_read == 0))
        .then(pl.lit("read"))
        .when((pl.col("state") == "cut off").any())
        .then(pl.lit("cut off"))
        .otherwise(pl.lit("none"))
    )
    return [
        pl.when(first).then(state.over(key)).otherwise(pl.col("state")).alias("state"),
        pl.when(first).then((least_read * guessed_right).over(key)).alias("at_chance"),
    ]


def expected_scores(
    items: Sequence[Item],
    answers: Mapping[str, Sequence[tuple[str, float]]],
    rule_sets: Iterable[RuleSet],
    metrics: Sequence[Metric] = (),
) -> pl.DataFrame:
    """The expectation of a random answerer's scores, in closed form.

    Args:
        items: the questions.
        answers: for each item's id, the texts it may answer with their probabilities. Items may share one sequence;
            items that are alike are then scored once.
        rule_sets: the rules.
        metrics: whose expected values are computed besides; only plain means have them.

    Returns:
        A frame like that of `score.score`.

    Raises:
        UsageError: a rule set has no score for an item.
    """
    rule_sets = list(rule_sets)
    check_defined(items, rule_sets)
    frames: list[pl.DataFrame] = []
    distinct = {id(texts): texts for texts in answers.values()}
    bare = {key: all(_BARE.fullmatch(text) for text, _ in texts) for key, texts in distinct.items()}
    for rules in rule_sets:
        seen: dict[Hashable, float | None] = {}
        readings: dict[Hashable, ParsedAnswer] = {}
        values: dict[Hashable, float] = {}
        rows: list[tuple[object, ...]] = []
        for item in items:
            texts = answers[item.id]
            is_alike = rules.alike is not None and bare[id(texts)]
            likeness = rules.alike(item) if rules.alike is not None and is_alike else None
            is_alike = likeness is not None
            key = (likeness, id(texts)) if is_alike else None
            if key is not None and key in seen:
                value = seen[key]
            else:
                value = _expected(rules, item, texts, readings if is_alike else None)
                if key is not None:
                    seen[key] = value
            head = head_of(rules, item, 0)
            further = [_expected_value(metric, rules, item, texts, likeness, values) for metric in metrics]
            status: Status = "unjudged" if value is None else "scored"
            rows.append((*head, status, "", "expectation", False, False, value, value, *NO_READING, value, *further))
        frames.append(frame_of(rows, metrics))
    return pl.concat(frames) if frames else frame_of((), metrics)


_BARE = re.compile(r"[A-Z]|[0-9]{1,9}(?:\.[0-9]{1,9})?")
"""An answer that is a letter or a number by itself, which no question gives another meaning."""


def _expected(
    rules: RuleSet, item: Item, texts: Sequence[tuple[str, float]], readings: dict[Hashable, ParsedAnswer] | None
) -> float | None:
    """The mean score of some texts by their probabilities; each read once for all items of a kind, where that is known
    to make no difference. None where only a judge can score one of the texts."""
    if readings is None:
        read = [(rules.read(item, text, 0), p) for text, p in texts]
        return None if any(one.failed for one, _ in read) else sum(p * rules.score(item, one) for one, p in read)
    value, kind = 0.0, (item.kind, len(item.options))
    score_of = kind_of(item).score if rules.score is score_exactly else rules.score  # a call less for each text
    for text, p in texts:
        reading = readings.get((kind, text))
        if reading is None:
            reading = readings[kind, text] = rules.read(item, text, 0)
        if reading.failed:
            return None
        value += p * score_of(item, reading)
    return value


def _expected_value(
    metric: Metric,
    rules: RuleSet,
    item: Item,
    texts: Sequence[tuple[str, float]],
    likeness: Hashable,
    seen: dict[Hashable, float],
) -> float | None:
    """The expected value of a metric, computed once for items that are alike: None where it isn't for the item, nan
    where it is no mean, has no value for one of the texts, or only a judge can score one."""
    if not metric.applies(item):
        return None
    if not metric.is_mean:
        return math.nan
    key = (metric.name, likeness, item.unit, id(texts))
    if likeness is not None and key in seen:
        return seen[key]
    readings = [(rules.read(item, text, 0), p) for text, p in texts]
    lost = any(reading.failed for reading, _ in readings)
    value = math.nan if lost else sum(p * known(metric.value(item, reading)) for reading, p in readings)
    seen[key] = value
    return value
