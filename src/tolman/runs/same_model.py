"""Whether a run that starts again asks the model that it asked before: the same weights, wherever they are served."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tolman.errors import RunConflictError
from tolman.runs.folder import RunRecord
from tolman.runs.identifying import is_by_address


def kept_under(record: RunRecord | None) -> tuple[str, ...]:
    """The addresses under which earlier starts of a run kept answers, because nothing else was known."""
    if record is None:
        return ()
    settings, urls = record.settings.model_settings, list(record.endpoint.get("kept_under", ()))
    if is_by_address(settings):
        urls.append(str(settings["base_url"]))
    return tuple(dict.fromkeys(urls))


def served_before(record: RunRecord | None) -> dict[str, str]:
    """Address → the weights that an earlier start of a run was told there."""
    if record is None or not record.endpoint.get("weights"):
        return {}
    return {str(address): str(record.endpoint["weights"]) for address in record.endpoint.get("addresses", ())}


def settle(
    folder: Path, before: RunRecord | None, record: RunRecord, settings: Mapping[str, Any], endpoint: Mapping[str, Any]
) -> RunRecord:
    """The record of a run whose model is identified.

    Args:
        folder: of the run, for the sentence.
        before: the record of an earlier start.
        record: of this start.
        settings: that the model's answers are kept under.
        endpoint: what was found out about it.

    Raises:
        RunConflictError: other weights were asked before, or nothing tells that they are the same.
    """
    addresses = list(endpoint.get("addresses", ()))
    if before is not None:
        _refuse_others(folder, before, settings, endpoint)
        addresses = list(dict.fromkeys([*before.endpoint.get("addresses", ()), *addresses]))
    kept = [url for url in kept_under(before) if url != settings.get("base_url")]
    found = {**endpoint, "addresses": addresses} | ({"kept_under": kept} if kept else {})
    return record.model_copy(
        update={
            "settings": record.settings.model_copy(update={"model_settings": dict(settings)}),
            "endpoint": found if addresses else {},
        }
    )


def _refuse_others(folder: Path, before: RunRecord, settings: Mapping[str, Any], endpoint: Mapping[str, Any]) -> None:
    old = before.settings.model_settings
    was, now = before.endpoint.get("weights") or old.get("served"), endpoint.get("weights")
    here = ", ".join(endpoint.get("addresses", ()))
    if was is not None and now is not None and was != now:
        raise RunConflictError(
            f"{folder} holds a run of {was}, and {here} serves {now}; give another folder with --out."
        )
    if "base_url" not in settings:
        return
    if settings.get("base_url") in kept_under(before):
        return
    where = old.get("base_url") or ", ".join(before.endpoint.get("addresses", ())) or "another address"
    raise RunConflictError(
        f"{folder} holds a run of {was or before.settings.model} that was asked at {where}, and nothing tells whether "
        f"{here} serves the same; say so with --label NAME, or give another folder with --out."
    )
