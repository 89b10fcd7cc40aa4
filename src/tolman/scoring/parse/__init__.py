"""The careful reader: finds the answer that a person would say a response gives.

One reader for all benchmarks. It collects every place where a response commits itself to an answer, each with how
plainly it is said (`commitments`), and the last that nothing contradicts stands (`resolve`):

1. a reasoning trace is set aside (`reasoning`), control tokens, HTML and LaTeX commands become spaces (`plain`);
2. wrappers made for answers are read first: tags, boxes, JSON fields (`wrappers`);
3. the languages are recognised (`detection`), and the rest is split into sentences and lines with the cues in them
   (`segments`, `words`, `lexicon`, `language_files`; the cues themselves in `languages/`);
4. for a choice the options are prepared (`option_texts`), every mention of one is found (`mentions`) by letter
   (`letters`), in words (`option_words`, `option_pieces`) or by its place (`option_places`), with whether it is denied
   (`polarity`) or follows the first of a ranking (`ranking`), and put together
   (`option_lines`); then the options are found that are announced or corrected (`option_announcements`), stand alone
   (`alone`), are called right or wrong (`verdicts`), left over (`left_over`) or only stated (`option_statements`), the
   other one where the opposite of what is asked is said (`opposites`), but for what is said while the response goes
   through all of them (`enumeration`); `choice` puts these rules in order, beside those for options that are orders
   (`orders`), routes (`routes`) or numbers (`option_values`);
5. for a number every quantity is found (`quantities`), in digits (`digits`), in words (`numerals`), or as a unit alone
   (`bare_units`), with its unit (`measures`, `units`), its relations to others (`relations`, `sums`), and its role in a
   line (`number_lines`); `amounts` puts the rules for those that are announced (`number_announcements`), concluded
   (`number_conclusions`), alone (`lone_numbers`) or stated in order, and quantities stated together must agree
   (`agreement`).

6. where the rules leave a doubt, the values that the response names (`candidates`), or an option in other words
   (`closeness`), are weighed (`features`) by learned trees (`selection`).

Announcements work the same for both (`announcements`). A response that refuses, gives two answers or a range, or ends
before it answers (`broken`), holds none.

Other kinds of answers are read from what a response states (`statements`): a few words (`words_said`), an order or a
set (`lists_said`), points and boxes (`places`, `coordinates`).
"""

from __future__ import annotations

from tolman.items import Item
from tolman.scoring.parse.plain import MAX_CHARS
from tolman.scoring.reading import ParsedAnswer

OWN_FORM = "place"
"""The rule that reads a response which is a place in Tolman's own form."""

__all__ = [
    "MAX_CHARS",
    "OWN_FORM",
    "read_careful",
    "read_careful_boxes",
    "read_careful_order",
    "read_careful_points",
    "read_careful_set",
    "read_careful_words",
]


def read_careful(item: Item, response: str) -> ParsedAnswer:
    """`reader.read_careful`, imported with the first response: its patterns take a twentieth of a second to compile,
    and a run has asked by then."""
    from tolman.scoring.parse.reader import read_careful as read

    return read(item, response)


def read_careful_words(item: Item, response: str) -> ParsedAnswer:
    """`words_said.read_words`, imported with the first response."""
    from tolman.scoring.parse.words_said import read_words as read

    return read(item, response)


def read_careful_order(item: Item, response: str) -> ParsedAnswer:
    """`lists_said.read_order`, imported with the first response."""
    from tolman.scoring.parse.lists_said import read_order as read

    return read(item, response)


def read_careful_set(item: Item, response: str) -> ParsedAnswer:
    """`lists_said.read_set`, imported with the first response."""
    from tolman.scoring.parse.lists_said import read_set as read

    return read(item, response)


def read_careful_points(item: Item, response: str) -> ParsedAnswer:
    """`places.read_points`, imported with the first response."""
    from tolman.scoring.parse.places import read_points as read

    return read(item, response)


def read_careful_boxes(item: Item, response: str) -> ParsedAnswer:
    """`places.read_boxes`, imported with the first response."""
    from tolman.scoring.parse.places import read_boxes as read

    return read(item, response)
