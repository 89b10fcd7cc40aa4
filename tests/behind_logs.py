"""The questions that the logs are about, in the shape in which their benchmark is released.

Where the rows behind a log stand beside it they are taken; otherwise what the log says of its questions is written as the
release has it. What a log doesn't say (pictures, scenes) is made up.
"""

import csv
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from released_rows import ENCODED
from tolman.runs.logs.log import Log, LogRow, read_logs

LMMS = "lmms-eval-0.7.3/20261122_102642_samples_"
ZIP = "easi/from-lmms-eval/easi_results.zip"
Rows = Iterable[dict[str, Any]]


def _written(path: Path, rows: Rows) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row) for row in rows))


def _logged(interchange: Path, task: str) -> Log:
    (log,) = read_logs(interchange / f"{LMMS}{task}.jsonl")
    return log


def _asked(row: LogRow) -> str:
    assert row.prompt is not None
    return row.prompt


def vsi_bench(interchange: Path, folder: Path) -> None:
    _written(folder / "test.jsonl", json.loads((interchange / "inputs/vsi_rows.json").read_text()))


def mmsi_bench(interchange: Path, folder: Path) -> None:
    shutil.copy(interchange / "inputs/mmsi_bench.parquet", folder)


def site(interchange: Path, folder: Path) -> None:
    for part, rows in json.loads((interchange / "inputs/site_rows.json").read_text()).items():
        (folder / f"{part}_test.json").write_text(json.dumps(rows))


def blink(interchange: Path, folder: Path) -> None:
    """All fourteen tasks, whose logs are in EASI's archive."""
    for log in read_logs(interchange / ZIP):
        if log.task.startswith("blink_"):
            rows = list(_blink_rows(log.rows))
            _written(folder / rows[0]["sub_task"] / "val.jsonl", rows)


def _blink_rows(rows: Iterable[LogRow]) -> Iterator[dict[str, Any]]:
    for row in rows:
        prompt = _asked(row).partition("\n")[2]  # what stands before it is lmms-eval's
        yield {
            "idx": row.id,
            "question": prompt.partition("\n")[0],
            "sub_task": row.labels["sub_task"],
            "image_1": ENCODED,
            "choices": re.findall(r"^\([A-E]\) (.*)$", prompt, re.MULTILINE),
            "answer": f"({row.target})",
            "prompt": prompt,
        }


def mindcube(interchange: Path, folder: Path) -> None:
    _written(folder / "raw/MindCube_tinybench.jsonl", (
        {
            "id": f"{row.labels['type']}_group{row.order}_q0",
            "question": _asked(row).replace("<image>\n", ""),
            "images": [f"other_all_image/{row.labels['type']}/group{row.order}/{side}.png" for side in "ab"],
            "gt_answer": row.target,
        }
        for row in _logged(interchange, "mindcube_tiny").rows
    ))  # fmt: skip


def viewspatial(interchange: Path, folder: Path) -> None:
    rows = []
    for row in _logged(interchange, "viewspatial").rows:
        asked = re.fullmatch(r"Question: (.*)\nChoices: (.*)\nReply only.*", _asked(row), re.DOTALL)
        assert asked
        rows.append({"question_type": row.labels["question_type"], "image_path": [f"val2017/{row.order}.jpg"],
                     "question": asked[1], "choices": asked[2], "answer": row.target})  # fmt: skip
    (folder / "ViewSpatial-Bench.json").write_text(json.dumps(rows))


def embspatial(interchange: Path, folder: Path) -> None:
    rows = [
        {
            "data_source": row.labels["data_source"],
            "scene_id": f"s{row.order}",
            "question_id": row.id,
            "question": _asked(row).split("\n")[1],
            "relation": row.labels["sub_task"],
            "image": ENCODED,
            "answer_options": re.findall(r"^[A-D]\) (.*)$", _asked(row), re.MULTILINE),
            "answer": "ABCD".index(str(row.target)),
        }
        for row in _logged(interchange, "embspatial").rows
    ]
    (folder / "embspatial_bench.json").write_text(json.dumps(rows))


def threedsrbench(interchange: Path, folder: Path) -> None:
    rows = []
    for row in _logged(interchange, "3dsrbench_circular").rows:
        options = dict(re.findall(r"^([A-D])\. (.*)$", _asked(row), re.MULTILINE))
        question = _asked(row).partition("\n")[0].removeprefix("Question: ")
        cells = {letter: options.get(letter, "") for letter in "ABCD"}
        rows.append({"index": row.id, "qid": row.id, "question": question, **cells, "answer": row.target,
                     "category": row.labels["category"], "image": ENCODED})  # fmt: skip
    with (folder / "3dsrbench_v1_vlmevalkit_circular.tsv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)


def tiny_mc(interchange: Path, folder: Path) -> None:
    _inspected(next((interchange / "inspect").glob("*tiny-mc*.json")), folder)


def tiny_number(interchange: Path, folder: Path) -> None:
    _inspected(next((interchange / "inspect").glob("*tiny-number*.eval")), folder)


def _inspected(path: Path, folder: Path) -> None:
    (log,) = read_logs(path)
    rows = []
    for row in log.rows:
        question, *choices = _asked(row).split("\n")
        rows.append({"id": row.id, "question": question, "choices": choices, "answer": row.target, "scene": row.scene,
                     "question_type": row.labels["question_type"]})  # fmt: skip
    _written(folder / "rows.jsonl", rows)


def tinygen(interchange: Path, folder: Path) -> None:
    shutil.copy(interchange / "lmms-eval-task/tasks/tinygen/data/test.parquet", folder)


def tracked(interchange: Path, folder: Path) -> None:
    table = json.loads((interchange / "wandb/samples.table.json").read_text())
    _written(folder / "rows.jsonl", (dict(zip(table["columns"], values, strict=True)) for values in table["data"]))


def four_of_embspatial(folder: Path) -> None:
    """Four questions of EmbSpatial-Bench in the released form, about which EvalScope and lighteval wrote logs."""
    rows = [
        {
            "data_source": ("ai2thor", "mp3d")[number % 2],
            "scene_id": f"s{number}",
            "question_id": f"{('ai2thor', 'mp3d')[number % 2]}_{number}",
            "question": f"How are the {one} and the {other} positioned?",
            "relation": ("left", "right")[number // 2],
            "image": ENCODED,
            "answer_options": ["left of it", "right of it", "above it", "under it"],
            "answer": number % 2,
        }
        for number, (one, other) in enumerate(
            (("chair", "table"), ("lamp", "sofa"), ("plant", "shelf"), ("bed", "door"))
        )
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "embspatial_bench.json").write_text(json.dumps(rows))


WRITERS: dict[str, Callable[[Path, Path], None]] = {
    "vsi-bench": vsi_bench, "mmsi-bench": mmsi_bench, "site": site, "blink": blink, "mindcube": mindcube,
    "viewspatial": viewspatial, "embspatial": embspatial, "3dsrbench": threedsrbench, "tiny-mc": tiny_mc,
    "tiny-number": tiny_number, "tinygen": tinygen, "tracked": tracked,
}  # fmt: skip
"""Benchmark → what writes the questions of the logs into a folder."""
MADE_UP = ("tiny-mc", "tiny-number", "tinygen", "tracked")
"""Benchmarks that are no package's: data files beside this one."""
