"""RuleSet: how responses are read and scored; several stand side by side for each benchmark."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from tolman.items import Item
from tolman.scoring.metrics import is_finite_number, mra_exact
from tolman.scoring.parse import read_careful
from tolman.scoring.reading import Reading


def _every_response(item: Item, text: str) -> bool:
    return True


def _own_task(item: Item) -> str:
    return item.task


@dataclass(frozen=True)
class RuleSet:
    """One way of turning responses into scores.

    Attributes:
        name: 'official' (what the authors' released code does) or 'careful' (the paper's metric in exact
            arithmetic with Tolman's own parser), or another.
        read: (item, response text, seed) → Reading. The seed is for released parsers that draw at random.
        score: (item, Reading) → 0 … 1.
        counts: whether a response is in the denominators at all; some released codes leave out empty ones.
        task: which question type an item counts under; '' for none.
    """

    name: str
    read: Callable[[Item, str, int], Reading]
    score: Callable[[Item, Reading], float]
    counts: Callable[[Item, str], bool] = _every_response
    task: Callable[[Item], str] = _own_task


def score_exactly(item: Item, reading: Reading) -> float:
    """The papers' metrics in exact arithmetic: accuracy for a choice, MRA for a number."""
    if reading.value is None:
        return 0.0
    if item.kind == "choice":
        return float(reading.value == item.answer)
    if not is_finite_number(reading.value):
        return 0.0
    return mra_exact(Fraction(reading.value), item.exact_answer)


def score_in_floats(mra: Callable[[float, float], float]) -> Callable[[Item, Reading], float]:
    """A released code's metrics: exact match of a letter; for a number its own MRA in float64, 0 for nan."""

    def score(item: Item, reading: Reading) -> float:
        if reading.value is None:
            return 0.0
        if item.kind == "choice":
            return float(reading.value == item.answer)
        value = float(reading.value)
        return 0.0 if math.isnan(value) else mra(value, float(item.answer))

    return score


def careful(task: Callable[[Item], str] = _own_task) -> RuleSet:
    """The rule set `careful`, the same for every benchmark."""
    return RuleSet(
        name="careful", read=lambda item, text, seed: read_careful(item, text), score=score_exactly, task=task
    )
