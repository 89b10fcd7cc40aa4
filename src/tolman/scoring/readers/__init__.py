"""Reader: how a released code reads an answer out of a response, as an object with a name.

Tolman's own are declared in the modules of this package, as `READER` or `READERS`. A plugin adds more by declaring one
of these names, another package by the entry point group `tolman.readers`. A rule set names one, so that one set of
responses shows the number of every harness.

A reader treats a text as its release does, quirks included: it is changed only where it differs from its source. The
release's score of the reading (exact match, relative accuracy, share of points) is a metric's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tolman.items import Item
from tolman.registry import Registry
from tolman.scoring.answer_values import ParsedAnswer

Read = Callable[[Item, str, int], ParsedAnswer]
"""(item, response text, seed) → ParsedAnswer, as `RuleSet.read` is. The seed is for readers that draw at random."""


def _every_response(item: Item, text: str) -> bool:
    return True


@dataclass(frozen=True)
class Reader:
    """A released parser.

    Attributes:
        name: as in rule sets and files: 'easi', 'mindcube'.
        title: its heading.
        source: repository, file and function that it does the same as.
        read: (item, response text, seed) → ParsedAnswer. Takes time linear in the length of the text.
        kinds: names of the item kinds that it reads; all of them where empty.
        counts: (item, response text) → whether the release has such a response in its denominators at all, for
            `RuleSet.counts`; some leave out responses that they can't parse.
    """

    name: str
    title: str
    source: str
    read: Read
    kinds: tuple[str, ...] = ()
    counts: Callable[[Item, str], bool] = _every_response


def _problem(thing: object) -> str:
    return "" if isinstance(thing, Reader) else "is no Reader of tolman.scoring.readers"


REGISTRY = Registry(
    "reader", "tolman.scoring.readers", "READER", "tolman.readers", "READERS", named_by_file=False, check=_problem
)


def reader_names() -> list[str]:
    """The names of all readers."""
    return REGISTRY.names()


def reader_named(name: str) -> Reader:
    """The reader of a name.

    Raises:
        UsageError: there is none; the sentence has the nearest name and lists all.
    """
    found: Reader = REGISTRY.get(name)
    return found


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
        text: to search.
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
