"""Writing a generated benchmark as a folder that `tolman run` and `datasets.load_dataset` open."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import tolman
from tolman.errors import InputError
from tolman.files import link_or_copy, write_text
from tolman.generate.build import Collected, Entry, items_of, sources_in
from tolman.generate.pictures import FOLDER, take_out
from tolman.generate.settings import Preset
from tolman.generate.unguessed import FEWEST, FEWEST_SCENES, SLACK
from tolman.item_table import write_items
from tolman.items import Item

SHARD = 20_000
CONFIGS = """configs:
- config_name: default
  data_files:
  - split: test
    path: data/test-*.parquet
"""
"""What tells `datasets.load_dataset` which files hold the rows."""


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
    write_shards(out, with_media(items, source, out), len(chosen))
    statistics = statistics_of(chosen, collected)
    provenance = {
        "tolman": tolman.__version__,
        "scenes": str(source),
        "seed": seed,
        "preset": preset.written(),
        "statistics": statistics,
    }
    write_text(out / "provenance.json", json.dumps(provenance, indent=2, ensure_ascii=False) + "\n")
    card = {"name": out.name, "title": f"{out.name} ({preset.name})"} | ({"like": like} if like else {})
    write_text(out / "benchmark.json", json.dumps(card, indent=2) + "\n")
    write_text(out / "README.md", _card(out.name, len(chosen), statistics, preset, seed))
    return statistics


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


def _card(name: str, count: int, statistics: dict[str, Any], preset: Preset, seed: int) -> str:
    rows = "\n".join(f"| {task} | {n['taken']} | {n['offered']} |" for task, n in statistics["tasks"].items())
    return f"""---
license: other
task_categories: [visual-question-answering]
{CONFIGS}---
# {name}

{count:,} questions from {statistics["scenes"]:,} scenes, generated by tolman {tolman.__version__} with the preset
`{preset.name}` and seed {seed}. `provenance.json` holds all settings and counts; each row's `evidence` holds what makes
its answer true. Evaluate with `tolman run ./{name}`.

| question type | questions | offered by the scenes |
|---|---:|---:|
{rows}

## Shortcut filtering

{_filtering(statistics, preset)}

## Frames

`needed_frames` in a row's `evidence` names the frames of the video that carry its answer, and the fewest evenly taken
frames that show all of them; a row without it doesn't say. `tolman run` counts the rows that can't be answered from the
frames that it shows.
"""


def _filtering(statistics: dict[str, Any], preset: Preset) -> str:
    """What was left out because it can be guessed, by which learners, measured how."""
    if not preset.share.turns:
        return "Nothing was left out because it can be guessed: shortcut filtering was off."
    tasks = statistics["tasks"]
    filtered = {task: n["filtered"] for task, n in tasks.items() if "filtered" in n}
    rows = "\n".join(
        f"| {task} | {n['asked']:,} | {n['kept']:,} | {'yes' if n['learned'] else 'no: too few'} |"
        for task, n in filtered.items()
    )
    others = [task for task, n in tasks.items() if n["taken"] and task not in filtered]
    numbers = f" Questions that ask for a number are not filtered: {', '.join(others)}." if others else ""
    return f"""Choices were left out that learners guess without the media, up to {preset.share.turns} rounds for each
question type, until each learner was right as often as by chance. The learners: a random forest, gradient boosting and,
where options are no closed list, logistic regression, all on statistics of which words and options went with which
answers; logistic regression on the question's words, where they are; the most frequent option; and for questions of
several pictures, the same with what one picture tells. Each is asked about scenes that it wasn't taught on (five folds,
the mean of three draws of them after the first two rounds), and may be off chance by {SLACK:.1%} of the questions and
half a standard error. Types of fewer than {FEWEST} questions or {FEWEST_SCENES} scenes teach nobody: of those, only
what a single picture suggests too often is left out.{numbers}

| question type | guessed | kept | learners taught |
|---|---:|---:|---|
{rows}

At chance means at chance for these learners with these scenes. Other learners, or the same with more scenes of the same
kind, may get more: measure a text-only model on your own copy before you call an answer seen."""
