"""Spatial457's matches: the comparisons of lmms-eval and of VLMEvalKit, which take more than equal texts."""

from __future__ import annotations

from fractions import Fraction

from tolman.items import Item
from tolman.scoring.metric import Metric
from tolman.scoring.reading import ParsedAnswer

_KINDS = ("text", "yes-no", "number")
_YES, _NO = {"yes", "true", "1"}, {"no", "false", "0"}
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_FAMILIES = (
    ("suv", "wagon", "minivan", "sedan", "truck", "addi", "car"),
    ("articulated", "regular", "double", "school", "bus"),
    ("chopper", "dirtbike", "scooter", "cruiser", "motorbike"),
    ("jet", "fighter", "biplane", "airliner", "aeroplane"),
    ("road", "utility", "mountain", "tandem", "bicycle"),
)
"""First words of shapes that VLMEvalKit takes for one another."""
_FAMILY = {word: number for number, family in enumerate(_FAMILIES) for word in family}


def _said(reading: ParsedAnswer) -> str:
    value = reading.value
    return str(value) if not isinstance(value, float | Fraction) or value != int(value) else str(int(value))


def lmms_eval(item: Item, reading: ParsedAnswer) -> float:
    """1 where the texts are equal but for case, where both mean yes or both mean no, 1 and 0 among them, or where the
    whole numbers are equal."""
    right, said = item.answer.strip().lower(), _said(reading).strip().lower()
    alike = right == said or {right, said} <= _YES or {right, said} <= _NO
    return float(alike or (right.isdecimal() and said.isdecimal() and int(right) == int(said)))


def vlmevalkit(item: Item, reading: ParsedAnswer) -> float:
    """1 where the texts are equal but for case; for a number also its word, for yes any count, for no a 0 and "none";
    for a shape another one of its family."""
    right, said = item.answer.lower(), _said(reading)
    if said.lower() == "none":
        said = "no"
    word = said.lower()
    if word == right or (said == "0" and right == "no") or (right == "yes" and said in tuple("123456789")):
        return 1.0
    if word in _COUNTS and str(_COUNTS.index(word)) == right:
        return 1.0
    families = _FAMILY.get(word.split(" ")[0]), _FAMILY.get(right.split(" ")[0])
    return float(families[0] is not None and families[0] == families[1])


METRICS = (
    Metric(
        name="lmms-eval-spatial457",
        title="Match (Spatial457, lmms-eval)",
        per_item=lmms_eval,
        kinds=_KINDS,
        source="EvolvingLMMs-Lab/lmms-eval, tasks/spatial457/utils.py, _check_correctness",
    ),
    Metric(
        name="vlmevalkit-spatial457",
        title="Match (Spatial457, VLMEvalKit)",
        per_item=vlmevalkit,
        kinds=_KINDS,
        source="open-compass/VLMEvalKit, dataset/utils/spatial457.py, is_correct",
    ),
)
