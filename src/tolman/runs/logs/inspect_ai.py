"""Inspect's logs: `.eval` (a zip archive packed with Zstandard) and `.json`.

Source: UKGovernmentBEIS/inspect_ai 0.3.285, log version 2. Long texts and pictures are in a sample's `attachments` and
are named `attachment://<id>` where they belong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tolman.errors import InputError
from tolman.runs.logs import log
from tolman.runs.logs.log import Log, LogFormat, LogRow, begins_with, text_or_failure

MAX_JSON_BYTES = 2 << 30
_HEAD = re.compile(r'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:')
_SAMPLE = re.compile(r"samples/.+\.json")
_ATTACHMENT = re.compile(r"attachment://([0-9a-f]{32})")
_VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def takes(path: Path) -> bool:
    """Check whether the file ends in `.eval`, or is JSON that begins as Inspect's logs do."""
    return path.suffix.lower() == ".eval" or begins_with(path, _HEAD)


def read(path: Path) -> list[Log]:
    """The Log of one evaluation; of an unfinished one, of the samples that it has.

    Raises:
        InputError: the file is no log of Inspect's.
    """
    if path.suffix.lower() == ".eval":
        return [_archived(path)]
    if path.stat().st_size > MAX_JSON_BYTES:
        raise InputError(path, f"is larger than {MAX_JSON_BYTES:,} bytes", fix="convert it with inspect log convert")
    try:
        header = _object(path, None, path.read_bytes())
    except OSError as error:
        raise InputError(path, error.strerror or "can't be read") from None
    samples = header.get("samples")
    return [_log(path, header, samples if isinstance(samples, list) else [])]


def _archived(path: Path) -> Log:
    with log.opened(path) as archive:
        start = next((name for name in ("header.json", "_journal/start.json") if name in archive.names), None)
        if start is None:
            raise InputError(path, "holds neither header.json nor _journal/start.json", fix="give a log of Inspect's")
        header = _object(path, start, archive.read(start))
        names = [name for name in archive.names if _SAMPLE.fullmatch(name)]
        return _log(path, header, (_object(path, name, archive.read(name)) for name in names))


def _object(path: Path, member: str | None, content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(path, "is no JSON object", row=member, fix="fetch the log again")
    return found


def _log(path: Path, header: Mapping[str, Any], samples: Iterable[Any]) -> Log:
    spec = header.get("eval")
    if not isinstance(spec, dict):
        raise InputError(path, "is missing", field="eval", fix="give a log of Inspect's, version 2")
    dataset = spec.get("dataset") or {}
    order = {str(own): place for place, own in enumerate(dataset.get("sample_ids") or ())}
    if dataset.get("shuffled"):
        order = {}
    figures = {}
    for score in (header.get("results") or {}).get("scores") or ():
        for name, metric in (score.get("metrics") or {}).items():
            value = metric.get("value")
            if isinstance(value, int | float) and not isinstance(value, bool):
                figures[f"{score.get('name')}/{name}"] = float(value)
    settings = {key: spec[key] for key in ("task_args", "model_generate_config", "model_args") if spec.get(key)}
    if header.get("status") not in (None, "success"):
        settings["status"] = header["status"]
    return Log(
        path=path,
        program="inspect",
        version=str((spec.get("packages") or {}).get("inspect_ai") or ""),
        task=str(spec.get("task") or ""),
        model=str(spec.get("model") or ""),
        settings=settings,
        rows=tuple(_row(path, number, sample, order.get) for number, sample in enumerate(samples, start=1)),
        figures=figures,
    )


def _row(path: Path, number: int, sample: Any, order: Callable[[str], int | None]) -> LogRow:
    if not isinstance(sample, dict) or sample.get("id") is None:
        raise InputError(path, "has no id", row=number, field="id", fix="fetch the log again")
    own = str(sample["id"])
    attached = sample.get("attachments") or {}

    def resolved(text: object) -> str:
        return _ATTACHMENT.sub(lambda name: str(attached.get(name[1], name[0])), str(text))

    response, failure = _outcome(sample, resolved)
    output = sample.get("output") or {}
    choices = output.get("choices") or [{}]
    usage = output.get("usage") or {}
    target = sample.get("target")
    metadata = sample.get("metadata") or {}
    score: dict[str, Any] = next(iter((sample.get("scores") or {}).values()), {}) or {}
    value = score.get("value")
    epoch = sample.get("epoch")
    return LogRow(
        place=own,
        id=own,
        order=order(own),
        prompt=_prompt(sample, resolved),
        options=_choices(sample, resolved),
        scene=str(metadata["scene"]) if metadata.get("scene") is not None else None,
        target=str(target[0] if isinstance(target, list) and target else target) if target else None,
        response=response,
        failure=failure,
        reasoning=_reasoning(choices[0], resolved),
        prediction=str(score["answer"]) if score.get("answer") is not None else None,
        score=_VALUES.get(value)
        if isinstance(value, str)
        else float(value)
        if isinstance(value, int | float)
        else None,
        finish_reason=choices[0].get("stop_reason"),
        input_tokens=usage.get("input_tokens"),
        output_tokens=usage.get("output_tokens"),
        repeat=epoch - 1 if isinstance(epoch, int) and epoch > 0 else 0,
        labels={name: str(told) for name, told in metadata.items() if isinstance(told, str | int) and name != "scene"},
    )


def _outcome(sample: Mapping[str, Any], resolved: Callable[[object], str]) -> tuple[str | None, str | None]:
    error = sample.get("error")
    if error:
        said = error.get("message") if isinstance(error, dict) else error
        return None, f"the log records an error: {str(said)[:300]}"
    completion = (sample.get("output") or {}).get("completion")
    return text_or_failure(resolved(completion) if completion is not None else None)


def _reasoning(choice: Mapping[str, Any], resolved: Callable[[object], str]) -> str | None:
    content = (choice.get("message") or {}).get("content")
    parts = content if isinstance(content, list) else []
    found = [resolved(part.get("reasoning", "")) for part in parts if part.get("type") == "reasoning"]
    return "\n".join(text for text in found if text) or None


def _prompt(sample: Mapping[str, Any], resolved: Callable[[object], str]) -> str | None:
    """The texts of the input, then the choices, which a solver adds to it later."""
    asked = sample.get("input")
    texts = [asked] if isinstance(asked, str) else []
    for message in asked if isinstance(asked, list) else ():
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        texts += [part.get("text", "") for part in parts if part.get("type") == "text"]
    return "\n".join([*map(resolved, texts), *_choices(sample, resolved)]) or None


def _choices(sample: Mapping[str, Any], resolved: Callable[[object], str]) -> tuple[str, ...]:
    """The options in the order that the model was shown, which `dataset.shuffle_choices` may have changed. A solver
    that shuffles them rewrites the response's letters to this order."""
    return tuple(resolved(choice) for choice in sample.get("choices") or ())


LOG = LogFormat("inspect", "Inspect", takes, read)
