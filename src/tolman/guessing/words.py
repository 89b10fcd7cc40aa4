"""Words: what a question and an option consist of, without any knowledge of a benchmark's templates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from tolman.items import Item

_WORD = re.compile(r"[^\W_]+(?:[-'.][^\W_]+)*")
_MOST_PHRASES = 8
_LONGEST = 3

Phrase = tuple[str, str]
"""The two words before it, and the phrase itself: ('by the', 'trash bin')."""


class Told(NamedTuple):
    """What an option says.

    Attributes:
        text: in lower case.
        words: of it, in order.
        distinct: its words, each once.
        parts: of an option that lists several things.
        number: that it states.
    """

    text: str
    words: tuple[str, ...]
    distinct: frozenset[str]
    parts: tuple[str, ...]
    number: float | None


def words(text: str) -> list[str]:
    """The words of a text in lower case; numbers with their decimals."""
    return _WORD.findall(text.lower())


@lru_cache(maxsize=10_000)
def told(option: str) -> Told:
    """What an option says; many questions have the same ones."""
    text = option.strip().lower()
    return Told(text, tuple(words(text)), frozenset(words(text)), tuple(parts(text)), number_in(text))


def phrases(items: Sequence[Item]) -> list[list[Phrase]]:
    """Phrases that set each question apart from others of its type.

    A word that is in at least half of the questions belongs to the template; runs of other words are phrases (at most
    eight, a run of more than three words is taken apart), each with the two words before it as its role.

    Args:
        items: questions of one type.
    """
    texts = [words(item.question) for item in items]
    frequency = Counter(word for text in texts for word in set(text))
    template = {word for word, count in frequency.items() if 2 * count >= len(items)}
    return [_phrases(text, template) for text in texts]


def _phrases(text: list[str], template: set[str]) -> list[Phrase]:
    found: list[Phrase] = []
    position = 0
    for common, run in groupby(text, key=template.__contains__):
        length = len(list(run))
        if not common:
            step = length if length <= _LONGEST else 1
            for start in range(position, position + length, step):
                found.append((" ".join(text[max(0, start - 2) : start]), " ".join(text[start : start + step])))
        position += length
    return found[:_MOST_PHRASES]


def parts(option: str) -> list[str]:
    """The parts of an option that lists several things, in order; the option itself where it is one."""
    return [part.strip().lower() for part in option.split(",") if part.strip()] or [option.lower()]


def number_in(option: str) -> float | None:
    """The number that an option states, where it states exactly one."""
    found = re.findall(r"-?\d+(?:\.\d+)?", option)
    return float(found[0]) if len(found) == 1 else None
