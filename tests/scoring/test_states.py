"""When a response counts as read, as none, and as cut off."""

from collections.abc import Callable

import polars as pl
import pytest

from tolman import benchmarks
from tolman.items import Item
from tolman.responses import Failure, FailureKind, Response, Turn
from tolman.scoring.answer_values import ParsedAnswer, nothing
from tolman.scoring.response_states import chance, state_of, was_cut_off
from tolman.scoring.rule_sets import careful
from tolman.scoring.score_items import ADDED, SCHEMA, score, with_all_columns

Make = Callable[..., Item]
UNREAD = nothing("a refusal")


@pytest.mark.parametrize(
    ("reading", "reason", "state"),
    [
        (ParsedAnswer("A"), "stop", "read"),
        (ParsedAnswer("A"), "length", "read"),  # the answer came before the limit
        (ParsedAnswer(0.0), None, "read"),
        (UNREAD, None, "none"),
        (UNREAD, "stop", "none"),
        (UNREAD, "content_filter", "none"),
        (UNREAD, "length", "cut off"),
        (UNREAD, "max_tokens", "cut off"),
        (UNREAD, "MAX_TOKENS", "cut off"),
        (nothing("the text ends", cut_off=True), "stop", "cut off"),
        (ParsedAnswer("A", guessed=True), "stop", "none"),
        (ParsedAnswer("A", guessed=True), "length", "cut off"),
    ],
)
def test_a_state_follows_from_reading_and_end(reading: ParsedAnswer, reason: str | None, state: str) -> None:
    assert state_of(Response(id="1", response="hm", finish_reason=reason), reading) == state


def test_a_reading_has_a_state_of_its_own() -> None:
    assert [ParsedAnswer("A").state, nothing("x").state, nothing("x", cut_off=True).state] == [
        "read",
        "none",
        "cut off",
    ]


@pytest.mark.parametrize(
    ("text", "cut_off"),
    [
        ("<think>The chair is", True),
        ("  <think>The chair is", True),
        ("<think>The chair is</think>", False),
        ("<think>done</think><think>again", True),
        ("The answer is <think>", False),
        ("", False),
    ],
)
def test_an_unfinished_trace_and_nothing_else_is_cut_off(text: str, cut_off: bool) -> None:
    assert was_cut_off(Response(id="1", response=text)) is cut_off


def test_of_several_turns_the_one_that_is_scored_decides() -> None:
    turns = (
        Turn(purpose="reasoning", prompt="?", response="Long", finish_reason="length"),
        Turn(purpose="answer", prompt="?", response="hm", finish_reason="stop"),
    )
    assert not was_cut_off(Response(id="1", response="hm", finish_reason="length", turns=turns))
    assert was_cut_off(Response(id="1", response="Long", finish_reason="stop", turns=turns))


def test_chance_is_one_in_the_number_of_options_and_nothing_for_a_number(choice: Make, number: Make) -> None:
    assert (chance(choice("a", "b")), chance(choice(*"abcde")), chance(number())) == (0.5, 0.2, 0.0)


def test_rows_say_state_span_and_rule(choice: Make) -> None:
    def read(item: Item, text: str, seed: int) -> ParsedAnswer:
        return ParsedAnswer("A", span=(3, 4), rule="third character") if text == "it A" else nothing("?")

    rules = careful()
    items = [choice(id=i) for i in "abcde"]
    outcomes = [
        Response(id="a", response="it A"),
        Response(id="b", response="hm"),
        Response(id="c", response="hm", finish_reason="length"),
        Failure(id="d", kind=FailureKind.NETWORK, message="gone"),
    ]
    rows = score(items, outcomes, [type(rules)("careful", read, rules.score)])
    assert rows.columns == list(SCHEMA)
    assert rows.select(*ADDED).rows() == [
        ("read", 3, 4, "third character", 1.0),
        ("none", None, None, "", 0.25),
        ("cut off", None, None, "", 0.25),
        (None, None, None, "", None),
        (None, None, None, "", None),
    ]


def test_a_released_parsers_draw_is_not_read(choice: Make) -> None:
    rules = benchmarks.get("site").rule_set("official")
    row = score([choice()], [Response(id="1", response="hm")], [rules]).row(0, named=True)
    assert (row["guessed"], row["state"], row["at_chance"]) == (True, "none", 0.25)


def test_what_is_left_out_of_the_denominators_has_no_state(choice: Make) -> None:
    rules = benchmarks.get("spatialbench").rule_set("official")
    row = score([choice()], [Response(id="1", response="")], [rules]).row(0, named=True)
    assert (row["status"], row["state"]) == ("left out", None)


@pytest.mark.parametrize(
    ("texts", "state", "at_chance"),
    [
        ("AA", "read", 1.0),
        ("AB", "read", 0.0),
        ("A?", "none", 0.25),
        ("A!", "cut off", 0.25),
        ("??", "none", 1 / 16),
        ("?!", "cut off", 1 / 16),
        ("B?", "read", 0.0),  # wrong whatever the other is
    ],
)
def test_a_group_is_unread_where_its_unread_items_decide(
    choice: Make, texts: str, state: str, at_chance: float
) -> None:
    items = [choice(id=str(i), all_of="g") for i in range(2)]
    outcomes = [
        Response(id=str(i), response=text, finish_reason="length" if text == "!" else "stop")
        for i, text in enumerate(texts)
    ]
    rows = score(items, outcomes, [careful()])
    first = rows.row(0, named=True)
    assert (first["status"], first["state"], first["at_chance"]) == ("scored", state, pytest.approx(at_chance))
    assert rows["at_chance"][1] is None


@pytest.mark.parametrize("grouped", [False, True])
def test_failures_counted_as_wrong_have_no_state(choice: Make, grouped: bool) -> None:
    items = [choice(id="a"), choice(id="b", all_of="g" if grouped else None)]
    rows = score(items, [Response(id="a", response="A")], [careful()], failures_are_wrong=True)
    assert rows.select("state", "score", "at_chance").rows() == [("read", 1.0, 1.0), (None, 0.0, 0.0)]


def test_stored_frames_of_earlier_versions_get_empty_columns(choice: Make) -> None:
    rows = score([choice()], [Response(id="1", response="A")], [careful()])
    old = with_all_columns(rows.drop(ADDED).lazy())
    assert old is not None
    assert old.collect_schema() == rows.schema
    assert old.select(ADDED).collect().row(0) == (None,) * len(ADDED)
    assert with_all_columns(rows.drop("score").lazy()) is None
    assert with_all_columns(rows.with_columns(pl.lit(1).alias("more")).lazy()) is None
