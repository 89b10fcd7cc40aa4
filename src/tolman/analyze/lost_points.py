"""The points between 100 and a model's score, split among their causes with the help of the ideal observer.

Each answer's loss is 1 − score. The observer without noise scores `ceiling` on its item, and the one that was fitted to
the question type scores `expected`. So the loss is (1 − ceiling) + (ceiling − expected) + (expected − score). The last
part belongs to failures, responses without an answer or lapses, by the state of the answer. Pieces add up exactly for
every item, hence for every mean of items. They can be negative, where the model is better than the observer.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from tolman.analyze.observer import Noise
from tolman.analyze.observer_answers import AnswerTable
from tolman.analyze.observer_fit import RIGHT_FROM, FittedRun, Parameter, RunObserver, expected_scores, is_answer
from tolman.errors import counted
from tolman.geometry.boxes import Floats
from tolman.items import Item
from tolman.scoring.score_table import Column, coefficients, pools_of

NOT_SHOWN, PERCEPTION, FAILED, NO_ANSWER, REASONING, UNSPLIT = PIECES = (
    "not in the frames",
    "perception",
    "no response",
    "no answer",
    "reasoning and the rest",
    "not split",
)
"""The causes, in the order in which a model loses points by them."""
COUNTED = ("scored", "failed", "missing")
"""The states of rows that are in the pieces."""
STATE = ("state", "guessed", "reading")
"""Columns of the state of an answer, as `observer_fit.is_answer` takes it."""
_SURE = 0.99


@dataclass(frozen=True)
class Losses:
    """The way from 100 to a score.

    Attributes:
        answers: how many it is of, those without a response among them.
        score: 0 to 100; no response counts as wrong.
        pieces: cause → points, in the order of `PIECES`; a cause without an answer is left out. They add up to
            100 − score.
        reason: why a part is not split; '' where all is.
    """

    answers: int
    score: float
    pieces: Mapping[str, float]
    reason: str = ""


@dataclass(frozen=True)
class RunLosses:
    """The losses of one run.

    Attributes:
        tasks: question type → its losses.
        together: those of the figure.
        figure: title of the figure that is split; '' for the mean of all answers, where it is no mean of scores.
        left_out: answers that no scorer counts, which are in no figure.
    """

    tasks: Mapping[str, Losses]
    together: Losses
    figure: str
    left_out: int


def lost_points(
    rows: pl.DataFrame,
    items: Mapping[str, Item],
    tables: Mapping[str, AnswerTable],
    observer: RunObserver,
    noise: Noise,
    column: Column,
) -> RunLosses:
    """Split the losses of a run.

    Args:
        rows: of its scores under one scorer (`tolman.scoring.score_items.SCHEMA`), one or more that count.
        items: by id.
        tables: of the items that the observer answers.
        observer: fitted to the run.
        noise: the simulated levels.
        column: the figure to split.
    """
    kept = rows.filter(pl.col("status").is_in(COUNTED))
    ids, score = kept["id"].to_list(), kept["score"].fill_null(0.0).to_numpy()
    tasks = np.array([items[id].task for id in ids])
    ceiling, expected, is_split = np.ones(len(ids)), np.ones(len(ids)), np.zeros(len(ids), bool)
    reasons: dict[str, str] = {}
    for task in dict.fromkeys(tasks.tolist()):
        own = np.flatnonzero((tasks == task) & np.array([id in tables for id in ids]))
        if len(own):
            seen = [tables[ids[i]] for i in own]
            ceiling[own] = expected[own] = [table.ceiling for table in seen]
            fitted = observer.fits.tasks.get(task)
            found = None if fitted is None else expected_scores(seen, fitted, noise)
            if found is not None:
                expected[own], is_split[own] = found, True
        reasons[task] = _why_not_split(task, observer, is_split=bool(is_split[own].any()))
    answered = (kept["status"] == "scored").to_numpy()
    states = kept.select("id", *STATE).iter_rows()
    read = np.array([is_answer(items[id], *state) for id, *state in states])
    cause = np.select([~answered, ~read, is_split], [FAILED, NO_ANSWER, REASONING], UNSPLIT)
    rest = np.stack([np.where(cause == name, expected - score, 0.0) for name in PIECES])
    rest[0], rest[1] = 1.0 - ceiling, ceiling - expected
    known = np.stack([np.array([id in tables for id in ids]), is_split, *(cause == name for name in PIECES[2:])])

    def losses(weights: Floats, reason: str) -> Losses:
        inside = weights > 0
        pieces = {
            name: 100 * float(rest[number] @ weights)
            for number, name in enumerate(PIECES)
            if known[number, inside].any()
        }
        return Losses(int(inside.sum()), 100 - 100 * float((1 - score) @ weights), pieces, reason)

    by_task = {task: losses((tasks == task) / (tasks == task).sum(), reason) for task, reason in reasons.items()}
    weights = figure_weights(kept, column) if not any(items[id].all_of for id in ids) else None
    reason = "; ".join(f"{task}: {said}" for task, said in reasons.items() if UNSPLIT in by_task[task].pieces)
    figure = "" if weights is None else column.title
    even = np.full(len(ids), 1 / len(ids))
    return RunLosses(by_task, losses(even if weights is None else weights, reason), figure, len(rows) - len(kept))


def _why_not_split(task: str, observer: RunObserver, *, is_split: bool) -> str:
    """Return why answers to a question type aren't split; of a type that is fitted, why some items are left out."""
    fitted = observer.fits.tasks.get(task)
    if fitted is not None and not is_split:
        return fitted.reason or next((one.reason for one in fitted.parameters.values() if one.reason), "")
    return ", ".join(f"{reason} ({count:,})" for reason, count in observer.left_out.get(task, {}).items())


def figure_weights(rows: pl.DataFrame, column: Column) -> Floats | None:
    """The weight of each answer in a figure: 1 − the weighted sum of (1 − score) is the figure, as a share.

    Returns:
        Shape (answers,); None where the figure is no mean of scores with weights that add up to 1.
    """
    tasks, options = rows["task"].to_numpy(), rows["options"].to_numpy()
    inside = {
        leaf: np.array([leaf.tasks is None or task in leaf.tasks for task in tasks]) for leaf in pools_of([column.node])
    }
    shares = coefficients(column.node, frozenset(leaf for leaf, own in inside.items() if own.any()))
    if any(leaf.measure is not None for leaf in shares) or abs(sum(shares.values()) - 1) > 1e-12:
        return None
    found = np.zeros(len(rows))
    for leaf, share in shares.items():
        by_chance = inside[leaf] & (options > 0) & (leaf.metric == "chance-adjusted")
        whole = inside[leaf].sum() - (1 / options[by_chance]).sum()
        found += share * inside[leaf] / whole
    return found


def number_errors(rows: pl.DataFrame, items: Mapping[str, Item]) -> dict[str, str]:
    """On which side of the truth a model's numbers are: a sentence for each question type that asks for numbers.

    Args:
        rows: of its scores under one scorer (`tolman.scoring.score_items.SCHEMA`).
        items: by id.
    """
    value = pl.col("reading").cast(pl.Float64, strict=False)
    read = rows.filter(pl.col("status") == "scored").with_columns(value=value).drop_nulls("value")
    ratios: dict[str, list[float]] = {}
    for id, value, *state in read.select("id", "value", *STATE).iter_rows():
        item = items[id]
        if item.kind == "number" and not item.options and item.float_answer and is_answer(item, *state):
            ratios.setdefault(item.task, []).append(value / item.float_answer)
    found = {}
    for task, own in ratios.items():
        low, high = sum(one < 1 for one in own), sum(one > 1 for one in own)
        found[task] = (
            f"{low} of {counted(len(own), 'number')} too low, {high} too high, {len(own) - low - high} exact; "
            f"the median answer is {np.median(own):.2f} times the truth"
        )
    return found


@dataclass(frozen=True)
class ClearMiss:
    """An item that the model misses, and that observers with its noise answer.

    Attributes:
        id: of the item.
        task: its question type.
        axis: the noise that its answer depends on.
        noise: the greatest simulated level at which 99 % of observers that overlook nothing are right; 0 where it
            depends on no noise but misses.
        fitted: the model's own noise; None where its type depends on no noise but misses.
    """

    id: str
    task: str
    axis: str
    noise: float
    fitted: Parameter | None

    @property
    def margin(self) -> float:
        """How many times greater the noise may be than the model's; 0 where this isn't known."""
        return 0.0 if self.fitted is None or self.fitted.value is None else self.noise / max(self.fitted.value, 1e-3)


def worst_answers(
    rows: pl.DataFrame, items: Mapping[str, Item], losses: RunLosses, without: Collection[str]
) -> list[str]:
    """Items with the worst readable answers, question types in turn, those that lose most first.

    Args:
        rows: of the run's scores under one scorer.
        items: by id.
        losses: of the run.
        without: question types that are left out.

    Returns:
        Ids. Numbers that are off by the greatest factor come first.
    """
    by_task: dict[str, dict[str, float]] = {}
    read = rows.filter((pl.col("status") == "scored") & (pl.col("score") < RIGHT_FROM))
    value = pl.col("reading").cast(pl.Float64, strict=False)
    for id, task, number, *state in read.select("id", "task", value.alias("number"), *STATE).iter_rows():
        if task not in without and is_answer(items[id], *state):
            off = number is not None and items[id].kind == "number" and number > 0 and items[id].float_answer > 0
            by_task.setdefault(task, {})[id] = abs(math.log(number / items[id].float_answer)) if off else 0.0
    order = sorted(by_task, key=lambda task: (losses.tasks[task].score, task))
    turns = [sorted(by_task[task], key=lambda id: (-by_task[task][id], id)) for task in order]
    return [own[n] for n in range(max(map(len, turns), default=0)) for own in turns if n < len(own)]


def clear_misses(
    tables: Mapping[str, AnswerTable], fits: FittedRun, noise: Noise, limit: int | None = None
) -> list[ClearMiss]:
    """The clearest misses of a run: question types in turn, in each the items with the greatest margin first.

    Args:
        tables: by item's id.
        fits: the observers.
        noise: the simulated levels.
        limit: the most of one question type; None for all.
    """
    levels = {"position": noise.positions, "size": noise.sizes}
    by_task: list[list[ClearMiss]] = []
    for task, fitted in fits.tasks.items():
        found = []
        for id in fitted.missed:
            table = tables[id]
            own, good = fitted.parameters.get(table.axis), table.scores >= RIGHT_FROM
            sure = table.chances[:, 0, good].sum(-1) >= _SURE
            last = int(np.argmin(sure)) - 1 if not sure.all() else len(sure) - 1
            most = levels[table.axis][max(last, 0)] if table.axis in levels else 0.0
            found.append(ClearMiss(id, task, table.axis, most, own))
        by_task.append(sorted(found, key=lambda one: (-one.margin, one.id))[:limit])
    by_task.sort(key=lambda own: -own[0].margin if own else 0.0)
    return [own[n] for n in range(max(map(len, by_task), default=0)) for own in by_task if n < len(own)]
