"""Agreement: worked examples of the literature, and laws."""

from collections import Counter
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolman.scoring.agreement_coefficients import (
    cohen_kappa,
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
