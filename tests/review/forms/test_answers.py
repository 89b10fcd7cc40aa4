"""Answers from forms, and what each widget has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tolman.review
from kinds.yes_no import WORDS
from tolman.items import Item
from tolman.plugins import load_plugin
from tolman.review.forms.form_values import WIDGETS as HERE
from tolman.review.forms.form_values import AnswerError, agree, is_same_label, labels_of, read_answer, shown_answer
from tolman.review.pages import environment
from tolman.scoring.item_kind import WIDGETS

REVIEW = Path(tolman.review.__file__).parent
CHOICE = Item(id="c", question="?", kind="choice", options=("left", "right"), answer="A", task="t")
NUMBER = Item(id="n", question="?", kind="number", answer="2.5", task="t")


def test_every_widget_is_read_and_shown() -> None:
    assert set(HERE) == set(WIDGETS)
    controls = environment().get_template("_widgets.html").module
    assert all(callable(getattr(controls, name)) for name in WIDGETS)


def test_nothing_in_the_application_asks_for_a_kind_by_name() -> None:
    named = re.compile(r"""kind\b["'\]]*\s*(==|!=|in)\s*\(?["'](choice|number)\b""")
    files = [*REVIEW.rglob("*.py"), *REVIEW.rglob("*.html"), *REVIEW.rglob("*.css"), *REVIEW.rglob("*.js")]
    assert len(files) > 60
    found = [
        f"{path.relative_to(REVIEW)}: {line.strip()}"
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        if named.search(line)
    ]
    assert not found


def test_answers_are_stored_as_letters_and_plain_numbers() -> None:
    assert read_answer(CHOICE, " B ") == "B"
    assert [read_answer(NUMBER, text) for text in ("3", " 70,5 ", "+3", ".5", "3.")] == ["3", "70.5", "+3", ".5", "3."]
    for item, wrong in ((CHOICE, ("", "C", "AB", "b")), (NUMBER, ("", "1/2", "1e9", "inf", "two"))):
        for text in wrong:
            with pytest.raises(AnswerError):
                read_answer(item, text)


def test_a_comma_that_may_divide_thousands_is_asked_about() -> None:
    for text in ("1,000", "-12,500", "١٬٠٠٠"):
        with pytest.raises(AnswerError, match=r"may mean -?1(000|2500) or -?1[2.]?.*: write it without the comma"):
            read_answer(NUMBER, text)
    assert [read_answer(NUMBER, text) for text in ("0,125", "1,00", "1,0000", "1000,5")] == [
        "0.125",
        "1.00",
        "1.0000",
        "1000.5",
    ]


def test_counts_lengths_and_areas_are_not_negative() -> None:
    for unit, said in (("count", "A count"), ("cm", "A number of centimetres"), ("m2", "A number of square metres")):
        with pytest.raises(AnswerError, match=f"^{said} can't be negative: give it without the minus sign"):
            read_answer(NUMBER.model_copy(update={"unit": unit}), "-2.5")
    below = NUMBER.model_copy(update={"unit": "m", "answer": "-0.4"})  # how much lower one thing is than another
    assert read_answer(below, "-0,5") == "-0.5"
    assert [read_answer(NUMBER, text) for text in ("-2.5", "-0", "٣", "٣٫٥")] == ["-2.5", "-0", "3", "3.5"]


def test_numbers_agree_within_a_margin_and_are_labels_only_as_written() -> None:
    assert agree(NUMBER, "2.5", "2.6")
    assert not agree(NUMBER, "2.5", "2.7")
    assert not is_same_label(NUMBER, "2.5", "2.50")
    assert labels_of(NUMBER, ["2.5", "2.6"]) == ["2.5", "2.6"]
    assert labels_of(CHOICE, ["A", "B", "A"]) == ["A", "B", "A"]
    assert (shown_answer(CHOICE, "B"), shown_answer(NUMBER, "3")) == ("B", "3")


def test_words_are_labels_by_what_they_say() -> None:
    load_plugin(WORDS)
    item = Item(id="w", question="?", kind="words", answer="a chair", task="t")
    said = ["Red chair!", "the lamp", "a red chair", "the big red chair", "lamp"]
    assert labels_of(item, said) == ["Red chair!", "the lamp", "Red chair!", "Red chair!", "the lamp"]
    assert agree(item, "the big red chair", "red chair")
    assert agree(item, "red chair", "the big red chair")
    assert not agree(item, "red", "red chair")
    with pytest.raises(AnswerError, match=r"^The answer has no words\.$"):
        read_answer(item, "the, a!")
