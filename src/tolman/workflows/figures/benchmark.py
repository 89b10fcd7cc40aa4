"""Composition of a benchmark: its questions by type, source, letter of the answer, number of media …"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tolman.errors import UsageError
from tolman.workflows.analyses.settings import Source
from tolman.workflows.config import Setting
from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.settings import FigureConfig
from tolman.workflows.settings import Subset

if TYPE_CHECKING:
    from tolman.reports.charts.chart import Chart

BenchmarkData = Annotated[
    Path | None, Setting("Folder with the released data, or a file of questions. Default: the Hugging Face hub.")
]


@dataclass(frozen=True, kw_only=True)
class CompositionConfig(FigureConfig):
    """Settings of `benchmark_chart`."""

    benchmark: Source
    benchmark_data: BenchmarkData = None
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
        Setting("Second benchmark, folder or run to count beside, such as that before a selection. Default: none."),
    ] = None


def benchmark_chart(config: CompositionConfig, events: Events) -> Chart:
    """Make the data: for each label (panel) and its values (label) the number of questions; a series for each
    benchmark.

    Raises:
        InputError, UsageError: there is no such benchmark, or its questions have no such label.
    """
    from tolman.analyze.composition import count, differing
    from tolman.reports.charts.chart import Chart, frame
    from tolman.workflows.analyses.inputs import load_questions

    sources = [load_questions(config.benchmark, config.benchmark_data, config.subset)]
    if config.beside is not None:
        sources.append(load_questions(config.beside, None, None))
    labels = config.by or differing([item for _, items, _ in sources for item in items])
    rows = []
    for by in labels:
        counted = [(label, count(items, by).counts) for _, items, label in sources]
        for value in dict.fromkeys(value for _, counts in counted for value in counts):
            rows += [
                {"panel": by, "series": label, "role": "run", "label": value, "value": counts[value]}
                for label, counts in counted
                if value in counts
            ]
    if not rows:
        raise UsageError("the benchmark has no question; nothing can be drawn.")
    sizes = ", ".join(f"{len(items):,} of {label}" for _, items, label in sources)
    return Chart(frame(rows), f"Questions: {sizes}", x="questions")


FIGURE = FigureKind(
    name="benchmark",
    title="Composition of a benchmark: its questions by type, source, letter of the answer, media, length.",
    config=CompositionConfig,
    make=benchmark_chart,
    form="counts",
    columns=("panel", "series", "role", "label", "value"),
    examples=("benchmark vsi-bench --by task,dataset",),
)
