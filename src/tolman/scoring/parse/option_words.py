"""Words in a text that name options: their texts, their concepts, words that only they have, or their places."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from tolman.scoring.parse.hangul import is_part_of_word
from tolman.scoring.parse.lexicon import Cue, longest
from tolman.scoring.parse.mentions import Mention
from tolman.scoring.parse.option_pieces import by_pieces
from tolman.scoring.parse.option_places import by_place, ordinal_alone
from tolman.scoring.parse.option_texts import ARTICLES, DIRECTIONS, OptionTexts, join_compass
from tolman.scoring.parse.plain import fold
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.words import Span, Word, is_glued, same_word, words_of

MAX_KEY_WORDS = 8
"""Words that tell an option from the others, at most; of longer options none is known by such words alone."""
MAX_CONCEPT_GAP = 24
"""Characters between two concepts that belong together, at most."""
MAX_PAIR_WORDS = 5
"""Words between two concepts that only make sense together, at most."""

_RIGHT_BEHIND = re.compile(
    r"\A[ *_`]*(?:answer|option|choice|one\b|order|now|away|letter|solution|number|angle|after|before|triangle"
    r"|side up|\?|! +\w)",
    re.IGNORECASE,
)
_RIGHT_BEFORE = re.compile(r"\b(?:all|that's|that is|is this|am i|quite|got it|yes,?|just)[ ,]+\Z", re.IGNORECASE)
_LEFT_BEHIND = re.compile(r"[ ](?:over|with|by|to (?:choose|consider|pick))\b")
_TOPIC = re.compile("[はがをもでに은는]")
"""Particles that end the name of what a Japanese or Korean sentence is about."""
_ANY_DIGIT = re.compile(r"\d")
_SENTENCE_END = re.compile(r"[.!?\n]{1}\s")


def text_mentions(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    """Find the options that a segment names by their words.

    Args:
        text: without markup.
        segment: the part of it to look at.
        options: of the item.

    Returns:
        The mentions by whole texts, then those by concepts and places elsewhere; where there are none, by key words.
    """
    named = [m for m in _by_text(text, segment, options) if not _is_idiom(text, m)]
    places = by_place(text, segment, options)
    if named and _ANY_DIGIT.search(options.texts[0]):  # "the second picture is picture 4"
        places = [m for m in places if m.marked]
    others = [*_by_concepts(text, segment, options), *places]
    if not named and not others:
        keyed = _by_keys(segment, options) or by_pieces(text, segment, options.pieces)
        keyed = [m for m in keyed if not _is_idiom(text, m)]
        return keyed or ordinal_alone(text, segment, options)
    return [*named, *(m for m in others if not any(_overlap(n, m) for n in named))]


def _overlap(one: Span, other: Span) -> bool:
    return one.start <= other.start < one.end or other.start <= one.start < other.end


def _by_text(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    """Options named by their whole texts, at each place the longest."""
    found = []
    words = segment.words
    i = 0
    while i < len(words):
        ends = [
            (_phrase_end(words, i, phrase, text), -option)
            for option, phrase in enumerate(options.folded)
            if phrase and same_word(words[i].folded, phrase[0])
        ]
        end, option = max(ends, default=(-1, 0))
        if end <= i or is_part_of_word(text, words[i].start, words[end - 1].end):
            i += 1
            continue
        weak = -option in options.parts
        found.append(Mention(-option, words[i].start, words[end - 1].end, "text", weak=weak))
        i = end
    return found


def _phrase_end(words: Sequence[Word], i: int, phrase: tuple[str, ...], text: str) -> int:
    """Behind which word an option's words end that begin at word i; articles may differ; -1 if not there."""
    k = 0
    j = i
    while k < len(phrase):
        if j < len(words) and same_word(words[j].folded, phrase[k]):
            if j > i and _SENTENCE_END.search(text[words[j - 1].end : words[j].start]):
                return -1
            j, k = j + 1, k + 1
        elif k and phrase[k] in ARTICLES and (len(phrase[k]) > 1 or k + 1 < len(phrase)):
            k += 1
        elif k and j < len(words) and words[j].folded in ARTICLES:
            j += 1
        else:
            return -1
    return j


def _is_idiom(text: str, mention: Mention) -> bool:
    """Whether a word that names a side is used in another sense."""
    said = fold(text[mention.start : mention.end])
    before, behind = text[max(0, mention.start - 24) : mention.start], text[mention.end : mention.end + 24]
    if said == "right":
        return bool(_RIGHT_BEHIND.match(behind) or _RIGHT_BEFORE.search(before))
    if said == "left":
        return bool(_LEFT_BEHIND.match(behind))
    return False


def _by_keys(segment: Segment, options: OptionTexts) -> list[Mention]:
    """The one option of which a segment holds words that no other option has: "moving towards the camera"."""
    if any(len(key) > MAX_KEY_WORDS for key in options.keys):
        return []
    skip = segment.language.skip
    phrases = [c for c in segment.concepts if len(_words_in(c, segment)) > 1]
    other_sense = {w.start for c in phrases for w in _words_in(c, segment)} | {
        c.start for c in segment.having("negate", "deny", "label", "option", "answer", "none_of", "unknown")
    }
    hits: dict[int, list[Word]] = {}
    for word in segment.words:
        if (len(word.folded) < 3 and word.folded.isascii()) or word.folded in skip or word.start in other_sense:
            continue
        for option, key in enumerate(options.keys):
            if any(same_word(word.folded, k) for k in key if k not in skip):
                hits.setdefault(option, []).append(word)
    if len(hits) != 1:
        return []
    ((option, found),) = hits.items()
    wanted = [k for k in options.keys[option] if k not in skip]
    if any(w.start in other_sense and w.folded in wanted for w in segment.words):
        return []  # "counter-clockwise" for "clockwise"
    if 2 * len({w.folded for w in found}) < len(wanted) or is_glued(found[0].folded[0]):
        return []
    return [Mention(option, found[0].start, found[-1].end, "text", weak=True)]


def _words_in(cue: Cue, segment: Segment) -> list[Word]:
    first, last = (bisect_left(segment.words, place, key=lambda w: w.start) for place in (cue.start, cue.end))
    return segment.words[first:last]


def _by_concepts(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    """Options named in other words or another language: neighbouring concepts that are the set of one option."""
    if not segment.concepts or not any(options.concepts):
        return []
    found = []
    for group in _groups(text, segment, options):
        said = join_compass(frozenset(c.role for c in group))
        hits = [i for i, concepts in enumerate(options.concepts) if concepts and concepts == said]
        if not hits and "straight" in said:
            ahead = (said - {"straight"}) | {"front"}
            hits = [i for i, concepts in enumerate(options.concepts) if concepts == ahead]
            said = ahead if hits else said
        if not hits:
            fits = [i for i, concepts in enumerate(options.concepts) if concepts and concepts < said]
            hits = [i for i in fits if not any(options.concepts[i] < options.concepts[j] for j in fits)]
        if len(hits) == 1:
            weak = said != options.concepts[hits[0]] or hits[0] in options.loose
            found.append(Mention(hits[0], group[0].start, group[-1].end, "text", weak=weak))
    return [m for m in found if not _is_idiom(text, m)]


def _groups(text: str, segment: Segment, options: OptionTexts) -> list[list[Cue]]:
    """Neighbouring concepts of a segment, put together."""
    groups: list[list[Cue]] = []
    edges = {c.start for c in segment.concepts} | {-c.end for c in segment.concepts}
    asked = frozenset[str]().union(*options.concepts)
    neutral = {"image", "turn", "degree"} - asked
    pairs = all(len(c) == 2 for c in options.concepts)
    things = not asked & DIRECTIONS
    numbers = [
        Cue(f"number {w.folded}", w.start, w.end)
        for w in segment.words
        if w.folded.isdecimal() and f"number {w.folded}" in asked
    ]
    named = [
        c
        for c in [*segment.concepts, *numbers]
        if c.role not in neutral
        and (c.role in asked or not (pairs or things))
        and (c.end in edges or -c.start in edges or not is_part_of_word(text, c.start, c.end))
    ]
    for cue in sorted(longest(named), key=lambda c: c.start):
        gap = text[groups[-1][-1].end : cue.start] if groups else ""
        if groups and (_is_close(gap, segment) or (pairs and len(groups[-1]) == 1 and _is_near(gap))):
            groups[-1].append(cue)
        else:
            groups.append([cue])
    return groups


def _is_near(gap: str) -> bool:
    """Whether two concepts that only make sense together stand a few words apart: "devant moi, sur ma droite"."""
    return len(gap) <= MAX_CONCEPT_GAP and len(words_of(gap)) <= MAX_PAIR_WORDS and not re.search(r"[.;:\n?!]", gap)


def _is_close(gap: str, segment: Segment) -> bool:
    """Whether two concepts belong together: "ahead and to the left", "右前方"."""
    if not gap.strip(" -/"):
        return True
    if len(gap) > MAX_CONCEPT_GAP or any(c in gap for c in ",.;:\n?!"):
        return False
    words = words_of(gap)
    if _TOPIC.search(gap):
        return False
    skip = segment.language.skip
    return bool(words) and all(w.folded in skip or (is_glued(w.folded[0]) and len(words) <= 3) for w in words)
