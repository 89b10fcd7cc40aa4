"""The careful reader finds the answer that a person would say a response gives.

One reader serves all benchmarks. It collects every place where a response commits itself to an answer, with how plainly
it does so. Of the plainest kind (wrapped, declared or alone, concluded, judged, stated), the last that nothing
contradicts is the answer (`commitments.standing`).

1. A reasoning trace is set aside. Control tokens, HTML and LaTeX commands become spaces (`plain_text`).
2. Wrappers made for answers are read first: tags, boxes and JSON fields (`wrappers`).
3. The languages are recognised (`language_detection`). The rest is split into sentences and lines, with the cues and
   announcements in them (`response_segments`, `lexicon`; the cues themselves are in `languages/`).
4. For a choice the options are prepared (`option_texts`) and every mention of one is found: by letter (`option_lines`),
   or in words or by its place (`option_words`). A mention may be denied, or follow the first of a ranking
   (`option_mentions`). Then the rules look for options that are announced, corrected or alone in their line
   (`option_announcements`), and for those that are called right or wrong, or left over (`option_verdicts`). `choice`
   puts these rules in order, together with those for options that are orders or routes (`option_sequences`), numbers or
   measured (`option_measures`).
5. For a number every quantity is found, in digits (`quantities`), in words (`numerals`) or as a unit alone, with its
   unit (`units`), its relations to others, and its role in a line (`number_lines`). `amounts` puts in order the rules
   for numbers that are announced, concluded, alone or stated. Quantities that are stated together must agree. Counts
   may be said otherwise, or be worked out (`counts_in_words`).
6. The question is parsed (`asked`). Against it are read a yes or no without the word (`yes_no`), and options that are
   related or compared (`option_comparisons`).
7. If the rules leave a doubt, the values that the response names, or options in other words (`answer_candidates`), are
   weighed by learned trees (`answer_selection`).

A response that refuses, gives two answers or a range, or ends before it answers (`reader`) holds none.

Other kinds of answers are read from the statements of a response: a few words, an order or a set (`stated_answers`),
points and boxes (`coordinates`).
"""

from __future__ import annotations

import re
from fractions import Fraction

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer

__all__ = [
    "read_careful",
    "read_careful_boxes",
    "read_careful_order",
    "read_careful_points",
    "read_careful_set",
    "read_careful_words",
]


_BARE = re.compile(r"\s*(?:(?P<letter>[A-Z])|(?P<number>[0-9]{1,9}(?:\.[0-9]{1,9})?))\.?\s*")
_ANNOUNCED = re.compile(r"(?i:the |final |answer)[^\n]{1,60}")
"""Every plain announcement, and little else."""


def read_careful(item: Item, response: str) -> ParsedAnswer:
    """Read the answer of a response to an item: a letter of its options, or an exact number in its unit.

    The rules (`reader`) are imported with the first response that needs them, as they take a tenth of a second.

    Args:
        item: for its question, kind, options and unit; its answer isn't looked at.
        response: hostile or not.

    Returns:
        A Reading whose value is a letter, a Fraction, or None with the reason in its note. Never raises.
    """
    bare = _BARE.fullmatch(response)
    if bare is not None:  # most direct answers: a letter or a number and nothing else
        if item.kind == "choice" and bare["letter"] and bare["letter"] in item.letters:
            return ParsedAnswer(bare["letter"], span=bare.span("letter"), rule="alone")
        if item.kind == "number" and bare["number"]:
            return ParsedAnswer(Fraction(bare["number"]), span=bare.span("number"), rule="alone")
    if _ANNOUNCED.fullmatch(response):
        from tolman.scoring.parse.plain_announcements import plain_announcement

        announced = plain_announcement(item, response)
        if announced is not None:
            return announced
    from tolman.scoring.parse.reader import read_by_rules

    return read_by_rules(item, response)


def read_careful_words(item: Item, response: str) -> ParsedAnswer:
    """`stated_answers.read_words`, imported with the first response."""
    from tolman.scoring.parse.stated_answers import read_words as read

    return read(item, response)


def read_careful_order(item: Item, response: str) -> ParsedAnswer:
    """`stated_answers.read_order`, imported with the first response."""
    from tolman.scoring.parse.stated_answers import read_order as read

    return read(item, response)


def read_careful_set(item: Item, response: str) -> ParsedAnswer:
    """`stated_answers.read_set`, imported with the first response."""
    from tolman.scoring.parse.stated_answers import read_set as read

    return read(item, response)


def read_careful_points(item: Item, response: str) -> ParsedAnswer:
    """`coordinates.read_points`, imported with the first response."""
    from tolman.scoring.parse.coordinates import read_points as read

    return read(item, response)


def read_careful_boxes(item: Item, response: str) -> ParsedAnswer:
    """`coordinates.read_boxes`, imported with the first response."""
    from tolman.scoring.parse.coordinates import read_boxes as read

    return read(item, response)
