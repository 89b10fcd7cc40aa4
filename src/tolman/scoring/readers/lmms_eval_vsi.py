"""VSI-Bench in lmms-eval since July 2026: letters as released, of numbers the first, in digits or in English words."""

from __future__ import annotations

import re

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.readers import first_token
from tolman.scoring.reading import ParsedAnswer, nothing

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORD = re.compile(r"[a-z]+")
_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {
    **{word: value for value, word in enumerate(_SMALL)},
    **{word: 10 * tens for tens, word in enumerate(_TENS, start=2)},
    "hundred": 100,
    "thousand": 1000,
}

_GREATEST = 10**300
"""Above it a value counts as infinite, of which a reply of "hundred hundred …" would otherwise make a very long one."""


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first token as a letter; the first number."""
    if item.kind == "choice":
        return first_token.read(item, text, seed)
    lowered = text.strip().lower()
    digits = _NUMBER.search(lowered)
    begin, words = _words(lowered)
    if digits and (not words or digits.start() < begin):
        return ParsedAnswer(float(digits[0]), rule="first number")
    return ParsedAnswer(_value(words), rule="first number in words") if words else nothing("no number")


def _words(lowered: str) -> tuple[int, list[str]]:
    """The first run of number words, which "and" and anything but letters may divide, and where it begins."""
    begin, words = 0, list[str]()
    for word in _WORD.finditer(lowered):
        if word[0] in _VALUES:
            begin = begin if words else word.start()
            words.append(word[0])
        elif words and word[0] != "and":
            break
    return begin, words


def _value(words: list[str]) -> float:
    total = current = 0
    for word in words:
        value = _VALUES[word]
        if value == 100:
            current = max(current, 1) * 100
        elif value == 1000:
            total, current = total + max(current, 1) * 1000, 0
        else:
            current += value
        if current > _GREATEST:
            return float("inf")
    return float(total + current)


READER = Reader(
    name="lmms-eval-vsi",
    title="VSI-Bench in lmms-eval",
    source="EvolvingLMMs-Lab/lmms-eval, tasks/vsibench/utils.py, fuzzy_matching and extract_number",
    read=read,
    kinds=("choice", "number"),
)
