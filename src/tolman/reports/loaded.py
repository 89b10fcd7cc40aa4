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


def _sampling(settings: RunSettings) -> str:
    """How a run drew its answers."""
    sampling = settings.sampling
    said = [f"{k} {v}" for k, v in sampling.model_dump(exclude_none=True, exclude={"thinking"}).items()]
    return ", ".join([*said, *([sampling.thinking.describe()] if sampling.thinking else [])])


def _apart(run: LoadedRun, namesakes: Sequence[LoadedRun]) -> str:
    """The settings in which a run differs from others of its name."""
    said: dict[str, Callable[[RunSettings], str]] = {
        "frames": lambda s: s.frames.describe(),
        "preset": lambda s: f"preset {s.preset}",
        "protocol_settings": protocol_settings,
        "sampling": _sampling,
        "seed": lambda s: f"seed {s.seed}",
        "repeats": lambda s: f"{s.repeats} repeats",
    }
    settings = run.record.settings
    different = (
        say(settings)
        for name, say in said.items()
        if any(getattr(other.record.settings, name) != getattr(settings, name) for other in namesakes)
    )
    return ", ".join(text for text in different if text)
