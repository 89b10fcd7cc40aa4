"""Settings of `tolman benchmarks`, `protocols`, `recipes`, `fetch`, `export`, `store` and `doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.features.config import Setting, StorePlace, setting
from tolman.features.run.config import benchmarks_and_suites


@dataclass(frozen=True, kw_only=True)
class DoctorConfig:
    """Things that must work, besides those checked in any case."""

    extra: tuple[str, ...] = setting(
        "Extra that must work, such as video; may be given several times.", default=(), repeated=True
    )
    base_url: tuple[str, ...] = setting(
        "Base URL of an endpoint that must answer, http://HOST:PORT/v1; its models are listed. May be given "
        "several times.",
        default=(),
        repeated=True,
        secret=True,
    )
    database: tuple[str, ...] = setting(
        "URL of a database for 'tolman review' that must answer, postgresql:// or sqlite:///. May be given several "
        "times.",
        default=(),
        repeated=True,
        secret=True,
    )
    store: StorePlace = None
    frame_store: Path | None = setting("Folder of decoded frames. Default: frames in the user's cache.", panel="Stores")


@dataclass(frozen=True, kw_only=True)
class BenchmarksConfig:
    """Which benchmark is described."""

    name: str | None = setting(
        "Name of a benchmark, which is shown with its subsets, presets and table, or of a suite, whose file is "
        "printed. Default: all, a line each.",
        positional=True,
        names=benchmarks_and_suites,
    )


@dataclass(frozen=True, kw_only=True)
class ProtocolsConfig:
    """Nothing to set: all protocols are listed."""


@dataclass(frozen=True, kw_only=True)
class MetricsConfig:
    """Nothing to set: all metrics are listed."""


@dataclass(frozen=True, kw_only=True)
class RecipesConfig:
    """Which recipe is described."""

    name: str | None = setting(
        "Recipe that is shown with all it states: a name, a TOML file, or a model's name. Default: all, a line each.",
        positional=True,
    )


@dataclass(frozen=True, kw_only=True)
class FetchConfig:
    """Which benchmark's data are fetched."""

    benchmark: Annotated[str, Setting("Benchmark whose released data are fetched.", positional=True)]
    subset: str | None = setting(
        "Part of the benchmark that has a name; see 'tolman benchmarks NAME'. Default: the first."
    )
    media: bool = setting("Fetch videos and images too.", default=True)
    revision: str | None = setting(
        "Commit, tag or branch of the data set on the hub. Default: the lock file's, else the benchmark's own."
    )
    lock: Path = setting(
        "File that the state of the questions is written into, and taken from where it has one.",
        default=Path("tolman.lock"),
        writes="file",
    )
    update: bool = setting(
        "Go over to the newest state on the hub, say what changed, and write it into the lock file.", default=False
    )


def forms() -> list[str]:
    """The names of forms."""
    from tolman import exports

    return exports.names()


@dataclass(frozen=True, kw_only=True)
class ExportConfig:
    """Settings of an export: content, form and target."""

    source: Annotated[
        tuple[str, ...],
        Setting("Benchmark by name or folder, or the folders of runs.", positional=True, metavar="BENCHMARK|RUN…"),
    ]
    form: Annotated[
        str,
        Setting(
            "Form: lmms-eval, inspect, vlmevalkit, croissant of a benchmark; llava, llama-factory, ms-swift, trl, verl "
            "of a training set; easi, model-index of runs; a plugin's.",
            option="--as",
            names=forms,
        ),
    ]
    out: Annotated[Path, Setting("New folder that is written.", metavar="FOLDER")]
    data: Path | None = setting("Folder with the released data. Default: the Hugging Face hub.")
    subset: str | None = setting("Part of the benchmark that has a name. Default: its first.")
    revision: str | None = setting("Commit of the hub's data set. Default: the one that was tested.")
    media: Path | None = setting("Folder that videos and images are relative to. Default: that of the questions.")
    preset: str | None = setting(
        "Prompt preset whose prompts, frames and sampling it has. Default: the benchmark's first."
    )
    disjoint_from: tuple[str, ...] = setting(
        "Name or folder of a benchmark that may share no scene, question or frame; may be given several times. "
        "Default: none.",
        default=(),
        metavar="BENCHMARK",
        repeated=True,
    )
    settings: tuple[str, ...] = setting(
        "Setting of the form, such as task=my_task; any number of times. Default: none.",
        default=(),
        option="--set",
        metavar="KEY=VALUE",
        repeated=True,
    )


@dataclass(frozen=True, kw_only=True)
class StoreShowConfig:
    """Which store is shown."""

    store: StorePlace = None


@dataclass(frozen=True, kw_only=True)
class StorePruneConfig:
    """Which answers are deleted."""

    store: StorePlace = None
    model: str | None = setting("Name of the model whose answers are deleted. Default: all models.")
    older_than: float | None = setting(
        "Least age of answers that are deleted, days, from 0. Default: any age.", least=0
    )
    everything: bool = setting("Delete all answers.", default=False, option="--all")


@dataclass(frozen=True, kw_only=True)
class StoreExportConfig:
    """Which store is written out, and where."""

    out: Annotated[Path, Setting("JSONL file to write.", positional=True, writes="file")]
    store: StorePlace = None
