from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolman.scoring.answer_values import mra_exact, mra_spatialbench, mra_vsi_bench

# (prediction, truth): VSI-Bench's released code, SpatialBench's released code, the formula's `<` in exact arithmetic.
TIES = [
    ("1.05", "1", 1.0, 0.9, 0.9),
    ("1.1", "1", 0.9, 0.8, 0.8),
    ("9", "10", 0.9, 0.8, 0.8),
    ("1", "2", 0.1, 0.0, 0.0),
    ("3", "2", 0.1, 0.0, 0.0),
    ("3", "4", 0.6, 0.5, 0.5),
    ("5", "4", 0.6, 0.5, 0.5),
    ("4", "5", 0.6, 0.6, 0.6),
    ("6", "5", 0.6, 0.6, 0.6),
    ("17", "20", 0.8, 0.8, 0.7),
    ("7", "7", 1.0, 1.0, 1.0),
    ("0", "7", 0.0, 0.0, 0.0),
    ("-7", "7", 0.0, 0.0, 0.0),
]


@pytest.mark.parametrize(("prediction", "truth", "vsi", "spatialbench", "exact"), TIES)
def test_ties_are_decided_as_each_code_decides_them(
    prediction: str, truth: str, vsi: float, spatialbench: float, exact: float
) -> None:
    assert mra_vsi_bench(float(prediction), float(truth)) == vsi
    assert mra_spatialbench(float(prediction), float(truth)) == spatialbench
    assert mra_exact(Fraction(prediction), Fraction(truth)) == exact


def test_a_truth_of_zero_needs_exactly_zero() -> None:
    assert mra_spatialbench(0.0, 0.0) == 1.0
    assert mra_spatialbench(0.1, 0.0) == 0.0
    assert mra_exact(Fraction(0), Fraction(0)) == 1.0
    assert mra_exact(Fraction(1, 10), Fraction(0)) == 0.0


def test_a_truth_below_zero_is_scored_as_each_code_scores_it() -> None:
    assert mra_vsi_bench(5.0, -2.0) == 1.0  # as released; loading refuses such a truth
    assert mra_spatialbench(5.0, -2.0) == 0.0
    assert mra_exact(Fraction(5), Fraction(-2)) == 0.0
    assert mra_exact(Fraction(-2), Fraction(-2)) == 1.0
    with pytest.raises(ZeroDivisionError):
        mra_vsi_bench(5.0, 0.0)


@given(st.floats(allow_nan=True), st.floats(0.001, 1e6))
def test_the_released_metrics_are_their_comparisons_threshold_by_threshold(prediction: float, truth: float) -> None:
    error = abs(prediction - truth) / truth
    assert mra_vsi_bench(prediction, truth) == sum(error <= limit for limit in 1 - np.linspace(0.5, 0.95, 10)) / 10
    assert mra_spatialbench(prediction, truth) == sum(error < 1 - p / 100 for p in range(50, 100, 5)) / 10


@given(st.fractions(-100, 100), st.fractions(-100, 100).filter(bool))
def test_the_exact_metric_is_its_formula_threshold_by_threshold(prediction: Fraction, truth: Fraction) -> None:
    error = abs(prediction - truth) / abs(truth)
    assert mra_exact(prediction, truth) == sum(error < Fraction(p, 100) for p in range(5, 55, 5)) / 10


def test_infinities_and_nan_score_nothing() -> None:
    for value in (float("inf"), float("-inf"), float("nan")):
        assert mra_vsi_bench(value, 2.0) == 0.0
        assert mra_spatialbench(value, 2.0) == 0.0


@given(st.floats(0.01, 1e4), st.floats(0, 2))
def test_the_three_agree_away_from_ties(truth: float, share: float) -> None:
    prediction = truth * share
    error = abs(Fraction(prediction) - Fraction(truth)) / Fraction(truth)
    if any(abs(error - Fraction(p, 100)) < Fraction(1, 10**9) for p in range(5, 55, 5)):
        return
    exact = mra_exact(Fraction(prediction), Fraction(truth))
    assert mra_vsi_bench(prediction, truth) == exact == mra_spatialbench(prediction, truth)


@given(st.fractions(0, 100), st.fractions(0, 100), st.fractions(Fraction(1, 10), 100))
def test_a_closer_prediction_never_scores_less(one: Fraction, other: Fraction, truth: Fraction) -> None:
    nearer, farther = sorted((one, other), key=lambda p: abs(p - truth))
    assert mra_exact(nearer, truth) >= mra_exact(farther, truth)


@given(st.fractions(0, 100), st.fractions(Fraction(1, 10), 100), st.fractions(Fraction(1, 1000), 1000))
def test_the_unit_does_not_matter(prediction: Fraction, truth: Fraction, factor: Fraction) -> None:
    assert mra_exact(prediction * factor, truth * factor) == mra_exact(prediction, truth)
