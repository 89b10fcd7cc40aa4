"""Finding the quantities that a text states: digits, number words, fractions, ranges, with their units."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from fractions import Fraction

from tolman.items import Unit
from tolman.scoring.units import to_item_unit, unit_after

_BELOW_TWENTY = (
    "zero one two three four five six seven eight nine ten "
    "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_SMALL = {word: value for value, word in enumerate(_BELOW_TWENTY.split())}
_DECADES = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: value for value, word in zip(range(20, 100, 10), _DECADES.split(), strict=True)}
_SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000}
_NUMBER_WORD = "|".join(sorted([*_SMALL, *_TENS, *_SCALES], key=len, reverse=True))

_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+,[0-9]+(?![0-9,])|[0-9]*\.[0-9]+|[0-9]+)"
_WORDS = rf"(?:{_NUMBER_WORD})"
_TOKEN = re.compile(
    # Times, dates, versions and lists without spaces: digits that are no quantity.
    r"(?P<junk>(?<![\w.])(?:[0-9]+(?::[0-9]{2})+(?![0-9])|[0-9]+[-/][0-9]+[-/][0-9]+|[0-9]+(?:\.[0-9]+){2,}"
    r"|(?![0-9]{1,3}(?:,[0-9]{3})+(?![0-9,]))[0-9]+(?:,[0-9]+){2,}))"
    r"|(?<![\w.,/\\#@&^-])(?P<mixed>[0-9]{1,6}[ ])?(?P<over>[0-9]{1,6})[ ]?[/⁄][ ]?(?P<under>[0-9]{1,6})(?![\w/])"
    rf"|(?<![\w\\#@&.^])(?<![A-Za-z]-)(?P<digits>{_DIGITS})(?P<exponent>[eE][+-]?[0-9]{{1,2}}(?![\w]))?"
    r"|(?<![\w-])(?P<words>(?:half|quarter)[ ]+(?:of[ ]+)?an?(?:[ ]+dozen)?"
    rf"|(?:an?[ ]+(?=hundred|thousand|dozen))?{_WORDS}(?:(?:[ -]+|[ ]+and[ ]+){_WORDS})*(?:[ ]+point(?:[ ]+{_WORDS})+)?"
    r"(?:[ ]+and[ ]+a[ ]+(?:half|quarter))?)(?![\w])",
    re.IGNORECASE,
)
_LABEL_BEFORE = re.compile(
    r"(?:\b(?:frames?|steps?|images?|pictures?|figures?|fig\.?|questions?|options?|scenes?|rooms?|lines?|pages?|version"
    r"|codes?|errors?|status|https?|cameras?|cam|videos?|clips?|tables? no\.?|no\.|section|ids?|iphone|gpt|model|layer)"
    r"|#)[ ]*[:#]?[ ]*$",
    re.IGNORECASE,
)
_BOUND_BEFORE = re.compile(
    r"(?:\b(?:at (?:least|most)|(?:more|less|fewer|greater|larger|smaller|bigger|longer|shorter) than|over|under|above"
    r"|below|up to|no (?:more|less|fewer) than|minimum(?: of)?|maximum(?: of)?|exceeds?|exceeding)|[<>≤≥])[ ]*$",
    re.IGNORECASE,
)
_BOUND_BEHIND = re.compile(r"\+|[ ]+(?:or|and) (?:more|less|fewer|above|below|over)\b", re.IGNORECASE)
_NEGATED_BEFORE = re.compile(r"\b(?:not|isn't|aren't|rather than|instead of|never)[ ]+$", re.IGNORECASE)
_BETWEEN_BEFORE = re.compile(r"\b(?:between|from)[ ]+$", re.IGNORECASE)
_RANGE_GAP = re.compile(r"^[ ]*(?:-|–|—|~|to|or|till|until)[ ]*$", re.IGNORECASE)
_AND_GAP = re.compile(r"^[ ]+(?:and|to)[ ]+$", re.IGNORECASE)
_PRODUCT_GAP = re.compile(r"^[ ]*(?:x|×|\*|\\times|by|\+|÷)[ ]*$", re.IGNORECASE)
_TOLERANCE_GAP = re.compile(r"^[ ]*(?:±|\+/-|\\pm|plus or minus)[ ]*$", re.IGNORECASE)
_PRONOUN_ONE = re.compile(
    r"(?:^|\b(?:is|are|only|just|exactly|answer|about|approximately|has|have|see|count|:|=)[ :]*)$", re.IGNORECASE
)
_QUOTES = ("'", '"', "''", "′", "″")
_MAX_DIGITS = 40


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that a text states, in the item's unit.

    Attributes:
        value: exact.
        has_unit: whether the text wrote a unit of the item's kind behind it.
        note: 'range' or 'bound' where the text gives no single number; else empty.
        start, end: where it stands.
    """

    value: Fraction
    has_unit: bool
    note: str
    start: int
    end: int


@dataclass(slots=True)
class _Token:
    value: Fraction
    start: int
    end: int  # behind the unit
    kind: str  # 'length', 'area', 'foreign', or '' for none
    factor: Fraction
    note: str = ""
    dropped: bool = False


def quantities(text: str, unit: Unit | None) -> list[Quantity]:
    """All quantities in a text that could answer a question in the given unit.

    Left out are numbers inside words and names ("GPT-4", "3rd", "scene0025"), times, dates, versions, labels
    ("frame 12", "step 2"), list numbering, factors of a product ("4 m x 5 m"), negated numbers, and quantities
    of another kind (an area where a length is asked).

    Args:
        text: any text; superscript digits are understood.
        unit: the item's.
    """
    text = text.replace("²", "^2").replace("³", "^3").replace("−", "-").replace("\u202f", "\u00a0")
    text = re.sub(r"(?<=[0-9])\u00a0(?=[0-9]{3}(?![0-9]))", ",", text).replace("\u00a0", " ")
    tokens = _merge_compounds(_tokens(text), text)
    _mark_relations(tokens, text)
    found = []
    for token in tokens:
        if token.dropped:
            continue
        if not token.kind:
            value: Fraction | None = token.value
        else:
            value = to_item_unit(token.value, token.kind, token.factor, unit)
        if value is not None:
            found.append(Quantity(value, bool(token.kind), token.note, token.start, token.end))
    return found


def _tokens(text: str) -> list[_Token]:
    numbering = _list_numbering(text)
    tokens: list[_Token] = []
    for match in _TOKEN.finditer(text):
        if match["junk"] is not None or match.end() == match.start() or match.start() in numbering:
            continue
        value = _value(match)
        if value is None:
            continue
        start, end = match.span()
        before = text[max(0, start - 40) : start]
        if value >= 0 and match["digits"] is not None and _is_sign(text, start - 1):
            value, start, before = -value, start - 1, before[:-1]
        unit = unit_after(text, end)
        if unit and text[end : unit[2]] in _QUOTES and before.endswith(text[end]):
            unit = None  # a number in quotes, not in feet or inches
        if unit is None and end < len(text) and text[end].isalpha():
            continue  # "3rd", "2D", "4K"
        if _LABEL_BEFORE.search(before) and unit is None:
            continue
        if match["words"] is not None and unit is None:
            words = match["words"].lower()
            if words == "one" and not _PRONOUN_ONE.search(before):
                continue  # "the one on the left"
            if words.startswith(("half", "quarter")) and "dozen" not in words:
                continue  # "half a chair"
        kind, factor, unit_end = unit if unit else ("", Fraction(1), end)
        token = _Token(value, start, unit_end, kind, factor)
        if _NEGATED_BEFORE.search(before):
            token.dropped = True
        elif _BOUND_BEFORE.search(before) or _BOUND_BEHIND.match(text, unit_end):
            token.note = "bound"
        tokens.append(token)
    return tokens


def _is_sign(text: str, position: int) -> bool:
    """Whether the character there is a minus sign of the number behind it, not a hyphen or a dash."""
    if position < 0 or text[position] != "-":
        return False
    return position == 0 or text[position - 1] in " \t\n(=:≈[{`*$"


def _list_numbering(text: str) -> set[int]:
    """Where the numbers of a numbered list stand (at least two lines, counting up from 1)."""
    starts = [(int(m[1]), m.start(1)) for m in re.finditer(r"(?m)^[ \t]*([0-9]{1,2})[.)][ \t]+(?=\S)", text)]
    in_order = [s for i, s in enumerate(starts) if s[0] == i + 1]
    return {position for _, position in in_order} if len(in_order) >= 2 else set()


def _value(match: re.Match[str]) -> Fraction | None:
    if match["over"] is not None:
        if int(match["under"]) == 0:
            return None
        return Fraction(int(match["over"]), int(match["under"])) + int(match["mixed"] or 0)
    if match["digits"] is not None:
        digits = match["digits"]
        if len(digits) > _MAX_DIGITS:
            return None
        if re.fullmatch(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?", digits):
            digits = digits.replace(",", "")
        return Fraction(digits.replace(",", ".") + (match["exponent"] or ""))
    return _value_of_words(match["words"].lower())


def _value_of_words(phrase: str) -> Fraction | None:
    half = Fraction(0)
    share = re.match(r"(half|quarter)[ ]+(?:of[ ]+)?an?\b", phrase)
    if share:
        part = Fraction(1, 2) if share[1] == "half" else Fraction(1, 4)
        return part * 12 if "dozen" in phrase else part
    tail = re.search(r"[ ]+and[ ]+a[ ]+(half|quarter)$", phrase)
    if tail:
        half, phrase = Fraction(1, 2) if tail[1] == "half" else Fraction(1, 4), phrase[: tail.start()]
    phrase, _, decimals = phrase.partition(" point ")
    total = group = 0
    last = 0
    for word in re.split(r"[ -]+", phrase):
        if word in _SMALL:
            if 0 < last < 20:
                return None  # "two three": a list, not a number
            last = _SMALL[word]
            group += last
        elif word in _TENS:
            if 0 < last < 100:
                return None
            last = _TENS[word]
            group += last
        elif word in ("dozen", "hundred"):
            last = _SCALES[word]
            group = max(group, 1) * last
        elif word == "thousand":
            total, group, last = total + max(group, 1) * 1000, 0, 1000
    value = Fraction(total + group) + half
    for place, word in enumerate(decimals.split(), start=1):
        if word not in _SMALL or _SMALL[word] > 9:
            return None
        value += Fraction(_SMALL[word], 10**place)
    return value


def _merge_compounds(tokens: list[_Token], text: str) -> list[_Token]:
    """Join "5 feet 10 inches" and "2 m 30 cm" into one quantity."""
    merged: list[_Token] = []
    for token in tokens:
        previous = merged[-1] if merged else None
        if (
            previous
            and previous.kind == token.kind == "length"
            and token.factor < previous.factor
            and re.fullmatch(r"[ ]*(?:,|and)?[ ]*", text[previous.end : token.start])
            and 0 <= token.value * token.factor < previous.factor
        ):
            previous.value += token.value * token.factor / previous.factor
            previous.end = token.end
        else:
            merged.append(token)
    return merged


def _mark_relations(tokens: list[_Token], text: str) -> None:
    """Mark ranges, and drop factors of products and tolerances, by what stands between two numbers."""
    for left, right in itertools.pairwise(tokens):
        gap = text[left.end : right.start]
        if _TOLERANCE_GAP.match(gap):
            right.dropped = True
        elif _RANGE_GAP.match(gap) or (
            _AND_GAP.match(gap) and _BETWEEN_BEFORE.search(text[max(0, left.start - 12) : left.start])
        ):
            left.note = right.note = "range"
            if not left.kind:
                left.kind, left.factor = right.kind, right.factor
        elif _PRODUCT_GAP.match(gap):
            left.dropped = right.dropped = True
