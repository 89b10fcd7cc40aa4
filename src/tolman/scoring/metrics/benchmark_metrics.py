"""Metrics that only a few benchmarks have: of SPAR-Bench, Spatial457 and SQA3D, of open answers, places and pools.

- Points and boxes against the right place have shares inside, distances, and intersection over union.
- In macro-averaged F1 every answer of a pool counts alike, however rare it is. The classes are the letters of choices,
  and whole numbers for counts. A response without a readable answer, or with one that is no class (half an object), is
  a miss of the right answer's class.
- Median absolute errors are those of lengths in metres, of areas in square metres, and of counts.
- Relative errors of numbers have a mean, a median, and a mean with its sign (bias).
- An open answer that was read as a yes, a no or a number is right where an accepted answer says the same.

- SPAR-Bench's changes of view have the mean of five relative accuracies, one for each axis of motion. The released
  code passes truth and prediction the wrong way round, so that errors are relative to the prediction. EASI doesn't. An
  axis on which neither moves scores 1.
- Spatial457's matches are the comparisons of lmms-eval and of VLMEvalKit, which take more than equal texts.
- SQA3D's exact match: the cleaned response is an accepted answer, as released or cleaned.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction

from tolman.items import LETTERS, Item
from tolman.scoring.answer_values import (
    ParsedAnswer,
    accepted,
    difference,
    in_float,
    is_finite_number,
    mra_to_zero,
    relative_error,
    signed_relative_error,
)
from tolman.scoring.clusters import MAX_CLASS, NO_CLASS, macro_f1, pair_code, weighted_median
from tolman.scoring.metrics import PERCENT, Metric, MetricFamily
from tolman.scoring.metrics.accuracy import text_matches
from tolman.scoring.picture_places import Place, distances, inside, overlaps, read_place, regions_of
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


def _places(item: Item, reading: ParsedAnswer) -> tuple[Place, Place] | None:
    """The right place and the one that was read, on its scale; None where that is none, such as a box without area, or
    can't be put on that scale."""
    truth = read_place(item.answer)
    try:
        return truth, read_place(str(reading.value)).on(truth.size)
    except ValueError:
        return None


def _hits(item: Item, reading: ParsedAnswer) -> Sequence[float]:
    places = _places(item, reading)
    return inside(*places) if places else (0.0,)


def share_inside(item: Item, reading: ParsedAnswer) -> float:
    """Return the share of the points that are inside the right region; of several boxes the share of all points in
    them. If the truth is points, return the share of points on either side, whichever has more, that have a partner
    near enough on the other."""
    places = _places(item, reading)
    if places is None:
        return 0.0
    truth, said = places
    hits = inside(truth, said)
    if said.points or len(hits) == 1:
        return sum(hits) / max(len(hits), len(truth.points) if said.points else 1)
    areas = [region.area for region in regions_of(said)]
    return sum(hit * area for hit, area in zip(hits, areas, strict=True)) / sum(areas)


def pixels_inside(item: Item, reading: ParsedAnswer) -> float:
    """Return the share of the points that are pixels of the right mask, as an array of them is looked up: points on the
    far edge of the picture are outside."""
    places = _places(item, reading)
    if places is None or not places[1].points:
        return share_inside(item, reading)
    truth, said = places
    hits = inside(truth, said)
    there = [hit for hit, (x, y) in zip(hits, said.points, strict=True) if x < truth.size[0] and y < truth.size[1]]
    return sum(there) / len(hits)


def any_inside(item: Item, reading: ParsedAnswer) -> float:
    """1 where any point is right; of a region the share inside."""
    return max(_hits(item, reading))


def first_inside(item: Item, reading: ParsedAnswer) -> float:
    """1 where the first point is right; of a region the share inside."""
    return _hits(item, reading)[0]


def mean_distance(item: Item, reading: ParsedAnswer) -> float | None:
    """The mean distance of the points from the right region, as a share of the picture's diagonal."""
    places = _places(item, reading)
    found = distances(*places) if places else []
    return sum(found) / len(found) if found else None


def mean_overlap(item: Item, reading: ParsedAnswer) -> float:
    """The mean intersection over union of the boxes, of boxes without partner 0."""
    places = _places(item, reading)
    found = overlaps(*places) if places else [0.0]
    return sum(found) / len(found)


def _overlap_of(percent: float) -> Metric:
    def share(item: Item, reading: ParsedAnswer) -> float:
        places = _places(item, reading)
        found = overlaps(*places) if places else [0.0]
        return sum(value >= percent / 100 - 1e-9 for value in found) / len(found)

    return Metric(
        name=f"box-iou-{percent:g}",
        title=f"IoU ≥ {percent:g} %",
        per_item=share,
        kinds=("boxes",),
        source="RefCOCO's precision at an intersection over union (arXiv 1608.00272)",
    )


POINTS_INSIDE = Metric(
    name="points-inside",
    title="Points inside",
    per_item=share_inside,
    kinds=("points",),
    source="RoboPoint (arXiv 2406.10721) and RefSpatial-Bench (arXiv 2506.04308): share of points in the mask",
)
BOX_IOU = Metric(
    name="box-iou",
    title="IoU",
    per_item=mean_overlap,
    kinds=("boxes",),
    source="COCO's intersection over union, the best pairs first",
)
PLACE_METRICS = (
    POINTS_INSIDE,
    Metric(
        name="pixels-inside",
        title="Pixels inside",
        per_item=pixels_inside,
        kinds=("points",),
        source="Zhoues/RoboRefer, Evaluation/summarize_acc.py, and wentaoyuan/RoboPoint: share of pixels in the mask",
    ),
    Metric(
        name="any-point-inside",
        title="Any point inside",
        per_item=any_inside,
        kinds=("points",),
        source="lmms-eval's task of RoboSpatial-Home: any point in the mask",
    ),
    Metric(
        name="first-point-inside",
        title="First point inside",
        per_item=first_inside,
        kinds=("points",),
        source="chanhee-luke/RoboSpatial-Eval: the first point in the polygon",
    ),
    Metric(
        name="point-distance",
        title="Distance from the region",
        per_item=mean_distance,
        kinds=("points",),
        range=(0.0, float("inf")),
        direction="lower",
        unread=None,
        source="Euclidean distance to the region, divided by the picture's diagonal",
        digits=3,
    ),
    BOX_IOU,
    MetricFamily("box-iou-X", _overlap_of, least=0.0, greatest=100.0),
)


_FIRST_LETTER = 2**19
"""The class of A; counts are below."""


def _truth(item: Item) -> int | None:
    if item.kind == "choice":
        return _FIRST_LETTER + LETTERS.index(item.answer)
    truth = item.exact_answer
    return int(truth) if truth.denominator == 1 and 0 <= truth < _FIRST_LETTER else None


def _response(reading: ParsedAnswer) -> int:
    value = reading.value
    if isinstance(value, str):
        return _FIRST_LETTER + LETTERS.index(value) if value in LETTERS and len(value) == 1 else NO_CLASS
    if not is_finite_number(value):
        return NO_CLASS
    number = Fraction(value)  # type: ignore[arg-type]  # an int, a float or a Fraction
    return int(number) if number.denominator == 1 and 0 <= number < _FIRST_LETTER else NO_CLASS


def classes(item: Item, reading: ParsedAnswer) -> float | None:
    """The right class and the one that was answered, as a number (`clusters.pair_code`); None for a true value that is
    no class."""
    truth = _truth(item)
    assert truth is None or truth <= MAX_CLASS
    return None if truth is None else pair_code(truth, _response(reading))


MACRO_F1 = Metric(
    name="f1",
    title="F1",
    per_item=classes,
    kinds=("choice", "number"),
    units=("count", None),
    aggregate=macro_f1,
    unread=lambda item: classes(item, ParsedAnswer(None)),
    source="macro average over answers, as scikit-learn's f1_score(average='macro')",
    ordered=False,
)


METRES = {"cm": Fraction(1, 100)}
"""Metres in a unit of lengths other than the metre."""


def absolute_error(item: Item, reading: ParsedAnswer) -> float | None:
    """|response − truth| in metres, square metres or objects; None for what is no finite number."""
    error = difference(item, reading)
    return None if error is None else in_float(abs(error) * METRES.get(item.unit or "", 1))


def _of(name: str, title: str, units: tuple[str, ...], unit: str) -> Metric:
    return Metric(
        name=name,
        title=title,
        per_item=absolute_error,
        kinds=("number",),
        units=units,
        aggregate=weighted_median,
        range=(0.0, math.inf),
        direction="lower",
        unread=None,
        unit=unit,
        digits=2,
        source="median of |response − truth|",
    )


MEDIAN_ERRORS = (
    _of("median-absolute-error", "Median abs. error of lengths", ("m", "cm"), "m"),
    _of("median-absolute-area-error", "Median abs. error of areas", ("m2",), "m²"),
    _of("median-absolute-count-error", "Median abs. error of counts", ("count",), ""),
)


RELATIVE_ERRORS = (
    Metric(
        name="relative-error",
        title="Mean relative error",
        per_item=relative_error,
        kinds=("number",),
        range=(0.0, math.inf),
        unit=PERCENT,
        direction="lower",
        unread=None,
        source="mean of |response − truth| / |truth|",
    ),
    Metric(
        name="median-relative-error",
        title="Median relative error",
        per_item=relative_error,
        kinds=("number",),
        aggregate=weighted_median,
        range=(0.0, math.inf),
        unit=PERCENT,
        direction="lower",
        unread=None,
        source="median of |response − truth| / |truth|",
    ),
    Metric(
        name="signed-bias",
        title="Bias",
        per_item=signed_relative_error,
        kinds=("number",),
        range=(-math.inf, math.inf),
        unit=PERCENT,
        direction="zero",
        unread=None,
        source="mean of (response − truth) / |truth|: above 0 where too much is answered",
    ),
)

METRICS = (
    *(*SPAR_METRICS, *SPATIAL457_METRICS, SQA3D_MATCH, OPEN_ANSWER),
    *(*PLACE_METRICS, MACRO_F1, *MEDIAN_ERRORS, *RELATIVE_ERRORS),
)
