"""OmniSpatial's released parsers, one for each form that its prompt asks for.

`re` and `json` take A where nothing matches, so that every unreadable reply earns A's share. `re` finds "answer: b"
but doesn't turn it into B, which makes it wrong.
"""

from __future__ import annotations

import json
import re

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.readers.found import last_match
from tolman.scoring.reading import ParsedAnswer, nothing

DEFAULT = "A"
_LINE = re.compile(r"Answer\s*:\s*([A-D])\b", re.IGNORECASE)


def _default(why: str) -> ParsedAnswer:
    return ParsedAnswer(DEFAULT, f"{why}: the released default", assumed=True, rule="default")


def read_line(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The last "Answer: X", as it is written; A where there is none."""
    found = last_match(_LINE, text)
    if found is None:
        return _default("no 'Answer: X'")
    return ParsedAnswer(found[1], span=found.span(1), rule="Answer:")


def read_json(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first character of "answer" in a JSON object, fenced or not; A where the text is none or has no answer."""
    bare = text.strip().removeprefix("```json").removesuffix("```").strip()
    try:
        value = json.loads(bare).get("answer", DEFAULT).strip().upper()[:1]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return _default("no JSON object with an answer")
    return ParsedAnswer(value, rule="answer of a JSON object") if value else nothing("an empty answer")


def read_first_character(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first character, whatever it is."""
    value = text.strip().upper()[:1]
    start = len(text) - len(text.lstrip())
    return ParsedAnswer(value, span=(start, start + 1), rule="first character") if value else nothing("an empty reply")


_SOURCE = "qizekun/OmniSpatial, api_eval.py, process_info, eval_type '{}'"
READERS = (
    Reader("omnispatial-re", "OmniSpatial, format re", _SOURCE.format("re"), read_line, ("choice",)),
    Reader("omnispatial-json", "OmniSpatial, format json", _SOURCE.format("json"), read_json, ("choice",)),
    Reader(
        "omnispatial-direct", "OmniSpatial, format direct", _SOURCE.format("direct"), read_first_character, ("choice",)
    ),
)
