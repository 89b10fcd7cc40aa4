"""Texts of an item's options, prepared so that they can be found in a response.

In scripts whose words have endings or no spaces, parts of an option's text that no other option has name it too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from tolman.items import Unit
from tolman.scoring.parse.lexicon import Languages, is_inside, longest, same_word, words_of
from tolman.scoring.parse.option_mentions import Mention
from tolman.scoring.parse.option_sequences import routes_of
from tolman.scoring.parse.plain_text import fold, without_markup
from tolman.scoring.parse.quantities import quantities
from tolman.scoring.parse.response_segments import Segment

ARTICLES = (
    {"the", "a", "an"}
    | {"le", "la", "les", "un", "une", "l"}
    | {"der", "die", "das", "ein", "eine"}
    | {"el", "los", "las", "una"}
    | {"o", "os", "as", "um", "uma"}
)
"""Words that are left out in front of an option, and may be left out or put in within it."""

_PICTURES = frozenset(
    fold(word)
    for words in (
        ("image", "picture", "photo", "frame", "figure", "view"),
        ("imagen", "foto", "fotografia", "vista", "imagem"),
        ("bild", "aufnahme"),
        ("изображение", "фото", "снимок", "картинка", "кадр"),
        ("الصورة", "صورة"),
        ("तस्वीर", "चित्र", "छवि"),
        ("图", "圖", "张", "幅", "片", "写", "真", "画", "像", "枚", "目"),
        ("사", "진", "그", "림", "이", "미", "지"),
    )
    for word in words
)
COMPASS_LETTERS = {
    "n": "north", "s": "south", "e": "east", "w": "west", "ne": "northeast", "nw": "northwest", "se": "southeast",
    "sw": "southwest",
}  # fmt: skip
COMPASS = frozenset(("north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest"))
DIRECTIONS = COMPASS | frozenset((
    "left", "right", "front", "straight", "back", "above", "below", "near", "far", "clockwise", "counterclockwise"
))  # fmt: skip
"""Concepts that say where something is or moves."""
_SPECIAL = frozenset(("same", "still", "none"))
"""Concepts that name an option whatever else it says."""
MAX_SHORT_OPTION = 8
"""Words of an option, or characters without spaces, that is known by its direction, at most."""
_COMPASS = {frozenset({a, b}): a + b for a in ("north", "south") for b in ("east", "west")}
_STRAIGHT_QUOTE = {0x2019: "'"}


@dataclass(frozen=True, eq=False)
class OptionTexts:
    """The options' texts, prepared for finding them.

    Attributes:
        texts: as they are written.
        folded: each as words that are compared, without articles in front; empty where another option has the same.
        keys: for each the words that distinguish it from the others; empty where none do.
        concepts: for each the concepts it consists of, where it consists of nothing else.
        loose: options known by one concept, "the same", among other words.
        places: for options that are numbered or counted off ("Picture 3", "the third image"), the number of each.
        stems: the words that such options share.
        pictured: whether such options are pictures.
        numbered: whether each holds a number, in digits or words.
        parts: options whose words are all in two others too: "a table" next to "two tables" and "three tables".
        pieces: of each in scripts without spaces: see `pieces_of`.
        denying: options that deny something: "not moving", "there is no dog".
        asked: words of the question.
        listed: whether the question names several options itself.
    """

    texts: tuple[str, ...]
    folded: tuple[tuple[str, ...], ...]
    keys: tuple[frozenset[str], ...]
    concepts: tuple[frozenset[str], ...]
    loose: frozenset[int]
    places: tuple[int, ...]
    stems: tuple[str, ...]
    pictured: bool
    numbered: bool
    parts: frozenset[int]
    pieces: tuple[frozenset[str], ...]
    denying: frozenset[int]
    asked: frozenset[str]
    listed: bool

    @property
    def count(self) -> int:
        """Number of options."""
        return len(self.texts)


@lru_cache(maxsize=16_384)
def option_texts(options: tuple[str, ...], language: Languages, question: str = "") -> OptionTexts:
    """Prepare the options of an item.

    Args:
        options: their texts.
        language: in which they are written.
        question: of the item.

    Returns:
        All that the search for mentions needs of them.
    """
    folded = _folded(options, language.skip)
    keys = _keys(folded, language.skip)
    if routes_of(options, language):  # a part of a route names no option
        keys = [frozenset[str]()] * len(options)
    concepts = [
        (concepts_of(option, language) or concepts_of(" ".join(sorted(key)), language)) if key else frozenset[str]()
        for option, key in zip(options, keys, strict=True)
    ]
    exact = concepts
    concepts = _by_direction(options, concepts, language)
    loose = frozenset(i for i, c in enumerate(concepts) if c and not exact[i] and c <= _SPECIAL)
    shared = frozenset.intersection(*concepts)
    if all(c > shared for c in concepts):
        concepts = [c - shared for c in concepts]
    concepts = [c if concepts.count(c) == 1 else frozenset() for c in concepts]
    places, stems = _places(options, folded, language)
    words = words_of(question)
    asked = frozenset(w.folded for w in words)
    roles = {c.role for c in language.concepts.find(words, question)}
    by_words = sum(any(same_word(k, a) for k in key for a in asked) for key in keys)
    listed = by_words > 1 or sum(bool(c) and c <= roles for c in concepts) > 1
    pictured = any(stem in _PICTURES for stem in stems) or bool(places and not stems)
    return OptionTexts(
        options,
        tuple(folded),
        tuple(keys),
        tuple(concepts),
        loose,
        places,
        stems,
        pictured,
        all(_numbers(option, words, language) for option, words in zip(options, folded, strict=True)),
        _parts(folded),
        pieces_of(options),
        frozenset(i for i, option in enumerate(options) if _denies(option, language)),
        asked,
        listed,
    )


def _denies(text: str, language: Languages) -> bool:
    """Check whether an option says that something isn't so."""
    return any(c.role in DENYING for c in language.cues_of(words_of(text), text))


DENYING = ("negate", "absent", "none_of")
"""Roles of words that say that something isn't so, or isn't there."""


def _by_direction(
    options: Sequence[str], concepts: Sequence[frozenset[str]], language: Languages
) -> list[frozenset[str]]:
    """Return the concepts of the options, with those of options that hold other words too: the directions that
    distinguish short options, "the same" and the like where only one option says so."""
    found = [frozenset(c.role for c in longest(language.concepts.find(words_of(o), o))) for o in options]
    sides = [roles & DIRECTIONS for roles in found]
    short = all(len(words_of(option)) <= MAX_SHORT_OPTION for option in options)
    if not all(concepts) and short and all(sides) and len(set(sides)) == len(sides):
        return [own or side for own, side in zip(concepts, sides, strict=True)]
    result = []
    for own, roles in zip(concepts, found, strict=True):
        special = frozenset(r for r in roles & _SPECIAL if sum(r in other for other in found) == 1)
        result.append(own or (special if len(special) == 1 else frozenset()))
    return result


def _folded(options: Sequence[str], skip: frozenset[str]) -> list[tuple[str, ...]]:
    """Each option as words that are compared; none for options that come to the same: "K < 0" and "K > 0"."""
    folded = []
    named = len({option.strip()[:2] for option in options}) > 1
    for option in options:
        words = [word.folded for word in words_of(without_markup(option.translate(_STRAIGHT_QUOTE)))]
        letter = named and re.match(r"\s*[A-Z]\b", option) is not None  # "A is closer", beside "B is closer"
        while len(words) > 1 and words[0] in ARTICLES and not letter and not skip.issuperset(words[1:]):
            words = words[1:]
        folded.append(tuple(words))
    return [words if folded.count(words) == 1 else () for words in folded]


def _parts(folded: Sequence[tuple[str, ...]]) -> frozenset[int]:
    """Return the options whose words are all in at least two others."""
    return frozenset(
        i
        for i, words in enumerate(folded)
        if words
        and sum(all(any(same_word(w, o) for o in other) for w in words) for other in folded if other != words) > 1
    )


def _keys(folded: Sequence[tuple[str, ...]], skip: frozenset[str]) -> list[frozenset[str]]:
    """For each option the words that no other option has; where there are none, those that not all have."""
    bags = [frozenset(w for w in words if w not in skip) or frozenset(words) for words in folded]
    common = frozenset.intersection(*bags)
    keys = []
    for i, bag in enumerate(bags):
        rest = bag - common
        others = frozenset[str]().union(*(b for j, b in enumerate(bags) if j != i))
        keys.append((rest - others) or rest)
    return keys


def _places(
    options: Sequence[str], folded: Sequence[tuple[str, ...]], language: Languages
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The numbers of options that differ in a number or an ordinal alone, and the words that they share."""
    places: list[int] = []
    shared: frozenset[str] | None = None
    pure = True
    for option, words in zip(options, folded, strict=True):
        numbers = _numbers(option, words, language)
        if len(numbers) != 1:
            return (), ()
        places.append(numbers[0])
        rest = frozenset(
            w
            for w in words
            if not w.isdecimal() and len(words) > 1 and (len(w) > 1 or not w.isascii()) and w not in language.skip
        )
        shared = rest if shared is None else shared & rest
        ordinals = language.ordinals.find(words_of(option), option)
        pure = pure and all(w.folded in language.skip or is_inside(w, ordinals) for w in words_of(option))
    if len(set(places)) < len(places) or not (shared or pure):
        return (), ()
    return tuple(places), tuple(shared or ())


def _numbers(option: str, words: tuple[str, ...], language: Languages) -> list[int]:
    """The numbers in an option: digits or a letter behind a word, ordinals; numerals where there are no others."""
    numbers = [int(w) for w in words if w.isdecimal() and len(w) < 3]
    lettered = len(words) > 1 and len(words[-1]) == 1 and words[-1].isascii() and words[-1].isalpha()
    if lettered and option.rstrip()[-1:].isupper():
        numbers = [ord(words[-1]) - ord("a") + 1]
    listed = words_of(option)
    numbers += [int(c.role) for c in language.ordinals.find(listed, option) if int(c.role) > 0]
    if numbers:
        return sorted(set(numbers))
    numerals = (Fraction(c.role) for c in language.numerals.find(listed, option))
    return [int(value) for value in numerals if value.denominator == 1]


def concepts_of(text: str, language: Languages) -> frozenset[str]:
    """Find the concepts that a text consists of.

    Args:
        text: of an option.
        language: of the text.

    Returns:
        Their names; empty if the text holds a word that is no concept and carries something.
    """
    words = words_of(text.translate(_STRAIGHT_QUOTE))
    if not words:
        return frozenset()
    if len(words) == 1 and words[0].folded in COMPASS_LETTERS and text.strip().isupper():
        return frozenset({COMPASS_LETTERS[words[0].folded]})
    if any(len(w.folded) == 1 and text[w.start].isupper() for w in words):
        return frozenset()  # "Picture A"
    cues = language.concepts.find(words, text)
    numbers = [w for w in words if w.folded.isdecimal()] if any(c.role in DIRECTIONS for c in cues) else []
    if any(not is_inside(w, [*cues, *numbers]) and w.folded not in language.skip for w in words):
        return frozenset()
    roles = {c.role for c in longest([c for c in cues if c.role not in ("image", "degree")])}
    return join_compass(frozenset(roles | {f"number {w.folded}" for w in numbers}))


def join_compass(concepts: frozenset[str]) -> frozenset[str]:
    """Put the directions between the four main ones together: north and east to northeast; straight ahead is ahead.

    Args:
        concepts: names of concepts.

    Returns:
        The names with such pairs replaced.
    """
    if {"straight", "front"} <= concepts:  # "straight ahead", "прямо перед ним"
        concepts -= {"straight"}
    for pair, name in _COMPASS.items():
        if pair <= concepts:
            concepts = (concepts - pair) | {name}
    return concepts


MAX_PIECES = 8
"""Pieces that tell an option from the others, at most; of longer options none is known by its pieces."""

_KANJI = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_PAIR = re.compile(r"(?=([\uac00-\ud7af]{2}|[\u30a0-\u30ff]{2}))")
"""Two syllables of Hangul or katakana, in which stems survive the endings that follow."""


def pieces_of(options: Sequence[str]) -> tuple[frozenset[str], ...]:
    """Find the pieces that distinguish each option from the others.

    Args:
        options: their texts.

    Returns:
        For each option its Chinese characters and pairs of other syllables that no other option has.
    """
    bags = [frozenset(_KANJI.findall(option)) | frozenset(_PAIR.findall(option)) for option in options]
    own = []
    for i, bag in enumerate(bags):
        others = frozenset[str]().union(*(b for j, b in enumerate(bags) if j != i))
        own.append(bag - others)
    return tuple(own)


def by_pieces(text: str, segment: Segment, pieces: Sequence[frozenset[str]]) -> list[Mention]:
    """Find the one option with most of its pieces in a segment that holds none of the others'.

    Args:
        text: without markup.
        segment: the part of it to look at.
        pieces: of each option.

    Returns:
        At most one weak mention: "模様のある方" for "模様の椅子" next to "無地の椅子".
    """
    if not any(pieces) or any(len(own) > MAX_PIECES for own in pieces):
        return []
    part = text[segment.start : segment.end]
    other_sense = segment.having("negate", "deny", "label", "option", "answer", "tentative")
    hits: dict[int, list[int]] = {}
    for option, own in enumerate(pieces):
        for piece in own:
            at = part.rfind(piece)
            if at >= 0:
                hits.setdefault(option, []).append(segment.start + at)
    if len(hits) != 1:
        return []
    ((option, places),) = hits.items()
    mention = Mention(option, min(places), max(places) + 1, "text", weak=True)
    if 2 * len(places) < len(pieces[option]) or is_inside(mention, other_sense):
        return []
    return [mention]


_UNITS: dict[tuple[str, Fraction], Unit] = {
    ("length", Fraction(1)): "m",
    ("length", Fraction(1, 100)): "cm",
    ("area", Fraction(1)): "m2",
    ("", Fraction(1)): "count",
}


@lru_cache(maxsize=16_384)
def values_of(options: tuple[str, ...], language: Languages) -> tuple[tuple[Fraction, ...], Unit] | None:
    """Read options as numbers.

    Args:
        options: their texts.
        language: in which they are written.

    Returns:
        The numbers and their unit; None where an option is no number or the units differ.
    """
    values: list[Fraction] = []
    units: set[tuple[str, Fraction]] = set()
    for option in options:
        words = words_of(option)
        found = quantities(option, words, language.cues_of(words, option), 0, len(option), language)
        rest = [w for w in words if not is_inside(w, found) and w.folded not in language.skip]
        if len(found) != 1 or found[0].note or len(rest) > 1:
            return None
        units.add((found[0].kind, found[0].factor))
        values.append(found[0].value)
    if len(units) != 1 or len(set(values)) < len(values):
        return None
    unit = _UNITS.get(next(iter(units)))
    return (tuple(values), unit) if unit else None


def counts(options: tuple[str, ...], language: Languages) -> bool:
    """Check whether options are numbers that count or measure: "3 chairs", not "picture 3".

    Args:
        options: their texts.
        language: in which they are written.

    Returns:
        True where each begins with its number, and the numbers have a known unit or none.
    """
    known = values_of(options, language)
    if known is None:
        return False
    for option in options:
        words = words_of(option)
        found = quantities(option, words, language.cues_of(words, option), 0, len(option), language)
        if found[0].start != words[0].start:
            return False
    return True


_UPPER = re.compile(
    r"\b(?:under|below|up to|at most|maximum|(?:less|fewer|shorter|smaller|lower|no more) than)\b|[<≤]", re.IGNORECASE
)
_LOWER = re.compile(
    r"\b(?:over|above|beyond|at least|minimum|(?:more|greater|longer|larger|higher|no less) than|or more)\b|[>≥+]",
    re.IGNORECASE,
)


@lru_cache(maxsize=16_384)
def ranges_of(
    options: tuple[str, ...], language: Languages
) -> tuple[tuple[tuple[Fraction | float, Fraction | float], ...], Unit] | None:
    """Read options as ranges: "between 1 and 2 m", "over 2 m".

    Args:
        options: their texts.
        language: in which they are written.

    Returns:
        The ends of each and their unit; None unless all options are ranges, bounds or numbers, and one is a range or a
        bound.
    """
    ends: list[tuple[Fraction | float, Fraction | float]] = []
    units: set[tuple[str, Fraction]] = set()
    open_ended = False
    for option in options:
        words = words_of(option)
        found = quantities(option, words, language.cues_of(words, option), 0, len(option), language)
        units |= {(q.kind, q.factor) for q in found if q.kind}
        values = [q.value for q in found]
        if not 1 <= len(values) <= 2 or (len(values) == 2 and any(q.note != "range" for q in found)):
            return None
        upper, lower = _UPPER.search(option), _LOWER.search(option)
        low = -math.inf if len(values) == 1 and upper and not lower else values[0]
        high = math.inf if len(values) == 1 and lower and low == values[0] else values[-1]
        open_ended = open_ended or low != high
        ends.append((low, high))
    unit = _UNITS.get(next(iter(units), ("", Fraction(1)))) if len(units) <= 1 else None
    return (tuple(ends), unit) if unit and open_ended else None
