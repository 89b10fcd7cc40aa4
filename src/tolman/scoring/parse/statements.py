"""What a response states as its answer, as text: for kinds whose answers are words, lists, or coordinates.

A reasoning trace is set aside; a wrapper made for answers is read first, then what an announcement introduces ("the
answer is …", in the reader's languages), then the response as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tolman.scoring.parse.commitments import EMPTY, ERROR_MESSAGE, UNFINISHED
from tolman.scoring.parse.detection import detected
from tolman.scoring.parse.plain import Plain, plain, without_markup
from tolman.scoring.parse.prepared import is_error_message
from tolman.scoring.parse.reasoning import behind_reasoning
from tolman.scoring.parse.wrappers import wrapped
from tolman.scoring.reading import ParsedAnswer, nothing

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
        text: what stands behind the trace.
        question: of the item, which tells the languages of a short response.
    """

    whole: Plain
    begin: int
    text: str
    question: str

    def statements(self) -> Iterator[Statement]:
        """The parts that may state the answer, the plainest first: wrappers from the last, announcements from the
        last, and all of it."""
        for wrapper in reversed(wrapped(self.text)[-8:]):
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
        """Where in a text something stands that is announced as the answer, at most four places."""
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
        What is left; a reading without value where that is nothing, or the message of an error.
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
    return signs.end() if signs else start


def _back_over_brackets(text: str, start: int, end: int) -> int:
    """Where a statement begins whose opening brackets were taken for signs of the announcement."""
    while end > start and text[end - 1] in "([{\"'":
        end -= 1
    return end
