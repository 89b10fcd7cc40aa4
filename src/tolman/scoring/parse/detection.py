"""Telling which languages a response is written in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from tolman.scoring.parse.language_files import language_files, languages
from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.plain import fold
from tolman.scoring.parse.words import words_of

SHORT_CHARS = 80
"""Characters below which a text is too short to tell its language alone."""
HEAD_CHARS = 6000
"""Characters at the beginning of a text whose words are counted."""
TAIL_CHARS = 4000
"""Characters at its end whose words are counted."""
FEW_WORDS = 8
"""Latin words up to which a numeral, a direction or a thing alone gives a language away."""
ENGLISH_WORDS = 2
"""Frequent English words from which a short text without any of another language is English."""
MAX_KEPT_CHARS = 1000
"""Characters of a text whose languages are told once, at most: questions are the context of many responses."""

_SCRIPTS = {
    "kana": re.compile("[\u3041-\u30f6]"),
    "han": re.compile("[\u3400-\u9fff]"),
    "hangul": re.compile("[\uac00-\ud7af]"),
    "cyrillic": re.compile("[\u0410-\u044f]{2}"),
    "arabic": re.compile("[\u0620-\u064a]"),
    "devanagari": re.compile("[\u0904-\u0939]"),
}


@cache
def _signs() -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """The script of each language that alone is written in it, and frequent words of the others."""
    scripts: dict[str, str] = {}
    words: dict[str, frozenset[str]] = {}
    for name, data in language_files().items():
        detect = data["detect"]
        if "script" in detect:
            scripts[name] = detect["script"]
        else:
            words[name] = frozenset(fold(w) for w in detect["words"])
    return scripts, words


def detected(text: str, context: str) -> Languages:
    """Tell which languages a text is written in; where it is too short to tell, also those of its context.

    Args:
        text: a response.
        context: the question with its options.

    Returns:
        The contents of their files; English where nothing is recognised.
    """
    names = _names(text)
    if len(text) < SHORT_CHARS or names <= {"en"}:
        names |= _names(context)
    return languages(names or frozenset({"en"}))


def _knows(name: str, words: Sequence[str]) -> bool:
    """Whether a language has one of some words as a numeral, a direction or a thing."""
    language = languages(frozenset({name}))
    return any((w in language.numerals.exact and len(words) > 1) or w in language.concepts.exact for w in words)


def _names(text: str) -> frozenset[str]:
    """The names of the languages that a text is written in; empty where nothing is recognised."""
    return _names_once(text) if len(text) <= MAX_KEPT_CHARS else _recognised(text)


def _recognised(text: str) -> frozenset[str]:
    scripts, by_words = _signs()
    present = {script for script, pattern in _SCRIPTS.items() if pattern.search(text)}
    names = {
        name for name, script in scripts.items() if script in present and not (script == "han" and "kana" in present)
    }
    tail = max(HEAD_CHARS, len(text) - TAIL_CHARS)
    words = [w.folded for w in (*words_of(text, 0, HEAD_CHARS), *words_of(text, tail))]
    latin = sum("a" <= w[0] <= "z" for w in words)
    hits = {name: sum(w in known for w in words) for name, known in by_words.items()}
    most = max((n for name, n in hits.items() if name != "en"), default=0)
    for name, count in hits.items():
        if name == "en":
            if count and (count >= 0.5 * most or names):
                names.add(name)
        elif (
            count >= 0.8 * most
            and (count >= 2 or (count and latin <= 6))
            and (count > hits["en"] or (count >= 0.5 * hits["en"] and count >= 4))
        ):
            names.add(name)
    if names and not names & set(by_words):
        names.add("en")
    is_english = hits["en"] >= ENGLISH_WORDS and most == 0  # "sofa" and "monitor" are things in other languages too
    if 0 < latin <= FEW_WORDS and not is_english:
        others = {name for name in by_words if name != "en" and _knows(name, words)}
        if others and any(w in languages(frozenset({"en"})).numerals.exact for w in words):
            names.add("en")  # "four" is an oven in French
        names |= others
    return frozenset(names)


_names_once = lru_cache(maxsize=16_384)(_recognised)
