"""Careful readers of words, lists, points and boxes: what responses say, on which scale, and hostile ones."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tolman.items import Item
from tolman.kinds import kind_of
from tolman.scoring.answer_values import normalised

OPTIONS = ("sofa", "lamp", "bed")


def asking(kind: str, question: str = "Which?", **fields: Any) -> Item:
    """An item, whose answer no reader looks at."""
    return Item.model_construct(id="1", question=question, kind=kind, answer="-", task="t", **fields)


def read(item: Item, response: str) -> str | None:
    """What the kind's reader reads."""
    value = kind_of(item).read(item, response).value
    assert value is None or isinstance(value, str)
    return value


ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("other_answers.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['kind']} {row['response']}")
def test_words_letters_orders_sets_and_points(row: dict[str, Any]) -> None:
    found = read(asking(row["kind"], row["question"], options=tuple(row.get("options", ()))), row["response"])
    assert (json.loads(found) if isinstance(row["value"], list | dict) and found else found) == row["value"]


def test_a_number_without_its_zero_is_the_same_word() -> None:
    texts = (".5", "0.5", "-.5", "-0.50", "a .5 m sofa", ".0", "no.5", "v1.5")
    same = ["0.5", "0.5", "-0.5", "-0.5", "0.5 m sofa", "0", "no 5", "v 1.5"]
    assert [normalised(text) for text in texts] == same


def test_lists_without_options_are_as_they_are_said() -> None:
    things = asking("set")
    assert json.loads(str(read(things, "The answer is: a red lamp, sofa and bed."))) == ["a red lamp", "sofa", "bed"]
    assert json.loads(str(read(things, "- lamp\n- sofa"))) == ["lamp", "sofa"]
    assert json.loads(str(read(asking("order"), "1) lamp\n2) sofa"))) == ["lamp", "sofa"]
    assert read(asking("order"), "lamp") is None
    assert read(things, "I cannot tell from these pictures.") is None


def test_the_scale_asked_for_is_the_one_read() -> None:
    shares = asking("points", "… between 0 and 1, indicating the normalized pixel locations")
    assert read(shares, "[(500, 250)]") is None
    assert kind_of(shares).read(shares, "[(500, 250)]").note == "coordinates on another scale than the one asked for"
    assert read(shares, "[(1, 0)]") == '{"points": [[1.0, 0.0]]}'
    swapped = asking("boxes", "Give [ymin, xmin, ymax, xmax], 0 to 1000.")
    assert json.loads(str(read(swapped, '[{"box_2d": [100, 200, 300, 400]}]')))["box"] == [200, 100, 400, 300]
    named = '{"xmin": 1, "ymin": 2, "xmax": 30, "ymax": 40}'
    assert json.loads(str(read(swapped, named)))["box"] == [1, 2, 30, 40]


def test_boxes_in_every_form() -> None:
    boxes = asking("boxes")
    for response in (
        "[100, 200, 300, 400]",
        "<|box_start|>(100,200),(300,400)<|box_end|>",
        '{"bbox_2d": [100, 200, 300, 400], "label": "cup"}',
        "(300, 400, 100, 200)",
        "<box>[[100, 200, 300, 400]]</box>",
        '{"x": 100, "y": 200, "width": 200, "height": 200}',
    ):
        assert json.loads(str(read(boxes, response)))["box"] == [100, 200, 300, 400], response
    assert read(boxes, "[100, 100, 100, 100]") is None
    assert kind_of(boxes).read(boxes, "(0.1, 0.2)").note == "no box"
    both = json.loads(str(read(boxes, "[[0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 1.0, 1.0]]")))
    assert both["boxes"] == [[0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 1.0, 1.0]]


HOSTILE = {
    "brackets": "[" * 40_000,
    "braces": '{"a":' * 8_000,
    "points": "(0.1, 0.2) " * 4_000,
    "digits": "9" * 40_000,
    "blanks": " " * 40_000 + "x",
    "tags": "<point " * 6_000,
    "letters": "A, " * 13_000,
    "lines": "- A\n" * 10_000,
    "quotes": "['" * 20_000,
    "commas": "," * 40_000,
    "words": "and then " * 5_000,
    "answers": "answer: " * 5_000,
}


@pytest.mark.full
@pytest.mark.parametrize("kind", ["text", "order", "set", "points", "boxes"])
@pytest.mark.parametrize("name", HOSTILE)
def test_long_hostile_responses_are_read_in_linear_time(kind: str, name: str) -> None:
    items = [asking(kind)] if kind not in ("order", "set") else [asking(kind), asking(kind, options=OPTIONS)]
    for item in items:
        read(item, "warm up (0.1, 0.2)")
        half, whole = (_seconds(item, HOSTILE[name][: len(HOSTILE[name]) // share]) for share in (2, 1))
        assert whole < 3 * half + 0.25, (item.options, half, whole)
        assert whole < 2.0, (half, whole)


def _seconds(item: Item, response: str) -> float:
    """Processor time of a reading, the least of three: in the others the garbage of a session of tests may be collected."""
    times = []
    for _ in range(3):
        begin = time.thread_time()
        kind_of(item).read(item, response)
        times.append(time.thread_time() - begin)
    return min(times)
