"""OpenEQA on two of its rows; all 1,636 were loaded when the file was written."""

from pathlib import Path

import pytest

from released_rows import openeqa
from tolman import benchmarks
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.answer_texts import accepted
from tolman.scoring.score import score

BENCHMARK = benchmarks.get("openeqa")


@pytest.fixture
def items(tmp_path: Path) -> list[Item]:
    openeqa(tmp_path)
    return BENCHMARK.load(tmp_path, "full")


def test_all_accepted_answers_count(items: list[Item]) -> None:
    assert [(item.kind, item.task) for item in items] == [
        ("text", "object localization"), ("text", "object state recognition"),
    ]  # fmt: skip
    assert accepted(items[0].answer) == (
        "Next to the staircase above the dark brown cabinet", "Next to the staircase", "by the stairs",
    )  # fmt: skip
    assert items[1].answer == "Yes."
    responses = [Response(id=items[0].id, response="By the stairs."), Response(id=items[1].id, response="They are.")]
    assert score(items, responses, BENCHMARK.rule_sets)["score"].to_list() == [1.0, 0.0]


def test_an_episode_is_the_video_that_the_repositorys_script_makes(items: list[Item]) -> None:
    assert items[0].media[0].path == "viewer/static/videos/hm3d-v0/001-hm3d-TPhiubUHKcP-0.mp4"
    assert [item.labels["source"] for item in items] == ["hm3d-v0", "scannet-v0"]


def test_the_small_subset_is_the_released_list(tmp_path: Path) -> None:
    openeqa(tmp_path)
    assert [item.id for item in BENCHMARK.load(tmp_path, "184")] == ["f2e82760-5c3c-41b1-88b6-85921b9e7b32"]
    assert BENCHMARK.sizes["184"] == 184


def test_pictures_stand_between_the_opening_and_the_query(items: list[Item]) -> None:
    (preset,) = BENCHMARK.presets
    opening = (
        "You are an intelligent question answering agent. I will ask you questions about an indoor space and you must "
        "provide an answer.\nYou will be shown a set of images that have been collected from a single location.\n"
        "Given a user query, you must output `text` to answer to the question asked by the user.\n"
    )
    query = "User Query: Where is the mirror?"
    assert BENCHMARK.prompt(items[0], preset).parts == (opening, *items[0].media, query)
    assert BENCHMARK.blind_prompt(items[0], preset).parts == (opening, query)
    assert (preset.frames.count, preset.frames.rounding, preset.sampling.temperature) == (50, "nearest", 0.2)


def test_there_is_no_official_scorer_and_the_page_says_so() -> None:
    assert [rules.name for rules in BENCHMARK.rule_sets] == ["careful"]
    page = Path(__file__).resolve().parents[3] / "docs" / "benchmarks" / "openeqa.md"
    assert "LLM-Match" in page.read_text(encoding="utf-8")
