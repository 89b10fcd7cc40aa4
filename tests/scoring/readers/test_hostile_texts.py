"""Texts on which the released expressions take time that grows with the square of the length, or faster: no reader does."""

import time

import pytest

from tolman.items import Item
from tolman.scoring.readers import Reader, reader_named, reader_names

LENGTH = 40_000
LIMIT = 0.5
"""Seconds of processor time for one reading; a reading that looks at each pair of characters takes many times as many."""
TEXTS = {
    "blanks before x": "A" + " " * LENGTH + "x",
    "answer and blanks": "answer" + " " * LENGTH,
    "stars": "*" * LENGTH + "x",
    "open tags": "<answer " * (LENGTH // 8),
    "tags with a letter, never closed": "<answer>A " * (LENGTH // 10),
    "thoughts that open": "<think>" * (LENGTH // 7),
    "blanks in tags": "<" + " " * LENGTH + "answer",
    "braces": "{" * LENGTH,
    "backticks": "`A" * (LENGTH // 2),
    "digits": "1" * LENGTH,
    "digits in a parenthesis": "(" + "1" * LENGTH,
    "numbers in a tuple, never closed": "(" + "11, " * (LENGTH // 4),
    "opening parentheses": "(" * LENGTH,
    "brackets": "[" * LENGTH + "]",
    "powers": "^1" * (LENGTH // 2),
    "capital letters": "A B " * (LENGTH // 4),
    "lines": "A\n" * (LENGTH // 2),
    "number words": "hundred thousand " * (LENGTH // 17),
    "fences": "```json\n" * (LENGTH // 8),
    "tags of points": 'x1="1"' + " " * LENGTH,
    "quotes": "Answer: '" * (LENGTH // 9),
    "JSON, deep": '{"answer": ' * (LENGTH // 11),
    "phrases": "the answer is " * (LENGTH // 14),
    "moves": "move_right:1," * (LENGTH // 13),
}


def _items() -> list[Item]:
    return [
        Item(id="1", question="?", kind="choice", answer="A", options=("one", "two", "three", "four"), task="t"),
        Item(id="2", question="?", kind="number", answer="1", task="t_mv"),
        Item.model_construct(id="3", question="?", kind="text", answer="move_right:1", options=(), task="t"),
        Item.model_construct(id="4", question="?", kind="yes-no", answer="yes", options=(), task="t"),
        Item.model_construct(id="5", question="?", kind="points", answer='{"box": [0, 0, 1, 1]}', options=(), task="t"),
    ]


@pytest.mark.full
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_long_text_is_read_in_linear_time(text: str) -> None:
    slow = []
    for name in reader_names():
        reader = reader_named(name)
        for item in _items():
            if reader.kinds and item.kind not in reader.kinds:
                continue
            # Once more where it was slow: the garbage of a whole session of tests may be collected in between.
            took = next((took for took in (_seconds(reader, item, text) for _ in range(3)) if took <= LIMIT), None)
            if took is None:
                slow.append(f"{name}, {item.kind}")
    assert not slow, "; ".join(slow)


def _seconds(reader: Reader, item: Item, text: str) -> float:
    start = time.thread_time()
    reader.read(item, text, 0)
    return time.thread_time() - start
