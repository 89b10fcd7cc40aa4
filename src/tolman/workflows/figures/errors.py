"""Error shares: the types of errors behind answers, from labels (VSI-Bench, Figure 7; MMSI-Bench, Figure 7)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.settings import RunsFigureConfig

if TYPE_CHECKING:
    from tolman.reports.charts.chart import Chart


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


def errors_chart(config: ErrorsFigureConfig, events: Events) -> Chart:
    """Make the data: for each run and source of labels (panel), question type (label) and error type (series) its per
    cent of the labelled responses.

    Raises:
        InputError, UsageError: as `tolman analyze errors`; or nothing is labelled.
    """
    from tolman.reports.charts.chart import Chart, frame
    from tolman.scoring.error_types import CORRECT
    from tolman.workflows.analyses.errors import ErrorsConfig, analyze_errors
    from tolman.workflows.analyses.inputs import scored_runs
    from tolman.workflows.figures.inputs import ends, run_notes

    found = analyze_errors(
        ErrorsConfig(runs=config.runs, labels=config.labels, taxonomy=config.taxonomy, scorer=config.scorer, out=None),
        events,
    )
    kinds = [kind for kind in found.taxonomy.all_types if not (config.among_errors and kind.key == CORRECT)]
    rows = []
    for one in found.distributions:
        if one.task is not None and not config.by_task:
            continue
        for kind in kinds:
            share = (one.among_errors if config.among_errors else one.types).get(kind.key)
            if share is not None:
                rows.append(
                    {
                        "panel": f"{one.run}, labels of {one.source}" if config.by_task else None,
                        "series": kind.title,
                        "role": "run",
                        "label": one.task or ("all" if config.by_task else f"{one.run}, by {one.source}"),
                        "value": share.value,
                        **ends(share.interval),
                        "n": share.n,
                    }
                )
    if not rows:
        raise UsageError(f"{config.labels} labels no response of these runs; nothing can be drawn.")
    scored = scored_runs(config.runs, config.scorer)
    what = "responses with an error" if config.among_errors else "labelled responses"
    notes = ("In parentheses: labelled responses. Intervals of the shares are in the data.", *run_notes(scored))
    return Chart(frame(rows), f"{scored.benchmark.title}: types of errors", x=f"% of {what}", notes=notes)


FIGURE = FigureKind(
    name="errors",
    title="Error shares: the types of errors behind answers, from labels of people or a judge.",
    config=ErrorsFigureConfig,
    make=errors_chart,
    form="stacked",
    columns=("panel", "series", "role", "label", "value", "low", "high", "n"),
    examples=("errors runs/mmsi-bench-full/my-model-cot --labels errors/labels.jsonl",),
)
