"""SITE's released parser, its random fallback included.

Source: wenqi-wang20/SITE-Bench, eval_scripts/sitebench/utils.py. Four families of patterns are tried in order and
the first with hits decides. Nothing found: the released code draws an option with an unseeded generator. Here the
draw is seeded by run and item, counted, and its expectation is reported beside it.

The paper (section 5.1) has GPT-4o assess all responses instead, with a prompt that isn't published. With a judge that
is done, in Tolman's own words and without telling it the right answer; only a letter alone needs nobody to read it.
"""

from __future__ import annotations

import random
import re

from tolman.items import Item
from tolman.scoring.judged import Judging, extraction_prompt
from tolman.scoring.reading import ParsedAnswer
from tolman.scoring.rules import RuleSet, careful, kind_and_answer, score_exactly

_ALONE = re.compile(r"\s*(?:\([A-Z]\)|[A-Z][.:]?)\s*")
_FAMILIES = {
    "letter in brackets": ("({})",),
    "letter between spaces": (" {} ",),
    "letter before a full stop": ("{}.",),
    "letter beside a colon": ("{}:", ":{}", ": {}"),
}


def read_official(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
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


RULE_SETS = (
    RuleSet("official", read_official, score_exactly, alike=kind_and_answer),
    careful(score=score_exactly),
)
JUDGING = Judging(
    source="SITE's judge (section 5.1; its prompt is not published, this one is Tolman's): all but a letter alone",
    base="official",
    asks=lambda item, text, own: own.guessed or not _ALONE.fullmatch(text),
    prompt=extraction_prompt,
)
