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
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

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
