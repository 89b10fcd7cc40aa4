"""SITE's released parser, its random fallback included; lmms-eval has the same.

Four families of patterns are tried in order and the first with hits decides. Nothing found: the released code draws an
option with an unseeded generator. Here the draw is seeded by run and item, counted, and its expectation is reported
beside it.
"""

from __future__ import annotations

import random

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.reading import ParsedAnswer

_FAMILIES = {
    "letter in brackets": ("({})",),
    "letter between spaces": (" {} ",),
    "letter before a full stop": ("{}.",),
    "letter beside a colon": ("{}:", ":{}", ": {}"),
}


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The letter in "(A)", else " A ", else "A.", else "A:" or ":A" or ": A"; of several the one that stands last
    between spaces, or the first option where none does; of none, a random one."""
    padded = f" {text.strip()} "
    for rule, patterns in _FAMILIES.items():
        candidates = [c for c in item.letters if any(p.format(c) in padded for p in patterns)]
        if candidates:
            chosen = max(candidates, key=lambda c: padded.rfind(f" {c} "))
            return ParsedAnswer(chosen, span=_span(text, padded, chosen, patterns), rule=rule)
    drawn = random.Random(f"{seed}:{item.id}").choice(item.letters)
    return ParsedAnswer(drawn, "drawn at random by the released parser", guessed=True)


def _span(text: str, padded: str, letter: str, patterns: tuple[str, ...]) -> tuple[int, int]:
    """Where the letter stands that decided: last between spaces, or first as one of the patterns."""
    forms = [p for p in patterns if p.format(letter) in padded]
    between = padded.rfind(f" {letter} ") + 1
    place = between or min(padded.find(p.format(letter)) + p.index("{}") for p in forms)
    start = place - 1 + len(text) - len(text.lstrip())
    return start, start + 1


READER = Reader(
    name="site",
    title="SITE, the authors' parser",
    source="wenqi-wang20/SITE-Bench, eval_scripts/sitebench/utils.py, parse_multi_choice_response",
    read=read,
    kinds=("choice",),
)
