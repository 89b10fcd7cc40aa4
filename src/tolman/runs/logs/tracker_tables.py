"""Tables that trackers of experiments keep: Weights & Biases' `samples_….table.json`, MLflow's `log_table` artifact.

Both are JSON, `{"columns": [names], "data": [[values of a row]]}`. The names are their users' own, so that the usual
ones are looked for. Source: wandb 0.31.0 (`wandb.Table`), mlflow 3.17 (`mlflow.log_table`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tolman.errors import InputError
from tolman.runs.logs.log import Log, LogFormat, LogRow, begins_with, text_or_failure

MAX_BYTES = 1 << 30
_HEAD = re.compile(r'\s*\{\s*"columns"\s*:\s*\[')
_RESPONSES = ("response", "output", "completion", "prediction", "model_answer")
_TARGETS = ("target", "truth", "ground_truth", "gt_answer", "reference", "label")
_ANSWER = "answer"
"""The response where a column of targets stands beside it, the target where one of responses does."""


def takes(path: Path) -> bool:
    """Check whether the file is JSON that begins with a list of columns."""
    return begins_with(path, _HEAD)


def read(path: Path) -> list[Log]:
    """The Log of one table.

    Raises:
        InputError: it is no such table, or no column holds responses.
    """
    columns, data = _parts(path)
    response, target = _answers(path, columns)
    rows = []
    for number, values in enumerate(data, start=1):
        if not isinstance(values, list) or len(values) != len(columns):
            raise InputError(
                path, f"isn't a list of {len(columns)} values, one for each column", row=number, field="data",
                fix="log the table again",
            )  # fmt: skip
        row = dict(zip(columns, values, strict=True))
        said, failure = text_or_failure(_text(row[response]))
        rows.append(
            LogRow(
                place=number,
                id=_first(row, ("id", "item_id")),
                question_id=_first(row, ("question_id", "index")),
                order=number - 1,
                prompt=_first(row, ("prompt", "input", "question")),
                scene=_first(row, ("scene", "scene_name", "video")),
                target=_text(row[target]) if target else None,
                response=said,
                failure=failure,
                score=_score(row.get("score", row.get("correct"))),
            )
        )
    return [Log(path=path, program="table", task=path.name.removesuffix(".json"), rows=tuple(rows))]


def _parts(path: Path) -> tuple[list[str], list[Any]]:
    if path.stat().st_size > MAX_BYTES:
        raise InputError(path, f"is larger than {MAX_BYTES:,} bytes", fix="write its rows as JSON Lines")
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("data"), list):
        raise InputError(path, "is no table of columns and data", fix="give the table's JSON file as it was written")
    columns = found.get("columns")
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise InputError(path, "is no list of names", field="columns", fix="log the table again")
    if len(set(columns)) < len(columns):
        raise InputError(path, "has a name twice", field="columns", fix="name the columns apart")
    return columns, found["data"]


def _answers(path: Path, columns: Sequence[str]) -> tuple[str, str | None]:
    """The columns of responses and of targets."""
    response = next((name for name in _RESPONSES if name in columns), None)
    target = next((name for name in _TARGETS if name in columns), None)
    if response is None and target is not None and _ANSWER in columns:
        return _ANSWER, target
    if response is None:
        raise InputError(
            path, f"none of its columns ({', '.join(columns)}) is known to hold responses", field="columns",
            fix=f"name that one {_RESPONSES[0]!r}",
        )  # fmt: skip
    return response, target or (_ANSWER if _ANSWER in columns else None)


def _first(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((text for name in names if (text := _text(row.get(name)))), None)


def _text(value: object) -> str | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None


def _score(value: object) -> float | None:
    return float(value) if isinstance(value, bool | int | float) else None


LOG = LogFormat("table", "Weights & Biases, MLflow", takes, read)
