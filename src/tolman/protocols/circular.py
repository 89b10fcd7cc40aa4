"""Circular: each question with its options in all rotations, right only if every answer is.

Source: MMSI-Bench's circular data set (orders ABCD, BCDA, CDAB, DABC); CircularEval of MMBench (Liu et al., 2023).
"""

from __future__ import annotations

from collections.abc import Sequence

from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.errors import UsageError
from tolman.items import Item
from tolman.protocols.base import Modifier, ProtocolOptions
from tolman.scoring.item_kind import kind_of


def rotations(benchmark: BenchmarkSpec, item: Item) -> list[Item]:
    """The item with its options turned by 0, 1, 2 … places, one group that counts as one question.

    The first keeps the item's id, so that runs can be compared item by item; the others are 'ID@1', 'ID@2' … Numerical
    questions are asked once. A question whose options can't be told apart is left out, as in the released code.
    """
    if not kind_of(item).has_letters:
        return [item]
    places = range(len(item.options))
    turned = [benchmark.reorder(item, [*places[turn:], *places[:turn]]) for turn in places]
    return [
        one.model_copy(update={"id": f"{item.id}@{turn}" if turn else item.id, "all_of": item.all_of or item.id})
        for turn, one in enumerate(turned)
        if one is not None
    ]


def _check(benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions) -> None:
    if not any(kind_of(item).has_letters for item in items):
        raise UsageError("circular has nothing to rotate: none of these questions has options.")


PROTOCOL = Modifier(
    "circular",
    present=lambda benchmark, item, options: rotations(benchmark, item),
    check=_check,
    summary="the options in all rotations; right only if all answers are",
)
