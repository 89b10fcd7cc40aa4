"""Expected scores of whoever answers at random, in closed form."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence

import polars as pl

from tolman.items import Item
from tolman.scoring.item_kind import kind_of
from tolman.scoring.metric import Metric
from tolman.scoring.reading import ParsedAnswer
from tolman.scoring.rules import RuleSet, check_defined, score_exactly
from tolman.scoring.score_frame import NO_READING, frame_of, head_of, known


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
            what is alike is then scored once.
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
        seen: dict[Hashable, float] = {}
        readings: dict[Hashable, ParsedAnswer] = {}
        values: dict[Hashable, float] = {}
        rows: list[tuple[object, ...]] = []
        for item in items:
            texts = answers[item.id]
            is_alike = rules.alike is not None and bare[id(texts)]
            likeness = rules.alike(item) if rules.alike is not None and is_alike else None
            is_alike = likeness is not None
            key = (likeness, id(texts)) if is_alike else None
            value = seen.get(key) if key is not None else None
            if value is None:
                value = _expected(rules, item, texts, readings if is_alike else None)
                if key is not None:
                    seen[key] = value
            head = head_of(rules, item, 0)
            further = [_expected_value(metric, rules, item, texts, likeness, values) for metric in metrics]
            rows.append((*head, "scored", "", "expectation", False, False, value, value, *NO_READING, value, *further))
        frames.append(frame_of(rows, metrics))
    return pl.concat(frames) if frames else frame_of((), metrics)


_BARE = re.compile(r"[A-Z]|[0-9]{1,9}(?:\.[0-9]{1,9})?")
"""An answer that is a letter or a number by itself, which no question gives another meaning."""


def _expected(
    rules: RuleSet, item: Item, texts: Sequence[tuple[str, float]], readings: dict[Hashable, ParsedAnswer] | None
) -> float:
    """The mean score of some texts by their probabilities; each read once for all items of a kind, where that is known
    to make no difference."""
    if readings is None:
        return sum(p * rules.score(item, rules.read(item, text, 0)) for text, p in texts)
    value, kind = 0.0, (item.kind, len(item.options))
    score_of = kind_of(item).score if rules.score is score_exactly else rules.score  # a call less for each text
    for text, p in texts:
        reading = readings.get((kind, text))
        if reading is None:
            reading = readings[kind, text] = rules.read(item, text, 0)
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
    where it is no mean or has no value for one of the texts."""
    if not metric.applies(item):
        return None
    if not metric.is_mean:
        return math.nan
    key = (metric.name, likeness, item.unit, id(texts))
    if likeness is not None and key in seen:
        return seen[key]
    value = sum(p * known(metric.value(item, rules.read(item, text, 0))) for text, p in texts)
    seen[key] = value
    return value
