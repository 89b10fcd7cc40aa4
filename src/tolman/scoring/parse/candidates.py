"""Values that a response could mean, each with every place that names it and every commitment to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tolman.items import LETTERS, Unit
from tolman.scoring.parse.closeness import Closeness, closeness
from tolman.scoring.parse.commitments import Commitment
from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.number_lines import NumberLine
from tolman.scoring.parse.option_lines import OptionLine
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.words import both_ends

MAX_CANDIDATES = 12
"""Values that are weighed, a quarter of them the first that are named."""

TextLines = Sequence[OptionLine | NumberLine]


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """Where a response names a value.

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
        sentence: where the sentence stands that is closest to it.
    """

    value: str | Fraction
    places: list[NamedPlace] = field(default_factory=list)
    commitments: list[Commitment] = field(default_factory=list)
    near: Closeness | None = None
    sentence: tuple[int, int] = (0, 0)

    @property
    def named(self) -> bool:
        """Whether the response names it; otherwise it may be said in other words."""
        return bool(self.places or self.commitments)

    @property
    def best(self) -> NamedPlace | None:
        """The last place that nothing speaks against, or the last of all."""
        plain = [place for place in self.places if place.plain] or self.places
        return plain[-1] if plain else None

    @property
    def span(self) -> tuple[int, int]:
        """Where it is read: the strongest commitment that comes last, else the best place."""
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
