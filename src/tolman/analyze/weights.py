"""Capability weights: how much each cognitive level counts, by SpatialBench's constrained optimum.

Source: SpatialBench paper, equations 2, 3 and 4 to 12. Level i has the share D_i of the questions and the standard
deviation S_i of the models' scores. Its weight is F_i = α·D_i + 0.1·(1 − α)·E_i, with E ≥ 0 and ΣE = 10 such that
C_i = F_i·S_i never falls and Var(C_{i+1} − C_i) − k·ΣC_i² is least. The paper's text says that a model's score is a sum
of C; its printed scores are sums of F times the level averages, and so are those here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tolman.errors import UsageError
from tolman.extras import needs
from tolman.scoring.clusters import Floats

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
        objective: what was minimised.
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
