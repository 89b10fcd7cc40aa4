"""MMSI-Bench on rows in its released shapes (the data itself is not at hand)."""

import base64
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from tolman import benchmarks
from tolman.benchmarks.mmsi_bench.mmsi_rows import TASKS, split_question
from tolman.errors import InputError
from tolman.media.images import read_image
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.score_items import score

BENCHMARK = benchmarks.get("mmsi-bench")
QUESTION = (
    "The images are taken continuously from a first-person perspective. In which direction are you moving?\n"
    "Options: A: Left while moving backward, B: Forward to the left, C: Forward to the right, D: Right while moving backward"
)
JPEG = b"\xff\xd8 not really"


def write_parquet(folder: Path) -> None:
    pl.DataFrame(
        {
            "id": [0, 1],
            "images": [[JPEG, JPEG], [JPEG] * 3],
            "question_type": ["Motion (Cam.)", "MSR"],
            "question": [QUESTION, "Unreadable options, A or B or C or D?"],
            "answer": ["C", "B"],
            "thought": ["The camera …", None],
        }
    ).write_parquet(folder / "MMSI_Bench.parquet")


def test_vlmevalkits_names_of_question_types_are_known(shared_data: Path) -> None:
    table = shared_data / "interchange" / "inputs" / "MMSIBench_wo_circular.tsv"
    if not table.is_file():
        pytest.skip(f"there is no {table}")
    items = BENCHMARK.load(table, "full")
    assert len(items) == 12
    assert {item.task for item in items} == set(TASKS)
    assert all(read_image(table.parent, medium.path, medium.part)[:4] == b"\x89PNG" for medium in items[0].media)


@pytest.mark.parametrize("written", [json.dumps, str])
def test_parquet_and_tsv_give_the_same_questions(tmp_path: Path, written: Callable[[list[str]], str]) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "t").mkdir()
    write_parquet(tmp_path / "p")
    image = base64.b64encode(JPEG).decode()
    rows = [
        ["index", "image", "question", "answer", "category"],
        ["0", written([image] * 2), QUESTION, "C", "Motion (Cam.)"],
        ["1", written([image] * 3), "Unreadable options, A or B or C or D?", "B", "MSR"],
    ]
    quoted = ["\t".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    (tmp_path / "t" / "MMSI_bench.tsv").write_text("\n".join(quoted))
    one, other = BENCHMARK.load(tmp_path / "p", "full"), BENCHMARK.load(tmp_path / "t", "full")
    strip = {"media", "reasoning"}
    assert [i.model_dump(exclude=strip) for i in one] == [i.model_dump(exclude=strip) for i in other]
    assert [len(i.media) for i in one] == [len(i.media) for i in other] == [2, 3]
    assert one[0].options == (
        "Left while moving backward",
        "Forward to the left",
        "Forward to the right",
        "Right while moving backward",
    )
    assert one[0].reasoning == "The camera …"
    assert read_image(tmp_path / "t", other[1].media[2].path, other[1].media[2].part) == JPEG
    assert one[1].labels == {"options_unread": "yes"}


def test_the_prompt_is_images_then_the_released_question_and_one_sentence(tmp_path: Path) -> None:
    write_parquet(tmp_path)
    item = BENCHMARK.load(tmp_path, "full")[0]
    assert BENCHMARK.prompt(item, BENCHMARK.presets[0]).parts == (
        *item.media,
        f"{QUESTION}\nAnswer with the option's letter from the given choices directly. "
        "Enclose the option's letter within ``.",
    )


def test_circular_counts_a_question_only_if_all_four_orders_are_right(tmp_path: Path) -> None:
    write_parquet(tmp_path)
    items = BENCHMARK.load(tmp_path, "circular")
    assert [item.id for item in items] == ["0", "1000000", "2000000", "3000000"]  # the unreadable row is skipped
    assert [item.answer for item in items] == ["C", "B", "A", "D"]
    assert {item.answer_text for item in items} == {"Forward to the right"}
    right = [Response(id=item.id, response=item.answer) for item in items]
    official = [BENCHMARK.rule_set("official")]
    assert cells(score(items, right, official), BENCHMARK.table)["average"].value == 100
    wrong = [*right[:3], Response(id="3000000", response="A")]
    found = cells(score(items, wrong, official), BENCHMARK.table)["average"]
    assert (found.value, found.n) == (0, 1)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Q?\nOptions: A: 1, B: 2, C: 3, D: 4", ("1", "2", "3", "4")),
        ("Q? Options: A: up, down, B: left: far, C: x D: y", ("up, down", "left: far", "x", "y")),
        ("Q?\nOptions: A: 1, B: 2", ()),
        ("Q?", ()),
    ],
)
def test_options_inside_a_question_are_told_apart(text: str, options: tuple[str, ...]) -> None:
    assert split_question(text)[1] == options


def test_an_unknown_question_type_is_named(tmp_path: Path) -> None:
    pl.DataFrame(
        {"id": [0], "images": [[JPEG]], "question_type": ["Smell"], "question": [QUESTION], "answer": ["C"]}
    ).write_parquet(tmp_path / "MMSI_Bench.parquet")
    with pytest.raises(InputError, match="row 1: 'Smell' is no question type of MMSI-Bench"):
        BENCHMARK.load(tmp_path, "full")


def test_the_table_has_the_papers_columns_and_rows() -> None:
    assert len(BENCHMARK.table.columns) == len(TASKS) + 1
    assert sum(row.source == "Table 3" for row in BENCHMARK.published_rows) == 40
