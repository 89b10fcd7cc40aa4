"""MMSI-Video-Bench's released parser, and lmms-eval's, which goes on where that gives up."""

from __future__ import annotations

from collections.abc import Iterator

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.reading import ParsedAnswer, nothing

_LETTERS = ("A", "B", "C", "D", "E", "F")
_NOISE = str.maketrans(dict.fromkeys(" \"'\n:"))
_PHRASES = ('"answer":', "answer is", "answer:", '"Answer":', "Answer is", "Answer:")
_MORE_PHRASES = (*_PHRASES, "The answer is", "the answer is")


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first place that is looked at decides, whatever stands there: a box, behind a phrase, before a full stop."""
    bare = _without_tags(text)
    if "no answer" in bare:
        return nothing("'no answer'")
    rule, said = next(_places(bare, _PHRASES))
    return ParsedAnswer(said, rule=rule) if said in _LETTERS else nothing(f"{rule}: no letter from A to F alone")


def read_lmms_eval(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first place at which a letter stands alone; else the first letter that is "(A)", " A " or "A." anywhere."""
    if "no answer" in text.lower():
        return nothing("'no answer'")
    bare = _without_tags(text)
    for rule, said in _places(bare, _MORE_PHRASES):
        if said in _LETTERS:
            return ParsedAnswer(said, rule=rule)
    padded = f" {bare} "
    for letter in _LETTERS:
        if f"({letter})" in bare or f" {letter} " in padded or f"{letter}." in bare:
            return ParsedAnswer(letter, rule="first letter of the alphabet that stands by itself")
    return nothing("no letter from A to F by itself")


def _without_tags(text: str) -> str:
    return text.replace("<answer>", "").replace("</answer>", "")


def _places(text: str, phrases: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What stands in a box, behind the last of each phrase up to a comma or full stop, and before the first full
    stop; without quotes, colons and blanks."""
    if "boxed{" in text:
        yield "box", text.split("boxed{", 2)[1].split("}", 1)[0].translate(_NOISE)
    for phrase in phrases:
        if phrase in text:
            yield "phrase", text.rpartition(phrase)[2].split(",", 1)[0].split(".", 1)[0].translate(_NOISE)
    yield "text before the first full stop", text.split(".", 1)[0].translate(_NOISE)


READERS = (
    Reader(
        name="mmsi-video",
        title="MMSI-Video-Bench, the authors' parser",
        source="InternRobotics/MMSI-Video-Bench, evaluation.py, extract_answer",
        read=read,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-mmsi-video",
        title="MMSI-Video-Bench in lmms-eval",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/mmsi_video/utils.py, extract_answer",
        read=read_lmms_eval,
        kinds=("choice",),
    ),
)
