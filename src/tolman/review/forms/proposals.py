"""Wrong options proposed to a writer, who picks: other directions, numbers at plausible ratios, other objects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

MOST = 8
LONGEST = 70
"""Letters of a proposal."""
RATIOS = (0.5, 0.75, 1.25, 1.5, 2.0)
"""Of a wrong number to the right one: from half to double, no nearer than a quarter."""
DIRECTIONS = (
    ("front-left", "front-right", "back-left", "back-right"),
    ("northeast", "northwest", "southeast", "southwest"),
    ("north", "east", "south", "west"),
    ("counterclockwise", "clockwise"),
    ("in front of", "behind", "left of", "right of"),
    ("left", "right"),
    ("forward", "backward"),
    ("above", "below"),
    ("up", "down"),
)
"""Sets of words of which one is right; those whose words hold others' words come first."""
_WAYS = ("left", "right", "forward", "backward")
"""Ways to go, which stand for each other where nothing else is said."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)")


def propose(right: str, options: Sequence[str], things: Sequence[str], others: Iterable[str] = ()) -> list[str]:
    """Wrong options beside a right one, the likeliest first.

    Args:
        right: text of the right option.
        options: all that are written; none of them is proposed.
        things: objects of the scene, where it is known.
        others: options of other questions about the same media or of the same category.
    """
    text = " ".join(right.split())
    if not text:
        return []
    found = [*_directions(text), *_numbers(text), *_things(text, things)]
    if not found:
        found = [" ".join(other.split()) for other in others]
    taken = {option.strip().casefold() for option in options} | {text.casefold()}
    fresh = dict.fromkeys(one for one in found if one and one.casefold() not in taken and len(one) <= LONGEST)
    return list(fresh)[:MOST]


def _swapped(text: str, words: Sequence[str]) -> list[str]:
    """The text with each other word in the place of the one that stands in it."""
    for word in sorted(words, key=len, reverse=True):
        match = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE)
        if match:
            others = [other for other in words if other.casefold() != word.casefold()]
            capital = match[0][:1].isupper()
            return [text[: match.start()] + _as(other, capital=capital) + text[match.end() :] for other in others]
    return []


def _as(word: str, *, capital: bool) -> str:
    return word[:1].upper() + word[1:] if capital else word


def _directions(text: str) -> list[str]:
    if text.casefold() in _WAYS:
        return _swapped(text, _WAYS)
    return next((found for words in DIRECTIONS if (found := _swapped(text, words))), [])


def _numbers(text: str) -> list[str]:
    """The text with its only number at other ratios, with as many decimals."""
    numbers = list(_NUMBER.finditer(text))
    if len(numbers) != 1 or float(numbers[0][0]) == 0:
        return []
    match = numbers[0]
    decimals = len(match[0].partition(".")[2])
    made = [f"{float(match[0]) * ratio:.{decimals}f}" for ratio in RATIOS]
    if not decimals and float(match[0]) < 10:  # counts: the next whole numbers
        count = int(match[0])
        made = [str(count + step) for step in (-1, 1, 2, -2) if count + step >= 0]
    return [text[: match.start()] + number + text[match.end() :] for number in made if number != match[0]]


def _things(text: str, things: Sequence[str]) -> list[str]:
    return _swapped(text, list(dict.fromkeys(things)))
