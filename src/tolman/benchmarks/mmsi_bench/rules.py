"""MMSI-Bench's released parser.

Source: InternRobotics/MMSI-Bench, vlmeval/dataset/mmsi_bench.py (`extract_single_choice_with_word_boundary`): what
stands in double backticks, then in single ones, then the first A–D between word boundaries that isn't followed by
white space and a letter. What isn't found scores 0; the paper's model fallback is not called by the code.
"""

from __future__ import annotations

import re

from tolman.items import Item
from tolman.scoring.reading import Reading, nothing
from tolman.scoring.rules import RuleSet, careful, score_exactly

_DOUBLE = re.compile(r"``([^`]*)``")
_SINGLE = re.compile(r"`([^`]*)`")
_LETTER = re.compile(r"\b[A-D]\b(?!\s[a-zA-Z])")


def read_official(item: Item, text: str, seed: int = 0) -> Reading:
    """The released patterns in their order."""
    for wrapper in (_DOUBLE, _SINGLE):
        wrapped = wrapper.search(text)
        if wrapped:
            text = wrapped[1]
    letter = _LETTER.search(text)
    return Reading(letter[0]) if letter else nothing("no letter between word boundaries")


RULE_SETS = (RuleSet("official", read_official, score_exactly), careful())
