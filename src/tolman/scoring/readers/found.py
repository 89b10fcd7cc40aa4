"""Readings of a regular expression's match, with the place in the response's text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tolman.scoring.reading import ParsedAnswer


def letter_of(match: re.Match[str], rule: str, start: int = 0) -> ParsedAnswer:
    """The first group of a match, in upper case.

    Args:
        match: of a pattern with a group.
        rule: the name of the rule that matched.
        start: where the text that was searched begins in the response's.
    """
    return ParsedAnswer(match[1].upper(), span=(start + match.start(1), start + match.end(1)), rule=rule)


def last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The last of a pattern's matches that don't overlap, counted from the left."""
    found = None
    for match in pattern.finditer(text):
        found = match
    return found


def first_of(patterns: Iterable[tuple[str, re.Pattern[str]]], text: str, start: int = 0) -> ParsedAnswer | None:
    """The first match of the first pattern that has one, as a letter.

    Args:
        patterns: names of rules, and patterns with a group.
        text: what is searched.
        start: where it begins in the response's.
    """
    for rule, pattern in patterns:
        match = pattern.search(text)
        if match:
            return letter_of(match, rule, start)
    return None


def stripped(text: str) -> tuple[str, int]:
    """A text without white space around it, and where that begins in it."""
    return text.strip(), len(text) - len(text.lstrip())
