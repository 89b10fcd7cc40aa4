"""Kinds of figures of `tolman figure`: their settings, and which functions make their data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tolman.features.analyses import Seed, Source
from tolman.features.config import Setting, Subset, setting
from tolman.features.figures import (
    Columns,
    FigureConfig,
    FigureKind,
    OfTasks,
    RunsFigureConfig,
    TableFigureConfig,
)
from tolman.registry import later


@dataclass(frozen=True, kw_only=True)
class TasksFigureConfig(RunsFigureConfig):
    """Settings of `predicted_chart`, `positions_chart` and `directions_chart`."""

    tasks: OfTasks = ()


@dataclass(frozen=True, kw_only=True)
class ErrorsFigureConfig(RunsFigureConfig):
    """Settings of `errors_chart`."""

    labels: Annotated[
        Path, Setting("Labels: people's file (JSONL or CSV), or labels.jsonl of 'tolman analyze errors --judge'.")
    ]
    taxonomy: str | None = setting("Error categories: vsi or mmsi. Default: those of the benchmark's paper.")
    by_task: bool = setting("Also show a bar for each question type.", default=False)
    among_errors: bool = setting("Leave out completely correct reasoning, as VSI-Bench's figure does.", default=False)


@dataclass(frozen=True, kw_only=True)
class DeltasFigureConfig(RunsFigureConfig):
    """Settings of `deltas_chart`."""

    columns: Columns = ()
    chance: str = setting(
        "Baseline that blind runs are compared with: best-constant, random … or none.", default="none"
    )
    data: Path | None = setting(
        "Folder of the whole benchmark, which --chance is computed on. Default: where the runs' data was.",
        aliases=("--benchmark-data",),
    )
    means_only: bool = setting("Show the mean over models alone, where there are several.", default=False)


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
    by: tuple[str, ...] = setting(
        "Labels of the questions, a panel for each: task, answer, options, media_count, question_words … Default: "
        "those in which questions differ.",
        default=(),
    )
    beside: str | None = setting(
        "Second benchmark, folder or run to count for comparison, such as that before a selection. Default: none."
    )


@dataclass(frozen=True, kw_only=True)
class CrossConfig(FigureConfig):
    """Settings of `cross_chart`."""

    benchmark: Source
    data: BenchmarkData = None
    subset: Subset = None
    by: tuple[str, ...] = setting("Two labels of the questions: rows and columns.", default=("task", "source"))


@dataclass(frozen=True, kw_only=True)
class MapsFigureConfig(RunsFigureConfig):
    """Settings of `maps_chart` and `locality_chart`."""

    scenes: Path | None = setting("Folder of the scenes that true maps are computed from. Default: the run's own.")
    draw: int = setting(
        "Maps of each run that are drawn, 1–30; those with most places first.", default=6, least=1, most=30
    )


@dataclass(frozen=True, kw_only=True)
class ScatterConfig(FigureConfig):
    """Settings of `scatter_chart`."""

    runs: tuple[Path, ...] = setting(
        "Run folders of one benchmark, whose headlines are the models' scores; none with --score.",
        default=(),
        positional=True,
    )
    table: Annotated[Path, Setting("CSV with a row for each model: its name first, then figures.")]
    score: str | None = setting("Column that is held against the others. Default: the runs' headline.")
    against: tuple[str, ...] = setting(
        "Column it is held against; may be given several times. Default: all.", default=(), repeated=True
    )
    lower_is_better: tuple[str, ...] = setting(
        "Column that is negated, such as a distance; may be given several times.", default=(), repeated=True
    )
    seed: Seed = 0


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

    per: str | None = setting(
        "Expense on the axis. Default: cost where all runs have prices, else written tokens.", choices=tuple(PER)
    )
    column: str | None = setting("Column of the benchmark's table, by key or title. Default: the headline.")


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

    over: str | None = setting("Setting on the axis. Default: the one in which the runs differ.", choices=tuple(OVER))
    columns: tuple[str, ...] = setting(
        "Columns of the benchmark's table, by key or title, a panel for each. Default: the headline.", default=()
    )


def _own(
    function: str, config: type[Any], form: str, columns: tuple[str, ...], title: str, example: str, name: str = ""
) -> FigureKind:
    """Declare a kind of figure whose data 'module:function' makes, and which is named as that: `NAME_chart`."""
    name = name or function.partition(":")[2].removesuffix("_chart")
    make = later(f"tolman.features.figures.{function}")
    return FigureKind(
        name=name, title=title, config=config, make=make, form=form, columns=columns, examples=(f"{name} {example}",)
    )


POINTS = ("panel", "series", "role", "label", "x", "value")
SHARES = ("panel", "series", "role", "label", "value", "low", "high", "n")
SCORES = ("series", "role", "label", "value", "low", "high", "n", "unread", "unanswered")
"""What the figures fill of points, of shares, and of scores of a table."""

FIGURES = (
    _own(
        "answer_figures:predicted_chart",
        TasksFigureConfig,
        "scatter",
        POINTS,
        "Numbers that models gave against the true ones, a panel for each question type.",
        "runs/vsi-bench-full/my-model-direct --tasks object_abs_distance",
    ),
    _own(
        "answer_figures:positions_chart",
        TasksFigureConfig,
        "dots",
        SHARES,
        "Option-position bias: how often each letter is given and is right, and the score where it is right.",
        "runs/mmsi-bench-full/*",
    ),
    _own(
        "answer_figures:directions_chart",
        TasksFigureConfig,
        "heat",
        ("panel", "series", "role", "label", "value", "low", "high", "n", "unread"),
        "Confusion of directions: which option is given for which, a table for each run and question type.",
        "runs/vsi-bench-full/my-model-direct",
    ),
    _own(
        "answer_figures:errors_chart",
        ErrorsFigureConfig,
        "stacked",
        SHARES,
        "Error shares: the types of errors behind answers, from labels of people or a judge.",
        "runs/mmsi-bench-full/my-model-cot --labels errors/labels.jsonl",
    ),
    _own(
        "answer_figures:deltas_chart",
        DeltasFigureConfig,
        "dots",
        SHARES,
        "Differences between a model's runs by column: with vision − blind, one protocol − direct.",
        "runs/vsi-bench-full/my-model-direct runs/vsi-bench-full/my-model-blind",
    ),
    _own(
        "score_figures:benchmark_chart",
        CompositionConfig,
        "counts",
        ("panel", "series", "role", "label", "value"),
        "Composition of a benchmark: its questions by type, source, letter of the answer, media, length.",
        "vsi-bench --by task,dataset",
    ),
    _own(
        "score_figures:cross_chart",
        CrossConfig,
        "heat",
        ("series", "role", "label", "value"),
        "Questions of a benchmark by two labels, such as question type and source.",
        "vsi-bench --by task,source",
    ),
    _own(
        "answer_figures:maps_chart",
        MapsFigureConfig,
        "planes",
        POINTS,
        "Cognitive maps: the places that a model drew, joined to the true ones, a panel for each scene.",
        "runs/my-bench-all/my-model-cognitive-map --scenes scenes",
    ),
    _own(
        "answer_figures:locality_chart",
        MapsFigureConfig,
        "lines",
        ("series", "role", "label", "x", "value", "low", "high", "n"),
        "Locality of cognitive maps: accuracy of drawn distances by the true distance, a line for each run.",
        "runs/my-bench-all/my-model-cognitive-map --scenes scenes",
    ),
    _own(
        "score_figures:bars_chart",
        TableFigureConfig,
        "bars",
        SCORES,
        "Scores by column of the table, a bar with its interval for each run, chance and people behind.",
        "runs/vsi-bench-full/* --out tasks.svg",
    ),
    _own(
        "score_figures:bars_chart",
        TableFigureConfig,
        "dots",
        SCORES,
        "Scores by column of the table, a dot with its interval for each run, chance and people behind.",
        "runs/spatialbench-full/* --published all --out tasks.pdf",
        name="dots",
    ),
    _own(
        "score_figures:radar_chart",
        TableFigureConfig,
        "radar",
        SCORES,
        "Scores by column of the table on axes around a centre, a line for each run (SITE, Figure 7a).",
        "runs/site-full/* --out categories.svg",
    ),
    _own(
        "score_figures:scatter_chart",
        ScatterConfig,
        "scatter",
        POINTS,
        "A benchmark's score against results of other tasks, a point for each model, with the correlation.",
        "runs/mmsi-bench-full/* --table downstream.csv",
    ),
    _own(
        "score_figures:cost_chart",
        CostConfig,
        "scatter",
        ("series", "role", "label", "x", "value", "low", "high", "n", "unread", "unanswered"),
        "Score against what an item took in money, tokens or seconds, a point for each run.",
        "runs/vsi-bench-full/* --per output-tokens",
    ),
    _own(
        "score_figures:curve_chart",
        CurveConfig,
        "lines",
        ("panel", "series", "role", "x", "value", "low", "high", "n", "unread", "unanswered"),
        "A score over the number of frames or the reasoning budget, a line for each model (VSI-Bench, Figure 11).",
        "runs/vsi-bench-full/my-model-direct-* --out frames.svg",
    ),
)
