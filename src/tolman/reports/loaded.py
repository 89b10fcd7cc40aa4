"""Runs with scores, as reports take them from their folders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
        apart: what tells it from others of the same model and protocol in one table.
    """

    folder: RunFolder
    record: RunRecord
    figures: dict[str, Any]
    apart: str = ""

    @property
    def name(self) -> str:
        """How the run is called in a table."""
        settings = self.record.settings
        said = [settings.protocol] if settings.protocol != "direct" else []
        said += [self.apart] if self.apart else []
        return f"{settings.model} ({', '.join(said)})" if said else settings.model


def load_runs(paths: Sequence[Path]) -> list[LoadedRun]:
    """Open run folders.

    Raises:
        InputError: one of them is none, or has no scores.
    """
    folders = [RunFolder(path) for path in paths]
    runs = [LoadedRun(folder, folder.record(), folder.figures()) for folder in folders]
    return [replace(run, apart=_apart(run, [other for other in runs if other.name == run.name])) for run in runs]


def load_scored(paths: Sequence[Path]) -> tuple[list[LoadedRun], list[str]]:
    """Open those of some paths that are runs with scores, as `load_runs` does.

    Returns:
        The runs, and a sentence for each path that is none.

    Raises:
        InputError: none of them is; what is wrong with the first.
    """
    scored, problems = [], []
    for path in paths:
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


def protocol_settings(settings: RunSettings) -> str:
    """The settings of a run's protocol on one line."""
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.protocol_settings.items())


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
    (lambda s: s.frames, lambda s: s.frames.describe()),
    (lambda s: s.preset, lambda s: f"preset {s.preset}"),
    (lambda s: s.protocol_settings, protocol_settings),
    (_sampling, lambda s: ", ".join(f"{name} {value}" for name, value in _sampling(s).items())),
    (_thinking, _thinking),
    (lambda s: s.seed, lambda s: f"seed {s.seed}"),
    (lambda s: s.repeats, lambda s: f"{s.repeats} repeats"),
)
"""Settings in which runs of one name may differ, and how each is said."""
