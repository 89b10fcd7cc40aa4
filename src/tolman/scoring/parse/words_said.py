"""A response's answer in a few words."""

from __future__ import annotations

import re

from tolman.items import Item
from tolman.scoring.answer_texts import listed, normalised, written_list
from tolman.scoring.parse.commitments import NO_ANSWER, REFUSAL
from tolman.scoring.parse.detection import detected
from tolman.scoring.parse.statements import FEW_WORDS, opened
from tolman.scoring.reading import ParsedAnswer, nothing

SHORT_WORDS = 12
"""Words of a last line that is an answer beside other lines, at most."""

_END = re.compile(r"\n|(?<=[^\s.])[.!?。](?=\s|\Z)")
_NOT_ALONE = re.compile(r"[\n<>{}\\:：=\u3040-\u9fff\uac00-\ud7af]|\banswer\b", re.IGNORECASE)
_SUBJECT = re.compile(r"(?:it|that|this|there|they)(?:'s|'re|\s(?:is|are|was|were))\s+(?=\S)", re.IGNORECASE)
_TRIM = " \t\r\n*_`\"'#>|.,;:!"


def read_words(item: Item, response: str) -> ParsedAnswer:
    """Read the words that a response gives as its answer.

    Of a wrapper its content; of an announcement the rest of its sentence; of a response of one sentence all of it; of
    a longer one the first or the last line that is short, else the last sentence.

    Args:
        item: for its question, which tells the language; its answer isn't looked at.
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
        said = statement.text[start:end].strip(_TRIM)
        if not normalised(said):
            continue
        if statement.rule == "whole" and refuses(said, item.question):
            return nothing(REFUSAL)
        place = statement.start + start
        many = listed(statement.text.strip())
        return found.reading(written_list(many) if many else said, place, statement.start + end, statement.rule)
    return nothing(NO_ANSWER)


def _first(text: str, sentence_only: bool) -> tuple[int, int]:
    """Where the first line or sentence of a statement stands."""
    start = len(text) - len(text.lstrip(_TRIM))
    if not sentence_only:
        return start, len(text.rstrip())
    end = _END.search(text, start)
    return start, end.start() if end else len(text)


def _line(text: str) -> tuple[int, int]:
    """Where the line or sentence of a whole response stands that is its answer."""
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
    """Tell whether a sentence says that the answer isn't known."""
    return len(said.split()) > FEW_WORDS and any(
        cue.role == "unknown" for cue in detected(said, question).found_in(said)
    )
