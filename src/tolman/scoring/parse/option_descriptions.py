"""Options that a response describes without naming them: "the room with the tub" for a bathroom.

The language files know by which parts, uses and looks things are described (`[described]`). A description counts only
where no option is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tolman.items import LETTERS
from tolman.scoring.parse.asked import Asked, opposite
from tolman.scoring.parse.commitments import STATED, Commitment
from tolman.scoring.parse.lexicon import Cue, Languages, is_inside, longest, names_same, same_word, words_of
from tolman.scoring.parse.option_lines import OptionLine
from tolman.scoring.parse.option_texts import OptionTexts
from tolman.scoring.parse.response_segments import is_counterfactual, is_supposed

MAX_DENIAL_GAP = 40
"""Characters between a denial and the description that it denies, at most."""
MAX_DESCRIBED_LINES = 12
"""Sentences of a response in which descriptions are looked for, at most."""


def described(lines: Sequence[OptionLine], text: str, options: OptionTexts, asked: Asked) -> list[Commitment]:
    """Find the one option that a response describes, in the sentences that repeat most words of the question.

    Args:
        lines: of the response.
        text: without markup.
        options: of the item.
        asked: by the item.

    Returns:
        At most one commitment; none where two options are described equally well.
    """
    if len(lines) > MAX_DESCRIBED_LINES or any(line.segment.having("unknown", "none_of") for line in lines):
        return []
    found: list[tuple[int, dict[int, list[Cue]]]] = []
    for line in lines:
        segment = line.segment
        if line.question or line.listing or is_supposed(segment, text) or is_counterfactual(segment, text):
            continue
        poles = {c.role for c in segment.language.opposites.find(segment.words, text)}
        if not poles & asked.poles and any(opposite(pole) in asked.poles for pole in poles):
            continue
        cues = _descriptions(line, text)
        names = _things(options, segment.language)
        hits = {i: own for i, roles in enumerate(names) if (own := [c for c in cues if c.role in roles])}
        shared = sum(any(same_word(w.folded, a) for w in segment.words) for a in asked.words)
        if hits:
            found.append((shared, hits))
    best = max((shared for shared, _ in found), default=0)
    votes: dict[int, list[Cue]] = {}
    for shared, hits in found:
        for option, cues in hits.items() if shared == best else ():
            votes.setdefault(option, []).extend(cues)
    if not votes:
        return []
    weights = sorted(((len({(c.start, c.end) for c in cues}), i) for i, cues in votes.items()), reverse=True)
    if len(weights) > 1 and weights[0][0] == weights[1][0]:
        return []
    option = weights[0][1]
    return [Commitment(LETTERS[option], STATED, votes[option][0].start, votes[option][-1].end, "described")]


def _descriptions(line: OptionLine, text: str) -> list[Cue]:
    """The descriptions in a line that are no part of an option's name, and that nothing in front of them denies."""
    segment = line.segment
    denials = segment.having("negate", "deny", "absent")
    return [
        c
        for c in longest(segment.language.described.find(segment.words, text))
        if not is_inside(c, line.mentions)
        and not any(
            0 <= c.start - d.end <= MAX_DENIAL_GAP and not set(text[d.end : c.start]) & set(",;:") for d in denials
        )
    ]


@lru_cache(maxsize=16_384)
def _things(options: OptionTexts, language: Languages) -> list[frozenset[str]]:
    """Return for each option the things that its own words name, as the language files know them."""
    found = []
    for option, key in zip(options.texts, options.keys, strict=True):
        words = [w.folded for w in words_of(option)]
        found.append(frozenset(role for role in language.things if _names(words, key, role)))
    return found


def _names(words: Sequence[str], key: frozenset[str], role: str) -> bool:
    """Check whether an option's words hold one of a thing's names, and a word of it is the option's own."""
    for name in role.split("/"):
        parts = [w.folded for w in words_of(name)]
        if all(any(names_same(p, w) for w in words) for p in parts) and any(
            names_same(p, k) for p in parts for k in key
        ):
            return True
    return False
