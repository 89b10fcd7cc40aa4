"""Sentences for people: numbers agree with their words."""

from collections.abc import Callable

import pytest

from tolman.errors import counted, hint, unknown
from tolman.media.sampling import Frames
from tolman.reports.report_content import frames_note, frames_warning, usage_note
from tolman.review.projects.project_files import MarksTakenIn
from tolman.review.routes import told_marks
from tolman.runs.judging import JudgeEstimate


@pytest.mark.parametrize(
    ("number", "words", "said"),
    [
        (0, ("item",), "0 items"),
        (1, ("item",), "1 item"),
        (2000, ("item",), "2,000 items"),
        (1, ("item has", "items have"), "1 item has"),
        (3, ("item has", "items have"), "3 items have"),
        (2, ("reply", "replies"), "2 replies"),
    ],
)
def test_a_number_has_the_words_that_fit_it(number: int, words: tuple[str, ...], said: str) -> None:
    assert counted(number, *words) == said


def test_of_many_known_names_a_message_lists_some() -> None:
    known = [f"room-{number}" for number in range(280)]
    said = str(unknown("scene", "rom-7", known))
    assert said.startswith("there is no scene 'rom-7'; did you mean 'room-7'")
    assert said.endswith("known: " + ", ".join(known[:10]) + " and 270 others.")
    assert hint("x", known[:100]).endswith("room-99")


def _frames(number: int) -> dict[str, object]:
    return {"frames_shown": {"unknown": number, "unanswerable": 0, "answerable": 5, "sampling": "8 frames"}}


MESSAGES: list[tuple[Callable[[int], str], str, str]] = [
    (lambda n: Frames(count=n).describe(), "1 frame", "2 frames"),
    (
        lambda n: frames_note("m", _frames(n))[0],
        "m: 1 item doesn't say which frames carry its answer; whether",
        "m: 2 items don't say which frames carry their answers; whether",
    ),
    (
        lambda n: frames_warning("m", {"frames_shown": {"unknown": 0, "unanswerable": n, "answerable": 0, "sampling": "s"}})[0],
        "FRAMES: m: 1 of 1 item can't be answered",
        "FRAMES: m: 2 of 2 items can't be answered",
    ),
    (
        lambda n: usage_note("m", {"asked": n, "usage": {
            "input_tokens": 5, "output_tokens": 5, "cached_tokens": 0, "media_tokens": 0, "reasoning_tokens": 0,
            "uncounted": n, "reasoned": n,
        }})[0],
        "1 answer without full token counts, 1 of 1 answer came after",
        "2 answers without full token counts, 2 of 2 answers came after",
    ),
    (lambda n: JudgeEstimate(n, 5, 5, None).describe("j"), "j judges 1 response: about", "j judges 2 responses: about"),
    (
        lambda n: told_marks(MarksTakenIn(marks=n, questions=n, labelled=n, left=n, shapes={}), "Ada"),
        "1 mark on 1 question is Ada's. 1 question is labelled as Ada's. 1 question stays unchanged",
        "2 marks on 2 questions are Ada's. 2 questions are labelled as Ada's. 2 questions stay unchanged",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("make", "one", "two"), MESSAGES)
def test_messages_about_one_thing_and_about_two(make: Callable[[int], str], one: str, two: str) -> None:
    assert one in make(1)
    assert two in make(2)
