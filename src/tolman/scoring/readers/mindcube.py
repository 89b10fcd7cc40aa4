"""MindCube's released parser: the last "X.", else a ladder of patterns from the most telling to a letter anywhere.

Case matters. Its tag is `<Answer>`, so that the `<answer>` that the prompt asks for is never one. Patterns of the
release that ask for a letter with a full stop behind it can't match once the first one has not, and are left out.
"""

from __future__ import annotations

import re
from dataclasses import replace

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.readers.found import last_match, letter_of, stripped
from tolman.scoring.reading import ParsedAnswer, nothing

_FULL_STOP = re.compile(r"([A-E])\.")
_TAG = re.compile(r"<Answer>([^<]*)")
_IN_TAG = (
    ("my answer is, in the tag", re.compile(r"[Mm]y answer is ([A-E])")),
    ("the answer is, in the tag", re.compile(r"[Tt]he answer is ([A-E])")),
    ("letter, in the tag", re.compile(r"\b([A-E])\b")),
)
_ANYWHERE = (
    ("letter at the beginning of a line", re.compile(r"(?:^|\n)(?:Answer: )?([A-E])(?:$|\s)")),
    ("letter between asterisks or quotes", re.compile(r"[*\"]([A-E])[*\"]")),
    ("Answer:", re.compile(r"\bAnswer:?\s*([A-E])\b")),
    ("answer is", re.compile(r"[Mm]y answer is ([A-E])")),
    ("answer is", re.compile(r"answer is ([A-E])")),
)
_WORD = re.compile(r"\b([A-E])\b")


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The last match of the first pattern that has one; at the end the first letter of the lowest line that has one."""
    found = last_match(_FULL_STOP, text)
    if found:
        return letter_of(found, "letter before a full stop")
    tag = _TAG.search(text)
    if tag:
        for rule, pattern in _IN_TAG:
            found = last_match(pattern, tag[1])
            if found:
                return letter_of(found, rule, tag.start(1))
    for rule, pattern in _ANYWHERE:
        found = last_match(pattern, text)
        if found:
            return letter_of(found, rule)
    end = len(text)
    for line in reversed(text.split("\n")):
        found = _WORD.search(line)
        if found:
            return letter_of(found, "letter in the lowest line", end - len(line))
        end -= len(line) + 1
    return nothing("no letter from A to E by itself")


def read_stripped(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The same without white space around the text, which decides whether a letter begins its first line."""
    bare, start = stripped(text)
    found = read(item, bare, seed)
    if found.span is None:
        return found
    return replace(found, span=(found.span[0] + start, found.span[1] + start))


READERS = (
    Reader(
        name="mindcube",
        title="MindCube, the authors' parser",
        source="mll-lab-nu/MindCube, src/evaluation/core/extractors.py, extract_answer",
        read=read,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-mindcube",
        title="MindCube in lmms-eval",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/mindcube/utils.py, extract_answer of the stripped reply",
        read=read_stripped,
        kinds=("choice",),
    ),
)
