"""The papers' correlations from their own tables, and both coefficients against other implementations."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st

from tolman.analyze.model_scores import correlate
from tolman.errors import InputError, TolmanError, UsageError
from tolman.features.analyses.config import CorrelationConfig
from tolman.features.analyses.model_analyses import analyze_correlation, correlation_to_json

TABLES = Path(__file__).parent / "tables"
columns = st.integers(3, 12).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(-50, 50), min_size=n, max_size=n) for _ in range(2)))
)


def correlations(table: Path, score: str | None, lower_is_better: tuple[str, ...] = ()) -> dict[str, dict[str, Any]]:
    config = CorrelationConfig(table=table, score=score, lower_is_better=lower_is_better)
    found: dict[str, dict[str, Any]] = correlation_to_json(analyze_correlation(config))["correlations"]
    return found


def test_mmsi_bench_table_11() -> None:
    found = correlations(TABLES / "mmsi_bench_table_11.csv", "MMSI-Bench")
    printed = {"EB-Navigation": (0.8147, 0.7333), "EB-Manipulation": (0.7402, 0.75), "EB-Habitat": (0.7299, 0.6167)}
    assert {k: (round(v["pearson"], 4), round(v["spearman"], 4)) for k, v in found.items()} == printed
    assert all(v["n"] == 9 and v["pearson_interval"]["low"] < v["pearson"] for v in found.values())


def test_site_table_6() -> None:
    found = correlations(TABLES / "site_table_6.csv", "L2 Dist", lower_is_better=("L2 Dist",))
    printed = {
        "MathVista": 0.935,
        "POPE": -0.602,
        "ScienceQA": 0.749,
        "OCRBench": 0.832,
        "RealWorldQA": 0.842,
        "QBench": 0.847,
        "SITE": 0.902,
    }
    assert {k: round(found[k]["pearson"], 3) for k in printed} == printed


@given(columns)
@settings(deadline=None)
def test_both_coefficients_agree_with_scipy(pair: tuple[list[int], list[int]]) -> None:
    x, y = (np.array(one, dtype=np.float64) for one in pair)
    found = correlate(x, y, resamples=10)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert (found.pearson, found.spearman) == (None, None)
        return
    assert found.pearson == pytest.approx(scipy.stats.pearsonr(x, y).statistic)
    assert found.spearman == pytest.approx(scipy.stats.spearmanr(x, y).statistic)


@pytest.mark.full
def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(0)
    draws = generator.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=(300, 40))
    found = [correlate(d[:, 0], d[:, 1], seed=i, resamples=400).pearson_interval for i, d in enumerate(draws)]
    held = np.mean([i is not None and i.low <= 0.6 <= i.high for i in found])
    assert 0.88 < held < 0.98


def test_models_without_a_figure_are_left_out_and_two_have_no_interval() -> None:
    found = correlate(np.array([1, 2, np.nan, 4.0]), np.array([1, 3, 9, np.nan]))
    assert (found.n, found.pearson, found.pearson_interval) == (2, pytest.approx(1.0), None)


@pytest.mark.parametrize(
    ("text", "score", "sentence"),
    [
        ("model,A,B\nx,1,2\nx,2,3\n", "A", "row 3, field 'model': the model 'x' appears twice"),
        ("model,A,B\nx,1,2\ny,two,3\n", "A", "row 3, field 'A': 'two' is no number"),
        ("model,A,B\nx,1,2\ny,3,4\n", "C", "has no column 'C'; columns with figures: A, B"),
        ("model,A,B\nx,1,2\n", "A", "fewer than two models"),
        ("model,A\nx,a\ny,b\n", "A", "row 2, field 'A': 'a' is no number"),
        ("model,A,B\nx,1\ny,3,4\n", "A", "more or fewer cells than the header"),
    ],
)
def test_a_bad_table_is_one_sentence(tmp_path: Path, text: str, score: str, sentence: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        correlations(path, score)
    assert sentence in str(error.value)


def test_the_column_to_start_from_is_asked_for() -> None:
    with pytest.raises(UsageError, match="--score"):
        correlations(TABLES / "site_table_6.csv", None)
    with pytest.raises(TolmanError, match="no run folder"):
        analyze_correlation(CorrelationConfig(table=TABLES / "site_table_6.csv", runs=(TABLES,)))


def test_a_partial_correlation_is_that_of_the_residuals() -> None:
    generator = np.random.default_rng(1)
    general = generator.normal(size=(2, 60))
    x, y = general.sum(0) + generator.normal(size=(2, 60))
    design = np.vstack([np.ones(60), general]).T

    def residual(values: np.ndarray) -> np.ndarray:
        return values - design @ np.linalg.lstsq(design, values, rcond=None)[0]

    wanted = scipy.stats.pearsonr(residual(x), residual(y)).statistic
    found = correlate(x, y, list(general))
    assert found.pearson == pytest.approx(wanted)
    assert abs(wanted) < 0.35 < correlate(x, y).pearson
    assert found.pearson_interval is not None
    assert found.pearson_interval.low < wanted < found.pearson_interval.high


def test_too_few_models_or_controls_that_repeat_each_other_leave_nothing() -> None:
    x, y, z = np.random.default_rng(2).normal(size=(3, 8))
    assert correlate(x, y, [z, 2 * z]).pearson is None
    assert correlate(x, y, [x]).pearson is None
    assert correlate(x[:3], y[:3], [z[:3], y[:3] ** 2]).pearson is None
    few = correlate(x[:5], y[:5], [z[:5]])
    assert (few.pearson is None, few.pearson_interval) == (False, None)
    assert correlate(x[:6], y[:6], [z[:6]]).pearson_interval is not None
