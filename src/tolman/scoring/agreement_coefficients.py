"""Agreement between people, or between a judge and people: Cohen's and Fleiss' kappa, Krippendorff's alpha.

Sources: Cohen 1960, "A coefficient of agreement for nominal scales"; Fleiss 1971, "Measuring nominal scale agreement
among many raters"; Krippendorff 2011, "Computing Krippendorff's alpha-reliability". A coefficient is 1 for full
agreement and 0 for that of chance. It is None where it isn't defined: without a pair of labels, or where all raters
always say the same, so that chance would agree as well.

The 95 % interval is that of the percentile bootstrap over clusters (Davison and Hinkley 1997, Bootstrap Methods and
their Application, section 3.8). It takes 1,000 resamples of the scenes, or of the items where no scenes are given, with
seed 0. It is given under the condition of all intervals (`scoring.intervals`): six effective clusters. If all raters
agree on everything, resampling shows no difference, and there is no interval either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tolman.errors import counted
from tolman.extras import NDArray, np
from tolman.scoring.intervals import MIN_EFFECTIVE_SCENES, Interval

Label = Hashable


def observed_agreement(first: Sequence[Label], second: Sequence[Label]) -> float | None:
    """The share of items on which two raters say the same; None where there is no item.

    Args:
        first, second: a label for each item, in the same order.

    Raises:
        ValueError: one of them has more labels.
    """
    pairs = list(zip(first, second, strict=True))
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else None


def cohen_kappa(first: Sequence[Label], second: Sequence[Label]) -> float | None:
    """Cohen's kappa of two raters.

    Args:
        first, second: a label for each item, in the same order.

    Raises:
        ValueError: one of them has more labels.
    """
    agreed = observed_agreement(first, second)
    if agreed is None:
        return None
    counts, others, n = Counter(first), Counter(second), len(first)
    by_chance = sum(count * others[label] for label, count in counts.items())
    if by_chance == n * n:
        return None
    chance = by_chance / n**2
    return (agreed - chance) / (1 - chance)


def fleiss_kappa(counts: Sequence[Mapping[Label, int]]) -> float | None:
    """Fleiss' kappa of any number of raters, the same number for each item.

    Args:
        counts: for each item, how many raters gave each label.

    Raises:
        ValueError: the items have different numbers of labels, or fewer than two.
    """
    if not counts:
        return None
    raters = {sum(item.values()) for item in counts}
    if len(raters) > 1 or min(raters) < 2:
        raise ValueError("Fleiss' kappa needs the same number of raters for each item, two at least")
    n, items = raters.pop(), len(counts)
    agreed = sum(count * (count - 1) for item in counts for count in item.values()) / (items * n * (n - 1))
    totals: Counter[Label] = Counter()
    for item in counts:
        totals.update(item)
    if len(+totals) < 2:
        return None
    chance = sum((count / (items * n)) ** 2 for count in totals.values())
    return (agreed - chance) / (1 - chance)


def nominal(a: Label, b: Label) -> float:
    """0 where two labels are the same, else 1."""
    return float(a != b)


def interval(a: Any, b: Any) -> float:
    """The squared difference of two numbers."""
    return float(a - b) ** 2


def jaccard(a: Any, b: Any) -> float:
    """Return the part of two sets' union that they don't share, from 0 to 1; 0 for two empty ones."""
    union = a | b
    return 1 - len(a & b) / len(union) if union else 0.0


def krippendorff_alpha(
    units: Iterable[Sequence[Label]], distance: Callable[[Any, Any], float] = nominal
) -> float | None:
    """Return Krippendorff's alpha of any number of raters, who may leave items out.

    Args:
        units: for each item the labels that it got, from any rater. An item with fewer than two says nothing.
        distance: of two labels, symmetric, 0 for the same ones: `nominal`, `interval` or `jaccard`.
    """
    values: Counter[Label] = Counter()
    inside = 0.0
    for unit in units:
        own = Counter(unit)
        if (m := own.total()) < 2:
            continue
        values.update(own)
        inside += _disagreement(own, distance) / (m - 1)
    n = values.total()
    expected = _disagreement(values, distance)
    if n < 2 or expected == 0:
        return None
    return 1 - (n - 1) * inside / expected


def _disagreement(counts: Counter[Label], distance: Callable[[Any, Any], float]) -> float:
    """The sum of distances over all ordered pairs."""
    items = list(counts.items())
    return 2 * sum(count * other * distance(a, b) for i, (a, count) in enumerate(items) for b, other in items[i + 1 :])


RESAMPLES = 1000
FEWEST_ITEMS = 2
"""Below it no coefficient is given: chance can't be told from one item."""
_CHUNK = 50
"""Resamples that are computed at once, which bounds the memory."""

Floats: TypeAlias = "NDArray[np.float64]"


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
    """Return Krippendorff's alpha of any number of raters, who may leave items out.

    Args:
        units: for each item the labels that it got, from any rater. An item with fewer than two says nothing.
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
        return Coefficient(None, n, None, counted(n, "item"))
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
        return Coefficient(value, n, None, "no disagreement, which an estimate of its variance needs")
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
