"""Reading responses that something else produced: JSONL, lmms-eval's per-sample logs, VLMEvalKit's result files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from tolman.benchmarks.rows import Row, read_rows
from tolman.errors import InputError
from tolman.extras import needs
from tolman.items import Item
from tolman.responses import Failure, FailureKind, Outcome, Response, outcome_from_record

Format = Literal["jsonl", "lmms-eval", "vlmevalkit"]
FAILED_CALLS = ("Failed to obtain answer via API.",)
"""Texts that other harnesses store in place of an answer when a call failed."""


def read_responses(path: Path, items: Sequence[Item], form: Format | None = None) -> list[Outcome]:
    """All responses of a file, each for an item of the benchmark.

    Args:
        path: the file.
        items: the benchmark's questions.
        form: which of the three it is; found out from the first row where None.

    Raises:
        InputError: an id that the benchmark doesn't have, an id twice, a row that lacks its response.
    """
    rows = _rows(path)
    if not rows:
        raise InputError(path, "holds no rows", fix="give a file with one response for each question")
    form = form or _detect(rows[0])
    known = {item.id: item for item in items}
    readers = {"jsonl": _from_jsonl, "lmms-eval": _from_lmms_eval, "vlmevalkit": _from_vlmevalkit}
    outcomes: list[Outcome] = []
    seen: dict[tuple[str, int], int] = {}
    for number, row in enumerate(rows, start=1):
        outcome = readers[form](path, number, row, known)
        if outcome.id not in known:
            raise InputError(
                path,
                f"the benchmark has no item {outcome.id!r}",
                row=number,
                field="id",
                fix="check the benchmark and the subset",
            )
        key = outcome.id, outcome.repeat
        if key in seen:
            raise InputError(
                path,
                f"the id {outcome.id!r} is also row {seen[key]}'s",
                row=number,
                field="id",
                fix="give each item one response",
            )
        seen[key] = number
        outcomes.append(outcome)
    return outcomes


def _rows(path: Path) -> list[Row]:
    if path.suffix.lower() in (".xlsx", ".xls"):
        with needs("excel", f"Reading {path.name}"):
            import fastexcel
        try:
            frame = fastexcel.read_excel(path).load_sheet(0, dtypes="string").to_polars()
        except Exception as error:  # fastexcel raises types of its own for every kind of broken file
            raise InputError(path, f"is no readable Excel sheet ({str(error).splitlines()[0]})") from None
        return frame.to_dicts()
    return read_rows(path)


def _detect(row: Row) -> Format:
    if "resps" in row or "filtered_resps" in row:
        return "lmms-eval"
    if "prediction" in row:
        return "vlmevalkit"
    return "jsonl"


def _from_jsonl(path: Path, number: int, row: Row, known: Mapping[str, Item]) -> Outcome:
    return outcome_from_record(row, path, number)


def _from_lmms_eval(path: Path, number: int, row: Row, known: Mapping[str, Item]) -> Outcome:
    """A line of `*_samples_*.jsonl`. The question's own id is needed; `doc_id` is a row number of whatever order."""
    docs = [row.get("doc"), *(value for value in row.values() if isinstance(value, dict))]
    identity = next(
        (doc[key] for doc in docs if isinstance(doc, dict) for key in ("id", "problem_id") if doc.get(key) is not None),
        None,
    )
    if identity is None:
        identity = _site_id(row, docs, known)
    if identity is None:
        raise InputError(
            path,
            "holds no question id (doc_id is only a row number)",
            row=number,
            field="doc",
            fix="write the log with the benchmark's own id in doc",
        )
    text = row.get("resps", row.get("filtered_resps"))
    while isinstance(text, list) and text:
        text = text[0]
    if not isinstance(text, str):
        raise InputError(path, "holds no text", row=number, field="resps")
    return _outcome(str(identity), text)


def _site_id(row: Row, docs: list[Any], known: Mapping[str, Item]) -> str | None:
    """SITE's rows have no id: the question and its options must name one item."""
    doc = next((d for d in docs if isinstance(d, dict) and "question" in d and "options" in d), None)
    if doc is None:
        return None
    options = tuple(str(o) for o in doc["options"] or ())
    visual = [str(v) for v in doc.get("visual") or ()]
    fits = [
        item.id
        for item in known.values()
        if item.question == str(doc["question"]).strip()
        and item.options == options
        and (not visual or not item.media or item.media[0].path == visual[0])
    ]
    return fits[0] if len(fits) == 1 else None


def _from_vlmevalkit(path: Path, number: int, row: Row, known: Mapping[str, Item]) -> Outcome:
    """A row of `MODEL_DATASET.{xlsx,tsv,json,jsonl}`: `index` (or `id`), `question`, `prediction`."""
    identity = row.get("id", row.get("index"))
    if identity is None:
        raise InputError(path, "is missing", row=number, field="index", fix="keep VLMEvalKit's index column")
    name = str(identity).strip()
    name = name.removesuffix(".0")
    question = row.get("question")
    item = known.get(name)
    if item is not None and question and not _same_question(str(question), item):
        raise InputError(
            path,
            f"its question isn't that of item {name!r}",
            row=number,
            field="question",
            fix="the file numbers its rows otherwise; give it the benchmark's own ids",
        )
    prediction = row.get("prediction")
    if prediction is None or prediction != prediction:  # an empty cell, or a spreadsheet's NaN
        return Failure(id=name, kind=FailureKind.IMPORTED, message="the file holds no prediction")
    if not isinstance(prediction, str | int | float):
        raise InputError(path, "is no text", row=number, field="prediction")
    return _outcome(name, str(prediction))


def _same_question(text: str, item: Item) -> bool:
    def squeeze(value: str) -> str:
        return "".join(value.split()).lower()

    own = squeeze(item.question)
    return own in squeeze(text) or squeeze(text) in squeeze(item.verbatim or item.question)


def _outcome(identity: str, text: str) -> Outcome:
    if any(sign in text for sign in FAILED_CALLS):
        return Failure(id=identity, kind=FailureKind.IMPORTED, message=json.dumps(text.strip()))
    return Response(id=identity, response=text)
