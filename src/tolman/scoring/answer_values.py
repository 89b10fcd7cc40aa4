"""Values of answers: the reading of a response, and how texts and numbers are compared with the truth.

An answer in words is one of the accepted texts or a list of things. Errors of numbers are relative or in metres.

Mean relative accuracy (MRA) is defined by the VSI-Bench paper, section 4.1, and taken over by the SpatialBench paper,
equation 1. It is the share of the ten thresholds θ = 0.50, 0.55 … 0.95 for which |prediction − truth| / truth < 1 − θ.
The two released codes disagree with it, and with each other, where the error is on a threshold. All are here.

The formula has no value for a truth of 0, and a negative truth turns its sign. The functions handle these truths as
follows:

| truth | `mra_vsi_bench` | `mra_to_zero` | `mra_spatialbench`, `mra_exact` |
|---|---|---|---|
| 0 | none: `ZeroDivisionError`, as released | the error itself | 1 for a prediction of exactly 0, else 0 |
| < 0 | 1 for every prediction, as released | the error relative to the truth's absolute value | the same |

So VSI-Bench's questions need a truth above 0: loading refuses others (`Benchmark.needs_positive_truths`).
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from tolman.items import Item


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The reading of a response.

    Attributes:
        value: a letter ('A'), a number, or None where the text holds no answer.
        note: why there is no answer.
        guessed: a released parser drew this letter at random because it found none.
        assumed: a released parser takes this value wherever it finds none.
        judged: a model read it.
        failed: a model was to read it and didn't: not an answer, and not the lack of one.
        span: start and end of the answer in the response's text, in characters; None where it isn't known.
        rule: the name of the rule that made this reading.
        cut_off: there is no answer because the text ends before it.
    """

    value: str | float | Fraction | None
    note: str = ""
    guessed: bool = False
    assumed: bool = False
    judged: bool = False
    failed: bool = False
    span: tuple[int, int] | None = None
    rule: str = ""
    cut_off: bool = False

    @property
    def state(self) -> Literal["read", "none", "cut off"]:
        """Return whether an answer was read, the text commits to none, or it ends before one."""
        if self.value is not None:
            return "read"
        return "cut off" if self.cut_off else "none"

    @property
    def text(self) -> str:
        """The value as a report shows it; empty where there is none."""
        if self.value is None:
            return ""
        if isinstance(self.value, str):
            return self.value
        return f"{float(self.value):.6g}"


def nothing(note: str, *, cut_off: bool = False) -> ParsedAnswer:
    """No answer, and why."""
    return ParsedAnswer(None, note, cut_off=cut_off)


MAX_COMPARED_CHARS = 20_000
"""Characters of a text that are compared, the first of all."""

_ARTICLES = frozenset({"a", "an", "the"})
_NUMERALS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_DIGITS = {word: str(number) for number, word in enumerate(_NUMERALS)}
_APOSTROPHES = re.compile("['\u2018\u2019\u02bc]")
_WORD = re.compile(r"(?:(?<!\S)-)?(?:\d+(?:[.,]\d+)*|(?<![\w.])\.\d+)|[^\W\d_]+")
_ROUND = re.compile(r"(\.\d*?)0+\Z")


def accepted(answer: str) -> tuple[str, ...]:
    """The accepted answers that an item's answer names: those of a JSON list of texts, else the text itself."""
    return listed(answer) or (answer,)


def listed(text: str) -> tuple[str, ...] | None:
    """The texts of a JSON list of texts or numbers; None for any other text. The list may be empty."""
    if not text.lstrip().startswith("[") or not text.rstrip().endswith("]"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if any(isinstance(one, bool) or not isinstance(one, str | int | float) for one in found):
        return None
    return tuple(str(one) for one in found)


def written_list(texts: Sequence[str]) -> str:
    """Texts as a JSON list."""
    return json.dumps(list(texts), ensure_ascii=False)


@lru_cache(maxsize=1 << 14)
def normalised(text: str) -> str:
    """A text as it is compared: without case, punctuation, articles and surplus white space, with number words up to
    twenty as digits. A text that has nothing else keeps its signs."""
    plain = unicodedata.normalize("NFKC", text[:MAX_COMPARED_CHARS]).casefold()
    words = _WORD.findall(_APOSTROPHES.sub("", plain))
    kept = [_DIGITS.get(word, _number(word)) for word in words if word not in _ARTICLES] or words
    return " ".join(kept) or " ".join(plain.split())


def _number(word: str) -> str:
    """A number without thousands separators and zeros behind its last digit, and with a digit before its point."""
    if not word[-1].isdigit():
        return word
    word = word.replace(".", "0.", 1) if word.startswith((".", "-.")) else word
    plain = re.sub(r",(?=\d{3}(?:\D|\Z))", "", word)
    return _ROUND.sub(r"\1", plain).rstrip(".") if "." in plain else plain


# Spaced as numpy's linspace(0.5, 0.95, 10) is: 1 - 0.8 is 0.19999999999999996, so an error of 1/5 fails there.
_RELEASED_VSI_LIMITS = sorted(1 - limit for limit in (*(0.5 + i * ((0.95 - 0.5) / 9) for i in range(9)), 0.95))
_RELEASED_SPATIALBENCH_LIMITS = sorted(1 - percent / 100 for percent in range(50, 100, 5))
_LIMITS = 10
"""Thresholds; in exact arithmetic their limits are 1/20, 2/20 … 10/20."""


def mra_vsi_bench(prediction: float, truth: float) -> float:
    """MRA as VSI-Bench's released code has it: `<=` in float64.

    Source: vision-x-nyu/thinking-in-space, lmms_eval/tasks/vsibench/utils.py.

    Args:
        prediction: any float; nan and infinities score 0.
        truth: a positive number. For a negative one the released code gives 1, for 0 it stops.

    Returns:
        A multiple of 0.1 between 0 and 1.

    Raises:
        ZeroDivisionError: the truth is 0.
    """
    return _within_released_limits(abs(prediction - truth) / truth)


def mra_to_zero(prediction: float, truth: float) -> float:
    """MRA as SPAR-Bench's released code and EASI have it: VSI-Bench's, with errors relative to the truth's absolute
    value, and as they are where the truth is 0.

    Source: fudan-zvg/spar, tasks/sparbench/utils.py; open-compass/VLMEvalKit, utils/spatial_bench/cal_scores.py.
    """
    return _within_released_limits(abs(prediction - truth) / (abs(truth) or 1.0))


def mra_spatialbench(prediction: float, truth: float) -> float:
    """MRA as SpatialBench's released code has it: `<` in float64, and exact match where the truth is 0; the error is
    relative to the truth's absolute value.

    Source: XPR2004/SpatialBench, evaluate_benchmark_results.py.
    """
    if truth == 0:
        return 1.0 if prediction == 0 else 0.0
    error = abs(prediction - truth) / abs(truth)
    return 0.0 if math.isnan(error) else (_LIMITS - bisect_right(_RELEASED_SPATIALBENCH_LIMITS, error)) / _LIMITS


def mra_exact(prediction: Fraction, truth: Fraction) -> float:
    """MRA as the papers' formula has it: `<` in exact arithmetic.

    A truth of 0, for which the formula isn't defined, scores 1 for a prediction of 0 and else 0. The error is relative
    to the truth's absolute value.
    """
    if truth == 0:
        return 1.0 if prediction == 0 else 0.0
    (a, b), (c, d) = prediction.as_integer_ratio(), truth.as_integer_ratio()
    # In whole numbers, ten times faster than with fractions: limits k/20 above the error are those with k > 20 · error.
    twentieths = 20 * abs(a * d - c * b) // (abs(c) * b)
    return max(0, _LIMITS - twentieths) / _LIMITS


def _within_released_limits(error: float) -> float:
    return 0.0 if math.isnan(error) else (_LIMITS - bisect_left(_RELEASED_VSI_LIMITS, error)) / _LIMITS


def is_finite_number(value: object) -> bool:
    """Check whether a value is an int, float or Fraction that is neither nan nor infinite."""
    return isinstance(value, int | Fraction) or (isinstance(value, float) and math.isfinite(value))


MAX_ERROR = 1e300
"""Greatest error in float64, so that sums of many stay finite; a response of 10^400 has this one."""


def difference(item: Item, reading: ParsedAnswer) -> Fraction | None:
    """Response less truth, exactly; None where the response is no finite number.

    Args:
        item: a number question.
        reading: with a value.
    """
    value = reading.value
    if isinstance(value, str) or not is_finite_number(value):
        return None
    return Fraction(value) - item.exact_answer  # type: ignore[arg-type]  # an int, a float or a Fraction


def signed_relative_error(item: Item, reading: ParsedAnswer) -> float | None:
    """Return (response − truth) / |truth|; None for a truth of 0 and for anything but a finite number."""
    error = difference(item, reading)
    truth = abs(item.exact_answer)
    return None if error is None or not truth else in_float(error / truth)


def relative_error(item: Item, reading: ParsedAnswer) -> float | None:
    """|response − truth| / |truth|; None for a truth of 0 and for what is no finite number."""
    error = signed_relative_error(item, reading)
    return None if error is None else abs(error)


def in_float(value: Fraction) -> float:
    """The float64 nearest to a value, between −`MAX_ERROR` and `MAX_ERROR`."""
    if abs(value) >= MAX_ERROR:
        return MAX_ERROR if value > 0 else -MAX_ERROR
    return float(value)
