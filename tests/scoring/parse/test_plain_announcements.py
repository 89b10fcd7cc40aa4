"""Plain announcements are read as the rules read them, whatever the item; the rules are asked where that isn't sure."""

import itertools
from fractions import Fraction

import pytest

from tolman.items import LETTERS, Item, Unit
from tolman.scoring.parse import plain_announcements, reader
from tolman.scoring.parse.amounts import number_commitments
from tolman.scoring.parse.language_detection import detected
from tolman.scoring.parse.plain_announcements import plain_announcement
from tolman.scoring.parse.quantities import quantities
from tolman.scoring.parse.response_segments import replies, segments

HEADS = ("The answer is", "The final answer is", "answer is", "final answer is", "The answer is:", "Answer:",
    "Final answer:")  # fmt: skip
NUMBERS = ("0", "1", "7", "12", "007", "2024", "0.5", "1.0", "1.234", "999999999", "123456789.123456789")
UNITS: tuple[Unit | None, ...] = ("m", "cm", "m2", "count", None)
QUESTIONS = (
    "Which is closest?", "Is the answer C?", "Is the chair left of the table?", "Which comes second?",
    "Which of the following is not true?", "Where is the sofa relative to the lamp?", "How many doors are open?",
    "What percentage is red?", "How often does he jump?", "",
)  # fmt: skip
APART = (
    ("chair", "table", "sofa"), ("left", "right", "back"), ("lamp, sofa, door", "door, sofa, lamp"), ("1.5 m", "2 m"),
    ("under 1 m", "1 to 2 m", "over 2 m"), ("Turn left, turn right", "Turn right, turn left"), ("two", "three"),
    ("Picture 1", "Picture 2", "Picture 3"), ("north", "south", "west"), ("none of the above", "all of the above", "b"),
)  # fmt: skip
NAMED = (
    ("yes", "no"), ("No", "Yes"), ("true", "false"), ("oui", "non"), ("camera A", "camera B"), ("the answer", "x"),
    ("The", "lamp"), ("tha, thi, the", "thi, the, tha"), ("$A$", "B"), ("final", "first"), ("C", "A", "B"), ("", "x"),
)  # fmt: skip


def item(kind: str, question: str = "Which?", options: tuple[str, ...] = (), unit: Unit | None = None) -> Item:
    fields = {"answer": "A", "options": options} if kind == "choice" else {"answer": "1", "unit": unit}
    return Item.model_validate({"id": "x", "question": question, "kind": kind, "task": "t", **fields})


def announcements(values: tuple[str, ...] | list[str]) -> list[str]:
    return [f"{head} {value}{end}" for head, value, end in itertools.product(HEADS, values, ("", "."))]


def test_announcements_read_alike() -> None:
    of_numbers = [item("number", question, unit=unit) for question in QUESTIONS for unit in UNITS]
    of_choices = [item("choice", question, options) for question in QUESTIONS for options in APART]
    letters = announcements([*"ABC", "(A)", "(B)"])
    cases = [*itertools.product(of_numbers, announcements(NUMBERS[1::3])), *itertools.product(of_choices, letters[::3])]
    unread = 0
    for asked, text in cases:
        found = plain_announcement(asked, text)
        assert found in (None, reader.read_by_rules(asked, text)), (asked.question, asked.options, text)
        unread += found is None
    assert unread < len(cases) / 4  # letters behind the last option


@pytest.mark.parametrize("text", announcements([*LETTERS, *(f"({letter})" for letter in LETTERS)])[::7])
def test_announcements_of_letters_hold_nothing_else(text: str) -> None:
    """No rule that compares a response with its item finds anything but the letter: the reason to leave them out."""
    language = detected(text, "Which is the closest?")
    (segment,) = segments(text, language)
    assert {cue.role for cue in segment.cues} <= {"answer", "copula", "option", "generic", "range_to", "open_end"}
    assert {cue.role for cue in replies(segment, text)} <= {"place"}
    assert not segment.concepts
    assert not quantities(text, segment.words, segment.cues, 0, len(text), language)
    for names in (language.opposites, language.ordinals, language.letters):
        assert not names.find(segment.words, text)
    assert not any(number_commitments(text, unit, "", language) for unit in UNITS)
    options = tuple(f"zx{letter.lower()}" for letter in LETTERS)
    found = plain_announcement(item("choice", "Which is the closest?", options), text)
    assert found is not None
    assert found.rule == "declared"
    assert found.span is not None
    assert text[slice(*found.span)] == found.value


@pytest.mark.parametrize("options", NAMED)
def test_options_in_the_announcement_need_the_rules(options: tuple[str, ...]) -> None:
    assert plain_announcement(item("choice", options=options), "The answer is (A).") is None


@pytest.mark.parametrize(
    "text",
    ["The answer is not A", "The answer is A or B", "The answer is A? No.", "The answer is A. No wait, B.", "A. chair",
     "The answer is A, not B.", "I think the answer is A.", "The answer is 3 chairs and 2 tables", "The answer is 2 m",
     "The answer is A.\n\nB", "The answer is D.", "The answer is 3."],
)  # fmt: skip
def test_other_responses_need_the_rules(text: str) -> None:
    assert plain_announcement(item("choice", options=APART[0]), text) is None


def test_questions_in_other_languages_need_the_rules() -> None:
    for question in ("¿Cuántas sillas hay en la habitación?", "Wie viele Stühle stehen im Zimmer?", "有几把椅子?"):
        assert plain_announcement(item("number", question), "The answer is 1.500.") is None
    assert plain_announcement(item("number"), "The answer is 1.500.") == reader.read_by_rules(
        item("number"), "The answer is 1.500."
    )
    assert reader.read_by_rules(item("number"), "The answer is 1.500.").value == Fraction(3, 2)


def test_words_for_yes_and_no_are_whole() -> None:
    assert {"yes", "no", "true", "si", "ja", "course"} <= plain_announcements._yes_and_no()
    assert not any("*" in word for word in plain_announcements._yes_and_no())
