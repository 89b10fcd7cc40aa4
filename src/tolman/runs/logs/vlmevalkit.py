"""VLMEvalKit's result files: `<model>_<data>.xlsx` (also .tsv, .csv, .json, .jsonl), with or without its extraction.

Source: open-compass/VLMEvalKit@e8e78f05. A row holds the columns of the data's TSV without the pictures, and
`prediction`. Files of the exact matcher (`…_extract_matching.xlsx`, `…_exact_matching_result.xlsx`) add the reading and
whether it was right. `index` is the benchmark's id in some sets and a row number in others, so that it is checked
against the question (`join`). The pickles of a run are never opened.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tolman.benchmarks.rows import Row, read_rows
from tolman.errors import InputError
from tolman.runs.logs.log import (
    SHEETS,
    Log,
    LogFormat,
    LogRow,
    first_row_of,
    sheet_columns,
    sheet_rows,
    text_or_failure,
)
from tolman.runs.logs.predictions import RAW
from tolman.text_tables import is_list_cell, read_cell

_TABLES = (".tsv", ".csv", ".json", ".jsonl")
_MATCHED = re.compile(r"_(?:extract_matching|exact_matching_result|llm_[^_]+)$")
_FRAMES = re.compile(r"_(\d+)frame$")


def takes(path: Path) -> bool:
    """Check whether the file is a table with columns `index` and `prediction`; if no workbook, without raw output."""
    suffix = path.suffix.lower()
    if suffix in SHEETS:
        return {"index", "prediction"} <= set(sheet_columns(path))
    if suffix not in _TABLES:
        return False
    row = first_row_of(path)
    return {"index", "prediction"} <= row.keys() and not row.keys() & set(RAW)


def read(path: Path) -> list[Log]:
    """The Log of one model on one data set.

    Raises:
        InputError: the file can't be read, or lacks its predictions.
    """
    rows = sheet_rows(path) if path.suffix.lower() in SHEETS else read_rows(path)
    if rows and "prediction" not in rows[0]:
        raise InputError(
            path, "has no column 'prediction'", field="prediction",
            fix="name the columns with --columns id=COLUMN,response=COLUMN",
        )  # fmt: skip
    status = _status(path)
    stem = _MATCHED.sub("", path.stem)
    names = [name for name in status.get("datasets") or {} if stem.endswith(f"_{name}")]
    task = max(names, key=len) if names else stem.partition("_")[2]
    frames = _FRAMES.search(task)
    told = (status.get("datasets") or {}).get(task) or {}
    return [
        Log(
            path=path,
            program="vlmevalkit",
            version=str(status.get("commit") or ""),
            task=task,
            model=str(status.get("model_name") or stem.removesuffix(f"_{task}")),
            settings={key: told[key] for key in ("judge_model",) if told.get(key)},
            rows=tuple(
                _row(path, number, row, int(frames[1]) if frames else None) for number, row in enumerate(rows, start=1)
            ),
            figures=_numbers(told.get("metrics") or {}) or _figures_beside(path, stem),
        )
    ]


def _status(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.with_name("status.json").read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}  # it adds the model's name and the figures, which the rows do without
    return found if isinstance(found, dict) else {}


def _figures_beside(path: Path, stem: str) -> dict[str, float]:
    """The figures of `<stem>_…_acc.csv`, which is separated by tabs: a line of names and one of values, or a column of
    names and one of values."""
    for beside in sorted(path.parent.glob(f"{stem}_*acc.csv")):
        try:
            lines = list(csv.reader(beside.read_text(encoding="utf-8-sig").splitlines(), delimiter="\t"))
        except (OSError, ValueError, csv.Error):
            continue
        if lines and lines[0] == ["metric", "value"]:
            return _numbers({line[0]: line[1] for line in lines[1:] if len(line) == 2})
        if len(lines) == 2:
            return _numbers(dict(zip(*lines, strict=False)))
    return {}


def _numbers(values: Mapping[str, object]) -> dict[str, float]:
    found = {}
    for name, value in values.items():
        try:
            found[name] = float(str(value))
        except ValueError:
            continue
    return found


def _row(path: Path, number: int, row: Row, frames: int | None) -> LogRow:
    prediction = row.get("prediction")
    if prediction is not None and not isinstance(prediction, str | int | float):
        raise InputError(path, "is no text", row=number, field="prediction", fix="give the model's text")
    response, failure = text_or_failure(_cell(prediction))
    index = _cell(row.get("index"))
    read = _cell(row.get("pred_extracted"))
    video = _cell(row.get("video"))
    labels = {
        name: text
        for name in ("question_type", "task_type", "category", "l2-category", "dataset")
        if (text := _cell(row.get(name)))
    }
    return LogRow(
        place=number,
        id=_cell(row.get("id")),
        question_id=index,
        order=int(index) if index and index.isdigit() else number - 1 if index is None else None,
        prompt=_prompt(row),
        scene=_cell(row.get("scene_name")) or video,
        media=tuple(_listed(row.get("image_path"))) or ((video,) if video else ()),
        target=_cell(row.get("answer", row.get("ground_truth"))),
        response=response,
        failure=failure,
        prediction="" if read is not None and read.lower() == "false" else read,
        score=_score(row),
        frames=frames,
        labels=labels,
    )


def _score(row: Row) -> float | None:
    for name in ("hit", "MRA:.5:.95:.05"):
        told = _cell(row.get(name))
        if told is not None:
            try:
                return {"true": 1.0, "false": 0.0}.get(told.lower()) if told.isalpha() else float(told)
            except ValueError:
                continue
    return None


def _prompt(row: Row) -> str | None:
    question = _cell(row.get("question"))
    if question is None:
        return None
    options = _listed(row.get("options")) or _listed(row.get("candidates"))
    options = options or [text for letter in "ABCDEFGHIJ" if (text := _cell(row.get(letter))) is not None]
    return "\n".join([question, *options])


def _listed(cell: object) -> list[str]:
    """A list that is written as JSON or as Python writes it; one text is a list of one."""
    if isinstance(cell, list | tuple):
        return [str(value) for value in cell]
    text = _cell(cell)
    if text is None:
        return []
    if is_list_cell(text):
        try:
            return [str(value) for value in read_cell(text)]
        except ValueError:
            pass
    return [text]


def _cell(value: object) -> str | None:
    """A cell's text; whole numbers without '.0'; None for an empty cell or a spreadsheet's NaN."""
    if value is None or value != value or isinstance(value, list | dict):
        return None
    text = str(value)
    if re.fullmatch(r"-?\d+\.0", text):
        text = text[:-2]
    return text if text.strip() else None


LOG = LogFormat("vlmevalkit", "VLMEvalKit", takes, read)
