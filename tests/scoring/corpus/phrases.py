"""The phrases that the careful reader looks for, by language: what hostile texts repeat."""

import tomllib
from importlib import resources


def phrases_by_language() -> dict[str, list[str]]:
    """Every phrase of every language file, without the sign for any ending, in alphabetical order."""
    folder = resources.files("tolman.scoring.parse") / "languages"
    files = sorted((e for e in folder.iterdir() if e.name.endswith(".toml")), key=lambda e: e.name)
    return {
        entry.name: sorted(
            {text.rstrip("*") for text in _texts(tomllib.loads(entry.read_text(encoding="utf-8")))} - {""}
        )
        for entry in files
    }


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for part in value.values() for text in _texts(part)]
    return [text for part in value for text in _texts(part)] if isinstance(value, list) else []
