"""Analyses of `tolman analyze`: their settings, and which functions compute and show them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tolman.features.analyses import Analysis, RightFrom, Runs, Scorer, Seed, Source, to_plain
from tolman.features.config import (
    JUDGE,
    JudgeBody,
    JudgeUrl,
    NumberOfWorkers,
    ReleasedData,
    Setting,
    StorePlace,
    Subset,
    setting,
)
from tolman.registry import later

REFERENCES = ("auto", "with", "without", "both")
WHICH = ("auto", "all", "errors")


@dataclass(frozen=True, kw_only=True)
class ErrorsConfig:
    """Settings of `analyze_errors`."""

    runs: Runs
    taxonomy: str | None = setting("Error categories: vsi or mmsi. Default: those of the benchmark's paper.")
    labels: Path | None = setting("People's labels: a JSONL or CSV file with id, annotator, categories. Default: none.")
    judge: str | None = setting("Model that judges the reasoning, such as openai/gpt-4o. Default: none.", panel=JUDGE)
    judge_base_url: JudgeUrl = None
    judge_body: JudgeBody = None
    reference: str = setting(
        "Whether the judge is shown the human reasoning: with, without, or both in turn. Default: with it where "
        "all items have it.",
        default="auto",
        panel=JUDGE,
        choices=REFERENCES,
    )
    which: str = setting(
        "Responses that are judged: all, or errors as VSI-Bench's examiners did. Default: as the taxonomy's paper.",
        default="auto",
        panel=JUDGE,
        choices=WHICH,
    )
    sample: int | None = setting(
        "Responses of each run that are judged, from 1, drawn by --seed. Default: all.", least=1, panel=JUDGE
    )
    text_only: bool = setting("Show the judge no pictures.", default=False, panel=JUDGE)
    frames: int | None = setting(
        "Frames of a video that the judge is shown, from 1. Default: the run's.", least=1, panel=JUDGE
    )
    data: ReleasedData = None
    media: Path | None = setting("Folder of the videos and images. Default: the data's.")
    concurrency: int = setting("Most requests in flight, 1 or more.", default=32, least=1, panel=JUDGE)
    prices: Path | None = setting("JSON file with the judge's prices of tokens. Default: no cost.", panel=JUDGE)
    store: StorePlace = None
    scorer: Scorer = None
    right_from: RightFrom = 0.5
    seed: Seed = 0
    out: Path | None = setting(
        "Folder for errors.csv, errors.svg and, with --judge, labels.jsonl.", default=Path("errors")
    )


@dataclass(frozen=True, kw_only=True)
class CorrelationConfig:
    """Settings of `analyze_correlation`."""

    table: Annotated[
        Path,
        Setting(
            "CSV with a row for each model: its name first, then figures. Or a folder with a folder of robot logs for "
            "each model.",
            positional=True,
        ),
    ]
    runs: tuple[Path, ...] = setting(
        "Run folders of one benchmark, whose headlines are the models' scores.", default=(), positional=True
    )
    score: str | None = setting("Column that is correlated with the others. Default: the runs' headline.")
    against: tuple[str, ...] = setting(
        "Column it is correlated with; may be given several times. Default: all.", default=(), repeated=True
    )
    control: tuple[str, ...] = setting(
        "Column that is held fixed, for partial correlations; may be given several times.",
        default=(),
        repeated=True,
    )
    lower_is_better: tuple[str, ...] = setting(
        "Column that is negated, such as a distance; may be given several times.", default=(), repeated=True
    )
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class WeightsConfig:
    """Settings of `analyze_weights`."""

    runs: tuple[Path, ...] = setting(
        "Run folders of one benchmark; none with --published.", default=(), positional=True
    )
    published: str | None = setting(
        "Benchmark whose paper's rows are taken instead of runs, such as spatialbench. Default: none."
    )
    levels: tuple[str, ...] = setting(
        "Columns of the table, the simplest level first. Default: the table's levels.", default=()
    )
    counts: tuple[float, ...] = setting(
        "Number of questions of each level. Default: the runs'.", default=(), metavar="N,N[,N…]"
    )
    leave_out: tuple[str, ...] = setting(
        "Model that is left out; may be given several times.", default=(), repeated=True
    )
    alpha: float = setting(
        "Part of a weight that the questions' shares decide, 0–1: the paper's α.", default=0.4, least=0, most=1
    )
    k: float = setting(
        "Reward of large contributions in the objective, 0 or more: the paper's k.", default=0.01, least=0
    )
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class RepresentativeConfig:
    """Settings of `analyze_representative`."""

    runs: Runs
    size: int = setting("Items in the subset, 1 or more.", default=300, least=1)
    scorer: Scorer = None
    seed: Seed = 0
    out: Path | None = setting("Folder for ids.txt and subset.json.", default=Path("representative"))


@dataclass(frozen=True, kw_only=True)
class BiasConfig:
    """Settings of `analyze_bias`."""

    benchmark: Source
    data: ReleasedData = None
    subset: Subset = None
    prune: int | None = setting(
        "Items that a pruned subset keeps, from 1, those hardest to guess. Default: no pruning.", least=1
    )
    rounds: int = setting("Rounds of pruning, learners trained again in each, 1 or more.", default=6, least=1)
    against: Path | None = setting(
        "File of item ids, one a line, that another subset leaves out; its bias is printed as well. Default: none."
    )
    folds: int = setting("Folds of the scenes, each held out once, 3 or more.", default=5, least=3)
    scorer: Scorer = None
    seed: Seed = 0
    workers: int | None = setting("Processes that train learners, 1 or more. Default: one on each core.", least=1)
    out: Path | None = setting(
        "Folder for guessability.csv, bias.json and, with --prune, keep.txt and leave-out.txt.", default=Path("bias")
    )


@dataclass(frozen=True, kw_only=True)
class DiversityConfig:
    """Settings of `analyze_diversity`."""

    benchmark: Source
    data: ReleasedData = None
    subset: Subset = None
    structures: bool = setting("Also parse each question and count distinct dependency trees.", default=False)


@dataclass(frozen=True, kw_only=True)
class DeltasConfig:
    """Settings of `analyze_deltas`."""

    runs: Runs
    chance: str = setting(
        "Baseline that gives the chance level, which blind runs are compared with: best-constant, random … or none.",
        default="best-constant",
    )
    scorer: Scorer = None
    data: Path | None = setting(
        "Folder of the whole benchmark, which the chance level is computed on. Default: where the runs' data was."
    )


@dataclass(frozen=True, kw_only=True)
class HumansConfig:
    """Settings of `analyze_humans`."""

    runs: Annotated[tuple[Path, ...], Setting("Run folders, one for each person (model human/NAME).", positional=True)]
    scorer: Scorer = None
    cuts: tuple[float, ...] = setting(
        "Seconds up to which an item is easy, and up to which it is medium: 40,110. Default: cuts that leave the "
        "least variance of log time within tiers.",
        default=(),
        metavar="S,S",
    )
    right_from: RightFrom = 0.5
    out: Path | None = setting("Folder for tiers.csv, easy.txt, medium.txt and hard.txt. Default: not written.")


@dataclass(frozen=True, kw_only=True)
class MapsConfig:
    """Settings of `analyze_maps`."""

    runs: Runs
    scenes: Path | None = setting("Folder of the scenes that true maps are computed from. Default: the run's own.")
    stretch: bool = setting(
        "Let true maps fill the grid along both axes, which distorts the scene's distances.", default=False
    )
    draw: int = setting("Maps of each run that are drawn into the page, 0 or more.", default=24, least=0)
    out: Path | None = setting("Folder for maps.html, locality.svg and pairs.csv.", default=Path("maps"))


@dataclass(frozen=True, kw_only=True)
class ProbesConfig:
    """Settings of `analyze_probes`."""

    runs: Runs
    scenes: Path | None = setting("Folder of the benchmark's scenes. Default: the run's own.")
    scorer: Scorer = None


@dataclass(frozen=True, kw_only=True)
class ObserverConfig:
    """Settings of `analyze_observer`."""

    runs: Runs
    scenes: Annotated[Path, Setting("Folder of the benchmark's scenes: Parquet shards, or VSI-Bench's meta-info.")]
    draws: int = setting("Perceptions that are drawn at each level of noise, from 100.", default=1000, least=100)
    radial: float = setting(
        "Error of places along the line of sight, as a multiple of that across it, 0 or more.", default=1.0, least=0
    )
    drift: float = setting(
        "Metres by which the observer's map drifts from the video's beginning to its end, 0 or more.",
        default=0.0,
        least=0,
    )
    confusion: float = setting(
        "Probability that an object is taken for one of another category, 0–1.", default=0.0, least=0, most=1
    )
    memory: float | None = setting(
        "Seconds after which 63 % of the objects are forgotten, from 1. Default: none are.", least=1
    )
    scorer: Scorer = None
    seed: Seed = 0
    workers: NumberOfWorkers = None


@dataclass(frozen=True, kw_only=True)
class DifficultyConfig:
    """Settings of `analyze_difficulty`."""

    runs: Runs
    scenes: Path | None = setting(
        "Folder of the benchmark's scenes, for the difficulty that an ideal observer predicts. Default: none."
    )
    draws: int = setting("Perceptions that are drawn at each level of noise, from 100.", default=300, least=100)
    scorer: Scorer = None
    seed: Seed = 0
    workers: NumberOfWorkers = None
    out: Path | None = setting("Folder for bank.json and items.csv.", default=Path("difficulty"))


@dataclass(frozen=True, kw_only=True)
class GroundingConfig:
    """Settings of `analyze_grounding`."""

    runs: Runs
    scorer: Scorer = None
    right_from: RightFrom = 0.5


@dataclass(frozen=True, kw_only=True)
class SamplesConfig:
    """Settings of `analyze_samples`."""

    runs: Annotated[tuple[Path, ...], Setting("Run folders of one benchmark, made with --samples.", positional=True)]
    k: tuple[int, ...] = setting(
        "Samples in a set, from 1. Default: 1, 2, 4 … and all of the run.", default=(), metavar="K[,K…]", least=1
    )
    scorer: Scorer = None
    right_from: RightFrom = 0.5


@dataclass(frozen=True, kw_only=True)
class ConsistencyConfig:
    """Settings of `analyze_consistency`."""

    runs: Runs
    scenes: Annotated[Path, Setting("Folder of the benchmark's scenes: Parquet shards, or VSI-Bench's meta-info.")]
    maps: Path | None = setting(
        "Run folder of the same model with the protocol cognitive-map; its maps are compared with the answers. "
        "Default: none."
    )
    tolerance: float = setting(
        "Share by which two numbers may differ before they contradict each other, 0–1.", default=0.2, least=0, most=1
    )
    permutations: int = setting("Permutations that give a guesser's contradictions, from 20.", default=200, least=20)
    starts: int = setting("Starts of the search for the best map of a scene, from 2.", default=8, least=2)
    right_from: RightFrom = 0.5
    scorer: Scorer = None
    seed: Seed = 0
    workers: NumberOfWorkers = None


@dataclass(frozen=True, kw_only=True)
class MemorisationConfig:
    """Settings of `analyze_memorisation`."""

    runs: Annotated[
        tuple[Path, ...],
        Setting(
            "Run folders: a run on the public form first. Others are on the same questions, or on fresh forms.",
            positional=True,
        ),
    ]
    scorer: Scorer = None
    seed: Seed = 0


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
        "model_analyses:memorisation",
        MemorisationConfig,
        "Memorisation: a model's score on a public form less its score on fresh forms.",
        "memorisation runs/my-bench-all/my-model-direct runs/fresh-all/my-model-direct",
        to_json=to_plain,
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
        "probe_analyses:maps",
        MapsConfig,
        "Cognitive maps that models drew against the true ones: distances near and far, the maps side by side.",
        "maps runs/my-bench-all/my-model-cognitive-map --scenes scenes",
        show=later("tolman.reports.map_results:show_maps"),
    ),
    _own(
        "probe_analyses:probes",
        ProbesConfig,
        "Object lists and routes that models gave, against the scenes and against the answers.",
        "probes runs/my-bench-all/my-model-object-list --scenes scenes",
        show=later("tolman.reports.map_results:show_probes"),
        to_json=to_plain,
    ),
    _own(
        "run_analyses:observer",
        ObserverConfig,
        "Perception or reasoning: the noise at which an ideal observer answers as a model does.",
        "observer runs/vsi-bench-full/my-model-direct --scenes meta_info",
        to_json=to_plain,
    ),
    _own(
        "run_analyses:difficulty",
        DifficultyConfig,
        "Difficulty of items: Rasch and 2PL models of several runs, and what an ideal observer predicts.",
        "difficulty runs/vsi-bench-full/* --scenes meta_info",
    ),
    _own(
        "run_analyses:grounding",
        GroundingConfig,
        "Grounded accuracy: answers that are right with the evidence, given up without it, and others on a twin.",
        "grounding runs/my-bench-all/my-model-grounded",
        to_json=to_plain,
    ),
    _own(
        "run_analyses:samples",
        SamplesConfig,
        "Several samples of a model: pass@k, majority@k and best-of-k next to the mean.",
        "samples runs/vsi-bench-full/my-model-direct --k 1,8",
    ),
    _own(
        "run_analyses:consistency",
        ConsistencyConfig,
        "Consistency: contradictions among a model's answers about one scene, and the best single map behind them.",
        "consistency runs/vsi-bench-full/my-model-direct --scenes meta_info",
        show=later("tolman.reports.map_results:show_consistency"),
        to_json=to_plain,
    ),
)
