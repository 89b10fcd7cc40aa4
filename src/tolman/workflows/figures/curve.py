"""Curves: a figure over the number of frames, frames per second, or the reasoning that a model was allowed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.settings import RunsFigureConfig

if TYPE_CHECKING:
    from tolman.reports.charts.chart import Chart
    from tolman.runs.folder import RunSettings

OVER = {
    "frames": "frames of a video",
    "rate": "frames per second",
    "budget": "reasoning budget, tokens",
    "effort": "reasoning effort",
}
"""What a figure may be drawn over, and what stands at the axis."""
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Words of endpoints for how much a model is to reason, the least first."""
LOGARITHMIC_FROM = 8
"""Ratio of the greatest to the least number from which the axis is logarithmic."""


@dataclass(frozen=True, kw_only=True)
class CurveConfig(RunsFigureConfig):
    """Settings of `curve_chart`."""

    over: Annotated[
        str | None,
        Setting("Setting on the axis. Default: the one in which the runs differ.", choices=tuple(OVER)),
    ] = None
    columns: Annotated[
        tuple[str, ...],
        Setting("Columns of the benchmark's table, by key or title, a panel for each. Default: the headline."),
    ] = ()


def curve_chart(config: CurveConfig, events: Events) -> Chart:
    """Make the data: a row for each column (panel), model and protocol (series) and number (x).

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: the runs don't differ in the setting, or two are at one place.
    """
    from tolman.reports.charts.chart import Chart, frame
    from tolman.reports.unread import stored
    from tolman.scoring.intervals import Interval
    from tolman.workflows.analyses.inputs import scored_runs
    from tolman.workflows.figures.inputs import CLUSTERED, chosen_columns, ends, one_for_each, run_notes

    scored = scored_runs(config.runs, config.scorer)
    settings = [run.record.settings for run in scored.runs]
    over = config.over or _differing(settings)
    places = [place_of(one, over) for one in settings]
    absent = [run.name for run, place in zip(scored.runs, places, strict=True) if place is None]
    if len({place for place in places if place is not None}) < 2:
        raise UsageError(
            f"the runs don't differ in {OVER[over]}; give runs of one model with several, such as --frames 8,16,32."
        )
    headline = scored.benchmark.table.headline
    columns = chosen_columns(scored.benchmark.table.columns, config.columns or (headline,))
    rows = []
    taken: Counter[str] = Counter()
    for run, one, place in zip(scored.runs, settings, places, strict=True):
        if place is None:
            continue
        entry = run.figures["rule_sets"][scored.scorer]
        taken[f"{one.named()}, {place:g} {OVER[over]}"] += 1
        unread = stored(entry)
        for column in columns:
            cell = entry["cells"].get(column.key)
            if cell is None or cell["value"] is None:
                continue
            interval = Interval(**cell["interval"]) if cell.get("interval") else None
            rows.append(
                {
                    "panel": column.title,
                    "series": one.named(),
                    "role": "run",
                    "x": place,
                    "value": cell["value"],
                    **ends(interval),
                    "n": cell["n"],
                    "unread": unread[column.key].share if column.key in unread else None,
                    "unanswered": cell.get("unanswered"),
                }
            )
    one_for_each(taken, "of")
    found = sorted({row["x"] for row in rows})
    notes = [CLUSTERED] if any(row["low"] is not None for row in rows) else []
    if absent:
        notes.append(f"Not drawn, having no number of {OVER[over]}: {', '.join(absent)}.")
    return Chart(
        frame(rows),
        f"{scored.benchmark.title} over {OVER[over]}, scorer {scored.scorer}",
        x=OVER[over],
        y="score",
        notes=(*notes, *run_notes(scored)),
        settings={
            "logarithmic": over != "effort" and found[0] > 0 and found[-1] / found[0] >= LOGARITHMIC_FROM,
            "ticks": [(place, EFFORTS[int(place)] if over == "effort" else f"{place:,g}") for place in found],
            "low": 0 if config.columns else None,
            "high": None,
        },
    )


def place_of(settings: RunSettings, over: str) -> float | None:
    """Where a run stands on the axis; None where it has no such number.

    Args:
        settings: of the run.
        over: a key of `OVER`; an effort stands at its place in `EFFORTS`.
    """
    if over == "frames":
        return None if settings.frames.count is None else float(settings.frames.count)
    if over == "rate":
        return settings.frames.per_second
    thinking = settings.sampling.thinking
    if thinking is None:
        return None
    if thinking.wanted is False:
        return 0.0
    if over == "budget":
        return None if thinking.budget is None else float(thinking.budget)
    return float(EFFORTS.index(thinking.effort)) if thinking.effort in EFFORTS else None


def _differing(settings: list[RunSettings]) -> str:
    """The first setting in which runs differ; frames where they differ in none."""
    for over in OVER:
        if len({place_of(one, over) for one in settings} - {None}) > 1:
            return over
    return "frames"


FIGURE = FigureKind(
    name="curve",
    title="A score over the number of frames or the reasoning budget, a line for each model (VSI-Bench, Figure 11).",
    config=CurveConfig,
    make=curve_chart,
    form="lines",
    columns=("panel", "series", "role", "x", "value", "low", "high", "n", "unread", "unanswered"),
    examples=("curve runs/vsi-bench-full/my-model-direct-* --out frames.svg",),
)
