"""Forms of options, answers and media in the rows of a benchmark that is a data file."""

import json
from pathlib import Path
from typing import Any

import pytest

from tolman.benchmarks.declaring import declared_benchmark
from tolman.benchmarks.declaring.options import split_inline
from tolman.errors import InputError
from tolman.items import Item

FILE = """
title = "Mine"
files = ["mine.jsonl"]

[columns]
question = "q"
answer = "a"

[prompts.plain]
source = "here"
text = "{question}"
"""


def load(place: Path, more: str, *rows: dict[str, Any]) -> list[Item]:
    (place / "mine.toml").write_text(FILE + more)
    (place / "mine.jsonl").write_text("\n".join(json.dumps({"q": "Which?", **row}) for row in rows))
    return declared_benchmark(str(place / "mine.toml")).load(place, "all")


@pytest.mark.parametrize(
    ("options", "row"),
    [
        ('from = "o"', {"o": ["left", "right"]}),
        ('from = "o"\nform = "mapping"', {"o": {"B": "right", "A": "left", "C": ""}}),
        ('from = { column = "o", json_text = true }\nform = "mapping"', {"o": '{"A": "left", "B": "right"}'}),
        ('from = { columns = ["A", "B", "C"] }\nform = "columns"', {"A": "left", "B": "right", "C": None}),
        ('from = "o"\nform = "lines"\nlettered = true', {"o": "A. left\nB. right\n"}),
        ('from = "o"\nlettered = true', {"o": ["(A) left", "(B) right"]}),
        ('form = "inline"', {"q": "Which? A. left B. right"}),
        ('form = "inline"', {"q": "Which?\nChoices: (A) left; (B) right"}),
    ],
)
def test_options_have_many_forms(tmp_path: Path, options: str, row: dict[str, Any]) -> None:
    (item,) = load(tmp_path, f"[options]\n{options}\n", {"a": "B", **row})
    assert (item.kind, item.options, item.answer) == ("choice", ("left", "right"), "B")
    assert item.question.startswith("Which?")


@pytest.mark.parametrize(
    ("form", "answer"),
    [("letter", "B"), ("letter", "(B)"), ("letter", "b."), ("letter", "B. right"), ("letter", "(B) right"),
     ("index", 1), ("position", "2"), ("text", " Right")],
)  # fmt: skip
def test_answers_have_many_forms(tmp_path: Path, form: str, answer: Any) -> None:
    more = f'[options]\nfrom = "o"\n[answer]\nform = "{form}"\n'
    (item,) = load(tmp_path, more, {"a": answer, "o": ["left", "right"]})
    assert item.answer == "B"


@pytest.mark.parametrize(
    ("form", "answer", "said"),
    [("letter", "Because", "'Because' is no letter"), ("letter", "A cat", "'A cat' is no letter"),
     ("letter", "C", "'C' is no letter of an option"), ("index", 2, "none of the 2 options"),
     ("index", -1, "none of the 2 options"), ("text", "up", "is none of the options")],
)  # fmt: skip
def test_an_answer_that_is_none_is_told_with_its_row(tmp_path: Path, form: str, answer: Any, said: str) -> None:
    more = f'[options]\nfrom = "o"\n[answer]\nform = "{form}"\n'
    rows = [{"a": a, "o": ["left", "right"]} for a in ({"letter": "A", "text": "left"}.get(form, 0), answer)]
    with pytest.raises(InputError, match=rf"mine.jsonl, row 2: .*{said}"):
        load(tmp_path, more, *rows)


def test_numbers_have_kinds_and_units_by_question_type(tmp_path: Path) -> None:
    more = '[answer]\nunits = { "*" = "m" }\n[labels]\nroom = "room"\n'
    (item,) = load(tmp_path, more, {"a": "1,200.5", "room": "hall"})
    assert (item.kind, item.answer, item.unit, item.task, item.labels) == (
        "number",
        "1200.5",
        "m",
        "mine",
        {"room": "hall"},
    )


def test_media_are_paths_lists_or_parts_of_videos(tmp_path: Path) -> None:
    more = '[media]\nkind = "video"\nfrom = "v"\nstart = "s"\nend = "e"\n'
    (item,) = load(tmp_path, more, {"a": 1, "v": "./a/b.mp4", "s": 2, "e": "3.5"})
    (video,) = item.media
    assert (video.kind, video.path, video.start, video.end, item.scene) == ("video", "a/b.mp4", 2.0, 3.5, "a/b.mp4")
    (item,) = load(tmp_path, '[media]\nfrom = "v"\n', {"a": 1, "v": '["a.jpg", "b.jpg"]'})
    assert [m.path for m in item.media] == ["a.jpg", "b.jpg"]
    for path, said in (("../a.jpg", "leads out of the data folder"), ([], "is empty or missing")):
        with pytest.raises(InputError, match=said):
            load(tmp_path, '[media]\nfrom = "v"\n', {"a": 1, "v": path})


def test_rows_are_kept_by_the_values_of_a_column(tmp_path: Path) -> None:
    more = '[subsets.all]\nabout = "hard ones"\nkeep = { level = ["hard"] }\n'
    items = load(tmp_path, more, {"a": 1, "level": "easy"}, {"a": 2, "level": "hard"})
    assert [(item.id, item.answer) for item in items] == [("1", "2")]
    with pytest.raises(InputError, match="holds no question of the subset 'all' of Mine"):
        load(tmp_path, more, {"a": 1, "level": "easy"})


def test_inline_options_are_the_longest_chain() -> None:
    stem, options = split_inline("Is it in room A. or B? A. in room A. B. in room B. C. neither")
    assert options == ("in room A.", "in room B.", "neither")
    assert stem == "Is it in room A. or B?"


SECOND = '[second]\nfiles = ["answers.jsonl"]\non = "id"\n'


def test_a_second_file_has_more_of_each_question(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text('{"id": 2, "gold": [4]}\n{"id": 1, "gold": [3]}')
    more = f'[labels]\ngold = "_second.gold.0"\n{SECOND}'
    items = load(tmp_path, more, {"id": 1, "a": 5}, {"id": 2, "a": 6})
    assert [(item.answer, item.labels["gold"]) for item in items] == [("5", "3"), ("6", "4")]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ('{"id": 2}', "mine.jsonl, row 1: the second file has no row with the id '1'"),
        ('{"id": 1}\n{"id": 1}', "answers.jsonl, row 2: the id '1' occurs twice"),
        ('{"ids": 1}', "answers.jsonl, row 1: 'id' is empty or missing"),
    ],
)
def test_a_second_file_that_does_not_fit_is_told(tmp_path: Path, answers: str, said: str) -> None:
    (tmp_path / "answers.jsonl").write_text(answers)
    with pytest.raises(InputError, match=said):
        load(tmp_path, SECOND, {"id": 1, "a": 5})


def test_a_second_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no second file of Mine"):
        load(tmp_path, SECOND, {"id": 1, "a": 5})


def test_a_list_among_several_columns_gives_its_parts(tmp_path: Path) -> None:
    columns = FILE.replace('answer = "a"', 'answer = { columns = ["a", "b"] }')
    (tmp_path / "mine.toml").write_text(columns + '[answer]\nkinds = "text"\n')
    rows = [{"q": "Which?", "a": "sofa", "b": ["couch", ""]}, {"q": "Which?", "a": "lamp", "b": None}]
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)))
    items = declared_benchmark(str(tmp_path / "mine.toml")).load(tmp_path, "all")
    assert [item.answer for item in items] == ['["sofa", "couch"]', "lamp"]


KIND = '[answer]\nkind = { column = "kind", optional = true }\nkinds = { t = "text" }\n'


def test_a_row_may_say_its_kind(tmp_path: Path) -> None:
    rows = [{"a": "yes", "kind": "yes-no"}, {"a": "3", "kind": "number"}, {"a": "4", "kind": None}]
    assert [item.kind for item in load(tmp_path, KIND, *rows)] == ["yes-no", "number", "number"]
    with pytest.raises(InputError, match="row 1: there is no item kind 'yesno'; known: "):
        load(tmp_path, KIND, {"a": "yes", "kind": "yesno"})
