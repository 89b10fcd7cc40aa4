"""Figures: what a kind of figure is, and finding them by name. A module for each of Tolman's own; a plugin adds others.

```python
FIGURE = FigureKind(
    name="my-figure", title="What it shows.", config=MyConfig, make=my_chart, form="dots", columns=("label", "value")
)
```

`tolman figure my-figure` has an option for each field of the config, a `settings.FigureConfig`. Data and drawing are
apart: `make` gives the data table, and one of the forms of `tolman.reports.charts` draws it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tolman.registry import Registry
from tolman.workflows.events import Events

if TYPE_CHECKING:
    from tolman.reports.charts.chart import Chart


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
    "tolman.workflows.figures",
    "FIGURE",
    "tolman.figures",
    check=lambda thing: "" if isinstance(thing, FigureKind) else "is no tolman.workflows.figures.FigureKind",
)
"""All kinds of figures: Tolman's own, those of plugins and of other packages."""

FORMS = Registry("form of chart", "tolman.reports.charts", "FORM", "tolman.forms")
"""All forms of charts (`tolman.reports.charts.page.Form`)."""
