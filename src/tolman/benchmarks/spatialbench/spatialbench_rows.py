"""SpatialBench's released rows as Items, and its fifteen task types on five cognitive levels.

Source: XPR2004/SpatialBench (Apache-2.0): QA.txt of 2025-11-26 (the paper's set), QA.txt of 2026-03-17, and
QA_fewshot.txt, which adds reasoning and key frames to fifteen rows of the first. The task types are in
evaluate_benchmark_results.py and in section 3 of the paper.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tolman.benchmarks.rows import Row, check_fields, check_unique, find_file, listed_options, make_item, read_rows
from tolman.errors import InputError
from tolman.items import Item, Media, Unit

SUBSETS = {
    "v1": "the paper's set of 2025-11-26, 1,347 questions",
    "v2": "the set of 2026-03-17, 3,193 questions",
    "few-shot": "v1 with reasoning and key frames on fifteen exemplars",
}
_FILES = {
    "v1": ("QA_v1*.txt", "QA_v1*.json", "QA_fewshot.txt", "QA.txt"),
    "v2": ("QA.txt", "QA_v2*.txt"),
    "few-shot": ("QA_fewshot.txt",),
}
_FIRST_OF_V2 = 20_000
"""Ids of v1 are 10001 to 11353; those that v2 adds begin at 20001."""
_WHOLE = 1_000
"""Questions from which a file is taken for a whole release, and not for a part of one."""
_REQUIRED = ("problem_id", "problem", "problem_type", "original_question_type", "solution", "path", "scene_type")
_OPTIONAL = ("options", "reason", "keyframes")
_ANSWER_TAG = re.compile(r"<answer>(.*?)</answer>", re.DOTALL | re.IGNORECASE)
_UNITS: tuple[tuple[re.Pattern[str], Unit], ...] = (
    (re.compile(r"\bsq\w*\.?[\s-]+m(?:et(?:er|re)s?)?\b|\bm\^?2\b|m²", re.IGNORECASE), "m2"),
    (re.compile(r"centimet(?:er|re)s?|\bcm\b", re.IGNORECASE), "cm"),
    (re.compile(r"\bmet(?:er|re)s?\b|\bm\b", re.IGNORECASE), "m"),
)
_OTHER_UNITS = re.compile(r"\bhow many seconds\b|\bsquare f(?:oo|ee)t", re.IGNORECASE)
_ASKED = re.compile(r"\b(?:what|how|estimate|calculate|find|give|determine)\b", re.IGNORECASE)


def load(folder: Path, subset: str) -> list[Item]:
    """The questions of a subset, in the file's order.

    Args:
        folder: with the released QA file.
        subset: a key of `SUBSETS`.

    Raises:
        InputError: a row that is not the benchmark's.
    """
    path = find_file(folder, _FILES[subset], f"SpatialBench questions ({subset})")
    items = []
    for number, row in enumerate(read_rows(path), start=1):
        sample = row.get("sample", row)
        if not isinstance(sample, dict):
            raise InputError(path, "is no object", row=number, field="sample")
        items.append(_item(path, number, sample))
    check_unique(path, items)
    _check_version(path, items, subset)
    return items


def _check_version(path: Path, items: Sequence[Item], subset: str) -> None:
    """Make sure that a file is the version that a subset is of, by the ids that only version 2 has.

    Raises:
        InputError: it is the other one.
    """
    later = next((item for item in items if item.id.isdigit() and int(item.id) >= _FIRST_OF_V2), None)
    if subset != "v2" and later is not None:
        raise InputError(path, f"holds v2: the question {later.id} is not in v1", fix="ask for the subset v2")
    if subset == "v2" and later is None and len(items) >= _WHOLE:
        raise InputError(path, f"holds v1: none of its {len(items):,} questions is new in v2", fix="ask for v1")
    if subset == "few-shot" and len(items) >= _WHOLE and not any(item.reasoning for item in items):
        raise InputError(path, "holds no row with reasoning: it is not the few-shot file", fix="give QA_fewshot.txt")


def examples(folder: Path) -> dict[str, Item]:
    """For each question type the released example that has reasoning and key frames.

    Raises:
        InputError: the folder lacks QA_fewshot.txt, or it holds no example.
    """
    found: dict[str, Item] = {}
    for item in load(folder, "few-shot"):
        numbers = item.evidence.get("keyframes")
        if item.reasoning and numbers:
            if not isinstance(numbers, list) or not all(type(n) is int and n >= 0 for n in numbers):
                raise InputError(folder, "are no numbers of frames", row=item.id, field="keyframes")
            found.setdefault(repair_task_name(item.task), item)
    if not found:
        raise InputError(folder, "holds no row with reasoning and key frames", fix="give the released QA_fewshot.txt")
    return found


def unit_asked(task: str, question: str) -> Unit | None:
    """Return the unit in which a numerical question wants its answer; None for seconds and square feet.

    Only the text after the asking word counts: sizes given as a hint come first ("If the tiles are 60 cm squares, …").
    Lengths without a unit are in centimetres throughout the release.
    """
    if repair_task_name(task) == "object_counting":
        return "count"
    if _OTHER_UNITS.search(question):
        return None
    asked = [match.start() for match in _ASKED.finditer(question)]
    tail = question[asked[-1] :] if asked else question
    default: Unit = "m2" if repair_task_name(task) == "room_size" else "cm"
    return next((unit for pattern, unit in _UNITS if pattern.search(tail)), default)


def _item(path: Path, number: int, row: Row) -> Item:
    check_fields(path, number, row, _REQUIRED, _OPTIONAL)
    task, question = row["original_question_type"], row["problem"]
    if repair_task_name(task) not in LEVEL_OF:
        known = f"known: {', '.join(LEVEL_OF)}"
        what = f"{task!r} is no question type of SpatialBench"
        raise InputError(path, what, row=number, field="original_question_type", fix=known)
    solution = str(row["solution"])
    tagged = _ANSWER_TAG.search(solution)
    common = {
        "id": str(row["problem_id"]),
        "question": question,
        "answer": (tagged[1] if tagged else solution).strip(),
        "task": task,
        "labels": {
            "level": LEVEL_OF[repair_task_name(task)],
            "scene_type": row["scene_type"],
            "problem_type": str(row["problem_type"]).replace(" ", "_"),
        },
        "scene": row["path"],
        "media": (Media(kind="video", path=str(row["path"]).removeprefix("./")),),
        "reasoning": row.get("reason"),
        "evidence": {"keyframes": row["keyframes"]} if row.get("keyframes") else {},
    }
    if common["labels"]["problem_type"] == "multiple_choice":
        texts = tuple(re.sub(r"\A[A-Z]\.\s*", "", str(option)) for option in listed_options(path, number, row))
        return make_item(path, number, kind="choice", options=texts, **common)
    return make_item(path, number, kind="number", unit=unit_asked(task, question), **common)


LEVELS: dict[str, tuple[str, ...]] = {
    "observation_and_measurement": ("object_counting", "object_size", "room_size", "absolute_distance"),
    "topology_and_composition": (
        "appearance_order",
        "appearance_order_on_self-defined_route",
        "relative_distance",
        "relative_direction",
        "relative_counting",
    ),
    "symbolic_visual_reasoning": (
        "multi-hop_spatial_reasoning",
        "affordance",
        "landmark-constrained_pose_localization",
    ),
    "spatial_causality": ("spatial_causal_reasoning",),
    "spatial_planning": ("visual_based_commands", "route_plan"),
}
LEVEL_OF = {task: level for level, tasks in LEVELS.items() for task in tasks}
WEIGHTS = {
    "observation_and_measurement": 0.0944,
    "topology_and_composition": 0.1564,
    "symbolic_visual_reasoning": 0.1759,
    "spatial_causality": 0.2592,
    "spatial_planning": 0.3141,
}
"""The released MAJOR_CATEGORY_WEIGHTS; with them all printed Scores of the paper come out within 0.005."""

_NUMBER = re.compile(r"(?:(?:level|l)(?:[\s_.:]*|-|\s+-\s+))?(\d{1,2})(?![\da-z]|[.,]\d|\s*[-–/]\s*\d)", re.IGNORECASE)
"""A whole number of one or two digits, after the word or not: no negative one, no fraction, no range."""
_NUMBER_OF = {level: number for number, level in enumerate(LEVELS, start=1)}


def repair_task_name(task: str) -> str:
    """The task that a released type means: 34 rows of the paper's set spell `visual_Based_commands`."""
    return task.lower()


def cognitive_level(task: str, labels: Mapping[str, str]) -> int | None:
    """The cognitive level of a question, 1 to 5; a set with levels of its own may have others.

    Args:
        task: its question type.
        labels: the first that names a level counts: `level` and `spatialbench_level` in words
            ('symbolic_visual_reasoning') or as a whole number from 1 to 99 ('3', 'L3', 'level 3'), then
            `spatialbench_task`, then `task`.

    Returns:
        The number, or None where none of them names a level.
    """
    named = (labels.get("level", ""), labels.get("spatialbench_level", ""))
    types = (LEVEL_OF.get(repair_task_name(name), "") for name in (labels.get("spatialbench_task", ""), task))
    return next((number for text in (*named, *types) if (number := _level_number(text)) is not None), None)


def _level_number(text: str) -> int | None:
    if (number := _NUMBER.match(text.strip())) is not None:
        return int(number[1]) or None
    return _NUMBER_OF.get(re.sub(r"[\W_]+", "_", text.strip().casefold().replace("&", "and")))
