"""Denials of mentioned options: "not A", "B is wrong"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tolman.scoring.parse.lexicon import Cue, is_in_longer
from tolman.scoring.parse.mentions import Mention
from tolman.scoring.parse.plain import fold
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.words import is_inside

CLAUSE_BEFORE_CHARS = 80
"""Characters before a mention in which its clause may begin."""
CLAUSE_BEHIND_CHARS = 120
"""Characters behind a mention in which its clause may end."""
MAX_DENIAL_GAP = 24
"""Characters between a mention and the word that denies it, at most."""
MAX_LABEL_DENIAL_GAP = 40
"""Characters between a mention that heads its line and the word that denies it, at most."""

_CLAUSE = re.compile(r"[,;:()\n—–]|[。、；：]|\b(?:but|while|whereas|pero|mais|sondern|aber|mas|но|а)\b")
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
    """Tell which mentions are denied.

    Args:
        text: without markup.
        segment: in which the mentions stand.
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
        )
        if not negated and result and result[-1].negated and result[-1].option != mention.option:
            negated = text[result[-1].end : mention.start].strip(" *_`'\"(),").casefold() in _NOR
        result.append(replace(mention, negated=negated))
    return result


def _negations(text: str, segment: Segment) -> list[Cue]:
    """The words of a segment that deny what follows; "que" only behind a superlative or comparative."""
    superlatives = segment.having("superlative")
    return [
        c
        for c in segment.having("negate", "compare_to")
        if c.role == "negate" or fold(text[c.start : c.end]) != "que" or any(s.start < c.start for s in superlatives)
    ]


def _is_negated(text: str, segment: Segment, ordered: Sequence[Mention], i: int, negations: Sequence[Cue]) -> bool:
    """Whether a denying word stands before a mention, in its clause and behind the mention of another option."""
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
    """Whether a mention is called wrong in the clause that follows it, before anything affirms it."""
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
    """Whether a mention is a first impression: "at first glance A"."""
    corrections = segment.having("correct")
    return any(
        segment.start <= c.start < mention.start
        and not _CLAUSE.search(text, c.end, mention.start)
        and not any(k.end <= c.start for k in corrections)  # "I take back my first impression"
        for c in segment.having("tentative")
    )
