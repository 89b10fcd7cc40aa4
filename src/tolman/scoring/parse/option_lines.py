"""Lines and sentences of a response with the options that they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tolman.scoring.parse.letters import letter_mentions
from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.mentions import Mention
from tolman.scoring.parse.option_texts import OptionTexts
from tolman.scoring.parse.option_words import text_mentions
from tolman.scoring.parse.polarity import with_polarity
from tolman.scoring.parse.ranking import behind_first
from tolman.scoring.parse.segments import Segment, is_question, segments
from tolman.scoring.parse.words import both_ends, is_inside

_NOTHING = frozenset({"none"})
MAX_MENTIONS = 24
"""Mentions of a sentence that are looked at, a quarter at its beginning: no answer stands in the middle of more."""


@dataclass
class OptionLine:
    """A segment with the options that it names.

    Attributes:
        segment: the sentence or line.
        mentions: in it, in order.
        question: whether it ends in a question mark.
        listing: whether it heads a list of options with an option's letter.
    """

    segment: Segment
    mentions: list[Mention]
    question: bool
    listing: bool = False

    @property
    def affirmed(self) -> list[Mention]:
        """Mentions that aren't denied; weak ones only where there are no others."""
        affirmed = [m for m in self.mentions if not m.negated]
        return [m for m in affirmed if not m.weak] or affirmed


@dataclass(frozen=True)
class LineContext:
    """A line with the response around it.

    Attributes:
        lines: of the response.
        number: of this line among them.
        text: without markup.
        options: of the item.
        awaited: whether an earlier line announces an answer that is still to come.
        question: of the item; empty where it is not to be looked at.
    """

    lines: list[OptionLine]
    number: int
    text: str
    options: OptionTexts
    awaited: bool
    question: str = ""

    @property
    def line(self) -> OptionLine:
        """The line itself."""
        return self.lines[self.number]

    @property
    def segment(self) -> Segment:
        """Its sentence."""
        return self.line.segment

    @property
    def earlier(self) -> list[OptionLine]:
        """Lines before it."""
        return self.lines[: self.number]

    @property
    def is_first(self) -> bool:
        """Whether no line stands before it."""
        return self.number == 0

    @property
    def is_last(self) -> bool:
        """Whether no line stands behind it."""
        return self.number == len(self.lines) - 1


def option_lines(text: str, options: OptionTexts, language: Languages, ranked: bool = False) -> list[OptionLine]:
    """Split a text into lines and sentences, and find the options that each names.

    Args:
        text: without markup.
        options: of the item.
        language: of the text.
        ranked: whether the question asks for the first of a ranking.

    Returns:
        The lines in order.
    """
    whole = tuple(" ".join(words) for words in options.folded)
    lines = [
        OptionLine(s, mentions_of(text, s, options), is_question(s, text)) for s in segments(text, language, whole)
    ]
    if ranked:
        for line in lines:
            line.mentions = behind_first(text, line.segment, line.mentions)
    _mark_listings(lines)
    return lines


def mentions_of(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    """Find all mentions of options in a segment, by letters and texts.

    Args:
        text: without markup.
        segment: the part of it to look at.
        options: of the item.

    Returns:
        The mentions in order, with their polarity.
    """
    nothing = segment.having("none_of")
    by_text = [m for m in text_mentions(text, segment, options) if not is_inside(m, nothing)]
    letters = [m for m in letter_mentions(text, segment, options) if not is_inside(m, by_text)]
    found = sorted([*by_text, *letters], key=lambda m: m.start)
    told = with_polarity(text, segment, both_ends(found, MAX_MENTIONS))
    # "There is nothing" does not deny that nothing is there.
    return [replace(m, negated=False) if m.by == "text" and options.concepts[m.option] == _NOTHING else m for m in told]


def _mark_listings(lines: Sequence[OptionLine]) -> None:
    """Mark lines that head a list of options with their letters: two in their order, or three against it, at least."""
    _mark_runs(lines, 1, 2)
    _mark_runs(lines, -1, 3)


def _mark_runs(lines: Sequence[OptionLine], step: int, least: int) -> None:
    run: list[OptionLine] = []
    expected = -1
    for line in lines:
        label = line.mentions[0] if line.mentions else None
        if label is None or not label.label or label.by != "letter":
            continue
        if not run or label.option != expected:
            _mark(run, least)
            run = []
        if run or label.option >= 0:
            run.append(line)
        expected = label.option + step
    _mark(run, least)


def _mark(run: Sequence[OptionLine], least: int) -> None:
    if len(run) >= least:
        for line in run:
            line.listing = True
