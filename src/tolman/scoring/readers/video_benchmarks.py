"""Released parsers of video benchmarks: VSI-Bench, ReVSI, VSI-SUPER, STI-Bench, MMSI-Video-Bench and TempCompass.

- VSI-Bench's and ReVSI's take the text before the first space, as a letter or as a number. VSI-Bench's takes the text
  as it is, so that "(A)", "A)" and " A" are no letters and "A chair …" is A. ReVSI's ignores white space around it.
  ReVSI's authors' code could not be had; lmms-eval's and VLMEvalKit's, which agree, replace it.
- VSI-Bench in lmms-eval since July 2026 takes letters as released, and of numbers the first, in digits or in English
  words.
- VSI-SUPER is that of lmms-eval, as its authors' own evaluation could not be had. Recall takes the first A to D of the
  text in capitals, inside of words too. Count takes the first number, and 0 where there is none.
- STI-Bench's takes the first match of the first of six patterns that has one, in any case. If none has, the released
  code compares the whole reply with the answer's letter.
- MMSI-Video-Bench's is here together with lmms-eval's, which goes on where that gives up.
- TempCompass's takes a letter alone or one before "." or ")" at the start, and "yes" or "no" at the start. The release
  asks a chat model about all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer, nothing
from tolman.scoring.readers import Reader, first_of, stripped


def first_token(text: str) -> str:
    """The text before the first space, without full stops at its end, then without white space around."""
    return text.split(" ", 1)[0].rstrip(".").strip()


def read_first_token(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """Read the first token as a letter (any case), or as anything that Python's `float` takes."""
    token = first_token(text)
    start = len(text) - len(text.lstrip())
    span = start, start + len(token)
    if item.kind == "choice":
        letter = token.upper()
        if len(letter) == 1 and letter in item.letters:
            return ParsedAnswer(letter, span=span, rule="first token")
        return nothing("first token is no letter")
    try:
        return ParsedAnswer(float(token), span=span, rule="first token")
    except ValueError:
        return nothing("first token is no number")


def read_stripped_first_token(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The same, without white space around the text."""
    bare = text.strip()
    found = read_first_token(item, bare, seed)
    if found.span is None:
        return found
    start = text.find(bare) if bare else 0
    return ParsedAnswer(found.value, span=(start + found.span[0], start + found.span[1]), rule=found.rule)


FIRST_TOKEN_READERS = (
    Reader(
        name="vsi-bench",
        title="VSI-Bench, the authors' parser",
        source="vision-x-nyu/thinking-in-space, lmms_eval/tasks/vsibench/utils.py, fuzzy_matching and to_float",
        read=read_first_token,
        kinds=("choice", "number"),
    ),
    Reader(
        name="revsi",
        title="ReVSI, first token",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/revsi/utils.py; open-compass/VLMEvalKit, dataset/revsi.py",
        read=read_stripped_first_token,
        kinds=("choice", "number"),
    ),
)


_DIGITS = re.compile(r"-?\d+(?:\.\d+)?")
_WORD = re.compile(r"[a-z]+")
_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {
    **{word: value for value, word in enumerate(_SMALL)},
    **{word: 10 * tens for tens, word in enumerate(_TENS, start=2)},
    "hundred": 100,
    "thousand": 1000,
}

_GREATEST = 10**300
"""Above it a value counts as infinite, of which a reply of "hundred hundred …" would otherwise make a very long one."""


def read_lmms_eval_vsi(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first token as a letter; the first number."""
    if item.kind == "choice":
        return read_first_token(item, text, seed)
    lowered = text.strip().lower()
    digits = _DIGITS.search(lowered)
    begin, words = _words(lowered)
    if digits and (not words or digits.start() < begin):
        return ParsedAnswer(float(digits[0]), rule="first number")
    return ParsedAnswer(_value(words), rule="first number in words") if words else nothing("no number")


def _words(lowered: str) -> tuple[int, list[str]]:
    """The first run of number words, which "and" and anything but letters may divide, and where it begins."""
    begin, words = 0, list[str]()
    for word in _WORD.finditer(lowered):
        if word[0] in _VALUES:
            begin = begin if words else word.start()
            words.append(word[0])
        elif words and word[0] != "and":
            break
    return begin, words


def _value(words: list[str]) -> float:
    total = current = 0
    for word in words:
        value = _VALUES[word]
        if value == 100:
            current = max(current, 1) * 100
        elif value == 1000:
            total, current = total + max(current, 1) * 1000, 0
        else:
            current += value
        if current > _GREATEST:
            return float("inf")
    return float(total + current)


LMMS_EVAL_VSI = Reader(
    name="lmms-eval-vsi",
    title="VSI-Bench in lmms-eval",
    source="EvolvingLMMs-Lab/lmms-eval, tasks/vsibench/utils.py, fuzzy_matching and extract_number",
    read=read_lmms_eval_vsi,
    kinds=("choice", "number"),
)


_RECALLED_LETTER = re.compile(r"[A-D]")
_COUNT = re.compile(r"-?\d+(?:\.\d+)?")


def read_vsi_super(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """A letter for a choice, a number for a number."""
    if item.kind == "choice":
        letter = _RECALLED_LETTER.search(text.upper())
        return ParsedAnswer(letter[0], rule="first letter") if letter else nothing("no A, B, C or D in any word")
    number = _COUNT.search(text)
    if number is None:
        return ParsedAnswer(0.0, "no number: the released default", assumed=True, rule="default")
    return ParsedAnswer(float(number[0]), span=number.span(), rule="first number")


VSI_SUPER = Reader(
    name="vsi-super",
    title="VSI-SUPER in lmms-eval",
    source="EvolvingLMMs-Lab/lmms-eval, tasks/vsisuper: _normalize_option, _extract_number",
    read=read_vsi_super,
    kinds=("choice", "number"),
)


_STI_FLAGS = re.IGNORECASE | re.MULTILINE
_STI_PATTERNS = tuple(
    (rule, re.compile(pattern, _STI_FLAGS))
    for rule, pattern in (
        ("letter in parentheses", r"\(([A-E])\)"),
        ("Ans=", r"Ans\s*=\s*['\"]?([A-E])['\"]?"),
        ("Answer:", r"Answer\s*[:=]\s*([A-E])"),
        ("Option", r"Option\s+([A-E])"),
        ("is correct", r"\b([A-E])\s*(?:is|was)\s*correct"),
        ("letter at the end of a line", r"\b([A-E])[.)]\s*$"),
    )
)


def read_sti_bench(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The letter of the first pattern, else the reply where it is a letter alone."""
    found = first_of(_STI_PATTERNS, text)
    bare, start = stripped(text)
    if found is None and len(bare) == 1 and bare in item.letters:
        found = ParsedAnswer(bare, span=(start, start + 1), rule="letter alone")
    return found or nothing("no letter from A to E in any of the forms")


STI_BENCH = Reader(
    name="sti-bench",
    title="STI-Bench, the authors' parser",
    source="MINT-SJTU/STI-Bench, opensource_test.py, extract_answer",
    read=read_sti_bench,
    kinds=("choice",),
)


_LETTERS = ("A", "B", "C", "D", "E", "F")
_NOISE = str.maketrans(dict.fromkeys(" \"'\n:"))
_PHRASES = ('"answer":', "answer is", "answer:", '"Answer":', "Answer is", "Answer:")
_MORE_PHRASES = (*_PHRASES, "The answer is", "the answer is")


def read_mmsi_video(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """Read the first place that is looked at, which always decides: a box, behind a phrase, before a full stop."""
    bare = _without_tags(text)
    if "no answer" in bare:
        return nothing("'no answer'")
    rule, said = next(_places(bare, _PHRASES))
    return ParsedAnswer(said, rule=rule) if said in _LETTERS else nothing(f"{rule}: no letter from A to F alone")


def read_mmsi_video_lmms_eval(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """Read the first place with a letter alone; else the first letter that is "(A)", " A " or "A." anywhere."""
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
    """Yield the text in a box, behind the last of each phrase up to a comma or full stop, and before the first full
    stop. Quotes, colons and blanks are removed."""
    if "boxed{" in text:
        yield "box", text.split("boxed{", 2)[1].split("}", 1)[0].translate(_NOISE)
    for phrase in phrases:
        if phrase in text:
            yield "phrase", text.rpartition(phrase)[2].split(",", 1)[0].split(".", 1)[0].translate(_NOISE)
    yield "text before the first full stop", text.split(".", 1)[0].translate(_NOISE)


MMSI_VIDEO_READERS = (
    Reader(
        name="mmsi-video",
        title="MMSI-Video-Bench, the authors' parser",
        source="InternRobotics/MMSI-Video-Bench, evaluation.py, extract_answer",
        read=read_mmsi_video,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-mmsi-video",
        title="MMSI-Video-Bench in lmms-eval",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/mmsi_video/utils.py, extract_answer",
        read=read_mmsi_video_lmms_eval,
        kinds=("choice",),
    ),
)


_TEMPCOMPASS = {
    "choice": re.compile(r"\A([A-D])(?:\Z|[.)])"),
    "yes-no": re.compile(r"\A(yes|no)", re.IGNORECASE),
}


def read_tempcompass(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The beginning of the response: a letter, or yes or no."""
    found = _TEMPCOMPASS[item.kind].match(text.replace("</s>", "").strip())
    if found is None:
        return nothing("begins with neither a letter from A to D nor yes or no")
    return ParsedAnswer(found[1] if item.kind == "choice" else found[1].lower(), rule="beginning")


TEMPCOMPASS = Reader(
    name="tempcompass",
    title="TempCompass, without ChatGPT",
    source="llyx97/TempCompass, eval_multi-choice.py and eval_yes_no.py",
    read=read_tempcompass,
    kinds=("choice", "yes-no"),
)


READERS = (*FIRST_TOKEN_READERS, LMMS_EVAL_VSI, VSI_SUPER, STI_BENCH, *MMSI_VIDEO_READERS, TEMPCOMPASS)
