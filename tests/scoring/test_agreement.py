"""Agreement: worked examples of the literature, and laws."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tolman.scoring.agreement_coefficients import (
    RESAMPLES,
    alpha,
    cohen,
    cohen_kappa,
    fleiss,
    fleiss_kappa,
    interval,
    jaccard,
    krippendorff_alpha,
    observed_agreement,
)

labels = st.sampled_from("abcd")
pairs = st.lists(st.tuples(labels, labels), min_size=1, max_size=40)


def test_cohens_kappa_of_a_table_of_grants() -> None:
    # 50 grants read by two people: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no; p = 0.7, chance 0.5.
    rows = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    first, second = zip(*rows, strict=True)
    assert observed_agreement(first, second) == pytest.approx(0.7)
    assert cohen_kappa(first, second) == pytest.approx(0.4)


def test_fleiss_kappa_of_ten_subjects_and_fourteen_raters() -> None:
    table = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    assert fleiss_kappa([dict(enumerate(row)) for row in table]) == pytest.approx(0.210, abs=5e-4)


# Krippendorff 2011, section C and following: four observers, twelve units, missing data; alpha .743 and .849.
KRIPPENDORFF = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]


def test_krippendorffs_alpha_of_his_own_example() -> None:
    rows = [row.split() for row in KRIPPENDORFF]
    units = [[int(v) for v in unit if v != "."] for unit in zip(*rows, strict=True)]
    assert krippendorff_alpha(units) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(units, interval) == pytest.approx(0.849, abs=5e-4)


@given(pairs)
def test_kappa_is_symmetric_at_most_one_and_blind_to_names(rows: list[tuple[str, str]]) -> None:
    first, second = zip(*rows, strict=True)
    kappa = cohen_kappa(first, second)
    assert kappa == cohen_kappa(second, first) or kappa == pytest.approx(cohen_kappa(second, first))
    renamed = cohen_kappa([ord(a) for a in first], [ord(b) for b in second])
    assert renamed == kappa
    if kappa is not None:
        assert -1 <= kappa <= 1 + 1e-12
        assert (kappa == pytest.approx(1)) == (first == second)


@given(pairs)
def test_alpha_of_two_is_fleiss_kappa_with_the_correction_of_small_samples(rows: list[tuple[str, str]]) -> None:
    alpha, kappa = krippendorff_alpha(rows), fleiss_kappa([Counter(row) for row in rows])
    n = 2 * len(rows)
    if alpha is None or kappa is None:
        assert alpha is kappa
    else:  # Scott's pi with expected disagreement over pairs without replacement
        assert 1 - alpha == pytest.approx((1 - kappa) * (n - 1) / n)


@given(st.lists(st.lists(labels, min_size=0, max_size=5), max_size=12))
def test_alpha_follows_its_definition_by_coincidences(units: list[list[str]]) -> None:
    pairable = [unit for unit in units if len(unit) > 1]
    values = list(chain(*pairable))
    n = len(values)
    found = krippendorff_alpha(units)
    if len(set(values)) < 2:
        assert found is None
        return
    observed = sum(
        (a != b) / (len(unit) - 1)
        for unit in pairable
        for i, a in enumerate(unit)
        for j, b in enumerate(unit)
        if i != j
    )
    expected = sum(a != b for i, a in enumerate(values) for j, b in enumerate(values) if i != j) / (n - 1)
    assert found == pytest.approx(1 - observed / expected)


def test_sets_agree_in_part() -> None:
    one, two, both = frozenset("a"), frozenset("b"), frozenset("ab")
    assert (jaccard(one, one), jaccard(one, both), jaccard(one, two)) == (0, 0.5, 1)
    units = [[one, both], [two, two], [one, one]]
    nominal, partial = krippendorff_alpha(units), krippendorff_alpha(units, jaccard)
    assert nominal is not None
    assert partial is not None
    assert partial > nominal


def test_what_is_not_defined_is_none_or_refused() -> None:
    assert cohen_kappa([], []) is None
    assert cohen_kappa("aa", "aa") is None
    assert fleiss_kappa([]) is None
    assert fleiss_kappa([{"a": 2}, {"a": 2}]) is None
    assert krippendorff_alpha([["a"], ["b"]]) is None
    with pytest.raises(ValueError, match="same number of raters"):
        fleiss_kappa([{"a": 2}, {"a": 3}])
    with pytest.raises(ValueError, match="zip"):
        cohen_kappa("a", "ab")


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
