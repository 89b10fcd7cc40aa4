"""Lines and sentences of a response with the numbers in them that could answer.

Quantities that are stated together may be restated in another unit, be pointed at, or differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from tolman.items import Unit
from tolman.scoring.parse.commitments import BOUND, RANGE, SEVERAL, Commitment
from tolman.scoring.parse.lexicon import Languages, Word, same_word, words_of
from tolman.scoring.parse.other_quantities import (
    ASSUMING,
    MEASURED,
    asks_back,
    counts_other,
    is_of_other_size,
    prefer_quality,
    set_wholes_aside,
)
from tolman.scoring.parse.quantities import mark_sums, quantities
from tolman.scoring.parse.response_segments import Segment, is_counterfactual, is_question, segments
from tolman.scoring.parse.units import Quantity

MAX_OPENING_CHARS = 12
"""Characters at the beginning of a sentence in which "if" supposes all of it."""
MAX_SMALL_COUNT = 3
"""Numbers that may be an aside where they are written in words, at most."""

_PERCENT_SIGNS = ("%", "percent", "パーセント", "퍼센트")
_PERCENT = re.compile(
    r"percent|porcentaje|percentag|pourcent|prozent|процент|%|百分|割合|퍼센트|نسبة|प्रतिशत", re.IGNORECASE
)
_BOUNDARY = re.compile(r"[,;:()\n—]|[、；：]|(?<=[^0-9])\.(?=\s)")
_PER_EACH = re.compile(
    r"[ ]*(?:each|apiece|per\b|a piece|jeweils?|je\b|cada|chacune?|каждая|каждый|each)", re.IGNORECASE
)


@dataclass(frozen=True)
class AskedQuantity:
    """The number that an item asks for.

    Attributes:
        unit: of the item; also 'count' where the item has none and the question asks how many.
        question: of the item; empty where it is not to be looked at.
        words: of the question that carry something.
        times: whether the question asks how often, as far as it is known.
        quality: words of the quality that the counted things must have: "how many doors are open".
        poles: of that quality.
    """

    unit: Unit | None
    question: str
    words: tuple[str, ...]
    times: bool
    quality: tuple[str, ...] = ()
    poles: frozenset[str] = frozenset()

    def is_about(self, words: Sequence[Word]) -> bool:
        """Check whether any of some words is in the question.

        Args:
            words: of a response.

        Returns:
            True also for another form of the word.
        """
        return any(same_word(word.folded, asked) for word in words for asked in self.words)


@lru_cache(maxsize=16_384)
def asked_for(unit: Unit | None, question: str, language: Languages) -> AskedQuantity:
    """Prepare the question of an item.

    Args:
        unit: of the item.
        question: of the item.
        language: of the response.

    Returns:
        All that the reading of numbers needs of it.
    """
    words = words_of(question)
    times = not question or any(c.role == "times asked" for c in language.asked.find(words, question))
    kept = tuple(w.folded for w in words if len(w.folded) > 2 and w.folded not in language.skip)
    if unit is None and _HOW_MANY.search(question):
        unit = "count"
    match = _QUALITY.search(question) or _DESCRIBED.search(question)
    quality = match["quality"] if match else ""
    named = words_of(quality)
    return AskedQuantity(
        unit,
        question,
        kept,
        times,
        tuple(w.folded for w in named if w.folded not in language.skip),
        frozenset(c.role for c in language.opposites.find(named, quality)),
    )


_HOW_MANY = re.compile(
    r"\bhow many (?!(?:\w+[ -])?(?:\w*met(?:er|re)s?|feet|foot|inch\w*|yards?|[cmk]?m|degrees?|minutes?|seconds?)\b)",
    re.IGNORECASE,
)
_QUALITY = re.compile(
    r"\bhow many\b(?: of (?:the|these|those) (?:\w+ ){0,2}?\w+s(?= \w)"
    r"|[^?,]*? (?:are|is|were|was|have|has|had|wears?|carry|carries|hold|holds))"
    r" (?!(?:in|on|at|by|under|behind|next|inside|there|visible|shown|seen|present|around|near|between|above|below|over"
    r"|along|to|from|of|hanging|standing|sitting|lying)\b)"
    r"(?P<quality>[^?,]+?)(?: (?:in|on|at|by|during|when|from|under|along)\b|[?,.]|\Z)",
    re.IGNORECASE,
)
"""A question for the number of things that have a quality, not for all things at a place."""
_DESCRIBED = re.compile(
    r"\bhow many (?!(?:different|distinct|other|total|more)\b)(?P<quality>\w+) \w+s (?:are|were|can|do|does|have)\b",
    re.IGNORECASE,
)


@dataclass
class NumberLine:
    """A segment with the quantities in it that could answer.

    Attributes:
        segment: the sentence or line.
        found: its quantities in a fitting unit, in order.
        question: whether it ends in a question mark.
        premise: whether all its quantities are premises.
    """

    segment: Segment
    found: list[Quantity]
    question: bool
    premise: bool

    @property
    def stated(self) -> list[Quantity]:
        """Quantities that aren't parts of a calculation, premises or asides."""
        return [q for q in self.found if not q.operand]


def number_lines(text: str, asked: AskedQuantity, language: Languages) -> list[NumberLine]:
    """Split a text into lines and sentences, and find the quantities in each with their roles.

    Args:
        text: without markup.
        asked: by the item.
        language: of the text.

    Returns:
        The lines in order.
    """
    lines = []
    heads = _numbered_heads(text)
    for segment in segments(text, language):
        found = quantities(text, segment.words, segment.cues, segment.start, segment.end, language)
        if asked.question and asked.times:
            found = [q for q in found if not q.kind]  # "once in the 30 second video"
        if asked.unit in ("count", None):
            for quantity in found:
                if quantity.kind == "foreign" and _is_unit_asked(text, quantity, asked.question):
                    quantity.kind, quantity.asked = "", True
        _multiply(found, segment, text, asked.unit)
        mark_sums(found, text)
        usable = [q for q in found if not q.label and q.end not in heads and q.in_unit(asked.unit) is not None]
        if usable and is_counterfactual(segment, text):
            edges = clause_edges(segment, text)
            usable = [q for q in usable if not _CONTRARY.search(_clause_of(q, edges, text))]
        whole = text[segment.start : segment.end]
        if _NEEDING.search(whole) or ASSUMING.fullmatch(whole) or asks_back(segment, text):
            usable = []
        usable = [
            q
            for q in usable
            if not any(rule(q, segment, text, asked) for rule in (_is_of_other_thing, is_of_other_size, counts_other))
        ]
        _set_aside(usable, segment, text)
        premise = bool(usable) and all(q.premise for q in usable)
        lines.append(NumberLine(segment, usable, is_question(segment, text), premise))
    for line in lines[1:]:
        if _BRACKETED.fullmatch(text, line.segment.start, line.segment.end) and not line.segment.having("answer"):
            for quantity in line.found:
                quantity.operand = True  # a sentence that is an aside
    prefer_quality(lines, text, asked)
    _prefer_units(lines, asked.unit)
    _prefer_digits(lines, text)
    set_wholes_aside(lines, text, asked)
    return lines


_NUMBERED_HEAD = re.compile(r"(?:^|[.;]\s)[ \t*_•-]*([^\W\d]{3,24})[ ]\d{1,2}(?=[ *_]*[:：])", re.MULTILINE)


def _numbered_heads(text: str) -> set[int]:
    """Find where the numbers end by which a list numbers its places: "Floor 1: 2 … Floor 2: 3"."""
    heads = list(_NUMBERED_HEAD.finditer(text))
    nouns = [head[1].casefold() for head in heads]
    return {head.end() for head, noun in zip(heads, nouns, strict=True) if nouns.count(noun) > 1}


_FACTOR = re.compile(
    r"\b(?:(?P<half>half)|(?P<third>a third)|(?P<quarter>a quarter)|(?P<twice>twice|double)|(?P<three>three times))"
    r"[ ](?:of[ ])?(?:as[ ]\w+[ ]as[ ])?(?:(?:the|a|that)[ ])?\Z",
    re.IGNORECASE,
)
_FACTORS = {
    "half": Fraction(1, 2),
    "third": Fraction(1, 3),
    "quarter": Fraction(1, 4),
    "twice": Fraction(2),
    "three": Fraction(3),
}


def _multiply(found: Sequence[Quantity], segment: Segment, text: str, unit: Unit | None) -> None:
    """Multiply a measure that a share or a multiple is taken of: "half of 1.8 m", "twice as tall as the 1 m table"."""
    for quantity in found if unit in MEASURED else ():
        match = _FACTOR.search(text, max(segment.start, quantity.start - MAX_FACTOR_CHARS), quantity.start)
        if match and quantity.kind and text[quantity.start].isdecimal():
            quantity.value *= _FACTORS[str(match.lastgroup)]


MAX_FACTOR_CHARS = 40
"""Characters in front of a measure in which its factor is looked for."""
_NEEDING = re.compile(r"\b(?:would|['’]d) (?:first )?(?:need|have to (?:know|see|measure|count))\b", re.IGNORECASE)
"""A sentence that says what would help to answer, not what the answer is."""


_WORD_BEHIND = re.compile(r"[ ][a-z]")


def _is_of_other_thing(quantity: Quantity, segment: Segment, text: str, asked: AskedQuantity) -> bool:
    """Check whether a "one" or "single" is said of a thing that the question doesn't name: "in a single picture"."""
    said = text[quantity.start : quantity.end].casefold()
    if not asked.question or said not in ("one", "single") or not _WORD_BEHIND.match(text, quantity.end):
        return False
    behind = [w for w in segment.words if w.start >= quantity.end][:MAX_NOUN_WORDS]
    if not behind:
        return False
    about = asked.unit not in MEASURED and (behind[0].folded in segment.language.skip or asked.is_about(behind))
    return behind[0].folded not in ("of", "and", "or", "more", "that", "is", "are", "in", "on", "at") and not about


_CONTRARY = re.compile(
    r"\b(?:would|wouldn't|could|might|if|had|were|hätte|wäre|aurait|habría|hubiera|teria)\b", re.IGNORECASE
)
"""Words of a clause that supposes what is not so."""


def _clause_of(quantity: Quantity, edges: Sequence[int], text: str) -> str:
    """Return the clause of a quantity."""
    begin = max(e for e in edges if e <= quantity.start)
    return text[begin : min((e for e in edges if e >= quantity.end), default=quantity.end)]


_SHORT_UNITS = {
    unit: rf"(?:{unit}(?!\w)|{word})"
    for unit, word in (("s", "se[ckg]"), ("m", "m[eèé]t"), ("h", "hour|heur|hor"), ("g", "gram"), ("l", "lit"))
}
"""Units of one letter → patterns of the words that they are short for: an "s" begins many words."""


def _is_unit_asked(text: str, quantity: Quantity, question: str) -> bool:
    """Check whether the question counts the unit behind a number: minutes, dollars."""
    unit = re.sub(r"^[\d.,'\s]+", "", text[quantity.start : quantity.end]).strip(" -").casefold()
    if unit in _PERCENT_SIGNS:
        return _PERCENT.search(question) is not None
    if not unit:
        return False
    begins = r"(?<![\w'’])" if unit.isascii() else ""
    if re.search(begins + _SHORT_UNITS.get(unit, re.escape(unit)), question.casefold()):
        return True
    return any(same_word(w.folded, u.folded) for w in words_of(question) for u in words_of(unit))


def clause_edges(segment: Segment, text: str) -> list[int]:
    """Find where the clauses of a segment begin and end.

    Args:
        segment: the sentence or line.
        text: that contains it.

    Returns:
        Places in the text, in order: the segment's beginning, the end of each mark between clauses, and its end.
    """
    return [segment.start, *(m.end() for m in _BOUNDARY.finditer(text, segment.start, segment.end)), segment.end]


_ALL_BUT = re.compile(r"\ball (?:but|except)\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"\b(?<!every one )(?<!each one )(?<!each )(?<!all )(?<!both )(?:of[ ](?:the|these|those)|out of)[ ]\Z",
    re.IGNORECASE,
)
"""In front of a number of things of which another number is told: "four of the five"."""
_MAX_WHOLE = len("of these ")


def _set_aside(found: Sequence[Quantity], segment: Segment, text: str) -> None:
    """Mark the quantities of a segment that are premises, first impressions, reasons or asides, if others are left."""
    edges = clause_edges(segment, text)
    reasons, tentative = segment.having("reason"), segment.having("premise", "tentative")
    parts = len(found) > 1 and not _ALL_BUT.search(text, segment.start, segment.end)
    reasoned = any(q.end <= c.start for c in reasons for q in found)
    behind = max((c.end for c in segment.having("reason_before") if any(c.end <= q.start for q in found)), default=-1)
    for quantity in found:
        begin = max(e for e in edges if e <= quantity.start)
        end = min((e for e in edges if e >= quantity.end), default=segment.end)
        if (
            any(begin <= c.start < end for c in tentative)
            or _is_supposed(quantity, segment)
            or (reasoned and any(c.end <= quantity.start for c in reasons))
            or quantity.end <= behind
            or (
                parts
                and not quantity.kind
                and _WHOLE.search(text, max(segment.start, quantity.start - _MAX_WHOLE), quantity.start)
            )
        ):
            quantity.premise = True
        if _PER_EACH.match(text, quantity.end):
            quantity.operand = True
        if _is_adjective(quantity, text):
            quantity.weak = True
        opening = text.rfind("(", segment.start, quantity.start)
        if opening >= 0 and ")" not in text[opening : quantity.start]:
            lead = text[opening : quantity.start]
            if lead.strip("(~≈ "):
                quantity.aside = len(words_of(lead)) > 2 or not any(q.end <= opening for q in found)
    if not all(q.premise or q.aside or q.operand for q in found):
        for quantity in found:
            quantity.operand = quantity.operand or quantity.premise or quantity.aside


def _is_supposed(quantity: Quantity, segment: Segment) -> bool:
    """Check whether a sentence begins with "if" and concludes nothing before a quantity."""
    supposed = [
        c
        for c in segment.having("suppose")
        if not any(o.start < c.end and c.start < o.end for o in segment.having("choose"))  # "if I had to give one"
        and c.start - segment.start <= MAX_OPENING_CHARS
        and c.start < quantity.start
    ]
    return bool(supposed) and not any(
        supposed[0].end < c.start < quantity.start for c in segment.having("conclude", "contrast")
    )


def _is_adjective(quantity: Quantity, text: str) -> bool:
    """Check whether a quantity describes the thing behind it: "a 30-inch monitor", '24" wheels'."""
    if re.match(r"-[A-Za-z]", text[quantity.end : quantity.end + 2]):
        return True  # "three-legged stools"
    if not re.match(r"[ ][A-Za-z]", text[quantity.end : quantity.end + 2]):
        return False
    said = text[quantity.start : quantity.end]
    return said[-1] == '"' or (bool(quantity.kind) and "-" in said and " " not in said[said.rfind("-") :])


_BRACKETED = re.compile(r"\s*\([^()]*\)[\s.]*")


def _prefer_units(lines: Sequence[NumberLine], unit: Unit | None) -> None:
    """Mark quantities without a unit as weak where others have a unit of the right kind."""
    if unit in MEASURED:
        if any(q.kind and not q.operand for line in lines for q in line.found):
            for line in lines[:-1]:
                for quantity in line.found:
                    quantity.weak = quantity.weak or not quantity.kind
    elif unit == "count":
        for line in lines:
            for quantity in line.found:
                quantity.weak = quantity.weak or quantity.kind not in ("", "foreign")


def _prefer_digits(lines: Sequence[NumberLine], text: str) -> None:
    """Mark small numbers in words ("two brothers") as weak where a text writes its numbers in digits."""

    def in_digits(quantity: Quantity) -> bool:
        return text[quantity.start].isdecimal() or text[quantity.start] == "."

    if not any(in_digits(q) for line in lines for q in line.found):
        return
    for line in lines:
        if line is lines[-1] and not any(in_digits(q) for q in line.found):
            continue
        for quantity in line.found:
            small = quantity.value <= MAX_SMALL_COUNT and not quantity.kind
            quantity.weak = quantity.weak or (small and not in_digits(quantity))


MAX_RESTATEMENT_DIFFERENCE = Fraction(1, 20)
"""Share by which a restatement in another unit may differ from the first: "2.5 m (8 ft)"."""
MAX_RESTATEMENT_GAP = 20
"""Characters between a quantity and its restatement, at most."""
MAX_ESTIMATE_GAP = 16
"""Characters between "about" or "comes to" and a quantity, at most."""
MAX_ESTIMATE_WORDS = 3
"""Words between them, at most."""
MAX_NOUN_GAP = 24
"""Characters between a number and a noun that it counts, at most."""
MAX_NOUN_WORDS = 3
"""Words behind a number among which that noun is looked for."""
VERB_FINAL = frozenset({"ja", "ko", "hi"})
"""Languages whose sentences end in their statement, so that the last of several numbers is meant."""

_RESTATING = re.compile(
    r"[ *_`]*[(\[=≈/]\D{0,14}$"
    r"|[ *_`]*,?[ ]*(?:or|i\.e\.?|also|that is|oder|ou|o|soit|about|или|即|也就是|つまり|즉|أي|यानी)\b\D{0,12}$"
)
_ITEM_FACTORS: dict[str, Fraction] = {"m": Fraction(1), "cm": Fraction(1, 100), "m2": Fraction(1)}


def without_weak(found: Sequence[Quantity]) -> list[Quantity]:
    """Leave out weak quantities where there are others.

    Args:
        found: in order.

    Returns:
        The others, or all where all are weak.
    """
    return [q for q in found if not q.weak] or list(found)


def agreed(found: Sequence[Quantity], unit: Unit | None, strength: int, rule: str) -> Commitment:
    """Commit a response to some quantities that are stated together.

    Args:
        found: in order, at least one, each in a fitting unit.
        unit: of the item.
        strength: how plainly they are stated.
        rule: the name of the rule that found them.

    Returns:
        A commitment to their value; without one where they differ, or are a range or a bound.
    """
    plain, note = _exact(found)
    start, end = plain[0].start, plain[-1].end
    if note:
        return Commitment(None, strength, start, end, rule, note)
    first, *others = (q.in_unit(unit) for q in plain)
    assert first is not None
    margin = MAX_RESTATEMENT_DIFFERENCE if len({(q.kind, q.factor) for q in plain}) > 1 else Fraction(0)
    if any(value is None or (value != first and abs(value - first) > margin * abs(first)) for value in others):
        return Commitment(None, strength, start, end, rule, SEVERAL)
    exact = next((q for q in plain if q.kind and _is_in_item_unit(q, unit)), plain[0])
    return Commitment(exact.in_unit(unit), strength, exact.start, exact.end, rule)


def _exact(found: Sequence[Quantity]) -> tuple[list[Quantity], str]:
    """The quantities that are neither ends of a range nor bounds; all and the reason where there are no others."""
    with_unit = [q for q in found if q.kind and q.kind != "foreign"]
    plain = without_weak(with_unit or found)
    if any(q.note == "range" for q in plain):
        single = [q for q in plain if not q.note] or [q for q in found if not q.note and q.start > plain[-1].end]
        ends = [q.value for q in found if q.note == "range"]
        single = [q for q in single if q.kind or not with_unit or min(ends) <= q.value <= max(ends)]
        if not single:
            return plain, RANGE
        plain = single[-1:]
    if any(q.note == "bound" for q in plain):
        if all(q.note for q in plain):
            return plain, BOUND
        plain = [q for q in plain if not q.note]  # "a little over 10 ft, so 3.2 m"
    return plain, ""


def _is_in_item_unit(quantity: Quantity, unit: Unit | None) -> bool:
    """Check whether a quantity is written in the item's unit."""
    return unit is not None and quantity.factor == _ITEM_FACTORS.get(unit)


def restatements(stated: Sequence[Quantity], text: str) -> list[Quantity]:
    """Take the first quantity and those that restate it right behind: "2.5 m (8 ft)", or belong to its range.

    Args:
        stated: in order, at least one.
        text: that contains them.

    Returns:
        The first few of them.
    """
    run = [stated[0]]
    for quantity in stated[1:]:
        gap = text[run[-1].end : quantity.start]
        ranged = quantity.note == "range" and run[-1].note == "range"
        if not ranged and (len(gap) > MAX_RESTATEMENT_GAP or not _RESTATING.match(gap)):
            break
        run.append(quantity)
    return run


def restated_from(first: Quantity, found: Sequence[Quantity], text: str) -> list[Quantity]:
    """Take a quantity and those that restate it.

    Args:
        first: the quantity.
        found: all quantities around it, in order.
        text: that contains them.

    Returns:
        The quantity and the restatements behind it.
    """
    return restatements([first, *(q for q in found if q.start > first.start)], text)


def is_estimated(quantity: Quantity, segment: Segment, text: str) -> bool:
    """Check whether words of estimating or resulting come right before a quantity, or right behind it.

    Args:
        quantity: to look at.
        segment: that contains it.
        text: that contains both.

    Returns:
        True for "about 3 m", "comes to 3 m".
    """
    for cue in segment.having("estimate"):
        if 0 <= quantity.start - cue.end <= MAX_ESTIMATE_GAP:
            gap = text[cue.end : quantity.start]
            if not re.search(r"[;:.!?]", gap.strip(" :")) and len(words_of(gap)) <= MAX_ESTIMATE_WORDS:
                return True
        if 0 <= cue.start - quantity.end <= 2:
            return True
    return False


def counts_asked(quantity: Quantity, asked: AskedQuantity, segment: Segment, text: str) -> bool:
    """Check whether the words behind a number are words of the question.

    Args:
        quantity: to look at.
        asked: by the item.
        segment: that contains the quantity.
        text: that contains both.

    Returns:
        True for 5 in "5 chairs and 2 tables" when chairs are asked for.
    """
    copulas = {c.start for c in segment.having("copula", "estimate")}
    behind = [w for w in segment.words if w.start >= quantity.end and w.start not in copulas][:MAX_NOUN_WORDS]
    return asked.is_about(
        [
            w
            for w in behind
            if w.start - quantity.end <= MAX_NOUN_GAP and not re.search(r"[,.;:]", text[quantity.end : w.start])
        ]
    )


def most_asked(found: Sequence[Quantity], asked: AskedQuantity, segment: Segment, text: str) -> Quantity | None:
    """Find the one quantity whose clause shares most words with the question.

    Args:
        found: in order.
        asked: by the item.
        segment: that contains them.
        text: that contains all.

    Returns:
        The quantity; None where none or more than one does.
    """
    edges = clause_edges(segment, text)
    scores = []
    for i, quantity in enumerate(found):
        begin = max(max(e for e in edges if e <= quantity.start), found[i - 1].end if i else 0)
        if re.match(r".*:[ *_`]*\Z", text[segment.start : quantity.start], re.DOTALL):
            colon = text.rfind(":", segment.start, quantity.start)
            begin = max((e for e in edges[:-1] if e < colon), default=segment.start)
        words = {w.folded for w in segment.words if begin <= w.start < quantity.start}
        scores.append(sum(any(same_word(word, a) for a in asked.words) for word in words))
    best = max(scores)
    return found[scores.index(best)] if best and scores.count(best) == 1 else None
