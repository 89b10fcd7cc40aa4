from collections.abc import Callable

import pytest

from tolman import benchmarks
from tolman.errors import UsageError
from tolman.items import Item
from tolman.responses import Failure, FailureKind, Response
from tolman.scoring.aggregate import cells
from tolman.scoring.rule_sets import careful
from tolman.scoring.run_differences import differences
from tolman.scoring.score_items import expected_scores, score
from tolman.scoring.score_table import Column, Mean, Table, pool

Make = Callable[..., Item]
TABLE = Table((Column("t", "T", pool("t")), Column("n", "N", pool("n")), Column("all", "All", pool())), "all")


def test_failures_and_missing_items_are_never_scored(choice: Make) -> None:
    items = [choice(id=i, scene=i) for i in "abcd"]
    outcomes = [
        Response(id="a", response="A"),
        Response(id="b", response=""),
        Failure(id="c", kind=FailureKind.TIMEOUT, message="error 5"),
    ]
    rows = score(items, outcomes, [careful()])
    assert dict(rows.select("id", "status").iter_rows()) == {
        "a": "scored",
        "b": "scored",
        "c": "failed",
        "d": "missing",
    }
    assert rows["score"].to_list() == [1.0, 0.0, None, None]
    cell = cells(rows, TABLE)["t"]
    assert (cell.value, cell.n, cell.unanswered) == (50.0, 2, 2)


def test_counting_failures_as_wrong_is_the_users_own_decision(choice: Make) -> None:
    items = [choice(id=i, scene=i) for i in "ab"]
    rows = score(items, [Response(id="a", response="A")], [careful()], failures_are_wrong=True)
    assert cells(rows, TABLE)["t"].value == 50.0
    assert rows["status"].to_list() == ["scored", "missing"]


def test_repeats_are_rows_of_their_own(choice: Make) -> None:
    outcomes = [Response(id="1", response="A", repeat=1), Response(id="1", response="B")]
    rows = score([choice()], outcomes, [careful()], repeats=3)
    assert rows.select("repeat", "score", "status").rows() == [
        (0, 0.0, "scored"),
        (1, 1.0, "scored"),
        (2, None, "missing"),
    ]


def test_means_drop_or_zero_parts_without_items(choice: Make) -> None:
    rows = score([choice(id=i, scene=i) for i in "ab"], [Response(id=i, response="A") for i in "ab"], [careful()])
    parts = (pool("t"), pool("n"))
    table = Table(
        (
            Column("drop", "", Mean(parts)),
            Column("zero", "", Mean(parts, weights=(1, 3), missing="zero")),
            Column("none", "", Mean((pool("n"),))),
        ),
        "drop",
    )
    found = cells(rows, table)
    assert found["drop"].value == 100.0
    assert found["zero"].value == 25.0
    assert found["none"].value is None
    assert found["none"].interval is None


def test_no_rows_at_all_give_empty_cells(choice: Make) -> None:
    found = cells(score([choice()], [], [careful()]), TABLE)
    assert found["all"].value is None
    assert found["all"].unanswered == 1


def test_chance_adjusted_accuracy_is_pooled_not_averaged(choice: Make) -> None:
    items = [choice("x", "y", id="a", scene="a"), choice(*"abcdef", id="b", scene="b")]
    rows = score(items, [Response(id="a", response="A"), Response(id="b", response="B")], [careful()])
    table = Table((Column("caa", "", pool(metric="chance-adjusted")),), "caa")
    assert cells(rows, table)["caa"].value == pytest.approx(100 * (0.5 - 1 / 6) / (0.5 + 5 / 6))


def test_a_comparison_is_paired_over_shared_items(choice: Make) -> None:
    items = [choice(id=str(i), scene=str(i)) for i in range(6)]
    a = score(items, [Response(id=str(i), response="A") for i in range(6)], [careful()])
    b = score(items, [Response(id=str(i), response="A" if i < 2 else "B") for i in range(5)], [careful()])
    found = differences(a, b, TABLE)["all"]
    assert (found.n, found.won, found.lost) == (5, 3, 0)
    assert found.value == pytest.approx(60)
    back = differences(b, a, TABLE)["all"]
    assert (back.value, back.won, back.lost) == (pytest.approx(-60), 0, 3)
    assert "n" not in differences(a, b, TABLE)


def test_repeats_are_averaged_before_a_comparison(choice: Make) -> None:
    items = [choice(id=str(i), scene=str(i)) for i in range(3)]
    twice = [Response(id=str(i), response=t, repeat=r) for i in range(3) for r, t in enumerate("AB")]
    a, b = (
        score(items, twice, [careful()], repeats=2),
        score(items, [Response(id=str(i), response="A") for i in range(3)], [careful()]),
    )
    assert differences(a, b, TABLE)["all"].value == pytest.approx(-50)


def test_a_true_value_without_a_score_is_one_sentence(number: Make) -> None:
    rules = benchmarks.get("vsi-bench").rule_sets[:2]
    items = [number("2", id="1"), number("0", id="none")]
    outcomes = [Response(id=item.id, response="0") for item in items]
    sentence = "question 'none': the answer 0 has no score under 'official': the released metric divides by it"
    with pytest.raises(UsageError, match=sentence):
        score(items, outcomes, rules)
    with pytest.raises(UsageError, match=sentence):
        expected_scores(items, {item.id: [("0", 1.0)] for item in items}, rules)
    careful_rows = score(items, outcomes, rules[1:])
    assert careful_rows["score"].to_list() == [0.0, 1.0]  # exactly 0 was predicted
    assert score(items, outcomes, benchmarks.get("spatialbench").rule_sets)["score"].null_count() == 0


def test_a_true_value_below_zero_is_never_right_by_its_sign(number: Make) -> None:
    items = [number("-2")]
    rows = score(items, [Response(id="1", response="5")], [careful(), *benchmarks.get("spatialbench").rule_sets[:1]])
    assert rows["score"].to_list() == [0.0, 0.0]


def test_a_fraction_as_answer_is_scored_in_floats_too(number: Make) -> None:
    rows = score([number("1/2")], [Response(id="1", response="0.5")], benchmarks.get("vsi-bench").rule_sets[:2])
    assert rows["score"].to_list() == [1.0, 1.0]
