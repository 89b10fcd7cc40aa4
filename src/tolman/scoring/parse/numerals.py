"""Numbers in words, in several languages and scripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tolman.scoring.parse.lexicon import Languages, Word
from tolman.scoring.parse.plain_text import fold

_JOINING = {"and", "y", "e", "et", "und", "و"}
_SCALES = {
    "hundred": 100, "thousand": 1000, "dozen": 12, "docena": 12, "douzaine": 12, "dutzend": 12, "duzia": 12,
    "дюжина": 12, "mil": 1000, "mille": 1000, "tausend": 1000, "тысяча": 1000, "тысячи": 1000, "тысяч": 1000,
    "الف": 1000, "हजार": 1000, "सौ": 100, "cent": 100, "cents": 100, "hundert": 100,
}  # fmt: skip
_CJK_DIGITS = {
    c: i
    for digits in ("零一二三四五六七八九", "零壹貳參肆伍陸柒捌玖", "零壹贰叁肆伍陆柒捌玖")
    for i, c in enumerate(digits)
} | {"〇": 0, "两": 2, "兩": 2, "俩": 2}
_SINO_KOREAN = {c: i for i, c in enumerate("영일이삼사오육칠팔구")}
_CJK_SCALES = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000, "십": 10, "백": 100, "천": 1000}
_TENTHS = {"百": 10, "佰": 10, "千": 100, "仟": 100}
"""What a last digit right behind a scale counts in Chinese."""
_MYRIADS = {"万": 10_000, "萬": 10_000, "만": 10_000, "億": 100_000_000, "亿": 100_000_000}
_ADDED = {fold("साढ़े"): Fraction(1, 2), fold("सवा"): Fraction(1, 4), fold("पौने"): Fraction(-1, 4)}
"""Hindi's "a half more", "a quarter more" and "a quarter less" in front of a number."""
_DECIMAL = {"point", "komma", "virgule", "coma", "virgula", "точка", "запятая", "점", "दशमलव", "فاصله"}
_GERMAN_ONES = ("ein", "zwei", "drei", "vier", "funf", "sechs", "sieben", "acht", "neun")
_GERMAN_TENS = ("zwanzig", "dreissig", "vierzig", "funfzig", "sechzig", "siebzig", "achtzig", "neunzig")
_GERMAN = re.compile(f"({'|'.join(_GERMAN_ONES)})und({'|'.join(_GERMAN_TENS)})")
_GERMAN_HALF = re.compile(f"({'|'.join(_GERMAN_ONES)})einhalb")
_ARTICLES = ("a", "an", "un", "ein", "eine")
_SHARES = {
    "halves": 2, "thirds": 3, "quarter": 4, "quarters": 4, "fifths": 5, "eighths": 8, "tenths": 10,
    "drittel": 3, "viertel": 4, "tiers": 3, "quarts": 4, "tercios": 3, "cuartos": 4,
}  # fmt: skip
"""Shares that a number counts."""
_OF_A = re.compile(r"[ ]of[ ](?:an?|one)(?=[ ])|[ ]d['’](?:un|une)(?=[ ])|[ ]de(?:[ ](?:un|una))?(?=[ ]m[eè]t)")
_CJK_POINT = re.compile(r"[点點・]| ?점 ?")
_GAP = re.compile(r"[ \t-]*")

Numerals = dict[int, tuple[Fraction, int]]
"""Numbers in single words, and where each ends, by the place where it begins."""

MAX_CJK_CHARS = 12
"""Characters of a number in Chinese characters or Sino-Korean syllables, at most."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number in words.

    Attributes:
        value: of the number.
        start, end: its position.
        cjk: whether it is written with one character for each digit.
        ranged: it means itself or the next: 二十六七, "26 or 27".
    """

    value: Fraction
    start: int
    end: int
    cjk: bool = False
    ranged: bool = False


def spelled_numbers(text: str, words: Sequence[Word], language: Languages) -> list[Spelled]:
    """Find the numbers in words that a text holds.

    Args:
        text: any.
        words: its words.
        language: whose numerals are known.

    Returns:
        The numbers in order.
    """
    found: list[Spelled] = []
    at = {c.start: (Fraction(c.role), c.end) for c in language.numerals.find(words, text)}
    i = 0
    while i < len(words):
        word = words[i]
        if word.folded.isdecimal() and word.start not in at:
            i += 1
            continue
        cjk = (
            _cjk(text, word.start)
            if word.folded in _CJK_DIGITS or word.folded in _CJK_SCALES or word.folded in _SINO_KOREAN
            else None
        )
        if cjk is not None and (len(text[word.start : cjk[1]]) > 1 or word.start not in at):
            value, end, ranged = cjk
            found.append(Spelled(value, word.start, end, cjk=True, ranged=ranged))
        else:
            combined = _combined(text, words, i, at)
            if combined is None:
                i += 1
                continue
            value, end = combined
            short = end - word.start <= 2 and not word.folded.isascii()
            found.append(Spelled(value, word.start, end, cjk=short))
        while i < len(words) and words[i].start < found[-1].end:
            i += 1
    return found


def _cjk(text: str, start: int) -> tuple[Fraction, int, bool] | None:
    """A number in Chinese characters or Sino-Korean syllables that begins at a place, and whether it is ranged."""
    digits = _SINO_KOREAN if text[start] in _SINO_KOREAN or text[start] in "십백천" else _CJK_DIGITS
    total = group = digit = 0
    position = start
    seen = ranged = False
    while position < len(text) and position - start < MAX_CJK_CHARS:
        c = text[position]
        if c in digits:
            if seen and digit:
                ranged = digits is _CJK_DIGITS and digits[c] == digit + 1
                position += ranged
                while ranged and text[position : position + 1] in _CJK_SCALES:
                    position += 1  # 三四十, "30 or 40"
                break
            digit, seen = digits[c], True
        elif c in _CJK_SCALES and (c in "十百千拾佰仟") == (digits is _CJK_DIGITS):
            group += max(digit, 1) * _CJK_SCALES[c]
            digit, seen = 0, True
        elif c in _MYRIADS and seen:
            total += max(group + digit, 1) * _MYRIADS[c]
            group = digit = 0
        else:
            break
        position += 1
    if not seen:
        return None
    if digit and group and not ranged and digits is _CJK_DIGITS and text[position - 2] in _TENTHS:
        digit *= _TENTHS[text[position - 2]]  # 一百五 is 150
    value = Fraction(total + group + digit)
    point = _CJK_POINT.match(text, position)
    if point and point.end() < len(text) and text[point.end()] in digits:
        place = Fraction(1, 10)
        position = point.end()
        while position < len(text) and text[position] in digits:
            value, place, position = value + digits[text[position]] * place, place / 10, position + 1
    return value, position, ranged


def _combined(text: str, words: Sequence[Word], i: int, at: Numerals) -> tuple[Fraction, int] | None:
    """A number of one or several words: "twenty-four", "treinta y cinco", "خمسة وعشرون", "two and three quarters"."""
    added = _with_half(words, i, at)
    if added is not None:
        return added
    first = _first(text, words, i, at)
    if first is None:
        return None
    value, end, k = _whole(text, words, i, first, at)
    return _decimal(text, words, k, value, end, at) or _in_shares(text, words, k, value, end, at) or (value, end)


def _with_half(words: Sequence[Word], i: int, at: Numerals) -> tuple[Fraction, int] | None:
    """A number behind Hindi's "a half more", "a quarter more" or "a quarter less"."""
    added = _ADDED.get(words[i].folded)
    if added is None or i + 1 == len(words):
        return None
    counted = _value(words[i + 1], at)
    if counted is not None:
        return counted[0] + added, counted[1]
    if re.fullmatch(r"[0-9]+", words[i + 1].folded):
        return int(words[i + 1].folded) + added, words[i + 1].end
    return None


def _first(text: str, words: Sequence[Word], i: int, at: Numerals) -> tuple[Fraction, int] | None:
    """The number with which a longer one begins: a numeral, or "a hundred", "a quarter"."""
    known = _value(words[i], at)
    if known is not None:
        return known
    if i and words[i - 1].folded not in _ARTICLES:
        return None
    scale = _SCALES.get(words[i].folded)
    if scale is not None:
        return Fraction(scale), words[i].end
    unit = _OF_A.match(text, words[i].end) if words[i].folded == "quarter" else None
    return (Fraction(1, 4), unit.end()) if unit else None


def _whole(
    text: str, words: Sequence[Word], i: int, first: tuple[Fraction, int], at: Numerals
) -> tuple[Fraction, int, int]:
    """A whole number of several words, where it ends, and the place of the word behind it."""
    group, end = first
    total = Fraction(0)
    k = i + 1
    while k < len(words) and words[k].start < end:
        k += 1
    while k < len(words) and _GAP.fullmatch(text[end : words[k].start]):
        word = words[k]
        multiplier = _SCALES.get(word.folded)
        if multiplier is not None and (word.start not in at or (multiplier == 100 and 1 < group < 10)):
            if multiplier >= 1000:
                total, group = total + group * multiplier, Fraction(0)
            else:
                group *= multiplier
            end, k = word.end, k + 1
            continue
        following, step = _behind_joint(text, words, k, at)
        if following is None:
            break
        small, behind = following
        if _goes_with(total, group, small, bare=word.folded.startswith("و") and word.start in at):
            group += small
        elif group == 4 and small == 20 and words[i].folded == "quatre":
            group = Fraction(80)
        else:
            break
        end, k = behind, step
    return total + group, end, k


def _behind_joint(text: str, words: Sequence[Word], k: int, at: Numerals) -> tuple[tuple[Fraction, int] | None, int]:
    """The number at a word or behind an "and" there, and the place of the word behind it."""
    if words[k].folded in _JOINING and k + 1 < len(words) and _GAP.fullmatch(text[words[k].end : words[k + 1].start]):
        return _value(words[k + 1], at), k + 2
    return _value(words[k], at), k + 1


def _goes_with(total: Fraction, group: Fraction, small: Fraction, *, bare: bool) -> bool:
    """Check whether a smaller number is added to the one before it: 4 to 20. Arabic says the ones first."""
    tens = group % 100
    return bool(
        (total and not group)
        or (small > 10 and bare and group < 10)
        or (group >= 20 and tens % 10 == 0 and 0 < small < (10 if tens else 100))
        or (group in (60, 80) and 10 <= small < 20)
    )


def _decimal(
    text: str, words: Sequence[Word], k: int, value: Fraction, end: int, at: Numerals
) -> tuple[Fraction, int] | None:
    """A number with the digits behind "point"."""
    if k + 1 >= len(words) or words[k].folded not in _DECIMAL or not _GAP.fullmatch(text[end : words[k].start]):
        return None
    following = _value(words[k + 1], at)
    if following is None or not 0 <= following[0] < 100:
        return None
    digits = int(following[0])
    return value + Fraction(digits, 10 ** len(str(digits))), following[1]


def _in_shares(
    text: str, words: Sequence[Word], k: int, value: Fraction, end: int, at: Numerals
) -> tuple[Fraction, int] | None:
    """A number of quarters or the like, alone or behind a whole: "three quarters of a", "two and three quarter"."""
    whole = Fraction(0)
    if k + 2 < len(words) and words[k].folded in _JOINING and words[k + 2].folded in _SHARES:
        counted = _value(words[k + 1], at)
        if counted is None and words[k + 1].folded in _ARTICLES:
            counted = Fraction(1), words[k + 1].end
        if counted is None:
            return None
        whole, value, end, k = value, *counted, k + 2
    if k >= len(words) or words[k].folded not in _SHARES or not _GAP.fullmatch(text[end : words[k].start]):
        return None
    behind = words[k].end
    unit = _OF_A.match(text, behind)
    if not whole and unit is None and text[behind : behind + 4] != " met":
        return None  # "two quarters" are two
    return whole + value / _SHARES[words[k].folded], unit.end() if unit else behind


def _value(word: Word, at: Numerals) -> tuple[Fraction, int] | None:
    """The number that a single word is, and where it ends; German ones say the ones first."""
    known = at.get(word.start)
    if known is not None:
        return known
    german = _GERMAN.fullmatch(word.folded)
    if german is None:
        half = _GERMAN_HALF.fullmatch(word.folded)
        return (_GERMAN_ONES.index(half[1]) + Fraction(3, 2), word.end) if half else None
    ones, tens = _GERMAN_ONES.index(german[1]) + 1, _GERMAN_TENS.index(german[2]) + 2
    return Fraction(10 * tens + ones), word.end
