"""Words of a text, in every script, and how they are compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tolman.scoring.parse.plain import fold

T = TypeVar("T")

WORD = re.compile(
    r"(?<![A-Za-z\u00c0-\u024f])(?:[LlDdSs]|[Qq]u)(?='[A-Za-z\u00c0-\u024f]{2})"
    r"|[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+(?:'[A-Za-z\u00c0-\u024f]+)?"
    r"|[\u0370-\u052f]+|[\u0600-\u065f\u066e-\u06ff]+|[\u0900-\u0963\u0970-\u097f]+"
    r"|[\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
    r"|[0-9]+(?:[.,][0-9]+)*|[①-⑳㉠-㉻ㄱ-ㅎ]|[✓✔✅☑✗✘❌✕❎→⇒]"
)
"""A word, a number, a sign, or a character of a script without spaces (Hangul too: its particles are glued on)."""
MIN_COMMON_LETTERS = 4
"""Letters with which two words that differ in their endings begin alike, at least."""

_ARABIC_ENDING = re.compile(r"(?<=[\u0600-\u06ff]{3})(?:ات|تان|تين|ان|ين|ون|ه|ا)\Z")
_GLUED = re.compile(r"[\u3005\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


class Span(Protocol):
    """A part of a text: a word, a cue, a mention, a quantity."""

    @property
    def start(self) -> int:
        """Place of its first character."""

    @property
    def end(self) -> int:
        """Place behind its last character."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: as it is compared, and where it stands."""

    folded: str
    start: int
    end: int


def words_of(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """Split a text into words.

    Args:
        text: any.
        start, end: the part of it to look at.

    Returns:
        The words in order, with their places in the whole text.
    """
    return [
        Word(folded, match.start(), match.end())
        for match in WORD.finditer(text, start, len(text) if end is None else end)
        if (folded := fold(match[0]))  # a sign that only changes a letter is no word by itself
    ]


def both_ends(found: Sequence[T], limit: int) -> list[T]:
    """Leave out the middle of a list that is too long to be looked at.

    Args:
        found: in the order of their places.
        limit: of what is left.

    Returns:
        All, or the first quarter and the last three quarters of so many: an answer stands near an end.
    """
    return list(found) if len(found) <= limit else [*found[: limit // 4], *found[-(3 * limit // 4) :]]


def is_inside(inner: Span, outers: Iterable[Span]) -> bool:
    """Tell whether a part of a text lies within one of some others.

    Args:
        inner: the part.
        outers: the others.

    Returns:
        True also where the two are the same.
    """
    return any(outer.start <= inner.start and inner.end <= outer.end for outer in outers)


def is_glued(character: str) -> bool:
    """Tell whether a character belongs to a script that is written without spaces.

    Args:
        character: a text of length 1.

    Returns:
        True for Chinese characters, kana and Hangul.
    """
    return _GLUED.match(character) is not None


def _arabic_stem(word: str) -> str:
    """An Arabic word without the endings of number and gender."""
    return _ARABIC_ENDING.sub("", word)


def same_word(word: str, other: str) -> bool:
    """Tell whether two words are the same but for their endings.

    Args:
        word, other: folded.

    Returns:
        False also for a numeral and its ordinal: "four" and "fourth".
    """
    if word == other or (word[0] >= "\u0600" and _arabic_stem(word) == _arabic_stem(other)):
        return True
    if word + "th" == other or other + "th" == word:
        return False
    shorter, longer = min(len(word), len(other)), max(len(word), len(other))
    if shorter < MIN_COMMON_LETTERS or word[:3] != other[:3] or word[0].isdecimal():
        return False
    common = 0
    for a, b in zip(word, other, strict=False):
        if a != b:
            break
        common += 1
    ending = 3 if word[0] > "\u0250" else 2  # endings are longer outside of the Latin script
    return common >= max(MIN_COMMON_LETTERS, longer - ending) or (common == shorter >= 5 and longer - common <= 3)
