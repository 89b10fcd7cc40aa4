"""Locations of runs, and of the folders that they name: benchmark, data, scenes.

Paths are typed relative to a working directory. A run's record keeps with each the way from the run's folder and the
absolute path. So a run can be opened from anywhere, and after it was moved together with its benchmark.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.benchmarks.benchmark_folder import is_folder
from tolman.files import check_alone, check_folder, is_stream
from tolman.storage import as_named, is_url

if TYPE_CHECKING:
    from tolman.runs.run_folder import RunRecord, RunSettings

SCENES = "scenes"
"""The setting of models and protocols that is a path."""
IMPORTED = "imported/"
"""How the names begin under which `places` of a record keeps the files that its responses were imported from."""
CODE = "code"
"""The name under which `places` of a record keeps the file of a model that is a Python function."""


def default_folder(settings: RunSettings) -> Path:
    """Return runs/BENCHMARK-SUBSET/MODEL-PROTOCOL, with characters that a file name can't hold replaced.

    It is below the working directory, wherever the benchmark is. A run of an earlier version that is elsewhere goes on
    there.
    """
    tail = "" if settings.selection.is_all else "-part"
    name = file_name(f"{settings.model}-{settings.protocol}{tail}")
    earlier = Path("runs") / f"{settings.benchmark}-{settings.subset}" / name
    place = Path("runs") / f"{_name_in_runs(settings.benchmark)}-{settings.subset}" / name
    return earlier if earlier != place and (earlier / "run.json").is_file() else place


def _name_in_runs(benchmark: str) -> Path:
    """A benchmark's name below `runs`: of a folder its path below the working directory, or else its own name."""
    if is_url(benchmark) or not is_folder(benchmark):
        return Path(file_name(benchmark.rstrip("/").rpartition("/")[2]))
    path = Path(benchmark)
    if path.is_absolute() or ".." in path.parts or path == Path():
        return Path(file_name(path.resolve().name) or "benchmark")
    return path


def file_name(name: str) -> str:
    """Return a name with characters that a file's name can't hold replaced."""
    return "".join(c if c.isalnum() or c in "-._" else "-" for c in name)


def check_run_folder(path: Path) -> None:
    """Make sure that a folder may become a run's, or go on being one.

    Raises:
        UsageError: it holds or contains something else.
    """
    check_folder(path, "run")
    check_alone(path)


def places_of(record: RunRecord, folder: Path) -> dict[str, dict[str, str]]:
    """Return the places of the paths that a run's record names; its known places stay where a path isn't there.

    Args:
        record: of the run.
        folder: of the run.
    """
    found = {}
    for name in _named(record):
        if not is_url(name) and Path(name).exists():
            found[name] = _place(Path(name), folder)
        elif name in record.places:
            found[name] = dict(record.places[name])
    code = _code(record.settings.model)
    if code is not None and code.is_file():
        found[CODE] = _place(code, folder)
    return _apart(record) | found


def imported_places(files: Sequence[Path], folder: Path) -> dict[str, dict[str, str]]:
    """Entries for `RunRecord.places`: the files and folders that a run's responses are imported from.

    Args:
        files: as the user named them; streams have no place.
        folder: of the run.
    """
    named = [file for file in files if not is_stream(file)]
    return {f"{IMPORTED}{number}": _place(file, folder) for number, file in enumerate(named, start=1)}


def other_import(before: RunRecord, now: RunRecord, folder: Path) -> str | None:
    """The file that a run's responses were imported from, where they now come from another one; else None."""
    earlier, later = _imported(before), _imported(now)
    if not earlier or not later or len(earlier) != len(later):
        return None  # an earlier version kept no places; other numbers of files differ in their names already
    new = {one["absolute"] for one in later.values()}
    for known in earlier.values():
        if not {known["absolute"], str((folder / known["relative"]).resolve())} & new:
            return known["absolute"]
    return None


def is_imported(file: Path, folder: Path) -> bool:
    """Check whether the responses of a run were imported from a file; False where a folder is no run's."""
    try:
        places = json.loads((folder / "run.json").read_text(encoding="utf-8-sig")).get("places", {})
        known = [one for name, one in places.items() if name.startswith(IMPORTED)]
        there = {place for one in known for place in (one["absolute"], str((folder / one["relative"]).resolve()))}
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return False
    return str(file.resolve()) in there


def _code(model: str) -> Path | None:
    """The file of a model that is a function, python/FILE.py:FUNCTION; None for any other model."""
    file, _, _ = model.removeprefix("python/").rpartition(":")
    return Path(file) if model.startswith("python/") and file.endswith(".py") else None


def same_code(before: RunRecord, model: str, folder: Path) -> bool:
    """Check whether a model is the function of a file that a run has, with another path from here."""
    code, known = _code(model), before.places.get(CODE)
    if code is None or known is None or before.settings.model.rpartition(":")[2] != model.rpartition(":")[2]:
        return False
    return code.resolve() in ((folder / known["relative"]).resolve(), Path(known["absolute"]))


def _apart(record: RunRecord) -> dict[str, dict[str, str]]:
    """The places that no setting names."""
    return {name: dict(known) for name, known in record.places.items() if name == CODE or name.startswith(IMPORTED)}


def _imported(record: RunRecord) -> dict[str, dict[str, str]]:
    return {name: dict(known) for name, known in record.places.items() if name.startswith(IMPORTED)}


def _place(path: Path, folder: Path) -> dict[str, str]:
    """A path's entry in a record: the way from the run's folder, and the absolute path or the URL."""
    place = path.resolve()
    named = as_named(path)
    way = Path(os.path.relpath(place, folder.resolve())).as_posix()
    return {"relative": way, "absolute": named if is_url(named) else str(place)}


def opened(record: RunRecord, folder: Path) -> RunRecord:
    """A run's record with paths that can be opened from the working directory.

    Args:
        record: as run.json has it.
        folder: of the run.
    """
    at = {name: _found_at(name, record.places.get(name), folder.resolve()) for name in _named(record)}
    if all(name == place for name, place in at.items()):
        return record

    def moved(settings: dict[str, Any]) -> dict[str, Any]:
        return {**settings, SCENES: at[settings[SCENES]]} if settings.get(SCENES) in at else settings

    settings = record.settings.model_copy(
        update={
            "benchmark": at.get(record.settings.benchmark, record.settings.benchmark),
            "model_settings": moved(record.settings.model_settings),
            "protocol_settings": moved(record.settings.protocol_settings),
        }
    )
    places = {at[name]: known for name, known in record.places.items() if name in at} | _apart(record)
    return record.model_copy(update={"settings": settings, "data": at[record.data], "places": places})


def _named(record: RunRecord) -> list[str]:
    """The paths that a record names; its data may be a data set of the hub."""
    settings = record.settings
    benchmark = [settings.benchmark] if is_folder(settings.benchmark) or settings.benchmark in record.places else []
    scenes = [one.get(SCENES) for one in (settings.model_settings, settings.protocol_settings)]
    return list(dict.fromkeys([*benchmark, record.data, *(one for one in scenes if isinstance(one, str))]))


def _found_at(name: str, known: Mapping[str, str] | None, folder: Path) -> str:
    """A path as it can be opened here: as it was typed where that is the same, or where nothing else is there."""
    for place in (folder / known["relative"], Path(known["absolute"])) if known is not None else ():
        if place.exists():
            place = place.resolve()
            return name if Path(name).resolve() == place else str(place)
    return name


def same_place(one: Any, other: Any) -> bool:
    """Check whether two settings are paths of one folder."""
    return isinstance(one, str) and isinstance(other, str) and Path(one).resolve() == Path(other).resolve()
