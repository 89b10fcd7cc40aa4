"""SpatialViz-Bench's released parser: one capital A to D in the answer's tag, or behind a phrase.

Both tags must be there. The authors' list of phrases lacks a comma, which makes one phrase of two; lmms-eval's has it.
"""

from __future__ import annotations

import re

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.reading import ParsedAnswer, nothing

_LETTER = re.compile("[A-D]")
_PHRASES = (
    *("<answer>", "Answer:", "Final answer", "final answer", "Final Answer", "the answer is", "The answer is"),
    *("correct answer", "Correct answer", "Correct Answer"),
)


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The letter in the tag, or behind the last of the first phrase that the text holds."""
    return _read(text, (*_PHRASES, "答案correct path"))


def read_lmms_eval(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The same with lmms-eval's phrases."""
    return _read(text, (*_PHRASES, "答案", "correct path"))


def _read(text: str, phrases: tuple[str, ...]) -> ParsedAnswer:
    answer = _between(text, "<answer>", "</answer>")
    if answer is not None and _between(text, "<think>", "</think>") is not None:
        return _only_letter(answer.strip(), "in <answer>")
    if len(text) == 1:
        return _only_letter(text, "letter alone")
    for phrase in phrases:
        if phrase in text:
            return _only_letter(text.rpartition(phrase)[2].strip(), f"behind '{phrase}'")
    return nothing("neither both tags nor one of the phrases")


def _between(text: str, opening: str, closing: str) -> str | None:
    """What stands between the first opening tag and the next closing one."""
    _, opened, behind = text.partition(opening)
    inside, closed, _ = behind.partition(closing)
    return inside if opened and closed else None


def _only_letter(text: str, rule: str) -> ParsedAnswer:
    letters = set(_LETTER.findall(text.split(".", 1)[0]))
    if len(letters) != 1:
        return nothing(f"{rule}: {'several letters' if letters else 'no letter'} from A to D before a full stop")
    return ParsedAnswer(letters.pop(), rule=rule)


READERS = (
    Reader(
        name="spatialviz",
        title="SpatialViz-Bench, the authors' parser",
        source="wangst0181/Spatial-Visualization-Benchmark, evaluation/evaluate.py, get_answer",
        read=read,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-spatialviz",
        title="SpatialViz-Bench in lmms-eval",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/spatialviz/utils.py, spatialviz_process_results",
        read=read_lmms_eval,
        kinds=("choice",),
    ),
)
