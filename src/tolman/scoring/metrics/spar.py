"""SPAR-Bench's changes of view: the mean of five relative accuracies, one for each axis of motion.

The released code passes truth and prediction the wrong way round, so that the prediction is what errors are relative
to; EASI doesn't. An axis on which neither moves scores 1.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from tolman.items import Item
from tolman.scoring.metric import Metric
from tolman.scoring.readers.spar import along_axes, easi_change, released_change
from tolman.scoring.reading import ParsedAnswer
from tolman.scoring.relative_accuracy import mra_to_zero


def released_view_change(item: Item, reading: ParsedAnswer) -> float:
    """The mean of five MRAs relative to the prediction."""
    return _mean(along_axes(released_change(item.answer)), _said(reading))


def easi_view_change(item: Item, reading: ParsedAnswer) -> float:
    """The mean of five MRAs relative to the truth."""
    return _mean(_said(reading), along_axes(easi_change(item.answer)))


def _said(reading: ParsedAnswer) -> list[float]:
    return [float(amount) for amount in json.loads(str(reading.value))]


def _mean(values: Sequence[float], relative_to: Sequence[float]) -> float:
    return sum(map(mra_to_zero, values, relative_to)) / len(values)


METRICS = (
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
