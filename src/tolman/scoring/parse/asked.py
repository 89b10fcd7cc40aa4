"""The parsed question of an item: a statement to judge, an extreme, a relation, or a number.

A response is read against this: "the desk is behind the chair" answers where the chair is, and "it is closed" answers
whether the door is open. Qualities are the pairs of opposites that the language files know. Each has two poles, such
as 'size+' (larger) and 'size-' (smaller).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from tolman.scoring.parse.lexicon import Cue, Languages, Word, is_glued, is_inside, longest, same_word, words_of

if TYPE_CHECKING:
    from tolman.scoring.parse.option_texts import OptionTexts

MIN_CONTENT_CHARS = 3
"""Letters of a word that says what a question is about, at least; words in scripts without spaces are shorter."""

_FUNCTION_WORDS = frozenset((
    "what", "which", "who", "where", "when", "whether", "how", "many", "much", "does", "did", "do", "done", "has",
    "have", "had", "can", "could", "will", "would", "should", "must", "may", "are", "was", "were", "been", "being",
    "from", "than", "and", "or", "but", "not", "there", "here", "this", "that", "these", "those", "them", "they",
    "their", "his", "her", "him", "she", "our", "your", "into", "onto", "over", "more", "less", "any", "some",
    "each", "other", "same", "two", "three", "four", "all", "both", "one", "ones", "option", "options", "following",
    "image", "picture", "photo", "video", "frame", "clip", "scene", "shown", "relative", "respect", "true", "false",
    "next"
))  # fmt: skip
"""Words of an English question that no answer needs to repeat."""
_VIEWS = frozenset(("image", "picture", "photo", "video"))
"""Those of them that also name a thing on a wall."""


TIMED = {"last": "+", "latest": "+", "first": "-", "earliest": "-"}
"""Words that ask for an end of time, and which end it is."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The parsed content of a question.

    Attributes:
        question: of the item.
        words: those that carry something, folded, in order.
        poles: of the qualities that the question names.
        subject, anchor: words of the thing that is located or compared, and of its reference; empty where the question
            doesn't name them.
        rank: which from that end it asks for: 2 for "the second largest".
        located: whether the question asks where the subject is.
        negated: whether the question is put in the negative.
    """

    question: str
    words: tuple[str, ...]
    poles: frozenset[str]
    subject: frozenset[str]
    anchor: frozenset[str]
    located: bool
    negated: bool
    rank: int = 1

    @property
    def timed(self) -> bool:
        """Whether it asks which is first or last, so that times are compared."""
        return any(word in TIMED for word in self.words) or _PLACED.search(self.question) is not None

    def larger(self) -> bool | None:
        """Check whether the question asks for the larger end of its comparison; None where it asks for neither."""
        signs = {pole[-1] for pole in self.poles if pole[:-1] in MEASURED_QUALITIES | _RATED}
        if not signs:
            signs = {sign for word, sign in _ENDS if word in self.words} or ({"-"} if self.timed else set())
        return signs == {"+"} if len(signs) == 1 else None


_PLACES = ("second", "third", "fourth")
_PLACED = re.compile(
    r"\b(?:comes?|came|appears?|appeared|arrives?|arrived|happens?|happened|enters?|entered|starts?|started)"
    r" (?:in )?(second|third|fourth)\b",
    re.IGNORECASE,
)
_ENDS = (("most", "+"), ("least", "-"), *TIMED.items())
_RATED = frozenset(("speed", "warmth", "loudness", "steepness"))
MEASURED_QUALITIES = frozenset(
    ("distance", "size", "height", "length", "width", "thickness", "depth", "weight", "number")
)
"""Qualities of which the larger measure is the first pole."""


def is_content(word: str, language: Languages) -> bool:
    """Check whether a word is a content word of its sentence.

    Args:
        word: folded.
        language: of the sentence.
    """
    if word in language.skip or word in _FUNCTION_WORDS:
        return False
    return len(word) >= MIN_CONTENT_CHARS or not word.isascii()


@lru_cache(maxsize=16_384)
def asked_in(question: str, language: Languages) -> Asked:
    """Parse the question of an item.

    Args:
        question: of the item; may be empty.
        language: in which it is written.
    """
    words = words_of(question)
    poles = [c for c in longest(language.opposites.find(words, question)) if not _measures(words, c)]
    cues = language.asked.find(words, question)
    negations = [c for c in language.cues_of(words, question) if c.role == "negate"]
    subject, anchor = _located(words, cues, poles, language)
    related = next((m for pattern in _RELATED if (m := pattern.search(question))), None)
    if related is not None and not (subject and anchor):
        parts = [words_of(related.groupdict().get(name) or "") for name in ("subject", "anchor")]
        subject, anchor = (_content(part, 0, None, language) for part in parts)
    shared = subject & anchor  # "the red cup" beside "the blue cup"
    if shared < subject and shared < anchor:
        subject, anchor = subject - shared, anchor - shared
    placed = _PLACED.search(question)
    most = [w.start for w in words if w.folded == "most"]
    ranks = [_PLACES.index(placed[1].casefold()) + 2] if placed else []
    ranks += [
        int(c.role)
        for c in language.ordinals.find(words, question)
        if any(0 <= start - c.end <= 1 for start in [*(p.start for p in poles), *most])
    ]
    return Asked(
        question,
        tuple(dict.fromkeys(w.folded for w in words if is_content(w.folded, language))),
        frozenset(c.role for c in poles),
        subject,
        anchor,
        related is not None
        or any(c.role == "where" for c in cues)
        or any(opposite(alike(c.role)) in {alike(p.role) for p in poles} for c in poles),
        any(question[c.start : c.end].casefold() not in _THAN for c in negations),
        next((n for n in ranks if n > 1), 1),
    )


def _measures(words: Sequence[Word], pole: Cue) -> bool:
    """Check whether a quality follows "how", so that its measure is asked for: "how far"."""
    before = [w.folded for w in words if w.end <= pole.start]
    return bool(before) and before[-1] in _HOW


_HOW = frozenset(("how", "wie", "tan", "quão", "насколько", "多"))
_THAN = frozenset(("than", "als", "que", "do que", "чем", "without", "except", "instead of", "rather than", "unlike"))
"""Words that deny a part of a sentence in a response, but don't put a question in the negative."""


def _located(
    words: Sequence[Word], cues: Sequence[Cue], poles: Sequence[Cue], language: Languages
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of the located thing and those of its reference, on either side of a relation."""
    where = next((c for c in cues if c.role == "where"), None)
    viewed = [c for c in cues if c.role == "viewed_by"]
    bounds = [c for c in cues if c.role == "relative_to" and not is_inside(c, viewed)]
    if where is not None:
        behind = next((c for c in bounds if c.start >= where.end), None)
        before = next((c for c in bounds if c.end <= where.start), None)
        subject = _content(words, where.end, behind.start if behind else None, language)
        if behind is not None:
            return subject, _content(words, behind.end, None, language)
        anchor = _content(words, before.end, where.start, language) if before else frozenset[str]()
        return subject, anchor
    related = [c for c in poles if c.role[:-1] in _RELATIONS]
    if not related:
        return frozenset(), frozenset()
    first = related[0]
    opening = max((c.end for c in [*bounds, *viewed] if c.end <= first.start), default=-1)  # "seen from the door, is …"
    begin = next((w.end for w in words if opening <= w.start and w.folded in _AUXILIARIES), 0) if opening >= 0 else 0
    subject = _content(words, begin, first.start, language)
    return subject, _content(words, first.end, None, language)


_BE = r"(?:is|are|was|were|does|do|did)"
_RELATED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:which side of|(?:which|what) (?:compass )?direction (?:from|of)) (?P<anchor>[^,?]+?) {_BE}"
        r" (?P<subject>[^,?]+)",
        r"\b(?:relation|relationship|position|location|place|direction) of (?P<subject>[^,?]+?)"
        r" (?:relative to|with respect to|to|from) (?P<anchor>[^,?]+)",
        rf"\b{_BE} (?P<subject>[^,?]+?) (?:compared?|relate|in relation|in comparison|relative|with re(?:spect|gard))"
        r" (?:to|with) (?P<anchor>[^,?]+?)(?: (?:in|by|on) [^,?]+)?[ ?.]*\Z",
        r"\b(?:compared|relative|with respect|in relation) (?:to|with) (?P<anchor>[^,?]+?), (?:is|are)? ?"
        r"(?!(?:which|what|who|how|where|in)\b)(?P<subject>[^,?]+?)(?: (?:is|are)\b|[ ?…]*\Z)",
        r"\b(?:true|correct|right|said) (?:of|about|for) (?P<subject>[^,?]+?)(?: (?:as|in|on|when|if)\b|[,?]|\Z)",
        r"(?:从|以|相对于|相對於|從)(?P<anchor>[^，,看为為]+?)(?:来看|看|为参照|為參照)?[，,](?P<subject>[^，,在位]+?)(?:在|位于|位於)",
        r"(?P<subject>[^，,。在位]+?)(?:在|位于|位於)(?P<anchor>[^，,。的]+?)的?(?:哪|什么|何)",
        r"(?P<anchor>[^、。は]+?)(?:から見て|に対して|を基準に(?:して)?)、?(?P<subject>[^、。は]+?)は",
        r"(?P<subject>[^、。は]+?)は、?(?P<anchor>[^、。の]+?)の(?:どちら|どの|どこ|どっち)",
        r"(?P<anchor>\w+?)(?:에서 (?:볼 때|보면)|에서|[을를] 기준으로|에 대해),?"
        r" (?P<subject>[^,]+?)[은는이가] (?:어|무슨)",
        r"(?P<subject>\w+?)[은는이가] (?P<anchor>\w+?)의? 어느",
    )
)
"""Questions for a relation, with the two things that it relates; the options may name the second."""

_AUXILIARIES = frozenset((
    "is", "are", "was", "were", "does", "do", "did", "has", "have", "can", "will", "would", "should"
))  # fmt: skip
_RELATIONS = frozenset((
    "sides", "time", "order", "levels", "compass", "meridians", "distance", "size", "height", "length", "width",
    "depth", "weight", "thickness", "speed", "age", "steepness", "warmth", "loudness"
))  # fmt: skip
"""Qualities that relate two things, so that they turn around where the things change places."""


def _content(words: Sequence[Word], start: int, end: int | None, language: Languages) -> frozenset[str]:
    """The words that carry something in a part of a question, without those that name a pole.

    Where none is left, it is short ("TV"), or "picture", which is no function word then.
    """
    inside = [w for w in words if w.start >= start and (end is None or w.end <= end)]
    inside = [w for w in inside if w.folded not in language.opposites.exact and not w.folded.isdecimal()]
    named = frozenset(w.folded for w in inside if is_content(w.folded, language))
    return named or frozenset(w.folded for w in inside if w.folded not in language.skip | (_FUNCTION_WORDS - _VIEWS))


def opposite(pole: str) -> str:
    """Name the other pole of a quality: 'size-' for 'size+'."""
    return pole[:-1] + ("-" if pole[-1] == "+" else "+")


def names_any(words: Sequence[Word], wanted: frozenset[str]) -> list[Word]:
    """List the words of a response that name a thing of the question.

    Args:
        words: of the response.
        wanted: folded words of the thing.
    """
    return [w for w in words if any(same_word(w.folded, other) for other in wanted)]


COMPARED = frozenset((
    "distance", "size", "height", "length", "width", "thickness", "depth", "weight", "speed", "age", "light", "time",
    "steepness", "warmth", "loudness",
    "compass", "meridians", "sides", "order", "levels"
))  # fmt: skip
"""Qualities by which options are compared."""


def alike(pole: str) -> str:
    """Name the pole that a relation comes to: a thing above another is higher, one in front of another is nearer.

    Args:
        pole: of a quality.
    """
    quality, sign = pole[:-1], pole[-1]
    if quality == "distance":
        return "order-" if sign == "+" else "order+"
    return "height" + sign if quality == "levels" else pole


@lru_cache(maxsize=16_384)
def poles_of(options: OptionTexts, language: Languages) -> list[frozenset[str]]:
    """Return the poles that the options name; empty where no two options name opposite ones."""
    found = [frozenset(alike(c.role) for c in longest(language.opposites.find(words_of(o), o))) for o in options.texts]
    every = frozenset[str]().union(*found)
    return found if any(pole[:-1] in COMPARED and opposite(pole) in every for pole in every) else []


@lru_cache(maxsize=16_384)
def with_things_of(options: OptionTexts, asked: Asked, language: Languages) -> Asked:
    """Complete the two things of a relation by the words that all options have: "it is left of the shed"."""
    known = asked.subject and asked.anchor and poles_of(options, language)
    if not asked.poles and not known and not is_glued(options.texts[0][:1] or " "):
        asked = _withpoles_of(options, asked, language)
    if asked.anchor or not (asked.located and asked.subject):
        return asked
    bags = [frozenset(w.folded for w in words_of(o) if is_content(w.folded, language)) for o in options.texts]
    shared = frozenset.intersection(*bags) - asked.subject - language.opposites.exact.keys()
    return replace(asked, anchor=shared)


def _withpoles_of(options: OptionTexts, asked: Asked, language: Languages) -> Asked:
    """Complete a question by what its options say: which relation they claim of the same two things ("the cup is left
    of the jar"), or which quality each claims of another thing ("the bus is faster")."""
    found = []
    for option in options.texts:
        words = words_of(option)
        cue = next((c for c in longest(language.opposites.find(words, option)) if c.role[:-1] in COMPARED), None)
        if cue is not None:
            content = [w for w in words if is_content(w.folded, language)]
            before = frozenset(w.folded for w in content if w.end <= cue.start)
            behind = frozenset(w.folded for w in content if w.start >= cue.end)
            found.append((cue.role, before, behind))
    if len(found) < 2:
        return asked
    roles, subjects, anchors = ({part[i] for part in found} for i in range(3))
    if len(roles) == 1:
        return replace(asked, poles=frozenset(map(str, roles)))
    if len(subjects) == len(anchors) == 1 and not asked.subject:
        return replace(asked, subject=found[0][1], anchor=found[0][2], located=bool(found[0][1] and found[0][2]))
    return asked
