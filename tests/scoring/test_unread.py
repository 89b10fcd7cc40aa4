"""Shares of what could not be read, and what they leave open of each figure."""

from collections.abc import Callable
from dataclasses import asdict

import numpy as np
import polars as pl
import pytest

from tolman import benchmarks
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.further_figures import UNREAD, Unread, unread_by_figure
from tolman.scoring.rule_sets import careful
from tolman.scoring.score_items import ADDED, SCHEMA, score
from tolman.scoring.score_table import Column, Mean, Table, pool, pools_of

Make = Callable[..., Item]
ALL = Table((Column("all", "All", pool()),), "all")


def scored(items: list[Item], texts: list[str]) -> pl.DataFrame:
    """Rows of `careful`; the text '…' ends at the token limit."""
    outcomes = [
        Response(id=item.id, response=text, finish_reason="length" if text == "…" else "stop")
        for item, text in zip(items, texts, strict=True)
    ]
    return score(items, outcomes, [careful()])


@pytest.mark.parametrize(
    ("unread", "shown", "marked"),
    [(0, False, False), (5, False, False), (6, True, False), (50, True, False), (51, True, True)],
)
def test_thresholds_are_exceeded_not_reached(choice: Make, unread: int, shown: bool, marked: bool) -> None:
    items = [choice(id=str(i)) for i in range(1000)]
    texts = ["hm"] * (unread // 2) + ["…"] * (unread - unread // 2) + ["A"] * (1000 - unread)
    found = unread_by_figure(scored(items, texts), ALL)["all"]
    assert (found.n, found.none, found.cut_off) == (
        1000,
        100 * (unread // 2) / 1000,
        100 * (unread - unread // 2) / 1000,
    )
    assert (found.is_shown, found.is_marked) == (shown, marked)


def test_bounds_of_a_mean(choice: Make, number: Make) -> None:
    items = [choice("x", "y", id="a"), choice(id="b"), choice(id="c"), number("2", id="d")]
    found = unread_by_figure(scored(items, ["hm", "…", "A", "hm"]), ALL)["all"]
    assert (found.none, found.cut_off) == (50, 25)
    assert found.low == 25
    assert found.high == pytest.approx(100 * (1 / 2 + 1 / 4 + 1 + 0) / 4)  # a number has no chance level


def test_bounds_of_chance_adjusted_accuracy(choice: Make) -> None:
    items = [choice("x", "y", id="a"), choice(id="b"), choice(id="c")]
    table = Table((Column("caa", "", pool(metric="chance-adjusted")),), "caa")
    found = unread_by_figure(scored(items, ["hm", "A", "B"]), table)["caa"]
    whole = 1 / 2 + 3 / 4 + 3 / 4
    assert found.low == pytest.approx(100 * (-1 / 2 + 3 / 4 - 1 / 4) / whole)
    assert found.high == pytest.approx(100 * (0 + 3 / 4 - 1 / 4) / whole)


def test_bounds_of_composites_weigh_their_parts(choice: Make) -> None:
    items = [choice(id=str(i), task="s" if i else "t") for i in range(5)]
    rows = scored(items, ["hm", "A", "A", "…", "A"])
    parts = (pool("t"), pool("s"), pool("empty"))
    table = Table(
        (Column("mean", "", Mean(parts)), Column("score", "", Mean(parts, weights=(1, 2, 1), missing="zero"))), "mean"
    )
    found = unread_by_figure(rows, table)
    assert asdict(found["mean"]) == pytest.approx(
        {"n": 5, "none": 20, "cut_off": 20, "low": 37.5, "high": (25 + 81.25) / 2, "unjudged": 0}
    )
    assert (found["score"].low, found["score"].high) == pytest.approx(((2 * 75) / 4, (25 + 2 * 81.25) / 4))


@pytest.mark.parametrize("name", ["vsi-bench", "site", "mmsi-bench", "spatialbench"])
def test_bounds_are_the_figures_of_frames_with_other_scores(name: str) -> None:
    table = benchmarks.get(name).table
    tasks = sorted({task for leaf in pools_of(c.node for c in table.columns) for task in leaf.tasks or ()})[:-1]
    random = np.random.default_rng(0)
    n = 400
    state = random.choice(["read", *UNREAD], n, p=[0.7, 0.2, 0.1])
    options = random.choice([0, 2, 4, 6], n) if name != "site" else random.choice([2, 4, 6], n)
    guessed = (state == "none") & (random.random(n) < 0.3)
    value = np.where((state == "read") | guessed, random.integers(0, 2, n), 0).astype(float)
    chance = np.where(options > 0, 1 / np.maximum(options, 1), 0)
    rows = pl.DataFrame(
        {
            "rule_set": "official", "id": [str(i) for i in range(n)], "repeat": 0, "task": random.choice(tasks, n),
            "cluster": random.choice(list("abcdefgh"), n), "options": options, "status": "scored", "guessed": guessed,
            "score": value, "state": state, "at_chance": np.where(state == "read", value, chance),
        }
    )  # fmt: skip
    rows = (
        rows.with_columns(pl.lit(None).alias(c) for c in SCHEMA if c not in rows.columns)
        .select(list(SCHEMA))
        .cast(SCHEMA)
    )
    found = unread_by_figure(rows, table)
    unread = pl.col("state") != "read"
    low = cells(rows.with_columns(pl.when(unread).then(0.0).otherwise("score").alias("score")), table)
    high = cells(rows.with_columns(pl.when(unread).then("at_chance").otherwise("score").alias("score")), table)
    assert found.keys() == {key for key, cell in low.items() if cell.value is not None}
    for key, one in found.items():
        assert (one.low, one.high) == pytest.approx((low[key].value, high[key].value))
        assert one.n == low[key].n
        assert one.low <= one.high


def test_a_draw_at_random_is_wrong_in_the_lower_bound(choice: Make) -> None:
    rules = benchmarks.get("site").rule_set("official")
    items = [choice(id=str(i), task="relative") for i in range(40)]
    rows = score(items, [Response(id=item.id, response="hm") for item in items], [rules])
    value = cells(rows, ALL)["all"].value
    found = unread_by_figure(rows, ALL)["all"]
    assert value is not None
    assert value > 0
    assert (found.none, found.low, found.high) == (100, 0, 25)


def test_groups_count_once_with_the_chance_of_all_their_items(choice: Make) -> None:
    items = [choice(id=f"{g}{i}", all_of=g) for g in "xyz" for i in range(2)]
    found = unread_by_figure(scored(items, ["A", "A", "hm", "A", "hm", "B"]), ALL)["all"]
    assert (found.n, found.none) == (3, pytest.approx(100 / 3))
    assert (found.low, found.high) == pytest.approx((100 / 3, 100 * (1 + 1 / 4) / 3))


def test_failures_counted_as_wrong_are_no_unread_responses(choice: Make) -> None:
    items = [choice(id=i) for i in "abcd"]
    outcomes = [Response(id="a", response="A"), Response(id="b", response="hm")]
    found = unread_by_figure(score(items, outcomes, [careful()], failures_are_wrong=True), ALL)["all"]
    assert (found.n, found.none, found.low, found.high) == (2, 50, 25, pytest.approx(100 * 1.25 / 4))


def test_repeats_count_each(choice: Make) -> None:
    outcomes = [Response(id="1", response=text, repeat=i) for i, text in enumerate(["A", "hm"])]
    found = unread_by_figure(score([choice()], outcomes, [careful()], repeats=2), ALL)["all"]
    assert (found.n, found.none, found.low, found.high) == (2, 50, 50, 62.5)


def test_items_with_fewer_answers_count_as_much_in_shares_and_bounds(choice: Make) -> None:
    answers = {"1": ["hm"] * 4, "2": ["A"], "3": ["A", "hm"]}
    outcomes = [Response(id=k, response=text, repeat=i) for k, own in answers.items() for i, text in enumerate(own)]
    found = unread_by_figure(score([choice(id=k) for k in answers], outcomes, [careful()], repeats=4), ALL)["all"]
    assert (found.n, found.none, found.low) == (7, pytest.approx(50), pytest.approx(50))
    assert found.high == pytest.approx(100 * (1 / 4 + 1 + 5 / 8) / 3)


def test_frames_without_states_or_scores_have_no_shares(choice: Make) -> None:
    rows = scored([choice()], ["hm"])
    assert unread_by_figure(rows.with_columns(pl.lit(None, SCHEMA[c]).alias(c) for c in ADDED), ALL) == {}
    assert unread_by_figure(score([choice()], [], [careful()]), ALL) == {}


def test_it_comes_back_from_json() -> None:
    one = Unread(n=3, none=1.0, cut_off=2.0, low=3.0, high=4.0)
    assert Unread.from_dict(asdict(one)) == one
