"""What `tolman store` does."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table as RichTable

from tolman.errors import UsageError
from tolman.files import atomic_write
from tolman.runs.store import open_store


def print_summary(console: Console, path: Path | None, *, as_json: bool) -> None:
    """The answers of each model, and the file they are in."""
    store = open_store(path, existing=True)
    rows = store.summary()
    if as_json:
        content = [{"model": m, "answers": n, "first": a, "last": b} for m, n, a, b in rows]
        console.file.write(json.dumps({"store": str(store.path), "models": content}, indent=2) + "\n")
        return
    grid = RichTable(box=None, pad_edge=False)
    for heading in ("model", "answers", "first", "last"):
        grid.add_column(heading, justify="right" if heading == "answers" else "left")
    for model, count, first, last in rows:
        grid.add_row(model, f"{count:,}", _day(first), _day(last))
    console.print(grid)
    size = store.path.stat().st_size / 1e6
    console.print(f"{store.path}: {size:.1f} MB", markup=False, highlight=False, soft_wrap=True)


def prune(console: Console, path: Path | None, *, model: str | None, days: float | None, everything: bool) -> None:
    """Delete answers.

    Raises:
        UsageError: nothing says which.
    """
    if not (model or days is not None or everything):
        raise UsageError("say which answers: --model NAME, --older-than DAYS, or --all.")
    before = None if days is None else time.time() - 86_400 * days
    deleted = open_store(path, existing=True).prune(model=model, before=before)
    console.print(f"Deleted: {deleted:,} answers.", highlight=False)


def export(console: Console, path: Path | None, out: Path) -> None:
    """Write all rows as JSONL, whole or not at all."""
    count = 0
    with atomic_write(out) as partial, partial.open("w", encoding="utf-8") as file:
        for row in open_store(path, existing=True).export():
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    console.print(f"Written: {count:,} answers to {out}.", markup=False, highlight=False, soft_wrap=True)


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
