"""Reader: how somebody's released code reads an answer out of a response, as an object with a name.

Tolman's own are in `tolman.scoring.readers`, one module for each source; a plugin adds more by declaring `READER` or
`READERS`, another package by the entry point group `tolman.readers`. A rule set names one, so that one set of responses
shows the number of every harness.

A reader of a release does what that release does to a text, quirks included: it is changed only where it differs from
its source. What the release makes of the reading (exact match, relative accuracy, share of points) is a metric's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tolman.items import Item
from tolman.registry import Registry
from tolman.scoring.reading import ParsedAnswer

Read = Callable[[Item, str, int], ParsedAnswer]
"""(item, response text, seed) → ParsedAnswer, as `RuleSet.read` is. The seed is for readers that draw at random."""


def _every_response(item: Item, text: str) -> bool:
    return True


@dataclass(frozen=True)
class Reader:
    """A released parser.

    Attributes:
        name: what rule sets and files call it: 'easi', 'mindcube'.
        title: its heading.
        source: repository, file and function that it does the same as.
        read: (item, response text, seed) → ParsedAnswer. Takes time linear in the length of the text.
        kinds: names of the item kinds that it reads; all of them where empty.
        counts: (item, response text) → whether the release has such a response in its denominators at all, for
            `RuleSet.counts`; some leave out what they can't parse.
    """

    name: str
    title: str
    source: str
    read: Read
    kinds: tuple[str, ...] = ()
    counts: Callable[[Item, str], bool] = _every_response


def _problem(thing: object) -> str:
    return "" if isinstance(thing, Reader) else "is no Reader of tolman.scoring.reader"


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
