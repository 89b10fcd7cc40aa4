from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest

from tolman import benchmarks
from tolman.errors import UsageError
from tolman.items import Item
from tolman.responses import Failure, FailureKind, Response, Turn
from tolman.scoring.aggregate import cells
from tolman.scoring.answer_values import ParsedAnswer, nothing
from tolman.scoring.response_states import chance, state_of, was_cut_off
from tolman.scoring.rule_sets import careful
from tolman.scoring.run_differences import differences
from tolman.scoring.score_items import ADDED, SCHEMA, expected_scores, score, with_all_columns
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


def test_the_expectation_of_a_uniform_guess_is_one_in_n(choice: Make, number: Make) -> None:
    items = [choice("x", "y", "z", id="a"), number("2", id="b")]
    answers = {"a": [(letter, 1 / 3) for letter in "ABC"], "b": [("2", 0.5), ("4", 0.5)]}
    rows = expected_scores(items, answers, [careful()])
    assert rows["score"].to_list() == pytest.approx([1 / 3, 0.5])


def test_expectations_are_the_same_however_many_items_share_their_answers(number: Make, choice: Make) -> None:
    items = [number(a, id=f"n{i}", unit="m") for i, a in enumerate(("2", "2", "3.5", "4"))]
    items += [choice(answer=a, id=f"c{i}") for i, a in enumerate("ABBA")]
    texts = [("2", 0.5), ("3.5", 0.2), ("about 4 m", 0.3)], [(letter, 0.25) for letter in "ABCD"]
    for shared in (texts, (texts[0][:2], texts[1])):
        answers = {item.id: shared[item.kind == "choice"] for item in items}
        own = {item.id: list(answers[item.id]) for item in items}
        for name in ("vsi-bench", "spatialbench"):
            rules = benchmarks.get(name).rule_sets
            rows = expected_scores(items, answers, rules)
            assert rows.equals(expected_scores(items, own, rules))
            by_hand = [
                sum(p * r.score(item, r.read(item, text, 0)) for text, p in answers[item.id])
                for r in rules
                for item in items
            ]
            assert rows["score"].to_list() == pytest.approx(by_hand, abs=1e-12)


def test_expectations_read_each_answer_once(number: Make) -> None:
    calls: list[str] = []
    rules = benchmarks.get("vsi-bench").rule_set("careful")

    def read(item: Item, text: str, seed: int) -> ParsedAnswer:
        calls.append(text)
        return rules.read(item, text, seed)

    items = [number(str(1 + i % 7), id=str(i)) for i in range(200)]
    texts = [(str(i), 0.1) for i in range(1, 11)]
    expected_scores(items, {item.id: texts for item in items}, [replace(rules, read=read)])
    assert sorted(calls, key=int) == [text for text, _ in texts]


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
