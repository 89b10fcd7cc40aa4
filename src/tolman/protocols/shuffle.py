"""Option shuffle: the options in an order drawn for each item; the right letter moves with its option."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.errors import UsageError
from tolman.items import Item
from tolman.protocols.base import Modifier, ProtocolOptions
from tolman.scoring.item_kind import kind_of


def shuffle(benchmark: BenchmarkSpec, item: Item, seed: int) -> Item:
    """The item with its options in an order that only the seed and the item's id decide.

    Numerical questions, and questions whose options can't be told apart, stay as they are.
    """
    if not kind_of(item).has_letters:
        return item
    order = list(range(len(item.options)))
    random.Random(f"{seed}:{item.id}:options").shuffle(order)
    return benchmark.reorder(item, order) or item


def _check(benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions) -> None:
    if not any(kind_of(item).has_letters for item in items):
        raise UsageError("shuffle has nothing to shuffle: none of these questions has options.")


PROTOCOL = Modifier(
    "shuffle",
    present=lambda benchmark, item, options: [shuffle(benchmark, item, options.seed)],
    check=_check,
    refuses={"circular": "circular asks with the options in every rotation already"},
    summary="the options in an order drawn by the seed",
)
