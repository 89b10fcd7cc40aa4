from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest

from tolman.items import Item
from tolman.responses import Failure, FailureKind, Response
from tolman.scoring.aggregate import cells
from tolman.scoring.answer_values import ParsedAnswer, nothing
from tolman.scoring.rule_sets import careful
from tolman.scoring.score_items import score
from tolman.scoring.score_table import Column, Table, pool

Make = Callable[..., Item]
TABLE = Table((Column("t", "T", pool("t")), Column("n", "N", pool("n")), Column("all", "All", pool())), "all")


def test_a_group_is_right_only_if_all_of_it_is(choice: Make) -> None:
    items = [
        choice(id=i, all_of=g) for i, g in (("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("e", "z"), ("f", "z"))
    ]
    outcomes = [Response(id=i, response=t) for i, t in zip("abcde", "AAABA", strict=True)]
    rows = score(items, outcomes, [careful()])
    assert rows.filter(pl.col("status") == "scored").select("id", "score").rows() == [("a", 1.0), ("c", 0.0)]
    assert rows.filter(pl.col("id") == "e")["status"].item() == "missing"
    assert cells(rows, TABLE)["t"].n == 2


def test_a_group_whose_judgement_failed_is_lost_once_and_says_why(choice: Make) -> None:
    def read(item: Item, text: str, seed: int) -> ParsedAnswer:
        return replace(nothing("why"), failed=True) if text == "?" else ParsedAnswer(text)

    items = [choice(id=i, all_of=g) for i, g in zip("abcdef", "xxyyzz", strict=True)]
    outcomes = [Response(id=i, response=t) for i, t in zip("abcde", "A??A?", strict=True)]  # and f is missing
    rows = score(items, outcomes, [replace(careful(), name="judged", read=read)])
    assert rows.select("id", "status", "note").rows() == [
        ("a", "unjudged", "why"), ("b", "left out", "why"), ("c", "unjudged", "why"), ("d", "left out", ""),
        ("e", "missing", "no response"), ("f", "left out", "no response"),
    ]  # fmt: skip
    cell = cells(rows, TABLE)["t"]
    assert (cell.value, cell.n, cell.unanswered) == (None, 0, 3)


@pytest.mark.parametrize("wrong", [False, True])
def test_a_group_with_a_failed_call_has_failed(choice: Make, wrong: bool) -> None:
    items = [choice(id=i, all_of=g) for i, g in zip("abcdef", "xxyyzz", strict=True)]
    failed = [Failure(id=i, kind=FailureKind.SERVER, message="boom") for i in "be"]
    outcomes = [*(Response(id=i, response="A") for i in "acf"), *failed]  # and d is missing
    rows = score(items, outcomes, [careful()], failures_are_wrong=wrong)
    value = 0.0 if wrong else None
    assert rows.filter(pl.col("status") != "left out").select("id", "status", "note", "score").rows() == [
        ("a", "failed", "server: boom", value), ("c", "missing", "no response", value),
        ("e", "failed", "server: boom", value),
    ]  # fmt: skip
    cell = cells(rows, TABLE)["t"]
    assert (cell.value, cell.n, cell.unanswered) == (value, 3 * wrong, 3)
