"""Difficulty of items: Rasch and 2PL models of runs, and the difficulty that an observer predicts without any run.

Psychometrics has many persons and few items. Here few models answer thousands of items, so the items are the random
sample (De Boeck 2008, Psychometrika 73, 533–559): difficulties are normal around 0 and logarithms of discriminations
normal around their mean, and abilities are parameters. Their marginal likelihood is maximised for each question type by
itself, with Gauss–Hermite nodes (Bock and Aitkin 1981, Psychometrika 46, 443–459). An item's own parameters are its
posterior means. So an item that every model gets right has a finite difficulty, and a large error.

The Rasch model's discriminations are all 1. The 2PL model is the same with a spread of discriminations, so that twice
the difference of the log likelihoods tests whether they differ at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist

import numpy as np
import polars as pl

from tolman.analyze.model_scores import Correlation, correlate
from tolman.analyze.observer_answers import MISS, AnswerTable
from tolman.errors import UsageError, counted
from tolman.extras import scipy
from tolman.scoring.adaptive_testing import BankedItem, ItemBank, TaskScale
from tolman.scoring.clusters import Floats
from tolman.scoring.run_differences import one_row_each

LEAST_MODELS, LEAST_ITEMS = 4, 20
MANY_MODELS = 30
"""With fewer models, single items' discriminations are mostly the mean that all share."""
_DIFFICULTY_NODES, _SLOPE_NODES, _REACH = 35, 9, 4.5
"""Nodes, and the standard deviations on both sides of the mean that they are spread over."""
_ROUNDS = 4
"""Times that the noise of scores between 0 and 1 is estimated, each time with the one before."""
_FIRST_SLOPES = -1.2
"""Logarithm of the discriminations' spread with which the search begins."""
_FLAT = 0.02
"""Difficulties that spread less, in logits, are taken for equal."""


@dataclass(frozen=True)
class ItemModel:
    """A Rasch or 2PL model fitted to one question type.

    Attributes:
        abilities: of the models. Shape (models,).
        difficulties: standard deviation of the items' difficulties.
        slopes: standard deviation of the logarithms of their discriminations; 0 for the Rasch model.
        likelihood: its greatest logarithm.
        difficulty, error, discrimination: posterior means of the items' parameters, and the standard deviation of the
            first. Shape (items,).
        noise: as of `TaskScale`.
    """

    abilities: Floats
    difficulties: float
    slopes: float
    likelihood: float
    difficulty: Floats
    error: Floats
    discrimination: Floats
    noise: float


def fit(scores: Floats) -> tuple[ItemModel, ItemModel]:
    """Fit one question type: the Rasch model, and the 2PL model.

    Args:
        scores: 0 to 1, nan where a model has no answer. Shape (models, items).
    """
    known = scores[np.isfinite(scores)]
    noise, start = 1.0, None
    for _ in range(0 if np.isin(known, (0.0, 1.0)).all() else _ROUNDS):
        found = _Marginal(scores, slopes=False, noise=noise)
        start = found.best(start)
        noise = found.dispersion(start)
    rasch, other = (_Marginal(scores, slopes=slopes, noise=noise) for slopes in (False, True))
    best = rasch.best(start)
    return rasch.at(best), other.at(other.best(np.append(best, _FIRST_SLOPES)))


class _Marginal:
    """The marginal likelihood of one question type.

    Shapes: K models, I items, Q nodes.
    """

    def __init__(self, scores: Floats, *, slopes: bool, noise: float) -> None:
        self.known = np.isfinite(scores).astype(float)
        self.scores = np.where(self.known > 0, scores, 0.0)
        self.slopes, self.noise = slopes, noise
        hard, steep = np.linspace(-_REACH, _REACH, _DIFFICULTY_NODES), np.linspace(-_REACH, _REACH, _SLOPE_NODES)
        grid = np.meshgrid(hard, steep if slopes else np.zeros(1), indexing="ij")
        self.hard, self.steep = (one.ravel() for one in grid)
        logs = -(self.hard**2 + self.steep**2) / 2
        self.weights = logs - np.log(np.exp(logs).sum())

    def nodes(self, x: Floats) -> tuple[Floats, Floats]:
        """Difficulties and discriminations of the nodes. Shapes (Q,)."""
        return np.exp(x[len(self.scores)]) * self.hard, np.exp((np.exp(x[-1]) if self.slopes else 0.0) * self.steep)

    def posterior(self, x: Floats) -> tuple[float, Floats, Floats]:
        """The log likelihood, the models' chances at the nodes (K, Q), and each item's weights on them (I, Q)."""
        hard, steep = self.nodes(x)
        logit = steep * (x[: len(self.scores), None] - hard)
        right, wrong = -np.logaddexp(0.0, -logit), -np.logaddexp(0.0, logit)
        logs = (self.scores.T @ right + (self.known - self.scores).T @ wrong) / self.noise + self.weights
        top = logs.max(1, keepdims=True)
        weights = np.exp(logs - top)
        total = weights.sum(1, keepdims=True)
        return float((np.log(total) + top).sum()), np.exp(right), weights / total

    def loss(self, x: Floats) -> tuple[float, Floats]:
        """Minus the log likelihood, with its gradient."""
        likelihood, chance, weights = self.posterior(x)
        hard, steep = self.nodes(x)
        off = (self.scores @ weights - (self.known @ weights) * chance) / self.noise
        abilities = x[: len(self.scores), None]
        slope = [(off * (abilities - hard) * steep * np.exp(x[-1]) * self.steep).sum()] if self.slopes else []
        return -likelihood, -np.concatenate([(off * steep).sum(1), [-(off * steep * hard).sum()], slope])

    def best(self, start: Floats | None = None) -> Floats:
        """The most likely abilities, and the logarithms of the standard deviations."""
        if start is None:
            share = np.clip(self.scores.sum(1) / np.maximum(self.known.sum(1), 1), 0.02, 0.98)
            start = np.append(1.3 * np.log(share / (1 - share)), 0.0)
        bounds = [(-12.0, 12.0)] * len(self.scores) + [(-5.0, 2.0)] + ([(-5.0, 0.4)] if self.slopes else [])
        found = scipy.optimize.minimize(self.loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
        return np.asarray(found.x)

    def dispersion(self, x: Floats) -> float:
        """The variance of scores around their expectation, as a share of that of answers right or wrong."""
        _, chance, weights = self.posterior(x)
        counts, once, twice = self.known @ weights, self.scores @ weights, (self.scores**2) @ weights
        squares = twice - 2 * once * chance + counts * chance**2
        return float(np.clip(squares.sum() / (counts * chance * (1 - chance)).sum(), 0.05, 1.0))

    def at(self, x: Floats) -> ItemModel:
        """The model of some parameters, with the items' own."""
        likelihood, _, weights = self.posterior(x)
        hard, steep = self.nodes(x)
        difficulty = weights @ hard
        return ItemModel(
            abilities=x[: len(self.scores)],
            difficulties=float(np.exp(x[len(self.scores)])),
            slopes=float(np.exp(x[-1])) if self.slopes else 0.0,
            likelihood=likelihood,
            difficulty=difficulty,
            error=np.sqrt(np.maximum(weights @ hard**2 - difficulty**2, 0.0)),
            discrimination=weights @ steep,
            noise=self.noise,
        )


@dataclass(frozen=True)
class TaskDifficulty:
    """The items of one question type.

    Attributes:
        items, models: that were fitted.
        reason: why nothing was; '' where something was.
        rasch, two_parameters: the fitted models; None where nothing was fitted.
        p_slopes: of the test that all discriminations are equal; None where nothing was fitted.
        reliability: share of the difficulties' variance that isn't error, 0 to 1, in the model that is used.
        predicted: correlation of the difficulty with the ideal observer's prediction; None without scenes.
    """

    items: int
    models: int
    reason: str = ""
    rasch: ItemModel | None = None
    two_parameters: ItemModel | None = None
    p_slopes: float | None = None
    reliability: float | None = None
    predicted: Correlation | None = None

    @property
    def used(self) -> ItemModel | None:
        """The model whose parameters are in the bank: 2PL where discriminations differ at the 5 % level."""
        return self.two_parameters if self.p_slopes is not None and self.p_slopes < 0.05 else self.rasch

    @property
    def used_name(self) -> str | None:
        """'Rasch' or '2PL'; None where nothing was fitted."""
        return None if self.rasch is None else "Rasch" if self.used is self.rasch else "2PL"


@dataclass(frozen=True)
class DifficultyResult:
    """The difficulty of a benchmark's items.

    Attributes:
        models: names of the runs.
        scorer: of their answers.
        tasks: question type → its items.
        items: a row for each item: id, task, answers, score (mean), rasch and rasch_error, difficulty, error and
            discrimination of the model that is used, predicted (by the observer); null where there is none.
        left_out: question type → reason → items that the observer is not asked.
        out: the folder that was written; None for none.
    """

    models: Sequence[str]
    scorer: str
    tasks: Mapping[str, TaskDifficulty]
    items: pl.DataFrame
    left_out: Mapping[str, Mapping[str, int]]
    out: Path | None = None


def predicted_difficulty(table: AnswerTable) -> float:
    """The difficulty of an item from its margin under noise, without any model's answer.

    Minus the logit of the observer's mean score over all simulated levels of the noise that the item's answers depend
    on, the others being 0: an item that much noise leaves right is easy.
    """
    scores = table.chances @ table.scores
    mean = float((scores[0] if table.axis == MISS else scores[:, 0])[1:].mean())
    mean = min(max(mean, 0.005), 0.995)
    return -math.log(mean / (1 - mean))


def difficulties(
    models: Sequence[pl.DataFrame], predicted: Mapping[str, float], *, seed: int = 0
) -> tuple[dict[str, TaskDifficulty], pl.DataFrame]:
    """Fit the items of each question type.

    Args:
        models: for each model rows of `scoring.score_items.score` under one rule set; repeats are averaged.
        predicted: item's id → the difficulty that the observer predicts.
        seed: of the bootstrap of correlations.

    Returns:
        Question type → its items, and the frame of `DifficultyResult`.

    Raises:
        UsageError: too few models, or no question type that can be fitted.
    """
    if len(models) < LEAST_MODELS:
        raise UsageError(
            f"difficulty is fitted to the answers of {LEAST_MODELS} models or more, not of {len(models)}; give more."
        )
    each = pl.concat(
        one_row_each(frame).select("id", "task", "score", model=pl.lit(number)) for number, frame in enumerate(models)
    )
    tasks, frames = {}, []
    for (task,), own in each.group_by("task", maintain_order=True):
        wide = own.pivot("model", index="id", values="score")
        scores = wide.drop("id").to_numpy().T.astype(float)
        found = _fitted(scores)
        guess = np.array([predicted.get(name, math.nan) for name in wide["id"]])
        if found.used is not None and np.isfinite(guess).sum() >= LEAST_ITEMS:
            about = correlate(guess, found.used.difficulty, seed=seed, resamples=_RESAMPLES)
            found = replace(found, predicted=about)
        tasks[str(task)] = found
        frames.append(_rows(wide["id"], str(task), scores, found, guess))
    if all(one.used is None for one in tasks.values()):
        raise UsageError(f"no question type can be fitted: {next(iter(tasks.values())).reason}.")
    return tasks, pl.concat(frames)


_RESAMPLES = 1000


def _fitted(scores: Floats) -> TaskDifficulty:
    """Fit both models to one question type. Shape (models, items)."""
    answered = np.isfinite(scores).any(1)
    scores = scores[answered]
    models, items = scores.shape
    if models < LEAST_MODELS or items < LEAST_ITEMS:
        few = f"{counted(items, 'item')} answered by {counted(models, 'model')}; a fit needs {LEAST_ITEMS} and "
        return TaskDifficulty(items, models, f"{few}{LEAST_MODELS}")
    rasch, other = fit(scores)
    gain = max(0.0, 2 * (other.likelihood - rasch.likelihood))
    p = 1 - NormalDist().cdf(math.sqrt(gain)) if gain > 0 else 1.0  # a spread can't be negative: one-sided
    found = TaskDifficulty(items, models, "", rasch, other, p)
    used = found.used
    assert used is not None
    if used.difficulties < _FLAT:
        return TaskDifficulty(items, models, "the models find all items equally hard")
    share = 1 - float((used.error**2).mean()) / used.difficulties**2
    return replace(found, reliability=max(0.0, share))


def _rows(ids: pl.Series, task: str, scores: Floats, found: TaskDifficulty, predicted: Floats) -> pl.DataFrame:
    lacking = np.full(len(ids), math.nan)
    rasch, used = found.rasch, found.used
    columns = {
        "score": np.nanmean(scores, axis=0),
        "rasch": lacking if rasch is None else rasch.difficulty,
        "rasch_error": lacking if rasch is None else rasch.error,
        "difficulty": lacking if used is None else used.difficulty,
        "error": lacking if used is None else used.error,
        "discrimination": lacking if used is None else used.discrimination,
        "predicted": predicted,
    }
    own = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Float64)).with_columns(pl.all().fill_nan(None))
    answers = pl.Series("answers", np.isfinite(scores).sum(0), dtype=pl.Int64)
    tasks = pl.Series("task", [task] * len(ids), dtype=pl.String)
    return own.select(ids.alias("id"), tasks, answers, pl.all())


def bank_of(result: DifficultyResult, benchmark: str, subset: str, data_hash: str) -> ItemBank:
    """The item bank of the question types that were fitted."""
    scales = {}
    for task, found in result.tasks.items():
        if found.used is not None:
            own = found.used
            spread = float(own.abilities.std(ddof=1))
            scales[task] = TaskScale(
                ability=float(own.abilities.mean()), spread=spread, difficulties=own.difficulties, noise=own.noise
            )
    rows = result.items.filter(pl.col("difficulty").is_not_null())
    items = [
        BankedItem(id=id, task=task, difficulty=round(hard, 4), error=round(error, 4), discrimination=round(slope, 4))
        for id, task, hard, error, slope in rows.select(
            "id", "task", "difficulty", "error", "discrimination"
        ).iter_rows()
    ]
    return ItemBank(
        benchmark=benchmark,
        subset=subset,
        data_hash=data_hash,
        scorer=result.scorer,
        models=tuple(result.models),
        tasks=scales,
        items=tuple(items),
    )
