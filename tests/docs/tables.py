"""Tables and runs that the pages about analyses read."""

import json
import shutil
from hashlib import sha256
from pathlib import Path

from docs import hub
from docs.blocks import ROOT
from docs.stage import items_of
from drawings import ROOMS, draw, write_drawings
from terminal import tolman
from three_rooms import write_nine
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVELS
from tolman.item_table import write_items
from tolman.items import Item

TABLES = ROOT / "tests" / "analyze" / "tables"
MODELS = {"Gemini-2.5-pro": 0.9, "GPT-4o": 0.75, "Qwen2.5-VL-72B": 0.6, "InternVL3-78B": 0.45, "NVILA-15B": 0.3}
"""Model → the share of questions that it answers rightly in the runs made here."""


def make_prices(place: Path, kept: Path) -> None:
    """The prices of the model in the docs."""
    (place / "prices.json").write_text(json.dumps({"openai/NAME": {"input": 2.0, "output": 8.0}}))


def make_tables(place: Path, kept: Path) -> None:
    """The papers' tables under the names in the docs, and a table with runs of its models."""
    shutil.copy(TABLES / "mmsi_bench_table_11.csv", place)
    shutil.copy(TABLES / "mmsi_bench_table_11.csv", place / "downstream.csv")
    shutil.copy(TABLES / "site_table_6.csv", place / "libero.csv")
    rows = [f"{name},{80 - 9 * number}" for number, name in enumerate(MODELS)]
    (place / "robots.csv").write_text("\n".join(["model,Grasping", *rows]) + "\n")
    for number, name in enumerate(MODELS):
        log = place / "robots" / name / "EVAL-libero_spatial-openvla-2026.txt"
        log.parent.mkdir(parents=True)
        log.write_text("".join(f"Success: {episode >= number}\n" for episode in range(10)))
    _score(place, "mmsi-bench", items_of(place, "mmsi-bench"), "runs/mmsi-bench-full")


def make_squeezed(place: Path, kept: Path) -> None:
    """The run of the page about maps: the true maps with every place moved towards x = 0."""
    demo = place / "squeezing"
    demo.mkdir()
    done = tolman(demo, "generate", str(ROOMS), "--out", "bench", "--per-scene", "8")
    assert done.returncode == 0, done.stderr
    write_drawings(demo, "squeezed", 0.4)
    draw(demo, "squeezed")
    (demo / "squeezed").rename(place / "squeezed")


def make_unfiltered(place: Path, kept: Path) -> None:
    """Questions that are taught: more of those of the rooms that ship with the package."""
    done = tolman(place, "generate", str(ROOMS), "--out", "other-seeds", "--max-filter-rounds", "0")
    assert done.returncode == 0, done.stderr


def make_scanned(place: Path, kept: Path) -> None:
    """A benchmark that a form can be made of: by this version, with other questions left in its scenes."""
    write_nine(place / "scans")
    shutil.rmtree(place / "my-bench", ignore_errors=True)
    asked = ("--families", "relative-direction,absolute-distance", "--per-scene", "2", "--filter-rounds", "0")
    done = tolman(place, "generate", "scans", "--out", "my-bench", *asked)
    assert done.returncode == 0, done.stderr


def make_levels(place: Path, kept: Path) -> None:
    """Runs of five models on questions of SpatialBench's levels, and on a benchmark with three levels of its own."""
    (place / "levels").mkdir()
    rows = []
    for number, task in enumerate([task for tasks in LEVELS.values() for task in tasks] * 6):
        row = {
            "problem_id": 10001 + number, "path": f"./dataset/drive-{number % 8}.mp4", "scene_type": "outdoor",
            "problem": f"Which is sign {number}?", "options": ["A. Red.", "B. Blue.", "C. Grey.", "D. White."],
            "solution": "ABCD"[number % 4], "problem_type": "multiple_choice", "original_question_type": task,
        }  # fmt: skip
        rows.append({"sample": row})
    (place / "levels" / "QA_v1.json").write_text(json.dumps(rows))
    from tolman import benchmarks

    asked = benchmarks.get("spatialbench").load(place / "levels", "v1")
    _score(place, "spatialbench", asked, "runs/spatialbench-v1", "--data", "levels")
    own = place / "own-levels"
    own.mkdir()
    (own / "benchmark.json").write_text(json.dumps({"title": "My Bench"}))
    items = [
        Item(
            id=str(number), question=f"Which is sign {number}?", kind="choice", options=("red", "blue", "grey"),
            answer="ABC"[number % 3], task=task, scene=f"scene {number % 8}",
        )
        for number, task in enumerate(["easy", "middle", "hard"] * 16)
    ]  # fmt: skip
    write_items(own / "items.parquet", items)
    _score(place, "./own-levels", items, "runs/my-bench-all")


def _score(place: Path, benchmark: str, items: list[Item], runs: str, *more: str) -> None:
    for name, share in MODELS.items():
        lines = [json.dumps({"id": item.id, "response": _answer(name, share, item)}) + "\n" for item in items]
        (place / "given.jsonl").write_text("".join(lines))
        done = tolman(
            place, "score", "given.jsonl", "--benchmark", benchmark, "--name", f"openai/{name}", "--out",
            f"{runs}/{name}", *more, **hub.environment(place / "hub"),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def _answer(name: str, share: float, item: Item) -> str:
    drawn = sha256(f"{name} {item.id}".encode()).digest()
    right = drawn[0] < 256 * share
    if item.kind == "number":
        return item.answer if right else "999"
    return item.answer if right else item.letters[(item.letters.index(item.answer) + 1) % len(item.options)]


__all__ = ["MODELS", "make_levels", "make_squeezed", "make_tables"]
