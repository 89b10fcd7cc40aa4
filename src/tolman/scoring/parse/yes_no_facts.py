"""Facts that a sentence states against a question for yes or no: another place, colour or number, or an ability."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from tolman.scoring.parse.asked import Asked, names_any
from tolman.scoring.parse.lexicon import Languages, Word, same_word, words_of
from tolman.scoring.parse.numerals import spelled_numbers
from tolman.scoring.parse.response_segments import Segment
from tolman.scoring.parse.units import unit_after

MAX_ECHO_WORDS = 7
"""Words of a short answer, at most."""
MAX_PLACE_WORDS = 6
"""Words of a place, at most: "on top of the big table"."""
PRONOUNS = frozenset((
    "it", "they", "he", "she", "this", "that", "both", "es", "sie", "er", "il", "elle", "ils", "elles"
))  # fmt: skip
ASKS_EXISTENCE = re.compile(
    r"\b(?:is|are|was|were)[ ]there\b|\b(?:can|could|do|does)[ ](?:you|one|we)[ ](?:see|find)\b", re.IGNORECASE
)
_PLACE = re.compile(
    r"\b(?:(?P<on>on top of|on|upon)|(?P<inside>in|inside|within)|(?P<under>under|underneath|beneath|below)"
    r"|(?P<beside>beside|next to|near|alongside)|(?P<behind>behind)|(?P<front>in front of))[ ]"
    r"(?P<what>(?:the|a|its|his|her|that|this)\b[ ])?(?P<of>\w+)",
    re.IGNORECASE,
)
"""Places that exclude each other: a cup that is beside a saucer isn't on it."""
_PLACE_NAMES = ("on", "inside", "under", "beside", "behind", "front")
_STANDS = frozenset(("sits", "stands", "lies", "hangs", "rests", "leans", "actually", "lying", "sitting", "standing"))


def elsewhere(segment: Segment, text: str, asked: Asked) -> bool | None:
    """The verdict of a sentence that puts the thing asked about at another place: "it's beside it"."""
    wanted = _PLACE.search(asked.question)
    said = _PLACE.search(text, segment.start, segment.end)
    further = _PLACE.search(text, said.end(), segment.end) if said else None
    if wanted is None or said is None or (further and not further["beside"]) or (further and said["beside"]):
        return None  # "near the bus, right behind it"
    noun = said["of"].casefold()
    anchor = same_word(noun, wanted["of"].casefold()) or noun in ("it", "them")
    if not anchor and not (wanted["on"] or wanted["under"] or wanted["inside"]):
        return None
    before = [w for w in segment.words if w.end <= said.start()]
    thing = [w.folded for w in words_of(asked.question[: wanted.start()])]
    about = before and all(
        w.folded.partition("'")[0] in PRONOUNS or w.folded in segment.language.skip | _STANDS or w.folded in thing
        for w in before
    )
    place, other = ({k for k in _PLACE_NAMES if m[k]} for m in (said, wanted))
    near = bool(further and further["beside"])
    named = names_any(segment.words, frozenset({wanted["of"].casefold()}))
    if segment.having("negate", "suppose") or (not anchor and (noun in asked.words or (named and not near))):
        return None
    return False if about and (place != other or not anchor) else None


def has_place_asked(segment: Segment, text: str, asked: Asked) -> bool:
    """Check whether a sentence names the place that a question names: "on the table" is none "next to the table"."""
    wanted = _PLACE.search(asked.question)
    if wanted is None or asked.poles or ASKS_EXISTENCE.search(asked.question):
        return True  # "the kitchen has a window"
    place = next(k for k in _PLACE_NAMES if wanted[k])
    for said in _PLACE.finditer(text, segment.start, segment.end):
        behind = [w.folded for w in segment.words if w.start >= said.start()][:MAX_PLACE_WORDS]
        if said[place] and any(w in ("it", "them") or same_word(w, wanted["of"].casefold()) for w in behind):
            return True
    return False


_CLASSES = (
    {"red", "blue", "green", "yellow", "white", "black", "brown", "grey", "orange", "pink", "purple", "beige"},
    {"round", "square", "rectangular", "oval", "triangular", "hexagonal"},
    {"wooden", "metal", "plastic", "glass", "leather", "stone", "concrete", "brick", "marble", "ceramic"},
)
"""Qualities of which a thing has one."""


def of_class(segment: Segment, text: str, asked: Asked) -> bool | None:
    """The verdict of a sentence that gives the thing another colour, shape or material: "rectangular", "it is red"."""
    asked_for = {w.folded for w in words_of(asked.question)}
    said = {w.folded for w in segment.words}
    for members in _CLASSES:
        wanted = asked_for & members
        if len(wanted) != 1 or wanted & said or not said & members or segment.having("negate", "contrast", "suppose"):
            continue
        if words_of(asked.question)[-1].folded in wanted and len(said) <= MAX_ECHO_WORDS:
            return False
        stated = _HAS_QUALITY.search(text, segment.start, segment.end)
        before = [w for w in segment.words if stated and w.end <= stated.start()]
        thing = frozenset(asked.words) - members
        if stated and stated[1].casefold() in members and not _TWO_THINGS.search(asked.question):
            return False if names_any(before, thing) or (before and before[-1].folded in PRONOUNS) else None
    return None


_HAS_QUALITY = re.compile(
    r"\b(?:is|are|was|were|looks?|shows)[ ](?:clearly[ ]|plainly[ ]|actually[ ])?(\w+)\b", re.IGNORECASE
)
_TWO_THINGS = re.compile(r"\b(?:or|than|both)\b", re.IGNORECASE)


_ASKS_ABILITY = re.compile(
    r"\A(?:can|could|will|would|does|do|is it possible)\b|\b(?:fit|enough|able)\b", re.IGNORECASE
)
_UNABLE = re.compile(
    r"\A(?:(?:it|he|she|that|this|they)(?:['’]s|[ ](?:is|are|would be))[ ])?(?:much[ ]|far[ ]|way[ ])?too[ ]"
    r"(?:narrow|wide|big|large|bulky|thick|small|tight|tall|high|low|short|long|deep|heavy|far|close)[ .!]*\Z"
    r"|\b(?:far[ ]|much[ ]|way[ ])?too[ ]\w+[ ]to[ ](?:go|fit|pass|slide|get|reach|squeeze|enter)\b"
    r"|\bout of (?:[\w'’]+[ ]){0,3}reach\b"
    r"|\b(?:impossible|not possible|no way)\b|\bnot[ ]fits\b|\b(?:gets?|be|is)[ ]stuck\b|\b(?:sticks|stays)[ ]out\b"
    r"|\b(?:(?:would|will|does|do|could)(?:n['’]t|[ ]not)|can['’]t|can ?not|won['’]t)[ ]"
    r"(?:fit|work|go|pass|get|squeeze)\b",
    re.IGNORECASE,
)
_ABLE = re.compile(
    r"\b(?:plenty of|enough)[ ](?:room|space|clearance)\b|\b(?:room|space) to spare\b"
    r"|\b(?:(?:would|will)[ ](?:\w+[ ])?fit|it[ ]fits)\b",
    re.IGNORECASE,
)


def asks_ability(question: str) -> bool:
    """Check whether a question asks if something can be done: "does it fit?"."""
    return _ASKS_ABILITY.search(question) is not None


def able(segment: Segment, text: str, asked: Asked) -> bool | None:
    """The verdict of a sentence that says whether something can be done: "too narrow", "plenty of room"."""
    if not asks_ability(asked.question):
        return None
    part = text[segment.start : segment.end].strip(" *_`\"'")
    if _UNABLE.search(part):
        return False
    return True if _ABLE.search(part) and not segment.having("negate", "absent", "contrast") else None


_THRESHOLD = re.compile(
    r"\b(?:(?P<more>more than|greater than|mehr als|plus de|más de|mais de|больше)"
    r"|(?:fewer than|less than|weniger als|moins de|menos de|меньше))[ ](?P<number>[\w-]+)"
    r"|\bat[ ](?P<ends>least|most)[ ](?P<end>[\w-]+)",
    re.IGNORECASE,
)
_COUNTING = frozenset(("exactly", "only", "just", "see", "count", "there's", "can", "we", "them", "here", "precisely"))
"""Words beside a number that say that it is a count."""


def by_threshold(segment: Segment, text: str, asked: Asked) -> bool | None:
    """The verdict of a number on "more than one", "at least three"."""
    bound = _THRESHOLD.search(asked.question)
    if bound is None:
        return None
    language = segment.language
    numbers = _numbers(text, segment.words, language)
    counted = {_with_unit(value, text, end, language) for end, value in numbers.items()}
    written = bound["number"] or bound["end"]
    limits = list(_numbers(written, words_of(written), language).values())
    if len(limits) != 1 or len(counted) != 1 or segment.having("negate"):
        return None
    about = any(same_word(w.folded, a) for w in segment.words for a in asked.words)
    if not about and any(w.folded not in language.skip | _COUNTING for w in segment.words if w.end not in numbers):
        return None
    kind, number = _with_unit(limits[0], asked.question, bound.end(), language)
    ((other, value),) = counted
    if other != kind or kind == "foreign":
        return None
    if bound["ends"]:
        return value >= number if bound["ends"].casefold() == "least" else value <= number
    return value > number if bound["more"] else value < number


def _with_unit(value: Fraction, text: str, end: int, language: Languages) -> tuple[str, Fraction]:
    """The kind of a number's unit, empty without one, and the number in metres or square metres."""
    unit = unit_after(text, end, language)
    return (unit[0], value * unit[1]) if unit else ("", value)


def has_other_number(segment: Segment, text: str, asked: Asked) -> bool:
    """Check whether a sentence names a number that the question, which names one too, doesn't."""
    own = _numbers(asked.question, words_of(asked.question), segment.language)
    said = _numbers(text, segment.words, segment.language)
    return bool(own) and any(number not in own.values() for number in said.values())


_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def _numbers(text: str, words: Sequence[Word], language: Languages) -> dict[int, Fraction]:
    """Numbers in words or digits, by the place where they end."""
    found = {s.end: s.value for s in spelled_numbers(text, words, language)}
    return found | {w.end: Fraction(w.folded) for w in words if _NUMBER.fullmatch(w.folded)}
