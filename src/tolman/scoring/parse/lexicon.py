"""Words of a text in every script, and the cues, names and numerals that the language files know.

A language file in `languages/` is TOML and has these sections:

- `[detect]`: frequent words that give the language away, or the script that only this language is written in;
- `[cues]`: words that announce, choose, conclude, correct, negate and so on, a list for each role; under `skip` words
  that carry nothing;
- `[concepts]`: names of directions, of yes and no, and the like;
- `[objects]`: names of things, each under its English word;
- `[numbers]`: numerals, each list under its number;
- `[length]` and `[area]`: names of units, each list under its factor to metres or square metres;
- `[half]`: under `behind`, phrases that add a half behind a number or its unit: "and a half"; under `quarter_behind`
  and `less_quarter` phrases that add or subtract a quarter;
- `[ordinals]`: "third" under 3, "last" under -1;
- `[letters]`: under `schemes`, letters of other alphabets that label options, in their order;
- `[counters]`: under `words`, words between a number and the counted things;
- `[asked]`: phrases of questions ("where is", "relative to") and of answers to them that don't say "yes", "no" or a
  number, a list for each role;
- `[counted]` and `[times]`: counts in words ("just the one", "twice"), each list under its number; under `asked`
  phrases that ask how often;
- `[opposites]`: two lists for each quality: the words of its one pole, the larger where it can be measured, and those
  of the other;
- `[described]`: parts, uses and looks by which things are described, each list under the names of its thing.

A phrase is matched word by word. In scripts without spaces it is matched character by character, so that particles
glued behind it don't matter. A word that ends in `*` matches all words that begin so. Korean syllables that only look
like a word are recognised apart.

A language is added by a file of its code's name in `languages/`. Only `[detect]` must be there; an absent section says
nothing. A script that no other language is written in also needs its characters in `language_detection`.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol, TypeVar

from tolman.scoring.parse.plain_text import fold, visible

T = TypeVar("T")

WORD = re.compile(
    r"(?<![A-Za-z\u00c0-\u024f])(?:[LlDdSs]|[Qq]u)(?='[A-Za-z\u00c0-\u024f]{2})"
    r"|[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+(?:'[A-Za-z\u00c0-\u024f]+)?"
    r"|[\u0370-\u052f]+|[\u0600-\u065f\u066e-\u06ff]+|[\u0900-\u0963\u0970-\u097f]+"
    r"|[\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
    r"|[0-9]+(?:[.,][0-9]+)*|(?<![\w.])\.[0-9]+|[①-⑳㉠-㉻ㄱ-ㅎ]|[✓✔✅☑✗✘❌✕❎→⇒]"
)
"""A word, a number, a sign, or a character of a script without spaces (Hangul too: its particles are glued on)."""
MIN_COMMON_LETTERS = 4
"""Letters with which two words that differ in their endings begin alike, at least."""

_ARABIC_ENDING = re.compile(r"(?<=[\u0600-\u06ff]{3})(?:ات|تان|تين|ان|ين|ون|ه|ا)\Z")
_GLUED = re.compile(r"[\u3005\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


class Span(Protocol):
    """A part of a text: a word, a cue, a mention, a quantity."""

    @property
    def start(self) -> int:
        """Place of its first character."""

    @property
    def end(self) -> int:
        """Place behind its last character."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: its compared form, and its position."""

    folded: str
    start: int
    end: int


@lru_cache(maxsize=64)
def words_of(text: str, start: int = 0, end: int | None = None) -> Sequence[Word]:
    """Split a text into words.

    Args:
        text: any.
        start, end: the part of it to look at.

    Returns:
        The words in order, with their places in the whole text.
    """
    return tuple(
        Word(folded, match.start(), match.end())
        for match in WORD.finditer(text, start, len(text) if end is None else end)
        if (folded := fold(match[0]))  # a sign that only changes a letter is no word by itself
    )


def both_ends(found: Sequence[T], limit: int) -> list[T]:
    """Leave out the middle of a list that is too long to be looked at.

    Args:
        found: in the order of their places.
        limit: number of elements to keep.

    Returns:
        All, or the first quarter and the last three quarters of so many, as an answer is near an end.
    """
    return list(found) if len(found) <= limit else [*found[: limit // 4], *found[-(3 * limit // 4) :]]


def is_inside(inner: Span, outers: Iterable[Span]) -> bool:
    """Check whether a part of a text is within one of some others.

    Args:
        inner: the part.
        outers: the others.

    Returns:
        True also where the two are the same.
    """
    return any(outer.start <= inner.start and inner.end <= outer.end for outer in outers)


def is_glued(character: str) -> bool:
    """Check whether a character belongs to a script that is written without spaces.

    Args:
        character: a text of length 1.

    Returns:
        True for Chinese characters, kana and Hangul.
    """
    return _GLUED.match(character) is not None


def _arabic_stem(word: str) -> str:
    """An Arabic word without the endings of number and gender."""
    return _ARABIC_ENDING.sub("", word)


@lru_cache(maxsize=65_536)
def same_word(word: str, other: str) -> bool:
    """Check whether two words are the same but for their endings.

    Args:
        word, other: folded.

    Returns:
        False also for a numeral and its ordinal: "four" and "fourth".
    """
    if word == other or ("\u0600" <= word[0] < "\u0700" and _arabic_stem(word) == _arabic_stem(other)):
        return True
    if word + "th" == other or other + "th" == word:
        return False
    shorter, longer = min(len(word), len(other)), max(len(word), len(other))
    if shorter < MIN_COMMON_LETTERS or word[:3] != other[:3] or word[0].isdecimal():
        return False
    common = 0
    for a, b in zip(word, other, strict=False):
        if a != b:
            break
        common += 1
    ending = 3 if word[0] > "\u0250" else 2  # endings are longer outside of the Latin script
    if common >= max(MIN_COMMON_LETTERS, longer - ending) or (common == shorter >= 5 and longer - common <= 3):
        return True
    stem, form = (word, other) if len(word) < len(other) else (other, word)
    return form in (f"{stem}{stem[-1]}ed", f"{stem}{stem[-1]}ing")  # "drop", "dropped"


MIN_STEM = 6
"""Letters with which two forms of a noun begin alike, at least."""


def names_same(word: str, other: str) -> bool:
    """Check whether two words name the same thing, one or several of it: "dog", "dogs"; "televisão", "televisões".

    Args:
        word, other: folded.
    """
    if same_word(word, other) or word.rstrip("s") == other.rstrip("s"):
        return True
    return word[:MIN_STEM] == other[:MIN_STEM] and min(len(word), len(other)) > MIN_STEM


_SYLLABLE = re.compile(r"[\uac00-\ud7af]")
_AMBIGUOUS = "위우남동북돌예네"
"""Syllables that begin or end many words of other senses."""
_PARTICLES = "가이은는을를에로으쪽의입예요도와과"
"""First syllables of what is glued behind a noun."""
_PREFIXES = "약총단"
"""About, in total, only: written without a space before a number."""
_SCALES = "십백천만"


def is_part_of_word(text: str, start: int, end: int) -> bool:
    """Check whether a single syllable is a part of a longer word: 위 ("above") in 위치 ("place").

    Args:
        text: any.
        start, end: the syllable.

    Returns:
        False for more than one syllable, for those that are seldom a part of other words, and before a particle.
    """
    if end - start > 1 or text[start] not in _AMBIGUOUS:
        return False
    behind = text[end : end + 1]
    glued = _SYLLABLE.match(behind) is not None and behind not in _PARTICLES
    return glued or _SYLLABLE.match(text[max(0, start - 1) : start]) is not None


def is_no_numeral(text: str, start: int, end: int) -> bool:
    """Check whether an apparent numeral is a part of a longer word (천 in 천장, a ceiling) or means "this" (이).

    Args:
        text: any.
        start, end: the numeral.

    Returns:
        False for other scripts.
    """
    numeral = text[start:end]
    if not _SYLLABLE.match(numeral):
        return False
    before = text[max(0, start - 1) : start]
    if _SYLLABLE.match(before) and before not in _PREFIXES:
        return True
    return numeral == "이" or (numeral in _SCALES and _SYLLABLE.match(text[end : end + 1]) is not None)


_GAP = re.compile(r"[ \t*_`'\"/-]{0,6}")


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase of the lexicon in a text.

    Attributes:
        role: its function: 'answer', 'negate', …; for concepts their names, for numerals their numbers.
        start, end: its position.
    """

    role: str
    start: int
    end: int


def is_in_longer(cue: Span, cues: Sequence[Span]) -> bool:
    """Check whether a cue is a part of a longer one.

    Args:
        cue: to look for.
        cues: among which.

    Returns:
        False also where another cue is as long as it.
    """
    length = cue.end - cue.start
    return any(c.start <= cue.start and cue.end <= c.end and c.end - c.start > length for c in cues)


def longest(cues: Sequence[Cue]) -> list[Cue]:
    """Leave out cues that are parts of longer ones.

    Args:
        cues: in any order.

    Returns:
        The others, in the same order.
    """
    if len(cues) < 2:
        return list(cues)
    reach = -1  # of the cues that begin earlier
    outer: dict[int, int] = {}  # the furthest end of a cue that begins at a place, or earlier
    inner: dict[int, int] = {}  # the furthest end of those that begin earlier
    for start, end in sorted((cue.start, cue.end) for cue in cues):
        if start not in outer:
            inner[start] = reach
        reach = outer[start] = max(reach, end)
    return [cue for cue in cues if cue.end > inner[cue.start] and cue.end == outer[cue.start]]


Phrase = tuple[str, ...]


@dataclass
class Lexicon:
    """Phrases by their first word, and by their first two where they can be: many begin with "a" or "the".

    Attributes:
        exact: (phrase, role) by the first word, which is always a key here.
        pairs: the same by the first two words, where neither ends in `*`.
        stems: the same where the first word ends in `*`.
        lengths: of the keys of `stems`, ascending.
        known: for words that were looked up, what may begin with each.
    """

    exact: dict[str, list[tuple[Phrase, str]]] = field(default_factory=lambda: defaultdict(list))
    pairs: dict[Phrase, list[tuple[Phrase, str]]] = field(default_factory=lambda: defaultdict(list))
    stems: dict[str, list[tuple[Phrase, str]]] = field(default_factory=lambda: defaultdict(list))
    lengths: tuple[int, ...] = ()
    known: dict[str, tuple[bool, list[tuple[Phrase, str]], list[tuple[Phrase, str]]]] = field(default_factory=dict)

    def add(self, phrase: str, role: str) -> None:
        """Take up a phrase.

        Args:
            phrase: as a language file has it.
            role: its function.

        Raises:
            ValueError: it holds no word.
        """
        words = phrase_words(phrase)
        if not words:
            raise ValueError(f"the phrase {phrase!r} has no word")
        if words[0].endswith("*"):
            self.stems[words[0][:-1]].append((words, role))
            self.lengths = tuple(sorted({*self.lengths, len(words[0]) - 1}))
        elif len(words) > 1 and not words[1].endswith("*"):
            self.exact.setdefault(words[0], [])
            self.pairs[words[:2]].append((words, role))
        else:
            self.exact[words[0]].append((words, role))

    def find(self, words: Sequence[Word], text: str) -> list[Cue]:
        """Find the phrases in a text.

        Args:
            words: of the text.
            text: the text.

        Returns:
            For each role and place the longest phrase, in the order of their places.
        """
        found: list[Cue] = []
        covered: dict[str, int] = {}
        for i, word in enumerate(words):
            if word.folded == "no" and NO_COMPOUND.match(text, word.start):
                continue
            paired, candidates, stems = self.known.get(word.folded) or self._beginning_with(word.folded)
            if paired and i + 1 < len(words):
                candidates = [*candidates, *self.pairs.get((word.folded, words[i + 1].folded), ())]
            if not candidates and not stems:
                continue
            best: dict[str, int] = {}
            for phrase, role in itertools.chain(candidates, stems):
                end = _matched(words, i, phrase, text) if len(phrase) > 1 else word.end
                if end > best.get(role, -1):
                    best[role] = end
            for role, end in best.items():
                if end > covered.get(role, -1):
                    covered[role] = end
                    found.append(Cue(role, word.start, end))
        return found

    def _beginning_with(self, word: str) -> tuple[bool, list[tuple[Phrase, str]], list[tuple[Phrase, str]]]:
        """Look up whether pairs begin with a word, and what begins with it or with its stems."""
        if len(self.known) >= MAX_KNOWN_WORDS:
            self.known.clear()
        stems = (self.stems.get(word[:length], []) for length in self.lengths if length <= len(word))
        found = word in self.exact, self.exact.get(word, []), [*itertools.chain.from_iterable(stems)]
        self.known[word] = found
        return found


NO_COMPOUND = re.compile(
    r"(?i:no-(?!(?:one|the|not|its?|there|th[ei]s|that|they|wait|but)\b)[a-z]{3})"
    r"|[Nn]o(?<=\b[Aa] [Nn]o)[ ](?:[A-Z][a-z]{3}|[a-z]{3,}ing\b|entry\b)"
)
"""The "no" of a compound, which denies nothing: "a no-parking sign"."""
MAX_KNOWN_WORDS = 20_000
"""Words that a lexicon keeps looked up, at most."""


def _matched(words: Sequence[Word], i: int, phrase: Phrase, text: str) -> int:
    """Return the end of a phrase that may begin at word i; -1 if the phrase isn't there."""
    if i + len(phrase) > len(words):
        return -1
    for k in range(1, len(phrase)):
        part, word = phrase[k], words[i + k]
        if part.endswith("*"):
            if not word.folded.startswith(part[:-1]):
                return -1
        elif part != word.folded:
            return -1
        gap = text[words[i + k - 1].end : word.start]
        if gap and (len(gap) > 6 or _GAP.fullmatch(gap) is None):
            return -1
    return words[i + len(phrase) - 1].end


def phrase_words(phrase: str) -> Phrase:
    words = []
    for match in re.finditer(rf"({WORD.pattern})(\*?)", visible(phrase).translate({0x2019: "'"})):
        words.append(fold(match[1]) + match[2])
    return tuple(words)


@dataclass(frozen=True, eq=False)
class Languages:
    """Contents of the files of some languages.

    Attributes:
        names: of the files.
        cues: phrases of every role.
        concepts: names of directions and things.
        skip: words that carry nothing ("the", "of"), folded.
        numerals: numerals, each with the role of its number.
        ordinals: "third" as '3', "last" as '-1'.
        letters: names of letters in other alphabets and circled numbers, each with the place of its option, from 0.
        halves: phrases that add a half behind a number or its unit: "and a half".
        units: (kind, factor to metres or square metres, phrase) of each unit's name.
        counters: words between a number and the counted things.
        asked: phrases of questions and of their answers, by role.
        opposites: words with an opposite, each with the role of its quality and pole: 'size+', 'size-'.
        described: parts, uses and looks of things, each with the names of its thing: 'sofa/couch'.
        things: those names.
    """

    names: frozenset[str]
    cues: Lexicon
    concepts: Lexicon
    skip: frozenset[str]
    numerals: Lexicon
    ordinals: Lexicon
    letters: Lexicon
    halves: Lexicon
    units: tuple[tuple[str, str, str], ...]
    counters: tuple[str, ...]
    asked: Lexicon
    opposites: Lexicon
    described: Lexicon
    things: tuple[str, ...]

    def found_in(self, text: str) -> list[Cue]:
        """Find the cues in a text, but for those inside phrases that mean something else ("pick up", "so far").

        Args:
            text: any.

        Returns:
            The cues in order.
        """
        return self.cues_of(words_of(text), text)

    def cues_of(self, words: Sequence[Word], text: str) -> list[Cue]:
        """Find the cues in a text whose words are known.

        Args:
            words: of the text.
            text: the text.

        Returns:
            The cues in order.
        """
        cues = self.cues.find(words, text)
        idioms = [cue for cue in cues if cue.role == "idiom"]
        starts = [cue.start for cue in idioms]

        def in_idiom(cue: Cue) -> bool:
            behind = bisect_right(starts, cue.start)  # of idioms that begin later each ends later, too
            return behind > 0 and cue.end <= idioms[behind - 1].end

        return [c for c in cues if c.role == "undecided" or (c.role != "idiom" and not in_idiom(c))]

    def is_only(self, role: str, text: str) -> bool:
        """Check whether a text holds nothing but phrases of a role, words that carry nothing, and signs.

        Args:
            role: of the phrases.
            text: any.

        Returns:
            True also for a text without words.
        """
        words = words_of(text)
        cues = [c for c in self.cues_of(words, text) if c.role == role]
        return all(is_inside(w, cues) or w.folded in self.skip for w in words)
