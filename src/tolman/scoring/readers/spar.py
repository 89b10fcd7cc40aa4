"""SPAR-Bench's released scorer as readers, its defects included, and EASI's reading of the same replies.

Choices: the reply is right where it is contained in the answer's letter, which an empty one is; else its first
character counts. Numbers: the first one, in questions on several views (tasks that end in `_mv`) the last one, without
sign. Changes of view: "move_right:1.2,rotate_left:20", as five signed amounts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.readers import easi
from tolman.scoring.readers.found import last_match
from tolman.scoring.reading import ParsedAnswer, nothing

AXES = (
    ("move_right", "move_left"),
    ("move_up", "move_down"),
    ("move_forward", "move_backward"),
    ("rotate_right", "rotate_left"),
    ("rotate_up", "rotate_down"),
)
"""What a change of view is made of: an amount one way less that the other way, in this order."""
MAX_DIGITS = 4_300
"""Digits of a whole number, at most: Python makes no integer of longer texts, and the released code then scores 0."""
_NUMBER = re.compile(r"(?<!\^)\d+\.\d+|(?<!\^)\d+")


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """A letter for a choice, a number for a number, a change of view for a text."""
    if item.kind == "choice":
        return _first_character(item, text)
    if item.kind == "number":
        return _number(item, text)
    try:
        return _change(released_change(text))
    except ValueError:
        return nothing("no list of 'move:amount' with commas between")


def read_easi(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """EASI's letters and numbers; of a change of view every pair that can be read."""
    return easi.read(item, text, seed) if item.kind in ("choice", "number") else _change(easi_change(text))


def released_change(text: str) -> dict[str, float]:
    """Amounts by name, as released: names count with the blanks around them, and one bad pair spoils all.

    Raises:
        ValueError: a part between commas is no name and number with one colon between.
    """
    pairs = [part.split(":") for part in text.split(",")]
    return {name: float(amount) for name, amount in pairs}


def easi_change(text: str) -> dict[str, float]:
    """Amounts by name, as EASI reads them: blanks don't count, and what is no pair is left out."""
    found = {}
    for part in text.split(","):
        name, colon, amount = part.partition(":")
        if colon:
            with suppress(ValueError):
                found[name.strip()] = float(amount)
    return found


def along_axes(amounts: Mapping[str, float]) -> list[float]:
    """The five signed amounts of a change of view, in the order of `AXES`."""
    return [amounts.get(one, 0.0) - amounts.get(other, 0.0) for one, other in AXES]


def _change(amounts: Mapping[str, float]) -> ParsedAnswer:
    return ParsedAnswer(json.dumps(along_axes(amounts)), rule="moves and amounts")


def _first_character(item: Item, text: str) -> ParsedAnswer:
    if not text:
        return ParsedAnswer(item.answer, "empty, which the released scorer counts as right", assumed=True, rule="empty")
    letter = text.lower()[0].upper()
    if letter not in item.letters:
        return nothing("the first character is no option's letter")
    return ParsedAnswer(letter, span=(0, 1), rule="first character")


def _number(item: Item, text: str) -> ParsedAnswer:
    if any(len(one[0]) > MAX_DIGITS and "." not in one[0] for one in _NUMBER.finditer(text)):
        return nothing(f"a number of more than {MAX_DIGITS:,} digits")
    if item.task.endswith("_mv"):
        found, rule = last_match(_NUMBER, text), "last number"
        if found is None:
            return ParsedAnswer(-1.0, "no number: the released default", assumed=True, rule="default")
    else:
        found, rule = _NUMBER.search(text), "first number"
    if found is None:
        return nothing("no number")
    return ParsedAnswer(float(found[0]), span=found.span(), rule=rule)


READERS = (
    Reader(
        name="spar",
        title="SPAR-Bench, the authors' scorer",
        source="fudan-zvg/spar, tasks/sparbench/utils.py: exact_match, process_na, parse_instruction",
        read=read,
        kinds=("choice", "number", "text"),
    ),
    Reader(
        name="easi-spar",
        title="SPAR-Bench in EASI",
        source="open-compass/VLMEvalKit, dataset/sparbench.py, and EASI's letters and numbers",
        read=read_easi,
        kinds=("choice", "number", "text"),
    ),
)
