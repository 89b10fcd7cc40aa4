"""Correlation of a benchmark's scores with results of other tasks, over models.

Source: MMSI-Bench paper, Appendix E, Table 11 (Pearson and Spearman with three tasks of EmbodiedBench); SITE paper,
Table 6 (Pearson with the negated mean distance on LIBERO-Spatial).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tolman.benchmarks.published_tables import PublishedTable
from tolman.scoring.clusters import Floats
from tolman.scoring.intervals import Interval

RESAMPLES = 10_000


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
    """

    score: str
    negated: tuple[str, ...]
    seed: int
    marks: list[str]
    correlations: dict[str, Correlation]
    published: dict[str, PublishedCorrelation] = field(default_factory=dict)


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


def _plain(heading: str) -> str:
    return re.sub(r"[\W_]", "", heading.lower()).replace("distance", "dist")


def correlate(x: Floats, y: Floats, *, seed: int = 0, resamples: int = RESAMPLES) -> Correlation:
    """Correlate two columns over models.

    Args:
        x, y: one figure for each model; pairs with a nan are left out. Shape (models,).
        seed: of the bootstrap.
        resamples: of models, with replacement. A resample in which a column doesn't vary has no correlation and is
            left out.
    """
    both = np.isfinite(x) & np.isfinite(y)
    x, y = x[both], y[both]
    n = len(x)
    pearson, spearman = _value(pearson_rows(x[None], y[None])), _value(pearson_rows(ranks(x[None]), ranks(y[None])))
    if n < 3 or pearson is None:
        return Correlation(n, pearson, spearman, None, None, 0)
    picks = np.random.default_rng(seed).integers(0, n, size=(resamples, n))
    one, other = x[picks], y[picks]
    drawn = pearson_rows(one, other)
    drawn_ranks = pearson_rows(ranks(one), ranks(other))
    return Correlation(
        n, pearson, spearman, _percentiles(drawn), _percentiles(drawn_ranks), int(np.isfinite(drawn).sum())
    )


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
