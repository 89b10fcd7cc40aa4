"""Marks tell what a row says beside its text, and nothing of its text or its answer."""

from leaking import by_file
from tolman.analyze.outside.learner_trials import DIVISORS, PARTS, marks_of
from tolman.items import Item, Media


def test_numbers_of_files_are_known_by_their_remainders_and_words_as_they_are() -> None:
    item = Item(id="a", question="How many?", kind="number", answer="2", task="counting", scene="worlds/7-0013",
                media=(Media(kind="video", path="videos/7-0013.mp4"),))  # fmt: skip
    (marks,) = marks_of([item])
    assert {"files 1", "scene worlds", "file 0 videos", "scene mod 4: 1", "file 0 mod 5: 3", "row mod 2: 0"} <= set(
        marks
    )
    assert len([mark for mark in marks if mark.startswith("file 0 mod")]) == len(DIVISORS)


def test_rows_are_known_by_their_part_of_the_question_type() -> None:
    items = by_file(100, 1)
    parts = [mark for marks in marks_of(items) for mark in marks if mark.startswith("part of")]
    assert [parts.count(f"part of the file {part}") for part in range(PARTS)] == [10] * PARTS


def test_neither_text_nor_answer_nor_group_of_twins_is_a_mark() -> None:
    items = by_file(40, 1)
    other = [
        item.model_copy(update={"question": "?", "options": ("1", "2", "3", "4"), "answer": "A", "evidence": {"x": 1},
                                "labels": {**item.labels, "twins": item.id}})
        for item in items
    ]  # fmt: skip
    assert marks_of(items) == marks_of(other)
