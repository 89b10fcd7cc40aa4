"""Quantities that a text states, in digits and in words, with their units and their relations.

Relations are compounds, ranges, bounds, calculations and their results. A quantity that is the sum or the product of
those in front of it is a result, though nothing says so.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from tolman.scoring.parse.lexicon import Cue, Languages, Word, both_ends, is_glued, is_in_longer, is_no_numeral
from tolman.scoring.parse.numerals import spelled_numbers
from tolman.scoring.parse.units import Quantity, bare_units, with_unit

MAX_SPELLED = 64
"""Numbers in words that are looked at in a sentence, a quarter of them at its beginning."""


def quantities(
    text: str, words: Sequence[Word], cues: Sequence[Cue], start: int, end: int, language: Languages
) -> list[Quantity]:
    """Find all quantities in a part of a text.

    Left out are numbers inside words and names ("GPT-4", "3rd", "scene0025"), times, dates, versions and the numbers of
    a list.

    Args:
        text: without markup.
        words: of that part.
        cues: in that part.
        start, end: the part.
        language: of the text.

    Returns:
        The quantities in order; none overlaps another.
    """
    found = [*quantities_in_digits(text, cues, start, end, language), *_in_words(text, words, language)]
    found.sort(key=lambda q: (q.start, -q.end))
    found = sorted([*found, *bare_units(text, words, found, language)], key=lambda q: (q.start, -q.end))
    kept: list[Quantity] = []
    for quantity in found:
        if not kept or quantity.start >= kept[-1].end:
            kept.append(quantity)
    merged = merge_compounds(kept, text)
    mark_relations(merged, text, cues)
    return merged


def _in_words(text: str, words: Sequence[Word], language: Languages) -> list[Quantity]:
    """The quantities that are written in words; not a Chinese or Korean numeral that may be a part of a word."""
    found = []
    for spelled in both_ends(spelled_numbers(text, words, language), MAX_SPELLED):
        quantity = with_unit(text, spelled.value, spelled.start, spelled.end, language)
        if quantity is None:
            continue
        before = text[max(0, spelled.start - 1) : spelled.start]
        if quantity.kind in ("", "foreign") and is_no_numeral(text, spelled.start, spelled.end):
            continue
        bare = spelled.cjk and not quantity.kind and not _is_counted(text, spelled.end, language)
        if bare and before != "米" and not _stands_alone(before, text[spelled.end : spelled.end + 1]):
            continue
        if not quantity.kind and spelled.value == 1:
            quantity.weak = True
        if before == "第":
            quantity.label = True
        if spelled.ranged:
            quantity.note = "range"
        found.append(quantity)
    return found


def _is_counted(text: str, position: int, language: Languages) -> bool:
    """Check whether a counter follows: a word between a number and the things that are counted."""
    return text[position : position + 6].lstrip().startswith(language.counters)


def _stands_alone(before: str, behind: str) -> bool:
    """Check whether a numeral of one character for each digit is set off from other characters of its script."""
    return not (before and is_glued(before)) and not (behind and is_glued(behind) and behind not in "で입개")


MAX_DIGITS = 40
"""Digits of a number, at most."""

_BEFORE = r"(?<![A-Za-z0-9_\\#@&.^\u00c0-\u024f\u0400-\u052f])"
_GROUPED = r"(?:[1-9][0-9]?(?:[ ][0-9]{3})+|[1-9][0-9]{2}(?:[ ][0-9]{3})*[ ]000)(?![0-9]|-[A-Za-z]|[ ][0-9])"
"""Digits in groups of three with a blank between them, as SI and many languages write them.

"120 130 140" is a list: after three digits the last group must be 000."""
_DIGITS = (
    rf"(?:{_GROUPED}(?:[.,][0-9]+)?|"
    r"[0-9]{1,3}(?:[,'][0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+(?![0-9])"
    r"|[0-9]+,[0-9]{1,3}(?![0-9,])|[0-9]*\.[0-9]+|[0-9]+)"
)
_TOKEN = re.compile(
    # Times, dates, versions and lists without spaces: digits that are no quantity.
    r"(?P<junk>(?<![A-Za-z0-9_.])(?:[0-9]+(?::[0-9]{2})+(?![0-9])|[0-9]+[-/][0-9]+[-/][0-9]+"
    r"|[0-9]+(?:\.[0-9]+){2,}(?!,[0-9])|(?![0-9]{1,3}(?:,[0-9]{3})+(?![0-9,]))[0-9]+(?:,[0-9]+){2,}))"
    r"|(?<![A-Za-z0-9_.,/\\#@&^-])(?P<mixed>[0-9]{1,6}[ ])?(?P<over>[0-9]{1,6})[ ]?[/⁄][ ]?(?P<under>[0-9]{1,6})"
    r"(?![A-Za-z0-9_/])"
    rf"|{_BEFORE}(?<![A-Za-z]-)(?P<digits>{_DIGITS})(?P<exponent>[eE][+-]?[0-9]{{1,2}}(?![A-Za-z0-9]))?"
    r"(?:[ ]?(?P<share>[½¼¾⅓⅔]))?|(?P<alone>[½¼¾⅓⅔])"
)
_DOTTED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+")
_SHARES = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3)}
_EXPONENT = r"[ ]?(?:\^[ ]?\{?(-?[0-9]{1,2})\}?|(⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))"
_POWER = re.compile(rf"[ ]{{0,8}}(?:×|x|\*)[ ]{{0,8}}10{_EXPONENT}")
_POWER_OF_TEN = re.compile(_EXPONENT)
_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_SCALED = re.compile(
    r"[ ]?(万|萬|만|千|천|億|亿|억|thousand\b|million\b|тыс\.?|mil\b|mille\b|हज़ार|हजार|लाख|ألف)(?![個个把])"
)
_SCALES = {
    **dict.fromkeys(("千", "천", "thousand", "тыс", "тыс.", "mil", "mille", "हज़ार", "हजार", "ألف"), 10**3),
    **dict.fromkeys(("万", "萬", "만"), 10**4),
    **dict.fromkeys(("億", "亿", "억"), 10**8),
    "million": 10**6,
    "लाख": 10**5,
}
_GLUED_LABEL = re.compile(r"(?:第|図|图|Frame|frame)[ ]?\Z")
_JOINT = re.compile(r"[ ]?(?:,|&|/|[-–—])[ ]?(?:and[ ]|or[ ])?|[ ](?:and|or|to|und|et|y|e|bis)[ ]")
"""What stands between the numbers of a label: "images 1 and 2"."""
_ROOT = re.compile(r"(?:sqrt\s*[{(]?|√\(?)\s*\Z")
MAX_NUMBERS = 64
"""Numbers of a sentence that are looked at, a quarter of them at its beginning."""
_POINT_GROUPED = frozenset({"de", "es", "pt"})
"""Languages that write thousands with a point."""


def quantities_in_digits(text: str, cues: Sequence[Cue], start: int, end: int, language: Languages) -> list[Quantity]:
    """Find the quantities in a part of a text that are written in digits.

    Left out are numbers inside words and names, times, dates, versions, list numbering, roots and arguments.

    Args:
        text: without markup.
        cues: in that part.
        start, end: the part.
        language: of the text.

    Returns:
        The quantities in order, with their units.
    """
    found: list[Quantity] = []
    tokens = [match for match in _tokens(text, cues, start, end) if match["junk"] is None]
    for match in both_ends(tokens, MAX_NUMBERS):
        value = _value(match)
        if value is None or _ROOT.search(text[max(0, match.start() - 8) : match.start()]) or _is_argument(match):
            continue
        if match["digits"] and _DOTTED.fullmatch(match["digits"]) and language.names & _POINT_GROUPED:
            value = Fraction(match["digits"].replace(".", ""))
        first, last = match.span()
        if _numbers_a_line(text, first, last, start):
            continue
        power = (_POWER_OF_TEN if match[0] == "10" else _POWER).match(text, last)
        if power:
            exponent = int((power[1] or power[2]).translate(_SUPERSCRIPT))
            value, last = (1 if match[0] == "10" else value) * Fraction(10) ** exponent, power.end()
        scaled = _SCALED.match(text, last)
        if scaled:
            value, last = value * _SCALES[scaled[1]], scaled.end()
        if value >= 0 and match["digits"] is not None and _is_sign(text, first - 1):
            value, first = -value, first - 1
        quantity = with_unit(text, value, first, last, language)
        if quantity is None:
            continue
        quantity.label = (
            _GLUED_LABEL.search(text[max(0, first - 7) : first]) is not None
            or text[max(0, first - 1) : first] == "第"
            or (not quantity.kind and _is_labelled(cues, first, text))
            or (not quantity.kind and bool(found) and found[-1].label and _joins(text[found[-1].end : first]))
        )
        found.append(quantity)
    return found


def _joins(gap: str) -> bool:
    """Check whether a number with a gap in front belongs to the label of the number before: "images 1 and 2"."""
    return _JOINT.fullmatch(gap) is not None


def _tokens(text: str, cues: Sequence[Cue], start: int, end: int) -> Iterator[re.Match[str]]:
    """Find numbers; groups of three behind a label are several numbers: "room 2 300 cm"."""
    for match in _TOKEN.finditer(text, start, end):
        if match["digits"] and " " in match["digits"] and _is_labelled(cues, match.start(), text):
            for part in re.finditer(r"\S+", match[0]):
                token = _TOKEN.match(text, match.start() + part.start(), match.start() + part.end())
                if token:
                    yield token
        else:
            yield match


def _is_argument(match: re.Match[str]) -> bool:
    """Check whether a number is the argument of a function: "f(2)"."""
    text, start, end = match.string, match.start(), match.end()
    return start > 1 and text[start - 1] == "(" and text[start - 2].isalpha() and text[end : end + 1] == ")"


def _is_labelled(cues: Sequence[Cue], start: int, text: str) -> bool:
    """Check whether a number comes right behind a word for something that is numbered: "frame 12"."""
    return any(
        c.role == "label" and 0 <= start - c.end <= 3 and not text[c.end : start].strip(" #:=*_`.") for c in cues
    )


def _numbers_a_line(text: str, first: int, last: int, start: int) -> bool:
    """Check whether a number heads a line of a list: "1. the sofa"."""
    if last - first > 2:
        return False
    match = _NUMBERING.match(text, last, last + 4)
    if match is None or not text[match.end() : match.end() + 2].strip():
        return False
    return not text[max(start, text.rfind("\n", 0, first) + 1) : first].strip(" \t*_#(-•[")


_NUMBERING = re.compile(r"[.)][ \t]+(?=\S)|[.)、][ \t]*(?=[^\W\d])")


def _is_sign(text: str, position: int) -> bool:
    """Check whether the character there is a minus sign of the number behind it, not a hyphen or a dash."""
    if position < 0 or text[position] != "-":
        return False
    return position == 0 or text[position - 1] in " \t\n(=:≈[{`*$"


def _value(match: re.Match[str]) -> Fraction | None:
    """The number that a token of digits is; None for a fraction over zero and for too many digits."""
    if match["alone"] is not None:
        return _SHARES[match["alone"]]
    if match["over"] is not None:
        if int(match["under"]) == 0:
            return None
        return Fraction(int(match["over"]), int(match["under"])) + int(match["mixed"] or 0)
    digits = match["digits"].replace(" ", "")
    if len(digits) > MAX_DIGITS:
        return None
    if digits.isdecimal() and not match["exponent"]:
        value = Fraction(int(digits))
    else:
        if re.fullmatch(r"[0-9]{1,3}(?:[,'][0-9]{3})+(?:\.[0-9]+)?", digits):
            digits = re.sub("[,']", "", digits)
        elif re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+", digits):
            digits = digits.replace(".", "")
        value = Fraction(digits.replace(",", ".") + (match["exponent"] or ""))
    return value + _SHARES[match["share"]] if match["share"] else value


MAX_RELATION_GAP = 24
"""Characters between two quantities that are related, at most."""
MAX_RANGE_GAP = 12
"""Characters between the ends of a range that a word joins, at most."""

_COMPOUND_GAP = re.compile(r"[ ]*(?:,|and|et|y|e|und|и)?[ ]*")
_EQUALS_WORD = re.compile(
    r"(?:\bleaving(?: us)?(?: only| just| with)?"
    r"|равно|равен|равна|равны|равняется|equals|is equal to|es igual a|est égale? à|é igual a|ist gleich|ergibt|等于"
    r"|يساوي|تساوي|बराबर है)\s*[*_`]*\Z",
    re.IGNORECASE,
)
_RANGE_GAP = re.compile(r"^[ ]*(?:-|–|—|~|〜|～|bis|till|until|through)[ ]*$", re.IGNORECASE)
_PRODUCT_GAP = re.compile(
    r"^[ ]*(?:x|×|\*|·|by|por|sur|mal|на|\+|÷|/|(?<=[ ])-(?=[ ])|−|乘以|乘|加|かける|곱하기|más|mais|plus|minus|times"
    r"|plus|divided by|multiplied by|well)[ ]*$",
    re.IGNORECASE,
)
_EQUALS_GAP = re.compile(
    r"^[ ]*(?:=|≈|≃|≒|等于|equals|is equal to|→|➜|=>)[ ]*(?:about|approximately|ca\.|around|[~≈±约約])?[ ]*$",
    re.IGNORECASE,
)
_TOLERANCE_GAP = re.compile(r"^[ ]*(?:±|\+/-|\\pm|plus or minus)[ ]*$", re.IGNORECASE)
_TOLERANCE = re.compile(r"(?:±|\+/-)[ ]*\Z")
_AND = {"and", "und", "et", "и", "和", "और", "及", "と", "와", "과", "و"}
_OR = {"or", "o", "u", "ou", "oder", "или", "либо", "أو", "या", "或", "或者", "か", "または", "혹은", "또는"}
_RANGE_WORDS = {"a", "e", "y", "à", "de", "من", "و"}
"""Words that join the ends of a range only behind "between" or "from"."""


FOOT = Fraction(3048, 10_000)
_INCHES = re.compile(r"[ ]?in\b")


def merge_compounds(found: Sequence[Quantity], text: str) -> list[Quantity]:
    """Join "5 feet 10 inches", "2 m 30 cm" and "1 m 20" into one quantity.

    Args:
        found: in order; changed where it is joined.
        text: without markup.

    Returns:
        The quantities in order.
    """
    merged: list[Quantity] = []
    for quantity in found:
        previous = merged[-1] if merged else None
        added = _added(previous, quantity, text) if previous else None
        if previous is None or added is None:
            merged.append(quantity)
        else:
            previous.value += added
            previous.end = quantity.end
    return merged


def _added(previous: Quantity, quantity: Quantity, text: str) -> Fraction | None:
    """The number that a quantity right behind another adds to it; None where they are two."""
    gap = text[previous.end : quantity.start]
    value = quantity.value
    if previous.kind == quantity.kind == "foreign" and _COMPOUND_GAP.fullmatch(gap):
        (kind, factor), (other, lower) = scale_of(previous, text), scale_of(quantity, text)
        if kind == other == "time" and factor > lower:  # "1 minute and 15 seconds" is 75 of them
            return value + previous.value * (factor / lower - 1)
    if previous.kind != "length" or not _COMPOUND_GAP.fullmatch(gap):
        return None
    if quantity.kind == "length":
        smaller = quantity.factor < previous.factor and 0 <= value * quantity.factor < previous.factor
        return value * quantity.factor / previous.factor if smaller else None
    if not quantity.kind and previous.factor == FOOT and 0 < value < 12 and _INCHES.match(text, quantity.end):
        return value / 12  # "6 ft 6 in tall"
    whole = previous.factor == 1 and value.denominator == previous.value.denominator == 1
    if quantity.kind or not whole:
        return None
    if 0 < value < 10 and not gap and text[previous.end - 1] in "米m":
        return value / 10
    if 10 <= value < 100 and not re.search(r"[,A-Za-z]", re.sub(r"\b(?:and|et|y|e)\b", "", gap)):
        return value / 100
    return None


def mark_relations(found: Sequence[Quantity], text: str, cues: Sequence[Cue]) -> None:
    """Mark ranges, bounds, operands, results and denied numbers by the text between and around them.

    Args:
        found: in order; changed in place.
        text: without markup.
        cues: in the same part of it.
    """
    for left, right in itertools.pairwise(found):
        _mark_pair(left, right, text, cues)
    for quantity in found:
        _mark_beside(quantity, text, cues)


def _mark_pair(left: Quantity, right: Quantity, text: str, cues: Sequence[Cue]) -> None:
    gap = text[left.end : right.start]
    if len(gap) > MAX_RELATION_GAP:
        return
    if not left.note and _is_behind_between(left, cues) and _is_up_to(left, right, text, cues):
        left.note = right.note = "range"
    elif _TOLERANCE_GAP.match(gap):
        right.operand = True
    elif _EQUALS_GAP.match(gap):
        left.operand = True
        right.result = True
    elif _RANGE_GAP.match(gap) or _is_range(gap, left, cues):
        left.note = right.note = "range"
        if not left.kind:
            left.kind, left.factor = right.kind, right.factor
    elif _PRODUCT_GAP.match(gap):
        left.operand = right.operand = True


def _is_behind_between(quantity: Quantity, cues: Sequence[Cue]) -> bool:
    return any(c.role == "between" and 0 <= quantity.start - c.end <= 4 for c in cues)


def _is_up_to(left: Quantity, right: Quantity, text: str, cues: Sequence[Cue]) -> bool:
    """Check whether "and" or "to" is between two quantities, or the Arabic "and" is glued to the second."""
    return text[right.start] == "و" or any(
        c.role in ("alternative", "range_to") and left.end <= c.start and c.end <= right.start for c in cues
    )


def _is_range(gap: str, left: Quantity, cues: Sequence[Cue]) -> bool:
    """Check whether two numbers are the ends of a range or alternatives: "2 to 3", "between 2 and 3", "4 or 5"."""
    if len(gap) > MAX_RANGE_GAP:
        return False
    said = _PERHAPS.sub("", gap).strip()
    joining = [c for c in cues if left.end <= c.start and c.end <= left.end + len(gap)]
    if not any(len(said) - (c.end - c.start) <= 1 for c in joining):
        return False
    roles = {c.role for c in joining}
    said = said.casefold()
    if "range_to" in roles and said not in _AND and said not in _RANGE_WORDS:
        return True
    return bool(roles & {"range_to", "alternative"}) and (said in _OR or _is_behind_between(left, cues))


_PERHAPS = re.compile(r"\b(?:maybe|perhaps|possibly|even)\b[ ]?")


def _mark_beside(quantity: Quantity, text: str, cues: Sequence[Cue]) -> None:
    cues = [c for c in cues if c.role != "bound" or not is_in_longer(c, cues)]  # "округляю до"
    before = [c for c in cues if 0 <= quantity.start - c.end <= 2 and not text[c.end : quantity.start].strip(" ~≈")]
    tail = text[quantity.end : quantity.end + 4]
    sign = text[max(0, quantity.start - 2) : quantity.start].strip()[-1:]
    if (
        sign in ("<", ">", "≤", "≥")
        or any(c.role == "bound" for c in before)
        or any(c.role == "bound_after" and 0 <= c.start - quantity.end <= 2 for c in cues)
        or (tail[:1] == "+" and not tail[1:3].strip()[:1].isdecimal())
    ):
        quantity.note = quantity.note or "bound"
    if _TOLERANCE.search(text, max(0, quantity.start - 4), quantity.start):
        quantity.operand = True
    if not quantity.note and any(c.role in ("negate", "compare_to") for c in before):
        quantity.operand = True
    if quantity.value == 1 and _NOT_ONE.search(text, max(0, quantity.start - 12), quantity.start):
        quantity.operand = True
    if tail.strip()[:1] in ("=", "≈", "≒") and not quantity.result:
        quantity.operand = True
    lead = text[max(0, quantity.start - 24) : quantity.start]
    if not lead.rstrip(" *_`")[-1:].isdecimal() and _EQUALS_WORD.search(lead):
        quantity.result = True
    if text[max(0, quantity.start - 6) : quantity.start].rstrip().endswith(_RESULT_SIGNS):
        quantity.result = True


_NOT_ONE = re.compile(r"\b(?:not|without)[ ](?:even[ ])?(?:a[ ])?\Z", re.IGNORECASE)
_RESULT_SIGNS = ("=", "≈", "≒", "=~", "= ~", "→", "⇒", "=>")

MIN_PARTS = 2
"""Parts of a sum, at least."""
MIN_SUM = 3
"""Sum that is none by chance, at least."""
MAX_PARTS = 12
"""Parts of a sum, at most."""


def mark_sums(found: Sequence[Quantity], text: str) -> None:
    """Mark the last quantity of a sentence as a result where it is the sum of the others, or the product of two.

    Args:
        found: the quantities of a sentence, in order; changed in place.
        text: that contains them.
    """
    said = [q for q in found if not q.label and not (q.weak and q.value == 1)]
    if len(said) <= MIN_PARTS or len(said) > MAX_PARTS:
        return
    *parts, last = said
    if last.note or last.weak or last.result or any(q.note or q.result for q in parts):
        return
    if _OUT_OF.search(text, 0, last.start):
        return
    if _is_sum(parts, last) or _is_product(parts[-2:], last) or _is_rest(parts, last, text):
        last.result = True
        for part in parts:
            part.operand = True


_OUT_OF = re.compile(r"\b(?:out of|from)[ ](?:the[ ])?\Z", re.IGNORECASE)
"""In front of a whole of which the parts are given."""


def _is_sum(parts: Sequence[Quantity], last: Quantity) -> bool:
    """Check whether quantities of one kind add up to another; parts without a unit have that of the sum."""
    if last.value < MIN_SUM and last.value.denominator == 1:
        return False
    sized = [_size(q, last) for q in parts]
    return None not in sized and sum((s for s in sized if s is not None), Fraction(0)) == last.value * last.factor


def _is_rest(parts: Sequence[Quantity], last: Quantity, text: str) -> bool:
    """Check whether a quantity is what one of two leaves of the other: "40 minus 33 leaves 7"."""
    if len(parts) != 2 or len({q.kind for q in (*parts, last)}) > 1:
        return False
    whole, part = parts
    said = _LEAVES.search(text, whole.end, last.start)
    return said is not None and whole.value * whole.factor - part.value * part.factor == last.value * last.factor


_LEAVES = re.compile(r"\b(?:minus|less|leaves?|leaving|remain\w*|taking away|subtract\w*)\b", re.IGNORECASE)


def _size(part: Quantity, last: Quantity) -> Fraction | None:
    """A part in base units; None where it measures something else."""
    if not part.kind:
        return part.value * last.factor
    return part.value * part.factor if part.kind == last.kind else None


def _is_product(parts: Sequence[Quantity], last: Quantity) -> bool:
    """Check whether two lengths multiply to an area, or a number and a length to a length."""
    a, b = parts
    if last.kind == "area":
        wanted = ("length", "length")
    elif last.kind == "length":
        wanted = ("", "length")
    else:
        return False
    if (a.kind, b.kind) != wanted or min(a.value, b.value) <= 1:
        return False
    return a.value * a.factor * b.value * b.factor == last.value * last.factor


_MEASURES: dict[str, tuple[str, Fraction]] = {
    unit: (kind, Fraction(factor))
    for kind, units in {
        "weight": {"kg": 1000, "kilogram": 1000, "kilo": 1000, "g": 1, "gram": 1, "t": 10**6, "ton": 10**6},
        "volume": {"l": 1000, "litre": 1000, "liter": 1000, "ml": 1, "cl": 10},
        "time": {"s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600},
    }.items()
    for unit, factor in units.items()
}
"""Units of weight, volume and time, each with its factor to grams, millilitres or seconds."""
_CLOCK = re.compile(r"(?<![\d:.,])(\d{1,2}):(\d{2})(?::(\d{2}))?(?![\d:])")


def scale_of(quantity: Quantity, text: str) -> tuple[str, Fraction]:
    """Find what a quantity with a unit of something else than length or area measures.

    Args:
        quantity: of kind 'foreign'.
        text: that contains it.

    Returns:
        'weight', 'volume' or 'time' with the unit's factor to grams, millilitres or seconds; else 'foreign' and the
        unit's name, with factor 1.
    """
    unit = text[quantity.start : quantity.end].lstrip("0123456789., ").casefold()
    return _MEASURES.get(unit) or _MEASURES.get(unit.rstrip("s")) or (f"foreign {unit}", Fraction(1))


def clock_times(text: str, start: int, end: int) -> list[Quantity]:
    """Find times of day, or places in a video, such as "0:45".

    Args:
        text: without markup.
        start, end: the part of it to look at.

    Returns:
        Quantities of kind 'time', whose values count the last unit that is written.
    """
    found = []
    for match in _CLOCK.finditer(text, start, end):
        value = Fraction(0)
        for part in match.groups():
            value = value * 60 + int(part) if part is not None else value
        found.append(Quantity(value, "time", Fraction(1), *match.span()))
    return found
