"""Six questions whose answers a model explains, and what a judge says about them: the example of the page on errors."""

import json
from pathlib import Path

import pytest

from terminal import tolman
from tolman.benchmarks.mmsi_bench.mmsi_rows import TASKS
from tolman.item_table import write_items
from tolman.items import Item, Media

HUMAN = "The lamp is left of the door. Thus it is north."
LONG = "I see a lamp to the left of the door, so that it must be north."
JUDGED = ("5", "Category 3", "1", "5", "I would rather not say.")
"""What the judge says about the five answers with reasoning, by their numbers."""
TWO_PEOPLE = tuple(
    f"{i},{who},{category}" for i in range(6) for who, category in (("anna", 1 + i % 2), ("ben", 1 + i % 3))
)
"""Lines of a file of labels: id, annotator, categories."""


def write_explained(place: Path) -> None:
    """Write a benchmark of six questions with a picture and human reasoning, and a model's run that explains five.

    Args:
        place: gets the folders `bench` and `run`, and the model's answers.
    """
    pillow = pytest.importorskip("PIL.Image", reason="images need the extra 'media'")
    folder = place / "bench"
    folder.mkdir(parents=True)
    (folder / "benchmark.json").write_text(json.dumps({"title": "Mine", "like": "mmsi-bench"}))
    pillow.new("RGB", (32, 24), "red").save(folder / "a.jpg")
    items = [
        Item(
            id=str(i), question=f"Where is lamp {i}?", kind="choice", answer="B", options=("left", "right", "up", "down"),
            task=TASKS[i % 2], verbatim=f"Where is lamp {i}?\nOptions: A: left, B: right, C: up, D: down", scene=str(i),
            media=(Media(kind="image", path="a.jpg"),), reasoning=HUMAN,
        )
        for i in range(6)
    ]  # fmt: skip
    write_items(folder / "items.parquet", items)
    lines = []
    for i in range(6):
        answer, thought = "``B``" if i < 3 else "``A``", LONG + f" Case {i}." if i < 5 else "A"
        turns = [
            {"purpose": "answer", "prompt": "", "response": answer},
            {"purpose": "explanation", "prompt": "", "response": thought},
        ]
        lines.append(json.dumps({"id": str(i), "response": answer, "turns": turns}) + "\n")
    (place / "script.jsonl").write_text("".join(lines))
    done = tolman(place, "run", "./bench", "--model", "scripted/script.jsonl", "--protocol", "direct+self-explanation", "--out", "run")  # fmt: skip
    assert done.returncode == 0, done.stderr
