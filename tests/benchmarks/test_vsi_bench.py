"""VSI-Bench on its real questions."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from tolman import benchmarks
from tolman.errors import InputError
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.readers.video_benchmarks import first_token
from tolman.scoring.score_items import score

BENCHMARK = benchmarks.get("vsi-bench")
ROW = {
    "id": 0,
    "dataset": "arkitscenes",
    "scene_name": "41069025",
    "question_type": "object_counting",
    "question": "How many table(s) are in this room?",
    "ground_truth": "4",
    "options": None,
}
CHOICE_ROW = {
    **ROW,
    "id": 1,
    "question_type": "route_planning",
    "ground_truth": "B",
    "options": ["A. left", "B. right"],
}


@pytest.fixture(scope="module")
def items(released: Callable[[str, str], list[Item]]) -> list[Item]:
    return released("vsi-bench", "full")


def test_subsets_have_the_released_sizes(shared_data: Path, items: list[Item]) -> None:
    assert len(items) == 5130
    assert len(BENCHMARK.load(shared_data / "vsi-bench", "debiased")) == 2362
    assert len(BENCHMARK.load(shared_data / "vsi-bench", "tiny")) == 392


def test_question_types_scenes_and_letters_are_the_released_ones(items: list[Item]) -> None:
    types = Counter(item.task for item in items)
    assert types["object_rel_direction_hard"] == 373
    assert types["obj_appearance_order"] == 618
    assert len({item.scene for item in items}) == 288
    assert Counter(i.answer for i in items if i.task == "route_planning") == {"A": 57, "B": 56, "C": 53, "D": 28}
    assert Counter(len(i.options) for i in items if i.task == "route_planning") == {4: 118, 3: 76}


def test_released_jsonl_and_the_pruned_flag_give_the_same_items(
    tmp_path: Path, shared_data: Path, items: list[Item]
) -> None:
    rows = pl.read_parquet(shared_data / "vsi-bench" / "test-00000-of-00001.parquet").to_dicts()
    kept = {item.id for item in BENCHMARK.load(shared_data / "vsi-bench", "debiased")}
    lines = [json.dumps({**row, "pruned": str(row["id"]) not in kept}) for row in reversed(rows)]
    (tmp_path / "test.jsonl").write_text("\n".join(lines))
    assert sorted(BENCHMARK.load(tmp_path, "full"), key=lambda i: int(i.id)) == sorted(items, key=lambda i: int(i.id))
    assert {item.id for item in BENCHMARK.load(tmp_path, "debiased")} == kept


def test_prompts_are_the_released_ones(items: list[Item]) -> None:
    by_id = {item.id: item for item in items}
    number, choice = by_id["0"], by_id["957"]
    assert BENCHMARK.prompt(number, BENCHMARK.presets[0]).parts == (
        number.media[0],
        "These are frames of a video.\nHow many table(s) are in this room?\n"
        "Please answer the question using a single word or phrase.",
    )
    assert BENCHMARK.prompt(choice, BENCHMARK.presets[0]).text == (
        f"These are frames of a video.\n{choice.question}\nOptions:\nA. front-left\nB. back-right\nC. back-left\n"
        "D. front-right\nAnswer with the option's letter from the given choices directly."
    )
    gemini = next(p for p in BENCHMARK.presets if p.name == "gemini")
    assert BENCHMARK.blind_prompt(number, gemini).parts == (
        "How many table(s) are in this room?\nDo not response anything other than a single number!",
    )
    assert gemini.frames.whole
    assert BENCHMARK.presets[0].frames.count == 32
    assert BENCHMARK.presets[0].sampling.max_tokens == 16


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("A", "A"),
        ("A.", "A"),
        ("A. chair", "A"),
        (" A", ""),
        ("(A)", "(A)"),
        ("2.5 meters", "2.5"),
        ("2\n\nx", "2\n\nx"),
    ],
)
def test_the_first_token_is_what_stands_before_the_first_space(text: str, token: str) -> None:
    assert first_token(text) == token


def test_direction_is_the_plain_mean_of_its_levels_and_the_average_that_of_the_tasks(items: list[Item]) -> None:
    responses = [
        Response(id=i.id, response=i.answer if i.task in ("object_rel_direction_easy", "object_counting") else "-")
        for i in items
    ]
    found = cells(score(items, responses, [BENCHMARK.rule_set("official")]), BENCHMARK.table)
    assert found["rel_direction"].value == pytest.approx(100 / 3)
    assert found["average"].value == pytest.approx((100 + 100 / 3) / 8)
    assert found["average"].n == 5130


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"id": None}, "row 1, field 'id': is missing"),
        ({"question_type": "object_colour"}, "'object_colour' is no question type of VSI-Bench"),
        ({"ground_truth": "four"}, "row 1, field 'answer': the answer 'four' is no number"),
        ({"question_type": "route_planning"}, "row 1, field 'options': is missing"),
        ({**CHOICE_ROW, "ground_truth": "E"}, "the answer 'E' is none of the options A, B"),
        ({**CHOICE_ROW, "options": ["left", "right"]}, "'left' doesn't start with 'A. '"),
    ],
)
def test_a_wrong_row_is_one_sentence(tmp_path: Path, change: dict[str, object], sentence: str) -> None:
    path = tmp_path / "test.jsonl"
    path.write_text(json.dumps({**ROW, **change}))
    with pytest.raises(InputError) as caught:
        BENCHMARK.load(tmp_path, "full")
    assert str(path) in str(caught.value)
    assert sentence in str(caught.value)


def test_an_id_twice_is_named(tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text("\n".join([json.dumps(ROW)] * 2))
    with pytest.raises(InputError, match="row 2, field 'id': the id '0' is also row 1's"):
        BENCHMARK.load(tmp_path, "full")


def test_published_averages_are_the_means_of_their_rows() -> None:
    for row in BENCHMARK.published_rows:
        values = [v for k, v in row.values.items() if k != "average"]
        average = row.values["average"]
        # The frequency row prints 34.0, the mean with 36.3 (letters) where the cell prints 47.9 (option texts).
        if average is not None and None not in values and "Frequency" not in row.name and not row.averaging:
            assert sum(v for v in values if v is not None) / 8 == pytest.approx(average, abs=0.07)
