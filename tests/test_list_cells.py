"""Cells of text tables that hold lists: both forms, and what is none."""

import time
from typing import Any

import pytest

from tolman.text_tables import is_list_cell, read_cell


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        (str(["it's", 'a "b"', "c\\d", "é", "a' 'b"]), ["it's", 'a "b"', "c\\d", "é", "a' 'b"]),
        (str({"A": "left", "B": 2, "C": None}), {"A": "left", "B": 2, "C": None}),
        ("('a',)", ["a"]),
        (" [1, -2.5, 1e-3, True]\n", [1, -2.5, 1e-3, True]),
        ("[[0.1, 0.2], (0.3, 0.4)]", [[0.1, 0.2], (0.3, 0.4)]),
        ("['a',\n 'b']", ["a", "b"]),
        ("[]", []),
    ],
)
def test_json_and_python_lists_are_read(cell: str, value: Any) -> None:
    assert read_cell(cell) == value


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("['a' 'b']", "has texts without commas between them"),
        ("['a'\n 'b']", "has texts without commas between them"),
        ("[nan]", "is neither JSON nor a Python list"),
        ("__import__('os').system('true')", "is neither"),
        ("[().__class__]", "is neither"),
        ("[f'{1}']", "is neither"),
        ("['a'", "is neither"),
        ("[" + "1+" * 3_000_000 + "1]", "is neither"),
        ("[" + "-" * 100_000 + "1]", "is neither"),
        ("[" * 100_000, "is neither"),
        ("['a', " + "[" * 100_000 + "]" * 100_000 + "]", "is neither"),
        ("['x', " + "1," * 10_000_000 + "]", "is neither"),
        ("['" + "\\x" * 100_000 + "']", "is neither"),
        ("9" * 100_000, "is neither"),
        ("{['a']: 1}", "is neither"),
        ("'a'", "is no list"),
        ('"a"', "is no list"),
    ],
)
def test_what_is_no_list_is_refused_at_once(cell: str, reason: str) -> None:
    begun = time.perf_counter()
    with pytest.raises(ValueError, match=reason):
        read_cell(cell)
    assert time.perf_counter() - begun < 2


def test_a_list_of_pictures_is_read() -> None:
    cell = str(["A+/b" * 500_000, "QUJD"])
    assert [len(one) for one in read_cell(cell)] == [2_000_000, 4]


def test_only_texts_with_brackets_are_list_cells() -> None:
    assert is_list_cell("['a']")
    assert is_list_cell(' {"A": 1}')
    assert not any(map(is_list_cell, ("a [b]", "", None, ["a"], 1)))
