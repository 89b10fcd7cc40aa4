"""What people take for what: categories that were given each other's names by those who saw pictures alone.

They stand in `data/names.toml`, counted by benchmarks/naming.py; benchmarks/naming.json holds every name that was
given.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from functools import cache
from importlib.resources import files


@cache
def _look_alikes() -> dict[str, frozenset[str]]:
    text = files("tolman.simulate").joinpath("data/names.toml").read_text(encoding="utf-8")
    found: dict[str, set[str]] = defaultdict(set)
    for one, other in tomllib.loads(text)["look_alikes"]:
        found[one].add(other)
        found[other].add(one)
    return {name: frozenset(others) for name, others in found.items()}


def look_alikes(category: str) -> frozenset[str]:
    """The categories for which some take things of a category, or the other way round."""
    return _look_alikes().get(category, frozenset())
