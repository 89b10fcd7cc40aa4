"""Finding the one option that a text chooses."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tolman.items import LETTERS
from tolman.scoring.reading import Reading, nothing

_WRAP = r"[\s*_`'\"“”‘’()\[\]{}<>.,:;!?#$\\|~–—-]"
_ALONE = re.compile(rf"\A{_WRAP}*(?:(?:option|choice|letter|answer)\b{_WRAP}*)?([A-Za-z]){_WRAP}*\Z", re.IGNORECASE)
_START = re.compile(
    r"\A[\s*_`'\"“‘(\[{<#$\\]*(?:(?:option|choice|letter)\b[\s*_`'\"“‘(\[{<]*)?"
    r"(?P<letter>[A-Za-z])(?P<close>[*_`'\"”’)\]}>$]*)(?P<separator>(?:[.:,;)]|\s*[–—-])?)(?P<close2>[*_`]*)(?P<rest>.*)\Z",
    re.DOTALL,
)
_MORE_LETTERS = re.compile(
    r"\A\s*(?:,|and\b|or\b|&|/|\+)?\s*[(*`'\"\[]*([A-Za-z])(?![A-Za-z’])[)*`]*(?P<next>.{0,2})", re.DOTALL
)
_LABEL = re.compile(r"(?<![A-Za-z0-9])\(?([A-Z])[.):]\s")
_EMBEDDED = re.compile(
    r"(?:\(([A-Z])\)|\[([A-Z])\]|\*\*\(?([A-Z])[.):]?\)?\*\*|`{1,3}([A-Z])`{1,3}|\{([A-Z])\}"
    r"|\b(?:[Oo]ption|[Cc]hoice|[Ll]etter)[ ]+[(*`'\"]*([A-Z])(?![A-Za-z0-9'’]))"
)
_REASON = r"(?:because|since|as)\b"
_CHOSEN = re.compile(
    r"\b(?:choose|chose|pick|select|go(?:ing)? with|it(?:'s| is| must be| should be)|must be|would be|should be"
    r"|i(?:'d| would) say|i think|i believe|is)[ ]+[(*`'\"]*([A-Z])[)*`'\"]*"
    rf"(?:[.,;!](?=\s|\Z)|(?=\s*\Z)|(?=\n)|(?=[ ]+{_REASON}))"
)
_CALLED_RIGHT = re.compile(
    r"(?<![A-Za-z0-9'’])([A-Z])[)*`'\"]*[ ]+(?:is|seems|appears)[ ]+(?:to be[ ]+)?(?:the[ ]+)?(?:correct|right|best)\b"
)
_NEGATION_BEFORE = re.compile(
    r"(?:\bnot|n't(?: be)?|neither|nor|rule[sd]? out|exclud\w+|eliminat\w+|never|than)[ (*`]*$", re.IGNORECASE
)
_NEGATION_AFTER = re.compile(
    r"\A[)*`'\"\]]*[ ]+(?:(?:is|are|was|can be|cannot be|seems|would be)[ ]+)?"
    r"(?:wrong|incorrect|not|false|ruled out|excluded|eliminated|impossible|cannot|can't|isn't|out\b)",
    re.IGNORECASE,
)


def find_letter(text: str, options: Sequence[str], *, declared: bool) -> Reading:
    """The letter that a text chooses.

    Args:
        text: the response, or the part of it that was declared to be the answer.
        options: the options' texts, in order; the first is A.
        declared: the text is known to be the answer and may go on behind it ("B because …").

    Returns:
        A Reading with an upper-case letter, or None and the reason.
    """
    letters = LETTERS[: len(options)]
    text = text.strip()
    alone = _letter_alone(text, letters)
    if alone:
        return Reading(alone)
    by_text = _option_text(text, options)
    if by_text:
        if text.startswith("A ") and by_text != "A":
            return nothing("letter and text disagree")  # "A chair", where the chair is another option
        return Reading(by_text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and not declared:
        ends = {letter for letter in (_letter_alone(lines[0], letters), _letter_alone(lines[-1], letters)) if letter}
        if len(ends) == 2:
            return nothing("several candidates")
        if ends:
            return Reading(ends.pop())
    sentences = re.split(r"(?<=[.!?])\s+", text)
    if len(sentences) > 1 and not declared:
        last = _letter_alone(sentences[-1], letters)
        if last and not _letter_alone(sentences[0], letters):
            return Reading(last)
    at_start = _letter_at_start(text, letters, options, declared=declared)
    if at_start is not None:
        return at_start
    if declared:
        first_clause = re.split(r"(?<=[.!?])\s|[,;:(\n]| because | since | as ", text, maxsplit=1)[0]
        by_text = _option_text(first_clause, options)
        if by_text:
            return Reading(by_text)
    return _letter_within(text, letters)


def _letter_alone(text: str, letters: str) -> str | None:
    match = _ALONE.match(text)
    if match and match[1].upper() in letters:
        return match[1].upper()
    return None


def _option_text(text: str, options: Sequence[str]) -> str | None:
    """The letter of the one option whose text this is."""
    said = _plain(text)
    if not said:
        return None
    hits = [letter for letter, option in zip(LETTERS, options, strict=False) if _plain(option) == said]
    return hits[0] if len(hits) == 1 else None


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", re.sub(r"\A\s*(?:the|an?)\s+(?=\S)", "", text.casefold())))


def _letter_at_start(text: str, letters: str, options: Sequence[str], *, declared: bool) -> Reading | None:
    """A letter that opens the text, set off from what follows; None where there is none."""
    match = _START.match(text)
    if match is None:
        return None
    letter, rest = match["letter"], match["rest"]
    set_off = bool(match["close"] or match["close2"] or match["separator"])
    separator = match["separator"].strip()
    if letter.upper() not in letters or (letter.islower() and not set_off and not declared):
        return None
    if not set_off:
        reasoned = re.match(rf"[ ]+{_REASON}", rest)
        aside = re.match(r"[ ]+\(", rest)
        if not rest[:1].isspace() or (rest[:1] == " " and not (declared or reasoned or aside)):
            return None
        if letter in "Aa" and re.match(r"[ ]+(?!and\b|or\b)[A-Za-z]", rest) and not reasoned:
            return None  # "A chair is closer": an article
    if separator == "-" and not re.match(r"\s", rest):
        return None  # "A-frame"
    if separator == "." and re.match(r"[A-Za-z]\.", rest):
        return None  # "B.C."
    if separator == ":" and rest[:1] in ("\\", "/"):
        return None  # a path
    if separator == "," and match["close"] == "" and letter == "a":
        return None
    if match["close"] and match["close"][0] in "'’" and rest[:1].isalpha():
        return None  # "d'accord"
    if _lists_more(rest, letters):
        return nothing("several candidates")
    if _echoes(rest, letters, options, letter.upper()):
        return nothing("several candidates")
    own = options[letters.index(letter.upper())]
    claimed = _option_text(rest, options)
    if claimed and claimed != letter.upper() and _plain(own) != _plain(rest):
        return nothing("letter and text disagree")
    return Reading(letter.upper())


def _echoes(rest: str, letters: str, options: Sequence[str], chosen: str) -> bool:
    """Whether another option is listed behind a letter, with its label and its text."""
    for match in _LABEL.finditer(rest):
        letter = match[1]
        if letter in letters and letter != chosen:
            text = _plain(options[letters.index(letter)])
            if text and _plain(rest[match.end() :]).startswith(text):
                return True
    return False


def _lists_more(rest: str, letters: str) -> bool:
    """Whether what follows a letter goes on with another one: "A and B", "A, C"."""
    more = _MORE_LETTERS.match(rest)
    if more is None or more[1].upper() not in letters:
        return False
    if more[1] in "Aa" and re.match(r"[ ][A-Za-z]", more["next"]):
        return False  # "B, a chair"
    return more[1].isupper() or re.match(r"\A\s*(?:,|and\b|or\b|&|/|\+)", rest) is not None


def _letter_within(text: str, letters: str) -> Reading:
    """The one letter that stands in brackets, in bold, or as the object of a choice, anywhere in the text."""
    found: set[str] = {match[1] for match in _CALLED_RIGHT.finditer(text)}
    for match in _EMBEDDED.finditer(text):
        letter = next(group for group in match.groups() if group)
        if not _negated(text, match.start(), match.end()):
            found.add(letter)
    for match in _CHOSEN.finditer(text):
        if not _negated(text, match.start(1), match.end(1)):
            found.add(match[1])
    if not found:
        return nothing("no letter")
    if len(found) > 1:
        return nothing("several candidates")
    letter = found.pop()
    return Reading(letter) if letter in letters else nothing("no letter")


def _negated(text: str, start: int, end: int) -> bool:
    return bool(
        _NEGATION_BEFORE.search(text[max(0, start - 24) : start]) or _NEGATION_AFTER.match(text[end : end + 40])
    )
