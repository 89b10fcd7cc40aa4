"""Questions by two labels: MMSI-Bench's Appendix F.7 (sources of each question type) and its like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tolman.errors import UsageError
from tolman.workflows.analyses.settings import Source
from tolman.workflows.config import Setting
from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.benchmark import BenchmarkData
from tolman.workflows.figures.settings import FigureConfig
from tolman.workflows.settings import Subset

if TYPE_CHECKING:
    from tolman.reports.charts.chart import Chart


@dataclass(frozen=True, kw_only=True)
class CrossConfig(FigureConfig):
    """Settings of `cross_chart`."""

    benchmark: Source
    benchmark_data: BenchmarkData = None
    subset: Subset = None
    by: Annotated[tuple[str, ...], Setting("Two labels of the questions: rows and columns.")] = ("task", "source")


def cross_chart(config: CrossConfig, events: Events) -> Chart:
    """Make the data: for each value of the first label (series) and the second (label) the number of questions.

    Raises:
        InputError, UsageError: there is no such benchmark, or its questions have no such label.
    """
    from tolman.analyze.composition import cross
    from tolman.reports.charts.chart import Chart, frame
    from tolman.workflows.analyses.inputs import load_questions

    if len(config.by) != 2:
        raise UsageError(f"--by takes two labels, such as task,dataset, not {len(config.by)}.")
    _, items, label = load_questions(config.benchmark, config.benchmark_data, config.subset)
    found = cross(items, *config.by)
    rows = [{"series": a, "role": "run", "label": b, "value": many} for (a, b), many in found.items()]
    most = max(found.values(), default=1)
    return Chart(
        frame(rows),
        f"{label}: {len(items):,} questions by {config.by[0]} and {config.by[1]}",
        x=config.by[1],
        y=config.by[0],
        settings={"high": most},
    )


FIGURE = FigureKind(
    name="cross",
    title="Questions of a benchmark by two labels, such as question type and source.",
    config=CrossConfig,
    make=cross_chart,
    form="heat",
    columns=("series", "role", "label", "value"),
    examples=("cross vsi-bench --by task,source",),
)
