"""What every item kind promises, and what Tolman's own two say."""

from collections.abc import Callable

import pytest

from tolman.errors import UsageError
from tolman.items import Item
from tolman.kinds import ItemKind, kind_named, kind_of, names
from tolman.scoring.metric import metric_named
from tolman.scoring.parse import read_careful
from tolman.scoring.states import chance

Make = Callable[..., Item]


def test_choice_and_number_are_the_first_two() -> None:
    assert names()[:2] == ["choice", "number"]
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
    with pytest.raises(UsageError, match="'x' has the widget 'slider'; give one of choice, number, text"):
        ItemKind(name="x", title="X", read=read_careful, metric=metric, widget="slider")
    with pytest.raises(UsageError, match="'x' has the widget 'choice' and no choices"):
        ItemKind(name="x", title="X", read=read_careful, metric=metric, widget="choice")
    fixed = ItemKind(
        name="x", title="X", read=read_careful, metric=metric, widget="choice", choices=lambda item: ("yes", "no")
    )
    assert fixed.widget == "choice"
    assert ItemKind(name="x", title="X", read=read_careful, metric=metric).widget == "text"
