"""Texts against accepted answers: exact match of normalised texts, and the F1 of their words."""

from collections import Counter
from functools import lru_cache

from tolman.items import Item
from tolman.scoring.answer_texts import accepted, normalised
from tolman.scoring.metric import Metric
from tolman.scoring.parse import read_careful_words
from tolman.scoring.reading import ParsedAnswer

MAX_ALONE_WORDS = 2
"""Words of an accepted answer, without any punctuation, that any reader reads as they are, at most."""


def matches(item: Item, reading: ParsedAnswer) -> float:
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


METRICS = (
    Metric(
        name="text-match",
        title="Exact match",
        per_item=matches,
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
