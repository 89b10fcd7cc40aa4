"""Words in a text that name options: their texts, their concepts, words that only they have, or their places.

Places are such as "the third option", "option 3", "number three" and "the last one".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import zip_longest

from tolman.scoring.parse.lexicon import (
    NO_COMPOUND,
    Cue,
    Span,
    Word,
    both_ends,
    is_glued,
    is_in_longer,
    is_inside,
    is_part_of_word,
    longest,
    same_word,
    words_of,
)
from tolman.scoring.parse.option_mentions import Mention, is_alternative, options_in
from tolman.scoring.parse.option_texts import ARTICLES, DENYING, DIRECTIONS, OptionTexts, by_pieces, join_compass
from tolman.scoring.parse.plain_text import fold
from tolman.scoring.parse.response_segments import Segment, replies

MAX_KEY_WORDS = 8
"""Words that tell an option from the others, at most; of longer options none is known by such words alone."""
MAX_CONCEPT_GAP = 24
"""Characters between two concepts that belong together, at most."""
MAX_PAIR_WORDS = 5
"""Words between two concepts that only make sense together, at most."""

_RIGHT_BEHIND = re.compile(
    r"\A[ *_`]*(?:answer|option|choice|one\b|order|now|away|letter|solution|number|angle|after|before|triangle"
    r"|in front|behind|next to|above|below|under"
    r"|side up|\?|! +\w)",
    re.IGNORECASE,
)
_RIGHT_BEFORE = re.compile(r"\b(?:all|that's|that is|is this|am i|quite|got it|yes,?|just)[ ,]+\Z", re.IGNORECASE)
_LEFT_BEHIND = re.compile(r"[ ](?:over|with|by|for (?:it|him|her|them|us)|to (?:choose|consider|pick))\b")
_RIGHT_ADVERB = re.compile(
    r"[ ](?:at[ ](?:it|him|her|them|us|you|me)"
    r"|after|before|next|beside|behind|above|below|under|by|there|here|where|when|against|outside|inside|near"
    r"|at the (?:edge|start|end|beginning|top|bottom|back|front))\b"
)
_NEXT_TO = re.compile(r"[ ](?:next to|beside|near)\b")
_RIGHT_BESIDE = re.compile(r"right (?:next|beside|behind|above|below|under|near|against|by)\b")
_SIDE_BEFORE = re.compile(
    r"\b(?:the|to|on|at|from|its|his|her|your|my|our|their|and|or|far|front|back|turn\w*|go\w*|bear\w*|swing\w*|mov\w*"
    r"|head\w*|veer\w*|walk\w*|keep\w*|look\w*|fac\w*|roll\w*|pan\w*)[ -]\Z",
    re.IGNORECASE,
)
"""Words in front of "left" and "right" that name a side."""
_LEFT_VERB = re.compile(
    r"\b(?:has|have|had|having|been|was|were|being|gets|got|he|she|they|who|person|man|woman|boy|girl|crew|somebody"
    r"|someone)[ ]\Z",
    re.IGNORECASE,
)
_LEFT_OBJECT = re.compile(r"[ ](?:his|her|its|their|the|a|an|it|them|open|out|off|on|in|by|empty|behind)\b")
_LEFT_ALONE = re.compile(r"[ ](?:alone|behind|untouched|over)\b")
_LEFT_LYING = re.compile(r"[ ](?:lying[ ])?on[ ]the[ ](?:floor|ground|table|desk|shelf|counter)\b")
_PART_BEHIND = re.compile(
    r"[ -](?:door|garden|yard|seat|room|wheel|row|page|pocket|porch|desk|up|and forth|into|home|again)s?\b"
)
"""Things and movements whose names hold a direction: "front door", "back garden"."""
_VERB_BEFORE = re.compile(
    r"\b(?:speed\w*|slow\w*|back(?:s|ed|ing)|sped|sits?|sat|lies?|lay|puts?|ends?|shows?|picks?|sets?|stands?|opens?"
    r"|gives?|wakes?|lights?)[ ]\Z"
)
_ROTATIONS = frozenset(("clockwise", "counterclockwise"))
"""Concepts that other directions beside them don't change."""
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
    named = [
        m
        for m in _by_text(text, segment, options)
        if not is_idiom(text, m, options.asked) and not _is_in_other(m, segment, options)
    ]
    named = [m for m, other in zip_longest(named, named[1:]) if not _leads_to(m, other, text)]
    places = by_place(text, segment, options)
    if named and _ANY_DIGIT.search(options.texts[0]):  # "the second picture is picture 4"
        places = [m for m in places if m.marked]
    others = [*_by_concepts(text, segment, options), *places]
    if not named and not others:
        keyed = (
            _by_all_words(segment, options)
            or _by_keys(text, segment, options)
            or by_pieces(text, segment, options.pieces)
        )
        keyed = [m for m in keyed if not is_idiom(text, m, options.asked) and not _is_of_question(text, m, options)]
        return keyed or ordinal_alone(text, segment, options)
    others = [m for m in others if not _is_of_question(text, m, options)]
    if not named and not places:
        others = [*others, *_by_joined_keys(text, segment, options, others)]
    return [*named, *(m for m in others if not any(_overlap(n, m) for n in named))]


def _is_of_question(text: str, mention: Mention, options: OptionTexts) -> bool:
    """Check whether a mention in part or in other words only repeats the question, which lists no options itself."""
    said = [w.folded for w in words_of(text[mention.start : mention.end])]
    if not mention.weak and any(same_word(w, own) for w in said for own in options.folded[mention.option]):
        return False
    return not options.listed and all(any(same_word(w, a) for a in options.asked) for w in said)


def _leads_to(mention: Mention, other: Mention | None, text: str) -> bool:
    """Check whether an option's text only leads to the next: "towards" in "towards the left"."""
    if other is None or fold(text[mention.start : mention.end]) not in ("toward", "towards"):
        return False
    return all(w.folded in ARTICLES for w in words_of(text[mention.end : other.start]))


def _is_in_other(mention: Mention, segment: Segment, options: OptionTexts) -> bool:
    """Check whether an option's text is a part of the name of something else: "clockwise" in "anti-clockwise"."""
    own = options.concepts[mention.option]
    return bool(own) and is_in_longer(
        mention, [c for c in segment.concepts if c.role not in own and c.role in DIRECTIONS]
    )


def _overlap(one: Span, other: Span) -> bool:
    return one.start <= other.start < one.end or other.start <= one.start < other.end


def _by_text(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    """Options named by their whole texts, at each place the longest."""
    found = []
    words = segment.words
    begun: dict[str, list[int]] = {}
    i = 0
    while i < len(words):
        first = words[i].folded
        if first not in begun:
            begun[first] = [k for k, phrase in enumerate(options.folded) if phrase and same_word(first, phrase[0])]
        ends = [(_phrase_end(words, i, options.folded[option], text), -option) for option in begun[first]]
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


_EDGE_BEHIND = re.compile(r"[ ](?:edge|border|margin|rim|corner|end|half|leg|arm)[ ]of\b", re.IGNORECASE)
_OPENING = re.compile(r"(?:\A|[.!?\n])[\s*_`\"']*The[ ]\Z")
"""In front of a part of something that a sentence is about: "The left edge of the TV is cut off"."""
_HAND = re.compile(r"(?:left|right)[ ]hand\b(?![ ]side)", re.IGNORECASE)
_HELD = re.compile(r"\b(?:in|with)[ ](?:the|his|her|its|their|your|my)[ ]\Z", re.IGNORECASE)
_HANDS = frozenset(("hand", "hands", "arm", "arms"))
_NO_OF_PHRASE = re.compile(
    r"no[ ](?:wonder|idea|clue|comment|surprise|need|problem|worries|matter|telling|way"
    r"|chance[ ](?:to|of)[ ]tell\w*|clear[ ](?:view|sight|indication|evidence))\b"
    r"|(?:no|não)[ ](?:(?:lo|te|se)[ ])?(?:puedo|podría|sé|sabría|posso|poderia|consigo|sei|saberia"
    r"|est(?:á|oy|ou)[ ](?:claro|segur[oa]|cert[oa])|tenho[ ]certeza"
    r"|(?:puede|es posible|é possível|dá para)[ ](?:saber|deci|determina|dizer))",
    re.IGNORECASE,
)
"""A "no" that begins a longer phrase, often a refusal: "no idea", Spanish "no puedo decirlo"."""
_NO_THING = re.compile(
    r"(?<=(?:is|as|re|ve|th|ee|nd|ad|of)[ ])no[ ]"
    r"(?!(?:because|since|as|it|its|they|he|she|i|we|you|there|the|this|that|these|those|and|but|or|for|if|when|given|due"
    r"|based|not|one|with|from|in|on|at|to|by|after|before|both|all|an?)\b)[a-z]{3}"
)
"""A "no" before a thing that isn't there, within a sentence: "there is no gap"."""
_NUMBERED_NO = re.compile(r"No\.[ ]?\d")
"""The sign of a number: "platform No. 2"."""
_ANNOUNCES = re.compile(r"\b(?:answer|verdict|conclusion|response|reply|guess)\b[^.;:\n]*\Z", re.IGNORECASE)
_PREFERS = re.compile(r"\b(?:prefiero|preferiría|prefiro|preferiria|mejor|melhor)[ ]\Z", re.IGNORECASE)
_AMBIGUOUS = ("right", "left", "front", "back", "up", "down")


def is_idiom(text: str, mention: Span, asked: frozenset[str] = frozenset()) -> bool:
    """Check whether a word that names a side is used in another sense: "right next to", "left over".

    Args:
        text: without markup.
        mention: of the word in it.
        asked: words of the question; one of "hand" asks for "with his left hand".
    """
    said = fold(text[mention.start : mention.end])
    if said in ("no", "nao"):
        prefers = _PREFERS.search(text, max(0, mention.start - 24), mention.start)
        before = text[max(0, mention.start - 32) : mention.start]
        of_thing = _NO_THING.match(text, mention.start) and not _ANNOUNCES.search(before)
        numbered = _NUMBERED_NO.match(text, mention.start)
        return bool(
            prefers or of_thing or numbered or any(p.match(text, mention.start) for p in (NO_COMPOUND, _NO_OF_PHRASE))
        )
    if not said.startswith(_AMBIGUOUS):
        return False
    before, behind = text[max(0, mention.start - 24) : mention.start], text[mention.end : mention.end + 24]
    if _HAND.match(text, mention.start) and _HELD.search(before):
        return asked.isdisjoint(_HANDS)
    if said in ("left", "right") and _EDGE_BEHIND.match(behind) and _OPENING.search(before):
        return True
    if _RIGHT_BESIDE.match(said):
        return not _SIDE_BEFORE.search(before)
    if said == "right":
        adverb = _RIGHT_ADVERB.match(behind) and not _SIDE_BEFORE.search(before)
        return bool(_RIGHT_BEHIND.match(behind) or _RIGHT_BEFORE.search(before) or adverb)
    if said == "left" and _LEFT_LYING.match(behind):
        return True
    if said == "left":
        verb = (_LEFT_VERB.search(before) and _LEFT_OBJECT.match(behind)) or _LEFT_ALONE.match(behind)
        return bool(_LEFT_BEHIND.match(behind) or (verb and not _SIDE_BEFORE.search(before)))
    if said in ("front", "back", "up", "down"):
        return bool(_PART_BEHIND.match(behind)) or (said in ("up", "down") and bool(_VERB_BEFORE.search(before)))
    return False


def _by_keys(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    """Return the one option with words in a segment that no other option has: "moving towards the camera"."""
    if any(len(key) > MAX_KEY_WORDS for key in options.keys):
        return []
    skip = segment.language.skip
    phrases = [c for c in segment.concepts if len(_words_in(c, segment)) > 1]
    phrases += [c for c in replies(segment, text) if c.role == "left_over"]  # "leaves only one"
    other_sense = {w.start for c in phrases for w in _words_in(c, segment)} | {
        c.start for c in segment.having("negate", "deny", "label", "option", "answer", "none_of", "unknown")
    }
    denials = segment.having("negate", "deny")
    denies = bool(segment.having(*DENYING))
    hits: dict[int, list[Word]] = {}
    for word in segment.words:
        if (len(word.folded) < 3 and word.folded.isascii()) or word.folded in skip or word.start in other_sense:
            continue
        if is_inside(word, denials) or text[word.start - 1 : word.start] == "-":
            continue  # "bird's-eye" for "eye level"
        for option, key in enumerate(options.keys):
            if option in options.denying and not denies:
                continue
            if any(same_word(word.folded, k) for k in key if k not in skip) and not _goes_on_otherwise(
                word, options.folded[option], segment
            ):
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


def _goes_on_otherwise(word: Word, phrase: tuple[str, ...], segment: Segment) -> bool:
    """Check whether a relation that begins an option is to another thing: "after the bus" for "after the tram"."""
    if not phrase or not same_word(word.folded, phrase[0]) or word.folded not in _RELATING:
        return False
    skip = segment.language.skip
    rest = [w for w in phrase[1:] if w not in skip]
    behind = [w.folded for w in segment.words if w.start >= word.end and w.folded not in skip | ARTICLES][:1]
    return bool(rest and behind) and not any(same_word(behind[0], w) for w in rest)


_RELATING = frozenset(("before", "after", "behind", "above", "below", "under", "near", "beside", "inside", "opposite"))


def _by_all_words(segment: Segment, options: OptionTexts) -> list[Mention]:
    """Return the one option of several words that a segment holds in another order: "the vase and the book"."""
    skip = segment.language.skip
    bags = [{w.rstrip("s") for w in words if w not in skip | ARTICLES} for words in options.folded]
    if any(not 2 <= len(bag) <= MAX_KEY_WORDS or bag & _RELATING for bag in bags) or segment.having("negate", "deny"):
        return []
    common = set[str].intersection(*bags)
    phrases = [c for c in segment.concepts if len(_words_in(c, segment)) > 1]
    words = [w for w in segment.words if not is_inside(w, phrases)]
    hits = [[w for w in words if w.folded.rstrip("s") in bag - common] for bag in bags]
    whole = [i for i, bag in enumerate(bags) if len({w.folded for w in hits[i]}) >= len(bag - common) > 1]
    if len(whole) != 1 or {w.start for own in hits for w in own} != {w.start for w in hits[whole[0]]}:
        return []
    found = hits[whole[0]]
    return [Mention(whole[0], found[0].start, found[-1].end, "text")]


def _by_joined_keys(text: str, segment: Segment, options: OptionTexts, named: Sequence[Mention]) -> list[Mention]:
    """The options all of whose own words are joined to one that is named by a concept: "striped/blue"."""
    found = []
    for option, key in enumerate(options.keys):
        own = [k for k in key if k not in segment.language.skip]
        hits = [w for w in segment.words if any(same_word(w.folded, k) for k in own) and not is_inside(w, named)]
        if not own or option in options_in(named) or len({w.folded for w in hits}) < len(own):
            continue
        mention = Mention(option, hits[0].start, hits[-1].end, "text")
        gaps = (text[min(m.end, mention.end) : max(m.start, mention.start)] for m in named)
        joined = any(is_alternative(gap, segment.language) for gap in gaps)
        found += [mention] if joined and not is_idiom(text, mention) else []
    return found


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
            whole = said == options.concepts[hits[0]] or options.concepts[hits[0]] <= _ROTATIONS
            weak = not whole or hits[0] in options.loose
            own = [c for c in group if c.role in options.concepts[hits[0]]] or group
            found.append(Mention(hits[0], own[0].start, own[-1].end, "text", weak=weak))
    return [m for m in found if not is_idiom(text, m, options.asked)]


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
        and not ((_NEXT_TO.match(text, c.end) or c.role == "right") and is_idiom(text, c, options.asked))
    ]
    for cue in sorted(longest(named), key=lambda c: c.start):
        gap = text[groups[-1][-1].end : cue.start] if groups else ""
        if groups and (_is_close(gap, segment) or (pairs and len(groups[-1]) == 1 and _is_near(gap))):
            groups[-1].append(cue)
        else:
            groups.append([cue])
    return groups


def _is_near(gap: str) -> bool:
    """Check whether two concepts that only make sense together are a few words apart: "devant moi, sur ma droite"."""
    return len(gap) <= MAX_CONCEPT_GAP and len(words_of(gap)) <= MAX_PAIR_WORDS and not re.search(r"[.;:\n?!]", gap)


def _is_close(gap: str, segment: Segment) -> bool:
    """Check whether two concepts belong together: "ahead and to the left", "右前方"."""
    if not gap.strip(" -/"):
        return True
    if len(gap) > MAX_CONCEPT_GAP or any(c in gap for c in ",.;:\n?!"):
        return False
    words = words_of(gap)
    if _TOPIC.search(gap):
        return False
    skip = segment.language.skip
    return bool(words) and all(w.folded in skip or (is_glued(w.folded[0]) and len(words) <= 3) for w in words)


MAX_ORDINALS = 16
"""Ordinals of a sentence that are looked at, a quarter of them at its beginning."""
MAX_BESIDE_CHARS = 12
"""Characters between two phrases that stand side by side, at most."""
MAX_SHORT_WORDS = 16
"""Words of a line in which an ordinal needs no noun, at most."""
MAX_ANNOUNCED_GAP = 12
"""Characters between an announcement and a number that is all there is behind it, at most."""

_LISTED = ("of ", "in ", "on ")
"""How phrases for the list of options begin: "of these", "on the list"."""
_OF_TWO = ("former", "latter")
"""Ordinals of two that need no noun."""
_BARE_ORDINAL = re.compile(r"[ *_`]*(?:[,.;:!)]|\Z|[ ](?:or|nor|and|oder|noch|und|ni|ou|o|y)\b)")
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
    ordinals = longest(both_ends(segment.language.ordinals.find(segment.words, text), MAX_ORDINALS))
    answers = segment.having("answer")
    called = [c for c in segment.having("option") if not any(a.start < c.end and c.start < a.end for a in answers)]
    called += [c for c in segment.having("generic") if fold(text[c.start : c.end]).startswith(_LISTED)]
    pictures = [c for c in segment.concepts if c.role == "image"]
    for ordinal in ordinals:
        place = int(ordinal.role)
        near = [c for c in called if _are_beside(c, ordinal, text)]
        if not near and called and len(ordinals) > 1 and _BARE_ORDINAL.match(text, ordinal.end):
            near = [ordinal]  # "the first option, the third or the fourth"
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
        At most one mention: of the only ordinal of the segment, next to a word for any of several things, or where the
        segment says that one is left or right.
    """
    ordinals = longest(both_ends(segment.language.ordinals.find(segment.words, text), MAX_ORDINALS))
    if len({c.role for c in ordinals}) != 1:
        return []
    ordinal = ordinals[-1]
    generic = segment.having("generic")
    labels = [c for c in segment.having("label") if not is_inside(c, [*ordinals, *generic])]  # "second" is one
    if any(_are_beside(c, ordinal, text) for c in labels):
        return []
    if options.numbered and not options.places and int(ordinal.role) > 0:
        return []
    beside = any(_are_beside(c, ordinal, text) for c in segment.having("generic"))
    beside = beside or (options.count == 2 and text[ordinal.start : ordinal.end].casefold() in _OF_TWO)
    option = _at(int(ordinal.role), options)
    if option is None or not (beside or segment.having("remaining")):
        return []
    named = [ordinal, *(c for c in segment.having("generic") if _are_beside(c, ordinal, text))]
    return [Mention(option, min(c.start for c in named), max(c.end for c in named), "text")]


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
    """Check whether a number is all that a response holds, or all that it announces."""
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
    """Check whether an ordinal is next to a word that all options share, and isn't counted off by letters."""
    ending = options.texts[0].rstrip()
    if ending[-1:].isalpha() and ending[-2:-1] == " " and not options.pictured:
        return False
    words = [word for word in segment.words if any(same_word(word.folded, stem) for stem in options.stems)]
    # "The piece that fits is the fifth": said of what stands in front.
    told = any(c.end <= ordinal.start and ordinal.start - c.end <= MAX_ANNOUNCED_GAP for c in segment.having("copula"))
    return any(_are_beside(word, ordinal, text) or (told and word.end <= ordinal.start) for word in words)


def _are_beside(one: Span, other: Span, text: str) -> bool:
    """Check whether two phrases are side by side, in either order."""
    if one.start <= other.start < one.end or other.start <= one.start < other.end:
        return True
    gap = text[one.end : other.start] if one.end <= other.start else text[other.end : one.start]
    return len(gap) <= MAX_BESIDE_CHARS and len(words_of(gap)) <= 2 and not re.search(r"[.,;:!?\n]", gap)
