"""VSI-SUPER Recall and Count on rows in the released shape."""

from pathlib import Path

import pytest

from released_rows import WRITERS
from tolman import benchmarks
from tolman.responses import Response
from tolman.scoring.score_items import score

RECALL, COUNT = benchmarks.get("vsi-super-recall"), benchmarks.get("vsi-super-count")


def test_the_prompt_of_recall_is_lmms_evals(tmp_path: Path) -> None:
    WRITERS["vsi-super-recall"](tmp_path)
    items = RECALL.load(tmp_path, "all")
    assert RECALL.prompt(items[0], RECALL.presets[0]).parts == (
        *items[0].media,
        "These are frames of a video.\nIn which order was the bear seen?\nOptions:\n"
        "A. order A\nB. order B\nC. order C\nD. order D\n"
        "Answer with the option's letter from the given choices directly.",
    )
    assert items[0].media[0].path == "10mins/00000000.mp4"
    assert [item.task for item in RECALL.load(tmp_path, "240mins")] == ["240mins"]


def test_the_prompt_of_count_is_lmms_evals_and_streaming_is_left_out(tmp_path: Path) -> None:
    WRITERS["vsi-super-count"](tmp_path)
    items = COUNT.load(tmp_path, "all")
    assert COUNT.prompt(items[0], COUNT.presets[0]).text == (
        "These are frames of a video.\nHow many different chairs?\n"
        "Please answer the question using a single word or phrase."
    )
    assert [item.answer for item in items] == ["31", "32"] * 4
    assert [len(COUNT.load(tmp_path, subset)) for subset in COUNT.subsets] == [8, 2, 2, 2, 2]
    assert {item.task for item in items} == {"10mins", "30mins", "60mins", "120mins"}


@pytest.mark.parametrize(("text", "official", "easi"), [("a bear", 1.0, 0.0), ("(A)", 1.0, 1.0), ("E", 0.0, 0.0)])
def test_lmms_evals_first_letter_stands_inside_words_too(
    tmp_path: Path, text: str, official: float, easi: float
) -> None:
    WRITERS["vsi-super-recall"](tmp_path)
    items = RECALL.load(tmp_path, "10mins")
    rows = score(items, [Response(id=items[0].id, response=text)], RECALL.rule_sets)
    found = dict(rows.select("rule_set", "score").iter_rows())
    assert found["easi"] == easi
    assert found["official"] == official


def test_of_several_numbers_the_harnesses_take_the_first_and_the_last(tmp_path: Path) -> None:
    WRITERS["vsi-super-count"](tmp_path)
    items = COUNT.load(tmp_path, "10mins")[:1]
    rows = score(items, [Response(id=items[0].id, response="31 chairs in 5 rooms")], COUNT.rule_sets)
    found = dict(rows.select("rule_set", "score").iter_rows())
    assert (found["official"], found["easi"]) == (1.0, 0.0)
