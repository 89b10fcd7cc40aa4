"""Quantities that a response mentions without giving them as the answer: of other things, sizes or suppositions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tolman.items import Unit
from tolman.scoring.parse.asked import opposite
from tolman.scoring.parse.lexicon import same_word, words_of
from tolman.scoring.parse.response_segments import Segment, is_question
from tolman.scoring.parse.units import Quantity

if TYPE_CHECKING:
    from tolman.scoring.parse.number_lines import AskedQuantity

MEASURED: tuple[Unit, ...] = ("m", "cm", "m2")
"""Units of items that ask for a length or an area."""
_QUESTION = re.compile(
    r"\s*(?:(?:should|shall|would|could|can|may|do|does|did|is|are|was|were|am|have|has)[ ]"
    r"(?:i|you|we|it|they|there|the|an?|this|that|these|those|any|[\d.]+)|which|what|who|where|how|why)\b",
    re.IGNORECASE,
)
"""The beginning of a question in full words; "could be 75 cm?" is a guess."""
_PLURAL = re.compile(r"[ -](?:\w+[ ])?(?P<noun>[a-z]{3,}s)\b(?![ ]of[ ](?:them|these|those)\b)")
_NO_NOUN = frozenset((
    "across", "always", "besides", "does", "has", "its", "less", "lies", "minus", "ones", "others", "perhaps", "pieces",
    "plus", "seems", "stands", "sits", "the", "this", "thus", "times", "towards", "units", "was", "yes"
))  # fmt: skip
"""Words behind a number that end like a plural, but name nothing else that it counts."""
_THAN_OTHER = re.compile(r"\bthan[ ](?:the|a|an|its|this|that|any)[ ](?:\w+[ ])?\Z", re.IGNORECASE)
_DIFFERENCE = re.compile(r"[ ](?:more|less|further|farther|\w{2,}er)[ ]than\b", re.IGNORECASE)
_MULTIPLIED = re.compile(
    r"\b(?:twice|double|half|thirds?|quarters?|times)[ ](?:(?:of|as|the)[ ])*(?:that|it|this)\b", re.IGNORECASE
)
"""A multiple or a share of the quantity in front, which isn't what is asked for then; "75 cm, half the door's height"
is."""
_OF_THAT = re.compile(r"[ ](?:of|times)[ ](?:that|it|this|the)\b", re.IGNORECASE)
_COUNTED_NOUN = re.compile(r"\bhow many (?:[\w-]+ )*?(\w{3,}s)\b", re.IGNORECASE)
_SHARE_OF = re.compile(
    r"\b(?:half|third|quarter|some|most|many|few|none|part)(?:[ ]of)?[ ](?:the|these|those)[ ]\Z", re.IGNORECASE
)
_OTHER_CLAUSE = re.compile(r"[,;:.]\s")
_GROUPED = re.compile(r"[ ](?:of|by|x|×|times)[ ](?!the)|\b(?:each|every|per|apiece)\b", re.IGNORECASE)
"""Behind a number of groups, each of as many of the things asked for."""
_PLUS_SOME = re.compile(
    r"\bplus[ ](?:the|an?|another|some)[ ](?:\w+[ ])?(?:pair|couple|few|rest|others)\b(?![ ]of\b)", re.IGNORECASE
)
ASSUMING = re.compile(r"\W*(?:let(?:['’]s| us)[ ])?(?:assume|suppose|imagine)\b[^,;:]*", re.IGNORECASE)
"""A sentence that only assumes something."""


def asks_back(segment: Segment, text: str) -> bool:
    """Check whether a sentence is a question in full words: "should I count the two stools?", not "three?"."""
    return is_question(segment, text) and _QUESTION.match(text, segment.start) is not None


def is_of_other_size(quantity: Quantity, segment: Segment, text: str, asked: AskedQuantity) -> bool:
    """Check whether a length or an area is of something else, or measured in things: "2 cm taller than", "3 steps"."""
    if asked.unit not in MEASURED or not asked.question:
        return False
    before = text[max(segment.start, quantity.start - CONTEXT_CHARS) : quantity.start]
    if quantity.kind:
        differs = _DIFFERENCE.match(text, quantity.end) and not _DIFFERENCE_ASKED.search(asked.question)
        if differs or _THAN_OTHER.search(before) or _MULTIPLIED.search(text, quantity.end, segment.end):
            return True
        person = _PERSON.search(before)
        if person and not asked.is_about(words_of(person[1])):
            return True
        near = (_BEHIND.match(text, quantity.end), _LABEL.search(before))
        said, wanted = _dimensions(" ".join(found[1] for found in near if found)), _dimensions(asked.question)
        return len(said) == len(wanted) == 1 and said != wanted and not _ANY_SIDE.search(asked.question)
    return bool(_noun_behind(quantity, segment, text)) or _OF_THAT.match(text, quantity.end) is not None


_PERSON = re.compile(
    r"\b(person|man|woman|adult|human|pedestrian|player)(?:[ ](?:of|is|being|who is|with|about|around|roughly))+[ ]\Z",
    re.IGNORECASE,
)
"""In front of the height of somebody, to whom other things are compared."""
_DIMENSIONS = {
    "height": ("high", "tall", "height"),
    "width": ("wide", "width"),
    "length": ("long", "length"),
    "depth": ("deep", "depth"),
    "thickness": ("thick", "thickness"),
}
_BEHIND = re.compile(r"[ -](?:in[ ])?(\w+)")
"""The word behind a quantity that may name its dimension: "75 cm high", "75 cm in height"."""
_LABEL = re.compile(r"\b(\w+)(?:[ ]?[:=]|[ ]of|[ ]is)?[ ]\Z")
"""The word in front that may: "width: 75 cm", "a width of 75 cm"."""
_ANY_SIDE = re.compile(r"\b(?:longest|longer|largest|side|dimension|distance|gap|apart|far)\b", re.IGNORECASE)


def _dimensions(text: str) -> set[str]:
    """The dimensions that a text names."""
    words = {w.folded for w in words_of(text)}
    return {name for name, forms in _DIMENSIONS.items() if not words.isdisjoint(forms)}


def _noun_behind(quantity: Quantity, segment: Segment, text: str) -> str:
    """Return the plural noun right behind an English number; empty without one."""
    noun = _PLURAL.match(text, quantity.end)
    found = noun is not None and noun["noun"] not in _NO_NOUN and "en" in segment.language.names
    return noun["noun"] if noun and found else ""


def counts_other(quantity: Quantity, segment: Segment, text: str, asked: AskedQuantity) -> bool:
    """Check whether a number counts other things than those asked for, which the response names elsewhere: "six panes"
    of a window."""
    if asked.unit != "count" or quantity.kind:
        return False
    before = text[max(segment.start, quantity.start - CONTEXT_CHARS) : quantity.start]
    if _PLUS_SOME.search(text, quantity.end, segment.end) or _SHARE_OF.search(before):
        return True
    if asked.poles and not _OTHER_CLAUSE.search(text, quantity.end, segment.end):
        named = segment.part(quantity.end, segment.end)
        said = {c.role for c in segment.language.opposites.find(named.words, text)}
        if said and not named.having("negate") and said <= {opposite(pole) for pole in asked.poles}:
            return True  # "two are off", where those that are on are counted
    noun, wanted = _noun_behind(quantity, segment, text), _COUNTED_NOUN.search(asked.question)
    if not noun or wanted is None or any(same_word(noun, a) for a in asked.words):
        return False
    if _GROUPED.search(text, quantity.end, segment.end):
        return False
    return any(same_word(w.folded, wanted[1].casefold()) for w in words_of(text))


_DIFFERENCE_ASKED = re.compile(r"\bhow much\b|\bdifference\b|\b(?:more|less|\w{2,}er)[ ]than\b", re.IGNORECASE)
CONTEXT_CHARS = 24
"""Characters in front of a quantity that tell what it measures."""
