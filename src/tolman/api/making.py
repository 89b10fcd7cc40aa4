"""Scenes and benchmarks of them: `simulate`, `ingest`, `open_scenes`, `generate`, `audit`, `audit_shortcuts`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.api.evaluating import named_in_commands
from tolman.errors import UsageError
from tolman.workflows.config import at_places
from tolman.workflows.events import Events, silent
from tolman.workflows.keywords import config_of
from tolman.workflows.loaded_benchmark import Benchmark
from tolman.workflows.opened_scenes import Scenes

if TYPE_CHECKING:
    from tolman.workflows.audit import AuditResult
    from tolman.workflows.audit_shortcuts import ShortcutAuditResult
    from tolman.workflows.generate import GenerateResult
    from tolman.workflows.ingest import IngestResult
    from tolman.workflows.simulate import SimulateResult


def simulate(out: Path | str, *, events: Events = silent, **settings: Any) -> SimulateResult:
    """Simulate scenes whose truth is known, with videos.

    Args:
        out: folder of the scenes.
        events: called with progress and notes.
        settings: the options of `tolman simulate`, named as its fields are (`tolman.workflows.simulate`).

    Raises:
        UsageError: a setting that there isn't.
        NoDisplayError: the machine has no EGL.
    """
    from tolman.workflows.simulate import SimulateConfig
    from tolman.workflows.simulate import simulate as carry_out

    config = config_of(SimulateConfig, {"out": out, **settings})
    with at_places(config):
        return carry_out(config, events)


def ingest(format: str, path: Path | str, out: Path | str, *, events: Events = silent, **settings: Any) -> IngestResult:
    """Make scenes of scans and recordings.

    Args:
        format: of the recordings: 'scannet', 'arkitscenes', 'generic' …
        path: where they are.
        out: folder of the scenes.
        events: called with progress and notes.
        settings: the options of `tolman ingest`, named as its fields are (`tolman.workflows.ingest`).

    Raises:
        UsageError: a setting or format that there isn't.
        InputError: recordings that can't be used.
    """
    from tolman.workflows.ingest import IngestConfig
    from tolman.workflows.ingest import ingest as carry_out

    config = config_of(IngestConfig, {"format": format, "path": path, "out": out, **settings})
    with at_places(config):
        return carry_out(config, events)


def generate(
    scenes: Path | str | Scenes, out: Path | str, *, events: Events = silent, **settings: Any
) -> GenerateResult:
    """Make a benchmark of scenes: questions whose answers follow from geometry.

    Args:
        scenes: a folder of scenes, or `Scenes`.
        out: folder of the benchmark.
        events: called with progress and notes.
        settings: the options of `tolman generate`, named as its fields are (`tolman.workflows.generate`).

    Raises:
        UsageError: a setting, preset or family that there isn't, or no question comes out.
        InputError: no usable scene, or an output folder that holds something else.
    """
    from tolman.workflows.generate import GenerateConfig
    from tolman.workflows.generate import generate as carry_out

    place = scenes.path if isinstance(scenes, Scenes) else scenes
    config = config_of(GenerateConfig, {"scenes": place, "out": out, **settings})
    with at_places(config):
        return carry_out(config, events)


def audit(
    benchmark: str | Path | Benchmark, scenes: Path | str | Scenes, *, events: Events = silent, **settings: Any
) -> AuditResult:
    """Compute every answer of a benchmark anew from its scenes.

    Args:
        benchmark: a name, a folder, or a `Benchmark` that was loaded from one.
        scenes: a folder of its scenes, or `Scenes`.
        events: called with progress and notes.
        settings: the options of `tolman audit`, named as its fields are (`tolman.workflows.audit`).

    Raises:
        UsageError: a setting that there isn't, or no scene fits.
        InputError: data that can't be used.
    """
    from tolman.workflows.audit import AuditConfig
    from tolman.workflows.audit import audit as carry_out

    place = scenes.path if isinstance(scenes, Scenes) else scenes
    name, settings = _in_folder(benchmark, settings)
    config = config_of(AuditConfig, {"benchmark": name, "scenes": place, **settings})
    with at_places(config):
        return carry_out(config, events)


def audit_shortcuts(
    benchmark: str | Path | Benchmark,
    *,
    teach: str | Path | Sequence[str | Path] = (),
    events: Events = silent,
    **settings: Any,
) -> ShortcutAuditResult:
    """Tell whether learners that shortcut filtering doesn't use guess a benchmark's answers from its text.

    Args:
        benchmark: a name, a folder, or a `Benchmark` that was loaded from one.
        teach: folders of benchmarks whose questions are taught too, such as unfiltered ones of other seeds.
        events: called with progress and notes.
        settings: the options of `tolman audit --shortcuts`, named as its fields are (`tolman.workflows.audit`).

    Raises:
        UsageError: a setting that there isn't, too few scenes for the folds, or nothing to teach.
        InputError: data that can't be used.
        MissingExtraError: scikit-learn isn't installed.
    """
    from tolman.workflows.audit import AuditConfig
    from tolman.workflows.audit_shortcuts import audit_shortcuts as carry_out

    name, settings = _in_folder(benchmark, settings)
    several = [teach] if isinstance(teach, str | Path) else list(teach)
    given = {"benchmark": name, "shortcuts": True, "teach": tuple(Path(one) for one in several), **settings}
    config = config_of(AuditConfig, given)
    with at_places(config):
        return carry_out(config, events)


def _in_folder(benchmark: str | Path | Benchmark, settings: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """How commands name a benchmark that is audited, and the settings with where it was loaded from.

    Raises:
        UsageError: its questions are in no folder, or it is something else.
    """
    if isinstance(benchmark, Benchmark):
        if benchmark.in_memory:
            raise UsageError(
                "these questions are in no folder; write them into one with .save(FOLDER), and audit that."
            )
        loaded = benchmark.loaded
        return named_in_commands(loaded.benchmark.name), {"data": loaded.folder, "subset": loaded.subset} | settings
    if not isinstance(benchmark, str | Path):
        kind = type(benchmark).__name__
        raise UsageError(
            f"a benchmark is a name, a folder or a tolman.Benchmark, not {kind}; a result has its folder in .out."
        )
    return named_in_commands(benchmark), settings


def open_scenes(path: Path | str) -> Scenes:
    """Open a collection of scenes; they are read when they are looped over.

    Raises:
        InputError: there is no such folder.
    """
    return Scenes(path)
