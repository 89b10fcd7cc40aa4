"""Within X %: the share of numbers whose relative error is at most X %."""

from fractions import Fraction
from functools import lru_cache

from tolman.items import Item
from tolman.scoring.metric import Metric, MetricFamily
from tolman.scoring.number_errors import difference
from tolman.scoring.reading import ParsedAnswer


@lru_cache(maxsize=64)
def within(percent: float) -> Metric:
    """The metric 'within-X': 1 where |response − truth| ≤ X % of |truth|, in exact arithmetic, else 0. For a truth of 0
    that is a response of 0."""
    limit = Fraction(str(percent)) / 100

    def per_item(item: Item, reading: ParsedAnswer) -> float:
        error = difference(item, reading)
        return float(error is not None and abs(error) <= limit * abs(item.exact_answer))

    return Metric(
        name=f"within-{percent:g}",
        title=f"Within {percent:g} %",
        per_item=per_item,
        kinds=("number",),
        source=f"share with |response − truth| ≤ {percent:g} % of |truth|",
    )


METRIC = MetricFamily("within-X", within, least=0.0, greatest=1000.0)
