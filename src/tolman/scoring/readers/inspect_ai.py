"""Inspect's `multiple_choice`: the letter behind "ANSWER:", at the beginning of a line, else anywhere.

Its prompt asks for that line; a letter without it is no answer.
"""

from __future__ import annotations

import re

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.reading import ParsedAnswer, nothing

KEPT_BLANKS = 32
"""Blank characters that are looked at on either side of a longer run of them, so that time stays linear."""
_BLANKS = re.compile(rf"(\s{{{KEPT_BLANKS}}})\s{{{KEPT_BLANKS},}}(\s{{{KEPT_BLANKS}}})")
_SAME = re.compile(r"(\s)\1{3,}")
_WRAPPERS = (
    (re.compile(r"\$\s*([A-Za-z\d][A-Za-z\d ,]*?)\s*\$"), r"\1"),
    (re.compile(r"\*\*\s*([A-Za-z\d][A-Za-z\d ,]*?)\s*\*\*"), r"\1"),
    (re.compile(r"(^|[:,])(\s*)\(([A-Za-z\d])\)(?=\s*(?:,|\.|\n|\Z))"), r"\1\2\3"),
)
_LINE = re.compile(r"^ANSWER\s*:\s*([A-Za-z\d ,]+)\s*(?:$|\n|\.)", re.IGNORECASE | re.MULTILINE)
_ANYWHERE = re.compile(r"ANSWER\s*:\s*([A-Za-z\d ,]+)(?:[^\w]|\n|$|\.)", re.IGNORECASE)


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The last "ANSWER: X" that is a line, else the last of all; nothing where that one names no option alone."""
    short = _BLANKS.sub(r"\1\2", _SAME.sub(r"\1\1\1", text))
    for pattern, kept in _WRAPPERS:
        short = pattern.sub(kept, short)
    for rule, pattern in (("line ANSWER:", _LINE), ("ANSWER:", _ANYWHERE)):
        found = pattern.findall(short)
        if found:
            named = [part for part in found[-1].strip().upper().split(",") if part]
            if len(named) == 1 and named[0] in tuple(item.letters):
                return ParsedAnswer(named[0], rule=rule)
            return nothing("what follows ANSWER: is no option")
    return nothing("no 'ANSWER:'")


READER = Reader(
    name="inspect-choice",
    title="Inspect, multiple_choice",
    source="UKGovernmentBEIS/inspect_ai 0.3.285, solver/_multiple_choice.py, parse_answers of one answer",
    read=read,
    kinds=("choice",),
)
