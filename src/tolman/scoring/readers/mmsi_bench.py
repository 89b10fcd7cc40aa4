"""MMSI-Bench's released parser, and lmms-eval's for the same benchmark.

What stands in double backticks, then in single ones, then the first A–D between word boundaries that isn't followed by
white space and a letter. lmms-eval looks in braces too, and takes A to F in any case.
"""

from __future__ import annotations

import re

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.reading import ParsedAnswer, nothing

_WRAPPERS = (
    ("double backticks", re.compile(r"``([^`]*)``")),
    ("single backticks", re.compile(r"`([^`]*)`")),
)
_LETTER = re.compile(r"\b[A-D]\b(?!\s[a-zA-Z])")
_LETTER_TO_F = re.compile(r"\b[A-F]\b(?!\s[a-zA-Z])", re.IGNORECASE)


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The authors' patterns in their order."""
    return _letter(_LETTER, *_unwrapped(text))


def read_lmms_eval(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The patterns of lmms-eval, which has one more."""
    text, start, rule = _unwrapped(text)
    opening = text.find("{")
    closing = text.find("}", opening + 1)
    if opening >= 0 and closing >= 0:
        text, start, rule = text[opening + 1 : closing], start + opening + 1, "braces"
    return _letter(_LETTER_TO_F, text, start, rule)


def _unwrapped(text: str) -> tuple[str, int, str]:
    """What stands in backticks, where it begins, and the name of that rule; the text where there are none."""
    rule, start = "letter between word boundaries", 0
    for name, wrapper in _WRAPPERS:
        wrapped = wrapper.search(text)
        if wrapped:
            text, start, rule = wrapped[1], start + wrapped.start(1), name
    return text, start, rule


def _letter(pattern: re.Pattern[str], text: str, start: int, rule: str) -> ParsedAnswer:
    letter = pattern.search(text)
    if letter is None:
        return nothing("no letter between word boundaries")
    return ParsedAnswer(letter[0].upper(), span=(start + letter.start(), start + letter.end()), rule=rule)


READERS = (
    Reader(
        name="mmsi-bench",
        title="MMSI-Bench, the authors' parser",
        source="InternRobotics/MMSI-Bench, vlmeval/dataset/mmsi_bench.py, extract_single_choice_with_word_boundary",
        read=read,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-mmsi",
        title="MMSI-Bench in lmms-eval",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/mmsi_bench/utils.py, extract_single_choice_with_word_boundary",
        read=read_lmms_eval,
        kinds=("choice",),
    ),
)
