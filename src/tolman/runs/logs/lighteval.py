"""lighteval's logs: `details/<model>/<date>/details_<task>|<shots>_<date>.parquet`, of `--save-details`.

Source: huggingface/lighteval 0.13.0, `logging/evaluation_tracker.py`. A row holds `doc` (the question, its choices and
the places of the right ones among them), `model_response` (a text for each sample) and `metric`. `doc.id` counts rows,
and rows come in the order of their lengths; a task writes the released id, if at all, into `doc.specific`.
`results/<model>/results_<date>.json` has the figures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tolman.benchmarks.rows import Row, read_rows
from tolman.runs.logs.log import Log, LogFormat, LogRow, first_row_of, text_or_failure

_NAME = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)$")
_IDS = ("id", "question_id", "qid")
_SCORES = ("extractive_match", "acc", "exact_match", "em")
"""Metrics of one answer, the first of which is the row's score; else the first that the row has."""


def takes(path: Path) -> bool:
    """Check whether the first row of a Parquet file is one of lighteval's details."""
    return path.suffix.lower() == ".parquet" and {"doc", "metric", "model_response"} <= first_row_of(path).keys()


def read(path: Path) -> list[Log]:
    """The Log of one task.

    Raises:
        InputError: the file can't be read.
    """
    named = _NAME.search(path.stem)
    task, date = (named["task"], named["date"]) if named else (path.stem, "")
    results = _results(path, date)
    general = _mapping(results.get("config_general"))
    rows = enumerate(read_rows(path), start=1)
    return [
        Log(
            path=path,
            program="lighteval",
            task=task,
            model=str(general.get("model_name") or ""),
            settings={key: general[key] for key in ("model_config", "max_samples") if general.get(key)},
            rows=tuple(one for number, row in rows for one in _rows(number, row)),
            figures={
                name: float(value)
                for name, value in _mapping(_mapping(results.get("results")).get(task)).items()
                if isinstance(value, int | float) and not name.endswith("_stderr")
            },
        )
    ]


def _results(path: Path, date: str) -> dict[str, Any]:
    """The figures of the same evaluation; empty where their file isn't in the output folder."""
    for folder in path.parents[:5]:
        if folder.name == "details":
            place = folder.with_name("results") / path.parent.parent.relative_to(folder) / f"results_{date}.json"
            try:
                return _mapping(json.loads(place.read_text(encoding="utf-8-sig")))
            except (OSError, ValueError, RecursionError):
                break  # it adds the model's name and the figures, which the rows do without
    return {}


def _rows(number: int, row: Row) -> Iterator[LogRow]:
    """A row's answers: one, or a task's number of samples, whose metrics are over all of them."""
    doc, response = _mapping(row["doc"]), _mapping(row["model_response"])
    facts, metrics = _mapping(doc.get("specific")), _mapping(row["metric"])
    choices, own = _texts(doc.get("choices")), str(doc.get("id"))
    gold = doc.get("gold_index")
    gold = gold[0] if isinstance(gold, list) and gold else gold
    texts = _texts(response.get("text_post_processed")) or _texts(response.get("text"))
    reasonings = _texts(response.get("reasonings"))
    first = LogRow(
        place=number,
        question_id=next((str(facts[name]) for name in _IDS if facts.get(name) is not None), None),
        order=int(own) if own.isascii() and own.isdecimal() else None,
        prompt=str(doc["query"]) if doc.get("query") else None,
        target=choices[gold] if isinstance(gold, int) and 0 <= gold < len(choices) else None,
        labels={name: value for name, value in facts.items() if isinstance(value, str) and name not in _IDS},
    )
    for repeat, text in enumerate(texts or [""]):
        answer, failure = text_or_failure(text)
        reasoning = reasonings[repeat] if repeat < len(reasonings) else None
        score = _score(metrics) if len(texts) == 1 else None
        yield replace(
            first, response=answer, failure=failure, reasoning=reasoning or None, score=score, repeat=repeat
        )  # fmt: skip


def _score(metrics: Mapping[str, Any]) -> float | None:
    values = [metrics[name] for name in (*_SCORES, *metrics) if isinstance(metrics.get(name), int | float)]
    return float(values[0]) if values else None


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return [str(one or "") for one in value] if isinstance(value, list) else []


LOG = LogFormat("lighteval", "lighteval", takes, read)
