"""VSI-Bench's released rows as Items.

Source: the data set nyu-visionx/VSI-Bench. Rows are joined on `id`, never on their number: the order of the
full configuration changed on 2025-11-11.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from tolman.benchmarks.question_files import find_files
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
_REQUIRED = ("id", "dataset", "scene_name", "question_type", "question", "ground_truth")
_OPTIONAL = ("options", "pruned")


def load(folder: Path, subset: str) -> list[Item]:
    """The questions of a subset, in the file's order.

    Args:
        folder: with `test-00000-of-00001.parquet`, or the release's `test.jsonl`.
        subset: a key of `SUBSETS`.

    Raises:
        InputError: a row that is not the benchmark's.
    """
    paths = find_files(folder, ("test-*.parquet", "test.parquet", "test.jsonl"), "VSI-Bench questions")
    shards = [(path, read_rows(path)) for path in paths]
    rows = [row for _, own in shards for row in own]
    items = [_item(path, number, row) for path, own in shards for number, row in enumerate(own, start=1)]
    check_unique(paths[0], items)
    if subset == "tiny":
        return _only(items, _ids("tiny_ids.json"))
    if subset == "debiased":
        flagged = {str(row["id"]) for row in rows if row.get("pruned")}
        pruned = flagged or _ids("pruned_ids.json")
        return [item for item in items if item.id not in pruned]
    return items


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
