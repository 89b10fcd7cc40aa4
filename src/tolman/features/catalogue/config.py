"""Settings of `tolman benchmarks`, `protocols`, `recipes`, `fetch`, `export`, `store` and `doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.features.config import Setting, StorePlace
from tolman.features.run.config import benchmarks_and_suites


@dataclass(frozen=True, kw_only=True)
class DoctorConfig:
    """Things that must work, besides those checked in any case."""

    extra: Annotated[
        tuple[str, ...], Setting("Extra that must work, such as video; may be given several times.", repeated=True)
    ] = ()
    base_url: Annotated[
        tuple[str, ...],
        Setting(
            "Base URL of an endpoint that must answer, http://HOST:PORT/v1; its models are listed. May be given "
            "several times.",
            repeated=True,
            secret=True,
        ),
    ] = ()
    database: Annotated[
        tuple[str, ...],
        Setting(
            "URL of a database for 'tolman review' that must answer, postgresql:// or sqlite:///. May be given several "
            "times.",
            repeated=True,
            secret=True,
        ),
    ] = ()
    store: StorePlace = None
    frame_store: Annotated[
        Path | None, Setting("Folder of decoded frames. Default: frames in the user's cache.", panel="Stores")
    ] = None


@dataclass(frozen=True, kw_only=True)
class BenchmarksConfig:
    """Which benchmark is described."""

    name: Annotated[
        str | None,
        Setting("Name of a benchmark, which is shown with its subsets, presets and table, or of a suite, whose file is "
                "printed. Default: all, a line each.", positional=True, names=benchmarks_and_suites),
    ] = None  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ProtocolsConfig:
    """Nothing to set: all protocols are listed."""


@dataclass(frozen=True, kw_only=True)
class RecipesConfig:
    """Which recipe is described."""

    name: Annotated[
        str | None,
        Setting(
            "Recipe that is shown with all it states: a name, a TOML file, or a model's name. Default: all, a line "
            "each.",
            positional=True,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class FetchConfig:
    """Which benchmark's data are fetched."""

    benchmark: Annotated[str, Setting("Benchmark whose released data are fetched.", positional=True)]
    subset: Annotated[
        str | None,
        Setting("Part of the benchmark that has a name; see 'tolman benchmarks NAME'. Default: the first."),
    ] = None
    media: Annotated[bool, Setting("Fetch videos and images too.")] = True
    revision: Annotated[
        str | None,
        Setting(
            "Commit, tag or branch of the data set on the hub. Default: the lock file's, else the benchmark's own."
        ),
    ] = None
    lock: Annotated[
        Path,
        Setting(
            "File that the state of the questions is written into, and taken from where it has one.", writes="file"
        ),
    ] = Path("tolman.lock")
    update: Annotated[
        bool, Setting("Go over to the newest state on the hub, say what changed, and write it into the lock file.")
    ] = False


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


@dataclass(frozen=True, kw_only=True)
class StoreShowConfig:
    """Which store is shown."""

    store: StorePlace = None


@dataclass(frozen=True, kw_only=True)
class StorePruneConfig:
    """Which answers are deleted."""

    store: StorePlace = None
    model: Annotated[str | None, Setting("Name of the model whose answers are deleted. Default: all models.")] = None
    older_than: Annotated[
        float | None, Setting("Least age of answers that are deleted, days, from 0. Default: any age.", least=0)
    ] = None
    everything: Annotated[bool, Setting("Delete all answers.", option="--all")] = False


@dataclass(frozen=True, kw_only=True)
class StoreExportConfig:
    """Which store is written out, and where."""

    out: Annotated[Path, Setting("JSONL file to write.", positional=True, writes="file")]
    store: StorePlace = None
