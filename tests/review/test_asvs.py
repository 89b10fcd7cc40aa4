"""The table of the security page: every requirement of levels 1 and 2 once, and only tests that there are."""

from __future__ import annotations

import re

from reviewing import ROOT

PAGE = ROOT / "docs" / "review" / "security.md"
CHAPTERS = {
    1: 27,
    2: 11,
    3: 19,
    4: 10,
    5: 9,
    6: 35,
    7: 18,
    8: 7,
    9: 7,
    10: 29,
    11: 14,
    12: 9,
    13: 13,
    14: 9,
    15: 13,
    16: 16,
    17: 7,
}
"""Chapter of ASVS 5.0.0 → number of its requirements of levels 1 and 2."""
STATES = {"met", "deployment", "no such part", "open"}


def test_every_requirement_has_a_state_and_a_reason() -> None:
    rows = re.findall(r"^\| (\d+)\.(\d+\.\d+) \| ([12]) \| ([\w ]+) \| (.+) \|$", PAGE.read_text(), re.MULTILINE)
    assert len({(chapter, number) for chapter, number, *_ in rows}) == len(rows) == sum(CHAPTERS.values())
    assert {c: sum(row[0] == str(c) for row in rows) for c in CHAPTERS} == CHAPTERS
    assert {state for *_, state, _ in rows} == STATES
    assert all(len(reason) > 5 for *_, reason in rows)
    told = {state: sum(row[3] == state for row in rows) for state in STATES}
    assert f"{told['met']} met" in PAGE.read_text()
    assert f"{told['open']} open" in PAGE.read_text()


def test_the_tests_that_it_names_exist() -> None:
    named = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE.read_text()))
    assert len(named) > 30
    missing = [f"{file}::{name}" for file, name in named if f"def {name}(" not in (ROOT / file).read_text()]
    assert not missing
