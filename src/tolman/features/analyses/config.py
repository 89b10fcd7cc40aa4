"""Analyses of `tolman analyze`: their settings, and which functions compute and show them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tolman.features.analyses import Analysis, RightFrom, Runs, Scorer, Seed, Source, later, to_plain
from tolman.features.config import (
    JUDGE,
    JudgeBody,
    JudgeUrl,
    NumberOfWorkers,
    ReleasedData,
    Setting,
    StorePlace,
    Subset,
)

REFERENCES = ("auto", "with", "without", "both")
WHICH = ("auto", "all", "errors")


@dataclass(frozen=True, kw_only=True)
class ErrorsConfig:
    """Settings of `analyze_errors`."""

    runs: Runs
    taxonomy: Annotated[
        str | None, Setting("Error categories: vsi or mmsi. Default: those of the benchmark's paper.")
    ] = None
    labels: Annotated[
        Path | None, Setting("People's labels: a JSONL or CSV file with id, annotator, categories. Default: none.")
    ] = None
    judge: Annotated[
        str | None, Setting("Model that judges the reasoning, such as openai/gpt-4o. Default: none.", panel=JUDGE)
    ] = None
    judge_base_url: JudgeUrl = None
    judge_body: JudgeBody = None
    reference: Annotated[
        str,
        Setting(
            "Whether the judge is shown the human reasoning: with, without, or both in turn. Default: with it where "
            "all items have it.",
            panel=JUDGE,
            choices=REFERENCES,
        ),
    ] = "auto"
    which: Annotated[
        str,
        Setting(
            "Responses that are judged: all, or errors as VSI-Bench's examiners did. Default: as the taxonomy's paper.",
            panel=JUDGE,
            choices=WHICH,
        ),
    ] = "auto"
    sample: Annotated[
        int | None,
        Setting("Responses of each run that are judged, from 1, drawn by --seed. Default: all.", least=1, panel=JUDGE),
    ] = None
    text_only: Annotated[bool, Setting("Show the judge no pictures.", panel=JUDGE)] = False
    frames: Annotated[
        int | None,
        Setting("Frames of a video that the judge is shown, from 1. Default: the run's.", least=1, panel=JUDGE),
    ] = None
    data: ReleasedData = None
    media: Annotated[Path | None, Setting("Folder of the videos and images. Default: the data's.")] = None
    concurrency: Annotated[int, Setting("Most requests in flight, 1 or more.", least=1, panel=JUDGE)] = 32
    prices: Annotated[
        Path | None, Setting("JSON file with the judge's prices of tokens. Default: no cost.", panel=JUDGE)
    ] = None
    store: StorePlace = None
    scorer: Scorer = None
    right_from: RightFrom = 0.5
    seed: Seed = 0
    out: Annotated[Path | None, Setting("Folder for errors.csv, errors.svg and, with --judge, labels.jsonl.")] = Path(
        "errors"
    )


@dataclass(frozen=True, kw_only=True)
class CorrelationConfig:
    """Settings of `analyze_correlation`."""

    table: Annotated[Path, Setting("CSV with a row for each model: its name first, then figures.", positional=True)]
    runs: Annotated[
        tuple[Path, ...],
        Setting("Run folders of one benchmark, whose headlines are the models' scores.", positional=True),
    ] = ()
    score: Annotated[str | None, Setting("Column that is correlated with the others. Default: the runs' headline.")] = (
        None
    )
    against: Annotated[
        tuple[str, ...],
        Setting("Column it is correlated with; may be given several times. Default: all.", repeated=True),
    ] = ()
    lower_is_better: Annotated[
        tuple[str, ...],
        Setting("Column that is negated, such as a distance; may be given several times.", repeated=True),
    ] = ()
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class WeightsConfig:
    """Settings of `analyze_weights`."""

    runs: Annotated[
        tuple[Path, ...], Setting("Run folders of one benchmark; none with --published.", positional=True)
    ] = ()
    published: Annotated[
        str | None,
        Setting("Benchmark whose paper's rows are taken instead of runs, such as spatialbench. Default: none."),
    ] = None
    levels: Annotated[
        tuple[str, ...], Setting("Columns of the table, the simplest level first. Default: the table's levels.")
    ] = ()
    counts: Annotated[
        tuple[float, ...], Setting("Number of questions of each level. Default: the runs'.", metavar="N,N[,N…]")
    ] = ()
    leave_out: Annotated[
        tuple[str, ...], Setting("Model that is left out; may be given several times.", repeated=True)
    ] = ()
    alpha: Annotated[
        float, Setting("Part of a weight that the questions' shares decide, 0–1: the paper's α.", least=0, most=1)
    ] = 0.4
    k: Annotated[
        float, Setting("Reward of large contributions in the objective, 0 or more: the paper's k.", least=0)
    ] = 0.01
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class RepresentativeConfig:
    """Settings of `analyze_representative`."""

    runs: Runs
    size: Annotated[int, Setting("Items in the subset, 1 or more.", least=1)] = 300
    scorer: Scorer = None
    seed: Seed = 0
    out: Annotated[Path | None, Setting("Folder for ids.txt and subset.json.")] = Path("representative")


@dataclass(frozen=True, kw_only=True)
class BiasConfig:
    """Settings of `analyze_bias`."""

    benchmark: Source
    data: ReleasedData = None
    subset: Subset = None
    prune: Annotated[
        int | None,
        Setting("Items that a pruned subset keeps, from 1, those hardest to guess. Default: no pruning.", least=1),
    ] = None
    rounds: Annotated[int, Setting("Rounds of pruning, learners trained again in each, 1 or more.", least=1)] = 6
    against: Annotated[
        Path | None,
        Setting(
            "File of item ids, one a line, that another subset leaves out; its bias is printed as well. Default: none."
        ),
    ] = None
    folds: Annotated[int, Setting("Folds of the scenes, each held out once, 3 or more.", least=3)] = 5
    scorer: Scorer = None
    seed: Seed = 0
    workers: Annotated[
        int | None, Setting("Processes that train learners, 1 or more. Default: one on each core.", least=1)
    ] = None
    out: Annotated[
        Path | None, Setting("Folder for guessability.csv, bias.json and, with --prune, keep.txt and leave-out.txt.")
    ] = Path("bias")


@dataclass(frozen=True, kw_only=True)
class DiversityConfig:
    """Settings of `analyze_diversity`."""

    benchmark: Source
    data: ReleasedData = None
    subset: Subset = None
    structures: Annotated[bool, Setting("Also parse each question and count distinct dependency trees.")] = False


@dataclass(frozen=True, kw_only=True)
class DeltasConfig:
    """Settings of `analyze_deltas`."""

    runs: Runs
    chance: Annotated[
        str,
        Setting(
            "Baseline that gives the chance level, which blind runs are compared with: best-constant, random … or none."
        ),
    ] = "best-constant"
    scorer: Scorer = None
    data: Annotated[
        Path | None,
        Setting(
            "Folder of the whole benchmark, which the chance level is computed on. Default: where the runs' data was."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class HumansConfig:
    """Settings of `analyze_humans`."""

    runs: Annotated[tuple[Path, ...], Setting("Run folders, one for each person (model human/NAME).", positional=True)]
    scorer: Scorer = None
    cuts: Annotated[
        tuple[float, ...],
        Setting(
            "Seconds up to which an item is easy, and up to which it is medium: 40,110. Default: cuts that leave the "
            "least variance of log time within tiers.",
            metavar="S,S",
        ),
    ] = ()
    right_from: RightFrom = 0.5
    out: Annotated[
        Path | None, Setting("Folder for tiers.csv, easy.txt, medium.txt and hard.txt. Default: not written.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class MapsConfig:
    """Settings of `analyze_maps`."""

    runs: Runs
    scenes: Annotated[
        Path | None, Setting("Folder of the scenes that true maps are computed from. Default: the run's own.")
    ] = None
    stretch: Annotated[
        bool, Setting("Let true maps fill the grid along both axes, which distorts the scene's distances.")
    ] = False
    draw: Annotated[int, Setting("Maps of each run that are drawn into the page, 0 or more.", least=0)] = 24
    out: Annotated[Path | None, Setting("Folder for maps.html, locality.svg and pairs.csv.")] = Path("maps")


@dataclass(frozen=True, kw_only=True)
class ObserverConfig:
    """Settings of `analyze_observer`."""

    runs: Runs
    scenes: Annotated[Path, Setting("Folder of the benchmark's scenes: Parquet shards, or VSI-Bench's meta-info.")]
    draws: Annotated[int, Setting("Perceptions that are drawn at each level of noise, from 100.", least=100)] = 1000
    radial: Annotated[
        float, Setting("Error of places along the line of sight, as a multiple of that across it, 0 or more.", least=0)
    ] = 1.0
    drift: Annotated[
        float,
        Setting("Metres by which the observer's map drifts from the video's beginning to its end, 0 or more.", least=0),
    ] = 0.0
    confusion: Annotated[
        float, Setting("Probability that an object is taken for one of another category, 0–1.", least=0, most=1)
    ] = 0.0
    memory: Annotated[
        float | None,
        Setting("Seconds after which 63 % of the objects are forgotten, from 1. Default: none are.", least=1),
    ] = None
    scorer: Scorer = None
    seed: Seed = 0
    workers: NumberOfWorkers = None


@dataclass(frozen=True, kw_only=True)
class GroundingConfig:
    """Settings of `analyze_grounding`."""

    runs: Runs
    scorer: Scorer = None
    right_from: RightFrom = 0.5


def _own(function: str, config: type[Any], title: str, *examples: str, **others: Any) -> Analysis[Any, Any]:
    """Declare the analysis of 'module:name': it has `analyze_NAME` and `NAME_to_json`, and reports have `show_NAME`."""
    module, _, name = function.partition(":")
    home = f"tolman.features.analyses.{module}"
    shown = {"show": later(f"tolman.reports.analysis_results:show_{name}"), "to_json": later(f"{home}:{name}_to_json")}
    run = later(f"{home}:analyze_{name}")
    return Analysis(name=name, title=title, config=config, run=run, examples=examples, **(shown | others))


ANALYSES = (
    _own(
        "error_analysis:errors",
        ErrorsConfig,
        "Error types behind the answers, by a judge model or from people's labels, and how far they agree.",
        "errors runs/vsi-bench-tiny/my-model-self-explanation --labels labels.csv",
        "errors runs/mmsi-bench-full/my-model-cot --judge openai/gpt-4o --reference both",
        is_complete=later("tolman.features.analyses.error_analysis:is_complete"),
    ),
    _own(
        "model_analyses:correlation",
        CorrelationConfig,
        "Correlation of a benchmark with other tasks, over models: Pearson, Spearman, bootstrap intervals.",
        "correlation downstream.csv --score MMSI-Bench",
        'correlation libero.csv --score "L2 distance" --lower-is-better "L2 distance"',
    ),
    _own(
        "model_analyses:weights",
        WeightsConfig,
        "Capability weights of cognitive levels, by SpatialBench's constrained optimum.",
        "weights --published spatialbench --counts 318,527,291,98,113",
    ),
    _own(
        "model_analyses:representative",
        RepresentativeConfig,
        "Representative subset: few items on which models score as on all, checked on models left out.",
        "representative runs/vsi-bench-full/* --size 300",
    ),
    _own(
        "question_analyses:bias",
        BiasConfig,
        "Shortcut bias: what learners score that see no picture, item by item; pruning items that are guessed.",
        "bias vsi-bench --prune 2362",
    ),
    _own(
        "question_analyses:diversity",
        DiversityConfig,
        "Diversity of the questions' wording: distinct words, unique n-grams, syntactic structures.",
        "diversity vsi-bench",
    ),
    _own(
        "run_analyses:deltas",
        DeltasConfig,
        "Vision ablation and protocol ablation, per task: with vision − blind, blind − chance, protocol − direct.",
        "deltas runs/vsi-bench-full/my-model-direct runs/vsi-bench-full/my-model-blind",
    ),
    _own(
        "run_analyses:humans",
        HumansConfig,
        "Human baselines: people's scores and their average; tiers of difficulty from answering times.",
        "humans people/* --out tiers",
    ),
    _own(
        "run_analyses:maps",
        MapsConfig,
        "Cognitive maps that models drew against the true ones: distances near and far, the maps side by side.",
        "maps runs/my-bench-all/my-model-cognitive-map --scenes scenes",
        show=later("tolman.reports.map_results:show_maps"),
    ),
    _own(
        "run_analyses:observer",
        ObserverConfig,
        "Perception or reasoning: the noise at which an ideal observer answers as a model does.",
        "observer runs/vsi-bench-full/my-model-direct --scenes meta_info",
        to_json=to_plain,
    ),
    _own(
        "run_analyses:grounding",
        GroundingConfig,
        "Grounded accuracy: answers that are right with the evidence, given up without it, and others on a twin.",
        "grounding runs/my-bench-all/my-model-grounded",
        to_json=to_plain,
    ),
)
