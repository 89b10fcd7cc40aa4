"""Question sets in the layouts that the pages about curating name, and the recipe that they show."""

import json
import shutil
import zipfile
from pathlib import Path

import polars as pl

from docs.blocks import blocks

PAGE = "docs/curate/index.md"
_TASKS = {
    "Count": ("How many lamps are in the picture?", ("1", "2", "3", "4")),
    "Relation": ("Where is the sofa with respect to the door?", ("left", "right")),
    "Depth": ("Which is closer to the camera?", ("the chair", "the bed")),
    "Distance": ("Which is closer to the table?", ("the lamp", "the shelf")),
}
"""Question type of CV-Bench → a question and its options."""


def make_question_sets(place: Path, kept: Path) -> None:
    """Put `data/vsi-bench/videos`, `data/CV-Bench` and people's decisions beside the recipes `site.toml`, `recipe.toml`."""
    snapshot = place / "data" / "vsi-bench"
    for archive in snapshot.glob("*.zip"):
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(snapshot / "videos")
    rows = []
    for number, picture in enumerate(sorted((place / "pictures").iterdir())[:12]):
        task = list(_TASKS)[number % len(_TASKS)]
        question, options = _TASKS[task]
        rows.append(
            {
                "idx": number, "type": "2D", "task": task, "question": f"{question[:-1]} of hall {number}?",
                "image": {"bytes": picture.read_bytes(), "path": picture.name}, "choices": list(options),
                "answer": f"({'AB'[number % 2]})", "source": "COCO",
            }
        )  # fmt: skip
    (place / "data" / "CV-Bench").mkdir(exist_ok=True)
    pl.DataFrame(rows).write_parquet(place / "data" / "CV-Bench" / "test_2d.parquet")
    (place / "decisions.jsonl").write_text(json.dumps({"id": "cv-bench/test_2d-1", "decision": "approve"}) + "\n")
    (place / "recipe.toml").write_text(_block('name = "my-site"'))
    (place / "hand.csv").write_text(_block("id,category,scale"))


def make_own_set(place: Path, kept: Path) -> None:
    """The question set of the section about mappings: rows of its fields, with videos, and one that can't be mapped."""
    data = place / "my-data"
    (data / "val").mkdir(parents=True)
    clip = min((place / "worlds" / "videos").iterdir(), key=lambda path: path.stat().st_size)
    rows = []
    for number in range(6):
        shutil.copyfile(clip, data / "val" / f"v{number}.mp4")
        row = {"question_id": f"q{number}", "video": f"v{number}", "split": "val", "dataset": "own", "span": "0.5-2.5"}
        if number % 2:
            row |= {"question": f"How many lamps hang in hall {number}?", "question_type": "counting", "answer": "3"}
        else:
            options = {"A": "left", "B": "right", "C": "above", "D": "nan"}
            row |= {"question": f"Where is lamp {number}?", "question_type": "place", "answer": "B", **options}
        rows.append(row)
    rows.append({**rows[0], "question_id": "empty", "question": ""})
    (data / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def _block(first: str) -> str:
    """The page's block that begins so."""
    return next(block.text for block in blocks(PAGE) if block.text.startswith(first)) + "\n"
