"""VSI-Bench's released parser and metric, quirks included.

Source: vision-x-nyu/thinking-in-space, lmms_eval/tasks/vsibench/utils.py. Only the text before the first space
counts, less a trailing full stop; "(A)", "A)" and " A" are therefore wrong and "A chair …" is A.
"""

from __future__ import annotations

from tolman.items import Item
from tolman.scoring.reading import ParsedAnswer, nothing
from tolman.scoring.relative_accuracy import mra_vsi_bench
from tolman.scoring.rules import RuleSet, careful, kind_and_answer, score_exactly, score_in_floats


def first_token(text: str) -> str:
    """The text before the first space, without full stops at its end, then without white space around."""
    return text.split(" ")[0].rstrip(".").strip()


def read_official(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first token as a letter (any case), or as whatever Python's `float` takes."""
    token = first_token(text)
    start = len(text) - len(text.lstrip())
    span = start, start + len(token)
    if item.kind == "choice":
        letter = token.upper()
        if len(letter) == 1 and letter in item.letters:
            return ParsedAnswer(letter, span=span, rule="first token")
        return nothing("first token is no letter")
    try:
        return ParsedAnswer(float(token), span=span, rule="first token")
    except ValueError:
        return nothing("first token is no number")


def undefined(item: Item) -> str | None:
    """Why the released metric has no score for an item: it divides by the answer."""
    return "the released metric divides by it" if item.kind == "number" and not item.exact_answer else None


RULE_SETS = (
    RuleSet("official", read_official, score_in_floats(mra_vsi_bench), undefined=undefined, alike=kind_and_answer),
    careful(score=score_exactly),
)
