"""SITE's released parser, its random fallback included.

Source: wenqi-wang20/SITE-Bench, eval_scripts/sitebench/utils.py. Four families of patterns are tried in order and
the first with hits decides. Nothing found: the released code draws an option with an unseeded generator. Here the
draw is seeded by run and item, counted, and its expectation is reported beside it.
"""

from __future__ import annotations

import random

from tolman.items import Item
from tolman.scoring.reading import Reading
from tolman.scoring.rules import RuleSet, careful, score_exactly

_FAMILIES = (("({})",), (" {} ",), ("{}.",), ("{}:", ":{}", ": {}"))


def read_official(item: Item, text: str, seed: int = 0) -> Reading:
    """The letter in "(A)", else " A ", else "A.", else "A:" or ":A" or ": A"; of several the one that stands last
    between spaces, or the first option where none does; of none, a random one."""
    padded = f" {text.strip()} "
    for patterns in _FAMILIES:
        candidates = [c for c in item.letters if any(p.format(c) in padded for p in patterns)]
        if candidates:
            return Reading(max(candidates, key=lambda c: padded.rfind(f" {c} ")))
    drawn = random.Random(f"{seed}:{item.id}").choice(item.letters)
    return Reading(drawn, "drawn at random by the released parser", guessed=True)


RULE_SETS = (RuleSet("official", read_official, score_exactly), careful())
