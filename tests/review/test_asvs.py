"""The table of ASVS: every requirement of levels 1 and 2 once, existing tests only, and counts as on the server page."""

from __future__ import annotations

import csv
import re

from reviewing import ROOT

PAGE = ROOT / "docs" / "review" / "operating.md"
TABLE = ROOT / "docs" / "review" / "asvs.csv"
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
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({row["requirement"] for row in rows}) == len(rows) == sum(CHAPTERS.values())
    assert {c: sum(row["requirement"].split(".")[0] == str(c) for row in rows) for c in CHAPTERS} == CHAPTERS
    assert {row["level"] for row in rows} == {"1", "2"}
    assert {row["state"] for row in rows} == STATES
    assert all(len(row["reason"]) > 5 for row in rows)


def test_the_page_counts_the_states_and_names_what_is_open() -> None:
    page = PAGE.read_text(encoding="utf-8")
    with TABLE.open(encoding="utf-8", newline="") as file:
        states = {row["requirement"]: row["state"] for row in csv.DictReader(file)}
    counts = {state: list(states.values()).count(state) for state in STATES}
    said = f"{counts['met']} met, {counts['deployment']} by the proxy or the machine, {counts['no such part']} about absent parts"
    assert f"{said}, {counts['open']} open" in " ".join(page.split())
    table = page.split("The open ones:")[1]
    assert set(re.findall(r"\d+\.\d+\.\d+", table)) == {name for name, state in states.items() if state == "open"}


def test_the_tests_that_it_names_exist() -> None:
    named = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TABLE.read_text()))
    assert len(named) > 30
    missing = [f"{file}::{name}" for file, name in named if f"def {name}(" not in (ROOT / file).read_text()]
    assert not missing
