"""Runs with scores, as reports take them from their folders."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tolman.errors import InputError
from tolman.runs.folder import RunFolder, RunRecord, RunSettings


@dataclass(frozen=True)
class LoadedRun:
    """A run folder's settings and figures.

    Attributes:
        folder, record, figures: what the folder holds.
        apart: the settings that tell it from others of the same model and protocol in one table.
        place: the end of its folder's path that tells it from others of the same settings.
    """

    folder: RunFolder
    record: RunRecord
    figures: dict[str, Any]
    apart: str = ""
    place: str = ""

    @property
    def name(self) -> str:
        """How the run is called in a table: of those that were loaded together, each folder has its own."""
        return self.record.settings.named(self.apart, self.place and f"in {self.place}")

    @property
    def settings_name(self) -> str:
        """The name without its folder: equal for runs of the same settings."""
        return self.record.settings.named(self.apart)


def load_runs(paths: Sequence[Path]) -> list[LoadedRun]:
    """Open run folders; runs of one model and protocol are told apart by their settings, else by their folders.

    Raises:
        InputError: one of them is none, or has no scores.
    """
    folders = [RunFolder(path) for path in _without_pages(paths)]
    runs = [LoadedRun(folder, folder.record(), folder.figures()) for folder in folders]
    runs = [replace(run, apart=_apart(run, [other for other in runs if other.name == run.name])) for run in runs]
    folders_of: dict[str, set[Path]] = {}
    for run in runs:
        folders_of.setdefault(run.settings_name, set()).add(run.folder.path.resolve())
    ends = {name: _ends(places) for name, places in folders_of.items()}
    return [replace(run, place=ends[run.settings_name][run.folder.path.resolve()]) for run in runs]


def load_scored(paths: Sequence[Path]) -> tuple[list[LoadedRun], list[str]]:
    """Open those of some paths that are runs with scores, as `load_runs` does.

    Returns:
        The runs, and a sentence for each path that is none.

    Raises:
        InputError: none of them is; what is wrong with the first.
    """
    scored, problems = [], []
    for path in _without_pages(paths):
        folder = RunFolder(path)
        try:
            folder.record()
            folder.figures()
        except InputError as error:
            problems.append(error)
        else:
            scored.append(path)
    if problems and not scored:
        raise problems[0]
    return load_runs(scored), [str(error) for error in problems]


def _without_pages(paths: Sequence[Path]) -> Sequence[Path]:
    """Paths without the pages and settings that commands write beside runs, which RUNS/* names too."""
    kept = [path for path in paths if path.suffix not in (".html", ".toml") or not path.is_file()]
    return kept or paths


def protocol_settings(settings: RunSettings) -> str:
    """The settings of a run's protocol on one line."""
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.protocol_settings.items())


def _ends(places: Collection[Path]) -> dict[Path, str]:
    """The shortest ends of distinct paths that tell them apart; empty where there is one."""
    if len(places) == 1:
        return dict.fromkeys(places, "")
    depth = 1
    while len({place.parts[-depth:] for place in places}) < len(places):
        depth += 1
    return {place: "/".join(place.parts[-depth:]) for place in places}


def _sampling(settings: RunSettings) -> dict[str, Any]:
    """How a run drew its answers, but for its reasoning."""
    return settings.sampling.model_dump(exclude_none=True, exclude={"thinking"})


def _thinking(settings: RunSettings) -> str:
    """How a run's model was told to reason."""
    asked = settings.sampling.thinking
    return "reasoning as it does by itself" if asked is None else asked.describe()


def _apart(run: LoadedRun, namesakes: Sequence[LoadedRun]) -> str:
    """The settings in which a run differs from others of its name."""
    settings = run.record.settings
    others = [other.record.settings for other in namesakes]
    different = (say(settings) for value, say in _SAID if any(value(other) != value(settings) for other in others))
    return ", ".join(text for text in different if text)


_SAID: tuple[tuple[Callable[[RunSettings], Any], Callable[[RunSettings], str]], ...] = (
    (lambda s: s.protocol, lambda s: s.protocol),
    (lambda s: s.frames, lambda s: s.frames.describe()),
    (lambda s: s.preset, lambda s: f"preset {s.preset}"),
    (lambda s: s.protocol_settings, protocol_settings),
    (_sampling, lambda s: ", ".join(f"{name} {value}" for name, value in _sampling(s).items())),
    (_thinking, _thinking),
    (lambda s: s.seed, lambda s: f"seed {s.seed}"),
    (lambda s: s.repeats, lambda s: f"{s.repeats} repeats"),
    (lambda s: s.selection, lambda s: s.selection.describe() or "all questions"),
)
"""Settings in which runs of one name may differ, and how each is said."""
