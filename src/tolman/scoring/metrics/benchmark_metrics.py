"""Metrics that only a few benchmarks have: those of SPAR-Bench, Spatial457 and SQA3D, and that of open answers.

- An open answer that was read as a yes, a no or a number is right where an accepted answer says the same.

- SPAR-Bench's changes of view have the mean of five relative accuracies, one for each axis of motion. The released
  code passes truth and prediction the wrong way round, so that errors are relative to the prediction. EASI doesn't. An
  axis on which neither moves scores 1.
- Spatial457's matches are the comparisons of lmms-eval and of VLMEvalKit, which take more than equal texts.
- SQA3D's exact match: the cleaned response is an accepted answer, as released or cleaned.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer, accepted, mra_to_zero
from tolman.scoring.metrics import Metric
from tolman.scoring.metrics.accuracy import text_matches
from tolman.scoring.readers.open_answers import (
    along_axes,
    cleaned_sqa3d,
    easi_change,
    released_change,
    yes_or_no,
)


def released_view_change(item: Item, reading: ParsedAnswer) -> float:
    """The mean of five MRAs relative to the prediction."""
    return _mean(along_axes(released_change(item.answer)), _said_along_axes(reading))


def easi_view_change(item: Item, reading: ParsedAnswer) -> float:
    """The mean of five MRAs relative to the truth."""
    return _mean(_said_along_axes(reading), along_axes(easi_change(item.answer)))


def _said_along_axes(reading: ParsedAnswer) -> list[float]:
    return [float(amount) for amount in json.loads(str(reading.value))]


def _mean(values: Sequence[float], relative_to: Sequence[float]) -> float:
    return sum(map(mra_to_zero, values, relative_to)) / len(values)


SPAR_METRICS = (
    Metric(
        name="spar-view-change",
        title="MRA of a change of view (SPAR-Bench's code)",
        per_item=released_view_change,
        kinds=("text",),
        source="fudan-zvg/spar, tasks/sparbench/utils.py, compute_vci_metric",
    ),
    Metric(
        name="easi-view-change",
        title="MRA of a change of view (EASI)",
        per_item=easi_view_change,
        kinds=("text",),
        source="open-compass/VLMEvalKit, dataset/sparbench.py, _compute_vci_metric",
    ),
)


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


def _said_text(reading: ParsedAnswer) -> str:
    value = reading.value
    return str(value) if not isinstance(value, float | Fraction) or value != int(value) else str(int(value))


def lmms_eval(item: Item, reading: ParsedAnswer) -> float:
    """1 where the texts are equal but for case, where both mean yes or both mean no, 1 and 0 among them, or where the
    whole numbers are equal."""
    right, said = item.answer.strip().lower(), _said_text(reading).strip().lower()
    alike = right == said or {right, said} <= _YES or {right, said} <= _NO
    return float(alike or (right.isdecimal() and said.isdecimal() and int(right) == int(said)))


def vlmevalkit(item: Item, reading: ParsedAnswer) -> float:
    """1 where the texts are equal but for case; for a number also its word, for yes any count, for no a 0 and "none";
    for a shape another one of its family."""
    right, said = item.answer.lower(), _said_text(reading)
    if said.lower() == "none":
        said = "no"
    word = said.lower()
    if word == right or (said == "0" and right == "no") or (right == "yes" and said in tuple("123456789")):
        return 1.0
    if word in _COUNTS and str(_COUNTS.index(word)) == right:
        return 1.0
    families = _FAMILY.get(word.split(" ")[0]), _FAMILY.get(right.split(" ")[0])
    return float(families[0] is not None and families[0] == families[1])


SPATIAL457_METRICS = (
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


def sqa3d_matches(item: Item, reading: ParsedAnswer) -> float:
    """1 where the text, to the letter, is one of the accepted answers."""
    return float(any(reading.value in (answer, cleaned_sqa3d(answer)) for answer in accepted(item.answer)))


SQA3D_MATCH = Metric(
    name="sqa3d-match",
    title="Exact match (SQA3D)",
    per_item=sqa3d_matches,
    kinds=("text",),
    source="SilongYong/SQA3D, LLM/eval_sqa3d_llm.py, compute_accuracy: its first comparison",
)


def open_answer_matches(item: Item, reading: ParsedAnswer) -> float:
    """Return 1 where a yes, a no, a number or a short phrase agrees with one of the accepted answers, else 0."""
    said = {yes_or_no(answer) for answer in accepted(item.answer)}
    return 1.0 if reading.value in said else text_matches(item, reading)


OPEN_ANSWER = Metric(
    name="open-answer",
    title="Accuracy of what can be read in open answers",
    per_item=open_answer_matches,
    kinds=("text",),
    source="Tolman's own: equal yes, no, numbers and short phrases",
)


METRICS = (*SPAR_METRICS, *SPATIAL457_METRICS, SQA3D_MATCH, OPEN_ANSWER)
