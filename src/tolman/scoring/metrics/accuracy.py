"""Metrics of single answers: accuracy, mean relative accuracy, matches of texts, and shares of lists.

- Accuracy is the share of questions whose answer is right, also of yes-or-no questions. Chance-adjusted accuracy (CAA)
  is accuracy on a scale on which guessing has 0.
- Mean relative accuracy (MRA) has the papers' formula and the two released arithmetics (`scoring.answer_values`).
- Within X % is the share of numbers whose relative error is at most X %.
- Texts are compared with the accepted answers: exact match of normalised texts, and the F1 of their words.
- Orders and sets are compared with the right one: whole, and by the share that is right.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from tolman.items import BY_WORDS, Item
from tolman.scoring.answer_values import (
    ParsedAnswer,
    accepted,
    difference,
    is_finite_number,
    listed,
    mra_exact,
    mra_spatialbench,
    mra_to_zero,
    mra_vsi_bench,
    normalised,
)
from tolman.scoring.metrics import Metric, MetricFamily
from tolman.scoring.parse import read_careful_words


def is_right(item: Item, reading: ParsedAnswer) -> float:
    """Return 1 for the right letter, else 0. If the release compares words, any option with the right ones is right."""
    value = reading.value
    return float(value == item.answer or (BY_WORDS in item.evidence and value in tuple(item.right_letters)))


ACCURACY = Metric(
    name="accuracy",
    title="Accuracy",
    per_item=is_right,
    kinds=("choice",),
    source="VSI-Bench, section 4.1; SITE, section 5.1; MMSI-Bench, section 4.1",
)


CHANCE_ADJUSTED_ACCURACY = Metric(
    name="chance-adjusted-accuracy",
    title="Chance-adjusted accuracy",
    per_item=is_right,
    kinds=("choice",),
    chance_adjusted=True,
    source="SITE, equation 1, pooled over all items",
)


YES_NO_ACCURACY = Metric(
    name="yes-no-accuracy",
    title="Accuracy of yes and no",
    per_item=is_right,
    kinds=("yes-no",),
    source="RoboSpatial (arXiv 2411.16537), section 4: binary accuracy",
)


def exact_mra(item: Item, reading: ParsedAnswer) -> float:
    """Return MRA in exact arithmetic; 0 for anything but a finite number."""
    value = reading.value
    if not isinstance(value, Fraction):
        if not is_finite_number(value):
            return 0.0
        value = Fraction(value)  # type: ignore[arg-type]  # an int or a float
    return mra_exact(value, item.exact_answer)


def _released(mra: Callable[[float, float], float]) -> Callable[[Item, ParsedAnswer], float | None]:
    def per_item(item: Item, reading: ParsedAnswer) -> float | None:
        if isinstance(reading.value, str) or reading.value is None:
            return 0.0
        if not item.exact_answer:
            return None if mra is mra_vsi_bench else mra(float(reading.value), 0.0)
        value = float(reading.value)
        return 0.0 if math.isnan(value) else mra(value, item.float_answer)

    return per_item


released_mra = _released(mra_to_zero)
"""MRA of the codes that have a score for a true value of 0 too."""

RELATIVE_ACCURACIES = (
    Metric(
        name="mra",
        title="MRA",
        per_item=exact_mra,
        kinds=("number",),
        source="VSI-Bench, section 4.1, in exact arithmetic",
    ),
    Metric(
        name="mra-vsi-bench",
        title="MRA (VSI-Bench's code)",
        per_item=_released(mra_vsi_bench),
        kinds=("number",),
        source="vision-x-nyu/thinking-in-space, lmms_eval/tasks/vsibench/utils.py; none for a true value of 0",
    ),
    Metric(
        name="mra-easi",
        title="MRA (EASI's code)",
        per_item=released_mra,
        kinds=("number",),
        source="open-compass/VLMEvalKit, utils/spatial_bench/cal_scores.py; fudan-zvg/spar; the error itself at 0",
    ),
    Metric(
        name="mra-spatialbench",
        title="MRA (SpatialBench's code)",
        per_item=_released(mra_spatialbench),
        kinds=("number",),
        source="XPR2004/SpatialBench, evaluate_benchmark_results.py",
    ),
)


@lru_cache(maxsize=64)
def within(percent: float) -> Metric:
    """The metric 'within-X': 1 where |response − truth| ≤ X % of |truth|, in exact arithmetic, else 0. For a truth of 0
    that is a response of 0."""
    limit = Fraction(str(percent)) / 100

    def per_item(item: Item, reading: ParsedAnswer) -> float:
        error = difference(item, reading)
        return float(error is not None and abs(error) <= limit * abs(item.exact_answer))

    return Metric(
        name=f"within-{percent:g}",
        title=f"Within {percent:g} %",
        per_item=per_item,
        kinds=("number",),
        source=f"share with |response − truth| ≤ {percent:g} % of |truth|",
    )


WITHIN = MetricFamily("within-X", within, least=0.0, greatest=1000.0)


MAX_ALONE_WORDS = 2
"""Words of an accepted answer, without any punctuation, that any reader reads as they are, at most."""


def text_matches(item: Item, reading: ParsedAnswer) -> float:
    """1 where the text is one of the accepted answers, as normalised; of several texts, where all are.

    An accepted answer counts as it is, and as the careful reader reads it: one of several sentences is read as one.
    """
    said = {normalised(text) for text in accepted(str(reading.value))}
    right = _as_written(item.answer)
    return float(said <= right or said <= right | {_as_read(item, text) for text in accepted(item.answer)})


@lru_cache(maxsize=1 << 14)
def _as_written(answer: str) -> frozenset[str]:
    return frozenset(normalised(text) for text in accepted(answer))


def _as_read(item: Item, text: str) -> str:
    words = text.split()
    if len(words) <= MAX_ALONE_WORDS and all(word.isalnum() for word in words):
        return normalised(text)
    value = read_careful_words(item, text).value
    return normalised(text if value is None else str(value))


def shared_words(item: Item, reading: ParsedAnswer) -> float:
    """The F1 of the words with the accepted answer that has most of them; of several texts the mean."""
    right = [Counter(normalised(text).split()) for text in accepted(item.answer)]
    said = [Counter(normalised(text).split()) for text in accepted(str(reading.value))]
    best = [max(_f1(one, other) for other in right) for one in said]
    return sum(best) / len(best)


def _f1(one: Counter[str], other: Counter[str]) -> float:
    return 2 * (one & other).total() / max(one.total() + other.total(), 1)


TEXT_METRICS = (
    Metric(
        name="text-match",
        title="Exact match",
        per_item=text_matches,
        kinds=("text",),
        source="EM of SQuAD (arXiv 1606.05250), section 6.1, with number words as digits",
    ),
    Metric(
        name="text-f1",
        title="F1 of words",
        per_item=shared_words,
        kinds=("text",),
        source="F1 of SQuAD (arXiv 1606.05250), section 6.1, with number words as digits",
    ),
)


def things(text: str) -> list[str]:
    """The things of a JSON list as they are compared."""
    return [normalised(thing) for thing in listed(text) or ()]


def same_order(item: Item, reading: ParsedAnswer) -> float:
    """1 for the right order, else 0."""
    return float(things(str(reading.value)) == things(item.answer))


def pairs_in_order(item: Item, reading: ParsedAnswer) -> float:
    """Return the share of pairs of things in the right order, (Kendall's tau + 1) / 2 of complete orders. A pair with a
    missing thing is wrong."""
    right, said = things(item.answer), things(str(reading.value))
    place = {thing: i for i, thing in reversed(list(enumerate(said)))}
    pairs = [(a, b) for a, b in combinations(right, 2) if a != b]
    hits = sum(a in place and b in place and place[a] < place[b] for a, b in pairs)
    return hits / len(pairs) if pairs else same_order(item, reading)


def same_set(item: Item, reading: ParsedAnswer) -> float:
    """1 for the right things, no more and no less, else 0."""
    return float(set(things(str(reading.value))) == set(things(item.answer)))


def shared_things(item: Item, reading: ParsedAnswer) -> float:
    """The F1 of the things; 1 where both sets are empty."""
    right, said = Counter(set(things(item.answer))), Counter(set(things(str(reading.value))))
    return 2 * (right & said).total() / (right.total() + said.total()) if right or said else 1.0


def overlap(item: Item, reading: ParsedAnswer) -> float:
    """The Jaccard index of the things: those in both over those in either; 1 where both sets are empty."""
    right, said = set(things(item.answer)), set(things(str(reading.value)))
    return len(right & said) / len(right | said) if right | said else 1.0


LIST_METRICS = (
    Metric(
        name="order-accuracy",
        title="Exact order",
        per_item=same_order,
        kinds=("order",),
        source="exact match of orders of normalised texts",
    ),
    Metric(
        name="order-pairs",
        title="Pairs in order",
        per_item=pairs_in_order,
        kinds=("order",),
        source="Kendall's tau (Biometrika 1938), rescaled to 0–1",
    ),
    Metric(
        name="set-accuracy",
        title="Exact set",
        per_item=same_set,
        kinds=("set",),
        source="exact match of sets of normalised texts",
    ),
    Metric(
        name="set-f1",
        title="F1 of things",
        per_item=shared_things,
        kinds=("set",),
        source="harmonic mean of precision and recall of each item's things",
    ),
    Metric(
        name="set-iou",
        title="Jaccard index",
        per_item=overlap,
        kinds=("set",),
        source="Jaccard (1912): intersection over union of each item's things",
    ),
)


METRICS = (
    ACCURACY,
    CHANCE_ADJUSTED_ACCURACY,
    YES_NO_ACCURACY,
    *RELATIVE_ACCURACIES,
    WITHIN,
    *TEXT_METRICS,
    *LIST_METRICS,
)
