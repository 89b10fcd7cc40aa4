"""SpatialBench's optima, and that no other weights do better."""

import itertools

import numpy as np
import pytest

from tolman import benchmarks
from tolman.analyze.model_scores import solve
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVELS, WEIGHTS
from tolman.errors import UsageError

COUNTS = np.array([318, 527, 291, 98, 113.0])
"""As the paper's proportions need them: the 34 mistyped rows counted under topology."""


def published(*left_out: str) -> tuple[np.ndarray, np.ndarray]:
    rows = [r for r in benchmarks.get("spatialbench").published_rows if r.source == "Table 1" and r.group == "model"]
    rows = [row for row in rows if row.name not in left_out]
    means = np.array([[row.values[level] for level in LEVELS] for row in rows], dtype=float)
    return means, np.array([row.values["score"] for row in rows], dtype=float)


def test_the_optimum_over_all_18_models() -> None:
    found = solve(published()[0], COUNTS)
    assert found.e == pytest.approx([0, 0, 1.499, 3.916, 4.584], abs=2e-3)
    assert found.variance == pytest.approx(0.020, abs=5e-4)


def test_over_16_models_it_is_the_papers() -> None:
    means, scores = published("ERNIE-4.5-Turbo-VL-32K", "MiniMax-Text-01")
    found = solve(means, COUNTS)
    assert found.e == pytest.approx([0, 0, 1.4911, 3.8347, 4.6742], abs=5.1e-3)  # equation 20
    assert found.variance == pytest.approx(0.0264, abs=2e-4)  # equation 21
    assert found.f == pytest.approx(list(WEIGHTS.values()), abs=5e-4)
    assert found.scores == pytest.approx(scores, abs=0.02)
    assert found.f.sum() == pytest.approx(1)
    assert not found.degenerate


def test_no_point_of_a_grid_is_better() -> None:
    means = np.random.default_rng(3).uniform(20, 80, size=(7, 3))
    counts, alpha, k = np.array([3.0, 2, 1]), 0.3, 0.02
    found = solve(means, counts, alpha=alpha, trade_off=k)
    s, d = means.std(axis=0), counts / counts.sum()
    best = np.inf
    for a, b in itertools.product(np.linspace(0, 10, 401), repeat=2):
        if a + b <= 10:
            c = (alpha * d + 0.1 * (1 - alpha) * np.array([a, b, 10 - a - b])) * s
            if (np.diff(c) >= 0).all():
                best = min(best, float(np.diff(c).var() - k * (c**2).sum()))
    assert found.objective <= best + 1e-9
    assert (np.diff(found.c) >= -1e-6).all()


@pytest.mark.parametrize(
    ("means", "counts", "sentence"),
    [
        (np.ones((1, 5)), np.ones(5), "at least two models"),
        (np.ones((4, 2)), np.ones(2), "three levels"),
        (np.ones((4, 3)), np.array([1.0, 0, 1]), "need questions"),
        (np.array([[0, 0, 1.0], [100, 0, 1]]), np.array([50, 1, 1.0]), "no weights let every level"),
    ],
)
def test_what_can_not_be_solved_is_said(means: np.ndarray, counts: np.ndarray, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        solve(means, counts)
