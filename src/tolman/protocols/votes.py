"""Votes: majorities, and reading what was voted for. Pure functions."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from tolman.items import Item
from tolman.scoring.parse import read_careful

T = TypeVar("T", bound=Hashable)

TIED = "tied vote"
UNREAD = "vote or draw without an answer"
NO_DIALOGUE = {"self-explanation": "the answer is a vote over several dialogues, none of which could go on"}
"""Modifiers that a protocol ending with a vote refuses, with the reason."""
_CHOICE = re.compile(r"\b(?:best|choice|choose|vote|select)\w*[^\d\n]{0,40}?(\d{1,2})(?![\d.]\d)", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\d.])(\d{1,2})(?![\d.]*\d)")
_HEADING = re.compile(r"^[ \t]*[#*_>\-]{0,6}[ \t]*plan[ \t]*#?(\d{1,2})[ \t]*[*_]{0,3}[ \t]*[:.)\-–]?", re.I | re.M)
_LISTED = re.compile(r"^[ \t]*[*_]{0,3}(\d{1,2})[.)][ \t]", re.MULTILINE)


@dataclass(frozen=True)
class Majority(Generic[T]):
    """The most frequent of some votes.

    Attributes:
        winner: None where nobody voted.
        votes: how many it has.
        tied: whether another has as many.
    """

    winner: T | None
    votes: int
    tied: bool


def majority(votes: Sequence[T | None], seed: str) -> Majority[T]:
    """The most frequent vote; a tie is broken by a draw among those that are tied.

    Neither the order of the votes nor timing has a part in it. A vote of None is none.

    Args:
        votes: anything that can be counted and has a distinct `repr`.
        seed: of the draw.
    """
    counts = Counter(vote for vote in votes if vote is not None)
    if not counts:
        return Majority(None, 0, tied=False)
    most = max(counts.values())
    first = sorted((vote for vote, count in counts.items() if count == most), key=repr)
    winner = random.Random(seed).choice(first) if len(first) > 1 else first[0]
    return Majority(winner, most, tied=len(first) > 1)


def value_of(item: Item, text: str) -> str | None:
    """Read the answer of a response, as text: a letter, or a number in the item's unit; None where it holds no answer.

    Read by the careful parser, so that "A", "(A)" and "A. chair" are one vote.
    """
    value = read_careful(item, text).value
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else repr(float(value))
    return None if value is None else str(value)


def choose_proposal(text: str, count: int) -> int | None:
    """Find the numbered proposal that a vote is for, from 0; None where it names none or several.

    The last "best … N" counts; without one, the last line if it names a single number.

    Args:
        text: what the voter said.
        count: how many proposals there are.
    """
    said = [int(number) for number in _CHOICE.findall(text[-20_000:])]
    if not said:
        lines = [line for line in text[-20_000:].splitlines() if line.strip()]
        said = [int(number) for number in _NUMBER.findall(lines[-1])] if lines else []
        said = said if len(set(said)) == 1 else []
    return said[-1] - 1 if said and 1 <= said[-1] <= count else None


def proposals(text: str, count: int) -> list[str]:
    """The numbered plans of a text ("Plan 1: …", or "1. …"), in the order of their numbers.

    Returns:
        `count` texts without their headings; empty where the text doesn't hold just these.
    """
    for pattern in (_HEADING, _LISTED):
        found = list(pattern.finditer(text[:50_000]))
        # A plan's own steps may be numbered too: the headings are the first 1, then the next 2 …
        heads: list[re.Match[str]] = []
        for match in found:
            if int(match[1]) == len(heads) + 1:
                heads.append(match)
        if pattern is _LISTED and len(found) != len(heads):
            continue
        if len(heads) == count:
            ends = [head.start() for head in heads[1:]] + [len(text)]
            parts = [text[head.end() : end].strip(" \n*_") for head, end in zip(heads, ends, strict=True)]
            return parts if all(parts) else []
    return []
