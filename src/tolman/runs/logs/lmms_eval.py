"""lmms-eval's logs: `<stamp>_samples_<task>.jsonl`, one line for each question, next to `<stamp>_results.json`.

Source: EvolvingLMMs-Lab/lmms-eval 0.7.3, loggers/evaluation_tracker.py, and the tasks' `process_results`. A line holds
`doc_id` (a row number, not an id), `target`, `filtered_resps` (the answer after reasoning was cut), `resps` (the answer
as it came, where that differs; older versions write it always, as a list), `input` (the prompt's text) and the
dictionaries of the task's metrics, among which some hold the question's own id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tolman.benchmarks.rows import Row, read_rows
from tolman.errors import InputError
from tolman.runs.logs.log import Log, LogFormat, LogRow, first_row_of, text_or_failure

_SAMPLES = re.compile(r"(?:(?P<stamp>\d{8}_\d{6})_)?samples_(?P<task>.+)\.jsonl$")
_IDS = ("id", "problem_id", "index")
_SCORES = ("score", "is_correct", "accuracy", "MRA:.5:.95:.05", "overall")
_OPEN_TAG = re.compile(r"<(think|analysis)>")


def takes(path: Path) -> bool:
    """Check whether the first row of a table has an answer under lmms-eval's name."""
    if path.suffix.lower() not in (".jsonl", ".json"):
        return False
    row = first_row_of(path)
    return "filtered_resps" in row or ("resps" in row and "doc_id" in row)


def read(path: Path) -> list[Log]:
    """The Log of one task.

    Raises:
        InputError: a line that isn't one of lmms-eval's.
    """
    named = _SAMPLES.search(path.name)
    task = named["task"] if named else ""
    results = _results(path, named["stamp"]) if named and named["stamp"] else {}
    config = results.get("config") or {}
    own = (results.get("configs") or {}).get(task) or {}
    settings = {key: config[key] for key in ("model", "model_args", "limit", "gen_kwargs") if config.get(key)}
    keys = ("dataset_path", "dataset_name", "generation_kwargs", "lmms_eval_specific_kwargs")
    settings |= {key: own[key] for key in keys if own.get(key)}
    version = str(results.get("lmms_eval_version") or "").partition("@")[0]
    frames = re.search(r"\bmax_(?:frames_num|num_frames)=(\d+)", str(config.get("model_args") or ""))
    return [
        Log(
            path=path,
            program="lmms-eval",
            version="" if version == "unknown" else version,
            task=task,
            model=str(results.get("model_name") or ""),
            settings=settings,
            rows=tuple(
                one
                for number, row in enumerate(read_rows(path), start=1)
                for one in _rows(path, number, row, int(frames[1]) if frames else None)
            ),
            figures=_figures((results.get("results") or {}).get(task) or {}),
        )
    ]


def _results(path: Path, stamp: str) -> dict[str, Any]:
    """Return the figures and settings of the same evaluation, if their file is in the folder."""
    beside = path.with_name(f"{stamp}_results.json")
    try:
        found = json.loads(beside.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        raise InputError(beside, "is no JSON", fix="take it away, or fetch it again") from None
    return found if isinstance(found, dict) else {}


def _figures(results: Mapping[str, Any]) -> dict[str, float]:
    """Return '<metric>,<filter>' → value, without standard errors and values that are no numbers ('N/A')."""
    return {
        name.removesuffix(",none"): float(value)
        for name, value in results.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and "_stderr" not in name
    }


def _rows(path: Path, number: int, row: Row, frames: int | None) -> Iterator[LogRow]:
    """A line's responses: one, or with `repeats` several. Its metrics are of the first."""
    metrics = [value for value in row.values() if isinstance(value, dict)]
    docs = [*([row["doc"]] if isinstance(row.get("doc"), dict) else []), *metrics]
    order = row.get("doc_id")
    counts = row.get("token_counts")
    media = row.get("input_media") or _first(docs, ("visual",)) or ()
    scene = _first(docs, ("scene_name", "scene", "video"))
    target = _text(row.get("target"))
    first = LogRow(
        place=number,
        id=_text(_first(docs, _IDS)),
        question_id=_text(_first(docs, ("question_id", "qid"))),
        order=order if isinstance(order, int) and order >= 0 else None,
        prompt=_prompt(row, docs),
        scene=_text(scene),
        media=tuple(str(name) for name in media) if isinstance(media, list | tuple) else (),
        target=_text(_first(docs, ("gt_content",))) or target or _text(_first(docs, ("ground_truth", "answer"))),
        prediction=_text(_first(docs, ("pred_parsed",))),
        score=_score(metrics),
        frames=frames,
        labels=_labels(docs),
    )
    for repeat, (text, reasoning) in enumerate(_texts(path, number, row)):
        response, failure = text_or_failure(text)
        one = counts[repeat] if isinstance(counts, list) and repeat < len(counts) else None
        tokens = one if isinstance(one, dict) else {}
        yield replace(
            first,
            response=response,
            failure=failure,
            reasoning=reasoning,
            repeat=repeat,
            input_tokens=_count(tokens.get("input_tokens")),
            output_tokens=_count(tokens.get("output_tokens")),
            prediction=None if repeat else first.prediction,
            score=None if repeat else first.score,
        )


def _texts(path: Path, number: int, row: Row) -> list[tuple[str, str | None]]:
    """The answer of each repeat, and the reasoning that was cut from it."""
    raw, kept = row.get("resps"), row.get("filtered_resps")
    # Older versions write what came in lists of lists, always; later ones a list where a question was asked repeatedly.
    field = "resps" if isinstance(raw, list) or kept is None else "filtered_resps"
    answers = _flat(row.get(field))
    if not answers or not all(isinstance(answer, str) for answer in answers):
        raise InputError(path, "holds no text", row=number, field=field, fix="log with --log_samples")
    answer = answers[0]
    if len(answers) == 1 and isinstance(raw, str) and raw != answer and _OPEN_TAG.search(raw):
        cut = raw[: len(raw) - len(answer)] if answer and raw.endswith(answer) else raw
        return [(answer, re.sub(r"</?(?:think|analysis)>", "", cut).strip() or None)]
    return [(answer, None) for answer in answers]


def _flat(value: object) -> list[Any]:
    return [text for one in value for text in _flat(one)] if isinstance(value, list) else [value]


def _prompt(row: Row, docs: list[dict[str, Any]]) -> str | None:
    sent = row.get("input")
    if isinstance(sent, str) and sent.strip():
        return sent
    question = _first(docs, ("question",))
    options = _first(docs, ("options", "choices")) or ()
    if not isinstance(question, str):
        return None
    return "\n".join([question, *(str(option) for option in options)] if isinstance(options, list) else [question])


def _labels(docs: list[dict[str, Any]]) -> dict[str, str]:
    names = ("question_type", "category", "l2_category", "sub_task", "data_source", "dataset", "type")
    return {name: str(value) for name in names if isinstance(value := _first(docs, (name,)), str) and value}


def _score(metrics: list[dict[str, Any]]) -> float | None:
    for name in _SCORES:
        for metric in metrics:
            value = metric.get(name)
            if isinstance(value, bool | int | float):
                return float(value)
    return None


def _first(docs: list[dict[str, Any]], names: tuple[str, ...]) -> Any:
    return next(_values(docs, names), None)


def _values(docs: list[dict[str, Any]], names: tuple[str, ...]) -> Iterator[Any]:
    return (doc[name] for doc in docs for name in names if doc.get(name) is not None)


def _text(value: object) -> str | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


LOG = LogFormat("lmms-eval", "lmms-eval", takes, read)
