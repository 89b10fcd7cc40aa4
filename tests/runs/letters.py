"""Small benchmarks of letters, and the loopback server as a process of its own that counts what it is asked."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tolman.item_table import write_items
from tolman.items import Item

TESTS = Path(__file__).resolve().parents[1]


def bench(folder: Path, count: int) -> None:
    """A benchmark folder of so many questions, which are not those of a folder of another name."""
    folder.mkdir(parents=True)
    (folder / "benchmark.json").write_text(json.dumps({"title": f"Letters {folder.name}"}))
    items = [
        Item(id=str(i), question=f"Question {folder.name} {i}?", kind="choice", answer="A", options=("x", "y"),
             task=f"t{i % 3}", scene=str(i % 20))
        for i in range(count)
    ]  # fmt: skip
    write_items(folder / "items.parquet", items)


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
