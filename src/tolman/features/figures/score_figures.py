"""Figures of scores: bars, dots and a radar of the table, scores against other tasks, cost, frames or reasoning.

Bars show the runs side by side, column by column, before the papers' marks; dots show them with their intervals. The
radar is SITE's Figure 7a. The scatter has a point for each model (MMSI-Bench, Appendix E; SITE, Tables 5 and 6). Cost
is an item's expense in money, tokens or seconds. A curve is over the number of frames, frames per second, or the
reasoning that a model was allowed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from tolman.analyze.composition import count, cross, differing
from tolman.analyze.labels import label_names
from tolman.analyze.model_scores import Correlation
from tolman.errors import UsageError, counted
from tolman.features.analyses.config import CorrelationConfig
from tolman.features.analyses.model_analyses import correlated_columns, correlations
from tolman.features.analyses.scored_runs import load_questions, scored_runs
from tolman.features.events import Events
from tolman.features.figures import TableFigureConfig
from tolman.features.figures.config import (
    OVER,
    PER,
    CompositionConfig,
    CostConfig,
    CrossConfig,
    CurveConfig,
    ScatterConfig,
)
from tolman.features.figures.figure_inputs import (
    chosen_columns,
    one_for_each,
    run_notes,
    series_names,
    table_rows,
)
from tolman.reports.charts.chart import CLUSTERED, Chart, ends_of, frame
from tolman.reports.table_rows import stored_unread
from tolman.responses import Outcome, Response
from tolman.runs.run_folder import RunSettings
from tolman.scoring.intervals import Interval


def bars_chart(config: TableFigureConfig, events: Events) -> Chart:
    """Make the data: a row for each run or row of a paper, and column.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: runs that can't be held against each other, or an unknown column.
    """

    found = table_rows(config)
    return Chart(frame(found.rows()), found.title, x="score", y="score", notes=found.notes())


LEAST_AXES = 3


def radar_chart(config: TableFigureConfig, events: Events) -> Chart:
    """Make the data: as for bars, without the headline and plain accuracy where no columns are named.

    Raises:
        InputError, UsageError: as for bars; or fewer than three columns.
    """

    chart = bars_chart(config, events)
    if not config.columns and not config.by:
        table = scored_runs(config.runs[:1]).benchmark.table
        # The headline and what is over all items hold the others; they are no axis beside them.
        same = [c.title for c in table.columns if c.key == table.headline or getattr(c.node, "tasks", ()) is None]
        chart = replace(chart, data=chart.data.filter(~pl.col("label").is_in(same)))
    if len(chart.values("label")) < LEAST_AXES:
        raise UsageError(f"a radar needs {LEAST_AXES} columns, not {len(chart.values('label'))}; draw dots.")
    negative = chart.data.filter((pl.col("role") == "run") & (pl.col("value") < 0)).height
    said = (
        (f"{counted(negative, 'figure below 0 is', 'figures below 0 are')} drawn at the centre.",) if negative else ()
    )
    return replace(chart, notes=(*chart.notes, *said))


def scatter_chart(config: ScatterConfig, events: Events) -> Chart:
    """Make the data: for each column of the table (panel) and model (label) its figure (x) and score (value).

    Raises:
        InputError, UsageError: as `tolman analyze correlation`; or no model has both figures.
    """

    settings = CorrelationConfig(
        table=config.table, runs=config.runs, score=config.score, against=config.against,
        lower_is_better=config.lower_is_better, seed=config.seed,
    )  # fmt: skip
    columns = correlated_columns(settings)
    found = correlations(columns, config.seed)
    rows = [
        {
            "panel": other, "series": "models", "role": "run", "label": name, "x": columns.figures[other][i],
            "value": columns.figures[columns.score][i],
        }
        for other in columns.others
        for i, name in enumerate(columns.models)
    ]  # fmt: skip
    whole = [row for row in rows if row["x"] == row["x"] and row["value"] == row["value"]]
    if not whole:
        raise UsageError("no model has both figures; nothing can be drawn.")
    turned = {name: f"{name}, negated" if name in config.lower_is_better else name for name in columns.others}
    title = f"{columns.score} against other results, {counted(len({row['label'] for row in whole}), 'model')}"
    notes = ["r: Pearson, ρ: Spearman, with 95 % bootstrap intervals over models. Dashed: least squares."]
    if config.runs:
        notes += run_notes(scored_runs(config.runs))
    return Chart(
        frame(whole),
        title,
        y=columns.score,
        notes=(*notes, *columns.marks),
        settings={
            "fit": True,
            "names": True,
            "axes": turned,
            "said": {other: said(found[other]) for other in columns.others},
        },
    )


def said(found: Correlation) -> str:
    """Both coefficients with their intervals, on two lines."""
    parts = (("r", found.pearson, found.pearson_interval), ("ρ", found.spearman, found.spearman_interval))
    return "\n".join(
        f"{name} = {value:.2f}" + (f" [{interval.low:.2f}, {interval.high:.2f}]" if interval else "")
        for name, value, interval in parts
        if value is not None
    )


COST_LOGARITHMIC_FROM = 10


def cost_chart(config: CostConfig, events: Events) -> Chart:
    """Make the data: a row for each run; x is the mean over its responses.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: no run records the expense of its items.
    """

    scored = scored_runs(config.runs, config.scorer)
    table = scored.benchmark.table
    (column,) = chosen_columns(table.columns, [config.column or table.headline])
    spent = {run.name: {per: mean_of(run.folder.outcomes(), per) for per in _wanted(config)} for run in scored.runs}
    per = config.per or next(
        (name for name in ("cost", "output-tokens", "seconds") if all(own[name] is not None for own in spent.values())),
        "output-tokens",
    )
    rows, unknown, names = [], [], series_names(scored)
    for run in scored.runs:
        entry = run.figures["rule_sets"][scored.scorer]
        cell = entry["cells"].get(column.key) or {"value": None}
        expense = spent[run.name][per]
        if expense is None or cell["value"] is None:
            unknown.append(run.name)
            continue
        unread = stored_unread(entry)
        interval = Interval(**cell["interval"]) if cell.get("interval") else None
        rows.append(
            {
                "series": names[run.name], "role": "run", "label": names[run.name],
                "x": expense, "value": cell["value"], **ends_of(interval), "n": cell["n"],
                "unread": unread[column.key].share if column.key in unread else None,
                "unanswered": cell.get("unanswered"),
            }
        )  # fmt: skip
    if not rows:
        raise UsageError(f"no run records its {PER[per]}; choose another with --per, or run with --prices.")
    notes = [CLUSTERED] if any(row["low"] is not None for row in rows) else []
    if unknown:
        notes.append(f"Not drawn, as their {per.replace('-', ' ')} or score isn't known: {', '.join(unknown)}.")
    found = [row["x"] for row in rows]
    wide = min(found) > 0 and max(found) / min(found) >= COST_LOGARITHMIC_FROM
    return Chart(
        frame(rows),
        f"{scored.benchmark.title}: {column.title} against {per.replace('-', ' ')}, scorer {scored.scorer}",
        x=f"mean {PER[per]}" + (", logarithmic" if wide else ""),
        y=column.title,
        notes=(*notes, *run_notes(scored)),
        settings={"logarithmic": "x" if wide else "", "names": True},
    )


def mean_of(outcomes: Iterable[Outcome], per: str) -> float | None:
    """Return the mean expense of responses that record it; None where none does.

    Args:
        outcomes: of a run; failures are left out.
        per: a key of `PER`.
    """

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


EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Words of endpoints for how much a model is to reason, the least first."""
CURVE_LOGARITHMIC_FROM = 8
"""Ratio of the greatest to the least number from which the axis is logarithmic."""


def curve_chart(config: CurveConfig, events: Events) -> Chart:
    """Make the data: a row for each column (panel), model and protocol (series) and number (x).

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: the runs don't differ in the setting, or two are at one place.
    """

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
        unread = stored_unread(entry)
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
                    **ends_of(interval),
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
            "logarithmic": over != "effort" and found[0] > 0 and found[-1] / found[0] >= CURVE_LOGARITHMIC_FROM,
            "ticks": [(place, EFFORTS[int(place)] if over == "effort" else f"{place:,g}") for place in found],
            "low": 0 if config.columns else None,
            "high": None,
        },
    )


def place_of(settings: RunSettings, over: str) -> float | None:
    """Return a run's place on the axis; None where it has no such number.

    Args:
        settings: of the run.
        over: a key of `OVER`; an effort has its place in `EFFORTS`.
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


def benchmark_chart(config: CompositionConfig, events: Events) -> Chart:
    """Make the data: for each label (panel) and its values (label) the number of questions; a series for each
    benchmark.

    Raises:
        InputError, UsageError: there is no such benchmark, or its questions have no such label.
    """

    sources = [load_questions(config.benchmark, config.data, config.subset)]
    if config.beside is not None:
        sources.append(load_questions(config.beside, None, None))
    labels = config.by or differing([item for _, items, _ in sources for item in items])
    rows, notes = [], list[str]()
    for by in labels:
        able = [source for source in sources if source is sources[0] or by in label_names(source[1])]
        counted = [(label, count(items, by).counts) for _, items, label in able]
        notes += [f"{label} carries no label '{by}'." for _, _, label in sources[len(able) :]]
        for value in dict.fromkeys(value for _, counts in counted for value in counts):
            rows += [
                {"panel": by, "series": label, "role": "run", "label": value, "value": counts[value]}
                for label, counts in counted
                if value in counts
            ]
    if not rows:
        raise UsageError("the benchmark has no question; nothing can be drawn.")
    sizes = ", ".join(f"{len(items):,} of {label}" for _, items, label in sources)
    return Chart(frame(rows), f"Questions: {sizes}", x="questions", notes=tuple(notes))


def cross_chart(config: CrossConfig, events: Events) -> Chart:
    """Make the data: for each value of the first label (series) and the second (label) the number of questions.

    Raises:
        InputError, UsageError: there is no such benchmark, or its questions have no such label.
    """

    if len(config.by) != 2:
        raise UsageError(f"--by takes two labels, such as task,dataset, not {len(config.by)}.")
    _, items, label = load_questions(config.benchmark, config.data, config.subset)
    found = cross(items, *config.by)
    rows = [{"series": a, "role": "run", "label": b, "value": many} for (a, b), many in found.items()]
    most = max(found.values(), default=1)
    return Chart(
        frame(rows),
        f"{label}: {counted(len(items), 'question')} by {config.by[0]} and {config.by[1]}",
        x=config.by[1],
        y=config.by[0],
        settings={"high": most},
    )
