"""Confusion of directions, or of other options that recur from question to question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolman.errors import UsageError
from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.settings import OfTasks, RunsFigureConfig

if TYPE_CHECKING:
    from tolman.items import Item
    from tolman.reports.charts.chart import Chart


@dataclass(frozen=True, kw_only=True)
class DirectionsConfig(RunsFigureConfig):
    """Settings of `directions_chart`."""

    tasks: OfTasks = ()


def directions_chart(config: DirectionsConfig, events: Events) -> Chart:
    """Make the data: for each run and question type (panel), true (series) and given (label) option the per cent of the
    answers to questions with that true option.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: there is no such question type, or no question type's options are a few classes.
    """
    from tolman.analyze.answers import UNREAD, confusion
    from tolman.reports.charts.chart import Chart, frame
    from tolman.workflows.analyses.inputs import scored_runs
    from tolman.workflows.figures.inputs import answers, ends, run_notes

    scored = scored_runs(config.runs, config.scorer)
    titles = scored.benchmark.table.task_titles
    rows: list[dict[str, object]] = []
    for run in scored.runs:
        items = {item.id: item for item in run.folder.items()}
        tasks = config.tasks or _directions(list(items.values()))
        scores = answers(scored, run, tasks)
        for task in tasks:
            found = confusion(items, scores.filter(scores["task"] == task))
            panel = titles.get(task, task) + (f" · {run.name}" if len(scored.runs) > 1 else "")
            rows += [
                {
                    "panel": panel, "series": true, "role": "run", "label": given, "value": cell.value,
                    **ends(cell.interval), "n": cell.n, "unread": found[true, UNREAD].value
                    if (true, UNREAD) in found else 0.0,
                }
                for (true, given), cell in found.items()
            ]  # fmt: skip
    if not rows:
        raise UsageError("these question types have no options; nothing can be drawn.")
    return Chart(
        frame(_ordered(rows)),
        f"{scored.benchmark.title}: options given for others, % of each row, scorer {scored.scorer}",
        x="given",
        y="true",
        notes=("Framed: right answers. Intervals are in the data.", *run_notes(scored)),
        settings={"ring": True},
    )


def _directions(items: list[Item]) -> list[str]:
    """Question types about directions whose options are classes; else all whose options are."""
    from tolman.analyze.answers import classes

    found = classes(items)
    chosen = [task for task in found if "direction" in task.casefold()] or found
    if not chosen:
        raise UsageError("no question type has options that recur from question to question; name some with --tasks.")
    return chosen


def _ordered(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Rows such that options stand in one order in all panels."""
    from tolman.analyze.answers import in_order

    order = in_order({str(row[name]) for row in rows for name in ("series", "label")})
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    return sorted(
        rows,
        key=lambda row: (panels.index(row["panel"]), order.index(str(row["series"])), order.index(str(row["label"]))),
    )


FIGURE = FigureKind(
    name="directions",
    title="Confusion of directions: which option is given for which, a table for each run and question type.",
    config=DirectionsConfig,
    make=directions_chart,
    form="heat",
    columns=("panel", "series", "role", "label", "value", "low", "high", "n", "unread"),
    examples=("directions runs/vsi-bench-full/my-model-direct",),
)
