"""Settings of `tolman generate`, `form` and `audit`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.features.config import NumberOfWorkers, On, Setting, Subset, setting

PANEL = "With --shortcuts"
"""Heading of the settings of the shortcut audit in help texts."""


@dataclass(frozen=True, kw_only=True)
class AuditConfig:
    """Which benchmark is audited: its answers by which scenes and rules, its text by which learners, or against which
    others."""

    benchmark: Annotated[
        str,
        Setting(
            "Name or folder of a benchmark whose scenes are known; with --against also a training file: .json, .jsonl "
            "or .parquet.",
            positional=True,
        ),
    ]
    scenes: Path | None = setting("Folder of its scenes. Default: none, which --shortcuts and --against need.")
    data: Path | None = setting("Folder with the benchmark's released data. Default: the Hugging Face hub.")
    subset: Subset = None
    preset: str = setting(
        "Generation preset whose thresholds questions are held to, such as vsi-paper or mmsi.", default="vsi-paper"
    )
    against: tuple[str, ...] = setting(
        "Name or folder of a benchmark, or a training file, that is searched for the same scenes, questions and "
        "frames, in place of the answers; may be given several times. Default: none.",
        default=(),
        metavar="BENCHMARK|FILE",
        repeated=True,
    )
    shortcuts: bool = setting(
        "Audit whether learners guess the answers from the text of questions, in place of the answers.",
        default=False,
        panel=PANEL,
    )
    teach: tuple[Path, ...] = setting(
        "Folder of a benchmark that learners also train on, such as unfiltered questions of other seeds; may be "
        "given several times. Default: none.",
        default=(),
        panel=PANEL,
        repeated=True,
    )
    learners: tuple[str, ...] = setting(
        "Learners that take part: boosted-trees, metadata, nearest-neighbours, ngram-linear, language-model, or a "
        "plugin's. Default: all.",
        default=(),
        panel=PANEL,
    )
    language_model: Path | None = setting(
        "Folder of a small language model whose frozen features a learner uses. Default: none.", panel=PANEL
    )
    folds: int = setting("Folds of the scenes, each held out once, 3 or more.", default=5, least=3, panel=PANEL)
    scorer: str | None = setting("Scorer of answers that are no letters. Default: the headline's.", panel=PANEL)
    seed: int = setting("Seed of folds and learners, 0 or more.", default=0, least=0, panel=PANEL)
    out: Path = setting("Folder of the findings.", default=Path("audit"))
    on: On = None
    workers: NumberOfWorkers = None


@dataclass(frozen=True, kw_only=True)
class GenerateConfig:
    """Settings of a benchmark to make from scenes."""

    scenes: Annotated[
        Path, Setting("Folder of scenes: Parquet shards, or VSI-Bench's released meta-info.", positional=True)
    ]
    out: Annotated[Path, Setting("Folder of the benchmark.", writes="benchmark")]
    preset: str | None = setting(
        "Generation preset, which fixes families and thresholds: vsi-paper, vsi-official (with its defects), mmsi, "
        "site, spatialbench, posed-video, tolman-1, tolman-2 or all. Default: tolman-2 for twins, posed-video for "
        "scenes without boxes or scale, else vsi-paper."
    )
    families: tuple[str, ...] = setting(
        "Names of question families. Default: all of the generation preset's.", default=(), metavar="NAME[,NAME…]"
    )
    seed: int = setting("Seed of everything that is drawn at random, a whole number.", default=0)
    per_scene: int | None = setting(
        "Most questions of a type from a scene, from 1. Default: the generation preset's, 15 or 60.", least=1
    )
    per_task: int | None = setting("Most questions of a type, from 1. Default: no limit.", least=1)
    choices: bool = setting("Write numerical questions in their multiple-choice form.", default=False)
    max_filter_rounds: int | None = setting(
        "Most rounds of shortcut filtering, 0 (none) to 100. Default: the generation preset's, 10, or 0 for "
        "vsi-official.",
        least=0,
        most=100,
        aliases=("--filter-rounds",),
    )
    rings: bool | None = setting(
        "Take questions in rings only: scenes that answer one question differently, each option right once, so "
        "that no text tells its answer. Default: the generation preset's, rings for tolman-1 and tolman-2."
    )
    media: bool = setting(
        "Write videos and pictures with the questions. Without them, questions only name the scenes' videos and "
        "frames, such as those of scenes simulated with --no-media. Default: yes.",
        default=True,
        aliases=("--no-no-media",),
        negates="no_media",
    )
    licence: str = setting(
        "Licence of the questions and of the media with them, best as an SPDX identifier such as CC-BY-4.0; it "
        "stands in the data card. Default: none is named.",
        default="",
    )
    overwrite: bool = setting(
        "Replace another generated benchmark that the folder holds, unless people have reviewed it.", default=False
    )
    on: On = None
    workers: NumberOfWorkers = None


@dataclass(frozen=True, kw_only=True)
class FormConfig:
    """Settings of a fresh form of a benchmark."""

    benchmark: Annotated[
        Path,
        Setting(
            "Folder of a benchmark that 'tolman generate' made, or its recipe: a TOML file with tables of 'simulate' "
            "and 'generate'.",
            positional=True,
        ),
    ]
    out: Annotated[
        Path, Setting("Folder of the form. Simulated scenes are next to it, in OUT-scenes.", writes="benchmark")
    ]
    seed: int | None = setting(
        "Seed of the form's worlds and questions, 0 or more. Default: drawn, so that it can't be guessed.", least=0
    )
    scenes: Path | None = setting(
        "Folder of other scenes to ask about. Default: simulated by the same recipe, or the benchmark's own scans."
    )
    spare: float = setting(
        "Scenes that are simulated for each of the benchmark's, 1–20: more scenes, more questions to choose from.",
        default=1.5,
        least=1,
        most=20,
    )
    fewer: bool = setting("Accept fewer questions of a type than the benchmark has.", default=False)
    on: On = None
    workers: NumberOfWorkers = None
