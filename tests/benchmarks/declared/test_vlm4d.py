"""VLM4D on rows in the released shape; `tests/interop/test_released_data.py` has the released files."""

import json
from pathlib import Path

import pytest

from tolman import benchmarks
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.score_items import score

BENCHMARK = benchmarks.get("vlm4d")
ASKED = (
    "\nQuestion: From the camera perspective, which direction are the cyclists moving toward?\n"
    "A: not moving\nB: left\nC: right\nD: backwards\n\n"
)
COT = (
    "Answer the given multiple-choice question step by step. Begin by explaining your reasoning process clearly. In the "
    "last sentence of your response, you must conclude by stating the final answer using the following format: "
    "'Therefore, the final answer is: $LETTER' (without quotes), where $LETTER must be only one of the options (A or B "
    "or C or D). Think step by step before answering."
)


def test_released_rows_become_items(folder: Path, items: list[Item]) -> None:
    assert [(item.id, item.task) for item in items] == [
        ("real_mc/validation_9", "exocentric"),
        ("real_mc/validation_922", "exocentric"),
        ("real_mc/validation_923", "egocentric"),
        ("real_mc/validation_1371", "egocentric"),
        ("synthetic_mc/synthetic_1", "directional"),
        ("synthetic_mc/synthetic_2", "false positive"),
        ("synthetic_mc/synthetic_3", "directional"),
    ]
    assert [item.answer for item in items] == ["B", "B", "B", "B", "C", "B", "A"]
    assert [medium.path for medium in items[1].media] == ["videos_real/youtube-vos/v.mp4"]
    assert items[1].labels["source"] == "youtube-vos"
    assert len(BENCHMARK.load(folder, "real")) == 4
    assert len(BENCHMARK.load(folder, "synthetic")) == 3


def test_the_prompts_are_the_released_ones(items: list[Item]) -> None:
    cot, direct = BENCHMARK.presets
    assert BENCHMARK.prompt(items[0], cot).parts == (*items[0].media, f"{ASKED}{COT}")
    assert BENCHMARK.prompt(items[0], direct).text == (
        f"{ASKED}Do not generate any intermediate reasoning process. Answer directly with the option letter from the "
        "given choices.\n"
    )
    assert (cot.sampling.temperature, cot.sampling.max_tokens, cot.sampling.seed) == (1.0, 1024, 215)


def test_figures_pool_questions_by_group(items: list[Item]) -> None:
    responses = [Response(id=item.id, response="They go on.\nTherefore, the final answer is: B") for item in items]
    found = cells(score(items, responses, BENCHMARK.rule_sets), BENCHMARK.table)
    keys = ("egocentric", "exocentric", "real", "directional", "false_positive", "synthetic", "overall")
    assert [found[key].value for key in keys] == pytest.approx([100, 100, 100, 0, 100, 100 / 3, 500 / 7])


def test_the_question_with_two_equal_right_options_is_kept(tmp_path: Path) -> None:
    # The options of ShijieZhou-UCLA/VLM4D (MIT), data/real_mc.json, validation_633.
    row = {
        "id": "validation_633", "video": "https://h/resolve/main/videos_real/davis/seasnake.mp4",
        "question": "What direction is the seasnake moving towards?", "answer": "away from the camera",
        "choices": {"A": "not sure", "B": "not moving", "C": "away from the camera", "D": "away from the camera"},
    }  # fmt: skip
    (tmp_path / "real_mc.json").write_text(json.dumps([row]))
    (item,) = BENCHMARK.load(tmp_path, "real")
    for said, value in (("C", 100), ("D", 100), ("the final answer is: $D", 100), ("It moves away from the camera.", 100),
                        ("B", 0), ("not moving", 0)):  # fmt: skip
        found = cells(score([item], [Response(id=item.id, response=said)], BENCHMARK.rule_sets), BENCHMARK.table)
        assert found["overall"].value == value, said
