"""MMSI-Bench's prompt: the images, the released question with its options, and one sentence.

Source: InternRobotics/MMSI-Bench, vlmeval/dataset/mmsi_bench.py; paper, Table 7 (Direct, and Linguistic).
"""

from __future__ import annotations

from tolman.benchmarks.base import PromptPreset
from tolman.items import Item
from tolman.messages import Message, Sampling

POST = "Answer with the option's letter from the given choices directly. Enclose the option's letter within ``."
STEP_BY_STEP = (
    "Let's think step by step and then answer with the option's letter from the given choices. "
    "Enclose the option's letter within ``."
)

PRESETS = (PromptPreset("released", "released code; Table 7, Direct", sampling=Sampling(temperature=0.0)),)


def prompt(item: Item, preset: PromptPreset) -> Message:
    """All images, then the question."""
    return Message(parts=(*item.media, *blind_prompt(item, preset).parts))


def blind_prompt(item: Item, preset: PromptPreset) -> Message:
    """The question without its images."""
    return Message(parts=(f"{item.verbatim or item.question}\n{POST}",))


def question(item: Item, preset: PromptPreset, sees: bool) -> Message:
    """The images and the question, without the sentence that asks for the letter."""
    return Message(parts=(*(item.media if sees else ()), item.verbatim or item.question))


def demand(item: Item, preset: PromptPreset) -> str:
    """That sentence."""
    return POST


def step_by_step(item: Item, preset: PromptPreset, sees: bool) -> Message:
    """Table 7, Linguistic: steps and answer in one response."""
    return Message(parts=(*(item.media if sees else ()), f"{item.verbatim or item.question}\n{STEP_BY_STEP}"))
