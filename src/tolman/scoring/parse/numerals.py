"""Numbers in words, in several languages and scripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.plain import fold
from tolman.scoring.parse.words import Word

_JOINING = {"and", "y", "e", "et", "und", "و"}
_SCALES = {
    "hundred": 100,
    "thousand": 1000,
    "dozen": 12,
    "docena": 12,
    "douzaine": 12,
    "dutzend": 12,
    "duzia": 12,
    "дюжина": 12,
    "mil": 1000,
    "mille": 1000,
    "tausend": 1000,
    "тысяча": 1000,
    "тысячи": 1000,
    "тысяч": 1000,
    "الف": 1000,
    "हजार": 1000,
    "सौ": 100,
    "cent": 100,
    "cents": 100,
    "hundert": 100,
}
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
_CJK_POINT = re.compile(r"[点點・]| ?점 ?")
_GAP = re.compile(r"[ \t-]*")

MAX_CJK_CHARS = 12
"""Characters of a number in Chinese characters or Sino-Korean syllables, at most."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number in words.

    Attributes:
        value: of the number.
        start, end: where it stands.
        cjk: whether it is written with one character for each digit.
        ranged: it stands for itself or the next: 二十六七, "26 or 27".
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


def _combined(
    text: str, words: Sequence[Word], i: int, at: dict[int, tuple[Fraction, int]]
) -> tuple[Fraction, int] | None:
    """A number of one or several words: "twenty-four", "treinta y cinco", "خمسة وعشرون"."""
    added = _ADDED.get(words[i].folded)
    if added is not None and i + 1 < len(words):
        counted = _value(words[i + 1], at)
        if counted is not None:
            return counted[0] + added, counted[1]
        if re.fullmatch(r"[0-9]+", words[i + 1].folded):
            return int(words[i + 1].folded) + added, words[i + 1].end
    first = _value(words[i], at)
    if first is None:
        scale = _SCALES.get(words[i].folded)
        if scale is None or (i and words[i - 1].folded not in _ARTICLES):
            return None
        first = Fraction(scale), words[i].end
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
        bare = word.folded.startswith("و") and word.start in at
        if word.folded in _JOINING and k + 1 < len(words) and _GAP.fullmatch(text[word.end : words[k + 1].start]):
            following = _value(words[k + 1], at)
            step = k + 2
        else:
            following = _value(word, at)
            step = k + 1
        if following is None:
            break
        small, behind = following
        tens = group % 100
        if (
            (total and not group)
            or (small > 10 and bare and group < 10)
            or (group >= 20 and tens % 10 == 0 and 0 < small < (10 if tens else 100))
            or (group in (60, 80) and 10 <= small < 20)
        ):  # Arabic says the ones first
            group += small
        elif group == 4 and small == 20 and words[i].folded == "quatre":
            group = Fraction(80)
        else:
            break
        end, k = behind, step
    value = total + group
    if k + 1 < len(words) and words[k].folded in _DECIMAL and _GAP.fullmatch(text[end : words[k].start]):
        following = _value(words[k + 1], at)
        if following is not None and 0 <= following[0] < 100:
            digits = int(following[0])
            return value + Fraction(digits, 10 ** len(str(digits))), following[1]
    return value, end


def _value(word: Word, at: dict[int, tuple[Fraction, int]]) -> tuple[Fraction, int] | None:
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
