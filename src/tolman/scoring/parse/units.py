"""Units of length and area as they are written, converted exactly, behind a number or without one.

A half may follow a number and its unit. Units without a number are such as "a meter", "half a meter", "metro y medio"
and "متر ونصف".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from tolman.items import Unit
from tolman.scoring.parse.lexicon import Languages, Word, is_glued, words_of
from tolman.scoring.parse.plain_text import fold, visible

_LENGTHS: dict[str, tuple[str, Fraction]] = {
    # name: (pattern, metres)
    "km": (r"km|kilomet(?:er|re)s?", Fraction(1000)),
    "cm": (r"cms?|centimet(?:er|re)s?", Fraction(1, 100)),
    "dm": (r"dms?|decimet(?:er|re)s?", Fraction(1, 10)),
    "mm": (r"mms?|mill?imet(?:er|re)s?", Fraction(1, 1000)),
    "m": (r"m|met(?:er|re)s?|mtrs?", Fraction(1)),
    "ft": (r"ft\.?|foot|feet|′|'(?!')", Fraction(3048, 10000)),
    "in": (r"inch(?:es)?|in(?![ \t]+[A-Za-z])|″|\"|''", Fraction(254, 10000)),
    "yd": (r"yds?|yards?", Fraction(9144, 10000)),
}
_SQUARE_PREFIX = r"(?:sq(?:uare)?\.?[ \t]*-?[ \t]*)"
_SQUARE_SUFFIX = r"(?:[ \t]*(?:²|\$?[ \t]*\^[ \t]*\{?[ \t]*[2²][ \t]*\}?)|2(?![0-9]|[.][0-9])|[ \t-]*squared?)"
_FOREIGN = (
    r"(?:cubic|cu\.?)[ \t]*[A-Za-z]+|[ck]?m[ \t]*(?:\^[ \t]*\{?3|³)|%|percent|°|degrees?|deg|radians?|rad"
    r"|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|years?|fps|hz|px|pixels?"
    r"|kg|kilograms?|grams?|g|lbs?|pounds?|dollars?|cents?|usd|euros?|km/h|m/s|mph|tokens?|frames?|times larger"
    r"|[Ss]ekunden?|Grad|Jahre?n?|Minuten?|Stunden?|segundos?|grados?|graus?|años?|anos?|minutos?|horas?"
    r"|secondes?|degrés?|ans|heures?"
    r"|секунд\w*|градус\w*|минут\w*|час\w*|лет|год\w*|рубл\w*|процент\w*"
    r"|ثانية|ثواني|درجة|دقيقة|دقائق|ساعة|سنة|सेकंड|डिग्री|मिनट|घंटे|प्रतिशत|रुपये"
    r"|秒|分钟|分鐘|分|度|年|月|日|时|小时|時間|时间|岁|歳|円|元|美元|ドル|层|楼|階|步|歩|倍|号|番目|番|点钟|帧|コマ|枚目|つ目|个月"
    r"|초|분|도|년|월|일|층|번째|배|살|원|시간|프레임|퍼센트|パーセント"
)
"""Units of other quantities: a number before such a unit answers no question for a length, an area or a count."""

_EDGE = (
    r"(?:(?<![A-Za-z\u00c0-\u024f\u0400-\u052f\u0600-\u06ff\u0900-\u0963])"
    r"|(?![A-Za-z\u00c0-\u024f\u0400-\u052f\u0600-\u065f\u066e-\u06d3\u0900-\u0963]))"
)
"""Behind a unit in an alphabet no letter goes on."""

_ITEM_UNITS: dict[Unit, tuple[str, Fraction]] = {
    "m": ("length", Fraction(1)),
    "cm": ("length", Fraction(1, 100)),
    "m2": ("area", Fraction(1)),
    "count": ("count", Fraction(1)),
}
Found = tuple[str, Fraction, int]
"""Kind, factor to metres or square metres, and end of a unit in a text."""

WINDOW_CHARS = 40
"""Characters behind a number in which its unit is looked for."""


@cache
def _patterns(language: Languages) -> tuple[tuple[re.Pattern[str], str, Fraction], ...]:
    """The units of English and of some languages."""
    found: list[tuple[str, str, Fraction]] = [
        *((f"(?:{_SQUARE_PREFIX}(?:{p}))|(?:(?:{p}){_SQUARE_SUFFIX})", "area", f * f) for p, f in _LENGTHS.values()),
        ("㎡|平方m", "area", Fraction(1)),
        *((p, "length", f) for p, f in _LENGTHS.values()),
        ("㎝", "length", Fraction(1, 100)),
        ("㎜", "length", Fraction(1, 1000)),
    ]
    grouped: dict[tuple[str, str], list[str]] = {}
    for kind, factor, phrase in language.units:
        grouped.setdefault((kind, factor), []).append(visible(phrase))
    for (kind, factor), phrases in grouped.items():
        words = sorted(phrases, key=len, reverse=True)
        patterns = [re.escape(w).replace(r"\ ", r"[ \t]+") + (r"(?:[²2])?" if kind == "area" else "") for w in words]
        found.append(("|".join(patterns), kind, Fraction(factor)))
        if kind == "length":
            found.append(
                ("|".join(f"(?:{re.escape(w)})[ ]?(?:\\^2|²|2(?![0-9]))" for w in words), "area", Fraction(factor) ** 2)
            )
    found.append((_FOREIGN, "foreign", Fraction(1)))
    found = [(f"(?:{p}){_EDGE}", kind, f) for p, kind, f in found]
    lead = r"[ \t]*-?[ \t]*(?:\\(?:text|mathrm|,|;)[ \t]*\{?[ \t]*)?"
    return tuple((re.compile(f"{lead}(?:{p})", re.IGNORECASE), kind, f) for p, kind, f in found)


@cache
def _any_unit(language: Languages) -> re.Pattern[str]:
    """All patterns in one: most numbers have no unit, and one search says so."""
    return re.compile("|".join(f"(?:{pattern.pattern})" for pattern, _, _ in _patterns(language)), re.IGNORECASE)


def unit_after(text: str, position: int, language: Languages) -> Found | None:
    """Find the unit written at a position, right after a number.

    Args:
        text: any.
        position: where the number ends.
        language: whose names of units are known besides the English ones.

    Returns:
        (kind, factor to metres or square metres, end of the unit) with kind 'length', 'area' or 'foreign' (a quantity
        that is no length and no area); None where no unit is there.
    """
    best: Found | None = None
    window = text[position : position + WINDOW_CHARS]
    if _any_unit(language).match(window) is None:
        return None
    for pattern, kind, factor in _patterns(language):
        match = pattern.match(window)
        if match is None or (best is not None and position + match.end() <= best[2]):
            continue
        best = kind, factor, position + match.end()
    return best


def to_item_unit(value: Fraction, kind: str, factor: Fraction, unit: Unit | None) -> Fraction | None:
    """Convert a quantity to the unit of an item.

    Args:
        value: the number.
        kind, factor: as `unit_after` returns them.
        unit: of the item; None takes any number as it is.

    Returns:
        The value in that unit; None where the quantity measures something else.
    """
    if unit is None:
        return value
    item_kind, item_factor = _ITEM_UNITS[unit]
    return value * factor / item_factor if kind == item_kind else None


HALF_CHARS = 24
"""Characters behind a number in which "and a half" is looked for."""

_QUOTES = ("'", '"', "''", "′", "″")


@dataclass(slots=True)
class Quantity:
    """A number that a text states.

    Attributes:
        value: as written, exact.
        kind: 'length', 'area', 'foreign' (a unit of something else), or '' without a unit.
        factor: of the unit, to metres or square metres.
        start, end: its position, with its unit.
        note: 'range' or 'bound' where the text gives no single number.
        operand: it is a part of a calculation, a tolerance, or denied: not the stated value.
        result: it follows an equals sign.
        weak: a word or character that may be an article ("one", "un", "一").
        label: it numbers something ("frame 12").
        premise: it is a known size, a first impression or a reason.
        aside: it is in brackets.
        asked: the question counts its unit.
    """

    value: Fraction
    kind: str
    factor: Fraction
    start: int
    end: int
    note: str = ""
    operand: bool = False
    result: bool = False
    weak: bool = False
    label: bool = False
    premise: bool = False
    aside: bool = False
    asked: bool = False

    def in_unit(self, unit: Unit | None) -> Fraction | None:
        """Convert the quantity.

        Args:
            unit: of an item.

        Returns:
            The value in that unit; None where it measures something else.
        """
        if not self.kind:
            return self.value
        if self.kind == "foreign":
            return self.value if unit is None else None
        return to_item_unit(self.value, self.kind, self.factor, unit)


def with_unit(text: str, value: Fraction, start: int, end: int, language: Languages) -> Quantity | None:
    """Complete a number with the unit, the centimetres ("1m20") and the half that follow it.

    Args:
        text: without markup.
        value: of the number.
        start, end: its position.
        language: of the text.

    Returns:
        The quantity; None where letters that are no unit are glued to the number: "3rd", "2D", "4K".
    """
    unit = unit_after(text, end, language)
    before = text[max(0, start - 1) : start]
    if unit and text[end : unit[2]] in _QUOTES and before and before == text[end]:
        unit = None  # a number in quotes, not in feet or inches
    if unit is None and _goes_on(text[end : end + 1]):
        return None
    kind, factor, behind = unit or ("", Fraction(1), end)
    if kind == "length" and factor == 1 and value.denominator == 1:
        cents = re.match(r"([0-9]{2})(?![0-9])", text[behind : behind + 3])
        if cents and text[behind - 1] in "mм":
            value, behind = value + Fraction(int(cents[1]), 100), behind + 2
    added = share_after(text, behind, language)
    if added is not None and value.denominator == 1:
        value, behind = value + added[0], added[1]
        if not unit:
            kind, factor, behind = unit_after(text, behind, language) or (kind, factor, behind)
    return Quantity(value, kind, factor, start, behind)


def _goes_on(character: str) -> bool:
    """Check whether a character glued to a number makes it a part of a word."""
    return character.isalpha() and not is_glued(character) and not ("\u0600" <= character < "\u0980")


def share_after(text: str, position: int, language: Languages) -> tuple[Fraction, int] | None:
    """Find "and a half", "and a quarter" or "less a quarter" right behind a number or a unit.

    Args:
        text: without markup.
        position: where the number or the unit ends.
        language: of the text.

    Returns:
        The share to add, and where the phrase ends; None where there is none.
    """
    window = text[position : position + HALF_CHARS]
    if not window.lstrip(" ")[:1].isalpha():
        return None
    words = words_of(window)
    if not words or words[0].start != len(window) - len(window.lstrip(" ")):
        return None
    found = [c for c in language.halves.find(words[:4], window) if c.start == words[0].start]
    if not found:
        return None
    last = max(found, key=lambda c: c.end)
    return Fraction(last.role), position + last.end


MIN_UNIT_CHARS = 3
"""Characters of a unit that needs no number, at least."""
MAX_WORD_GAP = 2
"""Characters between a unit and the article in front of it, at most."""
MAX_ADDED_GAP = 4
"""Characters between a unit and the smaller quantity that is added to it, at most."""

_ARTICLES = {"a", "an", "un", "une", "um", "uma", "ein", "einen", "eine", "one"}
_HALVES = {
    *("half", "demi", "medio", "meio", "halber", "halben", "نصف", "пол", "полметра", "半", "반"),
    *(fold("आधा"), fold("आधे")),
}
_SHARES = {
    "ربع": Fraction(1, 4),
    fold("पौन"): Fraction(3, 4),
    fold("पौना"): Fraction(3, 4),
    fold("सवा"): Fraction(5, 4),
}
"""Other shares of a unit."""
_DUALS = {"مترين", "متران"}
"""Two metres in one word."""


def bare_units(text: str, words: Sequence[Word], known: Sequence[Quantity], language: Languages) -> list[Quantity]:
    """Find units without a number in front.

    Args:
        text: without markup.
        words: of the part of it to look at.
        known: quantities with a number, in that part.
        language: of the text.

    Returns:
        Quantities of one, two, a half or one and a half of a unit, in order.
    """
    found = []
    taken = {place for quantity in known for place in range(quantity.start, quantity.end)}
    for i, word in enumerate(words):
        if word.folded[0].isdecimal() or word.start in taken:
            continue
        start = word.start + (word.folded[0] == "و" and len(word.folded) > MIN_UNIT_CHARS)  # "and" is glued to it
        unit = unit_after(text, start, language)
        if unit is None:
            continue
        kind, factor, end = unit
        if (
            kind not in ("length", "area")
            or (end - word.start < MIN_UNIT_CHARS and not is_glued(word.folded[0]))
            or end < word.end
        ):
            continue
        added = share_after(text, end, language)
        counted = _counted(words, i)
        if counted is None and (added is not None or _is_added_to(known, end, factor)):
            counted = Fraction(1), word.start
        if counted is not None:
            value, start = counted
            share, behind = added or (Fraction(0), end)
            found.append(Quantity(value + share, kind, factor, start, behind))
    return found


def _counted(words: Sequence[Word], i: int) -> tuple[Fraction, int] | None:
    """The number of units that a dual or the words in front of it say, and where that begins."""
    word = words[i]
    if word.folded.removeprefix("و") in _DUALS:
        return Fraction(2), word.start
    before = words[i - 1] if i else None
    if before is None or word.start - before.end > MAX_WORD_GAP:
        return None
    if before.folded in _ARTICLES:
        if i > 1 and words[i - 2].folded == "half":
            return Fraction(1, 2), words[i - 2].start
        return Fraction(1), before.start
    if before.folded in _SHARES:
        return _SHARES[before.folded], before.start
    return (Fraction(1, 2), before.start) if before.folded in _HALVES else None


def _is_added_to(known: Sequence[Quantity], end: int, factor: Fraction) -> bool:
    """Check whether a smaller quantity follows a unit: "около метра девяноста"."""
    for quantity in known:
        if 0 <= quantity.start - end <= MAX_ADDED_GAP:
            hundredths = not quantity.kind and 10 <= quantity.value < 100 and quantity.value.denominator == 1
            if hundredths or (quantity.kind == "length" and quantity.factor < factor):
                return True
    return False
