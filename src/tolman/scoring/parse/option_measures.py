"""Options that have measures or are numbers.

If every option has a measure, the question says which end of them wins. Where the options are numbers or ranges,
"2.4 m" or "four", a response may give the number for the letter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tolman.items import LETTERS
from tolman.scoring.parse.amounts import number_commitments
from tolman.scoring.parse.asked import Asked, opposite
from tolman.scoring.parse.commitments import ALONE, CONCLUDED, DECLARED, JUDGED, SEVERAL, STATED, Commitment, standing
from tolman.scoring.parse.lexicon import Languages, is_inside, same_word, words_of
from tolman.scoring.parse.option_comparisons import NEITHER
from tolman.scoring.parse.option_lines import OptionLine
from tolman.scoring.parse.option_mentions import Mention, options_in
from tolman.scoring.parse.option_texts import OptionTexts, ranges_of, values_of
from tolman.scoring.parse.quantities import clock_times, quantities, scale_of
from tolman.scoring.parse.response_segments import Segment
from tolman.scoring.parse.units import Quantity, unit_after

_END = re.compile(r"[.;:!?\n]")


@dataclass(frozen=True, slots=True)
class _Measure:
    """A measure that a response gives for an option.

    Attributes:
        option: its place.
        value: in metres or square metres, or as it is written.
        kind: 'length', 'area', or empty for a plain number.
        start, end: where.
        column: of a table, from 1; 0 outside of tables.
        factor: of its unit, to metres or square metres.
    """

    option: int
    value: Fraction
    kind: str
    start: int
    end: int
    column: int
    factor: Fraction = Fraction(1)


_DIGITS = re.compile(r"[0-9]+|\b(?:half|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b", re.IGNORECASE)
_DURATION = re.compile(r"\b(?:time|duration|minutes|seconds)\b", re.IGNORECASE)
MAX_MEASURED_LINES = 80
"""Lines in which measures are looked for, at most."""
_SEPARATING = re.compile(r"\|[\s:|-]+\|?\s*\Z")


def measured(lines: Sequence[OptionLine], text: str, options: OptionTexts, asked: Asked) -> list[Commitment]:
    """Find the option whose measure wins, where the question asks for an end: the largest, the nearest.

    Args:
        lines: of the response, with the options that they name.
        text: without markup.
        options: of the item.
        asked: by the item.

    Returns:
        A commitment to the option whose measure a sentence calls the one that is asked for ("the longest is the one at
        2.4 m"); else to the option with the extreme measure, where each has one, no two are equal, and the response
        names no other behind them.
    """
    larger = asked.larger()
    judged = any(concepts & {"yes", "no"} for concepts in options.concepts)
    compared = [i for i, option in enumerate(options.texts) if not NEITHER.search(option)]
    few = len(_DIGITS.findall(text)) < len(compared) or len(compared) < 2
    if larger is None or judged or few or len(lines) > MAX_MEASURED_LINES:
        return []
    if not _names_all(lines, options, compared):
        return []
    found, free = _measures(lines, text, options, asked)
    if asked.timed:
        found = [m for m in found if m.kind == "time" or (not m.kind and MIN_YEAR <= m.value <= MAX_YEAR)]
    found = [m for m in found if m.option in compared]
    if len({m.option for m in found}) < len(compared):
        return []
    called = _called(free, found, text, asked)
    if called:
        return called
    end = max(m.end for m in found)
    concluded = {m.option for line in lines if line.segment.start >= end for m in line.affirmed if not m.weak}
    best = _extreme(found, text, compared, asked, larger)
    return [
        c
        for c in best
        if not concluded or (len(concluded) > 1 and c.value) or c.value in {LETTERS[i] for i in concluded}
    ]


def _names_all(lines: Sequence[OptionLine], options: OptionTexts, compared: Sequence[int]) -> bool:
    """Check whether a response names each option, if only by one of its words."""
    named = options_in([m for line in lines for m in line.mentions])
    words = {w.folded for line in lines for w in line.segment.words if not w.folded.isdecimal()}
    return all(i in named or any(same_word(w, k) for w in words for k in options.keys[i]) for i in compared)


def _measures(
    lines: Sequence[OptionLine], text: str, options: OptionTexts, asked: Asked
) -> tuple[list[_Measure], list[tuple[Segment, list[Quantity]]]]:
    """The measures of options, and the quantities of sentences that name no option."""
    found: list[_Measure] = []
    free: list[tuple[Segment, list[Quantity]]] = []
    header = ""
    heads: dict[int, Mention] = {}
    rated = {pole[:-1] for pole in asked.poles}.isdisjoint(
        ("distance", "height", "length", "width", "thickness", "depth")
    ) or bool(_DURATION.search(asked.question))
    current = -1
    end = 0
    for line in lines:
        segment = line.segment
        part = text[segment.start : segment.end]
        if not _DIGITS.search(part) and not part.lstrip().startswith("|"):
            current, end = _without_digits(line, text, current, end)
            continue
        mentions = _named(line, options)
        said = _quantities(segment, text, mentions)
        said = [q for q in said if not q.weak and (q.kind != "foreign" or rated)]
        said += clock_times(text, segment.start, segment.end) if asked.timed else []
        if part.lstrip().startswith("|"):
            if not said and not _SEPARATING.match(part):
                header = part
                heads = {text.count("|", segment.start, m.start): m for m in mentions if not m.weak}
                heads = heads if len(options_in(list(heads.values()))) == len(heads) > 1 else {}
            row = _under_heads(said, heads, segment, text)
            found += row or _of_row(said, mentions, segment, text, header)
            continue
        said = [q for q in said if not q.operand and not q.note]
        if "\n\n" in text[end : segment.start]:
            current = -1
        end = segment.end
        if mentions:
            kept = current if options_in(mentions) == {current} else -1
            current = mentions[0].option if _heads(mentions, segment) else kept
            outside = [q for q in said if not any(m.start <= q.start < m.end for m in mentions)]  # "box 1"
            found += [_measure(_owner(q, mentions, text), q, text) for q in outside]
            continue
        if current >= 0 and not segment.having("superlative", "total", *(("conclude",) if segment.line_start else ())):
            found += [_measure(current, q, text) for q in said]
        free.append((segment, said))
    return _with_common_unit([m for m in found if m.option >= 0], text), [(s, qs) for s, qs in free if qs]


def _quantities(segment: Segment, text: str, mentions: Sequence[Mention]) -> list[Quantity]:
    """The quantities of a line outside of its options' names: not the first number of "robot 1 – 7.2 m"."""
    words = [w for w in segment.words if not is_inside(w, mentions)]
    for m in mentions:
        if _DIGIT.search(text, m.start, m.end):
            text = text[: m.start] + " " * (m.end - m.start) + text[m.end :]
    said = quantities(text, words, segment.cues, segment.start, segment.end, segment.language)
    return [q for q in said if not q.label or _SET_OFF.search(text, segment.start, q.start)]


_DIGIT = re.compile("[0-9]")
_SET_OFF = re.compile(r"[:|=–—][ *_`]*\Z")
"""In front of the measure of what a line names: "dining room: 6"."""


def _without_digits(line: OptionLine, text: str, current: int, end: int) -> tuple[int, int]:
    """Which option the lines behind one without digits are about, and where it ends."""
    mentions = [m for m in line.mentions if m.option >= 0]
    if mentions:
        current = mentions[0].option if _heads(mentions, line.segment) else -1
    elif "\n\n" in text[end : line.segment.start]:
        current = -1
    return current, line.segment.end


def _named(line: OptionLine, options: OptionTexts) -> list[Mention]:
    """Return the options that a line names, also by the words alone that distinguish them from the others."""
    found = [m for m in line.mentions if m.option >= 0 and (m.by == "text" or m.marked or m.label)]
    for option, words in enumerate(options.keys):
        key = words - _PLACING
        hits = [w for w in line.segment.words if any(same_word(w.folded, k) for k in key)]
        if option in options_in(found) or len({w.folded for w in hits}) < max(1, len(key)):
            continue
        found.append(Mention(option, hits[0].start, hits[-1].end, "text", weak=True))
    return sorted(found, key=lambda m: m.start)


_PLACING = frozenset(("over", "under", "near", "beside", "behind", "above", "below", "through", "past", "via", "along"))
"""Words of an option that its measures leave out: "table lamp" for the lamp over the table."""


def _heads(mentions: Sequence[Mention], segment: Segment) -> bool:
    """Check whether a line begins with the only option that it names, so that the next lines are about it too."""
    before = [w for w in segment.words if w.end <= mentions[0].start]
    return segment.line_start and len(options_in(mentions)) == 1 and len(before) <= 1


def _measure(option: int, quantity: Quantity, text: str, column: int = 0) -> _Measure:
    kind, factor = quantity.kind, quantity.factor
    if kind == "foreign":
        kind, factor = scale_of(quantity, text)
    return _Measure(option, quantity.value * factor, kind, quantity.start, quantity.end, column, factor)


MIN_YEAR, MAX_YEAR = 1000, 2100
"""Numbers without a unit that may be years."""


_COUNTS = re.compile(r"[ ](?!(?:and|but|while)\b)[a-z]", re.IGNORECASE)


def _with_common_unit(found: Sequence[_Measure], text: str) -> list[_Measure]:
    """Give measures without a unit the only unit of the others: "14 m², the kitchen 18"."""
    units = {(m.kind, m.factor) for m in found if m.kind}
    if len(units) != 1:
        return list(found)
    ((kind, factor),) = units
    bare = [not m.kind and not m.column and not _COUNTS.match(text, m.end) for m in found]  # not "2 windows"
    return [replace(m, kind=kind, value=m.value * factor) if b else m for m, b in zip(found, bare, strict=True)]


def _owner(quantity: Quantity, mentions: Sequence[Mention], text: str) -> int:
    """The option that a quantity in a sentence measures: the last in front of it, else the first behind."""
    following = next((m for m in mentions if m.start >= quantity.end), None)
    if following is not None and _FOR.fullmatch(text, quantity.end, following.start):
        return following.option
    before = [m for m in mentions if m.end <= quantity.start]
    if before:
        return before[-1].option
    behind = [m for m in mentions if m.start >= quantity.end and not _END.search(text[quantity.end : m.start])]
    return behind[0].option if behind else -1


_FOR = re.compile(r"[ ]for[ ](?:the[ ])?", re.IGNORECASE)


def _of_row(
    said: Sequence[Quantity], mentions: Sequence[Mention], segment: Segment, text: str, header: str
) -> list[_Measure]:
    """The measures in the row of a table; a header gives the units that cells leave out."""
    if len(options_in(mentions)) != 1:
        return []
    found = []
    cells = header.strip().strip("|").split("|")
    option = mentions[0].option
    for quantity in said:
        if any(m.start <= quantity.start < m.end for m in mentions):
            continue
        column = text.count("|", segment.start, quantity.start)
        measure = _measure(option, quantity, text, column)
        if not quantity.kind and 0 < column <= len(cells):
            unit = _header_unit(cells[column - 1], segment)
            if unit is not None:
                measure = replace(measure, kind=unit[0], value=quantity.value * unit[1])
        found.append(measure)
    return found


def _under_heads(said: Sequence[Quantity], heads: Mapping[int, Mention], segment: Segment, text: str) -> list[_Measure]:
    """The measures in a row of a table whose columns are the options, with the unit that the row's first cell gives."""
    unit = _header_unit(text[segment.start : segment.end].strip().strip("|").split("|")[0], segment)
    found = []
    for quantity in said:
        column = text.count("|", segment.start, quantity.start)
        if column in heads:
            measure = replace(_measure(heads[column].option, quantity, text), start=heads[column].start)
            by_row = unit is not None and not quantity.kind
            found.append(replace(measure, kind=unit[0], value=quantity.value * unit[1]) if by_row and unit else measure)
    return found


def _header_unit(cell: str, segment: Segment) -> tuple[str, Fraction] | None:
    """The unit that the head of a column names: "Height (cm)"."""
    match = re.search(r"[(\[]\s*([^()\[\]]{1,12}?)\s*[)\]]", cell) or re.search(r",\s*(\S{1,12})\s*\Z", cell)
    unit = unit_after(match[1], 0, segment.language) if match else None
    return (unit[0], unit[1]) if unit and unit[0] in ("length", "area") else None


def _called(
    free: Sequence[tuple[Segment, Sequence[Quantity]]], found: Sequence[_Measure], text: str, asked: Asked
) -> list[Commitment]:
    """Return the option whose measure the last sentence gives that calls it the one asked for."""
    for segment, said in reversed(free):
        poles = {c.role for c in segment.language.opposites.find(segment.words, text)}
        claims = segment.having("conclude", "superlative", "generic", "choose") or poles & asked.poles
        turned = any(opposite(pole) in poles for pole in asked.poles) and not poles & asked.poles
        denied = any(text[c.start : c.end].casefold() != "than" for c in segment.having("negate"))
        ordinals = {c.role for c in segment.language.ordinals.find(segment.words, text)}
        if not claims or turned or denied or (asked.rank > 1 and str(asked.rank) not in ordinals):
            continue
        votes: dict[int, int] = {}
        for q in said:
            same = [m for m in found if _is_same(m, q, text) and not segment.start <= m.start < segment.end]
            owners = {m.option for m in same if m.kind and q.kind} or {m.option for m in same}
            if len(owners) == 1:
                option = owners.pop()
                votes[option] = votes.get(option, 0) + 1
        if len(votes) == 1:
            ((option, _),) = votes.items()
            return [Commitment(LETTERS[option], CONCLUDED, said[0].start, said[-1].end, "measured")]
    return []


def _is_same(measure: _Measure, quantity: Quantity, text: str) -> bool:
    """Check whether a quantity repeats a measure; either may lack its unit."""
    if measure.kind and quantity.kind:
        kind, factor = (quantity.kind, quantity.factor) if quantity.kind != "foreign" else scale_of(quantity, text)
        return measure.kind == kind and measure.value == quantity.value * factor
    return measure.value in (quantity.value, quantity.value * measure.factor)


def _extreme(
    found: Sequence[_Measure], text: str, compared: Sequence[int], asked: Asked, larger: bool
) -> list[Commitment]:
    """Return the option with the extreme measure, where each has one of the same kind and the winner is alone."""
    main = _main_measures(found, text, compared, asked)
    if len(main) < len(compared) or len({m.kind for m in main}) > 1:
        return []
    if main[0].kind == "time" and any(pole[:-1] == "speed" for pole in asked.poles):
        larger = not larger  # the fastest takes the shortest time
    ranked = sorted(main, key=lambda m: m.value, reverse=larger)[: asked.rank + 1]
    if len(ranked) < asked.rank:
        return []
    best = ranked[asked.rank - 1]
    if len({m.value for m in ranked}) < len(ranked):
        return [Commitment(None, CONCLUDED, best.start, best.end, "measured", SEVERAL)]
    return [Commitment(LETTERS[best.option], CONCLUDED, best.start, best.end, "measured")]


def _main_measures(found: Sequence[_Measure], text: str, compared: Sequence[int], asked: Asked) -> list[_Measure]:
    """One measure of each option: of the column that the question asks for, or the only one outside of tables."""
    columns = {m.column for m in found if m.column}
    if not columns:
        single = [[m for m in found if m.option == option] for option in compared]
        return [own[0] for own in single if len({m.value for m in own}) == 1]
    best: list[_Measure] = []
    matched = -1
    for column in sorted(columns):
        own = [m for m in found if m.column == column]
        if len(own) != len(compared) or len({m.option for m in own}) < len(compared):
            continue
        score = _header_score(text, own[0].start, column, asked)
        if score > matched:
            best, matched = own, score
        elif score == matched and not score:
            best = []  # no telling which of two columns is asked for
    return best


def _header_score(text: str, place: int, column: int, asked: Asked) -> int:
    """How well the head of a table's column fits the question."""
    start = text.rfind("\n\n", 0, place) + 1
    table = [line for line in text[start:place].split("\n") if line.lstrip().startswith("|")]
    cells = table[0].strip().strip("|").split("|") if table else []
    if column > len(cells):
        return 0
    words = [w.folded for w in words_of(cells[column - 1])]
    qualities = {pole[:-1] for pole in asked.poles}
    named = any(_QUALITY_NAMES.get(w, w) in qualities for w in words)
    return 2 * named + any(same_word(w, a) for w in words if len(w) > 2 for a in asked.words)


_QUALITY_NAMES = {
    "area": "size", "volume": "size", "tall": "height", "far": "distance", "long": "length", "side": "length",
}  # fmt: skip
"""Words at the head of a column that name a quality."""


MAX_VALUE_DIFFERENCE = Fraction(1, 500)
"""Share by which a number may differ from the value of its option."""

_STRENGTHS = {DECLARED: DECLARED, ALONE: ALONE, CONCLUDED: CONCLUDED, JUDGED: STATED, STATED: STATED}
"""Strength of an option's value by the strength of the number."""


def by_value(
    text: str, options: tuple[str, ...], language: Languages, option_language: Languages, question: str
) -> list[Commitment]:
    """Find the commitments of a text to the value of an option.

    Args:
        text: without markup.
        options: the options' texts.
        language: of the text.
        option_language: of the options.
        question: of the item.

    Returns:
        The commitments in order; empty where the options are no numbers.
    """
    known = values_of(options, option_language)
    if known is None:
        return []
    values, unit = known
    result = []
    for commitment in number_commitments(text, unit, question, language):
        number = commitment.value
        if not isinstance(number, Fraction):
            continue
        near = [i for i, value in enumerate(values) if abs(value - number) <= MAX_VALUE_DIFFERENCE * abs(value)]
        if len(near) == 1:
            result.append(
                replace(commitment, value=LETTERS[near[0]], strength=_STRENGTHS[commitment.strength], rule="value")
            )
    return result


def by_range(
    text: str, options: tuple[str, ...], language: Languages, option_language: Languages, question: str
) -> list[Commitment]:
    """Find the option whose range holds the number that a text commits itself to.

    Args:
        text: without markup.
        options: the options' texts.
        language: of the text.
        option_language: of the options.
        question: of the item.

    Returns:
        At most one commitment; none where the number is the end of two ranges.
    """
    known = ranges_of(options, option_language)
    number = standing(number_commitments(text, known[1], question, language)) if known else None
    if known is None or number is None or not isinstance(number.value, Fraction):
        return []
    holding = [i for i, (low, high) in enumerate(known[0]) if low <= number.value <= high]
    if len(holding) != 1:
        return []
    return [replace(number, value=LETTERS[holding[0]], strength=_STRENGTHS[number.strength], rule="value")]
