"""Where the media and the scenes of runs are on this machine, as far as they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tolman import benchmarks
from tolman.benchmarks.fetching.place import unpacking_folder
from tolman.benchmarks.hub import media_at_hand
from tolman.reports.loaded import LoadedRun
from tolman.storage import StorageError, is_url, pull


def media_folder(runs: Sequence[LoadedRun], given: Path | None) -> Path | str:
    """The folder that the media of some runs of one question set are relative to, or why it isn't known.

    Args:
        runs: one or more.
        given: the folder that the user names.
    """
    if given is not None:
        return given
    for run in runs:
        try:
            data = pull(run.record.data)
        except StorageError as error:
            return str(error)
        if data.is_dir():
            return data
        if data.is_file():
            return data.parent
        _, at, commit = run.record.data.rpartition("@")
        hub = benchmarks.get(run.record.settings.benchmark).hub if at else None
        found = media_at_hand(hub, unpacking_folder(), commit) if hub is not None else None
        if found is not None:
            return found
    return f"{runs[0].record.data} isn't on this machine; name the folder of its media with --media"


def scenes_folder(runs: Sequence[LoadedRun], data: Path | str, given: Path | None) -> Path | str:
    """The collection that a question set was generated from, or why it isn't known.

    Args:
        runs: one or more.
        data: as `media_folder` gives it.
        given: the folder that the user names.
    """
    if given is not None:
        return given
    named: list[Path] = []
    for run in runs:
        settings = run.record.settings
        named += [Path(one["scenes"]) for one in (settings.model_settings, settings.protocol_settings) if _names(one)]
    if isinstance(data, Path):
        named += _provenance(data)
    found = next((path for path in named if path.exists()), None)
    if found is not None:
        return found
    where = f"{named[0]} isn't on this machine" if named else "nothing names the scenes of these questions"
    return f"{where}; name their folder with --scenes"


def _names(settings: object) -> bool:
    return isinstance(settings, dict) and isinstance(settings.get("scenes"), str)


def _provenance(data: Path) -> list[Path]:
    """The scenes that a generated benchmark names, which may be relative to the folder that it was made in."""
    try:
        told = json.loads((data / "provenance.json").read_text(encoding="utf-8"))
        named = Path(told["scenes"])
    except (OSError, ValueError, KeyError, TypeError):
        return []
    if is_url(named):
        try:
            return [pull(named)]
        except StorageError:
            return []
    return [named, data / named, data.parent / named]
