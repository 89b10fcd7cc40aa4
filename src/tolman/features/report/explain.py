"""Explain why a model loses points: the ideal observer, grounded and blind runs, and revealing items on one page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tolman.analyze.deltas import BLIND
from tolman.analyze.grounding import ALL as ALL_FRAMES, CONDITIONS, RunGrounding
from tolman.analyze.lost_points import (
    COUNTED,
    ClearMiss,
    RunLosses,
    clear_misses,
    lost_points,
    number_errors,
    worst_answers,
)
from tolman.analyze.observer import Noise
from tolman.analyze.observer_answers import POSITION, SIZE
from tolman.analyze.observer_fit import FRAMES_UNKNOWN, RunObserver
from tolman.benchmarks.benchmark_folder import is_folder
from tolman.errors import UsageError, counted
from tolman.features.analyses import to_plain
from tolman.features.analyses.config import ObserverConfig
from tolman.features.analyses.run_analyses import ground_run, observe_run
from tolman.features.analyses.scored_runs import ScoredRuns, scored_runs
from tolman.features.events import Began, Ended, Events, silent
from tolman.features.notebook import Displayable, NotebookTable, given_as
from tolman.features.report.config import ExplainConfig
from tolman.files import check_report
from tolman.ground_truth.released_audit import other_scenes
from tolman.ground_truth.scene_arrays import SceneGeometry, geometries_by_id
from tolman.items import Item
from tolman.media.frame_store import FrameStore, default_root
from tolman.media.sampling import Frames
from tolman.reports.evidence_marks import evidence_on_plan
from tolman.reports.explained_page import LOSS_MEANINGS, BlindScores, Explanation, ShownItem, page
from tolman.reports.loaded_runs import LoadedRun
from tolman.reports.page_items import entry_of
from tolman.reports.report_content import part_of
from tolman.reports.report_pages import save_report, small_pictures
from tolman.reports.site.data_shards import plan_of
from tolman.reports.site.site_media import media_folder, scenes_folder
from tolman.responses import Outcomes, Response
from tolman.scoring.score_table import Table

GROUNDED = "grounded"
PAGE = "index.html"
MOST, MOST_GROUNDED, MOST_OF_TYPE = 10, 3, 4
"""Items of the page, those of them that show losses of a grounded run, and clear misses of one question type."""
PICTURES = Frames(count=8, rounding="middle", quality=70, longest_side=240)
RIGHT_FROM = 0.5
_WHY_WORST = "One of the costliest answers to this question type."
_NOISES = {POSITION: ("positions", 1, 2, "m"), SIZE: ("lengths", 100, 0, "%")}


@dataclass(frozen=True, repr=False)
class ExplainResult(Displayable):
    """An explained run.

    Attributes:
        explanation: the content of the page.
        page: the file.
    """

    explanation: Explanation
    page: Path

    def to_dict(self) -> dict[str, Any]:
        """The content of `--json`: losses, observer, grounding and blind scores, and the ids of the revealing items."""
        content = self.explanation
        return {
            "model": content.model,
            "scorer": content.scorer,
            "losses": to_plain(content.losses),
            "observer": to_plain(content.observer),
            "grounding": to_plain(content.grounding),
            "blind": to_plain(content.blind),
            "examples": [one.entry["id"] for one in content.examples],
            "remarks": list(content.remarks),
            "page": str(self.page),
        }

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each question type and piece, those of the figure last.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns task ('all' for the figure), piece, points (lost to it), answers, score.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        schema = {"task": pl.String, "piece": pl.String, "points": pl.Float64, "answers": pl.Int64, "score": pl.Float64}
        rows = [
            (task, piece, points, losses.answers, losses.score)
            for task, losses in self.explanation.rows()
            for piece, points in losses.pieces.items()
        ]
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _title(self) -> str:
        return f"{self.explanation.model}: {self.explanation.sentence}"

    def _shown(self) -> NotebookTable:
        headings, *rows = self.explanation.table()
        return NotebookTable(list(headings), [list(row) for row in rows], list(self.explanation.remarks))


def explain(config: ExplainConfig, events: Events = silent) -> ExplainResult:
    """Explain why a model loses points, on one page.

    Raises:
        InputError: a folder holds no run, no scores or no scenes.
        UsageError: the runs are of several models or benchmarks, none shows all frames once, the scenes aren't known,
            or no answer can be recomputed from them.
    """
    if config.out.is_file():
        raise UsageError(f"{config.out} is a file; give --out a folder for the page.")
    check_report(config.out / PAGE)
    scored = scored_runs(config.runs, config.scorer)
    run, grounded, blind = _parts(scored)
    place = scenes_folder(scored.runs, media_folder(scored.runs, config.media), config.scenes)
    if isinstance(place, str):
        raise UsageError(f"{place}. The observer needs them.")
    rows, noise, geometries = scored.rows(run), Noise(), geometries_by_id(place)
    settings = ObserverConfig(
        runs=(run.folder.path,), scenes=place, draws=config.draws, seed=config.seed, workers=config.workers
    )
    observer, tables = observe_run(run, rows, geometries, noise, settings, events)
    if not tables:
        why = next((reason for reasons in observer.left_out.values() for reason in reasons), "")
        raise UsageError(f"no answer of {run.folder.path} can be recomputed from {place}: {why}.")
    if not rows["status"].is_in(COUNTED).any():
        raise UsageError(f"{run.folder.path} has no answer that the scorer {scored.scorer} counts; give another one.")
    events(Began("writing the page"))
    items = {item.id: item for item in run.folder.items()}
    table = scored.benchmark.table_of(scored.scorer)
    losses = lost_points(rows, items, tables, observer, noise, table.column(table.headline))
    rules = scored.benchmark.rule_set(scored.scorer)
    grounding = None if grounded is None else ground_run(grounded, rules, RIGHT_FROM)
    clear = clear_misses(tables, observer.fits, noise, MOST_OF_TYPE)
    title = table.column(table.headline).title
    cell = run.figures["rule_sets"][scored.scorer]["cells"][table.headline]
    named = run.record.settings
    is_placed = is_folder(named.benchmark) and Path(named.benchmark).is_absolute()
    asked = f"./{Path(named.benchmark).name}" if is_placed else named.benchmark  # no path of this machine on the page
    command = f"tolman run {asked} --model {named.model} --protocol"
    content = Explanation(
        benchmark=scored.benchmark.title,
        model=run.name,
        scorer=scored.scorer,
        headline=(title, "–" if cell["value"] is None else f"{cell['value']:.1f}", _interval(cell)),
        losses=losses,
        observer=observer,
        titles=_task_titles(scored.benchmark.table),
        number_errors=number_errors(rows, items),
        examples=_examples(
            scored, config, geometries, run, _reasons(clear, rows, items, losses, grounding), grounded, grounding
        ),
        rule=_rule(grounding),
        grounding=grounding,
        blind=None if blind is None else _blind_scores(rows, scored.rows(blind), items),
        commands={name: f"{command} {name}" for name in (GROUNDED, BLIND)},
        remarks=[
            *([f"The run is of a part: {part} items."] if (part := part_of(run, scored.benchmark)) else []),
            *_remarks(losses, rows, observer, cell["value"], title),
            *([said] if (said := other_scenes([items[id] for id in tables], geometries, place.name)) else []),
        ],
    )
    config.out.mkdir(parents=True, exist_ok=True)
    save_report(config.out / PAGE, page(content), "html")
    events(Ended())
    return ExplainResult(content, config.out / PAGE)


def _parts(scored: ScoredRuns) -> tuple[LoadedRun, LoadedRun | None, LoadedRun | None]:
    """The run that is explained, the grounded one, and the blind one."""
    models = list(dict.fromkeys(run.record.settings.model for run in scored.runs))
    if len(models) > 1:
        raise UsageError(f"one model is explained at a time, and these runs are of {' and '.join(models)}.")
    parts: dict[str, list[LoadedRun]] = {GROUNDED: [], BLIND: [], "": []}
    for run in scored.runs:
        own = run.record.settings.protocol.split("+")
        parts[next((name for name in (GROUNDED, BLIND) if name in own), "")].append(run)
    for name, runs in parts.items():
        if len(runs) > 1:
            kind = f"{name} run" if name else "run to explain"
            raise UsageError(f"{runs[0].folder.path} and {runs[1].folder.path} are both a {kind}; give one of them.")
    grounded, blind, plain = (next(iter(parts[name]), None) for name in (GROUNDED, BLIND, ""))
    explained = plain or grounded  # a grounded run asks with all frames too
    if explained is None:
        raise UsageError("a blind run alone can't be explained; give the run with frames too.")
    return explained, grounded, blind


def _interval(cell: Mapping[str, Any]) -> str:
    found = cell.get("interval")
    if found is None:
        return f"no interval: {cell.get('reason') or 'not known'}"
    return f"95 % interval {found['low']:.1f} … {found['high']:.1f}"


def _remarks(losses: Any, rows: pl.DataFrame, observer: RunObserver, value: float | None, title: str) -> list[str]:
    """On what the figures rest."""
    said = []
    score, split = losses.together.score, losses.figure
    if not split:
        said.append(f"{title} is no weighted mean of scores; the pieces are of the mean of all answers, {score:.1f}.")
    if lost := rows["status"].is_in(["failed", "missing"]).sum():
        lacking = counted(int(lost), "item has no response, which counts", "items have no response, which counts")
        said.append(f"{lacking} as wrong: the pieces end at {score:.1f}.")
    elif split and value is not None and abs(value - score) > 0.05:
        said.append(f"The pieces end at {score:.1f}: they count every answer by its score.")
    if losses.left_out:
        said.append(f"{counted(losses.left_out, 'answer is', 'answers are')} scored by no rule: in no piece.")
    if not observer.sightings_known:
        said.append("The scenes don't record what frames show; every object counts as shown.")
    elif not observer.frames_known:
        said.append(FRAMES_UNKNOWN)
    return said


def _blind_scores(rows: pl.DataFrame, other: pl.DataFrame, items: Mapping[str, Item]) -> BlindScores | None:
    """Scores of items that both runs answered; None where there is none."""
    means = [
        frame.filter(pl.col("status") == "scored").group_by("id").agg(pl.col("score").mean()) for frame in (rows, other)
    ]
    both = means[0].join(means[1], on="id", suffix="_blind").sort("id")
    if both.is_empty():
        return None
    scores = 100 * both.select("score", "score_blind").to_numpy()
    tasks = np.array([items[id].task for id in both["id"]])

    def pair(inside: Any) -> tuple[float, float]:
        seeing, unseeing = scores[inside].mean(0).tolist()
        return seeing, unseeing

    return BlindScores({task: pair(tasks == task) for task in np.unique(tasks).tolist()}, pair(slice(None)), len(both))


def _rule(grounding: RunGrounding | None) -> str:
    first = MOST - (MOST_GROUNDED if grounding is not None else 0)
    rule = (
        f"Up to {first} items. First come up to {MOST_OF_TYPE} of a question type that the model gets wrong, although "
        "99 % of observers with its noise, which overlook nothing, get them right. Then come the costliest answers to "
        "other question types."
    )
    if grounding is None:
        return rule
    return f"{rule} Up to {MOST_GROUNDED} losses of the grounded run follow, prior knowledge first."


def _task_titles(table: Table) -> dict[str, str]:
    """The titles of question types, in the table's order: that of the column with what tells its types apart."""
    places, own = table.places_of_tasks, table.task_titles
    found = {}
    for task in sorted(places, key=lambda task: (places[task], *_by_level(task))):
        alike = [other for other in places if places[other] == places[task]]
        if task in own:
            found[task] = own[task]
        elif places[task]:
            common = set.intersection(*(set(other.split("_")) for other in alike))
            rest = " ".join(word for word in task.split("_") if word not in common)
            found[task] = ", ".join(filter(None, (table.columns[places[task][0]].title, rest)))
    return found


def _by_level(task: str) -> tuple[str, int]:
    """The order of question types: by name, but easy, medium and hard ones in this order."""
    name, _, level = task.rpartition("_")
    levels = ("easy", "medium", "hard")
    return (name, levels.index(level)) if level in levels else (task, 0)


def _reasons(
    clear: Sequence[ClearMiss],
    rows: pl.DataFrame,
    items: Mapping[str, Item],
    losses: RunLosses,
    grounding: RunGrounding | None,
) -> dict[str, str]:
    """The items to show and why: clear misses, then the worst answers to question types without one."""
    most = MOST - (MOST_GROUNDED if grounding is not None else 0)
    found = {one.id: _why_clear(one) for one in clear}
    others = worst_answers(rows, items, losses, {one.task for one in clear})
    return dict([*found.items(), *((id, _WHY_WORST) for id in others)][:most])


def _examples(
    scored: ScoredRuns,
    config: ExplainConfig,
    geometries: Mapping[str, SceneGeometry],
    run: LoadedRun,
    reasons: Mapping[str, str],
    grounded: LoadedRun | None,
    grounding: RunGrounding | None,
) -> list[ShownItem]:
    """The most revealing items: those with a reason, then losses of the grounded run."""
    data = media_folder(scored.runs, config.media)
    found = _shown(scored, run, reasons, data, geometries, wrong=True)
    if grounded is None or grounding is None:
        return found
    losses = {
        id: LOSS_MEANINGS[loss] for loss in LOSS_MEANINGS for id in grounding.ungrounded[loss] if id not in reasons
    }
    return found + _shown(scored, grounded, dict(list(losses.items())[:MOST_GROUNDED]), data, geometries, wrong=False)


def _shown(
    scored: ScoredRuns,
    run: LoadedRun,
    why: Mapping[str, str],
    data: Path | str,
    geometries: Mapping[str, SceneGeometry],
    *,
    wrong: bool,
) -> list[ShownItem]:
    """Return items of one run, each with its first answer, or its first wrong one."""
    counts = (pl.col("status") == "scored") & pl.col("id").is_in(list(why))
    rows = scored.rows(run).filter(counts & (pl.col("score") < RIGHT_FROM) if wrong else counts)
    firsts = {id: (repeat, score) for id, repeat, score in rows.select("id", "repeat", "score").reverse().iter_rows()}
    items, outcomes = {item.id: item for item in run.folder.items()}, Outcomes.of(run.folder.outcomes())
    store, found = FrameStore(default_root()), []
    for id, reason in why.items():
        repeat, score = firsts.get(id, (0, 0.0))
        item, outcome = items[id], outcomes.get((id, repeat))
        if not isinstance(outcome, Response):
            continue
        turns = {turn.purpose: turn.response for turn in outcome.turns if turn.purpose in CONDITIONS}
        media = [] if isinstance(data, str) else [small_pictures(store, data, one, PICTURES) for one in item.media]
        geometry = geometries.get(item.scene or "")
        drawn = None if geometry is None else evidence_on_plan(item, geometry)
        found.append(
            ShownItem(
                entry=entry_of(item),
                task=item.task,
                why=reason,
                answers={ALL_FRAMES if turns else "": outcome.response} | turns,
                reasoning=outcome.reasoning or "",
                score=score,
                pictures=[picture for own in media for picture in own],
                plan=None if geometry is None else plan_of(geometry),
                marks=[] if drawn is None else drawn.marks,
                undrawn="" if drawn is None else drawn.undrawn,
            )
        )
    return found


def _why_clear(one: ClearMiss) -> str:
    if one.axis not in _NOISES:
        return "The frames are enough: an observer that overlooks nothing gets this right."
    what, factor, digits, unit = _NOISES[one.axis]
    noise = f"{factor * one.noise:.{digits}f} {unit}"
    own = ""
    if one.fitted is not None and one.fitted.value is not None:
        most = f"{factor * one.fitted.high:.{digits}f}" if math.isfinite(one.fitted.high) else "any"
        known = f"{factor * one.fitted.low:.{digits}f} … {most}"
        own = f" The model's equivalent noise is {factor * one.fitted.value:.{digits}f} {unit} ({known})"
        own += ", so another cause is likely, though not certain." if one.fitted.high > one.noise else "."
    return f"99 % of observers that overlook nothing get this right, even if {what} are off by {noise}.{own}"
