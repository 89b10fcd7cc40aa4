"""Commitments of a response to an answer, how plainly each is said, and the notes on those that give none."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

Value = str | Fraction | None


@dataclass(frozen=True, slots=True)
class Commitment:
    """A place where a response says what its answer is.

    Attributes:
        value: a letter, a number in the item's unit, or None where it commits itself to no single answer ("A or C").
        strength: how plainly it is said: see the constants.
        start, end: where in the text.
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
