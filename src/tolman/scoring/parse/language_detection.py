"""Detection of the languages that a response is written in, and reading of the files in `languages/`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from tolman.scoring.parse.lexicon import WORD, Languages, Lexicon, phrase_words, words_of
from tolman.scoring.parse.plain_text import fold

_SHARES = {"behind": "1/2", "quarter_behind": "1/4", "three_quarters_behind": "3/4", "less_quarter": "-1/4"}
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
    cues, concepts, numerals, ordinals, letters, halves, asked, opposites, described = (Lexicon() for _ in range(9))
    units: list[tuple[str, str, str]] = []
    skip: set[str] = set()
    counters: list[str] = []
    things: list[str] = []
    for name, data in language_files().items():
        if name not in names:
            if name == "en":
                _add(cues, {"answer": _ENGLISH_EVERYWHERE})
            continue
        roles = data.get("cues", {})
        skip.update(word for p in roles.get("skip", ()) for word in phrase_words(p))
        _add(cues, {role: phrases for role, phrases in roles.items() if role != "skip"})
        if name == "en":  # things are named by their English words
            _add(concepts, {thing: (thing,) for thing in _things()})
        _add(concepts, data.get("concepts", {}))
        _add(concepts, data.get("objects", {}))
        _add(numerals, data.get("numbers", {}))
        if name == "ar":  # "and" is glued to the word
            _add(numerals, {value: ["و" + p for p in phrases] for value, phrases in data.get("numbers", {}).items()})
        _add(ordinals, data.get("ordinals", {}))
        for scheme in data.get("letters", {}).get("schemes", []):
            _add(letters, {str(option): (letter,) for option, letter in enumerate(scheme)})
        _add(halves, {_SHARES[share]: phrases for share, phrases in data.get("half", {}).items()})
        _add_asked(asked, opposites, data)
        units += [
            (kind, factor, phrase)
            for kind in ("length", "area")
            for factor, phrases in data.get(kind, {}).items()
            for phrase in phrases
        ]
        _add(described, data.get("described", {}))
        things += data.get("described", {})
        counters += data.get("counters", {}).get("words", [])
    return Languages(
        names,
        cues,
        concepts,
        frozenset(skip),
        numerals,
        ordinals,
        letters,
        halves,
        tuple(units),
        tuple(counters),
        asked,
        opposites,
        described,
        tuple(things),
    )


def _add(lexicon: Lexicon, phrases_by_role: Mapping[str, Iterable[str]]) -> None:
    """Take up the phrases of a table."""
    for role, phrases in phrases_by_role.items():
        for phrase in phrases:
            lexicon.add(phrase, role)


def _add_asked(asked: Lexicon, opposites: Lexicon, data: Mapping[str, Mapping[str, Any]]) -> None:
    """Add phrases of questions and of their answers, and the two poles of each quality."""
    _add(asked, data.get("asked", {}))
    for group in ("counted", "times"):
        _add(asked, {f"{group} {value}": phrases for value, phrases in data.get(group, {}).items()})
    for quality, poles in data.get("opposites", {}).items():
        for sign, phrases in zip("+-", poles, strict=True):
            _add(opposites, {f"{quality}{sign}": phrases})


def _things() -> list[str]:
    """The English words of all things that any language names."""
    return sorted({key for data in language_files().values() for key in data.get("objects", {})})


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
    """Detect the languages of a text; where it is too short to decide, also those of its context.

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


def is_english(context: str) -> bool:
    """Check whether a question with its options is written in English, or in no language that is recognised.

    Args:
        context: the question with its options.
    """
    return _names(context) <= {"en"}


def _knows(name: str, words: Sequence[str]) -> bool:
    """Check whether a language has one of some words as a numeral, a direction or a thing."""
    language = languages(frozenset({name}))
    return any((w in language.numerals.exact and len(words) > 1) or w in language.concepts.exact for w in words)


def _names(text: str) -> frozenset[str]:
    """The names of the languages that a text is written in; empty where nothing is recognised."""
    return _names_once(text) if len(text) <= MAX_KEPT_CHARS else _recognised(text)


def _recognised(text: str) -> frozenset[str]:
    scripts, by_words = _signs()
    names: set[str] = set()
    if text.isascii() and len(text) <= HEAD_CHARS + TAIL_CHARS:
        words = WORD.findall(text.lower())
    else:
        present = {script for script, pattern in _SCRIPTS.items() if pattern.search(text)}
        names.update(
            name for name, script in scripts.items() if script in present and (script != "han" or "kana" not in present)
        )
        if len(text) <= HEAD_CHARS + TAIL_CHARS:
            parts = [words_of(text)]
        else:
            parts = [words_of(text, 0, HEAD_CHARS), words_of(text, len(text) - TAIL_CHARS)]
        words = [w.folded for part in parts for w in part]
    latin = sum("a" <= w[0] <= "z" for w in words)
    hits = {name: sum(map(known.__contains__, words)) for name, known in by_words.items()}
    names |= _by_hits(hits, latin, foreign=bool(names))
    if names and not names & set(by_words):
        names.add("en")
    most = max((n for name, n in hits.items() if name != "en"), default=0)
    is_english = hits["en"] >= ENGLISH_WORDS and most == 0  # "sofa" and "monitor" are things in other languages too
    if 0 < latin <= FEW_WORDS and not is_english:
        names |= _by_single_words(words, by_words)
    return frozenset(names)


def _by_hits(hits: Mapping[str, int], latin: int, *, foreign: bool) -> set[str]:
    """Return the languages whose frequent words occur most in a text; English next to another needs half as many."""
    most = max((n for name, n in hits.items() if name != "en"), default=0)
    names: set[str] = set()
    for name, count in hits.items():
        if name == "en":
            told = bool(count) and (count >= 0.5 * most or foreign or bool(names))
        else:
            enough = count >= 2 or (bool(count) and latin <= 6)
            beside_english = count > hits["en"] or (count >= 0.5 * hits["en"] and count >= 4)
            told = count >= 0.8 * most and enough and beside_english
        if told:
            names.add(name)
    return names


def _by_single_words(words: Sequence[str], by_words: Mapping[str, frozenset[str]]) -> set[str]:
    """The languages that a numeral, a direction or a thing in a short text gives away."""
    names = {name for name in by_words if name != "en" and _knows(name, words)}
    if names and any(w in languages(frozenset({"en"})).numerals.exact for w in words):
        names.add("en")  # "four" is an oven in French
    return names


_names_once = lru_cache(maxsize=16_384)(_recognised)
