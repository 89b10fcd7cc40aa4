"""Mentions of options in a text: how they relate to each other, which are denied, and which are ranked.

Denials are such as "not A" and "B is wrong". Rankings are such as "the heater, followed by the stool" and "desk >
chair"; a question asks for the first of them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from tolman.items import LETTERS
from tolman.scoring.parse.commitments import FOREIGN, SEVERAL, Commitment
from tolman.scoring.parse.lexicon import Cue, Languages, is_in_longer, is_inside, words_of
from tolman.scoring.parse.plain_text import fold
from tolman.scoring.parse.response_segments import Segment

MAX_ALTERNATIVE_GAP = 40
"""Characters between two options that are alternatives, at most."""


@dataclass(frozen=True, slots=True)
class Mention:
    """An option named in a text.

    Attributes:
        option: its place among the options; -1 for a letter that no option has.
        start, end: where.
        by: 'letter' or 'text'.
        weak: a letter that may be a word, a name or a variable; a text that was found only in part.
        label: a letter that heads its line or its part of it, as in a list of options.
        marked: a letter in brackets, bold or behind "option".
        negated: it is said not to be the answer.
    """

    option: int
    start: int
    end: int
    by: Literal["letter", "text"]
    weak: bool = False
    label: bool = False
    marked: bool = False
    negated: bool = False


def commit(mention: Mention, strength: int, rule: str) -> Commitment:
    """Commit a response to a mentioned option.

    Args:
        mention: of the option.
        strength: how plainly it is said.
        rule: the name of the rule that found it.

    Returns:
        A commitment to the option's letter; without a value for a letter that no option has.
    """
    if mention.option < 0:
        return Commitment(None, strength, mention.start, mention.end, rule, FOREIGN)
    return Commitment(LETTERS[mention.option], strength, mention.start, mention.end, rule)


def commit_to_several(mentions: Sequence[Mention], strength: int, rule: str) -> Commitment:
    """Commit a response to more than one option, and so to none.

    Args:
        mentions: of the options, in order.
        strength: how plainly it is said.
        rule: the name of the rule that found it.

    Returns:
        A commitment without a value, from the first mention to the last.
    """
    return Commitment(None, strength, mentions[0].start, mentions[-1].end, rule, SEVERAL)


def options_in(mentions: Sequence[Mention]) -> set[int]:
    """List the options that some mentions name.

    Args:
        mentions: of options.

    Returns:
        The options' places.
    """
    return {mention.option for mention in mentions}


def is_alternative(gap: str, language: Languages) -> bool:
    """Check whether a gap between two options joins them as alternatives.

    Args:
        gap: the text between them.
        language: of the text.

    Returns:
        True for "or", "and", a comma, a slash, or nothing.
    """
    if len(gap) > MAX_ALTERNATIVE_GAP:
        return False
    if gap.strip(" \t*_`'\"()[].:") in ("", ",", "/", "&", "+", "、", "|", "-"):
        return True
    words = words_of(gap)
    cues = [c for c in language.cues_of(words, gap) if c.role in ("alternative", "option")]
    return any(c.role == "alternative" for c in cues) and all(
        is_inside(w, cues) or w.folded in language.skip for w in words
    )


def are_joined(mentions: Sequence[Mention], text: str, language: Languages) -> bool:
    """Check whether two neighbouring mentions name different options as alternatives.

    Args:
        mentions: in order.
        text: that contains them.
        language: of the text.

    Returns:
        True where any two do.
    """
    return any(
        a.option != b.option and is_alternative(text[a.end : b.start], language)
        for a, b in itertools.pairwise(mentions)
    )


CLAUSE_BEFORE_CHARS = 80
"""Characters before a mention in which its clause may begin."""
CLAUSE_BEHIND_CHARS = 120
"""Characters behind a mention in which its clause may end."""
MAX_DENIAL_GAP = 24
"""Characters between a mention and the word that denies it, at most."""
MAX_LABEL_DENIAL_GAP = 40
"""Characters between a mention that heads its line and the word that denies it, at most."""

_CLAUSE = re.compile(r"[,;:()\n—–]|[。、；：]|\b(?:(?<!anything )but|while|whereas|pero|mais|sondern|aber|mas|но|а)\b")
_SIGNS = re.compile(r"[*_`'\")\]}. ]*")
_BRACKET = re.compile(r"\(\s*")
_NOR = (
    {"or", "nor", "and"}
    | {"oder", "noch"}
    | {"ni", "o", "y", "ou", "et", "e", "nem"}
    | {"и", "или", "ни"}
    | {"أو", "ولا", "या", "和", "或", "、"}
)
"""Words that carry a denial on to the next option: "not A or B"."""


def with_polarity(text: str, segment: Segment, mentions: Sequence[Mention]) -> list[Mention]:
    """Mark the mentions that are denied.

    Args:
        text: without markup.
        segment: that contains the mentions.
        mentions: of options.

    Returns:
        The mentions in order, each with `negated` set.
    """
    ordered = sorted(mentions, key=lambda m: m.start)
    by_text = [m for m in mentions if m.by == "text"]
    negations = [c for c in _negations(text, segment) if not is_inside(c, by_text)]
    praising = segment.having("superlative", "affirm", "choose")
    denials = [c for c in segment.having("deny") if not is_inside(c, by_text) and not is_in_longer(c, praising)]
    result: list[Mention] = []
    for i, mention in enumerate(ordered):
        negated = (
            _is_negated(text, segment, ordered, i, negations)
            or _is_called_wrong(text, segment, ordered, i, denials)
            or _is_tentative(text, segment, mention)
            or _DISOWNED.match(text, mention.end, segment.end) is not None
        )
        if not negated and result and result[-1].negated and result[-1].option != mention.option:
            gap = text[result[-1].end : mention.start]
            negated = _carries_on(gap) or (_is_comma(gap) and _ends_in_nor(text, ordered[i:]))
        result.append(replace(mention, negated=negated))
    return result


_DISOWNED = re.compile(
    r"[^.;:\n]{0,48}(?:,|—|–)[ ]*(?:but|though)[ ](?:that|it|this)(?:['’]s|[ ]is|[ ]was)(?:[ ]not|n['’]t)"
    r"[ ](?:it|his|hers|theirs|what|the (?:one|answer))\b",
    re.IGNORECASE,
)
"""Behind an option: it is there, but isn't what is asked for."""


def _carries_on(gap: str) -> bool:
    """Check whether a gap between two options carries a denial on: "not A, therefore, or B"."""
    if gap.strip(" *_`'\"(),").casefold() in _NOR:
        return True
    words = [w.folded for w in words_of(gap) if w.folded not in _FILLING]
    return len(words) == 1 and words[0] in _NOR and not re.search(r"[.;:!?\n]", gap)


def _is_comma(gap: str) -> bool:
    """Check whether only a comma is between two options."""
    return gap.lstrip().startswith(",") and all(w.folded in _FILLING for w in words_of(gap)) and "\n" not in gap


def _ends_in_nor(text: str, mentions: Sequence[Mention]) -> bool:
    """Check whether a list of options ends in one that "or" or "nor" joins: "(not A,) B or C"."""
    for one, other in itertools.pairwise(mentions):
        gap = text[one.end : other.start]
        if not _is_comma(gap):
            return _carries_on(gap) and any(w.folded in ("or", "nor", "oder", "ou", "o", "ni") for w in words_of(gap))
    return False


_FILLING = frozenset(("the", "a", "an", "therefore", "then", "also", "even", "der", "die", "das", "le", "la", "el"))
"""Words between options that don't change how they are joined."""


def _negations(text: str, segment: Segment) -> list[Cue]:
    """Return the words of a segment that deny the words behind them; "que" only behind a superlative or comparative."""
    superlatives = segment.having("superlative")
    numbers = segment.having("number_word")
    return [
        c
        for c in segment.having("negate", "compare_to")
        if not (any(n.start == c.start for n in numbers) and _NUMBERED.match(text, c.end))  # "No. 3"
        if c.role == "negate" or fold(text[c.start : c.end]) != "que" or any(s.start < c.start for s in superlatives)
    ]


_NUMBERED = re.compile(r"\.?[ ]?[0-9]")


def _is_negated(text: str, segment: Segment, ordered: Sequence[Mention], i: int, negations: Sequence[Cue]) -> bool:
    """Check whether a denying word precedes a mention, in its clause and behind the mention of another option."""
    mention = ordered[i]
    begin = segment.start
    for match in _CLAUSE.finditer(text, max(segment.start, mention.start - CLAUSE_BEFORE_CHARS), mention.start):
        if match[0] != "(" or mention.start - match.start() > 1:
            begin = match.end()
    previous = max((m.end for m in ordered[:i] if m.option != mention.option), default=segment.start)
    return any(
        max(begin, previous) <= c.start and c.end <= mention.start and mention.start - c.end <= MAX_DENIAL_GAP
        for c in negations
    )


def _is_called_wrong(text: str, segment: Segment, ordered: Sequence[Mention], i: int, denials: Sequence[Cue]) -> bool:
    """Check whether a mention is called wrong in the clause that follows it, before anything affirms it."""
    mention = ordered[i]
    end = mention.end
    restated = next((m for m in ordered[i + 1 :] if m.option == mention.option and m.start - end <= 4), None)
    if restated is not None:
        end = restated.end
    others = [m.start for m in ordered[i + 1 :] if m.option != mention.option and m.start >= end]
    following = min(others, default=segment.end)
    bracketed = False
    begin = _end_of(_SIGNS, text, end)
    clause = _CLAUSE.search(text, begin, min(segment.end, begin + CLAUSE_BEHIND_CHARS))
    if clause and clause.start() - begin <= 1 and clause[0] == "(":
        bracketed = True
        begin = _end_of(_BRACKET, text, clause.start())
        clause = _CLAUSE.search(text, begin, min(segment.end, begin + CLAUSE_BEHIND_CHARS))
    elif clause and clause.start() - begin <= 1 and mention.label:
        clause = _CLAUSE.search(text, clause.end(), min(segment.end, begin + CLAUSE_BEHIND_CHARS))
    stop = min(following, clause.start() if clause else segment.end)
    reach = MAX_LABEL_DENIAL_GAP if mention.label else MAX_DENIAL_GAP
    before = {(c.start, c.end) for c in segment.having("negate")}
    denied = next(
        (
            c.start
            for c in denials
            if begin <= c.start < stop
            and c.start - begin <= reach
            and not (bracketed and 0 <= following - c.end <= 3)  # "B (not A)" denies what follows
            and not ((c.start, c.end) in before and following - c.end <= 2)  # "B not A" too
        ),
        None,
    )
    affirmed = next((c.start for c in segment.having("affirm") if begin <= c.start < stop), None)
    return denied is not None and (affirmed is None or denied <= affirmed)


def _end_of(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _is_tentative(text: str, segment: Segment, mention: Mention) -> bool:
    """Check whether a mention is a first impression: "at first glance A"."""
    corrections = segment.having("correct")
    return any(
        segment.start <= c.start < mention.start
        and not _CLAUSE.search(text, c.end, mention.start)
        and not any(k.end <= c.start for k in corrections)  # "I take back my first impression"
        for c in segment.having("tentative")
    )


MAX_OPENING_CHARS = 12
"""Characters in front of "followed by" that opens a sentence, at most."""


@lru_cache(maxsize=16_384)
def asks_for_first(question: str, language: Languages) -> bool:
    """Check whether a question asks for the first of a ranking.

    Args:
        question: of an item.
        language: in which it is written.

    Returns:
        True for "which is the largest", "which appears first"; False where it asks for the last or the second.
    """
    words = words_of(question)
    cues = language.cues_of(words, question)
    places = {int(c.role) for c in language.ordinals.find(words, question)}
    first = 1 in places or any(c.role == "superlative" for c in cues)
    return first and places <= {1} and not any(c.role == "last" for c in cues)


def behind_first(text: str, segment: Segment, mentions: Sequence[Mention]) -> list[Mention]:
    """Mark the options as denied that follow the first of a ranking.

    Args:
        text: without markup.
        segment: that contains them.
        mentions: of options, in order.

    Returns:
        The mentions, each behind "followed by" denied where another precedes it or nothing does.
    """
    by_text = [m for m in mentions if m.by == "text"]
    cues = [c for c in segment.having("followed") if not is_inside(c, by_text) and not is_in_longer(c, segment.cues)]
    for cue in cues:
        before = options_in([m for m in mentions if m.end <= cue.start and not m.negated and not m.weak])
        behind = [m for m in mentions if m.start >= cue.end]
        opens = len(text[segment.start : cue.start].strip()) <= MAX_OPENING_CHARS
        if behind and (len(before) == 1 or (opens and not before)):
            start = behind[0].start
            return [replace(m, negated=m.negated or (m.start >= start and m.option not in before)) for m in mentions]
    return list(mentions)
