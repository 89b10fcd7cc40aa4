"""Finding metrics by name: Tolman's own, those of plugins, and sums such as '0.5*mra + 0.5*within-25'."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from tolman.errors import UsageError
from tolman.names import unknown
from tolman.plugins import loaded_plugins
from tolman.registry import Registry
from tolman.scoring.metric import Metric, MetricFamily, composite


def _problem(thing: object) -> str:
    known = isinstance(thing, Metric | MetricFamily)
    return "" if known else "is no Metric and no MetricFamily of tolman.scoring.metric"


REGISTRY = Registry(
    "metric", "tolman.scoring.metrics", "METRIC", "tolman.metrics", "METRICS", named_by_file=False, check=_problem
)


def metric_names() -> list[str]:
    """The names of all metrics; of families with an X where a number stands."""
    return REGISTRY.names()


def metrics_of_plugins() -> list[str]:
    """The names of the metrics that plugins declare."""
    return REGISTRY.plugged_names() if loaded_plugins() else []


def metric_named(name: str) -> Metric:
    """The metric of a name, of one with a number such as 'within-25', or of a sum such as '0.5*mra + 0.5*within-25'.

    Raises:
        UsageError: there is none; the sentence has the nearest name and lists all. Or a sum of parts that don't fit.
    """
    found = find_metric(name)
    if found is None:
        raise unknown("metric", name, metric_names(), other="one of a file that --plugin names")
    return found


def find_metric(name: str) -> Metric | None:
    """The metric of a name, as `metric_named` has it; None where there is none."""
    return _found(name.strip(), tuple(loaded_plugins()))


@lru_cache(maxsize=256)
def _found(name: str, plugins: tuple[Path, ...]) -> Metric | None:
    """See `find_metric`. What was found is kept until another plugin is loaded."""
    if "*" in name or "+" in name:
        return _sum(name)
    known = REGISTRY.names()
    if name in known:
        found = REGISTRY.get(name)
        if isinstance(found, Metric):
            return found
    for family in (REGISTRY.get(one) for one in known if "X" in one):
        member = family.member(name) if isinstance(family, MetricFamily) else None
        if member is not None:
            return member
    return None


def _sum(name: str) -> Metric:
    parts = []
    for term in name.split("+"):
        factor, star, metric = (text.strip() for text in term.rpartition("*"))
        try:
            weight = float(factor) if star else 1.0
        except ValueError:
            weight = math.nan
        if not math.isfinite(weight) or not metric:
            raise UsageError(f"'{name}' is no sum of metrics; write it as '0.5*mra+0.5*within-25'.")
        parts.append((weight, metric_named(metric)))
    short = "+".join(f"{weight:g}*{part.name}" for weight, part in parts)
    title = " + ".join(f"{weight:g} × {part.title}" for weight, part in parts)
    return composite(short, title, parts, source=name)


def metrics_named(names: Iterable[str]) -> list[Metric]:
    """Metrics by name, each once; a name may be a list of several with commas.

    Raises:
        UsageError: one of them is unknown.
    """
    split = [part for name in names for part in name.split(",") if part.strip()]
    return list(dict.fromkeys(metric_named(part) for part in split))


def names_of(text: str | None) -> tuple[str, ...]:
    """The names in a list with commas, each of a metric; none where there is no text.

    Raises:
        UsageError: one of them is unknown.
    """
    return tuple(metric.name for metric in metrics_named([text or ""]))
