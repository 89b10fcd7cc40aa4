"""Writing a generated benchmark as a folder that `tolman run` and `datasets.load_dataset` open."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import tolman
from tolman import benchmarks
from tolman.errors import InputError
from tolman.files import link_or_copy, write_text
from tolman.generate.build import Collected, Entry, items_of, sources_in
from tolman.generate.card import card
from tolman.generate.pictures import FOLDER, take_out
from tolman.generate.settings import Preset
from tolman.item_table import write_items
from tolman.items import Item
from tolman.media.needed import FrameCount, count_answerable
from tolman.media.sampling import Frames

SHARD = 20_000
BUDGETS = (8, 16, 32, 64)
"""Frames of a video for which a card says how many questions they answer."""


def publish(
    out: Path,
    chosen: Sequence[Entry],
    collected: Collected,
    preset: Preset,
    seed: int,
    source: Path,
    *,
    choices: bool = False,
    workers: int = 1,
) -> dict[str, Any]:
    """Write items in shards, their videos where the collection has them, their pictures, card, settings and statistics.

    Args:
        out: the benchmark's folder.
        chosen, collected: its questions, and what they were selected from.
        preset, seed: they were made with.
        source: the collection's folder.
        choices: numerical questions in their multiple-choice form.
        workers: processes that take pictures out of videos.

    Returns:
        The statistics.

    Raises:
        InputError: the folder holds something else, or a video that pictures are in can't be read.
    """
    check_place(out)
    like = None if choices else preset.like
    shutil.rmtree(out / FOLDER, ignore_errors=True)
    names = take_out(sources_in(chosen, collected), source, out, workers)
    items = items_of(chosen, collected, seed, choices=choices, names=names, like=like)
    budgets = _Budgets(benchmarks.get(like).presets[0].frames.rounding if like else "down")
    write_shards(out, with_media(budgets.counted(items), source, out), len(chosen))
    statistics = statistics_of(chosen, collected) | {"frames": budgets.written()}
    provenance = {
        "tolman": tolman.__version__,
        "scenes": str(source),
        "seed": seed,
        "preset": preset.written(),
        "statistics": statistics,
    }
    write_text(out / "provenance.json", json.dumps(provenance, indent=2, ensure_ascii=False) + "\n")
    about = {"name": out.name, "title": f"{out.name} ({preset.name})"} | ({"like": like} if like else {})
    write_text(out / "benchmark.json", json.dumps(about, indent=2) + "\n")
    write_text(out / "README.md", card(out.name, len(chosen), statistics, preset, seed))
    return statistics


class _Budgets:
    """How many questions about videos can be answered from so many frames.

    Args:
        rounding: how the benchmark's protocol takes frames evenly.
    """

    def __init__(self, rounding: Literal["down", "nearest"]) -> None:
        self.rounding = rounding
        self.counts = dict.fromkeys(BUDGETS, FrameCount())

    def counted(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, counted on their way."""
        for item in items:
            for budget, before in self.counts.items():
                found = count_answerable([item], Frames(count=budget, rounding=self.rounding))
                self.counts[budget] = before.plus(found)
            yield item

    def written(self) -> dict[str, Any]:
        """As JSON values."""
        some = next(iter(self.counts.values()))
        return {
            "rounding": self.rounding,
            "known": some.answerable + some.unanswerable,
            "unknown": some.unknown,
            "answerable": {str(budget): count.answerable for budget, count in self.counts.items()},
        }


def write_shards(out: Path, items: Iterable[Item], count: int) -> None:
    """Write items as `data/test-*.parquet`, in place of what is there.

    Args:
        out: the benchmark's folder.
        items: so many as `count` says.
        count: how many.
    """
    fresh = out / ".data.partial"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    remaining = iter(items)
    shards = -(-count // SHARD)
    for shard in range(shards):
        write_items(fresh / f"test-{shard:05d}-of-{shards:05d}.parquet", islice(remaining, SHARD))
    shutil.rmtree(out / "data", ignore_errors=True)
    fresh.rename(out / "data")


def with_media(items: Iterator[Item], source: Path, out: Path) -> Iterator[Item]:
    """The items, each of their files that the source has put beside them when it is first met, linked or copied."""
    seen: set[str] = set()
    for item in items:
        for media in item.media:
            if media.path not in seen:
                seen.add(media.path)
                _put(source, out, media.path)
        yield item


def _put(source: Path, out: Path, path: str) -> None:
    there, here = source / path, out / path
    inside = there.resolve().is_relative_to(source.resolve()) and here.resolve().is_relative_to(out.resolve())
    if not inside or not there.is_file():
        return
    link_or_copy(there, here)


def check_place(out: Path) -> None:
    """Make sure that a folder is free, or holds a benchmark that was generated here and may be made again.

    Raises:
        InputError: it holds something else, or is a file.
    """
    if out.exists() and not out.is_dir():
        raise InputError(out, "is a file", fix="give a folder with --out")
    if not out.exists() or not any(out.iterdir()):
        return
    try:
        generated = "tolman" in json.loads((out / "provenance.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        generated = False
    if not generated:
        raise InputError(out, "holds other files", fix="give an empty folder with --out")


def statistics_of(chosen: Sequence[Entry], collected: Collected) -> dict[str, Any]:
    """What was generated, and what was rejected and why."""
    tasks = sorted({*collected.offered, *(task for task, _ in collected.rejected)})
    taken = Counter(entry.task for entry in chosen)
    reasons: dict[str, dict[str, int]] = {task: {} for task in tasks}
    for (task, reason), count in sorted(collected.rejected.items()):
        reasons[task][reason] = count
    found: dict[str, Any] = {
        task: {"offered": collected.offered[task], "taken": taken[task], "rejected": reasons[task]} for task in tasks
    }
    for task, filtered in collected.filtered.items():
        found[task]["filtered"] = asdict(filtered)
    return {
        "scenes": collected.scenes,
        "skipped": [f"{s.scene}: {s.reason}" for s in collected.skipped],
        "tasks": found,
    }
