"""SQA3D on rows in the released shape; all 3,519 were loaded when the file was written."""

from pathlib import Path

import pytest

from released_rows import figures_of, sqa3d
from tolman import benchmarks
from tolman.errors import InputError
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.readers.open_answers import cleaned_sqa3d
from tolman.scoring.score_items import score

BENCHMARK = benchmarks.get("sqa3d")


def test_answers_come_from_the_annotations(items: list[Item]) -> None:
    assert [(item.task, item.answer) for item in items] == [
        ("what", "TV"), ("is", "no"), ("how", "two"), ("others", "yes"),
    ]  # fmt: skip
    assert items[0].id == "220602000002"
    assert items[0].question == "I am standing by the ottoman. What is on my right?"
    assert (items[0].scene, items[0].media[0].path) == ("scene0050_00", "scene0050_00.mp4")
    assert BENCHMARK.prompt(items[0], BENCHMARK.presets[0]).parts == (
        *items[0].media,
        "I am standing by the ottoman. What is on my right?\nAnswer with a single word or a short phrase only.",
    )


def test_a_question_without_annotation_is_refused(tmp_path: Path) -> None:
    sqa3d(tmp_path)
    path = tmp_path / "v1_balanced_sqa_annotations_test_scannetv2.json"
    path.write_text(path.read_text().replace("220602000003", "1"))
    with pytest.raises(InputError, match="row 2: the second file has no row with the question_id '220602000003'"):
        BENCHMARK.load(tmp_path, "test")


@pytest.mark.parametrize(
    ("text", "clean"),
    [("The TV.", "TV"), (" 2  chairs ", "two chairs"), ("rigth", "right"), ("None", "zero"), ("3 oclock", "three o'clock"),
     ("Mat2", "mat"), ("Backwards!", "backward"), ("a a chair", "a chair"), ("23", "twenty-three"), ("21", "21")],
)  # fmt: skip
def test_a_response_is_cleaned_as_the_release_does(text: str, clean: str) -> None:
    assert cleaned_sqa3d(text) == clean


def test_what_counts_is_exact_match_behind_the_cleaning(items: list[Item]) -> None:
    texts = ["a tv.", "No, it is closed", "2", "..."]
    found = figures_of(BENCHMARK, items, texts)
    assert (found["what"].value, found["is"].value, found["how"].value, found["others"].value) == (100, 0, 100, 0)
    assert found["average"].value == 50


def test_careful_reads_yes_no_numbers_and_phrases_and_leaves_sentences_to_a_judge(items: list[Item]) -> None:
    texts = ["The thing on your right is a TV.", "No, it is closed", "There are 2 of them.", "Yes."]
    responses = [Response(id=item.id, response=text) for item, text in zip(items, texts, strict=True)]
    rows = score(items, responses, [BENCHMARK.rule_set("careful")])
    assert rows["status"].to_list() == ["unjudged", "scored", "scored", "scored"]
    assert rows["score"].to_list() == [None, 1, 1, 1]
    short = score(items, [Response(id=items[0].id, response="a tv")], [BENCHMARK.rule_set("careful")])
    assert short["score"][0] == 1
