"""EASI's parsers, shared by its benchmarks: letters A to F in stages, the first that finds one deciding; last numbers.

Source: open-compass/VLMEvalKit, vlmeval/dataset/utils/spatial_bench/matching_func.py (`can_match_option` without
choices, `can_match_na`). Its expressions take time that grows with the square of long runs of blanks, stars or open
tags. The ones here accept the same texts and don't.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.readers.found import first_of, last_match
from tolman.scoring.reading import ParsedAnswer, nothing

TAIL_LINES = 6
TAIL_CHARACTERS = 800
_INVISIBLE = re.compile("[\u200b\u200c\u200d\ufeff]")
_NUMBER = r"[-+]?(?:\d*\.\d+|\d+)(?:[eE][-+]?\d+)?"
_ANY_NUMBER = re.compile(_NUMBER)

_TAG_OPENS = re.compile(r"<\s*answer\b", re.IGNORECASE)
_TAG_CLOSES = re.compile(r"<\s*/\s*answer\s*>", re.IGNORECASE)
_TAGGED_LETTER = re.compile(r"\s*([A-J])", re.IGNORECASE)
_TAGGED_NUMBER = re.compile(rf"\s*({_NUMBER})(?:[^\d<][^<]*)?<\s*/\s*answer\s*>", re.IGNORECASE)
_BEFORE = r"(?<![A-Za-z])[(\[{（【]?\s*([A-F])\s*[)\]}）】]?\s*</\s*%s\s*>"
_BEFORE_CLOSING = (
    ("letter before </answer>", re.compile(_BEFORE % "answer", re.IGNORECASE)),
    ("letter before </think>", re.compile(_BEFORE % "think", re.IGNORECASE)),
)
_THINK_CLOSES = re.compile(r"</\s*think\s*>", re.IGNORECASE)
_THINK_OPENS = re.compile(r"<\s*think\s*>", re.IGNORECASE)

_OPTION_LINE = re.compile(r"[*_>\-\s]*(?:option|选项)\s+[A-J]\s*[:：]", re.IGNORECASE)
_LINE_LETTER = re.compile(r"[*_`>（）\[\]【】()]*\s*([A-Fa-f])\s*[*_`（）\[\]【】()]*")
_LINE_LABEL = re.compile(r"([A-F])\s*[.．:：)\]】、-]\s+", re.IGNORECASE)
_LINE_TOKEN = re.compile(r"(?<![A-Za-z])([A-F])(?=[*_`）\]})]*(?:$|[\s.,:;!?)\]】》」』，。；、：）】》」』]))")
_PHRASE = re.compile(
    r"(?i)(?:final\s*answer|the\s*answer\s*is|answer(?:\s*is)?|correct\s*answer|"
    r"答案|最终答案|结论|所以|因此|我选(?:择)?|选择|选)"
    r"\s*+[:：>＝=]?+\s*+[(\[{（【]?+\s*+([A-F])\s*[)\]}）】]?(?:\b|[.)、。])"
)
_TOKEN = re.compile(r"(?<![A-Za-z])[A-F](?![A-Za-z])")

_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_DIGITS = {word: str(value) for value, word in enumerate(_WORDS)}
_NUMBER_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b", re.IGNORECASE)


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """A letter for a choice, a number for a number."""
    return read_number(text) if item.kind == "number" else read_letter(text)


def read_letter(text: str) -> ParsedAnswer:
    """The letter of the first stage that finds one: in a tag, before a closing tag, in the last lines behind the
    reasoning, in the last lines of all, behind a phrase, and the only one of the whole text."""
    text = _INVISIBLE.sub("", text.strip())
    tagged = _tagged_letter(text)
    if tagged:
        return ParsedAnswer(tagged, rule="letter in <answer>")
    tail = text[-TAIL_CHARACTERS:]
    before = first_of(_BEFORE_CLOSING, tail)
    if before:
        return ParsedAnswer(before.value, rule=before.rule)
    for part in (_behind_thoughts(text), tail):
        found = _in_last_lines(part)
        if found:
            return found
    phrase = _PHRASE.search(text)
    if phrase:
        return ParsedAnswer(phrase[1].upper(), rule="letter behind a phrase")
    lines = (line for line in text.splitlines() if not _OPTION_LINE.match(line))
    letters = {letter for line in lines for letter in _TOKEN.findall(line)}
    if len(letters) == 1:
        return ParsedAnswer(letters.pop(), rule="the only letter")
    return nothing("several letters" if letters else "no letter from A to F by itself")


def read_number(text: str) -> ParsedAnswer:
    """The number in a tag, else the last behind the reasoning, else the last of all; words up to twenty are numbers."""
    listed = _first_of_list(text)
    if listed is None:
        return nothing("a list that can't be read")
    text = _INVISIBLE.sub("", listed.strip())
    text = _NUMBER_WORD.sub(lambda word: _DIGITS.get(word[1].lower(), word[0]), text)
    for body in _tagged(text):
        number = _TAGGED_NUMBER.match(text, body)
        if number:
            return ParsedAnswer(float(number[1]), rule="number in <answer>")
    for part, rule in ((_behind_thoughts(text), "last number behind the reasoning"), (text, "last number")):
        last = last_match(_ANY_NUMBER, part)
        if last:
            return ParsedAnswer(float(last[0]), rule=rule)
    return nothing("no number")


def _tagged(text: str) -> Iterator[int]:
    """Where the contents of `<answer …>` begin; tags that end at the same place once."""
    body = 0
    for opening in _TAG_OPENS.finditer(text):
        if opening.end() < body:
            continue  # the tag's own end is that of the one before
        body = text.find(">", opening.end()) + 1
        if not body:
            return
        yield body


def _tagged_letter(text: str) -> str | None:
    """The letter with which the first `<answer>` begins that has one and is closed somewhere behind it."""
    closing = last_match(_TAG_CLOSES, text)
    if closing is None:
        return None
    for body in _tagged(text):
        letter = _TAGGED_LETTER.match(text, body)
        if letter and letter.end() <= closing.start():
            return letter[1].upper()
    return None


def _behind_thoughts(text: str) -> str:
    """What stands behind the last `</think>`, else behind the last `<think>`, else the text."""
    mark = last_match(_THINK_CLOSES, text) or last_match(_THINK_OPENS, text)
    return text[mark.end() :].strip() if mark else text


def _in_last_lines(text: str) -> ParsedAnswer | None:
    """The letter of the lowest of the last lines that has one, or has one at its beginning, or has only one."""
    for line in reversed(text.splitlines()[-TAIL_LINES:]):
        bare = line.strip()
        if not bare or _OPTION_LINE.match(bare):
            continue
        alone = _LINE_LETTER.fullmatch(bare)
        if alone:
            return ParsedAnswer(alone[1].upper(), rule="line with a letter alone")
        label = _LINE_LABEL.match(bare)
        if label:
            return ParsedAnswer(label[1].upper(), rule="letter at the beginning of a line")
        letters = set(_LINE_TOKEN.findall(bare))
        if len(letters) == 1:
            return ParsedAnswer(letters.pop(), rule="the only letter of a line")
    return None


def _first_of_list(text: str) -> str | None:
    """The first element of a text that is a Python list, else the text; None where it only looks like one."""
    bare = text.strip()
    if not (bare.startswith("[") and bare.endswith("]")):
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of literals that Python will not take some day
            value = ast.literal_eval(text)
        return str(value[0]) if isinstance(value, list) and value else text
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


READER = Reader(
    name="easi",
    title="EASI, letters and numbers",
    source="open-compass/VLMEvalKit, dataset/utils/spatial_bench/matching_func.py, can_match_option, can_match_na",
    read=read,
    kinds=("choice", "number"),
)
