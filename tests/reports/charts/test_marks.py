"""Numbers at a logarithmic axis: few enough to stand apart."""

import pytest

from tolman.reports.charts.chart import decades


@pytest.mark.parametrize(
    ("low", "high", "most", "wanted"),
    [
        (0.9, 12, 7, [1, 2, 5, 10]),
        (3, 1200, 4, [10, 100, 1000]),
        (2, 120, 4, [3, 10, 30, 100]),
        (1e-3, 1e6, 4, [1e-3, 1, 1e3, 1e6]),
        (3, 4, 4, []),
        (0, 4, 4, []),
    ],
)
def test_numbers_are_round_and_few(low: float, high: float, most: int, wanted: list[float]) -> None:
    assert decades(low, high, most) == pytest.approx(wanted)
