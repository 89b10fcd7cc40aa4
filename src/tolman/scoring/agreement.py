"""Agreement between people, or between a judge and people: Cohen's and Fleiss' kappa, Krippendorff's alpha.

Sources: Cohen 1960, "A coefficient of agreement for nominal scales"; Fleiss 1971, "Measuring nominal scale agreement
among many raters"; Krippendorff 2011, "Computing Krippendorff's alpha-reliability". A coefficient is 1 for full
agreement and 0 for that of chance; it is None where it isn't defined: without a pair of labels, or where everybody
always says the same, so that chance would agree as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

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
    """What two sets don't share, as a share of their union; 0 for two empty ones."""
    union = a | b
    return 1 - len(a & b) / len(union) if union else 0.0


def krippendorff_alpha(
    units: Iterable[Sequence[Label]], distance: Callable[[Any, Any], float] = nominal
) -> float | None:
    """Krippendorff's alpha of any number of raters, of whom each may leave items out.

    Args:
        units: for each item the labels that it got, whoever gave them. An item with fewer than two says nothing.
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
