"""Coefficients of agreement with their number of items and a 95 % interval.

The interval is that of the percentile bootstrap over clusters (Davison and Hinkley 1997, Bootstrap Methods and their
Application, section 3.8): 1,000 resamples of the scenes, or of the items where no scenes are told, seed 0. It is given
under the condition of all intervals (`scoring.intervals`): six effective clusters. Where everybody agrees about
everything, resampling shows no difference, and there is none either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.scoring.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha, nominal
from tolman.scoring.intervals import MIN_EFFECTIVE_SCENES, Interval

RESAMPLES = 1000
FEWEST_ITEMS = 2
"""Below it no coefficient is given: chance can't be told from one item."""
_CHUNK = 50
"""Resamples that are computed at once, which bounds the memory."""

Floats = NDArray[np.float64]
Label = Hashable


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient of agreement.

    Attributes:
        value: None where it isn't defined, or where there is one item only.
        n: items with two labels or more.
        interval: 95 %; None where none can hold.
        reason: why there is no interval.
    """

    value: float | None
    n: int
    interval: Interval | None
    reason: str | None


def cohen(first: Sequence[Label], second: Sequence[Label], clusters: Sequence[Label] | None = None) -> Coefficient:
    """Cohen's kappa of two raters.

    Args:
        first, second: a label for each item, in the same order.
        clusters: of each item; an item is a cluster of its own where None.

    Raises:
        ValueError: one of them has more labels.
    """
    value = cohen_kappa(first, second)
    labels = _numbers([*first, *second])
    one, other = _one_hot(first, labels), _one_hot(second, labels)
    same = (one * other).sum(1, keepdims=True)
    k = len(labels)

    def draws(sums: Floats) -> Floats:
        a, b, agreed = sums[:, :k], sums[:, k : 2 * k], sums[:, 2 * k]
        total = a.sum(1)
        return _beyond_chance(agreed / total, (a * b).sum(1) / total**2)

    return _with_interval(value, np.hstack([one, other, same]), clusters, draws)


def fleiss(counts: Sequence[Mapping[Label, int]], clusters: Sequence[Label] | None = None) -> Coefficient:
    """Fleiss' kappa of any number of raters, the same number for each item.

    Args:
        counts: for each item, how many raters gave each label.
        clusters: of each item; an item is a cluster of its own where None.

    Raises:
        ValueError: the items have different numbers of labels, or fewer than two.
    """
    value = fleiss_kappa(counts)
    labels = _numbers([label for item in counts for label in item])
    table = np.zeros((len(counts), len(labels)))
    for row, item in enumerate(counts):
        for label, count in item.items():
            table[row, labels[label]] = count
    agreed = (table * (table - 1)).sum(1, keepdims=True)
    raters = table[0].sum() if len(table) else 2.0

    def draws(sums: Floats) -> Floats:
        totals, same = sums[:, :-1], sums[:, -1]
        given = totals.sum(1)
        return _beyond_chance(same / (given * (raters - 1)), ((totals / given[:, None]) ** 2).sum(1))

    return _with_interval(value, np.hstack([table, agreed]), clusters, draws)


def alpha(
    units: Sequence[Sequence[Label]],
    clusters: Sequence[Label] | None = None,
    distance: Callable[[Any, Any], float] = nominal,
) -> Coefficient:
    """Krippendorff's alpha of any number of raters, of whom each may leave items out.

    Args:
        units: for each item the labels that it got, whoever gave them. An item with fewer than two says nothing.
        clusters: of each item; an item is a cluster of its own where None.
        distance: of two labels, as `krippendorff_alpha` takes it.
    """
    kept = [place for place, unit in enumerate(units) if len(unit) > 1]
    shared = [units[place] for place in kept]
    value = krippendorff_alpha(shared, distance)
    labels = _numbers([label for unit in shared for label in unit])
    apart = np.array([[distance(a, b) for b in labels] for a in labels]).reshape(len(labels), len(labels))
    table = np.zeros((len(shared), len(labels)))
    for row, unit in enumerate(shared):
        for label, count in Counter(unit).items():
            table[row, labels[label]] = count
    inside = np.einsum("uk,kl,ul->u", table, apart, table) / np.maximum(table.sum(1) - 1, 1)

    def draws(sums: Floats) -> Floats:
        totals, within = sums[:, :-1], sums[:, -1]
        expected = np.einsum("rk,kl,rl->r", totals, apart, totals)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = 1 - (totals.sum(1) - 1) * within / expected
        return np.where(expected > 0, found, np.nan)

    own = None if clusters is None else [clusters[place] for place in kept]
    return _with_interval(value, np.hstack([table, inside[:, None]]), own, draws)


def _with_interval(
    value: float | None, sums: Floats, clusters: Sequence[Label] | None, draws: Callable[[Floats], Floats]
) -> Coefficient:
    """A coefficient from the sums that it is a function of, a row for each item."""
    n = len(sums)
    if n < FEWEST_ITEMS:
        return Coefficient(None, n, None, f"{n} item{'' if n == 1 else 's'}")
    if value is None:
        return Coefficient(None, n, None, "everybody always says the same, as chance would")
    numbers = _numbers(range(n) if clusters is None else clusters)
    cluster = np.array([numbers[one] for one in (range(n) if clusters is None else clusters)])
    sizes = np.bincount(cluster)
    effective = float(n**2 / (sizes**2).sum())
    if effective < MIN_EFFECTIVE_SCENES:
        reason = f"{effective:.1f} effective clusters; an interval needs {MIN_EFFECTIVE_SCENES:g}"
        return Coefficient(value, n, None, reason)
    if value == 1.0:
        return Coefficient(value, n, None, "no disagreement, from which its variance could be told")
    by_cluster = np.zeros((len(sizes), sums.shape[1]))
    np.add.at(by_cluster, cluster, sums)
    generator = np.random.default_rng(0)
    found: list[Floats] = []
    for start in range(0, RESAMPLES, _CHUNK):
        times = np.array(
            [
                np.bincount(generator.integers(0, len(sizes), len(sizes)), minlength=len(sizes))
                for _ in range(min(_CHUNK, RESAMPLES - start))
            ]
        )
        found.append(draws(times @ by_cluster))
    drawn = np.concatenate(found)
    drawn = drawn[~np.isnan(drawn)]
    if len(drawn) < RESAMPLES / 2:
        return Coefficient(value, n, None, "most resamples hold one label only")
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Coefficient(value, n, Interval(float(low), float(high)), None)


def _beyond_chance(agreed: Floats, chance: Floats) -> Floats:
    """(agreed − chance) / (1 − chance); nan where chance agrees about everything."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(chance < 1 - 1e-12, (agreed - chance) / (1 - chance), np.nan)


def _numbers(labels: Any) -> dict[Label, int]:
    return {label: number for number, label in enumerate(dict.fromkeys(labels))}


def _one_hot(column: Sequence[Label], labels: Mapping[Label, int]) -> Floats:
    table = np.zeros((len(column), len(labels)))
    for row, label in enumerate(column):
        table[row, labels[label]] = 1
    return table
