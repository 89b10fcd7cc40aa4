"""The score of one response as a verifiable reward: the scorer itself, without files.

An item knows the benchmark that it was loaded with (`tolman.load(…).items()`), also after it was pickled or copied, and
so which scorers it has.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tolman.errors import UsageError
from tolman.items import Item

if TYPE_CHECKING:
    from tolman.scoring.rule_sets import RuleSet


_MARK = "_benchmark"
"""Beside an item's fields, and so in no file, hash or comparison."""


def reward(item: Item, text: str, *, scorer: str | None = None, benchmark: str | None = None) -> float:
    """Return the score of one response to one item, as `tolman score` gives it.

    The same text always brings the same reward: where a released parser draws at random, it draws as `tolman score`
    does with seed 0. A response that a released code leaves out of its denominators is worth 0. Items that count as one
    question (`Item.all_of`) are scored each by itself.

    Args:
        item: of a loaded benchmark, or the user's own.
        text: the response, as it came.
        scorer: 'official', 'careful' or another of the benchmark's; 'official' where None, and 'careful' if
            the benchmark has no such scorer.
        benchmark: name or folder of the benchmark whose scorer is used; the item's own where None.

    Returns:
        0 … 1.

    Raises:
        UsageError: the benchmark has no such scorer, the item has none, its true value has no score, or only a judge
            can score the response.
    """
    if not isinstance(item, Item):
        raise UsageError(f"a question is an Item of tolman.load(…).items, not {type(item).__name__}.")
    if not isinstance(text, str):
        raise UsageError(
            f"a response is a text, not {type(text).__name__}: a failed call is no answer and has no score."
        )
    rules = scorer_of(origin_of(item) if benchmark is None else benchmark, scorer)
    undefined = rules.undefined(item)
    if undefined is not None:
        raise UsageError(
            f"question '{item.id}': the answer {item.answer} has no score under '{rules.name}': {undefined}."
        )
    if not rules.counts(item, text):
        return 0.0
    reading = rules.read(item, text, 0)
    if reading.failed:
        raise UsageError(f"question '{item.id}': only a judge can score this answer under '{rules.name}'.")
    return float(rules.score(item, reading))


@lru_cache(maxsize=64)
def scorer_of(benchmark: str, scorer: str | None) -> RuleSet:
    """The scorer of a benchmark; looked up once in a process.

    Args:
        benchmark: name or folder; '' for the user's own items, which have `careful` only.
        scorer: its name; None for 'official', or 'careful' where there is no 'official'.

    Raises:
        UsageError: there is none.
    """
    from tolman import benchmarks
    from tolman.benchmarks.benchmark_folder import is_folder, open_folder
    from tolman.benchmarks.spec import OFFICIAL
    from tolman.scoring.rule_sets import careful
    from tolman.storage import pull

    if benchmark:
        # A folder without the questions: reading them takes Polars, which forked workers can't use.
        is_own = is_folder(benchmark)
        spec = open_folder(pull(benchmark), with_columns=False) if is_own else benchmarks.named(benchmark)
        if scorer is None:
            scorer = OFFICIAL if any(rules.name == OFFICIAL for rules in spec.rule_sets) else careful().name
        return spec.rule_set(scorer)
    own = careful()
    if scorer not in (None, own.name):
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
