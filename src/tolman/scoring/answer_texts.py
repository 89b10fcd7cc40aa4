"""Answers in words: accepted answers, lists of things, and when two texts are the same answer."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

MAX_COMPARED_CHARS = 20_000
"""Characters of a text that are compared, the first of all."""

_ARTICLES = frozenset({"a", "an", "the"})
_NUMERALS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_DIGITS = {word: str(number) for number, word in enumerate(_NUMERALS)}
_APOSTROPHES = re.compile("['\u2018\u2019\u02bc]")
_WORD = re.compile(r"(?:(?<!\S)-)?\d+(?:[.,]\d+)*|[^\W\d_]+")
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
    """A number without thousands separators and without zeros behind its last digit."""
    if not word[-1].isdigit():
        return word
    plain = re.sub(r",(?=\d{3}(?:\D|\Z))", "", word)
    return _ROUND.sub(r"\1", plain).rstrip(".") if "." in plain else plain
