"""SpatialBench on its real questions and the paper's own tables."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from tolman import benchmarks
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVELS, WEIGHTS, repair_task_name, unit_asked
from tolman.errors import InputError
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.score_items import score
from tolman.scoring.score_table import Mean, Pool, coefficients

BENCHMARK = benchmarks.get("spatialbench")
OFFICIAL = BENCHMARK.rule_set("official")


@pytest.fixture(scope="module")
def v1(released: Callable[[str, str], list[Item]]) -> list[Item]:
    return released("spatialbench", "v1")


def test_both_versions_load_whole(shared_data: Path, v1: list[Item]) -> None:
    v2 = BENCHMARK.load(shared_data / "spatialbench", "v2")
    assert (len(v1), len(v2)) == (1347, 3193)
    assert Counter(item.kind for item in v1) == {"choice": 1029, "number": 318}
    assert Counter(item.kind for item in v2) == {"choice": 2413, "number": 780}
    assert len({item.scene for item in v1}) == 51
    assert len({item.scene for item in v2}) == 114
    assert Counter(i.answer for i in v1 if i.kind == "choice") == {"A": 312, "B": 326, "C": 302, "D": 89}


def test_v1_is_found_under_its_own_name(shared_data: Path, tmp_path: Path, v1: list[Item]) -> None:
    source = shared_data / "spatialbench"
    (tmp_path / "QA.txt").write_bytes((source / "QA_v1_2025-11-26.txt").read_bytes())
    assert BENCHMARK.load(tmp_path, "v1") == v1
    with pytest.raises(InputError, match="holds v1: none of its 1,347 questions is new in v2; ask for v1"):
        BENCHMARK.load(tmp_path, "v2")
    (tmp_path / "QA.txt").write_bytes((source / "QA.txt").read_bytes())
    with pytest.raises(InputError, match=r"holds v2: the question 2.* is not in v1; ask for the subset v2"):
        BENCHMARK.load(tmp_path, "v1")


def test_exemplars_keep_their_reasoning_and_key_frames(shared_data: Path) -> None:
    exemplars = [item for item in BENCHMARK.load(shared_data / "spatialbench", "few-shot") if item.reasoning]
    assert len(exemplars) == 15
    assert all(item.evidence["keyframes"] for item in exemplars)


def test_mistyped_rows_leave_the_levels_under_official_and_are_mended_under_careful(v1: list[Item]) -> None:
    responses = [Response(id=item.id, response=item.answer) for item in v1]
    rows = score(v1, responses, BENCHMARK.rule_sets)
    official, careful = (
        cells(rows.filter(pl.col("rule_set") == name), BENCHMARK.table) for name in ("official", "careful")
    )
    assert (official["spatial_planning"].n, careful["spatial_planning"].n) == (112, 146)
    assert (official["visual_based_commands"].n, careful["visual_based_commands"].n) == (15, 49)
    assert official["average"].n == careful["average"].n == 1347
    assert official["score"].value == pytest.approx(100)


PRINTED = [row for row in BENCHMARK.published_rows if row.group == "model"]


def test_all_printed_scores_follow_from_the_printed_levels() -> None:
    assert len(PRINTED) == 21
    node = BENCHMARK.table.column("score").node
    assert isinstance(node, Mean)
    levels = {part: level for part, level in zip(node.parts, LEVELS, strict=True) if isinstance(part, Pool)}
    weights = coefficients(node, frozenset(levels))
    for row in PRINTED:
        computed = sum(weight * (row.values[levels[part]] or 0) for part, weight in weights.items())
        assert computed == pytest.approx(row.values["score"], abs=0.0051), row.name


def test_a_level_without_questions_counts_zero_as_in_the_released_code(v1: list[Item]) -> None:
    one = next(item for item in v1 if item.task == "object_counting")
    found = cells(score([one], [Response(id=one.id, response=one.answer)], [OFFICIAL]), BENCHMARK.table)
    assert found["average"].value == 100
    assert found["score"].value == pytest.approx(100 * WEIGHTS["observation_and_measurement"])


def test_a_perfect_model_without_one_level_scores_a_hundred_under_careful(v1: list[Item]) -> None:
    some = [item for item in v1 if repair_task_name(item.task) not in LEVELS["spatial_causality"]]
    rows = score(some, [Response(id=i.id, response=i.answer) for i in some], BENCHMARK.rule_sets)
    for name, value in (("official", 74.08), ("official-reasoning", 74.08), ("careful", 100.0)):
        own = rows.filter(pl.col("rule_set") == name)
        cell = cells(own, BENCHMARK.table_of(name))["score"]
        assert cell.value == pytest.approx(value, abs=0.06 if value < 100 else 1e-9)
        assert cell.missing == ("Causality",)
        assert cell.attainable == pytest.approx(value, abs=1e-9)
    whole = score(v1, [Response(id=i.id, response=i.answer) for i in v1], BENCHMARK.rule_sets[-1:])
    assert cells(whole, BENCHMARK.table_of("careful"))["score"].missing == ()


def test_empty_responses_leave_the_released_denominators_only(v1: list[Item]) -> None:
    some = v1[:4]
    responses = [Response(id=i.id, response=t) for i, t in zip(some, (some[0].answer, "", "  ", "?"), strict=True)]
    rows = score(some, responses, BENCHMARK.rule_sets)
    for name, n in (("official", 2), ("careful", 4)):
        cell = cells(rows.filter(pl.col("rule_set") == name), BENCHMARK.table)["average"]
        assert (cell.n, cell.unanswered) == (n, 0)


def test_the_prompt_is_the_released_one(v1: list[Item]) -> None:
    choice = next(item for item in v1 if item.id == "10001")
    parts = BENCHMARK.prompt(choice, BENCHMARK.presets[0]).parts
    assert parts[1:] == choice.media
    assert parts[0] == (
        "\nAnalyze the video frames and answer the question.\n\nQuestion type: multiple_choice\n"
        "Question: Which is the third car on the left hand side of the black Mercedes-Benz?\n"
        "Options:\nA. A Citro?n.\nB. A Geeely.\nC. A Honda.\nD. A BMW.\n\n"
        "YOUR TASK IS TO PROVIDE ONLY THE FINAL ANSWER.\n"
        "DO NOT INCLUDE ANY EXPLANATIONS, REASONING, OR THOUGHT PROCESS.\n"
        "YOUR RESPONSE MUST BE EXTREMELY CONCISE AND CONTAIN ONLY THE ANSWER.\n\n"
        "Desired Answer Format:\n"
        "- For a Multiple choice question, your entire response must be a single letter (e.g., A).\n"
        "- For a Regression question, your entire response must be a single number (e.g., 240).\n\n"
        "Provide the final answer ONLY."
    )
    number = next(item for item in v1 if item.kind == "number")
    assert f"Question type: regression\nQuestion: {number.question}\n\n\nYOUR TASK" in str(
        BENCHMARK.prompt(number, BENCHMARK.presets[0]).parts[0]
    )


def test_the_reasoning_preset_reads_behind_final_answer(v1: list[Item]) -> None:
    preset = next(p for p in BENCHMARK.presets if p.name == "reasoning")
    choice = next(item for item in v1 if item.kind == "choice")
    rules = BENCHMARK.rule_set(preset.rule_sets[0])
    assert rules.read(choice, "Reasoning: a bed\n\nFinal Answer:\n**C**", 0).value == "C"
    assert preset.sampling.max_tokens == 4096


@pytest.mark.parametrize(
    ("task", "question", "unit"),
    [
        ("object_counting", "How many cones are within 3 meters?", "count"),
        ("room_size", "If the tiles are 60 cm squares, what is the size in square meters (m^2)?", "m2"),
        ("object_size", "If a lane is 300 cm wide, what is the width in centimeters (cm) of a bar?", "cm"),
        ("absolute_distance", "If the stairs are 2 meters wide, what is the distance to the sign?", "cm"),
        ("absolute_distance", "What is the distance in meters (m) between the pillars?", "m"),
        ("room_size", "If the beds are 90 cm wide, what's the size in squre meters of the room?", "m2"),
        ("room_size", "What is the total square footage of the lobby?", None),
        ("absolute_distance", "How many seconds does it take to reach the door?", None),
    ],
)
def test_the_unit_is_the_one_asked_for_not_the_one_given_as_a_hint(task: str, question: str, unit: str | None) -> None:
    assert unit_asked(task, question) == unit


SAMPLE = {
    "problem_id": 1,
    "problem": "How many?",
    "problem_type": "regression",
    "original_question_type": "object_counting",
    "options": None,
    "solution": "<answer>2</answer>",
    "path": "./dataset/a.mp4",
    "scene_type": "indoor",
}


def load_one(folder: Path, sample: object) -> Item:
    (folder / "QA.txt").write_text(json.dumps([{"sample": sample}]))
    return BENCHMARK.load(folder, "v2")[0]


def test_the_readmes_form_of_a_row_loads_too(tmp_path: Path) -> None:
    assert load_one(tmp_path, SAMPLE).answer == "2"
    choice = {**SAMPLE, "problem_type": "multiple choice", "options": ["A. x", "B. y"], "solution": "B"}
    assert load_one(tmp_path, {**choice, "original_question_type": "affordance"}).options == ("x", "y")


def test_an_unknown_type_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"row 1, field 'original_question_type': 'smell' is no question type"):
        load_one(tmp_path, {**SAMPLE, "original_question_type": "smell"})
