"""Draw a figure into a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from tolman.errors import UsageError
from tolman.features.events import Events, silent
from tolman.features.figures import FORMS, FigureConfig, FigureKind
from tolman.features.notebook import Displayable, NotebookTable
from tolman.files import atomic_write, check_report, signed, write_text
from tolman.reports.charts.chart import Chart, format_of, render


@dataclass(frozen=True, repr=False)
class FigureResult(Displayable):
    """A figure that was drawn.

    Attributes:
        chart: its data, and the text around it.
        out: the file of the figure.
        csv: the file of its values; None where none was asked for.
    """

    chart: Chart
    out: Path
    csv: Path | None

    def table(self) -> pl.DataFrame:
        """The data that is drawn, one row for each mark."""
        return self.chart.filled()

    def _title(self) -> str:
        return f"{self.chart.title}: {self.out}"

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table(), *self.chart.notes)


def draw_figure(
    kind: FigureKind, config: FigureConfig, events: Events = silent, *, chart: Chart | None = None
) -> FigureResult:
    """Make a figure's data, draw it and write the files; nothing is written where one step fails.

    Args:
        kind: of figure.
        config: its settings.
        events: receives progress.
        chart: the data, where it is made already.

    Raises:
        MissingExtraError: Matplotlib is not installed.
        UsageError: a file's suffix is none of a figure or table, or nothing can be drawn of the input.
        InputError: an input is broken.
    """

    out = config.out or Path(f"{kind.name}.svg")
    suffix = format_of(out)
    if config.csv is not None and config.csv.suffix.lower() != ".csv":
        raise UsageError(f"--csv names a file for the figure's values, and {config.csv} is no .csv.")
    check_report(out)
    if config.csv is not None:
        check_report(config.csv, "--csv")
    chart = chart or kind.make(config, events)
    if config.title is not None:
        chart = replace(chart, title=config.title)
    drawn = render(chart, FORMS.get(kind.form), suffix, dark=config.dark, width=config.width)
    out.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(out) as partial:
        partial.write_bytes(drawn + "".join(signed("", suffix)).encode())
    if config.csv is not None:
        config.csv.parent.mkdir(parents=True, exist_ok=True)
        write_text(config.csv, chart.to_csv())
    return FigureResult(chart, out, config.csv)
