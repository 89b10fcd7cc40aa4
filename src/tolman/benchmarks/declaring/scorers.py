"""Rule sets of a benchmark that is a data file: a reader and a metric by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tolman.benchmarks.declaring.groups import group_of
from tolman.benchmarks.declaring.schema import Declaration, Scorer
from tolman.errors import UsageError
from tolman.items import Item, kind_named
from tolman.kinds import names as kind_names
from tolman.scoring.metrics_by_name import metric_named
from tolman.scoring.reader import reader_named
from tolman.scoring.reading import ParsedAnswer
from tolman.scoring.rules import RuleSet, careful, kind_and_answer, read_by_kind, score_exactly

CAREFUL = "careful"


def rule_sets_of(declared: Declaration) -> tuple[RuleSet, ...]:
    """The rule sets in the file's order, and behind them `careful` where it isn't among them.

    Raises:
        UsageError: a reader or metric that there is not, or a metric that is no mean of values from 0 to 1.
    """
    found = [_rule_set(name, scorer) for name, scorer in declared.scorers.items()]
    if CAREFUL not in declared.scorers:
        found.append(careful(score=score_exactly if not declared.scorers else None))
    return tuple(found)


def _rule_set(name: str, scorer: Scorer) -> RuleSet:
    readers = {task: read_by_kind if reader == CAREFUL else reader_named(reader).read
               for task, reader in scorer.reader.items()}  # fmt: skip
    counting = {task: reader_named(reader).counts for task, reader in scorer.reader.items() if reader != CAREFUL}
    metrics = {task: _metric(name, metric) for task, metric in scorer.metric.items()}

    def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
        chosen = _of(readers, scorer.reader, item)
        return chosen(item, text, seed) if chosen is not None else read_by_kind(item, text, seed)

    def counts(item: Item, text: str) -> bool:
        chosen = _of(counting, scorer.reader, item)
        return chosen is None or bool(chosen(item, text))

    def score(item: Item, reading: ParsedAnswer) -> float:
        metric = _of(metrics, scorer.metric, item)
        return score_exactly(item, reading) if metric is None else metric.value(item, reading) or 0.0

    by_kind = set(kind_names()) | {"*"}
    is_alike = set(scorer.reader) | set(scorer.metric) <= by_kind
    rules = RuleSet(
        name,
        read,
        score if metrics else score_exactly,
        counts=counts,
        undefined=_undefined(scorer, metrics) if metrics else lambda item: None,
        renormalises=name == CAREFUL,
        alike=kind_and_answer if is_alike else None,
    )
    return rules if scorer.groups is None else replace(rules, group=group_of(scorer.groups))


def _of(things: Mapping[str, Any], names: Mapping[str, str], item: Item) -> Any:
    """The thing of an item; None where none is named for its question type, its kind or all."""
    for key in (item.task, item.kind, "*"):
        if key in names:
            return things.get(key)
    return None


def _metric(scorer: str, name: str) -> Any:
    metric = metric_named(name)
    if not metric.is_linear or metric.range != (0.0, 1.0) or metric.direction != "higher":
        raise UsageError(
            f"the scorer '{scorer}' can't score by the metric '{name}': it takes a mean of values from 0 to 1, of "
            "which higher is better. Name others in the table's columns."
        )
    return metric


def _undefined(scorer: Scorer, metrics: Mapping[str, Any]) -> Any:
    def undefined(item: Item) -> str | None:
        metric = _of(metrics, scorer.metric, item)
        if metric is None or metric.applies(item):
            return None
        return f"the metric '{metric.name}' is not for a {kind_named(item.kind).title} question"

    return undefined
