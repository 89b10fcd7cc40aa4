"""The field's terms, one name for one thing: in code, help texts, errors and docs."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src" / "tolman").rglob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LANGUAGE = "scoring/parse/"
"""What models write is not ours to word."""

WORDS = {
    r"\bput(?:s|ting)? (?:a|the) benchmark to\b": "evaluate a model on a benchmark",
    r"\bunguessed\b": "shortcut filtering",
    r"(?<!prune_)\bto_chance\b": "prune_to_chance",
    r"\bguessables?\b": "filter items",
    r"\briddles?\b": "single-view ambiguity",
    r"(?<!\")\bclues?\b(?!\")": "single-view cues",
    r"\bways of cameras\b": "camera trajectories",
    r"\bfilms?\b": "video",
    r"\bno room for four options\b": "could not form four distinct distractors",
    r"\bOf the JPEGs\b": "JPEG quality, 1–95",
    r"\bwhat vision adds\b": "vision ablation",
    r"\bwhat goes together\b": "correlation",
    r"(?<!alias=\")\bmended\b": "repaired",
    r"\bdoors\.py\b": "auth",
}
"""Patterns of words that the field has other terms for, and those terms (the glossary of CONTRIBUTING.md)."""


def test_no_public_class_name_means_two_things() -> None:
    places = defaultdict(list)
    for path in SOURCES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT / "src" / "tolman")))
    assert not {name: found for name, found in places.items() if len(found) > 1}


@pytest.mark.parametrize("pattern", WORDS)
def test_the_fields_terms_are_used(pattern: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in (*SOURCES, *PAGES)
        if LANGUAGE not in path.as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line, re.IGNORECASE)
    ]
    assert not wrong, f"say '{WORDS[pattern]}':\n" + "\n".join(wrong)


def test_help_texts_name_a_quantity() -> None:
    """No option is explained by a text that begins in the middle of a sentence."""
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"(?:help=|Setting\(\s*)[\"']Of (?:the|a|everything)\b", line)
    ]
    assert not wrong, "\n".join(wrong)
