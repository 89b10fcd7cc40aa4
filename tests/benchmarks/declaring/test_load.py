"""Forms of options, answers and media in the rows of a benchmark that is a data file."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tolman.benchmarks.declaring import declared_benchmark
from tolman.benchmarks.declaring.row_values import split_inline
from tolman.errors import InputError
from tolman.items import Item
from tolman.scoring.item_kind import kind_of

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
     ("letter", "right"), ("index", 1), ("index", "1.0"), ("index", 1.0), ("position", "2"), ("text", " Right"),
     ("text", "(B)"), ("text", "b")],
)  # fmt: skip
def test_answers_have_many_forms(tmp_path: Path, form: str, answer: Any) -> None:
    more = f'[options]\nfrom = "o"\n[answer]\nform = "{form}"\n'
    (item,) = load(tmp_path, more, {"a": answer, "o": ["left", "right"]})
    assert item.answer == "B"


@pytest.mark.parametrize(
    ("form", "answer", "said"),
    [("letter", "Because", "'Because' is no letter"), ("letter", "A cat", "'A cat' is no letter"),
     ("letter", "C", "'C' is no letter of an option"), ("index", 2, "none of the 2 options"),
     ("index", -1, "none of the 2 options"), ("index", "²", "is no number of an option"),
     ("index", "--1", "is no number of an option"), ("text", "up", "is none of the options"),
     ("text", "B. up", "is none of the options")],
)  # fmt: skip
def test_an_answer_that_is_none_is_told_with_its_row(tmp_path: Path, form: str, answer: Any, said: str) -> None:
    more = f'[options]\nfrom = "o"\n[answer]\nform = "{form}"\n'
    rows = [{"a": a, "o": ["left", "right"]} for a in ({"letter": "A", "text": "left"}.get(form, 0), answer)]
    with pytest.raises(InputError, match=rf"mine.jsonl, row 2: .*{said}"):
        load(tmp_path, more, *rows)


@pytest.mark.parametrize(
    ("form", "answer"), [("letter", "B"), ("letter", "away"), ("index", 1), ("position", 2), ("text", "Away")]
)
def test_options_with_equal_words_load_in_every_form(tmp_path: Path, form: str, answer: Any) -> None:
    more = f'[options]\nfrom = "o"\n[answer]\nform = "{form}"\n'
    (item,) = load(tmp_path, more, {"a": answer, "o": ["left", "away", " AWAY", 4]})
    assert item.answer == "B"
    assert item.right_letters == ("BC" if form == "text" else "B")  # letters are compared where letters are released
    kind = kind_of(item)
    right = {letter for letter in item.letters if kind.score(item, kind.read(item, letter))}
    assert right == set(item.right_letters)
    assert kind.chance(item) == len(right) / 4


@pytest.mark.parametrize(
    ("said", "letter"),
    [
        ("C", "C"),
        ("away", "B"),
        ("C: away", "C"),
        ("It moves away.", "B"),
        ("left", "A"),
        ("B or C", None),
        ("up", None),
    ],
)
def test_responses_to_equal_options_are_read(tmp_path: Path, said: str, letter: str | None) -> None:
    more = '[options]\nfrom = "o"\n[answer]\nform = "text"\n'
    (item,) = load(
        tmp_path, more, {"q": "Which way does it move?", "a": "away", "o": ["left", "away", "away", "right"]}
    )
    assert kind_of(item).read(item, said).value == letter
    turned = item.reordered([2, 0, 3, 1])
    assert turned.right_letters == "AD"


def test_equal_options_beside_the_right_one_change_nothing(tmp_path: Path) -> None:
    more = '[options]\nfrom = "o"\n[answer]\nform = "text"\n'
    (item,) = load(tmp_path, more, {"a": "left", "o": ["left", "away", "away"]})
    assert (item.answer, item.right_letters, item.evidence) == ("A", "A", {})


@pytest.mark.parametrize("separator", [",", "\t"])
@pytest.mark.parametrize("written", [json.dumps, str])
@pytest.mark.parametrize("windows", [False, True])
def test_lists_stand_in_cells_of_text_tables(tmp_path: Path, separator: str, written: Any, windows: bool) -> None:
    options = {"A": "it's left", "B": 'the "right"', "C": 3}
    row = {
        "q": "Which?", "a": "B", "o": written(list(options.values())), "m": written(options), "v": written(["a.jpg", "b.jpg"]),
        "meta": written({"room": "hall", "sizes": [1, 2]}),
    }  # fmt: skip
    name = "mine.tsv" if separator == "\t" else "mine.csv"
    with (tmp_path / name).open("w", encoding="utf-8-sig" if windows else "utf-8", newline="") as file:
        table = csv.DictWriter(file, list(row), delimiter=separator, lineterminator="\r\n" if windows else "\n")
        table.writeheader()
        table.writerow(row)
    more = '[media]\nfrom = "v"\n[labels]\nroom = "meta.room"\nsize = "meta.sizes.1"\n[options]\nfrom = '
    for origin in ('"o"', '"m"\nform = "mapping"'):
        (tmp_path / "mine.toml").write_text(FILE.replace("mine.jsonl", name) + more + origin)
        (item,) = declared_benchmark(str(tmp_path / "mine.toml")).load(tmp_path, "all")
        assert item.options == ("it's left", 'the "right"', "3")
        assert [medium.path for medium in item.media] == ["a.jpg", "b.jpg"]
        assert item.labels == {"room": "hall", "size": "2"}
    hostile = f"q{separator}a{separator}o\nWhich?{separator}B{separator}\"[__import__('os').getcwd()]\"\n"
    (tmp_path / name).write_text(hostile)
    (tmp_path / "mine.toml").write_text(FILE.replace("mine.jsonl", name) + '[options]\nfrom = "o"\n')
    with pytest.raises(InputError, match=r"row 2: the cell of options .* is neither JSON nor a Python list"):
        declared_benchmark(str(tmp_path / "mine.toml")).load(tmp_path, "all")


@pytest.mark.parametrize("empty", ["", "nan"])
def test_options_that_pandas_wrote_as_nan_are_none(tmp_path: Path, empty: str) -> None:
    (tmp_path / "mine.csv").write_text(f"q,a,A,B,C\nWhich?,B,1,2,{empty}\n")
    more = '[options]\nfrom = { columns = ["A", "B", "C"], missing = ["nan"] }\nform = "columns"\n'
    (tmp_path / "mine.toml").write_text(FILE.replace("mine.jsonl", "mine.csv") + more)
    (item,) = declared_benchmark(str(tmp_path / "mine.toml")).load(tmp_path, "all")
    assert item.options == ("1", "2")


def test_nan_in_json_is_no_value(tmp_path: Path) -> None:
    more = '[options]\nfrom = { columns = ["A", "B", "C"] }\nform = "columns"\n[labels]\nroom = { column = "r", optional = true }\n'
    (item,) = load(tmp_path, more, {"a": "B", "A": 1, "B": 2.0, "C": float("nan"), "r": float("nan")})
    assert (item.options, item.labels) == (("1", "2"), {})


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
