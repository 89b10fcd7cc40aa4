"""MMSI-Bench's prompt: the images, the released question with its options, and one sentence.

Source: InternRobotics/MMSI-Bench, vlmeval/dataset/mmsi_bench.py; paper, Table 7 ("Direct").
"""

from __future__ import annotations

from tolman.benchmarks.base import Preset
from tolman.items import Item
from tolman.messages import Message, Sampling

POST = "Answer with the option's letter from the given choices directly. Enclose the option's letter within ``."

PRESETS = (Preset("released", "released code; Table 7, Direct", sampling=Sampling(temperature=0.0)),)


def prompt(item: Item, preset: Preset) -> Message:
    """All images, then the question."""
    return Message(parts=(*item.media, *blind_prompt(item, preset).parts))


def blind_prompt(item: Item, preset: Preset) -> Message:
    """The question without its images."""
    return Message(parts=(f"{item.verbatim or item.question}\n{POST}",))
