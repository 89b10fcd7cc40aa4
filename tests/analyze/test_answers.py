"""Answers as they were read, against counts by hand."""

import polars as pl
import pytest

from tolman.analyze.answer_patterns import UNREAD, classes, confusion, in_order, normal, positions, predictions
from tolman.items import Item


def item(number: int, answer: str, options: tuple[str, ...] = ("left", "right"), task: str = "t") -> Item:
    kind = "choice" if options else "number"
    return Item(
        id=str(number), question="?", kind=kind, answer=answer, options=options, task=task, scene=f"s{number % 8}"
    )


def rows(readings: dict[str, str], items: dict[str, Item]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "id": key,
                "task": items[key].task,
                "cluster": items[key].scene,
                "reading": reading,
                "score": float(reading == items[key].answer),
            }
            for key, reading in readings.items()
        ]
    )


def test_positions_count_letters_given_and_right() -> None:
    answers = ["A", "A", "A", "B", "B", "A", "B", "A", "C", "A"]
    given = ["A", "A", "B", "B", "", "A", "A", "C", "C", "A"]
    items = {str(i): item(i, letter, ("w", "x", "y", "z")) for i, letter in enumerate(answers)}
    found, unread = positions(items, rows({str(i): text for i, text in enumerate(given)}, items))
    assert unread == 1
    assert [one.letter for one in found] == ["A", "B", "C", "D"]
    read = [text for text in given if text]
    for one in found:
        assert one.true == pytest.approx(100 * answers.count(one.letter) / 10)
        assert one.picked.value == pytest.approx(100 * read.count(one.letter) / 9)
        right = [g == a for g, a in zip(given, answers, strict=True) if a == one.letter]
        assert (one.score.value if one.score else None) == (
            pytest.approx(100 * sum(right) / len(right)) if right else None
        )
    assert found[0].picked.interval is not None


def test_confusion_is_between_texts_of_options_not_letters() -> None:
    items = {
        "0": item(0, "A", ("Left.", "right")),
        "1": item(1, "B", ("right", "left")),
        "2": item(2, "A", ("right", "left")),
        "3": item(3, "B", ("left", "Right")),
        "4": item(4, "A", ("left", "right")),
    }
    found = confusion(items, rows({"0": "A", "1": "A", "2": "A", "3": "", "4": "Z"}, items))
    cells = {pair: (round(cell.value, 6), cell.n) for pair, cell in found.items()}
    third = round(100 / 3, 6)
    assert cells["left", "left"] == (third, 3)  # 0 right, 1 said right, 4 unread
    assert cells["left", "right"] == (third, 3)
    assert cells["left", UNREAD] == (third, 3)
    assert cells["right", "right"] == (50.0, 2)
    assert cells["right", UNREAD] == (50.0, 2)
    assert list(dict.fromkeys(true for true, _ in found)) == ["right", "left"]


def test_samples_of_one_item_do_not_narrow_an_interval() -> None:
    items = {str(i): item(i, "AB"[i // 8 % 2]) for i in range(64)}
    once = rows({key: "A" if int(key) % 3 else "B" for key in items}, items)
    five = pl.concat([once] * 5)
    (single, _), (several, _) = positions(items, once), positions(items, five)
    pairs = [(one.picked, other.picked) for one, other in zip(single, several, strict=True)]
    pairs += [(confusion(items, once)[key], cell) for key, cell in confusion(items, five).items()]
    for one, other in pairs:
        assert other.value == pytest.approx(one.value)
        assert one.interval is not None
        assert other.interval is not None
        assert (other.interval.low, other.interval.high) == pytest.approx((one.interval.low, one.interval.high))


def test_predictions_are_the_numbers_that_were_read() -> None:
    items = {str(i): item(i, text, ()) for i, text in enumerate(("3", "1.5", "2"))} | {"x": item(9, "A")}
    found, unread = predictions(items, rows({"0": "4", "1": "1.5", "2": "many", "x": "A"}, items))
    assert [(one.id, one.true, one.read) for one in found] == [("0", 3.0, 4.0), ("1", 1.5, 1.5)]
    assert unread == 1


def test_options_are_classes_where_they_recur() -> None:
    same = [item(i, "A", task="turns") for i in range(5)]
    other = [item(i + 5, "A", (f"go {i}", f"stay {i}", "wait"), task="routes") for i in range(5)]
    assert classes([*same, *other]) == ["turns"]


def test_directions_stand_in_their_circle_and_unread_last() -> None:
    assert in_order({UNREAD, "zoo", "left", "back-left", "front-right"}) == [
        "front-right", "back-left", "left", "zoo", UNREAD,
    ]  # fmt: skip
    assert normal(' "Front Left". ') == "front-left"
