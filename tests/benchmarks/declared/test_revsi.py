"""ReVSI on rows in the released shape: the number of frames picks the truths."""

import json
from pathlib import Path

import pytest

from tolman import benchmarks
from tolman.benchmarks.spec import check_frames
from tolman.errors import InputError, UsageError
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.responses import Response
from tolman.runs.request import RunRequest
from tolman.runs.rescore import score_file
from tolman.runs.run import prepare
from tolman.runs.run_items import load, preset_of
from tolman.scoring.aggregate import cells
from tolman.scoring.score_items import score

BENCHMARK = benchmarks.get("revsi")


def _one(items: list[Item], task: str) -> Item:
    return next(item for item in items if item.task == task)


def test_the_prompt_is_the_released_one(folder: Path) -> None:
    items = BENCHMARK.load(folder, "32_frame")
    preset = BENCHMARK.presets[0]
    choice, number = (_one(items, task) for task in ("object_rel_distance_closest", "room_size_estimation_single"))
    assert BENCHMARK.prompt(choice, preset).parts == (
        *choice.media,
        "These are frames of a video.\nWhich is closer to the door?\nOptions:\nA. the lamp\nB. the sofa\n"
        "Answer with the option's letter from the given choices directly.",
    )
    assert BENCHMARK.prompt(number, preset).text == (
        "These are frames of a video.\nHow much is it?\nAnswer the question using a single integer or decimal number."
    )
    assert preset.sampling.max_tokens == 16
    assert choice.media[0].path == f"32_frame/{choice.scene}.mp4"
    assert number.unit == "m2"


def test_the_number_of_frames_picks_the_truths(folder: Path) -> None:
    for frames, subset, truth in ((None, "32_frame", "3"), (16, "16_frame", "2"), (64, "64_frame", "4.5"), (128, "all_frame", "5")):  # fmt: skip
        found = load("revsi", folder, None, frames=frames)
        assert (found.subset, _one(found.items, "object_counting_single").answer) == (subset, truth)
        assert preset_of(found.benchmark, None, subset).frames.count == (frames or 32)
    with pytest.raises(UsageError, match=r"truths for 16, 32, 64 or 128 frames of a video and none for 50"):
        load("revsi", folder, None, frames=50)


def test_a_run_by_the_truths_of_other_frames_is_refused(folder: Path, tmp_path: Path) -> None:
    asked = RunRequest("revsi", "baseline/random", "blind", data=folder, subset="32_frame", out=tmp_path / "out")
    for frames in ({"count": 16}, {"per_second": 1.0}, {"cap": 8}):
        with pytest.raises(UsageError, match=r"subset '32_frame' hold for 32 frames of a video, and this run would"):
            prepare(RunRequest(**{**vars(asked), "frames": frames}))
    assert not (tmp_path / "out").exists()
    alone = RunRequest(**{**vars(asked), "subset": None, "frames": {"count": 64}})
    with prepare(alone) as run:
        assert (run.record.settings.subset, run.record.settings.frames.count) == ("64_frame", 64)


def test_all_frames_are_those_of_the_whole_video() -> None:
    for frames in (Frames(count=128), Frames(), Frames(whole=True)):
        check_frames(BENCHMARK, "all_frame", frames)
    for frames in (Frames(count=32), Frames(per_second=2.0), Frames(cap=64)):
        with pytest.raises(UsageError, match="hold for 128 frames or all frames of a video"):
            check_frames(BENCHMARK, "all_frame", frames)
    with pytest.raises(UsageError, match="this run would show whole video"):
        check_frames(BENCHMARK, "32_frame", Frames(whole=True))


def test_a_file_of_another_subset_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match=r"16_frame.jsonl: holds the questions of the subset '16_frame' of ReVSI"):
        load("revsi", folder / "16_frame.jsonl", "32_frame")


def test_the_overall_is_the_mean_of_seven_composites(folder: Path) -> None:
    items = BENCHMARK.load(folder, "32_frame")
    right = {"object_rel_direction_forward_easy", "object_counting_single", "route_planning"}
    responses = [Response(id=item.id, response=item.answer if item.task in right else "?") for item in items]
    found = cells(score(items, responses, [BENCHMARK.rule_set("official")]), BENCHMARK.table)
    assert [found[key].value for key in ("rel_direction", "counting", "route", "abs_distance")] == [25, 50, 100, 0]
    assert found["overall"].value == pytest.approx((25 + 50 + 100) / 7)


def test_a_log_with_the_truths_of_other_frames_is_refused(folder: Path, tmp_path: Path) -> None:
    items = BENCHMARK.load(folder, "64_frame")
    path = tmp_path / "model_samples_revsi.jsonl"
    rows = [
        {"doc_id": place, "doc": {"id": item.id}, "input": BENCHMARK.prompt(item, BENCHMARK.presets[0]).text,
         "target": item.answer, "resps": [[item.answer]], "filtered_resps": [item.answer],
         "vsibench_score": {"id": item.id}}
        for place, item in enumerate(items)
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)))
    scored, _ = score_file(path, benchmark="revsi", data=folder, subset="64_frame", out=tmp_path / "right")
    assert scored.record().settings.frames.count == 64
    with pytest.raises(InputError, match=r"its answer '4.5' isn't '3', that of the subset"):
        score_file(path, benchmark="revsi", data=folder, subset="32_frame", out=tmp_path / "wrong")
