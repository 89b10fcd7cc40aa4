"""SpatialBench's released parser and metric, quirks included.

Source: XPR2004/SpatialBench, benchmark_vision_base64.py (`_clean_model_answer`, `_check_correctness`) and
evaluate_benchmark_results.py (`get_tiered_score`; empty responses leave the denominators; rows whose type isn't in
the map leave the levels). The letter patterns have no word boundary: "the object behind" is D.
"""

from __future__ import annotations

import re

from tolman.benchmarks.spatialbench.taxonomy import LEVEL_OF, repair_task_name
from tolman.items import Item
from tolman.scoring.reading import ParsedAnswer, nothing
from tolman.scoring.relative_accuracy import mra_spatialbench
from tolman.scoring.rules import RuleSet, careful, kind_and_answer, score_exactly, score_in_floats

_FINAL = re.compile(r"Final Answer:\s*(.*)", re.IGNORECASE | re.DOTALL)
_BOX = re.compile(r"<\|begin_of_box\|>(.*?)<\|end_of_box\|>", re.DOTALL)
# Equal to the released r'[^A-Z0-9a-z]*([A-D])[^A-Z0-9a-z]*\s*$' in what it captures, without its quadratic time.
_LETTER_AT_END = re.compile(r"([A-D])[^A-Z0-9a-z]*\Z", re.IGNORECASE)
_LETTER_AT_START = re.compile(r"[^A-Z0-9a-z]*([A-D])", re.IGNORECASE)
_NUMBERS = re.compile(r"\b(\d+(?:\.\d+)?)\b")


def read_official(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The released parser, in the mode that asks for the answer alone."""
    return _read(item, text, 0)


def read_official_reasoning(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The released parser in its reasoning mode: what follows "Final Answer:"."""
    stripped = text.strip()
    final = _FINAL.search(stripped)
    return _read(item, text, len(text) - len(text.lstrip()) + final.start(1)) if final else _read(item, text, 0)


def _read(item: Item, whole: str, start: int) -> ParsedAnswer:
    """What stands behind a position of a text, without white space around."""
    start += len(whole[start:]) - len(whole[start:].lstrip())
    text = whole[start:].strip()
    boxed = _BOX.search(text)
    if boxed:
        return _as_is(item, boxed[1], start + boxed.start(1), "box")
    if item.kind == "number":
        numbers = list(_NUMBERS.finditer(text))
        if not numbers:
            return _as_is(item, text.rstrip("."), start, "whole text")
        return _found(float(numbers[-1][1]), start, numbers[-1], "last number")
    for pattern, rule in ((_LETTER_AT_END.search, "last letter"), (_LETTER_AT_START.match, "first letter")):
        letter = pattern(text)
        if letter:
            return _found(letter[1].upper(), start, letter, rule)
    return _by_option_text(item, text)


def _found(value: str | float, start: int, match: re.Match[str], rule: str) -> ParsedAnswer:
    return ParsedAnswer(value, span=(start + match.start(1), start + match.end(1)), rule=rule)


def _as_is(item: Item, text: str, start: int, rule: str) -> ParsedAnswer:
    """What the released code compares with the answer unread: a letter in any case, or a float."""
    start += len(text) - len(text.lstrip())
    text = text.strip()
    span = start, start + len(text)
    if item.kind == "choice":
        if len(text) == 1 and text.upper() in item.letters:
            return ParsedAnswer(text.upper(), span=span, rule=rule)
        return nothing("no letter in the box")
    try:
        return ParsedAnswer(float(text), span=span, rule=rule)
    except ValueError:
        return nothing("no number")


def _by_option_text(item: Item, text: str) -> ParsedAnswer:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    for letter, option in zip(item.letters, item.options, strict=True):
        if lines and re.search(r"\b" + re.escape(option.strip(". ")) + r"\b", lines[-1], re.IGNORECASE):
            return ParsedAnswer(letter, rule="text of an option")
    return nothing("no letter")


def _not_empty(item: Item, text: str) -> bool:
    return bool(text.strip())


def _released_task(item: Item) -> str:
    return item.task if item.task in LEVEL_OF else ""


RULE_SETS = (
    RuleSet(
        "official",
        read_official,
        score_in_floats(mra_spatialbench),
        counts=_not_empty,
        task=_released_task,
        alike=kind_and_answer,
    ),
    RuleSet(
        "official-reasoning",
        read_official_reasoning,
        score_in_floats(mra_spatialbench),
        counts=_not_empty,
        task=_released_task,
        alike=kind_and_answer,
    ),
    careful(task=lambda item: repair_task_name(item.task), score=score_exactly),
)
