"""Quantities that a response mentions without giving them as the answer, of other things, sizes or suppositions; and
answers that it gives only by their parts: groups of equal size, and dimensions."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from tolman.items import Unit
from tolman.scoring.parse.asked import names_any, opposite
from tolman.scoring.parse.commitments import JUDGED, STATED, Commitment
from tolman.scoring.parse.lexicon import is_inside, names_same, same_word, words_of
from tolman.scoring.parse.response_segments import Segment, is_question
from tolman.scoring.parse.units import Quantity

if TYPE_CHECKING:
    from tolman.scoring.parse.number_lines import AskedQuantity, NumberLine

MEASURED: tuple[Unit, ...] = ("m", "cm", "m2")
"""Units of items that ask for a length or an area."""
_QUESTION = re.compile(
    r"\s*(?:(?:should|shall|would|could|can|may|do|does|did|is|are|was|were|am|have|has)[ ]"
    r"(?:i|you|we|it|they|there|the|an?|this|that|these|those|any|[\d.]+)|which|what|who|where|how|why)\b",
    re.IGNORECASE,
)
"""The beginning of a question in full words; "could be 75 cm?" is a guess."""
_PLURAL = re.compile(r"[ -](?:\w+[ ])?(?P<noun>[a-z]{3,}s)\b(?![ ]of[ ](?:them|these|those)\b)")
_NO_NOUN = frozenset((
    "across", "always", "besides", "does", "has", "its", "less", "lies", "minus", "ones", "others", "perhaps", "pieces",
    "plus", "seems", "stands", "sits", "the", "this", "thus", "times", "towards", "units", "was", "yes"
))  # fmt: skip
"""Words behind a number that end like a plural, but name nothing else that it counts."""
_THAN_OTHER = re.compile(r"\bthan[ ](?:the|a|an|its|this|that|any)[ ](?:\w+[ ])?\Z", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"[ ](?:more|less|further|farther|\w{2,}er)[ ]than\b"
    r"|[ ](?:wider|taller|higher|longer|shorter|deeper|farther|further|nearer|closer|lower|larger|smaller|bigger)[ ]*"
    r"(?:[.,;:!)]|\Z)",
    re.IGNORECASE,
)
_MULTIPLIED = re.compile(
    r"\b(?:twice|double|half|thirds?|quarters?|times)[ ](?:(?:of|as|the)[ ])*(?:that|it|this)\b", re.IGNORECASE
)
"""A multiple or a share of the quantity in front, which isn't what is asked for then; "75 cm, half the door's height"
is."""
_OF_THAT = re.compile(r"[ ](?:of|times)[ ](?:that|it|this|the)\b", re.IGNORECASE)
_COUNTED_NOUN = re.compile(r"\bhow many (?:[\w-]+ )*?(\w{3,}s)\b", re.IGNORECASE)
_SHARE_OF = re.compile(
    r"\b(?:half|third|quarter|some|most|many|few|none|part)(?:[ ]of)?[ ](?:the|these|those)[ ]\Z", re.IGNORECASE
)
_OTHER_CLAUSE = re.compile(r"[,;:.]\s")
_GROUPED = re.compile(r"[ ](?:of|by|x|×|times)[ ](?!the)|\b(?:each|every|per|apiece)\b", re.IGNORECASE)
"""Behind a number of groups, each of as many of the things asked for."""
_PLUS_SOME = re.compile(
    r"\bplus[ ](?:the|an?|another|some)[ ](?:\w+[ ])?(?:pair|couple|few|rest|others)\b(?![ ]of\b)", re.IGNORECASE
)
ASSUMING = re.compile(r"\W*(?:let(?:['’]s| us)[ ])?(?:assume|suppose|imagine)\b[^,;:]*", re.IGNORECASE)
"""A sentence that only assumes something."""


def asks_back(segment: Segment, text: str) -> bool:
    """Check whether a sentence is a question in full words: "should I count the two stools?", not "three?"."""
    return is_question(segment, text) and _QUESTION.match(text, segment.start) is not None


def is_of_other_size(quantity: Quantity, segment: Segment, text: str, asked: AskedQuantity) -> bool:
    """Check whether a length or an area is of something else, or measured in things: "2 cm taller than", "3 steps"."""
    if asked.unit not in MEASURED or not asked.question:
        return False
    before = text[max(segment.start, quantity.start - CONTEXT_CHARS) : quantity.start]
    if quantity.kind:
        differs = _DIFFERENCE.match(text, quantity.end) and not _DIFFERENCE_ASKED.search(asked.question)
        if differs or _THAN_OTHER.search(before) or _MULTIPLIED.search(text, quantity.end, segment.end):
            return True
        person = _PERSON.search(before)
        if person and not asked.is_about(words_of(person[1])):
            return True
        near = (_BEHIND.match(text, quantity.end), _LABEL.search(before))
        said, wanted = _dimensions(" ".join(found[1] for found in near if found)), _dimensions(asked.question)
        return len(said) == len(wanted) == 1 and said != wanted and not _ANY_SIDE.search(asked.question)
    return bool(_noun_behind(quantity, segment, text)) or _OF_THAT.match(text, quantity.end) is not None


_PERSON = re.compile(
    r"\b(person|man|woman|adult|human|pedestrian|player)(?:[ ](?:of|is|being|who is|with|about|around|roughly))+[ ]\Z",
    re.IGNORECASE,
)
"""In front of the height of somebody, to whom other things are compared."""
_DIMENSIONS = {
    "height": ("high", "tall", "height", "hoch", "höhe", "haut", "hauteur", "alto", "alta", "altura", "высота"),
    "width": ("wide", "width", "breit", "breite", "large", "largeur", "ancho", "anchura", "largura", "ширина"),
    "length": ("long", "length", "lang", "länge", "longueur", "longitud", "comprimento", "длина"),
    "depth": ("deep", "depth", "tief", "tiefe", "profondeur", "profundidad", "profundidade", "глубина"),
    "thickness": ("thick", "thickness", "dick", "dicke", "épaisseur", "grosor", "espessura", "толщина"),
}
_BEHIND = re.compile(r"[ -](?:(?:in|de)[ ])?(\w+)")
"""The word behind a quantity that may name its dimension: "75 cm high", "75 cm in height"."""
_LABEL = re.compile(r"\b(\w+)(?:[ ]?[:=]|[ ]of|[ ]is)?[ ]\Z")
"""The word in front that may: "width: 75 cm", "a width of 75 cm"."""
_ANY_SIDE = re.compile(r"\b(?:longest|longer|largest|side|dimension|distance|gap|apart|far)\b", re.IGNORECASE)


def _dimensions(text: str) -> set[str]:
    """The dimensions that a text names."""
    words = {w.folded for w in words_of(text)}
    return {name for name, forms in _DIMENSIONS.items() if not words.isdisjoint(forms)}


def _noun_behind(quantity: Quantity, segment: Segment, text: str) -> str:
    """Return the plural noun right behind an English number; empty without one."""
    noun = _PLURAL.match(text, quantity.end)
    found = noun is not None and noun["noun"] not in _NO_NOUN and "en" in segment.language.names
    return noun["noun"] if noun and found else ""


def counts_other(quantity: Quantity, segment: Segment, text: str, asked: AskedQuantity) -> bool:
    """Check whether a number counts other things than those asked for, which the response names elsewhere: "six panes"
    of a window."""
    if asked.unit != "count" or quantity.kind:
        return False
    before = text[max(segment.start, quantity.start - CONTEXT_CHARS) : quantity.start]
    if _PLUS_SOME.search(text, quantity.end, segment.end) or _SHARE_OF.search(before):
        return True
    if asked.poles and not _OTHER_CLAUSE.search(text, quantity.end, segment.end):
        named = segment.part(quantity.end, segment.end)
        said = {c.role for c in segment.language.opposites.find(named.words, text)}
        if said and not named.having("negate") and said <= {opposite(pole) for pole in asked.poles}:
            return True  # "two are off", where those that are on are counted
    noun, wanted = _noun_behind(quantity, segment, text), _COUNTED_NOUN.search(asked.question)
    if not noun or wanted is None or any(same_word(noun, a) for a in asked.words):
        return False
    if _GROUPED.search(text, quantity.end, segment.end):
        return False
    return any(same_word(w.folded, wanted[1].casefold()) for w in words_of(text))


_DIFFERENCE_ASKED = re.compile(r"\bhow much\b|\bdifference\b|\b(?:more|less|\w{2,}er)[ ]than\b", re.IGNORECASE)
CONTEXT_CHARS = 24
"""Characters in front of a quantity that tell what it measures."""

_PART_OF = re.compile(
    r"\b(?:(?:of|from|among)[ ](?:them|these|those|which)|out[ ]of|davon|darunter|dont|d['’]entre[ ](?:eux|elles)"
    r"|d?(?:esses|essas|estes|estas|eles|elas)|de[ ](?:ellos|ellas|est[ao]s|es[ao]s|l[oa]s[ ]cuales)"
    r"|из[ ](?:них|этих|которых)|remov\w+|exclud\w+|subtract\w+|leav(?:es|ing))\b"
    r"|其中|そのうち|このうち|그중|그 중|이 중|इनमें से|उनमें से|منها|منهم",
    re.IGNORECASE,
)
"""Signs that a number is a part of an earlier one."""
_IN_ALL = re.compile(
    r"\b(?:in total|altogether|in all|overall|insgesamt|en total|au total|no total|ao todo|всего)\b", re.I
)
_EVERYWHERE = frozenset((
    "room", "image", "picture", "photo", "video", "scene", "frame", "clip", "view", "visible", "seen", "shown", "see",
    "total", "many", "how", "number", "count", "altogether", "there", "have", "has", "does", "did", "different",
))  # fmt: skip
"""Words of a question that don't tell the things that it counts from others."""


def set_wholes_aside(lines: Sequence[NumberLine], text: str, asked: AskedQuantity) -> None:
    """Set aside a total of which the response gives the part that the question asks for: "12 in all, 3 on the table".

    Args:
        lines: of the response; their quantities are changed.
        text: without markup.
        asked: by the item.
    """
    if asked.unit != "count" or _IN_ALL.search(asked.question):
        return
    if not 2 <= sum(len(line.found) for line in lines) <= MAX_NAMED:
        return
    thing = _COUNTED_NOUN.search(asked.question)
    dull = _EVERYWHERE | {thing[1].casefold()} if thing else _EVERYWHERE
    named: list[tuple[Quantity, set[str], set[int], bool, bool]] = []
    for line in lines:
        counted = [q for q in line.found if not (q.note or q.kind == "foreign" or (q.weak and q.value == 1))]
        for k, quantity in enumerate(counted):
            begin = counted[k - 1].end if k else line.segment.start
            edge = max((m.end() for m in _CLAUSE.finditer(text, begin, quantity.start)), default=begin)
            end = counted[k + 1].start if k + 1 < len(counted) else line.segment.end
            stop = _CLAUSE.search(text, quantity.end, end)
            part = line.segment.part(edge, stop.end() if stop else end)
            words = {a for a in asked.words if a not in dull and names_any(part.words, frozenset({a}))}
            totals = {c.start for c in part.having("total")} - {s for n in named for s in n[2]}
            named.append((quantity, words, totals, _is_denied(part), asked.is_about(part.words)))
    if any(q.result for q, *_ in named):
        return
    for k, (whole, said, total, denied, about) in enumerate(named[:-1]):
        behind = named[k + 1 :]
        parts = [n for n in behind if n[0].value < whole.value and n[1] - said]
        most = max((len(n[1]) for n in parts), default=0)
        best = [n for n in parts if len(n[1]) == most]
        if denied or len({n[0].value for n in best}) != 1 or any(n[3] for n in best) or any(n[2] for n in behind):
            continue
        others = sum((n[0].value for n in behind), Fraction(0))
        parted = others == whole.value or _PART_OF.search(text, whole.end, best[-1][0].end + MAX_PART_GAP)
        if total or (parted and about):
            for quantity, *_ in named:
                quantity.operand = quantity.operand or quantity.value != best[0][0].value
            for quantity, *_ in best:
                quantity.operand = quantity.weak = False
            return


def _is_denied(part: Segment) -> bool:
    """Check whether a part of a sentence denies or supposes something; "no total" of other languages doesn't."""
    return any(not is_inside(c, part.having("total")) for c in part.having("negate", "suppose"))


MAX_NAMED = 8
"""Numbers among which a part of a total is looked for, at most."""
MAX_PART_GAP = 16
"""Characters behind a number in which "of them" makes it a part, at most."""
_CLAUSE = re.compile(r"[,;(]|[.!?](?=\s|\Z)|[，；。、]|\b(?:and|but|while|und|et|y|e|и|а)\b", re.IGNORECASE)


def prefer_quality(lines: Sequence[NumberLine], text: str, asked: AskedQuantity) -> None:
    """Set aside the numbers of all things, or of others, where one number is of those that have the quality asked for.

    What a response announces or concludes isn't set aside.

    Args:
        lines: of the response; their quantities are changed.
        text: without markup.
        asked: by the item.
    """
    if not asked.quality:
        return
    hits, others = [], []
    for line in lines:
        for k, quantity in enumerate(line.found):
            end = line.found[k + 1].start if k + 1 < len(line.found) else line.segment.end
            if _has_quality(quantity, end, line, text, asked):
                hits.append(quantity)
            elif not any(c.end <= quantity.start for c in line.segment.having("answer", "choose", "conclude")):
                others.append(quantity)
    hits = [q for q in hits if not q.operand]
    if len({q.value for q in hits}) == 1:
        for quantity in others:
            quantity.operand = quantity.operand or (quantity.value != hits[0].value and not quantity.result)
        for quantity in hits:
            quantity.weak = False


def _has_quality(quantity: Quantity, end: int, line: NumberLine, text: str, asked: AskedQuantity) -> bool:
    """Check whether a number is of things with the quality asked for, by the words behind it or its label."""
    segment = line.segment
    stop = _CLAUSE_STOP.search(text, quantity.end, end)
    part = segment.part(quantity.end, stop.start() if stop else end)
    label = re.search(r"[^\n.;:!?,]*:[ *_`]*\Z", text[segment.start : quantity.start])
    if label and not any(same_word(w.folded, a) for w in part.words for a in asked.quality):
        part = segment.part(segment.start + label.start(), quantity.start)
    if part.having("negate"):
        return False
    if asked.poles:
        return any(c.role in asked.poles for c in segment.language.opposites.find(part.words, text))
    return any(same_word(w.folded, a) for w in part.words for a in asked.quality)


_CLAUSE_STOP = re.compile(r"[;:.!?\n](?:\s|\Z)")


_GROUPS = re.compile(r"[ ](?P<group>[a-z]+)[ ](?:(?P<of>of|by)|with|each (?:of|with)|, each with)[ ](?:a[ ])?\Z")
_EACH = re.compile(r"[^.;:!?]{0,24}\b(?:each|per|apiece|every)\b")


def multiplied(line: NumberLine, text: str, asked: AskedQuantity) -> Commitment | None:
    """Multiply equal groups: "five rows of six chairs".

    Args:
        line: the sentence or line.
        text: without markup.
        asked: by the item.

    Returns:
        A commitment to the product; None where the line gives other numbers than a group's and that of the groups.
    """
    found = [q for q in line.found if not q.kind]
    if asked.unit != "count" or len(found) != 2 or len(line.found) != 2 or line.segment.having("negate", "suppose"):
        return None
    groups, each = found
    match = _GROUPS.match(text[groups.end : each.start])
    if match is None or groups.note or each.note:
        return None
    if any(names_same(match["group"], a) for a in asked.words if a not in asked.quality):
        return None
    if match["of"] != "by" and not _EACH.match(text, each.end):
        behind = [w for w in line.segment.words if w.start >= each.end][:2]
        if match["of"] is None or not (asked.is_about(behind) or not behind):
            return None
    return Commitment(groups.value * each.value, JUDGED, groups.start, each.end, "added up")


_LONGEST = re.compile(
    r"\b(?:longest|largest|biggest|length)\b|最长|最長|長邊|长边|가장 긴|длин|längste|plus long|más larg|maior"
    r"|lado mais longo|أطول|सबसे लंब",
    re.IGNORECASE,
)


def dimensions(line: NumberLine, text: str, asked: AskedQuantity) -> list[Commitment]:
    """Find the largest of "150 x 80 x 75", where the longest side is asked for.

    Args:
        line: the sentence or line.
        text: without markup.
        asked: by the item.

    Returns:
        At most one commitment.
    """
    found = line.found
    if len(found) < 2 or asked.unit not in ("cm", "m") or not _LONGEST.search(asked.question):
        return []
    gaps = [text[a.end : b.start] for a, b in itertools.pairwise(found)]
    if not all(re.fullmatch(r"[^\d=]{0,14}[x×*][^\d=]{0,4}", gap) for gap in gaps):
        return []
    kinds = {(q.kind, q.factor) for q in found if q.kind}
    if len(kinds) > 1:
        return []
    for quantity in found:
        if not quantity.kind and kinds:
            quantity.kind, quantity.factor = next(iter(kinds))
    largest = max(found, key=lambda q: q.value)
    return [Commitment(largest.in_unit(asked.unit), STATED, largest.start, largest.end, "dimensions")]
