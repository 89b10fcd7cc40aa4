"""The archive of a submission, in the shape of lmms-eval's logs, which EASI's own reader takes its figures from.

Source: EvolvingLMMs-Lab/EASI@0c1a41e, scripts/submissions/backends/lmmseval.py (`extract_scores`,
`_compute_stats_from_jsonl`).
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tolman import __version__
from tolman.exports.easi.columns import ColumnRuns
from tolman.exports.export import RunSource
from tolman.exports.lmms_eval.task import FAILED
from tolman.exports.results import rows_of, setup_of
from tolman.items import Item
from tolman.responses import Outcome, Response

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every member, so that equal results are equal archives."""


def write_archive(path: Path, model: str, columns: Sequence[ColumnRuns], payload: Mapping[str, Any]) -> None:
    """Write MODEL/STAMP_results.json and a MODEL/STAMP_samples_TASK.jsonl for each task; STAMP is the newest run's.

    Args:
        path: of the new file.
        model: the folder inside.
        columns: with the runs.
        payload: what easi_results.json holds.
    """
    runs = [run for column in columns for run in column.all_runs]
    stamp = max(_stamp(run) for run in runs)
    results: dict[str, dict[str, Any]] = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for column in columns:
            for task, lines in _samples(column, payload["backend"]):
                _add(archive, f"{model}/{stamp}_samples_{task}.jsonl", "".join(f"{line}\n" for line in lines))
                results.setdefault(task, {"alias": task})
            _figures(column, payload, results)
        record = {
            "results": results,
            "config": {
                "model": runs[0].record.settings.model,
                "setup": {str(r.folder.path.name): setup_of(r) for r in runs},
            },
            "data": {column.board.key: sorted({run.record.data for run in column.all_runs}) for column in columns},
            "tolman_version": __version__,
            "model_name": payload["modelName"],
        }
        _add(archive, f"{model}/{stamp}_results.json", json.dumps(record, indent=1, ensure_ascii=False))


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    member = zipfile.ZipInfo(name, EPOCH)
    member.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(member, text.encode())


def _stamp(run: RunSource) -> str:
    """20261122_102642, of when the run was begun."""
    digits = "".join(c for c in run.record.created if c.isdigit())
    return f"{digits[:8]}_{digits[8:14]}"


def _figures(column: ColumnRuns, payload: Mapping[str, Any], results: dict[str, dict[str, Any]]) -> None:
    """The figures of a column under lmms-eval's names; SITE's are in its samples alone, as EASI pools them itself."""
    board = column.board
    if len(board.tasks) > 1 and not board.further:
        return
    task = results.setdefault(next(iter(board.tasks.values())), {})
    named = {board.metric: payload["scores"][board.key]}
    parts = payload["subScores"].get(board.key, {})
    every = [*board.parts, *board.further.values()]
    named |= {part.metric: parts[part.key] for part in every if parts.get(part.key) is not None}
    task.update({f"{name},none": value / board.scale for name, value in named.items() if value is not None})


def _samples(column: ColumnRuns, backend: str) -> Iterator[tuple[str, list[str]]]:
    """Task → a line for each asking: what was answered, what was read of it, the score."""
    board = column.board
    by_task: dict[str, list[str]] = {}
    for run in column.all_runs:
        items = {item.id: item for item in run.items}
        places = {item_id: place for place, item_id in enumerate(items)}
        said = {(one.id, one.repeat): one for one in run.outcomes}
        for row in rows_of([run], column.scorer(backend)).iter_rows(named=True):
            item = items[row["id"]]
            outcome = said.get((row["id"], row["repeat"]))
            line = {
                "doc_id": places[item.id],
                "id": item.id,
                "target": item.answer,
                "filtered_resps": _text(outcome),
                "question_type": row["task"],
                "pred_parsed": row["reading"],
                "status": row["status"],
                "score": row["score"],
                **({"repeat": row["repeat"]} if run.record.settings.repeats > 1 else {}),
                **(_chance_adjusted(row) if board.key == "site" else {}),
            }
            task = _task(column, run, item)
            by_task.setdefault(task, []).append(json.dumps(line, ensure_ascii=False))
    yield from by_task.items()


def _text(outcome: Outcome | None) -> str:
    """A response's text; of a failure what lmms-eval logs in its place, and its reader's know for none."""
    if isinstance(outcome, Response):
        return outcome.response
    return f"{FAILED} after 0 retries] {'never asked' if outcome is None else outcome.message}"


def _task(column: ColumnRuns, run: RunSource, item: Item) -> str:
    tasks, subset = column.board.tasks, run.record.settings.subset
    if subset in column.board.further:
        return f"{tasks[subset]}_{subset}"
    if subset in tasks:
        return tasks[subset]
    return tasks["video" if any(medium.kind == "video" for medium in item.media) else "image"]


def _chance_adjusted(row: Mapping[str, Any]) -> dict[str, Any]:
    """What EASI sums: hits, and hits less chance over the most that there can be."""
    if row["status"] != "scored" or not row["options"]:
        return {}
    chance = 1 / row["options"]
    hit, less = row["score"], row["score"] - chance
    return {
        "accuracy": {"overall": hit, row["task"]: hit, "total": 1},
        "chance_adjusted_acc": {"overall": less, row["task"]: less, "total": 1 - chance},
    }
