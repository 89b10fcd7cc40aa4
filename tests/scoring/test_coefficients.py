"""Coefficients of agreement with n and an interval."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tolman.scoring.agreement_coefficients import (
    RESAMPLES,
    alpha,
    cohen,
    cohen_kappa,
    fleiss,
    fleiss_kappa,
    jaccard,
    krippendorff_alpha,
)


def _labels(items: int, raters: int, seed: int = 0) -> list[list[str]]:
    generator = np.random.default_rng(seed)
    truths = generator.choice(list("abc"), items)
    return [
        [t if generator.random() < 0.7 else str(generator.choice(list("abc"))) for t in truths] for _ in range(raters)
    ]


def _plain(values: list[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def test_intervals_are_those_of_the_plain_bootstrap() -> None:
    one, two, three = _labels(40, 3)
    units = list(zip(one, two, three, strict=True))
    counts = [Counter(unit) for unit in units]
    generator = np.random.default_rng(0)
    drawn: dict[str, list[float | None]] = {"cohen": [], "fleiss": [], "alpha": []}
    for _ in range(RESAMPLES):
        picks = generator.integers(0, 40, 40)
        drawn["cohen"].append(cohen_kappa([one[i] for i in picks], [two[i] for i in picks]))
        drawn["fleiss"].append(fleiss_kappa([counts[i] for i in picks]))
        drawn["alpha"].append(krippendorff_alpha([units[i] for i in picks]))
    found = {"cohen": cohen(one, two), "fleiss": fleiss(counts), "alpha": alpha(units)}
    values = {"cohen": cohen_kappa(one, two), "fleiss": fleiss_kappa(counts), "alpha": krippendorff_alpha(units)}
    for name, coefficient in found.items():
        assert coefficient.value == values[name]
        assert coefficient.n == 40
        assert coefficient.interval is not None
        limits = np.percentile(_plain(drawn[name]), [2.5, 97.5])
        assert (coefficient.interval.low, coefficient.interval.high) == pytest.approx(tuple(limits), abs=1e-12)


def test_sets_are_compared_by_what_they_share() -> None:
    one, two = _labels(30, 2)
    units = [(frozenset(a), frozenset({a, b})) for a, b in zip(one, two, strict=True)]
    found = alpha(units, distance=jaccard)
    assert found.value == krippendorff_alpha(units, jaccard)
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high


def test_items_of_one_scene_count_together() -> None:
    one, two = _labels(60, 2)
    apart, together = cohen(one * 2, two * 2), cohen(one * 2, two * 2, [i % 60 for i in range(120)])
    assert apart.interval is not None
    assert together.interval is not None
    assert together.interval.high - together.interval.low > 1.3 * (apart.interval.high - apart.interval.low)


def test_one_item_has_no_coefficient_and_a_few_no_interval() -> None:
    one = alpha(["ab"])
    assert (one.value, one.n, one.interval, one.reason) == (None, 1, None, "1 item")
    assert fleiss([Counter("ab")]).value is None
    assert cohen("a", "b").value is None
    assert alpha([]).n == 0
    few = cohen("abab", "abba")
    assert (few.value, few.n, few.interval) == (0.0, 4, None)
    assert few.reason == "4.0 effective clusters; an interval needs 6"
    same_scene = cohen("ab" * 20, "ba" * 10 + "ab" * 10, ["s"] * 40)
    assert (same_scene.interval, same_scene.n) == (None, 40)


def test_no_interval_where_nobody_ever_differs() -> None:
    found = cohen("ab" * 20, "ab" * 20)
    assert (found.value, found.interval) == (1.0, None)
    assert "no disagreement" in str(found.reason)
    assert cohen("a" * 20, "a" * 20).value is None
