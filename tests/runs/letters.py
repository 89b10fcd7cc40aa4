"""Small benchmarks of letters, and the loopback server as a process of its own that counts what it is asked."""

import json
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tolman.item_table import write_items
from tolman.items import Item

TESTS = Path(__file__).resolve().parents[1]


def write_letters(
    folder: Path,
    count: int,
    *,
    card: Mapping[str, str] | None = None,
    question: str = "Question {}?",
    order: int = 1,
    **fields: Any,
) -> Path:
    """Write a benchmark of so many choices, the first option of which is right; gives the folder around it.

    Args:
        folder: of the benchmark.
        count: of its questions.
        card: what benchmark.json says.
        question: with a place for the number.
        order: -1 for the last first.
        fields: more of each item's fields; a function gets the number.
    """
    folder.mkdir(parents=True)
    (folder / "benchmark.json").write_text(json.dumps(card or {"title": "Letters"}))
    fields = {"kind": "choice", "answer": "A", "options": ("x", "y"), "task": "t"} | fields
    items = [
        Item(id=str(i), question=question.format(i), **{k: v(i) if callable(v) else v for k, v in fields.items()})
        for i in range(count)
    ]
    write_items(folder / "items.parquet", items[::order])
    return folder.parent


def write_directions(folder: Path, count: int) -> Path:
    """Write questions with the prompts and the rule sets of VSI-Bench, whose presets allow 16 tokens; B is right."""
    return write_letters(
        folder, count, card={"title": "Mine", "scoring_profile": "vsi-bench"}, question="Where is the sofa {}?",
        answer="B", task="route_planning", scene=str, options=("Turn Left", "Turn Right", "Turn Back"),
    )  # fmt: skip


def bench(folder: Path, count: int) -> None:
    """A benchmark folder of so many questions, which are not those of a folder of another name."""
    write_letters(
        folder, count, card={"title": f"Letters {folder.name}"}, question=f"Question {folder.name} {{}}?",
        task=lambda i: f"t{i % 3}", scene=lambda i: str(i % 20),
    )  # fmt: skip


def committed(store: Path) -> int:
    """How many answers a response store holds; 0 where there is none yet, or no table in it."""
    if not store.exists():
        return 0
    db = sqlite3.connect(store)
    try:
        return int(db.execute("SELECT COUNT(*) FROM responses").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        db.close()


@contextmanager
def serving_process(latency: float) -> Iterator[str]:
    """The loopback server's address."""
    command = [sys.executable, str(TESTS / "loopback.py"), "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def asked_twice(url: str, wanted: int) -> int:
    """How many requests came besides one for each of the wanted questions, all of which must have come."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
        seen = json.load(reply)
    assert seen["distinct"] == wanted
    return int(seen["requests"]) - wanted
