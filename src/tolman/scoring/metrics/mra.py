"""Mean relative accuracy (MRA): the papers' formula, and the two released arithmetics (`scoring.relative_accuracy`)."""

import math
from collections.abc import Callable
from fractions import Fraction

from tolman.items import Item
from tolman.scoring.metric import Metric
from tolman.scoring.reading import ParsedAnswer
from tolman.scoring.relative_accuracy import is_finite_number, mra_exact, mra_spatialbench, mra_to_zero, mra_vsi_bench


def exact(item: Item, reading: ParsedAnswer) -> float:
    """MRA in exact arithmetic; 0 for what is no finite number."""
    value = reading.value
    if not isinstance(value, Fraction):
        if not is_finite_number(value):
            return 0.0
        value = Fraction(value)  # type: ignore[arg-type]  # an int or a float
    return mra_exact(value, item.exact_answer)


def _released(mra: Callable[[float, float], float]) -> Callable[[Item, ParsedAnswer], float | None]:
    def per_item(item: Item, reading: ParsedAnswer) -> float | None:
        if isinstance(reading.value, str) or reading.value is None:
            return 0.0
        if not item.exact_answer:
            return None if mra is mra_vsi_bench else mra(float(reading.value), 0.0)
        value = float(reading.value)
        return 0.0 if math.isnan(value) else mra(value, item.float_answer)

    return per_item


released_mra = _released(mra_to_zero)
"""MRA of the codes that have a score for a true value of 0 too."""

METRICS = (
    Metric(
        name="mra",
        title="MRA",
        per_item=exact,
        kinds=("number",),
        source="VSI-Bench, section 4.1, in exact arithmetic",
    ),
    Metric(
        name="mra-vsi-bench",
        title="MRA (VSI-Bench's code)",
        per_item=_released(mra_vsi_bench),
        kinds=("number",),
        source="vision-x-nyu/thinking-in-space, lmms_eval/tasks/vsibench/utils.py; none for a true value of 0",
    ),
    Metric(
        name="mra-easi",
        title="MRA (EASI's code)",
        per_item=released_mra,
        kinds=("number",),
        source="open-compass/VLMEvalKit, utils/spatial_bench/cal_scores.py; fudan-zvg/spar; the error itself at 0",
    ),
    Metric(
        name="mra-spatialbench",
        title="MRA (SpatialBench's code)",
        per_item=_released(mra_spatialbench),
        kinds=("number",),
        source="XPR2004/SpatialBench, evaluate_benchmark_results.py",
    ),
)
