"""EASI's submissions: `easi_results.json`, figures without rows, and `easi_results.zip`, the files of lmms-eval or
VLMEvalKit that they come from.

Source: EvolvingLMMs-Lab/EASI@0c1a41e, scripts/submissions (`build_payload`, `build_results_archive`).
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path, PurePosixPath

from tolman.errors import InputError
from tolman.runs.logs import lmms_eval, log as archives, vlmevalkit
from tolman.runs.logs.log import Log, LogFormat

_KEPT = (".json", ".jsonl", ".xlsx", ".csv", ".tsv")
"""What is taken out of an archive; pickles and programs stay inside."""
_MAX_BYTES = 64 << 20


def takes(path: Path) -> bool:
    """Check whether the file is a zip archive, or JSON with EASI's keys."""
    if path.suffix.lower() == ".zip":
        return True
    if path.suffix.lower() != ".json":
        return False
    try:
        if path.stat().st_size > _MAX_BYTES:
            return False
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "modelName" in found and "scores" in found


def read(path: Path) -> list[Log]:
    """The figures as one Log without rows; of an archive the Logs of its files.

    Raises:
        InputError: the file is none of EASI's.
    """
    return _archive(path) if path.suffix.lower() == ".zip" else [_figures(path)]


def _figures(path: Path) -> Log:
    found = json.loads(path.read_text(encoding="utf-8-sig"))
    figures = {}
    for bench, value in _pairs(path, "scores", found.get("scores")):
        if value is not None:
            figures[bench] = _number(path, f"scores.{bench}", value)
    for bench, parts in _pairs(path, "subScores", found.get("subScores") or {}):
        for name, value in _pairs(path, f"subScores.{bench}", parts):
            if value is not None:
                figures[f"{bench}/{name}"] = _number(path, f"subScores.{bench}.{name}", value)
    keys = ("modelType", "precision", "revision", "weightType", "baseModel", "backend", "remarks")
    return Log(
        path=path,
        program="easi",
        task="easi",
        model=str(found["modelName"]),
        settings={key: found[key] for key in keys if found.get(key)},
        figures=figures,
    )


def _pairs(path: Path, field: str, value: object) -> list[tuple[str, object]]:
    if not isinstance(value, dict):
        raise InputError(path, "is no JSON object", field=field, fix="give EASI's easi_results.json")
    return list(value.items())


def _number(path: Path, field: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(path, f"{value!r} is no number", field=field, fix="write a number from 0 to 100, or null")
    return float(value)


def _archive(path: Path) -> list[Log]:
    logs = []
    with archives.opened(path) as archive, tempfile.TemporaryDirectory(prefix="tolman-") as folder:
        taken: dict[str, str] = {}
        for name in archive.names:
            own = PurePosixPath(name).name
            if Path(own).suffix.lower() not in _KEPT:
                continue
            if own in taken:
                raise InputError(
                    path, f"has the same file name as {taken[own]}", row=name, fix="give one model's files"
                )
            taken[own] = name
            (Path(folder) / own).write_bytes(archive.read(name))
        for own, name in taken.items():
            file = Path(folder) / own
            reader = next((r for r in (lmms_eval, vlmevalkit) if r.takes(file)), None)
            if reader is None or own.endswith("_acc.csv"):
                continue
            try:
                logs += [replace(log, path=path) for log in reader.read(file)]
            except InputError as error:
                raise InputError(
                    f"{path} ({name})", error.what, row=error.row, field=error.field, fix=error.fix
                ) from None
    if not logs:
        raise InputError(
            path,
            "holds no rows of lmms-eval's or VLMEvalKit's",
            fix="give the easi_results.zip that EASI's script made",
        )
    return logs


LOG = LogFormat("easi", "EASI", takes, read)
