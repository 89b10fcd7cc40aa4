"""Score against cost: what an item took in money, tokens or seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.settings import RunsFigureConfig

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolman.reports.charts.chart import Chart
    from tolman.responses import Outcome, Response

PER = {
    "cost": "cost of an item, in the currency of the run's prices",
    "tokens": "tokens of an item, read and written",
    "output-tokens": "tokens of an item, written",
    "seconds": "seconds of an item",
}
"""What a score may be held against, and what stands at the axis."""
LOGARITHMIC_FROM = 10


@dataclass(frozen=True, kw_only=True)
class CostConfig(RunsFigureConfig):
    """Settings of `cost_chart`."""

    per: Annotated[
        str | None,
        Setting(
            "Expense on the axis. Default: cost where all runs have prices, else written tokens.", choices=tuple(PER)
        ),
    ] = None
    column: Annotated[
        str | None, Setting("Column of the benchmark's table, by key or title. Default: the headline.")
    ] = None


def cost_chart(config: CostConfig, events: Events) -> Chart:
    """Make the data: a row for each run; x is the mean over its responses.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: no run tells what its items took.
    """
    from tolman.reports.charts.chart import Chart, frame
    from tolman.reports.unread import stored
    from tolman.scoring.intervals import Interval
    from tolman.workflows.analyses.inputs import scored_runs
    from tolman.workflows.figures.inputs import CLUSTERED, chosen_columns, ends, run_notes

    scored = scored_runs(config.runs, config.scorer)
    table = scored.benchmark.table
    (column,) = chosen_columns(table.columns, [config.column or table.headline])
    spent = {run.name: {per: mean_of(run.folder.outcomes(), per) for per in _wanted(config)} for run in scored.runs}
    per = config.per or next(
        (name for name in ("cost", "output-tokens", "seconds") if all(own[name] is not None for own in spent.values())),
        "output-tokens",
    )
    rows, unknown = [], []
    for run in scored.runs:
        entry = run.figures["rule_sets"][scored.scorer]
        cell = entry["cells"].get(column.key) or {"value": None}
        expense = spent[run.name][per]
        if expense is None or cell["value"] is None:
            unknown.append(run.name)
            continue
        unread = stored(entry)
        interval = Interval(**cell["interval"]) if cell.get("interval") else None
        rows.append(
            {
                "series": run.name, "role": "run", "label": run.name, "x": expense, "value": cell["value"],
                **ends(interval), "n": cell["n"],
                "unread": unread[column.key].share if column.key in unread else None,
                "unanswered": cell.get("unanswered"),
            }
        )  # fmt: skip
    if not rows:
        raise UsageError(f"no run tells its {PER[per]}; choose another with --per, or run with --prices.")
    notes = [CLUSTERED] if any(row["low"] is not None for row in rows) else []
    if unknown:
        notes.append(f"Not drawn, as their {per.replace('-', ' ')} or score isn't known: {', '.join(unknown)}.")
    found = [row["x"] for row in rows]
    wide = min(found) > 0 and max(found) / min(found) >= LOGARITHMIC_FROM
    return Chart(
        frame(rows),
        f"{scored.benchmark.title}: {column.title} against {per.replace('-', ' ')}, scorer {scored.scorer}",
        x=f"mean {PER[per]}" + (", logarithmic" if wide else ""),
        y=column.title,
        notes=(*notes, *run_notes(scored)),
        settings={"logarithmic": "x" if wide else "", "names": True},
    )


def mean_of(outcomes: Iterable[Outcome], per: str) -> float | None:
    """Mean expense of responses that tell it; None where none does.

    Args:
        outcomes: of a run; failures are left out.
        per: a key of `PER`.
    """
    from tolman.responses import Response

    known = [value for one in outcomes if isinstance(one, Response) and (value := _expense(one, per)) is not None]
    return sum(known) / len(known) if known else None


def _expense(response: Response, per: str) -> float | None:
    if per == "cost":
        return response.cost
    if per == "seconds":
        return response.seconds
    usage = response.usage
    tokens = usage.output_tokens if per == "output-tokens" else usage.input_tokens + usage.output_tokens
    return float(tokens) if tokens else None  # 0 is what an endpoint leaves that doesn't tell


def _wanted(config: CostConfig) -> tuple[str, ...]:
    return (config.per,) if config.per else ("cost", "output-tokens", "seconds")


FIGURE = FigureKind(
    name="cost",
    title="Score against what an item took in money, tokens or seconds, a point for each run.",
    config=CostConfig,
    make=cost_chart,
    form="scatter",
    columns=("series", "role", "label", "x", "value", "low", "high", "n", "unread", "unanswered"),
    examples=("cost runs/vsi-bench-full/* --per output-tokens",),
)
