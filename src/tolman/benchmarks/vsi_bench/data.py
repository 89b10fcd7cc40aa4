"""VSI-Bench's released rows as Items.

Source: the data set nyu-visionx/VSI-Bench. Rows are joined on `id`, never on their number: the order of the
full configuration changed on 2025-11-11.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from tolman.benchmarks.question_files import find_files, matching, one_version, whole
from tolman.benchmarks.rows import Row, check_fields, check_unique, make_item, read_rows
from tolman.errors import InputError
from tolman.items import Item, Media, Unit

SUBSETS = {
    "full": "all 5,130 questions",
    "debiased": "VSI-Bench-Debiased: the 2,362 questions that are hard to answer without the video",
    "tiny": "the 392 released questions of VSI-Bench (tiny), on which people were measured",
}
NUMBER_UNITS: dict[str, Unit] = {
    "object_counting": "count",
    "object_abs_distance": "m",
    "object_size_estimation": "cm",
    "room_size_estimation": "m2",
}
CHOICE_TASKS = (
    "object_rel_distance",
    "object_rel_direction_easy",
    "object_rel_direction_medium",
    "object_rel_direction_hard",
    "route_planning",
    "obj_appearance_order",
)
_WHAT = "VSI-Bench questions"
_PARTS = ("debiased", "pruned")
"""Configurations of the release that are parts of the whole."""
_REQUIRED = ("id", "dataset", "scene_name", "question_type", "question", "ground_truth")
_OPTIONAL = ("options", "pruned")


def load(folder: Path, subset: str) -> list[Item]:
    """The questions of a subset, in the file's order.

    Args:
        folder: with the release's questions under any name that they have had: see `question_files`.
        subset: a key of `SUBSETS`.

    Raises:
        InputError: a row that is not the benchmark's.
    """
    paths = question_files(folder, subset)
    shards = [(path, read_rows(path)) for path in paths]
    rows = [row for _, own in shards for row in own]
    items = [_item(path, number, row) for path, own in shards for number, row in enumerate(own, start=1)]
    check_unique(paths[0], items)
    if subset == "tiny":
        return _only(items, _ids("tiny_ids.json"))
    root = folder.parent if folder.is_file() else folder
    if subset == "debiased" and any(_part_of(root, path) != "debiased" for path in paths):
        flagged = {str(row["id"]) for row in rows if row.get("pruned")}
        pruned = flagged or _ids("pruned_ids.json")
        return [item for item in items if item.id not in pruned]
    return items


def question_files(folder: Path, subset: str) -> list[Path]:
    """The files of a subset's questions: `test-*.parquet` in any number of shards, `test.parquet` or `test.jsonl`, in
    the folder or in `full/`; else `test_debiased.parquet` and `test_pruned.parquet` (or shards in `debiased/` and
    `pruned/`), which are the whole together.

    Raises:
        InputError: there are none, or only those of the debiased subset where others are asked for.
    """
    if folder.is_file():
        _refuse_part(folder.parent, folder, subset)
        return whole([folder])
    for pattern in ("full/test-*.parquet", "full/test/*.parquet", "test-*.parquet", "test.parquet", "test.jsonl"):
        found = [path for path in matching(folder, pattern) if not _part_of(folder, path)]
        if found:
            return one_version(folder, found, _WHAT)
    parts = {name: _part_files(folder, name) for name in _PARTS}
    if subset == "debiased" and parts["debiased"]:
        return parts["debiased"]
    if parts["debiased"] and parts["pruned"]:
        return [*parts["debiased"], *parts["pruned"]]
    for path in [*parts["debiased"], *parts["pruned"]]:
        _refuse_part(folder, path, subset)
    return find_files(folder, ("test-*.parquet", "test.parquet", "test.jsonl"), _WHAT)


def _part_files(folder: Path, part: str) -> list[Path]:
    patterns = (f"test_{part}*.parquet", f"{part}/test-*.parquet", f"{part}/test/*.parquet")
    return next((one_version(folder, found, _WHAT) for one in patterns if (found := matching(folder, one))), [])


def _part_of(folder: Path, path: Path) -> str:
    """Which part of the release a file holds by its name: 'debiased', 'pruned', or '' for all of it."""
    places = path.relative_to(folder).parts[:-1]
    return next((part for part in _PARTS if part in places or path.name.startswith(f"test_{part}")), "")


def _refuse_part(folder: Path, path: Path, subset: str) -> None:
    part = _part_of(folder, path)
    if part and not (part == subset == "debiased"):
        held = "the debiased questions" if part == "debiased" else "the questions that VSI-Bench-Debiased leaves out"
        fix = "add the others, or ask for the subset debiased" if part == "debiased" else "add the others"
        raise InputError(path, f"holds {held} only", fix=fix)


def _item(path: Path, number: int, row: Row) -> Item:
    check_fields(path, number, row, _REQUIRED, _OPTIONAL)
    task = str(row["question_type"])
    common = {
        "id": str(row["id"]),
        "question": row["question"],
        "answer": row["ground_truth"],
        "task": task,
        "labels": {"dataset": row["dataset"]},
        "scene": f"{row['dataset']}/{row['scene_name']}",
        "media": (Media(kind="video", path=f"{row['dataset']}/{row['scene_name']}.mp4"),),
    }
    if task in NUMBER_UNITS:
        return make_item(path, number, kind="number", unit=NUMBER_UNITS[task], **common)
    if task in CHOICE_TASKS:
        options = row.get("options")
        if not isinstance(options, list):
            raise InputError(path, "is missing", row=number, field="options", fix="a multiple-choice row needs them")
        return make_item(path, number, kind="choice", options=_texts(path, number, options), **common)
    known = ", ".join([*NUMBER_UNITS, *CHOICE_TASKS])
    raise InputError(
        path, f"{task!r} is no question type of VSI-Bench", row=number, field="question_type", fix=f"known: {known}"
    )


def _texts(path: Path, number: int, options: list[str]) -> tuple[str, ...]:
    texts = []
    for letter, option in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", options, strict=False):
        if not str(option).startswith(f"{letter}. "):
            raise InputError(path, f"{option!r} doesn't start with '{letter}. '", row=number, field="options")
        texts.append(str(option)[3:])
    return tuple(texts)


def _ids(name: str) -> set[str]:
    text = files("tolman.benchmarks.vsi_bench").joinpath(name).read_text(encoding="utf-8")
    return {str(number) for number in json.loads(text)["ids"]}


def _only(items: list[Item], ids: set[str]) -> list[Item]:
    return [item for item in items if item.id in ids]
