"""Commitments of a response to an answer, how plainly each is said, and the choice of the final one.

Notes say why a response holds no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Value = str | Fraction | None


@dataclass(frozen=True, slots=True)
class Commitment:
    """A place where a response states its answer.

    Attributes:
        value: a letter, a number in the item's unit, or None where it commits itself to no single answer ("A or C").
        strength: how plainly it is said: see the constants.
        start, end: its position in the text.
        rule: the name of the rule that found it.
        note: for a value of None, why: see the constants.
    """

    value: Value
    strength: int
    start: int
    end: int
    rule: str
    note: str = ""


WRAPPED = 6
"""Given in a wrapper made for answers: a box, a tag, a field of a JSON object."""
DECLARED = 5
"""Announced: "the answer is", "I choose"."""
ALONE = 4
"""Standing alone on the last or the first line."""
CONCLUDED = 3
"""Concluded: "so", "therefore"."""
JUDGED = 2
"""Called right while the response goes through the options."""
STATED = 1
"""Said in passing."""

SEVERAL = "several candidates"
DISAGREE = "letter and text disagree"
FOREIGN = "not among the options"
NO_OPTION = "announced, but no option"
RANGE = "a range"
BOUND = "a bound"
NO_ANSWER = "no answer"
NO_ANSWER_INSIDE = "no answer in the wrapper"
REFUSAL = "a refusal"
IN_PASSING = "said in passing, in a long text"
EMPTY = "empty"
ERROR_MESSAGE = "an error message"
UNLIKELY = "said, but unlikely to be the answer"
UNFINISHED = "reasoning was cut off before an answer"


MAX_CONTRADICTION_GAP = 32
"""Characters between two answers that contradict each other, at most: a later answer corrects the earlier."""
TENTATIVE_RULES = frozenset((
    "concluded", "corrected", "judged", "stated", "contrasted", "superlative", "last", "named", "order",
    "eliminated", "labelled", "value"
))  # fmt: skip
"""Rules whose answers a later "I can't tell" takes back."""


def standing(commitments: Sequence[Commitment], *, unknown_at: int = -1) -> Commitment | None:
    """Choose the last commitment that nothing contradicts.

    Args:
        commitments: in the order of their places.
        unknown_at: where the text says last that it doesn't know; -1 if it doesn't.

    Returns:
        The final commitment; without a value where the response commits itself to several or to nothing that is an
        option; None without any.
    """
    last = _plainest(commitments, unknown_at)
    if last is not None and last.value is not None and last.rule in TENTATIVE_RULES and last.end <= unknown_at:
        return None
    return last


def _plainest(commitments: Sequence[Commitment], unknown_at: int) -> Commitment | None:
    """The last commitment of the plainest kind."""
    declared = [c for c in commitments if c.strength in (DECLARED, ALONE)]
    wrapped = [c for c in commitments if c.strength == WRAPPED]
    if any(c.value is not None for c in wrapped) or (
        wrapped and not any(c.strength == DECLARED and c.value is not None for c in declared)
    ):
        return _last_wrapped(wrapped, commitments)
    behind = [c for c in commitments if declared and c.start >= declared[-1].end and c.strength in (CONCLUDED, JUDGED)]
    void = all(c.value is None and c.note == NO_OPTION for c in declared) and any(c.value is not None for c in behind)
    if declared and not void:
        return _last_declared(declared)
    concluded = [c for c in commitments if c.strength == CONCLUDED]
    if concluded and (concluded[-1].end > unknown_at or concluded[-1].rule == "chosen"):
        return concluded[-1]
    judged = [c for c in commitments if c.strength == JUDGED]
    if judged:
        return judged[-1]
    stated = [c for c in commitments if c.strength == STATED]
    if not stated or stated[-1].start < unknown_at:
        return None
    if len({c.value for c in stated}) == 1:
        return stated[-1]
    return Commitment(None, STATED, stated[0].start, stated[-1].end, "stated", SEVERAL)


def _last_wrapped(wrapped: Sequence[Commitment], commitments: Sequence[Commitment]) -> Commitment:
    """The last answer in a wrapper, unless it is corrected behind."""
    last = wrapped[-1]
    before = wrapped[-2] if len(wrapped) > 1 else last
    if before.value != last.value and last.start - before.end <= MAX_CONTRADICTION_GAP:
        return Commitment(None, WRAPPED, before.start, last.end, last.rule, SEVERAL)
    later = [c for c in commitments if c.start > last.end and c.rule == "corrected"]
    return later[-1] if later else last


def _last_declared(declared: Sequence[Commitment]) -> Commitment:
    """Return the last answer that is announced or alone; an announcement of no option only without any other."""
    last = declared[-1]
    before = declared[-2] if len(declared) > 1 else last
    if (
        before.rule == last.rule == "declared"
        and None not in (before.value, last.value)
        and before.value != last.value
        and last.start - before.end <= MAX_CONTRADICTION_GAP
    ):
        return Commitment(None, DECLARED, before.start, last.end, "declared", SEVERAL)
    if last.value is None and last.note == NO_OPTION:
        return next((c for c in reversed(declared) if c.value is not None), last)
    return last
