"""Settings that every kind of figure has, and those that several have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.workflows.analyses.settings import Runs, Scorer
from tolman.workflows.config import Setting

DRAWING = "The drawing"
"""The heading of these settings in help texts."""

Columns = Annotated[
    tuple[str, ...],
    Setting("Columns of the benchmark's table, by key or title. Default: all that a run has a figure in."),
]
PublishedRows = Annotated[
    str,
    Setting(
        "Published rows: none, baselines (chance and people), newest (these and the models printed last), paper (those "
        "of the benchmark's own paper) or all.",
        choices=("none", "baselines", "newest", "paper", "all"),
    ),
]
OfTasks = Annotated[tuple[str, ...], Setting("Question types. Default: all that the figure can show.")]


@dataclass(frozen=True, kw_only=True)
class FigureConfig:
    """How a figure is written."""

    out: Annotated[
        Path | None,
        Setting("File of the figure: .svg, .pdf or .png. Default: the kind's name with .svg.", panel=DRAWING),
    ] = None
    data: Annotated[
        Path | None, Setting("CSV file that the figure's data is written into. Default: none.", panel=DRAWING)
    ] = None
    title: Annotated[
        str | None, Setting("Title. Default: what the figure shows, of which benchmark.", panel=DRAWING)
    ] = None
    dark: Annotated[
        bool,
        Setting(
            "Draw on dark ground. Without it an SVG is light in print and follows its reader's preference on screens.",
            panel=DRAWING,
        ),
    ] = False
    width: Annotated[float, Setting("Width in inches, 3–20.", least=3, most=20, panel=DRAWING)] = 7.2


@dataclass(frozen=True, kw_only=True)
class RunsFigureConfig(FigureConfig):
    """A figure of runs."""

    runs: Runs
    scorer: Scorer = None


@dataclass(frozen=True, kw_only=True)
class TableFigureConfig(RunsFigureConfig):
    """A figure of columns of the benchmark's table."""

    columns: Columns = ()
    by: Annotated[
        tuple[str, ...],
        Setting(
            "Labels of the questions, such as source or difficulty, for whose values one column is shown; several are "
            "crossed. Default: none, the columns are shown."
        ),
    ] = ()
    published: PublishedRows = "baselines"
