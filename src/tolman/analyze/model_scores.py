"""Statistics over the scores of several models: correlation with other tasks, and capability weights.

Sources of the correlation: MMSI-Bench paper, Appendix E, Table 11 (Pearson and Spearman with three tasks of
EmbodiedBench); SITE paper, Table 6 (Pearson with the negated mean distance on LIBERO-Spatial).

Source of the weights: SpatialBench paper, equations 2, 3 and 4 to 12. Level i has the share D_i of the questions and
the standard deviation S_i of the models' scores. Its weight is F_i = α·D_i + 0.1·(1 − α)·E_i, with E ≥ 0 and ΣE = 10
such that C_i = F_i·S_i never falls and Var(C_{i+1} − C_i) − k·ΣC_i² is least. The paper's text says that a model's
score is a sum of C; its printed scores are sums of F times the level averages, and so are those here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.benchmarks.published import PublishedTable
from tolman.errors import UsageError
from tolman.extras import needs
from tolman.scoring.clusters import Floats
from tolman.scoring.intervals import Interval

RESAMPLES = 10_000
LEAST_WITH_CONTROLS = 5
"""Models, besides one for each control, from which a partial correlation has an interval. Of fewer, most resamples fit
exactly, and the interval would be much too narrow."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of two columns over models.

    Attributes:
        n: models with both figures.
        pearson, spearman: −1 … 1; None where a column doesn't vary.
        pearson_interval, spearman_interval: 95 % bootstrap percentiles over models; None with fewer than three
            models, or where too few resamples vary.
        resamples: how many resamples had both columns varying.
    """

    n: int
    pearson: float | None
    spearman: float | None
    pearson_interval: Interval | None
    spearman_interval: Interval | None
    resamples: int


@dataclass(frozen=True, slots=True)
class PublishedCorrelation:
    """The coefficients that a paper prints for two columns.

    Attributes:
        pearson, spearman: −1 … 1; None where it isn't printed.
        n: models of its table.
        source: 'MMSI-Bench, Table 11'.
    """

    pearson: float | None
    spearman: float | None
    n: int
    source: str


@dataclass(frozen=True)
class CorrelationResult:
    """One column against others.

    Attributes:
        score: the column that is correlated with the others.
        negated: columns in which lower is better, whose signs were turned.
        seed: of the bootstrap.
        marks: a line for each score that lacks parts of its benchmark.
        correlations: other column → its correlation with the score.
        published: other column → the coefficients that papers print for the same two columns.
        controls: columns that are held fixed; the correlations are partial.
    """

    score: str
    negated: tuple[str, ...]
    seed: int
    marks: list[str]
    correlations: dict[str, Correlation]
    published: dict[str, PublishedCorrelation] = field(default_factory=dict)
    controls: tuple[str, ...] = ()


def published_correlation(score: str, other: str, tables: Iterable[PublishedTable]) -> PublishedCorrelation | None:
    """Find the coefficients that a paper prints for two columns, whichever of them it starts from.

    Args:
        score, other: headings; case, spaces and punctuation don't count.
        tables: published ones; the first that prints a coefficient of both columns is taken.
    """
    for table in tables:
        wanted = {_plain(score), _plain(other)}
        for column in (*table.pearson, *table.spearman):
            if {_plain(table.score), _plain(column)} == wanted:
                pearson, spearman = table.pearson.get(column), table.spearman.get(column)
                return PublishedCorrelation(pearson, spearman, len(table.rows), table.place)
    return None


def same_heading(one: str, other: str) -> bool:
    """Check whether two headings mean one column; case, spaces and punctuation don't count."""
    return _plain(one) == _plain(other)


def _plain(heading: str) -> str:
    return re.sub(r"[\W_]", "", heading.lower()).replace("distance", "dist")


def correlate(
    x: Floats, y: Floats, controls: Sequence[Floats] = (), *, seed: int = 0, resamples: int = RESAMPLES
) -> Correlation:
    """Correlate two columns over models.

    Args:
        x, y: one figure for each model; models with a nan are left out. Shape (models,).
        controls: columns that are held fixed, shapes as x. The correlation is then the partial one: of the parts of x
            and y that no linear function of the controls (of their ranks, for Spearman's) explains.
        seed: of the bootstrap.
        resamples: of models, with replacement. A resample in which a column doesn't vary has no correlation and is
            left out.
    """
    columns = np.stack([x, y, *controls])
    columns = columns[:, np.isfinite(columns).all(0)]
    n = columns.shape[1]
    if n < 2 + len(controls):
        return Correlation(n, None, None, None, None, 0)
    whole = list(columns[:, None])
    pearson, spearman = _value(partial_rows(whole)), _value(partial_rows([ranks(one) for one in whole]))
    if n < (LEAST_WITH_CONTROLS + len(controls) if controls else 3) or pearson is None:
        return Correlation(n, pearson, spearman, None, None, 0)
    picks = np.random.default_rng(seed).integers(0, n, size=(resamples, n))
    resampled = [one[picks] for one in columns]
    drawn = partial_rows(resampled)
    drawn_ranks = partial_rows([ranks(one) for one in resampled])
    return Correlation(
        n, pearson, spearman, _percentiles(drawn), _percentiles(drawn_ranks), int(np.isfinite(drawn).sum())
    )


def partial_rows(columns: Sequence[Floats]) -> Floats:
    """The partial correlation of the first two of several columns in each row; nan where it isn't defined.

    It comes from the inverse of the columns' correlation matrix (Whittaker, Graphical Models in Applied Multivariate
    Statistics, 1990, section 5.7). Without further columns it is Pearson's. Shapes (rows, n) → (rows,).
    """
    if len(columns) == 2:
        return pearson_rows(columns[0], columns[1])
    size = len(columns)
    matrix = np.ones((len(columns[0]), size, size))
    for i, j in combinations(range(size), 2):
        matrix[:, i, j] = matrix[:, j, i] = pearson_rows(columns[i], columns[j])
    found = np.full(len(matrix), np.nan)
    # Too few different models, or controls that follow from each other, leave nothing to correlate.
    regular = np.flatnonzero(np.isfinite(matrix).all((1, 2)))
    regular = regular[np.linalg.eigvalsh(matrix[regular])[:, 0] > 1e-9]
    inverse = np.linalg.inv(matrix[regular])
    found[regular] = -inverse[:, 0, 1] / np.sqrt(inverse[:, 0, 0] * inverse[:, 1, 1])
    return np.asarray(np.clip(found, -1, 1))


def pearson_rows(x: Floats, y: Floats) -> Floats:
    """Pearson's coefficient of each row; nan where a row doesn't vary. Shapes (rows, n) → (rows,)."""
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    squares = (x * x).sum(axis=1), (y * y).sum(axis=1)
    # A constant row leaves rounding noise of about 1e-16 of its size behind.
    flat = (np.ptp(x, axis=1) < 1e-12) | (np.ptp(y, axis=1) < 1e-12) if x.shape[1] else np.ones(len(x), bool)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (x * y).sum(axis=1) / np.sqrt(squares[0] * squares[1])
    return np.where(flat, np.nan, np.clip(value, -1, 1))


def ranks(x: Floats) -> Floats:
    """The ranks within each row, equal values sharing their mean rank. Shape (rows, n)."""
    below = (x[:, :, None] > x[:, None, :]).sum(axis=2)
    equal = (x[:, :, None] == x[:, None, :]).sum(axis=2)
    return np.asarray(below + (equal + 1) / 2, dtype=np.float64)


def _value(row: NDArray[np.float64]) -> float | None:
    return float(row[0]) if np.isfinite(row[0]) else None


def _percentiles(drawn: Floats) -> Interval | None:
    finite = drawn[np.isfinite(drawn)]
    if len(finite) < 100:
        return None
    low, high = np.quantile(finite, [0.025, 0.975])
    return Interval(float(low), float(high))


ALPHA = 0.4
TRADE_OFF = 0.01
_STARTS = 60
_TOTAL = 10.0


@dataclass(frozen=True)
class CapabilityWeights:
    """The optimum.

    Attributes:
        e: the free part, ΣE = 10. Shape (levels,), as all others.
        f: the weights, summing to 1.
        c: weight times standard deviation.
        deviations: standard deviation of the models' scores, on their own scale.
        shares: of the questions.
        variance: of the steps C_{i+1} − C_i.
        objective: the minimised quantity.
        degenerate: whether two neighbouring levels have the same C, which the paper discards.
        scores: each model's Σ F_i·M_i. Shape (models,).
    """

    e: Floats
    f: Floats
    c: Floats
    deviations: Floats
    shares: Floats
    variance: float
    objective: float
    degenerate: bool
    scores: Floats


@dataclass(frozen=True)
class WeightsResult:
    """The optimum for a benchmark's levels.

    Attributes:
        title: of the benchmark.
        levels: column key → title, the simplest level first.
        counts: questions of each level.
        models: whose scores it was solved over.
        alpha, k: of the objective.
        weights: the optimum.
    """

    title: str
    levels: dict[str, str]
    counts: list[float]
    models: list[str]
    alpha: float
    k: float
    weights: CapabilityWeights


def solve(
    means: Floats, counts: Floats, *, alpha: float = ALPHA, trade_off: float = TRADE_OFF, seed: int = 0
) -> CapabilityWeights:
    """Find the weights.

    The objective isn't convex, so SLSQP starts from every corner of the simplex, its centre and seeded draws.

    Args:
        means: the models' averages on each level, the simplest level first, 0 … 100. Shape (models, levels).
        counts: questions of each level; only their proportions matter. Shape (levels,).
        alpha: how much the questions' shares count against the free part, 0 … 1.
        trade_off: the paper's k.
        seed: of the starting points.

    Raises:
        MissingExtraError: scipy isn't installed.
        UsageError: fewer than two models or three levels, a level without questions, or no weights fulfil the
            constraints.
    """
    with needs("analyze", "Solving for weights"):
        from scipy.optimize import minimize
    models, levels = means.shape
    if models < 2 or levels < 3:
        raise UsageError(f"weights need at least two models and three levels, here are {models} and {levels}.")
    if (counts <= 0).any() or not np.isfinite(means).all():
        raise UsageError("weights need questions and a figure of every model on every level.")
    deviations, shares = means.std(axis=0), counts / counts.sum()

    def weight(e: Floats) -> Floats:
        return np.asarray(alpha * shares + 0.1 * (1 - alpha) * e)

    def contributions(e: Floats) -> Floats:
        return np.asarray(weight(e) * deviations)

    def objective(e: Floats) -> float:
        c = contributions(e)
        return float(np.diff(c).var() - trade_off * (c**2).sum())

    constraints: Any = [
        {"type": "eq", "fun": lambda e: e.sum() - _TOTAL},
        {"type": "ineq", "fun": lambda e: np.diff(contributions(e))},
    ]
    best: tuple[float, Floats] | None = None
    for start in _starts(levels, seed):
        found = minimize(
            objective,
            start,
            method="SLSQP",
            bounds=[(0.0, _TOTAL)] * levels,
            constraints=constraints,
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        e = np.clip(found.x, 0, _TOTAL)
        feasible = abs(e.sum() - _TOTAL) < 1e-6 and (np.diff(contributions(e)) > -1e-7).all()
        if feasible and (best is None or found.fun < best[0]):
            best = float(found.fun), e
    if best is None:
        raise UsageError("no weights let every level count at least as much as the one before it.")
    value, e = best
    c = contributions(e)
    return CapabilityWeights(
        e=e,
        f=weight(e),
        c=c,
        deviations=deviations,
        shares=shares,
        variance=float(np.diff(c).var()),
        objective=value,
        degenerate=bool((np.diff(c) < 1e-6).any()),
        scores=means @ weight(e),
    )


def _starts(levels: int, seed: int) -> list[Floats]:
    corners = [_TOTAL * row for row in np.eye(levels)]
    rising = np.arange(1, levels + 1, dtype=np.float64)
    draws = np.random.default_rng(seed).dirichlet(np.ones(levels), size=_STARTS - levels - 2)
    return [*corners, np.full(levels, _TOTAL / levels), _TOTAL * rising / rising.sum(), *(_TOTAL * draws)]
