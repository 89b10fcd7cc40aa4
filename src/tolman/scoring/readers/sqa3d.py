"""SQA3D's cleaning of answers: lower case, few signs, known slips of the pen, numbers as words, no articles.

The whole response is the answer. Two of the released expressions do nothing where they stand (behind the one that drops
every sign they look for) and are left out.
"""

from __future__ import annotations

import re

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.reading import ParsedAnswer, nothing

_DROPPED = re.compile(r"[^a-zA-Z0-9,'\s\-:]+")
_NUMERALS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_SLIPS = {
    "letf": "left", "let": "left", "tehre": "there", "rigth": "right", "rght": "right", "behine": "behind",
    "tv": "TV", "chai": "chair", "wasing": "washing", "waslked": "walked", "oclock": "o'clock",
}  # fmt: skip
_NUMBERS = {str(value): word for value, word in enumerate(_NUMERALS)} | {"none": "zero", "23": "twenty-three"}
_WORDS = _SLIPS | _NUMBERS
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b")
_OF_THE_CLOCK = re.compile(r"\bo'[ ]+clock\b")
_NUMBERED = re.compile(r"\b([a-zA-Z]+)[0-9]\b")
_ARTICLES = tuple(re.compile(rf"\b{article}\b ([a-zA-Z]+)") for article in ("a", "an", "the"))


def cleaned(text: str) -> str:
    """A text as the released code compares it: "The 2 Chairs." is "two chairs"."""
    text = text.lower()
    end = "\n" if text.endswith("\n") else ""
    text = text.removesuffix("\n").rstrip(" ") + end if end else text.rstrip(" ")
    text = _DROPPED.sub("", re.sub(" {2,}", " ", text.lstrip(" ")))
    text = _OF_THE_CLOCK.sub("o'clock", _WORD.sub(lambda word: _WORDS[word[1]], text))
    text = _NUMBERED.sub(r"\1", text)
    for article in _ARTICLES:
        text = article.sub(r"\1", text)
    return re.sub(r"\bbackwards\b", "backward", text)


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The whole response, cleaned."""
    answer = cleaned(text)
    return ParsedAnswer(answer, rule="the whole response") if answer.strip() else nothing("no word and no number")


READER = Reader(
    name="sqa3d",
    title="SQA3D, the cleaned response",
    source="SilongYong/SQA3D, LLM/eval_sqa3d_llm.py, clean_answer",
    read=read,
    kinds=("text",),
)
