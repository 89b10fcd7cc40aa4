"""RuleSet: how responses are read and scored; each benchmark may have several side by side.

Besides the rule sets that a benchmark has itself, plugins and other packages bring some for any benchmark. A plugin
declares one as `RULE_SET`. It is computed for every benchmark that it `applies` to, under its own name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from tolman.errors import UsageError
from tolman.item_table import field_values
from tolman.items import BY_WORDS, Item, kind_named, known_kinds
from tolman.registry import Registry
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.item_kind import ItemKind, kind_of
from tolman.scoring.readers.open_answers import read_short_answer

RESERVED = ("official", "careful", "judged")
"""Names that a rule set for any benchmark can't have."""


def _problem(thing: object) -> str:
    if not isinstance(thing, RuleSet):
        return "is no RuleSet of tolman.scoring.rule_sets"
    if thing.name in RESERVED:
        return f"has the name of a benchmark's own rule set; give it another than {', '.join(RESERVED)}"
    return ""


REGISTRY = Registry("rule set", __name__, "RULE_SET", "tolman.rule_sets", named_by_file=False, check=_problem)


def further_rule_sets(benchmark: str) -> list[RuleSet]:
    """The rule sets that are computed for a benchmark besides its own, in the order of their names.

    Args:
        benchmark: its name, or the path of its folder.

    Raises:
        UsageError: an object declared as one is none, or has a name that is taken.
    """
    found = (REGISTRY.get(name) for name in sorted(REGISTRY.names()))
    return [rules for rules in found if rules.applies(benchmark)]


Score = Callable[[Item, ParsedAnswer], float]
"""A metric: (item, ParsedAnswer) → 0 … 1."""


def _every_response(item: Item, text: str) -> bool:
    return True


def _own_task(item: Item) -> str:
    return item.task


def _own_group(item: Item) -> str | None:
    return item.all_of


def _every_benchmark(name: str) -> bool:
    return True


def _defined_everywhere(item: Item) -> str | None:
    return None


@dataclass(frozen=True)
class RuleSet:
    """One way of turning responses into scores.

    Attributes:
        name: 'official' (as the authors' released code) or 'careful' (the benchmark's metric in exact arithmetic with
            Tolman's own parser), or another.
        read: (item, response text, seed) → ParsedAnswer. The seed is for released parsers that draw at random.
        score: (item, ParsedAnswer) → 0 … 1.
        counts: whether a response is in the denominators at all; some released codes leave out empty ones.
        task: which question type an item counts under; '' for none.
        group: items of one name count as one question, right only if all of them are; None for an item by itself. It is
            the item's (`Item.all_of`), unless a benchmark is scored by several groupings of the same rows, as 3DSRBench
            is.
        undefined: why the metric has no score for an item; None where it has one.
        renormalises: whether the weights of a figure are renormalised over the parts that have questions, also where
            the table says that the released code counts a part without any as 0.
        metric_stated: whether `score` is the metric that the benchmark's author names. If not, a benchmark with a rule
            set 'official' puts that one's metric in its place.
        alike: item → a key; items with equal keys score alike for an answer that is a letter or a number by itself.
            None where nothing is known of it, or of this item.
        applies: name of a benchmark → whether a rule set that isn't the benchmark's own is computed for it.
        marks: whether a reading is a judge's mark, which no further metric takes for an answer.
    """

    name: str
    read: Callable[[Item, str, int], ParsedAnswer]
    score: Score
    counts: Callable[[Item, str], bool] = _every_response
    task: Callable[[Item], str] = _own_task
    group: Callable[[Item], str | None] = _own_group
    undefined: Callable[[Item], str | None] = _defined_everywhere
    renormalises: bool = False
    metric_stated: bool = True
    alike: Callable[[Item], Hashable] | None = None
    marks: bool = False
    applies: Callable[[str], bool] = _every_benchmark

    def score_of(self, item: Item, text: str) -> float | None:
        """Return the score of a text; None where only a judge can score it."""
        reading = self.read(item, text, 0)
        return None if reading.failed else self.score(item, reading)


def draw_of(seed: int, repeat: int) -> int:
    """The seed of `RuleSet.read` for a response: each asking of an item has a draw of its own."""
    return seed * 10_000 + repeat


def kind_and_answer(item: Item) -> Hashable:
    """Return the key for `RuleSet.alike` of a letter or a number by itself; None where the item's kind has none."""
    alike = kind_of(item).alike and BY_WORDS not in item.evidence
    return (item.kind, item.answer, len(item.options)) if alike else None


def score_exactly(item: Item, reading: ParsedAnswer) -> float:
    """The metric of the item's kind: accuracy for a choice, MRA in exact arithmetic for a number."""
    kind: ItemKind = known_kinds.get(item.kind) or kind_named(item.kind)  # as `kind_of`, a call less
    return kind.score(item, reading)


def read_by_kind(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """Read a response by the careful reader of the item's kind; of a text no sentence, which needs a judge."""
    if item.kind == "text":
        return read_short_answer(item, text)
    kind: ItemKind = known_kinds.get(item.kind) or kind_named(item.kind)
    return kind.read(item, text)


def score_in_floats(mra: Callable[[float, float], float]) -> Score:
    """A released code's metrics: exact match of a letter; for a number its own MRA in float64, 0 for nan.
    Items of a kind that the code doesn't know have their kind's metric."""

    def score(item: Item, reading: ParsedAnswer) -> float:
        if reading.value is None:
            return 0.0
        kind = item.kind
        if kind == "choice":
            return float(reading.value == item.answer)
        if kind != "number":
            return score_exactly(item, reading)
        value = float(reading.value)
        return 0.0 if math.isnan(value) else mra(value, item.float_answer)

    return score


def careful(task: Callable[[Item], str] = _own_task, score: Score | None = None) -> RuleSet:
    """The rule set `careful`: Tolman's own parser with the benchmark's metric.

    Args:
        task: which question type an item counts under.
        score: the metric, (item, ParsedAnswer) → 0 … 1; `score_exactly` is that of the item's kind, accuracy for
            choices and MRA for numbers. If None, a benchmark with a rule set 'official' uses that one's, and one
            without uses `score_exactly`.
    """
    return RuleSet(
        name="careful",
        read=read_by_kind,
        score=score or score_exactly,
        task=task,
        renormalises=True,
        metric_stated=score is not None,
        alike=kind_and_answer if score in (None, score_exactly) else None,
    )


def with_metric_of(rules: RuleSet, other: RuleSet) -> RuleSet:
    """A rule set with the metric of another one, whose `score` is given numbers in float64."""

    def score(item: Item, reading: ParsedAnswer) -> float:
        value = reading.value
        return other.score(item, replace(reading, value=float(value)) if isinstance(value, Fraction) else reading)

    return replace(rules, score=score, undefined=other.undefined, metric_stated=True, alike=other.alike)


def tasks_of(items: Iterable[Item], rule_sets: Iterable[RuleSet]) -> set[str]:
    """The question types that items count under, with any of the rule sets."""
    tasks = {rules.task for rules in rule_sets}
    if tasks <= {_own_task}:
        return set(field_values(items, "task")) - {""}
    return {task(item) for item in items for task in tasks} - {""}


def has_groups(items: Iterable[Item], rule_sets: Iterable[RuleSet]) -> bool:
    """Check whether any item counts under one of the rule sets as a part of a group."""
    groups = {rules.group for rules in rule_sets}
    if groups <= {_own_group}:
        return any(name is not None for name in field_values(items, "all_of"))
    return any(group(item) is not None for item in items for group in groups)


def check_defined(items: Iterable[Item], rule_sets: Iterable[RuleSet]) -> None:
    """Make sure that every rule set has a score for every item.

    Raises:
        UsageError: naming the first item that one has none for.
    """
    rule_sets = list(rule_sets)
    found: dict[int, str] = {}
    for item in items:
        for number, rules in enumerate(rule_sets):
            if number not in found and (reason := rules.undefined(item)) is not None:
                found[number] = (
                    f"question '{item.id}': the answer {item.answer} has no score under '{rules.name}': {reason}; "
                    "correct it or leave the question out."
                )
    if found:
        raise UsageError(found[min(found)])
