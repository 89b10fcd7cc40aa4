"""Writing the submission: the payload and the archive of what it comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tolman import __version__
from tolman.errors import UsageError
from tolman.exports.easi.archive import write_archive
from tolman.exports.easi.board import BACKENDS, REQUIRED
from tolman.exports.easi.columns import ColumnRuns, columns_of
from tolman.exports.export import Exported, RunSource, Target
from tolman.exports.results import INCOMPLETE_HELP, MARK, check_whole, lacks_of, model_of, setup_of
from tolman.files import write_text

MAX_UPLOAD = 4.5 * 1024 * 1024
"""Bytes of an archive that EASI's interface takes."""
TYPES = ("pretrained", "finetuned", "instruction", "rl")
PRECISIONS = ("bfloat16", "float16", "float32", "int8")
WEIGHTS = ("Original", "Delta", "Adapter")
SETTINGS = {
    "model": "Model on the Hugging Face hub, ORGANISATION/NAME. Required.",
    "type": f"How it was trained: {', '.join(TYPES)}. Required.",
    "precision": f"Arithmetic of its weights: {', '.join(PRECISIONS)}. Required.",
    "revision": "Commit, tag or branch of the weights. Default: main.",
    "weights": f"What the repository holds: {', '.join(WEIGHTS)}. Default: not said.",
    "base": "Model that Delta or Adapter weights are of. Default: none.",
    "remarks": "Text that goes before what Tolman says of the runs. Default: none.",
    "backend": f"Whose scorers the figures are of: {', '.join(BACKENDS)}. Default: {BACKENDS[0]}.",
    "incomplete": INCOMPLETE_HELP,
}


def write(runs: Sequence[RunSource], target: Target) -> Exported:
    """Write easi_results.json and easi_results.zip.

    Raises:
        UsageError: a setting is missing or none of EASI's, a run is of none of its columns or is incomplete.
    """
    head = _head(target.settings)
    incomplete = target.settings.get("incomplete")
    model_of(runs)
    check_whole(runs, incomplete)
    columns = columns_of(runs, parts=incomplete == MARK)
    target.began("scoring", len(columns))
    scores: dict[str, float | None] = {}
    parts: dict[str, dict[str, float | None]] = {}
    for column in sorted(columns, key=lambda one: one.board.key):
        scores[column.board.key], found = column.figures(head["backend"])
        if found:
            parts[column.board.key] = found
        target.advanced(1)
    if all(value is None for value in scores.values()):
        raise UsageError("none of the runs brings a figure of EASI's board; there is nothing to submit.")
    head["remarks"] = " ".join(filter(None, (head["remarks"], _remarks(columns, head["backend"]))))
    payload = {**head, "scores": scores, "subScores": parts}
    write_text(target.folder / "easi_results.json", json.dumps(payload, indent=2, ensure_ascii=False) + "\n")
    archive = target.folder / "easi_results.zip"
    write_archive(archive, head["modelName"].rpartition("/")[2], columns, payload)
    return Exported(
        "Upload both files at https://easi.lmms-lab.com/submit/; nothing was sent.",
        tuple(_notes(columns, scores, archive.stat().st_size)),
    )


def _head(settings: Mapping[str, str]) -> dict[str, Any]:
    """The payload's first fields, as EASI's own script orders them."""
    lacking = [name for name in ("model", "type", "precision") if not settings.get(name)]
    if lacking:
        given = " ".join(f"--set {name}={_EXAMPLES[name]}" for name in lacking)
        raise UsageError(f"EASI wants the model's {', '.join(lacking)}; give them, such as {given}.")
    organisation, slash, name = settings["model"].partition("/")
    if not (organisation and slash and name) or "/" in name or name in (".", ".."):
        raise UsageError(f"--set model takes ORGANISATION/NAME of the hub, not '{settings['model']}'.")
    for key, known in (("type", TYPES), ("precision", PRECISIONS), ("weights", WEIGHTS), ("backend", BACKENDS)):
        if key in settings and settings[key] not in known:
            raise UsageError(f"--set {key} takes {', '.join(known)}, not '{settings[key]}'.")
    if settings.get("weights") in ("Delta", "Adapter") and not settings.get("base"):
        raise UsageError(
            f"{settings['weights']} weights need the model that they are of; give it with --set base=NAME."
        )
    return {
        "modelName": settings["model"],
        "modelType": settings["type"],
        "precision": settings["precision"],
        "revision": settings.get("revision", "main"),
        "weightType": settings.get("weights", ""),
        "baseModel": settings.get("base", ""),
        "backend": settings.get("backend", BACKENDS[0]),
        "remarks": settings.get("remarks", ""),
    }


_EXAMPLES = {"model": "Qwen/Qwen3-VL-8B-Instruct", "type": "instruction", "precision": "bfloat16"}


def _remarks(columns: Sequence[ColumnRuns], backend: str) -> str:
    """That Tolman asked and scored, and how."""
    said = [
        f"{column.board.key}: {setup_of(run)}, scorer {column.scorer(backend)}"
        for column in columns
        for run in column.all_runs
    ]
    return f"Evaluated with Tolman {__version__}, scored by the rules of {backend}. {'; '.join(said)}."


def _notes(columns: Sequence[ColumnRuns], scores: Mapping[str, float | None], size: int) -> list[str]:
    notes = [
        f"INCOMPLETE: {column.board.key} rests on a part ({'; '.join(lacks)}), as the remarks say."
        for column in columns
        for run in column.all_runs
        if (lacks := lacks_of(run))
    ]
    notes += [
        f"INCOMPLETE: site is over {', '.join(run.record.settings.subset for run in column.runs)} questions alone."
        for column in columns
        if column.runs and not _is_whole(column)
    ]
    absent = [key for key in REQUIRED if scores.get(key) is None]
    if absent:
        notes.append(f"EASI asks for eight benchmarks; without a score are {', '.join(absent)}.")
    if size > MAX_UPLOAD:
        notes.append(
            f"easi_results.zip has {size / 2**20:.1f} MB, more than the {MAX_UPLOAD / 2**20} MB that EASI's interface "
            "takes; use its web form, or e-mail."
        )
    return notes


def _is_whole(column: ColumnRuns) -> bool:
    return frozenset(run.record.settings.subset for run in column.runs) in column.board.subsets
