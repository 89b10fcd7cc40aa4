"""How close the sentences of a response are to the options: shared stems, syllables, numbers and concepts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.words import Word, is_glued, words_of

MAX_OPTIONS = 12
"""Options of an item that are compared, at most."""
MAX_LINES = 24
"""Sentences at the end that are compared, and the first."""
STEM_CHARS = 5
"""Letters by which a word is compared."""

_ARABIC_FRONT = re.compile(r"\A[وفبلك]?(?:ال|لل)?(?=[\u0600-\u06ff]{3})")
_KANJI = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Closeness:
    """How close a response is to an option; shares of what tells the option from the others.

    Attributes:
        line: number of the closest sentence, the last of several.
        best: share in that sentence.
        lead: by how much it is more than the share of any other option there.
        last, last_lead: the same in the last sentence.
        first, first_lead: the same in the first sentence.
        whole, whole_lead: the same in all sentences together.
    """

    line: int
    best: float
    lead: float
    last: float
    last_lead: float
    first: float
    first_lead: float
    whole: float
    whole_lead: float


def _tokens(text: str, words: Sequence[Word], language: Languages) -> set[str]:
    """What a part of a text is compared by."""
    found: set[str] = set()
    for i, word in enumerate(words):
        folded = word.folded
        if is_glued(folded[0]):
            if _KANJI.match(folded):
                found.add(folded)
            if i + 1 < len(words) and words[i + 1].start == word.end and is_glued(words[i + 1].folded[0]):
                found.add(folded + words[i + 1].folded)
        elif folded[0].isdecimal():
            found.add(f"number {folded}")
        elif folded not in language.skip:
            found.add(_ARABIC_FRONT.sub("", folded)[:STEM_CHARS])
    found.update(f"number {cue.role}" for cue in language.numerals.find(words, text))
    return found


@lru_cache(maxsize=16_384)
def option_tokens(options: tuple[str, ...], language: Languages) -> tuple[dict[str, float], ...]:
    """Find what tells each option from the others.

    Args:
        options: their texts.
        language: in which they are written.

    Returns:
        For each its tokens with their weights, which sum to 1; empty for an option that nothing tells from the others.
    """
    bags = []
    for option in options:
        words = words_of(option)
        concepts = {f"concept {cue.role}" for cue in language.concepts.find(words, option)}
        bags.append(_tokens(option, words, language) | concepts)
    weighted = []
    for bag in bags:
        shared = {t: sum(t in other for other in bags) for t in sorted(bag)}
        raw = {t: 1 / n for t, n in shared.items() if n < len(bags)}
        total = sum(raw.values())
        weighted.append({t: w / total for t, w in raw.items()})
    return tuple(weighted)


def closeness(
    text: str, segments: Sequence[Segment], options: tuple[str, ...], language: Languages
) -> dict[int, Closeness]:
    """Compare the sentences of a response with the options.

    Args:
        text: without markup.
        segments: of it.
        options: the options' texts.
        language: in which they are written.

    Returns:
        How close each option is, by its place; without options of which nothing is said.
    """
    if not segments or len(options) > MAX_OPTIONS:
        return {}
    wanted = option_tokens(options, language)
    numbers = sorted({0, *range(max(0, len(segments) - MAX_LINES), len(segments))})
    bags = []
    for i in numbers:
        segment = segments[i]
        bags.append(
            _tokens(text, segment.words, segment.language) | {f"concept {cue.role}" for cue in segment.concepts}
        )
    shares = [[sum(w for t, w in tokens.items() if t in bag) for tokens in wanted] for bag in bags]
    together = set[str]().union(*bags)
    whole = [sum(w for t, w in tokens.items() if t in together) for tokens in wanted]
    result = {}
    for option in range(len(options)):
        best, at = max((line[option], k) for k, line in enumerate(shares))
        if best <= 0:
            continue
        result[option] = Closeness(
            numbers[at],
            best,
            _lead(shares[at], option),
            shares[-1][option],
            _lead(shares[-1], option),
            shares[0][option],
            _lead(shares[0], option),
            whole[option],
            _lead(whole, option),
        )
    return result


def _lead(shares: Sequence[float], option: int) -> float:
    """By how much an option is closer than the closest other one."""
    return shares[option] - max((s for i, s in enumerate(shares) if i != option), default=0.0)
