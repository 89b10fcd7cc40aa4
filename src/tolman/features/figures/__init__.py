"""Figures: the declaration of a kind of figure, finding them by name, their settings, and drawing them into files.

```python
FIGURE = FigureKind(
    name="my-figure", title="What it shows.", config=MyConfig, make=my_chart, form="dots", columns=("label", "value")
)
```

A module declares one (`FIGURE`) or several (`FIGURES`). `tolman figure my-figure` has an option for each field of the
config, a `FigureConfig`. Data and drawing are apart: `make` gives the data table, and one of the forms of
`tolman.reports.charts` draws it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.features import module_getter
from tolman.features.analyses import Runs, Scorer
from tolman.features.config import Setting, setting
from tolman.features.events import Events
from tolman.registry import Registry

if TYPE_CHECKING:
    from tolman.features.figures import compute as compute
    from tolman.reports.charts.chart import Chart
else:
    __getattr__ = module_getter(__name__)


@dataclass(frozen=True, kw_only=True)
class FigureKind:
    """A kind of figure: `tolman figure NAME`.

    Attributes:
        name: of the command: 'radar'.
        title: one sentence for lists of commands.
        config: a frozen dataclass whose fields are its options, a subclass of `settings.FigureConfig`.
        make: config, events → the chart. Reads and computes; draws nothing.
        form: the module of `tolman.reports.charts` that draws it, or a plugin's form.
        columns: which columns of `charts.chart.SCHEMA` its data fills.
        examples: command lines for help texts, without 'tolman figure'.
    """

    name: str
    title: str
    config: type[Any]
    make: Callable[[Any, Events], Chart]
    form: str
    columns: tuple[str, ...]
    examples: tuple[str, ...] = ()


FIGURES = Registry(
    "kind of figure",
    "tolman.features.figures",
    "FIGURE",
    "tolman.figures",
    plural="FIGURES",
    named_by_file=False,
    alphabetical=True,
    check=lambda thing: "" if isinstance(thing, FigureKind) else "is no tolman.features.figures.FigureKind",
)
"""All kinds of figures: Tolman's own, those of plugins and of other packages."""

FORMS = Registry(
    "form of chart",
    "tolman.reports.charts",
    "FORM",
    "tolman.forms",
    plural="FORMS",
    named_by_file=False,
    alphabetical=True,
)
"""All forms of charts (`tolman.reports.charts.chart.Form`)."""


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

    out: Path | None = setting(
        "File of the figure: .svg, .pdf or .png. Default: the kind's name with .svg.", panel=DRAWING, writes="file"
    )
    csv: Path | None = setting(
        "CSV file that the figure's values are written into. Default: none.", panel=DRAWING, writes="file"
    )
    title: str | None = setting("Title. Default: what the figure shows, of which benchmark.", panel=DRAWING)
    dark: bool = setting(
        "Draw on dark ground. Without it an SVG is light in print and follows its reader's preference on screens.",
        default=False,
        panel=DRAWING,
    )
    width: float = setting("Width in inches, 3–20.", default=7.2, least=3, most=20, panel=DRAWING)


@dataclass(frozen=True, kw_only=True)
class RunsFigureConfig(FigureConfig):
    """A figure of runs."""

    runs: Runs
    scorer: Scorer = None


@dataclass(frozen=True, kw_only=True)
class TableFigureConfig(RunsFigureConfig):
    """A figure of columns of the benchmark's table."""

    columns: Columns = ()
    by: tuple[str, ...] = setting(
        "Labels of the questions, such as source or difficulty, for whose values one column is shown; several are "
        "crossed. Default: none, the columns are shown.",
        default=(),
    )
    published: PublishedRows = "baselines"
