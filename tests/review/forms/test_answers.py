"""Answers from forms, and what each widget has."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import tolman.review
from kinds.yes_no import WORDS
from tolman.items import Item, Media
from tolman.plugins import load_plugin
from tolman.review.forms import (
    WIDGETS as HERE,
    AnswerError,
    agree,
    as_field,
    is_same_label,
    labels_of,
    read_answer,
    read_drawn,
    shown_answer,
)
from tolman.review.forms.question_form import Written, propose
from tolman.review.site import environment
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


MEDIA = (Media(kind="image", path="a.jpg"), Media(kind="video", path="b.mp4"))
TIMES = (0.5, 0.541667, 0.583333)
POINT: dict[str, Any] = {"medium": 1, "points": [[10, 20.5]], "size": [320, 240]}
LINE: dict[str, Any] = {"medium": 2, "points": [[0, 0], [320, 240]], "size": [320, 240], "time": 0.5417, "note": "edge"}


def _read(*drawings: Any) -> list[dict[str, Any]]:
    return read_drawn(json.dumps(list(drawings)), MEDIA, lambda medium: TIMES)


def test_a_line_is_kept_with_the_file_s_frame_and_its_time() -> None:
    point, line = _read(POINT, LINE)
    assert point == {"medium": 1, "points": [[10, 20.5]], "size": [320, 240], "note": ""}
    assert (line["frame"], line["time"], line["note"]) == (1, 0.541667, "edge")
    assert _read(*json.loads(as_field({"drawn": [point, line]}))) == [point, line]
    assert read_drawn("", MEDIA, lambda medium: TIMES) == []
    assert as_field({}) == ""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"medium": 3}, "medium 3 of 2"),
        ({"medium": 0}, "greater than or equal"),
        ({"points": [[321, 0]]}, "outside of its picture of 320 × 240"),
        ({"points": [[-1, 0]]}, "can't be read"),
        ({"points": []}, "can't be read"),
        ({"time": 1.0}, "an image with a time"),
        ({"medium": 2}, "a video without its time"),
        ({"medium": 2, "time": 0.56}, "begins no frame"),
        ({"note": "x" * 201}, "can't be read"),
        ({"more": 1}, "can't be read"),
    ],
)
def test_what_is_no_drawing_of_these_media_is_refused(change: dict[str, Any], told: str) -> None:
    with pytest.raises(AnswerError, match=told):
        _read(POINT | change)
    with pytest.raises(AnswerError, match="at most 50"):
        _read(*[POINT] * 51)
    with pytest.raises(AnswerError, match="can't be read"):
        read_drawn("{no json", MEDIA, lambda medium: TIMES)


@pytest.mark.parametrize(
    ("right", "proposed"),
    [
        ("To the left", ["To the right"]),
        ("Back-left", ["Front-left", "Front-right", "Back-right"]),
        (
            "behind the sofa",
            ["in front of the sofa", "left of the sofa", "right of the sofa", "behind the bed", "behind the lamp"],
        ),
        ("2.4 m", ["1.2 m", "1.8 m", "3.0 m", "3.6 m", "4.8 m"]),
        ("3", ["2", "4", "5", "1"]),
        ("the lamp", ["the bed", "the sofa"]),
        ("two steps", ["three steps"]),
        ("", []),
    ],
)
def test_wrong_options_follow_from_the_right_one(right: str, proposed: list[str]) -> None:
    assert propose(right, [right, ""], ["bed", "lamp", "sofa", "lamp"], ["three steps", "two steps"]) == proposed


def test_what_is_written_is_not_proposed_and_a_pick_takes_a_free_option() -> None:
    assert propose("left", ["left", "Right"], []) == ["forward", "backward"]
    written = Written(options=("left", "", "", ""), answer="B")
    taken = written.edited("take:forward").edited("take:back: far").edited("take:right")
    assert taken.options == ("left", "", "forward", "back: far", "right")
