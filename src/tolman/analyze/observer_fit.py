"""Equivalent noise: the ideal observer whose answers are most like a model's, by maximum likelihood on a grid.

The parameters are the position and length error, the miss rate, and the lapse rate: the share of answers that are
guesses however clear the scene is (Wichmann and Hill 2001, Perception & Psychophysics 63, 1293–1313). An item's
likelihood is (1 − lapse) · P(answer | noise, misses) + lapse · P(answer | guess).

The data can separate:

- noise from lapses, by which items are wrong: noise spares those with a wide margin, and its errors are small ones;
- misses from lapses, only where items ask for different numbers of objects: a count, or several question types
  together. A single question type always asks for as many, and an overlooked object makes a guess as a lapse does. So
  its miss rate is held at that of all types together.

Intervals invert the profile likelihood ratio, divided by how much more answers of one scene vary together than if they
were independent (Chandler and Bate 2007, Biometrika 94, 167–183). Nothing is said where the likelihood is flat.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.analyze.observer import Noise
from tolman.analyze.observer_answers import MISS, POSITION, SIZE, AnswerTable, Unanswered, relative_accuracy_level
from tolman.errors import counted
from tolman.extras import scipy
from tolman.geometry.boxes import Floats
from tolman.items import CANT_TELL, Item

LAPSE = "lapse"
LEAST_ITEMS, LEAST_SCENES = 30, 6
_WITHIN = 3.841
"""The 0.95 quantile of chi squared with one degree of freedom."""
_FINE = {POSITION: 5, SIZE: 5, MISS: 4}
"""Steps of the fine grid between two simulated levels."""
_LAPSES = np.linspace(0.0, 1.0, 31) ** 1.5
RIGHT_FROM = 0.5
"""Score from which an answer counts as right, as in the other analyses."""
_SURE, _NO_BETTER = 0.99, 0.05


@dataclass(frozen=True)
class Observed:
    """One answer of a model.

    Attributes:
        id: of the item.
        score: 0 to 1.
        outcome: its place among the outcomes of the item's `AnswerTable`; None for a wrong option that isn't known.
    """

    id: str
    score: float
    outcome: int | None


@dataclass(frozen=True)
class Parameter:
    """One fitted parameter.

    Attributes:
        value: the most likely; None where the data leave it open.
        low, high: 95 % interval; `high` is infinite where the likelihood doesn't fall towards the greatest noise that
            was simulated.
        reason: why there is no value; '' where there is one.
    """

    value: float | None
    low: float
    high: float
    reason: str = ""


@dataclass(frozen=True)
class Explained:
    """How much of a question type's loss perception of the fitted quality explains.

    Attributes:
        ceiling: mean score without any noise, 0 to 100: of exact geometry and all that the frames show.
        perception: mean score with the fitted noise and misses, and no lapse.
        observed: the model's mean score.
        share: of the fitted loss that perception explains, 0 to 1; None where next to nothing is lost.
        low, high: of the share's 95 % interval.
    """

    ceiling: float
    perception: float
    observed: float
    share: float | None
    low: float
    high: float


@dataclass(frozen=True)
class ObserverFit:
    """An observer fitted to answers.

    Attributes:
        answers, scenes: how many there are.
        parameters: 'position', 'size', 'miss', 'lapse' → the fitted value; those that the question types depend on.
        held_miss: the miss rate that was not fitted but held; None where it was fitted.
        p_lapse: of the test that there are no lapses, one-sided; None where it can't be tested.
        explained: how much perception explains; None for several question types together and where nothing could
            be fitted.
        hopeless: items that an observer of this quality has right no more often than by a guess.
        missed: items that the model has wrong, and an observer of this quality in 1 % of draws at most if it overlooks
            nothing.
        reason: why nothing could be fitted; '' where something was.
    """

    answers: int
    scenes: int
    parameters: Mapping[str, Parameter]
    held_miss: float | None = None
    p_lapse: float | None = None
    explained: Explained | None = None
    hopeless: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    reason: str = ""


class Levels:
    """The fine grid between the simulated levels.

    Args:
        noise: the simulated levels.
    """

    def __init__(self, noise: Noise) -> None:
        self.nodes = {POSITION: noise.positions, SIZE: noise.sizes, MISS: noise.misses}
        self.values = {axis: _between(nodes, _FINE[axis], axis) for axis, nodes in self.nodes.items()}
        self.values[LAPSE] = _LAPSES

    def refined(self, table: Floats, axis: str, along: int) -> Floats:
        """A table of probabilities at the fine levels, by Catmull and Rom's cubics over a level's number.

        They are linear in the table, so that probabilities still add up to 1, and local: the step from no noise to a
        little, where everything changes, doesn't bend the rest.
        """
        count = table.shape[along]
        if count < 2:
            return table
        values = np.moveaxis(table, along, 0)
        slopes = np.gradient(values, axis=0)
        if axis != MISS and count > 2:
            slopes[1] = values[2] - values[1]
        steps = np.linspace(0, count - 1, (count - 1) * _FINE[axis] + 1)
        return np.moveaxis(scipy.interpolate.CubicHermiteSpline(np.arange(count), values, slopes)(steps), 0, along)


def _between(nodes: Sequence[float], steps: int, axis: str) -> Floats:
    """Levels between simulated ones: evenly, or evenly in the logarithm where these are multiples of each other."""
    found = np.interp(np.linspace(0, len(nodes) - 1, (len(nodes) - 1) * steps + 1), np.arange(len(nodes)), nodes)
    if axis != MISS and len(nodes) > 2:
        numbers = np.linspace(0, len(nodes) - 1, len(found))
        logs = np.exp(np.interp(numbers, np.arange(1, len(nodes)), np.log(nodes[1:])))
        found = np.where(numbers >= 1, logs, found)
    return np.asarray(found)


class TaskAnswers:
    """A model's answers to one question type, with their likelihoods.

    Shapes: R answers, X fine levels of the type's noise (1 for none), M fine miss rates, L lapse rates.

    Args:
        tables: of the items.
        observed: the answers, to items that have a table.
        levels: the grid.
    """

    def __init__(self, tables: Mapping[str, AnswerTable], observed: Sequence[Observed], levels: Levels) -> None:
        self.observed, self.levels = observed, levels
        own = [tables[one.id] for one in observed]
        self.axis = own[0].axis
        self.clusters = np.unique([one.cluster for one in own], return_inverse=True)[1]
        found = [_chance(table, one) for table, one in zip(own, observed, strict=True)]
        self.chances = self._fine(np.stack([chance for chance, _ in found])).astype(np.float32)  # (R, X, M)
        self.guesses = np.array([guess for _, guess in found], dtype=np.float32)
        self._tables = own

    def _fine(self, table: Floats) -> Floats:
        """Probabilities on the fine grid. Shape (R, S, M) → (R, X, M)."""
        refined = self.levels.refined(table, MISS, 2)
        if self.axis != MISS:
            refined = self.levels.refined(refined, self.axis, 1)
        return np.clip(refined, 1e-5, 1.0)

    @cached_property
    def surface(self) -> Floats:
        """The log likelihood. Shape (X, M, L)."""
        total = np.zeros((*self.chances.shape[1:], len(_LAPSES)))
        for start in range(0, len(self.chances), 256):
            part, guess = self.chances[start : start + 256], self.guesses[start : start + 256, None, None]
            for number, lapse in enumerate(_LAPSES.astype(np.float32)):
                total[..., number] += np.log((1 - lapse) * part + lapse * guess + np.float32(1e-9)).sum(0)
        return total

    def at(self, place: Mapping[str, int]) -> Floats:
        """The log likelihood of each answer at one place of the grid. Shape (R,)."""
        lapse = _LAPSES[place[LAPSE]]
        chance = self.chances[:, place.get(self.axis, 0) if self.axis != MISS else 0, place[MISS]]
        return np.asarray(np.log((1 - lapse) * chance + lapse * self.guesses + 1e-9))

    @cached_property
    def mean_score(self) -> Floats:
        """The mean score of an observer without lapses. Shape (X, M)."""
        mean = np.mean([table.chances @ table.scores for table in self._tables], axis=0)
        return np.asarray(np.clip(self._fine(mean[None])[0], 0.0, 1.0))

    @cached_property
    def guess_score(self) -> float:
        """The mean score of guesses."""
        return float(np.mean([table.guess @ table.scores for table in self._tables]))

    def right(self, place: Mapping[str, int]) -> tuple[Floats, Floats]:
        """How likely each item's answer is right, for an observer without lapses and by a guess. Shapes (R,)."""
        good = [table.scores >= RIGHT_FROM for table in self._tables]
        shares = np.stack([table.chances[..., own].sum(-1) for table, own in zip(self._tables, good, strict=True)])
        level = place.get(self.axis, 0) if self.axis != MISS else 0
        guess = [float(table.guess[own].sum()) for table, own in zip(self._tables, good, strict=True)]
        return self._fine(shares)[:, level, place[MISS]], np.array(guess)


def _chance(table: AnswerTable, one: Observed) -> tuple[Floats, float]:
    """The likelihood of one answer at each simulated level, shape (S, M), and as a guess."""
    if one.outcome is not None:
        return table.chances[..., one.outcome], float(table.guess[one.outcome])
    wrong = table.scores < 1
    return table.chances[..., wrong].sum(-1), float(table.guess[wrong].sum())


class Likelihood:
    """The likelihood of one observer for some question types.

    Args:
        tasks: the answers to each.
        levels: the grid.
        miss: the place of a miss rate on the fine grid at which it is held; None to fit it.
    """

    def __init__(self, tasks: Sequence[TaskAnswers], levels: Levels, miss: int | None = None) -> None:
        self.tasks, self.levels, self.held = tasks, levels, miss
        self.surfaces: dict[str, Floats] = {}
        for one in tasks:
            own = one.surface if miss is None else one.surface[:, miss : miss + 1]
            self.surfaces[one.axis] = self.surfaces[one.axis] + own if one.axis in self.surfaces else own
        self.clusters = self._clusters()

    def _clusters(self) -> NDArray[np.intp]:
        names = [table.cluster for one in self.tasks for table in one._tables]
        return np.unique(names, return_inverse=True)[1]

    @property
    def parameters(self) -> list[str]:
        """Those that are fitted."""
        own = [axis for axis in (POSITION, SIZE) if axis in self.surfaces]
        return [*own, *([MISS] if self.held is None else []), LAPSE]

    @cached_property
    def rest(self) -> Floats:
        """The log likelihood of each miss and lapse rate, with the most likely noise. Shape (M, L)."""
        return np.asarray(sum(surface.max(0) for surface in self.surfaces.values()))

    @property
    def best(self) -> float:
        """The greatest log likelihood."""
        return float(self.rest.max())

    def profile(self, parameter: str) -> Floats:
        """The greatest log likelihood at each level of one parameter. Shape (levels,)."""
        if parameter == LAPSE:
            return np.asarray(self.rest.max(0))
        if parameter == MISS:
            return np.asarray(self.rest.max(1))
        own = self.surfaces[parameter]
        return np.asarray((own + (self.rest - own.max(0))).max((1, 2)))

    def place(self, parameter: str | None = None, level: int = 0) -> dict[str, int]:
        """The most likely place on the fine grid, one parameter being held where it is named."""
        surfaces = dict(self.surfaces)
        if parameter in surfaces and parameter != MISS:
            surfaces[parameter] = surfaces[parameter][level : level + 1]
        rest = np.asarray(sum(surface.max(0) for surface in surfaces.values()))
        lapses = slice(level, level + 1) if parameter == LAPSE else slice(None)
        misses = slice(level, level + 1) if parameter == MISS else slice(None)
        allowed = np.full(rest.shape, -math.inf)
        allowed[misses, lapses] = rest[misses, lapses]
        miss, lapse = (int(n) for n in np.unravel_index(int(allowed.argmax()), rest.shape))
        found = {axis: int(own[:, miss, lapse].argmax()) for axis, own in surfaces.items() if axis != MISS}
        if parameter in found:
            found[parameter] = level
        return {**found, MISS: miss if self.held is None else self.held, LAPSE: lapse}

    def inflation(self, parameter: str) -> float:
        """How much more answers of one scene vary together than if they were independent, 1 or more.

        The variance of a sum over scenes of the answers' scores along the profile, over that of single answers.
        """
        fall = self.best - self.profile(parameter)
        top = int(fall.argmin())
        near = np.flatnonzero(fall <= 2.0)
        low, high = max(0, min(int(near[0]), top - 1)), min(len(fall) - 1, max(int(near[-1]), top + 1))
        ends = [np.concatenate([one.at(self.place(parameter, end)) for one in self.tasks]) for end in (low, high)]
        score = ends[1] - ends[0]
        score = score - score.mean()
        alone = float((score**2).sum())
        scenes = self.clusters.max() + 1
        together = float((np.bincount(self.clusters, score) ** 2).sum()) * scenes / max(scenes - 1, 1)
        return max(1.0, together / alone) if alone > 1e-9 else 1.0

    def estimate(self, parameter: str) -> Parameter:
        """The most likely level with its interval; no level where the likelihood is flat."""
        values, profile = self.levels.values[parameter], self.profile(parameter)
        deviance = 2 * (self.best - profile) / self.inflation(parameter)
        low, high = _crossings(values, deviance)
        if low <= values[0] and high >= values[-1]:
            return Parameter(None, float(values[0]), math.inf, f"any {_SAYS[parameter]} fits the answers as well")
        return Parameter(_top(values, deviance), low, math.inf if high >= values[-1] and parameter != LAPSE else high)

    def p_lapse(self) -> float:
        """The p-value of having no lapses. The rate can't be negative: the test is one-sided (Self and Liang 1987)."""
        fall = 2 * (self.best - self.profile(LAPSE)[0]) / self.inflation(LAPSE)
        return 1 - NormalDist().cdf(math.sqrt(max(0.0, fall))) if fall > 0 else 1.0


_SAYS = {POSITION: "position error", SIZE: "length error", MISS: "miss rate", LAPSE: "lapse rate"}


def _top(values: Floats, deviance: Floats) -> float:
    """The level of the least deviance: the vertex of the parabola through the three lowest points in a row."""
    top = int(deviance.argmin())
    if top in (0, len(values) - 1):
        return float(values[top])
    a, b, c = deviance[top - 1 : top + 2]
    off = 0.5 * (a - c) / (a - 2 * b + c) if a - 2 * b + c > 0 else 0.0
    return float(np.interp(top + off, np.arange(len(values)), values))


def _crossings(values: Floats, deviance: Floats) -> tuple[float, float]:
    """The levels between which the deviance stays within the 95 % interval's; its root is interpolated."""
    inside = np.flatnonzero(deviance <= _WITHIN)
    root, limit = np.sqrt(np.maximum(deviance, 0)), math.sqrt(_WITHIN)

    def crossing(a: int, b: int) -> float:
        share = (limit - root[a]) / (root[b] - root[a])
        return float(values[a] + share * (values[b] - values[a]))

    first, last = int(inside[0]), int(inside[-1])
    low = float(values[0]) if first == 0 else crossing(first, first - 1)
    high = float(values[-1]) if last == len(values) - 1 else crossing(last, last + 1)
    return low, high


def fit(tasks: Sequence[TaskAnswers], levels: Levels, miss: int | None = None) -> ObserverFit:
    """Fit one observer to the answers to some question types.

    Args:
        tasks: the answers.
        levels: the grid.
        miss: as of `Likelihood`.
    """
    answers = sum(len(one.observed) for one in tasks)
    scenes = len({table.cluster for one in tasks for table in one._tables})
    held = None if miss is None else float(levels.values[MISS][miss])
    if answers < LEAST_ITEMS or scenes < LEAST_SCENES:
        few = (
            f"{counted(answers, 'answer')} from {counted(scenes, 'scene')}; "
            f"a fit needs {LEAST_ITEMS} answers from at least {LEAST_SCENES} scenes"
        )
        return ObserverFit(answers, scenes, {}, held, reason=few)
    found = Likelihood(tasks, levels, miss)
    parameters = {name: found.estimate(name) for name in found.parameters}
    if all(one.value is None for name, one in parameters.items() if name not in (MISS, LAPSE)) and (
        parameters[LAPSE].high >= 1.0
    ):
        return ObserverFit(answers, scenes, parameters, held, reason="the answers can't be distinguished from guesses")
    axis = tasks[0].axis
    own = parameters[axis].value
    if len(tasks) == 1 and own is not None and own >= levels.values[axis][-1]:
        # More noise than was simulated may fit better, so nothing says how much of the loss is perception.
        most = f"{own:.2f} m" if axis == POSITION else f"{100 * own:.0f} %"
        why = f"the largest simulated {_SAYS[axis]}, {most}, fits best, so it may be larger still, or not the cause"
        return ObserverFit(answers, scenes, parameters, held, reason=why)
    place = found.place()
    hopeless, missed = _extremes(tasks, place)
    return ObserverFit(
        answers,
        scenes,
        parameters,
        held,
        found.p_lapse(),
        _explained(tasks[0], found, place) if len(tasks) == 1 else None,
        hopeless,
        missed,
    )


def _explained(task: TaskAnswers, found: Likelihood, place: Mapping[str, int]) -> Explained:
    """Split a question type's loss."""
    held = slice(None) if found.held is None else slice(found.held, found.held + 1)
    mean = task.mean_score[:, held, None]
    ceiling = float(np.mean([table.ceiling for table in task._tables]))
    by_noise = ceiling - mean
    lost = ceiling - ((1 - _LAPSES) * mean + _LAPSES * task.guess_score)
    share = np.clip(np.divide(by_noise, lost, out=np.full_like(lost, np.nan), where=lost > 0.005), 0.0, 1.0)
    surface = found.surfaces[task.axis]
    inside = 2 * (found.best - surface) / found.inflation(LAPSE) <= _WITHIN
    best = np.unravel_index(int(surface.argmax()), surface.shape)
    possible = share[inside]
    known = possible[np.isfinite(possible)]
    return Explained(
        100 * ceiling,
        100 * float(mean[best[0], best[1], 0]),
        100 * float(np.mean([one.score for one in task.observed])),
        float(share[best]) if np.isfinite(share[best]) else None,
        float(known.min()) if len(known) else math.nan,
        float(known.max()) if len(known) else math.nan,
    )


def _extremes(tasks: Sequence[TaskAnswers], place: Mapping[str, int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Items that no observer of one quality answers, and those that each does and the model doesn't.

    The latter are for observers that overlook nothing: with any misses, no item is sure to be answered.
    """
    hopeless, missed = [], []
    for task in tasks:
        right, guess = task.right(place)
        sure = task.right({**place, MISS: 0})[0] >= _SURE
        for one, chance, lucky, is_sure in zip(task.observed, right, guess, sure, strict=True):
            if chance <= lucky + _NO_BETTER and lucky < 1 - _NO_BETTER:
                hopeless.append(one.id)
            elif is_sure and one.score < RIGHT_FROM:
                missed.append(one.id)
    return tuple(dict.fromkeys(hopeless)), tuple(dict.fromkeys(missed))


@dataclass(frozen=True)
class Curve:
    """A psychometric curve: the score of an observer without lapses against its noise.

    Attributes:
        axis: the noise: 'position' (metres), 'size' (standard deviation of a logarithm) or 'miss' (probability).
        levels: of it.
        scores: the mean scores at these levels, 0 to 100.
        guess: the mean score of guesses, 0 to 100.
        miss: the miss rate at all levels: that of the question type's fit. None where it is the axis.
    """

    axis: str
    levels: tuple[float, ...]
    scores: tuple[float, ...]
    guess: float
    miss: float | None


@dataclass(frozen=True)
class FittedRun:
    """Observers fitted to one run.

    Attributes:
        together: one observer for all question types.
        tasks: question type → an observer of its own.
        curves: question type → its psychometric curve.
    """

    together: ObserverFit
    tasks: dict[str, ObserverFit]
    curves: dict[str, Curve]


def fit_run(tables: Mapping[str, AnswerTable], observed: Sequence[Observed], noise: Noise) -> FittedRun:
    """Fit an observer to a run's answers, all question types together and each alone.

    Args:
        tables: by item's id.
        observed: the answers; those to items without a table are left out.
        noise: the simulated levels.
    """
    levels = Levels(noise)
    by_task: dict[str, list[Observed]] = {}
    for one in observed:
        if one.id in tables:
            by_task.setdefault(tables[one.id].task, []).append(one)
    tasks = {name: TaskAnswers(tables, own, levels) for name, own in by_task.items()}
    together = fit(list(tasks.values()), levels)
    known = together.parameters.get(MISS)
    # An interval that begins at 0 leaves open whether anything is missed: then misses count as lapses.
    rate = known.value if known is not None and known.value is not None and known.low > 0 else 0.0
    held = int(np.abs(levels.values[MISS] - rate).argmin())
    return FittedRun(
        together,
        {name: fit([one], levels, None if one.axis == MISS else held) for name, one in tasks.items()},
        {name: _curve(tables, own, levels, held) for name, own in by_task.items()},
    )


def _curve(tables: Mapping[str, AnswerTable], observed: Sequence[Observed], levels: Levels, held: int) -> Curve:
    own = [tables[one.id] for one in observed]
    mean = np.mean([table.chances @ table.scores for table in own], axis=0)
    guess = float(np.mean([table.guess @ table.scores for table in own]))
    axis = own[0].axis
    scores = mean[0] if axis == MISS else np.clip(levels.refined(mean, MISS, 1)[:, held], 0.0, 1.0)
    miss = None if axis == MISS else float(levels.values[MISS][held])
    return Curve(axis, levels.nodes[axis], tuple(round(100 * float(score), 2) for score in scores), 100 * guess, miss)


def expected_scores(tables: Sequence[AnswerTable], fitted: ObserverFit, noise: Noise) -> Floats | None:
    """The scores of a fitted observer without lapses on some items of one question type.

    Args:
        tables: of the items, one or more.
        fitted: to answers of that type.
        noise: the simulated levels.

    Returns:
        0 to 1, shape (items,); None where nothing was fitted, or the data leave the type's noise open.
    """
    axis, levels = tables[0].axis, Levels(noise)
    own = fitted.parameters.get(axis)
    if fitted.reason or own is None or own.value is None:
        return None
    values = {MISS: fitted.held_miss or 0.0, axis: own.value}
    found = np.stack([table.chances @ table.scores for table in tables])
    for name, along in ((MISS, 2), *([] if axis == MISS else [(axis, 1)])):
        fine = np.moveaxis(levels.refined(found, name, along), along, 0)
        place = float(np.interp(values[name], levels.values[name], np.arange(len(fine))))
        low = min(int(place), len(fine) - 2)
        found = fine[low] + (place - low) * (fine[low + 1] - fine[low])
    return np.asarray(np.clip(found.reshape(len(tables)), 0.0, 1.0))


FRAMES_UNKNOWN = "The frames that the model saw aren't known, so the observer sees whole videos."
"""A remark on runs without `frames_known`."""


@dataclass(frozen=True)
class RunObserver:
    """The observers that were fitted to one run.

    Attributes:
        fits: the fitted observers.
        unread: answers that could not be read, or that are "can't tell", by question type; they are no part of a fit.
        left_out: question type → reason → items that the observer is not asked.
        sightings_known: whether any scene records which objects its frames show; else all count as shown.
        frames_known: whether the run records which frames the model saw; else the observer sees whole videos.
    """

    fits: FittedRun
    unread: Mapping[str, int]
    left_out: Mapping[str, Mapping[str, int]]
    sightings_known: bool
    frames_known: bool


@dataclass(frozen=True)
class ObserverResult:
    """The observers that were fitted to some runs.

    Attributes:
        runs: by name.
        noise: the simulated levels.
        draws: of each level.
        scorer: whose scores were explained.
    """

    runs: Mapping[str, RunObserver]
    noise: Noise
    draws: int
    scorer: str


def observed_answers(rows: pl.DataFrame, items: Mapping[str, Item]) -> tuple[list[Observed], dict[str, int]]:
    """The answers of a run, from the rows of its scores.

    Args:
        rows: of `tolman.scoring.score_items.SCHEMA`, under one scorer.
        items: by id.

    Returns:
        The answers, and how many responses were unread or "can't tell", by question type.
    """
    found: list[Observed] = []
    unread: dict[str, int] = {}
    scored = rows.filter(pl.col("status") == "scored").select("id", "task", "state", "guessed", "reading", "score")
    for name, task, state, guessed, reading, score in scored.iter_rows():
        if not is_answer(items[name], state, guessed, reading):
            unread[task] = unread.get(task, 0) + 1
        else:
            found.append(Observed(name, score, _outcome(items[name], reading, score)))
    return found, unread


def is_answer(item: Item, state: str | None, guessed: bool | None, reading: str | None) -> bool:
    """True if a response was read and isn't an abstention, which the observer never gives.

    Args:
        item: of the response.
        state, guessed, reading: of its row of scores.
    """
    if state not in (None, "read") or guessed:
        return False
    return item.options[-1:] != (CANT_TELL,) or _letter(reading) != item.letters[-1]


def _letter(reading: str | None) -> str:
    return (reading or "").strip().rstrip(".")


def _outcome(item: Item, reading: str | None, score: float) -> int | None:
    """The place of an answer among an item's outcomes; None for a wrong option that isn't known."""
    if item.kind == "choice":
        letter = _letter(reading)
        if letter in tuple(item.letters):
            return item.letters.index(letter)
        return item.letters.index(item.answer) if score >= 1 else None
    try:  # the value and not the score, as scorers draw their limits differently
        return int(relative_accuracy_level(np.array(float(reading or "")), item.float_answer))
    except ValueError:
        return round(10 * score)


def count_reasons(lost: Sequence[Unanswered]) -> dict[str, dict[str, int]]:
    """How many items of each question type are left out for which reason."""
    found: dict[str, dict[str, int]] = {}
    for one in lost:
        own = found.setdefault(one.task, {})
        own[one.reason] = own.get(one.reason, 0) + 1
    return found
