"""Candidates: values that a response could mean, with the places that name each and the commitments to it.

For options in other words, sentences are compared with the options by shared stems, syllables, numbers and concepts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from tolman.items import LETTERS, Unit
from tolman.scoring.parse.commitments import Commitment
from tolman.scoring.parse.lexicon import Languages, Word, both_ends, is_glued, words_of
from tolman.scoring.parse.number_lines import NumberLine
from tolman.scoring.parse.option_lines import OptionLine
from tolman.scoring.parse.option_texts import DENYING, option_texts
from tolman.scoring.parse.response_segments import Segment

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
    """Closeness of a response to an option; shares of the tokens that distinguish the option from the others.

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
    """Return the tokens by which a part of a text is compared."""
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
    """Find the tokens that distinguish each option from the others.

    Args:
        options: their texts.
        language: in which they are written.

    Returns:
        For each its tokens with their weights, which sum to 1; empty for an option that nothing distinguishes.
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
        The closeness of each option, by its place; without options that no sentence mentions.
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
    denies = any(segment.having(*DENYING) for segment in segments)
    denying = frozenset[int]() if denies else option_texts(options, language).denying
    result = {}
    for option in sorted(set(range(len(options))) - denying):
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


MAX_CANDIDATES = 12
"""Values that are weighed, a quarter of them the first that are named."""

TextLines = Sequence[OptionLine | NumberLine]


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A place where a response names a value.

    Attributes:
        start, end: where.
        line: number of the sentence or line.
        plain: nothing speaks against it: not denied, not weak, no part of a calculation, no premise, no range.
        text: an option in words.
        marked: a letter that is set off, a number with a unit.
        heads: a letter that heads its line, a number behind an equals sign.
        denied: said not to be the answer, or a part of a calculation.
        weak: a letter or numeral that may be another word.
    """

    start: int
    end: int
    line: int
    plain: bool
    text: bool
    marked: bool
    heads: bool
    denied: bool
    weak: bool


@dataclass(slots=True)
class NamedValue:
    """A value that a response names.

    Attributes:
        value: a letter, or a number in the item's unit.
        places: that name it, in order.
        commitments: to it, in order.
        near: how close the response is to the text of the option; None for a number.
        sentence: position of the sentence that is closest to it.
    """

    value: str | Fraction
    places: list[NamedPlace] = field(default_factory=list)
    commitments: list[Commitment] = field(default_factory=list)
    near: Closeness | None = None
    sentence: tuple[int, int] = (0, 0)

    @property
    def named(self) -> bool:
        """Check whether the response names it; otherwise it may be said in other words."""
        return bool(self.places or self.commitments)

    @property
    def best(self) -> NamedPlace | None:
        """The last place that nothing speaks against, or the last of all."""
        plain = [place for place in self.places if place.plain] or self.places
        return plain[-1] if plain else None

    @property
    def span(self) -> tuple[int, int]:
        """Return where it is read: the strongest commitment that comes last, else the best place."""
        if self.commitments:
            plainest = max(self.commitments, key=lambda c: (c.strength, c.start))
            return plainest.start, plainest.end
        best = self.best
        return (best.start, best.end) if best is not None else self.sentence


def candidates(lines: TextLines, commitments: Sequence[Commitment], unit: Unit | None) -> list[NamedValue]:
    """Collect the values that a response names or commits itself to.

    Args:
        lines: of the response.
        commitments: of the response, in order.
        unit: of the item, for numbers.

    Returns:
        At most `MAX_CANDIDATES`, in the order in which they are first named.
    """
    found: dict[str | Fraction, NamedValue] = {}
    for i, line in enumerate(lines):
        for value, place in _places(line, i, unit):
            found.setdefault(value, NamedValue(value)).places.append(place)
    for commitment in commitments:
        if commitment.value is not None:
            found.setdefault(commitment.value, NamedValue(commitment.value)).commitments.append(commitment)
    return both_ends(list(found.values()), MAX_CANDIDATES)


def with_close(
    found: Sequence[NamedValue], text: str, lines: TextLines, options: tuple[str, ...], language: Languages
) -> list[NamedValue]:
    """Add the options that a response may name in other words, and how close it is to each.

    Args:
        found: the candidates that it names.
        text: without markup.
        lines: of it.
        options: the options' texts.
        language: in which they are written.

    Returns:
        The candidates with those added.
    """
    segments = segments_of(lines)
    by_value = {c.value: c for c in found}
    for option, near in closeness(text, segments, options, language).items():
        candidate = by_value.setdefault(LETTERS[option], NamedValue(LETTERS[option]))
        candidate.near = near
        segment = segments[near.line]
        part = text[segment.start : segment.end]
        begin = segment.start + len(part) - len(part.lstrip())
        candidate.sentence = begin, begin + len(part.strip())
    return list(by_value.values())


def _places(line: OptionLine | NumberLine, i: int, unit: Unit | None) -> list[tuple[str | Fraction, NamedPlace]]:
    """The values that a line names."""
    places: list[tuple[str | Fraction, NamedPlace]] = []
    if isinstance(line, OptionLine):
        for m in line.mentions:
            if m.option >= 0:
                plain = not (m.negated or m.weak)
                by_text = m.by == "text"
                place = NamedPlace(m.start, m.end, i, plain, by_text, m.marked, m.label, m.negated, m.weak)
                places.append((LETTERS[m.option], place))
        return places
    for q in line.found:
        value = q.in_unit(unit)
        if value is not None:
            denied = q.operand or q.premise
            plain = not (denied or q.weak or q.aside or q.note)
            place = NamedPlace(q.start, q.end, i, plain, False, bool(q.kind), q.result, denied, q.weak or bool(q.note))
            places.append((value, place))
    return places


def segments_of(lines: TextLines) -> list[Segment]:
    """List the segments of some lines.

    Args:
        lines: of a response.

    Returns:
        The segment of each.
    """
    return [line.segment for line in lines]
