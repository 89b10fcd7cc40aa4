"""Suites that come with Tolman: `tolman run easi-8 --model …` carries out a file of the folder `suites` beside this.

A suite is one TOML file of benchmarks without any model; the key `about` says in some words what it is.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("suites")


@dataclass(frozen=True)
class NamedSuite:
    """A suite that comes with Tolman.

    Attributes:
        name: what `tolman run` takes.
        about: what it is, in some words.
        benchmarks: names, with the subset where one is named.
        text: of the file.
    """

    name: str
    about: str
    benchmarks: tuple[str, ...]
    text: str


def suite_names() -> list[str]:
    """The names, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def is_named_suite(text: str) -> bool:
    """Whether a text is the name of a suite that comes with Tolman."""
    return text in suite_names()


def suite_path(text: str) -> Path:
    """The file of a suite: of a name, the one that comes with Tolman; else the text as a path."""
    return FOLDER / f"{text}.toml" if is_named_suite(text) else Path(text)


def named_suite(name: str) -> NamedSuite:
    """A suite by its name."""
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    tables = [{"benchmark": one} if isinstance(one, str) else one for one in data["benchmark"]]
    benchmarks = tuple(
        f"{one['benchmark']} ({one['subset']})" if "subset" in one else one["benchmark"] for one in tables
    )
    return NamedSuite(name, data["about"], benchmarks, text)
