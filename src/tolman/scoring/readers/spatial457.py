"""Spatial457 in lmms-eval and in VLMEvalKit: what stands in the field "Answer" of a reply that should be JSON.

Where there is none, both take the whole reply. (VLMEvalKit drew an answer at random before it had its switch ROBUST.)
"""

from __future__ import annotations

import re

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.reading import ParsedAnswer, nothing

_QUOTED = re.compile(r"['\"]?Answer['\"]?\s*[:=]\s*['\"]([^'\"]+)['\"]", re.IGNORECASE)
_WORD = re.compile(r"Answer['\"]?\s*:\s*['\"]?(\w+)", re.IGNORECASE)
_SINGLE = re.compile(r"Answer': '(.*?)'")
_DOUBLE = re.compile(r'Answer": "(.*?)"')
_DIGIT = re.compile(r"Answer': (\d)")


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The quoted text behind "Answer:", else the word, else the whole reply."""
    for rule, pattern in (("quoted answer", _QUOTED), ("word behind Answer:", _WORD)):
        found = pattern.search(text)
        if found:
            return ParsedAnswer(found[1].strip(), span=found.span(1), rule=rule)
    bare = text.strip()
    return ParsedAnswer(bare, rule="whole reply") if bare else nothing("an empty reply")


def read_vlmevalkit(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The field in single quotes, else in double quotes, else one digit, else the whole reply."""
    for pattern in (_SINGLE, _DOUBLE, _DIGIT):
        found = pattern.search(text)
        if found:
            return ParsedAnswer(found[1], span=found.span(1), rule="field Answer")
    return ParsedAnswer(text, rule="whole reply") if text.strip() else nothing("an empty reply")


READERS = (
    Reader(
        name="lmms-eval-spatial457",
        title="Spatial457 in lmms-eval",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/spatial457/utils.py, _extract_answer_from_response",
        read=read,
        kinds=("text", "yes-no", "number"),
    ),
    Reader(
        name="vlmevalkit-spatial457",
        title="Spatial457 in VLMEvalKit",
        source="open-compass/VLMEvalKit, vlmeval/dataset/spatial457.py, evaluate",
        read=read_vlmevalkit,
        kinds=("text", "yes-no", "number"),
    ),
)
