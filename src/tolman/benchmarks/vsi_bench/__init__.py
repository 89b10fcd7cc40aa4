"""VSI-Bench (Yang et al., "Thinking in Space", 2024): its prompts, rule sets and main table.

Source of the prompts: vision-x-nyu/thinking-in-space, lmms_eval/tasks/vsibench/{utils.py,vsibench.yaml} and
evaluate_all_in_one.sh; the paper's Tables 8 (frames) and 9 (prompts), which differ in the places named below.

The rule sets hold the released parser (`scoring.readers.video_benchmarks`) and metric, quirks included. lmms-eval and
VLMEvalKit (and EASI, which runs either) have the same metric and other parsers.

The main table (Figure 5 of the paper) has the order in which the released code logs it. Relative direction is the
unweighted mean of its three difficulties (217, 378 and 373 questions). The average is the unweighted mean of the eight
tasks. Both are as in the released code.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from tolman.benchmarks.rows import (
    Row,
    check_fields,
    check_known,
    check_unique,
    find_files,
    listed_options,
    make_item,
    matching,
    one_version,
    read_rows,
    whole,
)
from tolman.benchmarks.spec import BenchmarkSpec, HubSource, PromptPreset
from tolman.errors import InputError
from tolman.items import Item, Media, Unit
from tolman.media.sampling import Frames
from tolman.messages import Message, Sampling
from tolman.scoring.answer_values import mra_vsi_bench
from tolman.scoring.readers import harnesses, video_benchmarks
from tolman.scoring.readers.video_benchmarks import read_first_token as read_official
from tolman.scoring.rule_sets import RuleSet, careful, kind_and_answer, score_exactly, score_in_floats
from tolman.scoring.score_table import Column, Mean, Table, pool

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
TURNS = {"left": "Turn Left", "right": "Turn Right", "back": "Turn Back"}
"""The answers of route planning, by sector."""
_WHAT = "VSI-Bench questions"
_PARTS = ("debiased", "pruned")
"""Configurations of the release that are parts of the whole."""
_QUESTION_TYPES = (*NUMBER_UNITS, *CHOICE_TASKS)
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
        tiny = tiny_ids()
        return [item for item in items if item.id in tiny]
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
    check_known(path, number, task, _QUESTION_TYPES, "question type of VSI-Bench", "question_type")
    common = {
        "id": str(row["id"]),
        "question": row["question"],
        "answer": row["ground_truth"],
        "task": task,
        "labels": {"dataset": row["dataset"]},
        "scene": f"{row['dataset']}/{row['scene_name']}",
        "media": _video(f"{row['dataset']}/{row['scene_name']}.mp4"),
    }
    if task in NUMBER_UNITS:
        return make_item(path, number, kind="number", unit=NUMBER_UNITS[task], **common)
    options = _texts(path, number, listed_options(path, number, row))
    return make_item(path, number, kind="choice", options=options, **common)


@lru_cache(maxsize=1024)
def _video(path: str) -> tuple[Media]:
    """A scene's video, which all of its questions share."""
    return (Media(kind="video", path=path),)


def _texts(path: Path, number: int, options: list[str]) -> tuple[str, ...]:
    texts = []
    for letter, option in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", options, strict=False):
        if not str(option).startswith(f"{letter}. "):
            raise InputError(path, f"{option!r} doesn't start with '{letter}. '", row=number, field="options")
        texts.append(str(option)[3:])
    return tuple(texts)


def tiny_ids() -> set[str]:
    """The ids of the subset tiny."""
    return _ids("tiny_ids.json")


def _ids(name: str) -> set[str]:
    text = files("tolman.benchmarks.vsi_bench").joinpath(name).read_text(encoding="utf-8")
    return {str(number) for number in json.loads(text)["ids"]}


PRE_PROMPT = "These are frames of a video."
CHOICE_POST = "Answer with the option's letter from the given choices directly."
NUMBER_POST_OPEN = "Please answer the question using a single word or phrase."
NUMBER_POST_API = "Do not response anything other than a single number!"  # sic, in the released code
NUMBER_POST_API_PAPER = "Do not respond with anything other than a single number!"  # Table 9
NUMBER_POST_FLOAT = "Answer briefly and directly in one float number."  # VLMEvalKit, EASI, SenseNova-SI

# Branch cogmap, lmms_eval/models/gemini_api.py (first turn) and tasks/vsibench/utils.py (second turn).
MAP_PROMPT = """\
[Task]
This video captures an indoor scene. Your objective is to identify specific objects within the video, understand the \
spatial arrangement of the scene, and estimate the center point of each object, assuming the entire scene is \
represented by a {grid}x{grid} grid.

[Rule]
1. We provide the categories to care about in this scene: {categories}. Focus ONLY on these categories.
2. Estimate the center location of each instance within the provided categories, assuming the entire scene is \
represented by a {grid}x{grid} grid.
3. If a category contains multiple instances, include all of them.
4. Each object's estimated location should accurately reflect its real position in the scene, preserving the relative \
spatial relationships among all objects.

[Output]
Present the estimated center locations for each object as a list within a dictionary.
STRICTLY follow this JSON format:
{{"category name": [(x_1, y_1), ...], ...}}"""
MAP_ANSWER = (
    "According to the original video and the predicted objects' center locations, answer the following question:"
)

_GREEDY = Sampling(temperature=0.0, top_p=1.0, max_tokens=16)
_CODE = "released code"
PRESETS = (
    PromptPreset("open", f"{_CODE}; Table 8 and 9, open-source models", Frames(count=32), _GREEDY),
    PromptPreset(
        "internvl2-script",
        "evaluate_all_in_one.sh runs InternVL2 with 8 frames; Table 8 says 32",
        Frames(count=8),
        _GREEDY,
    ),
    PromptPreset("gpt-4o", f"{_CODE}; Table 8", Frames(count=16), _GREEDY, {"number_post": NUMBER_POST_API}),
    PromptPreset("gemini", f"{_CODE}; whole video", Frames(whole=True), _GREEDY, {"number_post": NUMBER_POST_API}),
    PromptPreset("gpt-4o-paper", "Tables 8 and 9", Frames(count=16), _GREEDY, {"number_post": NUMBER_POST_API_PAPER}),
    PromptPreset("gemini-paper", "Tables 8 and 9", Frames(whole=True), _GREEDY, {"number_post": NUMBER_POST_API_PAPER}),
    PromptPreset(
        "vlmevalkit",
        "VLMEvalKit and EASI, which take each model's own limit of tokens: here EASI's for SenseNova-SI",
        Frames(count=32),
        Sampling(temperature=0.0, max_tokens=2048),
        {"number_post": NUMBER_POST_FLOAT},
    ),
)


def prompt(item: Item, preset: PromptPreset) -> Message:
    """[frames][pre-prompt][question][options][post-prompt], joined by new lines."""
    return Message(parts=(*item.media, f"{PRE_PROMPT}\n{_question(item, preset)}"))


def blind_prompt(item: Item, preset: PromptPreset) -> Message:
    """'Vision disabled': the question's text only, without the sentence about frames."""
    return Message(parts=(_question(item, preset),))


def question(item: Item, preset: PromptPreset, sees: bool) -> Message:
    """The prompt without its post-prompt."""
    text = _open_question(item)
    return Message(parts=(*item.media, f"{PRE_PROMPT}\n{text}") if sees else (text,))


def demand(item: Item, preset: PromptPreset) -> str:
    """The post-prompt."""
    return preset.texts.get("number_post", NUMBER_POST_OPEN) if item.kind == "number" else CHOICE_POST


def _question(item: Item, preset: PromptPreset) -> str:
    return f"{_open_question(item)}\n{demand(item, preset)}"


def _open_question(item: Item) -> str:
    if item.kind == "number":
        return item.question
    return "\n".join([item.question, "Options:", *item.lettered_options])


def undefined(item: Item) -> str | None:
    """Why the released metric has no score for an item: it divides by the answer."""
    return "the released metric divides by it" if item.kind == "number" and not item.exact_answer else None


RULE_SETS = (
    RuleSet("official", read_official, score_in_floats(mra_vsi_bench), undefined=undefined, alike=kind_and_answer),
    careful(score=score_exactly),
    RuleSet("lmms-eval", video_benchmarks.read_lmms_eval_vsi, score_in_floats(mra_vsi_bench), undefined=undefined),
    RuleSet("vlmevalkit", harnesses.read_easi, score_in_floats(mra_vsi_bench), undefined=undefined),
)


_DIRECTION = Mean(tuple(pool(f"object_rel_direction_{level}") for level in ("easy", "medium", "hard")))
_TASKS = (
    Column("object_count", "Obj. Count", pool("object_counting"), group="Numerical Answer"),
    Column("abs_distance", "Abs. Dist.", pool("object_abs_distance"), group="Numerical Answer"),
    Column("object_size", "Obj. Size", pool("object_size_estimation"), group="Numerical Answer"),
    Column("room_size", "Room Size", pool("room_size_estimation"), group="Numerical Answer"),
    Column("rel_distance", "Rel. Dist.", pool("object_rel_distance"), group="Multiple-Choice Answer"),
    Column("rel_direction", "Rel. Dir.", _DIRECTION, group="Multiple-Choice Answer"),
    Column("route_plan", "Route Plan", pool("route_planning"), group="Multiple-Choice Answer"),
    Column("appearance_order", "Appr. Order", pool("obj_appearance_order"), group="Multiple-Choice Answer"),
)
TABLE = Table((*_TASKS, Column("average", "Avg.", Mean(tuple(c.node for c in _TASKS)), digits=2)), headline="average")


BENCHMARK = BenchmarkSpec(
    name="vsi-bench",
    title="VSI-Bench",
    paper="Yang et al., Thinking in Space, 2024",
    licence="Apache-2.0 (questions)",
    subsets=SUBSETS,
    load=load,
    prompt=prompt,
    blind_prompt=blind_prompt,
    presets=PRESETS,
    rule_sets=RULE_SETS,
    table=TABLE,
    published=Path(__file__).with_name("published.csv"),
    hub=HubSource(
        "nyu-visionx/VSI-Bench",
        ("full/test*.parquet|test-*.parquet|test.parquet|test.jsonl|*/test*.parquet|test_*.parquet",),
        "668dd47863a49c6ee50946df1bf085a039fc95cd",
        media=("*.zip",),
    ),
    sizes={"full": 5130, "debiased": 2362, "tiny": 392},
    subset_ids={"tiny": tiny_ids},
    question=question,
    demand=demand,
    needs_positive_truths=True,
)
