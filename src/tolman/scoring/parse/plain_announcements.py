"""Announcements so plain that no question and few options change their reading: "The answer is C.", "Answer: 1.5".

The rules would read the announced letter or number too, at a hundred times the cost. What they look for in such a
sentence beside the announcement depends on the item in three ways, which are excluded here:

- The languages of the question and the options add phrases to those of the sentence.
- An option may be named by a word of the sentence.
- A yes or no is read against the question.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.parse.language_detection import is_english, language_files
from tolman.scoring.parse.lexicon import WORD, phrase_words
from tolman.scoring.parse.option_texts import ARTICLES
from tolman.scoring.parse.yes_no import PAIRS

_ANNOUNCEMENT = re.compile(
    r"(?:(?:The )?(?:final )?answer is:?|(?:Final a|A)nswer:)"
    r" (?:(?P<letter>[A-Z])|\((?P<bracketed>[A-Z])\)|(?P<number>[0-9]{1,9}(?:\.[0-9]{1,9})?))\.?"
)
_SIMPLE = re.compile(r"[A-Za-z0-9 ,.'()/\n-]*")
"""Options without markup, signs or letters of other alphabets."""
_NEAR_WORDS = re.compile(r"ans|fin|fi.\Z|th(?!e\Z).{0,3}\Z|is?s*\Z")
"""How words begin that the rules may take for one of the sentence's, in another form too."""


def plain_announcement(item: Item, response: str) -> ParsedAnswer | None:
    """Read a response that is nothing but a plain announcement.

    Args:
        item: for its question, kind and options; its answer isn't looked at.
        response: hostile or not.

    Returns:
        The reading of the rules; None where they are needed.
    """
    found = _ANNOUNCEMENT.fullmatch(response)
    if found is None:
        return None
    group = found.lastgroup or ""
    said = found[group]
    if item.kind == "number":
        fits = group == "number"
    else:
        fits = group != "number" and said in item.letters and _are_apart(item.options, said.lower())
    if not fits or not is_english("\n".join((item.question, *item.options))):
        return None
    return ParsedAnswer(Fraction(said) if group == "number" else said, span=found.span(group), rule="declared")


def _are_apart(options: tuple[str, ...], letter: str) -> bool:
    """Check whether no option is named by a word of an announcement of a letter, or is a yes or no."""
    if not _SIMPLE.fullmatch("\n".join(options)):
        return False
    for option in options:
        words = WORD.findall(option.lower())
        if ARTICLES.issuperset(words) or not _yes_and_no().isdisjoint(words):
            return False
        if any(word.rstrip("s") == letter or word == letter or _NEAR_WORDS.match(word) for word in words):
            return False
    return True


@cache
def _yes_and_no() -> frozenset[str]:
    """Words that each yes or no of any language holds."""
    concepts = [data.get("concepts", {}) for data in language_files().values()]
    phrases = [phrase for names in concepts for role in ("yes", "no") for phrase in names.get(role, ())]
    return frozenset({word for pair in PAIRS for word in pair} | {phrase_words(phrase)[-1] for phrase in phrases})
