"""What every item kind promises, and what choices and numbers say."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kinds.yes_no import write_kind
from tolman.errors import UsageError
from tolman.items import Item
from tolman.kinds import ItemKind, kind_named, kind_of, lettered, names
from tolman.plugins import load_plugin
from tolman.scoring.metrics import metric_named
from tolman.scoring.parse import read_careful
from tolman.scoring.response_states import chance

Make = Callable[..., Item]


def test_kinds_are_found_by_name() -> None:
    assert names() == ["boxes", "choice", "number", "order", "points", "set", "text", "yes-no"]
    for name in names():
        found = kind_named(name)
        assert isinstance(found, ItemKind)
        assert found.name == name
        assert found.title
    with pytest.raises(UsageError, match="no item kind 'numbr'; did you mean 'number'"):
        kind_named("numbr")


def test_the_answer_given_as_a_response_is_right(choice: Make, number: Make) -> None:
    for item in (choice(answer="C"), number("2.5", unit="m"), number("1/2")):
        kind = kind_of(item)
        assert kind.score(item, kind.read(item, item.answer)) == 1.0
        assert kind.score(item, kind.read(item, "")) == 0.0


def test_a_random_answer_has_the_chance_level(choice: Make, number: Make) -> None:
    item = choice("x", "y", "z")
    kind = kind_of(item)
    drawn = kind.guesses(item, ["A", "A"])
    assert sum(kind.score(item, kind.read(item, text)) for text in drawn) / len(drawn) == chance(item)
    answers = ["1", "2"]
    assert kind_of(number()).guesses(number(), answers) is answers
    assert chance(number()) == 0.0


def test_geometry_is_answered_by_place_text_or_value(choice: Make, number: Make) -> None:
    item = choice("chair", "sofa")
    kind = kind_of(item)
    assert kind.oracle_text(item, 1) == kind.oracle_text(item, "sofa") == "B"
    with pytest.raises(ValueError, match="'lamp' is none of the options"):
        kind.oracle_text(item, "lamp")
    assert kind_of(number()).oracle_text(number(), 1.23456789) == "1.23456789"
    assert (kind.answer_text(item), number("3").answer_text) == ("chair", "3")


def test_prompts_and_judges_ask_for_the_kinds_answer(choice: Make, number: Make) -> None:
    asked = {item.unit: kind_of(item).demand(item) for item in (number(unit="m2"), number(unit="count"))}
    assert asked == {
        "m2": "Answer with a single number of square metres only.",
        "count": "Answer with a single number only.",
    }
    assert kind_of(choice()).demand(choice()) == "Answer with the option's letter only."
    assert "as its answer, in metres, and nothing" in kind_of(number()).judge_request(number(unit="m"))


def test_a_kind_is_scored_by_shares_only() -> None:
    with pytest.raises(UsageError, match="can't be scored by the metric 'median-relative-error'"):
        ItemKind(name="x", title="X", read=read_careful, metric=metric_named("median-relative-error"))


def test_geometry_says_whether_an_answer_is_right_as_printed(choice: Make, number: Make) -> None:
    item = number("2.5", unit="m")
    kind = kind_of(item)
    assert [kind.states(item, exact, None) for exact in (2.46, 2.54, 2.56)] == [True, True, False]
    assert kind.error(item, 2.46) == pytest.approx(0.04)
    lengths = choice("1.0", "2.0", "4.0", answer="B")
    kind = kind_of(lengths)
    assert [kind.states(lengths, exact, None) for exact in (2.4, "2.0", 3.4, "4.0")] == [True, True, False, False]
    assert [kind.states(lengths, "", place) for place in (1, 2)] == [True, False]
    assert kind.error(lengths, 2.4) is None
    with pytest.raises(ValueError, match="could not convert"):
        kind.states(choice("chair", "sofa"), 2.4, None)


def test_released_numbers_are_stored_without_separators() -> None:
    kind = kind_named("number")
    assert [kind.released_answer(text) for text in ("1,200.5", "+3", " -2 ")] == ["1200.5", "3", "-2"]
    with pytest.raises(ValueError, match="the answer 'a few' is no number"):
        kind.released_answer("a few")


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (".5", "0.5"), (".75", "0.75"), ("(.5)", "0.5"), ("-.5.", "-0.5"), ("(5).", "5"), ("5.", "5"), ("-2.5", "-2.5"),
        ("1,200", "1200"), ("+3", "3"), ("٣٫٥", "3.5"), ("..5", None), ("3.1.4", None), ("about 3", None), ("3 m", None),
        ("." * 100_000, None), ("", None),
    ],
)  # fmt: skip
def test_a_number_alone_keeps_its_decimal_point(number: Make, text: str, stated: str | None) -> None:
    assert kind_named("number").stated_answer(number("2.5"), text) == stated


def test_a_plugins_kind_is_compared_by_its_reader_where_it_says_nothing_else(tmp_path: Path) -> None:
    load_plugin(write_kind(tmp_path))
    item = Item(id="1", question="Is the door open?", kind="yes-no", answer="yes", task="open")
    kind = kind_of(item)
    assert kind.stated_answer(item, "Yes.") == "Yes."
    assert kind.stated_answer(item, "perhaps") is None
    assert kind.agree(item, "Yes.", "yes")
    assert not kind.agree(item, "no", "yes")
    assert not kind.agree(item, "perhaps", "perhaps")
    assert [kind.states(item, said, None) for said in ("yes", "no", "perhaps")] == [True, False, False]
    assert (kind.magnitude, kind.error(item, "yes"), kind.released_answer("yes")) == (None, None, "yes")
    assert "yes-no" not in lettered()
    assert "choice" in lettered()


def test_people_agree_as_the_kind_says(choice: Make, number: Make) -> None:
    agree = kind_of(choice()).agree
    assert agree(choice(), "A", "A")
    assert not agree(choice(), "A", "B")
    item = number("1/2", unit="m")
    assert kind_of(item).agree(item, "0.5", "0.525")
    assert kind_of(item).agree(item, "1/2", "0.48")
    assert not kind_of(item).agree(item, "0.5", "0.53")


def test_a_kind_names_a_control_that_there_is_and_what_is_chosen_with_it() -> None:
    metric = metric_named("accuracy")
    with pytest.raises(
        UsageError, match="'x' has the widget 'slider'; give one of choice, number, text, points, boxes"
    ):
        ItemKind(name="x", title="X", read=read_careful, metric=metric, widget="slider")
    with pytest.raises(UsageError, match="'x' has the widget 'choice' and no choices"):
        ItemKind(name="x", title="X", read=read_careful, metric=metric, widget="choice")
    fixed = ItemKind(
        name="x", title="X", read=read_careful, metric=metric, widget="choice", choices=lambda item: ("yes", "no")
    )
    assert fixed.widget == "choice"
    assert ItemKind(name="x", title="X", read=read_careful, metric=metric).widget == "text"
