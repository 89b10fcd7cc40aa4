"""Short responses to one question each: the answer that a careful reader finds, or none.

Each row of `choices.jsonl` and `numbers.jsonl` says what it is about.
"""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tolman.items import Item
from tolman.scoring.parse import read_careful


def rows(name: str) -> list[Any]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [pytest.param(row, id=f"{row['question']} {row['response']}") for row in map(json.loads, lines)]


@pytest.mark.parametrize("row", rows("choices.jsonl"))
def test_option(row: dict[str, Any]) -> None:
    item = Item(id="c", question=row["question"], kind="choice", answer="A", options=tuple(row["options"]), task="t")
    assert read_careful(item, row["response"]).value == row["expected"], row["about"]


@pytest.mark.parametrize("row", rows("numbers.jsonl"))
def test_number(row: dict[str, Any]) -> None:
    item = Item(id="n", question=row["question"], kind="number", answer="1", unit=row["unit"], task="t")
    expected = None if row["expected"] is None else Fraction(row["expected"])
    assert read_careful(item, row["response"]).value == expected, row["about"]
