"""Handing a benchmark, or the results of runs, to other programs in their own form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.names import hint
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, Noted, silent

if TYPE_CHECKING:
    from tolman.exports.export import BenchmarkSource, Export, RunSource


def forms() -> list[str]:
    """The names of forms."""
    from tolman import exports

    return exports.names()


@dataclass(frozen=True, kw_only=True)
class ExportConfig:
    """What is exported, in which form, and where to."""

    source: Annotated[
        tuple[str, ...],
        Setting("Benchmark by name or folder, or the folders of runs.", positional=True, metavar="BENCHMARK|RUN…"),
    ]
    form: Annotated[
        str,
        Setting(
            "Form: lmms-eval, inspect, vlmevalkit, croissant of a benchmark; easi, model-index of runs; a plugin's.",
            option="--as",
            names=forms,
        ),
    ]
    out: Annotated[Path, Setting("New folder that is written.", metavar="FOLDER")]
    data: Annotated[Path | None, Setting("Folder with the released data. Default: the Hugging Face hub.")] = None
    subset: Annotated[str | None, Setting("Part of the benchmark that has a name. Default: its first.")] = None
    revision: Annotated[str | None, Setting("Commit of the hub's data set. Default: the one that was tested.")] = None
    media: Annotated[
        Path | None, Setting("Folder that videos and images are relative to. Default: that of the questions.")
    ] = None
    preset: Annotated[
        str | None, Setting("Prompt preset whose prompts, frames and sampling it has. Default: the benchmark's first.")
    ] = None
    settings: Annotated[
        tuple[str, ...],
        Setting(
            "Setting of the form, such as task=my_task; any number of times. Default: none.",
            option="--set", metavar="KEY=VALUE", repeated=True,
        ),
    ] = ()  # fmt: skip


@dataclass(frozen=True)
class ExportResult:
    """What was written.

    Attributes:
        folder: the new folder.
        title: what is in it, as in a sentence.
        use: how the other program takes it: a command, or a sentence.
        notes: what the user must know.
        files: how many files it has.
    """

    folder: Path
    title: str
    use: str
    notes: tuple[str, ...]
    files: int


def export(config: ExportConfig, events: Events = silent) -> ExportResult:
    """Export a benchmark or runs; the folder is written whole or not at all.

    Raises:
        UsageError: an unknown form or setting, a source that it doesn't take, or a folder that isn't empty.
        InputError: the source is none, or a medium is missing.
    """
    from tolman.exports import export_named
    from tolman.exports.export import BenchmarkExport, Target
    from tolman.files import whole_folder

    found = export_named(config.form)
    settings = _settings(config, found)
    if config.out.exists() and (not config.out.is_dir() or any(config.out.iterdir())):
        raise UsageError(f"{config.out} is there and not empty; name a new folder with --out.")
    if not config.source:
        raise UsageError("nothing to export; name a benchmark or the folder of a run.")
    what = _benchmark(config) if isinstance(found, BenchmarkExport) else _runs(config)

    def began(what: str, total: int | None = None) -> None:
        events(Began(what, total))

    def advanced(count: int = 1) -> None:
        events(Advanced(count))

    config.out.parent.mkdir(parents=True, exist_ok=True)
    with whole_folder(config.out) as folder:
        target = Target(folder, config.out, settings, began=began, advanced=advanced)
        written = found.write(what, target)  # type: ignore[arg-type]
        files = sum(1 for path in folder.rglob("*") if path.is_file())
    events(Ended())
    for note in written.notes:
        events(Noted(note))
    return ExportResult(config.out, found.title, written.use, written.notes, files)


def _settings(config: ExportConfig, found: Export) -> Mapping[str, str]:
    settings = {}
    for one in config.settings:
        key, equals, value = one.partition("=")
        if not equals:
            raise UsageError(f"--set takes KEY=VALUE, not '{one}'.")
        if key not in found.settings:
            known = hint(key, found.settings)
            raise UsageError(f"the form '{config.form}' has no setting '{key}'; {known}.")
        settings[key] = value
    return settings


def _benchmark(config: ExportConfig) -> BenchmarkSource:
    from tolman.exports.export import BenchmarkSource
    from tolman.runs.load import load, preset_of

    if len(config.source) > 1:
        raise UsageError(f"the form '{config.form}' takes one benchmark, not {len(config.source)}.")
    (name,) = config.source
    if (Path(name) / "run.json").is_file():
        raise UsageError(f"{name} is a run, and the form '{config.form}' takes a benchmark; name that.")
    loaded = load(name, config.data, config.subset, config.revision)
    return BenchmarkSource(
        loaded, preset_of(loaded.benchmark, config.preset, loaded.subset), config.media or loaded.media_folder()
    )


def _runs(config: ExportConfig) -> list[RunSource]:
    from tolman import benchmarks
    from tolman.exports.export import RunSource
    from tolman.runs.folder import RunFolder

    given: list[Any] = [config.data, config.subset, config.revision, config.media, config.preset]
    if any(one is not None for one in given):
        raise UsageError(
            f"the form '{config.form}' takes runs, which know their data; leave out --data, --subset, --revision, "
            "--media and --preset."
        )
    found = []
    for path in config.source:
        folder = RunFolder(Path(path))
        record = folder.record()
        folder.check_scored()
        found.append(RunSource(folder, benchmarks.get(record.settings.benchmark)))
    return found
