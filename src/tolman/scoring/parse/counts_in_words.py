"""Counts that a response gives in other words than one numeral, or leaves to be worked out.

Such are "just the one", "none at all", "twice", things named one by one, those at several places, and the rest of a
whole.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from tolman.scoring.parse.asked import opposite
from tolman.scoring.parse.commitments import ALONE, CONCLUDED, JUDGED, SEVERAL, STATED, Commitment
from tolman.scoring.parse.lexicon import Cue, is_glued, is_inside, names_same, same_word, words_of
from tolman.scoring.parse.number_lines import AskedQuantity, NumberLine, counts_asked
from tolman.scoring.parse.plain_text import fold
from tolman.scoring.parse.response_segments import Segment, is_counterfactual, replies
from tolman.scoring.parse.units import Quantity

MAX_COUNTED_WORDS = 5
"""Words between a count in words and what is counted, at most."""


def in_words(lines: Sequence[NumberLine], i: int, text: str, asked: AskedQuantity) -> list[Commitment]:
    """Find a count that a line gives in other words than a numeral: "just the one", "none at all", "twice".

    Args:
        lines: of the response.
        i: the number of the line.
        text: without markup.
        asked: by the item.

    Returns:
        At most one commitment; without a value where the line gives several such counts, or a number for each of
        several cases ("3 if the stern counts, 4 if the bow does").
    """
    line = lines[i]
    segment = line.segment
    if asked.unit not in ("count", None):
        return []
    if _is_by_case(line, text):
        return [Commitment(None, CONCLUDED, line.found[0].start, line.found[-1].end, "in words", SEVERAL)]
    either = _EITHER_TIMES.search(text, segment.start, segment.end) if asked.times else None
    if either is not None:
        return [Commitment(None, CONCLUDED, *either.span(), "in words", SEVERAL)]
    unseen = _NONE_SEEN.search(text, segment.start, segment.end) if asked.unit == "count" else None
    stated = (q for one in lines for q in one.stated if unseen and not (one is line and q.start < unseen.end()))
    others = (q for q in stated if q.value)  # "not a single lamp, so zero"
    if unseen is not None and len(lines) <= MAX_SHORT_LINES and not any(others):
        behind = [w for w in segment.words if w.start >= unseen.end()][:2]
        if any(names_same(w.folded, a) for w in behind for a in asked.words):
            return [Commitment(Fraction(0), STATED if i else ALONE, unseen.start(), behind[0].end, "in words")]
    if segment.having("unknown"):
        return []
    none = [replace(c, role="counted 0") for c in segment.having("none_of") if asked.quality]
    said = [*replies(segment, text), *none]
    times = [c for c in said if asked.times and c.role.startswith("times ") and c.role[-1].isdecimal()]
    if len({c.role for c in times}) > 1 and not segment.having("negate"):
        limited = [c for c in times if re.search(r"\b(?:only|just)[ ]\Z", text[segment.start : c.start])]
        times = limited if len(limited) == 1 else times
        value, note = (Fraction(times[0].role.split()[1]), "") if times is limited else (None, SEVERAL)
        return [Commitment(value, CONCLUDED, times[0].start, times[-1].end, "in words", note)]
    found = [c for c in said if _is_count(c, line, text, asked)]
    if not found or is_counterfactual(segment, text):
        return []
    start, end = found[0].start, found[-1].end
    values = {Fraction(c.role.split()[1]) for c in found}
    if len(values) > 1:
        return [Commitment(None, STATED, start, end, "in words", SEVERAL)]
    opens_line = not words_of(text[segment.start : start]) and i == 0
    strength = ALONE if opens_line else CONCLUDED if i in (0, len(lines) - 1) else STATED
    return [Commitment(values.pop(), strength, start, end, "in words")]


_TIMES = r"(?:once|twice|thrice|\w+ times)"
_EITHER_TIMES = re.compile(rf"\b{_TIMES}(?:,? or|,? maybe|,? perhaps)(?: only)? {_TIMES}\b", re.IGNORECASE)


_OTHERWISE = re.compile(r"\b(?:if|when)\b.*\b(?:otherwise|else|(?:if|when) not)\b", re.IGNORECASE)


def _is_by_case(line: NumberLine, text: str) -> bool:
    """Check whether each of several numbers holds in its own case."""
    if len({q.value for q in line.found}) > 1 and _OTHERWISE.search(text, line.segment.start, line.segment.end):
        return True
    numbers = [q for q in line.found if not q.weak]
    if len({q.value for q in numbers}) < 2:
        return False
    cases = line.segment.having("suppose")
    return all(any(0 <= c.start - q.end <= 2 for c in cases) for q in numbers)


_NO_COUNT_BEHIND = re.compile(
    r"[ ](?:it|he|she|they|we|you|the|a|an|this|that|these|those|his|her|its|their|as|or)\b", re.IGNORECASE
)
_NO_COUNT_BEFORE = re.compile(
    r"(?:\b(?:at|least|most|or|than|watch\w*|check\w*|look\w*|count\w*)|n't\b.*)[ ]\Z", re.IGNORECASE
)
"""Words next to "once" and the like that make it no count: "once it lands", "at once", "I watched it twice"."""


def _is_only_quantity(cue: Cue, line: NumberLine, text: str) -> bool:
    """Check whether a line gives no other quantity than a phrase for a count, unless a semicolon precedes it."""
    return all((cue.start <= q.start and q.end <= cue.end) or ";" in text[cue.end : q.start] for q in line.stated)


def _counts_times(cue: Cue, line: NumberLine, text: str, asked: AskedQuantity) -> bool:
    """Check whether "once" or "twice" counts what is asked for."""
    segment = line.segment
    if not _is_only_quantity(cue, line, text) or _NO_COUNT_BEHIND.match(text, cue.end):
        return False
    if _NO_COUNT_BEFORE.search(text[segment.start : cue.start]):
        return False
    lead = [w for w in segment.words if w.end <= cue.start]
    others = [w for w in lead if w.folded not in segment.language.skip | {"only", "just"}]
    return not others or any(names_same(w.folded, a) for w in lead for a in asked.words)


def _is_count(cue: Cue, line: NumberLine, text: str, asked: AskedQuantity) -> bool:
    """Check whether a phrase for a count is the answer: at the beginning of a line, or next to the counted things."""
    group, _, value = cue.role.partition(" ")
    segment = line.segment
    if not value.isdecimal() or (group == "times") != asked.times:
        return False
    if any(0 <= cue.start - c.end <= 2 for c in segment.having("negate")):
        return False
    if any(c.start < cue.start and not words_of(text[segment.start : c.start]) for c in segment.having("suppose")):
        return False
    if group == "times":
        return _counts_times(cue, line, text, asked)
    begin = 1 + max(text.rfind(mark, segment.start, cue.start) for mark in ";:")
    lead = [w for w in segment.words if begin <= w.start and w.end <= cue.start]
    lead = [w for w in lead if w.folded not in segment.language.skip | _PRESENT]
    behind = [w for w in segment.words if w.start >= cue.end][:MAX_COUNTED_WORDS]
    ends = not behind or re.match(r"[ *_`]*[,.;:!)—–]", text[cue.end : cue.end + 6]) is not None
    if value == "0" and any(same_word(w.folded, a) for w in behind for a in asked.quality):
        return True  # "12 plates, none of them broken"
    clause = re.search(
        r"(?:[,;:–—-][ ]+|\b(?:there|we|i)(?:['’]s|[ ]\w+)[ ]+)\Z", text[segment.start : cue.start], re.IGNORECASE
    )
    if value == "0" and ends and clause and _at_all(cue, text):
        return True  # "but as for dogs, there are none at all"
    if value == "0":
        return _is_only_quantity(cue, line, text) and not lead and (ends or behind[0].folded in _OF_THEM)
    return (ends and _is_only_quantity(cue, line, text)) or any(
        names_same(w.folded, a) for w in behind[:2] for a in asked.words
    )


def _at_all(cue: Cue, text: str) -> bool:
    """Check whether a phrase says plainly that there are none."""
    return len(words_of(text[cue.start : cue.end])) > 1


_PRESENT = frozenset(("there's", "there're", "sadly", "clearly", "so"))
_OF_THEM = frozenset(("of", "that", "are", "is", "in", "davon", "de", "dos", "das", "des"))
"""Words that may stand behind "none" without changing it."""


MAX_NONE_GAP = 24
"""Characters between "no" and the things that aren't there, at most."""
MAX_SHORT_LINES = 3
"""Lines of a short answer, at most."""
_NONE_SEEN = re.compile(
    r"\b(?:not|without)[ ](?:a single|even one|even a single|one)\b"
    r"|(?:\b(?:cannot|can not|could not|do not|did not|will not|would not)|n['’]t)[ ]"
    r"(?:(?:see|spot|find|make out|detect|notice|have|contain|show|hold)[ ](?:any|a single|even one)"
    r"|(?<=(?:is|as)n['’]t[ ])a single)\b",
    re.IGNORECASE,
)


_EMPTY = re.compile(
    r"[\s*_]*(?:the|this|that)[ ]([\w -]{2,40}?)[ ](?:is|are|was|were|stands?|remains?)[ ]"
    r"(?:(?:completely|entirely|totally|quite|all)[ ])?(?:bare|empty|deserted|(?P<of>(?:free|devoid)[ ]of))\b",
    re.IGNORECASE,
)


def none_there(lines: Sequence[NumberLine], i: int, text: str, asked: AskedQuantity) -> list[Commitment]:
    """Zero, where a short answer says that there are none: "There are no chairs in this room."."""
    segment = lines[i].segment
    if asked.unit != "count" or len(lines) > MAX_SHORT_LINES or segment.having("unknown"):
        return []
    emptied = _EMPTY.match(text, segment.start, segment.end)
    emptied = None if any(line.stated for line in lines) else emptied
    if emptied and asked.is_about(words_of(emptied[1])) and (not emptied["of"] or asked.is_about(segment.words[-1:])):
        return [Commitment(Fraction(0), STATED if i else ALONE, segment.start, emptied.end(), "none there")]
    nouns = [a for a in asked.words if len(a) > 3]
    for cue in segment.having("absent"):
        cjk = is_glued(segment.words[0].folded[0])
        if len(lines) == 1 and (not cjk or segment.words[0].folded in fold(asked.question)):
            return [Commitment(Fraction(0), ALONE, segment.words[0].start, cue.end, "none there")]
    for cue in [*segment.having("negate"), *(c for c in segment.concepts if c.role == "no")]:
        following = [w for w in segment.words if 0 <= w.start - cue.end <= MAX_NONE_GAP][:2]
        things = [w for w in following if any(names_same(w.folded, noun) for noun in nouns)]
        if things:
            return [Commitment(Fraction(0), STATED if i else ALONE, cue.start, things[0].end, "none there")]
    return []


_FURTHER_SHARE = re.compile(r"\b(?:a|one) (?:third|quarter|fifth) (?:of|are|is|were)\b", re.IGNORECASE)
_EACH_BEHIND = re.compile(r"(?:[ ]\w+){0,2}[ ](?:on|at|along|down|in|per|for)[ ](?:each|either|every)\b", re.IGNORECASE)


_THINGS = re.compile(
    r"\bhow many (?:\w+[ -]){0,3}?(?P<thing>\w+)(?: (?:are|is|were|was|do|does|did|have|has|had|can|could|in|on|at|of"
    r"|you|there|the|would|will|with)\b|[?])",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(r"[ ](?:\w+-\w+[ ])?")
"""Between a number and its thing: "four three-legged stools". Another word may name another thing: "3 wine bottles"."""


def of_the_thing(lines: Sequence[NumberLine], text: str, asked: AskedQuantity) -> Commitment | None:
    """Find the only count whose thing is that of the question: "I arrived at 14 steps", among other numbers.

    Args:
        lines: of the response.
        text: without markup.
        asked: by the item.

    Returns:
        A commitment; None where no number or several different ones count that thing.
    """
    match = _THINGS.search(asked.question)
    if match is None or asked.unit != "count" or asked.quality:
        return None
    found = []
    for line in lines:
        cues = line.segment.having("tentative", "suppose", "unknown", "negate", "correct", "bound")
        things = [w for w in line.segment.words if w.folded == match["thing"].casefold()]
        for quantity in line.found:
            thing = next((w for w in things if w.start >= quantity.start), None)
            if thing is None or line.question or any(c.start < thing.end for c in cues):
                continue
            named = thing.start < quantity.end or _DESCRIBES.fullmatch(text, quantity.end, thing.start)
            other = any(q.value != quantity.value for q in line.found if not q.weak)
            if named and not (other or quantity.premise or quantity.note or quantity.weak):
                found.append(quantity)
    if len({q.value for q in found}) != 1:
        return None
    return Commitment(found[-1].value, CONCLUDED, found[-1].start, found[-1].end, "in words")


def is_unsettled(commitment: Commitment, lines: Sequence[NumberLine], text: str, asked: AskedQuantity) -> bool:
    """Check whether a count is still to be worked out: "two on each side", "of 9, a third are blue"; or only the things
    with the opposite quality are counted: "40 seats, 27 taken"."""
    if commitment.rule == "in words":
        return asked.times and re.search(r"\bonce (?:more|again)\b", text) is not None
    if commitment.rule not in ("stated", "total", "counted", "asked for"):
        return False
    roles = {c.role for line in lines for c in line.segment.language.opposites.find(line.segment.words, text)}
    turned = any(opposite(pole) in roles for pole in asked.poles) and not roles & asked.poles
    derived = _EACH_BEHIND.match(text, commitment.end) or _FURTHER_SHARE.search(text)
    return turned or (commitment.rule != "total" and derived is not None)


MAX_PLACES = 8
"""Numbers of things at several places that are added up, at most."""
MAX_PLACE_WORDS = 4
"""Words between a number and the place of what it counts, at most."""
_NOT_ADDED = re.compile(
    r"(?:,|\band)[ ]+with\b|\bof which\b|\bof them\b|\bone of\b|\beach\b|\bsame\b|\bmirror\b"
    r"|\b(?:in|on|from|at)[ ](?:the[ ])?(?:(?!far\b)\w+[ ])?"
    r"(?:picture|image|photo|frame|video|clip|scene|room|start|beginning|end)\b",
    re.IGNORECASE,
)
"""Signs that the first number is the whole, or that the same things are counted at several times or in pictures."""

_CHANGED = re.compile(
    r"\b(?:another|more|further|then|plus|minus|less|leav(?:es|ing)|remain\w*|removing|without)\b", re.IGNORECASE
)


def places_added(line: NumberLine, text: str, asked: AskedQuantity) -> Commitment | None:
    """Add up the things at several places: "two by the window and one at the desk".

    Args:
        line: the sentence or line.
        text: without markup.
        asked: by the item.

    Returns:
        A commitment to the sum, or to the first number where it is the sum of the others; None where the numbers don't
        each count the thing asked for at a place of their own.
    """
    segment = line.segment
    found = [q for q in line.found if not q.kind]
    if asked.unit != "count" or not 2 <= len(found) <= MAX_PLACES or len(found) < len(line.found):
        return None
    if any(q.note or q.result or q.operand for q in found) or segment.having("total", "correct", "negate", "suppose"):
        return None
    begin = 1 + text.rfind(":", segment.start, found[0].start)
    lead = [w for w in segment.words if begin <= w.start and w.end <= found[0].start]
    known = [*segment.having("conclude", "estimate", "copula"), *segment.having("choose")]
    if any(not is_inside(w, known) and w.folded not in segment.language.skip | _SEEN for w in lead):
        return None
    rest = sum((q.value for q in found[1:]), Fraction(0))
    if (
        len(found) > 2
        and found[0].value == rest
        and not (
            _CHANGED.search(text, found[0].end, segment.end)
            or any(c.start > found[0].end for c in segment.having("conclude"))
        )
    ):
        return Commitment(rest, JUDGED, found[0].start, found[0].end, "added up")  # "six, four here and two there"
    if _NOT_ADDED.search(text, found[0].end, segment.end):
        return None
    places = [c for c in replies(segment, text) if c.role == "place"]
    for k, quantity in enumerate(found):
        following = found[k + 1].start if k + 1 < len(found) else segment.end
        if not _has_place(quantity, following, places, segment, asked):
            return None
        if following < segment.end and not re.search(r"[,;]|\b(?:and|und|et|y|e)\b", text[quantity.end : following]):
            return None
    others = len(_ANOTHER.findall(text[found[0].end : segment.end]))
    return Commitment(
        sum((q.value for q in found), Fraction(others)), JUDGED, found[0].start, found[-1].end, "added up"
    )


_ANOTHER = re.compile(
    r"\banother(?=[ ](?:on|in|at|by|near|under|beside|behind|next|against|above|below)\b)", re.IGNORECASE
)
"""One more at a place of its own, without the word "one"."""
_SEEN = frozenset((
    "i", "can", "see", "we", "count", "counted", "spot", "make", "out", "veo", "hay", "vejo", "há", "ich", "sehe",
    "je", "vois"
))  # fmt: skip
_COUNTED_WORDS = frozenset((
    "more", "another", "other", "others", "further", "of", "them", "one", "ones", "otro", "otra", "otros", "otras",
    "mais", "plus", "weitere"
))  # fmt: skip
"""Words that may stand for what is counted."""


MAX_OTHER_WORDS = 2
"""Words between counted things and their place that describe neither, at most: "three share the bench by"."""


def _has_place(quantity: Quantity, end: int, places: Sequence[Cue], segment: Segment, asked: AskedQuantity) -> bool:
    """Check whether a place follows a number, with only the counted things and one word that describes it between."""
    place = next((c for c in places if quantity.end <= c.start < end), None)
    if place is None:
        return False
    between = [w for w in segment.words if quantity.end <= w.start and w.end <= place.start]
    other = [
        w
        for w in between
        if not asked.is_about([w]) and w.folded not in _COUNTED_WORDS and w.folded not in segment.language.skip
    ]
    return len(between) <= MAX_PLACE_WORDS and len(other) <= MAX_OTHER_WORDS


MAX_LISTED_LINES = 12
"""Lines of a response that lists the things at each place, at most."""
_PLACE_FIRST = re.compile(
    r"(?:\A|[\n,;.]|\b(?:and|y|et|und|e))[\s*_•-]*(?:and[ ])?(?:in|on|at|by|under|behind|near|inside|outside|along)"
    r"[ ](?P<place>[^,;:.\d\n]{2,40})[ ,]*\Z"
    r"|(?:\A|[\n,;.])[\s*_•-]*(?P<label>[^,;:.\d\n]{2,40}(?:[ ]\d{1,2})?)[ *_]*:[ *_]*\Z",
    re.IGNORECASE,
)
_NO_PLACE = re.compile(
    r"\b(?:start|beginning|end|(?:first|second|last)(?! (?:floor|storey|level|row|wall|shelf)\b)|then|frame|image"
    r"|picture|photo|video|clip|shot|minute|moment|time|all|total"
    r"|attempt|option|scenario|case|count|guess|answer|if|before|after|now|view|sum|step)\b",
    re.IGNORECASE,
)


def listed_by_place(lines: Sequence[NumberLine], text: str, asked: AskedQuantity) -> Commitment | None:
    """Add up a response that is nothing but a list of places with the things at each: "Hall: two. Kitchen: three.".

    Args:
        lines: of the response.
        text: without markup.
        asked: by the item.

    Returns:
        A commitment to the sum; None where a number has no place of its own, or the response says anything else.
    """
    if _differs_by_frame(lines, text, asked):
        return Commitment(None, ALONE, lines[0].segment.start, lines[-1].segment.end, "stated", SEVERAL)
    rows = _rows_asked(lines, text, asked) if asked.unit == "count" else []
    if rows:
        return Commitment(sum((q.value for q in rows), Fraction(0)), JUDGED, rows[0].start, rows[-1].end, "added up")
    found = [(line, k) for line in lines for k, q in enumerate(line.found)]
    if (
        asked.unit != "count"
        or asked.quality
        or not 2 <= len(found) <= MAX_LISTED_LINES
        or len(lines) > MAX_LISTED_LINES
    ):
        return None
    places, labelled = set(), False
    for line, k in found:
        quantity, segment = line.found[k], line.segment
        lead = text[line.found[k - 1].end if k else segment.start : quantity.start]
        match = _PLACE_FIRST.search(lead)
        place = (match["place"] or match["label"]) if match else ""
        labelled = labelled or bool(match and match["label"])
        place = _LISTED_VERB.sub("", place).strip().casefold()
        if not place or place in places or _NO_PLACE.search(lead) or asked.is_about(words_of(place)):
            return None
        if quantity.kind or quantity.note or quantity.result or quantity.value.denominator > 1:
            return None
        places.add(place)
        cues = ("total", "answer", "choose", "conclude", "correct", "suppose", "unknown", "tentative")
        if line.question or segment.having(*cues):
            return None
    if labelled and not any(counts_asked(line.found[k], asked, line.segment, text) for line, k in found):
        # "Kitchen: 2, bath: 3" counts the things, "windows: 2, doors: 3" may not.
        first, last = found[0][0].found[0], found[-1][0].found[-1]
        plain = lines[0].segment.language.names == {"en"}
        return Commitment(None, ALONE, first.start, last.end, "added up", SEVERAL) if plain else None
    total = sum((line.found[k].value for line, k in found), Fraction(0))
    return Commitment(total, JUDGED, found[0][0].found[0].start, found[-1][0].found[-1].end, "added up")


_FRAME = re.compile(r"\b(?:frame|image|picture|photo|view|clip|shot|camera)[ ]#?\d+", re.IGNORECASE)


def _differs_by_frame(lines: Sequence[NumberLine], text: str, asked: AskedQuantity) -> bool:
    """Check whether a response is nothing but different counts of single frames: "frame 1: 2, frame 2: 3"."""
    found = [q for line in lines for q in line.found]
    if asked.unit != "count" or len({q.value for q in found}) < 2:
        return False
    cues = ("total", "answer", "choose", "conclude", "correct", "superlative")
    if any(line.segment.having(*cues) for line in lines) or _WHOLE_VIDEO.search(text, lines[0].segment.start):
        return False
    ends = [m.end() for m in _FRAME.finditer(text)]
    frames = [bisect_right(ends, q.start) for q in found]
    return all(frames) and len(set(frames)) == len(found)


_WHOLE_VIDEO = re.compile(r"\b(?:video|room|scene|altogether|both|most|same|max\w*|different|new)\b", re.IGNORECASE)


def _rows_asked(lines: Sequence[NumberLine], text: str, asked: AskedQuantity) -> list[Quantity]:
    """The numbers in the column of a table that is headed by the things to count, where the response is that table."""
    parts = [text[line.segment.start : line.segment.end].strip() for line in lines]
    if len(lines) < 4 or not all(part.startswith("|") for part in parts):
        return []
    heads = parts[0].strip("|").split("|")
    columns = [i for i, head in enumerate(heads) if asked.is_about(words_of(head))]
    rows = [line for line, part in zip(lines, parts, strict=True) if not re.fullmatch(r"[|:\s-]+", part)][1:]
    if len(columns) != 1 or columns[0] == 0 or any(line.segment.having("total") for line in rows):
        return []
    cells = [[q for q in line.found if text.count("|", line.segment.start, q.start) == columns[0] + 1] for line in rows]
    return [own[0] for own in cells] if all(len(own) == 1 for own in cells) else []


_LISTED_VERB = re.compile(
    r"[ ](?:there (?:are|is)|there['’]s|(?:i|we) (?:see|count)|it (?:has|have)|also|again|another|has|have|just|only|is"
    r"|are|stands?|hangs?)\b.*\Z",
    re.IGNORECASE,
)


_ONE_BY_ONE = re.compile(r"\bone\b[^.!?\n]*?\b(?P<others>(?:another|a second|the second)\b[^.!?\n]*)", re.IGNORECASE)
_FURTHER = re.compile(r"\b(?:another|a second|the second)\b", re.IGNORECASE)
_ORDINAL = re.compile(r"\b(?:a|the) (?P<third>third)\b|\b(?:a|the) (?P<fourth>fourth)\b", re.IGNORECASE)


def one_by_one(lines: Sequence[NumberLine], text: str, asked: AskedQuantity) -> Commitment | None:
    """Count the things that a sentence names one by one: "one over the sink, another by the door and a third outside".

    Args:
        lines: of the response.
        text: without markup.
        asked: by the item.

    Returns:
        A commitment to their number; None where the response gives any other number, doubts or denies anything.
    """
    match = _ONE_BY_ONE.search(text) if asked.unit == "count" and not asked.times and not asked.quality else None
    if match is None or any(q.value != 1 for line in lines for q in line.found):
        return None
    if any(line.segment.having("negate", "suppose", "tentative", "unknown", "correct") for line in lines):
        return None
    ordinals = [m.lastgroup for m in _ORDINAL.finditer(match["others"])]
    count = 4 if "fourth" in ordinals else 3 if ordinals else 1 + len(_FURTHER.findall(match["others"]))
    return Commitment(Fraction(count), JUDGED, match.start(), match.end(), "added up")


_BUT = re.compile(r"\ball (?:but|except)(?: for)? \Z", re.IGNORECASE)
_LEFT_ASKED = re.compile(r"\b(?:left(?! of| side)|remain\w*|still)\b", re.IGNORECASE)
_TAKEN = re.compile(r"\b(?:took|takes?|taken|removed?|gone|missing|eaten|sold|fell|flew)\b", re.IGNORECASE)
_REST = re.compile(r"\bthe (?:rest|others|remaining|remainder)\b[^.;!?\n]*", re.IGNORECASE)


def the_rest(lines: Sequence[NumberLine], text: str, asked: AskedQuantity) -> Commitment | None:
    """Work out the rest of a whole, where it has the quality asked for: "twelve cars, seven blue and the rest red".

    Args:
        lines: of the response.
        text: without markup.
        asked: by the item.

    Returns:
        A commitment to the whole without the other parts; None where that isn't what the response leaves.
    """
    found = [q for line in lines for q in line.found if not q.label]
    but = next((q for q in found if _BUT.search(text, 0, q.start)), None) if asked.unit == "count" else None
    if asked.unit == "count" and len(found) == 2 and _LEFT_ASKED.search(asked.question):
        but = found[1] if _TAKEN.search(text) and not found[1].result else but
    if but is not None and len(found) == 2:
        rest = max(q.value for q in found) - but.value
        return Commitment(rest, JUDGED, but.start, but.end, "added up") if rest > 0 else None
    match = _REST.search(text) if asked.unit == "count" and asked.quality else None
    if match is None or len(found) < 2 or found[-1].end > match.start():
        return None
    told = {w.folded for w in words_of(match[0])}
    if not told & set(asked.quality) or any(line.segment.having("negate", "suppose") for line in lines):
        return None
    rest = found[0].value - sum((q.value for q in found[1:]), Fraction(0))
    return Commitment(rest, JUDGED, *match.span(), "added up") if rest > 0 else None
