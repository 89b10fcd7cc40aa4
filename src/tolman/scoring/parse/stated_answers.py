"""Answers that a response states as text: a few words, orders and sets, and the text in front of coordinates.

A reasoning trace is set aside. A wrapper made for answers is read first, then the text behind an announcement ("the
answer is …", in the reader's languages), then the response as a whole. Orders and sets are of an item's options, or of
things in the response's own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tolman.items import LETTERS, Item
from tolman.scoring.answer_values import ParsedAnswer, listed, normalised, nothing, written_list
from tolman.scoring.parse.commitments import EMPTY, ERROR_MESSAGE, FOREIGN, NO_ANSWER, REFUSAL, UNFINISHED
from tolman.scoring.parse.language_detection import detected
from tolman.scoring.parse.plain_text import Plain, behind_reasoning, plain, without_markup
from tolman.scoring.parse.wrappers import is_error_message, wrapped

ANNOUNCED_CHARS = 4_000
"""Characters at the end of a text in which an announcement is looked for."""
FEW_WORDS = 4
"""Words up to which a response is an answer by itself, whatever they say."""

_SIGNS = re.compile(r"[\s*_`\"'(\[{:=→>-]{0,12}")
_INTRODUCING = re.compile(r"[:=]|→|->")


@dataclass(frozen=True, slots=True)
class Statement:
    """A part of a response that may state its answer.

    Attributes:
        text: the part, without HTML and LaTeX commands.
        markup: the same with them.
        start, end: where in `Opened.text`.
        rule: which part it is: 'tag', 'box', 'json' or 'hashes' (a wrapper), 'declared' or 'whole'.
    """

    text: str
    markup: str
    start: int
    end: int
    rule: str


@dataclass(frozen=True, slots=True)
class Opened:
    """A response without its reasoning trace.

    Attributes:
        whole: all of it, in one way of writing.
        begin: where in it `text` begins.
        text: the part behind the trace.
        question: of the item, which shows the languages of a short response.
    """

    whole: Plain
    begin: int
    text: str
    question: str

    def statements(self) -> Iterator[Statement]:
        """The parts that may state the answer, the plainest first: wrappers from the last, announcements from the
        last, and all of it."""
        for wrapper in reversed(wrapped(self.text)[-8:]):
            if wrapper.text:
                yield Statement(without_markup(wrapper.text), wrapper.text, wrapper.start, wrapper.end, wrapper.rule)
        prose = without_markup(self.text)
        for start in reversed(self._announced(prose)):
            yield Statement(prose[start:], self.text[start:], start, len(prose), "declared")
        yield Statement(prose, self.text, 0, len(prose), "whole")

    def reading(self, value: str, start: int, end: int, rule: str) -> ParsedAnswer:
        """A reading, with its place in the response."""
        last = max(start, min(end, len(self.text)) - 1)
        span = (self.whole.origin(self.begin + start), self.whole.origin(self.begin + last) + 1)
        return ParsedAnswer(value, span=span, rule=rule)

    def _announced(self, prose: str) -> list[int]:
        """Return the places in a text behind announcements of the answer, at most four."""
        begin = max(0, len(prose) - ANNOUNCED_CHARS)
        tail = prose[begin:]
        cues = detected(tail, self.question).found_in(tail)
        copulas = {cue.start: cue.end for cue in cues if cue.role == "copula"}
        places = []
        for cue in (cue for cue in cues if cue.role == "answer"):
            end = _behind_signs(tail, cue.end)
            introduces = _INTRODUCING.search(tail[cue.end : end]) is not None
            if not introduces and end in copulas:
                end, introduces = _behind_signs(tail, copulas[end]), True
            introduces = introduces or any(cue.start < at and stop == cue.end for at, stop in copulas.items())
            if introduces and tail[end:].strip(" \n.*_`\"')]}"):
                places.append(begin + _back_over_brackets(tail, cue.end, end))
        return places[-4:]


def opened(response: str, question: str) -> Opened | ParsedAnswer:
    """Set the reasoning trace of a response aside.

    Args:
        response: hostile or not.
        question: that it answers.

    Returns:
        The rest; a reading without value where that is empty, or the message of an error.
    """
    whole = plain(response)
    begin, end, cut_off = behind_reasoning(whole.text)
    text = whole.text[begin:end]
    if not text.strip():
        unfinished = cut_off and bool(whole.text[begin:].strip())
        return nothing(UNFINISHED, cut_off=True) if unfinished else nothing(EMPTY)
    return nothing(ERROR_MESSAGE) if is_error_message(text) else Opened(whole, begin, text, question)


def _behind_signs(text: str, start: int) -> int:
    signs = _SIGNS.match(text, start)
    if not signs:
        return start
    end = signs.end()
    return end - 1 if text[start:end].endswith("-") and _UNSIGNED.match(text, end) else end  # the sign of a number


_UNSIGNED = re.compile(r"\.?[0-9]")


def _first_place(text: str) -> int:
    """Return where a text begins behind white space and marks; the point of '.5' is a part of it."""
    start = len(text) - len(text.lstrip(_TRIM))
    point = start > 0 and text[start - 1] == "." and text[start : start + 1].isdecimal()
    return start - 1 if point and (start == 1 or text[start - 2] != ".") else start


def _back_over_brackets(text: str, start: int, end: int) -> int:
    """Return where a statement begins whose opening brackets were taken for signs of the announcement."""
    while end > start and text[end - 1] in "([{\"'":
        end -= 1
    return end


SHORT_WORDS = 12
"""Words of a last line that is an answer beside other lines, at most."""

_END = re.compile(r"\n|(?<=[^\s.])[.!?。](?=\s|\Z)")
_NOT_ALONE = re.compile(r"[\n<>{}\\:：=\u3040-\u9fff\uac00-\ud7af]|\banswer\b", re.IGNORECASE)
_SUBJECT = re.compile(r"(?:it|that|this|there|they)(?:'s|'re|\s(?:is|are|was|were))\s+(?=\S)", re.IGNORECASE)
_TRIM = " \t\r\n*_`\"'#>|.,;:!"


def read_words(item: Item, response: str) -> ParsedAnswer:
    """Read the words that a response gives as its answer.

    They are the content of a wrapper, the rest of an announcement's sentence, or all of a response of one sentence. In
    a longer response they are the first or the last line that is short, else the last sentence.

    Args:
        item: for its question, which shows the language; its answer isn't looked at.
        response: hostile or not. A JSON list of texts is several answers at once.

    Returns:
        A value that is a text, or a JSON list of texts; None with the reason. Never raises.
    """
    own = response.strip()
    several = listed(own)
    if several or (own and len(own.split()) <= FEW_WORDS and not _NOT_ALONE.search(own)):
        start = response.index(own[0])
        value = written_list(several) if several else own
        return ParsedAnswer(value, span=(start, start + len(own)), rule="alone")
    found = opened(response, item.question)
    if isinstance(found, ParsedAnswer):
        return found
    for statement in found.statements():
        start, end = (
            _line(statement.text) if statement.rule == "whole" else _first(statement.text, statement.rule == "declared")
        )
        subject = _SUBJECT.match(statement.text, start, end)
        start = subject.end() if subject else start
        said = statement.text[start:end].rstrip(_TRIM)
        said = said[_first_place(said) :]
        if not normalised(said):
            continue
        if statement.rule == "whole" and refuses(said, item.question):
            return nothing(REFUSAL)
        place = statement.start + start
        many = listed(statement.text.strip())
        return found.reading(written_list(many) if many else said, place, statement.start + end, statement.rule)
    return nothing(NO_ANSWER)


def _first(text: str, sentence_only: bool) -> tuple[int, int]:
    """Return the first line or sentence of a statement, as start and end."""
    start = _first_place(text)
    if not sentence_only:
        return start, len(text.rstrip())
    end = _END.search(text, start)
    return start, end.start() if end else len(text)


def _line(text: str) -> tuple[int, int]:
    """Return the line or sentence of a whole response that is its answer, as start and end."""
    spans = [(m.start(), m.end()) for m in re.finditer(r"[^\n]+", text) if m[0].strip(_TRIM)]
    if not spans:
        return 0, 0
    if len(spans) > 1:
        first, last = spans[0], spans[-1]
        for start, end in (last, first):
            if len(text[start:end].split()) <= SHORT_WORDS:
                return _first_of(text, start, end)
        return _last_of(text, *last)
    return _first_of(text, *spans[0])


def _first_of(text: str, start: int, end: int) -> tuple[int, int]:
    """The first sentence of a line where it is short, or alone; else the last."""
    stop = _END.search(text, start, end)
    if stop is None or not text[stop.end() : end].strip(_TRIM) or len(text[start : stop.start()].split()) <= FEW_WORDS:
        return start, stop.start() if stop else end
    return _last_of(text, start, end)


def _last_of(text: str, start: int, end: int) -> tuple[int, int]:
    stops = [m.end() for m in _END.finditer(text, start, end) if text[m.end() : end].strip(_TRIM)]
    return (stops[-1] if stops else start), end


def refuses(said: str, question: str) -> bool:
    """Check whether a sentence says that the answer isn't known."""
    return len(said.split()) > FEW_WORDS and any(
        cue.role == "unknown" for cue in detected(said, question).found_in(said)
    )


MAX_THINGS = 200
"""Things of a list, at most."""
MAX_PIECE_WORDS = 12
"""Words of a thing that is none of the options, at most."""
MAX_STATEMENT_CHARS = 6_000
"""Characters of a statement that are looked at, the last of all."""
MAX_NAMED_CHARS = 400
"""Characters of a text whose options are found by their names alone, at most."""
MAX_NORMAL_CHARS = 200
"""Characters of a part of a list that is compared with options, at most."""
INCOMPLETE = "not each option once"
NO_LIST = "no list"

_SPACES = re.compile(r"[^\S\n]+")
_SEPARATOR = re.compile(
    r" ?(?:->|=>|→|⇒|[,;、，；|\n]|(?<=\s)[<>](?=\s))\s*(?:(?:and|then|und|et|y|e|и)\s)?(?:then\s)?"
    r"|\s(?:and|then|&|followed by)\s(?:then\s)?"
)
_BULLET = re.compile(
    r"\A[\s*_`\"'>#•·–(\[{-]*"
    r"(?:\(?\d{1,3}[.):]\s|(?:first|second|third|fourth|fifth|sixth|next|finally|last|lastly)\b[,:]?\s)?"
    r"[\s*_`\"'(\[{]*",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s{0,8}(?:[-*•·–]\s|\(?\d{1,3}[.):]\s)")
"""The beginning of a line of a list."""
_AROUND = " \t\r\n*_`\"')]}.!"
_LETTER = re.compile(r"\A(?:option\s+)?[(\[]?([A-Z])[)\].:]?(?:\s+(.*))?\Z", re.DOTALL)
_BETWEEN_LETTERS = re.compile(r"(?:[\s,;>→()\[\]\"'.*-]|\b(?:and|then)\b)+")
_NONE = frozenset((
    "none", "nothing", "no", "none of them", "none of these", "none of above", "none of options", "no options", "empty"
))  # fmt: skip
_ALL = frozenset({"all", "all of them", "all of these", "all of above", "all options", "all of options"})
_DENIAL = re.compile(
    r"\b(?:not|no|none|neither|nor|except|without|but|isn't|aren't|cannot|can't|don't|doesn't)\b", re.IGNORECASE
)


def read_order(item: Item, response: str) -> ParsedAnswer:
    """Read an order: of an item's options each once, by letter or text; of an item without options a list of two
    things or more.

    Args:
        item: for its question and options; its answer isn't looked at.
        response: hostile or not.

    Returns:
        A value that is a JSON list of texts, or None with the reason. Never raises.
    """
    return _read(item, response, ordered=True)


def read_set(item: Item, response: str) -> ParsedAnswer:
    """Read a set, which may be empty ("none"); see `read_order`. Things are in the order of the options, or as said."""
    return _read(item, response, ordered=False)


def _read(item: Item, response: str, *, ordered: bool) -> ParsedAnswer:
    own = listed(response)
    if own is not None:
        return _of_own(item, response, own, ordered)
    found = opened(response, item.question)
    if isinstance(found, ParsedAnswer):
        return found
    note = NO_ANSWER
    for statement in found.statements():
        if statement.rule == "whole" and not item.options and refuses(statement.text[-MAX_NAMED_CHARS:], item.question):
            return nothing(REFUSAL)
        for text, start in _parts(statement):
            things = _things(item, text, ordered)
            if isinstance(things, str):
                note = things if note == NO_ANSWER else note
                continue
            wraps = statement.rule not in ("declared", "whole")
            span = (statement.start, statement.end) if wraps else (start, start + len(text))
            return found.reading(written_list(things), *span, statement.rule)
    return nothing(note)


def _of_own(item: Item, response: str, own: Sequence[str], ordered: bool) -> ParsedAnswer:
    """The reading of a response that is a JSON list."""
    if ordered and not own:
        return nothing(NO_LIST)
    things = _known(item, own, ordered) if own and item.options else own
    if isinstance(things, str):
        return nothing(things)
    start = response.index("[")
    return ParsedAnswer(written_list(things), span=(start, len(response.rstrip())), rule="list")


def _parts(statement: Statement) -> list[tuple[str, int]]:
    """The parts of a statement that may be a list, with their places: of a wrapper all of it, of an announcement its
    sentence, then its lines; of a whole response its last line, its last paragraph, then all."""
    text = statement.text[-MAX_STATEMENT_CHARS:]
    offset = statement.end - len(text) if statement.rule in ("declared", "whole") else statement.start
    found: list[tuple[int, int]] = []
    if statement.rule == "declared":
        stop = re.search(r"(?<=[^\s.\d])\.(?=\s|\Z)|\n", text.rstrip())
        found.append((0, stop.start() if stop and text[: stop.start()].strip(" *_:`") else len(text)))
        paragraph = re.search(r"\n\s*\n", text.strip())
        found.append((0, paragraph.start() if paragraph else len(text)))
    elif statement.rule == "whole":
        line = text.rstrip().rfind("\n") + 1
        paragraph_starts = [m.end() for m in re.finditer(r"\n[ \t]*\n", text.rstrip())]
        if not _LISTED.match(text, line):
            found.append((line, len(text)))
        if paragraph_starts:
            found.append((paragraph_starts[-1], len(text)))
    found.append((0, len(text)))
    return [(text[start:end], offset + start) for start, end in dict.fromkeys(found) if text[start:end].strip()]


def _things(item: Item, text: str, ordered: bool) -> Sequence[str] | str:
    """The things of a list; or why there is none."""
    plain = normalised(text) if len(text) <= MAX_NORMAL_CHARS else ""
    if not ordered and plain in _NONE:
        return ()
    if not item.options:
        own = listed(text.strip())
        return own if own else _pieces_of(text, ordered)
    if not ordered and plain in _ALL:
        return item.options
    return _known(item, _split(text), ordered, text)


def _split(text: str) -> list[str]:
    """The parts of a list, without bullets, numbers and quotes."""
    own = listed(text.strip())
    if own is not None:
        return list(own)
    plain = _SPACES.sub(" ", text[:MAX_STATEMENT_CHARS])
    parts = [_BULLET.sub("", part, count=1).rstrip(_AROUND) for part in _SEPARATOR.split(plain)]
    return [part for part in parts if part]


def _pieces_of(text: str, ordered: bool) -> Sequence[str] | str:
    parts = _split(text)
    if len(parts) > MAX_THINGS or any(len(part.split()) > MAX_PIECE_WORDS for part in parts):
        return NO_LIST
    if len(parts) < (2 if ordered else 1):
        return NO_LIST
    return parts


def _known(item: Item, parts: Sequence[str], ordered: bool, text: str = "") -> Sequence[str] | str:
    """The options that a list names; or why it is none of them."""
    letters = _letters(item, text)
    places: list[int | None]
    if letters:
        places = [LETTERS.index(letter) for letter in letters]
    else:
        places = [_option(item, part) for part in parts[: MAX_THINGS + 1]]
        if None in places or not places:
            named = None if any(_mislabels(item, part) for part in parts) else _named(item, text)
            if named is None:
                return FOREIGN
            places = list(named)
    found = [place for place in places if place is not None]
    if ordered:
        if sorted(found) != list(range(len(item.options))):
            return INCOMPLETE
        return [item.options[place] for place in found]
    return [item.options[place] for place in sorted(set(found))]


def _letters(item: Item, text: str) -> list[str]:
    """The letters of a list that is nothing but letters of options: "B, C, A", "B > C > A" or "BCA"; else none."""
    if not text or len(text) > MAX_NORMAL_CHARS:
        return []
    pieces = [piece for piece in _BETWEEN_LETTERS.split(text) if piece]
    if len(pieces) == 1 and 1 < len(pieces[0]) == len(set(pieces[0])):
        pieces = list(pieces[0])
    return pieces if pieces and all(len(piece) == 1 and piece in item.letters for piece in pieces) else []


def _option(item: Item, part: str) -> int | None:
    """The place of the option that a part of a list names by text, by letter, or by both."""
    if len(part) > MAX_NORMAL_CHARS + max(map(len, item.options)):
        return None
    if part in item.options:
        return item.options.index(part)
    texts = [normalised(option) for option in item.options]
    if normalised(part) in texts:
        return texts.index(normalised(part))
    letter = _LETTER.match(part.strip())
    if letter is None or letter[1] not in item.letters:
        return None
    place = LETTERS.index(letter[1])
    return place if not letter[2] or normalised(letter[2]) == texts[place] else None


def _mislabels(item: Item, part: str) -> bool:
    """Check whether a part of a list has the letter of one option and the text of another."""
    letter = _LETTER.match(part.strip()) if len(part) <= MAX_NORMAL_CHARS else None
    if letter is None or not letter[2] or letter[1] not in item.letters:
        return False
    texts = [normalised(option) for option in item.options]
    return normalised(letter[2]) in texts and normalised(letter[2]) != texts[LETTERS.index(letter[1])]


def _named(item: Item, text: str) -> list[int] | None:
    """Return the options that a text names in words, each where it is named first. None if it names none, denies any,
    or an option's words are part of another's."""
    if not text or len(text) > MAX_NAMED_CHARS or _DENIAL.search(text):
        return None
    plain = f" {normalised(text)} "
    texts = [f" {normalised(option)} " for option in item.options]
    if any(one in other for i, one in enumerate(texts) for j, other in enumerate(texts) if i != j):
        return None
    found = sorted((plain.index(one), place) for place, one in enumerate(texts) if one in plain)
    return [place for _, place in found] or None
