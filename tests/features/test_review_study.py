import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tolman.cli import app
from tolman.errors import InputError, UsageError
from tolman.features.review.compute import PartCheck, check, check_study
from tolman.features.review.config import ReviewConfig
from tolman.item_table import write_items
from tolman.items import Item

FILE = """\
title = "Rooms"
[[parts]]
[[parts.attention]]
question = "Answer 7."
answer = "7"
unit = "count"
[parts.sample]
people = 4
each = 2
overlap = 2
"""


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    (folder := tmp_path / "bench").mkdir()
    about = {"question": "How many?", "kind": "number", "answer": "2", "unit": "count"}
    items = [
        Item.model_validate({"id": f"q{n}", "scene": f"s{n // 2}", "task": "ab"[n % 2], **about}) for n in range(8)
    ]
    write_items(folder / "items.parquet", items)
    (folder / "benchmark.json").write_text('{"name": "bench", "title": "A bench"}', encoding="utf-8")
    (tmp_path / "study.toml").write_text(FILE, encoding="utf-8")
    return folder


def test_a_study_is_drawn_and_nothing_is_started(bench: Path) -> None:
    found = check_study(ReviewConfig(benchmark=str(bench)), str(bench.parent / "study.toml"))
    assert found.parts == (PartCheck("Rooms", "study", 4, 8, (5, 5), (2, 2), {"a": 4, "b": 4}),)
    assert found.warnings == ("The questions cover 4 scenes. Figures have no intervals below 6 scenes.",)
    assert sorted(path.name for path in bench.parent.iterdir()) == ["bench", "study.toml"]
    shown = CliRunner().invoke(app, ["review", "check", str(bench), "--study", str(bench.parent / "study.toml")])
    assert shown.output.splitlines() == [
        "Rooms: 4 people, 5 questions each; 8 questions in all, each asked of 2 people.",
        "Of a 4, b 4.",
        "WARNING: The questions cover 4 scenes. Figures have no intervals below 6 scenes.",
    ]
    later = '[[parts]]\nname = "checks"\nmode = "review"\nafter = "people"\n'
    both = bench.parent / "both.toml"
    both.write_text(FILE.replace("[[parts]]", '[[parts]]\nname = "people"', 1) + later, encoding="utf-8")
    told = CliRunner().invoke(app, ["review", "check", str(bench), "--study", str(both), "--json"])
    assert [part["project"] for part in json.loads(told.output)["parts"]] == ["Rooms: people"]
    assert json.loads(told.output)["later"] == ["checks"]


def test_a_study_that_can_t_be_started_is_told(bench: Path) -> None:
    file = bench.parent / "study.toml"
    file.write_text(FILE.replace("each = 2", "each = 9"), encoding="utf-8")
    with pytest.raises(UsageError, match=r"has 4 questions, fewer than the 9 that each person is to be asked"):
        check_study(ReviewConfig(benchmark=str(bench)), str(file))
    file.write_text(FILE.replace("each", "eahc"), encoding="utf-8")
    with pytest.raises(InputError, match=r"line 9, field 'parts.0.sample.eahc'"):
        check_study(ReviewConfig(benchmark=str(bench)), str(file))


def test_a_study_that_would_ask_somebody_nothing_is_refused(bench: Path) -> None:
    file = bench.parent / "study.toml"
    shared = FILE.replace("each = 2\n", "")
    file.write_text(shared.replace("people = 4", "people = 17"), encoding="utf-8")
    with pytest.raises(UsageError, match="8 questions aren't enough for 17 people, some of whom would be asked none"):
        check_study(ReviewConfig(benchmark=str(bench)), str(file))
    file.write_text(shared.replace("people = 4", "people = 3"), encoding="utf-8")
    (part,) = check_study(ReviewConfig(benchmark=str(bench)), str(file)).parts
    assert part.each == (6, 7)  # one of them the attention question


def test_a_study_whose_least_time_is_above_its_most_is_refused(bench: Path) -> None:
    file = bench.parent / "study.toml"
    file.write_text(FILE + "[parts.time]\nleast_seconds = 9\nmost_seconds = 8\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"open for 8 s .* less than the 9 s"):
        check_study(ReviewConfig(benchmark=str(bench)), str(file))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"ask": ("anna",), "study": "site"}, "--ask and --study start different studies"),
        ({"ask": ("anna", "anna")}, "--ask takes different names"),
        ({"ask": ("an na",)}, r"not 'an na'\.$"),
    ],
)
def test_names_that_can_t_be_asked_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        check(ReviewConfig(benchmark="bench", **settings))
