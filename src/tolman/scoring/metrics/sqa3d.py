"""SQA3D's exact match: the cleaned response is an accepted answer, as released or cleaned."""

from __future__ import annotations

from tolman.items import Item
from tolman.scoring.answer_texts import accepted
from tolman.scoring.metric import Metric
from tolman.scoring.readers.sqa3d import cleaned
from tolman.scoring.reading import ParsedAnswer


def matches(item: Item, reading: ParsedAnswer) -> float:
    """1 where the text, to the letter, is one of the accepted answers."""
    return float(any(reading.value in (answer, cleaned(answer)) for answer in accepted(item.answer)))


METRIC = Metric(
    name="sqa3d-match",
    title="Exact match (SQA3D)",
    per_item=matches,
    kinds=("text",),
    source="SilongYong/SQA3D, LLM/eval_sqa3d_llm.py, compute_accuracy: its first comparison",
)
