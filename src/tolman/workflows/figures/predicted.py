"""Predicted against true: the numbers that were read, beside those of the items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tolman.errors import UsageError
from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.settings import OfTasks, RunsFigureConfig

if TYPE_CHECKING:
    from tolman.reports.charts.chart import Chart

LOGARITHMIC_FROM = 30
"""Ratio of the greatest to the least true number from which both axes are logarithmic."""


@dataclass(frozen=True, kw_only=True)
class PredictedConfig(RunsFigureConfig):
    """Settings of `predicted_chart`."""

    tasks: OfTasks = ()


def predicted_chart(config: PredictedConfig, events: Events) -> Chart:
    """Make the data: a row for each readable answer: question type (panel), run (series), true (x), read (value).

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: there is no such question type, or none of the questions has a number for an answer.
    """
    from tolman.analyze.answers import predictions
    from tolman.reports.charts.chart import Chart, frame
    from tolman.workflows.analyses.inputs import scored_runs
    from tolman.workflows.figures.inputs import answers, run_notes

    scored = scored_runs(config.runs, config.scorer)
    titles = scored.benchmark.table.task_titles
    rows: list[dict[str, Any]] = []
    notes = ["Diagonal: read = true. Answers beyond the axes' ends are in the data and not in the picture."]
    for run in scored.runs:
        found, unread = predictions({item.id: item for item in run.folder.items()}, answers(scored, run, config.tasks))
        rows += [
            {
                "panel": titles.get(one.task, one.task), "series": run.name, "role": "run", "label": one.id,
                "x": one.true, "value": one.read,
            }
            for one in found
        ]  # fmt: skip
        if unread:
            notes.append(f"{run.name}: {unread:,} of {unread + len(found):,} responses hold no readable number.")
    if not rows:
        raise UsageError("no readable answer of these runs is a number; nothing can be drawn.")
    rows.sort(key=lambda row: row["panel"])
    true = [row["x"] for row in rows]
    wide = min(true) > 0 and all(row["value"] > 0 for row in rows) and max(true) / min(true) >= LOGARITHMIC_FROM
    return Chart(
        frame(rows),
        f"{scored.benchmark.title}: numbers read against true ones, scorer {scored.scorer}",
        x="true",
        y="read",
        notes=(*notes, *run_notes(scored)),
        settings={"diagonal": True, "logarithmic": "xy" if wide else ""},
    )


FIGURE = FigureKind(
    name="predicted",
    title="Numbers that models gave against the true ones, a panel for each question type.",
    config=PredictedConfig,
    make=predicted_chart,
    form="scatter",
    columns=("panel", "series", "role", "label", "x", "value"),
    examples=("predicted runs/vsi-bench-full/my-model-direct --tasks object_abs_distance",),
)
