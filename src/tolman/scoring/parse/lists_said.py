"""Lists that a response gives as its answer: orders and sets of an item's options, or of things in its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tolman.items import LETTERS, Item
from tolman.scoring.answer_texts import listed, normalised, written_list
from tolman.scoring.parse.commitments import FOREIGN, NO_ANSWER, REFUSAL
from tolman.scoring.parse.statements import Statement, opened
from tolman.scoring.parse.words_said import refuses
from tolman.scoring.reading import ParsedAnswer, nothing

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
_NONE = frozenset(
    {
        "none",
        "nothing",
        "no",
        "none of them",
        "none of these",
        "none of above",
        "none of options",
        "no options",
        "empty",
    }
)
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
        for text, start in _parts(statement, ordered):
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


def _parts(statement: Statement, ordered: bool) -> list[tuple[str, int]]:
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
    """Whether a part of a list has the letter of one option and the text of another."""
    letter = _LETTER.match(part.strip()) if len(part) <= MAX_NORMAL_CHARS else None
    if letter is None or not letter[2] or letter[1] not in item.letters:
        return False
    texts = [normalised(option) for option in item.options]
    return normalised(letter[2]) in texts and normalised(letter[2]) != texts[LETTERS.index(letter[1])]


def _named(item: Item, text: str) -> list[int] | None:
    """The options that a text names in words, each where it first stands; None where it names none, denies any, or
    an option's words are part of another's."""
    if not text or len(text) > MAX_NAMED_CHARS or _DENIAL.search(text):
        return None
    plain = f" {normalised(text)} "
    texts = [f" {normalised(option)} " for option in item.options]
    if any(one in other for i, one in enumerate(texts) for j, other in enumerate(texts) if i != j):
        return None
    found = sorted((plain.index(one), place) for place, one in enumerate(texts) if one in plain)
    return [place for _, place in found] or None
