"""One side of a reconciliation: what is known of each item, and how its texts are read and scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

LEFT_OUT = object()
"""A reading of a text that a parser leaves out of the denominators."""


@dataclass(frozen=True, slots=True)
class SideItem:
    """One item on one side. None is 'not recorded', but where it says otherwise.

    Attributes:
        id: the item's.
        text: the response; None where the call failed.
        score: 0–1 as this side has it; None where the item is in no denominator.
        reading: the answer that this side read, as a text; '' where it read none.
        truth: the true answer that this side scored against.
        question: the question's text, then its options, as this side has them; the whole prompt where it holds another
            question than the benchmark's, so that what is the question in it can't be told.
        prompt: what the model was asked.
        frames: how many frames of a video it was shown, or which.
        cut_off: whether the token limit ended the response.
        failure: why there is no response.
        given: whether the side's rules give its score; a recorded one may come from elsewhere.
    """

    id: str
    text: str | None
    score: Fraction | None
    reading: str | None = None
    truth: str | None = None
    question: tuple[str, ...] | None = None
    prompt: str | None = None
    frames: str | None = None
    cut_off: bool | None = None
    failure: str | None = None
    given: bool = True


@dataclass(frozen=True)
class Rules:
    """How a side reads and scores.

    Two sides with equal names read (or score) alike. A function is None where the own code of a side isn't known here:
    then only what it recorded counts.

    Attributes:
        parser: a name of the parser.
        metric: an item's id → a name of its metric.
        read: (item's id, text) → what the parser reads, `LEFT_OUT` where it leaves the text out.
        recorded: (item's id, recorded reading) → the same reading as `read` gives it.
        score: (item's id, reading, true answer) → 0–1. The true answer is None where the side doesn't record it.
    """

    parser: str
    metric: Callable[[str], str]
    read: Callable[[str, str], Any] | None = None
    recorded: Callable[[str, str], Any] | None = None
    score: Callable[[str, Any, str | None], Fraction] | None = None


@dataclass(frozen=True)
class ReconciledSide:
    """A run or a log.

    Attributes:
        name: what it is called.
        records: by item's id.
        rules: how it reads and scores.
    """

    name: str
    records: Mapping[str, SideItem]
    rules: Rules


def exact(score: float | Fraction) -> Fraction:
    """A score as the fraction that it was before float64 rounded it: 0.30000000000000004 is 3/10."""
    return Fraction(score).limit_denominator(1_000_000)
