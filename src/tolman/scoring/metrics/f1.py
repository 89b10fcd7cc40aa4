"""Macro-averaged F1 over the answers of a pool of questions: every answer counts alike, however rare it is.

The classes are the letters of choices, and whole numbers for counts. A response without a readable answer, or with one
that is no class (half an object), is a miss of the right answer's class.
"""

from fractions import Fraction

from tolman.items import LETTERS, Item
from tolman.scoring.metric import Metric
from tolman.scoring.reading import ParsedAnswer
from tolman.scoring.relative_accuracy import is_finite_number
from tolman.scoring.weighted import MAX_CLASS, NO_CLASS, macro_f1, pair_code

_FIRST_LETTER = 2**19
"""The class of A; counts are below."""


def _truth(item: Item) -> int | None:
    if item.kind == "choice":
        return _FIRST_LETTER + LETTERS.index(item.answer)
    truth = item.exact_answer
    return int(truth) if truth.denominator == 1 and 0 <= truth < _FIRST_LETTER else None


def _response(reading: ParsedAnswer) -> int:
    value = reading.value
    if isinstance(value, str):
        return _FIRST_LETTER + LETTERS.index(value) if value in LETTERS and len(value) == 1 else NO_CLASS
    if not is_finite_number(value):
        return NO_CLASS
    number = Fraction(value)  # type: ignore[arg-type]  # an int, a float or a Fraction
    return int(number) if number.denominator == 1 and 0 <= number < _FIRST_LETTER else NO_CLASS


def classes(item: Item, reading: ParsedAnswer) -> float | None:
    """The right class and the one that was answered, as a number (`weighted.pair_code`); None for a true value that is
    no class."""
    truth = _truth(item)
    assert truth is None or truth <= MAX_CLASS
    return None if truth is None else pair_code(truth, _response(reading))


METRIC = Metric(
    name="f1",
    title="F1",
    per_item=classes,
    kinds=("choice", "number"),
    units=("count", None),
    aggregate=macro_f1,
    unread=lambda item: classes(item, ParsedAnswer(None)),
    source="macro average over answers, as scikit-learn's f1_score(average='macro')",
    ordered=False,
)
