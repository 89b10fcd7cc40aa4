"""SpatialBench's released parser and metric, quirks included.

Source: XPR2004/SpatialBench, benchmark_vision_base64.py (`_clean_model_answer`, `_check_correctness`) and
evaluate_benchmark_results.py (`get_tiered_score`; empty responses leave the denominators; rows whose type isn't in
the map leave the levels). The letter patterns have no word boundary: "the object behind" is D.
"""

from __future__ import annotations

import re

from tolman.benchmarks.spatialbench.taxonomy import LEVEL_OF, mended
from tolman.items import Item
from tolman.scoring.metrics import mra_spatialbench
from tolman.scoring.reading import Reading, nothing
from tolman.scoring.rules import RuleSet, careful, score_in_floats

_FINAL = re.compile(r"Final Answer:\s*(.*)", re.IGNORECASE | re.DOTALL)
_BOX = re.compile(r"<\|begin_of_box\|>(.*?)<\|end_of_box\|>", re.DOTALL)
# Equal to the released r'[^A-Z0-9a-z]*([A-D])[^A-Z0-9a-z]*\s*$' in what it captures, without its quadratic time.
_LETTER_AT_END = re.compile(r"([A-D])[^A-Z0-9a-z]*\Z", re.IGNORECASE)
_LETTER_AT_START = re.compile(r"[^A-Z0-9a-z]*([A-D])", re.IGNORECASE)
_NUMBERS = re.compile(r"\b(\d+(?:\.\d+)?)\b")


def read_official(item: Item, text: str, seed: int = 0) -> Reading:
    """The released parser, in the mode that asks for the answer alone."""
    return _read(item, text.strip())


def read_official_reasoning(item: Item, text: str, seed: int = 0) -> Reading:
    """The released parser in its reasoning mode: what follows "Final Answer:"."""
    final = _FINAL.search(text.strip())
    return _read(item, final[1].strip() if final else text.strip())


def _read(item: Item, text: str) -> Reading:
    boxed = _BOX.search(text)
    if boxed:
        return _as_is(item, boxed[1].strip())
    if item.kind == "number":
        numbers = _NUMBERS.findall(text)
        return Reading(float(numbers[-1])) if numbers else _as_is(item, text.rstrip(".").strip())
    letter = _LETTER_AT_END.search(text) or _LETTER_AT_START.match(text)
    if letter:
        return Reading(letter[1].upper())
    return _by_option_text(item, text)


def _as_is(item: Item, text: str) -> Reading:
    """What the released code compares with the answer unread: a letter in any case, or a float."""
    if item.kind == "choice":
        return (
            Reading(text.upper())
            if len(text) == 1 and text.upper() in item.letters
            else nothing("no letter in the box")
        )
    try:
        return Reading(float(text))
    except ValueError:
        return nothing("no number")


def _by_option_text(item: Item, text: str) -> Reading:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    for letter, option in zip(item.letters, item.options, strict=True):
        if lines and re.search(r"\b" + re.escape(option.strip(". ")) + r"\b", lines[-1], re.IGNORECASE):
            return Reading(letter)
    return nothing("no letter")


def _not_empty(item: Item, text: str) -> bool:
    return bool(text.strip())


def _released_task(item: Item) -> str:
    return item.task if item.task in LEVEL_OF else ""


RULE_SETS = (
    RuleSet("official", read_official, score_in_floats(mra_spatialbench), counts=_not_empty, task=_released_task),
    RuleSet(
        "official-reasoning",
        read_official_reasoning,
        score_in_floats(mra_spatialbench),
        counts=_not_empty,
        task=_released_task,
    ),
    careful(task=lambda item: mended(item.task)),
)
