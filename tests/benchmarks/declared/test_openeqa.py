"""OpenEQA on two of its rows, and on 40 with the predictions of four models; all 1,636 were loaded when the file was
written."""

import json
from pathlib import Path
from typing import Any

import pytest

from released_rows import openeqa
from terminal import tolman
from tolman import benchmarks
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.answer_values import accepted
from tolman.scoring.score_items import score

BENCHMARK = benchmarks.get("openeqa")


def test_all_accepted_answers_count(items: list[Item]) -> None:
    assert [(item.kind, item.task) for item in items] == [
        ("text", "object localization"), ("text", "object state recognition"),
    ]  # fmt: skip
    assert accepted(items[0].answer) == (
        "Next to the staircase above the dark brown cabinet", "Next to the staircase", "by the stairs",
    )  # fmt: skip
    assert items[1].answer == "Yes."


@pytest.mark.parametrize(
    ("answer", "text", "reading", "value"),
    [
        ("Yes.", "Yes, the pantry door is open.", "yes", 1.0),
        ("Yes.", "No.", "no", 0.0),
        ("Yes, on the desk", "Yes.", "", None),
        ('["No", "yes"]', "yes", "yes", 1.0),
        ("Yes", "The pantry door is open.", "", None),
        ("3", "There are three stools.", "3", 1.0),
        ("Three", "There are 4 stools.", "4", 0.0),
        ("three", "Some.", "", None),
        ("A vase", "a vase", "", None),
        ("A vase", "The object beside the lamp is a vase.", "", None),
        ("No one", "no", "", None),
        ("A vase", "", "", 0.0),
        ("Yes", "", "", 0.0),
    ],
)
def test_yes_no_and_numbers_are_read_and_any_other_answer_is_left_to_a_judge(
    items: list[Item], answer: str, text: str, reading: str, value: float | None
) -> None:
    item = items[0].model_copy(update={"answer": answer})
    row = score([item], [Response(id=item.id, response=text)], [BENCHMARK.rule_set("careful")]).row(0, named=True)
    assert (row["reading"], row["score"]) == (reading, value)
    assert (row["status"] == "unjudged") == (value is None)
    assert value is not None or "only a judge can score it" in row["note"]


def test_the_judge_is_told_the_authors_prompt_and_what_stands_before_the_last_full_stop(items: list[Item]) -> None:
    several = BENCHMARK.judging.prompt(items[0], "By {the} stairs. I thi")
    assert several.endswith(
        "Your Turn:\nQuestion: Where is the mirror?\nAnswer: Next to the staircase above the dark brown cabinet\n"
        "Extra Answers: ['Next to the staircase', 'by the stairs']\nResponse: By {the} stairs."
    )
    one = BENCHMARK.judging.prompt(items[1], "They are")
    assert one.endswith("Question: Are the cabinets below the mirror closed?\nAnswer: Yes.\nResponse: They are")
    assert "Extra Answers" not in one
    drawing = BENCHMARK.judging.sampling
    assert (drawing.temperature, drawing.seed, drawing.max_tokens) == (0.2, 1234, 32)


@pytest.mark.parametrize(
    ("reply", "value"),
    [("5", 1.0), ("1", 0.0), ("Your mark: 4", 0.75), ("Sure. Your mark: 2\nAs it", 0.25), ("0", 0.0), ("9", 1.0)],
)
def test_a_mark_from_1_to_5_is_a_score(items: list[Item], reply: str, value: float) -> None:
    judging = BENCHMARK.judging
    found = judging.read(items[0], reply)
    assert found is not None
    assert judging.score is not None
    assert judging.score(items[0], found) == value


@pytest.mark.parametrize("reply", ["", "4.5", "good", "Your mark: high", "A"])
def test_what_is_no_mark_is_asked_for_again(items: list[Item], reply: str) -> None:
    assert BENCHMARK.judging.read(items[0], reply) is None


EXTRACT = Path(__file__).resolve().parents[2] / "extracts" / "openeqa_predictions.jsonl"
MODELS = ("rag-vlm", "videollama2", "llava-next", "blind-gpt4")
"""From the best to the worst by the published marks: 52.4, 47.7, 40.8, 36.2 on all questions."""


def predicted(place: Path, model: str, rows: list[dict[str, Any]]) -> list[str]:
    """A model's prediction file and published marks as files; the beginning of the command that scores it."""
    (place / "open-eqa-v0.json").write_text(json.dumps(rows))
    answers = [{"question_id": row["question_id"], "answer": row["predictions"][model]} for row in rows]
    (place / f"{model}-predictions.json").write_text(json.dumps(answers))
    marks = [json.dumps({"id": row["question_id"], "response": str(row["marks"][model])}) for row in rows]
    (place / f"{model}-marks.jsonl").write_text("\n".join(marks))
    return ["score", f"{model}-predictions.json", "--benchmark", "openeqa", "--data", "open-eqa-v0.json"]


@pytest.mark.full
def test_four_public_prediction_sets_rank_as_by_the_published_marks(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in EXTRACT.read_text(encoding="utf-8").splitlines()]
    found = {}
    for model in MODELS:
        command = [*predicted(tmp_path, model, rows), "--out", model]
        done = tolman(tmp_path, *command, "--judge", f"scripted/{model}-marks.jsonl", code=0)
        assert f"scripted/{model}-marks.jsonl judges 40 responses: about" in done.stderr
        figures = json.loads((tmp_path / model / "scores.json").read_text())
        found[model] = figures["rule_sets"]["judged"]["cells"]["overall"]["value"]
        published = [row["marks"][model] for row in rows]
        assert found[model] == pytest.approx(100 * sum(mark - 1 for mark in published) / 4 / len(rows))
        assert figures["rule_sets"]["careful"]["cells"]["overall"]["value"] is None
        assert figures["judge"]["sample"]["reader"] == "careful"
    assert sorted(found, key=lambda name: -found[name]) == list(MODELS)


def test_without_a_judge_there_is_no_total_and_one_line_says_how_to_get_one(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in EXTRACT.read_text(encoding="utf-8").splitlines()]
    done = tolman(tmp_path, *predicted(tmp_path, "rag-vlm", rows), "--out", "run", code=0)
    said = [line for line in done.stdout.splitlines() if line.startswith("†")]
    assert len(said) == 1
    assert "careful: no Overall: 87.5 % of 40 answers are unread, and only a judge can score them" in said[0]
    assert said[0].endswith("see --judge.")
    cell = json.loads((tmp_path / "run" / "scores.json").read_text())["rule_sets"]["careful"]["cells"]["overall"]
    assert (cell["value"], cell["interval"]) == (None, None)


def test_a_model_does_not_mark_itself(tmp_path: Path) -> None:
    openeqa(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"id": "d16b6600-beb5-4bf4-8045-d018b75eefb1", "response": "yes"}')
    command = ["run", "openeqa", "--data", ".", "--model", "scripted/a.jsonl", "--out", "run", "--judge", "self"]
    done = tolman(tmp_path, *command, code=2)
    assert "no model marks itself; name another one with --judge" in done.stderr
    assert not (tmp_path / "run").exists()


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
    page = Path(__file__).resolve().parents[3] / "docs" / "benchmarks" / "videos.md"
    assert "LLM-Match" in page.read_text(encoding="utf-8")
