"""Practice, exclusion, codes and pay: the rules by themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolman.items import Item
from tolman.review.studies import Completion, Exclude, Link, Pay, Practising, Sample, StudyPart
from tolman.review.studies.participants import (
    PREVIEW,
    LinkError,
    arrival,
    link_query,
    option_order,
    redirect_of,
    shown_answer,
    true_answer,
    with_checks,
)
from tolman.review.studies.study_records import Conduct, amount, exclusion_reasons, pay_rows, stated_rules
from tolman.review.studies.study_steps import Passed, html_of, pictures_in, standing
from tolman.text_tables import csv_text

FINE = Conduct(10, 9, 1, 0, 4, 4, 0, 600.0, complete=True)


@pytest.mark.parametrize(
    ("rounds", "found"),
    [
        ([], (Passed.GOING_ON, 0)), ([[True]], (Passed.GOING_ON, 0)), ([[True, True]], (Passed.DONE, 0)),
        ([[True, False]], (Passed.GOING_ON, 1)), ([[False, True], [True]], (Passed.GOING_ON, 1)),
        ([[False, True], [True, True]], (Passed.DONE, 1)), ([[False, True], [True, False]], (Passed.FAILED, 1)),
    ],
)  # fmt: skip
def test_practice_is_repeated_until_it_is_right_or_there_is_no_round_left(
    rounds: list[list[bool]], found: tuple[Passed, int]
) -> None:
    told = standing(rounds, 2, Practising(least_right=2, rounds=2))
    assert (told.passed, told.round) == found


@pytest.mark.parametrize(
    ("rules", "did", "why"),
    [
        ({}, FINE, []),
        ({}, replace(FINE, complete=False), ["not complete (10 of 10)"]),
        ({"incomplete": False}, replace(FINE, complete=False), []),
        ({"gold_below": 0.75}, replace(FINE, gold_right=3), []),
        ({"gold_below": 0.76}, replace(FINE, gold_right=3), ["3 of 4 gold questions right"]),
        ({"attention_wrong": 1}, replace(FINE, attention_wrong=1), ["1 attention question wrong"]),
        ({"fast_above": 0.0}, replace(FINE, fast=1), ["1 of 9 answers too fast"]),
        ({"skipped_above": 0.1}, FINE, []),
        ({"skipped_above": 0.05}, FINE, ["1 of 10 questions skipped"]),
        ({"minutes_below": 11}, FINE, ["10.0 minutes in all"]),
        ({}, replace(FINE, screened=True), ["too few right answers in practice"]),
    ],
)  # fmt: skip
def test_people_are_left_out_by_the_stated_rules_alone(rules: dict[str, float], did: Conduct, why: list[str]) -> None:
    assert exclusion_reasons(did, Exclude.model_validate(rules)) == why


def test_every_rule_is_stated() -> None:
    rules = Exclude(gold_below=0.8, attention_wrong=2, fast_above=0.1, skipped_above=0.2, minutes_below=5)
    assert len(stated_rules(rules, 2)) == 6
    assert stated_rules(Exclude(incomplete=False), 2) == []


def test_links_of_platforms() -> None:
    prolific = Link(platform="prolific")
    assert (
        link_query(prolific) == "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    came = arrival(prolific, {"PROLIFIC_PID": "5f", "SESSION_ID": "s", "other": "x"})
    assert (came.outside, came.fields) == ("5f", {"PROLIFIC_PID": "5f", "SESSION_ID": "s"})
    mturk = Link(platform="mturk")
    with pytest.raises(LinkError, match="Accept it first"):
        arrival(mturk, {"assignmentId": PREVIEW})
    assert arrival(mturk, {"workerId": "A1", "assignmentId": "3X"}).outside == "A1"
    with pytest.raises(LinkError, match="lacks your id"):
        arrival(prolific, {})
    with pytest.raises(LinkError, match="can't be one"):
        arrival(prolific, {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"})
    with pytest.raises(LinkError, match="can't be read"):
        arrival(prolific, {"PROLIFIC_PID": "5f\n"})
    assert arrival(Link(), {"x": "y"}).outside is None


def test_the_last_page_leads_back_with_the_code() -> None:
    assert (
        redirect_of(Completion(), Link(platform="prolific"), "C1")
        == "https://app.prolific.com/submissions/complete?cc=C1"
    )
    assert redirect_of(Completion(redirect="https://x.org/?c={code}"), Link(), "C1") == "https://x.org/?c=C1"
    assert redirect_of(Completion(), Link(platform="mturk"), "C1") is None


def test_pay_is_for_time_and_spreadsheets_compute_nothing() -> None:
    assert amount(Pay(fixed=1, per_hour=12), 900, counts=True) == 4.0
    assert amount(Pay(fixed=1), 900, counts=False) == 1.0
    assert amount(Pay(fixed=1, excluded=False), 900, counts=False) == 0.0
    assert csv_text([["a,b", "=1+1"], ["@x", "1"]]) == "\"a,b\",'=1+1\n'@x,1\n"


def test_no_two_columns_have_one_name() -> None:
    link = Link(id="person", keep=("link_person", "code", "skipped: late"))
    (head,) = pay_rows(StudyPart(sample=Sample(people=1, by=None, each=1), skip=("late",), link=link), [], {})
    assert head[:5] == ["person", "link_person", "link_link_person", "link_code", "link_skipped: late"]
    assert len(set(head)) == len(head)


def test_ids_need_the_field_that_holds_them() -> None:
    with pytest.raises(ValueError, match="needs 'id', the field of the address"):
        Link(ids=("anna",))


def test_texts_can_do_no_harm() -> None:
    shown = html_of(
        "# A\n<b onclick=x>bold</b> [x](javascript:alert(1)) [y](/signout) ![p](a.png) ![q](http://e.org/x.png)",
        {"a.png": "/p"},
    )
    assert "<b" not in shown
    assert "href" not in shown
    assert "e.org" not in shown
    assert "<h2>A</h2>" in shown
    assert '<img src="/p" alt="p"' in shown
    assert pictures_in("![p](a.png) and ![q](b/c.jpg)") == ["a.png", "b/c.jpg"]


def item(*options: str, answer: str = "A", **rest: object) -> Item:
    return Item.model_validate(
        {"id": "q", "question": "What?", "kind": "choice", "options": options, "answer": answer, "task": "t", **rest}
    )


@settings(max_examples=60, deadline=None)
@given(count=st.integers(2, 8), answer=st.integers(0, 7), seed=st.integers(0, 99))
def test_a_shuffled_question_is_right_where_the_stored_one_is(count: int, answer: int, seed: int) -> None:
    asked = item(*[f"thing {n}" for n in range(count)], answer="ABCDEFGH"[answer % count])
    order = option_order(asked, seed, "q")
    assert order is not None
    shown = asked.reordered(order)
    assert true_answer(order, shown.answer) == asked.answer
    assert all(shown_answer(order, true_answer(order, letter)) == letter for letter in shown.letters)
    assert order == option_order(asked, seed, "q")


@pytest.mark.parametrize(
    "options",
    [
        ("left", "right", "none of the above"), ("A", "B", "both A and B"), ("cup", "bowl", "All of these options"),
        ("one", "Neither"), ("x", "options A or B"),
    ],
)  # fmt: skip
def test_options_that_speak_of_others_stay(options: tuple[str, ...]) -> None:
    assert option_order(item(*options), 0) is None


def test_words_of_space_are_shuffled() -> None:
    assert option_order(item("above", "below", "to the left of the cup"), 0) is not None


def test_a_number_has_no_options() -> None:
    number = Item.model_validate({"id": "n", "question": "How many?", "kind": "number", "answer": "3", "task": "t"})
    assert option_order(number, 0) is None


@settings(max_examples=60, deadline=None)
@given(questions=st.integers(0, 40), checks=st.integers(0, 8), seed=st.integers(0, 9))
def test_checks_stand_among_the_questions_and_none_is_lost(questions: int, checks: int, seed: int) -> None:
    own, others = list(range(questions)), [f"c{n}" for n in range(checks)]
    found = with_checks(own, others, seed)
    assert [one for one in found if isinstance(one, int)] == own
    assert sorted(one for one in found if isinstance(one, str)) == others
    if questions > 1 and checks:
        assert isinstance(found[0], int)
