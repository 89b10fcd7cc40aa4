"""Readers by name: those there are, those of plugins, and what each makes of a reply with a known result."""

import json
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tolman.errors import UsageError
from tolman.items import Item
from tolman.plugins import load_plugin
from tolman.scoring.metrics import metric_named
from tolman.scoring.readers import reader_named, reader_names


def test_every_reader_says_what_it_does_the_same_as() -> None:
    names = reader_names()
    assert len(names) > 30
    for name in names:
        reader = reader_named(name)
        assert reader.name == name
        assert reader.title
        assert "/" in reader.source or reader.source == "Tolman's own"


def test_an_unknown_reader_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="mindcube"):
        reader_named("mindcub")


def test_a_plugin_adds_a_reader(tmp_path: Path) -> None:
    file = tmp_path / "my_readers.py"
    file.write_text(
        dedent(
            """
            from tolman.scoring.readers import Reader
            from tolman.scoring.answer_values import ParsedAnswer

            def read(item, text, seed):
                return ParsedAnswer(text[-1:])

            READER = Reader(name="last-character", title="Last character", source="my/repository", read=read)
            """
        )
    )
    load_plugin(file)
    assert reader_named("last-character").read(CHOICE, "so B", 0).value == "B"


def test_what_is_no_reader_is_told(tmp_path: Path) -> None:
    file = tmp_path / "no_reader.py"
    file.write_text("READER = len\n")
    load_plugin(file)
    with pytest.raises(UsageError, match="is no Reader"):
        reader_named("no-reader")


CHOICE = Item(
    id="1", question="Which?", kind="choice", answer="B", options=("a cat", "a dog", "a hat", "a log"), task="t"
)
NUMBER = Item(id="2", question="How far?", kind="number", answer="2", task="depth_prediction_oc")
VIEWS = NUMBER.model_copy(update={"task": "depth_prediction_oc_mv"})


PAGE = Path(__file__).resolve().parents[2] / "docs" / "extend" / "scoring.md"


def test_the_page_lists_every_reader_and_no_other() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("\n## Readers\n")[2].partition("\nReaders differ.")[0]
    listed = [name for row in re.findall(r"^- (`.*?):", table, re.MULTILINE) for name in re.findall(r"`(.*?)`", row)]
    assert sorted(listed) == sorted(reader_names())


def test_the_reader_on_the_page_is_found_and_reads(tmp_path: Path) -> None:
    ((name, body),) = re.findall(
        r"```python\n# (last_letter\.py)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    file = tmp_path / name
    file.write_text(body)
    load_plugin(file)
    assert reader_named("last-letter").read(CHOICE, "A? No, B", 0).value == "B"


PICTURE = '{"size": [640, 480], "box": [0, 0, 10, 10]}'
POINTS = Item.model_construct(id="3", question="Where?", kind="points", answer=PICTURE, options=(), task="t")
SHARES = POINTS.model_copy(update={"answer": '{"box": [0, 0, 0.5, 0.5]}'})


ITEMS = {"choice": CHOICE, "number": NUMBER, "views": VIEWS, "points": POINTS, "shares": SHARES}
REPLIES = [
    json.loads(line) for line in Path(__file__).with_name("replies.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("row", REPLIES, ids=lambda row: f"{row['reader']} {row['reply']}")
def test_a_reply_is_read_as_released(row: dict[str, Any]) -> None:
    value = reader_named(row["reader"]).read(ITEMS[row["item"]], row["reply"], 0).value
    assert (json.loads(value) if isinstance(row["value"], dict) else value) == row["value"]


def test_a_reply_that_the_release_leaves_out_does_not_count() -> None:
    reader = reader_named("refspatial")
    assert not reader.counts(POINTS, "(0.5, 0.5, 0.1, 0.1)")
    assert reader.counts(POINTS, "nothing to be seen")
    assert "leaves it out" in reader.read(POINTS, "(0.5, 0.5, 0.1, 0.1)", 0).note


VIEW = Item.model_construct(
    id="4", question="?", kind="text", answer="move_right:2,rotate_left:20", options=(), task="t"
)


@pytest.mark.parametrize(
    ("reader", "reply", "metric", "score"),
    [
        ("spar", "move_right:2,rotate_left:20", "spar-view-change", 1.0),
        ("spar", "move_right:1,rotate_left:20", "spar-view-change", 0.8),
        ("easi-spar", "move_right:1,rotate_left:20", "easi-view-change", 0.82),
        ("easi-spar", "move_right: 2, rotate_left", "easi-view-change", 0.8),
    ],
)
def test_a_change_of_view(reader: str, reply: str, metric: str, score: float) -> None:
    found = reader_named(reader).read(VIEW, reply, 0)
    assert metric_named(metric).value(VIEW, found) == pytest.approx(score)


def test_one_bad_pair_spoils_a_change_of_view_as_released() -> None:
    assert reader_named("spar").read(VIEW, "move_right: 2, rotate_left", 0).value is None
