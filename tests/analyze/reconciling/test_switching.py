"""Which switches an item has, and what is made one where a score can't be computed."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from tolman.analyze.score_causes import Cause, Label, Rules, SideItem, conditions, named, switches
from tolman.scoring.answer_values import ParsedAnswer

ONE, NONE = Fraction(1), Fraction(0)
BASE = SideItem(
    "q", "A", ONE, "A", "A", ("Where?", "left", "right"), "Where?\nleft\nright\nAnswer.", "32", cut_off=False
)
STRICT = Rules(
    parser="strict",
    metric=lambda id: "accuracy",
    read=lambda id, text: text if len(text) == 1 else "",
    recorded=lambda id, reading: reading,
    score=lambda id, reading, truth: Fraction(reading == truth),
)
LOOSE = replace(STRICT, parser="loose", read=lambda id, text: text.strip("()."))
SECRET = replace(STRICT, parser="secret", read=None)


def other(text: str, score: Fraction | None, **changed: object) -> SideItem:
    return replace(BASE, text=text, score=score, **changed)  # type: ignore[arg-type]


def labels(a: SideItem | None, b: SideItem | None, rules_a: Rules = STRICT, rules_b: Rules = STRICT) -> list[str]:
    return [named(label) for label in switches(a, b, rules_a, rules_b).labels]


def test_a_row_or_a_call_that_is_not_there_is_the_whole_cause() -> None:
    failed = replace(BASE, text=None, score=None, failure="timeout")
    assert labels(BASE, None, STRICT, LOOSE) == ["rows"]
    assert labels(None, BASE) == ["rows"]
    assert labels(BASE, failed, STRICT, LOOSE) == ["failure"]
    assert labels(failed, replace(failed, score=NONE)) == ["failure"]
    assert labels(failed, failed) == []


def test_the_same_text_read_otherwise_is_the_parsers() -> None:
    a, b = other("(A)", NONE, reading=""), other("(A)", ONE, reading="A")
    assert labels(a, b, STRICT, LOOSE) == ["parser"]
    assert labels(a, b) == ["parser"]  # of one name, as a judge's or one that draws at random
    unread = [replace(record, reading=None) for record in (a, b)]
    assert labels(*unread) == ["parser or metric"]


def test_a_changed_truth_and_a_changed_text_are_told_apart() -> None:
    b = other("B", NONE, reading="B", truth="C")
    found = switches(BASE, b, STRICT, STRICT)
    assert {named(label) for label in found.labels} == {"unexplained", "data"}
    assert (found.values[0], found.values[-1]) == (ONE, NONE)


def test_moved_options_are_one_cause_with_their_truth() -> None:
    b = other("B", NONE, reading="B", truth="C", question=("Where?", "right", "left"))
    assert labels(BASE, b) == ["data"]


def test_an_unknown_parser_and_another_text_are_one_cause() -> None:
    b = other("It is B", NONE, reading="B")
    assert labels(BASE, b, STRICT, SECRET) == ["parser or unexplained"]
    assert labels(BASE, b, SECRET, SECRET) == ["unexplained"]


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, {Cause.UNEXPLAINED}),
        ({"frames": None}, {Cause.UNEXPLAINED}),
        ({"frames": "16"}, {Cause.FRAMES}),
        ({"prompt": "Say: Where?\nleft\nright\nAnswer."}, {Cause.PROMPT}),
        ({"prompt": "Where? left\n right Answer."}, {Cause.UNEXPLAINED}),
        ({"prompt": "In short: Where?\nleft\nright", "frames": "16"}, {Cause.PROMPT, Cause.FRAMES}),
        ({"question": ("Where?", "up", "down"), "prompt": "Where?\nup\ndown\nAnswer."}, {Cause.DATA}),
        ({"text": "A because of the", "cut_off": True}, {Cause.CUT_OFF, Cause.UNEXPLAINED}),
        ({"text": "It", "cut_off": True, "frames": "8"}, {Cause.CUT_OFF, Cause.FRAMES}),
    ],
)
def test_conditions_of_two_texts(changed: dict[str, object], found: Label) -> None:
    b = replace(BASE, **{"text": "B", **changed})  # type: ignore[arg-type]
    assert conditions(BASE, b) == conditions(b, BASE) == found


def test_a_text_that_is_the_beginning_of_the_other_was_only_cut_off() -> None:
    whole, cut = other("So it is A", ONE), other("So it \ufffd", NONE, cut_off=True)
    assert conditions(whole, cut) == conditions(cut, whole) == {Cause.CUT_OFF}


def test_one_number_in_two_types_is_no_parsers_doing() -> None:
    """A metric with a threshold at 1/5 tells 1.6 as a float, which is a little more, from 8/5: the types are no cause."""

    def within(id: str, reading: object, truth: str | None) -> Fraction:
        assert isinstance(reading, ParsedAnswer)
        return Fraction(abs(Fraction(reading.value or 0) - 2) < Fraction(2, 5))

    def binary(id: str, reading: object, truth: str | None) -> Fraction:
        assert isinstance(reading, ParsedAnswer)
        return Fraction(abs(float(reading.value or 0) - 2) < 0.4)

    def rules(name: str, number: Callable[[str], object], score: Callable[..., Fraction]) -> Rules:
        return Rules(name, lambda id: name, lambda id, text: ParsedAnswer(number(text)), None, score)  # type: ignore[arg-type]

    a, b = other("1.6", ONE, reading="1.6"), other("1.6", NONE, reading="8/5")
    assert labels(a, b, rules("binary", float, binary), rules("exact", Fraction, within)) == ["metric"]


def test_a_beginning_of_the_other_text_was_only_cut_off_whatever_the_prompt() -> None:
    short, whole = (
        other("It is", NONE, reading="", cut_off=True),
        other("It is A", ONE, prompt="Say!\nWhere?\nleft\nright"),
    )
    assert labels(short, whole) == ["cut off"]
    assert labels(replace(short, text="I say"), whole) == ["prompt or cut off"]
    assert labels(replace(short, text=" "), whole) == ["prompt or cut off"]


def test_a_score_that_its_own_rules_do_not_give_is_unexplained() -> None:
    b = replace(BASE, score=NONE, given=False)
    assert labels(BASE, b) == ["unexplained"]
    assert labels(BASE, b, STRICT, LOOSE) == ["unexplained"]  # both read A
    assert labels(BASE, replace(b, text="(A)"), STRICT, LOOSE) == ["parser or unexplained"]
    assert labels(BASE, replace(b, score=ONE)) == []
