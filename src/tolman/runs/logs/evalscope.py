"""EvalScope's logs: `predictions/<model>/<task>_<subset>.jsonl`, and `reviews/<model>/…` of the same name.

Source: modelscope/evalscope 1.14.1, `api/evaluator/cache.py` (`ModelResult`, `ReviewResult`). A line of predictions has
the messages and the model's output, a line of reviews the messages, the true answer and the score. A file of reviews is
enough; predictions take answers and scores from the reviews in the same output folder. `index` counts the samples of a
subset in the order of the data, and lines come in the order of the replies. A call that failed is in neither file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tolman.benchmarks.rows import Row, read_rows
from tolman.errors import InputError
from tolman.runs.logs.log import Log, LogFormat, LogRow, first_row_of, text_or_failure

PREDICTIONS, REVIEWS = "predictions", "reviews"
_IDS = ("question_id", "id", "qid")
"""Names of the released id in a sample's metadata."""


def takes(path: Path) -> bool:
    """Check whether the first row of a table is a prediction or a review of EvalScope's."""
    row = first_row_of(path) if path.suffix.lower() == ".jsonl" else {}
    return {"index", "messages"} <= row.keys() and bool({"model_output", "sample_score"} & row.keys())


def has_predictions(path: Path) -> bool:
    """Check whether a file is of reviews, and the predictions that they are about are in the same output folder."""
    return len(path.parts) > 3 and path.parts[-3] == REVIEWS and _in(path, PREDICTIONS).is_file()


def read(path: Path) -> list[Log]:
    """The Log of one subset of a task.

    Raises:
        InputError: a line that isn't one of EvalScope's.
    """
    rows = read_rows(path)
    reviews: dict[Any, Row] = {}
    if rows and "sample_score" not in rows[0] and _in(path, REVIEWS).is_file():
        reviews = {_known(path, 0, row, "index"): row for row in read_rows(_in(path, REVIEWS))}
    report = _report(path)
    task = str(report.get("dataset_name") or path.stem)
    subsets = _subsets(report)
    subset = path.stem.removeprefix(f"{task}_")
    return [
        Log(
            path=path,
            program="evalscope",
            task=path.stem,
            model=str(report.get("model_name") or (rows[0].get("model") if rows else "") or ""),
            rows=tuple(
                _row(path, number, reviews.get(row.get("index"), {}) | row, is_whole=len(subsets) == 1)
                for number, row in enumerate(rows, start=1)
            ),
            figures=subsets.get(subset, {}),
        )
    ]


def _in(path: Path, kind: str) -> Path:
    """The file of the same name in the output folder's `predictions` or `reviews`."""
    return path.parents[2] / kind / path.parent.name / path.name if len(path.parts) > 3 else path / kind


def _report(path: Path) -> dict[str, Any]:
    """The report with the longest name that the file's begins with; empty where there is none."""
    folder = path.parents[2] / "reports" / path.parent.name if len(path.parts) > 3 else path
    fitting = [one for one in folder.glob("*.json") if path.stem == one.stem or path.stem.startswith(f"{one.stem}_")]
    try:
        found = json.loads(max(fitting, key=lambda one: len(one.stem)).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}  # it adds the model's name and the figures, which the rows do without
    return found if isinstance(found, dict) else {}


def _subsets(report: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Subset → metric → the report's figure, a share to four digits."""
    found: dict[str, dict[str, float]] = {}
    for metric in _listed(report.get("metrics")):
        name = str(_mapping(metric.get("identity")).get("name") or metric.get("name"))
        for category in _listed(metric.get("categories")):
            for subset in _listed(category.get("subsets")):
                if isinstance(subset.get("score"), int | float) and not subset.get("is_aggregate"):
                    found.setdefault(str(subset.get("name")), {})[name] = float(subset["score"])
    return found


def _row(path: Path, number: int, row: Row, *, is_whole: bool) -> LogRow:
    messages = _listed(_known(path, number, row, "messages"))
    judged = _mapping(row.get("sample_score"))
    score = _mapping(judged.get("score"))
    output = _mapping(row.get("model_output"))
    choice = next(iter(_listed(output.get("choices"))), {})
    replies = [one for one in messages if one.get("role") == "assistant"]
    reply = _mapping(choice.get("message")) or (replies[-1] if replies else {})
    response, failure = text_or_failure(_text(reply, "text"))
    if output.get("error"):
        response, failure = None, f"the log records an error: {str(output['error'])[:300]}"
    usage = _mapping(output.get("usage"))
    facts = _mapping(row.get("metadata")) or _mapping(judged.get("sample_metadata"))
    targets = row.get("target")
    order = judged.get("group_id", row["index"])
    repeat = judged.get("generation_index")
    return LogRow(
        place=number,
        question_id=next((str(facts[name]) for name in _IDS if facts.get(name) is not None), None),
        order=order if is_whole and isinstance(order, int) else None,
        prompt="\n".join(text for one in messages if one.get("role") != "assistant" and (text := _text(one, "text"))),
        target=str(targets[0]) if isinstance(targets, list) and targets else None,
        response=response,
        failure=failure,
        reasoning=_text(reply, "reasoning") or None,
        prediction=score.get("extracted_prediction"),
        score=_score(score),
        finish_reason=choice.get("stop_reason"),
        input_tokens=usage.get("input_tokens"),
        output_tokens=usage.get("output_tokens"),
        repeat=repeat if isinstance(repeat, int) else 0,
        labels={name: value for name, value in facts.items() if isinstance(value, str) and name not in _IDS},
    )


def _score(score: Mapping[str, Any]) -> float | None:
    values = _mapping(score.get("value"))
    value = values.get(score.get("main_score_name"), next(iter(values.values()), None))
    return float(value) if isinstance(value, int | float) else None


def _text(message: Mapping[str, Any], kind: str) -> str:
    """The texts, or the reasoning, of a message."""
    content = message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else _listed(content)
    return "\n".join(str(part.get(kind) or "") for part in parts if part.get("type") == kind)


def _known(path: Path, number: int, row: Row, field: str) -> Any:
    if row.get(field) is None:
        raise InputError(path, "is missing", row=number, field=field, fix="give a file that EvalScope wrote")
    return row[field]


def _mapping(value: object) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _listed(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


LOG = LogFormat("evalscope", "EvalScope", takes, read)
