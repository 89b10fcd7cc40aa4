"""Items by their ids: from a list, from a file, or from what other runs were asked."""

from __future__ import annotations

from pathlib import Path

from tolman.errors import InputError
from tolman.runs.folder import RunFolder


def ids_from(option: str | None) -> tuple[str, ...]:
    """The ids of an option: 'a,b,c', a file with one id on each line, or a run's folder or one of several runs: then
    all items that were asked there.

    Raises:
        InputError: the file can't be read, or the folder holds no run.
    """
    if not option:
        return ()
    path = Path(option)
    if path.is_dir():
        return _asked_in(path)
    if path.is_file():
        try:
            return tuple(line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                path, f"can't be read as a list of ids ({error})", fix="write one id on each line"
            ) from None
    return tuple(part.strip() for part in option.split(",") if part.strip())


def _asked_in(path: Path) -> tuple[str, ...]:
    """The ids of what was asked in a run, or in any of the runs of a folder, in the items' order in each."""
    runs = [path] if (path / "run.json").is_file() else sorted(place.parent for place in path.glob("*/run.json"))
    if not runs:
        raise InputError(
            path, "holds no run", fix="name a run's folder, one of runs, or a file with one id on each line"
        )
    return tuple(dict.fromkeys(item.id for run in runs for item in RunFolder(run).items()))
