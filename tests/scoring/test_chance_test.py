"""The exact test against chance, held against SciPy's and against counting."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest

from tolman.scoring.significance import exact_chance_test

scipy_stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize(("right", "n", "chance"), [(0, 20, 0.25), (9, 20, 0.25), (61, 300, 0.25), (40, 60, 0.5)])
def test_with_one_chance_it_is_the_binomial_test(right: int, n: int, chance: float) -> None:
    wanted = scipy_stats.binomtest(right, n, chance).pvalue
    assert exact_chance_test(right, [chance] * n) == pytest.approx(wanted, rel=1e-9)


def test_with_several_chances_it_counts_what_guessing_brings() -> None:
    chances = [0.5, 0.25, 0.25, 1 / 3, 0.2]
    by_count = [0.0] * 6
    for outcome in product((0, 1), repeat=5):
        by_count[sum(outcome)] += prod(c if one else 1 - c for one, c in zip(outcome, chances, strict=True))
    for right in range(6):
        wanted = sum(p for p in by_count if p <= by_count[right] * (1 + 1e-7))
        assert exact_chance_test(right, chances) == pytest.approx(wanted)


@pytest.mark.parametrize(("right", "chances"), [(3, [0.5, 0.5]), (1, [0.5, 1.0]), (-1, [0.5])])
def test_what_cannot_be_is_refused(right: int, chances: list[float]) -> None:
    with pytest.raises(ValueError, match=r"can't be right|between 0 and 1"):
        exact_chance_test(right, chances)
