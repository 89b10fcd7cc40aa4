"""Words and what they do, for every language in `languages/`.

A language file is TOML and has these sections:

- `[detect]`: frequent words that give the language away, or the script that only this language is written in;
- `[cues]`: words that announce, choose, conclude, correct, negate and so on, a list for each role; under `skip` words
  that carry nothing;
- `[concepts]`: names of directions, of yes and no, and the like;
- `[objects]`: names of things, each under its English word;
- `[numbers]`: numerals, each list under its number;
- `[length]` and `[area]`: names of units, each list under its factor to metres or square metres;
- `[half]`: under `behind`, what adds a half behind a number or its unit: "and a half"; under `quarter_behind` and
  `less_quarter` what adds or takes a quarter;
- `[ordinals]`: "third" under 3, "last" under -1;
- `[letters]`: under `schemes`, letters of other alphabets that label options, in their order;
- `[counters]`: under `words`, words that stand between a number and what is counted.

A phrase is matched word by word, a word of a script without spaces character by character, so that particles glued
behind it don't matter. A word that ends in `*` stands for all words that begin so.

A language is added by a file of its code's name in `languages/`; only `[detect]` must be there, an absent section says
nothing. A script that no other language is written in also needs its characters in `detection`.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from tolman.scoring.parse.plain import fold, visible
from tolman.scoring.parse.words import WORD, Word, is_inside, words_of

_GAP = re.compile(r"[ \t*_`'\"/-]{0,6}")


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase of the lexicon in a text.

    Attributes:
        role: what it does: 'answer', 'negate', …; for concepts their names, for numerals their numbers.
        start, end: where it stands.
    """

    role: str
    start: int
    end: int


def is_in_longer(cue: Cue, cues: Sequence[Cue]) -> bool:
    """Tell whether a cue is a part of a longer one.

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
    return [cue for cue in cues if not is_in_longer(cue, cues)]


Phrase = tuple[str, ...]


@dataclass
class Lexicon:
    """Phrases by their first word, and by their first two where they can be: many begin with "a" or "the".

    Attributes:
        exact: (phrase, role) by the first word, which is always a key here.
        pairs: the same by the first two words, where neither ends in `*`.
        stems: the same where the first word ends in `*`.
        lengths: of the keys of `stems`, ascending.
    """

    exact: dict[str, list[tuple[Phrase, str]]] = field(default_factory=lambda: defaultdict(list))
    pairs: dict[Phrase, list[tuple[Phrase, str]]] = field(default_factory=lambda: defaultdict(list))
    stems: dict[str, list[tuple[Phrase, str]]] = field(default_factory=lambda: defaultdict(list))
    lengths: tuple[int, ...] = ()

    def add(self, phrase: str, role: str) -> None:
        """Take up a phrase.

        Args:
            phrase: as a language file has it.
            role: what it does.

        Raises:
            ValueError: it holds no word.
        """
        words = _phrase_words(phrase)
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
            entries = self.exact.get(word.folded)
            candidates = list(entries) if entries else []
            if entries is not None and i + 1 < len(words):
                candidates += self.pairs.get((word.folded, words[i + 1].folded), ())
            for length in self.lengths:
                if length > len(word.folded):
                    break
                candidates += self.stems.get(word.folded[:length], ())
            best: dict[str, int] = {}
            for phrase, role in candidates:
                end = _matched(words, i, phrase, text)
                if end > best.get(role, -1):
                    best[role] = end
            for role, end in best.items():
                if end > covered.get(role, -1):
                    covered[role] = end
                    found.append(Cue(role, word.start, end))
        return found


def _matched(words: Sequence[Word], i: int, phrase: Phrase, text: str) -> int:
    """The end of a phrase that may begin at word i; -1 if it doesn't stand there."""
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


def _phrase_words(phrase: str) -> Phrase:
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
        halves: what adds a half behind a number or its unit: "and a half".
        units: (kind, factor to metres or square metres, phrase) of each unit's name.
        counters: words that stand between a number and what is counted.
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

        return [c for c in cues if c.role != "idiom" and not in_idiom(c)]

    def is_only(self, role: str, text: str) -> bool:
        """Tell whether a text holds nothing but phrases of a role, words that carry nothing, and signs.

        Args:
            role: of the phrases.
            text: any.

        Returns:
            True also for a text without words.
        """
        words = words_of(text)
        cues = [c for c in self.cues_of(words, text) if c.role == role]
        return all(is_inside(w, cues) or w.folded in self.skip for w in words)


_SHARES = {"behind": "1/2", "quarter_behind": "1/4", "less_quarter": "-1/4"}
"""What the phrases of `[half]` add."""
_ENGLISH_EVERYWHERE = ("answer", "final answer", "the answer is", "the answer", "correct answer", "ans")
"""English that prompts ask for, whatever language the response is in."""


@cache
def languages(names: frozenset[str]) -> Languages:
    """Read the files of some languages, once.

    Args:
        names: of the files, without ending.

    Returns:
        Their contents together.
    """
    cues, concepts, numerals, ordinals, letters, halves = (Lexicon() for _ in range(6))
    units: list[tuple[str, str, str]] = []
    skip: set[str] = set()
    counters: list[str] = []
    for name, data in language_files().items():
        if name not in names and name != "en":
            continue
        for role, phrases in data.get("cues", {}).items() if name in names else (("answer", _ENGLISH_EVERYWHERE),):
            if role == "skip":
                skip.update(word for p in phrases for word in _phrase_words(p))
                continue
            for phrase in phrases:
                cues.add(phrase, role)
        if name not in names:
            continue
        if name == "en":  # things are named by their English words
            for thing in sorted({key for other in language_files().values() for key in other.get("objects", {})}):
                concepts.add(thing, thing)
        for group in ("concepts", "objects"):
            for concept, phrases in data.get(group, {}).items():
                for phrase in phrases:
                    concepts.add(phrase, concept)
        for value, phrases in data.get("numbers", {}).items():
            for phrase in phrases:
                numerals.add(phrase, value)
                if name == "ar":
                    numerals.add("و" + phrase, value)  # "and" is glued to the word
        for place, phrases in data.get("ordinals", {}).items():
            for phrase in phrases:
                ordinals.add(phrase, place)
        for scheme in data.get("letters", {}).get("schemes", []):
            for option, letter in enumerate(scheme):
                letters.add(letter, str(option))
        for share, phrases in data.get("half", {}).items():
            for phrase in phrases:
                halves.add(phrase, _SHARES[share])
        for kind in ("length", "area"):
            for factor, phrases in data.get(kind, {}).items():
                units += [(kind, factor, phrase) for phrase in phrases]
        counters += data.get("counters", {}).get("words", [])
    return Languages(
        names, cues, concepts, frozenset(skip), numerals, ordinals, letters, halves, tuple(units), tuple(counters)
    )


@cache
def language_files() -> dict[str, dict[str, dict[str, Any]]]:
    """Read all language files, once.

    Returns:
        The sections of each by the file's name.
    """
    folder = resources.files("tolman.scoring.parse") / "languages"
    entries = sorted((e for e in folder.iterdir() if e.name.endswith(".toml")), key=lambda e: e.name)
    return {entry.name[:-5]: tomllib.loads(entry.read_text(encoding="utf-8")) for entry in entries}


def all_names() -> frozenset[str]:
    """List the names of all language files.

    Returns:
        The names without ending.
    """
    return frozenset(language_files())
