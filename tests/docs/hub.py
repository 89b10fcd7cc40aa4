"""A cache of the Hugging Face hub with a few questions of each benchmark in its released layout, and media."""

import json
import re
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from docs.blocks import ROOT
from tolman import benchmarks

EXTRACT = ROOT / "tests" / "extracts" / "vsi_bench_extract.jsonl"
MAIN = "0" * 40
"""The commit that 'main' is in the cache."""
PER_TYPE = 2
"""Questions of each question type of VSI-Bench."""


def environment(place: Path) -> dict[str, str]:
    """The variables by which commands find the cache and nothing else."""
    return {"HF_HUB_CACHE": str(place), "HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


def snapshot(place: Path, benchmark: str) -> Path:
    """The folder of a benchmark's data set in the cache."""
    source = benchmarks.get(benchmark).hub
    assert source is not None
    commit = source.revision or MAIN
    if not re.fullmatch("[0-9a-f]{40}", commit):
        commit = MAIN
    folder = place / ("datasets--" + source.repository.replace("/", "--"))
    (folder / "refs").mkdir(parents=True, exist_ok=True)
    (folder / "refs" / "main").write_text(commit)
    (folder / "snapshots" / commit).mkdir(parents=True, exist_ok=True)
    return folder / "snapshots" / commit


def make_hub(place: Path, clip: Path, images: list[Path], pairs: pl.DataFrame) -> None:
    """Write the cache.

    Args:
        place: its folder.
        clip: a short video, which stands for all.
        images: two or more pictures.
        pairs: generated items of MMSI-Bench's question types.
    """
    _vsi_bench(snapshot(place, "vsi-bench"), clip)
    _mmsi_bench(snapshot(place, "mmsi-bench"), pairs, images)
    _site(snapshot(place, "site"), clip, images)
    _spatialbench(snapshot(place, "spatialbench"), clip)


def _vsi_bench(folder: Path, clip: Path) -> None:
    """Real questions of each type, those of VSI-Bench (tiny) first."""
    tiny = set(map(str, json.loads((files("tolman.benchmarks.vsi_bench") / "tiny_ids.json").read_text())["ids"]))
    rows = [json.loads(line) for line in EXTRACT.read_text(encoding="utf-8").splitlines()]
    chosen: list[dict[str, Any]] = []
    for row in sorted(rows, key=lambda row: str(row["id"]) not in tiny):
        if sum(one["question_type"] == row["question_type"] for one in chosen) < PER_TYPE:
            chosen.append(row)
    pl.DataFrame(chosen, infer_schema_length=None).write_parquet(folder / "test-00000-of-00001.parquet")
    for dataset in sorted({row["dataset"] for row in chosen}):
        with zipfile.ZipFile(folder / f"{dataset}.zip", "w") as archive:
            for scene in sorted({row["scene_name"] for row in chosen if row["dataset"] == dataset}):
                archive.write(clip, f"{dataset}/{scene}.mp4")


def _mmsi_bench(folder: Path, pairs: pl.DataFrame, images: list[Path]) -> None:
    rows = []
    for number, item in enumerate(pairs.to_dicts()):
        options = ", ".join(f"{letter}: {text}" for letter, text in zip("ABCD", item["options"], strict=False))
        row = {"id": number, "images": [path.read_bytes() for path in (images * 2)[number % len(images) :][:2]]}
        row |= {"question": f"{item['question']}\nOptions: {options}", "question_type": item["task"]}
        rows.append(row | {"answer": item["answer"], "thought": "The lamp is left of the door. Thus it is north."})
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(folder / "MMSI_Bench.parquet")


def _site(folder: Path, clip: Path, images: list[Path]) -> None:
    row: dict[str, Any] = {
        "question": "Which <image> fits <image>?", "options": ["left", "right"], "answer": "A",
        "category": "spatial relationship reasoning", "dataset": "BLINK", "visual": ["a.jpg", "b.jpg"],
    }  # fmt: skip
    still = [row, {**row, "question": "Where is the chair?", "category": "counting & existence", "answer": "B"}]
    moving = {
        **row, "question": "How many turns?", "options": ["1", "2", "3"], "answer": "C", "visual": ["v.mp4"],
        "category": "movement navigation & intent prediction", "dataset": "VSI",
    }  # fmt: skip
    (folder / "image_test.jsonl").write_text("\n".join(map(json.dumps, still)))
    (folder / "video_test.jsonl").write_text(json.dumps(moving))
    with zipfile.ZipFile(folder / "media.zip", "w") as archive:
        for path, name in ((images[0], "a.jpg"), (images[1], "b.jpg"), (clip, "v.mp4")):
            archive.write(path, name)


def _spatialbench(folder: Path, clip: Path) -> None:
    """Rows in the released shape: a counting question and a choice, and for each type a solved example."""
    common = {"path": "./dataset/drive.mp4", "scene_type": "outdoor"}
    counting = {
        **common, "problem_id": 10001, "problem": "How many cars are there in the parking lot?", "solution": "2",
        "problem_type": "regression", "original_question_type": "object_counting",
    }  # fmt: skip
    choice = {
        **common, "problem_id": 10002, "problem": "Which is the third car on the left?", "solution": "B",
        "options": ["A. A van.", "B. A bus.", "C. A bicycle.", "D. A truck."], "problem_type": "multiple_choice",
        "original_question_type": "multi-hop_spatial_reasoning",
    }  # fmt: skip
    solved = {"reason": "There is one at the gate and one by the wall.", "keyframes": [1, 5]}
    asked = [counting, {**counting, "problem_id": 10003}, choice, {**choice, "problem_id": 10004}]
    (folder / "QA_v1.json").write_text(json.dumps([{"sample": row} for row in asked]))
    later = [*asked, {**counting, "problem_id": 20001, "problem": "How many lamps are there?"}]
    (folder / "QA.txt").write_text(json.dumps([{"sample": row} for row in later]))
    examples = [row | solved if row["problem_id"] in (10001, 10002) else row for row in asked]
    (folder / "QA_fewshot.txt").write_text(json.dumps([{"sample": row} for row in examples]))
    (folder / "dataset").mkdir()
    (folder / "dataset" / "drive.mp4").write_bytes(clip.read_bytes())
