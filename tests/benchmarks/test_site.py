"""SITE on rows in its released shape (the data itself is not at hand)."""

import json
from pathlib import Path

import pytest

from tolman import benchmarks
from tolman.errors import InputError
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.score_items import score

BENCHMARK = benchmarks.get("site")
IMAGE = {
    "question": "Which <image> fits <image>?",
    "options": ["left", "right"],
    "answer": "A",
    "category": "spatial relationship reasoning",
    "dataset": "BLINK",
    "visual": ["a.jpg", "b.jpg"],
}
VIDEO = {
    "question": " How many turns? ",
    "options": ["1", "2", "3"],
    "answer": "C",
    "category": "movement navigation & intent prediction",
    "dataset": "VSI",
    "visual": ["v.mp4", "w.mp4"],
}


@pytest.fixture
def items(tmp_path: Path) -> list[Item]:
    (tmp_path / "image_test.jsonl").write_text(
        "\n".join(json.dumps(r) for r in (IMAGE, {**IMAGE, "question": "Where?", "category": "counting & existence"}))
    )
    (tmp_path / "video_test").mkdir()
    (tmp_path / "video_test" / "test.json").write_text(json.dumps([VIDEO]))
    return BENCHMARK.load(tmp_path, "full")


def test_image_and_video_configurations_are_pooled(items: list[Item]) -> None:
    assert [item.id for item in items] == ["image-0", "image-1", "video-0"]
    assert items[2].task == "movement prediction & navigation"  # as the data spells it, not the code
    assert [m.path for m in items[2].media] == ["v.mp4"]


def test_media_stand_at_their_marks_or_first(items: list[Item]) -> None:
    preset = BENCHMARK.presets[0]
    a, b = items[0].media
    assert BENCHMARK.prompt(items[0], preset).parts == (
        "Question: Which ",
        a,
        " fits ",
        b,
        "?\nOptions:\nA: left\nB: right\nGive me the answer letter directly. The best answer is:",
    )
    assert BENCHMARK.prompt(items[1], preset).parts[:2] == items[1].media
    assert BENCHMARK.blind_prompt(items[0], preset).text.count("<image>") == 0
    video = BENCHMARK.prompt(items[2], BENCHMARK.presets[1]).text
    assert video == (
        "Select the best answer to the following multiple-choice question based on the video. Respond with only the "
        "letter of the correct option.\nQuestion: How many turns?\nOptions:\nA: 1\nB: 2\nC: 3\n"
    )


def test_random_draws_are_seeded_counted_and_have_an_expectation(items: list[Item]) -> None:
    responses = [Response(id=i.id, response="no idea whatsoever") for i in items]
    official = BENCHMARK.rule_set("official")
    rows = score(items, responses, [official], seed=1)
    assert rows["guessed"].all()
    assert rows["reading"].to_list() == score(items, responses, [official], seed=1)["reading"].to_list()
    assert rows["expected"].to_list() == pytest.approx([1 / 2, 1 / 2, 1 / 3])
    assert cells(rows, BENCHMARK.table, column="expected")["overall"].value == pytest.approx(0)


def test_chance_adjusted_accuracy_pools_images_and_videos(items: list[Item]) -> None:
    responses = [Response(id=i.id, response=t) for i, t in zip(items, "AAA", strict=True)]
    found = cells(score(items, responses, [BENCHMARK.rule_set("official")]), BENCHMARK.table)
    assert found["overall"].value == pytest.approx(100 * (0.5 + 0.5 - 1 / 3) / (0.5 + 0.5 + 2 / 3))
    assert found["rel"].value == pytest.approx(100)
    assert found["mov"].value == pytest.approx(-50)
    assert found["accuracy"].value == pytest.approx(200 / 3)


def test_an_unknown_category_is_named(tmp_path: Path) -> None:
    (tmp_path / "image_test.jsonl").write_text(json.dumps({**IMAGE, "category": "smell"}))
    with pytest.raises(InputError, match="row 1, field 'category': 'smell' is no category of SITE"):
        BENCHMARK.load(tmp_path, "image")
