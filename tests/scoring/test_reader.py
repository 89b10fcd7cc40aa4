"""Readers by name: those there are, those of plugins, and what each makes of a reply with a known result."""

from __future__ import annotations

import json
import re
from pathlib import Path
from textwrap import dedent

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

LETTERS = [
    ("vsi-bench", "B.", "B"),
    ("vsi-bench", " B", None),
    ("revsi", " B", "B"),
    ("revsi", "(B)", None),
    ("mmsi-bench", "{c}", None),
    ("lmms-eval-mmsi", "{c}", "C"),
    ("lmms-eval-mmsi", "It is {c} and `D`", "D"),
    ("site", "It is (B) here", "B"),
    ("mindcube", " B\nthe answer is C", "C"),
    ("lmms-eval-mindcube", " B\nthe answer is C", "B"),
    ("vlmevalkit-exact", "(B)", "B"),
    ("vlmevalkit-exact", "B is what I would say here", None),
    ("vlmevalkit-exact", "The answer is B because A is wrong", "B"),
    ("vlmevalkit-exact", "It is a dog.", "B"),
    ("vlmevalkit-exact", "I can't process this file.", None),
    ("blink", "E", "E"),
    ("blink", "(B)", "B"),
    ("blink", "I think (B) is", "B"),
    ("blink", "I think (B).", None),
    ("blink", "(A) or (B)\n\nso (B)", "B"),
    ("lmms-eval-blink", "(b)", "B"),
    ("lmms-eval-blink", "Answers - A, but then the answer is  (B).", "B"),
    ("lmms-eval-blink", "I pick (B), not (Z)", "B"),
    ("lmms-eval-blink", "I cannot tell.", None),
    ("inspect-choice", "ANSWER: A\nanswer: **b**", "B"),
    ("inspect-choice", "ANSWER: A\nANSWER: A and B", None),
    ("inspect-choice", "So ANSWER: $B$ it is", None),
    ("inspect-choice", "So ANSWER: (B).", "B"),
    ("inspect-choice", "(B)", None),
    ("inspect-choice", "ANSWER: AB", None),
    ("omnispatial-re", "Answer: A\nAnswer: b", "b"),
    ("omnispatial-json", '```json\n{"answer": "c"}\n```', "C"),
    ("omnispatial-json", "c", "A"),
    ("omnispatial-direct", " c.", "C"),
    ("spar", "", "B"),
    ("spar", "Because", "B"),
    ("spar", "The answer is B", None),
    ("easi-spar", "The answer is B", "B"),
    ("vsi-super", "The answer is B", "A"),
    ("mmsi-video", "<answer>B</answer>", "B"),
    ("mmsi-video", r"\boxed{It is B}", None),
    ("lmms-eval-mmsi-video", "It is (B)", "B"),
    ("mmsi-video", "It is (B)", None),
    ("sti-bench", "Ans = 'b'", "B"),
    ("sti-bench", "B", "B"),
    ("sti-bench", "b", None),
    ("spatialviz", "<think>x</think><answer>B. a dog</answer>", "B"),
    ("spatialviz", "<answer>B</answer>", "B"),
    ("spatialviz", "答案 B", None),
    ("lmms-eval-spatialviz", "答案 B", "B"),
]


@pytest.mark.parametrize(("name", "reply", "letter"), LETTERS)
def test_a_letter(name: str, reply: str, letter: str | None) -> None:
    assert reader_named(name).read(CHOICE, reply, 0).value == letter


NUMBERS = [
    ("vsi-bench", "2.5 metres", NUMBER, 2.5),
    ("vsi-bench", "2.5m", NUMBER, None),
    ("lmms-eval-vsi", "one apple, room 2", NUMBER, 1.0),
    ("lmms-eval-vsi", "two hundred and twenty-one", NUMBER, 221.0),
    ("lmms-eval-vsi", "1,200", NUMBER, 1.0),
    ("spar", "-3 or 4 m^2", NUMBER, 3.0),
    ("spar", "-3 or 4 m^2", VIEWS, 4.0),
    ("spar", "none", NUMBER, None),
    ("spar", "none", VIEWS, -1.0),
    ("vsi-super", "I see -3", NUMBER, -3.0),
    ("vsi-super", "none", NUMBER, 0.0),
]


@pytest.mark.parametrize(("name", "reply", "item", "number"), NUMBERS)
def test_a_number(name: str, reply: str, item: Item, number: float | None) -> None:
    assert reader_named(name).read(item, reply, 0).value == number


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
PLACES = [
    ("refspatial", "[(0.5, 0.25)]", {"points": [[320, 120]]}),
    ("refspatial", "(1, 0.5)", {"points": [[640, 240]]}),
    ("refspatial", "(1, 1) and (1.0, 1.0)", {"points": [[1, 1], [640, 480]]}),
    ("refspatial", "[0.5, 0.25]", None),
    ("refspatial", "( 0.5, 0.25)", None),
    ("refspatial", "(0.1, 0.1, 0.2, 0.2)", {"boxes": [[64, 48, 128, 96]]}),
    ("refspatial", "(0.1, 0.1, 0.2, 0.2), (7, 9)", {"boxes": [[64, 48, 128, 96], [7, 9, 8, 10]]}),
    ("refspatial-absolute", "(7, 9)", {"points": [[7, 9]]}),
    ("refspatial-molmo", '<points x1="50" y1="25.0">', {"points": [[320, 120]]}),
    ("refspatial-gemini", '```json\n[{"point": [250, 500]}]\n```', {"points": [[320, 120]]}),
    ("where2place", "(0.5, 0.25)", {"points": [[320, 120]]}),
    ("lmms-eval-points", "(500, 250)", {"points": [[320000, 120000]]}),
    ("lmms-eval-points-1000", "(500, 250)", {"points": [[320, 120]]}),
    ("lmms-eval-point2d", '"point_2d": [500, 250]', {"points": [[320, 120]]}),
    ("robospatial", "It is at (0.5, 0.25) or (0, 0)", {"points": [[320, 120]]}),
    ("lmms-eval-robospatial", '```json\n[{"point_2d": [500, 250]}]\n```', {"points": [[320, 120]]}),
]


@pytest.mark.parametrize(("name", "reply", "place"), PLACES)
def test_a_place(name: str, reply: str, place: dict[str, object] | None) -> None:
    value = reader_named(name).read(POINTS, reply, 0).value
    assert (value if value is None else json.loads(str(value))) == (place and {"size": [640, 480], **place})


def test_a_point_where_the_answer_has_no_pixels_is_a_share() -> None:
    assert json.loads(str(reader_named("robospatial").read(SHARES, "[0.5, 0.25]", 0).value)) == {
        "points": [[0.5, 0.25]]
    }


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
