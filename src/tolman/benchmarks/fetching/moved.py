"""Data sets that bear another name than they did, and copies of them: `moved.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


def newer_name(repository: str) -> str | None:
    """The name of today of a data set that has moved, or None."""
    return next((one["new"] for one in _known()["moved"] if one["old"] == repository), None)


def copies(repository: str) -> list[str]:
    """Other names under which somebody keeps the same questions."""
    return [one["at"] for one in _known()["copies"] if one["of"] == repository]


@cache
def _known() -> dict[str, Any]:
    return tomllib.loads(files("tolman.benchmarks.fetching").joinpath("moved.toml").read_text(encoding="utf-8"))
