"""Metric: the measure that a benchmark takes of its responses.

Several metrics measure the same questions. A metric gives each response a value and makes a figure of the values of a
pool of questions. Tolman's own are declared in the modules of this package, as `METRIC` or `METRICS`. A plugin adds
more by declaring one of these names. A sum of several may take the place of any metric's name:
'0.5*mra + 0.5*within-25'.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tolman.errors import UsageError, unknown
from tolman.extras import np
from tolman.items import Item
from tolman.plugins import loaded_plugins
from tolman.registry import Registry
from tolman.scoring.answer_values import ParsedAnswer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


PerItem = Callable[[Item, ParsedAnswer], float | None]
"""(item, what was read) → the response's value; None where the metric has none for this item."""
Aggregate = Callable[..., Any]
"""(values, weights) → figure: values of shape (items,), weights of shape (…, items), figures of shape (…). A weight is
how often an item counts. A function of the values alone will do; it is slower, as it is called once for each draw of a
bootstrap."""
Direction = Literal["higher", "lower", "zero"]

_NOTHING = ParsedAnswer(None)
PERCENT = "%"
"""The unit of metrics whose values are shares of 1; their figures are on the 0–100 scale."""

BY_RANGE = "by range"
"""The unit of a metric that states none."""
_ROUNDING = 1e-9
"""How far a value may be outside its range, as sums of floats are."""
_MOST_REPEATS = 60
"""How often a value is repeated at most for an aggregate of values alone, so that items count as much."""


@dataclass(frozen=True)
class Metric:
    """One way to measure responses.

    Attributes:
        name: as in tables and `--metrics`.
        title: its heading.
        per_item: (item, ParsedAnswer) → the response's value. Asked for responses that could be read, only.
        kinds: names of the item kinds that it is for; all of them where empty. Items of others are not in its figures.
        units: the items' units that it is for (None: without unit); all where empty.
        only: whether it is for an item, by anything else that is known of the item, such as its true value; for all
            where None. Items that it isn't for are in none of its figures, read or not.
        aggregate: 'mean', or a function of the values of a pool; see `Aggregate`.
        chance_adjusted: whether each value is taken relative to the chance level of its item: the sum of the values
            less chance over the sum of 1 less chance (only with 'mean').
        range: the least and the greatest value that a response can have; infinite where there is no bound.
        direction: whether higher or lower is better, or nearest to zero.
        unread: the value of a response without a readable answer, or a function of its item. None leaves such responses
            out of the figure, and their number is shown next to it.
        unit: of the figure: '%' for values that are printed on the 0–100 scale, else as it is printed behind the number
            ('m', 'cm', '' …). Unless it is stated, '%' for a range within 0 and 1, and '' for any other.
        digits: decimals printed.
        source: the paper and section, or the repository, that defines it.
        ordered: whether values of items can be compared, so that a group of items that counts as one question has the
            worst of them; groups are left out where not.

    Raises:
        UsageError: a name that can't be in a list, or parts that don't fit.
    """

    name: str
    title: str
    per_item: PerItem
    kinds: tuple[str, ...] = ()
    units: tuple[str | None, ...] = ()
    only: Callable[[Item], bool] | None = None
    aggregate: Literal["mean"] | Aggregate = "mean"
    chance_adjusted: bool = False
    range: tuple[float, float] = (0.0, 1.0)
    direction: Direction = "higher"
    unread: float | Callable[[Item], float | None] | None = 0.0
    unit: str = BY_RANGE
    digits: int = 1
    source: str = ""
    ordered: bool = True
    _figure: Aggregate | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.name or re.search(r"[,\s]", self.name):
            raise UsageError(f"a metric can't be named '{self.name}': leave out commas and white space.")
        if self.aggregate != "mean" and not callable(self.aggregate):
            raise UsageError(
                f"the metric '{self.name}' has the aggregate {self.aggregate!r}; give 'mean' or a function of values."
            )
        if self.chance_adjusted and self.aggregate != "mean":
            raise UsageError(f"the metric '{self.name}' is chance-adjusted and no mean; it can be one of them.")
        if not self.range[0] < self.range[1]:
            raise UsageError(f"the metric '{self.name}' has the range {self.range}; give the least value first.")
        if self.unit == BY_RANGE:
            object.__setattr__(self, "unit", PERCENT if self.range[0] >= 0 and self.range[1] <= 1 else "")
        if callable(self.aggregate):
            object.__setattr__(self, "_figure", with_weights(self.aggregate))

    @property
    def scale(self) -> float:
        """Return the factor by which a value is multiplied to be printed: 100 for shares of 1."""
        return 100.0 if self.unit == PERCENT else 1.0

    @property
    def is_mean(self) -> bool:
        """Check whether a figure of it is a ratio of two sums over items."""
        return self.aggregate == "mean"

    @property
    def most_repeats(self) -> int:
        """The greatest weight of a value in its aggregate; an aggregate of values alone gets a value that often."""
        return _MOST_REPEATS if self._figure is not self.aggregate else 2**31

    @property
    def is_bounded(self) -> bool:
        """Check whether a figure of it is a ratio of sums of bounded values, whose interval has a closed form."""
        return self.is_mean and all(math.isfinite(end) for end in self.range)

    @property
    def is_linear(self) -> bool:
        """Check whether a figure of it is the plain mean of its values."""
        return self.is_mean and not self.chance_adjusted

    def applies(self, item: Item) -> bool:
        """Check whether it is for this item.

        Raises:
            UsageError: `only` can't decide.
        """
        if (self.kinds and item.kind not in self.kinds) or (self.units and item.unit not in self.units):
            return False
        try:
            return self.only is None or bool(self.only(item))
        except Exception as error:
            raise UsageError(
                f"the metric '{self.name}' can't tell whether it is for question '{item.id}': "
                f"{type(error).__name__}: {error}."
            ) from error

    def value(self, item: Item, reading: ParsedAnswer) -> float | None:
        """The value of one response.

        Args:
            item: of a kind that it is for.
            reading: of a rule set.

        Returns:
            None where it has no value: it has none for unread responses, none for this item, or no finite one.

        Raises:
            UsageError: it can't be computed, or its value is outside its range.
        """
        if reading.value is None:
            return self.unread(item) if callable(self.unread) else self.unread
        try:
            value = self.per_item(item, reading)
        except Exception as error:
            what = f"'{reading.text}' as the answer to question '{item.id}': {type(error).__name__}: {error}"
            raise UsageError(f"the metric '{self.name}' can't be computed of {what}.") from error
        if value is None or not math.isfinite(value):
            return None  # a model may answer "inf"
        if self.is_mean and not self.range[0] - _ROUNDING <= value <= self.range[1] + _ROUNDING:
            raise UsageError(
                f"the metric '{self.name}' gives {value} for '{reading.text}' as the answer to question '{item.id}', "
                f"outside its range {self.range}; state its range, or return None where it has no value."
            )
        return value

    def figure(self, values: Floats, weights: Floats | None = None) -> Floats:
        """The figure of some values, in the unit of the values; not for chance-adjusted metrics.

        Args:
            values: of responses. Shape (items,), at least one.
            weights: how often each counts; once where None. Shape (…, items).

        Returns:
            Shape (…,).
        """
        counts = np.ones(len(values)) if weights is None else weights
        if self._figure is not None:
            return np.asarray(self._figure(values, counts), dtype=np.float64)
        return weighted_mean(values, counts)


@dataclass(frozen=True)
class MetricFamily:
    """Metrics that differ in one number.

    Attributes:
        name: with 'X' in place of the number: 'within-X'.
        make: number → the metric.
        least, greatest: the numbers that mean something.
    """

    name: str
    make: Callable[[float], Metric]
    least: float = -math.inf
    greatest: float = math.inf

    def member(self, name: str) -> Metric | None:
        """The metric of a name such as 'within-25'; None where the name is none of the family's.

        Raises:
            UsageError: the number means nothing.
        """
        before, _, behind = self.name.partition("X")
        found = re.fullmatch(re.escape(before) + r"([0-9]+(?:\.[0-9]+)?)" + re.escape(behind), name)
        if found is None:
            return None
        number = float(found[1])
        if not self.least < number <= self.greatest:
            raise UsageError(
                f"the metric '{name}' means nothing: the number of {self.name} is above {self.least:g} and at most "
                f"{self.greatest:g}."
            )
        return self.make(number)

    def example(self) -> Metric:
        """Return the metric of the greatest number, or of 1 above the least, with an X for the number in its texts."""
        number = self.greatest if math.isfinite(self.greatest) else max(self.least, 0.0) + 1.0
        metric = self.make(number)
        title, source = (text.replace(f"{number:g}", "X") for text in (metric.title, metric.source))
        return replace(metric, name=self.name, title=title, source=source)


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Means of some values; nan without weight.

    Args:
        values: shape (items,).
        weights: shape (…, items).

    Returns:
        Shape (…,).
    """
    total = weights.sum(-1)
    return np.asarray(np.where(total > 0, weights @ values, np.nan) / np.where(total > 0, total, 1.0))


def with_weights(aggregate: Aggregate) -> Aggregate:
    """An aggregation as a function of values and weights: one of values alone is called with each value as often as its
    weight says."""
    taken = [
        one
        for one in inspect.signature(aggregate).parameters.values()
        if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    if len(taken) >= 2:
        return aggregate

    def repeated(values: Floats, weights: Floats) -> Floats:
        flat = weights.reshape(-1, len(values)).astype(np.intp)
        figures = [float(aggregate(np.repeat(values, counts))) if counts.any() else math.nan for counts in flat]
        return np.asarray(figures).reshape(weights.shape[:-1])

    return repeated


def composite(name: str, title: str, parts: Sequence[tuple[float, Metric]], source: str = "") -> Metric:
    """The weighted sum of other metrics: of each response, and therefore of each figure.

    Args:
        name, title, source: of the sum.
        parts: weights and metrics.

    Raises:
        UsageError: a part is no mean, or the units or directions of the parts differ; or no kind has all parts.
    """
    if not parts:
        raise UsageError(f"the metric '{name}' is a sum of nothing; give it parts.")
    for _, part in parts:
        if not part.is_linear:
            raise UsageError(
                f"'{part.name}' can't be a part of the sum '{name}': its figures are no plain means of items' values."
            )
    units = list(dict.fromkeys(part.unit for _, part in parts))
    directions = list(dict.fromkeys(part.direction for _, part in parts))
    if len(units) > 1 or len(directions) > 1:
        what = f"units ({', '.join(units)})" if len(units) > 1 else f"directions ({', '.join(directions)})"
        raise UsageError(f"the parts of the sum '{name}' have different {what}; give parts that can be added.")
    named = [set(part.kinds) for _, part in parts if part.kinds]
    kinds = tuple(sorted(set.intersection(*named))) if named else ()
    if named and not kinds:
        raise UsageError(f"the parts of the sum '{name}' are for different kinds of items; no item has them all.")

    def per_item(item: Item, reading: ParsedAnswer) -> float | None:
        total = 0.0
        for weight, part in parts:
            value = part.per_item(item, reading)
            if value is None:
                return None
            total += weight * value
        return total

    def unread(item: Item) -> float | None:
        values = [part.value(item, _NOTHING) for _, part in parts]
        known = [value for value in values if value is not None]
        return sum(w * value for (w, _), value in zip(parts, known, strict=True)) if len(known) == len(values) else None

    ends = [sorted((weight * part.range[0], weight * part.range[1])) for weight, part in parts if weight]
    units_of_items = [set(part.units) for _, part in parts if part.units]
    restricted = [part.only for _, part in parts if part.only is not None]
    return Metric(
        name=name,
        title=title,
        per_item=per_item,
        kinds=kinds,
        units=tuple(set.intersection(*units_of_items)) if units_of_items else (),
        only=(lambda item: all(only(item) for only in restricted)) if restricted else None,
        range=(sum(low for low, _ in ends), sum(high for _, high in ends)),
        direction=parts[0][1].direction,
        unread=unread,
        unit=units[0],
        digits=max(part.digits for _, part in parts),
        source=source or " + ".join(f"{weight:g}*{part.name}" for weight, part in parts),
    )


def _problem(thing: object) -> str:
    known = isinstance(thing, Metric | MetricFamily)
    return "" if known else "is no Metric and no MetricFamily of tolman.scoring.metrics"


REGISTRY = Registry(
    "metric", "tolman.scoring.metrics", "METRIC", "tolman.metrics", "METRICS", named_by_file=False, check=_problem
)


def metric_names() -> list[str]:
    """Return the names of all metrics; of families with an X in place of the number."""
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
    """See `find_metric`. The metrics that were found are kept until another plugin is loaded."""
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
