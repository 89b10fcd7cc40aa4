"""Settings of `tolman curate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tolman.features.config import NumberOfWorkers, On, Setting, StorePlace, setting

if TYPE_CHECKING:
    pass


_POOL = Setting("Folder of the pool: all stages, their findings, the benchmark.", writes="curation")
_MODEL = Setting("Name of the model that classifies, FAMILY/NAME. Default: the recipe's.")
_URL = Setting("Base URL of that model's endpoint. Default: the recipe's.")


@dataclass(frozen=True, kw_only=True)
class CurateConfig:
    """Which recipe is carried out, and how far."""

    recipe: Annotated[Path, Setting("TOML file that says what the benchmark is made of.", positional=True)]
    out: Annotated[Path, _POOL]
    until: str | None = setting(
        "Last stage: import, duplicates, classify, convert, stratify, verify or benchmark. Default: the recipe's last."
    )
    model: Annotated[str | None, _MODEL] = None
    base_url: Annotated[str | None, _URL] = None
    concurrency: int | None = setting(
        "Most requests in flight to that model, from 1. Default: the recipe's, or 32.", least=1
    )
    store: StorePlace = None
    on: On = None
    workers: NumberOfWorkers = None


@dataclass(frozen=True, kw_only=True)
class CurateImportConfig:
    """Which question set is read."""

    mapping: Annotated[str, Setting("Name of a mapping ('tolman curate mappings'), or a TOML file.", positional=True)]
    data: Annotated[Path, Setting("File or folder with the questions.", positional=True)]
    out: Annotated[Path, _POOL]
    media: Path | None = setting("Folder of the media. Default: the data's.")


@dataclass(frozen=True, kw_only=True)
class CurateMappingsConfig:
    """Which mapping is shown."""

    name: str | None = setting(
        "Name of a mapping, which is shown with all that is known of it. Default: all, a line each.", positional=True
    )


@dataclass(frozen=True, kw_only=True)
class CurateCategoriesConfig:
    """Which model groups which labels."""

    recipe: Annotated[Path, Setting("Recipe whose classifying model is asked.", positional=True)]
    out: Annotated[Path, Setting("TOML file of the taxonomy that comes out.", writes="file")]
    pool: Annotated[Path, Setting("Pool into which the recipe's question sets were imported.")]
    count: int = setting("Number of categories, 2–20.", default=6, least=2, most=20)
    model: Annotated[str | None, _MODEL] = None
    base_url: Annotated[str | None, _URL] = None
    store: StorePlace = None


@dataclass(frozen=True, kw_only=True)
class CurateDuplicatesConfig:
    """Which benchmarks are looked through for repeated questions."""

    benchmark: Annotated[str, Setting("Name or folder of a benchmark.", positional=True)]
    against: str | None = setting("Name or folder of another that it may share questions with.", positional=True)
    data: Path | None = setting("Folder with the benchmark's released data. Default: the Hugging Face hub.")
    subset: str | None = setting("Named part of the benchmark, see 'tolman benchmarks NAME'. Default: its first.")
    against_data: Path | None = setting("Folder with the other's released data. Default: the Hugging Face hub.")
    against_subset: str | None = setting("Named part of the other. Default: its first.")
    names_only: bool = setting("Tell media apart by their names alone.", default=False)
    out: Path | None = setting("JSON Lines file of what was found. Default: none.", writes="file")
    on: On = None
    workers: NumberOfWorkers = None
