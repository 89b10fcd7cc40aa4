"""Figures of answers: predicted numbers, option positions, confusions, error types, differences, maps.

Predicted numbers are next to the true ones. Option-position bias is how often each letter is given and true, and the
score where it is true. Directions, or other options that recur from question to question, have a confusion table. Error
shares come from labels (VSI-Bench, Figure 7; MMSI-Bench, Figure 7). Differences are vision on and off, or one protocol
less another (VSI-Bench, Figures 8 and 12). Cognitive maps show drawn places joined to the true ones, and the accuracy
of distances by the true distance (VSI-Bench, Figures 9, 10 and 19, Table 4).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tolman.analyze.answer_patterns import UNREAD, classes, confusion, in_order, positions, predictions
from tolman.analyze.maps import MapsResult
from tolman.errors import UsageError, counted
from tolman.features.analyses.config import DeltasConfig, ErrorsConfig, MapsConfig
from tolman.features.analyses.error_analysis import analyze_errors
from tolman.features.analyses.probe_analyses import analyze_maps
from tolman.features.analyses.run_analyses import analyze_deltas
from tolman.features.analyses.scored_runs import scored_runs
from tolman.features.events import Events
from tolman.features.figures.config import (
    DeltasFigureConfig,
    ErrorsFigureConfig,
    MapsFigureConfig,
    TasksFigureConfig,
)
from tolman.features.figures.figure_inputs import (
    answers,
    chosen_columns,
    run_notes,
    run_warnings,
    series_names,
)
from tolman.items import Item
from tolman.reports import map_results
from tolman.reports.analysis_results import error_rows
from tolman.reports.charts import point_forms
from tolman.reports.charts.chart import CLUSTERED, Chart, ends_of, frame
from tolman.scoring.score_table import Table, pools_of

UNITS = {"m": "m", "cm": "cm", "m2": "m²"}
"""What stands at an axis for the unit of an item; counts have none."""
LOGARITHMIC_FROM = 30
"""Ratio of the greatest to the least true number from which both axes are logarithmic."""


def predicted_chart(config: TasksFigureConfig, events: Events) -> Chart:
    """Make the data: a row for each readable answer: question type (panel), run (series), true (x), read (value).

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: there is no such question type, or none of the questions has a number for an answer.
    """

    scored = scored_runs(config.runs, config.scorer)
    titles = scored.benchmark.table.task_titles
    rows: list[dict[str, Any]] = []
    notes = ["Diagonal: read = true. Answers beyond the axes' ends are in the data and not in the picture."]
    names, units = series_names(scored), dict[str, set[str]]()
    for run in scored.runs:
        items = {item.id: item for item in run.folder.items()}
        found, unread = predictions(items, answers(scored, run, config.tasks))
        for one in found:
            units.setdefault(titles.get(one.task, one.task), set()).add(UNITS.get(items[one.id].unit or "", ""))
        rows += [
            {
                "panel": titles.get(one.task, one.task), "series": names[run.name], "role": "run",
                "label": one.id,
                "x": one.true, "value": one.read,
            }
            for one in found
        ]  # fmt: skip
        if unread:
            notes.append(
                f"{run.name}: no readable number is in {unread:,} of {counted(unread + len(found), 'response')}."
            )
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
        settings={
            "diagonal": True,
            "logarithmic": "xy" if wide else "",
            "units": {panel: unit for panel, (unit, *others) in units.items() if unit and not others},
        },
    )


GIVEN, SCORE = "answers that give this letter, %", "score where this letter is right"
TRUE = "questions whose answer it is"


def positions_chart(config: TasksFigureConfig, events: Events) -> Chart:
    """Make the data: for each letter (label) and run (series) how often it is given and, in a second panel, the score
    where it is right; the share of questions where it is right is the first panel's chance level.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: there is no such question type, or no question has options.
    """

    scored = scored_runs(config.runs, config.scorer)
    true: list[dict[str, object]] = []
    rows: list[dict[str, object]] = []
    notes, names = [], series_names(scored)
    for run in scored.runs:
        items = {item.id: item for item in run.folder.items()}
        found, unread = positions(items, answers(scored, run, config.tasks))
        for one in found:
            if not any(row["label"] == one.letter for row in true):
                true.append({"panel": GIVEN, "series": TRUE, "role": "chance", "label": one.letter, "value": one.true})
            for panel, share in ((GIVEN, one.picked), (SCORE, one.score)):
                if share is not None:
                    rows.append(
                        {
                            "panel": panel, "series": names[run.name], "role": "run", "label": one.letter,
                            "value": share.value, **ends_of(share.interval), "n": share.n,
                        }
                    )  # fmt: skip
        if unread:
            single = "answer to a question with options names none and is"
            unreadable = counted(unread, single, "answers to questions with options name none and are")
            notes.append(f"{run.name}: {unreadable} not in the left.")
    if not rows:
        raise UsageError("no readable answer of these runs is an option; nothing can be drawn.")
    return Chart(
        frame([*sorted(true, key=lambda row: str(row["label"])), *rows]),
        f"{scored.benchmark.title}: answers by the position of the option, scorer {scored.scorer}",
        x="per cent",
        notes=(CLUSTERED, *notes, *run_notes(scored)),
        settings={"behind": {"chance": TRUE}},
    )


def directions_chart(config: TasksFigureConfig, events: Events) -> Chart:
    """Make the data: for each run and question type (panel), true (series) and given (label) option the per cent of the
    answers to questions with that true option.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: there is no such question type, or no question type's options are a few classes.
    """

    scored = scored_runs(config.runs, config.scorer)
    titles = scored.benchmark.table.task_titles
    rows: list[dict[str, object]] = []
    names, asked = series_names(scored), list[tuple[str, ...]]()
    for run in scored.runs:
        items = {item.id: item for item in run.folder.items()}
        tasks = config.tasks or sorted(_directions(list(items.values())), key=_place_in(scored.benchmark.table))
        scores = answers(scored, run, tasks)
        asked.append(tuple(tasks))
        for task in tasks:
            found = confusion(items, scores.filter(scores["task"] == task))
            panel = titles.get(task, task) + (f" · {names[run.name]}" if len(scored.runs) > 1 else "")
            rows += [
                {
                    "panel": panel, "series": true, "role": "run", "label": given, "value": cell.value,
                    **ends_of(cell.interval), "n": cell.n, "unread": found[true, UNREAD].value
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
        settings={"ring": True, "across": len(asked[0]) if len(set(asked)) == 1 < len(asked) else 0},
    )


def _directions(items: list[Item]) -> list[str]:
    """Question types about directions whose options are classes; else all whose options are."""

    found = classes(items)
    chosen = [task for task in found if "direction" in task.casefold()] or found
    if not chosen:
        raise UsageError("no question type has options that recur from question to question; name some with --tasks.")
    return chosen


def _place_in(table: Table) -> Callable[[str], int]:
    """Return a function from a question type to its place in a benchmark's table."""

    pooled = pools_of(column.node for column in table.columns)
    found = list(dict.fromkeys(task for leaf in pooled for task in sorted(leaf.tasks or ())))
    return lambda task: found.index(task) if task in found else len(found)


def _ordered(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Sort rows so that options have one order in all panels."""

    order = in_order({str(row[name]) for row in rows for name in ("series", "label")})
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    return sorted(
        rows,
        key=lambda row: (panels.index(row["panel"]), order.index(str(row["series"])), order.index(str(row["label"]))),
    )


def errors_chart(config: ErrorsFigureConfig, events: Events) -> Chart:
    """Make the data: for each run and source of labels (panel), question type (label) and error type (series) its per
    cent of the labelled responses.

    Raises:
        InputError, UsageError: as `tolman analyze errors`; or nothing is labelled.
    """

    found = analyze_errors(
        ErrorsConfig(runs=config.runs, labels=config.labels, taxonomy=config.taxonomy, scorer=config.scorer, out=None),
        events,
    )
    shown = [one for one in found.distributions if one.task is None or config.by_task]
    rows = error_rows(shown, found.taxonomy, by_task=config.by_task, among_errors=config.among_errors)
    if not rows:
        raise UsageError(f"{config.labels} labels no response of these runs; nothing can be drawn.")
    scored = scored_runs(config.runs, config.scorer)
    what = "responses with an error" if config.among_errors else "labelled responses"
    notes = ("In parentheses: labelled responses. Intervals of the shares are in the data.", *run_notes(scored))
    return Chart(frame(rows), f"{scored.benchmark.title}: types of errors", x=f"% of {what}", notes=notes)


def deltas_chart(config: DeltasFigureConfig, events: Events) -> Chart:
    """Make the data: a row for each comparison (panel), model (series) and column (label).

    Raises:
        InputError, UsageError: as `tolman analyze deltas`.
    """

    found = analyze_deltas(
        DeltasConfig(runs=config.runs, scorer=config.scorer, chance=config.chance, data=config.data), events
    )
    columns = chosen_columns(found.columns, config.columns)
    means = {delta.what for delta in found.deltas if delta.model.startswith("mean of ")}
    rows = [
        {
            "panel": delta.what,
            "series": delta.model,
            "role": "run",
            "label": column.title,
            "value": delta.figures[column.key].value,
            **ends_of(delta.figures[column.key].interval),
            "n": delta.figures[column.key].n,
        }
        for delta in found.deltas
        if not config.means_only or delta.model.startswith("mean of ") or delta.what not in means
        for column in columns
        if column.key in delta.figures
    ]
    if not rows:
        raise UsageError("the runs share no item in these columns; there is nothing to compare.")
    scored = scored_runs(config.runs, config.scorer)
    said = "Lines: paired 95 % intervals, clustered by scene; on items that both runs answered."
    notes = (said, *run_notes(scored))
    title = f"{scored.benchmark.title}: differences in points, scorer {found.scorer}"
    settings = {"low": None, "high": None, "zero": True}
    return Chart(frame(rows), title, x="difference, points", notes=notes, settings=settings)


def maps_chart(config: MapsFigureConfig, events: Events) -> Chart:
    """Make the data: for each map (panel) the places (x, value) of each category (label), drawn and true (series).

    Raises:
        InputError, UsageError: as `tolman analyze maps`; or no map could be read.
    """

    found = read_maps(config, events)
    rows, titles = [], set[str]()
    for name, own in found.maps.items():
        shown = sorted(own.maps, key=lambda one: (-len(one.drawn.drawn.places), one.item))
        scenes = set[str]()
        for one in shown:
            if one.drawn.scene in scenes or len(scenes) == config.draw:
                continue  # questions of one scene have maps that are much alike
            scenes.add(one.drawn.scene)
            title = one.drawn.scene + (f" · {name}" if len(found.maps) > 1 else "")
            titles.add(title)
            rows += map_results.place_rows(title, point_forms.TRUE, one.drawn.true)
            rows += map_results.place_rows(title, point_forms.DRAWN, one.drawn.drawn)
    if not rows:
        raise UsageError("no map of these runs could be read; nothing can be drawn.")
    return Chart(
        frame(rows),
        f"Cognitive maps: {len(titles)} of {sum(len(own.maps) for own in found.maps.values()):,}, one of a scene",
        notes=map_notes(found, config),
        settings={"grid": found.grid},
    )


def read_maps(config: MapsFigureConfig, events: Events) -> MapsResult:
    """Return the maps of the runs with the true ones.

    Raises:
        InputError, UsageError: as `tolman analyze maps`.
    """

    return analyze_maps(MapsConfig(runs=config.runs, scenes=config.scenes, out=None), events)


def map_notes(found: MapsResult, config: MapsFigureConfig) -> tuple[str, ...]:
    """Return notes on unusable maps, and the warnings of the runs."""

    said = []
    for name, own in found.maps.items():
        said.append(f"{name}: {counted(len(own.maps), 'map was', 'maps were')} read, {own.unread:,} could not be.")
        if own.strange:
            said.append(f"{name}: asked for and not in the scene: {', '.join(sorted(own.strange))}.")
    return (*said, *run_warnings(scored_runs(config.runs, config.scorer)))


def locality_chart(config: MapsFigureConfig, events: Events) -> Chart:
    """Make the data: for each run the per cent of drawn distances at most one grid unit off, by true distance.

    Raises:
        InputError, UsageError: as `tolman analyze maps`.
    """
    found = read_maps(config, events)
    return map_results.locality_chart(found, *map_notes(found, config))
