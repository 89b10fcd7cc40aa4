"""Reading of the language files in `languages/`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from tolman.scoring.parse.lexicon import Languages, Lexicon, phrase_words

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
                skip.update(word for p in phrases for word in phrase_words(p))
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
