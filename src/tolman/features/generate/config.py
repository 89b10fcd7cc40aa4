"""Settings of `tolman generate` and `audit`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.features.config import NumberOfWorkers, On, Setting, Subset

PANEL = "With --shortcuts"
"""Heading of the settings of the shortcut audit in help texts."""


@dataclass(frozen=True, kw_only=True)
class AuditConfig:
    """Which benchmark is audited: its answers by which scenes and rules, or its text by which learners."""

    benchmark: Annotated[str, Setting("Name or folder of a benchmark whose scenes are known.", positional=True)]
    scenes: Annotated[Path | None, Setting("Folder of its scenes. Default: none, which --shortcuts needs.")] = None
    data: Annotated[
        Path | None, Setting("Folder with the benchmark's released data. Default: the Hugging Face hub.")
    ] = None
    subset: Subset = None
    preset: Annotated[
        str, Setting("Generation preset whose thresholds questions are held to, such as vsi-paper or mmsi.")
    ] = "vsi-paper"
    shortcuts: Annotated[
        bool,
        Setting(
            "Audit whether learners guess the answers from the text of questions, in place of the answers.", panel=PANEL
        ),
    ] = False
    teach: Annotated[
        tuple[Path, ...],
        Setting(
            "Folder of a benchmark that learners also train on, such as unfiltered questions of other seeds; may be "
            "given several times. Default: none.",
            panel=PANEL,
            repeated=True,
        ),
    ] = ()
    learners: Annotated[
        tuple[str, ...],
        Setting(
            "Learners that take part: boosted-trees, metadata, nearest-neighbours, ngram-linear, language-model, or a "
            "plugin's. Default: all.",
            panel=PANEL,
        ),
    ] = ()
    language_model: Annotated[
        Path | None,
        Setting("Folder of a small language model whose frozen features a learner uses. Default: none.", panel=PANEL),
    ] = None
    folds: Annotated[int, Setting("Folds of the scenes, each held out once, 3 or more.", least=3, panel=PANEL)] = 5
    scorer: Annotated[
        str | None, Setting("Scorer of answers that are no letters. Default: the headline's.", panel=PANEL)
    ] = None
    seed: Annotated[int, Setting("Seed of folds and learners, 0 or more.", least=0, panel=PANEL)] = 0
    out: Annotated[Path, Setting("Folder of the findings.")] = Path("audit")
    on: On = None
    workers: NumberOfWorkers = None


@dataclass(frozen=True, kw_only=True)
class GenerateConfig:
    """Settings of a benchmark to make from scenes."""

    scenes: Annotated[
        Path, Setting("Folder of scenes: Parquet shards, or VSI-Bench's released meta-info.", positional=True)
    ]
    out: Annotated[Path, Setting("Folder of the benchmark.", writes="benchmark")]
    preset: Annotated[
        str | None,
        Setting(
            "Generation preset, which fixes families and thresholds: vsi-paper, vsi-official (with its defects), mmsi, "
            "site, spatialbench, posed-video, tolman-1 or all. Default: tolman-1 for twins, posed-video for scenes "
            "without boxes or scale, else vsi-paper."
        ),
    ] = None
    families: Annotated[
        tuple[str, ...],
        Setting("Names of question families. Default: all of the generation preset's.", metavar="NAME[,NAME…]"),
    ] = ()
    seed: Annotated[int, Setting("Seed of everything that is drawn at random, a whole number.")] = 0
    per_scene: Annotated[
        int | None,
        Setting("Most questions of a type from a scene, from 1. Default: the generation preset's, 15 or 60.", least=1),
    ] = None
    per_task: Annotated[int | None, Setting("Most questions of a type, from 1. Default: no limit.", least=1)] = None
    choices: Annotated[bool, Setting("Write numerical questions in their multiple-choice form.")] = False
    max_filter_rounds: Annotated[
        int | None,
        Setting(
            "Most rounds of shortcut filtering, 0 (none) to 100. Default: the generation preset's, 10, or 0 for "
            "vsi-official.",
            least=0,
            most=100,
            aliases=("--filter-rounds",),
        ),
    ] = None
    rings: Annotated[
        bool | None,
        Setting(
            "Take questions in rings only: scenes that answer one question differently, each option right once, so "
            "that no text tells its answer. Default: the generation preset's, rings for tolman-1 alone."
        ),
    ] = None
    media: Annotated[
        bool,
        Setting(
            "Write videos and pictures with the questions. Without them, questions only name the scenes' videos and "
            "frames, such as those of scenes simulated with --no-media. Default: yes.",
            aliases=("--no-no-media",),
            negates="no_media",
        ),
    ] = True
    licence: Annotated[
        str,
        Setting(
            "Licence of the questions and of the media with them, best as an SPDX identifier such as CC-BY-4.0; it "
            "stands in the data card. Default: none is named.",
        ),
    ] = ""
    overwrite: Annotated[
        bool, Setting("Replace another generated benchmark that the folder holds, unless people have reviewed it.")
    ] = False
    on: On = None
    workers: NumberOfWorkers = None
