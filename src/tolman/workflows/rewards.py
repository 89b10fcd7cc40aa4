"""The score of one response as a verifiable reward: the scorer itself, without files.

An item knows the benchmark that it was loaded with (`tolman.load(…).items()`), also after it was pickled or copied, and
so which scorers it has.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tolman.errors import UsageError

if TYPE_CHECKING:
    from tolman.items import Item
    from tolman.scoring.rules import RuleSet

_MARK = "_benchmark"
"""Beside an item's fields, and so in no file, hash or comparison."""


def reward(item: Item, text: str, *, scorer: str = "official", benchmark: str | None = None) -> float:
    """The score of one response to one item: what `tolman score` gives it, as a number.

    The same text always brings the same reward: where a released parser draws at random, it draws as `tolman score`
    does with seed 0. A response that a released code leaves out of its denominators is worth 0. Items that count as one
    question (`Item.all_of`) are scored each by itself.

    Args:
        item: of a loaded benchmark, or the user's own.
        text: the response, as it came.
        scorer: 'official', 'careful' or another of the benchmark's.
        benchmark: name or folder of the benchmark whose scorer is used; the item's own where None.

    Returns:
        0 … 1.

    Raises:
        UsageError: the benchmark has no such scorer, the item has none, or its true value has no score.
    """
    if not isinstance(text, str):
        raise UsageError(
            f"a response is a text, not {type(text).__name__}: a failed call is no answer and has no score."
        )
    rules = scorer_of(origin_of(item) if benchmark is None else benchmark, scorer)
    undefined = rules.undefined(item)
    if undefined is not None:
        raise UsageError(f"question '{item.id}': the answer {item.answer} has no score under '{scorer}': {undefined}.")
    if not rules.counts(item, text):
        return 0.0
    return float(rules.score(item, rules.read(item, text, 0)))


@lru_cache(maxsize=64)
def scorer_of(benchmark: str, scorer: str) -> RuleSet:
    """The scorer of a benchmark; looked up once in a process.

    Args:
        benchmark: name or folder; '' for the user's own items, which have `careful` only.
        scorer: its name.

    Raises:
        UsageError: there is none.
    """
    from tolman import benchmarks
    from tolman.scoring.rules import careful

    if benchmark:
        return benchmarks.get(benchmark).rule_set(scorer)
    own = careful()
    if scorer != own.name:
        raise UsageError(
            f"the item was loaded with no benchmark, so that it has the scorer '{own.name}' and no '{scorer}'; name "
            "the benchmark with benchmark=…"
        )
    return own


def mark(item: Item, origin: str) -> Item:
    """Note in an item which benchmark it was loaded with.

    Args:
        item: changed in place, in nothing that its class knows of.
        origin: name or folder; '' leaves the item as it is.
    """
    if origin:
        object.__setattr__(item, _MARK, origin)
    return item


def origin_of(item: Item) -> str:
    """The benchmark that an item was loaded with; '' where there is none."""
    return str(getattr(item, _MARK, ""))
