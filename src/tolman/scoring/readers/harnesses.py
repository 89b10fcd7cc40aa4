"""Parsers of evaluation harnesses, shared by their benchmarks: EASI, VLMEvalKit, lmms-eval and Inspect.

- EASI reads letters A to F in stages, the first of them that finds one deciding, and last numbers. Source:
  open-compass/VLMEvalKit, vlmeval/dataset/utils/spatial_bench/matching_func.py (`can_match_option` without choices,
  `can_match_na`). Its expressions take time that grows with the square of long runs of blanks, stars or open tags. The
  ones here accept the same texts and don't.
- VLMEvalKit's exact matcher serves BLINK, 3DSRBench, All-Angles-Bench and others without a judge. A letter by itself
  must be the only one of the options' in the whole reply and first be among its last tokens. Then comes "answer is X",
  then the text of the one option that the reply holds. A refusal, or a reply without a match, is 'Z' in that code,
  which is always wrong: no answer.
- lmms-eval has the pattern of several tasks, BLINK's later ones, 3DSRBench's list, and a ranking of formats.
- Inspect's `multiple_choice` takes the letter behind "ANSWER:", at the beginning of a line, else anywhere. Its prompt
  asks for that line; a letter without it is no answer.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache

from tolman.extras import lazy_pattern
from tolman.items import LETTERS, Item
from tolman.scoring.answer_values import ParsedAnswer, nothing
from tolman.scoring.readers import Reader, first_of, last_match, letter_of, stripped

TAIL_LINES = 6
TAIL_CHARACTERS = 800
_INVISIBLE = lazy_pattern("[\u200b\u200c\u200d\ufeff]")
_NUMBER = r"[-+]?(?:\d*\.\d+|\d+)(?:[eE][-+]?\d+)?"
_ANY_NUMBER = lazy_pattern(_NUMBER)

_TAG_OPENS = lazy_pattern(r"<\s*answer\b", re.IGNORECASE)
_TAG_CLOSES = lazy_pattern(r"<\s*/\s*answer\s*>", re.IGNORECASE)
_TAGGED_LETTER = lazy_pattern(r"\s*([A-J])", re.IGNORECASE)
_TAGGED_NUMBER = lazy_pattern(rf"\s*({_NUMBER})(?:[^\d<][^<]*)?<\s*/\s*answer\s*>", re.IGNORECASE)
_BEFORE = r"(?<![A-Za-z])[(\[{（【]?\s*([A-F])\s*[)\]}）】]?\s*</\s*%s\s*>"
_BEFORE_CLOSING = (
    ("letter before </answer>", lazy_pattern(_BEFORE % "answer", re.IGNORECASE)),
    ("letter before </think>", lazy_pattern(_BEFORE % "think", re.IGNORECASE)),
)
_THINK_CLOSES = lazy_pattern(r"</\s*think\s*>", re.IGNORECASE)
_THINK_OPENS = lazy_pattern(r"<\s*think\s*>", re.IGNORECASE)

_OPTION_LINE = lazy_pattern(r"[*_>\-\s]*(?:option|选项)\s+[A-J]\s*[:：]", re.IGNORECASE)
_LINE_LETTER = lazy_pattern(r"[*_`>（）\[\]【】()]*\s*([A-Fa-f])\s*[*_`（）\[\]【】()]*")
_LINE_LABEL = lazy_pattern(r"([A-F])\s*[.．:：)\]】、-]\s+", re.IGNORECASE)
_LINE_TOKEN = lazy_pattern(r"(?<![A-Za-z])([A-F])(?=[*_`）\]})]*(?:$|[\s.,:;!?)\]】》」』，。；、：）】》」』]))")
_PHRASE = lazy_pattern(
    r"(?i)(?:final\s*answer|the\s*answer\s*is|answer(?:\s*is)?|correct\s*answer|"
    r"答案|最终答案|结论|所以|因此|我选(?:择)?|选择|选)"
    r"\s*+[:：>＝=]?+\s*+[(\[{（【]?+\s*+([A-F])\s*[)\]}）】]?(?:\b|[.)、。])"
)
_TOKEN = lazy_pattern(r"(?<![A-Za-z])[A-F](?![A-Za-z])")

_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_DIGITS = {word: str(value) for value, word in enumerate(_WORDS)}
_NUMBER_WORD = lazy_pattern(rf"\b({'|'.join(_WORDS)})\b", re.IGNORECASE)


def read_easi(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
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
    """Yield where the contents of `<answer …>` begin; tags that end at the same place once."""
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
    """Return the text behind the last `</think>`, else behind the last `<think>`, else the text."""
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


EASI = Reader(
    name="easi",
    title="EASI, letters and numbers",
    source="open-compass/VLMEvalKit, dataset/utils/spatial_bench/matching_func.py, can_match_option, can_match_na",
    read=read_easi,
    kinds=("choice", "number"),
)


LAST_TOKENS = 4
_BLANKED = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_DEAD_CALL = "Failed to obtain answer via API"
_REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)
_ANNOUNCED = lazy_pattern(r"(?i)answer\s+is\s+\**([ABCD])")


def read_vlmevalkit(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The letter of `can_infer`, or none."""
    if _DEAD_CALL not in text:
        if any(refusal in text for refusal in _REFUSALS):
            return nothing("a refusal")
        tokens = text.translate(_BLANKED).split()
        named = set(item.letters).intersection(tokens)
        if len(named) == 1:
            (letter,) = named
            if tokens.index(letter) >= len(tokens) - LAST_TOKENS:
                return ParsedAnswer(letter, rule="the one letter, near the end")
        elif not named and "Z" in tokens:
            return nothing("Z, which stands for no answer")
        announced = _ANNOUNCED.search(text)
        if announced and announced[1].upper() in item.letters:
            return letter_of(announced, "answer is")
    return _read_option_text(item, text.lower())


def _read_option_text(item: Item, lowered: str) -> ParsedAnswer:
    if len(lowered) > 2 * sum(map(len, item.options)):
        return nothing("no letter, and too long to be an option's text")
    held = [letter for letter, option in zip(item.letters, item.options, strict=True) if option.lower() in lowered]
    if len(held) == 1:
        return ParsedAnswer(held[0], rule="text of the one option in the reply")
    return nothing("no letter, and the text of no option" if not held else "the texts of several options")


VLMEVALKIT = Reader(
    name="vlmevalkit-exact",
    title="VLMEvalKit, exact matching",
    source="open-compass/VLMEvalKit, vlmeval/utils/matching_util.py, can_infer",
    read=read_vlmevalkit,
    kinds=("choice",),
)


_OPENING = lazy_pattern(r"[(\s]*([A-Z])", re.IGNORECASE)
_LIST = (
    ("letter at the beginning", lazy_pattern(r"^([A-D])[.\s)]")),
    ("letter alone", lazy_pattern(r"^([A-D])$")),
    ("answer:", lazy_pattern(r"[Aa]nswer[:\s]+([A-D])")),
    ("the answer is", lazy_pattern(r"[Tt]he answer is[:\s]+([A-D])")),
    ("my answer is", lazy_pattern(r"[Mm]y answer is[:\s]+([A-D])")),
    ("letter in parentheses", lazy_pattern(r"\(([A-D])\)")),
    ("letter before a full stop", lazy_pattern(r"([A-D])\.")),
    ("letter between word boundaries", lazy_pattern(r"\b([A-D])\b")),
)
_LETTERS = "ABCD"
_PHRASES = (
    *("the answer is", "answer is", "the correct answer is", "correct answer is", "the best answer is"),
    *("best answer is", "the correct option is", "correct option is", "the best option is", "best option is"),
    *("the choice is", "choice is", "the correct choice is", "correct choice is", "i choose", "i select", "i pick"),
    *("my answer is", "my choice is", "옵션", "정답은", "답은", "답:", "答案是", "答案为", "选", "答えは"),
)
_FORMS = {
    "letter in parentheses": "({})",
    "letter before a full stop": "{}.",
    "letter before a colon": "{}:",
    "letter before a parenthesis": "{})",
    "letter before a space": "{} ",
    "letter anywhere": "{}",
}
"""Formats by rank, behind a letter at the beginning, at the end, and after a phrase."""


def read_simple(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first letter of all, which only opening parentheses and white space may precede: "The answer is B" is T."""
    found = _OPENING.match(text)
    return letter_of(found, "first letter") if found else nothing("the reply doesn't begin with a letter")


TERSE = 4
"""Most characters of a first line that is the answer by itself (BLINK, from 0.7.3)."""


@lru_cache(maxsize=64)
def _offered(letters: str) -> tuple[re.Pattern[str], tuple[tuple[str, re.Pattern[str]], ...], re.Pattern[str]]:
    """Return BLINK's patterns for the letters of a question: a first line, a later statement, the beginning."""
    one = f"([{letters}])"
    return (
        re.compile(rf"\(?{one}\)?[.\s:,)]*", re.IGNORECASE),
        (
            # The release has `\s*[:\-]?\s*`, which matches the same in time that grows with the square.
            ("answer is", re.compile(rf"answers?(?:\s+is)?(?:\s*[:\-])?\s*\(?{one}(?![A-Za-z])", re.IGNORECASE)),
            ("letter in parentheses", re.compile(rf"\({one}\)")),
        ),
        re.compile(rf"[(\s]*{one}", re.IGNORECASE),
    )


def read_offered(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """A first line that is hardly more than a letter, the last that "answer is" precedes, the last in parentheses, the
    first letter of all: only letters of the question's options."""
    bare, start = stripped(text)
    first_line, stated, opening = _offered("".join(item.letters) or LETTERS)
    line = bare.split("\n", 1)[0].strip()
    found = first_line.fullmatch(line) if len(line) <= TERSE else None
    if found:
        return letter_of(found, "letter alone", start)
    for rule, pattern in stated:
        found = last_match(pattern, bare)
        if found:
            return letter_of(found, rule, start)
    found = opening.match(bare)
    return letter_of(found, "first letter", start) if found else nothing("no letter of an option")


def read_list(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The first match of the first of eight patterns."""
    bare, start = stripped(text)
    found = first_of(_LIST, bare, start)
    return found or nothing("no letter from A to D by itself")


def read_ranked(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """Return the letter in the format that ranks highest; of several in one format the last."""
    bare = text.strip()
    for mark in (",", ".", "!", "?", ";", ":", "'", '"'):
        bare = bare.strip(mark)
    padded = f" {bare} "
    for rule, letter in _at_an_end(bare.strip()):
        return ParsedAnswer(letter, rule=rule)
    announced = max(_announced(padded), default=None)
    if announced:
        return ParsedAnswer(announced[1], rule="letter behind a phrase")
    for rule, form in _FORMS.items():
        places = ((padded.rfind(form.format(letter)), letter) for letter in _LETTERS)
        place, letter = max(places)
        if place >= 0:
            return ParsedAnswer(letter, rule=rule)
    return nothing("no capital letter from A to D")


def _at_an_end(bare: str) -> Iterator[tuple[str, str]]:
    """Yield the letter with which a reply begins, or ends, where no other letter is next to it."""
    if bare[:1] and bare[0] in _LETTERS and not bare[1:2].isalpha():
        yield "letter at the beginning", bare[0]
    if bare[:1] and bare[-1] in _LETTERS and not bare[-2:-1].isalpha():
        yield "letter at the end", bare[-1]


def _announced(padded: str) -> Iterator[tuple[int, str]]:
    """For each phrase, the next place of each letter, however far behind it, and inside of a word too."""
    lowered = padded.lower()
    for phrase in _PHRASES:
        begin = lowered.find(phrase)
        if begin >= 0:
            for letter in _LETTERS:
                place = padded.find(letter, begin + len(phrase))
                if place >= 0:
                    yield place, letter


LMMS_EVAL_READERS = (
    Reader(
        name="lmms-eval-letter",
        title="lmms-eval, first letter",
        source="EvolvingLMMs-Lab/lmms-eval, tasks embspatial, blink, cv_bench: _extract_answer_letter",
        read=read_simple,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-blink",
        title="lmms-eval from 0.7.3, BLINK",
        source="lmms-eval 0.7.3, tasks/blink/utils.py: _extract_answer_letter with the letters of the options",
        read=read_offered,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-3dsrbench",
        title="lmms-eval, 3DSRBench's patterns",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/3dsrbench/utils.py, extract_answer",
        read=read_list,
        kinds=("choice",),
    ),
    Reader(
        name="lmms-eval-mcq",
        title="lmms-eval, ranking of formats (ERQA)",
        source="EvolvingLMMs-Lab/lmms-eval, tasks/_task_utils/mcq_extract.py, extract_mcq_answer with A to D",
        read=read_ranked,
        kinds=("choice",),
    ),
)


KEPT_BLANKS = 32
"""Blank characters that are looked at on either side of a longer run of them, so that time stays linear."""
_BLANKS = lazy_pattern(rf"(\s{{{KEPT_BLANKS}}})\s{{{KEPT_BLANKS},}}(\s{{{KEPT_BLANKS}}})")
_SAME = lazy_pattern(r"(\s)\1{3,}")
_WRAPPERS = (
    (lazy_pattern(r"\$\s*([A-Za-z\d][A-Za-z\d ,]*?)\s*\$"), r"\1"),
    (lazy_pattern(r"\*\*\s*([A-Za-z\d][A-Za-z\d ,]*?)\s*\*\*"), r"\1"),
    (lazy_pattern(r"(^|[:,])(\s*)\(([A-Za-z\d])\)(?=\s*(?:,|\.|\n|\Z))"), r"\1\2\3"),
)
_LINE = lazy_pattern(r"^ANSWER\s*:\s*([A-Za-z\d ,]+)\s*(?:$|\n|\.)", re.IGNORECASE | re.MULTILINE)
_ANYWHERE = lazy_pattern(r"ANSWER\s*:\s*([A-Za-z\d ,]+)(?:[^\w]|\n|$|\.)", re.IGNORECASE)


def read_inspect(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The last "ANSWER: X" that is a line, else the last of all; nothing where that one names no option alone."""
    short = _BLANKS.sub(r"\1\2", _SAME.sub(r"\1\1\1", text))
    for pattern, kept in _WRAPPERS:
        short = pattern.sub(kept, short)
    for rule, pattern in (("line ANSWER:", _LINE), ("ANSWER:", _ANYWHERE)):
        found = pattern.findall(short)
        if found:
            named = [part for part in found[-1].strip().upper().split(",") if part]
            if len(named) == 1 and named[0] in tuple(item.letters):
                return ParsedAnswer(named[0], rule=rule)
            return nothing("what follows ANSWER: is no option")
    return nothing("no 'ANSWER:'")


INSPECT = Reader(
    name="inspect-choice",
    title="Inspect, multiple_choice",
    source="UKGovernmentBEIS/inspect_ai 0.3.285, solver/_multiple_choice.py, parse_answers of one answer",
    read=read_inspect,
    kinds=("choice",),
)


READERS = (EASI, VLMEVALKIT, *LMMS_EVAL_READERS, INSPECT)
