"""Kinds of figures of `tolman figure`: their settings, and which functions make their data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.features.analyses import Seed, Source
from tolman.features.config import Setting, Subset
from tolman.features.figures import (
    Columns,
    FigureConfig,
    FigureKind,
    OfTasks,
    RunsFigureConfig,
    TableFigureConfig,
    later,
)


@dataclass(frozen=True, kw_only=True)
class PredictedConfig(RunsFigureConfig):
    """Settings of `predicted_chart`."""

    tasks: OfTasks = ()


PREDICTED_FIGURE = FigureKind(
    name="predicted",
    title="Numbers that models gave against the true ones, a panel for each question type.",
    config=PredictedConfig,
    make=later("tolman.features.figures.answer_figures:predicted_chart"),
    form="scatter",
    columns=("panel", "series", "role", "label", "x", "value"),
    examples=("predicted runs/vsi-bench-full/my-model-direct --tasks object_abs_distance",),
)


@dataclass(frozen=True, kw_only=True)
class PositionsConfig(RunsFigureConfig):
    """Settings of `positions_chart`."""

    tasks: OfTasks = ()


POSITIONS_FIGURE = FigureKind(
    name="positions",
    title="Option-position bias: how often each letter is given and is right, and the score where it is right.",
    config=PositionsConfig,
    make=later("tolman.features.figures.answer_figures:positions_chart"),
    form="dots",
    columns=("panel", "series", "role", "label", "value", "low", "high", "n"),
    examples=("positions runs/mmsi-bench-full/*",),
)


@dataclass(frozen=True, kw_only=True)
class DirectionsConfig(RunsFigureConfig):
    """Settings of `directions_chart`."""

    tasks: OfTasks = ()


DIRECTIONS_FIGURE = FigureKind(
    name="directions",
    title="Confusion of directions: which option is given for which, a table for each run and question type.",
    config=DirectionsConfig,
    make=later("tolman.features.figures.answer_figures:directions_chart"),
    form="heat",
    columns=("panel", "series", "role", "label", "value", "low", "high", "n", "unread"),
    examples=("directions runs/vsi-bench-full/my-model-direct",),
)


@dataclass(frozen=True, kw_only=True)
class ErrorsFigureConfig(RunsFigureConfig):
    """Settings of `errors_chart`."""

    labels: Annotated[
        Path, Setting("Labels: people's file (JSONL or CSV), or labels.jsonl of 'tolman analyze errors --judge'.")
    ]
    taxonomy: Annotated[
        str | None, Setting("Error categories: vsi or mmsi. Default: those of the benchmark's paper.")
    ] = None
    by_task: Annotated[bool, Setting("Also show a bar for each question type.")] = False
    among_errors: Annotated[bool, Setting("Leave out completely correct reasoning, as VSI-Bench's figure does.")] = (
        False
    )


ERRORS_FIGURE = FigureKind(
    name="errors",
    title="Error shares: the types of errors behind answers, from labels of people or a judge.",
    config=ErrorsFigureConfig,
    make=later("tolman.features.figures.answer_figures:errors_chart"),
    form="stacked",
    columns=("panel", "series", "role", "label", "value", "low", "high", "n"),
    examples=("errors runs/mmsi-bench-full/my-model-cot --labels errors/labels.jsonl",),
)


@dataclass(frozen=True, kw_only=True)
class DeltasFigureConfig(RunsFigureConfig):
    """Settings of `deltas_chart`."""

    columns: Columns = ()
    chance: Annotated[
        str,
        Setting("Baseline that blind runs are compared with: best-constant, random … or none."),
    ] = "none"
    data: Annotated[
        Path | None,
        Setting(
            "Folder of the whole benchmark, which --chance is computed on. Default: where the runs' data was.",
            aliases=("--benchmark-data",),
        ),
    ] = None
    means_only: Annotated[bool, Setting("Show the mean over models alone, where there are several.")] = False


DELTAS_FIGURE = FigureKind(
    name="deltas",
    title="Differences between a model's runs by column: with vision − blind, one protocol − direct.",
    config=DeltasFigureConfig,
    make=later("tolman.features.figures.answer_figures:deltas_chart"),
    form="dots",
    columns=("panel", "series", "role", "label", "value", "low", "high", "n"),
    examples=("deltas runs/vsi-bench-full/my-model-direct runs/vsi-bench-full/my-model-blind",),
)

BenchmarkData = Annotated[
    Path | None,
    Setting(
        "Folder with the released data, or a file of questions. Default: the Hugging Face hub.",
        aliases=("--benchmark-data",),
    ),
]


@dataclass(frozen=True, kw_only=True)
class CompositionConfig(FigureConfig):
    """Settings of `benchmark_chart`."""

    benchmark: Source
    data: BenchmarkData = None
    subset: Subset = None
    by: Annotated[
        tuple[str, ...],
        Setting(
            "Labels of the questions, a panel for each: task, answer, options, media_count, question_words … Default: "
            "those in which questions differ."
        ),
    ] = ()
    beside: Annotated[
        str | None,
        Setting(
            "Second benchmark, folder or run to count for comparison, such as that before a selection. Default: none."
        ),
    ] = None


BENCHMARK_FIGURE = FigureKind(
    name="benchmark",
    title="Composition of a benchmark: its questions by type, source, letter of the answer, media, length.",
    config=CompositionConfig,
    make=later("tolman.features.figures.score_figures:benchmark_chart"),
    form="counts",
    columns=("panel", "series", "role", "label", "value"),
    examples=("benchmark vsi-bench --by task,dataset",),
)


@dataclass(frozen=True, kw_only=True)
class CrossConfig(FigureConfig):
    """Settings of `cross_chart`."""

    benchmark: Source
    data: BenchmarkData = None
    subset: Subset = None
    by: Annotated[tuple[str, ...], Setting("Two labels of the questions: rows and columns.")] = ("task", "source")


CROSS_FIGURE = FigureKind(
    name="cross",
    title="Questions of a benchmark by two labels, such as question type and source.",
    config=CrossConfig,
    make=later("tolman.features.figures.score_figures:cross_chart"),
    form="heat",
    columns=("series", "role", "label", "value"),
    examples=("cross vsi-bench --by task,source",),
)


@dataclass(frozen=True, kw_only=True)
class MapsFigureConfig(RunsFigureConfig):
    """Settings of `maps_chart` and `locality_chart`."""

    scenes: Annotated[
        Path | None, Setting("Folder of the scenes that true maps are computed from. Default: the run's own.")
    ] = None
    draw: Annotated[
        int, Setting("Maps of each run that are drawn, 1–30; those with most places first.", least=1, most=30)
    ] = 6


MAPS_FIGURE = FigureKind(
    name="maps",
    title="Cognitive maps: the places that a model drew, joined to the true ones, a panel for each scene.",
    config=MapsFigureConfig,
    make=later("tolman.features.figures.answer_figures:maps_chart"),
    form="planes",
    columns=("panel", "series", "role", "label", "x", "value"),
    examples=("maps runs/my-bench-all/my-model-cognitive-map --scenes scenes",),
)


LOCALITY_FIGURE = FigureKind(
    name="locality",
    title="Locality of cognitive maps: accuracy of drawn distances by the true distance, a line for each run.",
    config=MapsFigureConfig,
    make=later("tolman.features.figures.answer_figures:locality_chart"),
    form="lines",
    columns=("series", "role", "label", "x", "value", "low", "high", "n"),
    examples=("locality runs/my-bench-all/my-model-cognitive-map --scenes scenes",),
)


SCORE_COLUMNS = ("series", "role", "label", "value", "low", "high", "n", "unread", "unanswered")
"""What figures of a table fill."""


BARS_FIGURE = FigureKind(
    name="bars",
    title="Scores by column of the table, a bar with its interval for each run, chance and people behind.",
    config=TableFigureConfig,
    make=later("tolman.features.figures.score_figures:bars_chart"),
    form="bars",
    columns=SCORE_COLUMNS,
    examples=("bars runs/vsi-bench-full/* --out tasks.svg",),
)


DOTS_FIGURE = FigureKind(
    name="dots",
    title="Scores by column of the table, a dot with its interval for each run, chance and people behind.",
    config=TableFigureConfig,
    make=later("tolman.features.figures.score_figures:bars_chart"),
    form="dots",
    columns=SCORE_COLUMNS,
    examples=("dots runs/spatialbench-full/* --published all --out tasks.pdf",),
)


RADAR_FIGURE = FigureKind(
    name="radar",
    title="Scores by column of the table on axes around a centre, a line for each run (SITE, Figure 7a).",
    config=TableFigureConfig,
    make=later("tolman.features.figures.score_figures:radar_chart"),
    form="radar",
    columns=SCORE_COLUMNS,
    examples=("radar runs/site-full/* --out categories.svg",),
)


@dataclass(frozen=True, kw_only=True)
class ScatterConfig(FigureConfig):
    """Settings of `scatter_chart`."""

    runs: Annotated[
        tuple[Path, ...],
        Setting(
            "Run folders of one benchmark, whose headlines are the models' scores; none with --score.", positional=True
        ),
    ] = ()
    table: Annotated[Path, Setting("CSV with a row for each model: its name first, then figures.")]
    score: Annotated[str | None, Setting("Column that is held against the others. Default: the runs' headline.")] = None
    against: Annotated[
        tuple[str, ...],
        Setting("Column it is held against; may be given several times. Default: all.", repeated=True),
    ] = ()
    lower_is_better: Annotated[
        tuple[str, ...],
        Setting("Column that is negated, such as a distance; may be given several times.", repeated=True),
    ] = ()
    seed: Seed = 0


SCATTER_FIGURE = FigureKind(
    name="scatter",
    title="A benchmark's score against results of other tasks, a point for each model, with the correlation.",
    config=ScatterConfig,
    make=later("tolman.features.figures.score_figures:scatter_chart"),
    form="scatter",
    columns=("panel", "series", "role", "label", "x", "value"),
    examples=("scatter runs/mmsi-bench-full/* --table downstream.csv",),
)


PER = {
    "cost": "cost of an item, in the currency of the run's prices",
    "tokens": "tokens of an item, read and written",
    "output-tokens": "tokens of an item, written",
    "seconds": "seconds of an item",
}
"""What a score may be held against, and what stands at the axis."""


@dataclass(frozen=True, kw_only=True)
class CostConfig(RunsFigureConfig):
    """Settings of `cost_chart`."""

    per: Annotated[
        str | None,
        Setting(
            "Expense on the axis. Default: cost where all runs have prices, else written tokens.", choices=tuple(PER)
        ),
    ] = None
    column: Annotated[
        str | None, Setting("Column of the benchmark's table, by key or title. Default: the headline.")
    ] = None


COST_FIGURE = FigureKind(
    name="cost",
    title="Score against what an item took in money, tokens or seconds, a point for each run.",
    config=CostConfig,
    make=later("tolman.features.figures.score_figures:cost_chart"),
    form="scatter",
    columns=("series", "role", "label", "x", "value", "low", "high", "n", "unread", "unanswered"),
    examples=("cost runs/vsi-bench-full/* --per output-tokens",),
)


OVER = {
    "frames": "frames of a video",
    "rate": "frames per second",
    "budget": "reasoning budget, tokens",
    "effort": "reasoning effort",
}
"""What a figure may be drawn over, and what stands at the axis."""


@dataclass(frozen=True, kw_only=True)
class CurveConfig(RunsFigureConfig):
    """Settings of `curve_chart`."""

    over: Annotated[
        str | None,
        Setting("Setting on the axis. Default: the one in which the runs differ.", choices=tuple(OVER)),
    ] = None
    columns: Annotated[
        tuple[str, ...],
        Setting("Columns of the benchmark's table, by key or title, a panel for each. Default: the headline."),
    ] = ()


CURVE_FIGURE = FigureKind(
    name="curve",
    title="A score over the number of frames or the reasoning budget, a line for each model (VSI-Bench, Figure 11).",
    config=CurveConfig,
    make=later("tolman.features.figures.score_figures:curve_chart"),
    form="lines",
    columns=("panel", "series", "role", "x", "value", "low", "high", "n", "unread", "unanswered"),
    examples=("curve runs/vsi-bench-full/my-model-direct-* --out frames.svg",),
)


FIGURES = (
    PREDICTED_FIGURE, POSITIONS_FIGURE, DIRECTIONS_FIGURE, ERRORS_FIGURE, DELTAS_FIGURE, BENCHMARK_FIGURE, CROSS_FIGURE,
    MAPS_FIGURE, LOCALITY_FIGURE, BARS_FIGURE, DOTS_FIGURE, RADAR_FIGURE, SCATTER_FIGURE, COST_FIGURE, CURVE_FIGURE,
)  # fmt: skip
