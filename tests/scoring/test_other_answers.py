"""Careful readers of words, lists, points and boxes: what responses say, on which scale, and hostile ones."""

from __future__ import annotations

import json
import time
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


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ("lamp", "lamp"),
        ("A lamp.", "A lamp."),
        ("The answer is a lamp.", "a lamp"),
        ("Answer: **lamp**", "lamp"),
        ("<think>a bed</think>\nA lamp", "A lamp"),
        ("I looked around.\nThere are a bed, a sofa and many more things in this room of the house.\nLamp", "Lamp"),
        ("It is the lamp. It stands there.", "the lamp"),
        ("\\boxed{lamp}", "lamp"),
        ('{"reasoning": "it shines", "answer": "lamp"}', "lamp"),
        ("<answer>lamp</answer>", "lamp"),
        ("答案是灯", "灯"),
        ("Die Antwort ist: Lampe", "Lampe"),
        ('["lamp", "light"]', '["lamp", "light"]'),
        ("Answer: .75", ".75"),
        ("The answer is **.5 metres**.", ".5 metres"),
        ("Answer: -3.5 degrees", "-3.5 degrees"),
        ("The answer is -.5", "-.5"),
        ("Answer --> 3", "3"),
        ("Answer: ... 3", "3"),
        ("I cannot determine from the image what stands next to the bed.", None),
        ("Error: timeout", None),
        ("<think>the lamp is", None),
        ("", None),
    ],
)
def test_words(response: str, said: str | None) -> None:
    assert read(asking("text", "What is next to the bed?"), response) == said


def test_a_number_without_its_zero_is_the_same_word() -> None:
    texts = (".5", "0.5", "-.5", "-0.50", "a .5 m sofa", ".0", "no.5", "v1.5")
    same = ["0.5", "0.5", "-0.5", "-0.5", "0.5 m sofa", "0", "no 5", "v 1.5"]
    assert [normalised(text) for text in texts] == same


@pytest.mark.parametrize(
    ("response", "letter"),
    [(".5", "A"), (".5 m", "A"), ("Answer: .75", "B"), ("The distance is .75 m.", "B"), ("5.", "C"), ("5 m", "C")],
)
def test_options_are_not_named_by_the_digits_behind_a_decimal_point(response: str, letter: str) -> None:
    assert read(asking("choice", options=("0.5 m", "0.75 m", "5 m", "75 m")), response) == letter


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ("B, A, C", "lamp sofa bed"),
        ("B > A > C", "lamp sofa bed"),
        ("BAC", "lamp sofa bed"),
        ("lamp, sofa, bed", "lamp sofa bed"),
        ("1. lamp\n2. sofa\n3. bed", "lamp sofa bed"),
        ("The lamp appears first, then the sofa, and finally the bed.", "lamp sofa bed"),
        ("**Answer:** lamp → sofa → bed", "lamp sofa bed"),
        ("The answer is B, A, C, as the lamp is near the door.", None),
        ("I think the order is:\n\n- lamp\n- sofa\n- bed\n", "lamp sofa bed"),
        ('{"answer": ["lamp", "sofa", "bed"]}', "lamp sofa bed"),
        ("B. lamp, A. sofa, C. bed", "lamp sofa bed"),
        ("B. sofa, A. lamp, C. bed", None),
        ("A, B", None),
        ("A, A, B", None),
        ("lamp, sofa, chair", None),
        ("First comes not the lamp but the bed, then the sofa", None),
        (f"The bed, the lamp and the sofa are there. {'There is more to say. ' * 20}", None),
    ],
)
def test_orders_of_options(response: str, said: str | None) -> None:
    found = read(asking("order", options=OPTIONS), response)
    assert (None if found is None else " ".join(json.loads(found))) == said


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ("A, B", ["sofa", "lamp"]),
        ("Answer: A, B.", ["sofa", "lamp"]),
        ("lamp and sofa", ["sofa", "lamp"]),
        ("The lamp and the sofa are visible.", ["sofa", "lamp"]),
        ("- lamp\n- sofa", ["sofa", "lamp"]),
        ("B", ["lamp"]),
        ("None of them.", []),
        ("all of the above", ["sofa", "lamp", "bed"]),
        ("The lamp, but not the bed", None),
        ("chair", None),
    ],
)
def test_sets_of_options(response: str, said: list[str] | None) -> None:
    found = read(asking("set", options=OPTIONS), response)
    assert (None if found is None else json.loads(found)) == said


def test_lists_without_options_are_as_they_are_said() -> None:
    things = asking("set")
    assert json.loads(str(read(things, "The answer is: a red lamp, sofa and bed."))) == ["a red lamp", "sofa", "bed"]
    assert json.loads(str(read(things, "- lamp\n- sofa"))) == ["lamp", "sofa"]
    assert json.loads(str(read(asking("order"), "1) lamp\n2) sofa"))) == ["lamp", "sofa"]
    assert read(asking("order"), "lamp") is None
    assert read(things, "I cannot tell from these pictures.") is None


@pytest.mark.full
@pytest.mark.parametrize(
    ("response", "points", "scale"),
    [
        ("[(0.5, 0.25), (0.1, 0.2)]", [[0.5, 0.25], [0.1, 0.2]], None),
        ("( 0.5, 0.25)", [[0.5, 0.25]], None),
        ('<point x="61.5" y="40.3" alt="a cup">a cup</point>', [[61.5, 40.3]], 100),
        ('<points x1="1" y1="2" x2="3" y2="4.5" alt="cups">', [[1, 2], [3, 4.5]], 100),
        ("<point>[[123, 456]]</point>", [[123, 456]], 1000),
        (
            '```json\n[{"point_2d": [500, 250], "label": "a"}, {"point_2d": [1, 2]}]\n```',
            [[500, 250], [1, 2]],
            1000,
        ),
        ('{"reason": "not at (9, 9)", "answer": [[100, 200]]}', [[100, 200]], 1000),
        ('{"x": 0.5, "y": 0.25}', [[0.5, 0.25]], None),
        ("x=0.5, y=0.25", [[0.5, 0.25]], None),
        ("0.5, 0.25", [[0.5, 0.25]], None),
        ("1. (0.2, 0.3)\n2. left: (0.4, 0.5)", [[0.2, 0.3], [0.4, 0.5]], None),
        ("The cup is at (0.2, 0.3). So the answer is (0.35, 0.4), as (0.9, 0.9) is the edge.", [[0.35, 0.4]], None),
        ("The cup is at (0.2, 0.3). Beside it is (0.35, 0.4).", [[0.35, 0.4]], None),
        (f"The cup is at (0.2, 0.3). Beside it is (0.35, 0.4). {'And so on. ' * 20}", None, None),
        ("<think>(0.1, 0.2)</think> [(0.3, 0.4)]", [[0.3, 0.4]], None),
        ("(1500, 20)", [[1500, 20]], "pixels"),
        ("no idea", None, None),
        ("<think>(0.1, 0.2)", None, None),
    ],
)
def test_points(response: str, points: list[list[float]] | None, scale: int | str | None) -> None:
    found = read(asking("points"), response)
    record = json.loads(found) if found else {}
    assert record.get("points") == points
    told = record.get("in", record.get("size"))
    assert told == (scale if scale in (None, "pixels") else [scale, scale])


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
