"""Places that name options: "the third option", "option 3", "number three", "the last one"."""

from __future__ import annotations

import re
from fractions import Fraction

from tolman.scoring.parse.lexicon import Cue
from tolman.scoring.parse.mentions import Mention
from tolman.scoring.parse.option_texts import OptionTexts
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.words import Span, same_word, words_of

MAX_BESIDE_CHARS = 12
"""Characters between two phrases that stand side by side, at most."""
MAX_SHORT_WORDS = 16
"""Words of a line in which an ordinal needs no noun, at most."""
MAX_ANNOUNCED_GAP = 12
"""Characters between an announcement and a number that is all there is behind it, at most."""

_NUMBER_SIGN = re.compile(r"(?:№|#|\b[Nn][°ºo]\.?|\b[Nn]r\.?)[ ]?\Z")
_NUMBERED = re.compile(r"[ ]?(?:번(?=[이은을가입\W]|\Z)|番(?!目)|号|號)")
"""What makes a number the name of an option in Korean, Japanese and Chinese."""
_AROUND = " \t*_`'\"([{<$#>-:→)]}.!,;"


def by_place(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    """Find the options that a segment names by their places.

    Args:
        text: without markup.
        segment: the part of it to look at.
        options: of the item.

    Returns:
        Mentions by ordinals ("the third option", "the fourth picture" of numbered pictures), then by numbers.
    """
    return [*_by_ordinals(text, segment, options), *_by_numbers(text, segment, options)]


def _by_ordinals(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    found = []
    ordinals = segment.language.ordinals.find(segment.words, text)
    answers = segment.having("answer")
    called = [c for c in segment.having("option") if not any(a.start < c.end and c.start < a.end for a in answers)]
    pictures = [c for c in segment.concepts if c.role == "image"]
    for ordinal in ordinals:
        place = int(ordinal.role)
        near = [c for c in called if _are_beside(c, ordinal, text)]
        if near:
            option = _at(place, options)
            if option is not None:
                start, end = min(ordinal.start, near[0].start), max(ordinal.end, near[0].end)
                found.append(Mention(option, start, end, "text", marked=True))
        elif options.places:
            short = segment.line_start and segment.line_end and len(segment.words) <= MAX_SHORT_WORDS
            noun = any(_are_beside(c, ordinal, text) for c in pictures) or (short and len(ordinals) == 1)
            if (options.pictured and noun) or _is_beside_stem(ordinal, text, segment, options):
                ranked = sorted(options.places)
                number = place if place > 0 else ranked[place] if -place <= len(ranked) else 0
                if number in options.places:
                    found.append(Mention(options.places.index(number), ordinal.start, ordinal.end, "text"))
    return found


def ordinal_alone(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    """Find the option that a segment names by nothing but an ordinal: "the last one", "it belongs to the first pair".

    Args:
        text: without markup.
        segment: the part of it to look at; it names no option otherwise.
        options: of the item.

    Returns:
        At most one mention: of the only ordinal of the segment, beside a word for any of several things, or where the
        segment says that one is left or right.
    """
    ordinals = segment.language.ordinals.find(segment.words, text)
    if len({c.role for c in ordinals}) != 1 or segment.having("label") or (options.numbered and not options.places):
        return []
    ordinal = ordinals[-1]
    beside = any(_are_beside(c, ordinal, text) for c in segment.having("generic"))
    option = _at(int(ordinal.role), options)
    if option is None or not (beside or segment.having("remaining")):
        return []
    return [Mention(option, ordinal.start, ordinal.end, "text")]


def _by_numbers(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    """Options named by numbers: "picture 3" of numbered ones, "option 3", "number three", "No. 3", "3번", a lone 3."""
    numbers: list[Span] = [w for w in segment.words if w.folded.isdecimal() and len(w.folded) < 3]
    spelled = segment.language.numerals.find(segment.words, text)
    named = segment.having("number_word")
    pictures = [c for c in segment.concepts if c.role == "image"]
    beside = [*named, *(pictures if options.pictured else [])]
    numbers += [c for c in spelled if any(0 <= c.start - n.end <= 2 for n in beside)]
    if not numbers:
        return []
    called = segment.having("option", "number_word")
    free = bool(options.places) or not options.numbered
    found = []
    for span in numbers:
        value = Fraction(span.role) if isinstance(span, Cue) else Fraction(int(text[span.start : span.end]))
        place = int(value)
        if options.pictured and place in options.places and any(_are_beside(span, c, text) for c in pictures):
            found.append(Mention(options.places.index(place), span.start, span.end, "text"))
            continue
        if value != place or not free:
            continue
        behind = any(0 <= span.start - c.end <= 3 and not text[c.end : span.start].strip(_AROUND) for c in called)
        before = text[max(0, span.start - 6) : span.start]
        counted = bool(_NUMBERED.match(text, span.end)) and not options.places
        # A lone number is no letter of options that aren't numbered; in brackets it is one.
        bracketed = text[max(0, span.start - 1) : span.end + 1] == f"({text[span.start : span.end]})"
        alone = (bool(options.places) or bracketed) and _is_alone(span, text, segment)
        if behind or counted or _NUMBER_SIGN.search(before) or alone:
            option = _at(place, options)
            if option is not None:
                found.append(Mention(option, span.start, span.end, "text", marked=True))
    return found


def _is_alone(span: Span, text: str, segment: Segment) -> bool:
    """Whether a number is all that a response holds, or all that it announces."""
    if text[span.end : segment.end].strip(_AROUND):
        return False
    head = text[segment.start : span.start]
    if not head.strip(_AROUND):
        return not text[: segment.start].strip() and not text[segment.end :].strip()
    return any(
        0 <= span.start - c.end <= MAX_ANNOUNCED_GAP and segment.language.is_only("copula", text[c.end : span.start])
        for c in segment.having("answer")
    )


def _at(place: int, options: OptionTexts) -> int | None:
    """The option at a place, counted from 1, or from the end by negative numbers."""
    if options.places and sorted(options.places) == list(range(1, options.count + 1)):
        number = place if place > 0 else options.count + 1 + place
        return options.places.index(number) if number in options.places else None
    option = place - 1 if place > 0 else options.count + place
    return option if 0 <= option < options.count else None


def _is_beside_stem(ordinal: Cue, text: str, segment: Segment, options: OptionTexts) -> bool:
    """Whether an ordinal stands beside a word that all options share, and isn't counted off by letters."""
    ending = options.texts[0].rstrip()
    if ending[-1:].isalpha() and ending[-2:-1] == " " and not options.pictured:
        return False
    words = [word for word in segment.words if any(same_word(word.folded, stem) for stem in options.stems)]
    # "The piece that fits is the fifth": said of what stands in front.
    told = any(c.end <= ordinal.start and ordinal.start - c.end <= MAX_ANNOUNCED_GAP for c in segment.having("copula"))
    return any(_are_beside(word, ordinal, text) or (told and word.end <= ordinal.start) for word in words)


def _are_beside(one: Span, other: Span, text: str) -> bool:
    """Whether two phrases stand side by side, in either order."""
    if one.start <= other.start < one.end or other.start <= one.start < other.end:
        return True
    gap = text[one.end : other.start] if one.end <= other.start else text[other.end : one.start]
    return len(gap) <= MAX_BESIDE_CHARS and len(words_of(gap)) <= 2 and not re.search(r"[.,;:!?\n]", gap)
